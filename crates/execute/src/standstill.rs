//! Programs that fork without end while no time passes.
//!
//! Where computing costs nothing (`--compute none`), starting a process doesn't either: whoever forks without end, each of whose children
//! ends or is refused, would do so at one instant for ever, and no sleep or timeout of anybody else would ever be over.

use petrio_time::Time;

/// So many times what it may have at one time, a program may start at one instant; and be refused.
const STARTED: u64 = 256;
const REFUSED: u64 = 64;

/// Starts since time has last passed.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    at: Time,
    started: u64,
    refused: u64,
}

impl Starts {
    /// One more at this time, of a program that may have `most` at a time; how many there were at this instant, where that are too many.
    pub(crate) fn note(&mut self, now: Time, refused: bool, most: u32) -> Option<u64> {
        if now != self.at {
            *self = Self { at: now, ..Self::default() };
        }
        *if refused { &mut self.refused } else { &mut self.started } += 1;
        let most = u64::from(most);
        let is_endless = self.started > STARTED * most || self.refused > REFUSED * most;
        is_endless.then_some(self.started + self.refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_without_end_where_more_than_a_multiple_of_what_is_allowed_come_at_one_instant() {
        let (mut starts, later) = (Starts::default(), Time::from_nanos(1));
        assert!((0..STARTED * 2).all(|_| starts.note(Time::ZERO, false, 2).is_none()));
        // Time has passed: it begins anew.
        assert!((0..STARTED * 2).all(|_| starts.note(later, false, 2).is_none()));
        assert!((0..REFUSED * 2).all(|_| starts.note(later, true, 2).is_none()));
        assert_eq!(starts.note(later, true, 2), Some((STARTED + REFUSED) * 2 + 1));
    }
}
