//! The files of a trace: when each was created and deleted, its size, how often it was opened, and what was moved.
//!
//! A file appears when it is created, opened, read, written, closed, synced, cut, renamed, run or unlinked; one that is
//! only looked at (stat) doesn't. What a trace leaves unclear is settled so, and counted:
//!
//! - A create of a file that is there already means that its inode was used again: the one before is gone, at an unknown time.
//! - An open, read or write after the unlink, by somebody who hadn't it open, means that the file had another name: it lives.
//! - A rename onto another file's path deletes that file.
//!
//! Its size is the last one told (open, truncation, unlink), or the end of a write beyond it. A file whose size is
//! never told has none.
//!
//! Memory grows with the number of files: about 150 bytes each, and its path.
//!
//! Source: S.-L. Lo, *Ivy*, HPL-CSP-90-48, 1990, §5: creation, deletion, size, opens for reading, those with a cache
//! miss, and opens for writing.

use super::category::FileCategory;
use super::transfer::Way;
use crate::event::{Access, Ages, FileKey};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) key: FileKey,
    pub(super) path: Option<Arc<str>>,
    pub(super) created: Option<Time>,
    pub(super) is_deleted: bool,
    /// When, where that is known.
    pub(super) deleted: Option<Time>,
    /// When the trace saw it last written, read, and changed in any way.
    modified: Option<Time>,
    accessed: Option<Time>,
    changed: Option<Time>,
    /// How long it had been left alone when it was unlinked, as the trace tells or has seen.
    pub(super) left_alone: Ages,
    /// Bytes.
    pub(super) size: Option<u64>,
    pub(super) writable_opens: u32,
    pub(super) read_only_opens: u32,
    pub(super) read_only_opens_missed: u32,
    pub(super) unknown_opens: u32,
    pub(super) bytes_read: u64,
    pub(super) bytes_written: u64,
    /// In how many streams it is open, so that what follows its unlink isn't taken for another name.
    pub(super) open: u32,
}

impl File {
    pub(super) fn category(&self) -> FileCategory {
        FileCategory::of(self.created.is_some(), self.is_deleted)
    }

    /// From its creation to its deletion, of a file that had both in the trace at known times.
    pub(super) fn lifetime(&self) -> Option<Time> {
        Some(self.deleted?.saturating_sub(self.created?))
    }

    pub(super) const fn opens(&self) -> u64 {
        self.writable_opens as u64 + self.read_only_opens as u64 + self.unknown_opens as u64
    }
}

/// What was unclear, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Unclear {
    pub(super) created_again: u64,
    pub(super) used_after_unlink: u64,
    pub(super) replaced_by_rename: u64,
}

/// Every file of the trace, by its number in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Files {
    index: FxHashMap<FileKey, u32>,
    by_path: FxHashMap<Arc<str>, u32>,
    /// The file before, which very often is the file again.
    last: Option<(FileKey, u32)>,
    pub(super) all: Vec<File>,
    pub(super) unclear: Unclear,
}

impl Files {
    /// The number of a file, which appears if it hasn't; `None` for one that the trace doesn't know.
    #[inline]
    pub(super) fn number(&mut self, key: FileKey, path: Option<&Arc<str>>) -> Option<u32> {
        if let Some((last, number)) = self.last
            && last == key
        {
            if self.all[number as usize].path.is_none()
                && let Some(path) = path
            {
                self.name(number, path);
            }
            return Some(number);
        }
        if !key.is_known() {
            return None;
        }
        let number = match self.index.get(&key) {
            Some(number) => *number,
            None => self.appear(key),
        };
        self.last = Some((key, number));
        if self.all[number as usize].path.is_none()
            && let Some(path) = path
        {
            self.name(number, path);
        }
        Some(number)
    }

    #[cold]
    fn appear(&mut self, key: FileKey) -> u32 {
        let number = as_number(self.all.len());
        self.all.push(File { key, ..File::default() });
        self.index.insert(key, number);
        self.last = Some((key, number));
        number
    }

