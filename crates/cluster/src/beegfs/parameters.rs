//! BeeGFS as it is written.

use super::client::Mount;
use super::striping::{Chooser, Group, Striping};
use petrio_kernel::Time;
use petrio_stage::Lever;
use petrio_units::numbers::as_number;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The least chunk (`STRIPEPATTERN_MIN_CHUNKSIZE`, common/storage/striping/StripePattern.h).
const LEAST_CHUNK: u64 = 64 << 10;
/// The most targets of a file, and bits of a daemon's number among connections.
const MOST: u32 = 1 << 12;

/// How a client keeps data (`tuneFileCacheType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// A buffer a file, of which there are a few.
    #[default]
    Buffered,
    /// None: each call goes to the servers.
    None,
}

/// What work costs, as time of the processors of the host that does it. Left out, a message and a request cost what those of NFS are
/// taken to (`NfsCosts`), a call of a program the way into the kernel; servers are processes, which costs them a call more each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BeegfsCosts {
    /// What a program asks for on a client, beside the copy of its data.
    pub operation: Duration,
    /// A message that an end sends: a request, a piece of data, an answer.
    pub message: Duration,
    /// A request that a worker of a server does.
    pub serve: Duration,
}

impl BeegfsCosts {
    /// Nothing costs anything.
    pub const NONE: Self = Self { operation: Duration::ZERO, message: Duration::ZERO, serve: Duration::ZERO };
}

impl Default for BeegfsCosts {
    fn default() -> Self {
        let us = |us| Duration::new(Time::from_micros(us));
        Self { operation: us(2), message: us(10), serve: us(30) }
    }
}

/// Which targets mirror each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "true, or groups of two targets each, such as [[\"storage0/a\", \"storage1/a\"]]"
)]
pub enum Mirroring {
    /// True: targets in their order, each of the first half with one of the second.
    All(bool),
    /// Groups of two targets, each with the one that clients ask first.
    Groups(Vec<Vec<String>>),
}

impl Default for Mirroring {
    fn default() -> Self {
        Self::All(false)
    }
}

impl Mirroring {
    /// Whether nothing is mirrored.
    pub fn is_none(&self) -> bool {
        *self == Self::All(false)
    }
}

/// What a file system is made of, and how it is mounted. Defaults are those of BeeGFS 8.3.1, as its daemons' configuration files have them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BeegfsParameters {
    /// Bytes of a chunk: a power of two, 64 KiB or more (`tuneDefaultChunkSize`).
    pub chunk_size: Bytes,
    /// Targets that a file is striped over, or mirror groups (`tuneDefaultNumStripeTargets`).
    pub targets_per_file: u32,
    /// How a file's targets are chosen (`tuneTargetChooser`): `randomized` or `roundrobin`.
    pub target_chooser: Chooser,
    /// How clients keep data: `buffered`, or `none`.
    pub cache: Cache,
    /// Bytes of a buffer of the cache `buffered` (`tuneFileCacheBufSize`).
    pub buffer_size: Bytes,
    /// How many buffers a client has (`tuneFileCacheBufNum`). Left out, four for each processor, and four at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<u32>,
    /// How long a client believes what it knows of a directory (`tuneDirSubentryCacheValidityMS`).
    pub directory_validity: Duration,
    /// How long it believes what it knows of a file (`tuneFileSubentryCacheValidityMS`).
    pub file_validity: Duration,
    /// Whether fsync(2) has servers put data on their disks, too (`tuneRemoteFSync`).
    pub remote_fsync: bool,
    /// Connections of a client to each server (`connMaxInternodeNum` of clients).
    pub connections: u32,
    /// Those of a metadata server to each other server.
    pub meta_connections: u32,
    /// Those of a storage server.
    pub storage_connections: u32,
    /// Workers of a metadata server (`tuneNumWorkers`). Left out, two for each processor of its host, and four at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta_workers: Option<u32>,
    /// Workers of a storage server for each of its targets (`tuneNumWorkers`, `tuneUsePerTargetWorkers`).
    pub storage_workers: u32,
    /// Bytes in which a storage server receives data and writes them (`tuneFileWriteSize`).
    pub write_piece: Bytes,
    /// Bytes in which it reads them and sends them, of who has read 4 MiB one after the other (`tuneFileReadSize`).
    pub read_piece: Bytes,
    /// Bytes of an answer with names (`tuneMsgBufSize` of clients).
    pub message_buffer: Bytes,
    /// Whether removing a file is answered before its chunks are gone (`tuneEarlyUnlinkResponse`).
    pub early_unlink: bool,
    /// What else costs time of processors.
    pub costs: BeegfsCosts,
}

