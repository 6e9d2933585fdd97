//! What a rank of mdtest does.

use super::options::{Item, Phase};
use super::plan::MdtestPlan;
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::member::Member;
use crate::parallel::programs::Start;
use crate::permutation::{Permutation, scramble};
use crate::program::{PhaseName, ProgramError, Topic};
use petrio_colours::{FileId, Operation};
use petrio_time::Time;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// A rank of mdtest.
pub(in crate::parallel::programs) struct MdtestRank {
    plan: Arc<MdtestPlan>,
    member: Member,
    first: FileId,
    phases: Vec<Phase>,
    repetition: u32,
    /// The phase, and how much of it is done.
    phase: usize,
    done: u64,
    making: Making,
    /// Whether each phase of items ends with a sync.
    sync: bool,
    /// Whether the delay before a repetition is over.
    has_waited: bool,
    /// Whether the phase has begun.
    begun: bool,
    /// Acts after a phase that are still to come.
    afterwards: VecDeque<Act>,
}

/// How far a rank is with the making of files that a clock may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Making {
    /// From when on.
    Since(Option<Time>),
    /// The time was over, or the work done; all go on to what the first of them has.
    TimeOver,
}

impl MdtestRank {
    pub(in crate::parallel::programs) fn new(
        plan: Arc<MdtestPlan>,
        start: &Start,
        phases: Vec<Phase>,
    ) -> Self {
        let member = start.member.clone();
        Self {
            sync: plan.options.sync,
            plan,
            member,
            first: start.file(0),
            phases,
            repetition: 0,
            phase: 0,
            done: 0,
            making: Making::Since(None),
            has_waited: false,
            begun: false,
            afterwards: VecDeque::new(),
        }
    }

    /// The same without a sync after its phases.
    pub(in crate::parallel::programs) fn without_sync(self) -> Self {
        Self { sync: false, ..self }
    }

    fn measured(&self, phase: Phase) -> Option<PhaseName> {
        Some(PhaseName { repetition: self.repetition, ..(self.plan.measures)(phase)? })
    }

    /// What comes after a phase of which so much was done. Its time ends when all have come to the barrier after it, what makes
    /// it durable among it (src/mdtest.c, phase_end and updateResult).
    fn after(&self, phase: Phase) -> VecDeque<Act> {
        let mut acts = VecDeque::with_capacity(4);
        if self.sync && phase.is_of_items() {
            acts.push_back(Act::Call(Call::of(Operation::Sync, self.file(0))));
        }
        // A tree is whole before anything lies in it, and empty before it goes (-B is of what lies between).
        let next = self.phases.get(self.phase + 1);
        if self.plan.options.barriers || phase == Phase::MakeTree || next == Some(&Phase::RemoveTree) {
            acts.push_back(self.member.barrier());
        }
        if let Some(measured) = self.measured(phase) {
            acts.push_back(Act::did(measured.clone(), 0, self.counted(phase)));
            acts.push_back(Act::end(measured));
        }
        acts
    }

    /// Items that this rank has done in a phase: of the tree, its directories without the one that holds all.
    fn counted(&self, phase: Phase) -> u64 {
        match phase {
            Phase::MakeTree | Phase::RemoveTree => self.directories(),
            // Made by the first rank and opened by each, they count once.
            Phase::Create(Item::File) if self.plan.options.collective => self.plan.items,
            _ => self.done,
        }
    }

    /// The trees that this rank makes and removes.
    fn trees(&self) -> Range<u32> {
        let (options, rank) = (&self.plan.options, self.member.rank);
        match (options.unique, options.collective) {
            (true, false) => rank..rank + 1,
            _ if rank > 0 => 0..0,
            (true, true) => 0..self.plan.ranks,
            (false, _) => 0..1,
        }
    }

    /// The directories of those.
    fn directories(&self) -> u64 {
        self.trees().len() as u64 * self.plan.tree.directories
    }

    /// The number of files that each rank has when the time to make them is over.
    fn made(&self) -> Topic {
        (self.first, "files made", self.repetition.into())
    }

    /// Whether a clock may still end what this rank does.
    fn is_timed(&self, phase: Phase) -> bool {
        let deadline = self.plan.options.deadline_seconds;
        deadline > 0 && phase == Phase::Create(Item::File) && self.making != Making::TimeOver
    }

    /// Items of each rank in a phase: fewer than wanted where a clock has ended their making.
    fn items(&self, phase: Phase) -> u64 {
        // What others have told is looked at once all have.
        let told = self.plan.options.deadline_seconds > 0 && !self.is_timed(phase);
        let made = if told { self.member.board.get(self.made()) } else { None };
        made.unwrap_or(self.plan.items)
    }

    /// Whether the time to make files is over for this rank.
    fn is_late(&mut self, now: Time) -> bool {
        let deadline = Time::from_whole_seconds(self.plan.options.deadline_seconds.into());
        match &mut self.making {
            Making::Since(since) => now - *since.get_or_insert(now) > deadline,
            Making::TimeOver => false,
        }
    }

    const fn file(&self, number: u32) -> FileId {
        FileId(self.first.0 + number)
    }

