//! A host's memory: the page cache, what may be dirty in it, and what using it costs.

use crate::copy_cost::{CopyCost, PAGE_BYTES};
use crate::jump_cost::Jumps;
use crate::machine::{BlockCosts, CacheCosts, CallCosts};
use crate::page_cache::{PageCache, Reclaimed};
use crate::parameters::{HostError, HostParameters};
use crate::write_back::{DirtyLimits, Limits, RateLimit};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::sync::Arc;

/// Pages that are reclaimed at least, once it has to be (`SWAP_CLUSTER_MAX`).
const RECLAIM_AT_LEAST: u64 = 32;
/// Fewest pages of memory that a host can have.
const FEWEST_PAGES: u64 = 256;

/// What work costs, as spans of processor time.
#[derive(Clone, Copy, Debug, Persist)]
pub(crate) struct Costs {
    pub(crate) read: Time,
    pub(crate) write: Time,
    pub(crate) fsync: Time,
    pub(crate) open: Time,
    pub(crate) namespace: Time,
    pub(crate) fault: Time,
    pub(crate) store_fault: Time,
    pub(crate) stdio: Time,
    pub(crate) hit: Time,
    pub(crate) folio_page: Time,
    pub(crate) insert: Time,
    pub(crate) write_page: Time,
    pub(crate) new_page: Time,
    pub(crate) allocate: Time,
    pub(crate) allocate_call: Time,
    pub(crate) allocate_file: Time,
    pub(crate) reclaim: Time,
    pub(crate) journal_handle: Time,
    pub(crate) buffer: Time,
    pub(crate) new_buffer: Time,
    pub(crate) submit: Time,
    pub(crate) complete: Time,
    pub(crate) wake_up: Time,
}

impl Costs {
    fn new(calls: &CallCosts, cache: &CacheCosts, block: &BlockCosts) -> Self {
        Self {
            read: calls.read.time(),
            write: calls.write.time(),
            fsync: calls.fsync.time(),
            open: calls.open.time(),
            namespace: calls.namespace.time(),
            fault: calls.fault.time(),
            store_fault: calls.store_fault.time(),
            stdio: calls.stdio.time(),
            hit: cache.hit.time(),
            folio_page: cache.folio_page.time(),
            insert: cache.insert.time(),
            write_page: cache.write_page.time(),
            new_page: cache.new_page.time(),
            allocate: cache.allocate.time(),
            allocate_call: cache.allocate_call.time(),
            allocate_file: cache.allocate_file.time(),
            reclaim: cache.reclaim.time(),
            journal_handle: cache.journal_handle.time(),
            buffer: cache.buffer.time(),
            new_buffer: cache.new_buffer.time(),
            submit: block.submit.time(),
            complete: block.complete.time(),
            wake_up: block.wake_up.time(),
        }
    }
}

/// A host's memory.
#[derive(Clone, Debug, Persist)]
pub(crate) struct Memory {
    pub(crate) cache: PageCache,
    pub(crate) to_user: CopyCost,
    pub(crate) from_user: CopyCost,
    pub(crate) jumps: Jumps,
    pub(crate) costs: Costs,
    limits: Arc<DirtyLimits>,
    pub(crate) rate_limit: RateLimit,
    /// Processes that wait for memory.
    pub(crate) waiters: u32,
    pub(crate) swaps: Swaps,
}

/// What has gone between memory and swap space, in pages.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(crate) struct Swaps {
    /// Out of memory.
    pub(crate) out: u64,
    /// Of these, those that have been sent to the device.
    pub(crate) sent: u64,
    /// Back into memory.
    pub(crate) back: u64,
    /// How long processes have waited for what came back, all together.
    pub(crate) waited: Time,
    /// The writes that were sent last, if nobody has waited for them: the mount that sent them, and their group.
    pub(crate) group: Option<(u32, u64)>,
}

/// What making room came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Whether there is room now.
    pub(crate) made: bool,
    /// Processor time that it took.
    pub(crate) work: Time,
    /// Whether dirty pages stood in the way.
    pub(crate) must_write: bool,
}

impl Memory {
    pub(crate) fn new(host: &HostParameters) -> Result<Self, HostError> {
        let machine = &host.machine;
        let pages = host.usable_memory().get() / PAGE_BYTES;
        if pages < FEWEST_PAGES {
            return Err(HostError::Memory { pages });
        }
        if machine.processors == 0 {
            return Err(HostError::Processors { machine: machine.name.clone() });
        }
        let (to_user, from_user) = CopyCost::of(machine)
            .map_err(|source| HostError::Copy { machine: machine.name.clone(), source })?;
        let mut cache = PageCache::new(&host.kernel.page_cache, pages);
        if let Some(swap) = host.swap {
            cache.set_swap(swap.get() / PAGE_BYTES, host.swappiness);
        }
        if let Some(anonymous) = host.anonymous {
            cache.insert_anonymous(0, anonymous.get() / PAGE_BYTES);
        }
        Ok(Self {
            cache,
            to_user,
            from_user,
            jumps: Jumps::new(&machine.cache.jumps),
            costs: Costs::new(&machine.calls, &machine.cache, &machine.block),
            limits: Arc::new(DirtyLimits::new(
                &host.kernel.write_back,
                host.dirty_background,
                host.dirty_limit,
            )),
            rate_limit: RateLimit::of(pages, machine.processors),
            waiters: 0,
            swaps: Swaps::default(),
        })
    }

    /// Pages dirty or being written.
    pub(crate) fn unwritten(&self) -> u64 {
        self.cache.dirty() + self.cache.writeback()
    }

    /// The dirty limits as they are now.
    pub(crate) fn limits(&self) -> Limits {
        self.limits.now(self.room() + self.cache.cached())
    }

    /// Pages that can be had at once: what neither pages take nor their buffers.
    fn room(&self) -> u64 {
        self.cache.free().saturating_sub(self.cache.buffer_pages())
    }

    /// Makes room for pages that are to be inserted.
    pub(crate) fn make_room(&mut self, pages: u64) -> Room {
        let free = self.room();
        if free >= pages {
            return Room { made: true, work: Time::ZERO, must_write: false };
        }
        let wanted = (pages - free).max(RECLAIM_AT_LEAST);
        let mut reclaimed = Reclaimed::default();
        self.cache.reclaim(wanted, &mut reclaimed);
        let Reclaimed { freed, swapped_out, must_write, .. } = reclaimed;
        self.swaps.out += swapped_out;
        Room {
            made: self.room() >= pages,
            work: Time::from_picos(self.costs.reclaim.as_picos() * freed),
            must_write,
        }
    }
}

/// A span several times.
pub(crate) fn times(span: Time, count: u64) -> Time {
    Time::from_picos(span.as_picos().saturating_mul(count))
}
