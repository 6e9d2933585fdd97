//! The state machine of a stripe of Linux md: `handle_stripe` and what it calls, pass by pass.

use super::{Io, PAGE, RmwLevel};
use std::collections::BTreeSet;

/// `struct r5dev`: one page of a stripe, by its flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Dev {
    pub(super) insync: bool,
    pub(super) toread: bool,
    pub(super) towrite: bool,
    pub(super) overwrite: bool,
    pub(super) uptodate: bool,
    pub(super) locked: bool,
    pub(super) wantread: bool,
    pub(super) wantcompute: bool,
    pub(super) wantdrain: bool,
}

/// `struct stripe_head`.
pub(super) struct Stripe {
    pub(super) p: usize,
    pub(super) q: Option<usize>,
    pub(super) rmw_level: RmwLevel,
    pub(super) max_degraded: usize,
    pub(super) preread_active: bool,
    pub(super) delayed: bool,
    pub(super) devs: Vec<Dev>,
    pub(super) read: BTreeSet<usize>,
    pub(super) written: BTreeSet<usize>,
}

/// `struct stripe_head_state`.
#[derive(Default)]
struct State {
    locked: usize,
    uptodate: usize,
    to_read: usize,
    to_write: usize,
    non_overwrite: usize,
    failed: Vec<usize>,
}

impl Stripe {
    /// Handles the stripe until nothing is left to do. None where it stands still.
    pub(super) fn run(&mut self) -> Option<()> {
        while self.devs.iter().any(|dev| dev.toread || dev.towrite) {
            if !self.handle_stripe() {
                return None;
            }
        }
        Some(())
    }

    /// Adds the stripe's pages to a request's I/O.
    pub(super) fn report(&self, at: u64, io: &mut Io) {
        let sectors = |members: &BTreeSet<usize>| -> Vec<(usize, u64)> {
            members.iter().flat_map(|member| (at..at + PAGE).map(|sector| (*member, sector))).collect()
        };
        io.reads.extend(sectors(&self.read));
        io.writes.extend(sectors(&self.written));
    }

    /// `i == sh->pd_idx || i == sh->qd_idx`.
    fn is_parity(&self, i: usize) -> bool {
        i == self.p || self.q == Some(i)
    }

    /// `handle_stripe`, and what it starts: one pass. False where the pass did nothing.
    fn handle_stripe(&mut self) -> bool {
        self.delayed = false;
        let mut s = self.analyse();
        let fill: Vec<bool> = self.devs.iter().map(|dev| dev.uptodate && dev.toread).collect();
        // More missing than parity makes up for: only reads of members left come here, and no page is computed.
        if s.to_read > 0 || s.non_overwrite > 0 || (s.to_write > 0 && !s.failed.is_empty()) {
            for i in (0..self.devs.len()).rev() {
                if self.fetch_block(&mut s, i) {
                    break;
                }
            }
        }
        if s.to_write > 0 && s.failed.len() <= self.max_degraded {
            self.dirtying(&mut s);
        }
        self.run_ops(&fill)
    }

    /// `analyse_stripe`.
    fn analyse(&self) -> State {
        let mut s = State::default();
        for (i, dev) in self.devs.iter().enumerate().rev() {
            s.locked += usize::from(dev.locked);
            s.uptodate += usize::from(dev.uptodate);
            s.to_read += usize::from(dev.toread && !dev.uptodate);
            s.to_write += usize::from(dev.towrite);
            s.non_overwrite += usize::from(dev.towrite && !dev.overwrite);
            if !dev.insync {
                s.failed.push(i);
            }
        }
        s
    }

    /// `need_this_block`.
    fn need_this_block(&self, s: &State, i: usize) -> bool {
        let dev = &self.devs[i];
        let failed = || s.failed.iter().take(2).map(|i| (*i, &self.devs[*i]));
        if dev.locked || dev.uptodate {
            return false;
        }
        if dev.toread || (dev.towrite && !dev.overwrite) {
            return true;
        }
        if failed().any(|(_, fdev)| fdev.toread) {
            return true;
        }
        if s.failed.is_empty() || s.to_write == 0 {
            return false;
        }
        if dev.insync && !self.preread_active {
            return false;
        }
        let mut force_rcw = self.rmw_level == RmwLevel::Disable;
        for (i, fdev) in failed() {
            if fdev.towrite && !fdev.uptodate && !fdev.overwrite {
                return true;
            }
            if s.failed.len() >= 2 && (fdev.towrite || self.is_parity(i)) && !fdev.uptodate {
                force_rcw = true;
            }
        }
        // The array is in sync, so only force_rcw goes on.
        force_rcw && failed().any(|(i, fdev)| !self.is_parity(i) && !fdev.uptodate && !fdev.overwrite)
    }

