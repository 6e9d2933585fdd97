//! A parallel program as Darshan recorded it (its extended traces, DXT): each rank's reads and writes, and what was between them.
//!
//! Each rank plays its own part: the time from the end of one call to the beginning of the next it computes, or waits. Which
//! ranks waited for each other isn't in such a trace, nor are opening and closing: files are there and open, as long as what was
//! read of them before anything was written there.
//!
//! Source: darshan-util's documentation on DXT; the reader is petrio's own (`darshan-dxt`). Left out: MPI-IO's calls, where there
//! are POSIX ones, which are what MPI-IO made of them; and calls that moved nothing.

use super::super::{Planned, Start, refuse};
use super::{DarshanParameters, Gaps, phase};
use crate::parallel::act::{Act, Acts, Call, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::parameters::scaled;
use crate::program::ProgramError;
use petrio_bounds::Headroom;
use petrio_colours::{FileId, Operation};
use petrio_files::inputs::Inputs;
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::event::{EventKind, FileKey};
use petrio_trace::{EventReader, FormatName, TraceError, TraceOptions};
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::sync::Arc;

impl DarshanParameters {
    /// The single accesses of a log or of darshan-dxt-parser's text.
    pub(super) fn recorded(&self, inputs: &Inputs, ranks: u32) -> Result<DarshanPlan, ProgramError> {
        let options = TraceOptions { format: Some(FormatName::DarshanDxt), ..TraceOptions::default() };
        let reader = EventReader::open_in(inputs, &self.file, &options)?;
        let mut plan = DarshanPlan {
            gaps: self.gaps,
            time_scale: self.time_scale,
            sizes: Vec::new(),
            calls: vec![Vec::new(); ranks as usize],
        };
        let mut files: BTreeMap<FileKey, u32> = BTreeMap::new();
        let mut written: Vec<u64> = Vec::new();
        let mut headroom = Headroom::default();
        for (before, event) in (0..).zip(reader) {
            let event = event?;
            headroom.record().map_err(|cause| TraceError::TooMuch { events: before, cause })?;
            let Some(rank) = event.process.checked_sub(1) else {
                return refuse("file", "it has calls of all ranks together, which no rank can play");
            };
            let Some(calls) = plan.calls.get_mut(rank as usize) else {
                let problem =
                    format!("the trace has a rank {rank}: it is of {} ranks or more", u64::from(rank) + 1);
                return refuse("ranks", problem);
            };
            let next = as_number(plan.sizes.len());
            let file = *files.entry(event.file).or_insert(next);
            if file == next {
                plan.sizes.push(0);
                written.push(0);
            }
            let operation = match event.kind {
                EventKind::Read => Operation::Read,
                EventKind::Write => Operation::Write,
                _ => continue,
            };
            let offset = event.offset.unwrap_or(0);
            let end = offset.saturating_add(event.length);
            if end > i64::MAX as u64 {
                return refuse(
                    "file",
                    format!("a call reaches to byte {end}, and a file isn't longer than 8 EiB"),
                );
            }
            // At a file's end, say.
            if event.length == 0 {
                continue;
            }
            let (size, written) = (&mut plan.sizes[file as usize], &mut written[file as usize]);
            match operation {
                Operation::Read if end > *written => *size = (*size).max(end),
                Operation::Write => *written = (*written).max(end),
                _ => {}
            }
            calls.push(Recorded {
                start: event.time,
                end: event.time.saturating_add(event.service.unwrap_or(Time::ZERO)),
                operation,
                file,
                offset,
                length: event.length,
            });
        }
        Ok(plan)
    }
}

/// A call as it was recorded.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    start: Time,
    end: Time,
    operation: Operation,
    file: u32,
    offset: u64,
    length: u64,
}

/// A recorded program.
pub(super) struct DarshanPlan {
    gaps: Gaps,
    time_scale: f64,
    /// Of each file, its length before the run.
    sizes: Vec<u64>,
    /// Of each rank, in order of time.
    calls: Vec<Vec<Recorded>>,
}

