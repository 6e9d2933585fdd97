//! A fabric between a host and an array: a host bus adapter, and a full-duplex link to the array's port.
//!
//! ```text
//! requests ─▶ adapter ─▶ to-array ═link═▶ down ─▶ … array … ─▶ up ─▶ to-host ═link═▶ completions
//! ```
//!
//! Source: the Fibre Channel Protocol for SCSI (INCITS FCP-2). A command, its data and its response travel in frames; a
//! write's data wait until the target says that it is ready for them (FCP_XFER_RDY), which costs a way there and back.
//! Each direction of the link carries one frame sequence after the other; the ways there and back don't hinder each
//! other.
//!
//! Leaves out: credits between ports (the link is short enough for them never to run out), and the array's own
//! controller, whose cache and processors are stages of their own. Several links to one array are [`multipath`](super::multipath).

use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_stage::lever::doubled;
use petrio_stage::{Lever, Stage};
use petrio_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fabric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricParameters {
    /// The host bus adapter's work on each request; those of several requests overlap.
    pub adapter: Duration,
    /// One way through cables and switches.
    pub latency: Duration,
    /// Rate of each direction after line coding. 2 Gbit/s Fibre Channel sends 2.125 GBd in an 8b/10b code: 212.5 MB/s.
    pub rate: Rate,
    /// Most bytes of data in a frame (2,048 of the 2,112 that a Fibre Channel frame can hold, as adapters use).
    #[serde(default = "payload")]
    pub payload: Bytes,
    /// Bytes around the data of a frame: start 4, header 24, check 4, end 4, and six idle words of 4 before the next.
    #[serde(default = "frame_overhead")]
    pub frame_overhead: Bytes,
    /// Whether a write's data wait until the array is ready for them.
    #[serde(default = "yes")]
    pub transfer_ready: bool,
}

fn payload() -> Bytes {
    Bytes(2_048)
}

fn frame_overhead() -> Bytes {
    Bytes(60)
}

fn yes() -> bool {
    true
}

/// Bytes of a command (FCP_CMND), of the word that the target is ready (FCP_XFER_RDY), and of a response (FCP_RSP).
const COMMAND_BYTES: u64 = 32;
const READY_BYTES: u64 = 12;
const RESPONSE_BYTES: u64 = 24;

impl FabricParameters {
    /// How long a sequence of frames with so many bytes of data occupies one direction of the link.
    pub fn occupation(&self, bytes: u64) -> Time {
        let frames = bytes.div_ceil(self.payload.get().max(1)).max(1);
        self.rate.time_for(bytes.saturating_add(frames.saturating_mul(self.frame_overhead.get())))
    }

    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        // Both ways share their parameters: whichever works names them.
        let link = |way| {
            Lever::twice(way, "link", "the link twice as fast")
                .set_some(path, "rate", doubled(self.rate))
                .halved(path, "latency", self.latency)
                .covering(&["link"])
        };
        let levers = [
            link("to-array"),
            link("to-host"),
            Lever::twice("to-array", "host adapter", "the host adapter twice as fast")
                .halved(path, "adapter", self.adapter)
                .covering(&["host adapter"]),
        ];
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    /// How long a request occupies the way to the array.
    fn to_array(&self, request: &BlockRequest) -> Time {
        let data = match request.direction {
            Direction::Write => self.occupation(request.bytes()),
            Direction::Read | Direction::Flush | Direction::Discard => Time::ZERO,
        };
        self.occupation(COMMAND_BYTES) + data
    }

    /// How long a request travels to the array: a write once more there and back, until the array is ready.
    fn travel(&self, request: &BlockRequest) -> Time {
        let latency = self.latency.time();
        match request.direction {
            Direction::Write if self.transfer_ready => {
                latency + latency + latency + self.occupation(READY_BYTES)
            }
            _ => latency,
        }
    }

    /// How long a completion occupies the way to the host.
    fn to_host(&self, request: &BlockRequest) -> Time {
        let data = match request.direction {
            Direction::Read => self.occupation(request.bytes()),
            Direction::Write | Direction::Flush | Direction::Discard => Time::ZERO,
        };
        self.occupation(RESPONSE_BYTES) + data
    }
}

