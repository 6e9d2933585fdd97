//! What was measured of a network, before anything is made of it.

use super::super::spread::Quartiles;
use super::protocol::About;
use petrio_models::network::Framing;
use petrio_units::Bytes;

/// Messages of one size to and fro.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoundTrips {
    /// Bytes of a message.
    pub bytes: u64,
    /// How many round trips were timed in all.
    pub count: u64,
    /// The median of each turn, ns.
    pub median_ns: Vec<f64>,
    /// What 99 of 100 in each turn are shorter than, ns.
    pub p99_ns: Vec<f64>,
    /// Processor time to send a message, ns: medians of the turns, of both ends. Of long ones it isn't taken.
    pub send_ns: Vec<f64>,
    /// And to receive one that is there.
    pub receive_ns: Vec<f64>,
}

/// A stream of messages of one size in one direction, in each turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Streams {
    /// Bytes of a message.
    pub bytes: u64,
    /// Bytes a second that arrive.
    pub goodput: Vec<f64>,
    /// Processor time for each byte that is sent, ns.
    pub send_byte_ns: Vec<f64>,
    /// And for each that is received.
    pub receive_byte_ns: Vec<f64>,
    /// The share of the time in which the busier of both threads was running, or all processors of the busier of both
    /// machines were at work of the kernel, whichever is more.
    pub busy: Vec<f64>,
}

impl Streams {
    /// Goodput over the turns; none without any.
    pub fn figure(&self) -> Option<Quartiles> {
        Quartiles::of(self.goodput.iter().copied())
    }
}

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurements {
    /// How data are cut into frames, as far as the ends know.
    pub framing: Framing,
    /// The token bucket before each link, where it is known that there is one.
    pub bucket: Option<Bytes>,
    /// By size, the smallest first.
    pub round_trips: Vec<RoundTrips>,
    /// Small messages.
    pub small: Streams,
    /// Large messages from the client to the server, one size after the other.
    pub forth: Vec<Streams>,
    /// And from the server to the client.
    pub back: Vec<Streams>,
    /// Large messages in both directions at once: goodput is that of both together.
    pub both: Streams,
}

/// Both ends, and how they are connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// Who measured.
    pub client: About,
    /// Who answered.
    pub server: About,
    /// From which address.
    pub from: String,
    /// To which.
    pub to: String,
    /// How the two are connected, if petrio has made that.
    pub between: Option<String>,
}

impl Connection {
    /// Whether both ends are on one machine, and share its processors.
    pub fn are_one_machine(&self) -> bool {
        !self.client.boot.is_empty() && self.client.boot == self.server.boot
    }
}
