//! What others do to an export: names that they have made are looked for, what they may have taken away is left to the server, and replies
//! tell what they have changed.
//!
//! An operation says in which directory its name is, and not where that lies: of a path that others have made its last directory is
//! looked up, and not those above it.

use super::{Nfs, asking, name};
use crate::below::{Kernel, Stop};
use crate::nfs::server::Kind;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// A name that somebody looks for who believes others to have made it.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Sought {
    /// The directory that it is in.
    parent: FileId,
    /// What it stands for has to be a directory.
    is_directory: bool,
}

impl Nfs {
    /// Whether others have mounted the export: nothing is delegated then.
    fn has_others(&self) -> bool {
        !self.client.options.delegations
    }

    /// A name that isn't known is asked for once; and before it its directory, where that isn't known either.
    pub(super) fn seek(&mut self, kernel: &mut Kernel<'_>, op: &FileOp) -> Result<(), Stop> {
        if self.has_others() && !self.names.exists(op.parent) {
            self.seek_name(kernel, op, op.parent, Sought { parent: FileId::ROOT, is_directory: true })?;
        }
        let is_known = self.names.exists(op.file) || op.operation.makes() || op.file == FileId::ROOT;
        if is_known || !self.names.exists(op.parent) {
            return Ok(());
        }
        let is_directory = matches!(op.operation, Operation::Readdir | Operation::Rmdir);
        self.seek_name(kernel, op, op.file, Sought { parent: op.parent, is_directory })
    }

    /// An operation asks for a name that isn't known; the second time its server has answered that there is none.
    fn seek_name(
        &mut self,
        kernel: &mut Kernel<'_>,
        op: &FileOp,
        file: FileId,
        sought: Sought,
    ) -> Result<(), Stop> {
        let asking = asking(op);
        if self.seeking.remove(&asking) == Some(file) {
            return Ok(());
        }
        let above = self.node(sought.parent);
        self.client.on(&mut self.export).ask_for_name(above, &name(file));
        let Some(call) = self.client.take_calls().pop() else { return Ok(()) };
        self.seeking.insert(asking, file);
        self.sought.insert(file, sought);
        let looks = FileOp { operation: Operation::Open, file, parent: sought.parent, ..op.clone() };
        Err(self.send(kernel, &looks, &call))
    }

    /// What others may have taken away is no reason here to refuse an operation, which its server can: whether a name that is to be made
    /// is there, and whether a directory that is to go has anything in it.
    pub(super) fn leave_to_server(&mut self, op: &FileOp) {
        if !self.has_others() {
            return;
        }
        let believed = match op.operation {
            operation if operation.makes() => vec![op.file],
            Operation::Rmdir => self.names.entries(op.file),
            _ => return,
        };
        for file in believed {
            let place = self.places.get(&file).filter(|_| self.names.exists(file));
            let Some(&(parent, _)) = place else { continue };
            let above = self.node(parent);
            // What is in a directory that others have removed is gone as well.
            if self.export.remove(above, &name(file)).is_ok() {
                self.names.forget(file);
                self.client.on(&mut self.export).changed_elsewhere(above, None);
            }
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
    pub(super) fn finds(
        &mut self,
        kernel: &mut Kernel<'_>,
        file: FileId,
        sought: Sought,
        (size, is_directory): (u64, bool),
    ) {
        let Sought { parent, is_directory: has_to_be } = sought;
        let is_directory = is_directory || has_to_be;
        self.sought.remove(&file);
        if self.names.add(file, parent, is_directory).is_err() {
            return;
        }
        let above = self.node(parent);
        let kind = if is_directory { Kind::Directory(BTreeMap::new()) } else { Kind::File(size) };
        if let Ok(node) = self.export.make(above, &name(file), kind) {
            self.places.insert(file, (parent, node));
            self.client.on(&mut self.export).remember(above, &name(file), Some(node));
        }
        kernel.fs.inodes.get_mut(file).size = size;
    }
}
