//! What calls do to names and inodes: the blocks of metadata that they read, and those that they change.

use super::cache::Key;
use super::call::{Call, Wait};
use super::node::{Next, Node};
use super::requests::Waiter;
use super::volume::Volume;
use petrio_colours::{Failure, FileId, FileOp, Operation};
use petrio_kernel::Time;
use smallvec::SmallVec;

impl Node {
    /// Once the metadata are there that it needs, a call changes them.
    pub(super) fn with_metadata(
        &mut self,
        slot: u32,
        call: &mut Call,
        volume: &mut Volume,
        now: Time,
    ) -> Result<Next, Failure> {
        if call.op.operation != Operation::Open
            && let Some(next) = self.refresh(slot, call, volume, now)
        {
            return Ok(next);
        }
        call.left = self.bring(&call.metadata, Waiter::Call(slot), (volume, &call.op), now);
        if call.left > 0 {
            return Ok(Next::Wait(Wait::Read));
        }
        // Blocks go once they are on the disks, if they are on their way there (truncate_inode_pages).
        let gone = match call.op.operation {
            Operation::Truncate => Some((call.op.file, call.op.length.div_ceil(self.rules.block))),
            Operation::Unlink => Some((call.op.file, 0)),
            Operation::Rename => call.op.replaced.map(|file| (file, 0)),
            _ => None,
        };
        if let Some((file, from)) = gone {
            let blocks = Key::Data(file, from)..=Key::Data(file, u64::MAX);
            call.left = self.wait_for_range(blocks, Waiter::Call(slot));
            if call.left > 0 {
                return Ok(Next::Wait(Wait::Write));
            }
        }
        self.change_names(&call.op, volume)?;
        if matches!(call.op.operation, Operation::Open | Operation::Create) {
            *self.opens.entry(call.op.file).or_insert(0) += 1;
        }
        Ok(Next::End)
    }

    /// Carries out what an operation does to names and inodes.
    fn change_names(&mut self, op: &FileOp, volume: &mut Volume) -> Result<(), Failure> {
        let names = |volume: &Volume, directory, file| {
            Key::Names(directory, volume.block_of_name(directory, file).unwrap_or(0))
        };
        match op.operation {
            Operation::Create | Operation::Mkdir => {
                let is_directory = op.operation == Operation::Mkdir;
                volume.create(op.file, op.parent, is_directory)?;
                volume.elect(op.file, self.rules.node);
                let name = names(volume, op.parent, op.file);
                [name, Key::Inode(op.file), Key::Map].into_iter().for_each(|key| self.change(key));
                if is_directory {
                    self.change(Key::Names(op.file, 0));
                }
            }
            Operation::Unlink | Operation::Rmdir => {
                let parent = volume.parent(op.file).unwrap_or(op.parent);
                let name = names(volume, parent, op.file);
                volume.remove(op.file, op.operation == Operation::Rmdir)?;
                self.drop_file(op.file, 0);
                [name, Key::Map].into_iter().for_each(|key| self.change(key));
            }
            Operation::Rename => {
                let old = volume.parent(op.file).map(|parent| names(volume, parent, op.file));
                volume.rename(op.file, op.parent, op.replaced)?;
                if let Some(replaced) = op.replaced.filter(|&replaced| replaced != op.file) {
                    self.drop_file(replaced, 0);
                    self.change(Key::Map);
                }
                let new = names(volume, op.parent, op.file);
                old.into_iter().chain([new]).for_each(|key| self.change(key));
            }
            Operation::Truncate => {
                volume.truncate(op.file, op.length)?;
                self.drop_file(op.file, op.length.div_ceil(self.rules.block));
                [Key::Inode(op.file), Key::Map].into_iter().for_each(|key| self.change(key));
            }
            Operation::SetAttributes => self.change(Key::Inode(op.file)),
            _ => {}
        }
        Ok(())
    }

    /// Blocks of a file from one on are no more.
    fn drop_file(&mut self, file: FileId, from: u64) {
        if from == 0 {
            self.last.remove(&file);
            self.opens.remove(&file);
        }
        let gone: Vec<Key> = self
            .cache
            .within(Key::Data(file, from)..=Key::Data(file, u64::MAX))
            .map(|(key, _)| key)
            .chain((from == 0).then_some(Key::Inode(file)))
            .collect();
        gone.into_iter().for_each(|key| self.cache.remove(key));
    }
}

/// The blocks of metadata that an operation reads.
pub(super) fn needed_metadata(op: &FileOp, volume: &Volume) -> Result<SmallVec<[Key; 2]>, Failure> {
    let there = |file| volume.is_directory(file).ok_or(Failure::NotFound);
    let name =
        |directory, file| volume.block_of_name(directory, file).map(|block| Key::Names(directory, block));
    let mut keys = SmallVec::new();
    match op.operation {
        Operation::Create | Operation::Mkdir => {
            there(op.parent)?;
            keys.extend(name(op.parent, op.file));
        }
        Operation::Readdir => {
            if !there(op.file)? {
                return Err(Failure::NotADirectory);
            }
            keys.extend((0..volume.blocks_of_names(op.file)).map(|block| Key::Names(op.file, block)));
        }
        Operation::Unlink | Operation::Rmdir | Operation::Rename => {
            there(op.file)?;
            keys.extend(volume.parent(op.file).and_then(|parent| name(parent, op.file)));
            if op.operation == Operation::Rename {
                there(op.parent)?;
                keys.extend(name(op.parent, op.file));
            } else {
                keys.push(Key::Inode(op.file));
            }
        }
        _ => {
            let is_directory = there(op.file)?;
            if is_directory && op.operation == Operation::Truncate {
                return Err(Failure::IsADirectory);
            }
            keys.push(Key::Inode(op.file));
        }
    }
    Ok(keys)
}
