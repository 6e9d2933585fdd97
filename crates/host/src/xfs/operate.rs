//! Operations on names and sizes: what each reads and changes.
//!
//! After fs/xfs/xfs_inode.c, libxfs/xfs_dir2.c and xfs_inode_util.c of Linux 6.18. A file whose last name goes is put onto its group's list
//! of unlinked inodes; blocks and inode are given back by a worker a little later (`xfs_inodegc_worker`), in transactions of its own.

use super::directory::{Directory, DirectoryChange};
use super::group::cluster;
use super::items::{Buffer, Changes};
use super::volume::{Inode, Number, XfsVolume};
use crate::file_system::{BLOCK_SIZE, FileError, name_hash};
use petrio_colours::{FileId, FileOp, Operation};
use std::sync::Arc;

impl XfsVolume {
    /// The buffers that an operation on names or sizes looks at, in its order: each is read when it is needed and missing.
    pub fn needs(&self, op: &FileOp, mut needs: impl FnMut(Buffer)) {
        match op.operation {
            operation if operation.makes() => {
                self.needs_directory(op.parent, None, &mut needs);
                let home = self.get(op.parent).map_or(0, |parent| parent.number.group);
                let group =
                    if op.operation == Operation::Mkdir { self.rotor % self.geometry.groups } else { home };
                let group = &self.groups[group as usize];
                group.needs_inodes(&mut needs);
                if group.inodes.free() == 0 {
                    group.needs_space(&mut needs);
                }
            }
            Operation::Readdir => {
                self.cluster(op.file).into_iter().for_each(&mut needs);
                let Some(inode) = self.get(op.file) else { return };
                let blocks = inode.directory.as_deref().map_or(0, Directory::blocks);
                (0..blocks).for_each(|at| self.block_of(inode, at).into_iter().for_each(&mut needs));
            }
            Operation::Unlink
            | Operation::Rmdir
            | Operation::Stat
            | Operation::SetAttributes
            | Operation::SetXattr
            | Operation::Open
            | Operation::Truncate => {
                self.needs_file(op.file, &mut needs);
            }
            Operation::Allocate => {
                self.needs_file(op.file, &mut needs);
                self.needs_space(op.file, &mut needs);
            }
            Operation::Link => {
                self.needs_file(op.file, &mut needs);
                self.needs_directory(op.parent, None, &mut needs);
            }
            Operation::Rename => {
                self.needs_file(op.file, &mut needs);
                self.needs_directory(op.parent, op.replaced, &mut needs);
                op.replaced.and_then(|file| self.cluster(file)).into_iter().for_each(&mut needs);
            }
            _ => {}
        }
        if op.operation == Operation::Truncate
            && let Some(inode) = self.get(op.file)
            && op.length < inode.size
        {
            self.groups[inode.number.group as usize].needs_space(&mut needs);
        }
    }

    fn needs_file(&self, file: FileId, needs: &mut impl FnMut(Buffer)) {
        let Some(inode) = self.get(file) else { return };
        if file != FileId::ROOT {
            self.needs_directory(inode.parent, Some(file), needs);
        }
        needs(cluster(&self.geometry, inode.number.group, inode.number.inode));
    }

    fn needs_directory(&self, parent: FileId, entry: Option<FileId>, needs: &mut impl FnMut(Buffer)) {
        let Some(inode) = self.get(parent) else { return };
        needs(cluster(&self.geometry, inode.number.group, inode.number.inode));
        let Some(directory) = inode.directory.as_deref() else { return };
        let entry = entry.and_then(|file| self.get(file));
        let (hash, place) = entry.map_or((0, None), |entry| (entry.hash, Some(entry.place)));
        directory.look_up(hash, place, |at| {
            self.block_of(inode, at).into_iter().for_each(&mut *needs);
        });
    }

    pub(super) fn block_of(&self, inode: &Inode, at: u64) -> Option<Buffer> {
        let extent = inode.fork.at(at)?;
        Some(Buffer::blocks(extent.kind.block()? + (at - extent.first), 1))
    }

