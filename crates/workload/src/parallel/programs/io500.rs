//! The IO500 set: IOR and mdtest as easy and as hard as their rules make them, in its order.
//!
//! | phase | what |
//! | --- | --- |
//! | ior-easy-write | a file a rank, transfers of 2 MiB |
//! | mdtest-easy-write | empty files, each rank's in a directory of its own |
//! | ior-hard-write | one file, 47,008 B a rank in each segment |
//! | mdtest-hard-write | files of 3,901 B, all in one directory |
//! | find | all directories listed, files with "01" in their names looked at |
//! | ior-easy-read, mdtest-easy-stat, ior-hard-read, mdtest-hard-stat, mdtest-easy-delete, mdtest-hard-read, mdtest-hard-delete | what was written, by the ranks of the next host (IOR) or the next ranks (mdtest) |
//!
//! Source: the IO500's rules and its program's defaults (io500-isc24, src/phase_*.c). Writing ends by the clock where `stonewall`
//! says when, and else when what the scenario wants is written. Left out: that files are left there.

use super::ior::{IorOptions, IorPlan, IorRank};
use super::mdtest::{Item, MdtestOptions, MdtestPlan, MdtestRank, Phase};
use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Sequence};
use crate::parallel::files::ProgramFile;
use crate::program::ProgramError;
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// IO500: IOR and mdtest, easy and hard, in the order of its rules. Without `stonewall` how much each phase does stands in place
/// of the 300 s that the rules want.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Io500Parameters {
    /// Bytes that each rank writes in ior-easy: a multiple of `ior_easy_transfer`.
    pub ior_easy_block: Bytes,
    /// Bytes of a transfer in ior-easy (the rules leave it free; 2 MiB is the program's default).
    pub ior_easy_transfer: Bytes,
    /// Segments of ior-hard: pieces of 47,008 B that each rank writes.
    pub ior_hard_segments: u64,
    /// Files of each rank in mdtest-easy.
    pub mdtest_easy_files: u64,
    /// Files of each rank in mdtest-hard.
    pub mdtest_hard_files: u64,
    /// After how many whole seconds each writing phase ends, once all ranks have done as much as the first: 300 s by the rules.
    /// Where the amounts above are done earlier, they end it.
    pub stonewall: Option<Duration>,
}

impl Default for Io500Parameters {
    /// A set small enough to be tried: the rules say nothing of amounts, only that they last for 300 s.
    fn default() -> Self {
        Self {
            ior_easy_block: Bytes::from_mib(256),
            ior_easy_transfer: Bytes::from_mib(2),
            ior_hard_segments: 1000,
            mdtest_easy_files: 1000,
            mdtest_hard_files: 500,
            stonewall: None,
        }
    }
}

/// Bytes of a transfer in ior-hard, and of a file in mdtest-hard (the rules).
const IOR_HARD_TRANSFER: u64 = 47_008;
const MDTEST_HARD_BYTES: u64 = 3901;

impl Io500Parameters {
    pub(in crate::parallel) fn words(&self) -> String {
        "the IO500 set".to_owned()
    }

