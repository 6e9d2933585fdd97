//! `petrio compare SCENARIO measured:FILE`: what iozone and fio measured beside what is predicted. The measurements here are written of
//! petrio's own runs, so that it is known how far apart both are.

use crate::support::{Folder, figure, unwrapped};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Nothing in it is random, so that a run is what every replication is.
pub(crate) const STEADY: [&str; 2] = ["--set", "disk.d.model=constant-rate"];

/// Compares, and gives the JSON.
fn compared(folder: &Folder, arguments: &[&str]) -> Value {
    let answer = folder.petrio(&[&["compare", "-q", "--json", "c.json"], arguments, &STEADY].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    folder.json("c.json")
}

/// A scenario of an iozone command line, and the report of its run.
fn iozone(command: &str) -> (Folder, Value) {
    let folder = Folder::new();
    let made = folder.petrio(&["init", "--from", command, "-o", "scenario.toml"]);
    assert_eq!(made.code, Some(0), "{}", made.talk);
    let report = folder.report(&STEADY);
    (folder, report)
}

fn throughput(report: &Value, workload: &str) -> f64 {
    let mut rows = report["workloads"].as_array().unwrap().iter();
    let row = rows.find(|row| row["workload"] == workload).unwrap_or_else(|| panic!("{workload}"));
    figure(row, "/throughput_bytes_per_s/value")
}

/// Sizes and records of `-a -s 64`, kB.
const RECORDS: [u64; 5] = [4, 8, 16, 32, 64];
const TESTS: [&str; 4] = ["write", "rewrite", "read", "reread"];

/// iozone's screen of a report, each figure times what `factor` says of it.
fn screen(command: &str, report: &Value, factor: impl Fn(&str, u64) -> f64) -> String {
    let mut text = format!(
        "\tCommand line used: {command}\n\tOutput is in kBytes/sec\n\
         \x20             kB  reclen    write  rewrite    read    reread    read     write\n"
    );
    for record in RECORDS {
        let _ = write!(text, "{:16}{record:8}", 64);
        for test in TESTS {
            let rate = throughput(report, &format!("{test}-64k-{record}k"));
            let _ = write!(text, "{:9.0}", rate / 1024.0 * factor(test, record));
        }
        text.push_str("                  \n");
    }
    text + "\niozone test complete.\n"
}

const AUTO: &str = "iozone -a -s 64 -i 0 -i 1";

#[test]
fn an_iozone_table_of_petrios_own_run_is_predicted_to_the_last_digit() {
    let (folder, report) = iozone(AUTO);
    folder.write("measured.txt", screen(AUTO, &report, |_, _| 1.0));
    let found = compared(&folder, &["scenario.toml", "measured:measured.txt", "--html", "c.html"]);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), RECORDS.len() * TESTS.len());
    for row in rows {
        let ratio = figure(row, "/predicted/0/ratio/value");
        // iozone prints whole kB a second.
        assert!((ratio - 1.0).abs() < 1e-5, "{row}");
        let width = row["predicted"][0]["ratio"]["half_width"].as_f64();
        assert!(width.is_none_or(|width| width == 0.0), "nothing is random: {row}");
        let named =
            format!("{}-64k-{}k", row["name"].as_str().unwrap(), row["record"].as_u64().unwrap() / 1024);
        assert_eq!(row["predicted"][0]["workload"], named, "read and reread have the same parameters");
    }
    let summary = &found["summaries"][0];
    assert_eq!((&summary["figure"], &summary["within_10"]), (&json!("throughput"), &json!(20)));
    assert!((figure(summary, "/mean_ratio") - 1.0).abs() < 1e-5);
    let page = folder.text("c.html");
    assert!(page.contains("How well it is predicted") && page.contains("reread"));
    // A saved report has the same workloads.
    let saved = compared(&folder, &["report.json", "measured:measured.txt"]);
    for row in saved["rows"].as_array().unwrap() {
        assert!((figure(row, "/predicted/0/ratio/value") - 1.0).abs() < 1e-5, "{row}");
    }
}

