//! The dissertation's experiments: what differs between seeds and what doesn't, findings on made-up rates, the page.
#![allow(clippy::unwrap_used, reason = "a test that has nothing to go on with fails")]

use super::experiments::{experiments, rates, run};
use super::{Experiment, Moves, Outcome, SERVERS, findings};
use crate::verdict::{Judged, Judgement};

/// Of so little that it takes no time.
fn small(experiment: Experiment) -> Experiment {
    Experiment { file_kib: 1_024, ..experiment }
}

#[test]
fn seeds_differ_a_little_and_each_gives_the_same_again() {
    let experiment = small(Experiment::of(Moves::Write, 2, 64));
    let of = |seed| run(&experiment, seed).unwrap();
    let (first, second) = (of(1), of(2));
    assert_eq!(first, of(1));
    assert_eq!(first.len(), 2);
    for (a, b) in first.iter().zip(&second) {
        assert!(a != b && (a / b - 1.0).abs() < 0.2, "{a} and {b}");
    }
}

#[test]
fn a_client_alone_is_as_fast_by_trains_as_by_frames() {
    for moves in [Moves::Read, Moves::Write] {
        for block in [16, 256] {
            let experiment = small(Experiment::of(moves, 1, block));
            let trains = experiment.set(1);
            let frames: Vec<_> = trains.iter().filter(|set| set.0 != "network.lan.train").cloned().collect();
            assert_eq!(frames.len() + 1, trains.len());
            let of = |set| rates(&experiment, set).unwrap()[0];
            let by = of(&trains[..]) / of(&frames[..]);
            assert!((by - 1.0).abs() < 0.03, "{moves:?} of {block} KiB: {by}");
        }
    }
}

#[test]
fn four_clients_use_four_servers() {
    let of = |servers| {
        let rates = run(&small(Experiment::cluster(Moves::Read, 4, servers)), 1).unwrap();
        rates.iter().sum::<f64>()
    };
    let times = of(SERVERS) / of(1);
    assert!((3.0..4.01).contains(&times), "{times}");
}

/// Of every experiment one run with these rates.
fn made_up(rate: impl Fn(&Experiment, u32) -> f64) -> Vec<Outcome> {
    let of = |experiment: Experiment| Outcome {
        experiment,
        bytes_per_s: vec![(0..experiment.clients).map(|client| rate(&experiment, client)).collect()],
    };
    experiments().into_iter().map(of).collect()
}

/// A link of 100 MB/s for each server and each client.
fn links(one: &Experiment) -> f64 {
    100e6 * (f64::from(one.servers) / f64::from(one.clients)).min(1.0)
}

fn found<'j>(judged: &'j [Judged], what: &str) -> &'j Judged {
    judged.iter().find(|one| one.what == what).unwrap()
}

#[test]
fn findings_say_which_figures_they_compare() {
    let judged = findings(&made_up(|one, _| links(one)));
    let servers = found(&judged, "reads: 8 clients use four servers");
    assert_eq!(servers.verdict, Judgement::Holds);
    assert!(
        servers
            .line()
            .ends_with("8 clients on four servers read 50.0 MB/s each, on one 12.5: 4.0 times, at least 3"),
        "{}",
        servers.line()
    );
    let stress = found(&judged, "writes: stress begins with four clients");
    assert_eq!(stress.verdict, Judgement::KnownToMiss);
    assert!(
        stress.line().contains("less than 95 % from 5 clients on, in the dissertation from 4"),
        "{}",
        stress.line()
    );
    // Rates that know neither blocks nor files.
    for what in [
        "reads of large files depend on the size of blocks",
        "writes: small files are slower, each with its best block",
    ] {
        assert_eq!(found(&judged, what).verdict, Judgement::Misses, "{what}");
    }
}

#[test]
fn clients_that_lie_apart_and_servers_that_are_no_use_are_misses() {
    let apart = findings(&made_up(|one, client| links(one) / f64::from(1 + client)));
    assert_eq!(
        found(&apart, "reads: the curves of up to three clients lie together").verdict,
        Judgement::Misses
    );
    let one_for_all = findings(&made_up(|one, _| 100e6 / f64::from(one.clients)));
    for what in ["writes: 4 clients use four servers", "writes: stress begins with four clients"] {
        assert_eq!(found(&one_for_all, what).verdict, Judgement::Misses, "{what}");
    }
}

#[test]
fn nothing_holds_of_what_was_not_run() {
    let judged = findings(&[]);
    assert_eq!(judged.len(), 24);
    for one in judged {
        assert_eq!(one.verdict, Judgement::Misses, "{}", one.line());
    }
}

#[test]
fn the_page_of_the_experiments_has_all_figures_in_little_room() {
    let outcomes = made_up(|one, client| links(one) * (1.0 + 0.01 * f64::from(client)));
    let html = super::page::page(&outcomes, &findings(&outcomes)).html();
    for title in (55..=70).map(|number| format!("Figure {number}: ")) {
        assert!(html.contains(&title), "{title}");
    }
    for title in [
        "All numbers of clients",
        "Figure 17",
        "Figure 18",
        "Clients by servers",
        "What a searched queue takes",
    ] {
        assert!(html.contains(title), "{title}");
    }
    assert!(html.len() < 200_000, "{} bytes", html.len());
}
