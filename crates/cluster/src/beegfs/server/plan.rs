//! What a request takes, step by step.
//!
//! ```text
//!   LookupIntent create   the entry, its inode with it, its directory's inode               ─▶ answer
//!   MkDir                 MkLocalDir at the new directory's owner ─▶ the entry, its directory's inode ─▶ answer
//!   CloseFile             CloseChunkFile at the targets that were touched ─▶ the inode     ─▶ answer
//!   UnlinkFile            the entry, its directory's inode ─▶ answer ─▶ UnlinkLocalFile at all its targets
//!   RenameV2              in one directory: the entry; to another: MovingFileInsert at its owner ─▶ the old entry
//! ```
//!
//! After meta/source/net/message (`LookupIntentMsgEx`, `MkDirMsgEx`, `UnlinkFileMsgEx`, `RenameV2MsgEx`, `CloseFileMsgEx`, …) and
//! net/msghelpers of 8.3.1. An entry is a file of the metadata server's file system without data, whose extended attribute is the inode
//! (`storeUseExtendedAttribs`), a directory a directory there. Left out: a file's second name, by its ID; directories that hash those of
//! directories' inodes and of chunk files; hard links, and renaming what is open elsewhere.

use super::{Local, Server, Step};
use crate::beegfs::INODE;
use crate::beegfs::message::{Call, Target};
use crate::beegfs::procedure::Procedure;
use petrio_colours::{FileId, Operation};
use std::collections::VecDeque;

fn local(operation: Operation, file: FileId, parent: FileId) -> Local {
    Local { operation, file, parent, replaced: None, length: 0, may_fail: false }
}

/// The inode in an entry is written anew. One that was made since its file was laid out has none yet.
fn inode(file: FileId) -> Step {
    Step::Local(Local { length: INODE, may_fail: true, ..local(Operation::SetXattr, file, file) })
}

/// A directory has other entries: its inode is written.
fn touched(directory: FileId) -> Step {
    Step::Local(Local { may_fail: true, ..local(Operation::SetAttributes, directory, directory) })
}

impl Server {
    fn owns(&self, directory: FileId) -> bool {
        self.is.target == Target::Meta(self.asker.table.striping.owner(directory))
    }

    /// The steps of a request.
    pub(super) fn plan(&mut self, call: &Call) -> VecDeque<Step> {
        match self.is.target {
            Target::Storage(_) => self.of_storage(call),
            Target::Meta(_) => self.of_metadata(call),
        }
    }

    fn of_storage(&self, call: &Call) -> VecDeque<Step> {
        let own = |operation| {
            Step::Local(Local { length: call.length, ..local(operation, call.file, FileId::ROOT) })
        };
        let step = match call.procedure {
            Procedure::Read => Step::Read,
            Procedure::Write => Step::Write,
            Procedure::Sync => own(Operation::Fsync),
            Procedure::TruncateChunks => own(Operation::Truncate),
            Procedure::UnlinkChunks => own(Operation::Unlink),
            _ => own(Operation::Stat),
        };
        VecDeque::from([step])
    }

