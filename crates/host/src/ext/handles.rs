//! Handles of the journal: what begins a change, puts it into a transaction, and ends it.

use super::Ext;
use crate::below::{Change, Kernel, Stop};
use crate::file_system::Mapping;
use crate::journal::{BlockKey, Start};
use crate::state::Event;
use petrio_colours::{FileCause, FileId};

impl Ext {
    /// Starts a handle that may dirty so many blocks.
    ///
    /// # Errors
    /// What must happen first.
    pub(super) fn start(&mut self, kernel: &mut Kernel<'_>, credits: u64) -> Result<Change, Stop> {
        let running = self.journal.running();
        let event = match self.journal.start(credits, kernel.now) {
            Start::In(id) => {
                if running.is_none() {
                    kernel.fs.signals.began = Some(id);
                }
                return Ok(Change { id, reserved: credits });
            }
            Start::AfterLock => Event::Handle,
            Start::AfterCommit(id) => {
                kernel.fs.signals.commit = true;
                Event::Committed(id)
            }
            Start::AfterCheckpoint => {
                kernel.fs.signals.checkpoint = true;
                Event::Handle
            }
        };
        Err(Stop::Wait(event, FileCause::Journal))
    }

    /// Ends a handle.
    pub(super) fn stop(&mut self, kernel: &mut Kernel<'_>, Change { id, reserved }: Change) {
        self.journal.stop(id, reserved);
        if self.journal.committing() == Some(id) && self.journal.open_handles() == 0 {
            kernel.fs.signals.closed = true;
        }
    }

    /// Puts the metadata blocks that an operation has changed into a transaction, and takes out those that it freed.
    pub(super) fn log_touched(&mut self, kernel: &mut Kernel<'_>, id: u64) {
        let device = self.rules.device;
        for &block in &kernel.fs.touched.dirtied {
            self.journal.dirty(id, BlockKey { file: device.0, index: block });
        }
        for &block in &kernel.fs.touched.forgotten {
            let key = BlockKey { file: device.0, index: block };
            // What may lie in the log under the same number must not come back, whatever it was.
            if self.rules.logs_data() {
                self.journal.forget(key);
            } else {
                self.journal.revoke(key);
            }
            kernel.memory.cache.remove(device, block, block + 1);
        }
        self.note_freed(kernel, id);
    }

    /// Asks for the commit of a transaction; what happens then.
    pub(super) fn ask_for(&mut self, kernel: &mut Kernel<'_>, id: u64) -> Event {
        if self.journal.request(id) {
            kernel.fs.signals.commit = true;
        }
        Event::Committed(id)
    }

    /// Data are there whose blocks were found late: their extents become written ones, in a handle that waits for nothing
    /// (`ext4_convert_unwritten_io_end_vec`, with credits that were reserved before). Only then the pages aren't under write-back
    /// any more, so that whoever waits for them finds the transaction to wait for. Leaves out the processor's time for it.
    pub(super) fn convert(&mut self, kernel: &mut Kernel<'_>, file: FileId, (first, pages): (u64, u64)) {
        if !kernel.fs.takes_unconverted(file, first, pages) {
            return;
        }
        let (id, begun) = self.journal.join(kernel.now);
        if begun {
            kernel.fs.signals.began = Some(id);
        }
        kernel.fs.touched.clear();
        self.volume.touch_inode(file, &mut kernel.fs.touched);
        let mut mapping: Mapping = std::mem::take(&mut kernel.fs.mapping);
        self.volume.map(file, first, pages, &mut mapping);
        self.log_touched(kernel, id);
        if let Some(&(_, block)) = mapping.metadata.last() {
            self.journal.dirty(id, BlockKey { file: self.rules.device.0, index: block });
        }
        kernel.fs.mapping = mapping;
        let inode = kernel.fs.inodes.get_mut(file);
        (inode.sync, inode.data_sync) = (id, id);
    }
}
