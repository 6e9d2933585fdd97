//! Block devices, what requests ask of them, and the letters in which the block layer says so.
//!
//! Source: Linux 6.18 `kernel/trace/blktrace.c` (`blk_fill_rwbs`, the letters), `include/linux/kdev_t.h`,
//! `include/trace/events/jbd2.h`.

/// The letters by which the block layer says what a request is, without those behind them.
pub(crate) type Letters = [u8; 10];

/// A block device's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u32,
    /// Which of its devices.
    pub minor: u32,
}

impl DeviceNumber {
    /// As the kernel keeps it and as trace filters compare it: 12 bits of major, 20 of minor
    /// (`include/linux/kdev_t.h`).
    pub const fn in_kernel(self) -> u32 {
        (self.major << 20) | self.minor
    }
}

/// What a request asks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Moves no data: empties the device's write cache.
    Flush,
    /// Gives blocks back.
    Discard,
    /// Something else: zone commands, passed-through commands.
    Other,
}

/// A request's place and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockAccess {
    /// What it asks.
    pub access: Access,
    /// Empties the write cache before it (the letter F before W).
    pub flush_before: bool,
    /// Force unit access: on the medium before it completes (the letter F after W).
    pub force_unit_access: bool,
    /// Somebody waits for it (S).
    pub synchronous: bool,
    /// The file system called it metadata (M).
    pub metadata: bool,
    /// Read-ahead (A).
    pub read_ahead: bool,
    /// First block of 512 bytes; 0 for a flush.
    pub sector: u64,
    /// Length in blocks of 512 bytes; 0 for a flush.
    pub sectors: u64,
}

/// The journal's own account of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Commit {
    /// The transaction's number.
    pub transaction: u64,
    /// Handles (operations of the file system) that it took together.
    pub handles: u64,
    /// Blocks of metadata (in full journal mode: of data too) that it logged.
    pub blocks: u64,
    /// Blocks written into the journal for it: those, the descriptors and the commit block.
    pub blocks_logged: u64,
}

impl BlockAccess {
    /// What the letters of `blk_fill_rwbs` say: F for a flush before, one for the operation, then F (force unit
    /// access), A, S, M. None where they aren't such letters.
    pub(crate) fn of_letters(letters: Letters, sector: u64, sectors: u64) -> Option<Self> {
        let letters = letters.split(|letter| *letter == 0).next().unwrap_or_default();
        let flush_before = letters.len() > 1 && letters[0] == b'F';
        let (&operation, modifiers) = letters[usize::from(flush_before)..].split_first()?;
        let access = match operation {
            b'R' => Access::Read,
            // A flush from the file system arrives as a write of nothing (a bio); at the device as a flush.
            b'W' if sectors == 0 => Access::Flush,
            b'W' => Access::Write,
            b'F' => Access::Flush,
            b'D' => Access::Discard,
            b'N' | b'Z' => Access::Other,
            _ => return None,
        };
        // Others say more (U: atomic; DE: a secure erase; ZO: open a zone) than is asked here.
        if !modifiers.iter().all(u8::is_ascii_uppercase) {
            return None;
        }
        let is_flush = access == Access::Flush;
        Some(Self {
            access,
            flush_before: flush_before && !is_flush,
            force_unit_access: modifiers.contains(&b'F'),
            synchronous: modifiers.contains(&b'S'),
            metadata: modifiers.contains(&b'M'),
            read_ahead: modifiers.contains(&b'A'),
            sector: if is_flush { 0 } else { sector },
            sectors,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::recorder::kernel_event::letters;
    use proptest::prelude::*;

    #[test]
    fn letters_before_and_after_the_operation_are_told_apart() {
        let of = |text: &str, sectors: u64| BlockAccess::of_letters(letters(text), 100, sectors).unwrap();
        let commit = of("FWFSM", 8);
        assert!(commit.flush_before && commit.force_unit_access && commit.metadata);
        assert_eq!(commit.access, Access::Write);
        let flush = of("FF", 0);
        assert_eq!((flush.access, flush.flush_before, flush.sector), (Access::Flush, false, 0));
        assert_eq!(of("F", 0).access, Access::Flush);
        // fsync of a clean file: a bio that writes nothing and flushes before.
        assert_eq!(of("FWS", 0).access, Access::Flush);
        assert!(of("RA", 8).read_ahead);
        assert_eq!(of("DS", 64).access, Access::Discard);
        assert_eq!(BlockAccess::of_letters(letters(""), 0, 8), None);
        assert_eq!(BlockAccess::of_letters(letters("?"), 0, 8), None);
    }

    proptest! {
        #[test]
        fn any_letters_are_read_without_panic(letters: Letters, sector: u64, sectors: u64) {
            BlockAccess::of_letters(letters, sector, sectors);
        }
    }
}
