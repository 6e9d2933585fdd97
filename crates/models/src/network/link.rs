//! A link in one direction: trains wait for it, connections take turns, and one train after the other passes. Links with
//! fewer rules are [`wire`](super::wire)s.
//!
//! ```text
//!  queue (in turn) ─▶ transmit ─▶ where the link leads, once the first frame is there
//!                        ▲ │
//!                       idle ◀┘  once the last frame has left
//! ```
//!
//! Where a link has several virtual lanes, trains wait in one for each, and an arbiter says which is served:
//!
//! ```text
//!  queue ─▶ sort ─▶ lane 0, lane 1, … ─▶ transmit 0, transmit 1, … ─▶
//!             └──────▶ arbiter ◀──────────────┘ ◀─ hear ◀─ news of room at the link's end
//! ```

use super::arbitration::{Arbiter, Arbitration};
use super::clock::Clock;
use super::loads::Loads;
use super::parameters::Turns;
use super::passing::{Passed, Passing};
use super::room::Room;
use super::train::Train;
use crate::Stage;
use petrio_kernel::{PageBuilder, Place, Probe};
use std::sync::Arc;

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leads {
    /// To a switch, which goes on when it has the first frame.
    Begun(Place<Box<Train>>),
    /// To the queue of another link, which goes on when it has the first frame and needn't wait for the rest.
    Onto(Place<Box<Train>>),
    /// To a host, which wants all of a train; so does a hub, whose one medium has passed it then.
    Whole(Place<Box<Train>>),
}

impl Leads {
    /// The place.
    pub(super) fn to(self) -> Place<Box<Train>> {
        let (Self::Begun(to) | Self::Onto(to) | Self::Whole(to)) = self;
        to
    }
}

/// What trains of a link wait in, and what it is idle in: shared by both directions of one that has only half.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkPlaces {
    pub(super) queue: Place<Box<Train>>,
    pub(super) idle: Place<Clock>,
    /// How much may wait, where that is limited.
    pub(super) room: Option<Room>,
    pub(super) credits: Option<Credits>,
}

/// The room at a link's end, where that is limited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credits {
    /// News that there is room for another train, each with the number of its lane.
    pub(super) news: Place<u8>,
    /// Trains of each lane that there is room for.
    pub(super) each: u32,
}

/// Of the links that lead to a switch, the number and where news go of room at their ends.
pub(super) type GivesBack = Vec<(u32, Place<u8>)>;

/// What a train leaves behind with which a link begins.
#[derive(Clone, Copy)]
pub(super) struct Behind<'b> {
    /// Credits of the link by which it came.
    pub(super) given_back: &'b [(u32, Place<u8>)],
    /// What waits before links, where that is counted.
    pub(super) loads: Option<Place<Loads>>,
}

/// The queue before a link.
pub(super) fn queue(page: &mut PageBuilder<'_>, turns: Turns) -> Place<Box<Train>> {
    queue_of(page, "queue", turns)
}

fn queue_of(page: &mut PageBuilder<'_>, name: &str, turns: Turns) -> Place<Box<Train>> {
    match turns {
        Turns::Connections => page.in_turn::<Box<Train>>(name, |train| train.stream.key()),
        Turns::Arrivals => page.fifo(name),
    }
}

/// The token of a link, or of a medium, that is idle: its clock.
pub(super) fn idle(page: &mut PageBuilder<'_>) -> Place<Clock> {
    let idle = page.fifo("idle");
    page.initial(idle, [Clock::default()]);
    idle
}

/// Builds the rest of a link's page, on which its queue is.
pub(super) fn link(
    page: &mut PageBuilder<'_>,
    places: LinkPlaces,
    (arbitration, turns): (&Arbitration, Turns),
    (passing, leads): (&Arc<Passing>, Leads),
    behind: Behind<'_>,
) -> Stage {
    let busy = page.probe("busy");
    let to = leads.to();
    page.port_out("trains", to);
    let mut waiting = vec![places.queue.id()];
    if arbitration.lanes.count() == 1 {
        if let Some(Credits { news, each }) = places.credits {
            page.initial(news, (0..each).map(|_| 0));
        }
        transmit(page, "transmit", (places.queue, None), places, (passing, leads, busy), behind);
    } else {
        let (queues, arbiter) = by_lanes(page, places, (arbitration, turns));
        for (lane, &queue) in queues.iter().enumerate() {
            let name = format!("transmit{lane}");
            transmit(page, &name, (queue, Some((lane, arbiter))), places, (passing, leads, busy), behind);
        }
        waiting.extend(queues.iter().map(|queue| queue.id()));
    }
    Stage::recorded(page.path().to_owned(), places.queue.id(), busy)
        .waited_for_in(&waiting)
        .dropping(places.room.map(|room| room.dropped))
}

