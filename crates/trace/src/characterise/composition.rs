//! What file systems and directories hold: numbers of files by category, opens, sizes and lifetimes.
//!
//! A file system's composition is that of all files that appear in the trace, not of those there at any one time.
//!
//! Lifetimes are those of files created and deleted within the trace, from the create to the unlink; a file that lives
//! on while somebody has it open seems to live shorter than it does.
//!
//! Source: S.-L. Lo, *Ivy*, HPL-CSP-90-48, 1990, §5.2 (sizes), §5.3 (composition), §5.4 (opens), §5.5 (lifetimes).

use super::category::ByCategory;
use super::distribution::{Distribution, ValueTally};
use super::files::{File, Files};
use crate::event::Ages;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Directories given for each order: most files, most opens, most bytes.
const DIRECTORIES_MAX: usize = 12;
const MICROS_A_SECOND: f64 = 1e6;

/// What is known of the files of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileUse {
    /// All file systems together.
    pub all: FileSystem,
    /// Each file system, the one with most files first.
    pub file_systems: Vec<FileSystem>,
    /// The directories with most files, most opens or most bytes; the one with most bytes first. Only of files with a
    /// path.
    pub directories: Vec<Directory>,
    /// Directories in all.
    pub directories_in_all: u64,
    /// Files whose path isn't known, which no directory counts.
    pub without_path: u64,
    /// Whether the trace tells hits from misses; if not, no open has a cache miss.
    pub tells_misses: bool,
    /// Creates of a file that was there already: its inode was used again, and the one before is gone at an unknown
    /// time.
    pub created_again: u64,
    /// Files used after their unlink: they had another name, and count as not deleted.
    pub used_after_unlink: u64,
    /// Files deleted by a rename onto their name.
    pub replaced_by_rename: u64,
}

/// Files of one file system, or of all.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileSystem {
    /// The device's number as the trace has it; `None` for all together.
    pub device: Option<u32>,
    /// Files.
    pub files: ByCategory,
    /// Opens for writing, or for reading and writing.
    pub writable_opens: ByCategory,
    /// Opens for reading only.
    pub read_only_opens: ByCategory,
    /// Opens for reading only of which a read missed the cache.
    pub read_only_opens_missed: ByCategory,
    /// Opens of which the trace doesn't tell for what.
    pub unknown_opens: ByCategory,
    /// Bytes read, with those that only totals tell of.
    pub bytes_read: u64,
    /// Bytes written, with those that only totals tell of.
    pub bytes_written: u64,
    /// Sizes, the last one known of each file; bytes.
    pub sizes_bytes: Option<Distribution>,
    /// Files whose size the trace doesn't tell.
    pub without_size: u64,
    /// Lifetimes of files created and deleted within the trace; seconds.
    pub lifetimes_s: Option<Distribution>,
    /// How long files hadn't been written when they were unlinked, as the trace tells (mtime) or saw; seconds.
    pub unwritten_at_unlink_s: Option<Distribution>,
    /// How long they hadn't been read (atime).
    pub unread_at_unlink_s: Option<Distribution>,
    /// How long nothing of them had been changed (ctime).
    pub unchanged_at_unlink_s: Option<Distribution>,
}

/// Files of one directory, without those of the directories in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Directory {
    /// Its path.
    pub path: String,
    /// Files, by category.
    pub files: ByCategory,
    /// Opens, of any kind.
    pub opens: u64,
    /// Bytes read, with those that only totals tell of.
    pub bytes_read: u64,
    /// Bytes written, with those that only totals tell of.
    pub bytes_written: u64,
}

impl Directory {
    /// Bytes moved, both ways.
    pub const fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }
}

/// A device's number in words: with major and minor number, if it is one of those.
pub fn device_name(device: u32) -> String {
    match (device >> 20, device & ((1 << 20) - 1)) {
        (0, number) => format!("device {number}"),
        (major, minor) => format!("device {major},{minor}"),
    }
}

#[derive(Debug)]
struct Sum {
    files: ByCategory,
    writable: ByCategory,
    read_only: ByCategory,
    missed: ByCategory,
    unknown: ByCategory,
    bytes_read: u64,
    bytes_written: u64,
    sizes: ValueTally,
    without_size: u64,
    lifetimes_us: ValueTally,
    /// Unwritten, unread, unchanged.
    left_alone_us: [ValueTally; 3],
}

