//! What nodes, their metanodes and the lock manager send each other.

use super::tokens::{LockReply, LockRequest, Release};
use super::volume::METADATA_BLOCK;
use petrio_colours::{Failure, FileId};
use petrio_persist::Persist;

/// Bytes of a message: the header of 16 and the 72 of figures of Linux' distributed lock manager, and a lock's name of 24
/// (struct dlm_message, fs/dlm/dlm_internal.h, Linux 2.6.24; GFS2's names are a type and a number of 16 digits).
const MESSAGE: u64 = 16 + 72 + 24;

/// What a message says.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) enum Payload {
    /// To the manager.
    Lock(LockRequest),
    Release(Release),
    /// To a node.
    Manager(LockReply),
    /// To a file's metanode.
    Inode(InodeRequest),
    /// From it.
    InodeReply(InodeReply),
}

impl Payload {
    /// Bytes that it takes. An inode is a block.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Inode(InodeRequest { access: InodeAccess::Merge { .. }, .. })
            | Self::InodeReply(InodeReply { inode: true, .. }) => MESSAGE + METADATA_BLOCK,
            _ => MESSAGE,
        }
    }

    /// Whether it asks for a token or grants one.
    pub(super) const fn is_of_lock(&self) -> bool {
        matches!(self, Self::Lock(_) | Self::Manager(LockReply::Grant { .. }))
    }

    /// Whether it recalls a token or gives one up that was recalled.
    pub(super) const fn is_of_recall(&self) -> bool {
        matches!(
            self,
            Self::Manager(LockReply::Recall { .. }) | Self::Release(Release { recalled: true, .. })
        )
    }

    /// Whether it asks a metanode for something or is its reply.
    pub(super) const fn is_of_inode(&self) -> bool {
        matches!(self, Self::Inode(_) | Self::InodeReply(_))
    }
}

/// Who a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum Recipient {
    Manager,
    /// A node, as the file system numbers them.
    Node(u32),
}

/// What a node wants of a file's metanode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct InodeRequest {
    pub(super) file: FileId,
    pub(super) access: InodeAccess,
    /// Who wants it, and which of its requests it is.
    pub(super) node: u32,
    pub(super) tag: u32,
}

/// What there is to do with an inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) enum InodeAccess {
    /// Send it.
    Fetch,
    /// Take what has been changed into it, and write it where somebody waits for that.
    Merge { sync: bool },
    /// Write what has been sent before.
    Sync,
}

/// It has been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct InodeReply {
    pub(super) tag: u32,
    /// Whether the inode comes with it.
    pub(super) inode: bool,
    pub(super) failure: Option<Failure>,
}
