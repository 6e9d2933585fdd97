//! Reads and writes that Linux md does for one request to a RAID 4, 5 or 6 array.
//!
//! Written from `drivers/md/raid5.c` of Linux 7.1-rc4, and not from the planner that it checks. Functions: `raid5_compute_sector`, `stripe_set_idx`, `__add_stripe_bio`,
//! `add_all_stripe_bios`, `analyse_stripe`, `handle_stripe`, `handle_stripe_fill`, `fetch_block`, `need_this_block`,
//! `handle_stripe_dirtying`, `schedule_reconstruction`, `ops_run_io`, `chunk_aligned_read`, `raid5_read_one_chunk`,
//! `raid5_make_request`, `setup_conf`. The stripe's state machine is followed pass by pass; nothing is decided by a
//! formula of our own.
//!
//! Assumed: one bio a request, an empty stripe cache, no other request, no journal, no write-intent or lockless
//! bitmap, no resync, reshape, replacement or bad block, stripes of 4 KiB, `rmw_level` as `setup_conf` sets it
//! ([`RmwLevel::Enable`]), a syndrome library that has `xor_syndrome`. Kernels before "md/raid5: Allow degraded raid6
//! to do rmw" (2020) read all that is left where a level 6 write meets a missing data page it does not overwrite.
//!
//! As in md, the chunk is a power of two of at least 8 sectors; levels 4 and 5 have at least 2 members, level 6 at
//! least 4.

mod mirrors;
mod stripe;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use stripe::{Dev, Stripe};

/// Sectors of one page of one member in the stripe cache.
const PAGE: u64 = 8;

/// Where parity is put. Level 4 ignores it: its parity is on the last member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// Parity moves down; data go on at the first member.
    LeftAsymmetric,
    /// Parity moves up; data go on at the first member.
    RightAsymmetric,
    /// Parity moves down; data go on after parity.
    LeftSymmetric,
    /// Parity moves up; data go on after parity.
    RightSymmetric,
    /// Parity stays on the last member, or the last two.
    ParityN,
}

/// The sysfs attribute `rmw_level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RmwLevel {
    /// 0: always reconstruct. What level 6 gets where the syndrome library has no `xor_syndrome`.
    Disable,
    /// 1: the cheaper of the two, reconstruct where equal. The kernel's default.
    Enable,
    /// 2: the cheaper of the two, read-modify-write where equal.
    Prefer,
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Md {
    /// 4, 5 or 6.
    pub(super) level: u32,
    /// Where parity is put.
    pub(super) algorithm: Algorithm,
    /// Members, parity included.
    pub(super) members: usize,
    /// Sectors of a chunk: a power of two, at least 8.
    pub(super) chunk_sectors: u64,
}

/// Sectors that are read or written at least once, as (member, 512-byte sector on the member).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Io {
    /// Sectors read.
    pub(super) reads: BTreeSet<(usize, u64)>,
    /// Sectors written. Always whole pages: a page that is written in part was read before and is written whole.
    pub(super) writes: BTreeSet<(usize, u64)>,
}

/// What `raid5_compute_sector` gives.
struct StripeSector {
    member: usize,
    sector: u64,
    p: usize,
    q: Option<usize>,
}

impl Md {
    /// `max_degraded`: members that may fail.
    fn max_degraded(&self) -> usize {
        if self.level == 6 { 2 } else { 1 }
    }

    /// `raid5_compute_sector`.
    fn compute_sector(&self, sector: u64) -> StripeSector {
        let disks = self.members;
        let data = disks - self.max_degraded();
        let chunk = sector / self.chunk_sectors;
        let stripe = chunk / data as u64;
        let dd = (chunk % data as u64) as usize;
        let turn = (stripe % disks as u64) as usize;
        let (member, p, q) = if self.level == 6 {
            self.compute_6(dd, turn)
        } else {
            let (member, p) = self.compute_5(dd, turn);
            (member, p, None)
        };
        StripeSector { member, sector: stripe * self.chunk_sectors + sector % self.chunk_sectors, p, q }
    }

    /// Levels 4 and 5: the data member and P.
    fn compute_5(&self, dd: usize, turn: usize) -> (usize, usize) {
        let disks = self.members;
        let data = disks - 1;
        let skip = |p: usize| if dd >= p { dd + 1 } else { dd };
        if self.level == 4 {
            return (dd, data);
        }
        match self.algorithm {
            Algorithm::LeftAsymmetric => (skip(data - turn), data - turn),
            Algorithm::RightAsymmetric => (skip(turn), turn),
            Algorithm::LeftSymmetric => ((data - turn + 1 + dd) % disks, data - turn),
            Algorithm::RightSymmetric => ((turn + 1 + dd) % disks, turn),
            Algorithm::ParityN => (dd, data),
        }
    }

