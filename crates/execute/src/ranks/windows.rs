//! Accesses to other ranks' memory: when each is done, and who may have the memory. Times only; the data are the library's.
//!
//! ```text
//!   put, accumulate   origin ── its bytes, when its messages before have left ──▶ there: done
//!   get               origin ── asks ──▶ there ── its bytes, when the owner's messages before have left ──▶ done
//!   fetch, swap       origin ── its bytes ──▶ there ── what was there ──▶ done
//! ```
//!
//! Each goes on at once; a fence, a flush or an unlock waits until all that it is for are done. A lock is an access of a word there and back, from
//! when nobody has it in a way that excludes it; who waits gets it in the order in which they came. All of another's memory is locked
//! without one, as libraries do with the first access. Sources: the MPI standard 4.1, chapter 12; Open MPI's `osc/rdma`, which
//! takes locks by atomic accesses of a word.

use super::RankName;
use super::calls::{AT_ONCE, value};
use super::waiting::{Gives, Pending};
use super::{Mode, RankTold};
use crate::supervisor::{Supervisor, Verdict};
use petrio_colours::Remote;
use petrio_time::Time;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Bytes of a lock.
const WORD: u64 = 8;

/// How memory is accessed (`enum petrio_access` of record.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Put,
    Get,
    Accumulate,
    /// Combined with what is there, which comes back.
    Fetch,
}

impl How {
    pub(super) const fn of(number: u64) -> Self {
        match number {
            0 => Self::Put,
            1 => Self::Get,
            2 => Self::Accumulate,
            _ => Self::Fetch,
        }
    }
}

/// An access to another rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) window: u32,
    pub(super) how: How,
    pub(super) whose: u32,
    /// Bytes that go there, and come back.
    pub(super) out: u64,
    pub(super) back: u64,
    /// By which it is waited for; none where that is zero.
    pub(super) request: u64,
}

impl Access {
    /// As a network carries it.
    fn remote(&self) -> Vec<Remote> {
        match self.how {
            How::Put => vec![Remote::Put(self.out)],
            How::Get => vec![Remote::Get(self.back)],
            How::Accumulate => vec![Remote::Accumulate(self.out)],
            How::Fetch if self.out.max(self.back) <= WORD => vec![Remote::FetchAndAdd],
            How::Fetch => vec![Remote::Accumulate(self.out), Remote::Get(self.back)],
        }
    }
}

/// One that isn't waited for yet.
#[derive(Clone, Copy, Debug)]
struct Begun {
    whose: u32,
    /// The requests that are over when it is done, and when its data have left.
    done: u64,
    left: u64,
}

/// Who has memory of a rank, and who waits for it.
#[derive(Debug, Default)]
struct Lock {
    alone: bool,
    holders: BTreeSet<u32>,
    /// From when on it can be had.
    free: Time,
    waiting: VecDeque<Wanted>,
}

#[derive(Clone, Copy, Debug)]
struct Wanted {
    by: u32,
    alone: bool,
    /// Whether it takes an access of a word to get it.
    asks: bool,
    request: u64,
    since: Time,
}

impl Lock {
    /// The next of those who wait, if it can have it now.
    fn grants(&mut self) -> Option<Wanted> {
        let next = *self.waiting.front()?;
        if !self.holders.is_empty() && (self.alone || next.alone) {
            return None;
        }
        self.waiting.pop_front();
        self.alone = next.alone;
        self.holders.insert(next.by);
        Some(next)
    }
}

/// All of a job.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// By rank and window.
    begun: BTreeMap<(u32, u32), Vec<Begun>>,
    /// By window and rank.
    locks: BTreeMap<(u32, u32), Lock>,
}

impl Supervisor {
    /// A request that no program knows of.
    fn own_request(&mut self) -> u64 {
        self.ranks.receives += 1;
        AT_ONCE | self.ranks.receives
    }

    fn of_rank_told(&mut self, name: RankName, change: impl FnOnce(&mut RankTold)) {
        self.tell(|told| change(told.ranks.entry(name).or_default()));
    }

    /// A rank accesses another's memory, and goes on at once.
    pub(super) fn accesses(&mut self, id: u32, name: RankName, access: Access) -> Verdict {
        self.enters(id, Mode::Messages);
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let done = self.own_request();
        let mut begun = Begun { whose: access.whose, done, left: done };
        if self.ranks.carried.is_on {
            self.accesses_by_network(name, access.whose, access.remote(), [done, access.request]);
        } else {
            begun.left = self.own_request();
            let (left, over) = self.spans(name, now, &access);
            if let Some(job) = self.ranks.job(name) {
                let mail = job.mail.entry(name.1).or_default();
                mail.close(done, over);
                mail.close(begun.left, left);
                // What is put may be written over as soon as it has left; what is got is there when it has come.
                let own = if access.back == 0 { left } else { over };
                if access.request != 0 {
                    mail.close(access.request, own);
                }
            }
        }
        if let Some(job) = self.ranks.job(name) {
            job.windows.begun.entry((name.1, access.window)).or_default().push(begun);
        }
        self.of_rank_told(name, |told| {
            told.accesses += 1;
            told.accessed_bytes += access.out + access.back;
        });
        value(0)
    }

    /// When an access that begins now has left its origin (of what comes back: is there), and when it is done.
    fn spans(&mut self, name: RankName, now: Time, access: &Access) -> (Time, Time) {
        let speed = self.ranks.speed;
        let Some(job) = self.ranks.job(name) else { return (now, now) };
        let own = job.free.entry(name.1).or_default();
        let left = now.max(*own).saturating_add(speed.span(access.out));
        *own = left;
        let there = left.saturating_add(speed.latency);
        if matches!(access.how, How::Put | How::Accumulate) {
            return (left, there);
        }
        let owner = job.free.entry(access.whose).or_default();
        let answered = there.max(*owner).saturating_add(speed.span(access.back));
        *owner = answered;
        let back = answered.saturating_add(speed.latency);
        (back, back)
    }

