//! Tokens whose keys take turns: the storage of `in turn` places, where nobody who puts many keeps the others waiting.
//!
//! A turn is one token, or as much of them as a measure says: what a token takes beyond its key's turn counts against the
//! key's next one (Shreedhar and Varghese 1996, "Efficient fair queuing using deficit round robin", in the form that
//! may overdraw), so that shares come out however large tokens are.

use super::keyed::Keyed;
use super::special::Content;
use crate::place::{Colour, Key};
use petrio_persist::Persist;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a turn is.
pub(crate) struct Turn<T> {
    /// What a token takes of it; left out, one.
    pub(crate) takes: Option<TakesOf<T>>,
    /// How much it is, at least one.
    pub(crate) each: u64,
}

/// What a token takes of its key's turn.
pub(crate) type TakesOf<T> = Arc<dyn Fn(&T) -> u64 + Send + Sync>;

impl<T> Clone for Turn<T> {
    fn clone(&self) -> Self {
        Self { takes: self.takes.clone(), each: self.each }
    }
}

impl<T> Turn<T> {
    /// One token.
    pub(crate) const ONE: Self = Self { takes: None, each: 1 };

    fn each(&self) -> i64 {
        i64::try_from(self.each.max(1)).unwrap_or(i64::MAX)
    }

    fn taken_by(&self, token: &T) -> i64 {
        self.takes.as_ref().map_or(1, |takes| i64::try_from(takes(token)).unwrap_or(i64::MAX))
    }
}

/// The slot of a token that is alone.
const ALONE: u32 = u32::MAX - 1;

/// A line of tokens for each key; the keys that have any take turns.
#[derive(Clone, Persist)]
pub(crate) struct InTurn<T> {
    /// A token that is alone, with its key. Most places of the sort never hold more, and each other piece of memory
    /// mostly comes from far away.
    alone: Option<(Key, T)>,
    /// All tokens, where there were several; empty while one is alone.
    lines: Lines<T>,
    #[persist(keep)]
    turn: Turn<T>,
}

#[derive(Clone, Debug, Persist)]
struct Lines<T> {
    tokens: Keyed<T>,
    /// The keys that have tokens, each once; the first one's turn it is.
    turns: VecDeque<InLine>,
}

/// A key that has tokens.
#[derive(Clone, Copy, Debug, Persist)]
struct InLine {
    key: Key,
    /// What is left of its turn: nothing or less where it has had more than that.
    left: i64,
}

impl<T: Colour> Lines<T> {
    fn insert(&mut self, key: Key, token: T, turn: &Turn<T>) {
        if self.tokens.find(key).is_none() {
            self.turns.push_back(InLine { key, left: turn.each() });
        }
        self.tokens.insert(key, token);
    }

    /// The key whose turn it is has had so much more, and may have `rest`.
    fn go_on(&mut self, taken: i64, has_rest: bool, each: i64) {
        let Some(mut first) = self.turns.pop_front() else { return };
        if has_rest {
            first.left = first.left.saturating_sub(taken);
            match first.left > 0 {
                true => self.turns.push_front(first),
                false => self.turns.push_back(InLine { left: first.left.saturating_add(each), ..first }),
            }
        }
        // Who is alone owes nobody anything.
        if self.turns.len() == 1
            && let Some(alone) = self.turns.front_mut()
        {
            alone.left = alone.left.max(1);
        }
        // Who has had more than the next turn, too, waits for another.
        while self.turns.front().is_some_and(|first| first.left <= 0) {
            if let Some(first) = self.turns.pop_front() {
                self.turns.push_back(InLine { left: first.left.saturating_add(each), ..first });
            }
        }
    }
}

impl<T> InTurn<T> {
    pub(super) fn of(turn: Turn<T>) -> Self {
        Self { alone: None, lines: Lines { tokens: Keyed::default(), turns: VecDeque::new() }, turn }
    }
}

impl<T: Colour> Content<T> for InTurn<T> {
    fn len(&self) -> usize {
        usize::from(self.alone.is_some()) + self.lines.tokens.len()
    }

    fn insert(&mut self, key: Key, token: T) {
        if let Some((first_key, first)) = self.alone.take() {
            self.lines.insert(first_key, first, &self.turn);
        } else if self.lines.turns.is_empty() {
            self.alone = Some((key, token));
            return;
        }
        self.lines.insert(key, token, &self.turn);
    }

    /// The oldest token of the key whose turn it is.
    fn first(&self) -> Option<u32> {
        if self.alone.is_some() {
            return Some(ALONE);
        }
        self.lines.turns.front().and_then(|first| self.lines.tokens.find(first.key))
    }

    fn get(&self, slot: u32) -> Option<&T> {
        match slot {
            ALONE => self.alone.as_ref().map(|(_, token)| token),
            _ => self.lines.tokens.get(slot),
        }
    }

    fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match slot {
            ALONE => self.alone.as_mut().map(|(_, token)| token),
            _ => self.lines.tokens.get_mut(slot),
        }
    }

    /// Takes a token, which counts as part of its key's turn, if it is the one that has it.
    fn remove(&mut self, slot: u32) -> Option<T> {
        if slot == ALONE {
            return self.alone.take().map(|(_, token)| token);
        }
        let key = self.lines.tokens.key(slot)?;
        let token = self.lines.tokens.remove(slot)?;
        let has_rest = self.lines.tokens.find(key).is_some();
        if self.lines.turns.front().is_some_and(|first| first.key == key) {
            self.lines.go_on(self.turn.taken_by(&token), has_rest, self.turn.each());
        } else if !has_rest {
            self.lines.turns.retain(|other| other.key != key);
        }
        Some(token)
    }

    /// The slot after this one in a scan of all tokens, the one that goes first before the others.
    fn scan(&self, after: Option<u32>) -> Option<u32> {
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

    fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        self.alone.iter().for_each(|(_, token)| visit(token));
        self.lines.tokens.iter().for_each(|(_, token)| visit(token));
    }

    fn remove_keys(&mut self, first: Key, last: Key) {
        self.alone.take_if(|(key, _)| (first..=last).contains(key));
        let Lines { tokens, turns } = &mut self.lines;
        turns.retain(|InLine { key, .. }| {
            let stays = !(first..=last).contains(key);
            while let Some(slot) = tokens.find(*key).filter(|_| !stays) {
                tokens.remove(slot);
            }
            stays
        });
    }

    fn clear(&mut self) {
        self.alone = None;
        self.lines.tokens.clear();
        self.lines.turns.clear();
    }
}
