//! What becomes of what a rank tells, in the order of virtual time.

use super::gathering::{Comer, Gathering, What};
use super::mail::{Letter, Pattern};
use super::tell::{Tell, told};
use super::waiting::{Gives, Pending};
use super::{Inside, Mode, RankName};
use crate::supervisor::{Supervisor, Verdict};
use petrio_intercept::Answer;
use petrio_time::Time;

/// Whoever looks whether something has come, and does nothing else, gets on by so much.
const LOOK: Time = Time::from_micros(1);
/// Receives that are waited for at once have numbers of their own.
pub(super) const AT_ONCE: u64 = 1 << 63;
/// Nothing, or no.
const NONE: i64 = -1;

pub(super) fn value(value: i64) -> Verdict {
    Verdict::Now(Answer::Value(value))
}

impl Supervisor {
    /// What becomes of what a rank tells.
    pub(crate) fn of_rank(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        let Some(thread) = self.threads.get(&id) else { return value(0) };
        let (process, now) = (thread.process, thread.clock);
        let Ok(Some(tell)) = told(id, a) else { return value(0) };
        match tell {
            Tell::Begin => {
                self.enters(id, Mode::Setup);
                return value(0);
            }
            Tell::Begun { rank, ranks, job } => {
                let name = self.ranks.begun(process, job, rank);
                let place = self.takes_place(id, name, ranks);
                self.tell(|told| told.ranks.entry(name).or_default().place = place);
                return self.meets(id, (name, Mode::Messages), (0..ranks).collect());
            }
            _ => {}
        }
        let Some(name) = self.ranks.name(process) else { return value(0) };
        match tell {
            Tell::Enter => self.enters(id, Mode::Messages),
            Tell::Files { ranks } => return self.meets(id, (name, Mode::Files), ranks),
            Tell::FilesOver { ranks } => return self.meets(id, (name, Mode::Files), ranks),
            Tell::End { ranks } => {
                let verdict = self.meets(id, (name, Mode::Setup), ranks);
                self.ends_rank(name, now);
                return verdict;
            }
            Tell::Together { what, ranks, context, bytes, request } => {
                self.enters(id, Mode::Messages);
                return self.comes(id, name, (what, bytes, (ranks, context)), request);
            }
            Tell::Unseen { name: what } => {
                self.enters(id, Mode::Messages);
                self.tell(|told| *told.unseen.entry(what).or_default() += 1);
            }
            Tell::Access(access) => return self.accesses(id, name, access),
            Tell::Flush { window, whose, locally } => {
                return self.flushes(id, name, (window, whose), locally);
            }
            Tell::Lock { window, whose, alone } => return self.locks(id, name, window, (whose, alone)),
            Tell::Unlock { window, whose } => return self.unlocks(id, name, window, whose),
            tell => return self.of_message(id, name, now, tell),
        }
        value(0)
    }

    /// Ranks lie in blocks on the places of the execution: of 8 on 4 places the first two are on the first. Which one it is.
    fn takes_place(&mut self, id: u32, name: RankName, ranks: u32) -> usize {
        let places = self.options.places.len().max(1);
        let place =
            usize::try_from(name.1).unwrap_or(0) * places / usize::try_from(ranks).unwrap_or(1).max(1);
        let place = place.min(places - 1);
        let Some(thread) = self.threads.get(&id) else { return place };
        let slot = thread.slot;
        if let Some(process) = self.processes.get_mut(&thread.process) {
            process.place = place;
        }
        let seat = self.seat_at(place, slot);
        if let Some(job) = self.ranks.job(name) {
            job.seats.insert(name.1, seat);
        }
        place
    }

