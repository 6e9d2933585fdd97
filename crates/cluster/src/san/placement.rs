//! Which disk a partition of a file lies on.
//!
//! Sources: round robin as of GPFS (Schmuck and Haskin, FAST 2002, section 2.1); by file and hashed as whoever keeps files
//! whole, or has no list of what lies where, does it. Leaves out placement by a recorded run.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_random::mix;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the partitions of files lie over disks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// One after the other over all disks; the next file begins at the next disk.
    #[default]
    RoundRobin,
    /// All of a file on one disk, the next file on the next disk.
    ByFile,
    /// Each partition where a hash of the file and its number says.
    Hashed,
}

impl Placement {
    /// The word by which it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::ByFile => "by-file",
            Self::Hashed => "hashed",
        }
    }

    /// The disk of a file's partition, one of `disks`.
    pub fn disk(self, file: FileId, partition: u64, disks: u32) -> u32 {
        let (number, disks) = (u64::from(file.0), u64::from(disks.max(1)));
        let disk = match self {
            Self::RoundRobin => (number % disks + partition % disks) % disks,
            Self::ByFile => number % disks,
            Self::Hashed => mix(mix(number) ^ partition) % disks,
        };
        as_number(disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(placement: Placement, files: u32, partitions: u64, disks: u32) -> Vec<u64> {
        let mut counts = vec![0; disks as usize];
        for file in 0..files {
            for partition in 0..partitions {
                counts[placement.disk(FileId(file), partition, disks) as usize] += 1;
            }
        }
        counts
    }

    #[test]
    fn round_robin_spreads_each_file_evenly_and_by_file_none() {
        for file in 0..9 {
            let of = |placement: Placement, partition| placement.disk(FileId(file), partition, 4);
            let disks: std::collections::BTreeSet<u32> =
                (0..4).map(|partition| of(Placement::RoundRobin, partition)).collect();
            assert_eq!(disks.len(), 4);
            assert!((0..9).all(|partition| of(Placement::ByFile, partition) == file % 4));
        }
        assert_eq!(counts(Placement::ByFile, 8, 5, 4), [10; 4]);
    }

    #[test]
    fn a_hash_spreads_partitions_as_evenly_as_chance_does() {
        // A thousand of each of 8: three standard deviations are 90.
        for count in counts(Placement::Hashed, 80, 100, 8) {
            assert!((910..1_090).contains(&count), "{count}");
        }
    }
}
