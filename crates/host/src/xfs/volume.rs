//! An XFS volume: the files on it, where they lie, and what changes of them log.
//!
//! Pure state, without nets and without time, like that of ext3 and ext4.

use super::directory::Directory;
use super::fork::{Fork, Kind};
use super::geometry::Geometry;
use super::group::{Group, cluster};
use super::items::{Buffer, Changes};
use super::parameters::XfsParameters;
use super::rare::Rare;
use crate::file_system::{FileError, FormatError, Mapping, Segment};
use crate::shared_slots::SharedSlots;
use petrio_colours::FileId;
use petrio_persist::Persist;
use std::sync::Arc;

/// Inodes of a group are numbered from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Number {
    pub(super) group: u32,
    pub(super) inode: u64,
}

/// A file or directory.
#[derive(Clone, Debug, Persist)]
pub(super) struct Inode {
    pub(super) number: Number,
    pub(super) parent: FileId,
    /// Stands for its name, and where that is in its directory.
    pub(super) hash: u32,
    pub(super) place: u32,
    /// Its size in bytes, as a write has it, and as it stands in the inode.
    pub(super) size: u64,
    pub(super) disk_size: u64,
    pub(super) fork: Fork,
    pub(super) directory: Option<Box<Directory>>,
    /// How often it is held open against removal.
    pub(super) holders: u32,
    /// Whether its last name is gone.
    pub(super) orphan: bool,
    /// Whether blocks behind its end were given back once (XFS_EOFBLOCKS_RELEASED).
    pub(super) trimmed: bool,
}

impl Inode {
    pub(super) fn new(number: Number, parent: FileId, hash: u32) -> Self {
        Self {
            number,
            parent,
            hash,
            place: 0,
            size: 0,
            disk_size: 0,
            fork: Fork::default(),
            directory: None,
            holders: 0,
            orphan: false,
            trimmed: false,
        }
    }

    /// Bytes of its fork in the inode.
    pub(super) fn fork_bytes(&self) -> u64 {
        let inline = self.directory.as_deref().and_then(Directory::inline_bytes);
        inline.unwrap_or_else(|| self.fork.bytes())
    }
}

/// An XFS file system on a device.
#[derive(Clone, Debug, Persist)]
pub struct XfsVolume {
    #[persist(keep)]
    pub(super) parameters: XfsParameters,
    pub(super) geometry: Geometry,
    pub(super) groups: Vec<Arc<Group>>,
    pub(super) files: SharedSlots<Inode>,
    /// The group of the next directory (`m_agirotor`).
    pub(super) rotor: u32,
    /// Blocks promised to data that are written back later, of all files.
    pub(super) delayed: u64,
    /// Names given so far, so that a new name has a new hash.
    pub(super) names: u64,
    /// Inodes that are to be removed yet (`xfs_inodegc_worker`).
    pub(super) inactive: Vec<FileId>,
    /// Where the next blocks of a prepared file go instead of behind the last ones.
    pub(super) scatter: Option<u64>,
    /// What few files have.
    pub(super) rare: Rare,
}

impl XfsVolume {
    /// The memory that each of its files takes, in bytes.
    pub const BYTES_OF_A_FILE: usize =
        size_of::<Option<Arc<Inode>>>() + size_of::<Inode>() + 6 * size_of::<usize>();

    /// A fresh file system on a device of so many blocks of 4 KiB, as mkfs.xfs makes it.
    ///
    /// # Errors
    /// When the device is too small, or a parameter out of its range.
    pub fn format(parameters: &XfsParameters, device_blocks_4k: u64) -> Result<Self, FormatError> {
        let geometry = parameters.geometry(device_blocks_4k)?;
        let mut groups: Vec<Group> = (0..geometry.groups).map(|group| Group::new(&geometry, group)).collect();
        let root = groups.first_mut().and_then(Group::make_root);
        let Some(root) = root else {
            return Err(FormatError::TooSmall { blocks: device_blocks_4k, needed: geometry.blocks });
        };
        let mut inode = Inode::new(Number { group: 0, inode: root }, FileId::ROOT, 0);
        inode.directory = Some(Box::default());
        let mut files = SharedSlots::default();
        files.put(0, Arc::new(inode));
        Ok(Self {
            parameters: parameters.clone(),
            geometry,
            groups: groups.into_iter().map(Arc::new).collect(),
            files,
            rotor: 0,
            delayed: 0,
            names: 0,
            inactive: Vec::new(),
            scatter: None,
            rare: Rare::new(),
        })
    }

    /// What it was made with.
    #[must_use]
    pub const fn parameters(&self) -> &XfsParameters {
        &self.parameters
    }

