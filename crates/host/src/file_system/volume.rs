//! A volume: the files on it, where their blocks lie, and which metadata blocks hold what.

use super::bitmap::Bitmaps;
use super::directory::{Change, Directory, Room};
use super::error::{FileError, FormatError};
use super::extents::{Extents, LONGEST};
use super::geometry::{DIRECT, Geometry, ROOT_INODE};
use super::indirect::{Branch, Indirect};
use super::inodes::{Inodes, LaggingCount, ParentPlace};
use super::parameters::{Allocation, BLOCK_SIZE, Family, FileSystemParameters};
use super::rare::{Attributes, Rare};
use super::touched::{Mapping, Segment, Touched};
use crate::shared_slots::SharedSlots;
use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// Blocks that are kept for one file (or, of multi-block allocation, for all small ones) before they are used.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Window {
    /// The next of them.
    pub(super) next: u64,
    /// How many are left.
    pub(super) left: u64,
    /// The block of the file that `next` is for; multi-block allocation only.
    pub(super) logical: u64,
    /// How many blocks the next window is to have; reservation only.
    pub(super) goal: u32,
    /// How many of this window were used; reservation only.
    pub(super) used: u32,
}

/// What is kept for a file that is being written.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Reserve {
    /// Reservation only.
    pub(super) window: Window,
    /// Multi-block allocation of files with indirect blocks: the block of the file up to which those windows reach that began before what was
    /// asked for.
    pub(super) kept_end: u64,
    /// All that is kept of multi-block allocation: each piece for blocks of the file of its own.
    pub(super) pieces: Vec<Window>,
}

/// A file or directory. There are millions of them: what only few have at a time lies elsewhere.
#[derive(Clone, Debug, Persist)]
pub(super) struct Inode {
    /// Its number in the inode tables, from 1.
    pub(super) number: u32,
    pub(super) parent: FileId,
    /// Stands for its name.
    pub(super) hash: u32,
    pub(super) size: u64,
    pub(super) extents: Extents,
    pub(super) indirect: Indirect,
    /// None where nothing is kept.
    pub(super) reserve: Option<Box<Reserve>>,
    /// Which sixteenth of a group a file without blocks begins in: the process that made it (ext4_inode_to_goal_block).
    pub(super) colour: u32,
    pub(super) directory: Option<Box<Directory>>,
    /// The group in which this directory last made an inode.
    pub(super) last_group: Option<u32>,
    /// How often it is held open against removal.
    pub(super) holders: u32,
    /// Whether its last name is gone.
    pub(super) orphan: bool,
}

/// A file system on a device: pure state, without time. See the [module](super) for what it models.
#[derive(Clone, Debug, Persist)]
pub struct Volume {
    #[persist(keep)]
    pub(super) parameters: FileSystemParameters,
    pub(super) allocation: Allocation,
    pub(super) geometry: Geometry,
    /// Blocks that are in use or in somebody's window.
    pub(super) taken: Bitmaps,
    /// Blocks that are in windows.
    pub(super) windowed: u64,
    pub(super) free_seen: LaggingCount,
    pub(super) inodes: Inodes,
    pub(super) files: SharedSlots<Inode>,
    /// The chunk that small files share, and the group where the last large allocation was; multi-block only.
    pub(super) small: Window,
    pub(super) stream: u32,
    /// Inodes without a name that aren't removed yet (the orphan list).
    pub(super) orphans: u32,
    /// Names given so far, so that a new name has a new hash.
    pub(super) names: u64,
    /// Where the next blocks of a prepared file go instead of behind the last ones.
    pub(super) scatter: Option<u64>,
    /// What few files have.
    pub(super) rare: Rare,
    pub(super) attributes: Attributes,
    /// Groups whose bitmaps were never written (BLOCK_UNINIT and INODE_UNINIT, which ext4's descriptors have).
    pub(super) unwritten: Vec<Unwritten>,
    pub(super) scratch: Scratch,
}

/// Lists that operations fill and empty again, kept so that nothing is allocated in a steady state.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Scratch {
    pub(super) data: Vec<(u64, u64)>,
    pub(super) tree: Vec<u64>,
    pub(super) change: Change,
}

/// Which bitmaps of a group the kernel makes up in memory instead of reading them.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Unwritten {
    pub(super) blocks: bool,
    pub(super) inodes: bool,
}

