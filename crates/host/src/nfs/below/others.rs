//! What others do to an export: names that they have made are looked for, and replies tell what they have changed.

use super::{Nfs, name};
use crate::below::{Kernel, Stop};
use crate::nfs::server::Kind;
use petrio_colours::{FileId, FileOp};

impl Nfs {
    /// A name that isn't known is asked for once.
    pub(super) fn seek(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        let is_known = self.names.exists(op.file) || op.operation.makes() || op.file == FileId::ROOT;
        if is_known || self.sought.remove(&op.file).is_some() || !self.names.exists(op.parent) {
            return Ok(());
        }
        self.sought.insert(op.file, op.parent);
        let parent = self.node(op.parent);
        let mut process = self.client.on(&mut self.export);
        process.ask_for_name(parent, &name(op.file));
        match self.client.take_calls().pop() {
            Some(call) => Err(self.send(kernel, op, &call)),
            None => Ok(()),
        }
    }

    /// A reply tells of changes by others that aren't known yet.
    pub(super) fn hears_of(
        &mut self,
        kernel: &mut Kernel<'_>,
        file: FileId,
        changes: u32,
        size: Option<(u64, bool)>,
    ) {
        let known = self.others.entry(file).or_default();
        if changes <= *known {
            return;
        }
        *known = changes;
        let Some(&(_, node)) = self.places.get(&file) else { return };
        let is_file = !self.names.is_directory(file);
        let key = kernel.fs.key(file);
        let own = kernel.fs.inodes.get(file).size;
        let size = size.map(|(size, is_cut)| if is_cut { size } else { size.max(own) });
        if let Some(size) = size.filter(|_| is_file && kernel.memory.cache.counts(key).dirty == 0) {
            kernel.fs.inodes.get_mut(file).size = size;
        }
        self.client.on(&mut self.export).changed_elsewhere(node, size.filter(|_| is_file));
    }

    /// What somebody looked for is there: others have made it.
    pub(super) fn finds(&mut self, kernel: &mut Kernel<'_>, file: FileId, parent: FileId, size: u64) {
        if self.names.add(file, parent, false).is_err() {
            return;
        }
        let above = self.node(parent);
        if let Ok(node) = self.export.make(above, &name(file), Kind::File(size)) {
            self.places.insert(file, (parent, node));
            self.client.on(&mut self.export).remember(above, &name(file), Some(node));
        }
        kernel.fs.inodes.get_mut(file).size = size;
    }
}
