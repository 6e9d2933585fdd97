//! What mdtest works on: its tree, its items, and the files that they are.

use super::options::{Item, MdtestOptions, Phase};
use super::program::MdtestRank;
use super::tree::Tree;
use crate::parallel::act::{Act, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::programs::{Planned, Start, refuse, to_next_host};
use crate::program::{PhaseName, ProgramError};
use petrio_units::numbers::as_number;
use std::sync::Arc;

/// mdtest for so many ranks.
pub(in crate::parallel) struct MdtestPlan {
    /// The directory in which all of it is, without the numbers of repetition and tree.
    name: &'static str,
    pub(super) options: MdtestOptions,
    phases: Vec<Phase>,
    ranks: u32,
    /// Numbers of ranks on which it runs, one after the other.
    runs: Vec<u32>,
    /// How many ranks further it is whose items are looked at, and so on with each phase.
    pub(super) stride: u32,
    pub(super) tree: Tree,
    /// Items of each rank, of each kind, in each of the trees of a repetition.
    pub(super) items: u64,
    /// As what a phase is measured.
    pub(super) measures: Measures,
}

/// As what a phase is measured, if it is.
pub(in crate::parallel::programs) type Measures = fn(Phase) -> Option<PhaseName>;

/// mdtest's own names.
fn measures(phase: Phase) -> Option<PhaseName> {
    let (name, one) = phase.words()?;
    Some(PhaseName::of_operations(name, one, 0))
}

impl MdtestPlan {
    /// With these phases in this order, on ranks of these hosts.
    pub(in crate::parallel::programs) fn new(
        name: &'static str,
        options: MdtestOptions,
        mut phases: Vec<Phase>,
        hosts: &[u32],
    ) -> Result<Self, ProgramError> {
        let ranks = as_number(hosts.len());
        if options.last > ranks {
            return refuse("command", format!("-l {}: there are {ranks} ranks", options.last));
        }
        let runs = options.runs(ranks);
        let tree = Tree::new(&options)?;
        let items = tree.items();
        // One directory would have to take its own name.
        phases.retain(|&phase| phase != Phase::Rename || items > 1);
        let stride = options.stride.saturating_mul(to_next_host(hosts));
        Ok(Self { name, phases, ranks, runs, stride, items, tree, options, measures })
    }

    /// Whether it runs on one number of ranks after another.
    pub(super) const fn is_series(&self) -> bool {
        self.runs.len() > 1
    }

    /// Its phases called differently.
    pub(in crate::parallel::programs) fn measured_as(self, measures: Measures) -> Self {
        Self { measures, ..self }
    }

    /// Trees of a set: of all ranks, or of each.
    const fn trees(&self) -> u64 {
        if self.options.unique { self.ranks as u64 } else { 1 }
    }

    /// Sets of trees and items. Each repetition works on its own, unless it is empty again after it.
    const fn sets(&self) -> u64 {
        let repetitions = if self.options.cleans_up() { 1 } else { self.options.repetitions as u64 };
        repetitions * self.options.trees()
    }

    /// The number of the first file of a set, by its repetition and its number in that, among the program's files.
    pub(super) fn first_of_set(&self, repetition: u32, tree: u64) -> u32 {
        let before = if self.options.cleans_up() { 0 } else { u64::from(repetition) * self.options.trees() };
        as_number((before + tree) * self.files_of_set())
    }

    /// Directories and items of a set.
    fn files_of_set(&self) -> u64 {
        let items =
            u64::from(self.ranks).saturating_mul(self.items).saturating_mul(self.kinds().count() as u64);
        items.saturating_add(1 + self.trees().saturating_mul(self.tree.directories))
    }

    /// The number of a directory of the tree of a rank, among the files of a set.
    pub(super) fn directory(&self, rank: u32, directory: u64) -> u32 {
        let tree = if self.options.unique { u64::from(rank) } else { 0 };
        as_number(1 + tree * self.tree.directories + directory)
    }

    /// The number of an item of a rank, among the files of a set.
    pub(super) fn item(&self, item: Item, rank: u32, number: u64) -> u32 {
        let all = u64::from(self.ranks) * self.items;
        let after = if item == Item::File && self.options.directories { all } else { 0 };
        let directories = 1 + self.trees() * self.tree.directories;
        as_number(directories + after + u64::from(rank) * self.items + number)
    }

    /// Which item has the name of the `number`-th: directories that are renamed take that of the one before them, the first one
    /// the last that is left (src/mdtest.c, rename_dir_test: by way of a name of its own, and never that of the last directory).
    pub(super) fn named(&self, item: Item, number: u64) -> u64 {
        let renamed = item == Item::Directory && self.phases.contains(&Phase::Rename);
        match self.items - number {
            1 => number,
            2 if renamed => 0,
            _ if renamed => number + 1,
            _ => number,
        }
    }

    /// The directory in which an item of a rank lies.
    pub(super) fn directory_of(&self, rank: u32, number: u64) -> u32 {
        self.directory(rank, self.tree.first + number / self.tree.per_directory)
    }

    fn kinds(&self) -> impl Iterator<Item = Item> + use<> {
        let kinds = [(Item::Directory, self.options.directories), (Item::File, self.options.files)];
        kinds.into_iter().filter(|(_, wanted)| *wanted).map(|(item, _)| item)
    }
}

impl Planned for MdtestPlan {
    fn files(&self) -> u64 {
        self.sets().saturating_mul(self.files_of_set())
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let trees = self.options.trees();
        (0..self.sets()).try_for_each(|set| {
            let name = format!("{}.{}-{}", self.name, set / trees, set % trees);
            let before = as_number(set * self.files_of_set());
            self.each_of_set(name, &mut |file| {
                let parent = file.parent.map(|parent| parent + before);
                tell(ProgramFile { number: file.number + before, parent, ..file })
            })
        })
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        if self.runs == [self.ranks] {
            let phases = self.phases.clone();
            return Ok(MdtestRank::new(self, start, phases).into());
        }
        // Who doesn't take part waits for the others.
        let mut acts = Vec::with_capacity(2 * self.runs.len());
        for &ranks in &self.runs {
            if start.member.rank < ranks {
                let start = Start { member: start.member.among_first(ranks), ..start.clone() };
                acts.push(Act::within(MdtestRank::new(Arc::clone(&self), &start, self.phases.clone())));
            }
            acts.push(start.member.barrier());
        }
        Ok(Sequence(acts.into()).into())
    }
}

impl MdtestPlan {
    /// The directories and items of a set, by their numbers in it, below a directory of this name.
    fn each_of_set(
        &self,
        name: String,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        let there = !self.phases.contains(&Phase::MakeTree);
        let size = there.then_some(0);
        let directory = |number, name, parent| ProgramFile { number, name, parent, is_directory: true, size };
        tell(directory(0, name, None))?;
        for tree in 0..as_number(self.trees()) {
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
}