impl Planned for DarshanPlan {
    fn files(&self) -> u64 {
        self.sizes.len() as u64
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        for (number, &size) in (0..).zip(&self.sizes) {
            tell(ProgramFile { size: Some(size), ..ProgramFile::new(number, format!("{number}")) })?;
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let scale = match self.gaps {
            Gaps::Compute => self.time_scale * start.compute_scale,
            Gaps::Think => self.time_scale,
        };
        let (rank, first) = (start.member.rank, start.file(0));
        Ok(DarshanRank { plan: self, rank, first, scale, next: 0, over: Time::ZERO }.into())
    }
}

#[derive(Persist)]
pub(in crate::parallel) struct DarshanRank {
    #[persist(shared)]
    plan: Arc<DarshanPlan>,
    rank: u32,
    first: FileId,
    scale: f64,
    next: usize,
    /// When the call before was over in the trace; past the next one's start once its gap is done.
    over: Time,
}

impl Acts for DarshanRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let Some(call) = self.plan.calls[self.rank as usize].get(self.next) else { return Ok(None) };
        let gap = scaled(call.start.saturating_sub(self.over), self.scale);
        if gap > Time::ZERO {
            self.over = call.start;
            return Ok(Some(match self.plan.gaps {
                Gaps::Compute => Act::Compute(gap),
                Gaps::Think => Act::Think(gap),
            }));
        }
        self.next += 1;
        self.over = self.over.max(call.end);
        let Recorded { operation, file, offset, length, .. } = *call;
        let file = FileId(self.first.0 + file);
        let call = Act::Call(Call { offset, length, ..Call::of(operation, file) });
        let phase = phase(operation);
        let did = Act::did(phase.clone(), length, 1);
        Ok(Some(Sequence::act([Act::begin(phase.clone()), call, did, Act::end(phase)])))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::print_stdout)] // A test that is skipped says so.
    use crate::parallel::{JobPlacement, JobPlan, ParallelParameters};
    use crate::program::{FileProgram, Placement, ProgramError, Step};
    use petrio_colours::Operation;
    use petrio_files::inputs::Inputs;
    use petrio_trace::{EventReader, TraceOptions};
    use std::path::Path;

    const TEXT: &str = "\
# darshan log version: 3.41
# exe: ./app
# start_time: 1700000000
# DXT, file_id: 11, file_name: /scratch/in
# DXT, rank: 0, hostname: n0
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       0  read         0               0         4096      0.0000      0.0100
# DXT, file_id: 12, file_name: /scratch/out
# DXT, rank: 0, hostname: n0
 X_POSIX       0  write        0               0         8192      0.0300      0.0350
 X_POSIX       0  read         0            4096         4096      0.0350      0.0400
# DXT, file_id: 12, file_name: /scratch/out
# DXT, rank: 2, hostname: n1
 X_POSIX       2  write        0            8192         8192      0.0500      0.0550
