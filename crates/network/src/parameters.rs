//! What a network is made of, as it is written.

use super::arbitration::ArbitrationParameters;
use super::bus::AdapterParameters;
use super::costs::{HostCosts, HostCostsParameters};
use super::error::NetworkError;
use super::frames::{Framing, FramingParameters};
use super::lanes::Lanes;
use super::tcp::TcpParameters;
use super::topology::{Link, LinkKind, Wiring};
use super::transport::Transport;
use petrio_stage::Lever;
use petrio_stage::lever::doubled;
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A link between a host and a switch, or between two switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkParameters {
    /// Bits or bytes a second in each direction, headers of frames included.
    pub rate: Rate,
    /// From the end of a link to the other, with what the switch or adapter behind it takes to pass a frame on.
    #[serde(default = "no_time")]
    pub latency: Duration,
    /// Whether both directions can be used at once.
    #[serde(default)]
    pub duplex: Duplex,
    /// Whose turn it is when trains wait for it.
    #[serde(default)]
    pub turns: Turns,
    /// A link whose rate a token bucket limits, as Linux's tbf does: so many bytes pass at once after a rest. Left out,
    /// it is a wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bytes>,
    /// At the level of packets, bytes of frames (as they take them of the wire) that may wait before a link that leaves
    /// a switch: who comes then is dropped. Left out, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<Bytes>,
    /// Bytes of frames that there is room for at its end: nobody sends what there is no room for, and nothing is lost
    /// (credits of InfiniBand, of Fibre Channel between buffers; Ethernet's pause). Left out, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<Bytes>,
}

impl LinkParameters {
    /// A wire in both directions.
    pub fn wire(rate: Rate, latency: Duration) -> Self {
        Self {
            rate,
            latency,
            duplex: Duplex::Full,
            turns: Turns::Connections,
            bucket: None,
            buffer: None,
            credits: None,
        }
    }
}

/// Which directions of a link can be used at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Duplex {
    /// Both.
    #[default]
    Full,
    /// One.
    Half,
}

/// Whose turn it is at a link for which trains wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Turns {
    /// Connections take turns of as many bytes, and the trains of each come one after the other: what adapters with a
    /// queue for each connection do, and what comes of windows that are small beside what is sent.
    #[default]
    Connections,
    /// Who comes first goes first (pfifo, and the queue within tbf).
    Arrivals,
}

/// How much of the network is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Messages of a host leave one after the other at the rate of its link and take its latency, whatever others send: the
    /// multiplexer of the dissertation's chapter 6. `window`, `credits` and `gap` don't hold here.
    Ideal,
    /// Messages are cut into trains of frames. A connection's trains go one after the other, and connections take turns
    /// at each link.
    #[default]
    Train,
    /// Each frame by itself: TCP as of `tcp`, whose acknowledgements are frames, too,
    /// and switches that drop what they have no room for. A train of 64 KiB is 69 frames here, acknowledgements
    /// included.
    Packet,
    /// Each message is a flow at the greatest rate that the other flows leave it (max-min fairness over all links of
    /// its way), and its latencies at the end. One message of a connection flows at a time. `credits` and `gap` don't hold
    /// here.
    Fluid,
}

