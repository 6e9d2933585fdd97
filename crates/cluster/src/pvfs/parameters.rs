//! What a parallel virtual file system is made of, as it is written, and what its version makes of what isn't.

use super::attempts::Patience;
use super::metadata::{Site, Validity};
use super::striping::{Order, Striping};
use crate::failure::{FailureOfOne, Failures, ServerFailureError};
use petrio_kernel::Time;
use petrio_network::HIGHEST_SERVICE_LEVEL;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which PVFS it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// PVFS 1, as in chapters 3.3 and 6 of the dissertation: a client sends to all servers at once, each of which has a
    /// receive buffer for every client and does one thing after the other; a manager has the metadata.
    #[default]
    Pvfs1,
    /// PVFS 2 (OrangeFS 2.10): small accesses in one round trip, others as flows of 256 KiB after a request and its
    /// response; servers work on 16 things at a time.
    Pvfs2,
}

/// In which order files' servers take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServerOrder {
    /// As they are listed, from the first on.
    Listed,
    /// The first is drawn for each file; the others follow in descending order, from any of them on.
    Drawn,
}

/// What taking something from a server's receive buffers costs: `each`, and `waiting` for each that waits in them, as
/// when a list is searched (§7.3.1 and §8.4.1 of the dissertation).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueCost {
    /// However many wait.
    pub each: Duration,
    /// For each that waits.
    pub waiting: Duration,
}

/// What work costs, as time of the processors of the host that does it. What is left out is as OrangeFS 2.10 needed it on
/// a virtual machine with an EPYC 9005: so that single calls and one client alone took what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PvfsCosts {
    /// A call on a client: the library, and what it sends.
    pub call: Duration,
    /// An answer that a client hears.
    pub answer: Duration,
    /// A request on a server.
    pub request: Duration,
    /// A piece of data that a server reads or writes. Left out, 10 us: a thread that is made for it (assumed; OrangeFS's
    /// alt-aio makes one for each).
    pub piece: Duration,
    /// PVFS 2: whatever a server looks up in its database of names and attributes, or changes there. Left out, 60 us: with it a
    /// request for attributes in a long row of them (`ls -l`) takes the 0.31 ms that were measured.
    pub database: Duration,
    /// Until a process that waits for messages runs after one has come, on average: an exponential time, in which no
    /// processor is used. It is what makes the order of messages differ from call to call.
    pub wake_up: Duration,
}

impl PvfsCosts {
    /// Nothing costs anything.
    pub const NONE: Self = Self {
        call: Duration::ZERO,
        answer: Duration::ZERO,
        request: Duration::ZERO,
        piece: Duration::ZERO,
        database: Duration::ZERO,
        wake_up: Duration::ZERO,
    };
}

impl Default for PvfsCosts {
    fn default() -> Self {
        let us = |us| Duration::new(Time::from_micros(us));
        Self {
            call: us(36),
            answer: us(20),
            request: us(30),
            piece: us(10),
            database: us(60),
            wake_up: us(60),
        }
    }
}

/// Service levels of messages (InfiniBand's SL), 0 to 15.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceLevels {
    /// Of requests and answers, small ones with their data.
    pub requests: u8,
    /// Of messages of data.
    pub transfers: u8,
}

/// For how long clients and servers of PVFS 2 wait for each other, and how often they try, where servers fail (`failures`). Left out, as
/// pvfs2-genconfig of OrangeFS 2.10 writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PvfsRetries {
    /// For how long a client waits for an answer (`ClientJobBMITimeoutSecs`, 300 s).
    pub client_time_out: Duration,
    /// For how long it waits for the next data of a flow, or for the end of one (`ClientJobFlowTimeoutSecs`, 300 s). Progress of a write's
    /// data is not seen here: it counts from when they may be sent.
    pub client_flow_time_out: Duration,
    /// For how long a server waits for an answer of another (`ServerJobBMITimeoutSecs`, 30 s).
    pub server_time_out: Duration,
    /// How often a request is sent again (`ClientRetryLimit`, 5); servers go by it, too.
    pub limit: u32,
    /// The rest before that, unless a time-out has been waited for (`ClientRetryDelayMilliSecs`, 2 s).
    pub delay: Duration,
}

impl Default for PvfsRetries {
    fn default() -> Self {
        let seconds = |seconds| Duration::new(Time::from_whole_seconds(seconds));
        Self {
            client_time_out: seconds(300),
            client_flow_time_out: seconds(300),
            server_time_out: seconds(30),
            limit: 5,
            delay: seconds(2),
        }
    }
}

