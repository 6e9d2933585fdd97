//! A network's parameters, of what was measured: a pure function.
//!
//! ```text
//!  streams of large messages ─ goodput ─ what frames carry beside data ─▶ rate
//!                            └ processor time a byte ─▶ costs.send_kib, costs.receive_kib
//!  round trips ─ processor time a message ─▶ costs.send, costs.receive
//!              └ half of one, less costs and time on the wire ─▶ latency
//!  stream of small messages ─ time a message, if that is more than its costs and its frame ─▶ gap
//! ```
//!
//! Everything is a median, or a line through medians. The latency is what is left, so that the model's round trips of
//! small messages are the measured ones; and the rate is such that the model's goodput is. What that leaves of the
//! other round trips is the residual. LogGP's figures are those of Alexandrov, Ionescu, Schauser and Scheiman (1995).

use super::measurements::{Measurements, Streams};
use super::model::{NS, costs_ns, on_wire, one_way_ns, transit_ns};
use super::robust::{Line, median};
use petrio_models::network::{Duplex, HostCosts, LinkParameters, NetworkParameters};
use petrio_time::Time;
use petrio_units::{Duration, Rate};

/// The share of the time that a thread runs, or all processors do, from which on they limit a stream and not a link.
const BUSY: f64 = 0.85;
/// A link passes so many times its goodput of one direction in both, from here on it passes them at once.
const FULL_DUPLEX: f64 = 1.5;
/// So much longer than its other reasons the time between messages must be for a gap of its own.
const GAP: f64 = 1.1;
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
    let mut parameters = NetworkParameters { framing: measured.framing, ..NetworkParameters::of_links(link) };
    // How data are cut into trains depends a little on the rate.
    for _ in 0..3 {
        let carried = on_wire(&parameters, bytes) as f64 / bytes as f64;
        parameters.link.rate = rate(rounded(goodput * carried))?;
    }
    let (limit, duplex) = (limit_of(large()), duplex(measured, goodput));
    parameters.link.duplex = duplex.unwrap_or_default();
    parameters.costs = costs(measured);
    let halves = half_round_trips(measured);
    let line = Line::through(&halves.iter().map(|&(bytes, ns)| (bytes as f64, ns)).collect::<Vec<_>>())?;
    let unexplained = halves.iter().filter(|(bytes, _)| *bytes <= SHORT.min(parameters.framing.data()));
    let latency = median(unexplained.map(|&(bytes, half_ns)| {
        (half_ns - costs_ns(&parameters.costs, bytes) - transit_ns(&parameters, bytes)) / 2.0
    }))?;
    parameters.link.latency = span(latency);
    let interval = measured.small.figure().map(|goodput| measured.small.bytes as f64 / goodput.median * NS);
    parameters.gap = gap(measured, &parameters, interval);
    let HostCosts { send, receive, .. } = parameters.costs;
    let log_gp = LogGp {
        latency_ns: 2.0 * latency.max(0.0) + transit_ns(&parameters, 1),
        send_ns: send.as_seconds() * NS,
        receive_ns: receive.as_seconds() * NS,
        gap_ns: interval.unwrap_or(0.0),
        byte_ns: NS / goodput,
    };
    let residuals = halves.into_iter().map(|(bytes, measured_ns)| Residual {
        bytes,
        measured_ns,
        model_ns: one_way_ns(&parameters, bytes),
    });
    let residuals = residuals.collect();
    Some(Fitted { parameters, limit, duplex_is_known: duplex.is_some(), log_gp, line, residuals })
}

fn largest(streams: &[Streams]) -> Option<&Streams> {
    streams.iter().filter(|streams| !streams.goodput.is_empty()).max_by_key(|streams| streams.bytes)
}

/// Half of a round trip by bytes of a message, ns.
fn half_round_trips(measured: &Measurements) -> Vec<(u64, f64)> {
    let half = |median_ns: &[f64]| Some(median(median_ns.iter().copied())? / 2.0);
    measured.round_trips.iter().filter_map(|trips| Some((trips.bytes, half(&trips.median_ns)?))).collect()
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

/// What messages cost processors: each of them of round trips, their bytes of streams, whose processors do nothing else.
fn costs(measured: &Measurements) -> HostCosts {
    let short = || measured.round_trips.iter().filter(|trips| trips.bytes <= SHORT);
    let each = |of: fn(&super::measurements::RoundTrips) -> &[f64]| {
        let points: Vec<(f64, f64)> = short()
            .filter_map(|trips| Some((trips.bytes as f64, median(of(trips).iter().copied())?)))
            .collect();
        let at_least = points.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
        let begin = Line::through(&points).map(|line| line.begin);
        begin.or(points.first().map(|(_, ns)| *ns)).map_or(0.0, |begin| begin.clamp(0.0, at_least))
    };
    let (send, receive) = (each(|trips| &trips.send_ns), each(|trips| &trips.receive_ns));
    let streams = || measured.forth.iter().chain(&measured.back);
    // A stream's messages cost as much each as those that go to and fro; what is left is their bytes'.
    let kib = |of: fn(&Streams) -> &[f64], each: f64| {
        let byte = streams()
            .filter_map(|streams| Some(median(of(streams).iter().copied())? - each / streams.bytes as f64));
        median(byte).unwrap_or(0.0) * 1024.0
    };
    HostCosts {
        send: span(send),
        receive: span(receive),
        send_kib: span(kib(|streams| &streams.send_byte_ns, send)),
        receive_kib: span(kib(|streams| &streams.receive_byte_ns, receive)),
    }
}

/// The time between messages that neither what they cost nor their frames explain.
fn gap(measured: &Measurements, parameters: &NetworkParameters, interval: Option<f64>) -> Duration {
    let HostCosts { send, receive, .. } = parameters.costs;
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
    Duration::new(Time::from_picos((rounded(ns.max(0.0)) * 1e3).round() as u64))
}

/// To four digits, as many as a measurement has at most.
fn rounded(figure: f64) -> f64 {
    if !figure.is_finite() || figure <= 0.0 {
        return figure;
    }
    let step = 10f64.powi(figure.log10().floor() as i32 - 3);
    let steps = (figure / step).round();
    // A step below one is no exact number, but one divided by it nearly is.
    if step < 1.0 { steps / (1.0 / step).round() } else { steps * step }
}
