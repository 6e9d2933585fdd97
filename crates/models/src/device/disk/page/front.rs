//! From a request's arrival to the controller's decision, and the way out.

use super::command::{Controller, Sheet};
use super::{Places, Unit, write_back};
use crate::device::disk::discipline::{Discipline, Head, Line, Sweep, demand};
use crate::device::disk::drive::{Class, Drive};
use petrio_colours::{BlockRequest, Cause, Direction, Status};
use petrio_kernel::{Bound, PageBuilder, Place, Take, Time, TransitionBuilder};
use std::sync::Arc;

/// The queue before the drive sends the request that its discipline picks, as long as the drive accepts one.
pub(super) fn dispatch(
    page: &mut PageBuilder<'_>,
    drive: &Arc<Drive>,
    places: &Places,
    before: &Arc<dyn Discipline>,
) {
    let sweep = page.state("sweep", Sweep::START);
    let mut dispatch = page.transition("dispatch");
    dispatch.consume(places.slots);
    let sweep = dispatch.update(sweep);
    let unit = dispatch.peek(places.unit);
    let request =
        pick(&mut dispatch, places.queue, before, drive, move |binding| (*binding.get(sweep), unit));
    let commands = dispatch.put(places.commands);
    dispatch.action(move |f| {
        let request = f.take(request);
        f.update(sweep).advance(request.address);
        f.put(commands, request);
    });
}

/// Consumes the request that a discipline picks.
fn pick<U: Bound<Unit> + Send + Sync + 'static>(
    transition: &mut TransitionBuilder<'_>,
    waiting: Place<BlockRequest>,
    discipline: &Arc<dyn Discipline>,
    drive: &Arc<Drive>,
    look: impl Fn(&petrio_kernel::Binding<'_>) -> (Sweep, U) + Send + Sync + 'static,
) -> Take<BlockRequest> {
    if discipline.line() == Line::Arrival {
        return transition.take(waiting);
    }
    let (discipline, drive) = (Arc::clone(discipline), Arc::clone(drive));
    transition.take_selected(waiting, move |waiting, binding| {
        let (sweep, unit) = look(binding);
        let state = &binding.get::<Unit>(unit).state;
        discipline.pick(waiting, &Head { drive: &drive, state, sweep, now: binding.now() })
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
    let returns_to_zero = disciplines.iter().any(|discipline| discipline.returns_to_zero());
    let mut page = page.page("controller");
    let mut begin = page.transition("begin");
    let controller = begin.take(places.controller);
    let unit = begin.update(places.unit);
    let request = pick(&mut begin, places.commands, disciplines[1], drive, move |binding| {
        (binding.get(unit).sweep, unit)
    });
    let decoding = begin.may_put(places.decoding, 1);
    let from_cache = begin.may_put(places.from_cache, 1);
    let following = begin.may_put(places.following, 1);
    let held = places.held.map(|held| (begin.may_put(held.decoding, 1), begin.may_put(held.flushing, 1)));
    let begun_by = Arc::clone(drive);
    let own_work = places.own_work;
    begin.action(move |f| {
        let request = f.take(request);
        let now = f.now();
        let demand = demand(&request);
        let charged = request.issued;
        let mut command = f.take(controller).begin(Sheet {
            demand,
            begun: None,
            began: now,
            granted: now,
            starts: now,
            bus_rest: Time::ZERO,
            charged,
            via_zero: false,
            request,
        });
        command.charge(Cause::Queue, now);
        if command.request.direction == Direction::Flush {
            f.put(held.map_or(decoding, |(_, flushing)| flushing), command);
            return;
        }
        let drive = f.update(unit);
        let back = drive.sweep.advance(demand.block);
        command.via_zero = back && returns_to_zero;
        let begun = begun_by.begin(&mut drive.state, demand, now);
        command.begun = Some(begun);
        let read_ahead = drive.state.take_own_work();
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
                    begun_by.storing(&mut f.update(unit).state, demand, segment);
                }
                f.put_after(decoding, command, begun.overhead);
            }
            Class::Hold => {
                command.request.status = Status::DoneFromCache;
                f.put_after(held.map_or(decoding, |(held, _)| held), command, begun.overhead);
            }
        }
    });

    let mut decode = page.transition("decode");
    let command = decode.take(places.decoding);
    let spare = decode.update(places.spare);
    let (arm_queue, data) = (decode.put(places.arm_queue), decode.may_put(places.data, 1));
    decode.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        if command.store().is_some_and(|store| store.continues) {
            let wait = command.bus_start() - now;
            let copy = f.update(spare).copy(&command);
            f.put_after(data, copy, wait);
        }
        f.put(arm_queue, command);
    });

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

    let mut complete = page.transition("complete");
    let command = complete.take(places.finishing);
    let (out, controller, slot) =
        (complete.put(completions), complete.put(places.controller), complete.put(places.slots));
    complete.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        f.put(out, std::mem::take(&mut command.request));
        f.put(controller, Controller::after(command));
        f.put(slot, ());
    });

    reads_over_the_bus(&mut page, drive, places);
    if let Some(held) = places.held {
        write_back::take_in(&mut page, drive, places, held);
        write_back::flush(&mut page, places, held);
    }
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
