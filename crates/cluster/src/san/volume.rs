//! What the file system has on its disks: where each partition of each file lies, how long files are, and in which blocks
//! their metadata stand. There is one truth of it, whoever changes it.
//!
//! ```text
//!  a disk: │ allocation map │ inodes │ names │ partitions of files … │
//! ```
//!
//! A file's partitions lie on the disks that its [`Placement`] says, each in the first place that is free there, or on the
//! next disk that has one. An inode is a block of its own, as in GFS (Preslan et al. 1999, section 3.1), and so is what 64
//! names of a directory stand in. Each node takes what it allocates from a part of the map of its own (GPFS' allocation
//! regions; Schmuck and Haskin, FAST 2002, section 3.4), so that nobody waits for the map.
//!
//! Leaves out: indirect blocks (a list of a file's partitions fits into its inode), and the metadata's own journal.

use super::placement::Placement;
use petrio_colours::{Failure, FileId};
use petrio_persist::Persist;
use petrio_random::mix;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::{as_index, as_number};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a block of metadata.
pub(super) const METADATA_BLOCK: u64 = 4096;
/// Names in a block of a directory.
const NAMES_IN_A_BLOCK: u64 = 64;
/// The part of a disk that is metadata's, and of that what the map and the inodes have; names have the rest.
const METADATA_PART: u64 = 64;
const MAP_PART: u64 = 8;
const INODES_PART: u64 = 2;
/// Blocks of metadata of a disk at least.
const LEAST_METADATA: u64 = 64;

/// Where something lies: the disk's number, and the first byte there.
pub(super) type Position = (u32, u64);

/// Where a partition lies: the disk's number, and which of its places.
type Place = (u32, u64);

/// A partition of a file.
#[derive(Clone, Copy, Debug, Persist)]
struct Partition {
    place: Place,
    /// The node that found the place, and which of the inode's changes that was.
    node: u32,
    change: u64,
}

#[derive(Clone, Debug, Persist)]
struct Disk {
    /// Blocks of metadata.
    metadata: u64,
    /// Where partitions begin, bytes.
    begin: u64,
    /// Places for partitions.
    places: u64,
    /// No place from here on was ever used.
    next: u64,
    /// Places before that which are free.
    free: BTreeSet<u64>,
}

/// A file or a directory.
#[derive(Clone, Debug, Default, Persist)]
struct File {
    inode: u32,
    is_directory: bool,
    parent: FileId,
    /// Which entry of its directory it is.
    slot: u64,
    size: u64,
    partitions: BTreeMap<u64, Partition>,
    /// Who reads and writes the inode, once anybody has worked with the file.
    metanode: Option<u32>,
    /// How often the inode has been changed.
    changes: u64,
    /// Of a directory: how many entries there are, the next that was never used, and those before that are free.
    entries: u64,
    next_slot: u64,
    free_slots: BTreeSet<u64>,
}

/// The file system's disks, and what is on them.
#[derive(Clone, Debug, Persist)]
pub struct Volume {
    partition: u64,
    placement: Placement,
    disks: Vec<Disk>,
    files: FastMap<FileId, File>,
    next_inode: u32,
    free_inodes: BTreeSet<u32>,
}

impl Volume {
    /// An empty file system on disks of so many bytes each; none where they have no room for a partition.
    pub fn new(partition: u64, placement: Placement, disks: &[u64]) -> Option<Self> {
        let disk = |&bytes: &u64| {
            let metadata = (bytes / METADATA_BLOCK / METADATA_PART).max(LEAST_METADATA);
            let begin = (metadata * METADATA_BLOCK).next_multiple_of(partition.max(METADATA_BLOCK));
            let places = bytes.checked_sub(begin)? / partition;
            (places > 0).then(|| Disk { metadata, begin, places, next: 0, free: BTreeSet::new() })
        };
        let disks: Option<Vec<Disk>> = disks.iter().map(disk).collect();
        let disks = disks.filter(|disks| !disks.is_empty())?;
        let root = File { is_directory: true, ..File::default() };
        let files = FastMap::from_iter([(FileId::ROOT, root)]);
        Some(Self { partition, placement, disks, files, next_inode: 1, free_inodes: BTreeSet::new() })
    }

