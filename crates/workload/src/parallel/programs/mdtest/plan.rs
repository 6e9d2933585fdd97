//! What mdtest works on: its tree, its items, and the files that they are.

use super::options::{Item, MdtestOptions, Phase};
use super::program::MdtestRank;
use super::tree::Tree;
use crate::parallel::act::Acts;
use crate::parallel::files::ProgramFile;
use crate::parallel::programs::{Planned, Start};
use crate::program::{PhaseName, ProgramError};
use std::sync::Arc;

/// mdtest for so many ranks.
pub(in crate::parallel) struct MdtestPlan {
    /// The directory in which all of it is.
    name: &'static str,
    pub(super) options: MdtestOptions,
    phases: Vec<Phase>,
    pub(super) ranks: u32,
    pub(super) tree: Tree,
    /// Items of each rank, of each kind.
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
    pub(super) const fn directory(&self, rank: u32, directory: u64) -> u32 {
        let tree = if self.options.unique { rank as u64 } else { 0 };
        (1 + tree * self.tree.directories + directory) as u32
    }

    /// The number of an item of a rank.
    pub(super) fn item(&self, item: Item, rank: u32, number: u64) -> u32 {
        let all = u64::from(self.ranks) * self.items;
        let after = if item == Item::File && self.options.directories { all } else { 0 };
        let directories = 1 + self.trees() * self.tree.directories;
        (directories + after + u64::from(rank) * self.items + number) as u32
    }

    /// The directory in which an item of a rank lies.
    pub(super) const fn directory_of(&self, rank: u32, number: u64) -> u32 {
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