/// The superblock, which also heads the list of orphans.
pub(super) const SUPERBLOCK: u64 = 0;

impl Volume {
    /// The memory that each of its files takes, in bytes: its inode with what counts its owners and what the allocator
    /// adds, its slot, and its entry in a directory, whose list has grown by doubling.
    pub const BYTES_OF_A_FILE: usize = size_of::<Option<Arc<Inode>>>()
        + size_of::<Inode>()
        + 4 * size_of::<usize>()
        + 2 * size_of::<(u32, FileId)>();

    /// A fresh file system on a device of so many blocks of 4 KiB, as mke2fs makes it: root directory and lost+found.
    ///
    /// # Errors
    ///
    /// When a parameter is out of its range, or the device too small or too large.
    ///
    /// ```
    /// use petrio_host::file_system::{FileSystemParameters, Volume};
    /// // An ext3 of 1 GiB: `dumpe2fs` says the same.
    /// let volume = Volume::format(&FileSystemParameters::default(), 262_144)?;
    /// assert_eq!(volume.free_blocks(), 249_500);
    /// assert_eq!(volume.journal().start, 585);
    /// # Ok::<(), petrio_host::file_system::FormatError>(())
    /// ```
    pub fn format(parameters: &FileSystemParameters, device_blocks_4k: u64) -> Result<Self, FormatError> {
        let geometry = Geometry::new(parameters, device_blocks_4k)?;
        let taken =
            Bitmaps::new(geometry.blocks_per_group, geometry.blocks, |group| geometry.lead[group as usize]);
        let inodes = Inodes::new(&geometry);
        let mut root = Inode::new(parameters, ROOT_INODE, FileId::ROOT, 0, 0);
        root.directory = Some(Box::new(Directory::new(1)));
        root.extents.insert(0, geometry.root, 1, false);
        root.size = BLOCK_SIZE;
        let mut files = SharedSlots::default();
        files.put(0, Arc::new(root));
        Ok(Self {
            parameters: parameters.clone(),
            allocation: parameters.allocation(),
            free_seen: LaggingCount::new(taken.free()),
            taken,
            windowed: 0,
            inodes,
            files,
            small: Window::default(),
            stream: 0,
            orphans: 0,
            names: 0,
            scatter: None,
            rare: Rare::new(),
            attributes: Attributes::new(),
            scratch: Scratch::default(),
            unwritten: match parameters.family {
                Family::Ext3 => vec![Unwritten::default(); geometry.groups as usize],
                Family::Ext4 => (0..geometry.groups)
                    .map(|group| Unwritten {
                        blocks: geometry.block_bitmap_is_unwritten(group),
                        inodes: group > 0,
                    })
                    .collect(),
            },
            geometry,
        })
    }

    /// What it was made with.
    pub fn parameters(&self) -> &FileSystemParameters {
        &self.parameters
    }

    /// The blocks of the journal.
    pub fn journal(&self) -> Range<u64> {
        self.geometry.journal.clone()
    }

    /// The group that a file's inode lies in.
    pub fn group_of(&self, file: FileId) -> Option<u32> {
        self.get(file).map(|inode| self.geometry.group_of_inode(inode.number))
    }

    /// The group that a block lies in.
    pub fn group_of_block(&self, block: u64) -> u32 {
        self.geometry.group_of_block(block)
    }

    /// All blocks of the volume.
    pub fn blocks(&self) -> u64 {
        self.geometry.blocks
    }

    /// Blocks that no file and no metadata use.
    pub fn free_blocks(&self) -> u64 {
        self.taken.free() + self.windowed
    }

    /// The first run of blocks that nobody uses or keeps and that begins in `first .. end`, to its end in its group: where it begins, and
    /// how many.
    pub fn free_within(&self, first: u64, end: u64) -> Option<(u64, u64)> {
        self.taken.free_run(first, end.min(self.geometry.blocks))
    }

    /// Inodes that are free.
    pub fn free_inodes(&self) -> u64 {
        self.inodes.bitmaps.free()
    }

