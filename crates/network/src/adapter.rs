//! A host's end of a network: messages are cut into trains and sent, trains that arrive become messages again.
//!
//! ```text
//!  send ─▶ (host costs) ─▶ pack ─┬────────────────▶ queue of the link
//!                                └▶ held ─▶ admit ─▶   ▲    (window; acknowledgements)
//!  services ◀─ deliver ◀─ (host costs) ◀─ unpack ◀─ arrivals
//! ```
//!
//! Host costs are time on the host's processors. What an adapter does for another one (a one-sided access, its answer) costs none
//! of the host whose memory it is. Messages of a connection keep their order there, too: whichever turn
//! of a connection ends first is its oldest message's.

use super::costs::HostCosts;
use super::entrance::Entrance;
use super::groups::Groups;
use super::lanes::Lanes;
use super::loads::Loads;
use super::losses::Losses;
use super::parameters::NetworkParameters;
use super::topology::Wiring;
use super::train::{Stream, Train, trains};
use super::window::{Verdict, Windows};
use petrio_colours::{Message, Verb};
use petrio_kernel::{Firing, Key, PageBuilder, Place, Put, Time, TransitionBuilder};
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;
use petrio_stage::{MANY, Stage};
use petrio_units::numbers::in_proportion;
use std::sync::Arc;

/// The ports of a host on a network, while they are being collected.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    /// The host's name.
    pub(super) name: String,
    /// Where messages are given to the network.
    pub(super) send: Place<Box<Message>>,
    /// Where trains arrive.
    pub(super) arrivals: Place<Box<Train>>,
    /// Where messages are taken from it, by the number of their service.
    pub(super) services: Vec<(u32, Place<Box<Message>>)>,
    /// What its connections hear of what they have sent.
    pub(super) heard: Option<Place<Acknowledged>>,
}

/// What a receiver tells a sender.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Acknowledged {
    pub(super) stream: Stream,
    pub(super) bytes: u32,
}

/// What all adapters of a network share.
pub(super) struct Common<'n> {
    pub(super) parameters: &'n NetworkParameters,
    pub(super) wiring: &'n Arc<Wiring>,
    /// Where acknowledgements go, and how long they take.
    pub(super) acknowledged: Option<(Place<Acknowledged>, Time)>,
    /// What waits before links, where routes are chosen by it.
    pub(super) loads: Option<Place<Loads>>,
    pub(super) lanes: Lanes,
    pub(super) groups: &'n Arc<Groups>,
    /// A number that no other network has.
    pub(super) network: usize,
}

impl Common<'_> {
    /// Those of these processors whose time messages cost that are received.
    pub(super) fn costs_of_receiving<'p>(
        &self,
        processors: &'p Option<&mut Processors>,
    ) -> Option<&'p Processors> {
        let HostCosts { receive: each, receive_kib: kib, .. } = self.parameters.host_costs();
        processors.as_deref().filter(|_| each.time() + kib.time() != Time::ZERO)
    }
}

impl Adapter {
    pub(super) fn new(page: &mut PageBuilder<'_>, name: &str, has_windows: bool) -> Self {
        Self {
            name: name.to_owned(),
            send: page.fifo("send"),
            arrivals: page.fifo("arrivals"),
            services: Vec::new(),
            heard: has_windows.then(|| page.fifo("acknowledged")),
        }
    }

