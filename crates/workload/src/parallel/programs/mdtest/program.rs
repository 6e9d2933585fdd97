//! A rank of mdtest: its repetitions and phases, and what stands between them.

use super::options::{Item, Phase};
use super::plan::MdtestPlan;
use crate::parallel::act::{Act, Acts, Call};
use crate::parallel::member::Member;
use crate::parallel::programs::Start;
use crate::program::{PhaseName, ProgramError, Topic};
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// A rank of mdtest.
#[derive(Persist)]
pub(in crate::parallel) struct MdtestRank {
    #[persist(shared)]
    pub(super) plan: Arc<MdtestPlan>,
    pub(super) member: Member,
    /// What the order is drawn by in which this rank looks at items.
    pub(super) key: u64,
    first: FileId,
    phases: Vec<Phase>,
    repetition: u32,
    /// The phase, the tree of those of the repetition, and how much of it is done.
    phase: usize,
    tree: u64,
    pub(super) done: u64,
    making: Making,
    /// Whether each phase of items ends with a sync.
    sync: bool,
    /// For what sort of items the delay before them is over.
    has_waited: Option<Item>,
    /// Whether the phase has begun.
    begun: bool,
    /// Acts before a phase and after it that are still to come.
    pending: VecDeque<Act>,
}

/// How far a rank is with the making of files that a clock may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
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
            key: start.placement.seed ^ u64::from(member.rank),
            member,
            first: start.file(0),
            phases,
            repetition: 0,
            phase: 0,
            tree: 0,
            done: 0,
            making: Making::Since(None),
            has_waited: None,
            begun: false,
            pending: VecDeque::new(),
        }
    }

    /// The same without a sync after its phases.
    pub(in crate::parallel::programs) fn without_sync(self) -> Self {
        Self { sync: false, ..self }
    }

    fn measured(&self, phase: Phase) -> Option<PhaseName> {
        let name = (self.plan.measures)(phase)?;
        let name = if self.plan.is_series() {
            let (ranks, s) = (self.member.ranks(), if self.member.ranks() == 1 { "" } else { "s" });
            PhaseName { name: format!("{} on {ranks} rank{s}", name.name).into(), ..name }
        } else {
            name
        };
        Some(PhaseName { repetition: self.repetition, ..name })
    }

    /// What comes before a phase: a delay before items of another sort, the directories that hold all, and the beginning of its time,
    /// which these are no part of (src/mdtest.c, mdtest_iteration).
    fn before(&mut self, phase: Phase) -> VecDeque<Act> {
        let mut acts = VecDeque::with_capacity(3);
        let delay = self.plan.options.delay_seconds;
        if delay > 0 && phase.items().is_some() && phase.items() != self.has_waited {
            self.has_waited = phase.items();
            acts.push_back(Act::Think(Time::from_whole_seconds(delay.into())));
        }
        if phase == Phase::MakeTree {
            acts.extend(self.tops(Operation::Mkdir));
            acts.push_back(self.member.barrier());
        }
        acts.extend(self.measured(phase).map(Act::begin));
        acts
    }

    /// What comes after a phase of which so much was done. Its time ends when all have come to the barrier after it, what makes
    /// it durable among it (src/mdtest.c, phase_end and updateResult).
    fn after(&self, phase: Phase) -> VecDeque<Act> {
        let mut acts = VecDeque::with_capacity(4);
        if self.sync && phase.items().is_some() {
            acts.push_back(Act::Call(Call::of(Operation::Sync, self.first)));
        }
        // A tree is whole before anything lies in it, and empty before it goes (-B is of what lies between).
        let is_of_trees = |phase: Phase| matches!(phase, Phase::MakeTree | Phase::RemoveTree);
        let next = self.phases.get(self.phase + 1);
        if self.plan.options.barriers || is_of_trees(phase) || next == Some(&Phase::RemoveTree) {
            acts.push_back(self.member.barrier());
        }
        if let Some(measured) = self.measured(phase) {
            acts.push_back(Act::did(measured.clone(), 0, self.counted(phase)));
            acts.push_back(Act::end(measured));
        }
        if phase == Phase::RemoveTree {
            acts.extend(self.tops(Operation::Rmdir));
        }
        acts
    }

    /// The directories that hold all, made or removed by the first rank.
    fn tops(&self, operation: Operation) -> impl Iterator<Item = Act> {
        let trees = if self.member.rank == 0 { self.plan.options.trees() } else { 0 };
        (0..trees).map(move |tree| {
            let number = self.plan.first_of_set(self.repetition, tree);
            Act::Call(Call::of(operation, FileId(self.first.0 + number)))
        })
    }

    /// Items that this rank has done in a phase, in all trees; of a tree, its directories without the one that holds all.
    fn counted(&self, phase: Phase) -> u64 {
        let each = match phase {
            Phase::MakeTree | Phase::RemoveTree => self.directories(),
            // Made by the first rank and opened by each, they count once.
            Phase::Create(Item::File) if self.plan.options.collective => self.plan.items,
            _ => self.done,
        };
        each * self.plan.options.trees()
    }

    /// The ranks whose trees this rank makes and removes; 0 stands for all.
    pub(super) fn trees(&self) -> Range<u32> {
        let (options, rank) = (&self.plan.options, self.member.rank);
        match (options.unique, options.collective) {
            (true, false) => rank..rank + 1,
            _ if rank > 0 => 0..0,
            (true, true) => 0..self.member.ranks(),
            (false, _) => 0..1,
        }
    }

    /// The directories of those.
    pub(super) fn directories(&self) -> u64 {
        self.trees().len() as u64 * self.plan.tree.directories
    }

    /// The number of files that each rank has when the time to make them is over.
    fn made(&self) -> Topic {
        let times = u64::from(self.plan.options.repetitions);
        (self.first, "files made".into(), u64::from(self.member.ranks()) * times + u64::from(self.repetition))
    }

    /// Whether a clock may still end what this rank does.
    fn is_timed(&self, phase: Phase) -> bool {
        let deadline = self.plan.options.deadline_seconds;
        deadline > 0 && phase == Phase::Create(Item::File) && self.making != Making::TimeOver
    }

    /// Items of each rank in a phase: fewer than wanted where a clock has ended their making.
    pub(super) fn items(&self, phase: Phase) -> u64 {
        // What others have told is looked at once all have.
        let told = self.plan.options.deadline_seconds > 0 && !self.is_timed(phase);
        let made = if told { self.member.board.get(&self.made()) } else { None };
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

    /// A file by its number among those of the set that this rank is at.
    pub(super) fn file(&self, number: u32) -> FileId {
        FileId(self.first.0 + self.plan.first_of_set(self.repetition, self.tree) + number)
    }

    /// Goes on to what comes after a phase whose acts are done: to it with the next tree, or to the next phase.
    fn go_on(&mut self, phase: Phase) {
        if self.tree + 1 < self.plan.options.trees() {
            (self.tree, self.done) = (self.tree + 1, 0);
            return;
        }
        self.pending = self.after(phase);
        (self.phase, self.tree, self.done) = (self.phase + 1, 0, 0);
        (self.making, self.begun) = (Making::Since(None), false);
    }
}

impl Acts for MdtestRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        loop {
            if let Some(act) = self.pending.pop_front() {
                return Ok(Some(act));
            }
            let Some(&phase) = self.phases.get(self.phase) else {
                self.repetition += 1;
                if self.repetition >= self.plan.options.repetitions {
                    return Ok(None);
                }
                (self.phase, self.has_waited) = (0, None);
                continue;
            };
            if !std::mem::replace(&mut self.begun, true) {
                self.pending = self.before(phase);
                continue;
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
                None => self.go_on(phase),
            }
        }
    }
}