impl PvfsRetries {
    pub(super) fn of_clients(&self) -> Patience {
        let (time_out, flow) = (self.client_time_out.time(), self.client_flow_time_out.time());
        Patience { time_out, flow, limit: self.limit, rest: self.delay.time() }
    }

    pub(super) fn of_servers(&self) -> Patience {
        let time_out = self.server_time_out.time();
        Patience { time_out, flow: time_out, limit: self.limit, rest: self.delay.time() }
    }

    fn some(&self) -> [(&'static str, Duration); 3] {
        let Self { client_time_out, client_flow_time_out, server_time_out, .. } = *self;
        let servers = ("server_time_out", server_time_out);
        [("client_time_out", client_time_out), ("client_flow_time_out", client_flow_time_out), servers]
    }
}

/// A parallel virtual file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PvfsParameters {
    /// Which PVFS it is.
    pub version: Version,
    /// Bytes of a file on a server before the next one's turn.
    pub stripe_unit: Bytes,
    /// Servers that a file lies on; left out, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servers_per_file: Option<u32>,
    /// In which order they take turns; left out, listed by PVFS 1 and drawn by PVFS 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<ServerOrder>,
    /// Bytes that a server reads or writes at a time; left out, 64 KiB in PVFS 1 and 256 KiB in PVFS 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub piece: Option<Bytes>,
    /// Reads and writes that a server does at a time; left out, one in PVFS 1 and 16 in PVFS 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
    /// Whether the manager has changes of names on its disk before it answers (OrangeFS: `TroveSyncMeta`); left out, no in
    /// PVFS 1 and yes in PVFS 2, as pvfs2-genconfig writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_names: Option<bool>,
    /// What taking something from the receive buffers costs.
    pub receive_queue: QueueCost,
    /// Memory that a server's receive buffer for each client takes from its host's page cache (§8.4.1); nothing unless it
    /// is said.
    pub receive_buffer: Bytes,
    /// What else costs time of processors.
    pub costs: PvfsCosts,
    /// Where adapters access memory for each other (`transport = "rdma"`), messages longer than this are written into their receiver's
    /// memory once he has said where (BMI over InfiniBand: EAGER_BUF_SIZE, 8 KiB).
    pub eager: Bytes,
    /// Service levels of its messages, by which a network with several virtual lanes tells them apart.
    pub service_levels: ServiceLevels,
    /// Servers run in a real-time class (SCHED_RR, SCHED_FIFO): the kernel lets them have a quarter more dirty pages, and
    /// a thirty-second of its limit.
    pub real_time: bool,
    /// Servers read and write their own files past the page cache (OrangeFS: `TroveMethod directio`).
    pub direct: bool,
    /// PVFS 2: a file's first stripe lies with its metadata until there is more of it (`FileStuffing`).
    pub stuffing: bool,
    /// PVFS 2: servers that have the names of a new directory (`DistrDirServersInitial`).
    pub directory_servers: u32,
    /// PVFS 2: servers that may have the names of one directory (`DistrDirServersMax`); left out, those that have them at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_servers_most: Option<u32>,
    /// PVFS 2: names on one server of a directory, beyond which half of them go to another one (`DistrDirSplitSize`).
    pub directory_split: u32,
    /// PVFS 2: for how long clients believe attributes and names (`acache`, `ncache`).
    pub attributes_valid: Duration,
    /// PVFS 2: for how long they believe a file's size.
    pub size_valid: Duration,
    /// What a server writes into its database of files after each direct write that makes a file longer, and waits for:
    /// the file's new length. With OrangeFS 2.10 a page of 4 KiB was seen to reach the disk with each such write.
    pub direct_note: Bytes,
    /// PVFS 2: when servers fail, those of each in order: `{ server, at, restored_after, what }`, of which `server` is its place in `servers`,
    /// counted from 0, and `what` is `stops` (left out: its host does), `exits` (its process ends), `unreachable`, or `slow` with
    /// `slower_by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureOfOne>,
    /// PVFS 2: for how long clients and servers wait for each other then.
    pub retries: PvfsRetries,
}