    /// Builds the sending half; trains go to `queue`.
    #[expect(clippy::too_many_lines, reason = "a page's transitions in the order of a train's way")]
    pub(super) fn sending(
        &self,
        page: &mut PageBuilder<'_>,
        common: &Common<'_>,
        processors: Option<&mut Processors>,
        queue: &Entrance,
    ) -> Option<Stage> {
        let outgoing = self.outgoing(page, common, processors);
        // Levels without trains have no windows here.
        let windows = self
            .heard
            .and(common.parameters.window)
            .map(|window| page.state("windows", Windows::new(window)));
        let held = windows.map(|_| page.keyed::<Box<Train>>("held", |train| train.stream.key()));
        let mut pack = page.transition("pack");
        let message = pack.take(outgoing);
        let state = windows.map(|windows| pack.update(windows));
        let onward = queue.of(&mut pack, MANY);
        let wait = held.map(|held| pack.may_put(held, MANY));
        let loads = common.loads.map(|loads| pack.peek(loads));
        let sizes = (common.parameters.largest_train(), common.parameters.framing().data());
        let wiring = Arc::clone(common.wiring);
        let (transport, lanes) = (common.parameters.transport, common.lanes);
        let groups = Arc::clone(common.groups);
        pack.action(move |f| {
            let message = f.take(message);
            let stream = Stream::of(&message);
            // Switches don't send back what came, so that there is nowhere to go.
            if groups.is_only(stream.destination, stream.source) {
                return;
            }
            let before = |link| loads.map_or(0, |loads| f.get(loads).before(link));
            let way = wiring.way(stream.source, stream.destination, stream.spread(), &before);
            let bytes = transport.with_headers(message.bytes);
            let lane = lanes.lane(message.service_level, 0);
            // Nobody acknowledges what many receive.
            let is_held = stream.destination < wiring.hosts();
            for train in trains(message, bytes, sizes, (way, lane)) {
                let mut train = Box::new(train);
                let (Some(state), Some(wait), true) = (state, wait, is_held) else {
                    onward.put(f, train);
                    continue;
                };
                match f.update(state).arrive(stream, train.bytes) {
                    Verdict::Goes { asks } => {
                        train.asks = asks;
                        onward.put(f, train);
                    }
                    Verdict::Waits => f.put(wait, train),
                }
            }
        });
        let (Some(windows), Some(held), Some(heard)) = (windows, held, self.heard) else { return None };
        page.port_in("acknowledged", heard);
        let opened = page.fifo::<Stream>("opened");
        let mut hear = page.transition("hear");
        let news = hear.take(heard);
        let state = hear.update(windows);
        let open = hear.put(opened);
        hear.action(move |f| {
            let Acknowledged { stream, bytes } = f.take(news);
            f.update(state).acknowledge(stream, bytes);
            f.put(open, stream);
        });
        // As many as the window lets go, one after the other.
        let mut admit = page.transition("admit");
        let stream = admit.take(opened);
        let train = admit.take_key(held, move |binding| binding.get(stream).key());
        let state = admit.update(windows);
        admit.guard(move |binding| binding.get(state).may_go(*binding.get(stream), binding.get(train).bytes));
        let (onward, again) = (queue.of(&mut admit, 1), admit.put(opened));
        admit.action(move |f| {
            let (stream, mut train) = (f.take(stream), f.take(train));
            train.asks = f.update(state).release(stream, train.bytes);
            onward.put(f, train);
            f.put(again, stream);
        });
        // What has been heard opens the window as far as it does, and no further.
        let mut forget = page.transition("heard enough");
        forget.priority(petrio_stage::instants::WHEN_IDLE);
        forget.consume(opened);
        forget.action(|_| {});
        Some(Stage::queue(format!("{}/held", page.path()), &[held.id()]))
    }

    /// Where messages are that have cost the host what it takes to send them.
    pub(super) fn outgoing(
        &self,
        page: &mut PageBuilder<'_>,
        common: &Common<'_>,
        processors: Option<&mut Processors>,
    ) -> Place<Box<Message>> {
        page.port_in("send", self.send);
        let HostCosts { send: each, send_kib: kib, .. } = common.parameters.host_costs();
        match processors.filter(|_| each.time() + kib.time() != Time::ZERO) {
            Some(processors) => {
                turns(page, "sending", (self.send, is_answer), processors, (each.time(), kib.time()))
            }
            None => self.send,
        }
    }

    /// Builds the receiving half.
    pub(super) fn receiving(
        &self,
        page: &mut PageBuilder<'_>,
        common: &Common<'_>,
        processors: Option<&mut Processors>,
    ) {
        let received = common.costs_of_receiving(&processors).map(|_| page.fifo("received"));
        let losses = Losses::at(page, common.parameters);
        let mut unpack = page.transition("unpack");
        let train = unpack.take(self.arrivals);
        let acknowledge = common.acknowledged.map(|(place, after)| (unpack.may_put(place, 1), after));
        let delivery = match received {
            Some(received) => Delivery::One(unpack.may_put(received, 1)),
            None => Delivery::declare(&mut unpack, &self.services, 1),
        };
        unpack.action(move |f| {
            let train = f.take(train);
            let is_lost = losses.is_some_and(|losses| losses.has(f, &train));
            let Train { stream, asks, message, .. } = *train;
            if let Some((acknowledge, after)) = acknowledge.filter(|_| asks > 0) {
                f.put_after(acknowledge, Acknowledged { stream, bytes: asks }, after);
            }
            if let Some(message) = message.filter(|_| !is_lost) {
                delivery.deliver(f, message);
            }
        });
        self.incoming(page, common, processors, received);
    }