    /// Whose item it is that a rank looks at, reads or removes: with each phase so many ranks further.
    fn whose(&self, phase: Phase, rank: u32) -> u32 {
        let times = match phase {
            Phase::Stat(_) => 1,
            Phase::Read => 2,
            Phase::Remove(_) => 3,
            _ => 0,
        };
        let further = u64::from(self.plan.options.stride) * times;
        ((u64::from(rank) + further) % u64::from(self.member.ranks())) as u32
    }

    /// Whose item comes next, and its number: the rank's own, or of each rank in turn where the first does what all do.
    fn next_item(&self, phase: Phase) -> Option<(u32, u64)> {
        let items = self.items(phase);
        let by_first = matches!(phase, Phase::Create(_) | Phase::Remove(_)) && self.plan.options.collective;
        if !by_first {
            return (self.done < items).then(|| (self.whose(phase, self.member.rank), self.done));
        }
        let rank = self.done / items;
        let is_left = self.member.rank == 0 && rank < u64::from(self.plan.ranks);
        is_left.then(|| (self.whose(phase, rank as u32), self.done % items))
    }

    /// Files made by the first rank for all, which then open their own (src/mdtest.c, file_test_create).
    fn create_for_all(&self) -> Option<Act> {
        let (plan, rank) = (&self.plan, self.member.rank);
        if let Some((whose, number)) = self.next_item(Phase::Create(Item::File)) {
            let file = plan.item(Item::File, whose, number);
            let create = self.call(Operation::Create, file, plan.directory_of(whose, number));
            return Some(Sequence::act([create, Act::Call(Call::of(Operation::Close, self.file(file)))]));
        }
        let before = if rank == 0 { plan.items * u64::from(plan.ranks) } else { 0 };
        match self.done - before {
            0 => Some(self.member.barrier()),
            after if after <= plan.items => {
                let (file, parent) =
                    (plan.item(Item::File, rank, after - 1), plan.directory_of(rank, after - 1));
                Some(self.file_item(Operation::Open, Direction::Write, file, parent))
            }
            _ => None,
        }
    }

    fn call(&self, operation: Operation, number: u32, parent: u32) -> Act {
        let call = Call { parent: self.file(parent), ..Call::of(operation, self.file(number)) };
        Act::Call(call)
    }

    /// A directory of this rank's trees, made or removed: `number` of `directories`.
    fn tree(&self, operation: Operation, number: u64) -> Option<Act> {
        let (plan, each) = (&self.plan, self.plan.tree.directories);
        let of = self.trees().nth((number / each) as usize)?;
        let directory = match operation {
            Operation::Mkdir => number % each,
            _ => each - 1 - number % each,
        };
        let above = plan.tree.parent(directory).map_or(0, |parent| plan.directory(of, parent));
        Some(self.call(operation, plan.directory(of, directory), above))
    }

    /// The directory that holds all, before the tree or after it.
    fn top(&self, operation: Operation) -> Act {
        let call = Act::Call(Call::of(operation, self.file(0)));
        let mut acts = Vec::with_capacity(2);
        // All wait until it is there, and it goes when all is gone.
        if operation == Operation::Rmdir {
            acts.push(self.member.barrier());
        }
        if self.member.rank == 0 {
            acts.push(call);
        }
        if operation == Operation::Mkdir {
            acts.push(self.member.barrier());
        }
        Sequence::act(acts)
    }

    /// A file created or opened, written or read, and closed.
    fn file_item(&self, first: Operation, direction: Direction, file: u32, parent: u32) -> Act {
        let options = &self.plan.options;
        let id = self.file(file);
        let bytes = match direction {
            Direction::Write => options.write_bytes,
            Direction::Read => options.read_bytes,
        };
        let mut acts = vec![self.call(first, file, parent)];
        if bytes > 0 {
            acts.push(Act::Call(Call::access(direction, id, 0, bytes)));
            if direction == Direction::Write && options.fsync {
                acts.push(Act::Call(Call::of(Operation::Fsync, id)));
            }
        }
        acts.push(Act::Call(Call::of(Operation::Close, id)));
        Sequence::act(acts)
    }

    /// What this rank lists and looks at as its part of a search through everything: the directories of a tree that is its own
    /// or all ranks', a page of entries after the other; then those of the files that may be what is looked for. Without types in
    /// its listing, who lists a directory looks at every entry at once (IO500's pfind, src/pfind.c: find_do_readdir); with
    /// them, what has the right name is looked at by all ranks (there by work that is stolen, here by who made it).
    fn find(&self, number: u64) -> Option<Option<Act>> {
        let plan = &self.plan;
        let directories = self.directories();
        if number < directories {
            return Some(Some(self.list(number)));
        }
        let (item, items) = (number - directories, self.items(Phase::Find));
        let look = |rank: u32, item: u64| {
            Act::Call(Call::of(Operation::Stat, self.file(plan.item(Item::File, rank, item))))
        };
        let rank = self.member.rank;
        if self.member.world.mounted.tells_types {
            let found = || format!("file.mdtest.{rank}.{item}").contains("01");
            return (item < items).then(|| found().then(|| look(rank, item)));
        }
        if plan.options.unique {
            return (item < items).then(|| Some(look(rank, item)));
        }
        let all = items * u64::from(plan.ranks);
        (rank == 0 && item < all).then(|| Some(look((item / items) as u32, item % items)))
    }

