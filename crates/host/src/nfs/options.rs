//! How an export is mounted: the options of nfs(5), with the kernel's own defaults.

use petrio_units::Bytes;
use petrio_units::Duration;
use thiserror::Error;

/// The smallest `rsize` and `wsize` that a client takes (`NFS_MIN_FILE_IO_SIZE`): what asks for less gets 4 KiB.
const LEAST_TRANSFER: u64 = 1024;

/// What a server and a client of today agree on unless somebody says otherwise (`NFSSVC_MAXBLKSIZE`, `NFS_MAX_FILE_IO_SIZE`).
const MOST_TRANSFER: u64 = 1 << 20;

/// The most of version 2 (`NFS_MAXDATA` of RFC 1094).
const MOST_TRANSFER_2: u64 = 8 << 10;

/// Versions of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// RFC 1094: 8 KiB at most, every write durable before it is answered, and changes that tell no attributes.
    V2,
    /// RFC 1813.
    V3,
    /// RFC 7530.
    V40,
    /// RFC 8881: with sessions.
    V41,
    /// RFC 7862: with allocation, copies and extended attributes (RFC 8276).
    V42,
}

impl Version {
    /// Whether files are opened and closed, and calls are compounds.
    pub fn is_4(self) -> bool {
        self >= Self::V40
    }

    /// Whether there are sessions, and files are opened by their handles.
    pub fn has_sessions(self) -> bool {
        self >= Self::V41
    }

    /// Whether what a user may do is asked of the server, writes may be unstable, and replies to changes have attributes.
    pub fn is_3_or_later(self) -> bool {
        self >= Self::V3
    }

    /// As the option `vers` says it.
    pub fn word(self) -> &'static str {
        match self {
            Self::V2 => "2",
            Self::V3 => "3",
            Self::V40 => "4.0",
            Self::V41 => "4.1",
            Self::V42 => "4.2",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        match word {
            "2" => Some(Self::V2),
            "3" => Some(Self::V3),
            "4.0" => Some(Self::V40),
            "4.1" => Some(Self::V41),
            // mount.nfs asks for the highest first.
            "4" | "4.2" => Some(Self::V42),
            _ => None,
        }
    }
}

/// Which names a client remembers (`lookupcache`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupCache {
    /// Those that are there, and those that aren't.
    All,
    /// Those that are there.
    Positive,
    /// None: each is asked for again.
    None,
}

/// What becomes of a call that its server doesn't answer (`hard`, `soft`, `softerr`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GivesUp {
    /// It is sent again until it is answered.
    #[default]
    Never,
    /// It fails with EIO.
    WithError,
    /// It fails with ETIMEDOUT.
    WithTimeOut,
}

/// The options of a mount.
#[derive(Clone, Debug, PartialEq)]
pub struct MountOptions {
    /// The version of the protocol.
    pub version: Version,
    /// Most bytes of a READ.
    pub read_size: Bytes,
    /// Most bytes of a WRITE.
    pub write_size: Bytes,
    /// For how long attributes of a file are believed at least, and at most (`acregmin`, `acregmax`).
    pub file_attributes: (Duration, Duration),
    /// The same of a directory (`acdirmin`, `acdirmax`).
    pub directory_attributes: (Duration, Duration),
    /// Every write reaches the server before its call returns (`sync`; `noac` implies it).
    pub sync: bool,
    /// Opening a file asks the server for its attributes, and closing one that was written compares them (not `nocto`).
    pub close_to_open: bool,
    /// Which names are remembered.
    pub lookup_cache: LookupCache,
    /// Directories are read with the attributes of what is in them (not `nordirplus`).
    pub directories_with_attributes: bool,
    /// Locks are the server's (not `nolock`): of version 3 by the side protocol NLM.
    pub locks: bool,
    /// Lists of access are asked for (not `noacl`): of version 3 by the side protocol NFSACL.
    pub access_lists: bool,
    /// Over UDP instead of TCP (`proto=udp`), whose messages have no record mark.
    pub udp: bool,
    /// How long a call waits for its answer before it is sent again (`timeo`), which over UDP is doubled each time.
    pub time_out: Duration,
    /// How often a call is sent again before the server is taken not to answer (`retrans`).
    pub retransmissions: u32,
    /// What becomes of a call then.
    pub gives_up: GivesUp,
    /// TCP connections (`nconnect`).
    pub connections: u32,
    /// Whether the server delegates files (fs.leases-enable): no option of the mount.
    pub delegations: bool,
    /// The largest window of read-ahead (`read_ahead_kb`): the kernel's own, which no option sets.
    pub read_ahead: Bytes,
}