/// The queue of each virtual lane, into which trains are sorted, and who says which of them is served.
fn by_lanes(
    page: &mut PageBuilder<'_>,
    places: LinkPlaces,
    (arbitration, turns): (&Arbitration, Turns),
) -> (Vec<Place<Box<Train>>>, Place<Arbiter>) {
    let lanes = arbitration.lanes.count();
    let arbiter = Arbiter::new(arbitration, places.credits.map(|credits| credits.each));
    let arbiter = page.state("arbiter", arbiter);
    let queues: Vec<_> = (0..lanes).map(|lane| queue_of(page, &format!("lane{lane}"), turns)).collect();
    let mut sort = page.transition("sort");
    let (train, state) = (sort.take(places.queue), sort.update(arbiter));
    let to: Vec<_> = queues.iter().map(|&lane| sort.may_put(lane, 1)).collect();
    sort.action(move |f| {
        let train = f.take(train);
        let lane = usize::from(train.lane).min(lanes - 1);
        f.update(state).arrive(lane);
        f.put(to[lane], train);
    });
    if let Some(Credits { news, .. }) = places.credits {
        let mut hear = page.transition("hear");
        let (lane, state) = (hear.take(news), hear.update(arbiter));
        hear.action(move |f| {
            let lane = f.take(lane);
            f.update(state).free(usize::from(lane).min(lanes - 1));
        });
    }
    (queues, arbiter)
}

/// A virtual lane's number, and who says whether it is served.
type Lane = (usize, Place<Arbiter>);

/// The transition by which trains of a lane pass.
fn transmit(
    page: &mut PageBuilder<'_>,
    name: &str,
    (queue, lane): (Place<Box<Train>>, Option<Lane>),
    LinkPlaces { idle, room, credits, .. }: LinkPlaces,
    (passing, leads, busy): (&Arc<Passing>, Leads, Probe),
    behind: Behind<'_>,
) {
    let own_page = page.id();
    let mut transmit = page.transition(name);
    let train = transmit.take(queue);
    let clock = transmit.take(idle);
    let room = room.map(|room| room.left_by(&mut transmit));
    let (free, onward) = (transmit.put(idle), transmit.put(leads.to()));
    let arbiter = lane.map(|(lane, arbiter)| {
        let arbiter = transmit.update(arbiter);
        transmit.guard(move |binding| binding.get(arbiter).chosen() == Some(lane));
        arbiter
    });
    // A host takes what comes at once; a switch gives the credit back when the train has left it.
    let own = credits.map(|Credits { news, .. }| {
        if arbiter.is_none() {
            transmit.consume(news);
        }
        transmit.may_put(news, 1)
    });
    let own = own.filter(|_| !matches!(leads, Leads::Begun(_)));
    let given_back: Vec<_> =
        behind.given_back.iter().map(|&(link, news)| (link, transmit.may_put(news, 1))).collect();
    let loads = behind.loads.map(|loads| transmit.update(loads));
    let passing = Arc::clone(passing);
    transmit.action(move |f| {
        let mut train = f.take(train);
        let passage = &passing.passage;
        if let Some(room) = room {
            room.leave(f, passage, &train);
        }
        let now = f.now();
        let mut clock = f.take(clock);
        let Passed { there, left, next, came } = passing.pass(&mut clock, &mut train, now);
        if loads.is_some() || arbiter.is_some() {
            let bytes = passage.framing.on_wire(u64::from(train.bytes));
            if let Some(loads) = loads {
                f.update(loads).leave(passing.number, bytes);
            }
            if let Some(arbiter) = arbiter {
                f.update(arbiter).serve(bytes);
            }
        }
        // News of free room goes back over the link by which the train came.
        if let Ok(at) = given_back.binary_search_by_key(&came.link, |given| given.0) {
            f.put_after(given_back[at].1, came.lane, left + passage.latency);
        }
        if let Some(news) = own {
            f.put_after(news, train.lane, there + passage.latency);
        }
        f.record(busy, f.span_on(own_page, next).as_seconds());
        f.put_after(free, clock, next);
        f.put_after(onward, train, there);
    });
}
