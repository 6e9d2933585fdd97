//! What a rank of IOR does.

use super::accesses::{Accesses, Phase};
use super::options::{IorApi, IorOptions};
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::files::ProgramFile;
use crate::parallel::member::{Member, Opening};
use crate::parallel::programs::{Planned, Start, refuse};
use crate::permutation::Permutation;
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{AccessFlags, FileId, Operation};
use petrio_random::uniform_below;
use petrio_time::Time;
use std::collections::BTreeSet;
use std::sync::Arc;

/// IOR for so many ranks.
pub(in crate::parallel) struct IorPlan {
    options: IorOptions,
    ranks: u32,
    /// How many ranks further the data lie that a rank reads, at least where that is drawn.
    shift: u32,
    name: &'static str,
    /// What its writing and its reading are called.
    phases: [PhaseName; 2],
}

impl IorPlan {
    pub(super) fn new(options: IorOptions, hosts: &[u32]) -> Result<Self, ProgramError> {
        let phases = ["write", "read"].map(|name| PhaseName::of_bytes(name, 0));
        Self::named("ior", phases, options, hosts)
    }

    /// As a part of a larger program, with files of its own name, and phases: writing, reading.
    pub(in crate::parallel::programs) fn named(
        name: &'static str,
        phases: [PhaseName; 2],
        options: IorOptions,
        hosts: &[u32],
    ) -> Result<Self, ProgramError> {
        let ranks = hosts.len() as u32;
        let bytes = u128::from(options.block) * u128::from(options.segments) * u128::from(ranks);
        if bytes > i64::MAX as u128 {
            return refuse("command", "its files together are longer than 8 EiB");
        }
        let moves = options.reorder || options.reorder_randomly;
        let shift = if moves { shift(&options, hosts) } else { 0 };
        Ok(Self { options, ranks, shift, name, phases })
    }

    pub(super) const fn options(&self) -> &IorOptions {
        &self.options
    }

    /// How many ranks further the data lie that a rank reads.
    pub(super) const fn shift(&self) -> u32 {
        self.shift
    }

    /// Bytes of a file.
    fn file_bytes(&self) -> u64 {
        let own = self.options.block * self.options.segments;
        if self.options.file_per_process { own } else { own * u64::from(self.ranks) }
    }

    /// Transfers of a rank.
    pub(super) const fn transfers(&self) -> u64 {
        self.options.segments * (self.options.block / self.options.transfer)
    }

    /// Where the `number`-th transfer of the rank whose place is `place` begins.
    pub(super) fn offset(&self, place: u32, number: u64) -> u64 {
        let per_block = self.options.block / self.options.transfer;
        let (segment, within) = (number / per_block, number % per_block);
        let blocks = if self.options.file_per_process {
            segment
        } else {
            segment * u64::from(self.ranks) + u64::from(place)
        };
        blocks * self.options.block + within * self.options.transfer
    }
}

/// How many ranks further another host's data lie (src/ior.c, TestIoSys: so many hosts, by ranks of one where these follow each
/// other, or by as many ranks where hosts take turns).
fn shift(options: &IorOptions, hosts: &[u32]) -> u32 {
    let distinct = hosts.iter().collect::<BTreeSet<_>>().len() as u32;
    let nodes = options.node_offset.min(distinct.saturating_sub(1));
    let on_first = hosts.iter().filter(|&host| Some(host) == hosts.first()).count() as u32;
    let follow = on_first == 1 || hosts.get(1) == hosts.first();
    if follow { nodes * on_first } else { nodes }
}

