//! All of a pool that changes, and how a request goes through it: from the client to the primaries, from there to others, and back.
//! No net and no time of its own: what happens, happens at the instant that it is told, and leaves what follows in lists.

use super::costs::{Costs, lengths};
use super::effort::{Effort, Errand, Event, Key, Kind, Payload, Stage, Whole, Work};
use super::fill::Fill;
use super::layout::{Device, Layout};
use super::osd::Osd;
use super::parameters::{CephParameters, Erasure};
use super::recovery_parameters::RecoveryRules;
use super::store_parameters::StoreRules;
use super::tally::Tally;
use super::whereabouts::{Seat, Seats, Whereabouts};
use crate::address::Address;
use petrio_colours::{BlockRequest, Cause, Direction, Failure, Message, SECTOR_BYTES, Status};
use petrio_kernel::Time;
use petrio_network::Port;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_stage::slab::Slab;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// What stays as it is.
#[derive(Debug)]
pub(super) struct Rules {
    pub blocks: u64,
    pub object: u64,
    pub erasure: Option<Erasure>,
    pub depth: u32,
    pub per_host: u32,
    pub costs: Costs,
    /// By OSD.
    pub store: Vec<StoreRules>,
    pub recovery: Vec<RecoveryRules>,
    pub layout: Arc<Layout>,
    /// Of the client, and of each host.
    pub ends: Vec<Address>,
}

/// A pool.
#[derive(Clone, Debug, Persist)]
pub struct Pool {
    #[persist(keep)]
    pub(super) rules: Arc<Rules>,
    pub(super) there: Whereabouts,
    pub(super) osds: Vec<Osd>,
    pub(super) wholes: Slab<Whole>,
    pub(super) efforts: Slab<Effort>,
    pub(super) turns: u64,
    /// Requests that the client hasn't begun with, and how many it has.
    pub(super) waiting: VecDeque<BlockRequest>,
    pub(super) under_way: u32,
    /// Requests that are over.
    completed: u64,
    /// Efforts that nobody can serve, and those that wait for their object to be brought.
    pub(super) blocked: Vec<Key>,
    pub(super) parked: Vec<Key>,
    /// Writes of objects, and objects that are being brought.
    pub(super) writing: FastMap<u32, u32>,
    pub(super) bringing: FastMap<u32, u32>,
    pub(super) fills: Vec<Fill>,
    pub(super) tally: Tally,
    /// What leaves.
    pub(super) messages: Vec<Message>,
    pub(super) works: Vec<(u32, Time, Errand)>,
    pub(super) at_once: Vec<Errand>,
    pub(super) requests: Vec<(u32, BlockRequest)>,
    pub(super) complete: Vec<BlockRequest>,
    pub(super) events: Vec<(Event, Time)>,
}

/// The end of the network at which requests come in.
pub(super) const CLIENT: usize = 0;

impl Pool {
    /// Of checked parameters, over such devices; `ports` are the client's and each host's.
    pub(super) fn new(parameters: &CephParameters, devices: &[Device], ports: &[Port]) -> Self {
        let layout = Arc::new(Layout::new(parameters, devices));
        let rules = Rules {
            blocks: parameters.image.get() / SECTOR_BYTES,
            object: parameters.object.get(),
            erasure: parameters.erasure,
            depth: parameters.queue_depth,
            per_host: parameters.osds_per_host,
            costs: parameters.costs,
            store: devices.iter().map(|device| parameters.store.rules(device.turns)).collect(),
            recovery: devices.iter().map(|device| parameters.recovery.rules(device.turns)).collect(),
            layout: Arc::clone(&layout),
            ends: ports.iter().map(Address::of).collect(),
        };
        let counts = (parameters.needed() as usize, parameters.least() as usize);
        Self {
            there: Whereabouts::new(layout, counts),
            osds: rules.store.iter().map(Osd::new).collect(),
            rules: Arc::new(rules),
            wholes: Slab::new(),
            efforts: Slab::new(),
            turns: 0,
            waiting: VecDeque::new(),
            under_way: 0,
            completed: 0,
            blocked: Vec::new(),
            parked: Vec::new(),
            writing: FastMap::default(),
            bringing: FastMap::default(),
            fills: Vec::new(),
            tally: Tally::default(),
            messages: Vec::new(),
            works: Vec::new(),
            at_once: Vec::new(),
            requests: Vec::new(),
            complete: Vec::new(),
            events: Vec::new(),
        }
    }

    /// What it has come to.
    pub const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Requests that came: those that are over, and those that aren't.
    pub(super) fn came(&self) -> i64 {
        let all = self.completed + self.wholes.len() + self.waiting.len() as u64;
        i64::try_from(all).unwrap_or(i64::MAX)
    }

    /// The end of the network of an OSD's host.
    pub(super) fn end_of(&self, osd: u32) -> usize {
        (osd / self.rules.per_host) as usize + 1
    }

