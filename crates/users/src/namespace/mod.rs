//! The files that are there before users come: directories and files by name, with sizes, owners and categories.
//!
//! A [`Namespace`] is made of what is [`Wanted`] and a seed, and is the same wherever it is built: in a real directory,
//! or in a simulated file system. It can be listed, compared and verified.
//!
//! ```text
//!  notes/            an owner whom all share: its directories, and in them its files
//!    dir-notes-0/
//!      notes-read-17
//!  home/u001/        a virtual user
//!    dir-user-3/     as many entries as its size says; empty files fill it up
//! ```

mod census;
mod describe;
mod names;
mod plan;
mod specification;
mod table;
mod tree;

pub use census::{Census, CensusFile, sample_distance};
pub(crate) use describe::describe;
pub use names::FileName;
pub use plan::{HOME, PlanError};
pub(crate) use plan::{check, plan, plan_for};
pub use specification::{Category, EACH_USER, FileKind, Files, Index, Order, Purpose, Spread, Wanted};

use petrio_random::{Generator, uniform_below};
use petrio_units::numbers::as_index;
use rustc_hash::FxHashSet;

/// Whose files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// Those of a user, from 0.
    User(u32),
    /// Those that all share, by the number of the owner in [`Namespace::shared`].
    Shared(u32),
}

/// A file or a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The directory that it lies in, by its position; `None` for the top.
    pub parent: Option<u32>,
    /// Its name there.
    pub name: FileName,
    /// What it is.
    pub kind: FileKind,
    /// Bytes of a file; of a directory that belongs to a category, those of its entries.
    pub size: u64,
    /// Its category, by its position in the specification; `None` for what only holds or fills others.
    pub category: Option<u32>,
    /// The place on which it lies, by its position in [`Namespace::places`].
    pub place: u32,
}

/// Files that are looked at for one that isn't taken.
const LOOKED_AT: usize = 256;

/// Files of one category and owner, in order of their sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shelf {
    /// Sizes and positions.
    pub(crate) files: Vec<(u64, u32)>,
}

impl Shelf {
    /// One of the files whose size is nearest, the smaller of two; of several of that size, each as likely as any
    /// other.
    pub(crate) fn near(&self, size: u64, random: &mut Generator) -> Option<(u64, u32)> {
        let (nearest, first) = self.nearest(size)?;
        let from = self.files.partition_point(|&(there, _)| there < nearest);
        let same = self.files[from..].partition_point(|&(there, _)| there == nearest);
        if same < 2 {
            return Some((nearest, first));
        }
        Some(self.files[from + as_index(uniform_below(random, same as u64))])
    }

    /// As [`near`](Self::near), of those that aren't taken; any where all are, or nearly all about there.
    pub(crate) fn near_free(
        &self,
        size: u64,
        taken: &FxHashSet<u32>,
        random: &mut Generator,
    ) -> Option<(u64, u32)> {
        let near = self.near(size, random)?;
        if !taken.contains(&near.1) {
            return Some(near);
        }
        let is_free = |file: &&(u64, u32)| !taken.contains(&file.1);
        let after = self.files.partition_point(|&(there, _)| there < size);
        let below = self.files[..after].iter().rev().take(LOOKED_AT).find(is_free);
        let above = self.files[after..].iter().take(LOOKED_AT).find(is_free);
        match (below, above) {
            (Some(below), Some(above)) if size - below.0 <= above.0 - size => Some(*below),
            (Some(below), None) => Some(*below),
            (_, Some(above)) => Some(*above),
            (None, None) => Some(near),
        }
    }

    /// Any that isn't taken, each as likely as any other; any at all where nearly all are.
    pub(crate) fn any_free(&self, taken: &FxHashSet<u32>, random: &mut Generator) -> Option<(u64, u32)> {
        let any =
            |random: &mut Generator| self.files.get(as_index(uniform_below(random, self.files.len() as u64)));
        let first = *(if self.files.is_empty() { None } else { any(random) })?;
        let mut found = first;
        for _ in 0..LOOKED_AT {
            if !taken.contains(&found.1) {
                return Some(found);
            }
            found = *any(random)?;
        }
        Some(first)
    }

    fn nearest(&self, size: u64) -> Option<(u64, u32)> {
        let after = self.files.partition_point(|&(there, _)| there < size);
        let above = self.files.get(after).copied();
        let below = after.checked_sub(1).map(|at| self.files[at]);
        match (below, above) {
            (Some(below), Some(above)) if size - below.0 <= above.0 - size => Some(below),
            (below, None) => below,
            (_, above) => above,
        }
    }
}

/// All files, each directory before what lies in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namespace {
    /// The files and directories.
    pub entries: Vec<Entry>,
    /// The owners whom all share.
    pub shared: Vec<String>,
    /// The names of the places on which files lie; the first is that of all who aren't placed.
    pub places: Vec<String>,
    /// Each user's own directory.
    pub homes: Vec<u32>,
    pub(crate) shelves: std::collections::BTreeMap<(u32, Owner), Shelf>,
}

impl Namespace {
    /// A file's path, with `/` between the names.
    pub fn path(&self, position: u32) -> String {
        let entry = &self.entries[position as usize];
        match entry.parent {
            Some(parent) => format!("{}/{}", self.path(parent), entry.name),
            None => entry.name.to_string(),
        }
    }

    /// Regular files.
    pub fn files(&self) -> u64 {
        self.entries.iter().filter(|entry| entry.kind == FileKind::File).count() as u64
    }

    /// Directories.
    pub fn directories(&self) -> u64 {
        self.entries.len() as u64 - self.files()
    }

    /// Bytes of all regular files; the greatest number where they are more.
    pub fn bytes(&self) -> u64 {
        let files = self.entries.iter().filter(|entry| entry.kind == FileKind::File);
        files.fold(0, |sum, file| sum.saturating_add(file.size))
    }
}
