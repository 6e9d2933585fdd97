//! What a client of Lustre asks, and what servers ask it.

use petrio_persist::Persist;

/// What an RPC is about, called as its statistics call it (`lustre/obdclass/lprocfs_status.c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub enum Procedure {
    /// A name is looked up, or attributes are asked for, with a lock: an intent.
    GetAttributes,
    /// A file is opened: an intent.
    Open,
    /// A file is made and opened: an intent.
    Create,
    /// An open file is closed.
    Close,
    /// Attributes are changed.
    SetAttributes,
    /// A name is removed.
    Unlink,
    /// A directory is made.
    MakeDirectory,
    /// A directory is removed.
    RemoveDirectory,
    /// A name is changed.
    Rename,
    /// A symbolic link is made.
    SymbolicLink,
    /// A lock is taken on a directory that is to be read: an intent.
    LockDirectory,
    /// Names of a directory are read.
    ReadPage,
    /// Objects of a component are wanted: an intent.
    Layout,
    /// What a metadata target holds of a file is made durable.
    MetadataSync,
    /// Data are read.
    Read,
    /// Data are written.
    Write,
    /// An extent of an object is locked to be read.
    LockToRead,
    /// An extent of an object is locked to be written.
    LockToWrite,
    /// An object's size is asked for, without a lock.
    Glimpse,
    /// A lock goes back.
    Cancel,
    /// An object is cut.
    Punch,
    /// An object is made durable.
    Sync,
    /// Nothing: it waits for what servers ask the client.
    Listen,
    /// A size goes back that a server has asked for.
    TellSize,
    /// Nothing: it says how long a writer waited for room under `max_dirty_mb` or for grant.
    Waited,
}

impl Procedure {
    /// All of them, as their numbers have them.
    pub const ALL: [Self; 25] = [
        Self::GetAttributes,
        Self::Open,
        Self::Create,
        Self::Close,
        Self::SetAttributes,
        Self::Unlink,
        Self::MakeDirectory,
        Self::RemoveDirectory,
        Self::Rename,
        Self::SymbolicLink,
        Self::LockDirectory,
        Self::ReadPage,
        Self::Layout,
        Self::MetadataSync,
        Self::Read,
        Self::Write,
        Self::LockToRead,
        Self::LockToWrite,
        Self::Glimpse,
        Self::Cancel,
        Self::Punch,
        Self::Sync,
        Self::Listen,
        Self::TellSize,
        Self::Waited,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetAttributes => "intent getattr",
            Self::Open => "intent open",
            Self::Create => "intent open-create",
            Self::Close => "mds_close",
            Self::SetAttributes => "reint setattr",
            Self::Unlink => "reint unlink",
            Self::MakeDirectory => "reint mkdir",
            Self::RemoveDirectory => "reint rmdir",
            Self::Rename => "reint rename",
            Self::SymbolicLink => "reint symlink",
            Self::LockDirectory => "intent readdir",
            Self::ReadPage => "mds_readpage",
            Self::Layout => "intent layout",
            Self::MetadataSync => "mds_sync",
            Self::Read => "ost_read",
            Self::Write => "ost_write",
            Self::LockToRead => "ldlm_enqueue PR",
            Self::LockToWrite => "ldlm_enqueue PW",
            Self::Glimpse => "glimpse",
            Self::Cancel => "ldlm_cancel",
            Self::Punch => "ost_punch",
            Self::Sync => "ost_sync",
            Self::Listen => "listen",
            Self::TellSize => "ldlm_gl_callback",
            Self::Waited => "waited",
        }
    }

    /// Whether a metadata target does it.
    pub const fn is_of_metadata(self) -> bool {
        (self as u8) <= Self::MetadataSync as u8
    }

    /// Whether it changes metadata, of which fewer may be on their way (`max_mod_rpcs_in_flight`; `mdc_get_mod_rpc_slot`).
    pub const fn modifies(self) -> bool {
        matches!(
            self,
            Self::Create
                | Self::Close
                | Self::SetAttributes
                | Self::Unlink
                | Self::MakeDirectory
                | Self::RemoveDirectory
                | Self::Rename
                | Self::SymbolicLink
        )
    }
}

/// Parts of what is known of a file, for which a client holds a lock while it believes them (`MDS_INODELOCK_*`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Bits(pub u8);

impl Bits {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Its name, owner and mode.
    pub const LOOKUP: Self = Self(1);
    /// Its attributes, and the names in a directory.
    pub const UPDATE: Self = Self(2);
    /// That it is open.
    pub const OPEN: Self = Self(4);
    /// Where its data lie.
    pub const LAYOUT: Self = Self(8);
    /// All of these.
    pub const ALL: Self = Self(15);

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has all of others.
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Whether it has any of others.
    pub const fn any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

impl Procedure {
    /// The lock that a client is given with its answer, of the file that it is about.
    ///
    /// After `mdt_getattr_name_lock`, `mdt_object_open_lock` (lustre/mdt/mdt_handler.c, mdt_open.c): the lock of a lookup comes with
    /// each open,
    /// as names are validated by it, and that of the layout with that of a file that is opened.
    pub const fn grants(self, is_directory: bool) -> Bits {
        match self {
            Self::GetAttributes if is_directory => Bits::LOOKUP.and(Bits::UPDATE),
            Self::GetAttributes => Bits::LOOKUP.and(Bits::UPDATE).and(Bits::LAYOUT),
            Self::Open | Self::Create => Bits::LOOKUP.and(Bits::LAYOUT),
            Self::LockDirectory => Bits::UPDATE,
            Self::Layout => Bits::LAYOUT,
            _ => Bits::NONE,
        }
    }

    /// What nobody else may believe any longer when it is done: of the file, of the directory that its name is in.
    pub const fn revokes(self) -> (Bits, Bits) {
        match self {
            Self::Create | Self::MakeDirectory | Self::SymbolicLink => (Bits::NONE, Bits::UPDATE),
            Self::Unlink | Self::RemoveDirectory | Self::Rename => (Bits::ALL, Bits::UPDATE),
            Self::SetAttributes => (Bits::LOOKUP.and(Bits::UPDATE), Bits::NONE),
            Self::Layout => (Bits::LAYOUT, Bits::NONE),
            _ => (Bits::NONE, Bits::NONE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_procedure_stands_at_its_number() {
        assert!(Procedure::ALL.iter().enumerate().all(|(number, own)| *own as usize == number));
    }
}
