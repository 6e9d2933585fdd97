//! What few files have: further names, none yet, an extended attribute, a symbolic link's block.
//!
//! After ext4_link, ext4_tmpfile and ext4_symlink (fs/ext4/namei.c), ext4_orphan_del (fs/ext4/orphan.c) and fs/ext4/xattr.c. An attribute
//! lies in its inode where it fits; else in a block, which files with the same attributes share: here those with an attribute of the same
//! size. Leaves out several attributes of a file, values in inodes of their own (`ea_inode`), and which of several names a rename moves:
//! the first.

use super::error::FileError;
use super::operate::name_hash;
use super::parameters::BLOCK_SIZE;
use super::touched::{Mapping, Touched};
use super::volume::{SUPERBLOCK, Volume};
use crate::rarities::Rarities;
use petrio_colours::{FileId, FileOp};
use std::sync::Arc;

/// Bytes of an inode that every one has, and those of the fields behind them that ext4 has (`want_extra_isize`).
const INODE_CORE: u64 = 128;
const INODE_EXTRA: u64 = 32;

/// Of attributes in an inode: what marks their beginning and their end, and an attribute's entry with a name of four letters.
const MARKS: u64 = 4 + 4;
const ENTRY: u64 = 16 + 4;

/// Files that share a block of attributes at most (EXT4_XATTR_REFCOUNT_MAX).
const SHARERS: u32 = 1024;

/// Bytes of a symbolic link that lie in its inode (EXT4_N_BLOCKS * 4, with a zero at the end).
const SHORT_LINK: u64 = 60;

/// What few files have: of a name its hash; of an attribute outside of the inode its size and its block.
pub(super) type Rare = Rarities<u32, Option<(u64, u64)>>;

/// Blocks of attributes that may be shared: by size, the block and how many share it.
pub(super) type Attributes = std::collections::BTreeMap<u64, (u64, u32)>;

impl Volume {
    /// Makes a name a file's first.
    fn set_name(&mut self, file: FileId, name: (FileId, u32)) {
        if let Some(inode) = self.files.get_mut(file.0 as usize) {
            (inode.parent, inode.hash) = name;
        }
    }

    /// Gives a file one more name, or its first.
    pub(super) fn link(
        &mut self,
        file: FileId,
        parent: FileId,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        if self.find(file)?.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        touched.credits += self.data_credits() + 8 + 1;
        self.names += 1;
        let hash = name_hash(file, self.names);
        self.add_name(file, parent, hash, touched)?;
        touched.update(self.inode_block(file));
        if self.rare.is_nameless(file) {
            // It leaves the list of orphans.
            touched.dirty(SUPERBLOCK);
            self.orphans -= 1;
            self.rare.set_nameless(file, false);
            self.set_name(file, (parent, hash));
        } else {
            self.rare.add_name(file, (parent, hash));
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
        if let Some(name) = self.rare.put_first(file, parent, (inode.parent, inode.hash)) {
            self.set_name(file, name);
        }
    }

    /// A file's first name is gone: the next takes its place; whether there is one.
    pub(super) fn takes_next_name(&mut self, file: FileId, touched: &mut Touched) -> bool {
        let Some(name) = self.rare.next_name(file) else { return false };
        touched.update(self.inode_block(file));
        self.set_name(file, name);
        true
    }

    /// Makes a file without a name, on the list of orphans.
    pub(super) fn make_nameless(&mut self, op: &FileOp, touched: &mut Touched) -> Result<(), FileError> {
        let file = op.file;
        self.check_new(file, op.parent)?;
        touched.credits += self.data_credits() + 3;
        let inode = self.new_inode(file, op.parent, op.process, false, touched)?;
        self.orphan_add(&inode, touched);
        self.orphans += 1;
        self.put(file, Arc::new(inode));
        self.rare.set_nameless(file, true);
        Ok(())
    }

    /// Makes a symbolic link.
    pub(super) fn symlink(&mut self, op: &FileOp, touched: &mut Touched) -> Result<(), FileError> {
        self.create(op.file, op.parent, op.process, touched)?;
        if op.length >= SHORT_LINK {
            self.allocate(op.file, 0, 1, &mut Mapping::default(), touched)?;
            let block = self.get(op.file).and_then(|inode| inode.block(0));
            block.into_iter().for_each(|block| touched.dirty(block));
        }
        self.grow(op.file, op.length);
        Ok(())
    }

    /// Gives a file an attribute of so many bytes in place of the one that it has, or none.
    pub(super) fn set_attribute(
        &mut self,
        file: FileId,
        length: u64,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        self.find(file)?;
        let most = BLOCK_SIZE - 32 - MARKS - ENTRY;
        if length > most {
            return Err(FileError::TooLarge { file, blocks: length.div_ceil(BLOCK_SIZE) + 1, most: 1 });
        }
        touched.credits += self.data_credits();
        touched.update(self.inode_block(file));
        let room = self.parameters.inode_size.get().saturating_sub(INODE_CORE + INODE_EXTRA + MARKS);
        let fits = length == 0 || ENTRY + length.next_multiple_of(4) <= room;
        self.drop_attribute(file, touched);
        if fits {
            return Ok(());
        }
        let shared = self.attributes.get(&length).copied().filter(|&(_, sharers)| sharers < SHARERS);
        let (block, sharers) = match shared {
            Some((block, sharers)) => {
                touched.update(block);
                (block, sharers)
            }
            None => {
                let group = self.geometry.group_of_inode(self.find(file)?.number);
                let goal = u64::from(group) * u64::from(self.geometry.blocks_per_group);
                let free = self.free_blocks();
                let block =
                    self.take_one(goal, touched).ok_or(FileError::NoSpace { file, wanted: 1, free })?;
                touched.dirty(block);
                (block, 0)
            }
        };
        self.attributes.insert(length, (block, sharers + 1));
        self.rare.set_attribute(file, Some((length, block)));
        Ok(())
    }

    /// A file needs its block of attributes no more; nor does anybody, where nobody shares it.
    fn drop_attribute(&mut self, file: FileId, touched: &mut Touched) {
        let Some((length, block)) = self.rare.attribute(file) else { return };
        self.rare.set_attribute(file, None);
        let shared = self.attributes.get_mut(&length).filter(|(other, _)| *other == block);
        match shared {
            Some((_, sharers)) if *sharers > 1 => {
                *sharers -= 1;
                touched.update(block);
            }
            Some(_) => {
                self.attributes.remove(&length);
                self.give_back(block, 1, touched);
                touched.forget(block);
            }
            // One that was full, whose sharers nobody counts any more.
            None => touched.update(block),
        }
    }

    /// All that a file had goes with it.
    pub(super) fn drop_rare(&mut self, file: FileId, touched: &mut Touched) {
        self.drop_attribute(file, touched);
        self.rare.remove(file);
    }
}