    /// Where everything is.
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Blocks that data may get.
    #[must_use]
    pub fn free_blocks(&self) -> u64 {
        self.groups.iter().map(|group| group.available()).sum::<u64>().saturating_sub(self.delayed)
    }

    /// A file's size in bytes; 0 where there is none.
    #[must_use]
    pub fn size(&self, file: FileId) -> u64 {
        self.get(file).map_or(0, |inode| inode.size)
    }

    /// Whether it is a directory.
    #[must_use]
    pub fn is_directory(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|inode| inode.directory.is_some())
    }

    /// Whether there is such a file with a name.
    #[must_use]
    pub fn exists(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|inode| !inode.orphan)
    }

    /// The directory that a file is, or was, in.
    #[must_use]
    pub fn parent(&self, file: FileId) -> Option<FileId> {
        self.get(file).map(|inode| inode.parent)
    }

    /// The buffers that must be in memory before a file gets blocks, or gives some back.
    pub fn needs_space(&self, file: FileId, needs: impl FnMut(Buffer)) {
        if let Some(inode) = self.get(file) {
            self.groups[inode.number.group as usize].needs_space(needs);
        }
    }

    /// The group of a file's inode.
    #[must_use]
    pub fn group_of(&self, file: FileId) -> Option<u32> {
        self.get(file).map(|inode| inode.number.group)
    }

    /// A file's extents.
    #[must_use]
    pub fn fork(&self, file: FileId) -> Option<&Fork> {
        self.get(file).map(|inode| &inode.fork)
    }

    /// The cluster that a file's inode lies in.
    #[must_use]
    pub fn cluster(&self, file: FileId) -> Option<Buffer> {
        let inode = self.get(file)?;
        Some(cluster(&self.geometry, inode.number.group, inode.number.inode))
    }

    /// Where the file's blocks `first .. first + count` lie; what is promised only is a hole. A file that isn't there is one hole.
    pub fn map(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.map_as(file, (first, count), false, out);
    }

    /// The same for a read: blocks that hold no data are a hole, too.
    pub fn map_data(&self, file: FileId, first: u64, count: u64, out: &mut Mapping) {
        self.map_as(file, (first, count), true, out);
    }

    fn map_as(&self, file: FileId, (first, count): (u64, u64), skips: bool, out: &mut Mapping) {
        out.clear();
        let end = first.saturating_add(count);
        let Some(inode) = self.get(file) else {
            if first < end {
                out.segments.push(Segment { first, block: None, count });
            }
            return;
        };
        let mut at = first;
        for extent in &inode.fork.extents()[inode.fork.index(first)..] {
            if extent.first >= end {
                break;
            }
            let (from, to) = (extent.first.max(first), extent.end().min(end));
            let is_hole = skips && matches!(extent.kind, Kind::Unwritten(_));
            let Some(block) = extent.kind.block().filter(|_| !is_hole) else { continue };
            if at < from {
                out.segments.push(Segment { first: at, block: None, count: from - at });
            }
            let block = block + (from - extent.first);
            match out.segments.last_mut() {
                // What holds data and what doesn't yet lie side by side.
                Some(last) if last.block.map(|block| block + last.count) == Some(block) => {
                    last.count += to - from;
                }
                _ => out.segments.push(Segment { first: from, block: Some(block), count: to - from }),
            }
            at = to;
        }
        if at < end {
            out.segments.push(Segment { first: at, block: None, count: end - at });
        }
        // The whole tree is read before anything of it is looked up (`xfs_iread_extents`).
        out.metadata.extend(inode.fork.leaves.iter().map(|&leaf| (first, leaf)));
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

    #[inline]
    pub(super) fn get_mut(&mut self, file: FileId) -> Option<&mut Inode> {
        self.files.get_mut(file.0 as usize)
    }

    /// The first run of blocks in `first .. end`, of one group, that nobody uses: where it begins, and how many.
    pub(super) fn free_run(&self, first: u64, end: u64) -> Option<(u64, u64)> {
        let group = self.geometry.group_of(first);
        let start = self.geometry.group_start(group);
        let run = self.groups[group as usize].space.free_run(first - start, end - start);
        run.map(|(at, count)| (start + at, count))
    }

    pub(super) fn group_mut(&mut self, group: u32) -> &mut Group {
        Arc::make_mut(&mut self.groups[group as usize])
    }

    /// An inode's times were changed.
    pub fn touch_inode(&self, file: FileId, changes: &mut Changes) {
        if self.get(file).is_some() {
            changes.core(file);
        }
    }

    /// Sets a file's size after a write that made it longer.
    pub fn grow(&mut self, file: FileId, size: u64) {
        if let Some(inode) = self.get(file)
            && inode.size < size
            && let Some(inode) = self.get_mut(file)
        {
            inode.size = size;
        }
    }
}