    /// A directory opened, listed, and closed; where its directories look like files, each of them looked at.
    fn list(&self, number: u64) -> Act {
        let (plan, tree, mounted) = (&self.plan, &self.plan.tree, self.member.world.mounted);
        let file = self.file(plan.directory(self.member.rank, number));
        let first_below = number * tree.branches + 1;
        let below = first_below..(first_below + tree.branches).min(tree.directories);
        let sharing = if plan.options.unique { 1 } else { u64::from(plan.ranks) };
        let files = if number < tree.first {
            0
        } else {
            let before = (number - tree.first) * tree.per_directory;
            self.items(Phase::Find).saturating_sub(before).min(tree.per_directory) * sharing
        };
        let entries = files + below.end.saturating_sub(below.start);
        let pages = entries.div_ceil(mounted.entries).max(1);
        let call = |operation| Act::Call(Call::of(operation, file));
        let listing = std::iter::repeat_with(|| call(Operation::Readdir)).take(pages as usize);
        let unknown = below.filter(|_| !mounted.tells_types).map(|directory| {
            Act::Call(Call::of(Operation::Stat, self.file(plan.directory(self.member.rank, directory))))
        });
        Sequence::act(
            [call(Operation::Open)].into_iter().chain(listing).chain(unknown).chain([call(Operation::Close)]),
        )
    }

    /// The next act of the phase, which may be none; `None` when the phase is over.
    fn step(&self, phase: Phase) -> Option<Option<Act>> {
        let plan = &self.plan;
        let item = |item| {
            let (rank, number) = self.next_item(phase)?;
            Some((plan.item(item, rank, number), plan.directory_of(rank, number)))
        };
        Some(match phase {
            Phase::MakeTree => match self.done.checked_sub(1) {
                None => Some(self.top(Operation::Mkdir)),
                Some(number) => Some(self.tree(Operation::Mkdir, number)?),
            },
            Phase::RemoveTree => {
                let directories = self.directories();
                match self.done {
                    done if done < directories => self.tree(Operation::Rmdir, done),
                    done if done == directories => Some(self.top(Operation::Rmdir)),
                    _ => return None,
                }
            }
            Phase::Create(Item::Directory) => {
                let (number, parent) = item(Item::Directory)?;
                Some(self.call(Operation::Mkdir, number, parent))
            }
            Phase::Create(Item::File) if plan.options.collective => Some(self.create_for_all()?),
            Phase::Create(Item::File) => {
                let (number, parent) = item(Item::File)?;
                Some(self.file_item(Operation::Create, Direction::Write, number, parent))
            }
            Phase::Read => {
                let (number, parent) = item(Item::File)?;
                Some(self.file_item(Operation::Open, Direction::Read, number, parent))
            }
            Phase::Stat(kind) => {
                let (rank, number) = self.next_item(phase)?;
                let number = match plan.options.random_stat {
                    // mdtest has one order for all ranks.
                    true => Permutation::new(self.items(phase), scramble(self.repetition.into())).at(number),
                    false => number,
                };
                Some(Act::Call(Call::of(Operation::Stat, self.file(plan.item(kind, rank, number)))))
            }
            Phase::Remove(kind) => {
                let (number, parent) = item(kind)?;
                let how = if kind == Item::File { Operation::Unlink } else { Operation::Rmdir };
                Some(self.call(how, number, parent))
            }
            Phase::Find => self.find(self.done)?,
        })
    }
}

impl Acts for MdtestRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        loop {
            if let Some(act) = self.afterwards.pop_front() {
                return Ok(Some(act));
            }
            let Some(&phase) = self.phases.get(self.phase) else {
                self.repetition += 1;
                if self.repetition >= self.plan.options.repetitions {
                    return Ok(None);
                }
                (self.phase, self.has_waited) = (0, false);
                continue;
            };
            if self.phase == 0 && self.done == 0 && self.plan.options.delay_seconds > 0 && !self.has_waited {
                self.has_waited = true;
                return Ok(Some(Act::Think(Time::from_whole_seconds(
                    self.plan.options.delay_seconds.into(),
                ))));
            }
            if !std::mem::replace(&mut self.begun, true)
                && let Some(measured) = self.measured(phase)
            {
                return Ok(Some(Act::begin(measured)));
            }
            if self.is_timed(phase) && (self.is_late(now) || self.done == self.plan.items) {
                self.making = Making::TimeOver;
                // The least and the sum, for what the first rank prints.
                return Ok(Some(self.member.agree_on_most(self.made(), self.done, 2)));
            }
            match self.step(phase) {
                Some(act) => {
                    self.done += 1;
                    if act.is_some() {
                        return Ok(act);
                    }
                }
                None => {
                    self.afterwards = self.after(phase);
                    (self.phase, self.done, self.making) = (self.phase + 1, 0, Making::Since(None));
                    self.begun = false;
                }
            }
        }
    }
}
