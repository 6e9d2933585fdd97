//! From a request's arrival to the controller's decision, and the way out.

use super::arrivals::Arrivals;
use super::command::{Controller, Sheet};
use super::{Places, Unit, write_back};
use crate::disk::discipline::{Discipline, Head, Line, Sweep, demand};
use crate::disk::drive::{Class, Drive};
use crate::{FreeBus, SharedBus};
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::{Binding, Bound, PageBuilder, Place, Take, Time, TransitionBuilder, Update};
use petrio_stage::instants;
use std::sync::Arc;

/// The queue before the drive sends the request that its discipline picks, as long as the drive accepts one.
pub(super) fn dispatch(page: &mut PageBuilder<'_>, places: &Places, before: &Arc<dyn Discipline>) {
    let sweep = page.state("sweep", Sweep::START);
    let mut dispatch = page.transition("dispatch");
    // Whoever hears that a request is complete may ask for the next at the same instant: an array for the write of what
    // it has read.
    dispatch.priority(instants::DISPATCHES);
    dispatch.consume(places.slots);
    let sweep = dispatch.update(sweep);
    let unit = dispatch.peek(places.unit);
    // Of what an array asks in turn, or a controller passes on, some time is accounted for: it came here after that.
    let since = |_: &Binding<'_>, request: &BlockRequest| request.issued + request.ledger.total();
    let request =
        pick(&mut dispatch, places.queue, before, (move |binding| (*binding.get(sweep), unit), since));
    let arrivals = places.arrivals.map(|arrivals| dispatch.update(arrivals));
    let commands = dispatch.put(places.commands);
    dispatch.action(move |f| {
        let request = f.take(request);
        f.update(sweep).advance(request.address);
        if let Some(arrivals) = arrivals {
            let now = f.now();
            f.update(arrivals).note(request.id, now);
        }
        f.put(commands, request);
    });
}

/// Consumes the request that a discipline picks.
fn pick<U: Bound<Unit> + Send + Sync + 'static>(
    transition: &mut TransitionBuilder<'_>,
    waiting: Place<BlockRequest>,
    discipline: &Arc<dyn Discipline>,
    (look, since): (
        impl Fn(&Binding<'_>) -> (Sweep, U) + Send + Sync + 'static,
        impl Fn(&Binding<'_>, &BlockRequest) -> Time + Send + Sync + 'static,
    ),
) -> Take<BlockRequest> {
    if discipline.line() == Line::Arrival {
        return transition.take(waiting);
    }
    let discipline = Arc::clone(discipline);
    transition.take_selected(waiting, move |waiting, binding| {
        let (sweep, unit) = look(binding);
        let Unit { drive, state, .. } = binding.get::<Unit>(unit);
        let since = |request: &BlockRequest| since(binding, request);
        discipline.pick(waiting, &Head { drive, state, sweep, now: binding.now(), since: &since })
    })
}

/// Consumes the command that the controller begins: what the discipline picks; but while the arm has writes that are not
/// reported yet, only a write that continues them, so that the arm goes on with it. Any other is picked when the arm's
/// place is known.
fn pick_command(
    begin: &mut TransitionBuilder<'_>,
    places: &Places,
    discipline: &Arc<dyn Discipline>,
    drive: &Arc<Drive>,
    unit: Update<Unit>,
    arrivals: Option<Update<Arrivals>>,
) -> Take<BlockRequest> {
    // A drive that takes one command at a time has no choice.
    let since = move |binding: &Binding<'_>, request: &BlockRequest| {
        arrivals.and_then(|arrivals| binding.get(arrivals).of(request.id)).unwrap_or(request.issued)
    };
    let overlaps = places.arrivals.is_some() && !drive.holds_writes();
    if !overlaps {
        let look = move |binding: &Binding<'_>| (binding.get(unit).sweep, unit);
        return pick(begin, places.commands, discipline, (look, since));
    }
    let in_order = discipline.line() == Line::Arrival;
    let discipline = Arc::clone(discipline);
    begin.take_selected(places.commands, move |waiting, binding| {
        let Unit { drive, state, sweep, left_to_arm, .. } = binding.get(unit);
        if *left_to_arm == 0 {
            let since = |request: &BlockRequest| since(binding, request);
            let head = Head { drive, state, sweep: *sweep, now: binding.now(), since: &since };
            return discipline.pick(waiting, &head);
        }
        let continues = |request: &BlockRequest| drive.continues(state, demand(request));
        let candidates = if in_order { 1 } else { usize::MAX };
        (waiting.iter().take(candidates)).find(|(_, request)| continues(request)).map(|(slot, _)| slot)
    })
}

