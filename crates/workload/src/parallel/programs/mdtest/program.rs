//! What a rank of mdtest does.

use super::options::{Item, MdtestOptions, Phase};
use super::tree::Tree;
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::files::ProgramFile;
use crate::parallel::member::Member;
use crate::parallel::programs::{Planned, Start};
use crate::permutation::{Permutation, scramble};
use crate::program::{PhaseName, ProgramError, Topic};
use petrio_colours::{FileId, Operation};
use petrio_time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// mdtest for so many ranks.
pub(in crate::parallel) struct MdtestPlan {
    /// The directory in which all of it is.
    name: &'static str,
    options: MdtestOptions,
    phases: Vec<Phase>,
    ranks: u32,
    tree: Tree,
    /// Items of each rank, of each kind.
    items: u64,
    /// As what a phase is measured.
    measures: Measures,
}

/// As what a phase is measured, if it is.
pub(in crate::parallel::programs) type Measures = fn(Phase) -> Option<PhaseName>;

/// mdtest's own names.
fn measures(phase: Phase) -> Option<PhaseName> {
    let (name, one) = phase.words()?;
    Some(PhaseName::of_operations(name, one, 0))
}

impl MdtestPlan {
    /// With these phases in this order.
    pub(in crate::parallel::programs) fn new(
        name: &'static str,
        options: MdtestOptions,
        phases: Vec<Phase>,
        ranks: u32,
    ) -> Result<Self, ProgramError> {
        let tree = Tree::new(&options)?;
        Ok(Self { name, phases, ranks, items: tree.items(), tree, options, measures })
    }

    /// Its phases called differently.
    pub(in crate::parallel::programs) fn measured_as(self, measures: Measures) -> Self {
        Self { measures, ..self }
    }

    const fn trees(&self) -> u64 {
        if self.options.unique { self.ranks as u64 } else { 1 }
    }

    /// The number of a directory of the tree of a rank, among the program's files.
    const fn directory(&self, rank: u32, directory: u64) -> u32 {
        let tree = if self.options.unique { rank as u64 } else { 0 };
        (1 + tree * self.tree.directories + directory) as u32
    }

    /// The number of an item of a rank.
    fn item(&self, item: Item, rank: u32, number: u64) -> u32 {
        let all = u64::from(self.ranks) * self.items;
        let after = if item == Item::File && self.options.directories { all } else { 0 };
        let directories = 1 + self.trees() * self.tree.directories;
        (directories + after + u64::from(rank) * self.items + number) as u32
    }

    /// The directory in which an item of a rank lies.
    const fn directory_of(&self, rank: u32, number: u64) -> u32 {
        self.directory(rank, self.tree.first + number / self.tree.per_directory)
    }

    fn kinds(&self) -> impl Iterator<Item = Item> + use<> {
        let kinds = [(Item::Directory, self.options.directories), (Item::File, self.options.files)];
        kinds.into_iter().filter(|(_, wanted)| *wanted).map(|(item, _)| item)
    }
}

impl Planned for MdtestPlan {
    fn files(&self) -> u64 {
        let items =
            u64::from(self.ranks).saturating_mul(self.items).saturating_mul(self.kinds().count() as u64);
        items.saturating_add(1 + self.trees().saturating_mul(self.tree.directories))
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let there = !self.phases.contains(&Phase::MakeTree);
        let size = there.then_some(0);
        let directory = |number, name, parent| ProgramFile { number, name, parent, is_directory: true, size };
        tell(directory(0, self.name.to_owned(), None))?;
        for tree in 0..self.trees() as u32 {
            for number in 0..self.tree.directories {
                let above = self.tree.parent(number).map_or(0, |parent| self.directory(tree, parent));
                let name = if number == 0 {
                    format!("mdtest_tree.{tree}")
                } else {
                    format!("mdtest_tree.{tree}.{number}")
                };
                tell(directory(self.directory(tree, number), name, Some(above)))?;
            }
        }
        for item in self.kinds() {
            for rank in 0..self.ranks {
                for number in 0..self.items {
                    let (word, size) = match item {
                        Item::Directory => ("dir", size),
                        Item::File => {
                            ("file", there.then_some(self.options.read_bytes.max(self.options.write_bytes)))
                        }
                    };
                    tell(ProgramFile {
                        number: self.item(item, rank, number),
                        name: format!("{word}.mdtest.{rank}.{number}"),
                        parent: Some(self.directory_of(rank, number)),
                        is_directory: item == Item::Directory,
                        size,
                    })?;
                }
            }
        }
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<Box<dyn Acts>, ProgramError> {
        let phases = self.phases.clone();
        Ok(Box::new(MdtestRank::new(self, start, phases)))
    }
}

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
        let own = self.plan.options.unique || self.member.rank == 0;
        let directories = if own { self.plan.tree.directories } else { 0 };
        match phase {
            Phase::MakeTree | Phase::RemoveTree => directories,
            _ => self.done,
        }
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

