//! The files of a Unix host: how long they are, where they lie, how they are being read.

use super::layout::Layout;
use super::over_nfs::OverNfs;
use super::parameters::{UnixError, UnixParameters};
use crate::FileLayout;
use petrio_colours::{FileId, PlacedExtent, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::as_index;
use std::collections::BTreeMap;

/// A file as the host is told of it before the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnixFile {
    /// The file.
    pub file: FileId,
    /// The directory that it is in.
    pub parent: FileId,
    /// Whether it is a directory itself.
    pub directory: bool,
    /// Whether it is there when the run begins.
    pub present: bool,
    /// Its size in bytes when the run begins.
    pub size: u64,
    /// Whether it is in the buffers then, as if it had just been read; where they don't hold all that is, the last ones are.
    pub cached: bool,
    /// Where it lies or will lie, as recorded; the rest is allocated. In order, without overlaps.
    pub extents: Vec<PlacedExtent>,
}

/// A file system of a host.
#[derive(Clone, Copy, Debug)]
pub struct UnixFileSystem<'a> {
    /// What it is called where something is wrong with one of several.
    pub name: &'a str,
    /// Blocks of 512 bytes of its device.
    pub device_blocks: u64,
    /// The files that are or will be on it; their numbers are its own.
    pub files: &'a [UnixFile],
    /// Of a file system of another host, how it is mounted.
    pub over: Option<&'a OverNfs>,
}

/// Blocks of a file that its inode points to itself (NDADDR).
const DIRECT: u64 = 12;

/// Bytes of an address in an indirect block.
const ADDRESS: u64 = 4;

/// How many indirect blocks a file of so many blocks has.
const fn indirect_of(blocks: u64, block_bytes: u64) -> u64 {
    blocks.saturating_sub(DIRECT).div_ceil(block_bytes / ADDRESS)
}

/// A file in the run.
#[derive(Clone, Debug, Default, Persist)]
struct File {
    size: u64,
    group: u32,
    placed: Vec<PlacedExtent>,
    /// Address of each block that was allocated; zero where none was.
    blocks: Vec<u64>,
    /// Of each indirect block that has a place, that place, by its number.
    indirect: BTreeMap<u64, u64>,
}

/// Where files lie on the file system of a host that are there when the run begins.
///
/// # Errors
/// See [`UnixError`].
pub fn unix_1990_layout(
    parameters: &UnixParameters,
    device_blocks: u64,
    files: &[UnixFile],
) -> Result<FileLayout, UnixError> {
    Ok(Files::new(Layout::new(parameters, device_blocks)?, files)?.layout(files))
}

/// All files.
#[derive(Clone, Debug, Persist)]
pub(super) struct Files {
    pub(super) layout: Layout,
    files: FastMap<FileId, File>,
    /// The cylinder group of each directory.
    groups: FastMap<FileId, u32>,
}

impl Files {
    pub(super) fn new(layout: Layout, known: &[UnixFile]) -> Result<Self, UnixError> {
        let mut files = Self { layout, files: FastMap::default(), groups: FastMap::default() };
        for file in known {
            if file.directory {
                files.make_directory(file.file);
                continue;
            }
            let group = files.group_of(file.parent);
            let entry = File { size: 0, group, placed: file.extents.clone(), ..File::default() };
            files.files.insert(file.file, entry);
            if file.present {
                files.grow(file.file, file.size)?;
            }
        }
        Ok(files)
    }

    /// Bytes of a file; zero for one that isn't known.
    pub(super) fn size(&self, file: FileId) -> u64 {
        self.files.get(&file).map_or(0, |file| file.size)
    }

    fn group_of(&mut self, directory: FileId) -> u32 {
        match self.groups.get(&directory) {
            Some(&group) => group,
            None => self.make_directory(directory),
        }
    }

    /// A directory goes to the emptiest cylinder group.
    pub(super) fn make_directory(&mut self, directory: FileId) -> u32 {
        let group = self.layout.emptiest_group();
        self.groups.insert(directory, group);
        group
    }

    /// Makes an empty file, unless it is there.
    pub(super) fn create(&mut self, file: FileId, parent: FileId) {
        let group = self.group_of(parent);
        let entry = self.files.entry(file).or_default();
        entry.group = group;
    }

