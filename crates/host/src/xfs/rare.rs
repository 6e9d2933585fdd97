//! What few files have: further names, none yet, an extended attribute, a symbolic link's blocks.
//!
//! After xfs_link, xfs_create_tmpfile (fs/xfs/xfs_inode.c), xfs_symlink.c, libxfs/xfs_attr.c and xfs_attr_leaf.c of Linux 6.18. An
//! attribute lies in its inode, in what the extents leave, where it fits; else in a leaf of its own. Leaves out several attributes of a
//! file, values beside leaves (beyond three quarters of a block), and which of several names a rename moves: the first.

use super::directory::DirectoryChange;
use super::geometry::INODES_PER_BLOCK;
use super::items::{Buffer, Changes};
use super::volume::XfsVolume;
use crate::file_system::{BLOCK_SIZE, FileError, name_hash};
use crate::rarities::Rarities;
use petrio_colours::{FileId, FileOp};
use petrio_persist::Persist;

/// What is behind an inode's core, and what of it the extents have at least where there are attributes, too (the root of a tree of three
/// pointers, in words of eight bytes).
const FORKS: u64 = 336;
const DATA_LEAST: u64 = 56;

/// A header of attributes in the inode, and an attribute's entry with a name of four letters; its value has a length of one byte.
const SHORT_HEADER: u64 = 4;
const SHORT_ENTRY: u64 = 3 + 4;
const SHORT_MOST: u64 = 255;

/// In a leaf: a header with its first entry; a name of four letters with its lengths; and how large a value may be there
/// (`xfs_attr_leaf_entsize_local_max`: three quarters of a block).
const LEAF_BEGIN: u64 = 80 + 8;
const LEAF_NAME: u64 = 3 + 4;
const VALUE_MOST: u64 = BLOCK_SIZE / 4 * 3 - LEAF_NAME;

/// An extent of the fork of attributes.
const EXTENT: u64 = 16;

/// Bytes before a symbolic link's text in a block (`struct xfs_dsymlink_hdr`).
const SYMLINK_HEADER: u64 = 56;

/// What few files have: of a name its hash and its place, and attributes.
pub(super) type Rare = Rarities<(u32, u32), Attribute>;

/// Where a file's attribute lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) enum Attribute {
    #[default]
    None,
    /// In the inode: bytes of the fork.
    Short(u64),
    /// In a block.
    Leaf(u64),
}

impl XfsVolume {
    /// Makes a name a file's first.
    fn set_name(&mut self, file: FileId, (parent, (hash, place)): (FileId, (u32, u32))) {
        if let Some(inode) = self.get_mut(file) {
            (inode.parent, inode.hash, inode.place) = (parent, hash, place);
        }
    }

    /// Gives a file one more name, or its first.
    pub(super) fn link(
        &mut self,
        file: FileId,
        parent: FileId,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        let inode = self.find(file)?;
        if inode.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        let number = inode.number;
        self.directory(parent)?;
        self.names += 1;
        let hash = name_hash(file, self.names);
        let mut change = DirectoryChange::default();
        let directory = self.get_mut(parent).and_then(|inode| inode.directory.as_deref_mut());
        let place = directory.map_or(0, |directory| directory.insert(hash, &mut change));
        self.apply(parent, &change, changes)?;
        changes.core(file);
        let name = (parent, (hash, place));
        if self.rare.is_nameless(file) {
            self.group_mut(number.group).log_unlinked(number.inode, changes);
            self.rare.set_nameless(file, false);
            self.set_name(file, name);
        } else {
            self.rare.add_name(file, name);
        }
        Ok(())
    }

    /// A name can be taken away or moved only where there is one: a file that was made without (O_TMPFILE) has none until it is linked.
    pub(super) fn check_named(&self, file: FileId) -> Result<(), FileError> {
        if self.rare.is_nameless(file) { Err(FileError::NotFound { file }) } else { Ok(()) }
    }

    /// Makes the name that a file has in a directory its first, where it has one there.
    pub(super) fn put_first(&mut self, file: FileId, parent: FileId) {
        let Some(inode) = self.get(file) else { return };
        let first = (inode.parent, (inode.hash, inode.place));
        if let Some(name) = self.rare.put_first(file, parent, first) {
            self.set_name(file, name);
        }
    }

