//! Which sizes a calibration times: none that a validation uses.
//!
//! Validations use powers of two for files and for records. So records here are three times a power of two bytes, and
//! files five or seven times a power of two pages: what a validation asks for lies between two of these, or beyond the
//! last.

/// Bytes of a page of memory.
pub(super) const PAGE: u64 = 4096;

/// The sizes to be timed, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of a call.
    pub blocks: Vec<u64>,
    /// Bytes of a file.
    pub files: Vec<u64>,
    /// How often each figure is measured, in turns.
    pub repetitions: usize,
    /// Bytes of a sample, about.
    pub sample: u64,
}

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

impl Sizes {
    /// The whole grid, as far as files fit a twelfth of the memory that is available (in bytes): so that nothing is
    /// evicted, and no writer is held back for having dirtied too much.
    pub fn full(available: u64) -> Self {
        // Closer where second-level caches end, and a grid that is too coarse would miss the knee.
        let files = [20, 80, 320, 640, 896, 1280, 1792, 2560, 5120, 20 << 10, 80 << 10, 320 << 10, 640 << 10];
        let blocks = [3, 6, 12, 24, 48, 96, 192, 384, 768, 1536, 3072, 12_288, 24_576].map(|kib| kib * KIB);
        let files = fitting(&files.map(|kib| kib * KIB), available / 12);
        Self { blocks: blocks.into(), files, repetitions: 11, sample: 16 * MIB }
    }

    /// A coarser grid with fewer repetitions.
    pub fn quick(available: u64) -> Self {
        let files = [20 * KIB, 320 * KIB, 5 * MIB, 80 * MIB, 320 * MIB];
        let blocks = [3, 12, 48, 384, 3072, 24_576].map(|kib| kib * KIB);
        Self {
            blocks: blocks.into(),
            files: fitting(&files, available / 12),
            repetitions: 5,
            sample: 12 * MIB,
        }
    }

    /// Only enough to see that everything is measured.
    pub fn tiny() -> Self {
        Self {
            blocks: vec![3 * KIB, 12 * KIB, 48 * KIB],
            files: vec![20 * KIB, 320 * KIB],
            repetitions: 3,
            sample: MIB,
        }
    }

    /// Bytes of the largest file.
    pub(super) fn largest(&self) -> u64 {
        self.files.last().copied().unwrap_or(0)
    }

    /// Bytes of all files together that are there at one time: each of the grid in large folios and in single pages,
    /// and those that come and go.
    pub(super) fn room(&self) -> u64 {
        2 * self.files.iter().sum::<u64>() + 64 * MIB
    }
}

/// Whether a file is walked with a buffer of so many bytes: also with some that are larger than the file, and take it
/// whole.
pub(super) const fn is_timed(block: u64, file: u64) -> bool {
    block < 4 * file
}

/// The files of which the sum stays below `most`, and the smallest two in any case.
fn fitting(files: &[u64], most: u64) -> Vec<u64> {
    let mut sum = 0;
    let fits = |(place, size): &(usize, &u64)| {
        sum += **size;
        *place < 2 || sum <= most
    };
    files.iter().enumerate().take_while(fits).map(|(_, size)| *size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1024 * MIB;

    #[test]
    fn no_size_that_a_validation_uses_is_timed() {
        for sizes in [Sizes::full(64 * GIB), Sizes::quick(64 * GIB), Sizes::tiny()] {
            for block in &sizes.blocks {
                assert!(block % 3 == 0 && (block / 3).is_power_of_two(), "{block}");
            }
            for file in &sizes.files {
                let is_times = |factor: u64| file % factor == 0 && (file / factor).is_power_of_two();
                assert!(file % PAGE == 0 && (is_times(5) || is_times(7)), "{file}");
            }
        }
    }

    #[test]
    fn sizes_that_a_validation_uses_lie_within_the_grid() {
        let sizes = Sizes::full(64 * GIB);
        assert!(sizes.blocks[0] < 4 * KIB && sizes.blocks.last().is_some_and(|last| *last > 16 * MIB));
        assert!(sizes.largest() > 512 * MIB);
    }

    #[test]
    fn a_small_machine_gets_smaller_files_and_never_none() {
        assert!(Sizes::full(2 * GIB).room() < 2 * GIB / 4);
        assert_eq!(Sizes::full(0).files.len(), 2);
    }
}
