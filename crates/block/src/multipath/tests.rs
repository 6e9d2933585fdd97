//! That paths add up to what they carry, and that failures lose nothing and double nothing.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::fabric::fabric_page;
use petrio_colours::{Direction, Failure, RequestId, Status};
use petrio_device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::Blocks;
use proptest::prelude::*;

const LINK: &str = "link = { adapter = \"10 us\", latency = \"5 us\", rate = \"100 MB/s\" }\n";

fn of(text: &str) -> MultipathParameters {
    toml::from_str(&format!("{LINK}{text}")).unwrap()
}

/// What came of requests that were sent over paths.
struct Done {
    completions: Vec<(BlockRequest, Time)>,
    /// Numbers of those that the device was asked, as it was asked them.
    at_device: Vec<(Direction, u64)>,
    multipath: Option<Multipath>,
}

impl Done {
    fn last(&self) -> f64 {
        self.completions.iter().map(|(_, at)| at.as_seconds()).fold(0.0, f64::max)
    }

    fn rate(&self) -> f64 {
        self.completions.iter().map(|(request, _)| request.bytes()).sum::<u64>() as f64 / self.last()
    }

    fn tally(&self) -> &Tally {
        self.multipath.as_ref().unwrap().tally()
    }

    fn failed(&self) -> usize {
        let failed = |(request, _): &&(BlockRequest, Time)| request.status == Status::Failed(Failure::Device);
        self.completions.iter().filter(failed).count()
    }
}

/// Requests of so many blocks at times, to a device of a rate.
type Asked = Vec<(Direction, u32, Time)>;

fn run(parameters: Option<&MultipathParameters>, rate: &str, asked: &Asked) -> Done {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let [requests, completions, down, up] =
        ["requests", "completions", "down", "up"].map(|name| page.fifo::<BlockRequest>(name));
    let multipath = match parameters {
        Some(parameters) => {
            let ports = MultipathPorts { requests, completions, down, up };
            Some(multipath_page(&mut page, "m", parameters, ports).unwrap().1)
        }
        None => {
            fabric_page(&mut page, "f", of("paths = [{}]").link(0), (requests, completions), (down, up));
            None
        }
    };
    let device = ConstantRateParameters {
        name: "disk".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        blocks: Blocks(1 << 30),
        latency: "1 us".parse().unwrap(),
        part: None,
        rate: Some(rate.parse().unwrap()),
        write_cache: false,
        flush: None,
    };
    constant_rate_page(&mut page, "d", &device, down, up);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.observe(completions, Vec::new(), |seen: &mut Vec<_>, now, request: &BlockRequest| {
        seen.push((request.clone(), now));
    });
    run.observe(down, Vec::new(), |seen: &mut Vec<_>, _, request: &BlockRequest| {
        seen.push((request.direction, request.address));
    });
    for (id, &(direction, blocks, at)) in (0..).zip(asked) {
        let request = BlockRequest {
            id: RequestId(id),
            tag: id + 1_000,
            address: id * 8,
            direction,
            blocks,
            issued: at,
            ..BlockRequest::default()
        };
        run.inject(requests, request, at).unwrap();
    }
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    let mut there = None;
    if let Some(place) = multipath {
        run.for_each_token(place, |multipath| there = Some(multipath.clone()));
    }
    Done {
        completions: run.observed::<BlockRequest, Vec<(BlockRequest, Time)>>(completions).unwrap().clone(),
        at_device: run.observed::<BlockRequest, Vec<(Direction, u64)>>(down).unwrap().clone(),
        multipath: there,
    }
}

/// So many reads of 64 KiB at once.
fn at_once(count: usize) -> Asked {
    vec![(Direction::Read, 128, Time::ZERO); count]
}

/// Reads and writes of 8 KiB, one a millisecond, a quarter of one after its beginning: so nothing else happens at their instants.
fn steady(count: u64) -> Asked {
    let one = |at: u64| {
        let direction = if at.is_multiple_of(3) { Direction::Write } else { Direction::Read };
        (direction, 16, Time::from_micros(at * 1_000 + 250))
    };
    (0..count).map(one).collect()
}

