//! What the file system on which a parallel program works does for it: how names are listed, and whether ranges are locked.

/// What a file system does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mounted {
    /// Entries of a directory that one call gives, or one request to a server.
    pub entries: u64,
    /// Whether a listing says which of them are directories (`d_type` of readdir(3)): where it doesn't, who looks for files asks
    /// for the attributes of each entry.
    pub tells_types: bool,
    /// Whether ranges of its files can be locked (fcntl), without which MPI-IO writes no bytes that it isn't asked to.
    pub has_locks: bool,
}

/// Bytes of an entry of a name of a few dozen characters: of `linux_dirent64` as of READDIR3's `entry3`.
const ENTRY: u64 = 48;

impl Mounted {
    /// A file system of the host's own kernel: glibc's readdir(3) has a buffer of 32 KiB.
    pub const LOCAL: Self = Self { entries: (32 << 10) / ENTRY, tells_types: true, has_locks: true };

    /// One by NFS, whose READDIR (without PLUS) answers with 4 KiB and no types (RFC 1813, 3.3.16).
    pub const SHARE: Self = Self { entries: (4 << 10) / ENTRY, tells_types: false, has_locks: true };

    /// Lustre: pages of its directories are in the client's memory, types with them; flock is left out here, as `noflock` is what mounting
    /// does by itself up to 2.15.
    pub const LUSTRE: Self = Self { entries: (32 << 10) / ENTRY, tells_types: true, has_locks: false };

    /// BeeGFS: names that a metadata server sends come with their types; locks of ranges go to that server unless they stay on the host
    /// (`tuneUseGlobalFileLocks`, off by default), which joins no processes of several hosts.
    pub const BEEGFS: Self = Self { entries: (32 << 10) / ENTRY, tells_types: true, has_locks: false };

    /// PVFS: 512 entries a request and `DT_UNKNOWN` for each (Linux, fs/orangefs: `ORANGEFS_MAX_DIRENT_COUNT_READDIR` and dir.c);
    /// no locks (ROMIO 3.2, adio/ad_pvfs2: it has none, and doesn't sieve writes).
    pub const PVFS: Self = Self { entries: 512, tells_types: false, has_locks: false };
}
