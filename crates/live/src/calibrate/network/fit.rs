//! A network's parameters, of what was measured: a pure function.
//!
//! ```text
//!  streams of large messages ─ goodput ─ what frames carry beside data ─▶ rate
//!  round trips ─ processor time over bytes ─▶ costs
//!              └ half of one, less costs and time on the wire ─▶ latency
//!  stream of small messages ─ time a message, if that is more than its costs and its frame ─▶ gap
//! ```
//!
//! What a host's processor does while a message is under way costs it time, but nobody waits for that. The model has
//! one figure for both, so that where the processor time of small messages is more than their round trips, it is as
//! much.
//!
//! Of the turns of a time, each a median itself, counts what a quarter of them are below: what else a machine does only
//! ever makes them longer. Goodput is a median, for what is held up comes faster afterwards; everything else
//! is one, too, or a line through such. The latency is what is left, so that the model's round trips of small messages
//! are the measured ones; and the rate is such that the model's goodput is. What that leaves of other round trips is
//! the residual. LogGP's figures are those of Alexandrov, Ionescu, Schauser and Scheiman (1995).

use super::measurements::{Measurements, RoundTrips, Streams};
use super::model::{NS, costs_ns, on_wire, one_way_ns, transit_ns};
use super::robust::{Line, low, median};
use petrio_models::network::{Duplex, HostCosts, LinkParameters, NetworkParameters};
use petrio_time::Time;
use petrio_units::numbers::nearest_whole;
use petrio_units::{Duration, Rate};

/// The share of the time that a thread runs, or all processors do, from which on they limit a stream and not a link.
const BUSY: f64 = 0.85;
/// A link that passes so many times its goodput of one direction in both passes them at once: one that doesn't has the
/// same for both together.
const FULL_DUPLEX: f64 = 1.2;
/// So much longer than its other reasons the time between messages must be for a gap of its own.
const GAP: f64 = 1.1;
/// Where a bucket is filled in a smaller share of half of a round trip than this, the round trip doesn't wait for it.
const BUCKET: f64 = 0.8;
/// Messages up to so long tell what one costs.
const SHORT: u64 = 4_000;

/// What keeps a stream from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The network.
    Link,
    /// The processors of the ends: the link may be faster.
    Processors,
}

/// LogGP's figures, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGp {
    /// L: from host to host, the time of a small frame on the wire included.
    pub latency_ns: f64,
    /// o of the sender.
    pub send_ns: f64,
    /// o of the receiver.
    pub receive_ns: f64,
    /// g: between two small messages of a stream.
    pub gap_ns: f64,
    /// G: a byte of a stream of large messages.
    pub byte_ns: f64,
}

/// One size of messages: half of a round trip as it was, and as the model has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Bytes of a message.
    pub bytes: u64,
    /// Measured, ns.
    pub measured_ns: f64,
    /// Of the model, ns.
    pub model_ns: f64,
}

impl Residual {
    /// By which share the model is longer.
    pub fn off(self) -> f64 {
        self.model_ns / self.measured_ns - 1.0
    }
}

/// A network that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// As the model takes it.
    pub parameters: NetworkParameters,
    /// What limits a stream in one direction.
    pub limit: Limit,
    /// Whether both directions at once tell something of the link; they don't where processors limit them.
    pub duplex_is_known: bool,
    /// The share of messages' processor time for which nobody waits, and which the parameters therefore haven't got.
    pub hidden: f64,
    /// As LogGP has it.
    pub log_gp: LogGp,
    /// Half of a round trip over the bytes of a message, ns.
    pub line: Line,
    /// What the parameters leave unexplained, by size.
    pub residuals: Vec<Residual>,
}

impl Fitted {
    /// The median of how far the model's round trips are from those measured, as a share.
    pub fn residual(&self) -> f64 {
        median(self.residuals.iter().map(|residual| residual.off().abs())).unwrap_or(0.0)
    }
}

