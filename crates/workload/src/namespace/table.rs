//! A namespace as tables of numbered files, for the programs that work on it.

use super::FileKind;
use super::{Namespace, Owner};
use crate::program::{FileEntry, FileTable, Placement, ProgramError, check_number_of_files};
use petrio_colours::FileId;
use std::collections::BTreeMap;

/// A namespace's files by the number of the file system that they lie on.
pub(crate) type Tables = BTreeMap<u32, FileTable>;

impl Namespace {
    /// The number in a run of an entry.
    pub(crate) const fn file_id(position: u32, placement: &Placement) -> FileId {
        FileId(placement.first_file + position)
    }

    /// The file system on which each place lies: the placement's own, where the placement doesn't say.
    pub(crate) fn file_systems(&self, placement: &Placement) -> Vec<u32> {
        let of = |name| placement.places.get(name).copied().unwrap_or(placement.file_system);
        self.places.iter().map(of).collect()
    }

    /// The entries as tables, numbered from the placement's first; below a directory `top` on each file system, where one is given, whose
    /// number follows theirs.
    ///
    /// # Errors
    /// More files than there are numbers left.
    pub(crate) fn tables(&self, placement: &Placement, top: Option<&str>) -> Result<Tables, ProgramError> {
        let count = self.entries.len() as u32;
        check_number_of_files(u64::from(count) + 1, placement)?;
        let file_systems = self.file_systems(placement);
        let mut tables = Tables::from([(placement.file_system, FileTable::new())]);
        tables.extend(file_systems.iter().map(|&number| (number, FileTable::new())));
        let mut above = FileId::ROOT;
        if let Some(top) = top {
            above = Self::file_id(count, placement);
            for table in tables.values_mut() {
                table.add(FileEntry {
                    file: above,
                    name: top.to_owned(),
                    parent: FileId::ROOT,
                    is_directory: true,
                    present: true,
                    size: 0,
                    cached: false,
                })?;
            }
        }
        for (position, entry) in (0..).zip(&self.entries) {
            if placement.watch.is_stopped() {
                return Err(ProgramError::Stopped);
            }
            let is_directory = entry.kind == FileKind::Directory;
            let table = tables.entry(file_systems[entry.place as usize]).or_default();
            table.add(FileEntry {
                file: Self::file_id(position, placement),
                name: entry.name.clone(),
                parent: entry.parent.map_or(above, |parent| Self::file_id(parent, placement)),
                is_directory,
                present: true,
                size: if is_directory { 0 } else { entry.size },
                cached: false,
            })?;
        }
        Ok(tables)
    }

    /// Those of a category whom a user finds.
    pub(crate) fn owner_of(&self, owner: &str, user: u32) -> Owner {
        match self.shared.iter().position(|name| name == owner) {
            Some(number) => Owner::Shared(number as u32),
            None => Owner::User(user),
        }
    }
}