/// The controller begins a command, decodes it, and completes it.
pub(super) fn controller(
    page: &mut PageBuilder<'_>,
    drive: &Arc<Drive>,
    places: &Places,
    disciplines: [&Arc<dyn Discipline>; 2],
    completions: Place<BlockRequest>,
) {
    let mut page = page.page("controller");
    begin(&mut page, drive, places, disciplines);
    decode(&mut page, places);
    followed(&mut page, drive, places);
    complete(&mut page, places, completions);
    reads_over_the_bus(&mut page, drive, places);
    if let Some(held) = places.held {
        write_back::take_in(&mut page, drive, places, held);
        write_back::flush(&mut page, places, held);
        if let Some(beside) = held.beside {
            write_back::beside(&mut page, places, (held, beside));
        }
    }
}

/// The controller begins a command: what it needs is found out.
#[expect(clippy::too_many_lines, reason = "one transition: a command's sheet, and where each class goes")]
fn begin(
    page: &mut PageBuilder<'_>,
    drive: &Arc<Drive>,
    places: &Places,
    disciplines: [&Arc<dyn Discipline>; 2],
) {
    let returns_to_zero = disciplines.iter().any(|discipline| discipline.returns_to_zero());
    let mut begin = page.transition("begin");
    let controller = begin.take(places.controller);
    let unit = begin.update(places.unit);
    let arrivals = places.arrivals.map(|arrivals| begin.update(arrivals));
    let request = pick_command(&mut begin, places, disciplines[1], drive, unit, arrivals);
    let bus = places.shared_bus.map(|bus| (begin.take(bus.free), begin.may_put(bus.free, 1)));
    let decoding = begin.may_put(places.decoding, 1);
    let from_cache = begin.may_put(places.from_cache, 1);
    let following = begin.may_put(places.following, 1);
    let held = places.held.map(|held| (begin.may_put(held.decoding, 1), begin.may_put(held.flushing, 1)));
    let own_work = places.own_work;
    begin.action(move |f| {
        let request = f.take(request);
        let now = f.now();
        let bus = bus.map(|(free, bus)| (f.take(free), bus));
        let waiting = arrivals.map_or(1, |arrivals| f.update(arrivals).len());
        let came = arrivals.and_then(|arrivals| f.update(arrivals).take(request.id)).unwrap_or(now);
        let demand = demand(&request);
        // Of what an array asks in turn, or a controller passes on, some time is accounted for.
        let charged = request.issued + request.ledger.total();
        let mut command = f.take(controller).begin(Sheet {
            demand,
            begun: None,
            began: now,
            granted: now,
            starts: now,
            bus_rest: Time::ZERO,
            bus_had: now,
            taken: 0,
            charged,
            via_zero: false,
            beside: false,
            request,
        });
        command.charge(Cause::Queue, now);
        if command.request.direction == Direction::Flush {
            bus.into_iter().for_each(|(free, bus)| f.put(bus, free));
            f.put(held.map_or(decoding, |(_, flushing)| flushing), command);
            return;
        }
        let Unit { drive, state, sweep, .. } = f.update(unit);
        let back = sweep.advance(demand.block);
        command.via_zero = back && returns_to_zero;
        let begun = drive.begin(state, demand, (came, waiting), now);
        command.begun = Some(begun);
        let read_ahead = state.take_own_work();
        if read_ahead > Time::ZERO {
            f.record(own_work, read_ahead.as_seconds());
        }
        match begun.class {
            Class::Hit => {
                command.request.status = Status::DoneFromCache;
                f.put_after(from_cache, command, begun.overhead);
            }
            Class::Follow { delivered, .. } => {
                command.request.status = Status::DoneFromCache;
                f.put_at_pace(following, command, delivered);
            }
            Class::Fetch { .. } => {
                command.request.status = Status::Done;
                f.put_after(decoding, command, begun.overhead);
            }
            Class::Store { reported, continues, segment, .. } => {
                command.request.status = if reported { Status::DoneFromCache } else { Status::Done };
                if continues {
                    // From now on another write may continue this one.
                    let Unit { drive, state, .. } = f.update(unit);
                    drive.storing(state, demand, segment);
                }
                f.put_after(decoding, command, begun.overhead);
            }
            Class::Hold => {
                command.request.status = Status::DoneFromCache;
                f.put_after(held.map_or(decoding, |(held, _)| held), command, begun.overhead);
            }
        }
    });
}

