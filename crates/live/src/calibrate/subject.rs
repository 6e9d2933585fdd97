//! What is measured: the subjects of a calibration.

use super::sizes::{PAGE, Sizes, is_timed};

/// How a file lies in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Folios {
    /// Written in pieces of 1 MiB, as files are prepared: in folios of up to 1 MiB, where the file system has large
    /// ones.
    Large,
    /// Written page by page, so in folios of a page.
    Single,
}

/// Something that is timed. Bytes throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// pread of no bytes.
    ReadNothing,
    /// pread of the first byte of a cached file.
    ReadByte,
    /// pwrite of the first byte of a cached file.
    WriteByte,
    /// futimens of now: a call that does nothing but change an inode within a journal handle.
    SetTimes,
    /// fsync of a file without anything to write.
    SyncClean,
    /// open and close of a known file.
    OpenClose,
    /// open of a new file, close, unlink.
    CreateUnlink,
    /// A call of the C library's fread for 64 bytes, without the system calls that it makes.
    Stdio,
    /// Sequential pread of a cached file.
    Read {
        /// How it lies in the cache.
        folios: Folios,
        /// Bytes of a call's buffer; a call that asks for more than the file gets the file.
        block: u64,
        /// Bytes of the file.
        file: u64,
    },
    /// Sequential pwrite over a cached file that has its blocks.
    Overwrite {
        /// How it lies in the cache.
        folios: Folios,
        /// Bytes of a call's buffer; a call that asks for more than the file gets the file.
        block: u64,
        /// Bytes of the file.
        file: u64,
    },
    /// pread of 12 KiB of a cached file at random.
    JumpRead {
        /// Bytes of the file, which lies in large folios.
        file: u64,
    },
    /// pwrite of 12 KiB over a cached file at random.
    JumpOverwrite {
        /// How it lies in the cache.
        folios: Folios,
        /// Bytes of the file.
        file: u64,
    },
    /// What the first pwrite to each part of a file that was read in takes more than the second: a page of the file.
    FirstWrite,
    /// Sequential pwrite over a file that has its blocks, but no page in the cache.
    Refill {
        /// Bytes of a call.
        block: u64,
    },
    /// Sequential pwrite of a new file.
    NewFile {
        /// Bytes of a call.
        block: u64,
    },
    /// pwrite of 12 KiB to a new file.
    NewSmallFile,
    /// Sequential pread of a byte of each page of a file without a page in the cache.
    ColdRead,
    /// The same with all pages in the cache.
    WarmRead,
    /// Giving back the clean pages of a file; a page.
    Drop,
    /// pread of 4 KiB past the page cache: processor time.
    Direct,
    /// The same by the wall clock.
    DirectWall,
    /// From a write into a pipe until the thread that waits at its other end has it, by the wall clock.
    WakeUp,
}

impl Subject {
    /// All of them, for these sizes.
    pub(super) fn all(sizes: &Sizes) -> Vec<Self> {
        use Subject::*;
        let mut all = vec![
            ReadNothing,
            ReadByte,
            WriteByte,
            SetTimes,
            SyncClean,
            OpenClose,
            CreateUnlink,
            Stdio,
            ColdRead,
            WarmRead,
            Drop,
            FirstWrite,
            NewSmallFile,
            Direct,
            DirectWall,
            WakeUp,
        ];
        // All of a file together: the caches then hold of it what they hold of a file in use.
        for &file in &sizes.files {
            for folios in [Folios::Large, Folios::Single] {
                all.extend(sizes.of_file(folios, file));
            }
        }
        for &block in sizes.blocks.iter().filter(|block| is_whole(**block)) {
            all.extend([Refill { block }, NewFile { block }]);
        }
        all
    }
}

impl Sizes {
    /// What is timed of a file in the page cache.
    fn of_file(&self, folios: Folios, file: u64) -> Vec<Subject> {
        use Subject::*;
        // Of single pages enough to know what a folio of its own costs each page.
        let is_enough = |block: u64| is_whole(block) && block <= 64 * PAGE && is_single(file);
        let mut all = Vec::new();
        for &block in self.blocks.iter().filter(|block| is_timed(**block, file)) {
            if folios == Folios::Large || is_enough(block) {
                all.extend([Read { folios, block, file }, Overwrite { folios, block, file }]);
            }
        }
        if file >= 4 * JUMP && self.blocks.contains(&JUMP) {
            match folios {
                Folios::Large => all.extend([JumpRead { file }, JumpOverwrite { folios, file }]),
                Folios::Single if is_single(file) => all.push(JumpOverwrite { folios, file }),
                Folios::Single => {}
            }
        }
        all
    }
}

/// Bytes of a call that jumps: of those that are timed in sequence, too.
pub(super) const JUMP: u64 = 12 << 10;

/// Whether a file is also timed in single pages.
pub(super) const fn is_single(file: u64) -> bool {
    file <= 128 << 20
}

/// Whether calls of so many bytes write whole pages.
pub(super) const fn is_whole(block: u64) -> bool {
    block.is_multiple_of(PAGE)
}

/// Bytes of the file that calls of `block` bytes write anew: at least four calls, five times a power of two pages.
pub(super) fn new_file_bytes(block: u64, largest: u64) -> u64 {
    let mut size = 5 * 1024 * PAGE / 4;
    while size < 4 * block {
        size *= 2;
    }
    // Where only little is to be measured, of less.
    size.min(largest.max(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_walked_with_buffers_up_to_some_that_take_it_whole_and_nothing_is_measured_twice() {
        let sizes = Sizes::tiny();
        let all = Subject::all(&sizes);
        let timed = |file: u64| {
            let of_file = |subject: &&Subject| matches!(subject, Subject::Read { folios: Folios::Large, file: of, .. } if *of == file);
            all.iter().filter(of_file).count()
        };
        // Of 20 KiB: 3 and 12 KiB, and 48 KiB, which is the whole file. Of 320 KiB all three.
        assert_eq!((timed(20 << 10), timed(320 << 10)), (3, 3));
        assert!(!is_timed(96 << 10, 20 << 10));
        let all = Subject::all(&Sizes::full(64 << 30));
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
    }

    #[test]
    fn new_files_have_room_for_several_calls_and_no_size_of_a_validation() {
        for block in Sizes::full(64 << 30).blocks {
            let size = new_file_bytes(block, 640 << 20);
            assert!(size >= 4 * block && (size / 5).is_power_of_two(), "{block}: {size}");
        }
    }
}
