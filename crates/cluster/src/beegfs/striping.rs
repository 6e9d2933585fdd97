//! Which targets a file lies on, and where in their chunk files; which metadata server owns a directory.
//!
//! ```text
//!   file      │ chunk 0 │ chunk 1 │ chunk 2 │ chunk 3 │ chunk 4 …      two targets, or mirror groups
//!   position  │    0    │    1    │    0    │    1    │    0    …      one chunk file on each: 0 2 4 …, 1 3 …
//! ```
//!
//! After `getStripeTargetIndex` (common/storage/striping/StripePattern.h), `__FhgfsOpsRemoting_getChunkOffset` (client_module,
//! net/filesystem/FhgfsOpsRemoting.c), and `chooseStorageNodesNoPref`, `…RoundRobin` (common/nodes/TargetCapacityPools.cpp of 8.3.1): at
//! random, the ring of targets is cut from a random one on into as many parts as a file has targets, and one of each part is taken;
//! round robin, each file takes those that follow. A directory's owner is one metadata server at random (`MkDirMsgEx`), the root's the
//! first. What is random follows from the run's seed and the file's number, so that all ends agree; round robin goes by files' numbers,
//! as if one metadata server had made all of them in their order. Left out: capacity pools (all targets are "normal"), preferred targets,
//! storage pools.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_random::{finish, mix};
use petrio_units::numbers::{as_index, as_number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a metadata server chooses a file's targets (`tuneTargetChooser`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "lowercase")]
pub enum Chooser {
    /// At random.
    #[default]
    Randomized,
    /// By turns.
    RoundRobin,
}

/// What a file's chunks lie on: a storage target, or two of them that mirror each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Group {
    /// The target that clients ask.
    pub primary: u16,
    /// The one that has the same.
    pub secondary: Option<u16>,
}

/// How files are striped.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Striping {
    /// Bytes of a chunk.
    pub chunk: u64,
    /// Targets of a file, or mirror groups.
    pub per_file: u32,
    /// All that there are.
    pub groups: Vec<Group>,
    /// How they are chosen.
    pub chooser: Chooser,
    /// Metadata servers.
    pub metas: u32,
    /// What random choices follow from.
    pub seed: u64,
}

/// A part of a range of a file that lies on one target, in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which of the file's targets.
    pub position: u32,
    /// The first byte in that target's chunk file.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// What tells choices of different things apart.
const OF_TARGETS: u64 = 0xbee6_f500;
const OF_OWNERS: u64 = 0xbee6_f501;

