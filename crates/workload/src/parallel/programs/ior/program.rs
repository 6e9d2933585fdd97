//! What a rank of IOR does.

use super::accesses::{Accesses, Phase};
use super::options::{IorApi, IorOptions};
use super::order::{Order, Shuffle};
use super::pass::Pass;
use crate::parallel::act::{Act, Acts, Call, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::member::{Member, Opening};
use crate::parallel::programs::{Planned, Start, refuse, to_next_host};
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{AccessFlags, FileId, Operation};
use petrio_persist::Persist;
use petrio_random::uniform_below;
use petrio_time::Time;
use petrio_units::numbers::as_number;
use std::collections::BTreeSet;
use std::sync::Arc;

/// IOR for so many ranks.
pub(in crate::parallel) struct IorPlan {
    options: IorOptions,
    ranks: u32,
    /// How many ranks further the data lie that a rank reads, at least where that is drawn.
    shift: u32,
    /// How many ranks further the data lie that it compares.
    check_shift: u32,
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
        let ranks = as_number(hosts.len());
        let bytes = u128::from(options.block) * u128::from(options.segments) * u128::from(ranks);
        if bytes > i64::MAX as u128 {
            return refuse("command", "its files together are longer than 8 EiB");
        }
        let moves = options.reorder || options.reorder_randomly;
        let by = |nodes: u32| shift(nodes, hosts);
        let shift = if moves { by(options.node_offset) } else { 0 };
        // What is compared, two hosts further (src/ior.c, TestIoSys: "move two nodes away from writing node").
        let check_shift = if options.reorder { by(1) * 2 % ranks.max(1) } else { 0 };
        let plan = Self { options, ranks, shift, check_shift, name, phases };
        if plan.files() > u64::from(u32::MAX) {
            return refuse("command", "-m: its repetitions have more files than there are numbers");
        }
        Ok(plan)
    }

    pub(super) const fn options(&self) -> &IorOptions {
        &self.options
    }

    /// Files of a repetition.
    const fn files_at_once(&self) -> u32 {
        if self.options.file_per_process { self.ranks } else { 1 }
    }

    /// Sets of files: with -m each repetition has its own.
    const fn sets(&self) -> u32 {
        if self.options.multi_file { self.options.repetitions } else { 1 }
    }

    /// The first of the ranks' directories, which are numbered after all files; `None` without.
    fn first_directory(&self) -> Option<u32> {
        let has_any = self.options.unique_directory && self.options.file_per_process;
        has_any.then(|| self.files_at_once() * self.sets())
    }

    /// Bytes of a file.
    fn file_bytes(&self) -> u64 {
        let own = self.options.block * self.options.segments;
        if self.options.file_per_process { own } else { own * u64::from(self.ranks) }
    }

    /// Where a segment of the file begins, or of it the block of the rank whose place is `place`.
    pub(super) fn begin_of(&self, segment: u64, place: u32) -> u64 {
        let blocks = if self.options.file_per_process {
            segment
        } else {
            segment * u64::from(self.ranks) + u64::from(place)
        };
        blocks * self.options.block
    }
}

/// How many ranks further another host's data lie (src/ior.c, TestIoSys: so many hosts, by ranks of one where these follow each
/// other, or by as many ranks where hosts take turns).
fn shift(nodes: u32, hosts: &[u32]) -> u32 {
    let distinct = as_number(hosts.iter().collect::<BTreeSet<_>>().len());
    let nodes = nodes.min(distinct.saturating_sub(1));
    nodes * to_next_host(hosts)
}

impl Planned for IorPlan {
    fn files(&self) -> u64 {
        let directories = if self.first_directory().is_some() { u64::from(self.ranks) } else { 0 };
        u64::from(self.files_at_once()) * u64::from(self.sets()) + directories
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        // What is only read, or written into, must be there.
        let there = !self.options.write || self.options.existing;
        let size = there.then(|| self.file_bytes());
        let directories = self.first_directory();
        if let Some(first) = directories {
            (0..self.ranks).try_for_each(|rank| {
                let name = format!("{}.{rank}", self.name);
                let size = there.then_some(0);
                tell(ProgramFile { is_directory: true, size, ..ProgramFile::new(first + rank, name) })
            })?;
        }
        for set in 0..self.sets() {
            for rank in 0..self.files_at_once() {
                // They are called as IOR calls them.
                let mut name = self.name.to_owned();
                if self.options.file_per_process {
                    name.push_str(&format!(".{rank:08}"));
                }
                if self.options.multi_file {
                    name.push_str(&format!(".{set}"));
                }
                let number = set * self.files_at_once() + rank;
                let parent = directories.map(|first| first + rank);
                tell(ProgramFile { size, parent, ..ProgramFile::new(number, name) })?;
            }
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        Ok(IorRank::new(self, start).into())
    }

    fn flags(&self) -> AccessFlags {
        AccessFlags { direct: self.options.direct, ..AccessFlags::default() }
    }
}

/// Where a rank is in a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum RepetitionState {
    Begin,
    Open(Pass),
    Access(Pass),
    Close(Pass),
    Closed(Pass),
    Remove,
    Over,
}