    /// Builds what messages go through that have been received, where that costs the host anything.
    pub(super) fn incoming(
        &self,
        page: &mut PageBuilder<'_>,
        common: &Common<'_>,
        processors: Option<&mut Processors>,
        received: Option<Place<Box<Message>>>,
    ) {
        for (_, place) in &self.services {
            page.port_out("messages", *place);
        }
        let HostCosts { receive: each, receive_kib: kib, .. } = common.parameters.host_costs();
        let (Some(received), Some(processors)) = (received, processors) else { return };
        let done =
            turns(page, "receiving", (received, is_for_adapter), processors, (each.time(), kib.time()));
        let mut deliver = page.transition("deliver");
        let message = deliver.take(done);
        let delivery = Delivery::declare(&mut deliver, &self.services, 1);
        deliver.action(move |f| {
            let message = f.take(message);
            delivery.deliver(f, message);
        });
    }
}

/// To whom messages are handed.
pub(super) enum Delivery {
    One(Put<Box<Message>>),
    Services(Vec<(u32, Put<Box<Message>>)>),
}

impl Delivery {
    /// To these services, each of at most so many messages at a time.
    pub(super) fn declare(
        transition: &mut TransitionBuilder<'_>,
        services: &[(u32, Place<Box<Message>>)],
        most: u32,
    ) -> Self {
        Self::Services(
            services.iter().map(|&(number, place)| (number, transition.may_put(place, most))).collect(),
        )
    }

    pub(super) fn deliver(&self, f: &mut Firing<'_>, message: Box<Message>) {
        match self {
            Self::One(put) => f.put(*put, message),
            Self::Services(services) => {
                match services.iter().find(|(number, _)| *number == message.service) {
                    Some(&(_, put)) => f.put(put, message),
                    None => f.fail(format!(
                        "a message for service {} came to host {}, which hasn't got it: a mistake in a model",
                        message.service, message.destination
                    )),
                }
            }
        }
    }
}

/// What an adapter sends of its own accord.
fn is_answer(message: &Message) -> bool {
    message.verb == Verb::Reply
}

/// What it does when it comes.
fn is_for_adapter(message: &Message) -> bool {
    message.verb.is_for_adapter()
}

/// Where messages come from, and which of them cost nothing.
type Come = (Place<Box<Message>>, fn(&Message) -> bool);

/// Messages from `from` use the host's processors for a time each and for a time each KiB, but for those that are `free`; where
/// they go then.
fn turns(
    page: &mut PageBuilder<'_>,
    name: &str,
    (from, free): Come,
    processors: &mut Processors,
    (each, kib): (Time, Time),
) -> Place<Box<Message>> {
    let mut page = page.page(name);
    let running = processors.place();
    page.shared("processor", running);
    let client = processors.client_for::<Key>(Function::Network);
    let line = page.keyed::<Box<Message>>("in order", |message| Stream::of(message).key());
    let over = page.fifo::<Key>("over");
    let done = page.fifo("done");
    processors.returns(client, move |ran| {
        let over = ran.may_put(over, 1);
        move |f, _, key| f.put(over, *key)
    });
    let mut begin = page.transition("begin");
    let message = begin.take(from);
    let (run, wait, past) = (begin.may_put(running, 1), begin.may_put(line, 1), begin.may_put(done, 1));
    begin.action(move |f| {
        let message = f.take(message);
        if free(&message) {
            f.put(past, message);
            return;
        }
        let key = Stream::of(&message).key();
        let span = each + Time::from_picos(in_proportion(kib.as_picos(), message.bytes, 1 << 10));
        f.put(run, client.work(span, Box::new(key)));
        f.put(wait, message);
    });
    let mut end = page.transition("end");
    let key = end.take(over);
    let message = end.take_key(line, move |binding| *binding.get(key));
    let onward = end.put(done);
    end.action(move |f| {
        let _ = f.take(key);
        let message = f.take(message);
        f.put(onward, message);
    });
    done
}