impl MountOptions {
    /// Those of a version that says nothing else (nfs(5); fs/nfs/internal.h: `NFS_DEF_ACREGMIN` and the like).
    #[must_use]
    pub fn new(version: Version) -> Self {
        let most = Bytes(if version == Version::V2 { MOST_TRANSFER_2 } else { MOST_TRANSFER });
        Self {
            version,
            read_size: most,
            write_size: most,
            file_attributes: (seconds(3), seconds(60)),
            directory_attributes: (seconds(30), seconds(60)),
            sync: false,
            close_to_open: true,
            lookup_cache: LookupCache::All,
            directories_with_attributes: version.is_3_or_later(),
            locks: true,
            access_lists: version.is_3_or_later(),
            udp: false,
            time_out: TCP_TIME_OUT.0,
            retransmissions: TCP_TIME_OUT.1,
            gives_up: GivesUp::Never,
            connections: 1,
            delegations: true,
            read_ahead: Bytes::from_kib(128),
        }
    }

    /// Reads options as mount(8) has them, such as `vers=3,rsize=32768,noac`. What changes no RPC (`hard`, `timeo`) is accepted.
    ///
    /// # Errors
    /// An option that isn't known, that lacks its value, or has one that makes no sense.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let mut version = Version::V42;
        for word in &words {
            if let Some(value) = word.strip_prefix("vers=").or_else(|| word.strip_prefix("nfsvers=")) {
                version = Version::parse(value).ok_or_else(|| wrong(word, "2, 3, 4, 4.0, 4.1 or 4.2"))?;
            }
        }
        let mut options = Self::new(version);
        if words.iter().any(|word| matches!(*word, "udp" | "proto=udp")) {
            (options.time_out, options.retransmissions) = UDP_TIME_OUT;
        }
        for word in words {
            options.set(word)?;
        }
        if version == Version::V2 {
            let cut = |size: Bytes| size.min(Bytes(MOST_TRANSFER_2));
            (options.read_size, options.write_size) = (cut(options.read_size), cut(options.write_size));
            (options.access_lists, options.directories_with_attributes) = (false, false);
        }
        // Version 4 needs a transport that keeps order and controls congestion (RFC 8881, 2.9.1).
        if options.udp && version.is_4() {
            return Err(OptionError::Datagrams { version: version.word() });
        }
        Ok(options)
    }

    fn set(&mut self, word: &str) -> Result<(), OptionError> {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "rsize" => self.read_size = transfer(word, value)?,
            "wsize" => self.write_size = transfer(word, value)?,
            "actimeo" => {
                let span = span(word, value)?;
                self.file_attributes = (span, span);
                self.directory_attributes = (span, span);
            }
            "acregmin" => self.file_attributes.0 = span(word, value)?,
            "acregmax" => self.file_attributes.1 = span(word, value)?,
            "acdirmin" => self.directory_attributes.0 = span(word, value)?,
            "acdirmax" => self.directory_attributes.1 = span(word, value)?,
            "noac" => {
                self.file_attributes = (seconds(0), seconds(0));
                self.directory_attributes = (seconds(0), seconds(0));
                self.sync = true;
            }
            "sync" => self.sync = true,
            "async" => self.sync = false,
            "nocto" => self.close_to_open = false,
            "cto" => self.close_to_open = true,
            "nordirplus" => self.directories_with_attributes = false,
            "rdirplus" => self.directories_with_attributes = true,
            "nolock" => self.locks = false,
            "lock" => self.locks = true,
            "noacl" => self.access_lists = false,
            "acl" => self.access_lists = true,
            "udp" => self.udp = true,
            "tcp" => self.udp = false,
            "proto" => match value {
                "tcp" => self.udp = false,
                "udp" => self.udp = true,
                _ => return Err(wrong(word, "tcp or udp")),
            },
            "lookupcache" => {
                self.lookup_cache = match value {
                    "all" => LookupCache::All,
                    "pos" | "positive" => LookupCache::Positive,
                    "none" => LookupCache::None,
                    _ => return Err(wrong(word, "all, pos or none")),
                }
            }
            "nconnect" => {
                let connections = value.parse().ok().filter(|count| (1..=16).contains(count));
                self.connections = connections.ok_or_else(|| wrong(word, "1 to 16"))?;
            }
            "hard" => self.gives_up = GivesUp::Never,
            "soft" => self.gives_up = GivesUp::WithError,
            "softerr" => self.gives_up = GivesUp::WithTimeOut,
            "timeo" => {
                let tenths = value.parse::<u64>().ok().filter(|tenths| (1..=6_000).contains(tenths));
                let tenths = tenths.ok_or_else(|| wrong(word, "tenths of a second, 1 to 6000"))?;
                self.time_out = tenths_of_a_second(tenths);
            }
            "retrans" => {
                let times = value.parse().ok().filter(|times| (1..=100).contains(times));
                self.retransmissions = times.ok_or_else(|| wrong(word, "1 to 100"))?;
            }
            "vers" | "nfsvers" | "ac" | "softreval" | "port" | "mountproto" | "mountport" | "mountvers"
            | "addr" | "clientaddr" | "sec" | "local_lock" | "relatime" | "noatime" | "rw" | "ro" | "bg"
            | "fg" | "resvport" | "noresvport" | "namlen" | "mountaddr" => {}
            _ => return Err(OptionError::Unknown { option: word.to_owned() }),
        }
        Ok(())
    }
}

