//! What is said to limit a run, and of what doesn't help, is so: whoever does what was tried finds what is said of it.

use super::texts::{queue, reads, synchronous, unix};
use crate::common::{loaded, once, once_of};
use petrio_scenario::report::{Bottleneck, Brought, Measured, Report, Sinks, WhatIf};
use petrio_scenario::run::run;
use petrio_scenario::{Claim, Override, load, load_text};
use std::path::Path;

/// The claims that are held here.
pub(super) const CLAIMS: [Claim; 4] =
    [Claim::Limits, Claim::AtAPrice, Claim::NothingHelps, Claim::NotForSure];

fn bottleneck(text: &str) -> Bottleneck {
    run(&loaded(text), Sinks::default()).unwrap().bottleneck.unwrap()
}

/// One run of a text as it is, and one with these settings.
fn both(text: &str, set: &[String]) -> [Report; 2] {
    let set: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    [once(text), once_of(&load_text("test.toml", text, None, &set).unwrap())]
}

fn gain([before, after]: &[Report; 2], of: Measured) -> f64 {
    let mean_ms = |report: &Report| report.served.latency.unwrap().mean_ms.value;
    match of {
        Measured::Throughput => after.served.requests_per_s.value / before.served.requests_per_s.value,
        // What takes no time takes none with a change either.
        Measured::Latency | Measured::Elapsed if mean_ms(before) == 0.0 => 1.0 + mean_ms(after),
        Measured::Latency | Measured::Elapsed => mean_ms(before) / mean_ms(after),
    }
}

fn comes_true(text: &str, what_if: &WhatIf) {
    let gain = gain(&both(text, &what_if.set), what_if.of);
    let [low, high] = what_if.interval;
    assert!((low - 1e-9..=high + 1e-9).contains(&gain), "{gain}: {what_if:?}\n{text}");
}

/// A reader in order and a database on one disk.
const STREAMS_AND_A_DATABASE: &str = r#"
[disk.d]
model = "seagate-constellation-es3"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.1"
memory = "512 MiB"
[fs.data]
type = "ext4"
on = "d"
size = "50 GiB"
[workload.streams]
kind = "files"
on = "data"
operation = "read"
record = "64 KiB"
file_size = "256 MiB"
processes = 2
[workload.db]
kind = "files"
on = "data"
operation = "read"
pattern = "random"
record = "8 KiB"
file_size = "2 GiB"
processes = 4
operations = 400
[measure]
stop = { time = "4 s" }
"#;

/// A solid-state drive at its limit, whose streams are at its interface's.
#[test]
fn what_a_solid_state_drive_writes_at_random_is_told_to_limit_it_though_its_interface_is_full_of_streams() {
    let generator =
        "{ read_fraction = 0, time_critical_fraction = 1, size = \"4 KiB\", inter_arrival = \"0 s\" }, ";
    let text = format!(
        "[disk.d]\nmodel = \"samsung-860-pro-512gb\"\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 6000\ngenerators = [{}]\n",
        generator.repeat(32)
    );
    let found = bottleneck(&text);
    let what_if = found.what_if.unwrap_or_else(|| panic!("{:?}", found.in_vain));
    assert!(what_if.set.iter().any(|set| set.contains("random_write.iops")), "{what_if:?}");
    assert!(what_if.gain > 1.2);
    comes_true(&text, &what_if);
}

/// Commits to a large disk: cheaper without a promise, or with a part that is faster.
fn commits() -> String {
    synchronous("", "", "linux-6.18").replace("seagate-cheetah-9lp", "toshiba-mg08-16tb")
}

#[test]
fn what_limits_is_named_where_a_change_of_it_helps_and_that_comes_true() {
    for text in [queue("20 ms", 200, ""), queue("9 ms", 200, ""), reads("direct = true"), unix("", "24 MiB")]
    {
        let found = bottleneck(&text);
        assert_eq!(found.claims, [Claim::Limits], "{found:?}\n{text}");
        let what_if = found.what_if.unwrap();
        assert!(what_if.price.is_none() && what_if.interval[0] > 1.0);
        comes_true(&text, &what_if);
    }
    let found = bottleneck(&unix("cached = true", "24 MiB"));
    assert!(!found.claims.contains(&Claim::Limits), "{found:?}");
}

