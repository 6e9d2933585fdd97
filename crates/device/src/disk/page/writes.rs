//! The end of a write: reported when its data are in the cache, or when they are on the medium.

use super::command::Controller;
use super::{Places, Unit};
use crate::disk::drive::{Class, Drive};
use petrio_colours::Cause;
use petrio_kernel::PageBuilder;
use std::sync::Arc;

/// What happens when a write's data have passed the bus.
pub(super) fn data(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut page = page.page("write");
    received(&mut page, drive, places);
    report(&mut page, drive, places);
    join(&mut page, drive, places);
}

/// A write's data have come: they are kept, stored, or their command waits for the medium.
fn received(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut received = page.transition("received");
    let command = received.take(places.data_on_bus);
    let spare = received.update(places.spare);
    let finishing = received.may_put(places.finishing, 1);
    let there = received.may_put(places.data_there, 1);
    let unit = received.update(places.unit);
    let held = places.held.map(|held| (received.may_put(held.dirty, 1), received.may_put(held.for_room, 1)));
    let more = received.may_put(places.data, 1);
    let for_drain = received.may_put(places.for_drain, 1);
    let controller = received.may_put(places.controller, 1);
    let bus = places.let_go.map(|bus| bus.may_be_given_back(&mut received));
    let several = places.arrivals.is_some();
    let receiving = Arc::clone(drive);
    received.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        if let (Some(Class::Hold), Some((dirty, for_room))) = (command.begun.map(|begun| begun.class), held) {
            let Unit { drive, state, announced, wants_room, .. } = f.update(unit);
            let piece = drive.next_piece(command.demand, command.taken);
            drive.hold(state, piece);
            let is_news = !std::mem::replace(announced, true);
            command.charge(Cause::Bus, now);
            command.taken += piece.blocks;
            let next = drive.next_piece(command.demand, command.taken);
            let has_room = command.beside || drive.has_room(state, next);
            let is_whole = next.blocks == 0;
            // The room that another waits for is none of the affairs of one that is taken in beside it.
            if !command.beside {
                *wants_room = Some(next).filter(|_| !is_whole && !has_room);
            }
            if is_news {
                f.put(dirty, ());
            }
            if !is_whole {
                f.put(if has_room { more } else { for_room }, command);
                return;
            }
            let completion = receiving.completion(command.demand);
            f.put_after(finishing, command, completion);
            return;
        }
        let Some(store) = command.store() else {
            f.fail("data arrived for a command that writes none");
            return;
        };
        if store.reported {
            command.charge(Cause::Bus, now);
            let Unit { drive, state, wants_drain, .. } = f.update(unit);
            if !drive.received(state, command.demand) {
                *wants_drain = true;
                f.put(for_drain, command);
                return;
            }
            let completion = receiving.completion(command.demand);
            f.put_after(finishing, command, completion);
        } else {
            let (disconnect, _) = receiving.disconnection(store.early_disconnect);
            f.put_after(there, (), disconnect);
            if let Some(bus) = bus {
                bus.after(f, command.bus_had, disconnect);
            }
            if command.is_left_to_arm(several) {
                f.update(unit).left_to_arm += 1;
                f.put_after(controller, Controller::after(command), disconnect);
            } else {
                f.update(spare).take_back(command);
            }
        }
    });
}

/// What waited until others had left the cache is reported.
fn report(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut report = page.transition("report");
    let command = report.take(places.for_drain);
    report.consume(places.drained);
    let finishing = report.put(places.finishing);
    let reporting = Arc::clone(drive);
    report.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        command.charge(Cause::Queue, now);
        let completion = reporting.completion(command.demand);
        f.put_after(finishing, command, completion);
    });
}

/// A write that the medium has is reported, as soon as its data had come, too.
fn join(page: &mut PageBuilder<'_>, drive: &Arc<Drive>, places: &Places) {
    let mut join = page.transition("join");
    let command = join.take(places.stored);
    join.consume(places.data_there);
    let finishing = join.may_put(places.finishing, 1);
    let for_bus = places.let_go.map(|_| join.may_put(places.for_bus, 1));
    let joining = Arc::clone(drive);
    join.action(move |f| {
        let mut command = f.take(command);
        let now = f.now();
        // Only where the data came later than the medium took them.
        command.charge(Cause::Bus, now);
        if let Some(for_bus) = for_bus {
            f.put(for_bus, command);
            return;
        }
        let early = command.store().is_some_and(|store| store.early_disconnect);
        let (_, reselect) = joining.disconnection(early);
        let completion = joining.completion(command.demand);
        f.put_after(finishing, command, reselect + completion);
    });
}
