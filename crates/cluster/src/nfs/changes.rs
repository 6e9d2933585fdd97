//! Who has changed what on a server that several clients ask: what replies' attributes tell each of them.

use super::message::{Call, Told};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// Changes of a file or directory.
#[derive(Clone, Debug, Default, Persist)]
struct Changes {
    all: u32,
    /// Those of each client, by the service that hears its replies.
    own: BTreeMap<u32, u32>,
    /// Where it ends, as far as it was written or cut.
    end: u64,
    /// It was cut there, or made: nothing lies beyond that was there before.
    is_cut: bool,
    /// A client has made it.
    made: bool,
    /// As a directory.
    is_directory: bool,
}

/// All that were made since the run began.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct AllChanges(BTreeMap<FileId, Changes>);

impl AllChanges {
    /// A call is over that changed something, as its last operation says.
    pub(super) fn note(&mut self, call: &Call, op: &FileOp) {
        let Some(operation) = call.operation else { return };
        let is_of_data =
            matches!(operation, Operation::Write | Operation::Truncate | Operation::SetAttributes);
        if is_of_data || operation.changes_names() {
            let changes = self.count(call.file, call.reply_to);
            match operation {
                Operation::Write => changes.end = changes.end.max(call.offset + op.length),
                Operation::Truncate => (changes.end, changes.is_cut) = (call.length, true),
                _ if operation.makes() => {
                    (changes.made, changes.is_cut, changes.end) = (true, true, 0);
                    changes.is_directory = operation == Operation::Mkdir;
                }
                _ => {}
            }
            if matches!(operation, Operation::Unlink | Operation::Rmdir) {
                (changes.made, changes.end) = (false, 0);
            }
        }
        if operation.changes_names() {
            self.count(call.parent, call.reply_to);
        }
    }

    fn count(&mut self, file: FileId, client: u32) -> &mut Changes {
        let changes = self.0.entry(file).or_default();
        changes.all = changes.all.saturating_add(1);
        *changes.own.entry(client).or_default() += 1;
        changes
    }

    /// What a reply to a call tells.
    pub(super) fn told(&self, call: &Call) -> Told {
        let by_others = |file| {
            self.0
                .get(&file)
                .map_or(0, |changes| changes.all - changes.own.get(&call.reply_to).copied().unwrap_or(0))
        };
        let (of_file, of_parent) = (by_others(call.file), by_others(call.parent));
        let own = self.0.get(&call.file);
        Told {
            of_file,
            of_parent,
            size: own.map_or(0, |changes| changes.end),
            is_cut: own.is_some_and(|changes| changes.is_cut),
            exists: own.is_some_and(|changes| changes.made),
            is_directory: own.is_some_and(|changes| changes.made && changes.is_directory),
        }
    }
}