/// A rank of IOR.
#[derive(Persist)]
pub(in crate::parallel) struct IorRank {
    #[persist(shared)]
    plan: Arc<IorPlan>,
    member: Member,
    first: FileId,
    /// The order of its transfers, where that is drawn.
    shuffle: Option<Shuffle>,
    /// How many ranks further the data lie that are drawn for it, the same each time (src/ior.c: TestIoSys, `srand(rank + seed)`,
    /// whose seed is 0 unless -X says another).
    drawn: u32,
    repetition: u32,
    /// When it all began.
    began: Option<Time>,
    /// Whether this repetition has written, and something may be left of it.
    has_written: bool,
    stage: RepetitionState,
}

impl IorRank {
    pub(in crate::parallel::programs) fn new(plan: Arc<IorPlan>, start: &Start) -> Self {
        let member = start.member.clone();
        let shuffle = plan.options.random.then(|| {
            // All ranks draw the same.
            let mut random = start.placement.stream(0, "order of transfers");
            Shuffle::new(&plan.options, (member.rank, member.ranks()), &mut random)
        });
        let mut random = start.placement.stream(member.rank, "whose data are read");
        let others = u64::from(member.ranks() - plan.shift.min(member.ranks() - 1));
        let drawn = plan.shift + as_number(uniform_below(&mut random, others));
        Self {
            first: start.file(0),
            plan,
            member,
            shuffle,
            drawn,
            repetition: 0,
            began: None,
            has_written: false,
            stage: RepetitionState::Begin,
        }
    }

    /// How many ranks further the data lie that this rank accesses.
    fn shift(&self, pass: Pass) -> u32 {
        match pass {
            Pass::Write => 0,
            Pass::Check => self.plan.check_shift,
            Pass::Read if self.plan.options.reorder_randomly => self.drawn,
            Pass::Read => self.plan.shift,
        }
    }

    /// Whose data this rank accesses.
    fn place(&self, pass: Pass) -> u32 {
        (self.member.rank + self.shift(pass)) % self.member.ranks()
    }

    fn file(&self, pass: Pass) -> FileId {
        let set = if self.plan.options.multi_file { self.repetition } else { 0 };
        let own = if self.plan.options.file_per_process { self.place(pass) } else { 0 };
        FileId(self.first.0 + set * self.plan.files_at_once() + own)
    }

    /// The directory in which the file of a pass lies, where ranks have directories.
    fn directory(&self, pass: Pass) -> Option<FileId> {
        Some(FileId(self.first.0 + self.plan.first_directory()? + self.place(pass)))
    }

    /// A call on the file of a pass, which lies in a directory.
    fn call(&self, operation: Operation, pass: Pass) -> Act {
        let call = Call::of(operation, self.file(pass));
        Act::Call(match self.directory(pass) {
            Some(parent) => Call { parent, ..call },
            None => call,
        })
    }

    /// As what its accesses in one pass are measured: from the first open to the last close, what makes them durable
    /// among it (src/ior.c, ReduceIterResults: the last of the times of closing without the first of those of opening).
    fn measured(&self, pass: Pass) -> PhaseName {
        let [write, read] = &self.plan.phases;
        let phase = match pass {
            Pass::Write => write.clone(),
            Pass::Check => PhaseName::of_bytes("write check", 0),
            Pass::Read => read.clone(),
        };
        PhaseName { repetition: self.repetition, ..phase }
    }