impl Sum {
    fn new() -> Self {
        let none = ByCategory::default;
        Self {
            files: none(),
            writable: none(),
            read_only: none(),
            missed: none(),
            unknown: none(),
            bytes_read: 0,
            bytes_written: 0,
            sizes: ValueTally::new(),
            without_size: 0,
            lifetimes_us: ValueTally::new(),
            left_alone_us: std::array::from_fn(|_| ValueTally::new()),
        }
    }

    fn add(&mut self, file: &File) {
        let category = file.category();
        self.files[category] += 1;
        self.writable[category] += u64::from(file.writable_opens);
        self.read_only[category] += u64::from(file.read_only_opens);
        self.missed[category] += u64::from(file.read_only_opens_missed);
        self.unknown[category] += u64::from(file.unknown_opens);
        self.bytes_read = self.bytes_read.saturating_add(file.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(file.bytes_written);
        match file.size {
            Some(size) => self.sizes.add(size),
            None => self.without_size += 1,
        }
        if let Some(lifetime) = file.lifetime() {
            self.lifetimes_us.add(lifetime.as_picos() / 1_000_000);
        }
        if file.is_deleted {
            let Ages { modified, accessed, changed } = file.left_alone;
            for (tally, age) in self.left_alone_us.iter_mut().zip([modified, accessed, changed]) {
                age.into_iter().for_each(|age| tally.add(age));
            }
        }
    }

    fn finish(&self, device: Option<u32>) -> FileSystem {
        FileSystem {
            device,
            files: self.files,
            writable_opens: self.writable,
            read_only_opens: self.read_only,
            read_only_opens_missed: self.missed,
            unknown_opens: self.unknown,
            bytes_read: self.bytes_read,
            bytes_written: self.bytes_written,
            sizes_bytes: self.sizes.finish(1.0),
            without_size: self.without_size,
            lifetimes_s: self.lifetimes_us.finish(MICROS_A_SECOND),
            unwritten_at_unlink_s: self.left_alone_us[0].finish(MICROS_A_SECOND),
            unread_at_unlink_s: self.left_alone_us[1].finish(MICROS_A_SECOND),
            unchanged_at_unlink_s: self.left_alone_us[2].finish(MICROS_A_SECOND),
        }
    }
}

/// `None` where the trace has no files.
pub(super) fn file_use(files: &Files, tells_misses: bool) -> Option<FileUse> {
    if files.all.is_empty() {
        return None;
    }
    let mut all = Sum::new();
    let mut file_systems: BTreeMap<u32, Sum> = BTreeMap::new();
    for file in &files.all {
        all.add(file);
        file_systems.entry(file.key.device).or_insert_with(Sum::new).add(file);
    }
    let mut file_systems: Vec<FileSystem> =
        file_systems.into_iter().map(|(device, sum)| sum.finish(Some(device))).collect();
    file_systems.sort_by_key(|system| Reverse(system.files.total()));
    let (directories, directories_in_all) = directories(files);
    Some(FileUse {
        all: all.finish(None),
        file_systems,
        directories,
        directories_in_all,
        without_path: files.all.iter().filter(|file| file.path.is_none()).count() as u64,
        tells_misses,
        created_again: files.unclear.created_again,
        used_after_unlink: files.unclear.used_after_unlink,
        replaced_by_rename: files.unclear.replaced_by_rename,
    })
}

/// The folder part of a path: `/` for a file at the root, `.` for a bare name.
fn folder(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(slash) => &path[..slash],
        None => ".",
    }
}