    /// Level 6: the data member, P and Q.
    fn compute_6(&self, dd: usize, turn: usize) -> (usize, usize, Option<usize>) {
        let disks = self.members;
        let p = match self.algorithm {
            Algorithm::LeftAsymmetric | Algorithm::LeftSymmetric => disks - 1 - turn,
            Algorithm::RightAsymmetric | Algorithm::RightSymmetric => turn,
            Algorithm::ParityN => disks - 2,
        };
        let q = (p + 1) % disks;
        let member = match self.algorithm {
            // Q D D D P
            Algorithm::LeftAsymmetric | Algorithm::RightAsymmetric if p == disks - 1 => dd + 1,
            // D D P Q D
            Algorithm::LeftAsymmetric | Algorithm::RightAsymmetric if dd >= p => dd + 2,
            Algorithm::LeftAsymmetric | Algorithm::RightAsymmetric | Algorithm::ParityN => dd,
            Algorithm::LeftSymmetric | Algorithm::RightSymmetric => (p + 2 + dd) % disks,
        };
        (member, p, Some(q))
    }

    /// The member that holds a sector of the array, and the sector there.
    pub(super) fn place(&self, sector: u64) -> (usize, u64) {
        let place = self.compute_sector(sector);
        (place.member, place.sector)
    }

    /// P and, for level 6, Q, of the stripe that holds a sector of any member.
    pub(super) fn parity(&self, member_sector: u64) -> (usize, Option<usize>) {
        // stripe_set_idx
        let data = (self.members - self.max_degraded()) as u64;
        let stripe = member_sector / self.chunk_sectors;
        let place =
            self.compute_sector(stripe * data * self.chunk_sectors + member_sector % self.chunk_sectors);
        (place.p, place.q)
    }

    /// I/O of a read. None where a page asked for cannot be had.
    ///
    /// With all members present each piece inside one chunk bypasses the stripe cache and takes the sectors asked.
    /// With any member missing the whole request goes through the stripe cache, in pages. An array that lost too many
    /// members still serves pages of those left.
    pub(super) fn read(&self, first: u64, sectors: u64, failed: &[bool]) -> Option<Io> {
        let mut io = Io::default();
        if self.degraded(failed) == 0 {
            io.reads.extend((first..first.saturating_add(sectors)).map(|sector| self.place(sector)));
            return Some(io);
        }
        let lost = self.degraded(failed) > self.max_degraded();
        for (at, pages) in self.pages(first, sectors) {
            let mut stripe = self.stripe(at, failed, RmwLevel::Enable);
            for (member, _) in pages {
                let dev = stripe.devs.get_mut(member)?;
                if lost && !dev.insync {
                    // handle_failed_stripe ends the bio with an error.
                    return None;
                }
                dev.toread = true;
            }
            stripe.run()?;
            stripe.report(at, &mut io);
        }
        Some(io)
    }

    /// I/O of a write. None where more members are missing than parity makes up for.
    ///
    /// A page written in part is read, or computed, and written whole. Missing members are not written.
    pub(super) fn write(&self, first: u64, sectors: u64, failed: &[bool]) -> Option<Io> {
        self.write_at(RmwLevel::Enable, true, first, sectors, failed)
    }

    /// I/O of a write under another `rmw_level`.
    pub(super) fn write_with(
        &self,
        rmw_level: RmwLevel,
        first: u64,
        sectors: u64,
        failed: &[bool],
    ) -> Option<Io> {
        self.write_at(rmw_level, true, first, sectors, failed)
    }

    /// I/O of a write. `sync` is the bio's `REQ_SYNC`: no delay before the first reads. It should not matter.
    fn write_at(
        &self,
        rmw_level: RmwLevel,
        sync: bool,
        first: u64,
        sectors: u64,
        failed: &[bool],
    ) -> Option<Io> {
        let mut io = Io::default();
        if self.degraded(failed) > self.max_degraded() {
            return if sectors == 0 { Some(io) } else { None };
        }
        for (at, pages) in self.pages(first, sectors) {
            let mut stripe = self.stripe(at, failed, rmw_level);
            stripe.preread_active = sync;
            for (member, whole) in pages {
                let dev = stripe.devs.get_mut(member)?;
                dev.towrite = true;
                dev.overwrite = whole;
            }
            stripe.run()?;
            stripe.report(at, &mut io);
        }
        Some(io)
    }

    /// `mddev->degraded`.
    fn degraded(&self, failed: &[bool]) -> usize {
        failed.iter().take(self.members).filter(|failed| **failed).count()
    }

    /// Pages of a request by stripe: for each the member, and whether the request covers the page whole.
    fn pages(&self, first: u64, sectors: u64) -> BTreeMap<u64, Vec<(usize, bool)>> {
        let mut stripes: BTreeMap<u64, Vec<(usize, bool)>> = BTreeMap::new();
        let last = first.saturating_add(sectors);
        let mut page = first - first % PAGE;
        while sectors > 0 && page < last {
            let (member, at) = self.place(page);
            stripes.entry(at).or_default().push((member, first <= page && page + PAGE <= last));
            page += PAGE;
        }
        stripes
    }

    /// `init_stripe`: an empty stripe at a sector of the members.
    fn stripe(&self, at: u64, failed: &[bool], rmw_level: RmwLevel) -> Stripe {
        let (p, q) = self.parity(at);
        let insync = |member: usize| !failed.get(member).copied().unwrap_or(false);
        Stripe {
            p,
            q,
            rmw_level,
            max_degraded: self.max_degraded(),
            preread_active: false,
            delayed: false,
            devs: (0..self.members).map(|member| Dev { insync: insync(member), ..Dev::default() }).collect(),
            read: BTreeSet::new(),
            written: BTreeSet::new(),
        }
    }
}