    fn of_message(&mut self, id: u32, name: RankName, now: Time, tell: Tell) -> Verdict {
        self.enters(id, Mode::Messages);
        let rank = name.1;
        let Some(job) = self.ranks.job(name) else { return value(0) };
        let mail = job.mail.entry(rank).or_default();
        match tell {
            Tell::Send { peer, bytes, tag, request, context } => {
                self.sends(id, name, (peer, bytes, (tag, context)), request)
            }
            Tell::Post { pattern, request } => {
                if let Some(letter) = mail.post(pattern, request) {
                    self.receives_by_network(name, letter);
                }
                value(0)
            }
            Tell::Receive { pattern } => self.receives_at_once(id, name, pattern),
            Tell::Probe { pattern, waits } => match mail.probe(pattern) {
                Some(letter) if waits || letter.seen().is_some_and(|at| at <= now) => {
                    let since = Pending { since: now, name, gives: Gives::Found(pattern) };
                    self.pends(id, since)
                }
                _ if waits => self.pends(id, Pending { since: now, name, gives: Gives::Found(pattern) }),
                _ => self.looks_in_vain(id, name),
            },
            Tell::Wait { requests, one } => {
                let gives = if one { Gives::One(requests) } else { Gives::All(requests) };
                self.pends(id, Pending { since: now, name, gives })
            }
            Tell::Test { requests, one } => {
                let there = |&request: &u64| mail.over(request).is_some_and(|at| at <= now);
                let found = match one {
                    true => requests.iter().position(there).is_some(),
                    false => requests.iter().all(there),
                };
                if !found {
                    return self.looks_in_vain(id, name);
                }
                let gives = if one { Gives::One(requests) } else { Gives::All(requests) };
                self.pends(id, Pending { since: now, name, gives })
            }
            Tell::Matched { request, peer, tag } => {
                if let Some(letter) = mail.correct(request, peer, tag) {
                    self.receives_by_network(name, letter);
                }
                value(0)
            }
            Tell::Forget { request } => {
                mail.take(request);
                value(0)
            }
            _ => value(0),
        }
    }

    /// A message leaves when those before it have; its sender waits for that, or later, by its request.
    fn sends(
        &mut self,
        id: u32,
        name: RankName,
        (peer, bytes, (tag, context)): (u32, u64, (u32, u32)),
        request: u64,
    ) -> Verdict {
        if self.ranks.carried.is_on {
            self.sends_by_network(id, name, (peer, bytes, (tag, context)), request);
            return value(0);
        }
        let (job_number, rank) = name;
        let speed = self.ranks.speed;
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let Some(job) = self.ranks.job(name) else { return value(0) };
        let free = job.free.entry(rank).or_default();
        let left = now.max(*free).saturating_add(speed.span(bytes));
        *free = left;
        let comes = left.saturating_add(speed.latency);
        let letter = Letter { from: rank, tag, context, comes: Some(comes), number: 0, offered: None };
        job.mail.entry(peer).or_default().deliver(letter);
        if request == 0 {
            if let Some(thread) = self.threads.get_mut(&id) {
                thread.clock = thread.clock.max(left);
            }
        } else {
            job.mail.entry(rank).or_default().close(request, left);
        }
        let waited = if request == 0 { left.saturating_sub(now) } else { Time::ZERO };
        self.tell(|told| {
            let told = told.ranks.entry(name).or_default();
            told.sent += 1;
            told.sent_bytes += bytes;
            told.messages = told.messages.saturating_add(waited);
        });
        self.looks_at_mail((job_number, peer));
        value(0)
    }

    fn receives_at_once(&mut self, id: u32, name: RankName, pattern: Pattern) -> Verdict {
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        self.ranks.receives += 1;
        let request = AT_ONCE | self.ranks.receives;
        let found =
            self.ranks.job(name).and_then(|job| job.mail.entry(name.1).or_default().post(pattern, request));
        if let Some(letter) = found {
            self.receives_by_network(name, letter);
        }
        self.pends(id, Pending { since: now, name, gives: Gives::Message(request) })
    }

    fn looks_in_vain(&mut self, id: u32, name: RankName) -> Verdict {
        if let Some(thread) = self.threads.get_mut(&id) {
            thread.clock = thread.clock.saturating_add(LOOK);
        }
        self.tell(|told| {
            let told = told.ranks.entry(name).or_default();
            told.messages = told.messages.saturating_add(LOOK);
        });
        value(NONE)
    }

