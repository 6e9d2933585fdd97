//! seis of SPEChpc96 (SPECseis96 1.2): its first two phases, which make a data set of seismic traces and go through it.
//!
//! In phase 1 every rank writes its part of the data in chunks of 96 KB; in phase 2 it reads chunks of 2 KB that others have
//! written. Source: Wang and Kaeli, "Execution-driven Simulation of Network Storage Systems", MASCOTS 2004: 1.6 GB, 96 KB, 2 KB,
//! reads from disks that aren't the rank's own.
//!
//! ```text
//!  file of rank r:   │ own writes, chunk after chunk ─────────────────▶│
//!  phase 2 of r:     a chunk of rank r+1's file, one of r+2's, …, one of r-1's, the next of r+1's, …     (dealt)
//!                    its part of r+1's file, chunk after chunk, then its part of r+2's, …                (parts)
//!                    all of rank r+1's file                                                              (neighbour)
//! ```
//!
//! The paper doesn't say which chunks a rank reads, only that they aren't on its own disk: `share` says it. Each chunk has one
//! reader in any case, so that a rank reads as much as it has written; a single rank reads what it has written. Left out:
//! phases 3 and 4, and how long a chunk computes unless the scenario says it.

use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::member::Member;
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// seis of SPEChpc96: every rank writes its part of the data, then reads small chunks of what the others have written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SeisParameters {
    /// The data set, of all ranks together; rounded up so that each rank writes whole chunks.
    pub data: Bytes,
    /// A chunk as it is written in phase 1.
    pub write_chunk: Bytes,
    /// A chunk as it is read in phase 2; a part of a written one.
    pub read_chunk: Bytes,
    /// Which chunks of the others a rank reads.
    pub share: SeisShare,
    /// How long a rank computes on each chunk before it writes it.
    pub write_compute: Duration,
    /// How long a rank computes on each chunk that it has read.
    pub read_compute: Duration,
}

/// Which chunks of the others a rank of seis reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeisShare {
    /// Each file's chunks go round the other ranks, so that all of these read side by side in each file.
    #[default]
    Dealt,
    /// Each file is cut into as many parts as there are other ranks, and each reads one; at any time each file has one reader.
    Parts,
    /// All of the next rank's file.
    Neighbour,
}

impl Default for SeisParameters {
    fn default() -> Self {
        Self {
            data: Bytes(1_600_000_000),
            write_chunk: Bytes::from_kib(96),
            read_chunk: Bytes::from_kib(2),
            share: SeisShare::default(),
            write_compute: Duration::ZERO,
            read_compute: Duration::ZERO,
        }
    }
}

impl SeisParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        format!("seis, {}", self.data)
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<SeisPlan, ProgramError> {
        let (write, read) = (self.write_chunk.get(), self.read_chunk.get());
        for (parameter, size) in [("data", self.data.get()), ("write_chunk", write), ("read_chunk", read)] {
            if size == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        if !write.is_multiple_of(read) {
            return refuse("read_chunk", format!("{} is no part of {}", self.read_chunk, self.write_chunk));
        }
        let writes = self.data.get().div_ceil(write).div_ceil(u64::from(ranks));
        Ok(SeisPlan { parameters: self.clone(), ranks, writes })
    }
}

/// seis for so many ranks.
pub(in crate::parallel) struct SeisPlan {
    parameters: SeisParameters,
    ranks: u32,
    /// Chunks that each rank writes.
    writes: u64,
}

impl SeisPlan {
    /// Chunks of the size that is read in a rank's file, and so chunks that a rank reads.
    const fn reads(&self) -> u64 {
        self.writes * (self.parameters.write_chunk.0 / self.parameters.read_chunk.0)
    }

    /// The file and the chunk of it that a rank reads as its `number`-th.
    fn read(&self, rank: u32, number: u64) -> (u32, u64) {
        let others = u64::from(self.ranks - 1);
        if others == 0 {
            return (rank, number);
        }
        // A rank's k-th chunk is the k-th of the file that it comes from, whatever decides which file that is: of each file the
        // ranks at different distances before it read different ones, and all of it is read once.
        let distance = match self.parameters.share {
            SeisShare::Dealt => number % others,
            // The part that begins last at or before it, where part d begins at d * reads / others.
            SeisShare::Parts => ((number + 1) * others - 1) / self.reads(),
            SeisShare::Neighbour => 0,
        };
        let file = (u64::from(rank) + distance + 1) % u64::from(self.ranks);
        (as_number(file), number)
    }
}

