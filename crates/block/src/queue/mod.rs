//! The request queue of a block device: plugging, merging, scheduling, flushes, and the limits of queue and device.
//!
//! ```text
//!              ┌────(admit)◀── held ◀──┐ full
//!              ▼                       │
//! requests ─▶(accept)─▶ waiting ─▶(dispatch)─▶ down ─▶ … device … ─▶ up ─▶(complete)─▶ completions
//!              └─▶ ask ───────────────▲ ▲                                     │
//!     (wake)◀── idle, plug timers ──▶ ask └──────────── slots ◀───────────────┘
//! ```
//!
//! Source: block/blk-mq.c, block/blk-mq-sched.c, block/blk-flush.c of Linux 6.18; block/ll_rw_blk.c of 2.6.24 for the
//! queue plug of single queues. What a file system gives at one instant is merged before the first of it is dispatched,
//! because dispatching has the lowest priority of all transitions: that is what a process' plug list does
//! (blk_start_plug); what several processes give then stays apart. A `waiting` token stands for a request in the scheduler or in the flush machinery, whose own order
//! is theirs.
//!
//! Leaves out: several hardware queues, each with its own tags; what a plug list holds at most (32 requests); waking
//! those that wait for room in batches of 32; kyber's lower limit for writes nobody waits for.

mod batching;
mod flush;
mod limited;
mod parameters;
mod parts;
mod state;
mod wakings;
mod write_back;

use super::elevator::{Elevator, QueueLimits};
use super::scheduler::Scheduler;
pub use parameters::{Generation, QueueParameters, UnknownScheduler};
use petrio_colours::BlockRequest;
use petrio_kernel::{
    Cancel, Firing, Key, PageBuilder, Place, Put, Sum, Time, Timer, TransitionBuilder, Update,
};
use petrio_persist::Persist;
use petrio_stage::instants;
use petrio_stage::{DEPTH_MAX, Stage};
use state::{Accepted, Queue, Sent};

/// The resident token of the page.
#[derive(Clone, Persist)]
struct Resident {
    queue: Queue,
    /// Whether there is an `ask` token.
    asked: bool,
    /// Stand-ins for requests that wait for the first time, and for those that wait for a further step.
    waiting: Vec<Timer<()>>,
    again: Vec<Timer<()>>,
    /// When the scheduler wants to be asked again.
    idle: Option<(Time, Timer<()>)>,
    /// When the plug is pulled.
    plug: Option<Timer<()>>,
    done: Vec<BlockRequest>,
}

/// The places that the transitions share.
struct Places {
    resident: Place<Resident>,
    waiting: Place<()>,
    again: Place<()>,
    held: Vec<Place<BlockRequest>>,
    /// Whether the second of them is that of what is held back though there is room.
    held_back: bool,
    /// Room for one of those held, under the key of its line: its thread's where the throttle holds it.
    room: Vec<Place<Key>>,
    ask: Place<()>,
    slots: Place<()>,
    idle: Place<()>,
    plug: Option<Place<()>>,
    completions: Place<BlockRequest>,
}

/// Most tokens of a kind that one firing makes, for drawings: no place here has a capacity.
const MANY: u32 = 1_024;

/// The key of what is held in the order in which it came, whoever sent it.
const IN_TURN: Key = 0;

/// Under which key a request waits in front of a line.
fn keys((throttled, limited): (bool, bool), line: usize) -> fn(&BlockRequest) -> Key {
    match line {
        state::HELD_BACK if throttled => write_back::thread,
        state::HELD_BACK if limited => limited::line,
        _ => |_| IN_TURN,
    }
}

/// The arcs that an arrival and a completion have in common.
#[derive(Clone, Copy)]
struct Arcs {
    resident: Update<Resident>,
    ask: Put<()>,
    room: [Option<Put<Key>>; 2],
    completions: Put<BlockRequest>,
    plug: Option<(Put<()>, Cancel<()>)>,
}