/// A network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkParameters {
    /// The links between hosts and switches.
    pub link: LinkParameters,
    /// The links between switches; left out, as those of hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trunk: Option<LinkParameters>,
    /// What carries messages.
    #[serde(default)]
    pub transport: Transport,
    /// How data are cut into frames; what is left out is as the transport has it.
    #[serde(default, skip_serializing_if = "FramingParameters::are_none")]
    pub framing: FramingParameters,
    /// Whether a switch passes a frame on before it has all of it (InfiniBand, Myrinet), or after (Ethernet); left out, as
    /// the transport has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_through: Option<bool>,
    /// Virtual lanes of each link (InfiniBand's VL), 1 to 8: a message of service level n takes lane n, or the last one.
    /// Each has the link's credits for itself, and of two that wait at a link the higher lane goes first, or whose turn
    /// it is by `arbitration`. With credits a torus needs two lanes for each level, and a dragonfly two or three, so that
    /// links don't wait for each other in a circle.
    #[serde(default = "one_lane", skip_serializing_if = "is_one_lane")]
    pub virtual_lanes: u8,
    /// Whose turn it is among virtual lanes; left out, the highest goes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arbitration: Option<ArbitrationParameters>,
    /// What each host's adapter does between memory and wire; left out, nothing that takes time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<AdapterParameters>,
    /// Bytes of a connection that may be under way, which its receiver hasn't acknowledged (the window of TCP; Linux
    /// lets it grow to the third value of `net.ipv4.tcp_rmem`, 6 MiB). Left out, any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Bytes>,
    /// What messages cost hosts; what is left out is as the transport has it.
    #[serde(default, skip_serializing_if = "HostCostsParameters::are_usual")]
    pub costs: HostCostsParameters,
    /// Least time between two messages of a host (LogGP's g); left out, none.
    #[serde(default = "no_time", skip_serializing_if = "is_no_time")]
    pub gap: Duration,
    /// How much of it is modelled.
    #[serde(default)]
    pub level: Level,
    /// At the level of trains, the largest train. Left out, what a host's link passes in half a millisecond, but at most
    /// 64 KiB and at least a frame's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<Bytes>,
    /// The share of frames that are lost on their way: at the level of packets of all, at the others of datagrams alone (`proto=udp` of
    /// NFS), for what TCP sends again isn't told apart there. Left out, none but those that `buffer` has no room for.
    #[serde(default, skip_serializing_if = "no_loss")]
    pub loss: Fraction,
    /// At the level of packets, the hosts' TCP; left out, that of Linux.
    #[serde(default, skip_serializing_if = "TcpParameters::are_usual")]
    pub tcp: TcpParameters,
}

/// Virtual lanes at most.
pub(super) const MOST_LANES: u8 = 8;

const fn one_lane() -> u8 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_one_lane(lanes: &u8) -> bool {
    *lanes == 1
}