    /// All of some ranks wait for each other.
    fn meets(&mut self, id: u32, (name, mode): (RankName, Mode), ranks: Vec<u32>) -> Verdict {
        self.enters(id, mode);
        self.comes(id, name, (What::Meet, 0, (ranks, 0)), 0)
    }

    /// A rank comes to what it does together with others.
    fn comes(
        &mut self,
        id: u32,
        name: RankName,
        (what, bytes, (members, context)): (What, u64, (Vec<u32>, u32)),
        request: u64,
    ) -> Verdict {
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let (speed, rank) = (self.ranks.speed, name.1);
        let Some(job) = self.ranks.job(name) else { return value(0) };
        let count = job.counts.entry((members.clone(), context, rank)).or_default();
        let key = (members.clone(), context, *count);
        *count += 1;
        let new = Gathering { what, bytes, members, came: std::collections::BTreeMap::new() };
        let gathering = job.gatherings.entry(key.clone()).or_insert(new);
        gathering.bytes = gathering.bytes.max(bytes);
        gathering.came.insert(rank, Comer { at: now, thread: id, request });
        let is_whole = gathering.is_whole();
        if request != 0 {
            job.mail.entry(rank).or_default().open(request);
        }
        if is_whole
            && let Some(gathering) = job.gatherings.remove(&key)
            && !(self.ranks.carried.is_on && self.plays_by_network(name.0, &gathering))
        {
            let exits = gathering.exits(&speed);
            self.gathered(name.0, &gathering, &exits);
        }
        if matches!(what, What::Collective { .. }) {
            self.tell(|told| told.ranks.entry(name).or_default().together += 1);
        }
        if request != 0 {
            return value(0);
        }
        self.pends(id, Pending { since: now, name, gives: Gives::Nothing })
    }

    /// All have come: each goes on when it has what it came for.
    fn gathered(&mut self, job_number: u32, gathering: &Gathering, exits: &[(u32, Time)]) {
        let last = self.global;
        for &(rank, at) in exits {
            // What others did before the last has come can't be undone any more.
            let at = at.max(last);
            let Some(&comer) = gathering.came.get(&rank) else { continue };
            self.has_come((job_number, rank), comer, at);
        }
    }

    /// A rank has what it came for.
    pub(super) fn has_come(&mut self, name: RankName, comer: Comer, at: Time) {
        let Comer { thread, request, .. } = comer;
        if request != 0 {
            if let Some(job) = self.ranks.job(name) {
                job.mail.entry(name.1).or_default().close(request, at);
            }
            self.looks_at_mail(name);
            return;
        }
        if let Some(job) = self.ranks.job(name) {
            job.began.entry(name.1).or_insert(at);
        }
        self.satisfied(thread, at, 0);
    }

    fn ends_rank(&mut self, name: RankName, now: Time) {
        let began = self.ranks.job(name).and_then(|job| job.began.get(&name.1).copied()).unwrap_or(now);
        self.tell(|told| told.ranks.entry(name).or_default().elapsed = now.saturating_sub(began));
    }

    /// A thread enters a call of the library's.
    pub(super) fn enters(&mut self, id: u32, mode: Mode) {
        self.ranks.inside.entry(id).or_insert(Inside::new(mode)).mode = mode;
    }
}

impl super::Ranks {
    pub(super) fn job(&mut self, name: RankName) -> Option<&mut super::Job> {
        self.jobs.get_mut(usize::try_from(name.0).ok()?)
    }

    /// A process is this rank of a job of this name.
    fn begun(&mut self, process: u32, job: u64, rank: u32) -> RankName {
        let next = u32::try_from(self.jobs.len()).unwrap_or(u32::MAX);
        let number = *self.names.entry(job).or_insert(next);
        if number == next {
            self.jobs.push(super::Job::default());
        }
        self.of_process.insert(process, (number, rank));
        (number, rank)
    }
}