    pub(in crate::parallel) fn plan(&self, hosts: &[u32]) -> Result<Io500Plan, ProgramError> {
        let (block, transfer) = (self.ior_easy_block.get(), self.ior_easy_transfer.get());
        let numbers = [
            ("ior_easy_block", block),
            ("ior_easy_transfer", transfer),
            ("ior_hard_segments", self.ior_hard_segments),
            ("mdtest_easy_files", self.mdtest_easy_files),
            ("mdtest_hard_files", self.mdtest_hard_files),
        ];
        if let Some((parameter, _)) = numbers.into_iter().find(|&(_, number)| number == 0) {
            return refuse(parameter, "it is zero");
        }
        if !block.is_multiple_of(transfer) {
            let problem = format!("{} is no multiple of {}", self.ior_easy_block, self.ior_easy_transfer);
            return refuse("ior_easy_block", problem);
        }
        let deadline_seconds = match self.stonewall.map(Duration::time) {
            None => 0,
            Some(time) => {
                let seconds = (time.as_seconds() as u32).min(u32::MAX / 2);
                if Time::from_whole_seconds(seconds.into()) != time || seconds == 0 {
                    return refuse("stonewall", "it is a whole number of seconds, as IOR's and mdtest's are");
                }
                seconds
            }
        };
        let ior = |write| IorOptions {
            deadline_seconds: if write { deadline_seconds } else { 0 },
            wear_out: write && deadline_seconds > 0,
            write,
            read: !write,
            reorder: !write,
            fsync: write,
            barriers: true,
            keep: true,
            ..IorOptions::default()
        };
        let easy = |write| {
            let options = IorOptions { block, transfer, file_per_process: true, ..ior(write) };
            Ok::<_, ProgramError>(Arc::new(IorPlan::named("ior-easy", options, hosts)?))
        };
        let hard = |write| {
            let (block, segments) = (IOR_HARD_TRANSFER, self.ior_hard_segments);
            let options = IorOptions { block, transfer: block, segments, ..ior(write) };
            Ok::<_, ProgramError>(Arc::new(IorPlan::named("ior-hard", options, hosts)?))
        };
        let mdtest =
            MdtestOptions { directories: false, stride: 1, deadline_seconds, ..MdtestOptions::default() };
        let mdtest_easy = MdtestOptions {
            items: self.mdtest_easy_files,
            unique: true,
            leaves_only: true,
            ..mdtest.clone()
        };
        let mdtest_hard = MdtestOptions {
            items: self.mdtest_hard_files,
            write_bytes: MDTEST_HARD_BYTES,
            read_bytes: MDTEST_HARD_BYTES,
            ..mdtest
        };
        let mdtest = |name, options: MdtestOptions| {
            let phases = options.phases();
            MdtestPlan::new(name, options, phases, hosts.len() as u32).map(Arc::new)
        };
        Ok(Io500Plan {
            easy_write: easy(true)?,
            easy_read: easy(false)?,
            hard_write: hard(true)?,
            hard_read: hard(false)?,
            mdtest_easy: mdtest("mdtest-easy", mdtest_easy)?,
            mdtest_hard: mdtest("mdtest-hard", mdtest_hard)?,
        })
    }
}

/// The set for so many ranks.
pub(in crate::parallel) struct Io500Plan {
    easy_write: Arc<IorPlan>,
    easy_read: Arc<IorPlan>,
    hard_write: Arc<IorPlan>,
    hard_read: Arc<IorPlan>,
    mdtest_easy: Arc<MdtestPlan>,
    mdtest_hard: Arc<MdtestPlan>,
}

impl Io500Plan {
    /// The parts that have files, in order of these.
    fn parts(&self) -> [&dyn Planned; 4] {
        [&*self.easy_write, &*self.hard_write, &*self.mdtest_easy, &*self.mdtest_hard]
    }

    /// How many files come before those of a part.
    fn before(&self, part: usize) -> u64 {
        self.parts().iter().take(part).fold(0, |sum, part| part.files().saturating_add(sum))
    }
}

