//! The cache's page: memory takes its time, writes wait for room.

use super::RaidCacheParameters;
use super::destage::Shape;
use super::state::{Answer, Cache, Down};
use petrio_colours::{BlockRequest, Cause, Status};
use petrio_kernel::{Firing, PageBuilder, Place, Put, StationSpec, Sum, Time, TransitionBuilder, Update};
use petrio_stage::Stage;

/// What a cache stands between.
#[derive(Clone, Copy, Debug)]
pub(in crate::raid) struct CachePorts {
    pub(in crate::raid) requests: Place<BlockRequest>,
    pub(in crate::raid) completions: Place<BlockRequest>,
    pub(in crate::raid) down: Place<Down>,
    pub(in crate::raid) up: Place<BlockRequest>,
}

#[derive(Clone, Copy)]
struct Places {
    ports: CachePorts,
    cache: Place<Cache>,
    memory: Place<BlockRequest>,
    for_room: Place<BlockRequest>,
    room: Place<()>,
    looking: Place<()>,
}

/// Where what an event brings about goes.
#[derive(Clone, Copy)]
struct Outs {
    cache: Update<Cache>,
    down: Put<Down>,
    memory: Put<BlockRequest>,
    completions: Put<BlockRequest>,
    for_room: Put<BlockRequest>,
    room: Put<()>,
    looking: Put<()>,
}

/// Most writes from memory that one event begins, and reads that it ends, for drawings: no place here has a capacity.
const MANY: u32 = u32::MAX;

impl Outs {
    fn declare(transition: &mut TransitionBuilder<'_>, places: &Places) -> Self {
        Self {
            cache: transition.update(places.cache),
            down: transition.may_put(places.ports.down, MANY),
            memory: transition.may_put(places.memory, MANY),
            completions: transition.may_put(places.ports.completions, 1),
            for_room: transition.may_put(places.for_room, 1),
            room: transition.may_put(places.room, 1),
            looking: transition.may_put(places.looking, 1),
        }
    }

    fn follow(self, f: &mut Firing<'_>, answer: Answer) {
        for down in answer.down {
            f.put(self.down, down);
        }
        for request in answer.serves {
            f.put(self.memory, request);
        }
        if let Some(request) = answer.complete {
            f.put(self.completions, request);
        }
        if let Some(request) = answer.waits {
            f.put(self.for_room, request);
        }
        if answer.calls {
            f.put(self.room, ());
        }
        if let Some(after) = answer.looks {
            f.put_after(self.looking, (), after);
        }
    }
}

/// Builds the page `cache`, before an array of this shape.
#[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a request's way")]
pub(in crate::raid) fn cache_page(
    parent: &mut PageBuilder<'_>,
    parameters: &RaidCacheParameters,
    ports: CachePorts,
    shape: Shape,
) -> (Vec<Stage>, Place<Cache>) {
    let mut page = parent.page("cache");
    let rate = parameters.rate;
    let span = move |request: &BlockRequest| rate.map_or(Time::ZERO, |rate| rate.time_for(request.bytes()));
    let service = move |request: &BlockRequest, _: &mut _| span(request);
    let places = Places {
        ports,
        cache: page.state("contents", Cache::new(parameters, shape)),
        memory: page.station("memory", StationSpec::first_come(1, service)),
        for_room: page.fifo("for-room"),
        room: page.fifo("room"),
        looking: page.fifo("looking"),
    };

    let mut look_up = page.transition("look up");
    let request = look_up.take(ports.requests);
    let outs = Outs::declare(&mut look_up, &places);
    look_up.action(move |f| {
        let (request, now) = (f.take(request), f.now());
        let answer = f.update(outs.cache).arrive(request, now);
        outs.follow(f, answer);
    });

    let mut admit = page.transition("admit");
    admit.consume(places.room);
    let request = admit.take(places.for_room);
    let outs = Outs::declare(&mut admit, &places);
    admit.action(move |f| {
        let (mut request, now) = (f.take(request), f.now());
        let waited = now.saturating_sub(request.issued + request.ledger.total());
        request.ledger.charge(Cause::Queue, waited);
        let answer = f.update(outs.cache).admit(request, now);
        outs.follow(f, answer);
    });

    let mut serve = page.transition("serve");
    let request = serve.take(places.memory);
    let completions = serve.put(ports.completions);
    serve.action(move |f| {
        let (mut request, now) = (f.take(request), f.now());
        let spent = now.saturating_sub(request.issued + request.ledger.total());
        let moved = span(&request).min(spent);
        request.ledger.charge(Cause::Bus, moved);
        request.ledger.charge(Cause::Queue, spent.saturating_sub(moved));
        request.status = Status::DoneFromCache;
        f.put(completions, request);
    });

    let mut back = page.transition("back");
    let part = back.take(ports.up);
    let outs = Outs::declare(&mut back, &places);
    back.action(move |f| {
        let (part, now) = (f.take(part), f.now());
        match f.update(outs.cache).back(&part, now) {
            Some(answer) => outs.follow(f, answer),
            None => f.fail(format!(
                "the array completes a request with the tag {}, which its cache never sent",
                part.tag
            )),
        }
    });

    let mut look = page.transition("look");
    look.consume(places.looking);
    let outs = Outs::declare(&mut look, &places);
    look.action(move |f| {
        let now = f.now();
        let answer = f.update(outs.cache).look(now);
        outs.follow(f, answer);
    });

    let sent = Sum::new().of(places.cache, Cache::sent_and_back).taken(ports.up, -1);
    page.conserve_sum("sent", sent);
    let stages = vec![
        Stage::queue(format!("{}/for-room", page.path()), &[places.for_room.id()]),
        Stage::station(format!("{}/memory", page.path()), places.memory.id()),
    ];
    (stages, places.cache)
}
