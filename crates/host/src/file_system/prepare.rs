//! Files that are on the volume before a run begins.
//!
//! Laid out as if one process had written each from beginning to end, one after the other, and closed it; aged on
//! request: at the end of each piece of the file (`fragment`) the next one goes somewhere else with the probability
//! `fragmentation`.

use super::error::FileError;
use super::parameters::{BLOCK_SIZE, Family};
use super::touched::Touched;
use super::volume::Volume;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_random::{Generator, uniform, uniform_below};
use std::sync::Arc;

/// Blocks that write-back hands to the allocator of ext4 at once (MAX_WRITEPAGES_EXTENT_LEN).
pub(super) const AT_ONCE: u64 = 2048;

impl Volume {
    /// Puts a file of `size` bytes into `parent`. `random` decides which pieces are scattered, and where they go; a
    /// volume without fragmentation draws nothing from it.
    ///
    /// # Errors
    ///
    /// When there is no such directory, the file is there already, or the volume is full: then the file isn't there.
    pub fn add_file(
        &mut self,
        file: FileId,
        parent: FileId,
        size: u64,
        random: &mut Generator,
    ) -> Result<(), FileError> {
        let mut touched = Touched::default();
        self.operate(
            &FileOp { operation: Operation::Create, file, parent, ..FileOp::default() },
            &mut touched,
        )?;
        let result = self.lay_out(file, size.div_ceil(BLOCK_SIZE), random);
        if result.is_err() {
            self.operate(
                &FileOp { operation: Operation::Unlink, file, parent, ..FileOp::default() },
                &mut touched,
            )?;
            return result;
        }
        self.grow(file, size);
        self.discard_reservation(file);
        Ok(())
    }

    /// Puts an empty directory into `parent`.
    ///
    /// # Errors
    ///
    /// When there is no such directory, the new one is there already, or the volume is full.
    pub fn add_directory(&mut self, file: FileId, parent: FileId) -> Result<(), FileError> {
        let mut touched = Touched::default();
        self.operate(&FileOp { operation: Operation::Mkdir, file, parent, ..FileOp::default() }, &mut touched)
    }

    fn lay_out(&mut self, file: FileId, blocks: u64, random: &mut Generator) -> Result<(), FileError> {
        let share = self.parameters.fragmentation.get();
        let piece = if share > 0.0 { self.parameters.fragment.get() / BLOCK_SIZE } else { u64::MAX };
        self.fits_a_file(file, blocks)?;
        let mut taken = self.take_out(file)?;
        let inode = Arc::make_mut(&mut taken);
        let mut touched = Touched::default();
        let mut at = 0;
        let mut result = Ok(0);
        while at < blocks && result.is_ok() {
            let chunk = if self.parameters.family == Family::Ext4 { AT_ONCE } else { u64::MAX };
            let end = (at + piece.min(chunk).min(u64::MAX - at)).min(blocks);
            let scattered = at > 0 && at % piece == 0 && uniform(random) < share;
            self.scatter = scattered.then(|| uniform_below(random, self.geometry.blocks));
            if scattered {
                self.drop_reserve(inode);
            }
            result = self.fill(file, inode, at, end, &mut touched);
            self.scatter = None;
            touched.clear();
            at = end;
        }
        self.put(file, taken);
        result.map(|_| ())
    }
}
