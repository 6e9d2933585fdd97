//! Laws of random scenarios: those of every run, and of two that differ in one thing.

use super::*;
use crate::common::laws::{Broken, kept};
use crate::common::once;
use petrio_scenario::report::{Latency, Report};

/// How long a scenario takes, seconds of its own time.
fn took(scenario: &Scenario) -> Result<f64, TestCaseError> {
    Ok(ran(&scenario.text())?.simulated_s)
}

/// The report of a text.
fn ran(text: &str) -> Result<Report, TestCaseError> {
    let mut broken = Broken::default();
    broken.run(text).ok_or_else(|| TestCaseError::fail(format!("{text}{}", broken.0)))
}

/// The better takes no longer than the other, but for 3 %; places that are drawn are others where there is more room, and of few requests
/// more may meet.
fn never_slower(what: &str, worse: &Scenario, better: &Scenario) -> Result<(), TestCaseError> {
    let (before, after) = (took(worse)?, took(better)?);
    let slack = if better.asked.random { 1.15 } else { 1.03 };
    prop_assert!(
        after <= slack * before + 1e-6,
        "{what}: {before} s before, {after} s with it:\n{}",
        better.text()
    );
    Ok(())
}

#[test]
fn whatever_is_put_together_keeps_the_laws_of_every_run() {
    holds(40, scenarios(), |scenario| {
        let (text, mut broken) = (scenario.text(), Broken::default());
        if let Some(report) = broken.run(&text) {
            let (kept, durable) = (kept(&report, scenario.logs_data()), scenario.durable());
            broken.unless(kept >= durable, || format!("{durable} bytes were made durable, {kept} are kept"));
        }
        prop_assert!(broken.0.is_empty(), "{text}{}", broken.0);
        Ok(())
    });
}

#[test]
fn a_faster_drive_makes_no_run_longer() {
    holds(12, without_angles(), |scenario| {
        let Drive::Constant { latency, rate } = scenario.drive else { return Ok(()) };
        let drive = Drive::Constant { latency: latency / 2, rate: rate * 2 };
        never_slower("a drive twice as fast", scenario, &Scenario { drive, ..scenario.clone() })
    });
}

#[test]
fn more_memory_makes_no_reading_longer() {
    holds(12, without_angles(), |scenario| {
        // With less memory write-back begins earlier, and so beside the writing: what is made durable at the end may be sooner.
        let Mount::Local { kernel, ext4, mode, memory_mib } = scenario.mount else { return Ok(()) };
        if scenario.asked.writes {
            return Ok(());
        }
        let mount = Mount::Local { kernel, ext4, mode, memory_mib: memory_mib * 2 };
        never_slower("twice the memory", scenario, &Scenario { mount, ..scenario.clone() })
    });
}

/// Long streams, and twice the members: which of them few reads fall to is chance, and windows of two stripes end elsewhere with one more. Writes of parity are a question of whole stripes and of the cache that gathers
/// them, and what a controller takes for a stream one of where units end.
#[test]
fn twice_the_members_make_no_reading_of_long_files_longer() {
    let streams = (without_angles(), 3..6u32, prop::sample::select(vec!["0", "1+0", "5", "6"]), 0..2usize);
    let streams = streams.prop_map(|(scenario, members, level, profile)| {
        let (profile, members) = ([None, Some("linux-md")][profile], members / 2 * 2);
        let memory_mib = 256;
        let mount = match scenario.mount {
            Mount::Blocks => Mount::Local { kernel: "linux-6.18", ext4: true, mode: "ordered", memory_mib },
            other => other,
        };
        let holder = Holder::Array { level, members: members.max(4), unit_kib: 64, profile };
        let asked = Load { kib: 256, writes: false, random: false, ..scenario.asked };
        Scenario { holder, mount, asked, ..scenario }
    });
    holds(8, streams, |scenario| {
        let Holder::Array { level, members, unit_kib, profile } = scenario.holder else { return Ok(()) };
        let holder = Holder::Array { level, members: members * 2, unit_kib, profile };
        let better = Scenario { holder, ..scenario.clone() };
        let (before, after) = (took(scenario)?, took(&better)?);
        // Among other members two streams may meet where they didn't: each then waits for the other once.
        let Drive::Constant { latency, rate } = scenario.drive else { return Ok(()) };
        let meeting =
            2.0 * (f64::from(latency) / 1e6 + f64::from(unit_kib) * 1_024.0 / (f64::from(rate) * 1e6));
        prop_assert!(
            after <= 1.03 * before + meeting,
            "twice the members: {before} s before, {after} s with them:\n{}",
            better.text()
        );
        Ok(())
    });
}

