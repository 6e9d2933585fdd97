//! A link in one direction: trains wait for it, connections take turns, and one train after the other passes.
//!
//! Where a link has several virtual lanes, trains wait in one for each, and that of the highest number goes first.
//!
//! ```text
//!  queue (in turn) ─▶ transmit ─▶ where the link leads, once the first frame is there
//!                        ▲ │
//!                       idle ◀┘  once the last frame has left
//! ```

use super::clock::Clock;
use super::loads::Loads;
use super::parameters::{MOST_LANES, Turns};
use super::room::Room;
use super::train::{Passage, Train};
use crate::Stage;
use petrio_kernel::{PageBuilder, Place, Probe};
use petrio_units::Duration;
use std::sync::Arc;

/// Where a link leads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leads {
    /// To a switch, which goes on when it has the first frame.
    Begun(Place<Train>),
    /// To a host, which wants all of a train; so does a hub, whose one medium has passed it then.
    Whole(Place<Train>),
}

/// What trains of a link wait in, and what it is idle in: shared by both directions of one that has only half.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkPlaces {
    /// The link's number in the wiring.
    pub(super) number: u32,
    pub(super) queue: Place<Train>,
    pub(super) idle: Place<Clock>,
    /// How much may wait, where that is limited.
    pub(super) room: Option<Room>,
    pub(super) credits: Credits,
}

/// For each virtual lane, a place with a token for each train that there is room for at the link's end, where that is
/// limited.
pub(super) type Credits = [Option<Place<()>>; MOST_LANES];

/// Of the links that lead to a switch, the number and the place of credits.
pub(super) type GivesBack = Vec<(u32, Credits)>;

/// What a train leaves behind with which a link begins.
#[derive(Clone, Copy)]
pub(super) struct Behind<'b> {
    /// Credits of the link by which it came.
    pub(super) given_back: &'b [(u32, Credits)],
    /// What waits before links, where that is counted.
    pub(super) loads: Option<Place<Loads>>,
}

/// The queue before a link.
pub(super) fn queue(page: &mut PageBuilder<'_>, turns: Turns) -> Place<Train> {
    queue_of(page, "queue", turns)
}

fn queue_of(page: &mut PageBuilder<'_>, name: &str, turns: Turns) -> Place<Train> {
    match turns {
        Turns::Connections => page.in_turn(name, |train: &Train| train.stream.key()),
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
    (lanes, turns): (usize, Turns),
    passage: &Arc<Passage>,
    (leads, gap): (Leads, Duration),
    behind: Behind<'_>,
) -> Stage {
    let busy = page.probe("busy");
    let (Leads::Begun(to) | Leads::Whole(to)) = leads;
    page.port_out("trains", to);
    let queues = if lanes == 1 { vec![places.queue] } else { sorted(page, places.queue, lanes, turns) };
    // The first to be declared is the first to be looked at.
    for (lane, &queue) in queues.iter().enumerate().rev() {
        let name = if lanes == 1 { "transmit".to_owned() } else { format!("transmit{lane}") };
        transmit(page, &name, (lane, queue), places, (passage, leads, gap, busy), behind);
    }
    let mut waiting: Vec<_> = queues.iter().map(|queue| queue.id()).collect();
    if lanes > 1 {
        waiting.push(places.queue.id());
    }
    Stage::recorded(page.path().to_owned(), places.queue.id(), busy)
        .waited_for_in(&waiting)
        .dropping(places.room.map(|room| room.dropped))
}

/// The queue of each virtual lane, into which trains are sorted.
fn sorted(page: &mut PageBuilder<'_>, queue: Place<Train>, lanes: usize, turns: Turns) -> Vec<Place<Train>> {
    let queues: Vec<_> = (0..lanes).map(|lane| queue_of(page, &format!("lane{lane}"), turns)).collect();
    let mut sort = page.transition("sort");
    let train = sort.take(queue);
    let to: Vec<_> = queues.iter().map(|&lane| sort.may_put(lane, 1)).collect();
    sort.action(move |f| {
        let train = f.take(train);
        let lane = usize::from(train.lane).min(lanes - 1);
        f.put(to[lane], train);
    });
    queues
}

/// The transition by which trains of a lane pass.
fn transmit(
    page: &mut PageBuilder<'_>,
    name: &str,
    (lane, queue): (usize, Place<Train>),
    LinkPlaces { number, idle, room, credits, .. }: LinkPlaces,
    (passage, leads, gap, busy): (&Arc<Passage>, Leads, Duration, Probe),
    behind: Behind<'_>,
) {
    let (to, whole) = match leads {
        Leads::Begun(place) => (place, false),
        Leads::Whole(place) => (place, true),
    };
    let mut transmit = page.transition(name);
    let train = transmit.take(queue);
    let clock = transmit.take(idle);
    let room = room.map(|room| room.left_by(&mut transmit));
    let (free, onward) = (transmit.put(idle), transmit.put(to));
    // A host takes what comes at once; a switch gives the credit back when the train has left it.
    let own = credits[lane].map(|credits| {
        transmit.consume(credits);
        (transmit.may_put(credits, 1), whole)
    });
    let given_back: Vec<_> = (behind.given_back.iter())
        .filter_map(|&(link, places)| Some((link, transmit.may_put(places[lane]?, 1))))
        .collect();
    let loads = behind.loads.map(|loads| transmit.update(loads));
    let (passage, gap) = (Arc::clone(passage), gap.time());
    transmit.action(move |f| {
        let mut train = f.take(train);
        if let Some(room) = room {
            room.leave(f, &passage, &train);
        }
        let now = f.now();
        let mut clock = f.take(clock);
        let leaves = passage.pass(&mut clock, &mut train, now);
        let there = passage.latency + if whole { leaves.tail } else { leaves.head };
        // The next message begins a gap after this one did.
        let next = if train.message.is_some() { leaves.tail.max(gap) } else { leaves.tail };
        if let Some(loads) = loads {
            f.update(loads).leave(number, passage.framing.on_wire(u64::from(train.bytes)));
        }
        // News of free room goes back over the link by which the train came.
        let came = std::mem::replace(&mut train.came_by, number);
        if let Ok(at) = given_back.binary_search_by_key(&came, |given| given.0) {
            f.put_after(given_back[at].1, (), leaves.tail + passage.latency);
        }
        if let Some((credit, true)) = own {
            f.put_after(credit, (), there + passage.latency);
        }
        f.record(busy, next.as_seconds());
        f.put_after(free, clock, next);
        f.put_after(onward, train, there);
    });
}