impl Planned for IorPlan {
    fn files(&self) -> u64 {
        if self.options.file_per_process { self.ranks.into() } else { 1 }
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        // What is only read, or written into, must be there.
        let there = !self.options.write || self.options.existing;
        let size = there.then(|| self.file_bytes());
        (0..self.files() as u32).try_for_each(|number| {
            // A file a rank is called as IOR calls it.
            let own = self.options.file_per_process;
            let name = if own { format!("{}.{number:08}", self.name) } else { self.name.to_owned() };
            tell(ProgramFile { size, ..ProgramFile::new(number, name) })
        })
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<Box<dyn Acts>, ProgramError> {
        Ok(Box::new(IorRank::new(self, start)))
    }

    fn flags(&self) -> AccessFlags {
        AccessFlags { direct: self.options.direct, ..AccessFlags::default() }
    }
}

/// Where a rank is in a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Begin,
    Open(Direction),
    Access(Direction),
    Close(Direction),
    Closed(Direction),
    Remove,
    Over,
}

/// A rank of IOR.
pub(in crate::parallel::programs) struct IorRank {
    plan: Arc<IorPlan>,
    member: Member,
    first: FileId,
    key: u64,
    /// How many ranks further the data lie that are drawn for it, the same each time (src/ior.c: TestIoSys, `srand(rank + seed)`,
    /// whose seed is 0 unless -X says another).
    drawn: u32,
    repetition: u32,
    /// When it all began.
    began: Option<Time>,
    /// Whether this repetition has written, and something may be left of it.
    has_written: bool,
    stage: Stage,
}

impl IorRank {
    pub(in crate::parallel::programs) fn new(plan: Arc<IorPlan>, start: &Start) -> Self {
        let member = start.member.clone();
        let mut random = start.placement.stream(member.rank, "order of transfers");
        let key = uniform_below(&mut random, u64::MAX);
        let mut random = start.placement.stream(member.rank, "whose data are read");
        let others = u64::from(member.ranks() - plan.shift.min(member.ranks() - 1));
        let drawn = plan.shift + uniform_below(&mut random, others) as u32;
        Self {
            first: start.file(0),
            plan,
            member,
            key,
            drawn,
            repetition: 0,
            began: None,
            has_written: false,
            stage: Stage::Begin,
        }
    }

    /// Whose data this rank accesses.
    fn place(&self, direction: Direction) -> u32 {
        let shift = match direction {
            Direction::Read if self.plan.options.reorder_randomly => self.drawn,
            Direction::Read => self.plan.shift,
            Direction::Write => 0,
        };
        (self.member.rank + shift) % self.member.ranks()
    }

    fn file(&self, direction: Direction) -> FileId {
        let own = self.plan.options.file_per_process;
        FileId(self.first.0 + if own { self.place(direction) } else { 0 })
    }

    /// As what its accesses in one direction are measured: from the first open to the last close, what makes them durable
    /// among it (src/ior.c, ReduceIterResults: the last of the times of closing without the first of those of opening).
    fn measured(&self, direction: Direction) -> PhaseName {
        let [write, read] = &self.plan.phases;
        let phase = if direction == Direction::Write { write } else { read };
        PhaseName { repetition: self.repetition, ..phase.clone() }
    }

    /// Opening, with the barrier that IOR puts before it.
    fn open(&self, direction: Direction) -> Act {
        let options = &self.plan.options;
        let file = self.file(direction);
        let is_new =
            direction == Direction::Write && !options.existing && !(options.keep && self.repetition > 0);
        let opening = if is_new { Opening::New } else { Opening::Old };
        let mut acts = vec![self.member.barrier(), Act::begin(self.measured(direction))];
        if options.file_per_process {
            let made = if is_new { Operation::Create } else { Operation::Open };
            acts.push(Act::Call(Call::of(made, file)));
        } else if options.api == IorApi::MpiIo {
            acts.push(self.member.open_together(file, opening));
        } else if is_new {
            // All would create it, and one comes first.
            if self.member.rank == 0 {
                acts.push(Act::Call(Call::of(Operation::Create, file)));
            }
            acts.push(self.member.barrier());
            if self.member.rank > 0 {
                acts.push(Act::Call(Call::of(Operation::Open, file)));
            }
        } else {
            acts.push(Act::Call(Call::of(Operation::Open, file)));
        }
        if options.barriers {
            acts.push(self.member.barrier());
        }
        Sequence::act(acts)
    }

