//! What is said of a queue, and what a kernel's profile says of it.

use super::write_back::WriteBack;
use crate::elevator::{Elevator, QueueLimits};
use crate::scheduler::{self, SchedulerParameters};
use crate::{AwaitedWrites, BlockLayerParameters};
use petrio_colours::SECTOR_BYTES;
use petrio_device::{DeviceFeatures, Discards};
use petrio_kernel::Time;
use petrio_persist::Persist;

/// Generations of the block layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Generation {
    /// One queue, plugged when a request comes while it is empty (blk_plug_device). There are two lines of `requests`
    /// places each.
    SingleQueue {
        /// Waiting requests that pull the plug (`unplug_thresh`; 4).
        unplug_requests: u32,
        /// How long the plug stays at most (`unplug_delay`; 3 ms).
        unplug_delay: Time,
        /// Who has the first line.
        first_line: FirstLine,
    },
    /// blk-mq: no plug but that of the process.
    MultiQueue,
}

/// Whose places are counted apart from all others' in a single queue (get_request).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum FirstLine {
    /// Reads.
    Reads,
    /// Whatever somebody waits for: reads and synchronous writes (from 2.6.30 on).
    Awaited,
}

impl Generation {
    /// The single queue of Linux 2.6 with its own figures (blk_queue_make_request).
    pub const SINGLE_QUEUE: Self = Self::single_queue(FirstLine::Reads);

    /// Whether places are counted by who waits.
    pub(super) fn counts_who_waits(self) -> bool {
        matches!(self, Self::SingleQueue { first_line: FirstLine::Awaited, .. })
    }

    pub(super) const fn single_queue(first_line: FirstLine) -> Self {
        Self::SingleQueue { unplug_requests: 4, unplug_delay: Time::from_millis(3), first_line }
    }
}

/// A request queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueParameters {
    /// The scheduler.
    pub scheduler: SchedulerParameters,
    /// How many requests there may be, and how large.
    pub limits: QueueLimits,
    /// What the device can do about durability.
    pub features: DeviceFeatures,
    /// How plugging works, and whether reads and writes are counted apart.
    pub generation: Generation,
    /// The latency that reads are to keep beside write-back (`wbt_lat_usec`); zero: write-back isn't held for them.
    pub write_back_latency: Time,
}

impl Default for QueueParameters {
    /// noop before a disk without write cache, under blk-mq.
    fn default() -> Self {
        Self {
            scheduler: SchedulerParameters::default(),
            limits: QueueLimits::default(),
            features: DeviceFeatures::default(),
            generation: Generation::MultiQueue,
            write_back_latency: Time::ZERO,
        }
    }
}

/// The latencies that reads keep, without and with an arm (wbt_default_latency_nsec).
const READ_LATENCY: [Time; 2] = [Time::from_millis(2), Time::from_millis(75)];

/// Commands that the host adapter of a disk takes at least, whatever its one drive takes (ATA_MAX_QUEUE, include/linux/libata.h): a
/// scheduler has twice as many requests as there are (blk_mq_init_sched).
const ATA_COMMANDS: u32 = 32;

/// Requests under way below an entrance, more than the queues there take together.
const AT_ONCE: u32 = 1 << 14;

/// A kernel profile names a scheduler that there isn't.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the kernel's block layer names the scheduler \"{0}\", which there isn't; name one of: {list}",
    list = scheduler::NAMES.join(", ")
)]
pub struct UnknownScheduler(pub String);

impl QueueParameters {
    /// The queue that a kernel puts before a device which takes `depth` requests at a time. `scheduler` stands in for
    /// the kernel's own choice.
    ///
    /// # Errors
    /// [`UnknownScheduler`] where the kernel's profile names one that there isn't.
    pub fn of_kernel(
        kernel: &BlockLayerParameters,
        scheduler: Option<SchedulerParameters>,
        features: DeviceFeatures,
        depth: u32,
        rotational: bool,
    ) -> Result<Self, UnknownScheduler> {
        let scheduler = match scheduler {
            Some(scheduler) => scheduler,
            None => SchedulerParameters::named(&kernel.scheduler)
                .ok_or_else(|| UnknownScheduler(kernel.scheduler.clone()))?,
        };
        let largest_request =
            u32::try_from(kernel.largest_request.get() / SECTOR_BYTES).unwrap_or(u32::MAX).max(1);
        // Places are counted by who waits since the kernels that tell their schedulers of it, 2.6.30.
        let first_line = match kernel.awaited_writes {
            AwaitedWrites::Synchronous => FirstLine::Awaited,
            AwaitedWrites::Plain | AwaitedWrites::PlainButRecord => FirstLine::Reads,
        };
        let generation =
            if kernel.multi_queue { Generation::MultiQueue } else { Generation::single_queue(first_line) };
        let requests = match generation {
            Generation::MultiQueue => kernel.requests.min(depth.max(ATA_COMMANDS).saturating_mul(2)),
            Generation::SingleQueue { .. } => kernel.requests,
        };
        let limits = QueueLimits {
            largest_request,
            discards: features.discards.unwrap_or_default(),
            requests,
            depth,
            rotational,
            service_trees: kernel.service_trees,
            plugs_apart: kernel.multi_queue,
            ..QueueLimits::default()
        };
        // bfq has ways of its own (bfq_init_queue: wbt_disable_default).
        let held = kernel.multi_queue && kernel.write_back_throttling && scheduler.name() != "bfq";
        let write_back_latency = if held { READ_LATENCY[usize::from(rotational)] } else { Time::ZERO };
        Ok(Self { scheduler, limits, features, generation, write_back_latency })
    }

    /// What holds write-back, if anything does.
    pub(super) fn throttle(&self) -> Option<WriteBack> {
        let throttles = self.generation == Generation::MultiQueue && self.write_back_latency > Time::ZERO;
        throttles
            .then(|| WriteBack::new(self.write_back_latency, self.limits.depth, self.features.write_cache))
    }

    /// Whether the scheduler holds back what would take more than its share of places; where write-back is held for reads, that
    /// alone is done.
    pub(super) fn limits_places(&self, elevator: &dyn Elevator) -> bool {
        let one = self.generation == Generation::MultiQueue && self.throttle().is_none();
        one && elevator.limits_places()
    }

    /// What stands before a device that the host makes of others, in place of such a queue: requests pass as they are made,
    /// nothing sorts them, and nobody waits for room. Flushes and forced unit access are seen to here as well. Discards come whole
    /// (drivers/md/raid0.c, raid10.c).
    pub fn entrance(self) -> Self {
        let limits =
            QueueLimits { requests: u32::MAX, depth: AT_ONCE, discards: Discards::default(), ..self.limits };
        Self {
            scheduler: SchedulerParameters::default(),
            limits,
            generation: Generation::MultiQueue,
            write_back_latency: Time::ZERO,
            ..self
        }
    }
}