/// The most important directories, and how many there are.
fn directories(files: &Files) -> (Vec<Directory>, u64) {
    let mut index: FxHashMap<&str, usize> = FxHashMap::default();
    let mut all: Vec<Directory> = Vec::new();
    for (file, path) in files.all.iter().filter_map(|file| Some((file, file.path.as_deref()?))) {
        let place = *index.entry(folder(path)).or_insert_with(|| {
            let files = ByCategory::default();
            let path = folder(path).to_owned();
            all.push(Directory { path, files, opens: 0, bytes_read: 0, bytes_written: 0 });
            all.len() - 1
        });
        let directory = &mut all[place];
        directory.files[file.category()] += 1;
        directory.opens += file.opens();
        directory.bytes_read = directory.bytes_read.saturating_add(file.bytes_read);
        directory.bytes_written = directory.bytes_written.saturating_add(file.bytes_written);
    }
    let orders: [fn(&Directory) -> u64; 3] =
        [|directory| directory.files.total(), |directory| directory.opens, Directory::bytes];
    let mut chosen = BTreeSet::new();
    for order in orders {
        let mut places: Vec<usize> = (0..all.len()).collect();
        places.sort_by_key(|place| (Reverse(order(&all[*place])), *place));
        chosen.extend(places.into_iter().take(DIRECTORIES_MAX).filter(|place| order(&all[*place]) > 0));
    }
    let mut directories: Vec<Directory> = chosen.into_iter().map(|place| all[place].clone()).collect();
    directories.sort_by(|one, other| {
        let weight =
            |directory: &Directory| Reverse((directory.bytes(), directory.opens, directory.files.total()));
        weight(one).cmp(&weight(other)).then_with(|| one.path.cmp(&other.path))
    });
    (directories, all.len() as u64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::transfer::Way;
    use super::*;
    use crate::event::{Access, FileKey};
    use petrio_time::Time;
    use std::sync::Arc;

    #[test]
    fn a_small_trace_counted_by_hand() {
        let mut files = Files::default();
        let key = |device, inode| FileKey { device, inode, generation: 0 };
        let path = |text: &str| Some(Arc::<str>::from(text));
        // Device 1: /bin/sh, opened twice, 100 bytes; /tmp/x, created, 10 bytes, deleted after 2 s. Device 2: one of
        // unknown size.
        let shell = files.number(key(1, 2), path("/bin/sh").as_ref()).unwrap();
        files.opened(shell, Some(Access::Read), Some(100));
        files.opened(shell, Some(Access::Read), Some(100));
        files.moved(shell, Way::Read, Some(0), 100);
        files.all[shell as usize].read_only_opens_missed = 1;
        let scratch = files.created(Time::from_whole_seconds(1), key(1, 3), path("/tmp/x").as_ref()).unwrap();
        files.opened(scratch, Some(Access::ReadWrite), None);
        files.moved(scratch, Way::Write, Some(0), 10);
        files.closed(scratch);
        files.unlinked(Time::from_whole_seconds(3), scratch, None);
        let unknown = files.number(key(2, 9), None).unwrap();
        files.moved(unknown, Way::Read, Some(0), 7);
        let found = file_use(&files, true).unwrap();
        assert_eq!((found.all.files.total(), found.file_systems.len(), found.without_path), (3, 2, 1));
        let first = &found.file_systems[0];
        assert_eq!(
            (first.device, first.files.before_and_after, first.files.created_and_deleted),
            (Some(1), 1, 1)
        );
        assert_eq!((first.read_only_opens.before_and_after, first.read_only_opens_missed.total()), (2, 1));
        assert_eq!((first.writable_opens.created_and_deleted, first.writable_opens.total()), (1, 1));
        assert_eq!((first.sizes_bytes.as_ref().unwrap().mean, first.without_size), (55.0, 0));
        let lifetimes = first.lifetimes_s.as_ref().unwrap();
        assert_eq!((lifetimes.count, lifetimes.mean), (1, 2.0));
        assert_eq!((found.file_systems[1].without_size, found.all.bytes_read), (1, 107));
        let names: Vec<(&str, u64)> =
            found.directories.iter().map(|directory| (directory.path.as_str(), directory.bytes())).collect();
        assert_eq!(names, [("/bin", 100), ("/tmp", 10)]);
    }

    #[test]
    fn folders_of_paths() {
        for (path, parent) in [("/a", "/"), ("a", "."), ("/a/b/c", "/a/b"), ("a/b", "a"), ("/", "/")] {
            assert_eq!(folder(path), parent, "{path}");
        }
    }

    #[test]
    fn devices_have_major_and_minor_numbers_or_just_one() {
        assert_eq!(device_name(8 << 20 | 16), "device 8,16");
        assert_eq!(device_name(3), "device 3");
    }
}
