//! All of a request queue that changes: what waits, what is in flight, what is split.
//!
//! This knows no net: the page (`mod.rs`) calls it and puts what it says into places.

use super::batching::Batching;
use super::flush::{Arrival, FlushCommand, FlushMachine, Sequence, charge};
use super::limited::Limited;
use super::parameters::FirstLine;
use super::parts::{Largest, Parts};
use super::write_back::{Held, WriteBack};
use super::{Generation, QueueParameters};
use crate::elevator::{Added, Elevator, IoRequest, Next};
use petrio_colours::{BlockRequest, Direction, Hint, Ledger, RequestId, Status};
use petrio_kernel::{Key, Time};
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::{as_number, low_half};
use smallvec::SmallVec;

/// Requests with this bit in their identifier are parts of one that was too large for the device. Identifiers count
/// from zero, so no other has it.
const PART: u64 = 1 << 63;

/// What is at the device.
#[derive(Clone, Debug, Persist)]
enum Flight {
    Usual(IoRequest),
    Data(Sequence),
    Flush,
}

/// What is at the device, and since when.
#[derive(Clone, Debug, Persist)]
struct Trip {
    flight: Flight,
    sent: Time,
}

/// A request that was split.
#[derive(Clone, Debug, Persist)]
struct Split {
    request: BlockRequest,
    /// Parts that aren't complete.
    left: u32,
    /// How the parts so far ended.
    status: Status,
}

/// What the device gets.
pub(super) enum Sent {
    /// This; so many requests no longer wait for their first step, and so many for a further one.
    Down(BlockRequest, [usize; 2]),
    /// Nothing before this time.
    IdleUntil(Time),
    /// Nothing for now.
    Nothing,
}

/// Where an arriving request went.
pub(super) enum Accepted {
    /// It is in the queue, or in the flush machinery.
    Waits,
    /// It was complete at once.
    Done(BlockRequest),
    /// The queue is full: it must wait in front, in the line of this number.
    Full(BlockRequest, usize),
}

/// What stands between the scheduler and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Plug {
    /// Nothing: requests go to the device.
    Open,
    /// A plug: requests collect until it is pulled.
    Plugged,
}

/// The line of what the write-back throttle holds, or a scheduler that limits places; single queues, which have another there,
/// have neither.
pub(super) const HELD_BACK: usize = 1;

/// A request queue.
#[derive(Clone, Persist)]
pub(super) struct Queue {
    elevator: Box<dyn Elevator>,
    flush: FlushMachine,
    write_back: Option<WriteBack>,
    limited: Option<Limited>,
    batching: Batching,
    trips: Slab<Trip>,
    splits: Slab<Split>,
    number: u64,
    generation: Generation,
    largest: Largest,
    /// Requests allowed in each line.
    limit: u32,
    /// Requests allocated in each line, waiting or in flight.
    allocated: [u32; 2],
    /// Requests that wait in front of each line.
    held: [u32; 2],
    /// Of those, requests that have been told to come in.
    called: [u32; 2],
    plug: Plug,
}

impl Queue {
    pub(super) fn new(parameters: &QueueParameters, elevator: Box<dyn Elevator>) -> Self {
        let limits = &parameters.limits;
        Self {
            limited: parameters.limits_places(&*elevator).then(Limited::default),
            elevator,
            flush: FlushMachine::new(parameters.features),
            write_back: parameters.throttle(),
            batching: Batching::default(),
            trips: Slab::new(),
            splits: Slab::new(),
            number: 0,
            generation: parameters.generation,
            largest: Largest { data: limits.largest_request.max(1), discards: limits.discards },
            limit: limits.requests.max(1),
            allocated: [0; 2],
            held: [0; 2],
            called: [0; 2],
            plug: Plug::Open,
        }
    }

    /// The line of a request: single queues have one for reads, or for what somebody waits for, and one for all others.
    fn line(&self, direction: Direction, synchronous: bool) -> usize {
        let Generation::SingleQueue { first_line, .. } = self.generation else { return 0 };
        let first = match (direction, first_line) {
            (Direction::Read, _) => true,
            (_, FirstLine::Reads) => false,
            (Direction::Write | Direction::Discard, FirstLine::Awaited) => synchronous,
            (Direction::Flush, FirstLine::Awaited) => true,
        };
        usize::from(!first)
    }

