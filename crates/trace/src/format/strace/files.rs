//! Which file a descriptor stands for, and where in it a process is: strace shows neither, the calls before do.
//!
//! As POSIX has it: a descriptor points to an open file description (position, flags), which `dup` and `fork` share;
//! the description points to the file, which has names. Threads (`CLONE_FILES`) share the descriptors themselves.

use crate::event::{Access, EventKind, FileKey, Totals};
use crate::format::commands::Commands;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// An open file description.
#[derive(Clone, Debug)]
pub(super) struct Description {
    pub(super) file: FileKey,
    pub(super) path: Arc<str>,
    /// Next byte that is read or written; `None` where the trace doesn't know.
    pub(super) position: Option<u64>,
    pub(super) access: Option<Access>,
    pub(super) append: bool,
    pub(super) synchronous: bool,
    pub(super) totals: Totals,
    /// Descriptors that point to it.
    pub(super) references: u32,
}

impl Description {
    pub(super) fn new(file: FileKey, path: Arc<str>) -> Self {
        Self {
            file,
            path,
            position: None,
            access: None,
            append: false,
            synchronous: false,
            totals: Totals::default(),
            references: 0,
        }
    }

    /// A read or write of so many bytes went through it.
    pub(super) const fn counts(&mut self, kind: EventKind, moved: u64) {
        let totals = &mut self.totals;
        let (bytes, count) = match kind {
            EventKind::Read => (&mut totals.bytes_read, &mut totals.reads),
            EventKind::Write => (&mut totals.bytes_written, &mut totals.writes),
            _ => return,
        };
        *bytes = bytes.saturating_add(moved);
        *count += 1;
    }
}

/// A description's number.
pub(super) type Opened = u64;

#[derive(Clone, Copy, Debug)]
struct Descriptor {
    opened: Opened,
    close_on_exec: bool,
}

/// The descriptors of a process, or of several that share them.
#[derive(Clone, Debug, Default)]
struct Table {
    descriptors: BTreeMap<i64, Descriptor>,
    sharers: u32,
}

/// A process.
#[derive(Clone, Debug)]
struct Process {
    table: u64,
    folder: Option<Arc<str>>,
}

/// A file by one of its names.
#[derive(Clone, Copy, Debug)]
struct NamedFile {
    file: FileKey,
    /// Whether it is there: a call that succeeded showed it.
    exists: bool,
    size: Option<u64>,
}

/// Everything that the calls so far have told.
#[derive(Debug, Default)]
pub(super) struct Files {
    names: BTreeMap<Arc<str>, NamedFile>,
    files: u64,
    opened: BTreeMap<Opened, Description>,
    next_opened: Opened,
    tables: BTreeMap<u64, Table>,
    next_table: u64,
    processes: BTreeMap<u32, Process>,
    /// What they run, and ran.
    pub(super) commands: Commands,
}

impl Files {
    /// The file of a name, with the name to share.
    pub(super) fn named(&mut self, path: &str) -> (FileKey, Arc<str>) {
        if let Some((name, known)) = self.names.get_key_value(path) {
            return (known.file, name.clone());
        }
        let name: Arc<str> = path.into();
        let file = self.new_file();
        self.names.insert(name.clone(), NamedFile { file, exists: false, size: None });
        (file, name)
    }

    /// strace knows no inodes; files are numbered in the order in which they show up.
    fn new_file(&mut self) -> FileKey {
        self.files += 1;
        FileKey { device: 0, inode: self.files, generation: 0 }
    }

    pub(super) fn exists(&self, path: &str) -> bool {
        self.names.get(path).is_some_and(|known| known.exists)
    }

    pub(super) fn size(&self, path: &str) -> Option<u64> {
        self.names.get(path)?.size
    }

    /// Notes that a file is there, and its length where that is known.
    pub(super) fn note(&mut self, path: &str, size: Option<u64>) {
        if let Some(known) = self.names.get_mut(path) {
            known.exists = true;
            known.size = size.or(known.size);
        }
    }

