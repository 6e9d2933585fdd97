//! Tokens that can be taken, stored as the place's discipline wants them.

use super::in_turn::{InTurn, Turn};
use super::keyed::Keyed;
use super::special::{Bag, ByPriority, Content, Special};
use super::treap::Treap;
use crate::place::{Colour, Key, KeyOf};
use petrio_persist::Persist;
use std::collections::VecDeque;

/// A waiting line. Its first token lies in the line itself, and so in its place: few places hold more than one at a
/// time, and in a net of thousands of parts each other piece of memory mostly comes from far away.
#[derive(Clone, Persist)]
#[persist(part)]
pub(crate) struct Queue<T> {
    front: Option<T>,
    /// Those behind the front; empty where there is no front.
    behind: Option<Box<Behind<T>>>,
}

#[derive(Clone, Persist)]
struct Behind<T>(VecDeque<T>);

impl<T> Behind<T> {
    /// Takes one out. The standard library's way moves memory in a dozen cases, each compiled for each colour.
    fn remove(&mut self, position: usize) -> Option<T> {
        let length = self.0.len();
        if position >= length {
            return None;
        }
        if position < length / 2 {
            for at in (0..position).rev() {
                self.0.swap(at, at + 1);
            }
            return self.0.pop_front();
        }
        for at in position + 1..length {
            self.0.swap(at - 1, at);
        }
        self.0.pop_back()
    }
}

impl<T> Queue<T> {
    fn new() -> Self {
        Self { front: None, behind: None }
    }

    fn len(&self) -> usize {
        usize::from(self.front.is_some()) + self.behind.as_ref().map_or(0, |behind| behind.0.len())
    }

    #[inline]
    fn push(&mut self, token: T) {
        if self.front.is_none() {
            self.front = Some(token);
        } else {
            self.push_behind(token);
        }
    }

    fn push_behind(&mut self, token: T) {
        self.behind.get_or_insert_with(|| Box::new(Behind(VecDeque::new()))).0.push_back(token);
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        let token = self.front.take();
        if let Some(behind) = &mut self.behind {
            self.front = behind.0.pop_front();
        }
        token
    }

    #[inline]
    fn get(&self, position: u32) -> Option<&T> {
        match position.checked_sub(1) {
            None => self.front.as_ref(),
            Some(behind) => self.behind.as_ref()?.0.get(behind as usize),
        }
    }

    #[inline]
    fn get_mut(&mut self, position: u32) -> Option<&mut T> {
        match position.checked_sub(1) {
            None => self.front.as_mut(),
            Some(behind) => self.behind.as_mut()?.0.get_mut(behind as usize),
        }
    }

    fn remove(&mut self, position: u32) -> Option<T> {
        match position.checked_sub(1) {
            None => self.pop(),
            Some(behind) => self.behind.as_mut()?.remove(behind as usize),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.front.iter().chain(self.behind.iter().flat_map(|behind| &behind.0))
    }

    fn clear(&mut self) {
        self.front = None;
        if let Some(behind) = &mut self.behind {
            behind.0.clear();
        }
    }
}

/// The ready tokens of a place: of the frequent kinds in the place itself, of the others apart.
#[derive(Clone, Persist)]
#[persist(part)]
pub(crate) enum Ready<T> {
    Fifo(Queue<T>),
    State(Option<T>),
    Special(Box<Special<T>>),
}

impl<T: Colour> Ready<T> {
    pub(crate) fn fifo() -> Self {
        Self::Fifo(Queue::new())
    }

    pub(crate) fn state() -> Self {
        Self::State(None)
    }

    pub(crate) fn bag() -> Self {
        Self::special(None, Bag(Vec::new()))
    }

    pub(crate) fn priority(key_of: KeyOf<T>) -> Self {
        Self::special(Some(key_of), ByPriority::default())
    }

    pub(crate) fn ordered(key_of: KeyOf<T>) -> Self {
        Self::special(Some(key_of), Treap::default())
    }

    pub(crate) fn keyed(key_of: KeyOf<T>) -> Self {
        Self::special(Some(key_of), Keyed::default())
    }

    pub(crate) fn in_turn(key_of: KeyOf<T>, turn: Turn<T>) -> Self {
        Self::special(Some(key_of), InTurn::of(turn))
    }