    /// Whose item it is that this rank looks at, reads or removes: with each phase so many ranks further.
    fn whose(&self, phase: Phase) -> u32 {
        let times = match phase {
            Phase::Stat(_) => 1,
            Phase::Read => 2,
            Phase::Remove(_) => 3,
            _ => 0,
        };
        let further = u64::from(self.plan.options.stride) * times;
        ((u64::from(self.member.rank) + further) % u64::from(self.member.ranks())) as u32
    }

    fn call(&self, operation: Operation, number: u32, parent: u32) -> Act {
        let call = Call { parent: self.file(parent), ..Call::of(operation, self.file(number)) };
        Act::Call(call)
    }

    /// A directory of the tree, made or removed: `number` of `directories` and, by the first rank, the one that holds all.
    fn tree(&self, operation: Operation, number: u64) -> Option<Act> {
        let (plan, rank) = (&self.plan, self.member.rank);
        let own = plan.options.unique || rank == 0;
        let directory = match operation {
            Operation::Mkdir => number,
            _ => plan.tree.directories.checked_sub(number + 1)?,
        };
        if !own || directory >= plan.tree.directories {
            return None;
        }
        let above = plan.tree.parent(directory).map_or(0, |parent| plan.directory(rank, parent));
        Some(self.call(operation, plan.directory(rank, directory), above))
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

    fn file_item(&self, phase: Phase, file: u32, parent: u32) -> Act {
        let options = &self.plan.options;
        let id = self.file(file);
        let made = phase == Phase::Create(Item::File);
        let (direction, bytes) = if made {
            (Direction::Write, options.write_bytes)
        } else {
            (Direction::Read, options.read_bytes)
        };
        let mut acts = vec![self.call(if made { Operation::Create } else { Operation::Open }, file, parent)];
        if bytes > 0 {
            acts.push(Act::Call(Call::access(direction, id, 0, bytes)));
            if made && options.fsync {
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
        let own = plan.options.unique || self.member.rank == 0;
        let directories = if own { plan.tree.directories } else { 0 };
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
        (own && item < all).then(|| Some(look((item / items) as u32, item % items)))
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
        let rank = self.whose(phase);
        let items = self.items(phase);
        let within = |number: u64| (number < items).then_some(number);
        let item =
            |item| Some((plan.item(item, rank, within(self.done)?), plan.directory_of(rank, self.done)));
        Some(match phase {
            Phase::MakeTree => match self.done.checked_sub(1) {
                None => Some(self.top(Operation::Mkdir)),
                Some(number) => Some(self.tree(Operation::Mkdir, number)?),
            },
            Phase::RemoveTree => {
                let directories =
                    if plan.options.unique || self.member.rank == 0 { plan.tree.directories } else { 0 };
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
            Phase::Create(Item::File) | Phase::Read => {
                let (number, parent) = item(Item::File)?;
                Some(self.file_item(phase, number, parent))
            }
            Phase::Stat(kind) => {
                item(kind)?;
                let number = match plan.options.random_stat {
                    // mdtest has one order for all ranks.
                    true => Permutation::new(items, scramble(self.repetition.into())).at(self.done),
                    false => self.done,
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
