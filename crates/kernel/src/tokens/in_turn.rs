//! Tokens whose keys take turns: the storage of `in turn` places, where nobody who puts many keeps the others waiting.

use super::keyed::Keyed;
use crate::place::Key;
use std::collections::VecDeque;

/// The slot of a token that is alone.
const ALONE: u32 = u32::MAX - 1;

/// A line of tokens for each key; the keys that have any take turns, one token each.
#[derive(Clone, Debug)]
pub(crate) struct InTurn<T> {
    /// A token that is alone, with its key. Most places of the sort never hold more, and each other piece of memory
    /// mostly comes from far away.
    alone: Option<(Key, T)>,
    /// All tokens, where there were several; empty while one is alone.
    lines: Lines<T>,
}

#[derive(Clone, Debug)]
struct Lines<T> {
    tokens: Keyed<T>,
    /// The keys that have tokens, each once; the first one's turn is next.
    turns: VecDeque<Key>,
}

impl<T> Lines<T> {
    fn insert(&mut self, key: Key, token: T) {
        if self.tokens.find(key).is_none() {
            self.turns.push_back(key);
        }
        self.tokens.insert(key, token);
    }
}

impl<T> Default for InTurn<T> {
    fn default() -> Self {
        Self { alone: None, lines: Lines { tokens: Keyed::default(), turns: VecDeque::new() } }
    }
}

impl<T> InTurn<T> {
    pub(crate) fn len(&self) -> usize {
        usize::from(self.alone.is_some()) + self.lines.tokens.len()
    }

    pub(crate) fn insert(&mut self, key: Key, token: T) {
        if let Some((first_key, first)) = self.alone.take() {
            self.lines.insert(first_key, first);
        } else if self.lines.turns.is_empty() {
            self.alone = Some((key, token));
            return;
        }
        self.lines.insert(key, token);
    }

    /// The oldest token of the key whose turn it is.
    pub(crate) fn first(&self) -> Option<u32> {
        if self.alone.is_some() {
            return Some(ALONE);
        }
        self.lines.turns.front().and_then(|&key| self.lines.tokens.find(key))
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        match slot {
            ALONE => self.alone.as_ref().map(|(_, token)| token),
            _ => self.lines.tokens.get(slot),
        }
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match slot {
            ALONE => self.alone.as_mut().map(|(_, token)| token),
            _ => self.lines.tokens.get_mut(slot),
        }
    }

    /// Takes a token. Its key has had its turn, if it was the one that had it.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        if slot == ALONE {
            return self.alone.take().map(|(_, token)| token);
        }
        let Lines { tokens, turns } = &mut self.lines;
        let key = tokens.key(slot)?;
        let token = tokens.remove(slot)?;
        let rest = tokens.find(key).is_some();
        if turns.front() == Some(&key) {
            turns.pop_front();
            if rest {
                turns.push_back(key);
            }
        } else if !rest {
            turns.retain(|&other| other != key);
        }
        Some(token)
    }

    /// The slot after this one in a scan of all tokens, the one that goes first before the others.
    pub(crate) fn scan(&self, after: Option<u32>) -> Option<u32> {
        let first = self.first()?;
        let from = match after {
            None => return Some(first),
            Some(ALONE) => return None,
            Some(slot) if slot == first => 0,
            Some(slot) => slot + 1,
        };
        match self.lines.tokens.occupied_from(from) {
            Some(slot) if slot == first => self.lines.tokens.occupied_from(slot + 1),
            other => other,
        }
    }

    pub(crate) fn for_each(&self, mut visit: impl FnMut(&T)) {
        self.alone.iter().for_each(|(_, token)| visit(token));
        self.lines.tokens.iter().for_each(|(_, token)| visit(token));
    }

    /// Removes the tokens whose key lies in a range.
    pub(crate) fn remove_keys(&mut self, first: Key, last: Key) {
        self.alone.take_if(|(key, _)| (first..=last).contains(key));
        let Lines { tokens, turns } = &mut self.lines;
        turns.retain(|key| {
            let stays = !(first..=last).contains(key);
            while let Some(slot) = tokens.find(*key).filter(|_| !stays) {
                tokens.remove(slot);
            }
            stays
        });
    }

    /// Removes everything, keeping the capacity.
    pub(crate) fn clear(&mut self) {
        self.alone = None;
        self.lines.tokens.clear();
        self.lines.turns.clear();
    }
}
