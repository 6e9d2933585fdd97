//! How many pages may be dirty, and what holds a writer back: mm/page-writeback.c as arithmetic.
//!
//! Two generations: before 3.2 a writer beyond the limit writes pages back itself ([`Throttling::WriterWritesBack`]);
//! since then it sleeps ([`Balance`]). Sizes are pages of 4096 bytes. Leaves out per-cgroup dirty limits (cgroup v2),
//! which divide the same rule, and devices whose shares of a common limit differ.

mod balance;

pub use balance::{Balance, Pause, Position, Writer};
use petrio_units::numbers::{in_proportion, whole_part};

use super::copy_cost::PAGE_BYTES;
use super::kernel_profile::{Throttling, WriteBackParameters};
use petrio_persist::Persist;
use petrio_units::Bytes;

/// Pages that a writer dirties before it looks at the limits for the first time (`init_dirty_throttle`: 128 KiB).
const FIRST_PAGES: u64 = 32;

/// The same of an old kernel whose limit is exceeded (2.6.24, `balance_dirty_pages_ratelimited_nr`).
const PAGES_WHEN_EXCEEDED: u64 = 8;

/// Numbers of pages at which write-back begins and writers are held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Beyond this the flusher writes.
    pub background: u64,
    /// Beyond this nobody may be.
    pub limit: u64,
}

impl Limits {
    /// Up to this a writer isn't held back (`dirty_freerun_ceiling`).
    pub fn free_run(self) -> u64 {
        self.background.midpoint(self.limit)
    }

    /// Where writers are held, halfway from there to the limit.
    pub fn set_point(self) -> u64 {
        self.free_run().midpoint(self.limit)
    }

    /// The limits of a thread of a real-time class: a quarter more, and a thirty-second of what others may
    /// (`domain_dirty_limits`).
    #[must_use]
    pub fn of_real_time(self) -> Self {
        let more = |pages: u64| pages + pages / 4 + self.limit / 32;
        Self { background: more(self.background), limit: more(self.limit) }
    }

    /// The limits of a device that may only have so many dirty pages: the background's share of them stays
    /// (`wb_dirty_limits`).
    pub fn of_device(self, most: u64) -> Self {
        let limit = most.min(self.limit).max(1);
        Self { background: in_proportion(limit, self.background, self.limit.max(1)), limit }
    }
}

/// The limits of a host.
#[derive(Clone, Debug, Persist)]
pub struct DirtyLimits {
    background: f64,
    limit: f64,
    fixed_background: Option<u64>,
    fixed_limit: Option<u64>,
    throttling: Throttling,
}

impl DirtyLimits {
    /// The kernel's shares, or sizes that the host sets in their place (`dirty_bytes`, `dirty_background_bytes`).
    pub fn new(parameters: &WriteBackParameters, background: Option<Bytes>, limit: Option<Bytes>) -> Self {
        let pages = |bytes: Bytes| (bytes.get() / PAGE_BYTES).max(1);
        Self {
            background: parameters.background.get(),
            limit: parameters.limit.get(),
            fixed_background: background.map(pages),
            fixed_limit: limit.map(pages),
            throttling: parameters.throttling,
        }
    }

    /// The limits while `available` pages could be dirty: free ones and those of the cache (`global_dirtyable_memory`).
    ///
    /// A background limit that isn't below the other is half of it (`domain_dirty_limits`); the old kernels have a
    /// floor of 5 % (`get_dirty_limits`).
    pub fn now(&self, available: u64) -> Limits {
        let share = match self.throttling {
            Throttling::WriterWritesBack => self.limit.max(0.05),
            Throttling::WriterPauses => self.limit,
        };
        let limit = self.fixed_limit.unwrap_or(whole_part(available as f64 * share)).max(1);
        let background = self.fixed_background.unwrap_or_else(|| match self.fixed_limit {
            Some(limit) => whole_part(limit as f64 * self.background / self.limit.max(1e-9)),
            None => whole_part(available as f64 * self.background),
        });
        Limits { background: if background >= limit { limit / 2 } else { background }, limit }
    }
}

