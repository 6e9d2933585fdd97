//! Messages that the scenario's network carries: where ranks lie on several of its hosts, a message is an operation of its sender's and one
//! of its receiver's, as of any parallel program there, and the ends of these are when both go on.
//!
//! ```text
//!   told: sends ─▶ exchange: sends ──▶ library, network, library ──▶ over: the sender's call ends
//!   told: ready ─▶ exchange: receives ──────────────────────────▶ over: the message has come
//! ```
//!
//! What is received is asked for when it is known which message that is, so that long ones are sent when both are ready. A collective
//! operation begins when the last of its ranks has come, and then each goes through its rounds.

use super::RankName;
use super::gathering::{Comer, Gathering, What, collective};
use super::mail::Letter;
use super::waiting::Pending;
use crate::failure::ExecuteError;
use crate::supervisor::Supervisor;
use petrio_colours::{Exchange, FileOp, Operation, Remote, RequestId};
use petrio_time::Time;
use petrio_workload::parallel::collective::{Group, Rounds};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What an operation of the network's is for.
#[derive(Clone, Copy, Debug)]
enum For {
    /// A rank's message leaves: its request, the message's number.
    Sent(RankName, u64, u64),
    /// A rank's message comes, of this number.
    Come(RankName, u64),
    /// A round of a rank's in an operation of this number.
    Round(u64, u32),
    /// Another's memory was accessed, by these requests of a rank's.
    Accessed(RankName, [u64; 2]),
}

/// An operation of several ranks.
#[derive(Debug)]
struct Together {
    job: u32,
    /// By their places: the process of each, and who waits there.
    members: Vec<(u32, u32, Option<Comer>)>,
    rounds: Vec<Rounds>,
    left: usize,
}

/// All that is under way.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// Whether the scenario's network carries messages.
    pub(crate) is_on: bool,
    /// Operations that are to be issued now.
    asked: VecDeque<(FileOp, For)>,
    under_way: FxHashMap<RequestId, For>,
    together: BTreeMap<u64, Together>,
    /// Messages have numbers, which are their tags in the network, from when they are sent until both ends are over.
    free: BTreeSet<u64>,
    highest: u64,
    /// Those of which nobody has said yet that he is ready for them, by their receivers.
    unmatched: BTreeMap<u64, (RankName, Letter)>,
    /// How many ends of each aren't over.
    ends: FxHashMap<u64, u8>,
    /// Requests of senders that wait here and now.
    requests: u64,
}

/// Requests of senders that wait here and now have numbers of their own.
const OWED: u64 = 1 << 62;

impl Carried {
    /// Whether something is to be issued.
    pub(crate) fn asks(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Whether the network has anything of the ranks'.
    pub(crate) fn is_busy(&self) -> bool {
        !self.under_way.is_empty() || self.asks()
    }

    /// Whether it has nothing but messages for which nobody is ready.
    fn has_only_unmatched(&self) -> bool {
        let is_so =
            |what: &For| matches!(what, For::Sent(_, _, number) if self.unmatched.contains_key(number));
        !self.asks() && self.under_way.values().all(is_so)
    }

    /// Nobody wants any of it any more.
    pub(crate) fn clear(&mut self) {
        self.asked.clear();
        self.under_way.clear();
        self.unmatched.clear();
    }

    fn number(&mut self, ends: u8) -> u64 {
        let number = self.free.pop_first().unwrap_or_else(|| {
            self.highest += 1;
            self.highest
        });
        self.ends.insert(number, ends);
        number
    }

    /// One end of a message is over.
    fn over(&mut self, number: u64) {
        if let Some(ends) = self.ends.get_mut(&number) {
            *ends = ends.saturating_sub(1);
            if *ends == 0 {
                self.ends.remove(&number);
                self.free.insert(number);
            }
        }
    }

    fn ask(&mut self, process: u32, exchange: Exchange, what: For) {
        let op = FileOp {
            operation: Operation::Exchange,
            process,
            exchange: Some(std::sync::Arc::new(exchange)),
            ..FileOp::default()
        };
        self.asked.push_back((op, what));
    }

    /// The next operation that is to be issued, of this number.
    pub(crate) fn issue(&mut self, id: RequestId, now: Time) -> Option<FileOp> {
        let (mut op, what) = self.asked.pop_front()?;
        (op.id, op.issued) = (id, now);
        self.under_way.insert(id, what);
        Some(op)
    }
}

impl Supervisor {
    fn seat(&mut self, (job, rank): RankName) -> Option<u32> {
        self.ranks.job((job, rank))?.seats.get(&rank).copied()
    }

