//! A host's memory: the page cache, what may be dirty in it, and what using it costs.

use crate::host::copy_cost::{CopyCost, PAGE_BYTES};
use crate::host::jump_cost::Jumps;
use crate::host::machine::{BlockCosts, CacheCosts, CallCosts};
use crate::host::page_cache::{PageCache, Reclaimed};
use crate::host::parameters::{HostError, HostParameters};
use crate::host::write_back::{DirtyLimits, Limits, RateLimit};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::sync::Arc;

/// Pages that are reclaimed at least, once it has to be (`SWAP_CLUSTER_MAX`).
const RECLAIM_AT_LEAST: u64 = 32;
/// Fewest pages of memory that a host can have.
const FEWEST_PAGES: u64 = 256;

/// What work costs, as spans of processor time.
#[derive(Clone, Copy, Debug, Persist)]
pub(in crate::host) struct Costs {
    pub(in crate::host) read: Time,
    pub(in crate::host) write: Time,
    pub(in crate::host) fsync: Time,
    pub(in crate::host) open: Time,
    pub(in crate::host) namespace: Time,
    pub(in crate::host) fault: Time,
    pub(in crate::host) store_fault: Time,
    pub(in crate::host) stdio: Time,
    pub(in crate::host) hit: Time,
    pub(in crate::host) folio_page: Time,
    pub(in crate::host) insert: Time,
    pub(in crate::host) write_page: Time,
    pub(in crate::host) new_page: Time,
    pub(in crate::host) allocate: Time,
    pub(in crate::host) allocate_call: Time,
    pub(in crate::host) allocate_file: Time,
    pub(in crate::host) reclaim: Time,
    pub(in crate::host) journal_handle: Time,
    pub(in crate::host) buffer: Time,
    pub(in crate::host) new_buffer: Time,
    pub(in crate::host) submit: Time,
    pub(in crate::host) complete: Time,
    pub(in crate::host) wake_up: Time,
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
pub(in crate::host) struct Memory {
    pub(in crate::host) cache: PageCache,
    pub(in crate::host) to_user: CopyCost,
    pub(in crate::host) from_user: CopyCost,
    pub(in crate::host) jumps: Jumps,
    pub(in crate::host) costs: Costs,
    limits: Arc<DirtyLimits>,
    pub(in crate::host) rate_limit: RateLimit,
    /// Processes that wait for memory.
    pub(in crate::host) waiters: u32,
    pub(in crate::host) swaps: Swaps,
}

/// What has gone between memory and swap space, in pages.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(in crate::host) struct Swaps {
    /// Out of memory.
    pub(in crate::host) out: u64,
    /// Of these, those that have been sent to the device.
    pub(in crate::host) sent: u64,
    /// Back into memory.
    pub(in crate::host) back: u64,
    /// How long processes have waited for what came back, all together.
    pub(in crate::host) waited: Time,
    /// The writes that were sent last, if nobody has waited for them.
    pub(in crate::host) group: Option<u64>,
}

/// What making room came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct Room {
    /// Whether there is room now.
    pub(in crate::host) made: bool,
    /// Processor time that it took.
    pub(in crate::host) work: Time,
    /// Whether dirty pages stood in the way.
    pub(in crate::host) must_write: bool,
}

impl Memory {
    pub(in crate::host) fn new(host: &HostParameters) -> Result<Self, HostError> {
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
    pub(in crate::host) fn unwritten(&self) -> u64 {
        self.cache.dirty() + self.cache.writeback()
    }

    /// The dirty limits as they are now.
    pub(in crate::host) fn limits(&self) -> Limits {
        self.limits.now(self.room() + self.cache.cached())
    }

    /// Pages that can be had at once: what neither pages take nor their buffers.
    fn room(&self) -> u64 {
        self.cache.free().saturating_sub(self.cache.buffer_pages())
    }

    /// Makes room for pages that are to be inserted.
    pub(in crate::host) fn make_room(&mut self, pages: u64) -> Room {
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
pub(in crate::host) fn times(span: Time, count: u64) -> Time {
    Time::from_picos(span.as_picos().saturating_mul(count))
}