impl Planned for SeisPlan {
    fn files(&self) -> u64 {
        self.ranks.into()
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        (0..self.ranks).try_for_each(|rank| tell(ProgramFile::new(rank, format!("seis.{rank:04}"))))
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        Ok(AnyActs::from(SeisRank {
            first: start.file(0),
            member: start.member.clone(),
            write_compute: start.computing(self.parameters.write_compute.time()),
            read_compute: start.computing(self.parameters.read_compute.time()),
            plan: self,
            stage: SeisState::Begin,
        }))
    }
}

#[derive(Clone, Copy, Debug, Persist)]
enum SeisState {
    Begin,
    /// So many chunks are written.
    Write(u64),
    /// All others' files are opened up to this distance.
    Open(u32),
    /// So many chunks are read.
    Read(u64),
    Close(u32),
    End,
}

#[derive(Persist)]
pub(in crate::parallel) struct SeisRank {
    #[persist(shared)]
    plan: Arc<SeisPlan>,
    member: Member,
    first: FileId,
    write_compute: Time,
    read_compute: Time,
    stage: SeisState,
}

impl SeisRank {
    const fn file(&self, rank: u32) -> FileId {
        FileId(self.first.0 + rank)
    }

    /// The rank at a distance round the circle; a single rank reads its own file.
    fn other(&self, distance: u32) -> u32 {
        (self.member.rank + distance) % self.plan.ranks
    }

    fn others(&self) -> u32 {
        (self.plan.ranks - 1).max(1)
    }

    /// What this rank has done of a phase.
    fn did(&self, direction: Direction) -> Act {
        let (chunk, chunks) = match direction {
            Direction::Write => (self.plan.parameters.write_chunk, self.plan.writes),
            Direction::Read => (self.plan.parameters.read_chunk, self.plan.reads()),
        };
        Act::did(phase(direction), chunks * chunk.get(), chunks)
    }
}

/// As what a phase is measured: from the first open to the last close.
fn phase(direction: Direction) -> PhaseName {
    match direction {
        Direction::Write => PhaseName::of_bytes("phase 1, write", 0),
        Direction::Read => PhaseName::of_bytes("phase 2, read", 0),
    }
}

fn computing(time: Time) -> impl Iterator<Item = Act> {
    (time > Time::ZERO).then_some(Act::Compute(time)).into_iter()
}

