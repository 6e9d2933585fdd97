//! Writes that the cache holds: taken in while there is room, written while no command needs the arm.
//!
//! ```text
//! (begin)─▶ held-decoding ─▶(take-in)─▶ data of a write ─▶ … ─▶ (received)─▶ dirty
//!                               │            ▲                                  │
//!                               ▼            │                                  ▼
//!                            for-room ─▶(admit)◀─ room ◀─ … seeking ◀──────(write-back)
//! ```
//!
//! What is held, and which run of it is next, is part of the drive's state. The arm turns to it whenever it is free and no
//! command that needs it is being decoded or waits; it is not called back from a run that it has begun. A flush waits until
//! nothing is held.
//!
//! A long write comes in piece by piece, each as soon as there is room for it: where one waited for room for all of it, as long
//! writes would in a cache that is no longer than they, the arm would stand still while they come over the bus.
//!
//! Left out: drives may wait a moment before they turn from reading to writing, in case that more reads come.

use super::command::{Command, Controller, Sheet};
use super::{Places, Unit};
use crate::disk::discipline::demand;
use crate::disk::drive::Drive;
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::instants;
use std::sync::Arc;

/// The places of a drive that holds many reported writes.
#[derive(Clone, Copy)]
pub(super) struct Held {
    /// Writes being decoded that don't need the arm.
    pub(super) decoding: Place<Command>,
    /// The write that waits for room.
    pub(super) for_room: Place<Command>,
    /// There is room for it.
    pub(super) room: Place<()>,
    /// There is something to write back: at most one token.
    pub(super) dirty: Place<()>,
    /// The flush that waits until nothing is held.
    pub(super) flushing: Place<Command>,
    /// The controller can take in a write beside the command that it works on; in a drive that takes several.
    pub(super) beside: Option<Place<Controller>>,
}

impl Held {
    pub(super) fn new(page: &mut PageBuilder<'_>, several: bool) -> Self {
        let beside = several.then(|| page.fifo("controller-beside"));
        if let Some(beside) = beside {
            page.initial(beside, [Controller::default()]);
        }
        Self {
            decoding: page.fifo("held-decoding"),
            for_room: page.fifo("for-room"),
            room: page.fifo("room"),
            dirty: page.fifo("dirty"),
            flushing: page.fifo("flushing"),
            beside,
        }
    }
}

/// A decoded write's data come over the bus as soon as there is room for them.
pub(super) fn take_in(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places, held: Held) {
    let preparation = |command: &Command| {
        let begun = command.begun.filter(|_| command.taken == 0);
        begun.map_or(Time::ZERO, |begun| begun.bus_start - begun.overhead)
    };
    let mut take_in = page.transition("take-in");
    let command = take_in.take(held.decoding);
    let unit = take_in.update(places.unit);
    let (data, for_room) = (take_in.may_put(places.data, 1), take_in.may_put(held.for_room, 1));
    let taking = Arc::clone(drive);
    take_in.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        let unit: &mut Unit = f.update(unit);
        let piece = taking.next_piece(command.demand, 0);
        // One that is taken in beside another was begun because all of it has room.
        if command.beside || taking.has_room(&unit.state, piece) {
            let wait = preparation(&command);
            f.put_after(data, command, wait);
        } else {
            unit.wants_room = Some(piece);
            f.put(for_room, command);
        }
    });

    let mut admit = page.transition("admit");
    let command = admit.take(held.for_room);
    admit.consume(held.room);
    let data = admit.put(places.data);
    admit.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Queue, now);
        let wait = preparation(&command);
        f.put_after(data, command, wait);
    });
}

/// While a command waits for the arm or the medium, the controller takes in a write for which there is room: its data need the
/// bus and the buffer, and neither of these.
pub(super) fn beside(page: &mut PageBuilder<'_>, places: &Places, (held, free): (Held, Place<Controller>)) {
    let Some(arrivals) = places.arrivals else { return };
    let mut beside = page.transition("begin-beside");
    // What the controller itself begins at this time is begun first.
    beside.priority(instants::WHEN_IDLE);
    beside.inhibit(places.controller);
    beside.inhibit(held.flushing);
    beside.inhibit(held.for_room);
    let controller = beside.take(free);
    let unit = beside.update(places.unit);
    let request = beside.take_selected(places.commands, move |waiting, binding| {
        let Unit { drive, state, .. } = binding.get(unit);
        let fits = |request: &BlockRequest| {
            let demand = demand(request);
            drive.would_hold(demand) && drive.has_room(state, demand)
        };
        waiting
            .iter()
            .filter(|(_, request)| fits(request))
            .min_by_key(|(_, request)| request.id)
            .map(|(slot, _)| slot)
    });
    let arrivals = beside.update(arrivals);
    let decoding = beside.put(held.decoding);
    beside.action(move |f| {
        let mut request = f.take(request);
        let now = f.now();
        let arrivals = f.update(arrivals);
        let waiting = arrivals.len();
        let came = arrivals.take(request.id).unwrap_or(now);
        request.status = Status::DoneFromCache;
        let demand = demand(&request);
        let Unit { drive, state, .. } = f.update(unit);
        let begun = drive.begin(state, demand, (came, waiting), now);
        let charged = request.issued + request.ledger.total();
        let sheet =
            Sheet { begun: Some(begun), charged, beside: true, request, ..Sheet::of_held(demand, now) };
        let mut command = f.take(controller).begin(sheet);
        command.charge(Cause::Queue, now);
        f.put_after(decoding, command, begun.overhead);
    });
}

/// A flush is done when the arm has nothing left to write.
pub(super) fn flush(page: &mut PageBuilder<'_>, places: &Places, held: Held) {
    let mut flushed = page.transition("flushed");
    let command = flushed.take(held.flushing);
    flushed.inhibit(held.dirty);
    flushed.consume(places.arm);
    let (arm, finishing) = (flushed.put(places.arm), flushed.put(places.finishing));
    flushed.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Queue, now);
        f.put(arm, ());
        f.put(finishing, command);
    });
}

/// The arm turns to what is held.
pub(super) fn write_back(seek: &mut PageBuilder<'_>, places: &Places, held: Held) {
    let mut write_back = seek.transition("write-back");
    // Commands that come at this very time go first.
    write_back.priority(instants::WHEN_IDLE);
    write_back.consume(held.dirty);
    write_back.consume(places.arm);
    write_back.inhibit(places.decoding);
    write_back.inhibit(places.arm_queue);
    let unit = write_back.update(places.unit);
    let spare = write_back.update(places.spare);
    let (seeking, arm) = (write_back.may_put(places.seeking, 1), write_back.may_put(places.arm, 1));
    let dirty = write_back.may_put(held.dirty, 1);
    write_back.action(move |f| {
        let now = f.now();
        let Unit { drive, state, announced, .. } = f.update(unit);
        let run = drive.write_back(state, now);
        *announced = drive.holds_any(state);
        let position = run.map(|run| (run, drive.position_held(state, run, now)));
        if *announced {
            f.put(dirty, ());
        }
        match position {
            Some((run, position)) => {
                let command = f.update(spare).command(Sheet::of_held(run, now));
                f.put_after(seeking, command, position);
            }
            // All of it was written anew, past the cache.
            None => f.put(arm, ()),
        }
    });
}
