//! What nodes, their metanodes and the lock manager tell each other.

use super::tokens::{Ask, Given, Told};
use super::volume::METADATA_BLOCK;
use petrio_colours::{Failure, FileId};
use petrio_persist::Persist;

/// Bytes of a message: the header of 16 and the 72 of figures of Linux' distributed lock manager, and a lock's name of 24
/// (struct dlm_message, fs/dlm/dlm_internal.h, Linux 2.6.24; GFS2's names are a type and a number of 16 digits).
const MESSAGE: u64 = 16 + 72 + 24;

/// What a message says.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Said {
    /// To the manager.
    Ask(Ask),
    Given(Given),
    /// To a node.
    Told(Told),
    /// To a file's metanode.
    Errand(Errand),
    /// From it.
    Answer(Answer),
}

impl Said {
    /// Bytes that it takes. An inode is a block.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Errand(Errand { sort: Sort::Merge { .. }, .. })
            | Self::Answer(Answer { inode: true, .. }) => MESSAGE + METADATA_BLOCK,
            _ => MESSAGE,
        }
    }
}

/// Who is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum To {
    Manager,
    /// A node, as the file system numbers them.
    Node(u32),
}

/// What a node wants of a file's metanode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Errand {
    pub(super) file: FileId,
    pub(super) sort: Sort,
    /// Who wants it, and which of its requests it is.
    pub(super) node: u32,
    pub(super) tag: u32,
}

/// What there is to do with an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Sort {
    /// Tell it.
    Fetch,
    /// Take what has been changed into it, and write it where somebody waits for that.
    Merge { sync: bool },
    /// Write what has been told before.
    Sync,
}

/// It has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Answer {
    pub(super) tag: u32,
    /// Whether it tells the inode.
    pub(super) inode: bool,
    pub(super) failure: Option<Failure>,
}
