//! Files that are on the volume before a run begins: as if one process had written each from beginning to end and closed it.

use super::fork::{EXTENT_MOST, Kind};
use super::items::Changes;
use super::volume::XfsVolume;
use crate::file_system::{BLOCK_SIZE, FileError};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_random::{Generator, uniform, uniform_below};

impl XfsVolume {
    /// Puts a file of `size` bytes into `parent`. `random` decides which pieces are scattered, and where they go; a volume without
    /// fragmentation draws nothing from it.
    ///
    /// # Errors
    /// When there is no such directory, the file is there already, or the volume is full.
    pub fn add_file(
        &mut self,
        file: FileId,
        parent: FileId,
        size: u64,
        random: &mut Generator,
    ) -> Result<(), FileError> {
        let mut changes = Changes::default();
        let create = FileOp { operation: Operation::Create, file, parent, ..FileOp::default() };
        self.operate(&create, &mut changes)?;
        let laid_out = self.lay_out(file, size.div_ceil(BLOCK_SIZE), random);
        if laid_out.is_err() {
            self.operate(&FileOp { operation: Operation::Unlink, ..create }, &mut changes)?;
            self.inactivate(&mut changes, &mut Vec::new());
            return laid_out;
        }
        if let Some(inode) = self.get_mut(file) {
            (inode.size, inode.disk_size) = (size, size);
        }
        Ok(())
    }

    /// Puts an empty directory into `parent`.
    ///
    /// # Errors
    /// When there is no such directory, the new one is there already, or the volume is full.
    pub fn add_directory(&mut self, file: FileId, parent: FileId) -> Result<(), FileError> {
        let mkdir = FileOp { operation: Operation::Mkdir, file, parent, ..FileOp::default() };
        self.operate(&mkdir, &mut Changes::default())
    }

    fn lay_out(&mut self, file: FileId, blocks: u64, random: &mut Generator) -> Result<(), FileError> {
        let share = self.parameters.fragmentation.get();
        let piece = if share > 0.0 { self.parameters.fragment.get() / BLOCK_SIZE } else { EXTENT_MOST };
        let mut changes = Changes::default();
        let mut at = 0;
        while at < blocks {
            let count = piece.max(1).min(blocks - at);
            if at > 0 && uniform(random) < share {
                self.scatter = Some(uniform_below(random, self.geometry.blocks));
            }
            self.allocate(file, (at, count), &mut changes)?;
            changes.clear();
            at += count;
        }
        if let Some(inode) = self.get_mut(file) {
            for extent in inode.fork.extents().to_vec() {
                if let Kind::Unwritten(block) = extent.kind {
                    inode.fork.set(extent.first, extent.count, Kind::Written(block));
                }
            }
        }
        Ok(())
    }
}