    /// The groups' block bitmaps that lie on the device, and aren't made up in memory.
    pub fn block_bitmaps(&self) -> impl Iterator<Item = u64> + '_ {
        let written = self.unwritten.iter().enumerate().filter(|(_, unwritten)| !unwritten.blocks);
        written.map(|(group, _)| self.geometry.block_bitmap(as_number(group)))
    }

    /// The superblock's block.
    pub fn superblock(&self) -> u64 {
        SUPERBLOCK
    }

    /// A file's size in bytes; 0 where there is none.
    pub fn size(&self, file: FileId) -> u64 {
        self.get(file).map_or(0, |inode| inode.size)
    }

    /// Whether it is a directory.
    pub fn is_directory(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|inode| inode.directory.is_some())
    }

    /// Whether there is such a file with a name.
    pub fn exists(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|inode| !inode.orphan)
    }

    /// The directory that a file is in; the root is in itself. None where there is no such file.
    pub fn parent(&self, file: FileId) -> Option<FileId> {
        self.get(file).map(|inode| inode.parent)
    }

    /// Blocks of data and metadata of the file's own: what `stat` counts in units of 512 bytes.
    pub fn blocks_of(&self, file: FileId) -> u64 {
        self.get(file).map_or(0, |inode| {
            let metadata = match self.parameters.family {
                Family::Ext3 => inode.indirect.all().count(),
                Family::Ext4 => inode.extents.all_nodes().count(),
            };
            inode.extents.blocks() + metadata as u64
        })
    }

    /// The block of the inode table that holds the file's inode; the root's where there is no such file.
    pub fn inode_block(&self, file: FileId) -> u64 {
        self.geometry.inode_block(self.get(file).map_or(ROOT_INODE, |inode| inode.number))
    }

    /// The blocks of the inode table that are read around a file's: `ahead` of them from a multiple of that on, as far as inodes
    /// were ever in use (`__ext4_get_inode_loc` of fs/ext4/inode.c).
    pub fn inode_ahead(&self, file: FileId, ahead: u64) -> RangeInclusive<u64> {
        let number = self.get(file).map_or(ROOT_INODE, |inode| inode.number);
        let group = self.geometry.group_of_inode(number);
        let table = self.geometry.inode_table(group);
        let first = (self.geometry.inode_block(number) / ahead * ahead).max(table);
        let reached = table + u64::from(self.inodes.reached(group) / self.geometry.inodes_per_block);
        first..=(first + ahead).min(reached)
    }

    /// Sets a file's size after a write that made it longer; a shorter one is left to
    /// [`Operation::Truncate`](petrio_colours::Operation).
    pub fn grow(&mut self, file: FileId, size: u64) {
        if let Some(inode) = self.files.get_mut(file.0 as usize) {
            inode.size = inode.size.max(size);
        }
    }

    /// What a change of the inode touches: times or size.
    pub fn touch_inode(&self, file: FileId, touched: &mut Touched) {
        if let Some(inode) = self.get(file) {
            touched.update(self.geometry.inode_block(inode.number));
            // ext4_dirty_inode starts a handle of two blocks.
            touched.credits += 2;
        }
    }

    /// Where the file's blocks `first .. first + count` lie, and which metadata must be in memory to know it. A file
    /// that isn't there is one hole.
    pub fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.map_as(file, (first, count), false, out);
    }

    /// The same for a read: blocks that hold no data are a hole.
    pub fn map_data(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        let skips = self.get(file).is_some_and(|inode| inode.extents.has_unwritten());
        self.map_as(file, (first, count), skips, out);
    }

    fn map_as(&self, file: FileId, (first, count): (u64, u64), skips: bool, out: &mut Mapping) {
        out.clear();
        let end = first.saturating_add(count);
        if first >= end {
            return;
        }
        let Some(inode) = self.get(file) else {
            out.segments.push(Segment { first, block: None, count });
            return;
        };
        if count == 1 && !skips {
            inode.map_one(self.parameters.family, first, out);
            return;
        }
        let mut at = first;
        inode.extents.walk(first, |extent| {
            if extent.end() <= at {
                return true;
            }
            if extent.first >= end {
                return false;
            }
            if extent.first > at {
                out.segments.push(Segment { first: at, block: None, count: extent.first - at });
                at = extent.first;
            }
            let count = extent.end().min(end) - at;
            let block = Some(extent.block + (at - extent.first)).filter(|_| !(skips && extent.unwritten));
            out.segments.push(Segment { first: at, block, count });
            at += count;
            at < end
        });
        if at < end {
            out.segments.push(Segment { first: at, block: None, count: end - at });
        }
        match self.parameters.family {
            Family::Ext3 => inode.indirect_needed(first, end, &mut out.metadata),
            Family::Ext4 => {
                let mut above = None;
                inode.extents.nodes(first, end, |from, index, leaf| {
                    if index.is_some() && index != above {
                        out.metadata.extend(index.map(|index| (from, index)));
                        above = index;
                    }
                    out.metadata.push((from, leaf));
                });
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, file: FileId) -> Option<&Inode> {
        self.files.get(file.0 as usize)
    }

    pub(super) fn find(&self, file: FileId) -> Result<&Inode, FileError> {
        self.get(file).filter(|inode| !inode.orphan).ok_or(FileError::NotFound { file })
    }

    pub(super) fn directory(&self, file: FileId) -> Result<&Directory, FileError> {
        self.find(file)?.directory.as_deref().ok_or(FileError::NotADirectory { file })
    }

    pub(super) fn put(&mut self, file: FileId, inode: Arc<Inode>) {
        self.files.put(file.0 as usize, inode);
    }

    pub(super) fn parent_place(&self, parent: FileId) -> Result<ParentPlace, FileError> {
        let inode = self.find(parent)?;
        Ok(ParentPlace {
            inode: inode.number,
            group: self.geometry.group_of_inode(inode.number),
            top: parent == FileId::ROOT,
            last: inode.last_group,
        })
    }

    pub(super) fn room(&self) -> Room {
        Room {
            entry: self.parameters.entry_bytes(),
            // metadata_csum, which mke2fs gives to ext4 only: 12 bytes at the end of a directory block.
            tail: if self.parameters.family == Family::Ext4 { 12 } else { 0 },
            hashed: self.parameters.dir_index,
        }
    }
}

impl Inode {
    pub(super) fn new(
        parameters: &FileSystemParameters,
        number: u32,
        parent: FileId,
        hash: u32,
        colour: u32,
    ) -> Self {
        let longest = match parameters.family {
            Family::Ext3 => u32::MAX / 2,
            Family::Ext4 => LONGEST,
        };
        Self {
            number,
            parent,
            hash,
            size: 0,
            extents: Extents::new(longest),
            indirect: Indirect::default(),
            reserve: None,
            colour,
            directory: None,
            last_group: None,
            holders: 0,
            orphan: false,
        }
    }

    /// What is kept for it, to be added to.
    pub(super) fn reserve(&mut self, parameters: &FileSystemParameters) -> &mut Reserve {
        self.reserve.get_or_insert_with(|| {
            let window = Window { goal: parameters.reservation, ..Window::default() };
            Box::new(Reserve { window, ..Reserve::default() })
        })
    }

    /// What [`Volume::map`] answers for a single block: the case that is asked for most.
    #[inline]
    fn map_one(&self, family: Family, at: u64, out: &mut Mapping) {
        out.segments.push(Segment { first: at, block: self.block(at), count: 1 });
        let above = match family {
            Family::Ext3 if at < DIRECT => return,
            Family::Ext3 => self.indirect.of(Branch::to(at)),
            Family::Ext4 => {
                let (index, leaf) = self.extents.nodes_above(at);
                [None, index, leaf]
            }
        };
        for block in above.into_iter().flatten() {
            out.metadata.push((at, block));
        }
    }

    /// The volume's block of a block of the file.
    #[inline]
    pub(super) fn block(&self, at: u64) -> Option<u64> {
        let extent = self.extents.before(at)?;
        let step = at - extent.first;
        (step < u64::from(extent.count)).then_some(extent.block + step)
    }

    fn indirect_needed(&self, first: u64, end: u64, out: &mut Vec<(u64, u64)>) {
        let mut at = first;
        let mut above = [None; 2];
        while at < end {
            let branch = Branch::to(at);
            let [top, middle, lowest] = self.indirect.of(branch);
            for (seen, block) in above.iter_mut().zip([top, middle]) {
                if block.is_some() && block != *seen {
                    out.extend(block.map(|block| (at, block)));
                    *seen = block;
                }
            }
            out.extend(lowest.map(|block| (at, block)));
            at = branch.end();
        }
    }
}