#[test]
fn where_the_measurement_differs_the_ratio_and_the_verdict_say_by_how_much() {
    let (folder, report) = iozone(AUTO);
    let halved = |test: &str, record| if test == "rewrite" && record == 16 { 0.5 } else { 1.0 };
    folder.write("measured.txt", screen(AUTO, &report, halved));
    let found = compared(&folder, &["scenario.toml", "measured:measured.txt"]);
    for row in found["rows"].as_array().unwrap() {
        let is_halved = row["name"] == "rewrite" && row["record"] == 16 * 1024;
        let expected = if is_halved { 2.0 } else { 1.0 };
        assert!((figure(row, "/predicted/0/ratio/value") - expected).abs() < 1e-4, "{row}");
    }
    let summary = &found["summaries"][0];
    assert_eq!(
        (&summary["within_20"], &summary["worst"]),
        (&json!(19), &json!("rewrite, 64.0 KiB, 16.0 KiB records"))
    );
    assert!((figure(summary, "/mean_error") - 1.0 / 20.0).abs() < 1e-4, "{summary}");
    let text =
        folder.petrio(&[&["compare", "scenario.toml", "measured:measured.txt"], &STEADY[..]].concat()).out;
    let text = unwrapped(&text);
    assert!(text.contains("19 of 20 within 10 %") && text.contains("furthest 2.00 times (rewrite"), "{text}");
}

#[test]
fn what_was_measured_twice_is_a_mean_with_its_interval() {
    let (folder, report) = iozone(AUTO);
    folder.write("a.txt", screen(AUTO, &report, |_, _| 0.9));
    folder.write("b.txt", screen(AUTO, &report, |_, _| 1.1));
    let found = compared(&folder, &["scenario.toml", "measured:a.txt", "measured:b.txt"]);
    let row = &found["rows"][0];
    assert_eq!((&row["runs"], found["sources"].as_array().unwrap().len()), (&json!(2), 2));
    assert!((figure(row, "/predicted/0/ratio/value") - 1.0).abs() < 1e-4, "{row}");
    // t(0.975, 1) = 12.7062; the standard error of both is a tenth of their mean.
    let part = figure(row, "/predicted/0/ratio/half_width");
    assert!((part - 1.270_62).abs() < 1e-3, "{row}");
}

#[test]
fn each_of_more_tests_than_a_report_has_rows_for_is_predicted() {
    let command = "iozone -a -n 64 -g 128 -i 0 -i 1 -i 3 -i 4 -i 5 -i 6 -i 7";
    let (folder, _) = iozone(command);
    let heads = "write rewrite read reread read write read rewrite read fwrite frewrite fread freread";
    let mut text = format!("Command line used: {command}\nkB reclen {heads}\n");
    for (size, records) in [(64, &RECORDS[..]), (128, &[4, 8, 16, 32, 64, 128])] {
        for record in records {
            // Eleven tests: the random ones weren't run.
            let _ = writeln!(text, "{size} {record}{}", " 1000000".repeat(11));
        }
    }
    folder.write("measured.txt", text + "iozone test complete.\n");
    let found = compared(&folder, &["scenario.toml", "measured:measured.txt"]);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 11 * 11);
    for row in rows {
        assert!(figure(row, "/predicted/0/value/value") > 0.0, "{row}");
        assert_ne!(row["predicted"][0]["workload"], "all others");
    }
}

