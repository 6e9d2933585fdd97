//! Arm, platters and medium: seek, rotational wait, transfer.

use super::{Places, Unit, write_back};
use crate::disk::drive::{Begun, Class, Drive};
use petrio_colours::{Cause, Direction};
use petrio_kernel::{PageBuilder, Time};
use petrio_stage::instants;
use std::sync::Arc;

/// The arm serves the commands that need it in the order in which they were decoded.
pub(super) fn arm(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut seeking = page.page("seek");
    seek(&mut seeking, places);
    if let Some(held) = places.held {
        write_back::write_back(&mut seeking, places, held);
    }
    rotation(&mut page.page("rotation"), places);
    media(&mut page.page("media"), places);
    hit(&mut page.page("bus"), drive, places);
}

fn seek(page: &mut PageBuilder<'_>, places: &Places) {
    let mut grant = page.transition("grant");
    let command = grant.take(places.arm_queue);
    grant.consume(places.arm);
    let unit = grant.update(places.unit);
    let spare = grant.update(places.spare);
    let seeking = grant.may_put(places.seeking, 1);
    let data = grant.may_put(places.data, 1);
    let arm = grant.may_put(places.arm, 1);
    let finishing = grant.may_put(places.finishing, 1);
    grant.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Queue, now);
        command.granted = now;
        if command.request.direction == Direction::Flush {
            // The arm is free, so everything that was written before is on the medium.
            f.put(arm, ());
            f.put(finishing, command);
            return;
        }
        let from = command.from();
        let Unit { drive, state, .. } = f.update(unit);
        let return_span = if command.via_zero { drive.return_to_zero(state) } else { Time::ZERO };
        let continues = command.store().is_some_and(|store| store.continues);
        let position =
            return_span + drive.position(state, command.demand, from, continues, now + return_span);
        if let Some(store) = command.store()
            && !store.continues
        {
            drive.storing(state, command.demand, store.segment);
            let wait = command.bus_start() - now;
            let copy = f.update(spare).copy(&command);
            f.put_after(data, copy, wait);
        }
        f.put_after(seeking, command, position);
    });
}

fn rotation(page: &mut PageBuilder<'_>, places: &Places) {
    let mut arrive = page.transition("arrive");
    let command = arrive.take(places.seeking);
    let unit = arrive.peek(places.unit);
    let rotating = arrive.put(places.rotating);
    arrive.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Seek, now);
        let from = command.from();
        let wait = f.get(unit).drive.wait(command.demand.write, from, command.demand.end() - from, now);
        command.starts = now + wait;
        f.put_after(rotating, command, wait);
    });
}

fn media(page: &mut PageBuilder<'_>, places: &Places) {
    let mut transfer = page.transition("transfer");
    let command = transfer.take(places.rotating);
    let unit = transfer.update(places.unit);
    let passing = transfer.put(places.passing);
    transfer.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Rotation, now);
        let (from, starts, bus_start) = (command.from(), command.starts, command.bus_start());
        let Unit { drive, state, .. } = f.update(unit);
        // `starts` is now, unless a speed factor has shortened the wait: then the platter isn't waited for once more.
        let passed = if command.is_of_held() {
            drive.transfer_held(state, command.demand, starts)
        } else {
            drive.transfer(state, command.demand, from, starts, bus_start)
        };
        command.bus_rest = passed.delivered - passed.end;
        f.put_after(passing, command, passed.end - starts);
    });

    let mut passed = page.transition("passed");
    // What is on the medium is there before anybody else looks at this time.
    passed.priority(instants::ENDS);
    let command = passed.take(places.passing);
    let unit = passed.update(places.unit);
    let spare = passed.update(places.spare);
    // Over a bus that others use, too, data go once it is had.
    let (on_bus, stored, arm) = (
        passed.may_put(if places.let_go.is_some() { places.for_bus } else { places.on_bus }, 1),
        passed.may_put(places.stored, 1),
        passed.put(places.arm),
    );
    let reconnects = places.let_go.is_some();
    let room = places.held.map(|held| passed.may_put(held.room, 1));
    let drained = passed.may_put(places.drained, 1);
    passed.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Transfer, now);
        f.put(arm, ());
        if command.is_of_held() {
            let Unit { drive, state, wants_room, .. } = f.update(unit);
            drive.written_back(state, command.demand, now);
            let fits = |write: &mut _| drive.has_room(state, *write);
            if let (Some(room), Some(_)) = (room, wants_room.take_if(fits)) {
                f.put(room, ());
            }
            f.update(spare).take_back(command);
            return;
        }
        let Unit { drive, state, wants_drain, .. } = f.update(unit);
        match (command.store(), command.begun) {
            (Some(store), _) => {
                let room = drive.stored(state, command.demand, store.segment, store.reported, now);
                if room && std::mem::take(wants_drain) {
                    f.put(drained, ());
                }
                if store.reported {
                    f.update(spare).take_back(command);
                } else {
                    f.put(stored, command);
                }
            }
            (None, Some(Begun { class: Class::Fetch { from, segment }, .. })) => {
                drive.fetched(state, command.demand, from, segment, now);
                let rest = if reconnects { Time::ZERO } else { command.bus_rest };
                f.put_after(on_bus, command, rest);
            }
            // Hits, followers and flushes never come to the medium.
            (None, _) => f.fail("a command without blocks for the medium came to it"),
        }
    });
}

/// Data that are in the cache go over the bus.
fn hit(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut send = page.transition("send");
    let command = send.take(places.from_cache);
    let on_bus = send.put(places.on_bus);
    let sending = Arc::clone(drive);
    send.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        let span = sending.bus_time(command.demand);
        f.put_after(on_bus, command, span);
    });

    let mut send_data = page.transition("send-data");
    let command = send_data.take(places.data);
    let moving = send_data.put(places.data_on_bus);
    let sending = Arc::clone(drive);
    send_data.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Overhead, now);
        let is_held = command.begun.is_some_and(|begun| matches!(begun.class, Class::Hold));
        let moved = if is_held { sending.next_piece(command.demand, command.taken) } else { command.demand };
        let span = sending.bus_time(moved);
        f.put_after(moving, command, span);
    });
}