/// A command that needs the arm is decoded.
fn decode(page: &mut PageBuilder<'_>, places: &Places) {
    let mut decode = page.transition("decode");
    let command = decode.take(places.decoding);
    let spare = decode.update(places.spare);
    let (arm_queue, data) = (decode.put(places.arm_queue), decode.may_put(places.data, 1));
    let bus = places.let_go.map(|bus| bus.may_be_given_back(&mut decode));
    decode.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        if command.is_fetch()
            && let Some(bus) = bus
        {
            bus.now(f, command.bus_had);
        }
        if command.store().is_some_and(|store| store.continues) {
            let wait = command.bus_start() - now;
            let copy = f.update(spare).copy(&command);
            f.put_after(data, copy, wait);
        }
        f.put(arm_queue, command);
    });
}

/// The blocks of a read have come with the reading that went on.
fn followed(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut followed = page.transition("followed");
    let command = followed.take(places.following);
    let finishing = followed.put(places.finishing);
    let following_drive = Arc::clone(drive);
    followed.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        let overhead = command.begun.map_or(Time::ZERO, |begun| begun.overhead);
        let decoded = (command.began + overhead).min(now);
        command.charge(Cause::Overhead, decoded);
        // Reading ahead has the blocks under the head already: what is left is their passage.
        command.charge(Cause::Transfer, now);
        let completion = following_drive.completion(command.demand);
        f.put_after(finishing, command, completion);
    });
}

/// A command is reported.
fn complete(page: &mut PageBuilder<'_>, places: &Places, completions: Place<BlockRequest>) {
    let mut complete = page.transition("complete");
    let command = complete.take(places.finishing);
    let (out, slot) = (complete.put(completions), complete.put(places.slots));
    let controller = complete.may_put(places.controller, 1);
    let beside = places.held.and_then(|held| held.beside).map(|beside| complete.may_put(beside, 1));
    let bus = places.shared_bus.map(|bus| bus.may_be_given_back(&mut complete));
    let several = (places.arrivals).map(|_| (complete.update(places.unit), complete.update(places.spare)));
    complete.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        if command.request.direction != Direction::Flush
            && let Some(bus) = bus
        {
            bus.now(f, command.bus_had);
        }
        f.put(out, std::mem::take(&mut command.request));
        if let Some(beside) = beside.filter(|_| command.beside) {
            f.put(beside, Controller::after(command));
            f.put(slot, ());
            return;
        }
        match several {
            // The controller has left it long ago.
            Some((unit, spare)) if command.is_left_to_arm(true) => {
                f.update(unit).left_to_arm -= 1;
                f.update(spare).take_back(command);
            }
            _ => f.put(controller, Controller::after(command)),
        }
        f.put(slot, ());
    });
}

/// A command that the medium is done with has a shared bus once more.
pub(super) fn reconnect(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places, bus: SharedBus) {
    let mut page = page.page("reconnect");
    let mut reconnect = page.transition("reconnect");
    // Before anybody begins a command at the same time: the drive can do nothing else.
    reconnect.priority(instants::ENDS);
    let free = reconnect.take(bus.free);
    let command = reconnect.take(places.for_bus);
    let (on_bus, finishing) = (reconnect.may_put(places.on_bus, 1), reconnect.may_put(places.finishing, 1));
    let drive = Arc::clone(drive);
    reconnect.action(move |f| {
        let (mut command, FreeBus { since }) = (f.take(command), f.take(free));
        let (now, read) = (f.now(), command.charged);
        command.charge(Cause::Queue, now);
        command.bus_had = now;
        match command.store() {
            None => {
                // On a bus of its own the last block would be there by then.
                let there = read + command.bus_rest;
                let passing = drive.bus_time(command.demand);
                let begins = since.max(there.saturating_sub(passing)).min(now);
                command.bus_had = begins;
                f.put_after(on_bus, command, there.max(begins + passing).saturating_sub(now));
            }
            Some(store) => {
                let (_, reselect) = drive.disconnection(store.early_disconnect);
                let completion = drive.completion(command.demand);
                f.put_after(finishing, command, reselect + completion);
            }
        }
    });
}

/// Data of a hit, and the rest of a fetch, go over the bus.
fn reads_over_the_bus(controller: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut moved = controller.transition("moved");
    let command = moved.take(places.on_bus);
    let finishing = moved.put(places.finishing);
    let completing = Arc::clone(drive);
    moved.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Bus, now);
        let completion = completing.completion(command.demand);
        f.put_after(finishing, command, completion);
    });
}