impl Default for PvfsParameters {
    fn default() -> Self {
        Self {
            version: Version::default(),
            stripe_unit: Bytes(64 << 10),
            servers_per_file: None,
            order: None,
            piece: None,
            at_once: None,
            sync_names: None,
            receive_queue: QueueCost::default(),
            receive_buffer: Bytes(0),
            costs: PvfsCosts::default(),
            eager: Bytes(8 << 10),
            service_levels: ServiceLevels::default(),
            real_time: false,
            direct: false,
            stuffing: true,
            directory_servers: 1,
            directory_servers_most: None,
            directory_split: 10_000,
            attributes_valid: Duration::new(Time::from_whole_seconds(60)),
            size_valid: Duration::new(Time::from_whole_seconds(10)),
            direct_note: Bytes(4 << 10),
            failures: Vec::new(),
            retries: PvfsRetries::default(),
        }
    }
}

/// Why a parallel file system can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PvfsError {
    /// Stripes of nothing.
    #[error("a `stripe_unit` of no bytes holds nothing; give one such as 64 KiB")]
    StripeUnit,
    /// Pieces of nothing.
    #[error("a piece of no bytes moves nothing; give one such as 64 KiB, or leave it out")]
    Piece,
    /// No servers.
    #[error("its files lie on no server; name at least one file system of a host")]
    NoServers,
    /// More servers to a file than there are.
    #[error("a file is to lie on {wanted} servers, and there are {servers}; give fewer, or leave it out")]
    ServersPerFile {
        /// Servers that a file is to lie on.
        wanted: u32,
        /// Servers that there are.
        servers: u32,
    },
    /// A server that does nothing.
    #[error("servers that do nothing at a time serve nobody; let `at_once` be 1 or more, or leave it out")]
    AtOnce,
    /// Names of directories on no server, or on more than there are.
    #[error("names of a directory lie on {wanted} servers, and there are {servers}; give 1 to {servers}")]
    DirectoryServers {
        /// As it is written.
        wanted: u32,
        /// Servers that there are.
        servers: u32,
    },
    /// A directory that is split at nothing.
    #[error("a directory is split at some number of names; let `directory_split` be 2 or more")]
    DirectorySplit,
    /// A service level that messages can't have.
    #[error("service levels are 0 to {HIGHEST_SERVICE_LEVEL}, and this is {0}; give other `service_levels`")]
    ServiceLevel(u8),
    /// Failures that make no sense.
    #[error(transparent)]
    Failures(#[from] ServerFailureError),
    /// Servers of PVFS 1 that fail.
    #[error("`failures` are of PVFS 2, whose clients try again; leave them out, or say version = \"pvfs2\"")]
    FailuresOfPvfs1,
    /// Nobody waits.
    #[error("a time-out of no time is over before anybody can answer; let `retries.{0}` be some")]
    TimeOut(&'static str),
}

impl PvfsError {
    /// The parameter that is wrong, where it is about failures.
    pub fn parameter(&self) -> Option<String> {
        match self {
            Self::Failures(_) | Self::FailuresOfPvfs1 => Some("failures".to_owned()),
            Self::TimeOut(name) => Some(format!("retries.{name}")),
            _ => None,
        }
    }
}

/// A parallel file system's protocol: what goes to and fro, in bytes and in which steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Protocol {
    /// A request without data.
    pub(super) request: u64,
    /// An answer without data.
    pub(super) answer: u64,
    /// What data carry beside themselves.
    pub(super) data_header: u64,
    /// Bytes of a piece.
    pub(super) piece: u64,
    /// Writes of at most so many bytes on a server are sent with their request.
    pub(super) small_write: u64,
    /// Reads of at most so many bytes on a server are answered with one message.
    pub(super) small_read: u64,
    /// Other writes wait for an answer before they send data.
    pub(super) asks_to_write: bool,
    /// Reads and writes that a server does at a time.
    pub(super) at_once: u32,
    /// Pieces of a read that are read from the file or wait to be sent at a time, and that leave in their order; any
    /// number, in whatever order, where there is none.
    pub(super) flow_buffers: Option<u32>,
    /// Whether changes of names are on the manager's disk before they are answered.
    pub(super) sync_names: bool,
}