    /// How many disks there are.
    pub(super) fn disks(&self) -> u32 {
        as_number(self.disks.len())
    }

    /// A file's size, if there is one.
    pub(super) fn size(&self, file: FileId) -> Option<u64> {
        self.files.get(&file).map(|file| file.size)
    }

    /// Whether there is such a directory.
    pub(super) fn is_directory(&self, file: FileId) -> Option<bool> {
        self.files.get(&file).map(|file| file.is_directory)
    }

    /// The directory in which a file's name stands.
    pub(super) fn parent(&self, file: FileId) -> Option<FileId> {
        self.files.get(&file).map(|file| file.parent)
    }

    /// Where a byte of a file lies; nowhere in what was never written.
    pub(super) fn at(&self, file: FileId, offset: u64) -> Option<Position> {
        let &Partition { place: (disk, place), .. } =
            self.files.get(&file)?.partitions.get(&(offset / self.partition))?;
        Some((disk, self.disks[disk as usize].begin + place * self.partition + offset % self.partition))
    }

    /// How often a file's inode has been changed.
    pub(super) fn changes(&self, file: FileId) -> u64 {
        self.files.get(&file).map_or(0, |file| file.changes)
    }

    /// Whether a node that knows of so many changes of the inode knows where all of a range of bytes lies that lies
    /// anywhere: it has found the places itself, or has been told.
    pub(super) fn is_known(&self, file: FileId, (from, to): (u64, u64), (node, changes): (u32, u64)) -> bool {
        let numbers = from / self.partition..to.div_ceil(self.partition);
        self.files.get(&file).is_none_or(|there| {
            there.changes <= changes
                || there
                    .partitions
                    .range(numbers)
                    .all(|(_, partition)| partition.node == node || partition.change <= changes)
        })
    }

    /// A node works with a file: who comes first is its metanode.
    pub(super) fn elect(&mut self, file: FileId, node: u32) {
        if let Some(there) = self.files.get_mut(&file) {
            there.metanode.get_or_insert(node);
        }
    }

    /// Who reads and writes a file's inode, if it is there and anybody has worked with it.
    pub(super) fn metanode(&self, file: FileId) -> Option<u32> {
        self.files.get(&file)?.metanode
    }

    /// Where a file's inode lies.
    pub(super) fn inode_at(&self, file: FileId) -> Option<Position> {
        let inode = u64::from(self.files.get(&file)?.inode);
        let (disk, within) = (inode % self.disks.len() as u64, inode / self.disks.len() as u64);
        let metadata = self.disks[as_index(disk)].metadata;
        Some((as_number(disk), (metadata / MAP_PART + within) * METADATA_BLOCK))
    }

    /// Where a block of a directory's names lies: a hash says it.
    pub(super) fn names_at(&self, directory: FileId, block: u64) -> Position {
        let hash = mix(mix(u64::from(directory.0)) ^ block);
        let disk = as_number(hash % self.disks.len() as u64);
        let metadata = self.disks[disk as usize].metadata;
        let first = metadata / MAP_PART + metadata / INODES_PART;
        (disk, (first + (hash >> 32) % (metadata - first)) * METADATA_BLOCK)
    }

    /// Where a node's part of the allocation map lies.
    pub(super) fn map_at(&self, node: u32) -> Position {
        let (node, disks) = (u64::from(node), self.disks.len() as u64);
        let disk = node % disks;
        let blocks = self.disks[as_index(disk)].metadata / MAP_PART;
        (as_number(disk), (node / disks % blocks) * METADATA_BLOCK)
    }

