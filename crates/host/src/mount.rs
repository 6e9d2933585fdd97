//! A file system as a host mounts it: what lies on it, and the devices below it.

use super::laid_out::LaidOut;
use petrio_colours::BlockRequest;
use petrio_kernel::{Place, Watch};
use petrio_units::{Bytes, Rate};
use std::sync::Arc;

/// A file system of a host, and the device under it.
#[derive(Clone, Debug)]
pub struct Mount {
    /// The name of its page.
    pub name: String,
    /// Its position among the mounts of all hosts.
    pub position: u32,
    /// The device's largest request in bytes.
    pub largest_request: u64,
    /// The largest window of read-ahead from it.
    pub read_ahead: Bytes,
    /// Requests that the queue before its device takes, where these aren't the kernel's own number (`nr_requests`).
    pub queue_requests: Option<u32>,
    /// Dirty data of this file system that nobody may exceed, however much the host may have (`max_bytes` of its device
    /// with `strict_limit`; kernels since 3.2).
    pub dirty_limit: Option<Bytes>,
    /// The rate at which the kernel believes its device to write when the run begins; left out, 100 MiB/s, as of one that
    /// it has just found.
    pub believed_rate: Option<Rate>,
    /// Whether all that it lies on takes discards.
    pub takes_discards: bool,
    /// What is on it.
    pub laid_out: Arc<LaidOut>,
    /// Whether it is still wanted while memory is being filled.
    pub watch: Watch,
    /// Where its requests go.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
    /// The device that is the journal, where that isn't a part of the file system.
    pub log: Option<LogDevice>,
}

/// A device that is the journal of a file system on another.
#[derive(Clone, Copy, Debug)]
pub struct LogDevice {
    /// Its size in blocks of 4 KiB: as much of it as is to be used.
    pub blocks: u64,
    /// Where requests to it go.
    pub requests: Place<BlockRequest>,
    /// Where they come back.
    pub completions: Place<BlockRequest>,
}
