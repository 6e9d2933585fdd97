//! Tokens that are not ready yet: each waits in a slot for its time in the calendar.

use petrio_persist::Persist;
use petrio_time::numbers::as_number;

/// What a slot holds.
#[derive(Clone, Debug, Persist)]
enum Slot<T> {
    Free {
        next: u32,
    },
    Held {
        token: T,
        generation: u32,
        until: Until,
    },
    /// Cancelled, its calendar entry not yet popped.
    Cancelled,
}

/// Until when a token is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Until {
    /// Its time in the calendar.
    Due,
    /// Its time, from which on it belongs to the place: it is injected from outside.
    Outside,
    /// Beyond every horizon: it is not in the calendar.
    Never,
}

const NONE: u32 = u32::MAX;

/// A slab of tokens in delay. A slot is reused only after its calendar entry is gone, so a stale entry can't meet a
/// newer token; a handle carries the generation, so a stale handle can't either.
///
/// The first slot lies in the slab itself, and so in its place: few places delay more than one token at a time.
#[derive(Clone, Debug, Persist)]
#[persist(part)]
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
    #[expect(clippy::cast_possible_truncation, reason = "each got its number of 32 bits when it was made")]
    fn end(&self) -> u32 {
        1 + self.others.as_ref().map_or(0, |others| others.0.len() as u32)
    }

    /// Stores a token; returns its slot and generation.
    #[inline]
    pub(crate) fn insert(&mut self, token: T, never: bool) -> (u32, u32) {
        self.generation = self.generation.wrapping_add(1);
        let generation = self.generation;
        let until = if never { Until::Never } else { Until::Due };
        let content = Slot::Held { token, generation, until };
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
        as_number(others.0.len())
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
        if let Slot::Held { until, .. } = self.slot_mut(slot) {
            *until = Until::Outside;
        }
        slot
    }

    /// The calendar entry of a slot is due: its token, unless it was cancelled meanwhile, and whether it comes from
    /// outside.
    #[inline]
    pub(crate) fn mature(&mut self, slot: u32) -> Option<(T, bool)> {
        match self.release(slot) {
            Slot::Held { token, until: Until::Outside, .. } => Some((token, true)),
            Slot::Held { token, .. } => {
                self.len -= 1;
                Some((token, false))
            }
            _ => None,
        }
    }

    /// Takes a token out before its time. Returns it and whether a calendar entry has become stale.
    pub(crate) fn cancel(&mut self, slot: u32, wanted: u32) -> Option<(T, bool)> {
        let is_due = match self.slot(slot)? {
            Slot::Held { generation, until, .. } if *generation == wanted && *until != Until::Outside => {
                *until == Until::Due
            }
            _ => return None,
        };
        self.len -= 1;
        let content =
            if is_due { std::mem::replace(self.slot_mut(slot), Slot::Cancelled) } else { self.release(slot) };
        match content {
            Slot::Held { token, .. } => Some((token, is_due)),
            _ => None,
        }
    }

    /// Whether the calendar entry of a slot still means something.
    pub(crate) fn is_live(&self, slot: u32) -> bool {
        matches!(self.slot(slot), Some(Slot::Held { until: Until::Due | Until::Outside, .. }))
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
                Some(Slot::Held { token, until: Until::Due, .. }) if doomed(token) => {
                    *self.slot_mut(slot) = Slot::Cancelled;
                    stale += 1;
                }
                Some(Slot::Held { token, until: Until::Never, .. }) if doomed(token) => {
                    drop(self.release(slot));
                }
                _ => continue,
            }
            removed += 1;
        }
        self.len -= as_number(removed);
        (removed, stale)
    }

    /// The tokens in delay, in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..self.end()).filter_map(|slot| match self.slot(slot)? {
            Slot::Held { token, until: Until::Due | Until::Never, .. } => Some((slot, token)),
            _ => None,
        })
    }
}