/// Why options can't be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// There is no such option here.
    #[error(
        "\"{option}\" is no option of an NFS mount that is known here; known are those of nfs(5) that change which RPCs are sent: vers, \
         rsize, wsize, actimeo, acregmin, acregmax, acdirmin, acdirmax, noac, sync, nocto, lookupcache, nordirplus, nolock, noacl, \
         nconnect, proto, timeo, retrans, hard, soft, softerr"
    )]
    Unknown {
        /// What stands there.
        option: String,
    },
    /// A version that datagrams don't carry.
    #[error(
        "version {version} isn't carried by UDP: it wants a transport that keeps order and holds back where the network is full (RFC 7530, \
         section 3.1; RFC 8881, section 2.9.1); take proto=tcp, or vers=3"
    )]
    Datagrams {
        /// Which.
        version: &'static str,
    },
    /// Its value makes no sense.
    #[error("\"{option}\" makes no sense: its value may be {may_be}")]
    Value {
        /// What stands there.
        option: String,
        /// What could.
        may_be: &'static str,
    },
}

fn wrong(option: &str, may_be: &'static str) -> OptionError {
    OptionError::Value { option: option.to_owned(), may_be }
}

/// `timeo` and `retrans` of mounts that don't say them (nfs(5); `NFS_DEF_TCP_TIMEO`, `NFS_DEF_UDP_TIMEO` and their `RETRANS`).
const TCP_TIME_OUT: (Duration, u32) = (tenths_of_a_second(600), 2);
const UDP_TIME_OUT: (Duration, u32) = (tenths_of_a_second(11), 3);

const fn tenths_of_a_second(tenths: u64) -> Duration {
    Duration::new(petrio_kernel::Time::from_millis(100 * tenths))
}

fn seconds(seconds: u64) -> Duration {
    Duration::new(petrio_kernel::Time::from_whole_seconds(seconds))
}

fn span(word: &str, value: &str) -> Result<Duration, OptionError> {
    // mount(8) takes an integer of C, and a day is more than anybody waits.
    let known = value.parse::<u64>().ok().filter(|&seconds| seconds <= 1_000_000);
    known.map(seconds).ok_or_else(|| wrong(word, "whole seconds, 0 to 1000000"))
}

/// The size of a transfer as the client takes it: a power of two down, below 1 KiB the smallest that it takes, at most 1 MiB
/// (`nfs_io_size`).
fn transfer(word: &str, value: &str) -> Result<Bytes, OptionError> {
    let bytes = value.parse::<u64>().ok().filter(|&bytes| bytes > 0);
    let bytes = bytes.ok_or_else(|| wrong(word, "bytes, at least 1024"))?;
    if bytes < LEAST_TRANSFER {
        return Ok(Bytes::from_kib(4));
    }
    let bytes = bytes.min(MOST_TRANSFER);
    // Whole pages, or a power of two below one.
    let sized = if bytes < 4096 { 1 << bytes.ilog2() } else { bytes / 4096 * 4096 };
    Ok(Bytes(sized))
}
