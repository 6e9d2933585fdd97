//! The files and directories of a recording: which are there before, how long they are, and in which directories they lie.

use crate::parallel::files::ProgramFile;
use petrio_trace::event::{Event, EventKind, FileKey};
use petrio_units::numbers::as_number;
use rustc_hash::{FxHashMap, FxHashSet};

/// A file or a directory.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) parent: Option<u32>,
    name: String,
    pub(super) is_directory: bool,
    /// Whether it is there before the run.
    pub(super) is_present: bool,
    pub(super) size: u64,
    /// How far it was written up to now.
    written: u64,
    /// Names in it, of a directory: as far as is known.
    pub(super) names: i64,
}

/// All of them.
#[derive(Default)]
pub(super) struct Files {
    pub(super) entries: Vec<Entry>,
    by_key: FxHashMap<FileKey, u32>,
    directories: FxHashMap<String, u32>,
    /// Which file a path stands for now.
    paths: FxHashMap<String, u32>,
    taken: FxHashSet<(Option<u32>, String)>,
}

impl Files {
    fn add(&mut self, path: &str, is_directory: bool, is_present: bool, size: u64) -> u32 {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.directory(folder);
        let number = as_number(self.entries.len());
        let mut name = if name.is_empty() { format!("unnamed-{number}") } else { name.to_owned() };
        // A later file of the same name is another one.
        if !self.taken.insert((parent, name.clone())) {
            name = format!("{name}-{number}");
            self.taken.insert((parent, name.clone()));
        }
        self.entries.push(Entry { parent, name, is_directory, is_present, size, written: 0, names: 0 });
        if let Some(parent) = parent {
            let parent = &mut self.entries[parent as usize];
            parent.names += 1;
            // What is there lies in what is there.
            if is_present {
                self.is_there(parent_of(&self.entries, number));
            }
        }
        number
    }

    /// A directory, and those that it lies in, are there before the run.
    fn is_there(&mut self, mut directory: Option<u32>) {
        while let Some(number) = directory {
            let entry = &mut self.entries[number as usize];
            entry.is_present = true;
            directory = entry.parent;
        }
    }

    /// The directory of a path; none for the root.
    pub(super) fn directory(&mut self, path: &str) -> Option<u32> {
        let path = path.trim_end_matches('/');
        if path.is_empty() {
            return None;
        }
        if let Some(&number) = self.directories.get(path) {
            return Some(number);
        }
        let number = self.add(path, true, true, 0);
        self.directories.insert(path.to_owned(), number);
        Some(number)
    }

    /// A directory that is made.
    pub(super) fn made_directory(&mut self, path: &str) -> Option<u32> {
        if self.directories.contains_key(path) || path.len() < 2 {
            return None;
        }
        let number = self.add(path, true, false, 0);
        self.directories.insert(path.to_owned(), number);
        Some(number)
    }

    /// A directory that was removed: one of this name is another one.
    pub(super) fn removed_directory(&mut self, path: &str) -> Option<u32> {
        let number = *self.directories.get(path)?;
        let entry = &self.entries[number as usize];
        if entry.is_present || entry.names > 0 {
            return None;
        }
        self.directories.remove(path);
        self.names_of(entry.parent, -1);
        Some(number)
    }

    fn names_of(&mut self, directory: Option<u32>, change: i64) {
        if let Some(number) = directory {
            self.entries[number as usize].names += change;
        }
    }

    pub(super) fn known(&self, key: FileKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    /// The file of an event; where it is new, whether it is there before follows from what is done to it first.
    pub(super) fn of(&mut self, event: &Event) -> Option<u32> {
        if !event.file.is_known() {
            return None;
        }
        let number = match self.by_key.get(&event.file) {
            Some(&number) => number,
            None => {
                let path = event.path.as_deref().unwrap_or("");
                if event.kind != EventKind::Create
                    && let Some(&directory) = self.directories.get(path)
                {
                    self.by_key.insert(event.file, directory);
                    return Some(directory);
                }
                let is_directory = event.kind == EventKind::List;
                let is_present = event.kind != EventKind::Create;
                let number = self.add(path, is_directory, is_present, event.size.unwrap_or(0));
                if is_directory {
                    self.directories.insert(path.to_owned(), number);
                    self.entries[number as usize].size = 0;
                }
                self.by_key.insert(event.file, number);
                self.paths.insert(path.to_owned(), number);
                number
            }
        };
        let entry = &mut self.entries[number as usize];
        let end = event.offset.unwrap_or(0).saturating_add(event.length);
        match event.kind {
            EventKind::Read if end > entry.written && entry.is_present => entry.size = entry.size.max(end),
            EventKind::Write => entry.written = entry.written.max(end),
            _ => {}
        }
        Some(number)
    }

    /// A file gets another name; the one that it takes the place of.
    pub(super) fn renamed(&mut self, number: u32, old: &str, new: &str) -> Option<u32> {
        self.paths.remove(old);
        let replaced = self.paths.insert(new.to_owned(), number).filter(|there| *there != number);
        let folder = new.rsplit_once('/').map_or("", |(folder, _)| folder);
        let parent = self.directory(folder);
        let before = self.entries[number as usize].parent;
        self.names_of(before, -1);
        if replaced.is_none() {
            self.names_of(parent, 1);
        }
        replaced
    }

    /// Where a path lies.
    pub(super) fn folder_of(&mut self, path: &str) -> Option<u32> {
        path.rsplit_once('/').and_then(|(folder, _)| self.directory(folder))
    }

    /// A file's name is taken away.
    pub(super) fn unlinked(&mut self, number: u32, path: &str) {
        self.paths.remove(path);
        let parent = self.entries[number as usize].parent;
        self.names_of(parent, -1);
    }

    /// As the program has it.
    pub(super) fn file(&self, number: u32) -> ProgramFile {
        let entry = &self.entries[number as usize];
        ProgramFile {
            number,
            name: entry.name.clone(),
            parent: entry.parent,
            is_directory: entry.is_directory,
            size: entry.is_present.then_some(if entry.is_directory { 0 } else { entry.size }),
        }
    }
}

fn parent_of(entries: &[Entry], number: u32) -> Option<u32> {
    entries[number as usize].parent
}