    /// Notes that a file reaches at least this far.
    pub(super) fn reaches(&mut self, path: &str, end: u64) {
        if let Some(known) = self.names.get_mut(path) {
            known.size = known.size.map(|size| size.max(end));
        }
    }

    /// Takes a name away; a file of that name is another one from now on.
    pub(super) fn forget(&mut self, path: &str) {
        self.names.remove(path);
    }

    /// Gives a file another name, and all that lies under it if it is a folder.
    pub(super) fn rename(&mut self, old: &str, new: &Arc<str>) {
        let inside = |name: &str| name.strip_prefix(old).is_some_and(|rest| rest.starts_with('/'));
        let under: Vec<Arc<str>> = self
            .names
            .range::<str, _>((Bound::Included(old), Bound::Unbounded))
            .map(|(name, _)| name.clone())
            .take_while(|name| name.starts_with(old))
            .filter(|name| inside(name))
            .collect();
        for name in under {
            if let Some(known) = self.names.remove(&name) {
                self.names.insert(format!("{new}{}", &name[old.len()..]).into(), known);
            }
        }
        if let Some(known) = self.names.remove(old) {
            self.names.insert(new.clone(), NamedFile { exists: true, ..known });
        }
        for description in self.opened.values_mut() {
            if &*description.path == old {
                description.path = new.clone();
            }
        }
    }

    fn process(&mut self, process: u32) -> &mut Process {
        let (tables, next) = (&mut self.tables, &mut self.next_table);
        self.processes.entry(process).or_insert_with(|| {
            *next += 1;
            tables.insert(*next, Table { sharers: 1, ..Table::default() });
            Process { table: *next, folder: None }
        })
    }

    /// Whether anything was heard of a process.
    pub(super) fn knows(&self, process: u32) -> bool {
        self.processes.contains_key(&process)
    }

    /// Starts a process, or a thread that shares its parent's descriptors.
    pub(super) fn fork(&mut self, parent: u32, child: u32, shares: bool) {
        if self.knows(child) {
            return;
        }
        self.commands.starts(parent, child);
        let Process { table, folder } = self.process(parent).clone();
        let table = if shares {
            if let Some(table) = self.tables.get_mut(&table) {
                table.sharers += 1;
            }
            table
        } else {
            let descriptors =
                self.tables.get(&table).map(|table| table.descriptors.clone()).unwrap_or_default();
            for descriptor in descriptors.values() {
                if let Some(description) = self.opened.get_mut(&descriptor.opened) {
                    description.references += 1;
                }
            }
            self.next_table += 1;
            self.tables.insert(self.next_table, Table { descriptors, sharers: 1 });
            self.next_table
        };
        self.processes.insert(child, Process { table, folder });
    }

    pub(super) fn folder(&self, process: u32) -> Option<Arc<str>> {
        self.processes.get(&process)?.folder.clone()
    }

    pub(super) fn set_folder(&mut self, process: u32, folder: Arc<str>) {
        self.process(process).folder = Some(folder);
    }

    fn table(&mut self, process: u32) -> &mut Table {
        let table = self.process(process).table;
        self.tables.entry(table).or_default()
    }

    /// The description that a descriptor points to.
    pub(super) fn description(&mut self, process: u32, descriptor: i64) -> Option<&mut Description> {
        let opened = self.table(process).descriptors.get(&descriptor)?.opened;
        self.opened.get_mut(&opened)
    }

    /// The path that a descriptor stands for.
    pub(super) fn path_of(&self, process: u32, descriptor: i64) -> Option<Arc<str>> {
        let table = self.tables.get(&self.processes.get(&process)?.table)?;
        let opened = table.descriptors.get(&descriptor)?.opened;
        self.opened.get(&opened).map(|description| description.path.clone())
    }

    /// Points a descriptor to a new description; what it pointed to is closed without a call.
    pub(super) fn open(
        &mut self,
        process: u32,
        descriptor: i64,
        close_on_exec: bool,
        description: Description,
    ) -> Option<Description> {
        let before = self.close(process, descriptor);
        self.next_opened += 1;
        let opened = self.next_opened;
        self.opened.insert(opened, Description { references: 1, ..description });
        self.table(process).descriptors.insert(descriptor, Descriptor { opened, close_on_exec });
        before
    }