    pub(super) fn effort(&self, key: Key) -> Option<&Effort> {
        self.efforts.get(key.slot).filter(|effort| effort.turn == key.turn)
    }

    pub(super) fn effort_mut(&mut self, key: Key) -> Option<&mut Effort> {
        self.efforts.get_mut(key.slot).filter(|effort| effort.turn == key.turn)
    }

    /// Processor time at an end, and what follows.
    pub(super) fn works_at(&mut self, end: usize, span: Time, errand: Errand) {
        if span == Time::ZERO {
            self.at_once.push(errand);
        } else {
            self.works.push((as_number(end), span, errand));
        }
    }

    /// A message between the client and an OSD, or between OSDs: a connection each two.
    pub(super) fn send(&mut self, from: Option<u32>, to: Option<u32>, (bytes, payload): (u64, Payload)) {
        let end = |osd: Option<u32>| osd.map_or(CLIENT, |osd| self.end_of(osd));
        let on = |osd: Option<u32>| osd.map_or(0, |osd| osd % self.rules.per_host);
        let connection = on(from) * self.rules.per_host + on(to);
        let message =
            self.rules.ends[end(from)].message(self.rules.ends[end(to)], connection, (bytes, payload));
        self.messages.push(message);
    }

    /// A request comes.
    pub(super) fn enter(&mut self, mut request: BlockRequest, now: Time) {
        self.tally.came += 1;
        request.ledger.charge(Cause::Queue, (now - request.issued).saturating_sub(request.ledger.total()));
        let failure = match request.direction {
            // What was answered is with all that are to have it: krbd has no cache, and a flush nothing to do.
            Direction::Flush => None,
            Direction::Discard => Some(Failure::NotSupported),
            _ if request.blocks == 0 => Some(Failure::Empty),
            _ if request.end() > self.rules.blocks => Some(Failure::BeyondEnd),
            _ => {
                self.waiting.push_back(request);
                return self.admit(now);
            }
        };
        request.status = failure.map_or(Status::Done, Status::Failed);
        self.completed += 1;
        self.complete.push(request);
    }

    /// The client begins with what waits, as far as it may.
    fn admit(&mut self, now: Time) {
        while self.under_way < self.rules.depth {
            let Some(mut request) = self.waiting.pop_front() else { return };
            self.under_way += 1;
            request
                .ledger
                .charge(Cause::Queue, (now - request.issued).saturating_sub(request.ledger.total()));
            let (mut from, end) = (request.address * SECTOR_BYTES, request.end() * SECTOR_BYTES);
            let is_read = request.direction == Direction::Read;
            let whole = self.wholes.insert(Whole { request, left: 0, begun: now });
            let kind = if is_read { Kind::Read(whole) } else { Kind::Write(whole) };
            while from < end {
                let object = from / self.rules.object;
                let until = end.min((object + 1) * self.rules.object);
                let at = (as_number(object), from - object * self.rules.object, until - from);
                if let Some(whole) = self.wholes.get_mut(whole) {
                    whole.left += 1;
                }
                let key = self.begin(kind, at);
                self.dispatch(key);
                from = until;
            }
        }
    }

    /// A new effort.
    pub(super) fn begin(&mut self, kind: Kind, (object, from, bytes): (u32, u64, u64)) -> Key {
        self.turns += 1;
        let turn = self.turns;
        let slot = self.efforts.insert(Effort {
            turn,
            kind,
            stage: Stage::Asked,
            object,
            from,
            bytes,
            primary: 0,
            seats: Seats::new(),
            left: 0,
            counted: false,
            degraded: false,
            heard: Time::ZERO,
        });
        Key { slot, turn }
    }

    /// The client sends an effort to its primary, if there is one.
    pub(super) fn dispatch(&mut self, key: Key) {
        let Some(object) = self.effort(key).map(|effort| effort.object) else { return };
        match (self.there.primary(object), self.effort_mut(key)) {
            (Some(primary), Some(effort)) => {
                effort.primary = primary;
                let cost = self.rules.costs.client.time();
                self.works_at(CLIENT, cost, Errand::Send(key));
            }
            _ => {
                self.tally.blocked += 1;
                self.blocked.push(key);
            }
        }
    }

    /// The client has prepared an effort.
    pub(super) fn sends(&mut self, key: Key) {
        let Some(Effort { kind, bytes, primary, .. }) = self.effort(key) else { return };
        let (length, to) = match kind {
            Kind::Write(_) => (lengths::WRITE + bytes, *primary),
            Kind::Read(_) | Kind::Fill(_) => (lengths::READ, *primary),
        };
        self.send(None, Some(to), (length, Payload::Ask(key, to)));
    }

    /// Somebody hears a message.
    pub(super) fn hears(&mut self, payload: &Payload, now: Time) {
        match *payload {
            Payload::Ask(key, osd) => {
                if let Some(effort) = self.effort_mut(key) {
                    effort.heard = now;
                }
                self.queue(osd, key, None);
            }
            Payload::Part(key, seat, write) => self.queue(seat.0, key, Some((seat, write))),
            Payload::Done(key) => self.part_done(key, now),
            Payload::Answer(key) => self.answered(key, now),
        }
    }