    fn of_metadata(&mut self, call: &Call) -> VecDeque<Step> {
        let (file, parent) = (call.file, call.parent);
        let one = |operation| Step::Local(local(operation, file, parent));
        let mut steps = match call.procedure {
            Procedure::Lookup | Procedure::Stat | Procedure::LookupOpen | Procedure::Open => {
                let is_written = self.writers.get(&file).is_some_and(|count| *count > 0);
                let mut steps = vec![one(Operation::Stat)];
                if is_written && matches!(call.procedure, Procedure::Lookup | Procedure::Stat) {
                    steps.push(Step::Remote(self.chunks(call, Procedure::ChunkAttributes, u32::MAX)));
                }
                steps
            }
            Procedure::LookupCreate => {
                *self.writers.entry(file).or_default() += 1;
                vec![one(Operation::Create), inode(file), touched(parent)]
            }
            Procedure::Close => {
                let last = self.writers.get_mut(&file).map(|count| {
                    *count = count.saturating_sub(1);
                    *count == 0
                });
                if last == Some(true) {
                    self.writers.remove(&file);
                }
                vec![Step::Remote(self.chunks(call, Procedure::CloseChunks, call.used)), inode(file)]
            }
            Procedure::SetAttributes => vec![one(Operation::SetAttributes)],
            Procedure::Truncate => {
                vec![Step::Remote(self.chunks(call, Procedure::TruncateChunks, u32::MAX)), inode(file)]
            }
            Procedure::Unlink => {
                self.writers.remove(&file);
                let chunks = Step::Remote(self.chunks(call, Procedure::UnlinkChunks, u32::MAX));
                let mut steps = vec![one(Operation::Unlink), touched(parent)];
                steps.extend(self.is.early_unlink.then_some(Step::Reply));
                steps.push(chunks);
                steps
            }
            Procedure::MakeDirectory if self.owns(file) => {
                vec![one(Operation::Mkdir), inode(file), touched(parent)]
            }
            Procedure::MakeDirectory => vec![
                self.at_owner(call, Procedure::MakeLocalDirectory),
                one(Operation::Create),
                inode(file),
                touched(parent),
            ],
            Procedure::RemoveDirectory if self.owns(file) => vec![one(Operation::Rmdir), touched(parent)],
            Procedure::RemoveDirectory => {
                vec![
                    self.at_owner(call, Procedure::RemoveLocalDirectory),
                    one(Operation::Unlink),
                    touched(parent),
                ]
            }
            Procedure::MakeLocalDirectory => {
                vec![Step::Local(local(Operation::Mkdir, file, FileId::ROOT)), inode(file)]
            }
            Procedure::RemoveLocalDirectory => vec![Step::Local(local(Operation::Rmdir, file, FileId::ROOT))],
            Procedure::Rename => self.renames(call),
            Procedure::InsertMoved => self.inserts(call),
            Procedure::ListDirectory => {
                vec![Step::Local(Local { length: call.length, ..local(Operation::Readdir, file, parent) })]
            }
            Procedure::AppendLock => vec![Step::Lock],
            _ => Vec::new(),
        };
        steps.retain(|step| !matches!(step, Step::Remote(calls) if calls.is_empty()));
        steps.into()
    }

    /// The same of the chunks of a file, on as many of its targets.
    fn chunks(&self, call: &Call, procedure: Procedure, most: u32) -> Vec<Call> {
        let striping = &self.asker.table.striping;
        let of = |position| {
            let target = Target::Storage(striping.group(call.file, position).primary);
            let length = match procedure {
                Procedure::TruncateChunks => striping.below(position, call.length),
                _ => 0,
            };
            Call { length, ..Call::of(procedure, target, (call.file, FileId::ROOT)) }
        };
        (0..striping.per_file.min(most)).map(of).collect()
    }

    fn at_owner(&self, call: &Call, procedure: Procedure) -> Step {
        let target = Target::Meta(self.asker.table.striping.owner(call.file));
        Step::Remote(vec![Call { procedure, target, ..*call }])
    }

    fn renames(&self, call: &Call) -> Vec<Step> {
        let (file, parent, into) = (call.file, call.parent, call.into);
        let moved = |to| Local { replaced: call.replaced, ..local(Operation::Rename, file, to) };
        let mut steps = if self.owns(into) {
            vec![Step::Local(moved(into)), touched(parent)]
        } else {
            let target = Target::Meta(self.asker.table.striping.owner(into));
            let insert = Call { procedure: Procedure::InsertMoved, target, ..*call };
            // A directory stays at its owner, outside of all that has entries here.
            let leaves = if call.is_directory && self.owns(file) {
                Local { replaced: None, ..moved(FileId::ROOT) }
            } else {
                local(Operation::Unlink, file, parent)
            };
            vec![Step::Remote(vec![insert]), Step::Local(leaves), touched(parent)]
        };
        if let Some(other) = call.replaced.filter(|_| !call.is_directory) {
            let chunks = self.chunks(&Call { file: other, ..*call }, Procedure::UnlinkChunks, u32::MAX);
            steps.push(Step::Remote(chunks));
        }
        steps
    }

    fn inserts(&self, call: &Call) -> Vec<Step> {
        let (file, into) = (call.file, call.into);
        let gives_way = call.replaced.map(|other| {
            let operation = if call.is_directory { Operation::Rmdir } else { Operation::Unlink };
            Step::Local(local(operation, other, into))
        });
        let comes = if call.is_directory && self.owns(file) { Operation::Rename } else { Operation::Create };
        gives_way
            .into_iter()
            .chain([Step::Local(local(comes, file, into)), inode(file), touched(into)])
            .collect()
    }
}
