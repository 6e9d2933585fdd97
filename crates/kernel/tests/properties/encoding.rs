//! Markings as data: equal markings have equal hashes, others have others.

use crate::support::Job;
use petrio_kernel::{Net, NetBuilder, Place, Simulation, StationSpec, Time};
use std::sync::Arc;

/// Two independent lanes: which moves first doesn't matter for where it ends.
fn lanes(encode_all: bool) -> (Arc<Net>, [Place<u32>; 2]) {
    let mut net = NetBuilder::new("lanes");
    let mut page = net.top();
    let starts = [0, 1].map(|lane| page.fifo::<u32>(&format!("start{lane}")));
    for (lane, start) in starts.into_iter().enumerate() {
        let end = page.bag::<u32>(&format!("end{lane}"));
        page.encodable(start);
        if encode_all || lane == 0 {
            page.encodable(end);
        }
        page.initial(start, [1, 2]);
        let mut go = page.transition(&format!("go{lane}"));
        let (token, to) = (go.take(start), go.put(end));
        go.action(move |f| {
            let token = f.take(token);
            f.put(to, token * 10);
        });
    }
    (net.build().unwrap(), starts)
}

fn after(net: &Arc<Net>, firings: u64, conflict_seed: u64) -> Simulation {
    let mut run = Simulation::new(net, 1, 0);
    run.marking_mut().resolve_conflicts_at_random(conflict_seed, 0);
    run.run_firings(firings).unwrap();
    run
}

#[test]
fn markings_reached_by_different_ways_are_equal_exactly_where_their_tokens_are() {
    let (net, _) = lanes(true);
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..40 {
        for firings in 0..=4 {
            let run = after(&net, firings, seed);
            let text = run.marking().encode(&net).unwrap().to_string();
            let hash = run.marking().fingerprint(&net).unwrap();
            assert_eq!(*seen.entry(text).or_insert(hash), hash);
        }
    }
    // Each lane has moved none, one or both of its tokens: a state space of 3 × 3.
    assert_eq!(seen.len(), 9);
    let hashes: std::collections::BTreeSet<u64> = seen.values().copied().collect();
    assert_eq!(hashes.len(), 9);
}

#[test]
fn tokens_are_found_under_the_paths_of_their_places() {
    let (net, _) = lanes(true);
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    let value = run.marking().encode(&net).unwrap();
    assert_eq!(value["clock_ps"], 0);
    assert_eq!(value["places"]["end1"]["ready"], serde_json::json!([10, 20]));
    assert_eq!(value["places"]["start0"]["ready"], serde_json::json!([]));
}

#[test]
fn a_net_with_a_place_that_is_not_encodable_has_no_encoding() {
    let (net, _) = lanes(false);
    assert!(!net.is_encodable());
    assert_eq!(Simulation::new(&net, 1, 0).marking().encode(&net), None);
    assert_eq!(Simulation::new(&net, 1, 0).marking().fingerprint(&net), None);
}

#[test]
fn delayed_tokens_and_tokens_in_service_count() {
    let mut net = NetBuilder::new("served");
    let mut page = net.top();
    let later = page.fifo::<u32>("later");
    let station = page.station("station", StationSpec::first_come(1, |_: &Job, _| Time::from_millis(5)));
    page.encodable(later);
    page.encodable(station);
    page.initial_after(later, 4, Time::from_millis(3));
    page.initial(station, [Job { class: 1, came: Time::ZERO }, Job { class: 2, came: Time::ZERO }]);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let value = run.marking().encode(&net).unwrap();
    assert_eq!(value["places"]["later"]["delayed"], serde_json::json!([4]));
    assert_eq!(value["places"]["station"]["served"].as_array().unwrap().len(), 2);
    let before = run.marking().fingerprint(&net);
    run.run_until(Time::from_millis(4)).unwrap();
    assert_ne!(run.marking().fingerprint(&net), before);
}
