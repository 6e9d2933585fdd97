//! The IO500 set: IOR and mdtest as easy and as hard as their rules make them, in its order.
//!
//! | phase | what |
//! | --- | --- |
//! | ior-easy-write | a file a rank, transfers of 2 MiB |
//! | mdtest-easy-write | empty files, each rank's in a directory of its own |
//! | ior-hard-write | one file, 47,008 B a rank in each segment |
//! | mdtest-hard-write | files of 3,901 B, all in one directory |
//! | find | all directories listed, files with "01" in their names looked at; every file where a listing doesn't tell types |
//! | ior-easy-read, mdtest-easy-stat, ior-hard-read, mdtest-hard-stat, mdtest-easy-delete, mdtest-hard-read, mdtest-hard-delete | what was written, by the ranks of the next host |
//!
//! Its results are those of its program: bytes over the time from the first open to the last close with what makes them durable,
//! files over the time of their phase with the sync after their making (`-Y`), all that is looked through over the time of find.
//!
//! Source: the IO500's rules and its program's defaults (io500-isc24, src/phase_*.c). Writing ends by the clock where `stonewall`
//! says when, and else when what the scenario wants is written. Left out: that files are left there.

mod ini;

pub use ini::{Io500File, is_io500};
use petrio_units::numbers::{as_number, whole_part};

use super::command_line::Options;
use super::ior::{IorApi, IorOptions, IorPlan, IorRank};
use super::mdtest::{Item, MdtestOptions, MdtestPlan, MdtestRank, Phase};
use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::program::{PhaseName, ProgramError};
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
    /// By which interface ior-easy accesses its files: "POSIX" or "MPIIO", as IOR's -a has it.
    pub ior_easy_api: String,
    /// Whether each rank has a file of its own in ior-easy.
    pub ior_easy_file_per_process: bool,
    /// By which interface ior-hard accesses its file.
    pub ior_hard_api: String,
    /// Whether ior-hard's accesses are of all ranks together, which "MPIIO" can do.
    pub ior_hard_collective: bool,
    /// Phases that aren't run, by their names: "find", "mdtest-hard-read" …
    pub left_out: Vec<String>,
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
            ior_easy_api: "POSIX".to_owned(),
            ior_easy_file_per_process: true,
            ior_hard_api: "POSIX".to_owned(),
            ior_hard_collective: false,
            left_out: Vec::new(),
            stonewall: None,
        }
    }
}

/// All phases that have a result, in their order, each with the one that makes what it needs.
const PHASES: [(&str, Option<&str>); 12] = [
    ("ior-easy-write", None),
    ("mdtest-easy-write", None),
    ("ior-hard-write", None),
    ("mdtest-hard-write", None),
    ("find", None),
    ("ior-easy-read", Some("ior-easy-write")),
    ("mdtest-easy-stat", Some("mdtest-easy-write")),
    ("ior-hard-read", Some("ior-hard-write")),
    ("mdtest-hard-stat", Some("mdtest-hard-write")),
    ("mdtest-easy-delete", Some("mdtest-easy-write")),
    ("mdtest-hard-read", Some("mdtest-hard-write")),
    ("mdtest-hard-delete", Some("mdtest-hard-write")),
];

/// Bytes of a transfer in ior-hard, and of a file in mdtest-hard (the rules).
const IOR_HARD_TRANSFER: u64 = 47_008;
const MDTEST_HARD_BYTES: u64 = 3901;

/// A result of the set whose unit is GiB/s.
fn bytes(name: &'static str) -> PhaseName {
    PhaseName { scored: true, ..PhaseName::of_bytes(name, 0) }
}

/// One whose unit is kIOPS.
fn files(name: &'static str) -> PhaseName {
    PhaseName { scored: true, ..PhaseName::of_operations(name, "file", 0) }
}