    /// Points a descriptor to what another one points to; gives what was closed by that.
    pub(super) fn duplicate(
        &mut self,
        process: u32,
        from: i64,
        to: i64,
        close_on_exec: bool,
    ) -> Option<Description> {
        let source = self.table(process).descriptors.get(&from).copied();
        if from == to {
            return None;
        }
        let closed = self.close(process, to);
        let Descriptor { opened, .. } = source?;
        if let Some(description) = self.opened.get_mut(&opened) {
            description.references += 1;
            self.table(process).descriptors.insert(to, Descriptor { opened, close_on_exec });
        }
        closed
    }

    /// Closes a descriptor; gives its description where that was the last one pointing to it.
    pub(super) fn close(&mut self, process: u32, descriptor: i64) -> Option<Description> {
        let Descriptor { opened, .. } = self.table(process).descriptors.remove(&descriptor)?;
        self.release(opened)
    }

    fn release(&mut self, opened: Opened) -> Option<Description> {
        let description = self.opened.get_mut(&opened)?;
        description.references = description.references.saturating_sub(1);
        if description.references == 0 { self.opened.remove(&opened) } else { None }
    }

    /// Closes what an exec closes.
    pub(super) fn exec(&mut self, process: u32) -> Vec<Description> {
        let closing: Vec<i64> = (self.table(process).descriptors.iter())
            .filter(|(_, descriptor)| descriptor.close_on_exec)
            .map(|(&number, _)| number)
            .collect();
        closing.into_iter().filter_map(|number| self.close(process, number)).collect()
    }

    /// Closes what a process leaves open when it ends.
    pub(super) fn exit(&mut self, process: u32) -> Vec<Description> {
        let Some(Process { table, .. }) = self.processes.remove(&process) else { return Vec::new() };
        let Some(entry) = self.tables.get_mut(&table) else { return Vec::new() };
        entry.sharers = entry.sharers.saturating_sub(1);
        if entry.sharers > 0 {
            return Vec::new();
        }
        let descriptors = self.tables.remove(&table).unwrap_or_default().descriptors;
        descriptors.into_values().filter_map(|descriptor| self.release(descriptor.opened)).collect()
    }
}

/// A path made absolute and plain: no `.`, no `..`, no doubled slashes. Symbolic links are not followed, which only the
/// kernel can.
pub(super) fn resolved(folder: Option<&str>, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let base = if path.starts_with('/') { "" } else { folder.unwrap_or_default() };
    let absolute = path.starts_with('/') || base.starts_with('/');
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if absolute || parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn paths_are_made_plain() {
        assert_eq!(resolved(Some("/a/b"), "../c/./d"), "/a/c/d");
        assert_eq!(resolved(Some("/a"), "/x//y/"), "/x/y");
        assert_eq!(resolved(None, "x/../../y"), "../y");
        assert_eq!(resolved(Some("/"), ".."), "/");
    }

    #[test]
    fn a_description_closes_with_its_last_descriptor() {
        let mut files = Files::default();
        let (file, path) = files.named("/a");
        files.open(1, 3, false, Description::new(file, path));
        files.fork(1, 2, false);
        files.duplicate(1, 3, 9, false);
        files.description(2, 3).unwrap().position = Some(7);
        assert_eq!(files.description(1, 9).unwrap().position, Some(7));
        assert!(files.close(1, 3).is_none());
        assert!(files.exit(2).is_empty());
        assert_eq!(files.exit(1).len(), 1);
    }

    #[test]
    fn threads_share_descriptors_until_the_last_one_ends() {
        let mut files = Files::default();
        files.fork(1, 2, true);
        let (file, path) = files.named("/a");
        files.open(2, 3, false, Description::new(file, path));
        assert!(files.exit(1).is_empty());
        assert_eq!(files.exit(2).len(), 1);
    }
}