    /// The block of a directory in which a file's name stands, or a new one would.
    pub(super) fn block_of_name(&self, directory: FileId, file: FileId) -> Option<u64> {
        let there = self.files.get(&directory)?;
        let slot = match self.files.get(&file) {
            Some(file) if file.parent == directory => file.slot,
            _ => there.free_slots.first().copied().unwrap_or(there.next_slot),
        };
        Some(slot / NAMES_IN_A_BLOCK)
    }

    /// Blocks of a directory's names.
    pub(super) fn blocks_of_names(&self, directory: FileId) -> u64 {
        self.files.get(&directory).map_or(0, |there| there.next_slot.div_ceil(NAMES_IN_A_BLOCK).max(1))
    }

    /// Makes an empty file, or a directory.
    pub(super) fn create(&mut self, file: FileId, parent: FileId, is_directory: bool) -> Result<(), Failure> {
        if self.files.contains_key(&file) {
            return Err(Failure::Exists);
        }
        if self.is_directory(parent) == Some(false) {
            return Err(Failure::NotADirectory);
        }
        let inodes = self.disks.iter().map(|disk| disk.metadata / INODES_PART).min().unwrap_or(0);
        let inode = match self.free_inodes.pop_first() {
            Some(inode) => inode,
            None if u64::from(self.next_inode) >= inodes * self.disks.len() as u64 => {
                return Err(Failure::NoInode);
            }
            None => {
                self.next_inode += 1;
                self.next_inode - 1
            }
        };
        let Some(slot) = self.take_slot(parent) else {
            self.free_inodes.insert(inode);
            return Err(Failure::NotFound);
        };
        self.files.insert(file, File { inode, is_directory, parent, slot, ..File::default() });
        Ok(())
    }

    fn take_slot(&mut self, directory: FileId) -> Option<u64> {
        let there = self.files.get_mut(&directory)?;
        there.entries += 1;
        Some(there.free_slots.pop_first().unwrap_or_else(|| {
            there.next_slot += 1;
            there.next_slot - 1
        }))
    }

    fn give_slot_back(&mut self, directory: FileId, slot: u64) {
        if let Some(there) = self.files.get_mut(&directory) {
            there.entries = there.entries.saturating_sub(1);
            there.free_slots.insert(slot);
        }
    }

    /// Takes a file away, or an empty directory.
    pub(super) fn remove(&mut self, file: FileId, is_directory: bool) -> Result<(), Failure> {
        let there = self.files.get(&file).ok_or(Failure::NotFound)?;
        match (there.is_directory, is_directory) {
            (true, false) => return Err(Failure::IsADirectory),
            (false, true) => return Err(Failure::NotADirectory),
            _ if there.entries > 0 => return Err(Failure::NotEmpty),
            _ if file == FileId::ROOT => return Err(Failure::Misplaced),
            _ => {}
        }
        self.truncate(file, 0)?;
        if let Some(File { inode, parent, slot, .. }) = self.files.remove(&file) {
            self.free_inodes.insert(inode);
            self.give_slot_back(parent, slot);
        }
        Ok(())
    }

    /// Moves a file into a directory, in place of another where one is named.
    pub(super) fn rename(
        &mut self,
        file: FileId,
        parent: FileId,
        replaced: Option<FileId>,
    ) -> Result<(), Failure> {
        let moved = self.files.get(&file).ok_or(Failure::NotFound)?;
        let (old_parent, old_slot, is_directory) = (moved.parent, moved.slot, moved.is_directory);
        if self.is_directory(parent) != Some(true) {
            return Err(if self.files.contains_key(&parent) {
                Failure::NotADirectory
            } else {
                Failure::NotFound
            });
        }
        if is_directory && (file == FileId::ROOT || self.lies_within(parent, file)) {
            return Err(Failure::Misplaced);
        }
        if let Some(replaced) = replaced.filter(|&replaced| replaced != file) {
            self.remove(replaced, is_directory)?;
        }
        self.give_slot_back(old_parent, old_slot);
        let slot = self.take_slot(parent).ok_or(Failure::NotFound)?;
        if let Some(moved) = self.files.get_mut(&file) {
            (moved.parent, moved.slot) = (parent, slot);
        }
        Ok(())
    }

