//! What is asked of servers, called as BeeGFS calls its messages (common/source/common/net/message/NetMessageTypes.h, 8.3.1).

use petrio_persist::Persist;

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub enum Procedure {
    /// A name is looked up, or what was known of it is looked at again, with its attributes.
    Lookup,
    /// A name is looked up and its file opened, in one request.
    LookupOpen,
    /// A file is made and opened, in one request.
    LookupCreate,
    /// A file whose name is known is opened.
    Open,
    /// An open file is closed.
    Close,
    /// Attributes are asked for.
    Stat,
    /// Attributes are changed.
    SetAttributes,
    /// A file gets another length.
    Truncate,
    /// A name is removed.
    Unlink,
    /// A directory is made.
    MakeDirectory,
    /// A directory is removed.
    RemoveDirectory,
    /// A name is changed.
    Rename,
    /// Names of a directory are read.
    ListDirectory,
    /// A file is locked by who appends to it, or unlocked.
    AppendLock,
    /// Of a metadata server to another: a directory's inode is made.
    MakeLocalDirectory,
    /// Likewise: it is removed.
    RemoveLocalDirectory,
    /// Likewise: an entry comes into a directory.
    InsertMoved,
    /// Data are read.
    Read,
    /// Data are written.
    Write,
    /// Data are made durable.
    Sync,
    /// Of a metadata server: a file's chunks on a target are closed, and say how long they are.
    CloseChunks,
    /// Likewise: they say how long they are.
    ChunkAttributes,
    /// Likewise: they are cut.
    TruncateChunks,
    /// Likewise: they are removed.
    UnlinkChunks,
}

impl Procedure {
    /// Its message's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lookup => "LookupIntent",
            Self::LookupOpen => "LookupIntent open",
            Self::LookupCreate => "LookupIntent create",
            Self::Open => "OpenFile",
            Self::Close => "CloseFile",
            Self::Stat => "Stat",
            Self::SetAttributes => "SetAttr",
            Self::Truncate => "TruncFile",
            Self::Unlink => "UnlinkFile",
            Self::MakeDirectory => "MkDir",
            Self::RemoveDirectory => "RmDir",
            Self::Rename => "Rename",
            Self::ListDirectory => "ListDirFromOffset",
            Self::AppendLock => "FLockAppend",
            Self::MakeLocalDirectory => "MkLocalDir",
            Self::RemoveLocalDirectory => "RmLocalDir",
            Self::InsertMoved => "MovingFileInsert",
            Self::Read => "ReadLocalFileV2",
            Self::Write => "WriteLocalFile",
            Self::Sync => "FSyncLocalFile",
            Self::CloseChunks => "CloseChunkFile",
            Self::ChunkAttributes => "GetChunkFileAttribs",
            Self::TruncateChunks => "TruncLocalFile",
            Self::UnlinkChunks => "UnlinkLocalFile",
        }
    }

    /// Whether a storage server does it.
    pub const fn is_of_storage(self) -> bool {
        (self as u8) >= Self::Read as u8
    }

    /// Whether the primary of a mirror group has its secondary do it, too, before it answers.
    pub const fn is_mirrored(self) -> bool {
        self.is_of_storage() && !matches!(self, Self::Read | Self::ChunkAttributes)
    }
}