impl Arcs {
    fn declare(transition: &mut TransitionBuilder<'_>, places: &Places) -> Self {
        Self {
            resident: transition.update(places.resident),
            ask: transition.may_put(places.ask, 1),
            room: [0, 1].map(|line| {
                let room: Option<&Place<Key>> = places.room.get(line);
                room.map(|room| transition.may_put(*room, MANY))
            }),
            completions: transition.may_put(places.completions, MANY),
            plug: places.plug.map(|plug| (transition.may_put(plug, 1), transition.cancels(plug))),
        }
    }

    /// After something has changed: puts what is complete, lets those in that wait in front, asks for a dispatch, and
    /// sets or cancels the plug's timer.
    fn settle(self, f: &mut Firing<'_>, unplug_delay: Time) {
        let now = f.now();
        let resident = f.update(self.resident);
        let mut done = std::mem::take(&mut resident.done);
        let calls = [0, 1].map(|line| resident.queue.call(line));
        let held_back = resident.queue.call_held_back(now);
        let ask = !resident.asked && resident.queue.has_work();
        resident.asked |= ask;
        let plugged = resident.queue.is_plugged();
        let plug = match (plugged, resident.plug) {
            (false, Some(_)) => resident.plug.take(),
            _ => None,
        };
        let set = plugged && resident.plug.is_none();
        for request in done.drain(..) {
            f.put(self.completions, request);
        }
        f.update(self.resident).done = done;
        for (room, calls) in self.room.into_iter().zip(calls) {
            if let Some(room) = room {
                for _ in 0..calls {
                    f.put(room, IN_TURN);
                }
            }
        }
        if let Some(room) = self.room[state::HELD_BACK] {
            for key in held_back {
                f.put(room, key);
            }
        }
        if ask {
            f.put(self.ask, ());
        }
        if let Some((put, cancel)) = self.plug {
            if let Some(timer) = plug {
                f.cancel(cancel, timer);
            }
            if set {
                let timer = f.put_at_pace(put, (), unplug_delay);
                f.update(self.resident).plug = Some(timer);
            }
        }
    }
}

/// Builds the page `name`: requests come in from a file system (or a throttle) and completions go out to it; `down`
/// takes requests to the device, `up` brings their completions.
///
/// Requests that go down have identifiers of the queue's own, and its own tags; their completions must bring the tags
/// back. Each request comes out once, with its own identifier and tag, and with the device's charges in its ledger.
pub fn queue_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &QueueParameters,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    (down, up): (Place<BlockRequest>, Place<BlockRequest>),
) -> Vec<Stage> {
    queue_page_told(parent, name, (parameters, None), (requests, completions), (down, up))
}

/// The same, told at `exits` of processes that have ended, by their numbers.
pub fn queue_page_told(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, exits): (&QueueParameters, Option<Place<u32>>),
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    (down, up): (Place<BlockRequest>, Place<BlockRequest>),
) -> Vec<Stage> {
    let limits = QueueLimits {
        awaited_apart: parameters.generation.counts_who_waits(),
        write_back_apart: parameters.throttle().is_some(),
        ..parameters.limits
    };
    let elevator = parameters.scheduler.elevator(&limits);
    page_with(parent, name, (parameters, elevator, exits), (requests, completions), (down, up))
}

