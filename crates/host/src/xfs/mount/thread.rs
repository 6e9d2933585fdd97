//! A worker of XFS as a page: it is woken, takes steps, waits for events, and goes back to sleep.

use super::Xfs;
use crate::below::{Kernel, ThreadStep, own};
use crate::below::{Leaves, MountPlaces};
use crate::state::Event;
use petrio_kernel::{Key, PageBuilder, Place, Time};
use petrio_stage::instants;

/// What comes before a worker's next step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Before {
    /// Something has to happen.
    Event(Event),
    /// It takes so long to prepare.
    Span(Time),
}

/// Builds a worker's page: it takes up what one of `triggers` has for it; a step says what comes before the next, or that it is done.
pub(super) fn worker_page(
    page: &mut PageBuilder<'_>,
    places: &MountPlaces,
    triggers: &[(&str, Place<()>)],
    step: impl Fn(&mut Xfs, &mut Kernel<'_>) -> Option<Before> + Send + Sync + 'static,
) {
    let idle = page.fifo::<()>("idle");
    page.initial(idle, [()]);
    let working = page.fifo::<()>("working");
    let waiting = page.keyed::<Key>("waiting", |key| *key);
    for &(name, trigger) in triggers {
        let mut wake = page.transition(name);
        wake.consume(trigger);
        wake.consume(idle);
        let out = wake.put(working);
        wake.action(move |f| f.put(out, ()));
    }

    let woken = page.fifo::<()>("woken");
    let mut work = page.transition("step");
    work.consume(working);
    let (wait, back, rise) = (work.may_put(waiting, 1), work.may_put(idle, 1), work.may_put(woken, 1));
    let leaves =
        Leaves { requests: true, logs: true, events: true, starts: true, commits: true, ..Leaves::default() };
    let thread = ThreadStep::declare(&mut work, places, leaves);
    work.action(move |f| {
        match thread.take(f, |system, kernel| step(own::<Xfs>(system), kernel)) {
            Some(Before::Event(event)) => f.put(wait, event.key()),
            Some(Before::Span(span)) => {
                f.put_after(rise, (), span);
            }
            None => f.put(back, ()),
        }
        thread.send(f);
    });

    let mut resume = page.transition("resume");
    let event = resume.read(places.finished);
    let waiter = resume.take_key(waiting, move |binding| *binding.get(event));
    let up = resume.put(woken);
    resume.action(move |f| {
        f.take(waiter);
        f.put(up, ());
    });
    // What it finds may make it wait for the same again, which is forgotten before.
    let mut go_on = page.transition("go on");
    go_on.priority(instants::GOES_ON);
    go_on.consume(woken);
    let out = go_on.put(working);
    go_on.action(move |f| f.put(out, ()));
    let thread = [idle.id(), working.id(), waiting.id(), woken.id()];
    page.conserve("thread", &thread.map(|place| (place, 1)));
}
