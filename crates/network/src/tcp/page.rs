//! A host's end of a network at the level of packets: its connections cut messages into segments, and put them
//! together.
//!
//! ```text
//!  send ─▶ (host costs) ─▶ send a message ──┬─▶ queue of the link
//!                             wakings ─▶ wake ┤        (time-outs, delayed acknowledgements)
//!  services ◀─ (host costs) ◀─ receive ───────┘◀─ arrivals
//! ```

use super::super::adapter::{Adapter, Common, Delivery};
use super::super::entrance::{Entrance, Onto};
use super::super::losses::Losses;
use super::endpoint::{Endpoints, Outcome, Waking};
use petrio_colours::Message;
use petrio_kernel::{Firing, PageBuilder, Place, Put, TransitionBuilder};
use petrio_stage::MANY;
use petrio_stage::processor::Processors;

impl Adapter {
    /// Builds both halves; frames go to `queue`.
    pub(in super::super) fn connections(
        &self,
        page: &mut PageBuilder<'_>,
        common: &Common<'_>,
        mut processors: Option<&mut Processors>,
        queue: &Entrance,
    ) {
        let outgoing = self.outgoing(page, common, processors.as_deref_mut());
        let parameters = common.parameters;
        let rules = parameters.tcp.rules(parameters.framing().data(), parameters.window);
        let endpoints = page.state("connections", Endpoints::new(rules, common.wiring, common.network));
        let wakings = page.fifo::<Waking>("wakings");

        let mut send = page.transition("send a message");
        let message = send.take(outgoing);
        let state = send.update(endpoints);
        let onward = Onward::declare(&mut send, queue, wakings);
        let transport = parameters.transport;
        send.action(move |f| {
            let (message, now): (Box<Message>, _) = (f.take(message), f.now());
            let bytes = transport.with_headers(message.bytes);
            let outcome = f.update(state).send(message, bytes, now);
            onward.put(f, outcome, |_, _| ());
        });

        let mut wake = page.transition("wake");
        let waking = wake.take(wakings);
        let state = wake.update(endpoints);
        let onward = Onward::declare(&mut wake, queue, wakings);
        wake.action(move |f| {
            let (waking, now) = (f.take(waking), f.now());
            let outcome = f.update(state).wake(waking, now);
            onward.put(f, outcome, |_, _| ());
        });

        let received = common.costs_of_receiving(&processors).map(|_| page.fifo("received"));
        let losses = Losses::at(page, parameters);
        let mut receive = page.transition("receive");
        let frame = receive.take(self.arrivals);
        let state = receive.update(endpoints);
        let onward = Onward::declare(&mut receive, queue, wakings);
        let delivery = match received {
            Some(received) => Delivery::One(receive.may_put(received, MANY)),
            None => Delivery::declare(&mut receive, &self.services, MANY),
        };
        receive.action(move |f| {
            let (frame, now) = (f.take(frame), f.now());
            if losses.is_some_and(|losses| losses.has(f, &frame)) {
                return;
            }
            let outcome = f.update(state).arrive(*frame, now);
            onward.put(f, outcome, |f, message| delivery.deliver(f, message));
        });
        self.incoming(page, common, processors, received);
    }
}

/// Where what comes of anything goes.
struct Onward {
    queue: Onto,
    wakings: Put<Waking>,
}

impl Onward {
    fn declare(transition: &mut TransitionBuilder<'_>, queue: &Entrance, wakings: Place<Waking>) -> Self {
        Self { queue: queue.of(transition, MANY), wakings: transition.may_put(wakings, 1) }
    }

    fn put(
        &self,
        f: &mut Firing<'_>,
        outcome: Outcome,
        mut deliver: impl FnMut(&mut Firing<'_>, Box<Message>),
    ) {
        for message in outcome.delivered {
            deliver(f, message);
        }
        for frame in outcome.frames {
            self.queue.put(f, Box::new(frame));
        }
        if let Some((waking, after)) = outcome.waking {
            // No faster processor shortens a time-out.
            f.put_at_pace(self.wakings, waking, after);
        }
    }
}
