//! A volume and its log, driven as a host does.

use crate::xfs::{Changes, Item, Log, LogWrite, XfsParameters, XfsVolume};
use petrio_colours::{FileId, FileOp, Operation};

/// A mounted XFS without time.
pub(super) struct Rig {
    pub(super) volume: XfsVolume,
    pub(super) log: Log,
    changes: Changes,
}

impl Rig {
    /// Of 4 GiB, or so many blocks.
    pub(super) fn new(blocks: u64) -> Self {
        let parameters = XfsParameters::default();
        let volume = XfsVolume::format(&parameters, blocks).unwrap();
        let area = volume.geometry().log.clone();
        let log = Log::new(parameters.log_in(area.start, area.end - area.start));
        Self { volume, log, changes: Changes::default() }
    }

    fn commit(&mut self) {
        self.log.commit(&self.changes);
        self.changes.clear();
    }

    pub(super) fn operate(&mut self, operation: Operation, file: u32, parent: u32) {
        let op = FileOp { operation, file: FileId(file), parent: FileId(parent), ..FileOp::default() };
        self.volume.operate(&op, &mut self.changes).unwrap();
        self.commit();
    }

    pub(super) fn create(&mut self, file: u32, parent: u32) {
        self.operate(Operation::Create, file, parent);
        self.volume.hold(FileId(file));
    }

    pub(super) fn close(&mut self, file: u32) {
        self.operate(Operation::Close, file, 0);
    }

    pub(super) fn unlink(&mut self, file: u32) {
        self.operate(Operation::Unlink, file, 0);
    }

    pub(super) fn truncate(&mut self, file: u32, length: u64) {
        let op = FileOp { operation: Operation::Truncate, file: FileId(file), length, ..FileOp::default() };
        self.volume.operate(&op, &mut self.changes).unwrap();
        self.commit();
    }

    pub(super) fn rename_over(&mut self, file: u32, parent: u32, replaced: u32) {
        let op = FileOp {
            operation: Operation::Rename,
            file: FileId(file),
            parent: FileId(parent),
            replaced: Some(FileId(replaced)),
            ..FileOp::default()
        };
        self.volume.operate(&op, &mut self.changes).unwrap();
        self.commit();
    }

    /// A call of write: into the cache, with the file's times.
    pub(super) fn write(&mut self, file: u32, offset: u64, count: u64) {
        let file = FileId(file);
        self.volume.touch_inode(file, &mut self.changes);
        self.commit();
        self.volume.promise(file, (offset, count)).unwrap();
        self.volume.grow(file, offset + count);
    }

    /// Written back: blocks found, data written.
    pub(super) fn write_back(&mut self, file: u32) {
        let file = FileId(file);
        let blocks = self.volume.size(file).div_ceil(4_096);
        self.volume.find_promised(file, (0, blocks), &mut self.changes).unwrap();
        self.commit();
        self.volume.written(file, (0, blocks), &mut self.changes);
        self.commit();
    }

    /// What is unlinked is removed.
    pub(super) fn inactivate(&mut self) {
        let mut gone = Vec::new();
        self.volume.inactivate(&mut self.changes, &mut gone);
        self.commit();
        for file in gone {
            self.log.forget(Item::Inode(file));
        }
    }

    /// A force of the log: its writes.
    pub(super) fn force(&mut self) -> Vec<LogWrite> {
        let mut writes = Vec::new();
        if let Some(sequence) = self.log.checkpoint(&mut writes, &mut Vec::new()) {
            self.log.finish(sequence);
        }
        writes
    }

    /// The same in KiB.
    pub(super) fn force_kib(&mut self) -> Vec<f64> {
        self.force().iter().map(|write| write.bytes as f64 / 1_024.0).collect()
    }

    /// First block, first block on the volume, and blocks of each extent that is there.
    pub(super) fn extents(&self, file: u32) -> Vec<(u64, u64, u64)> {
        let fork = self.volume.fork(FileId(file)).unwrap();
        let there = fork
            .extents()
            .iter()
            .filter_map(|extent| Some((extent.first, extent.kind.block()?, extent.count)));
        there.collect()
    }
}
