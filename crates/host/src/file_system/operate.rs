//! Operations on names: what each reads and changes.
//!
//! After fs/ext4/namei.c of Linux 6.18, which also serves ext3; that of fs/ext3 in Linux 2.6.24 changes the same
//! blocks. Path look-up: all directories but the last are taken to be in the kernel's cache of names. Times of access
//! aren't kept (relatime makes them rare); when a time of change is new is for the caller to say
//! ([`Volume::touch_inode`]).

use super::directory::Directory;
use super::error::FileError;
use super::parameters::{BLOCK_SIZE, Family};
use super::touched::Touched;
use super::volume::{Inode, Volume};
use petrio_colours::{FileId, FileOp, Operation};
use std::sync::Arc;

/// What stands for a name in the hash of a directory: a fixed scrambling (SplitMix64's).
pub(crate) fn name_hash(file: FileId, names: u64) -> u32 {
    let mut z = (u64::from(file.0) << 32 | names & 0xffff_ffff).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z >> 32) as u32
}

impl Volume {
    /// Carries out an operation on names, sizes or attributes: create, open, close, unlink, mkdir, rmdir, rename, truncate,
    /// readdir, stat, link, fallocate …. What it reads and changes is added to `touched`. Others (read, write, fsync …) change nothing
    /// here.
    ///
    /// Close is the counterpart of [`Volume::hold`], which nobody calls but the caller; without it a file goes with its
    /// name.
    ///
    /// # Errors
    ///
    /// When a file or directory isn't there or is there already, a directory isn't empty, or the volume is full. The
    /// volume is unchanged then; `touched` may hold what was looked at until then, and is to be cleared.
    pub fn operate(&mut self, op: &FileOp, touched: &mut Touched) -> Result<(), FileError> {
        let result = match op.operation {
            Operation::Create => self.create(op.file, op.parent, op.process, touched),
            Operation::Mkdir => self.mkdir(op.file, op.parent, touched),
            Operation::Unlink => self.unlink(op.file, op.parent, touched),
            Operation::Rmdir => self.rmdir(op.file, touched),
            Operation::Rename => self.rename(op.file, op.parent, op.replaced, touched),
            Operation::Truncate => self.truncate(op.file, op.length, touched),
            Operation::Readdir => self.readdir(op.file, touched),
            Operation::Stat | Operation::Open => self.look_up(op.file, touched),
            Operation::SetAttributes => self.find(op.file).map(|_| self.touch_inode(op.file, touched)),
            Operation::SetXattr => self.set_attribute(op.file, op.length, touched),
            Operation::Link => self.link(op.file, op.parent, touched),
            Operation::Symlink => self.symlink(op, touched),
            Operation::Tmpfile => self.make_nameless(op, touched),
            Operation::Allocate => self.change_range(op, touched),
            Operation::Close => {
                self.release(op.file, touched);
                Ok(())
            }
            Operation::Read
            | Operation::Write
            | Operation::Fsync
            | Operation::Fdatasync
            | Operation::SyncRange
            | Operation::Sync
            | Operation::Compute
            | Operation::Exchange
            | Operation::Touch => Ok(()),
        };
        touched.settle();
        result
    }

    /// EXT4_DATA_TRANS_BLOCKS: what a change of one block of a directory may touch, extended attributes included.
    pub(super) fn data_credits(&self) -> u32 {
        6 - 2
            + match self.parameters.family {
                Family::Ext3 => 8,
                Family::Ext4 => 27,
            }
    }

    fn look_up(&self, file: FileId, touched: &mut Touched) -> Result<(), FileError> {
        self.find(file)?;
        self.name_blocks(file, |block| touched.read(block));
        touched.read(self.inode_block(file));
        Ok(())
    }

    /// Calls `each` with the blocks of its directory that are read to find a file's name.
    pub fn name_blocks(&self, file: FileId, mut each: impl FnMut(u64)) {
        let Some(inode) = self.get(file).filter(|_| file != FileId::ROOT) else { return };
        if let Some(parent) = self.get(inode.parent)
            && let Some(directory) = parent.directory.as_deref()
        {
            let block = |at: u32| parent.block(u64::from(at)).into_iter().for_each(&mut each);
            directory.look_up(inode.hash, file, block);
        }
    }

    /// Calls `each` with the blocks of a directory that are read to list it: the index, then its leaves by their hashes
    /// (ext4_dx_readdir).
    pub fn listed_blocks(&self, file: FileId, mut each: impl FnMut(u64)) {
        let Some(inode) = self.get(file) else { return };
        let mut block = |at: u32| inode.block(u64::from(at)).into_iter().for_each(&mut each);
        inode.directory.iter().for_each(|directory| directory.listed(&mut block));
    }

    fn readdir(&self, file: FileId, touched: &mut Touched) -> Result<(), FileError> {
        let blocks = self.directory(file)?.blocks();
        let inode = self.find(file)?;
        touched.read(self.geometry.inode_block(inode.number));
        for at in 0..u64::from(blocks) {
            inode.block(at).into_iter().for_each(|block| touched.read(block));
        }
        Ok(())
    }

