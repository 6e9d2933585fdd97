//! What an RPC asks for.

use super::options::Version;
use petrio_persist::Persist;

macro_rules! procedures {
    ($($(#[$doc:meta])* $variant:ident $v3:literal $v4:literal,)*) => {
        /// A procedure of version 2 or 3 or a compound of version 4, as the kernel's client counts them, and those of the side protocols.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
        pub enum Procedure {
            $($(#[$doc])* $variant,)*
        }

        impl Procedure {
            /// Every one, in this order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// As /proc/self/mountstats and the tracepoints of sunrpc call it; side protocols with their program before it.
            pub fn name(self, version: Version) -> &'static str {
                if version == Version::V2 && self == Self::FileSystemStatus {
                    return "STATFS";
                }
                match (self, version.is_4()) {
                    $((Self::$variant, false) => $v3, (Self::$variant, true) => $v4,)*
                }
            }
        }
    };
}

procedures! {
    /// Does nothing: is the server there?
    Null "NULL" "NULL",
    /// Attributes of a file.
    GetAttributes "GETATTR" "GETATTR",
    /// Changes attributes, or a file's size.
    SetAttributes "SETATTR" "SETATTR",
    /// Finds a name in a directory.
    LookUp "LOOKUP" "LOOKUP",
    /// What a user may do.
    Access "ACCESS" "ACCESS",
    /// What a symbolic link points to.
    ReadLink "READLINK" "READLINK",
    /// Reads of a file.
    Read "READ" "READ",
    /// Writes to a file.
    Write "WRITE" "WRITE",
    /// What was written unstable becomes durable.
    Commit "COMMIT" "COMMIT",
    /// Makes a file (version 3).
    Create "CREATE" "OPEN",
    /// Makes a directory.
    MakeDirectory "MKDIR" "CREATE",
    /// Makes a symbolic link.
    SymbolicLink "SYMLINK" "SYMLINK",
    /// Removes a name.
    Remove "REMOVE" "REMOVE",
    /// Removes a directory.
    RemoveDirectory "RMDIR" "REMOVE",
    /// Gives a file another name.
    Rename "RENAME" "RENAME",
    /// Gives a file one more name.
    Link "LINK" "LINK",
    /// Names in a directory; of version 4 with attributes.
    ReadDirectory "READDIR" "READDIR",
    /// Names in a directory with attributes and handles (version 3).
    ReadDirectoryPlus "READDIRPLUS" "READDIR",
    /// How full the file system is.
    FileSystemStatus "FSSTAT" "STATFS",
    /// What the server takes.
    FileSystemInformation "FSINFO" "FSINFO",
    /// Limits of names and links.
    PathConfiguration "PATHCONF" "PATHCONF",
    /// Opens a file by its name.
    Open "OPEN" "OPEN",
    /// Opens a file by its handle.
    OpenByHandle "OPEN_NOATTR" "OPEN_NOATTR",
    /// An owner's first opening is confirmed (4.0).
    OpenConfirm "OPEN_CONFIRM" "OPEN_CONFIRM",
    /// A file stays open for less.
    OpenDowngrade "OPEN_DOWNGRADE" "OPEN_DOWNGRADE",
    /// Closes a file.
    Close "CLOSE" "CLOSE",
    /// Locks a file's bytes.
    Lock "LOCK" "LOCK",
    /// Unlocks them.
    Unlock "LOCKU" "LOCKU",
    /// An owner of locks is forgotten (from 4.1).
    FreeStateId "FREE_STATEID" "FREE_STATEID",
    /// The same (4.0).
    ReleaseLockOwner "RELEASE_LOCKOWNER" "RELEASE_LOCKOWNER",
    /// Gives a delegation back.
    ReturnDelegation "DELEGRETURN" "DELEGRETURN",
    /// Who is there (from 4.1).
    ExchangeId "EXCHANGE_ID" "EXCHANGE_ID",
    /// A session begins.
    CreateSession "CREATE_SESSION" "CREATE_SESSION",
    /// It ends.
    DestroySession "DESTROY_SESSION" "DESTROY_SESSION",
    /// The client is gone.
    DestroyClientId "DESTROY_CLIENTID" "DESTROY_CLIENTID",
    /// Nothing is left to be reclaimed.
    ReclaimComplete "RECLAIM_COMPLETE" "RECLAIM_COMPLETE",
    /// Which security a file system wants.
    SecurityNoName "SECINFO_NO_NAME" "SECINFO_NO_NAME",
    /// The handle of the root.
    LookUpRoot "LOOKUP_ROOT" "LOOKUP_ROOT",
    /// What the server can.
    ServerCapabilities "SERVER_CAPS" "SERVER_CAPS",
    /// Who is there (4.0).
    SetClientId "SETCLIENTID" "SETCLIENTID",
    /// That is right (4.0).
    SetClientIdConfirm "SETCLIENTID_CONFIRM" "SETCLIENTID_CONFIRM",
    /// A lease is renewed (from 4.1).
    Sequence "SEQUENCE" "SEQUENCE",
    /// The same (4.0).
    Renew "RENEW" "RENEW",
    /// Gives a range blocks (4.2).
    Allocate "ALLOCATE" "ALLOCATE",
    /// Takes a range's blocks away (4.2).
    Deallocate "DEALLOCATE" "DEALLOCATE",
    /// Looks for data or a hole (4.2).
    Seek "SEEK" "SEEK",
    /// Copies on the server (4.2).
    Copy "COPY" "COPY",
    /// Shares blocks on the server (4.2).
    Clone "CLONE" "CLONE",
    /// Reads an extended attribute (4.2).
    GetXattr "GETXATTR" "GETXATTR",
    /// Writes one (4.2).
    SetXattr "SETXATTR" "SETXATTR",
    /// Reads an access list (NFSACL).
    GetAcl "nfsaclv3:GETACL" "nfsaclv3:GETACL",
    /// NFSACL's.
    AclNull "nfsaclv3:NULL" "nfsaclv3:NULL",
    /// MOUNT's.
    MountNull "mountv3:NULL" "mountv3:NULL",
    /// The handle of an export.
    MountExport "mountv3:MOUNT" "mountv3:MOUNT",
    /// Where a program listens.
    GetPort "rpcbindv2:GETPORT" "rpcbindv2:GETPORT",
    /// Locks a file's bytes (NLM).
    NlmLock "lockdv4:LOCK" "lockdv4:LOCK",
    /// Unlocks them (NLM).
    NlmUnlock "lockdv4:UNLOCK" "lockdv4:UNLOCK",
    /// The server wants a delegation back.
    CallbackRecall "nfs4_cbv1:CB_RECALL" "nfs4_cbv1:CB_RECALL",
}

/// Whether what a WRITE brings is durable when it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Persist)]
pub enum Stability {
    /// Not before a COMMIT.
    Unstable,
    /// With all that belongs to it.
    FileSync,
}

/// A call and its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Call {
    /// What is asked.
    pub procedure: Procedure,
    /// Bytes of the call, with RPC header and record mark.
    pub sent: u64,
    /// Bytes of the reply, with RPC header, without record mark: as the kernel counts both.
    pub received: u64,
    /// Bytes of a file that a READ asks for or a WRITE brings.
    pub data: u64,
    /// Of a WRITE.
    pub stability: Option<Stability>,
    /// Whether it is of the mount itself, and so counted in its statistics: not what mounting and leases need beside it.
    pub is_own: bool,
}
