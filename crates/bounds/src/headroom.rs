//! Memory that grows with an input whose size nobody knows before it is read.

use crate::memory::{Available, TooMuch, available, resident};

/// Records between two looks: a look costs about a tenth of a millisecond.
const RECORDS_A_LOOK: u32 = 1 << 16;
/// As long as no more was taken there is nothing to fear.
const HARMLESS_BYTES: u64 = 16 << 20;
/// What may be taken between two looks: so much is left free in any case.
const ROOM_BYTES: u64 = 128 << 20;

/// Ends what has taken so much memory that there is none to go on with, before the kernel ends the process.
///
/// What is held is a table or several, and a table that is full is copied to a larger one: half of what was taken since
/// the beginning must be left beside it.
///
/// ```
/// let mut headroom = petrio_bounds::Headroom::default();
/// for _ in 0..100_000 {
///     headroom.record().unwrap();
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Headroom {
    /// What the process held when it began.
    held_at_first: u64,
    until_look: u32,
}

impl Default for Headroom {
    fn default() -> Self {
        Self { held_at_first: resident(), until_look: RECORDS_A_LOOK }
    }
}

impl Headroom {
    /// Another record was taken in.
    ///
    /// # Errors
    /// [`TooMuch`]: the records before it have left no room for more.
    #[inline]
    pub fn record(&mut self) -> Result<(), TooMuch> {
        self.until_look -= 1;
        if self.until_look > 0 {
            return Ok(());
        }
        self.until_look = RECORDS_A_LOOK;
        self.look()
    }

    /// Looks at once.
    ///
    /// # Errors
    /// As of [`record`](Self::record).
    pub fn look(&self) -> Result<(), TooMuch> {
        let taken = resident().saturating_sub(self.held_at_first);
        if taken < HARMLESS_BYTES { Ok(()) } else { judge(taken, available()) }
    }
}

/// Whether there is room to go on after so much was taken.
fn judge(taken: u64, Available { bytes, limit }: Available) -> Result<(), TooMuch> {
    let wanted = (taken / 2).max(ROOM_BYTES);
    if bytes >= wanted {
        return Ok(());
    }
    Err(TooMuch {
        needed_bytes: taken.saturating_add(wanted),
        available_bytes: taken.saturating_add(bytes),
        limit,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::memory::Limit;

    #[test]
    fn half_of_what_was_taken_must_be_left() {
        let left = |bytes| Available { bytes, limit: Limit::Machine };
        judge(8 << 30, left(4 << 30)).unwrap();
        let error = judge(8 << 30, left(3 << 30)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "at least 12.0 GiB of memory would be needed, and this machine has 11.0 GiB"
        );
    }
}
