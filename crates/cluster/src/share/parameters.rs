//! What a file service is made of, as it is written.

use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When what is written is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Writes {
    /// Before each write is answered (NFS: `FILE_SYNC`).
    Stable,
    /// When the file is closed or synchronised: the client asks the servers that it has written to (NFS version 3:
    /// `UNSTABLE`, and COMMIT by close(2) and fsync(2)).
    #[default]
    OnClose,
    /// When the file is synchronised, and otherwise when the servers' kernels come to it.
    OnSync,
}

/// Who has a connection to each server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// Each host that mounts the service: its kernel asks for all its processes.
    #[default]
    Host,
    /// Each process, which asks by itself, as programs do that speak the protocol (libnfs, libsmbclient).
    Process,
}

/// When changes of names are on disk: files and directories that are made, removed or renamed, files that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Names {
    /// Before each is answered (RFC 1813, section 4.8; the option `sync` of Linux's exports, which is the usual one): the
    /// server's journal is committed.
    Stable,
    /// When the server's kernel comes to it (the option `async`; SMB).
    OnSync,
}

/// What work costs, as time of the processors of the host that does it; copies apart, which cost a client what its machine
/// says, and a server's file system what its own does.
///
/// What is left out is of a machine of today. With nfs-ganesha 4.3 and libnfs 4.0 on a virtual machine with an EPYC 9005, a
/// call that reads 1 KiB from memory took 139 us of processors, both ends and TCP together (4,067 calls a second, 28 % of
/// two); Linux's own client and server, which don't leave the kernel, are assumed to need half of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShareCosts {
    /// What a program asks for on a client: the way into the kernel, and finding out where it lies.
    pub operation: Duration,
    /// Sending a call to a server.
    pub call: Duration,
    /// An answer that a client hears.
    pub answer: Duration,
    /// A call on a server: decoding, finding the file, encoding the answer.
    pub serve: Duration,
}

impl ShareCosts {
    /// Nothing costs anything.
    pub const NONE: Self = Self {
        operation: Duration::ZERO,
        call: Duration::ZERO,
        answer: Duration::ZERO,
        serve: Duration::ZERO,
    };
}

impl Default for ShareCosts {
    fn default() -> Self {
        let us = |us| Duration::new(Time::from_micros(us));
        Self { operation: us(5), call: us(10), answer: us(10), serve: us(30) }
    }
}

/// A file service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShareParameters {
    /// Bytes of a partition: as much of a file is on one server before another's turn may come.
    pub partition: Bytes,
    /// The largest read or write of one call over the network (NFS: `rsize`, `wsize`). A call is of one server, so that it
    /// is no longer than a partition either, unless files lie whole on servers.
    pub transfer: Bytes,
    /// Calls of a client that are on their way at a time, to all servers together (Linux: `tcp_slot_table_entries`).
    pub in_flight: u32,
    /// Threads of each server, each of which does one call at a time (Linux: the number that `rpc.nfsd` is given).
    pub threads: u32,
    /// Who has a connection to each server: `host` or `process`. What one connection sends goes one message after the other; several share a
    /// link in turns.
    pub connections: Connections,
    /// When what is written is on disk.
    pub writes: Writes,
    /// When changes of names are on disk; left out, stable, but with `writes = "on-sync"` on-sync, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
    /// What else costs time of processors.
    pub costs: ShareCosts,
}

impl Default for ShareParameters {
    fn default() -> Self {
        Self {
            partition: Bytes(64 << 10),
            // The sizes that Linux's client took of version 3 before 2.6.17, and its server gave (NFSSVC_MAXBLKSIZE).
            transfer: Bytes(32 << 10),
            // RPC_DEF_SLOT_TABLE, include/linux/sunrpc/xprt.h.
            in_flight: 16,
            // nfs-utils, rpc.nfsd(8): "the default is 8 threads".
            threads: 8,
            connections: Connections::default(),
            writes: Writes::default(),
            names: None,
            costs: ShareCosts::default(),
        }
    }
}

/// Why a file service can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShareError {
    /// Partitions of nothing.
    #[error("a partition of no bytes holds nothing; give one such as 64 KiB")]
    Partition,
    /// Calls that move nothing.
    #[error("calls that transfer no bytes move nothing; let `transfer` be one such as 32 KiB")]
    Transfer,
    /// Clients that can't ask.
    #[error("with no call on its way a client asks nothing; let `in_flight` be 1 or more")]
    InFlight,
    /// Servers that do nothing.
    #[error("a server without threads serves nobody; let `threads` be 1 or more")]
    Threads,
}

impl ShareError {
    /// The parameter that is wrong.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::Partition => "partition",
            Self::Transfer => "transfer",
            Self::InFlight => "in_flight",
            Self::Threads => "threads",
        }
    }
}

/// The stage of a client's calls on their way, and of a server's threads.
pub(super) const CALLS: &str = "calls";
pub(super) const THREADS: &str = "threads";

impl ShareParameters {
    /// Whether it can be made.
    ///
    /// # Errors
    /// See [`ShareError`].
    pub fn check(&self) -> Result<(), ShareError> {
        let wrong = [
            (self.partition == Bytes(0), ShareError::Partition),
            (self.transfer == Bytes(0), ShareError::Transfer),
            (self.in_flight == 0, ShareError::InFlight),
            (self.threads == 0, ShareError::Threads),
        ];
        wrong.into_iter().find_map(|(is, error)| is.then_some(Err(error))).unwrap_or(Ok(()))
    }

    /// When changes of names are on disk.
    pub fn names(&self) -> Names {
        let usual = if self.writes == Writes::OnSync { Names::OnSync } else { Names::Stable };
        self.names.unwrap_or(usual)
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let costs = format!("{path}.costs");
        let twice = |bytes: Bytes| Bytes(bytes.get().saturating_mul(2));
        let all = [
            Lever::twice(THREADS, "number", "twice as many threads on servers").set(
                path,
                "threads",
                self.threads.saturating_mul(2),
            ),
            Lever::twice(CALLS, "number", "twice as many calls on their way").set(
                path,
                "in_flight",
                self.in_flight.saturating_mul(2),
            ),
            Lever::twice(CALLS, "size", "transfer twice as large").set(
                path,
                "transfer",
                twice(self.transfer),
            ),
            Lever::twice(THREADS, "work", "calls served with half the work").halved(
                &costs,
                "serve",
                self.costs.serve,
            ),
            Lever::twice(CALLS, "the clients' work", "calls and answers with half the work")
                .halved(&costs, "operation", self.costs.operation)
                .halved(&costs, "call", self.costs.call)
                .halved(&costs, "answer", self.costs.answer),
        ];
        // What nfsd(8) calls async: the answer says what isn't so yet.
        let on_sync = Lever::instead(THREADS, "writes", "writes on disk when they are synchronised")
            .set(path, "writes", "on-sync")
            .at_a_price("what servers have answered and not yet written is lost when they fail");
        let all = all.into_iter().chain((self.writes != Writes::OnSync).then_some(on_sync));
        all.filter_map(Lever::if_any).collect()
    }
}