/// The page with any scheduler.
fn page_with(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (parameters, elevator, exits): (&QueueParameters, Box<dyn Elevator>, Option<Place<u32>>),
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    (down, up): (Place<BlockRequest>, Place<BlockRequest>),
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    page.port_out("down", down);
    page.port_in("up", up);
    let back = (parameters.throttle().is_some(), parameters.limits_places(&*elevator));
    let held_back = back.0 || back.1;
    let (held, unplug_delay): (&[&str], Time) = match parameters.generation {
        Generation::MultiQueue if held_back => (&["held", "held-back"], Time::ZERO),
        Generation::MultiQueue => (&["held"], Time::ZERO),
        Generation::SingleQueue { unplug_delay, .. } => (&["held-reads", "held-writes"], unplug_delay),
    };
    let resident = Resident {
        queue: Queue::new(parameters, elevator),
        asked: false,
        waiting: Vec::new(),
        again: Vec::new(),
        idle: None,
        plug: None,
        done: Vec::new(),
    };
    let places = Places {
        resident: page.state("queue", resident),
        waiting: page.fifo("waiting"),
        again: page.fifo("waiting-for-flush"),
        held: held.iter().enumerate().map(|(line, name)| page.keyed(name, keys(back, line))).collect(),
        held_back,
        room: held.iter().map(|name| page.fifo(&name.replace("held", "room"))).collect(),
        ask: page.fifo("ask"),
        slots: page.fifo("slots"),
        idle: page.fifo("idle"),
        plug: (!unplug_delay.is_never() && unplug_delay > Time::ZERO).then(|| page.fifo("plug")),
        completions,
    };
    page.initial(places.slots, vec![(); parameters.limits.depth.clamp(1, DEPTH_MAX) as usize]);

    arrivals(&mut page, &places, requests, unplug_delay);
    dispatch(&mut page, &places, down);
    complete(&mut page, &places, up, unplug_delay);
    wakings::timers(&mut page, &places);
    if let Some(exits) = exits {
        page.port_in("exits", exits);
        wakings::ends(&mut page, &places, exits);
    }
    // What was sent has come back or is at the device, which has no more than it takes.
    let sent = Sum::new().of(places.resident, |resident| resident.queue.sent_and_back()).taken(up, -1);
    page.conserve_sum("requests sent", sent);
    let at_device = Sum::new().of(places.resident, |resident| resident.queue.at_device() as i64);
    page.conserve_sum("slots", at_device.tokens(places.slots, 1));
    stages(page.path(), &places, requests)
}

/// Requests come in, or wait in front of a full queue until there is room.
fn arrivals(page: &mut PageBuilder<'_>, places: &Places, requests: Place<BlockRequest>, unplug_delay: Time) {
    let lines = places.held.iter().zip(&places.room).enumerate();
    let admits = lines.map(|(line, (held, room))| (Some((line, *room)), *held));
    let back = places.held_back;
    for (admitted, from) in std::iter::once((None, requests)).chain(admits) {
        let mut accept = match admitted {
            None => page.transition("accept"),
            Some((0, _)) if places.held.len() == 1 => page.transition("admit"),
            Some((0, _)) if back => page.transition("admit"),
            Some(_) if back => page.transition("admit-write-back"),
            Some((0, _)) => page.transition("admit-read"),
            Some(_) => page.transition("admit-write"),
        };
        let called = admitted.map(|(_, room)| accept.take(room));
        let request = match called {
            None => accept.take(from),
            Some(called) => accept.take_key(from, move |binding| *binding.get(called)),
        };
        let arcs = Arcs::declare(&mut accept, places);
        let waiting = accept.may_put(places.waiting, MANY);
        let held: [Option<Put<BlockRequest>>; 2] =
            [0, 1].map(|line| places.held.get(line).map(|held| accept.may_put(*held, MANY)));
        let admitted = admitted.map(|(line, _)| line);
        accept.action(move |f| {
            if let Some(called) = called {
                f.take(called);
            }
            let request = f.take(request);
            match f.update(arcs.resident).queue.split(&request) {
                None => accept_one(f, arcs, waiting, held, request, admitted),
                Some(parts) => {
                    for part in parts {
                        accept_one(f, arcs, waiting, held, part, None);
                    }
                }
            }
            arcs.settle(f, unplug_delay);
        });
    }
}