impl PvfsParameters {
    /// How files lie on so many servers.
    ///
    /// # Errors
    /// See [`PvfsError`].
    pub fn striping(&self, servers: u32) -> Result<Striping, PvfsError> {
        if self.stripe_unit == Bytes(0) {
            return Err(PvfsError::StripeUnit);
        }
        if self.piece == Some(Bytes(0)) {
            return Err(PvfsError::Piece);
        }
        if self.at_once == Some(0) {
            return Err(PvfsError::AtOnce);
        }
        let ServiceLevels { requests, transfers } = self.service_levels;
        if let Some(level) = [requests, transfers].into_iter().find(|level| *level > HIGHEST_SERVICE_LEVEL) {
            return Err(PvfsError::ServiceLevel(level));
        }
        if servers == 0 {
            return Err(PvfsError::NoServers);
        }
        let per_file = self.servers_per_file.unwrap_or(servers);
        if per_file == 0 || per_file > servers {
            return Err(PvfsError::ServersPerFile { wanted: per_file, servers });
        }
        let first = self.directory_servers;
        let wrong = |wanted: &u32| *wanted == 0 || *wanted > servers;
        if let Some(wanted) = [Some(first), self.directory_servers_most].into_iter().flatten().find(wrong) {
            return Err(PvfsError::DirectoryServers { wanted, servers });
        }
        if self.directory_split < 2 {
            return Err(PvfsError::DirectorySplit);
        }
        if !self.failures.is_empty() && self.version == Version::Pvfs1 {
            return Err(PvfsError::FailuresOfPvfs1);
        }
        Failures::check_each(&self.failures, servers)?;
        if let Some((name, _)) = self.retries.some().into_iter().find(|(_, some)| *some == Duration::ZERO) {
            return Err(PvfsError::TimeOut(name));
        }
        let order = match (self.order, self.version) {
            (Some(ServerOrder::Listed), _) | (None, Version::Pvfs1) => Order::Ascending,
            (Some(ServerOrder::Drawn), _) | (None, Version::Pvfs2) => Order::Drawn,
        };
        Ok(Striping { unit: self.stripe_unit.get(), servers, per_file, order })
    }

    /// What its clients and servers go by, with files that lie so.
    pub fn metadata(&self, striping: Striping) -> Site {
        let Protocol { small_write, small_read, piece, .. } = self.protocol();
        let attributes = self.attributes_valid.time();
        let usual = Validity::default();
        let most = self.directory_servers_most.unwrap_or(self.directory_servers).max(self.directory_servers);
        Site {
            striping,
            stuffing: self.stuffing,
            directory_servers: (self.directory_servers, most),
            split: self.directory_split,
            valid: Validity { attributes, names: attributes, size: self.size_valid.time(), ..usual },
            small: (small_write, small_read),
            piece,
        }
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let at_once = self.protocol().at_once.saturating_mul(2);
        let more =
            Lever::twice("receive buffers", "servers' turns", "twice as many things at a time on servers");
        let queue = Lever::twice(
            "receive buffers",
            "the search of buffers",
            "receive buffers searched twice as fast",
        )
        .halved(&format!("{path}.receive_queue"), "each", self.receive_queue.each)
        .halved(&format!("{path}.receive_queue"), "waiting", self.receive_queue.waiting);
        let wake = Lever::twice("wake up", "waking up", "processes woken up twice as fast").halved(
            &format!("{path}.costs"),
            "wake_up",
            self.costs.wake_up,
        );
        let all = [more.set(path, "at_once", at_once), queue, wake];
        all.into_iter().filter_map(Lever::if_any).collect()
    }

    pub(super) fn protocol(&self) -> Protocol {
        let usual = match self.version {
            // pvfs/include/req.h and wire.h of PVFS 1.6: a request and an acknowledgement are structures of about this
            // size; data follow the request on the same connection.
            Version::Pvfs1 => Protocol {
                request: 112,
                answer: 48,
                data_header: 0,
                piece: 64 << 10,
                small_write: 0,
                small_read: 0,
                asks_to_write: false,
                at_once: 1,
                flow_buffers: None,
                sync_names: false,
            },
            // OrangeFS 2.10 as captured on the wire: 24 bytes of BMI's header in each message; an I/O request has 320
            // bytes, its response and the completion of a write 48.
            Version::Pvfs2 => Protocol {
                request: 320,
                answer: 48,
                data_header: 24,
                piece: 256 << 10,
                small_write: 6_656,
                small_read: 16_256,
                asks_to_write: true,
                at_once: 16,
                // `BUFFERS_PER_FLOW` of flowproto-multiqueue.c, and pvfs2-genconfig's TroveSyncMeta.
                flow_buffers: Some(8),
                sync_names: true,
            },
        };
        Protocol {
            piece: self.piece.map_or(usual.piece, Bytes::get),
            at_once: self.at_once.unwrap_or(usual.at_once),
            sync_names: self.sync_names.unwrap_or(usual.sync_names),
            ..usual
        }
    }
}