    fn line_of(&self, request: &BlockRequest) -> usize {
        self.line(request.direction, request.synchronous)
    }

    /// A process may take some places more; blk-mq knows no such batches.
    fn begin_batch(&mut self, process: u32, now: Time) {
        if self.generation != Generation::MultiQueue {
            self.batching.begin(process, now);
        }
    }

    /// Whether there is no place for a request that brings none with it, of `line` (get_request).
    fn is_full(&mut self, request: &BlockRequest, line: usize, now: Time) -> bool {
        let taken = self.allocated[line];
        if taken + 1 == self.limit {
            self.begin_batch(request.process, now);
        }
        let must = self.elevator.must_come_in(request);
        let beyond = must || self.batching.has(request.process, now);
        taken >= if beyond { self.limit.saturating_add(self.limit / 2) } else { self.limit }
    }

    /// Splits a request that is too large for the device; `None` where it isn't.
    pub(super) fn split(&mut self, request: &BlockRequest) -> Option<Parts> {
        if request.blocks <= self.largest.from(request.direction, request.address) {
            return None;
        }
        let left = self.largest.parts_of(request);
        let slot =
            self.splits.insert(Split { request: request.clone(), left, status: Status::DoneFromCache });
        let part = BlockRequest { id: RequestId(PART | u64::from(slot)), ..request.clone() };
        Some(Parts::of(part, self.largest))
    }

    /// A request arrives; where it has waited in front, `admitted` is the line, and it brings its place with it.
    pub(super) fn accept(&mut self, request: BlockRequest, admitted: Option<usize>, now: Time) -> Accepted {
        let line = self.line_of(&request);
        let usual = FlushMachine::is_usual(&request);
        let merges = usual && self.elevator.would_merge(&request);
        let throttled = usual && WriteBack::concerns(&request);
        if let (Some(write_back), None) = (&mut self.write_back, admitted) {
            if !throttled {
                write_back.passes(&request, now);
            } else if !merges && !write_back.comes_in(Held::of(&request), now) {
                return Accepted::Full(request, HELD_BACK);
            }
        }
        if let Some(limited) = &mut self.limited {
            if admitted == Some(HELD_BACK) {
                limited.comes_in();
            } else if admitted.is_none() && usual && !merges && limited.holds(&request, &*self.elevator) {
                return Accepted::Full(request, HELD_BACK);
            }
        }
        let has_place = throttled && (admitted.is_some() || !merges);
        let admitted = admitted.filter(|&line| !self.holds_back() || line != HELD_BACK);
        let full = admitted.is_none() && !merges && self.is_full(&request, line, now);
        if full {
            self.held[line] += 1;
            return Accepted::Full(request, line);
        }
        if admitted.is_some() {
            self.held[line] -= 1;
            self.called[line] -= 1;
            self.begin_batch(request.process, now);
        } else {
            self.allocated[line] += 1;
        }
        if !merges {
            self.batching.take(request.process, now);
        }
        let request = if usual {
            request
        } else {
            match self.flush.arrive(request, now) {
                Arrival::Usual(request) => request,
                Arrival::Kept => {
                    self.plug = Plug::Open;
                    return Accepted::Waits;
                }
                Arrival::Complete(mut request) => {
                    self.allocated[line] -= 1;
                    request.status = Status::Done;
                    charge(&mut request, now, &Ledger::default());
                    return Accepted::Done(request);
                }
            }
        };
        self.queue(request, (line, has_place), now);
        Accepted::Waits
    }