    /// A file's first name is gone: the next takes its place; whether there is one.
    pub(super) fn takes_next_name(&mut self, file: FileId, changes: &mut Changes) -> bool {
        let Some(name) = self.rare.next_name(file) else { return false };
        changes.core(file);
        self.set_name(file, name);
        true
    }

    /// Makes a file without a name, on its group's list of unlinked inodes.
    pub(super) fn make_nameless(
        &mut self,
        file: FileId,
        parent: FileId,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        let number = self.make_inode(file, parent, false, changes)?;
        self.group_mut(number.group).log_unlinked(number.inode, changes);
        self.rare.set_nameless(file, true);
        Ok(())
    }

    /// Makes a symbolic link: in its inode where it fits.
    pub(super) fn symlink(&mut self, op: &FileOp, changes: &mut Changes) -> Result<(), FileError> {
        let (file, length) = (op.file, op.length);
        self.create(file, op.parent, false, changes)?;
        if length <= FORKS {
            changes.fork(file, length);
        } else {
            let blocks = length.div_ceil(BLOCK_SIZE - SYMLINK_HEADER);
            self.allocate(file, (0, blocks), changes)?;
            for at in 0..blocks {
                self.make_written(file, at);
                let block = self.get(file).and_then(|inode| self.block_of(inode, at));
                let text = (length - at * (BLOCK_SIZE - SYMLINK_HEADER)).min(BLOCK_SIZE - SYMLINK_HEADER);
                if let Some(buffer) = block {
                    changes.change(buffer, 0, SYMLINK_HEADER + text);
                }
            }
        }
        if let Some(inode) = self.get_mut(file) {
            (inode.size, inode.disk_size) = (length, length);
        }
        Ok(())
    }

    /// Gives a file an attribute of so many bytes in place of the one that it has, or none.
    pub(super) fn set_attribute(
        &mut self,
        file: FileId,
        length: u64,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        let inode = self.find(file)?;
        if length > VALUE_MOST {
            return Err(FileError::TooLarge { file, blocks: length.div_ceil(BLOCK_SIZE) + 1, most: 1 });
        }
        let goal = self.geometry.group_start(inode.number.group) + inode.number.inode / INODES_PER_BLOCK;
        let short = SHORT_HEADER + SHORT_ENTRY + length;
        let room = FORKS - inode.fork_bytes().next_multiple_of(8).clamp(DATA_LEAST, FORKS);
        let before = self.rare.attribute(file);
        let after = match (length, before) {
            (0, _) => Attribute::None,
            _ if length <= SHORT_MOST && short <= room => Attribute::Short(short),
            (_, Attribute::Leaf(block)) => Attribute::Leaf(block),
            _ => {
                let free = self.free_blocks();
                let found = self.take_blocks(goal, 1, changes);
                let (block, _) = found.ok_or(FileError::NoSpace { file, wanted: 1, free })?;
                Attribute::Leaf(block)
            }
        };
        match after {
            Attribute::None => changes.attributes(file, 0),
            Attribute::Short(bytes) => changes.attributes(file, bytes),
            Attribute::Leaf(block) => {
                let buffer = Buffer::blocks(block, 1);
                changes.attributes(file, EXTENT);
                if before != after {
                    // A new one is logged as a whole (`xfs_attr3_leaf_create`).
                    changes.change(buffer, 0, BLOCK_SIZE);
                }
                changes.change(buffer, 0, LEAF_BEGIN);
                changes.change(buffer, BLOCK_SIZE - LEAF_NAME - length, BLOCK_SIZE);
            }
        }
        if before != after {
            self.drop_leaf(before, changes);
        }
        self.rare.set_attribute(file, after);
        Ok(())
    }

    fn drop_leaf(&mut self, attribute: Attribute, changes: &mut Changes) {
        if let Attribute::Leaf(block) = attribute {
            changes.forgotten.push(Buffer::blocks(block, 1));
            self.give_back(block, 1, changes);
        }
    }

    /// All that a file had goes with it.
    pub(super) fn drop_rare(&mut self, file: FileId, changes: &mut Changes) {
        self.drop_leaf(self.rare.attribute(file), changes);
        self.rare.remove(file);
    }
}