#[test]
fn a_longer_gap_between_accesses_makes_none_of_them_slower() {
    holds(12, without_angles(), |scenario| {
        let mean = |scenario: &Scenario| {
            let report = Broken::default().run(&scenario.text());
            report.and_then(|report| Some(report.served.latency.as_ref()?.mean_ms.value)).unwrap_or_default()
        };
        if !matches!(scenario.mount, Mount::Blocks) || matches!(scenario.holder, Holder::Throttle { .. }) {
            return Ok(());
        }
        let asked = Load { gap_us: scenario.asked.gap_us + 20_000, ..scenario.asked };
        let rare = Scenario { asked, ..scenario.clone() };
        let (before, after) = (mean(scenario), mean(&rare));
        prop_assert!(
            after <= 1.03 * before + 1e-6,
            "{before} ms, {after} ms with longer gaps:\n{}",
            rare.text()
        );
        Ok(())
    });
}

#[test]
fn more_processors_make_no_run_longer() {
    holds(12, without_angles(), |scenario| {
        let text = scenario.text();
        if !text.contains("[host.h]") {
            return Ok(());
        }
        let with = |processors: u32| {
            let host = format!("[host.h]\nchange.machine.processors = {processors}\n");
            ran(&text.replace("[host.h]\n", &host)).map(|report| report.simulated_s)
        };
        let slack = if scenario.asked.random { 1.15 } else { 1.03 };
        let (one, two, eight) = (with(1)?, with(2)?, with(8)?);
        prop_assert!(
            two <= slack * one + 1e-6 && eight <= slack * two + 1e-6,
            "{one} s with one processor, {two} s with two, {eight} s with eight:\n{text}"
        );
        Ok(())
    });
}

/// Requests of a closed load, enough under way for each member to be always busy, of a device that serves each in the same time; the
/// run ends while all of them are under way. What a controller's memory takes saturates nothing.
#[test]
fn twice_the_clients_of_what_is_saturated_get_as_much_and_wait_twice_as_long() {
    let saturated = without_angles().prop_filter("a cache takes what comes", |scenario| {
        !matches!(scenario.holder, Holder::Array { profile: Some("perc-h700"), .. })
    });
    holds(8, saturated, |scenario| {
        // How many of their requests one member gets more than another is far less than what waits at each.
        let clients = 64 * scenario.members();
        let load = |processes: u32| {
            let asked = Load { processes, random: true, gap_us: 0, ..scenario.asked };
            let text = Scenario { mount: Mount::Blocks, asked, ..scenario.clone() }.text();
            let counted = processes * ACCESSES / 2;
            let report = once(&format!("{text}[measure]\nstop = {{ requests = {counted} }}\n"));
            (report.served.requests_per_s.value, report.served.latency.as_ref().unwrap().mean_ms.value)
        };
        let (once, twice) = (load(clients), load(2 * clients));
        let (rate, response) = (twice.0 / once.0, twice.1 / once.1);
        prop_assert!(
            (rate - 1.0).abs() <= 0.05 && (response / 2.0 - 1.0).abs() <= 0.05,
            "{once:?} of {clients} clients, {twice:?} of twice as many:\n{scenario:?}"
        );
        Ok(())
    });
}

/// A disk, a host, a file system of their own, and programs that work on both.
const OTHER: &str = "[disk.other]\nmodel = \"seagate-st3146707lc\"\ncount = 2\n[host.other]\nmachine = \"poweredge-1850\"\n\
     kernel = \"linux-3.2\"\n[fs.beside]\nhost = \"other\"\ntype = \"ext3\"\non = \"other1\"\nsize = \"300 MiB\"\n\
     [workload.blocks-beside]\nkind = \"synthetic\"\non = \"other0\"\nrequests = 30\ngenerators = [{ read_fraction = 0.5, \
     time_critical_fraction = 1, inter_arrival = \"5 ms\", size = \"4 KiB\" }]\n\
     [workload.files-beside]\nkind = \"files\"\non = \"beside\"\noperation = \"rewrite\"\npattern = \"random\"\nrecord = \"4 KiB\"\n\
     file_size = \"1 MiB\"\noperations = 20\nfsync = { every = 2 }\n";

/// What the workload got, by itself or beside others.
fn got(report: &Report) -> Option<(u64, u64, Option<Latency>)> {
    let rows = report.each().flat_map(|served| &served.workloads);
    let row = rows.into_iter().find(|row| row.workload == "w");
    let alone = || {
        let served = &report.served;
        (served.requests.completed, served.bytes, served.latency)
    };
    match row {
        Some(row) => Some((row.completed, row.bytes, row.latency)),
        None if report.beside.is_none() => Some(alone()),
        None => None,
    }
}

#[test]
fn a_second_system_changes_nothing_of_a_first_one_put_together_as_may_be() {
    holds(12, scenarios(), |scenario| {
        let mut text = scenario.text();
        // Where there is one host, file systems needn't say whose they are.
        if matches!(scenario.mount, Mount::Local { .. }) {
            text = text.replace("[fs.data]\n", "[fs.data]\nhost = \"h\"\n");
        }
        let (alone, both) = (ran(&text)?, ran(&format!("{text}{OTHER}"))?);
        prop_assert_eq!(got(&alone), got(&both), "{}", text);
        prop_assert!(got(&both).is_some(), "{}", text);
        Ok(())
    });
}
