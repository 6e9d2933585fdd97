//! The circle closed: networks of the model, measured in their own simulation, are found again; and so are those whose
//! measurements somebody has disturbed.

#![allow(clippy::unwrap_used)]

use super::measurements::{Measurements, RoundTrips, Streams};
use super::model::{NS, costs_ns, one_way_ns};
use super::{Fitted, fit};
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_models::network::topology::{TopologyParameters, Wiring};
use petrio_models::network::{Duplex, HostCosts, LinkParameters, Network, NetworkParameters, Port};
use petrio_models::processor::Processors;
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;
use std::sync::Arc;

const SIZES: [u64; 8] = [1, 60, 250, 1_000, 1_400, 10_000, 30_000, 250_000];
const LARGE: u64 = 250_000;
const SMALL: u64 = 60;

/// Two hosts at a switch, and nothing but the network.
struct Bench {
    run: Simulation,
    ports: Vec<Port>,
}

impl Bench {
    fn new(parameters: &NetworkParameters) -> Self {
        parameters.check().unwrap();
        let mut net = NetBuilder::new("two hosts");
        let mut page = net.top();
        let wiring = Arc::new(Wiring::new(&TopologyParameters::Star, 2).unwrap());
        let mut network = Network::new(&mut page, "lan", parameters, wiring, &["h0", "h1"]);
        let ports = (0..2).map(|host| network.port(&mut page, host, "test")).collect();
        let hosts = ["host0", "host1"];
        let mut processors: Vec<_> =
            hosts.iter().map(|host| Processors::new(&mut page.page(host), 4)).collect();
        network.finish(&mut page, &mut processors, &[0, 1]);
        for (host, processors) in hosts.iter().zip(processors) {
            processors.finish(&mut page.reopen(host));
        }
        Self { run: Simulation::new(&net.build().unwrap(), 1, 0), ports }
    }

    fn send(&mut self, from: u32, bytes: u64, at: Time) {
        let to = 1 - from;
        let message = Message {
            source: from,
            destination: to,
            connection: 0,
            service: self.ports[to as usize].service,
            verb: Verb::Send,
            service_level: 0,
            bytes,
            payload: Parcel::new(Box::new(0u64)),
        };
        self.run.inject(self.ports[from as usize].send, Box::new(message), at).unwrap();
    }

    /// When the next message comes to either host; none where none comes any more.
    fn next(&mut self) -> Option<Time> {
        loop {
            let next = self.run.next_time().unwrap()?;
            self.run.run_until(next).unwrap();
            let came: usize = (0..2).map(|host| self.run.drain(self.ports[host].received).count()).sum();
            if came > 0 {
                return Some(next);
            }
        }
    }

    /// Round trips one after the other, ns.
    fn round_trips(&mut self, bytes: u64) -> Vec<f64> {
        let mut now = Time::ZERO;
        let mut trips = Vec::new();
        for _ in 0..9 {
            let begin = now;
            for from in [0, 1] {
                self.send(from, bytes, now);
                now = self.next().unwrap();
            }
            trips.push((now - begin).as_seconds() * NS);
        }
        trips
    }

    /// Bytes a second that arrive of a stream, when it has run for a while.
    fn goodput(&mut self, from: &[u32], bytes: u64) -> f64 {
        const COUNT: usize = 60;
        for _ in 0..COUNT {
            for &from in from {
                self.send(from, bytes, Time::ZERO);
            }
        }
        let arrivals: Vec<f64> = std::iter::from_fn(|| self.next()).map(Time::as_seconds).collect();
        let (warm, last) = (arrivals.len() / 3, arrivals.len() - 1);
        // Two that arrive at one instant are one arrival.
        let each = (COUNT * from.len()) as f64 / arrivals.len() as f64;
        (last - warm) as f64 * each * bytes as f64 / (arrivals[last] - arrivals[warm])
    }
}

/// Processor time that the model's message costs.
fn cost_ns(costs: &HostCosts, bytes: u64) -> [f64; 2] {
    [(costs.send, costs.send_kib), (costs.receive, costs.receive_kib)]
        .map(|(each, kib)| (each.as_seconds() + kib.as_seconds() * bytes as f64 / 1024.0) * NS)
}