    /// Whether `file` can be made in `parent`.
    pub(super) fn check_new(&self, file: FileId, parent: FileId) -> Result<(), FileError> {
        self.directory(parent)?;
        if self.get(file).is_some() { Err(FileError::Exists { file }) } else { Ok(()) }
    }

    /// Takes and fills an inode; bitmap, descriptor and table block are touched.
    pub(super) fn new_inode(
        &mut self,
        file: FileId,
        parent: FileId,
        process: u32,
        directory: bool,
        touched: &mut Touched,
    ) -> Result<Inode, FileError> {
        let place = self.parent_place(parent)?;
        self.names += 1;
        let hash = name_hash(file, self.names);
        let number = self
            .inodes
            .take(&self.geometry, &self.taken, self.free_seen, place, directory.then_some(hash))
            .ok_or(FileError::NoInode { file })?;
        let group = self.geometry.group_of_inode(number);
        if !std::mem::take(&mut self.unwritten[group as usize].inodes) {
            touched.read(self.geometry.inode_bitmap(group));
        }
        touched.dirty(self.geometry.inode_bitmap(group));
        touched.dirty(self.geometry.descriptor(group));
        if std::mem::take(&mut self.unwritten[group as usize].blocks) {
            // The first inode of a group also brings its block bitmap onto the disk.
            touched.dirty(self.geometry.block_bitmap(group));
        }
        let block = self.geometry.inode_block(number);
        if self.inodes.has_neighbours(&self.geometry, number) {
            touched.read(block);
        }
        touched.dirty(block);
        if let Some(parent) = self.files.get_mut(parent.0 as usize) {
            parent.last_group = Some(group);
        }
        Ok(Inode::new(&self.parameters, number, parent, hash, process % 16))
    }

    /// Puts a name into a directory: the entry's block, the directory's inode and, where it grows, what that takes.
    pub(super) fn add_name(
        &mut self,
        file: FileId,
        parent: FileId,
        hash: u32,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        let room = self.room();
        let growth = self.directory(parent)?.growth(hash, room);
        // The directory's blocks, and those above them.
        if growth > 0 && self.free_blocks() < u64::from(growth) + 6 {
            return Err(FileError::NoSpace {
                file: parent,
                wanted: u64::from(growth),
                free: self.free_blocks(),
            });
        }
        let mut taken = self.take_out(parent)?;
        let inode = Arc::make_mut(&mut taken);
        let mut change = std::mem::take(&mut self.scratch.change);
        let mut result = Ok(0);
        if let Some(directory) = inode.directory.as_deref_mut() {
            let before = u64::from(directory.blocks());
            directory.insert(hash, file, room, &mut change);
            let after = u64::from(directory.blocks());
            for &at in &change.read {
                inode.block(u64::from(at)).into_iter().for_each(|block| touched.read(block));
            }
            if after > before {
                inode.size = after * BLOCK_SIZE;
                result = self.fill(parent, inode, before, after, touched);
            }
            for &at in &change.changed {
                inode.block(u64::from(at)).into_iter().for_each(|block| touched.dirty(block));
            }
        }
        touched.update(self.geometry.inode_block(inode.number));
        self.put(parent, taken);
        self.scratch.change = change;
        result.map(|_| ())
    }

    /// Takes a name out of its directory, or lets it point to another file.
    fn change_name(
        &mut self,
        file: FileId,
        (parent, hash): (FileId, u32),
        instead: Option<FileId>,
        touched: &mut Touched,
    ) {
        let Ok(mut taken) = self.take_out(parent) else { return };
        let inode = Arc::make_mut(&mut taken);
        let mut directory = inode.directory.take();
        if let Some(directory) = directory.as_deref_mut() {
            directory.look_up(hash, file, |at| {
                inode.block(u64::from(at)).into_iter().for_each(|block| touched.read(block));
            });
            let changed = match instead {
                Some(new) => directory.replace(hash, file, new),
                None => directory.remove(hash, file),
            };
            changed
                .and_then(|at| inode.block(u64::from(at)))
                .into_iter()
                .for_each(|block| touched.dirty(block));
        }
        inode.directory = directory;
        touched.update(self.geometry.inode_block(inode.number));
        self.put(parent, taken);
    }

    pub(super) fn create(
        &mut self,
        file: FileId,
        parent: FileId,
        process: u32,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        self.check_new(file, parent)?;
        // DATA_TRANS_BLOCKS, eight for the index of the directory, and three for the inode.
        touched.credits += self.data_credits() + 8 + 3;
        let inode = self.new_inode(file, parent, process, false, touched)?;
        if let Err(error) = self.add_name(file, parent, inode.hash, touched) {
            self.inodes.give_back(inode.number, false);
            return Err(error);
        }
        self.put(file, Arc::new(inode));
        Ok(())
    }

