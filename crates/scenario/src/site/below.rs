//! What lies below the queue of a host.

use crate::failure::RunFailure;
use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place};
use petrio_models::block::queue::QueueParameters;
use petrio_models::device::DeviceFeatures;

/// Where requests are put, and where they come back from.
pub(crate) type RequestPorts = (Place<BlockRequest>, Place<BlockRequest>);

/// The queue that a host puts before a part which is made of these disks.
pub(crate) type QueueBefore<'q> = &'q dyn Fn(&[BelowDisk]) -> Result<QueueParameters, RunFailure>;

/// What lies below the queue of a host.
pub(crate) struct BelowQueue {
    /// What stands before the queue, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub(crate) before: Option<usize>,
    pub(crate) disks: Vec<BelowDisk>,
    /// The host makes it of parts that have queues of their own.
    pub(crate) is_of_host: bool,
}

/// A disk below the queue of a host.
#[derive(Clone, Copy)]
pub(crate) struct BelowDisk {
    /// What it can do about durability.
    pub(crate) features: DeviceFeatures,
    /// Requests that it accepts at a time.
    pub(crate) depth: u32,
    /// Whether anything turns in it.
    pub(crate) is_rotational: bool,
    pub(crate) has_many_queues: bool,
}

/// Where a queue is told of processes that have ended, if it wants to know.
pub(crate) fn listener(
    page: &mut PageBuilder<'_>,
    name: &str,
    queue: &QueueParameters,
) -> Option<Place<u32>> {
    queue.scheduler.waits_for_processes().then(|| page.fifo(&format!("{name}-exits")))
}

/// What the page of a queue before a part of a host's array is called: a dot is in no part's name.
pub(crate) fn queue_before(part: &str) -> String {
    format!("{part}.queue")
}