impl Default for BeegfsParameters {
    fn default() -> Self {
        Self {
            chunk_size: Bytes::from_kib(512),
            targets_per_file: 4,
            target_chooser: Chooser::default(),
            cache: Cache::default(),
            buffer_size: Bytes::from_kib(512),
            buffers: None,
            directory_validity: Duration::new(Time::from_millis(1000)),
            file_validity: Duration::ZERO,
            remote_fsync: true,
            connections: 12,
            meta_connections: 32,
            storage_connections: 12,
            meta_workers: None,
            storage_workers: 12,
            write_piece: Bytes::from_kib(128),
            read_piece: Bytes::from_kib(128),
            message_buffer: Bytes::from_mib(1),
            early_unlink: true,
            costs: BeegfsCosts::default(),
        }
    }
}

/// Why a file system can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeegfsError {
    /// None of something.
    #[error("0 makes no sense: {why}; let it be 1 or more")]
    None {
        /// The parameter.
        parameter: &'static str,
        /// Why.
        why: &'static str,
    },
    /// More of something than there can be.
    #[error("{number} is more than there can be; let it be {most} or less")]
    Many {
        /// The parameter.
        parameter: &'static str,
        /// How many.
        number: u32,
        /// The most.
        most: u32,
    },
    /// A chunk that is no power of two, or too small.
    #[error("a chunk of {size} makes no sense: it is a power of two, and 64 KiB or more")]
    Chunk {
        /// Its size.
        size: Bytes,
    },
    /// Files on more targets than there are.
    #[error("{count} targets a file are more than there are: {all}")]
    Targets {
        /// How many were asked for.
        count: u32,
        /// How many there are.
        all: String,
    },
}

impl BeegfsError {
    /// The parameter that is wrong.
    pub const fn parameter(&self) -> &'static str {
        match self {
            Self::None { parameter, .. } | Self::Many { parameter, .. } => parameter,
            Self::Chunk { .. } => "chunk_size",
            Self::Targets { .. } => "targets_per_file",
        }
    }
}

/// The stage of a server's workers.
pub(super) const WORKERS: &str = "workers";

impl BeegfsParameters {
    /// How files are striped over groups of targets, and directories over so many metadata servers, with what random choices follow from.
    ///
    /// # Errors
    /// See [`BeegfsError`].
    pub fn striping(&self, groups: Vec<Group>, metas: usize, seed: u64) -> Result<Striping, BeegfsError> {
        self.check_numbers()?;
        let (chunk, all) = (self.chunk_size.get(), groups.len());
        if !chunk.is_power_of_two() || chunk < LEAST_CHUNK {
            return Err(BeegfsError::Chunk { size: self.chunk_size });
        }
        if self.targets_per_file as usize > all {
            let is_mirrored = groups.iter().any(|group| group.secondary.is_some());
            let what = if is_mirrored { "mirror groups" } else { "targets" };
            let (count, all) = (self.targets_per_file, format!("{all} {what}"));
            return Err(BeegfsError::Targets { count, all });
        }
        let per_file = self.targets_per_file;
        let metas = as_number(metas.max(1));
        Ok(Striping { chunk, per_file, groups, chooser: self.target_chooser, metas, seed })
    }