#[test]
fn throughput_mode_is_held_against_as_many_processes() {
    let command = "iozone -e -l 1 -u 2 -s 1m -r 16k -i 0";
    let (folder, report) = iozone(command);
    let mut text = format!("Command line used: {command}\nOutput is in kBytes/sec\n");
    for processes in [1, 2] {
        text.push_str("\tEach process writes a 1024 kByte file in 16 kByte records\n");
        for (test, words) in [("write", "initial writers"), ("rewrite", "rewriters")] {
            let rate = throughput(&report, &format!("{test}-of-{processes}")) / 1024.0;
            let _ =
                writeln!(text, "\tChildren see throughput for {processes:2} {words} \t= {rate:10.2} kB/sec");
        }
    }
    folder.write("measured.txt", text + "iozone test complete.\n");
    let found = compared(&folder, &["scenario.toml", "measured:measured.txt"]);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert!((figure(row, "/predicted/0/ratio/value") - 1.0).abs() < 1e-5, "{row}");
    }
}

pub(crate) const JOBS: &str = "[global]\nsize=1m\n[4k reads]\nrw=read\nbs=4k\ndirect=1\n[writer]\nstonewall\nrw=write\nbs=64k\nfsync=8\n";

/// fio's JSON of a report: what it says of a workload, and of its kinds where it has several.
pub(crate) fn fio(report: &Value, factor: f64) -> String {
    let times = |latency: &Value| {
        let ns = |at: &str| figure(latency, at) * 1e6 * factor;
        json!({ "mean": ns("/mean_ms/value"), "percentile": {
            "50.000000": ns("/p50_ms/value"), "99.000000": ns("/p99_ms/value") } })
    };
    let workload = |name: &str| {
        let mut rows = report["workloads"].as_array().unwrap().iter();
        rows.find(|row| row["workload"] == name).unwrap()
    };
    let reader = workload("4k-reads");
    let writer = workload("writer");
    let kind = |name: &str| {
        let mut kinds = writer["operations"].as_array().unwrap().iter();
        kinds.find(|kind| kind["operation"] == name).unwrap()
    };
    let jobs = json!([
        { "jobname": "4k reads", "error": 0, "read": {
            "io_bytes": reader["bytes"], "total_ios": reader["completed"],
            "bw_bytes": figure(reader, "/throughput_bytes_per_s/value") / factor,
            "iops": figure(reader, "/per_s/value") / factor, "lat_ns": times(&reader["latency"]) } },
        { "jobname": "writer", "error": 0, "write": {
            "io_bytes": writer["bytes"], "total_ios": kind("write")["completed"],
            "bw_bytes": figure(writer, "/throughput_bytes_per_s/value") / factor,
            "iops": figure(kind("write"), "/per_s/value") / factor, "lat_ns": times(&kind("write")["latency"]) },
          "sync": { "total_ios": kind("fsync")["completed"], "lat_ns": times(&kind("fsync")["latency"]) } },
    ]);
    format!("$ fio job.fio\n{:#}\n", json!({ "fio version": "fio-3.33", "jobs": jobs }))
}