    /// `fetch_block`. True where no more members need be looked at.
    fn fetch_block(&mut self, s: &mut State, i: usize) -> bool {
        if !self.need_this_block(s, i) {
            return false;
        }
        let disks = self.devs.len();
        let p_of_6 = self.q.is_some() && self.p == i;
        if s.uptodate + 1 == disks && (p_of_6 || s.failed.iter().take(2).any(|failed| *failed == i)) {
            self.devs[i].wantcompute = true;
            s.uptodate += 1;
            return true;
        }
        if s.uptodate + 2 == disks && s.failed.len() >= 2 {
            let other = (0..disks).rev().find(|other| *other != i && !self.devs[*other].uptodate);
            let Some(other) = other.filter(|other| !self.devs[*other].locked) else {
                return false;
            };
            self.devs[i].wantcompute = true;
            self.devs[other].wantcompute = true;
            s.uptodate += 2;
            return true;
        }
        if self.devs[i].insync {
            self.want_read(s, i);
        }
        false
    }

    /// `R5_Wantread` and `R5_LOCKED`.
    fn want_read(&mut self, s: &mut State, i: usize) {
        self.devs[i].locked = true;
        self.devs[i].wantread = true;
        s.locked += 1;
    }

    /// Whether read-modify-write lacks a page.
    fn rmw_lacks(&self, i: usize) -> bool {
        let dev = &self.devs[i];
        (dev.towrite || self.is_parity(i)) && !dev.locked && !dev.uptodate && !dev.wantcompute
    }

    /// Whether reconstruct-write lacks a page.
    fn rcw_lacks(&self, i: usize) -> bool {
        let dev = &self.devs[i];
        !dev.overwrite && !self.is_parity(i) && !dev.locked && !dev.uptodate && !dev.wantcompute
    }

    /// `handle_stripe_dirtying`.
    fn dirtying(&mut self, s: &mut State) {
        let disks = self.devs.len();
        let (mut rmw, mut rcw) = (0, 0);
        if self.rmw_level == RmwLevel::Disable {
            (rmw, rcw) = (2, 1);
        } else {
            for i in 0..disks {
                let cost = if self.devs[i].insync { 1 } else { 2 * disks };
                rmw += if self.rmw_lacks(i) { cost } else { 0 };
                rcw += if self.rcw_lacks(i) { cost } else { 0 };
            }
        }
        let prefer = self.rmw_level == RmwLevel::Prefer;
        if (rmw < rcw || (rmw == rcw && prefer)) && rmw > 0 {
            for i in (0..disks).rev() {
                if self.rmw_lacks(i) && self.devs[i].insync {
                    if self.preread_active {
                        self.want_read(s, i);
                    } else {
                        self.delayed = true;
                    }
                }
            }
        }
        if (rcw < rmw || (rcw == rmw && !prefer)) && rcw > 0 {
            rcw = 0;
            for i in (0..disks).rev() {
                if self.rcw_lacks(i) {
                    rcw += 1;
                    if self.devs[i].insync && self.preread_active {
                        self.want_read(s, i);
                    } else {
                        self.delayed = true;
                    }
                }
            }
        }
        if rcw > disks && rmw > disks && !self.preread_active {
            self.delayed = true;
        }
        if s.locked == 0 && (rcw == 0 || rmw == 0) {
            self.schedule_reconstruction(rcw == 0);
        }
    }

    /// `schedule_reconstruction`: marks what is drained. P and Q go with it.
    fn schedule_reconstruction(&mut self, rcw: bool) {
        for i in 0..self.devs.len() {
            let parity = self.is_parity(i);
            let dev = &mut self.devs[i];
            dev.wantdrain = dev.towrite && (rcw || (!parity && (dev.uptodate || dev.wantcompute)));
        }
    }

    /// `raid_run_ops` and `ops_run_io`, all I/O ended. False where there was nothing.
    fn run_ops(&mut self, fill: &[bool]) -> bool {
        let mut done = false;
        for (dev, fill) in self.devs.iter_mut().zip(fill) {
            if *fill {
                dev.toread = false;
                done = true;
            }
            if dev.wantcompute {
                dev.wantcompute = false;
                dev.uptodate = true;
                done = true;
            }
        }
        let drained = self.devs.iter().any(|dev| dev.wantdrain);
        for i in 0..self.devs.len() {
            let parity = self.is_parity(i);
            let dev = &mut self.devs[i];
            if drained && (dev.wantdrain || parity) {
                dev.towrite = dev.towrite && !dev.wantdrain;
                dev.wantdrain = false;
                dev.uptodate = true;
                done = true;
                // A missing member is skipped by ops_run_io.
                if dev.insync {
                    self.written.insert(i);
                }
            }
            if dev.wantread {
                dev.wantread = false;
                dev.locked = false;
                dev.uptodate = true;
                done = true;
                self.read.insert(i);
            }
        }
        // delayed_list, then raid5_activate_delayed
        if self.delayed && !self.preread_active {
            self.preread_active = true;
            done = true;
        }
        done
    }
}
