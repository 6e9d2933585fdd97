//! The calls of a client: which are on their way, which are sent again, and which wait for others.
//!
//! ```text
//!  request ─▶ issue ─┬─▶ outbox                        ┌─ over ─▶ ended
//!                    └─▶ held (window full, recovery)   │
//!  wake: time-outs, what nobody acknowledged ─▶ outbox  ├─ COMMIT of another instance ─▶ its WRITEs again ─▶ the COMMIT again
//!  reply ─▶ arrives ────────────────────────────────────┴─ unknown ─▶ (version 4: recovery) ─▶ all again
//! ```
//!
//! TCP sends again what isn't acknowledged after 0.2 s, then after twice as long each time, up to 120 s (`TCP_RTO_MIN` and `MAX`): what is sent
//! while the server is away comes to it then, and is the first that it hears of a connection that it doesn't know.

use super::attempts::{Attempt, Patience, RoundTrips, Then, Window};
use super::message::{Call, Reply, Says, Told};
use super::recovery::Recovery;
use super::tally::ProcedureTally;
use super::unstable::Unstable;
use crate::address::Address;
use crate::failure::Failures;
use petrio_colours::{BlockRequest, Cause, Operation, Status};
use petrio_host::nfs::{Others, Procedure, Version};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};

/// A call whose reply hasn't come.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outstanding {
    /// Its number, as its reply has it.
    pub(super) number: u32,
    pub(super) request: BlockRequest,
    /// Bytes of the call.
    sent: u64,
    /// When it got its slot.
    at: Time,
}

/// A call as it is sent.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sending {
    pub(super) call: Call,
    pub(super) bytes: u64,
    pub(super) connection: u32,
}

/// For whom a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum For {
    /// For the mount.
    Mount,
    /// It is a WRITE for which the COMMIT of this number didn't hold.
    Commit(u32),
    /// It gets back what the client had.
    Recovery,
}

/// A call that isn't over.
#[derive(Clone, Debug, Persist)]
struct Kept {
    sending: Sending,
    whose: For,
    attempt: Option<Attempt>,
    /// Whether anything is to be heard of it.
    is_on_its_way: bool,
    /// WRITEs that it waits for.
    waits_for: u32,
}

/// How a mount's calls are carried.
#[derive(Clone, Debug)]
pub(super) struct Manner {
    pub(super) version: Version,
    pub(super) connections: u32,
    pub(super) slots: u32,
    pub(super) patience: Patience,
    pub(super) failures: Failures,
}

/// What a client knows of its calls.
#[derive(Clone, Debug, Persist)]
pub struct Carrier {
    #[persist(keep)]
    manner: Manner,
    own: Address,
    server: Address,
    /// The number of the next call.
    next: u32,
    /// Calls of the mount without a reply.
    left: u64,
    tallies: BTreeMap<Procedure, ProcedureTally>,
    kept: BTreeMap<u32, Kept>,
    held: VecDeque<u32>,
    trips: RoundTrips,
    window: Window,
    /// The instance of the server that it has a connection with.
    instance: u32,
    unstable: Unstable,
    recovery: Recovery,
    /// When it is woken next, and when it has to be at the latest.
    alarm: Option<Time>,
    soonest: Time,
    /// When TCP sends again what is on its way.
    resumes: Option<Time>,
    pub(super) outbox: Vec<Sending>,
    pub(super) ended: Vec<Reply>,
    /// Calls that were sent over connections less replies that came: those that are somewhere.
    copies: u64,
    /// Bytes that were sent over connections to be written, and those that came.
    pub(super) written: u64,
    pub(super) read: u64,
}

impl Carrier {
    pub(super) fn new(manner: Manner, (own, server): (Address, Address)) -> Self {
        let (trips, window) = (RoundTrips::new(&manner.patience), Window::new(manner.slots));
        Self {
            manner,
            own,
            server,
            next: 0,
            left: 0,
            tallies: BTreeMap::new(),
            kept: BTreeMap::new(),
            held: VecDeque::new(),
            trips,
            window,
            instance: 0,
            unstable: Unstable::default(),
            recovery: Recovery::default(),
            alarm: None,
            soonest: Time::NEVER,
            resumes: None,
            outbox: Vec::new(),
            ended: Vec::new(),
            copies: 0,
            written: 0,
            read: 0,
        }
    }

