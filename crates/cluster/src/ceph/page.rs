//! The pages of a pool.
//!
//! ```text
//!  requests ─▶ (enter) ─▶ ┌──────┐ ─▶ network ─▶ (hear, at each end) ─▶ ┐
//!  completions ◀───────── │ pool │ ─▶ processors ─▶ ran ─▶ (run) ─────▶ │ pool
//!                         └──────┘ ─▶ devices ─▶ up ─▶ (done) ────────▶ │
//!                            └─────▶ events ─▶ (happen) ──────────────▶ ┘
//! ```

use super::effort::{Errand, Event, Payload};
use super::layout::Device;
use super::parameters::CephParameters;
use super::pool::{CLIENT, Pool};
use petrio_colours::{BlockRequest, Message};
use petrio_kernel::{PageBuilder, Place, Sum, Time};
use petrio_network::Port;
use petrio_stage::function::Function;
use petrio_stage::instants;
use petrio_stage::processor::{Client, Processors, Work};
use petrio_stage::reactor::{Heard, Reactor};

/// A pool's surroundings.
#[derive(Debug)]
pub struct CephPorts<'p> {
    /// Requests come in.
    pub requests: Place<BlockRequest>,
    /// What is complete goes out.
    pub completions: Place<BlockRequest>,
    /// By OSD: its device, where that is asked, and where it answers.
    pub devices: Vec<(Device, Place<BlockRequest>, Place<BlockRequest>)>,
    /// The client's port on the network, then each host's.
    pub network: &'p [Port],
    /// Their processors, in the same order.
    pub processors: &'p mut [Processors],
}

/// Builds the page of a pool with its OSDs. Its parameters have been checked.
pub fn ceph_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &CephParameters,
    CephPorts { requests, completions, devices, network, processors }: CephPorts<'_>,
) -> Place<Pool> {
    let mut page = parent.page(name);
    page.carries::<Payload>();
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    let below: Vec<Device> = devices.iter().map(|(device, ..)| *device).collect();
    let pool = page.state("pool", Pool::new(parameters, &below, network));
    let events = page.fifo::<Event>("events");
    for stop in &parameters.stops {
        page.initial_after(events, Event::Stop(stop.osd), stop.at.time());
        if let Some(after) = stop.returns_after {
            let at = stop.at.time().saturating_add(after.time());
            page.initial_after(events, Event::Return(stop.osd), at);
        }
    }
    let ran = page.fifo::<Box<Errand>>("ran");
    let works = Workers::new(&mut page, processors, ran);
    let reactor = reactor(pool, (completions, events, ran), &devices, network, works);
    reactor.hears(&mut page, "enter", requests, |pool, request, now| {
        pool.enter(request, now);
        Ok(())
    });
    for (end, port) in network.iter().enumerate() {
        let name = if end == CLIENT { "hear".to_owned() } else { format!("hear{end}") };
        reactor.hears(&mut page, &name, port.received, hear);
    }
    reactor.hears(&mut page, "run", ran, |pool, errand, now| {
        pool.ran(*errand, now);
        Ok(())
    });
    for (osd, (_, down, up)) in (0u32..).zip(&devices) {
        page.port_out(&format!("down{osd}"), *down);
        page.port_in(&format!("up{osd}"), *up);
        reactor.hears(&mut page, &format!("done{osd}"), *up, move |pool, request, now| {
            pool.device_done(osd, request.tag, now)
        });
    }
    let mut happen = page.transition("happen");
    happen.priority(instants::ENDS);
    let event = happen.take(events);
    let arcs = reactor.arcs(&mut happen);
    happen.action(move |f| {
        let event = f.take(event);
        arcs.react(f, |pool, now| pool.happens(event, now));
    });
    page.conserve_sum("requests", Sum::new().of(pool, Pool::came).taken(requests, -1));
    pool
}

/// The processors at which a pool's parts work.
struct Workers {
    clients: Vec<Client<Errand>>,
    places: Vec<Place<Work>>,
}

impl Workers {
    fn new(page: &mut PageBuilder<'_>, processors: &mut [Processors], ran: Place<Box<Errand>>) -> Self {
        let places = processors.iter().map(Processors::place).collect();
        let worker = |own: &mut Processors| {
            page.shared("processor", own.place());
            own.worker(Function::FileServices, ran).client()
        };
        Self { clients: processors.iter_mut().map(worker).collect(), places }
    }
}

fn reactor(
    pool: Place<Pool>,
    (completions, events, ran): (Place<BlockRequest>, Place<Event>, Place<Box<Errand>>),
    devices: &[(Device, Place<BlockRequest>, Place<BlockRequest>)],
    network: &[Port],
    Workers { clients, places }: Workers,
) -> Reactor<Pool> {
    let ends = network.len();
    // What a host tells itself crosses no network.
    let ways = network.iter().map(|port| port.send).chain(network.iter().map(|port| port.received));
    let way = move |message: Message| {
        let (from, to) = (message.source as usize, message.destination as usize);
        Some((if from == to { ends + from } else { from }, Box::new(message), Time::ZERO))
    };
    let works = move |(end, span, errand): (u32, Time, Errand)| {
        let client = clients.get(end as usize)?;
        (span > Time::ZERO).then(|| (end as usize, client.work(span, Box::new(errand)), Time::ZERO))
    };
    Reactor::new(pool)
        .gives(|pool| &mut pool.complete, completions)
        .gives_among(|pool| &mut pool.messages, ways, way)
        .gives_among(|pool| &mut pool.works, places, works)
        .gives_among(|pool| &mut pool.at_once, [ran], |errand| Some((0, Box::new(errand), Time::ZERO)))
        .gives_among(
            |pool| &mut pool.requests,
            devices.iter().map(|(_, down, _)| *down),
            |(osd, request)| Some((osd as usize, request, Time::ZERO)),
        )
        .gives_among(|pool| &mut pool.events, [events], |(event, after)| Some((0, event, after)))
}

#[expect(clippy::boxed_local, reason = "messages lie boxed in places")]
fn hear(pool: &mut Pool, message: Box<Message>, now: Time) -> Heard {
    match message.payload.open::<Payload>() {
        Some(payload) => {
            pool.hears(&payload, now);
            Ok(())
        }
        None => Err("a pool hears what nobody of it said: a mistake in the model"),
    }
}
