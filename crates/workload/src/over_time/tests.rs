//! Readers of what disks did over time, tried with what was recorded, with what was written by hand, and with random intervals.

#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;

/// What was recorded of a loop device under fio (docs/measured.md says how).
fn seed(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../fuzz/seeds/over-time-{name}", env!("CARGO_MANIFEST_DIR")))
        .unwrap()
}

fn read(text: &str) -> OverTime {
    OverTime::read(text.as_bytes(), None).unwrap()
}

fn error(text: &str) -> String {
    let error = OverTime::read(text.as_bytes(), None).unwrap_err();
    format!("{error}; {}", error.help.as_deref().unwrap_or_default())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs())
}

#[test]
fn what_was_recorded_is_read_by_the_format_of_its_own() {
    // Reports by grep -c; the first of iostat's is of all the time before, and two scrapes make an interval.
    for (name, format, intervals) in [
        ("iostat", Format::Iostat, 81),
        ("iostat-json", Format::Iostat, 7),
        ("sar", Format::Sar, 159),
        ("sadf", Format::Sar, 159),
        ("sadf-json", Format::Sar, 10),
        ("exporter", Format::Exporter, 10),
        ("prometheus", Format::Prometheus, 9),
    ] {
        let seen = read(&seed(name));
        let loop0 = &seen.devices[0];
        assert_eq!((seen.format, seen.devices.len(), loop0.name.as_str()), (format, 1, "loop0"), "{name}");
        assert_eq!(loop0.intervals.len(), intervals, "{name}");
        let asked: Vec<&Interval> = loop0.intervals.iter().filter(|interval| interval.rate() > 1.0).collect();
        assert!(!asked.is_empty(), "{name}");
        for interval in asked {
            assert!(
                interval.length_s.is_some_and(|length| (0.5..60.0).contains(&length)),
                "{name}: {interval:?}"
            );
            assert!(
                interval.await_of_both().is_some_and(|taken| (1e-5..0.1).contains(&taken)),
                "{name}: {interval:?}"
            );
            // Little's law holds of what is told, within the rounding of two digits.
            let law = interval.await_of_both().unwrap() * interval.rate();
            let told = interval.in_flight.unwrap();
            assert!((law - told).abs() < 0.02 + 0.1 * told, "{name}: {law} and {told}");
        }
    }
}

#[test]
fn sar_and_iostat_that_watched_the_same_device_tell_the_same() {
    let (iostat, sar) = (read(&seed("iostat")), read(&seed("sadf")));
    let total = |seen: &OverTime, until: f64| {
        let own = seen.devices[0].intervals.iter().filter(|interval| interval.end_s.unwrap() < until);
        own.map(|interval| interval.rate() * interval.length_s.unwrap()).sum::<f64>()
    };
    // The first of two recordings; both were idle at its end.
    let until = iostat.devices[0].intervals[80].end_s.unwrap();
    let (one, other) = (total(&iostat, until), total(&sar, until));
    assert!((one / other - 1.0).abs() < 0.01, "{one} and {other}");
    assert!(sar.devices[0].intervals.iter().all(|interval| interval.together));
    // Between both recordings nobody looked: that is one long interval.
    let long = sar.devices[0].intervals.iter().filter(|interval| interval.length_s == Some(48.0));
    assert_eq!((long.count(), sar.remarks.len()), (1, 0), "{:?}", sar.remarks);
    // The screen of the same file says the same, but for the dates that it doesn't have.
    let screen = read(&seed("sar"));
    let rates = |seen: &OverTime| seen.devices[0].intervals.iter().map(Interval::rate).collect::<Vec<f64>>();
    assert_eq!(rates(&screen), rates(&sar));
}

const HEAD: &str = "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\n";

#[test]
fn megabytes_and_sectors_and_commas_are_the_same_bytes() {
    let of = |head: &str, row: &str| {
        read(&format!("{head}\n{row}\n\n{head}\n{row}\n")).devices[0].intervals[0].reads
    };
    let kilobytes = of("Device r/s rkB/s", "sda 10 2048");
    for (head, row) in [("Device r/s rMB/s", "sda 10,00 2,00"), ("Device: r/s rsec/s", "sda 10 4096")] {
        assert_eq!(of(&format!("{head} x"), &format!("{row} 0")), kilobytes);
    }
    assert_eq!(kilobytes.size(), Some(209_715.2));
}

fn of_rows(head: &str, row: &str) -> String {
    format!("{head}\nsda 1 1\n\n{head}\n{row}\n")
}