/// Builds the page `name`: requests come from the host and go `down` to the array; what comes `up` goes back to the
/// host.
pub fn fabric_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    parameters: &FabricParameters,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    (down, up): (Place<BlockRequest>, Place<BlockRequest>),
) -> Vec<Stage> {
    let mut page = parent.page(name);
    page.port_in("requests", requests);
    page.port_out("completions", completions);
    page.port_out("down", down);
    page.port_in("up", up);
    let queues: [Place<BlockRequest>; 2] = ["to-array", "to-host"].map(|name| page.fifo(name));

    let mut adapter = page.page("adapter");
    let working = adapter.fifo::<BlockRequest>("working");
    let overhead = parameters.adapter.time();
    let mut begin = adapter.transition("begin");
    let request = begin.take(requests);
    let put = begin.put(working);
    begin.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, Cause::Queue, f.now());
        f.put_after(put, request, overhead);
    });
    let mut end = adapter.transition("end");
    let request = end.take(working);
    let put = end.put(queues[0]);
    end.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, Cause::Overhead, f.now());
        f.put(put, request);
    });

    let mut receive = page.transition("receive");
    let request = receive.take(up);
    let put = receive.put(queues[1]);
    receive.action(move |f| {
        let request = f.take(request);
        f.put(put, request);
    });

    let mut link = page.page("link");
    let fabric = parameters.clone();
    let there = move |request: &BlockRequest| (fabric.to_array(request), fabric.travel(request));
    let fabric = parameters.clone();
    let back = move |request: &BlockRequest| (fabric.to_host(request), fabric.latency.time());
    let ways = [
        way(&mut link, "to-array", (queues[0], down), there),
        way(&mut link, "to-host", (queues[1], completions), back),
    ];
    let path = page.path().to_owned();
    let parts = vec![("host adapter", format!("{path}/adapter")), ("link", format!("{path}/link"))];
    std::iter::zip(["to-array", "to-host"], std::iter::zip(queues, ways))
        .map(|(name, (queue, serving))| {
            Stage::server(format!("{path}/{name}"), 1, &[serving.id()])
                .entered_by(&[queue.id()])
                .waited_for_in(&[queue.id()])
                .with_parts(parts.clone())
        })
        .collect()
}

/// One direction of the link: what is sent occupies it, and then travels. `spans` gives both times. Gives the place in
/// which requests occupy it.
fn way(
    page: &mut PageBuilder<'_>,
    name: &str,
    (from, to): (Place<BlockRequest>, Place<BlockRequest>),
    spans: impl Fn(&BlockRequest) -> (Time, Time) + Send + Sync + 'static,
) -> Place<BlockRequest> {
    let [sending, travelling] = ["sending", "travelling"].map(|what| page.fifo(&format!("{what}-{name}")));
    let idle = page.fifo::<()>(&format!("idle-{name}"));
    page.initial(idle, [()]);
    let spans = std::sync::Arc::new(spans);

    let mut send = page.transition(&format!("send-{name}"));
    send.consume(idle);
    let request = send.take(from);
    let put = send.put(sending);
    let occupies = std::sync::Arc::clone(&spans);
    send.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, Cause::Queue, f.now());
        let (occupation, _) = occupies(&request);
        f.put_after(put, request, occupation);
    });
    let mut sent = page.transition(&format!("sent-{name}"));
    let request = sent.take(sending);
    let (free, put) = (sent.put(idle), sent.put(travelling));
    sent.action(move |f| {
        let request = f.take(request);
        let (_, travel) = spans(&request);
        f.put(free, ());
        f.put_after(put, request, travel);
    });
    let mut arrive = page.transition(&format!("arrive-{name}"));
    let request = arrive.take(travelling);
    let put = arrive.put(to);
    arrive.action(move |f| {
        let mut request = f.take(request);
        charge(&mut request, Cause::Bus, f.now());
        f.put(put, request);
    });
    page.conserve(&format!("way-{name}"), &[(idle.id(), 1), (sending.id(), 1)]);
    sending
}

/// Charges what isn't accounted for yet.
fn charge(request: &mut BlockRequest, cause: Cause, now: Time) {
    request.ledger.charge(cause, now.saturating_sub(request.issued + request.ledger.total()));
}

#[cfg(test)]
mod tests;