    fn check_numbers(&self) -> Result<(), BeegfsError> {
        let bytes = |bytes: Bytes| u32::from(bytes.get() > 0);
        let wrong = [
            (self.targets_per_file, "targets_per_file", "a file without targets holds nothing"),
            (self.buffers.unwrap_or(1), "buffers", "without buffers nothing is buffered (cache = \"none\")"),
            (bytes(self.buffer_size), "buffer_size", "a buffer of no bytes holds nothing"),
            (self.connections, "connections", "without a connection nothing is asked"),
            (self.meta_connections, "meta_connections", "without a connection nothing is asked"),
            (self.storage_connections, "storage_connections", "without a connection nothing is asked"),
            (self.meta_workers.unwrap_or(1), "meta_workers", "a server without workers serves nobody"),
            (self.storage_workers, "storage_workers", "a server without workers serves nobody"),
            (bytes(self.write_piece), "write_piece", "a piece of no bytes moves nothing"),
            (bytes(self.read_piece), "read_piece", "a piece of no bytes moves nothing"),
            (bytes(self.message_buffer), "message_buffer", "an answer of no bytes tells nothing"),
        ];
        if let Some((_, parameter, why)) = wrong.into_iter().find(|(number, ..)| *number == 0) {
            return Err(BeegfsError::None { parameter, why });
        }
        // As many as connections to one other are told apart.
        let many = [
            (self.targets_per_file, "targets_per_file", MOST),
            (self.connections, "connections", 256),
            (self.meta_connections, "meta_connections", 256),
            (self.storage_connections, "storage_connections", 256),
        ];
        match many.into_iter().find(|(number, _, most)| number > most) {
            Some((number, parameter, most)) => Err(BeegfsError::Many { parameter, number, most }),
            None => Ok(()),
        }
    }

    /// How a client with so many processors mounts it.
    pub(super) fn mount(&self, processors: u32) -> Mount {
        // `MAX(num_online_cpus() * 4, 4)`, client_module/source/app/config/Config.c.
        let buffers = self.buffers.unwrap_or_else(|| processors.saturating_mul(4).max(4));
        let buffers = if self.cache == Cache::None { 0 } else { buffers as usize };
        Mount {
            buffers: (self.buffer_size.get(), buffers),
            directories: self.directory_validity.time(),
            files: self.file_validity.time(),
            remote_fsync: self.remote_fsync,
            connections: self.connections,
        }
    }

    /// Workers of a metadata server on a host with so many processors (`BEEGFS_MAX(getNumOnlineCPUs()*2, 4)`, meta's Config.cpp).
    pub fn workers_of_meta(&self, processors: u32) -> u32 {
        self.meta_workers.unwrap_or_else(|| processors.saturating_mul(2).max(4))
    }

    /// What could be better about it; its parameters stand at `path`, and it has so many groups of targets.
    pub fn levers(&self, path: &str, groups: u32) -> Vec<Lever> {
        let costs = format!("{path}.costs");
        let twice = |number: u32| number.saturating_mul(2);
        let workers = Lever::twice(WORKERS, "number", "twice as many workers for each storage target");
        let all = [
            workers.set(path, "storage_workers", twice(self.storage_workers)),
            Lever::twice(WORKERS, "connections", "twice as many connections to each server").set(
                path,
                "connections",
                twice(self.connections).min(256),
            ),
            Lever::twice(WORKERS, "work", "requests served with half the work").halved(
                &costs,
                "serve",
                self.costs.serve,
            ),
            Lever::twice(WORKERS, "messages", "messages with half the work").halved(
                &costs,
                "message",
                self.costs.message,
            ),
        ];
        let over_all = Lever::instead(WORKERS, "targets", "files striped over all targets");
        let over_all = over_all.set(path, "targets_per_file", groups);
        let is_over_all = self.targets_per_file >= groups;
        all.into_iter().chain((!is_over_all).then_some(over_all)).filter_map(Lever::if_any).collect()
    }
}
