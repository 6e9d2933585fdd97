//! A link in one direction: trains wait for it, connections take turns, and one train after the other passes. Links with
//! fewer rules are [`wire`](super::wire)s.
//!
//! ```text
//!  queue (in turn) ─▶ transmit ─▶ where the link leads, once the first frame is there
//!                        ▲ │
//!                       idle ◀┘  once the last frame has left
//!  room ◀─ hear ◀─ news of room at the link's end, where that is limited
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
use super::frames::Framing;
use super::loads::Loads;
use super::parameters::Turns;
use super::passing::{Passed, Passing};
use super::room::Room;
use super::train::Train;
use petrio_kernel::{PageBuilder, Place, Probe, Update};
use petrio_persist::Persist;
use petrio_stage::Stage;
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

/// The room at a link's end, where that is limited: bytes of frames as they take them of the wire. (Fibre Channel counts
/// frames, however long they are; that isn't told apart.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Credits {
    /// News of room that is free again.
    pub(super) news: Place<Freed>,
    /// What there is of it for each lane.
    pub(super) room: Space,
}

/// Room at a link's end.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Space {
    /// Bytes.
    pub(super) bytes: u64,
    /// Bytes that have to be free before anything is sent: those of the largest train.
    pub(super) least: u64,
}

/// Room of a lane that is free again.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Freed {
    pub(super) lane: u8,
    pub(super) bytes: u64,
}

/// Of the links that lead to a switch, the number and where news go of room at their ends.
pub(super) type GivesBack = Vec<(u32, Place<Freed>)>;

/// What a train leaves behind with which a link begins.
#[derive(Clone, Copy)]
pub(super) struct Behind<'b> {
    /// Credits of the link by which it came.
    pub(super) given_back: &'b [(u32, Place<Freed>)],
    /// What waits before links, where that is counted.
    pub(super) loads: Option<Place<Loads>>,
}

/// Turns at a link, and what they are measured by: connections' shares are of bytes, however they are cut into trains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queueing {
    pub(super) turns: Turns,
    pub(super) framing: Framing,
    /// Bytes of a turn as they take them of the wire: those of the largest train.
    pub(super) turn: u64,
}

/// The queue before a link.
pub(super) fn queue(page: &mut PageBuilder<'_>, queueing: Queueing) -> Place<Box<Train>> {
    queue_of(page, "queue", queueing)
}

fn queue_of(page: &mut PageBuilder<'_>, name: &str, queueing: Queueing) -> Place<Box<Train>> {
    let Queueing { turns, framing, turn } = queueing;
    match turns {
        Turns::Connections => page.in_turn_by::<Box<Train>>(
            name,
            |train| train.stream.key(),
            move |train| framing.on_wire(u64::from(train.bytes)),
            turn,
        ),
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
    (arbitration, queueing): (&Arbitration, Queueing),
    (passing, leads): (&Arc<Passing>, Leads),
    behind: Behind<'_>,
) -> Stage {
    let busy = page.probe("busy");
    let to = leads.to();
    page.port_out("trains", to);
    let mut waiting = vec![places.queue.id()];
    if arbitration.lanes.count() == 1 {
        let gate = places.credits.map_or(Gate::Open, |credits| Gate::Room(room_left(page, credits)));
        transmit(page, "transmit", (places.queue, gate), places, (passing, leads, busy), behind);
    } else {
        let (queues, arbiter) = by_lanes(page, places, (arbitration, queueing));
        for (lane, &queue) in queues.iter().enumerate() {
            let name = format!("transmit{lane}");
            let gate = Gate::Lane(lane, arbiter);
            transmit(page, &name, (queue, gate), places, (passing, leads, busy), behind);
        }
        waiting.extend(queues.iter().map(|queue| queue.id()));
    }
    Stage::recorded(page.path().to_owned(), places.queue.id(), busy)
        .waited_for_in(&waiting)
        .dropping(places.room.map(|room| room.dropped))
}

/// What is left of the room at the end of a link with one lane, as news of it come.
fn room_left(page: &mut PageBuilder<'_>, Credits { news, room }: Credits) -> Place<Space> {
    let left = page.state("room", room);
    let mut hear = page.transition("hear");
    let (freed, state) = (hear.take(news), hear.update(left));
    hear.action(move |f| {
        let Freed { bytes, .. } = f.take(freed);
        f.update(state).bytes += bytes;
    });
    left
}

/// The queue of each virtual lane, into which trains are sorted, and who says which of them is served.
fn by_lanes(
    page: &mut PageBuilder<'_>,
    places: LinkPlaces,
    (arbitration, queueing): (&Arbitration, Queueing),
) -> (Vec<Place<Box<Train>>>, Place<Arbiter>) {
    let lanes = arbitration.lanes.count();
    let arbiter = Arbiter::new(arbitration, places.credits.map(|credits| credits.room));
    let arbiter = page.state("arbiter", arbiter);
    let queues: Vec<_> = (0..lanes).map(|lane| queue_of(page, &format!("lane{lane}"), queueing)).collect();
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
        let (freed, state) = (hear.take(news), hear.update(arbiter));
        hear.action(move |f| {
            let Freed { lane, bytes } = f.take(freed);
            f.update(state).free(usize::from(lane).min(lanes - 1), bytes);
        });
    }
    (queues, arbiter)
}

