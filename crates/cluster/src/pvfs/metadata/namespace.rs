//! What is where: the servers of files and directories, which files are stuffed, and over how many servers a directory's names are spread.

use super::known::Validity;
use crate::pvfs::striping::Striping;
use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// What never changes of a file system's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Site {
    /// How files lie on its servers, all of which have metadata, too. A file's first server is that of its metadata.
    pub striping: Striping,
    /// A file's first stripe lies with its metadata until there is more (`FileStuffing`).
    pub stuffing: bool,
    /// Servers that have a new directory's names (`DistrDirServersInitial`), and those that may have them (`DistrDirServersMax`).
    pub directory_servers: (u32, u32),
    /// Names on a server of a directory before half of them go to another one (`DistrDirSplitSize`).
    pub split: u32,
    /// For how long clients believe what they were told.
    pub valid: Validity,
    /// Accesses of at most so many bytes on each server are small: writes, and reads.
    pub small: (u64, u64),
    /// Bytes of a piece of data that flow.
    pub piece: u64,
}

impl Site {
    /// The server of an object; `salt` makes what is drawn differ between runs. The root lies on the first server.
    pub fn home(&self, object: FileId, salt: u64) -> u32 {
        if object == FileId::ROOT { 0 } else { self.striping.turns(object, salt).server(0) }
    }

    /// Over how many servers the names of a directory are spread at first, and at most.
    pub(super) fn parts(&self) -> (u32, u32) {
        let all = self.striping.servers.max(1);
        (self.directory_servers.0.clamp(1, all), self.directory_servers.1.clamp(1, all))
    }

    /// The server of a part of a directory: the first is its own, others follow.
    pub(super) fn part_server(&self, home: u32, part: u32) -> u32 {
        (home + part) % self.striping.servers.max(1)
    }
}

/// To whom a server passes a request that concerns the data files of these servers, and whom each of those concerns then, the first of
/// each itself among them: up to `TreeThreshold` of them each for itself, more in `TreeWidth` parts of equal length
/// (src/server/tree-communicate.sm).
pub fn children(own: u32, servers: &[u32]) -> SmallVec<[SmallVec<[u32; 8]>; 2]> {
    const THRESHOLD: usize = 2;
    const WIDTH: usize = 2;
    let others: SmallVec<[u32; 8]> = servers.iter().copied().filter(|server| *server != own).collect();
    let each = if others.len() > THRESHOLD { others.len().div_ceil(WIDTH) } else { 1 };
    others.chunks(each).map(SmallVec::from).collect()
}

/// What is made and changed while programs run, as servers know it.
#[derive(Clone, Debug, Default, Persist)]
pub struct Namespace {
    objects: FastMap<FileId, Object>,
    directories: FastMap<FileId, Directory>,
}

/// A file or a directory that is there.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Object {
    parent: FileId,
    is_directory: bool,
    /// It has got all of its data files.
    unstuffed: bool,
}

/// A directory: the names on each server that has some.
#[derive(Clone, Debug, Default, Persist)]
struct Directory {
    parts: Vec<u64>,
}

impl Namespace {
    /// A file of so many bytes, or a directory, is there before the first instant.
    pub fn is_there(
        &mut self,
        site: &Site,
        object: FileId,
        parent: FileId,
        (is_directory, bytes): (bool, u64),
    ) {
        let unstuffed = bytes > site.striping.unit;
        if self.objects.insert(object, Object { parent, is_directory, unstuffed }).is_none()
            && object != FileId::ROOT
        {
            let part = self.part_of(site, parent, object);
            self.enter(site, parent, part);
        }
    }

    /// Whether there is such a file or directory.
    pub fn exists(&self, object: FileId) -> bool {
        object == FileId::ROOT || self.objects.contains_key(&object)
    }

    /// Whether it is a directory.
    pub fn is_directory(&self, object: FileId) -> bool {
        object == FileId::ROOT || self.objects.get(&object).is_some_and(|object| object.is_directory)
    }

    /// The directory of an object's name.
    pub fn parent(&self, object: FileId) -> FileId {
        self.objects.get(&object).map_or(FileId::ROOT, |object| object.parent)
    }

    /// How many names a directory has.
    pub fn names(&self, directory: FileId) -> u64 {
        self.directories.get(&directory).map_or(0, |directory| directory.parts.iter().sum())
    }

    /// An object is made.
    pub(super) fn make(&mut self, object: FileId, parent: FileId, is_directory: bool) {
        self.objects.insert(object, Object { parent, is_directory, unstuffed: false });
    }

    /// An object's name moves to another directory.
    pub(super) fn moves(&mut self, object: FileId, to: FileId) {
        if let Some(object) = self.objects.get_mut(&object) {
            object.parent = to;
        }
    }

    /// Whether a file's data lie with its metadata.
    pub(super) fn is_stuffed(&self, site: &Site, file: FileId) -> bool {
        let unstuffed = self.objects.get(&file).is_some_and(|object| object.unstuffed);
        site.stuffing && site.striping.per_file > 1 && !unstuffed
    }

    /// A file gets all of its data files.
    pub(super) fn unstuff(&mut self, file: FileId) {
        self.objects.entry(file).or_default().unstuffed = true;
    }

    /// How many data files a file has.
    pub fn data_files(&self, site: &Site, file: FileId) -> u32 {
        if self.is_stuffed(site, file) { 1 } else { site.striping.per_file }
    }

    /// The servers of a file's data files.
    pub(super) fn data_servers(&self, site: &Site, file: FileId, salt: u64) -> SmallVec<[u32; 8]> {
        let turns = site.striping.turns(file, salt);
        (0..self.data_files(site, file)).map(|position| turns.server(position)).collect()
    }

    fn directory(&mut self, site: &Site, directory: FileId) -> &mut Directory {
        let (first, _) = site.parts();
        self.directories.entry(directory).or_insert_with(|| Directory { parts: vec![0; first as usize] })
    }

    /// Over how many servers a directory's names are spread.
    pub(super) fn parts(&mut self, site: &Site, directory: FileId) -> u32 {
        as_number(self.directory(site, directory).parts.len())
    }

    /// Which part of a directory a name is in: by a hash of which as many bits count as there are parts, as in GIGA+.
    pub(super) fn part_of(&mut self, site: &Site, directory: FileId, name: FileId) -> u32 {
        let parts = self.parts(site, directory);
        let bits = parts.next_power_of_two();
        let part = as_number(finish(u64::from(name.0) ^ 0x6469_7264_656e_7473) % u64::from(bits));
        if part < parts { part } else { part - bits / 2 }
    }

    /// A name comes to a part of a directory: the names that go to a new part of it where it is too large, if any.
    pub(super) fn enter(&mut self, site: &Site, directory: FileId, part: u32) -> Option<(u32, u64)> {
        let most = site.directory_servers.1.min(site.striping.servers);
        let parts = &mut self.directory(site, directory).parts;
        let next = as_number(parts.len());
        let names = parts.get_mut(part as usize)?;
        *names += 1;
        if *names <= u64::from(site.split) || next >= most {
            return None;
        }
        let moved = *names / 2;
        *names -= moved;
        parts.push(moved);
        Some((next, moved))
    }

    /// A name goes.
    pub(super) fn leave(&mut self, site: &Site, directory: FileId, part: u32) {
        if let Some(names) = self.directory(site, directory).parts.get_mut(part as usize) {
            *names = names.saturating_sub(1);
        }
    }

    /// An object goes.
    pub(super) fn forget(&mut self, object: FileId) {
        self.objects.remove(&object);
        self.directories.remove(&object);
    }
}
