//! How a host uses its memory: pages of files and processes together, and those of them that are yet to be written.

use super::page_cache::Most;
use super::read_ahead::PAGE_BYTES;
use super::state::Memory;
use petrio_kernel::{Place, Simulation, Time};
use petrio_units::numbers::whole_part;

/// Where a host's memory is found in a run.
#[derive(Clone, Debug)]
pub struct HostMemory {
    /// The host's name.
    pub host: String,
    place: Place<Memory>,
}

/// What of a host's memory is in use, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// What files' pages and processes may have together.
    pub usable: u64,
    /// What they have now.
    pub in_use: u64,
    /// What of that is dirty or being written now.
    pub unwritten: u64,
    /// Up to how much of them may be yet to be written before who writes is held back.
    pub write_room: u64,
    /// The most that they had since the run began.
    pub most: u64,
    /// The most that was dirty or being written at a time.
    pub most_unwritten: u64,
    /// What of processes' memory has gone to swap space since the run began, and what has come back.
    pub swapped: [u64; 2],
    /// How long processes have waited for what came back, all together.
    pub waited_for_swap: Time,
    /// Bytes that were copied to processes and from them since the run began.
    pub copied: [u64; 2],
    /// What of these the second-level cache hadn't, where that is known.
    pub missed: Option<[u64; 2]>,
}

impl HostMemory {
    pub(crate) fn new(host: &str, place: Place<Memory>) -> Self {
        Self { host: host.to_owned(), place }
    }

    /// What is in use now.
    pub fn now(&self, run: &Simulation) -> MemoryUse {
        let mut found = MemoryUse::default();
        run.for_each_token(self.place, |memory| {
            let Most { cached, unwritten } = memory.cache.most();
            found = MemoryUse {
                usable: memory.cache.limit_pages() * PAGE_BYTES,
                in_use: memory.cache.cached() * PAGE_BYTES,
                unwritten: (memory.cache.dirty() + memory.cache.writeback()) * PAGE_BYTES,
                write_room: memory.limits().free_run() * PAGE_BYTES,
                most: cached * PAGE_BYTES,
                most_unwritten: unwritten * PAGE_BYTES,
                swapped: [memory.swaps.out, memory.swaps.back].map(|pages| pages * PAGE_BYTES),
                waited_for_swap: memory.swaps.waited,
                copied: [&memory.to_user, &memory.from_user].map(|copies| copies.counts().bytes),
                missed: (memory.to_user.knows_misses() && memory.from_user.knows_misses()).then(|| {
                    [&memory.to_user, &memory.from_user].map(|copies| whole_part(copies.counts().from_memory))
                }),
            };
        });
        found
    }
}