/// The result that a phase of mdtest-easy is, and of mdtest-hard: trees are made and removed without one.
fn easy_phase(phase: Phase) -> Option<PhaseName> {
    Some(files(match phase {
        Phase::Create(_) => "mdtest-easy-write",
        Phase::Stat(_) => "mdtest-easy-stat",
        Phase::Remove(_) => "mdtest-easy-delete",
        Phase::Find => "find",
        Phase::Rename | Phase::Read | Phase::MakeTree | Phase::RemoveTree => return None,
    }))
}

fn hard_phase(phase: Phase) -> Option<PhaseName> {
    Some(files(match phase {
        Phase::Create(_) => "mdtest-hard-write",
        Phase::Stat(_) => "mdtest-hard-stat",
        Phase::Read => "mdtest-hard-read",
        Phase::Remove(_) => "mdtest-hard-delete",
        Phase::Find => "find",
        Phase::Rename | Phase::MakeTree | Phase::RemoveTree => return None,
    }))
}

impl Io500Parameters {
    pub(in crate::parallel) fn words(&self) -> String {
        "the IO500 set".to_owned()
    }

    pub(in crate::parallel) fn plan(&self, hosts: &[u32]) -> Result<Io500Plan, ProgramError> {
        let (block, transfer) = (self.ior_easy_block.get(), self.ior_easy_transfer.get());
        self.check_numbers()?;
        self.check_phases()?;
        let deadline_seconds = self.deadline_seconds()?;
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
            let file_per_process = self.ior_easy_file_per_process;
            let api = api("ior_easy_api", &self.ior_easy_api)?;
            let options = IorOptions { block, transfer, file_per_process, api, ..ior(write) };
            let phases = ["ior-easy-write", "ior-easy-read"].map(bytes);
            Ok::<_, ProgramError>(Arc::new(IorPlan::named("ior-easy", phases, options, hosts)?))
        };
        let hard = |write| {
            let (block, segments) = (IOR_HARD_TRANSFER, self.ior_hard_segments);
            let (api, collective) = (api("ior_hard_api", &self.ior_hard_api)?, self.ior_hard_collective);
            if collective && api == IorApi::Posix {
                return refuse(
                    "ior_hard_collective",
                    "POSIX has no accesses of all ranks together: ior_hard_api = \"MPIIO\"",
                );
            }
            let options = IorOptions { block, transfer: block, segments, api, collective, ..ior(write) };
            let phases = ["ior-hard-write", "ior-hard-read"].map(bytes);
            Ok::<_, ProgramError>(Arc::new(IorPlan::named("ior-hard", phases, options, hosts)?))
        };
        let mdtest = MdtestOptions {
            directories: false,
            stride: 1,
            sync: true,
            deadline_seconds,
            ..MdtestOptions::default()
        };
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
        let mdtest = |name, options: MdtestOptions, measures| {
            let phases = options.phases();
            let plan = MdtestPlan::new(name, options, phases, hosts)?;
            Ok::<_, ProgramError>(Arc::new(plan.measured_as(measures)))
        };
        Ok(Io500Plan {
            easy_write: easy(true)?,
            easy_read: easy(false)?,
            hard_write: hard(true)?,
            hard_read: hard(false)?,
            mdtest_easy: mdtest("mdtest-easy", mdtest_easy, easy_phase)?,
            mdtest_hard: mdtest("mdtest-hard", mdtest_hard, hard_phase)?,
            left_out: self.left_out.clone(),
        })
    }

    /// Whether there is something to do, and the blocks are whole transfers.
    fn check_numbers(&self) -> Result<(), ProgramError> {
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
        Ok(())
    }

    /// After which time writes end; 0 for never.
    fn deadline_seconds(&self) -> Result<u32, ProgramError> {
        match self.stonewall.map(Duration::time) {
            None => Ok(0),
            Some(time) => {
                let seconds = as_number(whole_part(time.as_seconds()).min(u64::from(u32::MAX / 2)));
                if Time::from_whole_seconds(seconds.into()) != time || seconds == 0 {
                    return refuse("stonewall", "it is a whole number of seconds, as IOR's and mdtest's are");
                }
                Ok(seconds)
            }
        }
    }

    /// Whether what is left out are phases, and what needs their files is left out, too.
    fn check_phases(&self) -> Result<(), ProgramError> {
        let is_out = |phase: &str| self.left_out.iter().any(|left| left == phase);
        for phase in &self.left_out {
            if !PHASES.iter().any(|(known, _)| known == phase) {
                let names = PHASES.map(|(name, _)| name);
                let problem = format!("there is no phase \"{phase}\"; there are {}", names.join(", "));
                return refuse("left_out", problem);
            }
        }
        let without = |(phase, needs): &&(&str, Option<&str>)| !is_out(phase) && needs.is_some_and(is_out);
        match PHASES.iter().find(without) {
            Some((phase, needs)) => refuse(
                "left_out",
                format!("{phase} needs what {} makes: leave both out", needs.unwrap_or_default()),
            ),
            None => Ok(()),
        }
    }
}