/// What has to be so for a train to be sent.
#[derive(Clone, Copy)]
enum Gate {
    /// Nothing.
    Open,
    /// There is room at the link's end.
    Room(Place<Space>),
    /// It is the turn of the virtual lane of this number.
    Lane(usize, Place<Arbiter>),
}

/// The same, as a transition asks it.
#[derive(Clone, Copy)]
enum Admission {
    Nothing,
    Room(Update<Space>),
    Arbiter(Update<Arbiter>),
}

/// The transition by which trains of a lane pass.
fn transmit(
    page: &mut PageBuilder<'_>,
    name: &str,
    (queue, gate): (Place<Box<Train>>, Gate),
    LinkPlaces { idle, room, credits, .. }: LinkPlaces,
    (passing, leads, busy): (&Arc<Passing>, Leads, Probe),
    behind: Behind<'_>,
) {
    let own_page = page.id();
    let mut transmit = page.transition(name);
    // Who has to wait doesn't let others pass.
    let train = match gate {
        Gate::Open => transmit.take(queue),
        _ => transmit.take_selected(queue, |waiting, _| waiting.first()),
    };
    let clock = transmit.take(idle);
    let room = room.map(|room| room.left_by(&mut transmit));
    let (free, onward) = (transmit.put(idle), transmit.put(leads.to()));
    let asked = match gate {
        Gate::Open => Admission::Nothing,
        Gate::Room(left) => {
            let left = transmit.update(left);
            transmit.guard(move |binding| {
                let Space { bytes, least } = *binding.get(left);
                bytes >= least
            });
            Admission::Room(left)
        }
        Gate::Lane(lane, arbiter) => {
            let arbiter = transmit.update(arbiter);
            transmit.guard(move |binding| binding.get(arbiter).chosen() == Some(lane));
            Admission::Arbiter(arbiter)
        }
    };
    // A host takes what comes at once; a switch gives the room back when the train has left it.
    let own = credits.map(|Credits { news, .. }| transmit.may_put(news, 1));
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
        let bytes = passage.framing.on_wire(u64::from(train.bytes));
        if let Some(loads) = loads {
            f.update(loads).leave(passing.number, bytes);
        }
        match asked {
            Admission::Nothing => {}
            // No train is larger than the largest.
            Admission::Room(left) => f.update(left).bytes -= bytes.min(f.get(left).bytes),
            Admission::Arbiter(arbiter) => f.update(arbiter).serve(bytes),
        }
        // News of free room goes back over the link by which the train came.
        if let Ok(at) = given_back.binary_search_by_key(&came.link, |given| given.0) {
            f.put_after(given_back[at].1, Freed { lane: came.lane, bytes }, left + passage.latency);
        }
        if let Some(news) = own {
            f.put_after(news, Freed { lane: train.lane, bytes }, there + passage.latency);
        }
        f.record(busy, f.span_on(own_page, next).as_seconds());
        f.put_after(free, clock, next);
        f.put_after(onward, train, there);
    });
}