#[test]
fn fios_json_of_petrios_own_run_is_predicted_and_half_as_fast_a_one_is_twice() {
    let folder = Folder::new();
    folder.write("job.fio", JOBS);
    assert_eq!(folder.petrio(&["init", "--from", "job.fio", "-o", "scenario.toml"]).code, Some(0));
    let report = folder.report(&STEADY);
    for factor in [1.0, 2.0] {
        folder.write("fio.json", fio(&report, factor));
        let found = compared(&folder, &["scenario.toml", "measured:fio.json"]);
        let rows = found["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 5 + 5 + 3, "{found:#}");
        for row in rows {
            let is_rate = ["throughput", "rate"].contains(&row["figure"].as_str().unwrap());
            let expected = if is_rate { factor } else { 1.0 / factor };
            assert!((figure(row, "/predicted/0/ratio/value") / expected - 1.0).abs() < 1e-6, "{row}");
        }
        assert_eq!(rows[0]["predicted"][0]["workload"], "4k-reads");
    }
    // Two scenarios are held against it side by side, and one that does it with other accesses is told.
    let other = "scenario.toml@workload.4k-reads.record=\"8 KiB\"";
    let found = compared(&folder, &["scenario.toml", other, "measured:fio.json"]);
    assert_eq!(found["rows"][0]["predicted"].as_array().unwrap().len(), 2);
    let notes = found["notes"].to_string();
    assert!(notes.contains("B: \\\"4k reads\\\" was measured with accesses of 4.00 KiB"), "{notes}");
}

#[test]
fn a_scenario_is_made_of_what_was_measured() {
    let folder = Folder::new();
    let recorded = include_str!("../../../workload/src/measurement/fixtures/fio.json");
    folder.write("fio.json", recorded);
    let made = folder.petrio(&["init", "--from", "fio.json", "-o", "scenario.toml"]);
    assert_eq!(made.code, Some(0), "{}", made.talk);
    let found = compared(&folder, &["scenario.toml", "measured:fio.json", "--replications", "2"]);
    for row in found["rows"].as_array().unwrap() {
        assert!(figure(row, "/predicted/0/value/value") > 0.0, "each job has its workload: {row}");
    }
    folder.write("cut.json", &recorded[..recorded.len() / 2]);
    let cut = folder.petrio(&["init", "--from", "cut.json", "-o", "cut.toml"]);
    assert!(cut.code == Some(2) && unwrapped(&cut.talk).contains("before it is complete"), "{}", cut.talk);
    // Tables alone don't say how their tests were made.
    folder.write("tables.txt", "\"Reader report\"\n  \"4\"\n\"64\"  100\n");
    let tables = folder.petrio(&["init", "--from", "tables.txt", "-o", "tables.toml"]);
    assert!(
        tables.code == Some(2) && unwrapped(&tables.talk).contains("its command line"),
        "{}",
        tables.talk
    );
    // In a scenario's place the options that stand in it are played.
    let checked = folder.petrio(&["check", "fio.json"]);
    assert_eq!(checked.code, Some(0), "{}", checked.talk);
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_to_do() {
    let (folder, report) = iozone(AUTO);
    let whole = screen(AUTO, &report, |_, _| 1.0);
    folder.write("good.txt", &whole);
    folder.write("empty.txt", "");
    folder.write("prose.txt", "It was fast.\n");
    folder.write("cut.json", "{ \"fio version\" : \"fio-3.33\",\n \"jobs\" : [\n");
    folder.write("other.txt", whole.replace("              64 ", "             128 "));
    folder.write("sheet.xls", b"\x09\x00\x04\x00\x02\x00\x10\x00");
    let table: [(&[&str], &[&str]); 9] = [
        (&["measured:good.txt"], &["no scenario", "name a scenario"]),
        (&["scenario.toml", "measured:empty.txt"], &["empty.txt", "no measurement", "read are:", "iozone"]),
        (&["scenario.toml", "measured:prose.txt"], &["prose.txt", "no measurement", "--output-format=json"]),
        (&["scenario.toml", "measured:cut.json"], &["cut.json", "line 3", "before it is complete"]),
        (&["scenario.toml", "measured:sheet.xls"], &["binary sheet", "-R"]),
        (&["scenario.toml", "measured:nowhere.txt"], &["nowhere.txt", "can't be read"]),
        (&["scenario.toml", "measured:other.txt"], &["no workload of A", "petrio init --from"]),
        (&["scenario.toml", "measured:good.txt", "--measure", "rate"], &["--measure", "leave it out"]),
        (&["scenario.toml", "good.txt"], &["is a measurement", "measured:good.txt"]),
    ];
    for (arguments, words) in table {
        let answer = folder.petrio(&[&["compare"], arguments].concat());
        assert_eq!(answer.code, Some(2), "{arguments:?}: {} {}", answer.out, answer.talk);
        let talk = unwrapped(&answer.talk);
        for word in words {
            assert!(talk.contains(word), "{arguments:?} doesn't say {word:?}: {talk}");
        }
    }
}