    /// Gives a request to the scheduler, and plugs the queue or pulls the plug. `has_place`: the write-back throttle counts
    /// it.
    fn queue(&mut self, request: BlockRequest, (line, has_place): (usize, bool), now: Time) {
        // Who waits for a page or a buffer pulls the plug, whatever the scheduler is told (sync_page, sync_buffer).
        let awaited = request.synchronous || request.hint == Hint::NoIdle;
        let was_empty = self.elevator.waiting() == 0;
        let throttled = WriteBack::concerns(&request);
        let gone = match self.elevator.add(request, now) {
            Added::Queued => 0,
            Added::Merged => 1,
            Added::Joined => 2,
        };
        self.allocated[line] -= gone;
        if let Some(write_back) = self.write_back.as_mut().filter(|_| throttled) {
            // What became part of another has no place of its own any longer.
            (0..gone - u32::from(gone > 0 && !has_place)).for_each(|_| write_back.leave(now));
        }
        if let Generation::SingleQueue { unplug_requests, .. } = self.generation {
            if was_empty {
                self.plug = Plug::Plugged;
            }
            if awaited || self.elevator.waiting() >= unplug_requests as usize {
                self.plug = Plug::Open;
            }
        }
    }

    /// What was ever sent to the device, less what is there.
    pub(super) fn sent_and_back(&self) -> i64 {
        self.number as i64 - self.at_device() as i64
    }

    /// A process has ended.
    pub(super) fn exited(&mut self, process: u32, now: Time) {
        self.elevator.exited(process, now);
    }

    /// Requests at the device.
    pub(super) fn at_device(&self) -> usize {
        self.trips.iter().count()
    }

    /// Whether requests collect until the plug is pulled.
    pub(super) fn is_plugged(&self) -> bool {
        self.plug == Plug::Plugged
    }

    /// Pulls the plug.
    pub(super) fn unplug(&mut self) {
        self.plug = Plug::Open;
    }

    /// Whether the device might get something.
    pub(super) fn has_work(&self) -> bool {
        self.flush.has_step() || (self.plug == Plug::Open && self.elevator.waiting() > 0)
    }

    /// How many more of those that wait in front of a line may come in now. Each must then be accepted as admitted. Those that the
    /// write-back throttle holds are called by their threads ([`call_held_back`](Self::call_held_back)).
    pub(super) fn call(&mut self, line: usize) -> u32 {
        if self.holds_back() && line == HELD_BACK {
            return 0;
        }
        let room = self.limit.saturating_sub(self.allocated[line]);
        let more = room.min(self.held[line] - self.called[line]);
        self.allocated[line] += more;
        self.called[line] += more;
        more
    }

    /// Whose next request comes in of those that are held back, in order.
    pub(super) fn call_held_back(&mut self, now: Time) -> SmallVec<[Key; 8]> {
        let mut called = self.write_back.as_mut().map(|write_back| write_back.call(now)).unwrap_or_default();
        called.extend(self.limited.as_mut().and_then(|limited| limited.call(&*self.elevator)));
        called
    }

    /// Whether some are held back though there is room.
    fn holds_back(&self) -> bool {
        self.write_back.is_some() || self.limited.is_some()
    }

    /// What the device gets now.
    pub(super) fn send(&mut self, now: Time) -> Sent {
        if let Some(step) = self.flush.next() {
            return self.send_step(step, now);
        }
        if self.plug == Plug::Plugged {
            return Sent::Nothing;
        }
        match self.elevator.next(now) {
            Next::Dispatch(io) => {
                let Some(first) = io.constituents.first() else { return Sent::Nothing };
                let down = BlockRequest {
                    id: self.fresh(),
                    process: io.process,
                    device: first.device,
                    direction: io.direction,
                    flush_before: false,
                    force_unit_access: first.force_unit_access,
                    synchronous: io.synchronous,
                    hint: first.hint,
                    purposes: io.purposes(),
                    class: io.class,
                    priority: io.priority,
                    tag: 0,
                    file: first.file,
                    address: io.address,
                    blocks: io.blocks,
                    issued: now,
                    status: Status::InFlight,
                    ledger: Ledger::default(),
                };
                let requests = io.constituents.len();
                if let Some(write_back) = &mut self.write_back {
                    write_back.issued(io.direction, down.id.0, now);
                }
                self.trip(down, Flight::Usual(io), [requests, 0], now)
            }
            Next::IdleUntil(time) => Sent::IdleUntil(time),
            Next::Empty => Sent::Nothing,
        }
    }