    fn mkdir(&mut self, file: FileId, parent: FileId, touched: &mut Touched) -> Result<(), FileError> {
        self.check_new(file, parent)?;
        if self.free_blocks() < 8 {
            return Err(FileError::NoSpace { file, wanted: 1, free: self.free_blocks() });
        }
        touched.credits += self.data_credits() + 8 + 3;
        let mut inode = self.new_inode(file, parent, 0, true, touched)?;
        inode.directory = Some(Box::new(Directory::new(0)));
        inode.size = BLOCK_SIZE;
        let made = self
            .fill(file, &mut inode, 0, 1, touched)
            .and_then(|_| self.add_name(file, parent, inode.hash, touched));
        if let Err(error) = made {
            self.put(file, Arc::new(inode));
            self.evict(file, touched);
            return Err(error);
        }
        inode.block(0).into_iter().for_each(|block| touched.dirty(block));
        self.put(file, Arc::new(inode));
        Ok(())
    }

    fn unlink(&mut self, file: FileId, parent: FileId, touched: &mut Touched) -> Result<(), FileError> {
        let inode = self.find(file)?;
        if inode.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        self.check_named(file)?;
        self.put_first(file, parent);
        self.remove(file, touched);
        Ok(())
    }

    /// Takes name and, unless it is held, file away.
    fn remove(&mut self, file: FileId, touched: &mut Touched) {
        let Some(inode) = self.get(file) else { return };
        let (parent, hash) = (inode.parent, inode.hash);
        touched.credits += self.data_credits();
        self.change_name(file, (parent, hash), None, touched);
        self.lose_name(file, touched);
    }

    fn lose_name(&mut self, file: FileId, touched: &mut Touched) {
        if self.takes_next_name(file, touched) {
            return;
        }
        let Some(inode) = self.get(file) else { return };
        self.orphan_add(inode, touched);
        let held = inode.holders > 0;
        if let Some(inode) = self.files.get_mut(file.0 as usize) {
            inode.orphan = true;
            self.orphans += 1;
        }
        if !held {
            self.evict(file, touched);
        }
    }

    fn rmdir(&mut self, file: FileId, touched: &mut Touched) -> Result<(), FileError> {
        self.check_removable(file)?;
        self.remove(file, touched);
        Ok(())
    }

    fn check_removable(&self, file: FileId) -> Result<(), FileError> {
        let entries = self.directory(file)?.entries();
        if file == FileId::ROOT {
            return Err(FileError::Misplaced { file, reason: "it is the root; name another directory" });
        }
        if entries > 0 { Err(FileError::NotEmpty { file, entries }) } else { Ok(()) }
    }

    fn rename(
        &mut self,
        file: FileId,
        parent: FileId,
        replaced: Option<FileId>,
        touched: &mut Touched,
    ) -> Result<(), FileError> {
        self.check_named(file)?;
        let inode = self.find(file)?;
        let (old_parent, old_hash, number) = (inode.parent, inode.hash, inode.number);
        let is_directory = inode.directory.is_some();
        self.directory(parent)?;
        if is_directory {
            let mut above = parent;
            loop {
                if above == file {
                    let reason = "the new place lies inside of it; choose a place outside";
                    return Err(FileError::Misplaced { file, reason });
                }
                if above == FileId::ROOT {
                    break;
                }
                above = self.find(above)?.parent;
            }
        }
        let replaced = replaced.filter(|&other| other != file);
        if let Some(other) = replaced {
            self.check_named(other)?;
            self.put_first(other, parent);
            if self.find(other)?.parent != parent {
                return Err(FileError::NotFound { file: other });
            }
            match (is_directory, self.find(other)?.directory.is_some()) {
                (true, true) => self.check_removable(other)?,
                (false, true) => return Err(FileError::IsADirectory { file: other }),
                (true, false) => return Err(FileError::NotADirectory { file: other }),
                (false, false) => {}
            }
        }
        touched.credits += 2 * self.data_credits() + 8 + 2;
        let hash =
            match replaced.and_then(|other| self.get(other).map(|inode| (other, inode.parent, inode.hash))) {
                Some((other, place, hash)) => {
                    self.change_name(other, (place, hash), Some(file), touched);
                    hash
                }
                None => {
                    self.names += 1;
                    let hash = name_hash(file, self.names);
                    self.add_name(file, parent, hash, touched)?;
                    hash
                }
            };
        self.change_name(file, (old_parent, old_hash), None, touched);
        let dot_dot =
            (is_directory && parent != old_parent).then(|| self.get(file).and_then(|it| it.block(0)));
        dot_dot.flatten().into_iter().for_each(|block| touched.update(block));
        touched.update(self.geometry.inode_block(number));
        if let Some(inode) = self.files.get_mut(file.0 as usize) {
            inode.parent = parent;
            inode.hash = hash;
        }
        if let Some(other) = replaced {
            self.lose_name(other, touched);
        }
        Ok(())
    }
}
