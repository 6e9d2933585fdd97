//! What the model's network makes of one message, as a formula: two hosts and a switch, and nothing else on the links
//! (`petrio_models::network` at the level of trains; the tests hold the formula against the net itself).

use petrio_models::network::{HostCosts, NetworkParameters};

/// Nanoseconds of a second.
pub(super) const NS: f64 = 1e9;

/// Bytes of the wire that a message takes, each of its trains for itself.
pub(super) fn on_wire(parameters: &NetworkParameters, bytes: u64) -> u64 {
    let (framing, largest) = (parameters.framing(), parameters.largest_train());
    let (whole, rest) = (bytes / largest, bytes % largest);
    let of_rest = if rest > 0 || whole == 0 { framing.on_wire(rest) } else { 0 };
    whole * framing.on_wire(largest) + of_rest
}

/// How long a message is on the wire without latencies, ns: on the second link a frame later than on the first. What a
/// full token bucket covers takes no time.
pub(super) fn transit_ns(parameters: &NetworkParameters, bytes: u64) -> f64 {
    let all = on_wire(parameters, bytes);
    let first = parameters.framing().first_frame(bytes);
    let at_once = parameters.link.bucket.map_or(0, petrio_units::Bytes::get);
    let waits = all.saturating_sub(at_once) + first.saturating_sub(at_once);
    waits as f64 / parameters.link.rate.bytes_per_second() * NS
}

/// Processor time that a message costs both its hosts, ns.
pub(super) fn costs_ns(costs: &HostCosts, bytes: u64) -> f64 {
    let each = costs.send.as_seconds() + costs.receive.as_seconds();
    let kib = costs.send_kib.as_seconds() + costs.receive_kib.as_seconds();
    (each + kib * bytes as f64 / 1024.0) * NS
}

/// From when a message is given to the network until it has come, ns.
pub(super) fn one_way_ns(parameters: &NetworkParameters, bytes: u64) -> f64 {
    let latency = 2.0 * parameters.link.latency.as_seconds() * NS;
    costs_ns(&parameters.host_costs(), bytes) + latency + transit_ns(parameters, bytes)
}