/// Derives the network; none where there are no round trips or no streams in it.
pub fn fit(measured: &Measurements) -> Option<Fitted> {
    let large = || largest(&measured.forth).into_iter().chain(largest(&measured.back));
    let goodputs: Vec<f64> = large().filter_map(|streams| Some(streams.figure()?.median)).collect();
    let goodput = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
    let bytes = large().next()?.bytes;
    // The time on the wire isn't known before the rate, and the rate doesn't need it.
    let link = LinkParameters { bucket: measured.bucket, ..LinkParameters::wire(rate(goodput)?, no_time()) };
    let mut parameters =
        NetworkParameters { framing: measured.framing.into(), ..NetworkParameters::of_links(link) };
    // How data are cut into trains depends a little on the rate.
    for _ in 0..3 {
        let carried = on_wire(&parameters, bytes) as f64 / bytes as f64;
        // To digits of bits a second, in which rates of networks are written.
        parameters.link.rate = rate(rounded(goodput * carried * 8.0) / 8.0)?;
    }
    let (limit, duplex) = (limit_of(large()), duplex(measured, goodput));
    parameters.link.duplex = duplex.unwrap_or_default();
    let halves = half_round_trips(measured);
    let shortest = halves.iter().map(|(_, half_ns)| *half_ns).fold(f64::INFINITY, f64::min);
    let all = costs(measured);
    let hidden = (1.0 - shortest / (all.send_ns + all.receive_ns)).max(0.0);
    parameters.costs = all.without(hidden).as_written();
    let line = Line::through(&halves.iter().map(|&(bytes, ns)| (bytes as f64, ns)).collect::<Vec<_>>())?;
    let unexplained = halves.iter().filter(|&&(bytes, half_ns)| {
        bytes <= SHORT.min(parameters.framing().data()) && filled_ns(&parameters, bytes) < BUCKET * half_ns
    });
    let latency = median(unexplained.map(|&(bytes, half_ns)| {
        (half_ns - costs_ns(&parameters.host_costs(), bytes) - transit_ns(&parameters, bytes)) / 2.0
    }))?;
    parameters.link.latency = span(latency);
    let interval = measured.small.figure().map(|goodput| measured.small.bytes as f64 / goodput.median * NS);
    parameters.gap = gap(measured, &parameters, interval);
    let HostCosts { send, receive, .. } = parameters.host_costs();
    let log_gp = LogGp {
        latency_ns: 2.0 * latency.max(0.0) + transit_ns(&parameters, 1),
        send_ns: send.as_seconds() * NS,
        receive_ns: receive.as_seconds() * NS,
        gap_ns: interval.unwrap_or(0.0),
        byte_ns: NS / goodput,
    };
    let residuals = halves.into_iter().map(|(bytes, measured_ns)| {
        let model_ns = one_way_ns(&parameters, bytes).max(filled_ns(&parameters, bytes));
        Residual { bytes, measured_ns, model_ns }
    });
    let residuals = residuals.collect();
    Some(Fitted { parameters, limit, duplex_is_known: duplex.is_some(), hidden, log_gp, line, residuals })
}

fn largest(streams: &[Streams]) -> Option<&Streams> {
    streams.iter().filter(|streams| !streams.goodput.is_empty()).max_by_key(|streams| streams.bytes)
}

/// Half of a round trip by bytes of a message, ns.
fn half_round_trips(measured: &Measurements) -> Vec<(u64, f64)> {
    measured
        .round_trips
        .iter()
        .filter_map(|trips| Some((trips.bytes, low(&trips.median_ns)? / 2.0)))
        .collect()
}

fn limit_of<'m>(streams: impl Iterator<Item = &'m Streams>) -> Limit {
    let busy = median(streams.flat_map(|streams| streams.busy.iter().copied()));
    if busy.is_some_and(|busy| busy >= BUSY) { Limit::Processors } else { Limit::Link }
}