fn accept_one(
    f: &mut Firing<'_>,
    arcs: Arcs,
    waiting: Put<()>,
    held: [Option<Put<BlockRequest>>; 2],
    request: BlockRequest,
    admitted: Option<usize>,
) {
    let now = f.now();
    let resident = f.update(arcs.resident);
    match resident.queue.accept(request, admitted, now) {
        Accepted::Waits => {
            let timer = f.put_at_pace(waiting, (), Time::NEVER);
            f.update(arcs.resident).waiting.push(timer);
        }
        Accepted::Done(request) => resident.done.push(request),
        Accepted::Full(request, line) => {
            if let Some(held) = held[line] {
                f.put(held, request);
            }
        }
    }
}

/// What the scheduler gives goes to the device, as long as the device takes it.
fn dispatch(page: &mut PageBuilder<'_>, places: &Places, down: Place<BlockRequest>) {
    let mut dispatch = page.transition("dispatch");
    dispatch.priority(instants::DISPATCHES);
    dispatch.consume(places.ask);
    dispatch.consume(places.slots);
    let resident = dispatch.update(places.resident);
    let (waiting, again) = (dispatch.cancels(places.waiting), dispatch.cancels(places.again));
    let (idle, overtaken) = (dispatch.may_put(places.idle, 1), dispatch.cancels(places.idle));
    let (ask, slot) = (dispatch.may_put(places.ask, 1), dispatch.may_put(places.slots, 1));
    let down = dispatch.may_put(down, 1);
    dispatch.action(move |f| {
        let now = f.now();
        let unit = f.update(resident);
        unit.asked = false;
        let mut timer = unit.idle;
        match unit.queue.send(now) {
            Sent::Down(request, [requests, further]) => {
                let more = unit.queue.has_work();
                unit.asked = more;
                unit.idle = None;
                for _ in 0..requests {
                    if let Some(timer) = f.update(resident).waiting.pop() {
                        f.cancel(waiting, timer);
                    }
                }
                for _ in 0..further {
                    if let Some(timer) = f.update(resident).again.pop() {
                        f.cancel(again, timer);
                    }
                }
                f.put(down, request);
                if more {
                    f.put(ask, ());
                }
            }
            Sent::IdleUntil(until) => {
                f.put(slot, ());
                if timer.is_some_and(|(at, _)| at == until) {
                    timer = None;
                } else {
                    let wake = f.put_at_pace(idle, (), until - now);
                    f.update(resident).idle = Some((until, wake));
                }
            }
            Sent::Nothing => {
                unit.idle = None;
                f.put(slot, ());
            }
        }
        if let Some((_, timer)) = timer {
            f.cancel(overtaken, timer);
        }
    });
}

/// The device is done with a request.
fn complete(page: &mut PageBuilder<'_>, places: &Places, up: Place<BlockRequest>, unplug_delay: Time) {
    let mut complete = page.transition("complete");
    let completed = complete.take(up);
    let arcs = Arcs::declare(&mut complete, places);
    let again = complete.may_put(places.again, MANY);
    let slot = complete.put(places.slots);
    complete.action(move |f| {
        let completed = f.take(completed);
        let now = f.now();
        let Resident { queue, done, .. } = f.update(arcs.resident);
        let Some(further) = queue.complete(&completed, now, done) else {
            f.put(slot, ());
            f.fail(format!(
                "the device completes a request with the tag {}, which the queue before it never sent",
                completed.tag
            ));
            return;
        };
        for _ in 0..further {
            let timer = f.put_at_pace(again, (), Time::NEVER);
            f.update(arcs.resident).again.push(timer);
        }
        f.put(slot, ());
        arcs.settle(f, unplug_delay);
    });
}

fn stages(path: &str, places: &Places, requests: Place<BlockRequest>) -> Vec<Stage> {
    let mut waiting = vec![places.waiting.id(), places.again.id()];
    waiting.extend(places.held.iter().map(|held| held.id()));
    vec![Stage::queue(format!("{path}/scheduler"), &waiting).entered_by(&[requests.id()])]
}

#[cfg(test)]
mod tests;