/// What a measurement of a simulated network finds.
fn simulated(parameters: &NetworkParameters) -> Measurements {
    let streams = |bytes, goodput| Streams { bytes, goodput: vec![goodput], ..Streams::default() };
    let stream = |from: &[u32], bytes| streams(bytes, Bench::new(parameters).goodput(from, bytes));
    Measurements {
        framing: parameters.framing(),
        bucket: parameters.link.bucket,
        round_trips: SIZES
            .map(|bytes| {
                let [send_ns, receive_ns] = cost_ns(&parameters.host_costs(), bytes).map(|ns| vec![ns]);
                let median_ns = Bench::new(parameters).round_trips(bytes)[1..].to_vec();
                RoundTrips { bytes, count: 8, median_ns, p99_ns: Vec::new(), send_ns, receive_ns }
            })
            .to_vec(),
        small: stream(&[0], SMALL),
        forth: vec![stream(&[0], LARGE)],
        back: vec![stream(&[1], LARGE)],
        both: stream(&[0, 1], LARGE),
    }
}

fn network(rate: &str, latency: &str, costs: [&str; 4]) -> NetworkParameters {
    let [send, receive, send_kib, receive_kib] = costs.map(|cost| cost.parse().unwrap());
    let link = LinkParameters::wire(rate.parse().unwrap(), latency.parse().unwrap());
    let costs = HostCosts { send, receive, send_kib, receive_kib }.as_written();
    NetworkParameters { costs, ..NetworkParameters::of_links(link) }
}

fn near(found: f64, wanted: f64, share: f64) -> bool {
    (found - wanted).abs() <= share * wanted.abs() + 1e-9
}

/// Holds what was found against what was there.
fn is_found(wanted: &NetworkParameters) -> Fitted {
    let found = fit(&simulated(wanted)).unwrap();
    let (is, was) = (&found.parameters, wanted);
    let rate = |parameters: &NetworkParameters| parameters.link.rate.bytes_per_second();
    assert!(near(rate(is), rate(was), 0.005), "rate {:?} {:?}", is.link, was.link);
    let latency = |parameters: &NetworkParameters| parameters.link.latency.as_seconds();
    assert!((latency(is) - latency(was)).abs() < 60e-9 + 0.01 * latency(was), "{:?} {:?}", is.link, was.link);
    for bytes in [0, 1 << 20] {
        let [of_is, of_was] = [is, was].map(|parameters| cost_ns(&parameters.host_costs(), bytes));
        for (is, was) in of_is.into_iter().zip(of_was) {
            assert!(near(is, was, 0.001), "{bytes}: {is} {was}");
        }
    }
    assert_eq!((is.link.duplex, is.link.bucket), (was.link.duplex, was.link.bucket));
    for residual in &found.residuals {
        assert!(residual.off().abs() < 0.02, "{residual:?} {}", was.link.rate);
    }
    found
}

const USUAL: [&str; 4] = ["4 us", "6 us", "100 ns", "150 ns"];

#[test]
fn a_simulated_network_is_found_again_at_any_rate() {
    for (rate, latency) in
        [("10 Mbit/s", "2 ms"), ("200 Mbit/s", "0 s"), ("1 Gbit/s", "25 us"), ("25 Gbit/s", "1 us")]
    {
        let found = is_found(&network(rate, latency, USUAL));
        assert_eq!(found.parameters.gap, Duration::ZERO, "{rate}");
        assert!(found.duplex_is_known);
    }
    is_found(&network("1 Gbit/s", "5 us", ["0 s"; 4]));
}

#[test]
fn half_a_duplex_is_found_again() {
    let mut half = network("100 Mbit/s", "50 us", USUAL);
    half.link.duplex = Duplex::Half;
    // As of TCP: without one, a switch would keep what one direction sends until the other has ended.
    half.window = Some(Bytes(1_000_000));
    is_found(&half);
}

#[test]
fn a_bucket_that_round_trips_empty_is_no_latency() {
    let mut bucket = network("200 Mbit/s", "3 us", USUAL);
    bucket.link.bucket = Some(Bytes(4_000));
    is_found(&bucket);
}

#[test]
fn a_gap_is_found_where_costs_and_frames_do_not_explain_it() {
    let mut slow = network("1 Gbit/s", "25 us", USUAL);
    slow.gap = "30 us".parse().unwrap();
    let found = is_found(&slow).parameters.gap;
    assert!(near(found.as_seconds(), 30e-6, 0.01), "{found}");
}

