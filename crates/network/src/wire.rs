//! A link of its own in one direction, at which nothing but time is scarce, as most links are: one lane, no limited room
//! at its end or before it, nobody else on it.
//!
//! ```text
//!  trains ─▶ begin ───┬───────────────────▶ where the link leads, once the first frame is there
//!  switch ─▶ forward ─┴▶ queue ─▶ resume ─▶
//!                        wake ──────┘           once the last frame of the one before has left
//! ```
//!
//! What comes while the link is idle passes in the very firing that brings it there, also in the switch's: among
//! thousands of hosts most links are idle, and what each firing touches comes from far away. Only what finds the link busy
//! waits, and one token wakes it. Where links are shared or have more rules, see [`link`](super::link).

use super::clock::Clock;
use super::link::{Queueing, queue};
use super::passing::Passing;
use super::train::Train;
use petrio_kernel::{Firing, PageBuilder, PageId, Place, Probe, Put, Time, TransitionBuilder, Update};
use petrio_persist::Persist;
use petrio_stage::Stage;
use std::sync::Arc;

/// Whether a link is idle.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Line {
    clock: Clock,
    /// When the last one that began has left.
    free: Time,
    /// Trains that wait; with the first there is a token that wakes the link.
    waiting: u32,
}

/// What a wire's trains lie in.
#[derive(Clone, Copy, Debug)]
pub(super) struct WirePlaces {
    /// Where trains come to that no switch has passed on.
    pub(super) trains: Place<Box<Train>>,
    queue: Place<Box<Train>>,
    line: Place<Line>,
    wake: Place<()>,
    busy: Probe,
    page: PageId,
}

impl WirePlaces {
    /// Begins the page of a wire.
    pub(super) fn new(page: &mut PageBuilder<'_>, queueing: Queueing) -> Self {
        Self {
            trains: page.fifo("trains"),
            queue: queue(page, queueing),
            line: page.state("line", Line::default()),
            wake: page.fifo("wake"),
            busy: page.probe("busy"),
            page: page.id(),
        }
    }
}

/// A wire as those see it who put trains on it.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) places: WirePlaces,
    pub(super) to: Place<Box<Train>>,
    pub(super) passing: Arc<Passing>,
}

/// How a transition puts trains on a wire.
pub(super) struct OntoWire {
    line: Update<Line>,
    queue: Put<Box<Train>>,
    wake: Put<()>,
    onward: Put<Box<Train>>,
    busy: Probe,
    page: PageId,
    passing: Arc<Passing>,
}

impl OntoWire {
    /// For a transition that puts up to `most` in one firing.
    pub(super) fn declare(transition: &mut TransitionBuilder<'_>, wire: &Wire, most: u32) -> Self {
        let Wire { places, to, passing } = wire;
        Self {
            line: transition.update(places.line),
            queue: transition.may_put(places.queue, most),
            wake: transition.may_put(places.wake, 1),
            onward: transition.may_put(*to, most),
            busy: places.busy,
            page: places.page,
            passing: Arc::clone(passing),
        }
    }

    /// A train comes to the wire: it passes, or waits.
    pub(super) fn put(&self, f: &mut Firing<'_>, train: Box<Train>) {
        let now = f.now();
        let line = f.update(self.line);
        if line.waiting == 0 && line.free <= now {
            self.pass(f, train);
            return;
        }
        line.waiting += 1;
        let (is_first, free) = (line.waiting == 1, line.free);
        f.put(self.queue, train);
        if is_first {
            f.put_at_pace(self.wake, (), free - now);
        }
    }

    /// The wire is free, and a train goes on that has waited.
    fn resume(&self, f: &mut Firing<'_>, train: Box<Train>) {
        let next = self.pass(f, train);
        let line = f.update(self.line);
        line.waiting -= 1;
        if line.waiting > 0 {
            f.put_at_pace(self.wake, (), next);
        }
    }

    /// A train passes; how long it keeps the wire.
    fn pass(&self, f: &mut Firing<'_>, mut train: Box<Train>) -> Time {
        let now = f.now();
        let passed = self.passing.pass(&mut f.update(self.line).clock, &mut train, now);
        let (next, there) = (f.span_on(self.page, passed.next), f.span_on(self.page, passed.there));
        f.update(self.line).free = now + next;
        f.record(self.busy, next.as_seconds());
        f.put_at_pace(self.onward, train, there);
        next
    }
}

/// Builds the rest of a wire's page.
pub(super) fn wire(page: &mut PageBuilder<'_>, wire: &Wire) -> Stage {
    let &Wire { places, to, .. } = wire;
    page.port_in("trains", places.trains);
    page.port_out("trains", to);
    let mut begin = page.transition("begin");
    let train = begin.take(places.trains);
    let onto = OntoWire::declare(&mut begin, wire, 1);
    begin.action(move |f| {
        let train = f.take(train);
        onto.put(f, train);
    });
    let mut resume = page.transition("resume");
    resume.consume(places.wake);
    let train = resume.take(places.queue);
    let onto = OntoWire::declare(&mut resume, wire, 1);
    resume.action(move |f| {
        let train = f.take(train);
        onto.resume(f, train);
    });
    Stage::passed(page.path().to_owned(), places.queue.id(), places.busy)
}