    /// Carries out an operation on names, sizes or attributes: create, open, close, unlink, mkdir, rmdir, rename, truncate, link,
    /// fallocate …. What it changes is added to `changes`. Others change nothing here.
    ///
    /// # Errors
    /// When a file or directory isn't there or is there already, a directory isn't empty, or the volume is full. The volume is
    /// unchanged then; `changes` is to be cleared.
    pub fn operate(&mut self, op: &FileOp, changes: &mut Changes) -> Result<(), FileError> {
        match op.operation {
            Operation::Create => self.create(op.file, op.parent, false, changes),
            Operation::Mkdir => self.create(op.file, op.parent, true, changes),
            Operation::Unlink | Operation::Rmdir => {
                self.check_named(op.file)?;
                self.put_first(op.file, op.parent);
                self.unlink(op.file, op.operation == Operation::Rmdir, changes)
            }
            Operation::Rename => self.rename(op.file, op.parent, op.replaced, changes),
            Operation::Truncate => self.truncate(op.file, op.length, changes),
            Operation::SetAttributes => self.find(op.file).map(|_| changes.core(op.file)),
            Operation::SetXattr => self.set_attribute(op.file, op.length, changes),
            Operation::Link => self.link(op.file, op.parent, changes),
            Operation::Symlink => self.symlink(op, changes),
            Operation::Tmpfile => self.make_nameless(op.file, op.parent, changes),
            Operation::Allocate => self.change_range(op, changes),
            Operation::Readdir => self.directory(op.file).map(|_| ()),
            Operation::Stat | Operation::Open => self.find(op.file).map(|_| ()),
            Operation::Close => {
                self.close(op.file, changes);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Keeps a file from going with its last name.
    pub fn hold(&mut self, file: FileId) {
        if let Some(inode) = self.get_mut(file) {
            inode.holders += 1;
        }
    }

    pub(super) fn create(
        &mut self,
        file: FileId,
        parent: FileId,
        directory: bool,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        let number = self.make_inode(file, parent, directory, changes)?;
        let added = self.add_name(file, parent, changes);
        if added.is_err() {
            self.files.take(file.0 as usize);
            self.group_mut(number.group).give_inode(number.inode, changes);
        }
        added
    }

    /// An inode for a file that has no name yet.
    pub(super) fn make_inode(
        &mut self,
        file: FileId,
        parent: FileId,
        directory: bool,
        changes: &mut Changes,
    ) -> Result<Number, FileError> {
        self.directory(parent)?;
        if self.get(file).is_some() {
            return Err(FileError::Exists { file });
        }
        let number = self.take_inode(parent, directory, changes).ok_or(FileError::NoInode { file })?;
        self.names += 1;
        let mut inode = Inode::new(number, parent, name_hash(file, self.names));
        changes.core(file);
        if directory {
            inode.directory = Some(Box::default());
            changes.fork(file, inode.fork_bytes());
        }
        self.files.put(file.0 as usize, Arc::new(inode));
        Ok(number)
    }

    /// A directory's inode comes from the next group in turn, a file's from its directory's (`xfs_dialloc`).
    fn take_inode(&mut self, parent: FileId, directory: bool, changes: &mut Changes) -> Option<Number> {
        let parent = self.get(parent)?.number;
        let groups = self.geometry.groups;
        let home = if directory {
            let group = self.rotor % groups;
            self.rotor = (group + 1) % groups;
            group
        } else {
            parent.group
        };
        (0..groups).map(|more| (home + more) % groups).find_map(|group| {
            let near = (group == parent.group).then_some(parent.inode);
            let inode = self.group_mut(group).take_inode(near, changes)?;
            Some(Number { group, inode })
        })
    }

    /// Puts a name into a directory.
    fn add_name(&mut self, file: FileId, parent: FileId, changes: &mut Changes) -> Result<(), FileError> {
        let hash = self.find(file)?.hash;
        let mut change = DirectoryChange::default();
        let Some(directory) = self.get_mut(parent).and_then(|inode| inode.directory.as_deref_mut()) else {
            return Err(FileError::NotADirectory { file: parent });
        };
        let place = directory.insert(hash, &mut change);
        if let Some(inode) = self.get_mut(file) {
            inode.place = place;
        }
        self.apply(parent, &change, changes)
    }

    fn remove_name(&mut self, file: FileId, parent: FileId, changes: &mut Changes) -> Result<(), FileError> {
        let inode = self.find(file)?;
        let (hash, place) = (inode.hash, inode.place);
        let mut change = DirectoryChange::default();
        if let Some(directory) = self.get_mut(parent).and_then(|inode| inode.directory.as_deref_mut()) {
            directory.remove(hash, place, &mut change);
        }
        self.apply(parent, &change, changes)
    }

    /// What a change of its entries means for a directory's blocks and inode.
    pub(super) fn apply(
        &mut self,
        parent: FileId,
        change: &DirectoryChange,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        for &at in &change.grown {
            self.allocate(parent, (at, 1), changes)?;
            self.make_written(parent, at);
        }
        let inode = self.find(parent)?;
        for &(at, from, to) in &change.bytes {
            if let Some(buffer) = self.block_of(inode, at) {
                changes.change(buffer, from, to);
            }
        }
        let inline = inode.directory.as_deref().and_then(Directory::inline_bytes);
        let bytes = inode.fork_bytes();
        match inline {
            Some(_) => changes.fork(parent, bytes),
            None if !change.grown.is_empty() => changes.fork(parent, bytes),
            None => changes.core(parent),
        }
        for &at in &change.shrunk {
            if let Some(buffer) = self.get(parent).and_then(|inode| self.block_of(inode, at)) {
                changes.forgotten.push(buffer);
            }
            self.release(parent, at, changes);
            let bytes = self.get(parent).map_or(0, Inode::fork_bytes);
            changes.fork(parent, bytes);
        }
        if let Some(inode) = self.get_mut(parent) {
            let blocks = inode.directory.as_deref().map_or(0, Directory::blocks);
            (inode.size, inode.disk_size) = (blocks * BLOCK_SIZE, blocks * BLOCK_SIZE);
        }
        Ok(())
    }

    /// Blocks of directories hold something from the beginning.
    pub(super) fn make_written(&mut self, file: FileId, at: u64) {
        if let Some(inode) = self.get_mut(file)
            && let Some(extent) = inode.fork.at(at)
            && let Some(block) = extent.kind.block()
        {
            inode.fork.set(at, 1, super::fork::Kind::Written(block + (at - extent.first)));
        }
    }

    fn unlink(&mut self, file: FileId, directory: bool, changes: &mut Changes) -> Result<(), FileError> {
        let inode = self.find(file)?;
        let parent = inode.parent;
        match (inode.directory.as_deref(), directory) {
            (Some(_), false) => return Err(FileError::IsADirectory { file }),
            (None, true) => return Err(FileError::NotADirectory { file }),
            (Some(entries), true) if entries.entries() > 0 => {
                return Err(FileError::NotEmpty { file, entries: entries.entries() });
            }
            _ if file == FileId::ROOT => {
                return Err(FileError::Misplaced { file, reason: "it is the root" });
            }
            _ => {}
        }
        self.remove_name(file, parent, changes)?;
        self.orphan(file, changes);
        Ok(())
    }

    /// The first name of a file is gone, which was its last unless it has others.
    fn orphan(&mut self, file: FileId, changes: &mut Changes) {
        if self.takes_next_name(file, changes) {
            return;
        }
        let Some(inode) = self.get_mut(file) else { return };
        inode.orphan = true;
        let (number, holders) = (inode.number, inode.holders);
        changes.core(file);
        self.group_mut(number.group).log_unlinked(number.inode, changes);
        if holders == 0 {
            self.inactive.push(file);
        }
    }

    fn rename(
        &mut self,
        file: FileId,
        parent: FileId,
        replaced: Option<FileId>,
        changes: &mut Changes,
    ) -> Result<(), FileError> {
        self.check_named(file)?;
        let inode = self.find(file)?;
        let (from, is_directory) = (inode.parent, inode.directory.is_some());
        self.directory(parent)?;
        if is_directory && self.is_below(parent, file) {
            return Err(FileError::Misplaced { file, reason: "it would lie in itself" });
        }
        if let Some(gone) = replaced.filter(|&gone| gone != file) {
            self.check_named(gone)?;
            self.put_first(gone, parent);
            let target = self.find(gone)?;
            if target.parent != parent {
                return Err(FileError::NotFound { file: gone });
            }
            match (target.directory.as_deref(), is_directory) {
                (Some(_), false) => return Err(FileError::IsADirectory { file: gone }),
                (None, true) => return Err(FileError::NotADirectory { file: gone }),
                (Some(entries), _) if entries.entries() > 0 => {
                    return Err(FileError::NotEmpty { file: gone, entries: entries.entries() });
                }
                _ => {}
            }
            let (hash, place) = (target.hash, target.place);
            // The entry of what is replaced points to the file from now on.
            let mut change = DirectoryChange::default();
            if let Some(directory) = self.get(parent).and_then(|inode| inode.directory.as_deref()) {
                directory.replace(place, &mut change);
            }
            self.apply(parent, &change, changes)?;
            self.remove_name(file, from, changes)?;
            if let Some(inode) = self.get_mut(file) {
                (inode.hash, inode.place, inode.parent) = (hash, place, parent);
            }
            self.orphan(gone, changes);
        } else {
            self.remove_name(file, from, changes)?;
            self.names += 1;
            let hash = name_hash(file, self.names);
            if let Some(inode) = self.get_mut(file) {
                (inode.hash, inode.parent) = (hash, parent);
            }
            self.add_name(file, parent, changes)?;
        }
        changes.core(file);
        Ok(())
    }

    fn is_below(&self, directory: FileId, above: FileId) -> bool {
        let mut at = directory;
        while at != FileId::ROOT {
            if at == above {
                return true;
            }
            let Some(inode) = self.get(at) else { return false };
            at = inode.parent;
        }
        above == FileId::ROOT
    }

    /// Cuts a file, or makes it longer by a hole.
    fn truncate(&mut self, file: FileId, length: u64, changes: &mut Changes) -> Result<(), FileError> {
        if self.find(file)?.directory.is_some() {
            return Err(FileError::IsADirectory { file });
        }
        if length < self.size(file) {
            self.release(file, length.div_ceil(BLOCK_SIZE), changes);
        }
        if let Some(inode) = self.get_mut(file) {
            (inode.size, inode.disk_size) = (length, length);
        }
        changes.core(file);
        Ok(())
    }

    /// A file is closed: blocks behind its end are given back, once (`xfs_file_release`); a file without a name goes with its last holder.
    fn close(&mut self, file: FileId, changes: &mut Changes) {
        let is_nameless = self.rare.is_nameless(file);
        let Some(inode) = self.get_mut(file) else { return };
        inode.holders = inode.holders.saturating_sub(1);
        inode.orphan |= is_nameless;
        let end = inode.size.div_ceil(BLOCK_SIZE);
        if inode.orphan {
            if inode.holders == 0 && !self.inactive.contains(&file) {
                self.inactive.push(file);
            }
        } else if inode.directory.is_none() && !inode.trimmed && inode.fork.end() > end {
            inode.trimmed = true;
            self.trim(file, changes);
        }
    }

    /// Gives back what was allocated behind a file's end.
    pub fn trim(&mut self, file: FileId, changes: &mut Changes) {
        let Some(inode) = self.get(file) else { return };
        let end = inode.size.div_ceil(BLOCK_SIZE);
        if inode.fork.end() > end {
            self.release(file, end, changes);
            changes.core(file);
        }
    }

    /// Whether files wait to be removed.
    #[must_use]
    pub fn has_inactive(&self) -> bool {
        !self.inactive.is_empty()
    }

    /// Whether a file waits to be removed.
    #[must_use]
    pub fn is_inactive(&self, file: FileId) -> bool {
        self.inactive.contains(&file)
    }

    /// Removes the files without names that nobody holds: their blocks, then their inodes. Which they were goes to `gone`.
    pub fn inactivate(&mut self, changes: &mut Changes, gone: &mut Vec<FileId>) {
        for file in std::mem::take(&mut self.inactive) {
            self.release(file, 0, changes);
            self.drop_rare(file, changes);
            let Some(inode) = self.files.take(file.0 as usize) else { continue };
            let Number { group, inode } = inode.number;
            let group = self.group_mut(group);
            group.log_unlinked(inode, changes);
            group.give_inode(inode, changes);
            changes.core(file);
            gone.push(file);
        }
    }
}
