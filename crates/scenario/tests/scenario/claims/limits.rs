//! What is said to limit a run, and of what doesn't help, is so: whoever does what was tried finds what is said of it.

use super::texts::{queue, reads, synchronous, unix};
use crate::common::{loaded, once, once_of};
use petrio_scenario::report::{Bottleneck, Brought, Measured, Overload, Report, Sinks, Subject, WhatIf};
use petrio_scenario::run::run;
use petrio_scenario::{Claim, Override, load, load_text};
use std::path::Path;
use std::process::Command;

/// The claims that are held here.
pub(super) const CLAIMS: [Claim; 7] = [
    Claim::Limits,
    Claim::AtAPrice,
    Claim::Together,
    Claim::EndsOverload,
    Claim::StillOverloaded,
    Claim::NothingHelps,
    Claim::NotForSure,
];

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

/// What a shell hands on of words that are pasted into it.
fn pasted(words: &str) -> Vec<String> {
    let script = format!("for word in {words}\ndo printf '%s\\n' \"$word\"\ndone");
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn comes_true(text: &str, what_if: &WhatIf) {
    let command = what_if.command().unwrap_or_else(|| panic!("nothing to set: {what_if:?}"));
    let set: Vec<String> = pasted(&command).into_iter().filter(|word| word != "--set").collect();
    assert_eq!(set, what_if.set, "{command}");
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

/// Whether more comes in a run than is served.
fn is_overloaded(report: &Report) -> bool {
    report.warnings.iter().any(|warning| warning.claim == Claim::Overloaded)
}

/// A disk that takes 10 ms for each request.
#[test]
fn what_ends_an_overload_is_told_to_and_what_doesn_t_is_judged_by_what_is_served() {
    let ends = queue("8 ms", 2_000, "");
    let found = bottleneck(&ends);
    assert_eq!(found.claims, [Claim::Limits, Claim::EndsOverload], "{found:?}");
    let what_if = found.what_if.unwrap();
    assert_eq!((what_if.overload, what_if.of), (Some(Overload::Ends), Measured::Latency));
    comes_true(&ends, &what_if);
    let [before, after] = both(&ends, &what_if.set);
    assert!(is_overloaded(&before) && !is_overloaded(&after));
    // No ratio that grows with the run.
    assert!(!what_if.sentence().contains("times shorter"), "{}", what_if.sentence());
    let remains = queue("3 ms", 2_000, "");
    let found = bottleneck(&remains);
    assert_eq!(found.claims, [Claim::Limits, Claim::StillOverloaded], "{found:?}");
    let what_if = found.what_if.unwrap();
    assert_eq!((what_if.overload, what_if.of), (Some(Overload::Remains), Measured::Throughput));
    assert!((what_if.gain - 2.0).abs() < 0.01, "{what_if:?}");
    comes_true(&remains, &what_if);
    assert!(both(&remains, &what_if.set).iter().all(is_overloaded));
    // However long it is, the same is said.
    let longer = bottleneck(&queue("3 ms", 6_000, "")).what_if.unwrap();
    assert!((longer.gain / what_if.gain - 1.0).abs() < 0.01, "{longer:?}");
    let served = bottleneck(&queue("20 ms", 200, ""));
    assert!(served.what_if.is_some_and(|what_if| what_if.overload.is_none()), "{:?}", served.claims);
    assert_eq!(served.claims, [Claim::Limits]);
}

/// Readers of a disk behind a link, each of which passes so much in a second.
fn behind_a_link(link: &str, disk: &str) -> String {
    let reader = "{ read_fraction = 1, sequential_fraction = 0, time_critical_fraction = 1, inter_arrival = \"0 s\", \
                  size = \"1 MiB\" }, ";
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"0 us\", rate = \"{disk}\" }}\n\
         [fabric.f]\non = \"d\"\nadapter = \"0 us\"\nlatency = \"1 us\"\nrate = \"{link}\"\n\
         [workload.w]\nkind = \"synthetic\"\non = \"f\"\nrequests = 500\ngenerators = [{}]\n",
        reader.repeat(8)
    )
}

#[test]
fn of_parts_that_are_as_busy_as_each_other_it_is_told_what_both_together_bring() {
    let text = behind_a_link("100 MB/s", "100 MB/s");
    let found = bottleneck(&text);
    assert_eq!(found.claims, [Claim::Together], "{found:?}");
    let together = found.together.unwrap();
    let stages: Vec<&str> = together.parts.iter().map(|tie| tie.stage.as_str()).collect();
    assert!(stages.contains(&"d/service") && stages.contains(&"f/to-host"), "{stages:?}");
    assert!(together.parts.iter().all(|tie| tie.gain < 1.05 && tie.utilisation > 0.9), "{together:?}");
    assert!(together.what_if.gain > 1.9, "{together:?}");
    comes_true(&text, &together.what_if);
    // And either alone does what is said of it.
    for (set, tie) in together.what_if.set.iter().zip(&together.parts) {
        let alone = gain(&both(&text, std::slice::from_ref(set)), Measured::Throughput);
        assert!(alone < 1.05, "{alone} {tie:?}");
    }
    for text in [behind_a_link("100 MB/s", "300 MB/s"), behind_a_link("300 MB/s", "100 MB/s")] {
        let found = bottleneck(&text);
        assert_eq!(found.claims, [Claim::Limits], "{found:?}");
        assert!(found.what_if.unwrap().gain > 1.9);
    }
}

/// Files on a quick disk, and requests to a slow one beside them.
#[test]
fn requests_beside_files_are_weighed_with_them_and_each_workload_is_told_with_its_own_figure() {
    let files = reads("direct = true");
    let blocks = "[disk.slow]\nmodel = \"constant-rate\"\ndrive = { latency = \"20 ms\", rate = \"100 GB/s\" }\n\
                  [workload.log]\nkind = \"synthetic\"\non = \"slow\"\nrequests = 400\n\
                  generators = [{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = \"0 s\", size = \"512 B\" }]\n";
    let found = bottleneck(&format!("{files}{blocks}"));
    let what_if = found.what_if.unwrap();
    assert!(what_if.workloads.len() == 2, "{what_if:?}");
    assert_eq!(found.stage, "slow/service", "twice as much of requests is more than files get: {what_if:?}");
    let of = |name: &str| what_if.workloads.iter().find(|row| row.workload == name).unwrap();
    assert!((of("log").gain - 2.0).abs() < 0.02 && (of("w").gain - 1.0).abs() < 0.02, "{what_if:?}");
    // And what is something to the files is told beside it.
    let also = found.also.unwrap();
    assert_eq!(also.subject, Some(Subject::FileOperations), "{also:?}");
    comes_true(&format!("{files}{blocks}"), &also);
    let sentence = what_if.sentence();
    assert!(
        sentence.ends_with("By workload: \"log\" 2.00 times the throughput, \"w\" the same."),
        "{sentence}"
    );
}

/// Many commits to a quick drive under few processors.
#[test]
fn processors_that_limit_a_run_are_told_with_what_makes_them_faster() {
    let text = r#"
[disk.d]
model = "intel-optane-p4800x-375gb"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "1 GiB"
[fs.data]
type = "ext4"
on = "d"
size = "10 GiB"
[workload.w]
kind = "files"
on = "data"
operation = "rewrite"
record = "4 KiB"
file_size = "1 MiB"
processes = 16
operations = 100
fsync = { every = 1 }
think_time = { exponential = { mean = "100 us" } }
"#;
    let found = bottleneck(text);
    assert_eq!(found.stage, "h/processor", "{found:?}");
    let what_if = found.what_if.unwrap();
    assert_eq!(what_if.set, ["host.h.change.machine.speed=2"], "{what_if:?}");
    comes_true(text, &what_if);
    // Time that a processor takes is half as long, and that of others isn't.
    let [before, after] = both(text, &what_if.set);
    let calls = |report: &Report| {
        let share = report.served.breakdown.iter().find(|share| share.cause == "system call").unwrap();
        share.mean_ms
    };
    assert!((calls(&before) / calls(&after) - 2.0).abs() < 0.02, "{} {}", calls(&before), calls(&after));
}

/// A controller whose memory nothing keeps, so that writes wait for members.
#[test]
fn a_battery_is_advised_where_it_brings_most_though_nobody_waits_for_room_in_the_memory() {
    let text = |battery: bool| {
        format!(
            "[disk.d]\nmodel = \"seagate-savvio-10k4\"\ncount = 4\n[raid.a]\nuse = \"perc-h700\"\ncontroller.cache.battery = {battery}\n\
             level = 5\non = \"d*\"\n[workload.db]\nkind = \"synthetic\"\non = \"a\"\nrequests = 1200\n\
             generators = [{{ capacity = \"500 GB\", read_fraction = \"30 %\", \
             inter_arrival = {{ exponential = {{ mean = \"8 ms\" }} }}, size = \"8 KiB\" }}]\n"
        )
    };
    let found = bottleneck(&text(false));
    let what_if = found.what_if.unwrap();
    assert_eq!(what_if.set, ["raid.a.controller.cache.battery=true"], "{what_if:?}");
    assert!(what_if.gain > 2.0);
    comes_true(&text(false), &what_if);
    let kept = bottleneck(&text(true));
    assert!(kept.advice().all(|advice| !advice.set[0].contains("battery")), "{kept:?}");
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
        assert_eq!(found.claims[0], Claim::Limits, "{found:?}\n{text}");
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
