//! What makes a queue look again though nothing has come or is complete: a scheduler has idled enough, the plug is pulled
//! by time, a process has ended.

use super::Places;
use petrio_kernel::{PageBuilder, Place};

/// The scheduler has idled enough, or the plug is pulled by time.
pub(super) fn timers(page: &mut PageBuilder<'_>, places: &Places) {
    let mut wake = page.transition("wake");
    wake.consume(places.idle);
    let resident = wake.update(places.resident);
    let ask = wake.may_put(places.ask, 1);
    wake.action(move |f| {
        let unit = f.update(resident);
        unit.idle = None;
        if !std::mem::replace(&mut unit.asked, true) {
            f.put(ask, ());
        }
    });
    let Some(plug) = places.plug else { return };
    let mut unplug = page.transition("unplug");
    unplug.consume(plug);
    let resident = unplug.update(places.resident);
    let ask = unplug.may_put(places.ask, 1);
    unplug.action(move |f| {
        let unit = f.update(resident);
        unit.plug = None;
        unit.queue.unplug();
        if !std::mem::replace(&mut unit.asked, true) {
            f.put(ask, ());
        }
    });
}

/// Processes that have ended: the scheduler waits for none of them.
pub(super) fn ends(page: &mut PageBuilder<'_>, places: &Places, exits: Place<u32>) {
    let mut exit = page.transition("exit");
    let process = exit.take(exits);
    let resident = exit.update(places.resident);
    let ask = exit.may_put(places.ask, 1);
    exit.action(move |f| {
        let (process, now) = (f.take(process), f.now());
        let unit = f.update(resident);
        unit.queue.exited(process, now);
        if unit.queue.has_work() && !std::mem::replace(&mut unit.asked, true) {
            f.put(ask, ());
        }
    });
}