    /// A rank sends a message: by a request, or it waits before it leaves the library until it may write over its data.
    pub(super) fn sends_by_network(
        &mut self,
        id: u32,
        name: RankName,
        (peer, bytes, (tag, context)): (u32, u64, (u32, u32)),
        request: u64,
    ) {
        let now = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let to = (name.0, peer);
        let (Some(own), Some(there)) = (self.seat(name), self.seat(to)) else { return };
        let carried = &mut self.ranks.carried;
        let number = carried.number(2);
        let mut request = request;
        if request == 0 {
            carried.requests += 1;
            request = OWED | carried.requests;
            if let Some(inside) = self.ranks.inside.get_mut(&id) {
                inside.owes = Some((request, now));
            }
        }
        let exchange = Exchange { sends: vec![(there, bytes)], send_tag: number, ..Exchange::default() };
        self.ranks.carried.ask(own, exchange, For::Sent(name, request, number));
        let letter = Letter { from: name.1, tag, context, comes: None, number, offered: Some(now) };
        self.ranks.carried.unmatched.insert(number, (to, letter));
        let Some(job) = self.ranks.job(name) else { return };
        job.mail.entry(name.1).or_default().open(request);
        let is_awaited = job.mail.entry(peer).or_default().deliver(letter);
        if is_awaited {
            self.receives_by_network(to, letter);
        }
        self.tell(|told| {
            let told = told.ranks.entry(name).or_default();
            told.sent += 1;
            told.sent_bytes += bytes;
        });
        self.looks_at_mail(to);
    }

    /// A rank accesses another's memory: its requests are over when that is done there.
    pub(super) fn accesses_by_network(
        &mut self,
        name: RankName,
        whose: u32,
        remote: impl IntoIterator<Item = Remote>,
        requests: [u64; 2],
    ) {
        let (Some(own), Some(there)) = (self.seat(name), self.seat((name.0, whose))) else { return };
        if let Some(job) = self.ranks.job(name) {
            let mail = job.mail.entry(name.1).or_default();
            requests.into_iter().filter(|&request| request != 0).for_each(|request| mail.open(request));
        }
        let remote = remote.into_iter().map(|remote| (there, remote)).collect();
        let exchange = Exchange { remote, ..Exchange::default() };
        self.ranks.carried.ask(own, exchange, For::Accessed(name, requests));
    }

    /// It is known which message a rank gets: it is asked for.
    pub(super) fn receives_by_network(&mut self, name: RankName, letter: Letter) {
        if self.ranks.carried.unmatched.remove(&letter.number).is_none() {
            return;
        }
        let (Some(own), Some(from)) = (self.seat(name), self.seat((name.0, letter.from))) else { return };
        let exchange = Exchange { receives: vec![from], receive_tag: letter.number, ..Exchange::default() };
        self.ranks.carried.ask(own, exchange, For::Come(name, letter.number));
    }

    /// Nobody can go on, and the network has nothing but messages for which nobody has said that he is ready: they come all the same, as
    /// their receivers may wait for them in a way that isn't seen. Whether there were any.
    pub(crate) fn receives_all(&mut self) -> bool {
        if !self.ranks.carried.has_only_unmatched() {
            return false;
        }
        let unmatched: Vec<(RankName, Letter)> = self.ranks.carried.unmatched.values().copied().collect();
        for &(name, letter) in &unmatched {
            self.receives_by_network(name, letter);
        }
        !unmatched.is_empty()
    }