    fn special(key_of: Option<KeyOf<T>>, content: impl Content<T> + 'static) -> Self {
        Self::Special(Box::new(Special { key_of, content }))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.len(),
            Self::State(resident) => usize::from(resident.is_some()),
            Self::Special(special) => special.content.len(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, token: T) {
        // Most places are plain queues: that case is inlined, the others are called.
        match self {
            Self::Fifo(queue) => queue.push(token),
            _ => self.push_elsewhere(token),
        }
    }

    #[inline(never)]
    fn push_elsewhere(&mut self, token: T) {
        match self {
            Self::Fifo(queue) => queue.push(token),
            Self::State(resident) => *resident = Some(token),
            Self::Special(special) => special.push(token),
        }
    }

    /// The token that goes first.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        match self {
            Self::Fifo(queue) => queue.pop(),
            _ => self.pop_elsewhere(),
        }
    }

    #[inline(never)]
    fn pop_elsewhere(&mut self) -> Option<T> {
        match self {
            Self::Fifo(queue) => queue.pop(),
            Self::State(resident) => resident.take(),
            Self::Special(special) => special.pop(),
        }
    }

    /// The slot of the token that goes first.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        match self {
            Self::Fifo(queue) => queue.front.as_ref().map(|_| 0),
            Self::State(resident) => resident.as_ref().map(|_| 0),
            Self::Special(special) => special.content.first(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        match self {
            Self::Fifo(queue) => queue.get(slot),
            Self::State(resident) => resident.as_ref(),
            Self::Special(special) => special.content.get(slot),
        }
    }

    /// For changes that leave the key alone.
    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match self {
            Self::Fifo(queue) => queue.get_mut(slot),
            Self::State(resident) => resident.as_mut(),
            Self::Special(special) => special.content.get_mut(slot),
        }
    }

    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        match self {
            Self::Fifo(queue) => queue.remove(slot),
            Self::State(resident) => resident.take(),
            Self::Special(special) => special.content.remove(slot),
        }
    }

    /// The slot after this one in a scan of all tokens; `None` starts.
    pub(crate) fn scan(&self, after: Option<u32>) -> Option<u32> {
        match self {
            Self::Fifo(queue) => {
                let next = after.map_or(0, |slot| slot + 1);
                ((next as usize) < queue.len()).then_some(next)
            }
            Self::State(_) => {
                if after.is_none() {
                    self.first()
                } else {
                    None
                }
            }
            Self::Special(special) => special.content.scan(after),
        }
    }

    /// Every token, for inspection; a priority place's in no particular but a deterministic order.
    pub(crate) fn for_each(&self, visit: &mut dyn FnMut(&T)) {
        match self {
            Self::Fifo(queue) => queue.iter().for_each(visit),
            Self::State(resident) => resident.iter().for_each(visit),
            Self::Special(special) => special.content.for_each(visit),
        }
    }

    /// Removes the tokens whose key lies in a range; returns how many.
    pub(crate) fn remove_keys(&mut self, first: Key, last: Key) -> usize {
        match self {
            Self::Fifo(_) | Self::State(_) => 0,
            Self::Special(special) => {
                let before = special.content.len();
                special.content.remove_keys(first, last);
                before - special.content.len()
            }
        }
    }

    /// Removes every token; returns how many. A state keeps its resident.
    pub(crate) fn clear(&mut self) -> usize {
        let before = self.len();
        match self {
            Self::Fifo(queue) => queue.clear(),
            Self::State(_) => return 0,
            Self::Special(special) => special.content.clear(),
        }
        before
    }

    pub(crate) fn key_of(&self) -> Option<&KeyOf<T>> {
        match self {
            Self::Special(special) => special.key_of.as_ref(),
            _ => None,
        }
    }

    /// The tokens of an ordered place.
    pub(crate) fn tree(&self) -> Option<&Treap<T>> {
        match self {
            Self::Special(special) => special.content.tree(),
            _ => None,
        }
    }

    /// The tokens of a keyed place.
    pub(crate) fn map(&self) -> Option<&Keyed<T>> {
        match self {
            Self::Special(special) => special.content.map(),
            _ => None,
        }
    }
}