pub(super) fn no_time() -> Duration {
    Duration::default()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn no_loss(loss: &Fraction) -> bool {
    *loss == Fraction::default()
}

fn is_no_time(time: &Duration) -> bool {
    *time == Duration::default()
}

/// The largest train that nobody asks for, in bytes of data.
const LARGEST_TRAIN: u64 = 64 << 10;
/// The longest train that nobody asks for, in seconds at a link.
const LONGEST_TRAIN: f64 = 0.5e-3;

/// So many frames make a train of which it doesn't matter whether its last one is full.
const MANY_FRAMES: u64 = 16;

impl NetworkParameters {
    /// A network of such links on Ethernet, which costs hosts nothing, at the usual level.
    pub fn of_links(link: LinkParameters) -> Self {
        Self {
            link,
            trunk: None,
            transport: Transport::default(),
            framing: FramingParameters::default(),
            cut_through: None,
            virtual_lanes: 1,
            arbitration: None,
            adapter: None,
            window: None,
            costs: HostCostsParameters::NONE,
            gap: no_time(),
            level: Level::default(),
            train: None,
            loss: Fraction::default(),
            tcp: TcpParameters::default(),
        }
    }

    /// Whether it makes sense.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn check(&self) -> Result<(), NetworkError> {
        let framing = self.framing();
        let Framing { mtu, packet_headers: headers, .. } = framing;
        if mtu <= headers {
            return Err(NetworkError::Mtu { mtu, headers });
        }
        let frame = Bytes(framing.full_frame());
        for link in self.each_link() {
            if let Some(credits) = link.credits.filter(|&credits| credits < frame) {
                return Err(NetworkError::Credits { credits, frame });
            }
            if let Some(bucket) = link.bucket.filter(|&bucket| bucket < frame) {
                return Err(NetworkError::Bucket { bucket, frame });
            }
            if let Some(buffer) = link.buffer.filter(|&buffer| buffer < frame) {
                return Err(NetworkError::Buffer { buffer, frame });
            }
        }
        if !(1..=MOST_LANES).contains(&self.virtual_lanes) {
            return Err(NetworkError::Lanes(self.virtual_lanes));
        }
        let data = Bytes(framing.data());
        if let Some(window) = self.window.filter(|&window| window < data) {
            return Err(NetworkError::Window { window, data });
        }
        if self.train == Some(Bytes(0)) {
            return Err(NetworkError::Train);
        }
        // More than every second one: nothing is ever heard of a datagram of several frames.
        if self.loss.get() > 0.5 {
            return Err(NetworkError::Loss(self.loss.to_string()));
        }
        if let Some(field) = self.tcp.mistake() {
            return Err(NetworkError::Tcp(field));
        }
        Ok(())
    }

    /// Whether it makes sense with such a wiring.
    ///
    /// # Errors
    /// See [`NetworkError`].
    pub fn check_on(&self, wiring: &Wiring) -> Result<(), NetworkError> {
        let has_trains = matches!(self.level, Level::Train | Level::Packet);
        if has_trains && self.least_credits().is_some() {
            match wiring.lanes_against_circles() {
                None => return Err(NetworkError::Circle),
                Some(needed) if needed > self.virtual_lanes => return Err(NetworkError::FewLanes(needed)),
                Some(_) => {}
            }
        }
        let Some(arbitration) = &self.arbitration else { return Ok(()) };
        let lanes = Lanes::of(self, wiring).levels();
        match (arbitration.unknown(lanes), arbitration.forgotten(lanes)) {
            (Some(lane), _) => Err(NetworkError::UnknownLane { lane, lanes }),
            (None, Some(lane)) => Err(NetworkError::ForgottenLane(lane)),
            (None, None) => Ok(()),
        }
    }

    /// What could be better about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let faster = |stage, part, change, path: &str, link: &LinkParameters| {
            Lever::twice(stage, part, change).set_some(path, "rate", doubled(link.rate))
        };
        let link = format!("{path}.link");
        let words = "the hosts' links twice as fast";
        let mut levers = vec![
            faster("up", "the links from hosts", words, &link, &self.link),
            faster("down", "the links to hosts", words, &link, &self.link),
            Lever::twice("latency", "the latency of links", "half of the latency of links").halved(
                &link,
                "latency",
                self.link.latency,
            ),
        ];
        if let Some(trunk) = &self.trunk {
            let path = format!("{path}.trunk");
            let words = "the links between switches twice as fast";
            levers.push(faster("trunk", "the links between switches", words, &path, trunk));
        }
        if let Some(adapter) = &self.adapter {
            let path = format!("{path}.adapter");
            for (stage, part) in
                [("fetch", "the bus that hosts send over"), ("store", "the bus that hosts receive over")]
            {
                let twice = Lever::twice(stage, part, "adapters on a bus twice as fast");
                levers.push(twice.set_some(&path, "bus", doubled(adapter.bus)));
            }
        }
        if let Some(window) = self.window {
            let wider = Lever::twice("held", "the window", "windows twice as wide");
            levers.push(wider.set(path, "window", Bytes(window.get().saturating_mul(2))));
        }
        levers.into_iter().filter_map(Lever::if_any).collect()
    }

    /// How data are cut into frames.
    pub fn framing(&self) -> Framing {
        self.framing.over(self.transport.framing())
    }

    /// What messages cost hosts.
    pub fn host_costs(&self) -> HostCosts {
        self.costs.over(self.transport.host_costs())
    }

    /// How long an adapter takes for an atomic operation on its host's memory.
    pub fn atomic(&self) -> Duration {
        self.adapter.map_or_else(super::bus::usual_atomic, |adapter| adapter.atomic)
    }

    /// Whether a switch passes a frame on before it has all of it.
    pub(super) fn cuts_through(&self) -> bool {
        self.cut_through.unwrap_or(self.transport.cuts_through())
    }

    /// Whether each frame is looked at as TCP does.
    pub(super) fn runs_tcp(&self) -> bool {
        self.level == Level::Packet && self.transport.is_tcp()
    }

    /// Whether messages may go to groups of hosts.
    pub fn has_groups(&self) -> bool {
        !self.runs_tcp()
    }

    /// What is set and has no effect at its level.
    pub fn without_effect(&self) -> Vec<&'static str> {
        let is_ideal = self.level == Level::Ideal;
        let is_without_trains = is_ideal || self.level == Level::Fluid;
        let set = [
            ("credits", is_without_trains && self.least_credits().is_some()),
            ("gap", is_without_trains && self.gap != no_time()),
            ("window", is_ideal && self.window.is_some()),
        ];
        set.into_iter().filter(|(_, is)| *is).map(|(key, _)| key).collect()
    }

    /// Whether any link has little room before it.
    pub(super) fn has_buffers(&self) -> bool {
        self.each_link().any(|link| link.buffer.is_some())
    }

    fn each_link(&self) -> impl Iterator<Item = &LinkParameters> {
        std::iter::once(&self.link).chain(&self.trunk)
    }

    /// The least room at the end of a link, where nobody sends what there is no room for.
    pub fn least_credits(&self) -> Option<Bytes> {
        self.each_link().filter_map(|link| link.credits).min()
    }

    /// The links of a kind, as they usually are.
    pub(super) fn links_of(&self, kind: LinkKind) -> &LinkParameters {
        match kind {
            LinkKind::Trunk => self.trunk.as_ref().unwrap_or(&self.link),
            LinkKind::Host => &self.link,
        }
    }

    /// The rate of a link.
    pub(super) fn rate_of(&self, wire: &Link) -> Rate {
        let usual = self.links_of(wire.kind).rate;
        let lanes = wire.rate.unwrap_or(usual).bytes_per_second() * wire.rate_factor;
        Rate::new(lanes).unwrap_or(usual)
    }

    /// The latency of a link.
    pub(super) fn latency_of(&self, wire: &Link) -> Duration {
        wire.latency.unwrap_or(self.links_of(wire.kind).latency)
    }

    /// Bytes of the wire that the largest of what passes it at once takes: of TCP's frames, each passes by itself.
    pub(super) fn largest_on_wire(&self) -> u64 {
        let framing = self.framing();
        framing.on_wire(if self.runs_tcp() { framing.data() } else { self.largest_train() })
    }

    /// Bytes of data in the largest train: whole frames, where what is cut off of one would be felt.
    pub fn largest_train(&self) -> u64 {
        // A flow has no frames; more than this doesn't fit into a number of 32 bits.
        if self.level == Level::Fluid {
            return u64::from(u32::MAX);
        }
        let framing = self.framing();
        let data = framing.data();
        // Frames of what isn't TCP are not acknowledged: each is a train.
        if self.level == Level::Packet && !self.transport.is_tcp() {
            return data;
        }
        let usual = || {
            let fits = self.link.rate.bytes_per_second() * LONGEST_TRAIN * framing.efficiency();
            whole_part(fits).clamp(data, LARGEST_TRAIN)
        };
        let wanted = self.train.map_or_else(usual, Bytes::get);
        let whole = match wanted / data {
            0 => wanted,
            frames @ 1..MANY_FRAMES => frames * data,
            _ => wanted,
        };
        // Two at least of what a link has room for, if they aren't less than a frame.
        let whole = match self.least_credits() {
            Some(room) => whole.min((room.get() / 2 / framing.full_frame()).max(1) * data),
            None => whole,
        };
        match self.window {
            // A window that two trains don't fit into would be waited for with nothing under way.
            Some(window) => whole.min((window.get() / 2 / data * data).max(data)),
            None => whole,
        }
    }
}