impl Planned for Io500Plan {
    fn files(&self) -> u64 {
        self.before(4)
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        for (number, part) in self.parts().into_iter().enumerate() {
            let before = self.before(number) as u32;
            part.each_file(&mut |file| {
                let parent = file.parent.map(|parent| parent + before);
                tell(ProgramFile { number: file.number + before, parent, ..file })
            })?;
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<Box<dyn Acts>, ProgramError> {
        let starts = [0, 1, 2, 3].map(|part| start.after(self.before(part) as u32));
        let [easy, hard, mdtest_easy, mdtest_hard] = &starts;
        let ior = |plan: &Arc<IorPlan>, start: &Start| -> Act {
            Act::Within(Box::new(IorRank::new(Arc::clone(plan), start)))
        };
        let small = |phases: &[Phase]| -> Act {
            Act::Within(Box::new(MdtestRank::new(
                Arc::clone(&self.mdtest_easy),
                mdtest_easy,
                phases.to_vec(),
            )))
        };
        let large = |phases: &[Phase]| -> Act {
            Act::Within(Box::new(MdtestRank::new(
                Arc::clone(&self.mdtest_hard),
                mdtest_hard,
                phases.to_vec(),
            )))
        };
        let create = [Phase::MakeTree, Phase::Create(Item::File)];
        let delete = [Phase::Remove(Item::File), Phase::RemoveTree];
        let phases = [
            ior(&self.easy_write, easy),
            small(&create),
            ior(&self.hard_write, hard),
            large(&create),
            small(&[Phase::Find]),
            large(&[Phase::Find]),
            ior(&self.easy_read, easy),
            small(&[Phase::Stat(Item::File)]),
            ior(&self.hard_read, hard),
            large(&[Phase::Stat(Item::File)]),
            small(&delete),
            large(&[Phase::Read]),
            large(&delete),
        ];
        Ok(Box::new(Sequence(phases.into_iter().collect())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::testing::{carry_out, carry_out_by_turns, pieces, planned, tile};
    use petrio_colours::{FileOp, Operation};
    use petrio_time::Time;

    #[test]
    fn the_clock_ends_each_writing_phase_and_what_was_written_is_read() {
        let program = r#"{ "kind": "io500", "ior_easy_block": "200 MiB", "ior_hard_segments": 500,
            "mdtest_easy_files": 300, "mdtest_hard_files": 300, "stonewall": "20 s" }"#;
        let done = carry_out_by_turns(&planned(program, &[0, 1]), 4, |rank| {
            Time::from_whole_seconds(rank as u64 + 1)
        });
        for calls in &done.calls {
            let count = |wanted: &dyn Fn(&FileOp) -> bool| calls.iter().filter(|op| wanted(op)).count();
            for operation in [Operation::Write, Operation::Read] {
                // The first rank's 21st transfer goes over the 20 s, and the other goes on up to it.
                assert_eq!(count(&|op| op.operation == operation && op.length == 2 << 20), 21);
                assert_eq!(count(&|op| op.operation == operation && op.length == 47_008), 21);
                // Files of three calls, and of two.
                assert_eq!(count(&|op| op.operation == operation && op.length == 3901), 7);
            }
            assert_eq!(count(&|op| op.operation == Operation::Unlink), 7 + 11);
        }
        let no_second = r#"{ "ranks": 1, "program": { "kind": "io500", "stonewall": "10 ms" } }"#;
        let parameters: crate::parallel::ParallelParameters = serde_json::from_str(no_second).unwrap();
        assert!(parameters.validate().unwrap_err().to_string().contains("whole number of seconds"));
    }

    #[test]
    fn the_set_writes_reads_and_removes_what_its_rules_say() {
        let program = r#"{ "kind": "io500", "ior_easy_block": "8 MiB", "ior_hard_segments": 5,
            "mdtest_easy_files": 20, "mdtest_hard_files": 102 }"#;
        let plan = planned(program, &[0, 0, 1, 1, 2, 2]);
        let done = carry_out(&plan);
        let count = |operation| done.calls.iter().flatten().filter(|op| op.operation == operation).count();
        // Six files of ior-easy, one of ior-hard, and 122 of mdtest for each rank.
        assert_eq!(count(Operation::Create), 6 + 1 + 6 * 122);
        assert_eq!(count(Operation::Unlink), 6 * 122);
        assert_eq!((count(Operation::Mkdir), count(Operation::Rmdir)), (1 + 6 + 1 + 1, 9));
        for operation in [Operation::Read, Operation::Write] {
            let pieces = pieces(&done, operation);
            assert_eq!(pieces.len(), 6 + 1 + 6 * 102);
            for (file, pieces) in pieces {
                let (size, length) = match file.0 {
                    3..9 => (2 << 20, 8 << 20),
                    9 => (47_008, 6 * 5 * 47_008),
                    _ => (3901, 3901),
                };
                assert!(tile(&pieces, length) && pieces.iter().all(|piece| piece.1 == size), "{file:?}");
            }
        }
        // Every file once, and those of mdtest with "01" in the item's number: 1 + 2 of each rank's 102 (rank 0: "0.1" has none).
        let searched = |items: u64| (0..items).filter(|item| item.to_string().contains("01")).count();
        assert_eq!(count(Operation::Stat), 6 * 122 + 6 * (searched(20) + searched(102)));
        assert_eq!(count(Operation::Readdir), 6 + 1);
        assert_eq!(plan.next_file(), 3 + 7 + 1 + 6 + 120 + 1 + 1 + 612);
    }
}