    #[cold]
    fn name(&mut self, number: u32, path: &Arc<str>) {
        self.all[number as usize].path = Some(path.clone());
        self.by_path.insert(path.clone(), number);
    }

    fn forget_name(&mut self, number: u32) {
        if let Some(path) = &self.all[number as usize].path
            && self.by_path.get(path) == Some(&number)
        {
            self.by_path.remove(path);
        }
    }

    /// A create, which is an open as well; gives the file's number.
    pub(super) fn created(&mut self, time: Time, key: FileKey, path: Option<&Arc<str>>) -> Option<u32> {
        if !key.is_known() {
            return None;
        }
        if let Some(before) = self.index.get(&key).copied() {
            let file = &mut self.all[before as usize];
            if !file.is_deleted {
                file.is_deleted = true;
                self.unclear.created_again += 1;
            }
            self.forget_name(before);
            self.appear(key);
        }
        let number = self.number(key, path)?;
        let file = &mut self.all[number as usize];
        (file.created, file.size) = (Some(time), Some(0));
        (file.modified, file.accessed, file.changed) = (Some(time), Some(time), Some(time));
        Some(number)
    }

    /// An open, of a create as well.
    pub(super) fn opened(&mut self, number: u32, access: Option<Access>, size: Option<u64>) {
        self.used(number);
        let file = &mut self.all[number as usize];
        file.open += 1;
        match access {
            Some(access) if access.is_writable() => file.writable_opens += 1,
            Some(_) => file.read_only_opens += 1,
            None => file.unknown_opens += 1,
        }
        if size.is_some() {
            file.size = size;
        }
    }

    pub(super) fn closed(&mut self, number: u32) {
        let file = &mut self.all[number as usize];
        file.open = file.open.saturating_sub(1);
    }

    /// A read or a write that succeeded.
    #[inline]
    pub(super) fn moved(&mut self, number: u32, way: Way, offset: Option<u64>, length: u64) {
        self.used(number);
        let file = &mut self.all[number as usize];
        match way {
            Way::Read => file.bytes_read = file.bytes_read.saturating_add(length),
            Way::Write => {
                file.bytes_written = file.bytes_written.saturating_add(length);
                if let (Some(size), Some(offset)) = (&mut file.size, offset) {
                    *size = (*size).max(offset.saturating_add(length));
                }
            }
        }
    }

    /// It is read or written, at a time.
    #[inline]
    pub(super) fn touched(&mut self, number: u32, way: Way, time: Time) {
        let file = &mut self.all[number as usize];
        match way {
            Way::Read => file.accessed = file.accessed.max(Some(time)),
            Way::Write => {
                file.modified = file.modified.max(Some(time));
                file.changed = file.changed.max(Some(time));
            }
        }
    }

    /// Its length is changed, or its name.
    pub(super) fn changed(&mut self, number: u32, is_data: bool, time: Time) {
        let file = &mut self.all[number as usize];
        file.changed = file.changed.max(Some(time));
        if is_data {
            file.modified = file.modified.max(Some(time));
        }
    }

    /// It is to be unlinked: how long it has been left alone the trace tells, or what it has seen of the file does.
    pub(super) fn ages(&mut self, number: u32, told: Option<&Ages>, time: Time) {
        let file = &mut self.all[number as usize];
        let told = told.copied().unwrap_or_default();
        let since = |last: Option<Time>| last.map(|last| time.saturating_sub(last).as_picos() / 1_000_000);
        file.left_alone = Ages {
            modified: told.modified.or(since(file.modified)),
            accessed: told.accessed.or(since(file.accessed)),
            changed: told.changed.or(since(file.changed)),
        };
    }

    /// Somebody uses it, so it is there.
    #[inline]
    fn used(&mut self, number: u32) {
        let file = &mut self.all[number as usize];
        if file.is_deleted && file.open == 0 {
            (file.is_deleted, file.deleted) = (false, None);
            self.unclear.used_after_unlink += 1;
        }
    }

    pub(super) fn truncated(&mut self, number: u32, size: Option<u64>) {
        if size.is_some() {
            self.all[number as usize].size = size;
        }
    }