    /// A rank waits for its accesses to the memory of one, or of all.
    pub(super) fn flushes(
        &mut self,
        id: u32,
        name: RankName,
        (window, whose): (u32, Option<u32>),
        locally: bool,
    ) -> Verdict {
        self.enters(id, Mode::Messages);
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let Some(job) = self.ranks.job(name) else { return value(0) };
        let begun = job.windows.begun.entry((name.1, window)).or_default();
        let is_meant = |one: &Begun| whose.is_none_or(|whose| whose == one.whose);
        let requests = begun.iter().filter(|one| is_meant(one));
        let requests: Vec<u64> = requests.map(|one| if locally { one.left } else { one.done }).collect();
        if !locally {
            let mail = job.mail.entry(name.1).or_default();
            begun.iter().filter(|one| is_meant(one) && one.left != one.done).for_each(|one| {
                mail.take(one.left);
            });
            begun.retain(|one| !is_meant(one));
        }
        self.pends(id, Pending { since: now, name, gives: Gives::All(requests) })
    }

    /// A rank wants to have memory of these, alone or with others.
    pub(super) fn locks(
        &mut self,
        id: u32,
        name: RankName,
        window: u32,
        (whose, alone): (Vec<u32>, bool),
    ) -> Verdict {
        self.enters(id, Mode::Messages);
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let asks = whose.len() == 1;
        let mut requests = Vec::with_capacity(whose.len());
        for whose in whose {
            let request = self.own_request();
            requests.push(request);
            let Some(job) = self.ranks.job(name) else { return value(0) };
            job.mail.entry(name.1).or_default().open(request);
            let lock = job.windows.locks.entry((window, whose)).or_default();
            lock.waiting.push_back(Wanted { by: name.1, alone, asks, request, since: now });
            self.grants(name.0, window, whose);
        }
        self.pends(id, Pending { since: now, name, gives: Gives::All(requests) })
    }

    /// Those get memory of a rank who can.
    fn grants(&mut self, job_number: u32, window: u32, whose: u32) {
        let speed = self.ranks.speed;
        let is_carried = self.ranks.carried.is_on;
        loop {
            let Some(job) = self.ranks.job((job_number, whose)) else { return };
            let Some(lock) = job.windows.locks.get_mut(&(window, whose)) else { return };
            let Some(wanted) = lock.grants() else { return };
            let name = (job_number, wanted.by);
            let word = speed.span(WORD).saturating_add(speed.latency);
            let begin =
                if wanted.asks && !is_carried { wanted.since.saturating_add(word) } else { wanted.since };
            let begin = begin.max(lock.free);
            if wanted.asks && is_carried {
                self.accesses_by_network(name, whose, [Remote::FetchAndAdd], [wanted.request, 0]);
                continue;
            }
            let at = if wanted.asks { begin.saturating_add(word) } else { begin };
            job.mail.entry(wanted.by).or_default().close(wanted.request, at);
            self.looks_at_mail(name);
        }
    }

    /// A rank, whose accesses are done, gives memory back; others hear of that by a message.
    pub(super) fn unlocks(&mut self, id: u32, name: RankName, window: u32, whose: Option<u32>) -> Verdict {
        self.enters(id, Mode::Messages);
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let speed = self.ranks.speed;
        let heard = if self.ranks.carried.is_on { now } else { now.saturating_add(speed.latency) };
        let Some(job) = self.ranks.job(name) else { return value(0) };
        let mut freed = Vec::new();
        for (&(of, owner), lock) in &mut job.windows.locks {
            let is_meant = of == window && whose.is_none_or(|whose| whose == owner);
            if is_meant && lock.holders.remove(&name.1) {
                lock.free = lock.free.max(heard);
                freed.push(owner);
            }
        }
        for owner in freed {
            self.grants(name.0, window, owner);
        }
        value(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(by: u32, alone: bool) -> Wanted {
        Wanted { by, alone, asks: true, request: u64::from(by), since: Time::ZERO }
    }

    #[test]
    fn who_has_it_alone_excludes_all_others_and_those_who_share_only_such() {
        let mut lock = Lock::default();
        lock.waiting.extend([wanted(1, true), wanted(2, false), wanted(3, false), wanted(4, true)]);
        let mut granted = || lock.grants().map(|wanted| wanted.by);
        assert_eq!((granted(), granted()), (Some(1), None));
        lock.holders.remove(&1);
        let mut granted = || lock.grants().map(|wanted| wanted.by);
        assert_eq!((granted(), granted(), granted()), (Some(2), Some(3), None));
        lock.holders.remove(&2);
        assert!(lock.grants().is_none());
        lock.holders.remove(&3);
        assert_eq!(lock.grants().map(|wanted| wanted.by), Some(4));
    }

    #[test]
    fn what_a_network_carries_of_an_access_is_all_of_its_bytes() {
        let access = |how, out, back| Access { window: 0, how, whose: 1, out, back, request: 0 };
        assert_eq!(access(How::of(0), 100, 0).remote(), [Remote::Put(100)]);
        assert_eq!(access(How::of(1), 0, 100).remote(), [Remote::Get(100)]);
        assert_eq!(access(How::of(3), 8, 8).remote(), [Remote::FetchAndAdd]);
        let large = access(How::of(3), 100, 100).remote();
        assert_eq!(large.iter().map(|remote| remote.bytes()).sum::<u64>(), 200);
    }
}
