//! Tokens that are not ready yet: each waits in a slot for its time in the calendar.

use petrio_persist::Persist;

/// What a slot holds.
#[derive(Clone, Debug, Persist)]
enum Slot<T> {
    Free {
        next: u32,
    },
    Waiting {
        token: T,
        generation: u32,
    },
    /// Injected from outside for later: it doesn't belong to the place before its time.
    Outside {
        token: T,
    },
    /// Delayed beyond every horizon: not in the calendar.
    Never {
        token: T,
        generation: u32,
    },
    /// Cancelled, its calendar entry not yet popped.
    Cancelled,
}

const NONE: u32 = u32::MAX;

/// A slab of tokens in delay. A slot is reused only after its calendar entry is gone, so a stale entry can't meet a
/// newer token; a handle carries the generation, so a stale handle can't either.
///
/// The first slot lies in the slab itself, and so in its place: few places delay more than one token at a time.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Timed<T> {
    first: Slot<T>,
    /// The slots from 1 on.
    others: Option<Box<Others<T>>>,
    free: u32,
    len: u32,
    generation: u32,
}

#[derive(Clone, Debug, Persist)]
struct Others<T>(Vec<Slot<T>>);

impl<T> Default for Timed<T> {
    fn default() -> Self {
        Self { first: Slot::Free { next: NONE }, others: None, free: 0, len: 0, generation: 0 }
    }
}

impl<T> Timed<T> {
    /// Tokens in delay.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    fn slot(&self, slot: u32) -> Option<&Slot<T>> {
        match slot.checked_sub(1) {
            None => Some(&self.first),
            Some(other) => self.others.as_ref()?.0.get(other as usize),
        }
    }

    /// Of a slot that was given out.
    #[inline]
    fn slot_mut(&mut self, slot: u32) -> &mut Slot<T> {
        match (slot.checked_sub(1), &mut self.others) {
            (Some(other), Some(others)) => &mut others.0[other as usize],
            _ => &mut self.first,
        }
    }

    /// One past the last slot.
    fn end(&self) -> u32 {
        1 + self.others.as_ref().map_or(0, |others| others.0.len() as u32)
    }

    /// Stores a token; returns its slot and generation.
    #[inline]
    pub(crate) fn insert(&mut self, token: T, never: bool) -> (u32, u32) {
        self.generation = self.generation.wrapping_add(1);
        let generation = self.generation;
        let content =
            if never { Slot::Never { token, generation } } else { Slot::Waiting { token, generation } };
        self.len += 1;
        let slot = self.free;
        if slot == NONE {
            return (self.push(content), generation);
        }
        let old = std::mem::replace(self.slot_mut(slot), content);
        if let Slot::Free { next } = old {
            self.free = next;
        }
        (slot, generation)
    }

    #[inline(never)]
    fn push(&mut self, content: Slot<T>) -> u32 {
        let others = self.others.get_or_insert_with(|| Box::new(Others(Vec::new())));
        others.0.push(content);
        others.0.len() as u32
    }

    #[inline]
    fn release(&mut self, slot: u32) -> Slot<T> {
        let free = std::mem::replace(&mut self.free, slot);
        std::mem::replace(self.slot_mut(slot), Slot::Free { next: free })
    }

    /// Stores a token that arrives from outside later.
    pub(crate) fn insert_outside(&mut self, token: T) -> u32 {
        let (slot, _) = self.insert(token, false);
        self.len -= 1;
        let content = self.slot_mut(slot);
        if let Slot::Waiting { token, .. } = std::mem::replace(content, Slot::Cancelled) {
            *content = Slot::Outside { token };
        }
        slot
    }

    /// The calendar entry of a slot is due: its token, unless it was cancelled meanwhile, and whether it comes from
    /// outside.
    #[inline]
    pub(crate) fn mature(&mut self, slot: u32) -> Option<(T, bool)> {
        match self.release(slot) {
            Slot::Waiting { token, .. } => {
                self.len -= 1;
                Some((token, false))
            }
            Slot::Outside { token } => Some((token, true)),
            _ => None,
        }
    }

    /// Takes a token out before its time. Returns it and whether a calendar entry has become stale.
    pub(crate) fn cancel(&mut self, slot: u32, wanted: u32) -> Option<(T, bool)> {
        match self.slot(slot)? {
            Slot::Waiting { generation, .. } if *generation == wanted => {
                self.len -= 1;
                match std::mem::replace(self.slot_mut(slot), Slot::Cancelled) {
                    Slot::Waiting { token, .. } => Some((token, true)),
                    _ => None,
                }
            }
            Slot::Never { generation, .. } if *generation == wanted => {
                self.len -= 1;
                match self.release(slot) {
                    Slot::Never { token, .. } => Some((token, false)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the calendar entry of a slot still means something.
    pub(crate) fn is_live(&self, slot: u32) -> bool {
        matches!(self.slot(slot), Some(Slot::Waiting { .. } | Slot::Outside { .. }))
    }

    /// The calendar has dropped the entry of a cancelled slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        if matches!(self.slot(slot), Some(Slot::Cancelled)) {
            self.release(slot);
        }
    }

    /// Removes the tokens for which `doomed` holds; returns how many, and how many calendar entries became stale.
    pub(crate) fn cancel_all(&mut self, mut doomed: impl FnMut(&T) -> bool) -> (usize, usize) {
        let (mut removed, mut stale) = (0usize, 0);
        if self.len == 0 {
            return (removed, stale);
        }
        for slot in 0..self.end() {
            match self.slot(slot) {
                Some(Slot::Waiting { token, .. }) if doomed(token) => {
                    *self.slot_mut(slot) = Slot::Cancelled;
                    stale += 1;
                }
                Some(Slot::Never { token, .. }) if doomed(token) => drop(self.release(slot)),
                _ => continue,
            }
            removed += 1;
        }
        self.len -= removed as u32;
        (removed, stale)
    }

    /// The tokens in delay, in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.end()).filter_map(|slot| match self.slot(slot)? {
            Slot::Waiting { token, .. } | Slot::Never { token, .. } => Some((slot, token)),
            _ => None,
        })
    }
}