    /// What each procedure came to, by the name that the kernel has for it.
    pub fn tallies(&self) -> impl Iterator<Item = (&'static str, &ProcedureTally)> {
        self.tallies.iter().map(|(procedure, tally)| (procedure.name(self.manner.version), tally))
    }

    /// Calls of the mount that aren't over.
    pub(super) const fn left(&self) -> u64 {
        self.left
    }

    /// Calls and replies of its own that are somewhere between it and the server.
    pub(super) const fn copies(&self) -> u64 {
        self.copies
    }

    /// Whom it asks, and who it is.
    pub(super) const fn ends(&self) -> (Address, Address) {
        (self.own, self.server)
    }

    /// A request gets a slot: what is kept of it; nothing of what is no call.
    pub(super) fn issue(&mut self, request: BlockRequest, now: Time) -> Option<Outstanding> {
        let (call, bytes) = Call::of(&request, self.manner.version, (0, self.own.service))?;
        let number = self.begin(call, bytes, For::Mount, now);
        self.left += 1;
        Some(Outstanding { number, request, sent: bytes, at: now })
    }

    /// A call begins; its number.
    fn begin(&mut self, mut call: Call, bytes: u64, whose: For, now: Time) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        let (reply_to, is_counted) = (self.own.service, !self.manner.patience.udp);
        (call.number, call.reply_to, call.is_counted) = (number, reply_to, is_counted);
        // Ports of a host are counted from 0, and connections are told apart by 32 bits.
        let connection =
            self.own.service.wrapping_mul(16).wrapping_add(number % self.manner.connections.max(1));
        let sending = Sending { call, bytes, connection };
        self.kept.insert(number, Kept { sending, whose, attempt: None, is_on_its_way: false, waits_for: 0 });
        if whose == For::Recovery || (self.held.is_empty() && self.may_send()) {
            self.send(number, now);
        } else {
            self.held.push_back(number);
        }
        number
    }

    /// Whether a call of the mount may go.
    const fn may_send(&self) -> bool {
        !self.recovery.is_under_way() && (!self.manner.patience.udp || self.window.has_room())
    }

    /// Sends what was held back, as far as it may go.
    fn release(&mut self, now: Time) {
        while self.may_send()
            && let Some(number) = self.held.pop_front()
        {
            self.send(number, now);
        }
    }

    /// Sends a call, for the first time or again.
    fn send(&mut self, number: u32, now: Time) {
        let Self { kept, trips, manner, window, tallies, .. } = self;
        let Some(kept) = kept.get_mut(&number) else { return };
        let call = &mut kept.sending.call;
        call.instance = self.instance;
        let patience = (&manner.patience, &*trips);
        match &mut kept.attempt {
            Some(attempt) => {
                call.is_again = true;
                attempt.again(patience, now);
                tallies.entry(call.procedure).or_default().repeated += 1;
            }
            None => kept.attempt = Some(Attempt::new(call.procedure, patience, now)),
        }
        kept.is_on_its_way = true;
        window.send();
        self.soonest = self.soonest.min(kept.attempt.map_or(Time::NEVER, |attempt| attempt.deadline));
        if call.is_counted {
            self.copies += 1;
            self.written += call.data();
        }
        self.outbox.push(kept.sending.clone());
        if !manner.patience.udp && manner.failures.is_away(now) && self.resumes.is_none() {
            self.resumes = manner.failures.resumes(now);
        }
    }

    /// A reply comes.
    pub(super) fn arrives(&mut self, reply: Box<Reply>, now: Time) {
        if reply.is_counted {
            self.copies = self.copies.saturating_sub(1);
            self.read += reply.data();
        }
        match reply.says {
            Says::Over => self.is_over(reply, now),
            Says::Unknown => self.meets(reply.instance, now),
            Says::Grace => {
                if let Some(attempt) = self.kept.get_mut(&reply.number).and_then(|kept| kept.attempt.as_mut())
                {
                    attempt.later(now);
                    self.soonest = self.soonest.min(attempt.deadline);
                }
            }
        }
        self.release(now);
    }

    /// A call is over; of one that was over already nobody wants to hear.
    fn is_over(&mut self, reply: Box<Reply>, now: Time) {
        let Some(mut kept) = self.kept.remove(&reply.number) else { return };
        if let Some(attempt) = kept.attempt.filter(|_| kept.is_on_its_way) {
            attempt.answered(&mut self.trips, now);
            self.window.answered();
        }
        let call = &kept.sending.call;
        let is_done = reply.outcome.status.failure().is_none();
        let forgets = self.manner.failures.forgets();
        if forgets && is_done && call.procedure == Procedure::Write && !call.stable {
            self.unstable.written(call.clone(), reply.instance);
        }
        match kept.whose {
            For::Recovery => self.recovers(now),
            For::Commit(number) => self.written_again(number, &reply),
            For::Mount => {
                if forgets && is_done && call.procedure == Procedure::Commit {
                    let lost = self.unstable.committed(call.file, reply.instance);
                    if !lost.is_empty() {
                        kept.waits_for = petrio_units::numbers::as_number(lost.len());
                        (kept.attempt, kept.is_on_its_way) = (None, false);
                        self.kept.insert(reply.number, kept);
                        for call in lost {
                            let bytes = call.write_bytes(self.manner.version);
                            self.begin(call, bytes, For::Commit(reply.number), now);
                        }
                        return;
                    }
                }
                if matches!(call.operation, Some(Operation::Unlink)) {
                    self.unstable.forget(call.file);
                }
                if self.manner.version.is_4() && forgets && is_done {
                    self.recovery.note(call);
                }
                self.ended.push(*reply);
            }
        }
    }

    /// A WRITE is over for which a COMMIT didn't hold: with the last of them the COMMIT is sent again.
    fn written_again(&mut self, number: u32, reply: &Reply) {
        let Some(commit) = self.kept.get_mut(&number) else { return };
        if let Some(failure) = reply.outcome.status.failure() {
            let call = &commit.sending.call;
            self.ended.push(Reply::failed(call, failure));
            self.kept.remove(&number);
            return;
        }
        commit.waits_for = commit.waits_for.saturating_sub(1);
        if commit.waits_for == 0 {
            self.held.push_back(number);
        }
    }

    /// The server is another instance than the client has known: whatever is on its way is sent again, of version 4 once it has got back
    /// what it had.
    fn meets(&mut self, instance: u32, now: Time) {
        if instance == self.instance {
            return;
        }
        (self.instance, self.resumes) = (instance, None);
        self.kept.retain(|_, kept| kept.whose != For::Recovery);
        if self.manner.version.is_4() {
            for (&number, kept) in &mut self.kept {
                if std::mem::replace(&mut kept.is_on_its_way, false) {
                    self.held.push_back(number);
                }
            }
            self.recovery.begin(self.manner.version);
            self.recovers(now);
        } else {
            self.send_all_again(now);
        }
    }

    /// The next call of a recovery.
    fn recovers(&mut self, now: Time) {
        if let Some((call, bytes)) = self.recovery.next(self.manner.version) {
            self.begin(call, bytes, For::Recovery, now);
        }
    }

    fn send_all_again(&mut self, now: Time) {
        let on_their_way = self.kept.iter().filter(|(_, kept)| kept.is_on_its_way).map(|(&number, _)| number);
        for number in on_their_way.collect::<Vec<_>>() {
            self.window.leave();
            self.send(number, now);
        }
    }

    /// It is woken: what has waited for long enough is sent again, or given up.
    pub(super) fn wake(&mut self, now: Time) {
        if self.alarm != Some(now) {
            return;
        }
        self.alarm = None;
        let is_tcp = !self.manner.patience.udp;
        if self.resumes.is_some_and(|at| at <= now) {
            self.resumes = None;
            self.send_all_again(now);
        }
        if is_tcp && self.manner.failures.is_away(now) && self.resumes.is_none() && !self.kept.is_empty() {
            self.resumes = self.manner.failures.resumes(now);
        }
        let due = self.kept.iter().filter(|(_, kept)| {
            kept.is_on_its_way && kept.attempt.is_some_and(|attempt| attempt.deadline <= now)
        });
        for number in due.map(|(&number, _)| number).collect::<Vec<_>>() {
            let Self { kept, trips, manner, .. } = self;
            let Some(kept) = kept.get_mut(&number) else { continue };
            let Some(attempt) = &mut kept.attempt else { continue };
            match attempt.time_out(&manner.patience, trips, now) {
                Then::Again => {
                    self.window.timed_out();
                    self.window.leave();
                    self.send(number, now);
                }
                Then::GivesUp(failure) => {
                    kept.is_on_its_way = false;
                    let call = kept.sending.call.clone();
                    self.window.leave();
                    self.tallies.entry(call.procedure).or_default().given_up += 1;
                    self.arrives(Box::new(Reply::failed(&call, failure)), now);
                }
            }
        }
        let waiting = self.kept.values().filter(|kept| kept.is_on_its_way);
        let soonest = waiting.filter_map(|kept| kept.attempt).map(|attempt| attempt.deadline).min();
        self.soonest = soonest.unwrap_or(Time::NEVER);
        self.release(now);
    }

    /// The next tick of its host's clock from a time-out on: what is timed out is looked for then (250 a second, as Debian's kernels have
    /// them). Clocks of different hosts don't tick together: else hosts that have lost frames to each other would do so again and again.
    fn at_a_tick(&self, time: Time) -> Time {
        const TICK: u64 = 4_000_000_000;
        if time.is_never() {
            return time;
        }
        // The golden ratio's part of a tick later on each next host.
        let apart = u64::from(self.own.host).wrapping_mul(0x9e37_79b9_7f4a_7c15) % TICK;
        let picos = time.as_picos();
        Time::from_picos(picos.saturating_add((apart + TICK - picos % TICK) % TICK))
    }

    /// When it is to be woken, where that is earlier than it was to be.
    pub(super) fn alarm(&mut self, now: Time) -> Option<Time> {
        if self.kept.is_empty() {
            return None;
        }
        let mut wanted = self.at_a_tick(self.soonest).min(self.resumes.unwrap_or(Time::NEVER));
        if !self.manner.patience.udp {
            wanted = wanted.min(self.manner.failures.next_unreachable(now).unwrap_or(Time::NEVER));
        }
        if wanted.is_never() || self.alarm.is_some_and(|alarm| alarm <= wanted) {
            return None;
        }
        // What is due already is looked at next.
        let wanted = wanted.max(now.saturating_add(Time::from_picos(1)));
        self.alarm = Some(wanted);
        Some(wanted.saturating_sub(now))
    }

    /// A call of the mount is over: its request, as it goes back.
    pub(super) fn hear(&mut self, outstanding: Outstanding, reply: &Reply, now: Time) -> BlockRequest {
        let Outstanding { mut request, sent, at, .. } = outstanding;
        self.left = self.left.saturating_sub(1);
        let failed = reply.outcome.status.failure();
        let tally = self.tallies.entry(reply.procedure).or_default();
        if reply.bytes > 0 {
            tally.calls += 1;
            (tally.sent, tally.received) = (tally.sent + sent, tally.received + reply.bytes);
            (tally.queued, tally.answered) =
                (tally.queued + (at.saturating_sub(request.issued)), tally.answered + (now - at));
        }
        request.status = failed.map_or(Status::Done, Status::Failed);
        request.ledger.charge(Cause::Service, reply.outcome.span);
        if let Some(Told { of_file, of_parent, size, is_cut, exists, is_directory }) = reply.others {
            Others { of_file, of_parent, size, is_cut, exists, is_directory }.tell(&mut request);
        }
        request
    }
}
