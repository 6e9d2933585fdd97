//! The same without Linux' page cache: what an operation asks for, for whoever keeps data himself.

use super::Nfs;
use crate::nfs::procedure::Call;
use petrio_colours::{Failure, FileId, FileOp};
use petrio_kernel::Time;

impl Nfs {
    fn passes(&mut self, now: Time) {
        let passed = now.saturating_sub(self.client.now);
        self.client.on(&mut self.export).advance(passed);
    }

    /// The calls that make sure of a file's attributes before it is read.
    pub(in crate::nfs) fn revalidates(&mut self, file: FileId, now: Time) -> Vec<Call> {
        self.passes(now);
        let node = self.node(file);
        self.client.on(&mut self.export).revalidate(node);
        self.client.take_calls()
    }

    /// An operation changes names here, or why it can't. One that nobody here has made and that is asked for is there.
    pub(in crate::nfs) fn operates(&mut self, op: &FileOp) -> Result<(), Failure> {
        let is_known = self.names.exists(op.file) || op.operation.makes() || op.file == FileId::ROOT;
        if !is_known {
            return Err(Failure::NotFound);
        }
        self.names.operate(op).map(drop).map_err(|error| error.failure())
    }

    /// The directory that an operation's file is in.
    pub(in crate::nfs) fn parent(&self, op: &FileOp) -> FileId {
        let known = self.places.get(&op.file).map(|place| place.0);
        if op.operation.changes_names() { op.parent } else { known.unwrap_or(op.parent) }
    }

    /// WRITEs of a file are answered, with attributes: it is at least so long at the server.
    pub(in crate::nfs) fn wrote_to(&mut self, file: FileId, size: u64, now: Time) {
        let node = self.node(file);
        let size = self.export.size(node).max(size);
        let passed = now.saturating_sub(self.client.now);
        self.client.on(&mut self.export).wrote(node, size, passed);
    }
}