/// The interface that a text like IOR's -a has it names.
fn api(parameter: &'static str, text: &str) -> Result<IorApi, ProgramError> {
    let options = IorOptions::read(&format!("ior -a {text}"))
        .or_else(|error| refuse(parameter, format!("\"{text}\": {error}")))?;
    if options.direct {
        return refuse(
            parameter,
            "O_DIRECT can't be told here for some phases alone; IOR's own line can: kind = \"ior\"",
        );
    }
    Ok(options.api)
}

/// The set for so many ranks.
pub(in crate::parallel) struct Io500Plan {
    easy_write: Arc<IorPlan>,
    easy_read: Arc<IorPlan>,
    hard_write: Arc<IorPlan>,
    hard_read: Arc<IorPlan>,
    mdtest_easy: Arc<MdtestPlan>,
    mdtest_hard: Arc<MdtestPlan>,
    left_out: Vec<String>,
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
            let before = as_number(self.before(number));
            part.each_file(&mut |file| {
                let parent = file.parent.map(|parent| parent + before);
                tell(ProgramFile { number: file.number + before, parent, ..file })
            })?;
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let starts = [0, 1, 2, 3].map(|part| start.after(as_number(self.before(part))));
        let [easy, hard, mdtest_easy, mdtest_hard] = &starts;
        let ior = |plan: &Arc<IorPlan>, start: &Start| -> Act {
            Act::within(IorRank::new(Arc::clone(plan), start))
        };
        // -Y, a sync within the time of what is measured, is given with -C only.
        let mdtest = |plan: &Arc<MdtestPlan>, start: &Start, phases: &[Phase]| -> Act {
            let rank = MdtestRank::new(Arc::clone(plan), start, phases.to_vec());
            let creates = phases.contains(&Phase::Create(Item::File));
            Act::within(if creates { rank } else { rank.without_sync() })
        };
        let small = |phases: &[Phase]| mdtest(&self.mdtest_easy, mdtest_easy, phases);
        let large = |phases: &[Phase]| mdtest(&self.mdtest_hard, mdtest_hard, phases);
        let create = [Phase::MakeTree, Phase::Create(Item::File)];
        let delete = [Phase::Remove(Item::File), Phase::RemoveTree];
        let phases = [
            ("ior-easy-write", ior(&self.easy_write, easy)),
            ("mdtest-easy-write", small(&create)),
            ("ior-hard-write", ior(&self.hard_write, hard)),
            ("mdtest-hard-write", large(&create)),
            ("find", small(&[Phase::Find])),
            ("find", large(&[Phase::Find])),
            ("ior-easy-read", ior(&self.easy_read, easy)),
            ("mdtest-easy-stat", small(&[Phase::Stat(Item::File)])),
            ("ior-hard-read", ior(&self.hard_read, hard)),
            ("mdtest-hard-stat", large(&[Phase::Stat(Item::File)])),
            ("mdtest-easy-delete", small(&delete)),
            ("mdtest-hard-read", large(&[Phase::Read])),
            ("mdtest-hard-delete", large(&delete)),
        ];
        let is_run = |phase: &&str| !self.left_out.iter().any(|left| left == phase);
        let phases = phases.into_iter().filter(|(phase, _)| is_run(phase)).map(|(_, act)| act);
        Ok(Sequence(phases.collect()).into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::Mounted;
    use crate::parallel::testing::{carry_out, carry_out_by_turns, pieces, planned, planned_on, tile};
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
    fn find_lists_page_by_page_and_looks_at_every_entry_where_nothing_tells_what_it_is() {
        let program = r#"{ "kind": "io500", "ior_easy_block": "2 MiB", "ior_hard_segments": 1,
            "mdtest_easy_files": 700, "mdtest_hard_files": 300 }"#;
        let done_on = |mounted| {
            let done = carry_out(&planned_on(program, &[0, 0, 1, 1], mounted));
            let count = |rank: usize, operation| {
                done.calls[rank].iter().filter(|op| op.operation == operation).count() as u64
            };
            let of_all = |operation| (0..4).map(|rank| count(rank, operation)).collect::<Vec<_>>();
            let find = done.phases.iter().find(|phase| phase.phase.name == "find").unwrap();
            (of_all(Operation::Readdir), of_all(Operation::Stat), find.amount.operations)
        };
        let (listed, looked, found) = done_on(Mounted::LOCAL);
        // 700 entries by 682, and 1200 in the first rank's shared directory.
        assert_eq!((listed, found), (vec![2 + 2, 2, 2, 2], 5 + 4 * 1000));
        assert!(looked.iter().all(|looked| *looked < 1000 + 100));
        let (listed, looked, found) = done_on(Mounted::PVFS);
        assert_eq!((listed, found), (vec![2 + 3, 2, 2, 2], 5 + 4 * 1000));
        // What mdtest looks at is a thousand files a rank; find once more each, of the shared directory who lists it.
        assert_eq!(looked, [1000 + 700 + 1200, 1700, 1700, 1700]);
        assert_eq!(done_on(Mounted::SHARE).0, [9 + 15, 9, 9, 9]);
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
        // The twelve results and find's, in order, each of all that there is, and a sync of each rank for what mdtest makes.
        let results: Vec<_> = done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount)).collect();
        let names: Vec<&str> = results.iter().map(|result| result.0).collect();
        assert_eq!(
            names,
            [
                "ior-easy-write",
                "mdtest-easy-write",
                "ior-hard-write",
                "mdtest-hard-write",
                "find",
                "ior-easy-read",
                "mdtest-easy-stat",
                "ior-hard-read",
                "mdtest-hard-stat",
                "mdtest-easy-delete",
                "mdtest-hard-read",
                "mdtest-hard-delete",
            ]
        );
        for (name, amount) in results {
            let (bytes, operations) = match name {
                "ior-easy-write" | "ior-easy-read" => ((6 * 8) << 20, 6 * 4),
                "ior-hard-write" | "ior-hard-read" => (6 * 5 * 47_008, 6 * 5),
                // The directories of both trees, and their files.
                "find" => (0, 7 + 6 * 122),
                _ if name.starts_with("mdtest-easy") => (0, 6 * 20),
                _ => (0, 6 * 102),
            };
            assert_eq!((amount.bytes, amount.operations), (bytes, operations), "{name}");
        }
        assert_eq!(count(Operation::Sync), 2 * 6);
        // Every file once, and those of mdtest with "01" in the item's number: 1 + 2 of each rank's 102 (rank 0: "0.1" has none).
        let searched = |items: u64| (0..items).filter(|item| item.to_string().contains("01")).count();
        assert_eq!(count(Operation::Stat), 6 * 122 + 6 * (searched(20) + searched(102)));
        assert_eq!(count(Operation::Readdir), 6 + 1);
        assert_eq!(plan.next_file(), 3 + 7 + 1 + 6 + 120 + 1 + 1 + 612);
    }
}
