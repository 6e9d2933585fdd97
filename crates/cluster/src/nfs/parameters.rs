//! What carries the calls of NFS, and its servers, as it is written.

use crate::failure::{Failures, ServerFailure, ServerFailureError};
use petrio_host::nfs::MountOptions;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::Duration;
use petrio_units::numbers::in_proportion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a server promises of what it has answered (exports(5)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum ExportMode {
    /// What is written to be stable is on disk before it is answered, and so is what changes names and attributes; COMMIT is fsync(2).
    #[default]
    Sync,
    /// It is answered at once, and on disk when the server's kernel comes to it: what a server has answered is lost when it fails.
    Async,
}

/// What work costs, as time of the processors of the host that does it; copies apart, which cost a client and a server's file system
/// what their machines say.
///
/// What is left out is of a machine of today, as of a file service (`ShareCosts`): with nfs-ganesha 4.3 and libnfs 4.0 on a virtual machine
/// with an EPYC 9005 a call that reads 1 KiB from memory took 139 us of processors, both ends and TCP together; Linux's own client and
/// server, which don't leave the kernel, are assumed to need half of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NfsCosts {
    /// Sending a call to a server.
    pub call: Duration,
    /// A reply that a client hears.
    pub answer: Duration,
    /// A KiB of data that a client sends or hears, beside its copy to the program: between packets and memory, and for a sum of UDP's.
    #[serde(skip_serializing_if = "is_none")]
    pub data_kib: Duration,
    /// A call on a server: decoding, finding the file, encoding the reply.
    pub serve: Duration,
}

impl NfsCosts {
    /// Nothing costs anything.
    pub const NONE: Self = Self {
        call: Duration::ZERO,
        answer: Duration::ZERO,
        data_kib: Duration::ZERO,
        serve: Duration::ZERO,
    };

    /// What so many bytes of data cost a client.
    pub(super) fn data(&self, bytes: u64) -> Time {
        Time::from_picos(in_proportion(self.data_kib.time().as_picos(), bytes, 1 << 10))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_none(span: &Duration) -> bool {
    *span == Duration::ZERO
}

impl Default for NfsCosts {
    fn default() -> Self {
        let us = |us| Duration::new(Time::from_micros(us));
        Self { call: us(10), answer: us(10), data_kib: Duration::ZERO, serve: us(30) }
    }
}

/// What carries an export's calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NfsParameters {
    /// What the server promises of what it has answered: `sync` or `async`.
    pub export: ExportMode,
    /// Threads of the server, each of which does one call at a time (the number that `rpc.nfsd` is given).
    pub threads: u32,
    /// Calls of a client that are on their way at a time. Left out, what Linux has: 16 over UDP, of which it uses as many as the network
    /// carries; 65,536 over TCP of version 2 to 4.0, which take slots as
    /// they need them (`tcp_max_slot_table_entries`), and 64 of versions 4.1 and 4.2, as many as a session has (`max_session_slots`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Replies that the server keeps, so that a call that comes twice isn't done twice: 0 keeps none. Left out, 1024, as Linux did up to 3.8
    /// (`CACHESIZE`, fs/nfsd/nfscache.c); later ones keep as many as a share of memory holds.
    pub reply_cache: u32,
    /// For how long a server of version 4 that has been started anew lets clients reclaim what they had, and nobody open anything new, unless
    /// all have done that before (`nfsv4gracetime`).
    pub grace: Duration,
    /// When the server fails, in order: `{ at, restored_after, what }`, of which `what` is `stops` (left out), `unreachable` or `slow`
    /// with `slower_by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<ServerFailure>,
    /// What else costs time of processors.
    pub costs: NfsCosts,
}

impl Default for NfsParameters {
    fn default() -> Self {
        // nfs-utils, rpc.nfsd(8): "the default is 8 threads" (16 from 2.7 on).
        Self {
            export: ExportMode::Sync,
            threads: 8,
            slots: None,
            reply_cache: 1024,
            grace: Duration::new(Time::from_whole_seconds(90)),
            failures: Vec::new(),
            costs: NfsCosts::default(),
        }
    }
}

/// Why an export can't be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NfsError {
    /// Servers that do nothing.
    #[error("a server without threads serves nobody; let `threads` be 1 or more")]
    Threads,
    /// Clients that can't ask.
    #[error("without a slot a client sends no call; let `slots` be 1 or more")]
    Slots,
    /// Failures that make no sense.
    #[error(transparent)]
    Failures(#[from] ServerFailureError),
}

impl NfsError {
    /// The parameter that is wrong.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Slots => "slots",
            Self::Failures(_) => "failures",
        }
    }
}

/// The stage of a client's calls on their way, and of a server's threads.
pub(super) const CALLS: &str = "calls";
pub(super) const THREADS: &str = "threads";

/// Slots over UDP (RPC_DEF_SLOT_TABLE, include/linux/sunrpc/xprt.h).
const UDP_SLOTS: u32 = 16;

/// Slots over TCP of versions without sessions (RPC_MAX_SLOT_TABLE_LIMIT, include/linux/sunrpc/xprt.h), and of a session
/// (NFS4_DEF_SLOT_TABLE_SIZE, fs/nfs/nfs4session.h).
const TCP_SLOTS: u32 = 65_536;
const SESSION_SLOTS: u32 = 64;

impl NfsParameters {
    /// Whether it can be made.
    ///
    /// # Errors
    /// See [`NfsError`].
    pub fn check(&self) -> Result<(), NfsError> {
        let wrong = [(self.threads == 0, NfsError::Threads), (self.slots == Some(0), NfsError::Slots)];
        wrong.into_iter().find_map(|(is, error)| is.then_some(Err(error))).unwrap_or(Ok(()))?;
        Ok(Failures::check_of_kernel(&self.failures)?)
    }

    /// Calls of a client that are on their way at a time.
    pub fn slots(&self, options: &MountOptions) -> u32 {
        let usual = match (options.udp, options.version.has_sessions()) {
            (true, _) => UDP_SLOTS,
            (false, true) => SESSION_SLOTS,
            (false, false) => TCP_SLOTS,
        };
        self.slots.unwrap_or(usual)
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str, options: &MountOptions) -> Vec<Lever> {
        let costs = format!("{path}.costs");
        let twice = |number: u32| number.saturating_mul(2);
        let all = [
            Lever::twice(THREADS, "number", "twice as many threads on the server").set(
                path,
                "threads",
                twice(self.threads),
            ),
            Lever::twice(CALLS, "number", "twice as many slots").set(
                path,
                "slots",
                twice(self.slots(options)),
            ),
            Lever::twice(THREADS, "work", "calls served with half the work").halved(
                &costs,
                "serve",
                self.costs.serve,
            ),
            Lever::twice(CALLS, "the clients' work", "calls and replies with half the work")
                .halved(&costs, "call", self.costs.call)
                .halved(&costs, "answer", self.costs.answer),
        ];
        let at_once = Lever::instead(THREADS, "export", "an asynchronous export")
            .set(path, "export", "async")
            .at_a_price("what the server has answered and not yet written is lost when it fails");
        let all = all.into_iter().chain((self.export == ExportMode::Sync).then_some(at_once));
        all.filter_map(Lever::if_any).collect()
    }
}