    /// All have come to an operation of several ranks: they go through its rounds. Whether it has any.
    pub(super) fn plays_by_network(&mut self, job: u32, gathering: &Gathering) -> bool {
        let What::Collective { which, root } = gathering.what else { return false };
        let ranks = u32::try_from(gathering.members.len()).unwrap_or(u32::MAX);
        let played = collective(which, root, gathering.bytes);
        let mut members = Vec::new();
        for &rank in &gathering.members {
            let Some(seat) = self.seat((job, rank)) else { return false };
            members.push((rank, seat, gathering.came.get(&rank).copied()));
        }
        let rounds = (0..ranks).map(|rank| played.rounds(Group { rank, ranks })).collect();
        let number = self.ranks.carried.number(1);
        let left = members.len();
        self.ranks.carried.together.insert(number, Together { job, members, rounds, left });
        for place in 0..ranks {
            self.next_round(number, place);
        }
        true
    }

    /// A member's next round of an operation, or its end.
    fn next_round(&mut self, number: u64, place: u32) {
        let at = self.global;
        let Some(together) = self.ranks.carried.together.get_mut(&number) else { return };
        let Some(index) = usize::try_from(place).ok().filter(|&index| index < together.members.len()) else {
            return;
        };
        if let Some(mut exchange) = together.rounds[index].next() {
            let process = |place: u32| {
                let member = usize::try_from(place).ok().and_then(|place| together.members.get(place));
                member.map_or(0, |&(_, seat, _)| seat)
            };
            exchange.sends.iter_mut().for_each(|(place, _)| *place = process(*place));
            exchange.receives.iter_mut().for_each(|place| *place = process(*place));
            (exchange.send_tag, exchange.receive_tag) = (number, number);
            let own = together.members[index].1;
            self.ranks.carried.ask(own, exchange, For::Round(number, place));
            return;
        }
        let (rank, _, comer) = together.members[index];
        let name = (together.job, rank);
        together.left -= 1;
        if together.left == 0 {
            self.ranks.carried.together.remove(&number);
            self.ranks.carried.over(number);
        }
        if let Some(comer) = comer {
            self.has_come(name, comer, at);
        }
    }

    /// An operation of the network's is over; whether it was one.
    pub(crate) fn carried(&mut self, id: RequestId, now: Time) -> Result<bool, ExecuteError> {
        let Some(what) = self.ranks.carried.under_way.remove(&id) else { return Ok(false) };
        self.global = self.global.max(now);
        match what {
            For::Sent(name, request, number) => {
                self.ranks.carried.over(number);
                if let Some(job) = self.ranks.job(name) {
                    job.mail.entry(name.1).or_default().close(request, now);
                }
                self.looks_at_mail(name);
            }
            For::Come(name, number) => {
                self.ranks.carried.over(number);
                if let Some(job) = self.ranks.job(name) {
                    job.mail.entry(name.1).or_default().comes(number, now);
                }
                self.looks_at_mail(name);
            }
            For::Round(number, place) => self.next_round(number, place),
            For::Accessed(name, requests) => {
                if let Some(job) = self.ranks.job(name) {
                    let mail = job.mail.entry(name.1).or_default();
                    for request in requests.into_iter().filter(|&request| request != 0) {
                        mail.close(request, now);
                    }
                }
                self.looks_at_mail(name);
            }
        }
        Ok(true)
    }

    /// Whether a rank that leaves the library has to wait until its message has left.
    pub(super) fn waits_for_its_message(&mut self, id: u32) -> bool {
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return false };
        let (Some(name), Some(inside)) = (self.ranks.name(process), self.ranks.inside.get_mut(&id)) else {
            return false;
        };
        let Some((request, since)) = inside.owes.take() else { return false };
        inside.leaves = true;
        let gives = super::waiting::Gives::All(vec![request]);
        matches!(self.pends(id, Pending { since, name, gives }), crate::supervisor::Verdict::Wait(_))
    }
}