    fn lies_within(&self, mut directory: FileId, outer: FileId) -> bool {
        while directory != outer {
            match self.files.get(&directory) {
                Some(there) if directory != FileId::ROOT => directory = there.parent,
                _ => return false,
            }
        }
        true
    }

    /// Sets a file's length; what lies beyond it is free.
    pub(super) fn truncate(&mut self, file: FileId, size: u64) -> Result<(), Failure> {
        let there = self.files.get_mut(&file).ok_or(Failure::NotFound)?;
        there.size = size;
        there.changes += 1;
        let beyond = there.partitions.split_off(&size.div_ceil(self.partition));
        for Partition { place: (disk, place), .. } in beyond.into_values() {
            self.disks[disk as usize].free.insert(place);
        }
        Ok(())
    }

    /// Finds places for those partitions of a range of bytes that have none; whether there were any. Nobody else needs to
    /// learn of places that no node found: they are there when a run begins.
    pub(super) fn allocate(
        &mut self,
        file: FileId,
        (offset, end): (u64, u64),
        node: Option<u32>,
    ) -> Result<bool, Failure> {
        let Self { partition, placement, disks, files, .. } = self;
        let there = files.get_mut(&file).ok_or(Failure::NotFound)?;
        if there.is_directory {
            return Err(Failure::IsADirectory);
        }
        let change = there.changes + u64::from(node.is_some());
        let node = node.unwrap_or(u32::MAX);
        let mut found = false;
        for number in offset / *partition..end.div_ceil(*partition) {
            if there.partitions.contains_key(&number) {
                continue;
            }
            let first = placement.disk(file, number, as_number(disks.len()));
            let place = take_place(disks, first).ok_or(Failure::NoSpace)?;
            there.partitions.insert(number, Partition { place, node, change });
            there.changes = change;
            found = true;
        }
        Ok(found)
    }

    /// A file is at least this long; whether it wasn't.
    pub(super) fn grow(&mut self, file: FileId, size: u64) -> bool {
        let Some(there) = self.files.get_mut(&file).filter(|there| there.size < size) else { return false };
        there.size = size;
        there.changes += 1;
        true
    }

    /// A file that is there when a run begins, with all of its partitions.
    ///
    /// # Errors
    /// No room, no inode, no such directory.
    pub fn lay(
        &mut self,
        file: FileId,
        parent: FileId,
        (is_directory, size): (bool, u64),
    ) -> Result<(), Failure> {
        match self.create(file, parent, is_directory) {
            Ok(()) if !is_directory => {
                self.allocate(file, (0, size), None)?;
                if let Some(there) = self.files.get_mut(&file) {
                    there.size = size;
                }
                Ok(())
            }
            // Several processes name the same.
            Err(Failure::Exists) if self.is_directory(file) == Some(is_directory) => Ok(()),
            result => result,
        }
    }

    /// Places that are taken.
    #[cfg(test)]
    pub(super) fn taken(&self) -> u64 {
        self.disks.iter().map(|disk| disk.next - disk.free.len() as u64).sum()
    }
}

/// The first free place of a disk, or else of the next one that has any.
fn take_place(disks: &mut [Disk], first: u32) -> Option<Place> {
    let count = as_number(disks.len());
    (0..count).map(|after| (first + after) % count).find_map(|number| {
        let disk = disks.get_mut(number as usize)?;
        if let Some(place) = disk.free.pop_first() {
            return Some((number, place));
        }
        (disk.next < disk.places).then(|| {
            disk.next += 1;
            (number, disk.next - 1)
        })
    })
}
