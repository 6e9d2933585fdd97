//! Tokens whose keys take turns: the storage of `in turn` places, where nobody who puts many keeps the others waiting.

use super::keyed::Keyed;
use crate::place::Key;
use std::collections::VecDeque;

/// A line of tokens for each key; the keys that have any take turns, one token each.
#[derive(Clone, Debug)]
pub(crate) struct InTurn<T> {
    lines: Keyed<T>,
    /// The keys that have tokens, each once; the first one's turn is next.
    turns: VecDeque<Key>,
}

impl<T> Default for InTurn<T> {
    fn default() -> Self {
        Self { lines: Keyed::default(), turns: VecDeque::new() }
    }
}

impl<T> InTurn<T> {
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(crate) fn insert(&mut self, key: Key, token: T) {
        if self.lines.find(key).is_none() {
            self.turns.push_back(key);
        }
        self.lines.insert(key, token);
    }

    /// The oldest token of the key whose turn it is.
    pub(crate) fn first(&self) -> Option<u32> {
        self.turns.front().and_then(|&key| self.lines.find(key))
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        self.lines.get(slot)
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.lines.get_mut(slot)
    }

    /// Takes a token. Its key has had its turn, if it was the one that had it.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let key = self.lines.key(slot)?;
        let token = self.lines.remove(slot)?;
        let rest = self.lines.find(key).is_some();
        if self.turns.front() == Some(&key) {
            self.turns.pop_front();
            if rest {
                self.turns.push_back(key);
            }
        } else if !rest {
            self.turns.retain(|&other| other != key);
        }
        Some(token)
    }

    /// The slot after this one in a scan of all tokens, the one that goes first before the others.
    pub(crate) fn scan(&self, after: Option<u32>) -> Option<u32> {
        let first = self.first()?;
        let from = match after {
            None => return Some(first),
            Some(slot) if slot == first => 0,
            Some(slot) => slot + 1,
        };
        match self.lines.occupied_from(from) {
            Some(slot) if slot == first => self.lines.occupied_from(slot + 1),
            other => other,
        }
    }

    pub(crate) fn for_each(&self, mut visit: impl FnMut(&T)) {
        self.lines.iter().for_each(|(_, token)| visit(token));
    }

    /// Removes the tokens whose key lies in a range.
    pub(crate) fn remove_keys(&mut self, first: Key, last: Key) {
        let lines = &mut self.lines;
        self.turns.retain(|key| {
            let stays = !(first..=last).contains(key);
            while let Some(slot) = lines.find(*key).filter(|_| !stays) {
                lines.remove(slot);
            }
            stays
        });
    }

    /// Removes everything, keeping the capacity.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.turns.clear();
    }
}