/// How often a writer of an old kernel looks at the limits, and what it writes back once it is beyond them (2.6.24).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct RateLimit {
    pages: u64,
}

impl RateLimit {
    /// That of so many pages of memory and so many processors, all of which together dirty no more than a thirty-second of
    /// memory unseen: 16 pages to 4 MiB (`writeback_set_ratelimit`).
    pub fn of(memory_pages: u64, processors: u32) -> Self {
        Self { pages: (memory_pages / (u64::from(processors.max(1)) * 32)).clamp(16, (4 << 20) / PAGE_BYTES) }
    }

    /// After how many dirtied pages a writer looks at the limits.
    pub fn asks_after(self, exceeded: bool) -> u64 {
        if exceeded { PAGES_WHEN_EXCEEDED } else { self.pages }
    }

    /// How many pages a writer beyond the limit writes back before it goes on (`sync_writeback_pages`).
    pub fn writes_back(self) -> u64 {
        self.pages * 3 / 2
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parameters(throttling: Throttling, background: f64, limit: f64) -> WriteBackParameters {
        WriteBackParameters {
            background: petrio_units::Fraction::new(background).unwrap(),
            limit: petrio_units::Fraction::new(limit).unwrap(),
            expire: "30 s".parse().unwrap(),
            wake_up: "5 s".parse().unwrap(),
            throttling,
            pages_a_pass: 1_024,
        }
    }

    #[test]
    fn a_device_limit_of_128_mib_lets_writers_run_freely_up_to_96_mib() {
        let parameters = parameters(Throttling::WriterPauses, 0.1, 0.2);
        let limits = DirtyLimits::new(&parameters, None, Some("128 MiB".parse().unwrap())).now(1 << 22);
        assert_eq!(limits.limit * PAGE_BYTES, 128 << 20);
        assert_eq!(limits.free_run() * PAGE_BYTES, 96 << 20);
    }

    #[test]
    fn a_real_time_thread_has_a_quarter_more_and_a_thirty_second_of_the_limit() {
        // 4 MiB for a device, of which half is the background's.
        let limits = Limits { background: 1 << 19, limit: 1 << 20 }.of_device(1 << 10).of_real_time();
        let kib = |pages: u64| pages * PAGE_BYTES / 1_024;
        assert_eq!((kib(limits.background), kib(limits.limit)), (2_688, 5_248));
        assert_eq!(kib(limits.free_run()), 3_968);
    }

    #[test]
    fn a_background_limit_above_the_limit_becomes_half_of_it() {
        let parameters = parameters(Throttling::WriterPauses, 0.3, 0.2);
        assert_eq!(
            DirtyLimits::new(&parameters, None, None).now(1_000),
            Limits { background: 100, limit: 200 }
        );
    }

    #[test]
    fn old_kernels_never_go_below_five_percent() {
        let parameters = parameters(Throttling::WriterWritesBack, 0.01, 0.02);
        assert_eq!(
            DirtyLimits::new(&parameters, None, None).now(1_000),
            Limits { background: 10, limit: 50 }
        );
    }

    #[test]
    fn a_writer_writes_back_a_thirty_second_of_memory_and_half_of_that_but_six_mib_at_most() {
        // 1 MiB, 64 MiB on one processor and on four, 4 GiB.
        let of = |mib: u64, processors| RateLimit::of((mib << 20) / PAGE_BYTES, processors).writes_back();
        assert_eq!([of(1, 1), of(64, 1), of(64, 4), of(4_096, 1)], [24, 768, 192, 1_536]);
        let limit = RateLimit::of(1 << 20, 2);
        assert_eq!((limit.asks_after(false), limit.asks_after(true)), (1_024, 8));
    }
}