/// Each request is answered once and only once, as it came.
fn each_once(done: &Done, count: usize) {
    let mut numbers: Vec<(u64, u64)> =
        done.completions.iter().map(|(request, _)| (request.id.0, request.tag)).collect();
    numbers.sort_unstable();
    let expected: Vec<(u64, u64)> = (0..count as u64).map(|id| (id, id + 1_000)).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn one_path_is_the_link_alone() {
    let asked = steady(50).into_iter().chain(at_once(20)).collect();
    let alone: Vec<_> = run(None, "1 GB/s", &asked).completions.into_iter().map(|(_, at)| at).collect();
    let one: Vec<_> =
        run(Some(&of("paths = [{}]")), "1 GB/s", &asked).completions.into_iter().map(|(_, at)| at).collect();
    assert_eq!(one, alone, "a choice of one costs nothing");
}

#[test]
fn two_paths_carry_twice_as_much_as_one_and_never_more() {
    for selector in ["service-time", "queue-length", "round-robin"] {
        let paths = |paths: &str| {
            let text = format!("groups = \"multibus\"\nselector = \"{selector}\"\npaths = {paths}");
            run(Some(&of(&text)), "1 GB/s", &at_once(400)).rate()
        };
        let (one, two, four) = (paths("[{}]"), paths("[{}, {}]"), paths("[{}, {}, {}, {}]"));
        assert!(two > 1.95 * one && two <= 2.0 * one, "{selector}: {two} by two, {one} by one");
        assert!(four > 3.8 * one && four <= 4.0 * one, "{selector}: {four} by four, {one} by one");
    }
}

#[test]
fn two_paths_to_a_slow_device_are_no_faster_than_it() {
    let text = "groups = \"multibus\"\npaths = [{}, {}]";
    let rate = run(Some(&of(text)), "20 MB/s", &at_once(100)).rate();
    assert!((19.0e6..20.0e6).contains(&rate), "{rate}");
}

#[test]
fn of_failover_one_path_carries_everything() {
    let done = run(Some(&of("paths = [{}, { priority = 5 }, {}]")), "1 GB/s", &at_once(50));
    let by_path: Vec<u64> = done.tally().paths.iter().map(|path| path.reads.requests).collect();
    assert_eq!(by_path, [0, 50, 0], "the one of the highest priority");
}

#[test]
fn the_service_time_gives_a_faster_path_its_share() {
    let fast = "{ link = { adapter = \"10 us\", latency = \"5 us\", rate = \"300 MB/s\" }, throughput = 3 }";
    let text =
        |selector: &str| format!("groups = \"multibus\"\nselector = \"{selector}\"\npaths = [{{}}, {fast}]");
    let by_time = run(Some(&of(&text("service-time"))), "1 GB/s", &at_once(400));
    let in_turn = run(Some(&of(&text("round-robin"))), "1 GB/s", &at_once(400));
    let fast = by_time.tally().paths[1].reads.requests;
    assert!((290..=310).contains(&fast), "{fast} of 400 over the one three times as fast");
    assert_eq!(in_turn.tally().paths[1].reads.requests, 200);
    assert!(by_time.rate() > 1.8 * in_turn.rate(), "{} and {}", by_time.rate(), in_turn.rate());
}

#[test]
fn what_is_on_a_path_that_fails_takes_the_other_once_that_is_found_out() {
    let text = "detected_after = \"2 s\"\npaths = [{ failures = [{ at = \"0.0105 s\" }] }, {}]";
    let done = run(Some(&of(text)), "1 GB/s", &steady(100));
    each_once(&done, 100);
    assert_eq!(done.failed(), 0);
    let hung = |done: &Done| done.completions.iter().filter(|(_, at)| at.as_seconds() > 1.0).count();
    assert_eq!(hung(&done), 89, "all that came in the two seconds");
    let first = done.completions.iter().find(|(_, at)| at.as_seconds() > 1.0).unwrap().1.as_seconds();
    assert!((2.0105..2.012).contains(&first), "{first}");
    assert_eq!((done.tally().switches, done.tally().paths[0].again), (1, 89));
    assert_eq!(done.tally().paths[1].reads.requests + done.tally().paths[1].writes.requests, 89);
    // Sooner found is sooner done.
    let sooner = run(Some(&of(&text.replace("2 s", "1 s"))), "1 GB/s", &steady(100));
    assert!(sooner.last() < done.last());
}

#[test]
fn what_the_device_had_is_done_twice_and_answered_once() {
    // 64 KiB take 6.5 ms at the device, and it has been asked when the path fails.
    let text = "detected_after = \"100 ms\"\npaths = [{ failures = [{ at = \"3 ms\" }] }, {}]";
    let done = run(Some(&of(text)), "10 MB/s", &at_once(1));
    each_once(&done, 1);
    assert_eq!(done.at_device.len(), 2);
    assert_eq!((done.tally().delivered_twice, done.tally().answers_lost), (1, 1));
    // What is still on the link when it fails never reaches the device that way.
    let early = run(Some(&of(&text.replace("\"3 ms\"", "\"12 us\""))), "10 MB/s", &at_once(1));
    each_once(&early, 1);
    assert_eq!((early.at_device.len(), early.tally().delivered_twice), (1, 0));
}

#[test]
fn a_path_that_is_back_before_anybody_notices_is_gone_on_with() {
    let text = "detected_after = \"5 s\"\npaths = [{ failures = [{ at = \"0.01 s\", restored_after = \"1 s\" }] }, {}]";
    let done = run(Some(&of(text)), "1 GB/s", &steady(100));
    each_once(&done, 100);
    let path = &done.tally().paths[0];
    assert_eq!((path.reads.requests + path.writes.requests, done.tally().switches), (100, 0));
    let failed = path.failures[0];
    assert_eq!((failed.found, failed.restored), (None, Some(Time::from_millis(1_010))));
}

#[test]
fn requests_come_back_to_a_better_path_only_where_that_is_asked_for() {
    let failing = "{ priority = 2, failures = [{ at = \"1 s\", restored_after = \"6 s\" }] }";
    let text = |failback: &str| {
        format!("detected_after = \"0.5 s\"\n{failback}\npaths = [{failing}, {{ priority = 1 }}]")
    };
    let over_first = |failback: &str| {
        let done = run(Some(&of(&text(failback))), "1 GB/s", &steady(20_000));
        each_once(&done, 20_000);
        let path = &done.tally().paths[0];
        // Back after 7 s, and looked at every 5 s.
        assert_eq!(path.failures[0].used_again, Some(Time::from_millis(10_000)));
        path.reads.requests + path.writes.requests
    };
    let (manual, at_once) = (over_first(""), over_first("failback = \"0 s\""));
    let later = over_first("failback = \"4 s\"");
    assert_eq!(manual, 1_000, "those of the first second");
    assert_eq!(at_once, 1_000 + 10_000, "and those after 10 s");
    assert_eq!(later, 1_000 + 6_000, "and those after 14 s");
}

#[test]
fn without_any_path_requests_fail_wait_for_a_while_or_wait_however_long_it_takes() {
    let text = |wait: &str| {
        let fails = "{ failures = [{ at = \"0.05 s\", restored_after = \"11 s\" }] }";
        format!("detected_after = \"0.1 s\"\npolling_interval = \"2 s\"\n{wait}\npaths = [{fails}, {fails}]")
    };
    let fail = run(Some(&of(&text(""))), "1 GB/s", &steady(400));
    let while_there = run(Some(&of(&text("no_path_retry = 3"))), "1 GB/s", &steady(400));
    let longer = run(Some(&of(&text("no_path_retry = 7"))), "1 GB/s", &steady(400));
    let ever = run(Some(&of(&text("queue_if_no_path = true"))), "1 GB/s", &steady(400));
    for done in [&fail, &while_there, &longer, &ever] {
        each_once(done, 400);
    }
    assert_eq!([&fail, &while_there, &longer, &ever].map(Done::failed), [350, 350, 0, 0]);
    // Both are gone after 0.15 s; three intervals later whoever waits fails.
    assert!((fail.last() - 0.39925).abs() < 1e-6 && (while_there.last() - 6.15).abs() < 1e-6);
    // Both are back at 11.05 s, and multipathd looks at 12 s.
    assert!((12.0..12.1).contains(&ever.last()) && longer.last() == ever.last(), "{}", ever.last());
    assert_eq!(ever.tally().waiting, Time::from_millis(12_000 - 150));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |text: &str| of(text).check().unwrap_err();
    assert_eq!(refused("paths = []"), MultipathError::NoPath);
    assert_eq!(refused("paths = [{ throughput = 101 }]"), MultipathError::Throughput(0, 101));
    assert_eq!(refused("paths = [{}]\npolling_interval = \"0 s\""), MultipathError::Polling);
    assert_eq!(refused("paths = [{}]\nqueue_if_no_path = true\nno_path_retry = 4"), MultipathError::Waits(4));
    let twice = "paths = [{ failures = [{ at = \"1 s\", restored_after = \"3 s\" }, { at = \"4 s\" }] }]";
    assert!(matches!(refused(twice), MultipathError::Failures(0, _)));
    assert!(of(&twice.replace("4 s", "5 s")).check().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_fails_each_request_is_answered_once(
        paths in prop::collection::vec((0u32..3, prop::collection::vec((1u64..400, 1u64..300), 0..3)), 1..4),
        groups in prop::sample::select(vec!["failover", "multibus", "group-by-prio"]),
        selector in prop::sample::select(vec!["service-time", "queue-length", "round-robin"]),
        (detected, polling, failback) in (0u64..200, 1u64..200, prop::option::of(0u64..100)),
        count in 1usize..300,
    ) {
        let mut written = Vec::new();
        for (priority, failures) in paths {
            let (mut at, mut all) = (0, Vec::new());
            for (after, long) in failures {
                at += after;
                all.push(format!("{{ at = \"{at} ms\", restored_after = \"{long} ms\" }}"));
                at += long;
            }
            written.push(format!("{{ priority = {priority}, failures = [{}] }}", all.join(", ")));
        }
        let failback = failback.map_or(String::new(), |after| format!("failback = \"{after} ms\"\n"));
        let text = format!(
            "groups = \"{groups}\"\nselector = \"{selector}\"\ndetected_after = \"{detected} ms\"\n\
             polling_interval = \"{polling} ms\"\nqueue_if_no_path = true\n{failback}paths = [{}]",
            written.join(", ")
        );
        let done = run(Some(&of(&text)), "30 MB/s", &steady(count as u64));
        each_once(&done, count);
        prop_assert_eq!(done.failed(), 0);
        let tally = done.tally();
        let sent_again: u64 = tally.paths.iter().map(|path| path.again).sum();
        prop_assert_eq!(done.at_device.len() as u64, count as u64 + tally.delivered_twice);
        prop_assert!(tally.delivered_twice <= sent_again);
        let by_path: u64 = tally.paths.iter().map(|path| path.reads.requests + path.writes.requests).sum();
        prop_assert_eq!(by_path, count as u64);
        for (request, at) in &done.completions {
            prop_assert_eq!(request.issued + request.ledger.total(), *at);
        }
    }
}