    /// All transfers of this rank in one direction, each time in another order where that is drawn.
    fn accesses(&self, direction: Direction) -> Act {
        let order = self.plan.options.random.then(|| {
            let salt = u64::from(self.repetition) * 2 + u64::from(direction == Direction::Read);
            Permutation::new(self.plan.transfers(), crate::permutation::scramble(self.key ^ salt))
        });
        let (file, place) = (self.file(direction), self.place(direction));
        let measured = self.measured(direction);
        let phase =
            Phase { direction, repetition: self.repetition, first: self.first, file, place, order, measured };
        Act::Within(Box::new(Accesses::new(Arc::clone(&self.plan), self.member.clone(), phase)))
    }

    /// What comes after the last transfer: what makes it durable, closing, and the barrier after it.
    fn close(&self, direction: Direction) -> Act {
        let options = &self.plan.options;
        let file = self.file(direction);
        let mut acts = Vec::with_capacity(5);
        if options.fsync && direction == Direction::Write {
            acts.push(Act::Call(Call::of(Operation::Fsync, file)));
        }
        if options.barriers {
            acts.push(self.member.barrier());
        }
        acts.push(Act::Call(Call::of(Operation::Close, file)));
        acts.push(Act::end(self.measured(direction)));
        acts.push(self.member.barrier());
        Sequence::act(acts)
    }

    /// The first direction of a repetition, or the one after.
    fn after(&self, done: Option<Direction>) -> Option<Direction> {
        match done {
            None if self.plan.options.write => Some(Direction::Write),
            None | Some(Direction::Write) if self.plan.options.read => Some(Direction::Read),
            _ => None,
        }
    }

    /// Where a direction begins, if its time isn't over: all go by whoever looks first.
    fn begin(&self, direction: Option<Direction>, now: Time) -> Stage {
        let Some(direction) = direction else { return Stage::Remove };
        let limit = Time::from_whole_seconds(60 * u64::from(self.plan.options.limit_minutes));
        if limit > Time::ZERO {
            let is_over = self.began.is_some_and(|began| now - began >= limit);
            let word = if direction == Direction::Read { "no more reading" } else { "no more writing" };
            let topic = (self.first, word, u64::from(self.repetition));
            if self.member.board.agree(topic, is_over.into()) == 1 {
                return Stage::Closed(direction);
            }
        }
        Stage::Open(direction)
    }
}

impl Acts for IorRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let options = &self.plan.options;
        let (act, stage) = match self.stage {
            Stage::Begin => {
                self.began.get_or_insert(now);
                self.has_written = false;
                self.stage = self.begin(self.after(None), now);
                if self.repetition > 0 && options.delay_seconds > 0 {
                    return Ok(Some(Act::Think(Time::from_whole_seconds(options.delay_seconds.into()))));
                }
                return self.next(now);
            }
            Stage::Open(direction) => {
                self.has_written |= direction == Direction::Write;
                (self.open(direction), Stage::Access(direction))
            }
            Stage::Access(direction) => (self.accesses(direction), Stage::Close(direction)),
            Stage::Close(direction) => (self.close(direction), Stage::Closed(direction)),
            Stage::Closed(direction) => {
                self.stage = self.begin(self.after(Some(direction)), now);
                return self.next(now);
            }
            Stage::Remove => {
                self.repetition += 1;
                self.stage = if self.repetition < options.repetitions { Stage::Begin } else { Stage::Over };
                // What isn't kept goes; what was there before is left alone.
                let removes = self.has_written && !options.keep && !options.existing;
                let own = options.file_per_process || self.member.rank == 0;
                if removes && own {
                    let file = self.file(Direction::Write);
                    return Ok(Some(Act::Call(Call::of(Operation::Unlink, file))));
                }
                return self.next(now);
            }
            Stage::Over => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}