/// Whether both directions pass at once; none where that can't be told.
fn duplex(measured: &Measurements, goodput: f64) -> Option<Duplex> {
    let both = measured.both.figure()?.median;
    if both >= FULL_DUPLEX * goodput {
        return Some(Duplex::Full);
    }
    (limit_of(std::iter::once(&measured.both)) == Limit::Link).then_some(Duplex::Half)
}

/// What messages cost processors, ns.
struct Costs {
    send_ns: f64,
    receive_ns: f64,
    send_kib_ns: f64,
    receive_kib_ns: f64,
}

impl Costs {
    /// Less a share of what each message costs.
    fn without(&self, share: f64) -> HostCosts {
        HostCosts {
            send: span(self.send_ns * (1.0 - share)),
            receive: span(self.receive_ns * (1.0 - share)),
            send_kib: span(self.send_kib_ns),
            receive_kib: span(self.receive_kib_ns),
        }
    }
}

/// What messages cost processors: each of them where short ones' line begins, and their bytes as all sizes' line rises.
fn costs(measured: &Measurements) -> Costs {
    let of = |figures: fn(&RoundTrips) -> &[f64]| {
        let all: Vec<(f64, f64)> = measured
            .round_trips
            .iter()
            .filter_map(|trips| Some((trips.bytes as f64, low(figures(trips))?)))
            .collect();
        let short: Vec<_> = all.iter().copied().filter(|(bytes, _)| *bytes <= SHORT as f64).collect();
        let least = all.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 0.0 };
        let each = Line::through(&short).map_or(least, |line| line.begin.clamp(0.0, least));
        (each, Line::through(&all).map_or(0.0, |line| line.slope * 1024.0))
    };
    let (send_ns, send_kib_ns) = of(|trips| &trips.send_ns);
    let (receive_ns, receive_kib_ns) = of(|trips| &trips.receive_ns);
    Costs { send_ns, receive_ns, send_kib_ns, receive_kib_ns }
}

/// Messages to and fro can't be faster than a bucket is filled for them: half of that time, ns; of a wire, none.
fn filled_ns(parameters: &NetworkParameters, bytes: u64) -> f64 {
    let rate = parameters.link.rate.bytes_per_second();
    parameters.link.bucket.map_or(0.0, |_| on_wire(parameters, bytes) as f64 / rate * NS / 2.0)
}

/// The time between messages that neither what they cost nor their frames explain.
fn gap(measured: &Measurements, parameters: &NetworkParameters, interval: Option<f64>) -> Duration {
    let HostCosts { send, receive, .. } = parameters.host_costs();
    let frame = on_wire(parameters, measured.small.bytes) as f64;
    let frame_ns = frame / parameters.link.rate.bytes_per_second() * NS;
    let explained = (send.as_seconds() * NS).max(receive.as_seconds() * NS).max(frame_ns);
    let is_busy = limit_of(std::iter::once(&measured.small)) == Limit::Processors;
    interval.filter(|&interval| !is_busy && interval > GAP * explained).map_or_else(no_time, span)
}

fn rate(bytes_per_second: f64) -> Option<Rate> {
    Rate::new(bytes_per_second)
}

const fn no_time() -> Duration {
    Duration::ZERO
}

/// Nanoseconds to four digits; less than none is none.
fn span(ns: f64) -> Duration {
    Duration::new(Time::from_picos(nearest_whole(rounded(ns.max(0.0)) * 1e3)))
}

/// To four digits, as many as a measurement has at most.
fn rounded(figure: f64) -> f64 {
    if !figure.is_finite() || figure <= 0.0 {
        return figure;
    }
    #[expect(clippy::cast_possible_truncation, reason = "no exponent is beyond 324")]
    let step = 10f64.powi(figure.log10().floor() as i32 - 3);
    let steps = (figure / step).round();
    // A step below one is no exact number, but one divided by it nearly is.
    if step < 1.0 { steps / (1.0 / step).round() } else { steps * step }
}