    pub(super) fn unlinked(&mut self, time: Time, number: u32, size: Option<u64>) {
        self.forget_name(number);
        let file = &mut self.all[number as usize];
        if size.is_some() {
            file.size = size;
        }
        // A second name taken away: the last one counts.
        (file.is_deleted, file.deleted) = (true, Some(time));
    }

    pub(super) fn renamed(&mut self, time: Time, number: u32, new_path: Option<&Arc<str>>) {
        let Some(new_path) = new_path else { return };
        if let Some(replaced) = self.by_path.get(new_path).copied().filter(|replaced| *replaced != number) {
            self.unlinked(time, replaced, None);
            self.unclear.replaced_by_rename += 1;
        }
        self.forget_name(number);
        self.name(number, new_path);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn key(inode: u64) -> FileKey {
        FileKey { device: 1, inode, generation: 0 }
    }

    const SECOND: Time = Time::from_whole_seconds(1);

    #[test]
    fn a_file_that_grows_and_is_deleted_has_size_and_lifetime() {
        let mut files = Files::default();
        let number = files.created(SECOND, key(7), None).unwrap();
        files.opened(number, Some(Access::Write), None);
        files.moved(number, Way::Write, Some(0), 4_096);
        files.moved(number, Way::Write, Some(100), 50);
        files.closed(number);
        files.unlinked(Time::from_whole_seconds(5), number, None);
        let file = &files.all[0];
        assert_eq!((file.size, file.bytes_written, file.writable_opens), (Some(4_096), 4_146, 1));
        assert_eq!(file.lifetime(), Some(Time::from_whole_seconds(4)));
        assert_eq!(file.category(), FileCategory::CreatedAndDeleted);
    }

    #[test]
    fn an_inode_used_again_is_another_file() {
        let mut files = Files::default();
        files.created(SECOND, key(7), None);
        files.unlinked(SECOND, 0, Some(10));
        assert_eq!(files.created(SECOND, key(7), None), Some(1));
        assert_eq!(files.created(SECOND, key(7), None), Some(2));
        assert_eq!(files.number(key(7), None), Some(2));
        assert_eq!(files.unclear.created_again, 1, "the first was unlinked, the second vanished");
        assert_eq!((files.all[1].is_deleted, files.all[1].lifetime()), (true, None));
    }

    #[test]
    fn a_file_lives_on_under_another_name_but_not_because_it_is_still_open() {
        let mut files = Files::default();
        let number = files.number(key(3), None).unwrap();
        files.opened(number, Some(Access::ReadWrite), Some(100));
        files.unlinked(SECOND, number, None);
        files.moved(number, Way::Read, Some(0), 100);
        assert!(files.all[0].is_deleted);
        files.closed(number);
        files.opened(number, Some(Access::Read), None);
        assert_eq!(files.all[0].category(), FileCategory::BeforeAndAfter);
        assert_eq!(files.unclear.used_after_unlink, 1);
    }

    #[test]
    fn a_rename_onto_a_file_deletes_it() {
        let mut files = Files::default();
        let (old, new): (Arc<str>, Arc<str>) = ("/a/settings".into(), "/a/settings.new".into());
        let first = files.number(key(1), Some(&old)).unwrap();
        let second = files.created(SECOND, key(2), Some(&new)).unwrap();
        files.renamed(SECOND, second, Some(&old));
        assert_eq!(files.all[first as usize].category(), FileCategory::BeforeAndDeleted);
        assert_eq!(files.all[second as usize].path.as_deref(), Some("/a/settings"));
        assert_eq!(files.unclear.replaced_by_rename, 1);
        // Onto its own name nothing happens.
        files.renamed(SECOND, second, Some(&old));
        assert!(!files.all[second as usize].is_deleted);
    }

    #[test]
    fn a_file_that_the_trace_does_not_know_has_no_number() {
        assert_eq!(Files::default().number(FileKey::UNKNOWN, None), None);
        assert_eq!(Files::default().created(SECOND, FileKey::UNKNOWN, None), None);
    }
}
