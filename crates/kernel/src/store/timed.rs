//! Tokens that are not ready yet: each waits in a slot for its time in the calendar.

/// What a slot holds.
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct Timed<T> {
    slots: Vec<Slot<T>>,
    free: u32,
    len: usize,
    generation: u32,
}

impl<T> Default for Timed<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: NONE, len: 0, generation: 0 }
    }
}

impl<T> Timed<T> {
    /// Tokens in delay.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Stores a token; returns its slot and generation.
    #[inline]
    pub(crate) fn insert(&mut self, token: T, never: bool) -> (u32, u32) {
        self.generation = self.generation.wrapping_add(1);
        let generation = self.generation;
        let content =
            if never { Slot::Never { token, generation } } else { Slot::Waiting { token, generation } };
        self.len += 1;
        if self.free == NONE {
            self.slots.push(content);
            return ((self.slots.len() - 1) as u32, generation);
        }
        let slot = self.free;
        let old = std::mem::replace(&mut self.slots[slot as usize], content);
        if let Slot::Free { next } = old {
            self.free = next;
        }
        (slot, generation)
    }

    fn release(&mut self, slot: u32) -> Slot<T> {
        let old = std::mem::replace(&mut self.slots[slot as usize], Slot::Free { next: self.free });
        self.free = slot;
        old
    }

    /// Stores a token that arrives from outside later.
    pub(crate) fn insert_outside(&mut self, token: T) -> u32 {
        let (slot, _) = self.insert(token, false);
        self.len -= 1;
        let content = &mut self.slots[slot as usize];
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
        match self.slots.get(slot as usize)? {
            Slot::Waiting { generation, .. } if *generation == wanted => {
                self.len -= 1;
                match std::mem::replace(&mut self.slots[slot as usize], Slot::Cancelled) {
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
        matches!(self.slots.get(slot as usize), Some(Slot::Waiting { .. } | Slot::Outside { .. }))
    }

    /// The calendar has dropped the entry of a cancelled slot.
    pub(crate) fn forget(&mut self, slot: u32) {
        if matches!(self.slots.get(slot as usize), Some(Slot::Cancelled)) {
            self.release(slot);
        }
    }

    /// Removes the tokens for which `doomed` holds; returns how many, and how many calendar entries became stale.
    pub(crate) fn cancel_all(&mut self, mut doomed: impl FnMut(&T) -> bool) -> (usize, usize) {
        let (mut removed, mut stale) = (0, 0);
        if self.len == 0 {
            return (removed, stale);
        }
        for slot in 0..self.slots.len() as u32 {
            match &self.slots[slot as usize] {
                Slot::Waiting { token, .. } if doomed(token) => {
                    self.slots[slot as usize] = Slot::Cancelled;
                    stale += 1;
                }
                Slot::Never { token, .. } if doomed(token) => drop(self.release(slot)),
                _ => continue,
            }
            removed += 1;
        }
        self.len -= removed;
        (removed, stale)
    }

    /// The tokens in delay, in slot order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots.iter().enumerate().filter_map(|(slot, content)| match content {
            Slot::Waiting { token, .. } | Slot::Never { token, .. } => Some((slot as u32, token)),
            _ => None,
        })
    }
}
