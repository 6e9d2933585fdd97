//! The thread that handles rows of pages: it looks at them once all that is submitted at an instant is there, and takes its time.

use super::outcome::Outcome;
use super::{Outs, Places, RaidPorts};
use petrio_colours::BlockRequest;
use petrio_kernel::PageBuilder;
use petrio_stage::instants;

/// What the thread asks of members when it is done, each with whom it asks.
pub(super) type Handled = Vec<(usize, BlockRequest)>;

/// The thread's transitions.
pub(super) fn thread_page(page: &mut PageBuilder<'_>, ports: &RaidPorts, places: &Places) {
    let handled = page.fifo::<Handled>("handled");
    let mut handle = page.transition("handle");
    handle.priority(instants::DISPATCHES);
    handle.consume(places.woken);
    let outs = Outs::declare(&mut handle, ports, places);
    let when_done = handle.may_put(handled, 1);
    handle.action(move |f| {
        let now = f.now();
        let (mut outcome, after) = f.update(outs.array).handle_rows(now);
        let asked = std::mem::take(&mut outcome.sends);
        outs.follow(f, outcome);
        f.put_after(when_done, asked, after);
    });

    let mut ask = page.transition("ask");
    let asked = ask.take(handled);
    let outs = Outs::declare(&mut ask, ports, places);
    ask.action(move |f| {
        let asked = f.take(asked);
        let mut outcome: Box<Outcome> = f.update(outs.array).thread_is_free();
        outcome.sends = asked;
        outs.follow(f, outcome);
    });
}

/// The daemon of a bitmap looks at its bits.
pub(super) fn daemon(page: &mut PageBuilder<'_>, ports: &RaidPorts, places: &Places) {
    let mut look = page.transition("look");
    look.consume(places.daemon);
    let outs = Outs::declare(&mut look, ports, places);
    look.action(move |f| {
        let now = f.now();
        let outcome = f.update(outs.array).tick(now);
        outs.follow(f, outcome);
    });
}