#[test]
fn a_price_is_named_where_paying_it_brings_more_and_that_comes_true() {
    let text = commits();
    let found = bottleneck(&text);
    assert!(found.claims.contains(&Claim::AtAPrice), "{found:?}");
    let or = found.or.unwrap();
    assert!(or.price.is_some() && found.what_if.is_none_or(|free| or.gain > free.gain));
    comes_true(&text, &or);
    // What one workload gains and another pays for has a price.
    let found = bottleneck(STREAMS_AND_A_DATABASE);
    let or = found.or.unwrap();
    assert!(or.price.as_ref().is_some_and(|price| price.starts_with("\"db\" gets 0.")), "{or:?}");
    let db = |report: &Report| {
        report.served.workloads.iter().find(|row| row.workload == "db").unwrap().per_s.value
    };
    let [before, after] = both(STREAMS_AND_A_DATABASE, &or.set);
    assert!(db(&after) < 0.9 * db(&before), "{} {}", db(&before), db(&after));
    comes_true(STREAMS_AND_A_DATABASE, &or);
    // Who asks for nothing to be durable has nothing to give up.
    assert!(!bottleneck(&reads("direct = true")).claims.contains(&Claim::AtAPrice));
}

#[test]
fn where_nothing_helps_none_of_what_was_tried_moves_anything() {
    let text = unix("cached = true", "24 MiB");
    let found = bottleneck(&text);
    assert_eq!(found.claims, [Claim::NothingHelps], "{found:?}");
    assert!(found.tried > 0 && found.in_vain.len() as u64 == found.tried);
    for tried in &found.in_vain {
        let runs = both(&text, &tried.set);
        let most = [Measured::Throughput, Measured::Latency].map(|of| gain(&runs, of));
        assert!(most.iter().all(|gain| (gain - 1.0).abs() < 1e-3), "{most:?} {tried:?}");
    }
    assert!(!bottleneck(&unix("", "24 MiB")).claims.contains(&Claim::NothingHelps));
}

/// Sixteen readers under a scheduler that waits for each of them: who is the last to end changes with whatever changes.
#[test]
fn what_isn_t_known_for_sure_is_what_one_run_says() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/architectures/das-fc.toml");
    let few = ["workload.readers.operations=50".to_owned()];
    let of = |seed: u64, set: &[String]| {
        let all = few.iter().cloned().chain([format!("seed={seed}")]).chain(set.iter().cloned());
        let all: Vec<Override> = all.map(|set| set.parse().unwrap()).collect();
        load(&example, &all).unwrap()
    };
    let unsure = (1..=12).find_map(|seed| {
        let found = run(&of(seed, &[]), Sinks::default()).unwrap().bottleneck.unwrap();
        found.claims.contains(&Claim::NotForSure).then_some((seed, found))
    });
    let (seed, found) = unsure.expect("one of twelve seeds leaves it open");
    assert_eq!(found.claims, [Claim::NotForSure]);
    let of_all =
        found.in_vain.iter().flat_map(|tried| tried.brought.iter().map(move |brought| (tried, *brought)));
    let (best, Brought { of: measured, gain: said, .. }) =
        of_all.max_by(|a, b| a.1.gain.total_cmp(&b.1.gain)).unwrap();
    assert!(found.why().contains(&format!("in one run the best is {}", best.change)), "{}", found.why());
    let one = gain(&[once_of(&of(seed, &[])), once_of(&of(seed, &best.set))], measured);
    assert!((one / said - 1.0).abs() < 1e-6, "{one} {said}");
    // And in words, by how much more is done, or by how much of its time everything is shorter.
    let words = match measured {
        Measured::Throughput => format!("{} more throughput", petrio_page::numbers::per_cent(said - 1.0)),
        Measured::Latency | Measured::Elapsed => {
            format!("{} less time", petrio_page::numbers::per_cent(1.0 - 1.0 / said))
        }
    };
    assert!(found.why().ends_with(&words), "{}: {words}", found.why());
    let sure = run(&loaded(&queue("20 ms", 200, "")), Sinks::default()).unwrap().bottleneck.unwrap();
    assert!(!sure.claims.contains(&Claim::NotForSure));
}
