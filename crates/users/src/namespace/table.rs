//! A namespace as tables of numbered files, for the programs that work on it.

use super::FileKind;
use super::{Namespace, Owner};
use petrio_colours::FileId;
use petrio_units::numbers::as_number;
use petrio_workload::program::{
    FileEntry, FileTable, Placement, PlannedFile, ProgramError, Tables, check_number_of_files,
};

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

    /// The entries as tables, numbered from the placement's first; below a directory `top` on each file system, where
    /// one is given, whose number follows theirs.
    ///
    /// # Errors
    /// More files than there are numbers left.
    pub(crate) fn tables(&self, placement: &Placement, top: Option<&str>) -> Result<Tables, ProgramError> {
        let count = as_number(self.entries.len());
        check_number_of_files(u64::from(count) + 1, placement)?;
        let file_systems = self.file_systems(placement);
        let mut tables = Tables::from([(placement.file_system, FileTable::new())]);
        tables.extend(file_systems.iter().map(|&number| (number, FileTable::new())));
        let above = self.above(placement, top);
        if let Some(top) = top {
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
        for ((file_system, file), entry) in self.planned(placement, above).zip(&self.entries) {
            if placement.watch.is_stopped() {
                return Err(ProgramError::Stopped);
            }
            let PlannedFile { file, parent, is_directory, present, cached, size } = file;
            let name = entry.name.to_string();
            let entry = FileEntry { file, name, parent, is_directory, present, size, cached };
            tables.entry(file_system).or_default().add(entry)?;
        }
        Ok(tables)
    }

    /// The entries as they lie below `above` on each file system, numbered from the placement's first.
    pub(crate) fn planned(
        &self,
        placement: &Placement,
        above: FileId,
    ) -> impl Iterator<Item = (u32, PlannedFile)> {
        let file_systems = self.file_systems(placement);
        (0..).zip(&self.entries).map(move |(position, entry)| {
            let is_directory = entry.kind == FileKind::Directory;
            let file = PlannedFile {
                file: Self::file_id(position, placement),
                parent: entry.parent.map_or(above, |parent| Self::file_id(parent, placement)),
                is_directory,
                present: true,
                cached: false,
                size: if is_directory { 0 } else { entry.size },
            };
            (file_systems[entry.place as usize], file)
        })
    }

    /// The number of the directory above all entries on each file system, where there is one.
    pub(crate) fn above(&self, placement: &Placement, top: Option<&str>) -> FileId {
        top.map_or(FileId::ROOT, |_| Self::file_id(as_number(self.entries.len()), placement))
    }

    /// Those of a category whom a user finds.
    pub(crate) fn owner_of(&self, owner: &str, user: u32) -> Owner {
        match self.shared.iter().position(|name| name == owner) {
            Some(number) => Owner::Shared(as_number(number)),
            None => Owner::User(user),
        }
    }
}