#[test]
fn a_time_before_a_report_says_how_long_it_was_and_one_that_goes_back_is_told() {
    let report = |time: &str| format!("{time}\n{HEAD}sda 10 40 1 0 0 0 0.01 1\n\n");
    let text: String =
        ["23:59:40", "23:59:50", "00:00:00", "00:00:30", "00:00:20", "00:00:30"].map(report).concat();
    let seen = read(&text);
    let lengths: Vec<f64> =
        seen.devices[0].intervals.iter().map(|interval| interval.length_s.unwrap()).collect();
    assert_eq!(lengths, [10.0, 10.0, 30.0, 10.0, 10.0], "the fourth has the usual one");
    assert!(seen.remarks.iter().any(|remark| remark.contains("clock went back")), "{:?}", seen.remarks);
    // Of reports without times nobody knows it, unless somebody says it.
    let bare: String = [""; 3].map(report).concat();
    assert_eq!(read(&bare).devices[0].intervals[0].length_s, None);
    let said = OverTime::read(bare.as_bytes(), Some(5.0)).unwrap();
    assert_eq!(said.devices[0].intervals[0].length_s, Some(5.0));
}

#[test]
fn a_machine_that_was_started_anew_begins_with_a_report_of_all_its_time() {
    let part = format!(
        "Linux 6.1.0 (host) 01/02/26\n\n{HEAD}sda 99 1 1 1 1 1 1 1\n\n{HEAD}sda 10 40 1 0 0 0 0.01 1\n\n"
    );
    let seen = read(&format!("{part}{part}"));
    assert!(seen.devices[0].intervals.iter().all(|interval| interval.reads.per_s == 10.0));
    assert_eq!(seen.devices[0].intervals.len(), 2);
}

#[test]
fn a_last_line_that_is_cut_off_is_left_out_and_told() {
    for name in ["iostat", "sar", "sadf"] {
        let whole = seed(name);
        let last = whole.trim_end().rfind("loop0").unwrap();
        // sar's own means are behind all reports.
        let last = if name == "sar" {
            whole[..whole.find("Average").unwrap()].rfind("loop0").unwrap()
        } else {
            last
        };
        let seen = read(&whole[..last + 20]);
        assert!(seen.remarks.iter().any(|remark| remark.contains("cut off")), "{name}: {:?}", seen.remarks);
        assert!(!seen.remarks.iter().any(|remark| remark.contains("line 1,")));
    }
    assert!(error(&format!("{HEAD}sda 1\n\n{HEAD}sda 1 2\n")).starts_with("line 2: it has 2 columns"));
}

#[test]
fn counters_that_begin_again_leave_an_interval_out() {
    let scrape = |at: u32, reads: u32| {
        format!(
            "node_disk_reads_completed_total{{device=\"sda\"}} {reads}\nnode_disk_read_bytes_total{{device=\"sda\"}} {}\n\
             node_disk_read_time_seconds_total{{device=\"sda\"}} {}\nnode_disk_writes_completed_total{{device=\"sda\"}} 0\nnode_time_seconds {at}\n",
            reads * 4096,
            f64::from(reads) * 0.002
        )
    };
    let text: String =
        [(0, 100), (10, 200), (20, 20), (30, 70), (25, 90)].map(|(at, reads)| scrape(at, reads)).concat();
    let seen = read(&text);
    let intervals = &seen.devices[0].intervals;
    assert_eq!(intervals.iter().map(|interval| interval.reads.per_s).collect::<Vec<_>>(), [10.0, 5.0]);
    assert!(intervals.iter().all(|interval| near(interval.reads.await_s.unwrap(), 0.002)));
    for words in ["counters begin again", "clock went back", "gap"] {
        assert!(seen.remarks.iter().any(|remark| remark.contains(words)), "{words}: {:?}", seen.remarks);
    }
    let without: String = text
        .lines()
        .filter(|line| !line.starts_with("node_time"))
        .fold(String::new(), |text, line| text + line + "\n");
    assert!(error(&without).contains("nothing says when this scrape was made; say how far apart they are"));
    assert_eq!(
        OverTime::read(without.as_bytes(), Some(10.0)).unwrap().devices[0].intervals[0].reads.per_s,
        10.0
    );
}