";

    fn planned(program: &str, ranks: u32) -> Result<JobPlan, ProgramError> {
        let json = format!(
            r#"{{ "ranks": {ranks}, "compute_scale": 2.0, "program": {{ "kind": "darshan", "file": "run.txt"{program} }} }}"#
        );
        let parameters: ParallelParameters = serde_json::from_str(&json).unwrap();
        let all = || vec![0; ranks as usize];
        let inputs = Inputs::none();
        inputs.hold(Path::new("run.txt"), TEXT.as_bytes());
        parameters.plan_in(&inputs, &JobPlacement::new(Placement::new("d"), all(), all()))
    }

    fn steps(program: &str, rank: u32) -> Vec<String> {
        let plan = planned(program, 3).unwrap();
        let mut programs = plan.programs(0, rank..rank + 1, &std::sync::Arc::default()).unwrap();
        let mut steps = Vec::new();
        loop {
            steps.push(match programs[0].next(petrio_time::Time::ZERO).unwrap() {
                Step::End => return steps,
                Step::Think(time) => format!("think {time}"),
                Step::Operation(op) if op.operation == Operation::Compute => {
                    format!("compute {}", petrio_time::Time::from_picos(op.length))
                }
                Step::Operation(op) => {
                    format!("{} {} {}+{}", op.operation.name(), op.file.0, op.offset, op.length)
                }
                step => format!("{step:?}"),
            });
        }
    }

    #[test]
    fn each_rank_plays_its_own_part_with_the_gaps_between() {
        // Twice the 20 ms between the first two calls; none between the second and the third.
        let calls = ["read 1 0+4096", "compute 40.000 ms", "write 2 0+8192", "read 2 4096+4096"];
        assert_eq!(steps("", 0), calls);
        assert_eq!(steps("", 1), Vec::<String>::new());
        assert_eq!(steps(r#", "gaps": "think""#, 2), ["think 50.000 ms", "write 2 8192+8192"]);
        assert_eq!(steps(r#", "time_scale": 0.0"#, 2), ["write 2 8192+8192"]);
    }

    #[test]
    fn reads_and_writes_are_told_apart_without_gaps() {
        let plan = planned("", 3).unwrap();
        let board = std::sync::Arc::default();
        for mut rank in plan.programs(0, 0..3, &board).unwrap() {
            // A second each, gaps among them.
            let mut now = petrio_time::Time::ZERO;
            while rank.next(now).unwrap() != Step::End {
                now += petrio_time::Time::from_whole_seconds(1);
            }
        }
        let told: Vec<_> = (board.phases().iter())
            .map(|phase| (phase.phase.name.to_string(), phase.amount.bytes, phase.length().as_seconds()))
            .collect();
        assert_eq!(told, [("read".to_owned(), 8192, 2.0), ("write".to_owned(), 16_384, 1.0)]);
    }

    #[test]
    fn files_are_there_as_far_as_they_were_read_before_they_were_written() {
        let table = planned("", 3).unwrap().table().unwrap();
        let sizes: Vec<_> = table.entries().iter().map(|entry| (entry.present, entry.size)).collect();
        assert_eq!(sizes, [(true, 4096), (true, 0)]);
    }

    #[test]
    fn too_few_ranks_are_refused() {
        let problem = planned("", 2).err().unwrap().to_string();
        assert!(problem.contains("rank 2: it is of 3 ranks"), "{problem}");
    }

    #[test]
    fn a_real_log_is_played_call_by_call() {
        let root = std::env::var_os("PETRIO_DATA").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
            std::path::PathBuf::from,
        );
        let path = root.join("traces/darshan/dxt.darshan");
        if !path.is_file() {
            println!("skipped: a_real_log_is_played_call_by_call needs {}", path.display());
            return;
        }
        let program = serde_json::json!({ "kind": "darshan", "file": path, "gaps": "think" });
        let ranks = 64;
        let json = serde_json::json!({ "ranks": ranks, "program": program });
        let parameters: ParallelParameters = serde_json::from_value(json).unwrap();
        let all = || vec![0; ranks as usize];
        let plan = parameters.plan(&JobPlacement::new(Placement::new("d"), all(), all())).unwrap();
        let (mut calls, mut bytes) = (0, 0);
        for mut rank in plan.programs(0, 0..ranks, &std::sync::Arc::default()).unwrap() {
            loop {
                match rank.next(petrio_time::Time::ZERO).unwrap() {
                    Step::End => break,
                    Step::Operation(op) => (calls, bytes) = (calls + 1, bytes + op.length),
                    _ => {}
                }
            }
        }
        let events = EventReader::open(&path, &TraceOptions::default()).unwrap();
        let lengths: Vec<u64> = events.map(|event| event.unwrap().length).collect();
        let moved = lengths.iter().filter(|length| **length > 0).count();
        // 35,539,507 B: as another reader counts them.
        assert_eq!((calls, bytes), (moved, 35_539_507));
    }
}
