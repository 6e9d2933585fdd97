//! How disks turn beside each other: each for itself, unless something locks them.

use crate::common::{once as report, once_of};
use petrio_scenario::catalogue::device_summaries;
use petrio_scenario::{load_text, run};

/// A revolution of the disks below, in milliseconds.
const REVOLUTION_MS: f64 = 60_000.0 / 5400.0;

/// The mean time of a small random write to so many mirrored disks, one after the other, of ten sets of disks.
fn mirrored_ms(disks: usize, more: &str) -> f64 {
    (1..=10).map(|seed| mirrored_by_seed(disks, more, seed)).sum::<f64>() / 10.0
}

fn mirrored_by_seed(disks: usize, more: &str, seed: u64) -> f64 {
    let on = if disks == 1 { "d" } else { "r" };
    let array = if disks == 1 { String::new() } else { "[raid.r]\nlevel = 1\non = \"d*\"\n".to_owned() };
    let text = format!(
        r#"
seed = {seed}
[disk.d]
model = "hp-c3323a"
count = {disks}
{more}
{array}
[workload.w]
kind = "synthetic"
on = "{on}"
requests = 1500
processors = 1
generators = [{{ read_fraction = 0, time_critical_fraction = 1, sequential_fraction = 0, local_fraction = 0, inter_arrival = {{ exponential = {{ mean = "7 ms" }} }}, size = {{ constant = "2 KiB" }} }}]
"#
    );
    report(&text).served.latency.as_ref().unwrap().mean_ms.value
}

/// The arms of mirrors go the same ways, so what their number costs is rotation alone: the longest of n waits that are
/// uniform over a turn is n / (n + 1) of it.
#[test]
fn a_write_to_n_mirrors_waits_for_the_longest_of_n_turns() {
    let one = mirrored_ms(1, "");
    for disks in 2..=4 {
        let all = f64::from(disks) / (f64::from(disks) + 1.0);
        let more = mirrored_ms(disks as usize, "") - one;
        let expected = (all - 0.5) * REVOLUTION_MS;
        assert!(
            (more - expected).abs() < 0.03 * REVOLUTION_MS,
            "{disks} mirrors: {more:.2} ms, not {expected:.2}"
        );
    }
}

#[test]
fn spindles_that_are_locked_make_one_wait_of_all() {
    let (one, locked) = (mirrored_ms(1, ""), mirrored_ms(3, "spindle = \"locked\""));
    assert!((locked - one).abs() < 0.02 * REVOLUTION_MS, "{locked} instead of {one}");
}

/// That platters drift apart matters, not how fast: drives from one batch and drives of any make answer alike.
#[test]
fn how_far_speeds_differ_hardly_matters() {
    let with =
        |tolerance: &str| mirrored_ms(2, &format!("drive.mechanics.rotation_tolerance = \"{tolerance}\""));
    let usual = with("0.05 %");
    for tolerance in ["0.02 %", "0.2 %", "0.5 %"] {
        let other = with(tolerance);
        assert!((other - usual).abs() < 0.03 * usual, "{tolerance}: {other} beside {usual}");
    }
}

/// The second disk is drawn; what it reads in one go passes the heads as fast as it turns, and loses no turn for it.
#[test]
fn a_drive_of_any_speed_streams_as_fast_as_it_turns() {
    let mut mechanical = 0;
    for summary in device_summaries().unwrap() {
        let model = summary.key;
        let rate = |disk: &str| {
            let text = format!(
                r#"
seed = 11
[disk.d]
model = "{model}"
count = 2
drive.mechanics.rotation_tolerance = "1 %"
[workload.w]
kind = "synthetic"
on = "d0"
requests = 300
processors = 1
generators = [{{ read_fraction = 1, time_critical_fraction = 1, sequential_fraction = 1, local_fraction = 0, inter_arrival = {{ constant = "0 s" }}, size = {{ constant = "128 KiB" }} }}]
"#
            );
            // A device without mechanics doesn't know the tolerance.
            let on = format!("workload.w.on={disk}").parse().unwrap();
            let loaded = load_text("test.toml", &text, None, &[on]).ok()?;
            Some(once_of(&loaded).served.throughput_bytes_per_s.value)
        };
        let (Some(nominal), Some(drawn)) = (rate("d0"), rate("d1")) else { continue };
        mechanical += 1;
        let ratio = drawn / nominal;
        assert!((0.985..=1.015).contains(&ratio) && ratio != 1.0, "{model}: {ratio}");
    }
    assert!(mechanical > 25, "{mechanical}");
}

#[test]
fn what_does_not_turn_has_no_spindle_to_lock() {
    for model in ["constant-rate", "simple-ssd-32gb-slc", "hp-7937"] {
        let text = format!("[disk.d]\nmodel = \"{model}\"\nspindle = \"locked\"\n");
        let text = format!(
            "{text}[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 10\ngenerators = [{{ read_fraction = 1, inter_arrival = {{ constant = \"1 s\" }}, size = \"4 KiB\" }}]\n"
        );
        let problems = load_text("test.toml", &text, None, &[]).unwrap_err();
        let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(
            told.iter().any(|problem| problem.contains("its spindle can't be locked")),
            "{model}: {told:?}"
        );
    }
}

/// What a comparison of two scenarios calls random is what differs between their replications.
#[test]
fn each_replication_draws_how_disks_turn_and_nothing_else_of_writes_in_order() {
    let text = |more: &str| {
        format!(
            r#"
[disk.d]
model = "hp-c3323a"
count = 3
{more}
[raid.r]
level = 1
on = "d*"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.data]
type = "ext4"
on = "r"
[workload.w]
kind = "files"
on = "data"
operation = "write"
record = "4 KiB"
file_size = "256 KiB"
sync = true
"#
        )
    };
    let means = |text: &str| -> Vec<f64> {
        let loaded = crate::common::loaded(text);
        let replicator = run::Replicator::new(&loaded).unwrap();
        let mean = |number| replicator.run(number).unwrap().served.latency.unwrap().mean_ms.value;
        (0..4).map(mean).collect()
    };
    let (free, locked) = (means(&text("")), means(&text("spindle = \"locked\"")));
    assert!(free.windows(2).all(|pair| pair[0] != pair[1]), "{free:?}");
    assert!(locked.windows(2).all(|pair| pair[0] == pair[1]), "{locked:?}");
    // A replication is the same however often it is run.
    assert_eq!(free, means(&text("")));
}