#[test]
fn processors_at_their_limit_say_nothing_of_the_duplex() {
    let mut measured = simulated(&network("1 Gbit/s", "25 us", USUAL));
    measured.both.goodput = measured.forth[0].goodput.clone();
    assert_eq!(fit(&measured).unwrap().parameters.link.duplex, Duplex::Half);
    measured.both.busy = vec![0.99];
    let found = fit(&measured).unwrap();
    assert_eq!((found.parameters.link.duplex, found.duplex_is_known), (Duplex::Full, false));
}

#[test]
fn processor_time_for_which_nobody_waits_is_no_part_of_a_round_trip() {
    let network = network("10 Gbit/s", "0 s", ["6 us", "5 us", "0 s", "0 s"]);
    let mut measured = simulated(&network);
    for trips in &mut measured.round_trips {
        trips.median_ns.iter_mut().for_each(|ns| *ns -= 6_000.0);
    }
    let found = fit(&measured).unwrap();
    assert!(found.hidden > 0.2 && found.residuals[0].off().abs() < 0.02, "{found:?}");
}

#[test]
fn of_nothing_no_network_is_made() {
    assert_eq!(fit(&Measurements::default()), None);
    let measured = simulated(&network("1 Gbit/s", "25 us", USUAL));
    assert_eq!(fit(&Measurements { round_trips: Vec::new(), ..measured.clone() }), None);
    assert_eq!(fit(&Measurements { forth: Vec::new(), back: Vec::new(), ..measured }), None);
}

/// Nine turns of a figure: a little wrong each, and two of them wildly, as `disturbed` has it.
fn turns(figure: f64, noise: &[f64], disturbed: f64) -> Vec<f64> {
    let wild = |turn: usize| if turn % 4 == 3 { disturbed } else { 1.0 };
    noise.iter().enumerate().map(|(turn, noise)| figure * (1.0 + noise) * wild(turn)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_and_wild_turns_move_no_figure_far(
        mbits in 1.0f64..100_000.0,
        latency_us in 0.0f64..5_000.0,
        costs_ns_each in prop::array::uniform4(0.0f64..20_000.0),
        noise in prop::collection::vec(-0.02f64..0.02, 9),
        disturbed in 1.0f64..100.0,
    ) {
        let [send, receive, send_kib, receive_kib] = costs_ns_each;
        let text = [send, receive, send_kib / 100.0, receive_kib / 100.0].map(|ns| format!("{ns:.3} ns"));
        let latency = format!("{latency_us:.3} us");
        let was = network(&format!("{mbits:.3} Mbit/s"), &latency, text.each_ref().map(String::as_str));
        let goodput = was.link.rate.bytes_per_second() * was.framing().efficiency();
        let stream = |bytes, goodput| Streams {
            bytes,
            goodput: turns(goodput, &noise, 1.0 / disturbed),
            ..Streams::default()
        };
        let round_trips = SIZES.map(|bytes| {
            let median_ns = turns(2.0 * one_way_ns(&was, bytes), &noise, disturbed);
            let [send_ns, receive_ns] =
                cost_ns(&was.host_costs(), bytes).map(|ns| turns(ns, &noise, disturbed));
            RoundTrips { bytes, count: 9, median_ns, p99_ns: Vec::new(), send_ns, receive_ns }
        });
        let measured = Measurements {
            framing: was.framing(),
            bucket: None,
            round_trips: round_trips.to_vec(),
            small: stream(SMALL, goodput / 3.0),
            forth: vec![stream(LARGE, goodput)],
            back: vec![stream(LARGE, goodput)],
            both: stream(LARGE, 2.0 * goodput),
        };
        let is = fit(&measured).unwrap().parameters;
        let rates = [&is, &was].map(|parameters| parameters.link.rate.bytes_per_second());
        prop_assert!(near(rates[0], rates[1], 0.04), "{rates:?}");
        prop_assert_eq!(is.link.duplex, Duplex::Full);
        for bytes in SIZES {
            let whole = [&is, &was].map(|parameters| one_way_ns(parameters, bytes));
            prop_assert!(near(whole[0], whole[1], 0.06), "{bytes} B: {whole:?}");
            let costs = [&is, &was].map(|parameters| costs_ns(&parameters.host_costs(), bytes));
            prop_assert!(near(costs[0], costs[1], 0.06), "costs of {bytes} B: {costs:?}");
        }
    }
}
