//! The files that a run writes: there, well formed, complete, or not there at all.

use crate::support::{Folder, RANDOM, figure, unwrapped};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::process::Stdio;

const ALL: [&str; 12] = [
    "run",
    "scenario.toml",
    "--json",
    "r.json",
    "--csv",
    "r.csv",
    "--html",
    "r.html",
    "--parquet",
    "r.parquet",
    "--perfetto",
    "r.perfetto",
];

#[test]
fn every_kind_of_result_is_well_formed_and_tells_of_every_request() {
    let folder = Folder::with(RANDOM);
    let answer = folder.petrio(&ALL);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let expected = ["r.csv", "r.html", "r.json", "r.parquet", "r.perfetto", "scenario.toml"];
    assert_eq!(folder.names(), expected);
    for name in ["r.json", "r.csv", "r.html", "r.parquet", "r.perfetto"] {
        assert!(answer.out.contains(name) || answer.talk.contains(name), "{name} is not named");
    }

    let report = folder.json("r.json");
    assert_eq!(figure(&report, "/requests/completed"), 2_000.0);
    assert_eq!(figure(&report, "/requests/in_flight"), 0.0);
    let parts: f64 =
        report["breakdown"].as_array().unwrap().iter().map(|part| part["mean_ms"].as_f64().unwrap()).sum();
    assert!(
        (parts / figure(&report, "/latency/mean_ms/value") - 1.0).abs() < 1e-6,
        "the parts add up to the whole"
    );

    let csv = folder.text("r.csv");
    let columns = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == columns || line.contains('"')), "{csv}");
    assert!(csv.contains("run,,,requests,2000,"), "{csv}");

    let html = folder.text("r.html");
    assert!(html.starts_with("<!DOCTYPE html>"));
    assert!(html.trim_end().ends_with("</html>"));
    for outside in ["src=", "<link", "@import", "url(", "fetch("] {
        assert!(!html.contains(outside), "the page has {outside}");
    }
    let addresses = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!addresses.contains("http://") && !addresses.contains("https://"));

    let rows = SerializedFileReader::new(std::fs::File::open(folder.path("r.parquet")).unwrap()).unwrap();
    assert_eq!(rows.metadata().file_metadata().num_rows(), 2_000);

    let timeline = folder.json("r.perfetto");
    let events = timeline["traceEvents"].as_array().or_else(|| timeline.as_array()).unwrap();
    assert!(events.len() >= 2_000, "{} events", events.len());
}

#[test]
fn a_run_that_fails_half_way_leaves_nothing() {
    let scenario = "[disk.d0]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d0\"\nfiles = [\"t\"]\n";
    let folder = Folder::with(scenario);
    let good: String = (0..5_000).map(|n| format!("{n}.0 0 {n} 8 1\n")).collect();
    folder.write("t", format!("{good}1.0 0 0 8 1\n"));
    folder.write("r.json", "from before");
    let answer = folder.petrio(&ALL);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("t, line 5001"), "{}", answer.talk);
    assert_eq!(answer.out, "");
    assert_eq!(folder.names(), ["r.json", "scenario.toml", "t"]);
    assert_eq!(folder.text("r.json"), "from before", "an older result stays as it was");
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_leaves_nothing() {
    let folder = Folder::with(&RANDOM.replace("requests = 2000", "requests = 4000000000"));
    let mut child = folder.command(&ALL).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while folder.names().len() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it began to write");
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["scenario.toml"]);
}

#[test]
fn a_result_without_a_folder_is_refused_before_the_run() {
    for option in ["--json", "--csv", "--html", "--parquet", "--perfetto"] {
        // The run itself would never end.
        let folder = Folder::with(&RANDOM.replace("requests = 2000", "requests = 4000000000"));
        let answer = folder.petrio(&["run", "scenario.toml", option, "missing/r"]);
        assert_eq!(answer.code, Some(1), "{option}: {}", answer.talk);
        assert!(answer.talk.contains("missing/r can't be written"), "{}", answer.talk);
        assert!(answer.talk.contains("make the folder first"), "{}", answer.talk);
        std::fs::create_dir(folder.path("folder")).unwrap();
        let answer = folder.petrio(&["run", "scenario.toml", option, "folder"]);
        assert_eq!(answer.code, Some(1), "{option}: {}", answer.talk);
        assert!(answer.talk.contains("that is a folder"), "{}", answer.talk);
    }
}

#[test]
fn two_results_in_one_file_and_a_result_in_the_scenario_are_refused() {
    let folder = Folder::with(RANDOM);
    let answer = folder.petrio(&["run", "scenario.toml", "--json", "r", "--csv", "r"]);
    assert_eq!(answer.code, Some(2));
    assert!(unwrapped(&answer.talk).contains("--json and --csv both name r"), "{}", answer.talk);
    let answer = folder.petrio(&["run", "scenario.toml", "--html", "./scenario.toml"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("would overwrite ./scenario.toml, which is read"), "{}", answer.talk);
    assert_eq!(folder.text("scenario.toml"), RANDOM);
}

#[test]
fn quiet_prints_nothing_on_standard_output() {
    let folder = Folder::with(RANDOM);
    let answer = folder.petrio(&["run", "scenario.toml", "-q", "--html", "r.html"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""));
    assert_eq!(answer.talk, "written: r.html\n");
}