#[test]
fn a_table_has_its_units_in_the_names_of_its_columns() {
    let seen = read(&seed("table"));
    let (sda, nvme) = (&seen.devices[0], &seen.devices[1]);
    assert_eq!((sda.intervals.len(), nvme.intervals.len()), (4, 1));
    let second = &sda.intervals[1];
    assert_eq!(
        (second.length_s, second.reads.size(), second.writes.size()),
        (Some(10.0), Some(4096.0), Some(32_768.0))
    );
    assert!(near(second.reads.await_s.unwrap(), 0.55e-3) && second.busy == Some(0.13));
    assert_eq!((nvme.intervals[0].writes.per_s, nvme.intervals[0].writes.await_s), (0.0, None));
    assert!(
        seen.remarks.iter().any(|remark| remark == "columns that are left out: raid"),
        "{:?}",
        seen.remarks
    );
    let in_other_units = read("device;writes_per_s;written_mb_per_s;await_us;busy\nsda;10;1;250;0.5\n");
    let only = &in_other_units.devices[0].intervals[0];
    assert_eq!((only.writes.size(), only.busy), (Some(100_000.0), Some(0.5)));
    assert!(near(only.await_of_both().unwrap(), 250e-6));
}

#[test]
fn what_is_wrong_is_told_with_its_line_and_what_to_do() {
    let rows = of_rows("Device r/s rkB/s", "sda x 1");
    for (text, words) in [
        (rows.as_str(), "line 5: \"x\" is no number"),
        ("nothing\n", "it is nothing over time that is read here; read are: "),
        (
            &format!("{HEAD}sda 1 1 1 1 1 1 1 1\n"),
            "there is no interval in it; the first report is of all the time",
        ),
        ("09:00:00 tps rtps wtps bread/s bwrtn/s\n", "line 1: sar -b tells how much the whole machine"),
        ("reads_per_s,device\n1,sda,3\n", "line 2: it has 3 columns, and the line that names them 2"),
        (
            "reads_per_s,busy\n1,5\n",
            "line 2: busy: 5 is more than all of the time; of 100 it is busy_percent",
        ),
        ("reads_per_s,time\n1,noon\n", "line 2: \"noon\" is no time"),
        ("reads_per_s,await_ms,await_us\n1,1,1\n", "is there twice"),
        ("reads_per_s,interval_s\n-1,1\n", "line 2: reads_per_s: -1 is nothing that a disk has"),
        ("node_disk_reads_completed_total 5\n", "line 1: node_disk_reads_completed_total has no device"),
        ("node_disk_reads_completed_total{device=\"sda\" 5\n", "line 1: its labels have no end"),
        (
            "{\"status\":\"error\",\"error\":\"too long\",\"resultType\":1}",
            "Prometheus answered with an error: too long",
        ),
        ("{\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{}}]}}", "no __name__ or no device"),
        ("{\"sysstat\": {\n\"hosts\": [{\n\"disk_device\"", "line 3: it is no whole JSON"),
    ] {
        let told = error(text);
        assert!(told.contains(words), "{told} of {text}");
    }
    let two = [b"reads_per_s,busy\n1,".as_slice(), &[0xff]].concat();
    assert!(OverTime::read(&two, None).unwrap_err().to_string().starts_with("line 2: it isn't text"));
}

proptest! {
    /// What is written as iostat's screen, with or without times, is read as it was.
    #[test]
    fn what_iostat_prints_is_read_as_it_was(
        rows in prop::collection::vec((0_u32..100_000, 1_u32..4_000, 1_u32..1_000_000, 0_u32..=10_000), 1..20),
        step in 1_u32..3_600,
        timed in any::<bool>(),
    ) {
        let mut text = format!("Linux 6.1.0 (host)\n\n{}{HEAD}sda 1 1 1 1 1 1 1 1\n\n", if timed { "00:00:00\n" } else { "" });
        for (number, (rate, size, taken, busy)) in (1..).zip(&rows) {
            if timed {
                let at = step * number % 86_400;
                let _ = writeln!(text, "{:02}:{:02}:{:02}", at / 3_600, at / 60 % 60, at % 60);
            }
            let (taken, busy) = (f64::from(*taken) / 1e3, f64::from(*busy) / 1e2);
            let _ = write!(text, "{HEAD}sda {rate} {} {taken:.3} 0.00 0.00 0.00 0.5 {busy:.2}\n\n", rate * size);
        }
        let seen = read(&text);
        let intervals = &seen.devices[0].intervals;
        prop_assert_eq!(intervals.len(), rows.len());
        for (interval, (rate, size, taken, busy)) in intervals.iter().zip(&rows) {
            prop_assert_eq!(interval.reads.per_s, f64::from(*rate));
            prop_assert_eq!(interval.reads.size(), (*rate > 0).then(|| f64::from(*size) * 1024.0));
            prop_assert!(interval.reads.await_s.is_none_or(|each| near(each, f64::from(*taken) / 1e6)));
            prop_assert!(near(interval.busy.unwrap(), f64::from(*busy) / 1e4));
            prop_assert_eq!(interval.length_s, timed.then_some(f64::from(step)));
        }
    }
}
