//! The files of a workload: which there are before it begins, and what they are called.

use super::error::ProgramError;
use petrio_colours::FileId;
use petrio_units::numbers::as_number;

/// A file or a directory that a program speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its number, never [`FileId::ROOT`].
    pub file: FileId,
    /// Its name in `parent`, without `/`.
    pub name: String,
    /// The directory that it lies in: the root, or one that stands before it in the table.
    pub parent: FileId,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is there before the run begins; if not, the program makes it, under `name` in `parent`.
    pub present: bool,
    /// Its length in bytes before the run begins; zero for a directory, and for what isn't present.
    pub size: u64,
    /// Whether all its pages are in the page cache, clean, when the run begins. Otherwise none is.
    pub cached: bool,
}

/// The files of one or several workloads on one file system, each directory before what lies in it. The root isn't in
/// it.
///
/// A directory is prepared by walking the table in order: make each entry that is [`present`](FileEntry::present),
/// write it whole, make everything durable, and drop from the page cache what isn't [`cached`](FileEntry::cached).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTable {
    /// In order of their numbers' appearance; `index` finds them.
    entries: Vec<FileEntry>,
    /// Position in `entries` by number − `first`; the numbers of a workload are consecutive.
    index: Vec<Option<u32>>,
    first: u32,
}

impl FileTable {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Its number is taken, or is the root's.
    pub fn add(&mut self, entry: FileEntry) -> Result<(), ProgramError> {
        let taken = match entry.file {
            FileId::ROOT => Some("/"),
            file => self.get(file).map(|there| there.name.as_str()),
        };
        if let Some(first) = taken {
            let (file, first) = (entry.file, first.to_owned());
            return Err(ProgramError::FileTwice { file, first, second: entry.name });
        }
        let number = entry.file.0;
        if self.entries.is_empty() {
            self.first = number;
        }
        if number < self.first {
            let before = (self.first - number) as usize;
            self.index.splice(0..0, std::iter::repeat_n(None, before));
            self.first = number;
        }
        let position = (number - self.first) as usize;
        if position >= self.index.len() {
            self.index.resize(position + 1, None);
        }
        self.index[position] = Some(as_number(self.entries.len()));
        self.entries.push(entry);
        Ok(())
    }

    /// Adds all files of another workload on the same file system.
    ///
    /// # Errors
    /// A number that both use.
    pub fn join(&mut self, other: Self) -> Result<(), ProgramError> {
        // Most often there is one workload, and there may be millions of files.
        if self.entries.is_empty() {
            *self = other;
            return Ok(());
        }
        other.entries.into_iter().try_for_each(|entry| self.add(entry))
    }

    /// A file by its number.
    pub fn get(&self, file: FileId) -> Option<&FileEntry> {
        let position = file.0.checked_sub(self.first)? as usize;
        let index = (*self.index.get(position)?)?;
        self.entries.get(index as usize)
    }

    /// All files, each directory before what lies in it.
    pub fn entries(&self) -> &[FileEntry] {
        &self.entries
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number after the highest; `first_file` of the next workload on the same file system.
    pub fn next_file(&self) -> u32 {
        (self.first + as_number(self.index.len())).max(1)
    }

    /// Where a file lies, with `/` between the names, as the run begins (or, for what isn't present, as it is made).
    pub fn path(&self, file: FileId) -> Option<String> {
        if file == FileId::ROOT {
            return Some(String::new());
        }
        let mut path = self.get(file)?.name.clone();
        let mut at = self.get(file)?.parent;
        // A directory stands before what lies in it, so this ends; the bound is for tables made by hand.
        for _ in 0..self.entries.len() {
            if at == FileId::ROOT {
                return Some(path);
            }
            let directory = self.get(at)?;
            path = format!("{}/{path}", directory.name);
            at = directory.parent;
        }
        None
    }

    /// Bytes of all files together before the run begins; the greatest number where they are more.
    pub fn bytes(&self) -> u64 {
        let present = self.entries.iter().filter(|entry| entry.present);
        present.fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// The name that a file gets when it is renamed for the `times`-th time (from 1) without replacing another: an
    /// operation carries numbers and no names, and names made here never meet those of other files.
    pub fn name_after_rename(&self, file: FileId, times: u64) -> Option<String> {
        self.get(file).map(|entry| format!("{}~{times}", entry.name))
    }
}