    /// Work comes to an OSD.
    pub(super) fn queue(&mut self, osd: u32, key: Key, part: Option<(Seat, bool)>) {
        let Some(object) = self.effort(key).map(|effort| effort.object) else { return };
        if !self.osds[osd as usize].alive {
            return;
        }
        let group = self.there.group_of(object);
        let queue = group as usize % self.osds[osd as usize].queues.len();
        self.osds[osd as usize].queues[queue].waiting.push_back(Work { key, part, group });
        self.pump(osd, queue);
    }

    /// Free threads take what waits.
    pub(super) fn pump(&mut self, osd: u32, queue: usize) {
        while let Some(work) = self.osds[osd as usize].next(queue) {
            let costs = &self.rules.costs;
            let span = match (work.part, self.effort(work.key).map(|effort| effort.kind)) {
                (None, Some(Kind::Read(_))) => costs.read,
                (None, Some(Kind::Write(_))) => costs.write,
                _ => costs.replica,
            };
            let life = self.osds[osd as usize].life;
            let errand = Errand::Begun(osd, life, as_number(queue), work);
            self.works_at(self.end_of(osd), span.time(), errand);
        }
    }

    /// The bytes of an effort in each shard: the first, and how many.
    pub(super) fn in_shard(&self, effort: &Effort) -> (u64, u64) {
        let Some(Erasure { data, stripe_unit, .. }) = self.rules.erasure else {
            return (effort.from, effort.bytes);
        };
        let stripe = u64::from(data) * stripe_unit.get();
        let first = effort.from / stripe;
        let end = (effort.from + effort.bytes).div_ceil(stripe);
        (first * stripe_unit.get(), (end - first) * stripe_unit.get())
    }

    /// A processor has done something.
    pub(super) fn ran(&mut self, errand: Errand, now: Time) {
        match errand {
            Errand::Send(key) => self.sends(key),
            Errand::Begun(osd, life, queue, work) if self.osds[osd as usize].life == life => {
                self.begun(osd, queue, work, now);
            }
            Errand::Batch(osd, life) if self.osds[osd as usize].life == life => self.commits(osd, now),
            Errand::Coded(key, life) if self.lives(key, life) => self.coded(key, now),
            Errand::Answer(key, life) if self.lives(key, life) => self.answer(key),
            Errand::Begun(..) | Errand::Batch(..) | Errand::Coded(..) | Errand::Answer(..) => {}
        }
    }

    /// Whether the primary of an effort is still in that life.
    fn lives(&self, key: Key, life: u64) -> bool {
        self.effort(key).is_some_and(|effort| self.osds[effort.primary as usize].life == life)
    }

    /// The primary answers the client.
    pub(super) fn answer(&mut self, key: Key) {
        let Some(effort) = self.effort_mut(key) else { return };
        effort.stage = Stage::Answered;
        let data = if let Kind::Read(_) = effort.kind { effort.bytes } else { 0 };
        let from = effort.primary;
        self.send(Some(from), None, (lengths::ANSWER + data, Payload::Answer(key)));
    }

    /// The client has an answer.
    fn answered(&mut self, key: Key, now: Time) {
        if self.effort(key).is_none() {
            return;
        }
        let Some(effort) = self.efforts.remove(key.slot) else { return };
        let whole = match effort.kind {
            Kind::Read(whole) => {
                self.tally.reads += 1;
                self.tally.read_bytes += effort.bytes;
                whole
            }
            Kind::Write(whole) => {
                self.tally.writes += 1;
                self.tally.written_bytes += effort.bytes;
                self.tally.degraded_writes += u64::from(effort.degraded);
                whole
            }
            Kind::Fill(_) => return,
        };
        let is_over = self.wholes.get_mut(whole).is_some_and(|whole| {
            whole.left -= 1;
            whole.left == 0
        });
        if !is_over {
            return;
        }
        let Some(Whole { mut request, begun, .. }) = self.wholes.remove(whole) else { return };
        // Of its last part: the way there, and all since.
        let way = effort.heard.max(begun) - begun;
        request.ledger.charge(Cause::Bus, way);
        let rest = (now - request.issued).saturating_sub(request.ledger.total());
        request.ledger.charge(Cause::Service, rest);
        request.status = Status::Done;
        self.completed += 1;
        self.complete.push(request);
        self.under_way -= 1;
        self.admit(now);
    }

    /// Efforts that a condition holds for, in the order in which they were begun.
    pub(super) fn efforts_that(&self, holds: impl Fn(&Effort) -> bool) -> Vec<Key> {
        let mut found: SmallVec<[Key; 16]> = (self.efforts.numbered())
            .filter(|(_, effort)| holds(effort))
            .map(|(slot, effort)| Key { slot, turn: effort.turn })
            .collect();
        found.sort_by_key(|key| key.turn);
        found.into_vec()
    }
}
