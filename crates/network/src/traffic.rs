//! Traffic of others: hosts that send messages which nobody waits for, as a load beside what is looked at.
//!
//! ```text
//!  due ─▶ send ─▶ the host's adapter ⋯ network ⋯ received ─▶ read
//!   ▲       │
//!   └───────┘ after what lies between two messages
//! ```

use super::page::{GroupPort, Network, Port};
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_random::{uniform, uniform_below};
use petrio_stage::MANY;
use petrio_units::numbers::{as_index, as_number};
use petrio_units::{Bytes, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What lies between two messages of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Times of an exponential distribution: many who know nothing of each other.
    #[default]
    Random,
    /// The same time: a stream.
    Even,
}

/// What each sender of background traffic sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrafficParameters {
    /// Bytes a second.
    pub rate: Rate,
    /// Bytes of a message.
    pub message: Bytes,
    /// What lies between two messages.
    pub spacing: Spacing,
    /// The service level of its messages.
    pub service_level: u8,
    /// Whether each message goes to all at once, rather than to one of them.
    pub multicast: bool,
}

/// Streams of background traffic have connections of their own: the last ones.
const CONNECTION: u32 = u32::MAX;

/// Whom background traffic goes to.
enum Receivers {
    /// One of these each time, by chance.
    One(Vec<Port>),
    /// All of a group at once.
    All(GroupPort),
}

impl Receivers {
    /// The destination and service of a sender's next message; none where there is nobody else.
    fn next(&self, source: u32, draw: impl FnOnce(u64) -> u64) -> Option<(u32, u32)> {
        match self {
            Self::One(ports) => {
                let others = || ports.iter().filter(|port| port.host != source);
                let count = others().count() as u64;
                let port = others().nth(if count > 0 { as_index(draw(count)) } else { return None })?;
                Some((port.host, port.service))
            }
            Self::All(group) => {
                let has_others = group.received.iter().any(|(host, _)| *host != source);
                has_others.then_some((group.destination, group.service))
            }
        }
    }

    /// Where messages arrive, by the hosts' numbers.
    fn received(&self) -> Vec<(u32, Place<Box<Message>>)> {
        match self {
            Self::One(ports) => ports.iter().map(|port| (port.host, port.received)).collect(),
            Self::All(group) => group.received.clone(),
        }
    }
}

impl Network {
    /// Lets hosts, by their numbers, send messages to others: each time to another one of `to` by chance, or to all of
    /// these. The page is `name`, on that of the network.
    pub fn traffic(
        &mut self,
        parent: &mut PageBuilder<'_>,
        name: &str,
        (from, to): (&[u32], &[u32]),
        parameters: &TrafficParameters,
    ) {
        let receivers = if parameters.multicast {
            Receivers::All(self.group(parent, (to, from), name))
        } else {
            Receivers::One(to.iter().map(|&host| self.port(parent, host, name)).collect())
        };
        let senders: Vec<_> = from.iter().map(|&host| (host, self.sends(host))).collect();
        let mut network = parent.reopen(self.name());
        let mut page = network.page(name);
        for (host, received) in receivers.received() {
            let mut read = page.transition(&format!("read {host}"));
            read.consume(received);
            read.action(|_| {});
        }
        let draws = page.stream("messages");
        let due = page.fifo::<u32>("due");
        page.initial(due, 0..as_number(senders.len()));
        let mut send = page.transition("send");
        let sender = send.take(due);
        let again = send.put(due);
        let senders: Vec<_> =
            senders.into_iter().map(|(host, place)| (host, send.may_put(place, MANY))).collect();
        let parameters = *parameters;
        let bytes = parameters.message.get().max(1);
        let (mean, spacing) = (parameters.rate.time_for(bytes), parameters.spacing);
        send.action(move |f| {
            let number = f.take(sender);
            let (source, out) = senders[number as usize];
            // Each begins somewhere within an interval: nothing is sent at once.
            let is_first = f.now() == Time::ZERO;
            let to = if is_first {
                None
            } else {
                receivers.next(source, |others| uniform_below(f.random(draws), others))
            };
            if let Some((destination, service)) = to {
                let message = Message {
                    source,
                    destination,
                    connection: CONNECTION,
                    service,
                    verb: Verb::Send,
                    service_level: parameters.service_level,
                    bytes,
                    payload: Parcel::new(Box::new(())),
                };
                f.put(out, Box::new(message));
            }
            let drawn = uniform(f.random(draws));
            let next = match (spacing, is_first) {
                (Spacing::Random, _) => Time::from_seconds(-libm::log(1.0 - drawn) * mean.as_seconds()),
                (Spacing::Even, true) => Time::from_seconds(drawn * mean.as_seconds()),
                (Spacing::Even, false) => mean,
            };
            f.put_after(again, number, next.max(Time::from_nanos(1)));
        });
    }
}
