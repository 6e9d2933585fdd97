//! Hash-indexed tokens: the storage of `keyed` places, where a reply finds its request in constant time.

use super::special::Content;
use crate::place::{Colour, Key};
use petrio_persist::Persist;
use petrio_time::numbers::as_number;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const NONE: u32 = u32::MAX;

/// A multiplicative hash. Keys come from models, not from adversaries, and the map's order is never looked at, so the
/// standard library's keyed hash would cost time for nothing.
#[derive(Clone, Copy, Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
    #[expect(clippy::cast_possible_truncation, reason = "each takes its half")]
    fn write_u128(&mut self, value: u128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }
}

#[derive(Clone, Debug, Persist)]
struct Held<T> {
    key: Key,
    /// The next token of the same key, in order of arrival.
    next: u32,
    token: Option<T>,
}

/// Tokens by key; tokens of one key in order of arrival.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Keyed<T> {
    /// First and last token of a key.
    chains: HashMap<Key, (u32, u32), BuildHasherDefault<KeyHasher>>,
    held: Vec<Held<T>>,
    free: Vec<u32>,
    len: usize,
}

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Self { chains: HashMap::default(), held: Vec::new(), free: Vec::new(), len: 0 }
    }
}

impl<T> Keyed<T> {
    /// The first token of a key.
    pub(crate) fn find(&self, key: Key) -> Option<u32> {
        self.chains.get(&key).map(|(first, _)| *first)
    }

    /// The key of a slot's token.
    pub(crate) fn key(&self, slot: u32) -> Option<Key> {
        self.held.get(slot as usize).filter(|held| held.token.is_some()).map(|held| held.key)
    }

    /// The first occupied slot from `start` on.
    #[expect(clippy::cast_possible_truncation, reason = "each got its number of 32 bits when it was made")]
    pub(crate) fn occupied_from(&self, start: u32) -> Option<u32> {
        let rest = self.held.get(start as usize..)?;
        rest.iter().position(|held| held.token.is_some()).map(|offset| start + offset as u32)
    }

    /// Slots and tokens, in slot order (deterministic).
    #[expect(clippy::cast_possible_truncation, reason = "each got its number of 32 bits when it was made")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.held
            .iter()
            .enumerate()
            .filter_map(|(slot, held)| held.token.as_ref().map(|token| (slot as u32, token)))
    }
}

impl<T: Colour> Content<T> for Keyed<T> {
    fn len(&self) -> usize {
        self.len
    }

    fn insert(&mut self, key: Key, token: T) {
        let content = Held { key, next: NONE, token: Some(token) };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.held[slot as usize] = content;
                slot
            }
            None => {
                self.held.push(content);
                as_number(self.held.len() - 1)
            }
        };
        self.len += 1;
        match self.chains.entry(key) {
            std::collections::hash_map::Entry::Occupied(mut chain) => {
                let last = std::mem::replace(&mut chain.get_mut().1, slot);
                self.held[last as usize].next = slot;
            }
            std::collections::hash_map::Entry::Vacant(chain) => {
                chain.insert((slot, slot));
            }
        }
    }

    fn first(&self) -> Option<u32> {
        self.occupied_from(0)
    }

    fn get(&self, slot: u32) -> Option<&T> {
        self.held.get(slot as usize)?.token.as_ref()
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.held.get_mut(slot as usize)?.token.as_mut()
    }

    fn remove(&mut self, slot: u32) -> Option<T> {
        let token = self.held.get_mut(slot as usize)?.token.take()?;
        let (key, next) = (self.held[slot as usize].key, self.held[slot as usize].next);
        if let Some((first, last)) = self.chains.get_mut(&key) {
            if *first == slot {
                if next == NONE {
                    self.chains.remove(&key);
                } else {
                    *first = next;
                }
            } else {
                let mut at = *first;
                while self.held[at as usize].next != slot {
                    at = self.held[at as usize].next;
                }
                self.held[at as usize].next = next;
                if *last == slot {
                    *last = at;
                }
            }
        }
        self.free.push(slot);
        self.len -= 1;
        Some(token)
    }

    fn scan(&self, after: Option<u32>) -> Option<u32> {
        self.occupied_from(after.map_or(0, |slot| slot + 1))
    }

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.iter().for_each(|(_, token)| visit(token));
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        if first == last {
            while let Some(slot) = self.find(first) {
                self.remove(slot);
            }
            return;
        }
        let mut at = self.occupied_from(0);
        while let Some(slot) = at {
            if self.key(slot).is_some_and(|key| (first..=last).contains(&key)) {
                self.remove(slot);
            }
            at = self.occupied_from(slot + 1);
        }
    }

    fn clear(&mut self) {
        self.chains.clear();
        self.held.clear();
        self.free.clear();
        self.len = 0;
    }

    fn map(&self) -> Option<&Keyed<T>> {
        Some(self)
    }
}