    /// Opening, with the barrier that IOR puts before it.
    fn open(&self, pass: Pass) -> Act {
        let options = &self.plan.options;
        let file = self.file(pass);
        let is_new = pass == Pass::Write && !options.existing;
        let opening = if is_new { Opening::New } else { Opening::Old };
        let mut acts = Vec::with_capacity(7);
        if pass != Pass::Check && options.delay_seconds > 0 {
            acts.push(Act::Think(Time::from_whole_seconds(options.delay_seconds.into())));
        }
        // What an earlier repetition has kept goes before it is written anew (src/ior.c, TestIoSys).
        let is_there = options.keep && self.repetition > 0 && !options.multi_file;
        if is_new && is_there && (options.file_per_process || self.member.rank == 0) {
            acts.push(self.call(Operation::Unlink, pass));
        }
        acts.extend([self.member.barrier(), Act::begin(self.measured(pass))]);
        if options.file_per_process {
            // Who wants to write makes his directory, the first time (src/ior.c, PrependDir).
            if let Some(directory) = self.directory(pass).filter(|_| is_new && self.repetition == 0) {
                acts.push(Act::Call(Call::of(Operation::Mkdir, directory)));
            }
            acts.push(self.call(if is_new { Operation::Create } else { Operation::Open }, pass));
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

    /// All transfers of this rank in one pass.
    fn accesses(&self, pass: Pass) -> Act {
        let options = &self.plan.options;
        let is_first = self.repetition == 0 && self.after(None) == Some(pass);
        let order = match &self.shuffle {
            Some(shuffle) => shuffle.order(options, self.place(pass), is_first),
            None => Order::sequential(options.per_block()),
        };
        let phase = Phase {
            pass,
            repetition: self.repetition,
            first: self.first,
            file: self.file(pass),
            place: self.place(pass),
            shift: self.shift(pass),
            order,
            measured: self.measured(pass),
        };
        Act::within(Accesses::new(Arc::clone(&self.plan), self.member.clone(), phase))
    }

    /// What comes after the last transfer: what makes it durable, closing, and the barrier after it.
    fn close(&self, pass: Pass) -> Act {
        let options = &self.plan.options;
        let file = self.file(pass);
        let mut acts = Vec::with_capacity(5);
        if options.fsync && pass == Pass::Write {
            acts.push(Act::Call(Call::of(Operation::Fsync, file)));
        }
        if options.barriers {
            acts.push(self.member.barrier());
        }
        acts.push(Act::Call(Call::of(Operation::Close, file)));
        acts.push(Act::end(self.measured(pass)));
        acts.push(self.member.barrier());
        Sequence::act(acts)
    }

    /// The first pass of a repetition, or the one after.
    fn after(&self, done: Option<Pass>) -> Option<Pass> {
        let options = &self.plan.options;
        match done {
            None if options.write => Some(Pass::Write),
            None | Some(Pass::Write) if options.check_write => Some(Pass::Check),
            None | Some(Pass::Write | Pass::Check) if options.read => Some(Pass::Read),
            _ => None,
        }
    }

    /// Where a pass begins, if its time isn't over: all go by whoever looks first.
    fn begin(&self, pass: Option<Pass>, now: Time) -> RepetitionState {
        let Some(pass) = pass else { return RepetitionState::Remove };
        if pass == Pass::Check {
            return RepetitionState::Open(pass);
        }
        let limit = Time::from_whole_seconds(60 * u64::from(self.plan.options.limit_minutes));
        if limit > Time::ZERO {
            let is_over = self.began.is_some_and(|began| now - began >= limit);
            let word = if pass == Pass::Read { "no more reading" } else { "no more writing" };
            let topic = (self.first, word.into(), u64::from(self.repetition));
            if self.member.board.agree(topic, is_over.into()) == 1 {
                return RepetitionState::Closed(pass);
            }
        }
        RepetitionState::Open(pass)
    }
}

impl Acts for IorRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let options = &self.plan.options;
        let (act, stage) = match self.stage {
            RepetitionState::Begin => {
                self.began.get_or_insert(now);
                self.has_written = false;
                self.stage = self.begin(self.after(None), now);
                return self.next(now);
            }
            RepetitionState::Open(pass) => {
                self.has_written |= pass == Pass::Write;
                (self.open(pass), RepetitionState::Access(pass))
            }
            RepetitionState::Access(pass) => (self.accesses(pass), RepetitionState::Close(pass)),
            RepetitionState::Close(pass) => (self.close(pass), RepetitionState::Closed(pass)),
            RepetitionState::Closed(pass) => {
                self.stage = self.begin(self.after(Some(pass)), now);
                return self.next(now);
            }
            RepetitionState::Remove => {
                // What isn't kept goes; what was there before is left alone.
                let removes = self.has_written && !options.keep && !options.existing;
                let own = options.file_per_process || self.member.rank == 0;
                let removed = (removes && own).then(|| self.call(Operation::Unlink, Pass::Write));
                self.repetition += 1;
                self.stage = if self.repetition < options.repetitions {
                    RepetitionState::Begin
                } else {
                    RepetitionState::Over
                };
                return match removed {
                    Some(removed) => Ok(Some(removed)),
                    None => self.next(now),
                };
            }
            RepetitionState::Over => return Ok(None),
        };
        self.stage = stage;
        Ok(Some(act))
    }
}
