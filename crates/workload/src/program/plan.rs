//! Programs planned once for all replications: what is the same in each of them is there, what is drawn is made from
//! it.

use super::board::Common;
use super::placement::{Placement, Prepared};
use super::table::{FileEntry, FileTable};
use super::{FileProgram, ProgramError};
use petrio_colours::FileId;
use std::collections::BTreeMap;

/// Tables of files by the number of the file system that they lie on.
pub type Tables = BTreeMap<u32, FileTable>;

/// A file or a directory without its name, which no simulated volume needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Its number.
    pub file: FileId,
    /// The directory that it lies in: the root, or one that was told before it.
    pub parent: FileId,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is there before the run begins.
    pub present: bool,
    /// Whether all its pages are in the page cache then.
    pub cached: bool,
    /// Its length in bytes then.
    pub size: u64,
}

impl From<&FileEntry> for PlannedFile {
    fn from(entry: &FileEntry) -> Self {
        let FileEntry { file, parent, is_directory, present, cached, size, .. } = *entry;
        Self { file, parent, is_directory, present, cached, size }
    }
}

/// The programs of a workload on one host, planned for one replication and good for all.
///
/// Files have the same numbers in every replication. What programs make while they run may be more files in one than in
/// another; those that the plan has no numbers for take spare ones.
pub trait FilePlan: Send + Sync {
    /// How many processes there are.
    fn processes(&self) -> u32;

    /// The number after that of its last file.
    fn next_file(&self) -> u32;

    /// All files that are there before a run, each directory before what lies in it, with the number of the file system
    /// that each lies on.
    ///
    /// # Errors
    /// More files than there are numbers left, or a plan that isn't wanted any more.
    fn each_file(&self, tell: &mut dyn FnMut(u32, PlannedFile)) -> Result<(), ProgramError> {
        for (file_system, table) in &self.tables()? {
            table.entries().iter().for_each(|entry| tell(*file_system, entry.into()));
        }
        Ok(())
    }

    /// The files with their names.
    ///
    /// # Errors
    /// As of [`each_file`](Self::each_file).
    fn tables(&self) -> Result<Tables, ProgramError>;

    /// The programs of a replication, one a process; `common` is what they share with all others of one run.
    ///
    /// # Errors
    /// More files than there are numbers left, or a plan that isn't wanted any more.
    fn programs(
        &self,
        replication: u64,
        common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError>;
}

impl Prepared {
    /// What a plan made for this placement has in the placement's replication, with all names.
    ///
    /// # Errors
    /// As of [`FilePlan::programs`].
    pub fn of(plan: &dyn FilePlan, placement: &Placement) -> Result<Self, ProgramError> {
        let mut tables = plan.tables()?;
        let programs = plan.programs(placement.replication, &mut Common::new(plan.next_file()))?;
        let files = tables.remove(&placement.file_system).unwrap_or_default();
        Ok(Self { files, elsewhere: tables, programs })
    }
}