    /// Makes a file at least so long.
    pub(super) fn grow(&mut self, file: FileId, size: u64) -> Result<(), UnixError> {
        let block_bytes = self.layout.block_bytes();
        let entry = self.files.entry(file).or_default();
        if size <= entry.size {
            return Ok(());
        }
        let (first, end) = (entry.size / block_bytes, size.div_ceil(block_bytes));
        entry.size = size;
        for block in first..end {
            if entry.known(block, block_bytes).is_some() {
                continue;
            }
            let before = block.checked_sub(1).and_then(|before| entry.blocks.get(as_index(before))).copied();
            let Some(address) = self.layout.allocate(entry.group, block, before.filter(|&at| at > 0)) else {
                return Err(UnixError::Full { blocks: self.layout.blocks() });
            };
            if entry.blocks.len() <= as_index(block) {
                entry.blocks.resize(as_index(block) + 1, 0);
            }
            entry.blocks[as_index(block)] = address;
        }
        Ok(())
    }

    /// Cuts a file to a length.
    pub(super) fn cut(&mut self, file: FileId, size: u64) {
        let block_bytes = self.layout.block_bytes();
        let Some(entry) = self.files.get_mut(&file) else { return };
        entry.size = entry.size.min(size);
        let keep = as_index(size.div_ceil(block_bytes));
        if keep < entry.blocks.len() {
            for address in entry.blocks.drain(keep..).filter(|&address| address > 0) {
                self.layout.release(address);
            }
        }
        let first = indirect_of(size.div_ceil(block_bytes), block_bytes);
        for address in entry.indirect.split_off(&first).into_values() {
            self.layout.release(address);
        }
    }

    /// Whether a block is pointed to by an indirect one.
    pub(super) const fn is_behind_indirect(&self, block: u64) -> bool {
        block >= DIRECT
    }

    /// Where the indirect block lies that points to a block: in a place of its own from now on; none where there is no room for it.
    pub(super) fn indirect(&mut self, file: FileId, block: u64) -> Option<u64> {
        let number = indirect_of(block + 1, self.layout.block_bytes()).checked_sub(1)?;
        let entry = self.files.entry(file).or_default();
        if let Some(&address) = entry.indirect.get(&number) {
            return Some(address);
        }
        let address = self.layout.allocate(entry.group, 0, None)?;
        entry.indirect.insert(number, address);
        Some(address)
    }

    /// Where a block lies: its address and length in device blocks. A file's last block ends with its last fragment.
    pub(super) fn place(&self, file: FileId, block: u64) -> Option<(u64, u32)> {
        let entry = self.files.get(&file)?;
        let block_bytes = self.layout.block_bytes();
        let address = entry.known(block, block_bytes)?;
        let end = entry.size.saturating_sub(block * block_bytes).min(block_bytes);
        Some((address, self.layout.whole_fragments(end)))
    }

    /// Where all files lie that are there: blocks of 512 bytes, by file.
    pub(super) fn layout(&self, known: &[UnixFile]) -> FileLayout {
        let mut layout = FileLayout::default();
        for entry in known.iter().filter(|entry| entry.present && !entry.directory) {
            let blocks = self.size(entry.file).div_ceil(self.layout.block_bytes());
            for (first, blocks) in (0..blocks).filter_map(|block| self.place(entry.file, block)) {
                layout.add(entry.file, first, blocks.into());
            }
            // A file that is there and that a trace sees only written: its size isn't known, and where it lies is.
            for extent in entry.extents.iter().filter(|_| blocks == 0) {
                layout.add(entry.file, extent.address, extent.length.div_ceil(SECTOR_BYTES));
            }
        }
        layout
    }

    /// Where the inode of a file, or of a directory, lies.
    pub(super) fn inode(&self, file: FileId) -> u64 {
        let group = self
            .groups
            .get(&file)
            .copied()
            .or_else(|| self.files.get(&file).map(|file| file.group))
            .unwrap_or_default();
        self.layout.inode(group, file.0)
    }
}

impl File {
    /// The address of a block, recorded or allocated.
    fn known(&self, block: u64, block_bytes: u64) -> Option<u64> {
        let at = block * block_bytes;
        let next = self.placed.partition_point(|extent| extent.offset <= at);
        if let Some(extent) = next.checked_sub(1).map(|index| self.placed[index])
            && at < extent.offset + extent.length
        {
            return Some(extent.address + (at - extent.offset) / SECTOR_BYTES);
        }
        self.blocks.get(as_index(block)).copied().filter(|&address| address > 0)
    }
}