/// The number of a server, of which there are fewer than can be counted so.
fn small(number: u64) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl Striping {
    fn drawn(&self, what: u64, file: FileId, number: u64) -> u64 {
        finish(mix(mix(self.seed ^ what) ^ u64::from(file.0)) ^ mix(number + 1))
    }

    /// The group at a position of a file.
    pub fn group(&self, file: FileId, position: u32) -> Group {
        let (all, own, position) = (self.groups.len() as u64, u64::from(self.per_file), u64::from(position));
        let at = match self.chooser {
            Chooser::RoundRobin => u64::from(file.0) * own + position,
            Chooser::Randomized => {
                let (part, first) = (all / own, position * (all / own));
                let end = if position + 1 == own { all } else { first + part };
                let first_of_all = self.drawn(OF_TARGETS, file, 0);
                let within = self.drawn(OF_TARGETS, file, position + 1) % (end - first).max(1);
                first_of_all % all + first + within
            }
        };
        self.groups[as_index(at % all)]
    }

    /// The groups of a file.
    pub fn groups_of(&self, file: FileId) -> impl Iterator<Item = Group> + '_ {
        (0..self.per_file).map(move |position| self.group(file, position))
    }

    /// The metadata server that owns a directory: its entries, and the inodes of the files in it.
    pub fn owner(&self, directory: FileId) -> u16 {
        match directory {
            FileId::ROOT => 0,
            _ => self.drawn(OF_OWNERS, directory, 0).checked_rem(self.metas.into()).map_or(0, small),
        }
    }

    /// The parts of a range, in the order of the file.
    pub fn parts(&self, offset: u64, length: u64) -> impl Iterator<Item = Part> + '_ {
        let end = offset.saturating_add(length);
        let mut at = offset;
        std::iter::from_fn(move || {
            let left = end - at;
            (left > 0).then(|| {
                let (chunk, within) = (at / self.chunk, at % self.chunk);
                let (round, position) = (chunk / u64::from(self.per_file), chunk % u64::from(self.per_file));
                let length = left.min(self.chunk - within);
                at += length;
                Part { position: as_number(position), offset: round * self.chunk + within, length }
            })
        })
    }

    /// How many of a file's first bytes lie at a position: the length of its chunk file.
    pub fn below(&self, position: u32, end: u64) -> u64 {
        let whole = self.chunk * u64::from(self.per_file);
        let (rounds, rest) = (end / whole, end % whole);
        let before = u64::from(position) * self.chunk;
        rounds * self.chunk + rest.saturating_sub(before).min(self.chunk)
    }

    /// On how many of a file's targets something of a range lies: the last of them counts those before, too (`maxUsedTargetIndex`).
    pub fn used(&self, offset: u64, length: u64) -> u32 {
        let most = self.per_file as usize;
        self.parts(offset, length).take(most).map(|part| part.position + 1).max().unwrap_or(0)
    }

    /// Bytes of what lies on a storage target of a file of so many; none where the file isn't on it.
    pub fn stored(&self, file: FileId, target: u16, bytes: u64) -> Option<u64> {
        let is_on = |group: &Group| group.primary == target || group.secondary == Some(target);
        let position = (0..self.per_file).find(|&position| is_on(&self.group(file, position)))?;
        Some(self.below(position, bytes)).filter(|&bytes| bytes > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn striping(all: u16, per_file: u32, chooser: Chooser, seed: u64) -> Striping {
        let groups = (0..all).map(|primary| Group { primary, secondary: None }).collect();
        Striping { chunk: 64 << 10, per_file, groups, chooser, metas: 3, seed }
    }

    proptest! {
        #[test]
        fn a_file_has_as_many_targets_as_it_is_given_and_each_once(
            all in 1u16..40, part in 0u32..40, file: u32, seed: u64, random: bool,
        ) {
            let per_file = part % u32::from(all) + 1;
            let chooser = if random { Chooser::Randomized } else { Chooser::RoundRobin };
            let striping = striping(all, per_file, chooser, seed);
            let mut own: Vec<u16> = striping.groups_of(FileId(file)).map(|group| group.primary).collect();
            own.sort_unstable();
            own.dedup();
            prop_assert_eq!(own.len(), per_file as usize);
            prop_assert!(u32::from(striping.owner(FileId(file))) < striping.metas);
        }

        #[test]
        fn every_byte_lies_on_one_target_where_counting_finds_it(
            per_file in 1u32..6, offset in 0u64..2_000_000, length in 0u64..2_000_000,
        ) {
            let striping = striping(8, per_file, Chooser::Randomized, 1);
            let parts: Vec<Part> = striping.parts(offset, length).collect();
            prop_assert_eq!(parts.iter().map(|part| part.length).sum::<u64>(), length);
            let mut at = offset;
            for part in parts {
                prop_assert_eq!(striping.below(part.position, at), part.offset);
                at += part.length;
                prop_assert_eq!(striping.below(part.position, at), part.offset + part.length);
            }
            let all: u64 = (0..per_file).map(|position| striping.below(position, offset)).sum();
            prop_assert_eq!(all, offset);
        }
    }

    #[test]
    fn at_random_all_targets_have_their_share_of_many_files() {
        let striping = striping(6, 4, Chooser::Randomized, 7);
        let mut counts = [0u32; 6];
        for file in 1..6_001 {
            striping.groups_of(FileId(file)).for_each(|group| counts[usize::from(group.primary)] += 1);
        }
        // 4,000 each if all are equally likely.
        assert!(counts.iter().all(|count| (3_800..4_200).contains(count)), "{counts:?}");
        let other = Striping { seed: 8, ..striping.clone() };
        assert!((1..50).any(|file| other.group(FileId(file), 0) != striping.group(FileId(file), 0)));
    }

    #[test]
    fn by_turns_files_take_the_targets_that_follow() {
        let striping = striping(6, 4, Chooser::RoundRobin, 0);
        let of = |file| striping.groups_of(FileId(file)).map(|group| group.primary).collect::<Vec<_>>();
        assert_eq!((of(0), of(1)), (vec![0, 1, 2, 3], vec![4, 5, 0, 1]));
    }
}