impl SeisRank {
    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let own = self.file(self.member.rank);
        let SeisParameters { write_chunk, read_chunk, .. } = self.plan.parameters;
        let (act, stage) = match self.stage {
            SeisState::Begin => {
                let create = Act::Call(Call::of(Operation::Create, own));
                (Sequence::act([Act::begin(phase(Direction::Write)), create]), SeisState::Write(0))
            }
            SeisState::Write(over) if over < self.plan.writes => {
                let length = write_chunk.get();
                let write = Act::Call(Call::access(Direction::Write, own, over * length, length));
                let act = if self.write_compute > Time::ZERO {
                    Sequence::act(computing(self.write_compute).chain([write]))
                } else {
                    write
                };
                (act, SeisState::Write(over + 1))
            }
            // All has been written when the first chunk of another rank is read.
            SeisState::Write(_) => {
                let close = Act::Call(Call::of(Operation::Close, own));
                let acts = [close, self.did(Direction::Write), Act::end(phase(Direction::Write))];
                let next = [self.member.barrier(), Act::begin(phase(Direction::Read))];
                (Sequence::act(acts.into_iter().chain(next)), SeisState::Open(1))
            }
            SeisState::Open(distance) if distance <= self.others() => {
                let file = self.file(self.other(distance));
                (Act::Call(Call::of(Operation::Open, file)), SeisState::Open(distance + 1))
            }
            SeisState::Open(_) => {
                self.stage = SeisState::Read(0);
                return self.advance();
            }
            SeisState::Read(over) if over < self.plan.reads() => {
                let (rank, chunk) = self.plan.read(self.member.rank, over);
                let length = read_chunk.get();
                let read = Act::Call(Call::access(Direction::Read, self.file(rank), chunk * length, length));
                let act = if self.read_compute > Time::ZERO {
                    Sequence::act([read].into_iter().chain(computing(self.read_compute)))
                } else {
                    read
                };
                (act, SeisState::Read(over + 1))
            }
            SeisState::Read(_) => {
                self.stage = SeisState::Close(1);
                return self.advance();
            }
            SeisState::Close(distance) if distance <= self.others() => {
                let file = self.file(self.other(distance));
                (Act::Call(Call::of(Operation::Close, file)), SeisState::Close(distance + 1))
            }
            SeisState::Close(_) => {
                let over =
                    [self.did(Direction::Read), Act::end(phase(Direction::Read)), self.member.barrier()];
                (Sequence::act(over), SeisState::End)
            }
            SeisState::End => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}

impl Acts for SeisRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::testing::{carry_out, pieces, planned, tile};
    use petrio_colours::Operation;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_chunk_is_written_once_and_read_once_by_another_rank(
            ranks in 1u32..12,
            chunks in 1u64..30,
            parts in 1u64..9,
            share in prop_oneof!["dealt", "parts", "neighbour"],
        ) {
            let program = format!(
                r#"{{ "kind": "seis", "data": "{} B", "write_chunk": "{} B", "read_chunk": "512 B", "share": "{share}" }}"#,
                chunks * parts * 512,
                parts * 512,
            );
            let done = carry_out(&planned(&program, &vec![0; ranks as usize]));
            let own = chunks.div_ceil(ranks.into()) * parts * 512;
            let measured: Vec<_> =
                done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount.bytes)).collect();
            let all = own * u64::from(ranks);
            prop_assert_eq!(measured, [("phase 1, write", all), ("phase 2, read", all)]);
            for operation in [Operation::Write, Operation::Read] {
                let pieces = pieces(&done, operation);
                prop_assert_eq!(pieces.len(), ranks as usize);
                prop_assert!(pieces.values().all(|pieces| tile(pieces, own)));
            }
            for (rank, calls) in done.calls.iter().enumerate() {
                for op in calls.iter().filter(|op| op.operation == Operation::Read) {
                    prop_assert!(ranks == 1 || op.file.0 != 3 + rank as u32);
                }
            }
        }
    }

    #[test]
    fn in_parts_a_rank_goes_through_each_file_in_one_piece() {
        let program = r#"{ "kind": "seis", "data": "60 KiB", "write_chunk": "5 KiB", "read_chunk": "512 B", "share": "parts" }"#;
        let done = carry_out(&planned(program, &[0; 4]));
        for calls in &done.calls {
            let reads: Vec<_> = calls.iter().filter(|op| op.operation == Operation::Read).collect();
            let turns = reads.windows(2).filter(|pair| pair[0].file != pair[1].file).count();
            assert_eq!(turns, 2, "three files, one after the other");
            let goes_on =
                |pair: &&[&petrio_colours::FileOp]| pair[0].offset + pair[0].length == pair[1].offset;
            assert_eq!(reads.windows(2).filter(goes_on).count(), reads.len() - 1);
        }
    }

    #[test]
    fn the_data_set_is_1_6_gb_in_chunks_of_96_kb_and_2_kb() {
        let plan = planned(r#"{ "kind": "seis" }"#, &[0; 8]);
        let mut rank = plan.programs(0, 3..4, &std::sync::Arc::default()).unwrap();
        let (mut written, mut length) = (0, 0);
        while let crate::program::Step::Operation(op) = rank[0].next(petrio_time::Time::ZERO).unwrap() {
            if op.operation == Operation::Write {
                (written, length) = (written + 1, op.length);
            }
        }
        assert_eq!((written, length), (1_600_000_000u64.div_ceil(98_304).div_ceil(8), 98_304));
    }
}