    fn send_step(&mut self, step: FlushCommand, now: Time) -> Sent {
        let id = self.fresh();
        let fresh = |request: &BlockRequest| BlockRequest {
            id,
            issued: now,
            status: Status::InFlight,
            ledger: Ledger::default(),
            ..request.clone()
        };
        match step {
            FlushCommand::Data(sequence) => {
                let down = fresh(&sequence.request);
                let further = usize::from(sequence.begun);
                self.trip(down, Flight::Data(sequence), [1 - further, further], now)
            }
            FlushCommand::Flush => {
                let requests = self.flush.served().len();
                let further = self.flush.served().iter().filter(|sequence| sequence.begun).count();
                let first = self.flush.served().first().map(|sequence| &sequence.request);
                let purposes = self.flush.served().iter().map(|sequence| sequence.request.purposes).collect();
                let down = BlockRequest {
                    direction: Direction::Flush,
                    address: 0,
                    blocks: 0,
                    force_unit_access: false,
                    synchronous: true,
                    purposes,
                    ..fresh(first.unwrap_or(&BlockRequest::default()))
                };
                self.trip(down, Flight::Flush, [requests - further, further], now)
            }
        }
    }

    fn fresh(&mut self) -> RequestId {
        let id = RequestId(self.number);
        self.number += 1;
        id
    }

    fn trip(&mut self, mut down: BlockRequest, flight: Flight, requests: [usize; 2], now: Time) -> Sent {
        down.tag = u64::from(self.trips.insert(Trip { flight, sent: now }));
        Sent::Down(down, requests)
    }

    /// The device has completed what it got; requests that are complete with it go to `done`. Gives how many requests
    /// wait again, for the next step of their sequence; `None` where the device never got this.
    pub(super) fn complete(
        &mut self,
        down: &BlockRequest,
        now: Time,
        done: &mut Vec<BlockRequest>,
    ) -> Option<usize> {
        let slot = u32::try_from(down.tag).ok()?;
        let Trip { flight, sent } = self.trips.remove(slot)?;
        self.plug = Plug::Open;
        let before = done.len();
        let mut waiting_again = 0;
        match flight {
            Flight::Usual(io) => {
                self.elevator.completed(&io, now);
                if let Some(write_back) = &mut self.write_back {
                    write_back.done(io.direction, down.id.0, sent, now);
                    if io.constituents.first().is_some_and(WriteBack::concerns) {
                        write_back.leave(now);
                    }
                }
                let line = self.line(io.direction, io.synchronous);
                self.allocated[line] -= 1;
                for mut request in io.constituents {
                    charge(&mut request, sent, &down.ledger);
                    done.push(request);
                }
            }
            Flight::Data(sequence) => {
                let line = self.line_of(&sequence.request);
                self.flush.written(sequence, (sent, down), now, done);
                self.allocated[line] -= as_number(done.len() - before);
                waiting_again = 1 - (done.len() - before);
            }
            Flight::Flush => {
                let served = self.flush.served().len();
                self.flush.flushed((sent, down), now, done);
                for request in &done[before..] {
                    let line = self.line_of(request);
                    self.allocated[line] -= 1;
                }
                waiting_again = served - (done.len() - before);
            }
        }
        self.finish(down.status, before, done);
        Some(waiting_again)
    }

    /// Sets the status of the requests in `done` from `first` on, and puts the whole in the place of the last part of a
    /// split request, nothing in that of the others.
    fn finish(&mut self, status: Status, first: usize, done: &mut Vec<BlockRequest>) {
        let mut parts = false;
        for request in &mut done[first..] {
            request.status = status;
            parts |= request.id.0 & PART != 0;
        }
        if !parts {
            return;
        }
        let ended: SmallVec<[BlockRequest; 4]> = done.drain(first..).collect();
        for part in ended {
            if part.id.0 & PART == 0 {
                done.push(part);
            } else if let Some(whole) = self.joined(&part) {
                done.push(whole);
            }
        }
    }

    fn joined(&mut self, part: &BlockRequest) -> Option<BlockRequest> {
        let slot = low_half(part.id.0);
        let split = self.splits.get_mut(slot)?;
        split.left -= 1;
        split.status = split.status.and(part.status);
        if split.left > 0 {
            return None;
        }
        let Split { mut request, status, .. } = self.splits.remove(slot)?;
        // The last part was on its way from beginning to end: its time is the whole's.
        request.ledger = part.ledger;
        request.status = status;
        Some(request)
    }
}
