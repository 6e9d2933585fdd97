//! Copies of files: what the example says of them, and what making them takes.

use crate::support::{Folder, figure, root};
use serde_json::Value;

/// Runs `examples/copies-of-files.toml`, changed so.
fn run(set: &str) -> Value {
    let folder = Folder::new();
    let scenario = root().join("examples/copies-of-files.toml").display().to_string();
    let answer = folder.petrio(&["run", &scenario, "-q", "--no-what-if", "--json", "r.json", "--set", set]);
    assert_eq!(answer.code, Some(0), "{set}: {}", answer.talk);
    folder.json("r.json")
}

#[test]
fn a_trace_captured_on_a_larger_device_runs_on_disks_of_1990() {
    let scenario = root().join("examples/compile-on-1990.toml").display().to_string();
    let folder = Folder::new();
    let run = |set: &str| {
        folder.petrio(&["run", &scenario, "-q", "--no-what-if", "--json", "r.json", "--set", set])
    };
    let figures = |set: &str| {
        let answer = run(set);
        assert_eq!(answer.code, Some(0), "{set}: {}", answer.talk);
        let report = folder.json("r.json");
        let warnings = report["warnings"].to_string();
        (figure(&report, "/simulated_s"), figure(&report, "/copies/0/seek_cylinders"), warnings)
    };
    let (mirrors, seek, warnings) = figures("seed=1");
    assert!(warnings.contains("the file system places its files itself"), "{warnings}");
    let (one, ..) = figures("disk.d.count=1");
    assert!(mirrors < 0.95 * one, "{mirrors} {one}");
    let (_, far, warnings) = figures("workload.compile.out_of_range=wrap");
    assert!(far > 2.0 * seek && warnings.contains("their places wrap around"), "{far} {seek} {warnings}");
    let refused = run("workload.compile.out_of_range=error");
    assert_eq!(refused.code, Some(2), "{}", refused.talk);
    assert!(refused.talk.contains("has 1115136") && refused.talk.contains("allocate"), "{}", refused.talk);
    // Device requests on files: a file stands for each device.
    let trace = root().join("examples/traces/compile.csv.xz").display().to_string();
    let file = format!("workload.compile.file={trace:?}");
    let whole = folder.petrio(&["run", &scenario, "--set", &file]);
    assert_eq!(whole.code, Some(2), "{}", whole.talk);
    assert!(whole.talk.contains("device_room"), "{}", whole.talk);
}

#[test]
fn on_a_host_that_places_files_itself_their_recorded_places_mean_nothing() {
    let scenario = root().join("examples/replay-a-compile.toml").display().to_string();
    let answer = Folder::new().petrio(&["check", &scenario, "--set", "workload.compile.out_of_range=wrap"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(answer.talk.contains("\"data\" places files itself"), "{}", answer.talk);
}

/// Milliseconds of a read and of a write.
fn turnarounds(report: &Value) -> [f64; 2] {
    ["read", "write"].map(|side| figure(report, &format!("/copies/0/{side}_turnaround_ms/mean")))
}

fn policy(kind: &str) -> Value {
    run(&format!("replication.copies.policy={{ kind = \"{kind}\" }}"))
}

#[test]
fn the_policies_of_the_example_differ_as_it_says() {
    let [mirrors, scatter, scattered] =
        ["read-one-write-all", "scatter", "scatter-cut-back"].map(|kind| turnarounds(&policy(kind)));
    let first = turnarounds(&policy("cut-back"));
    let [read, write] = turnarounds(&run("seed=1"));
    // Copies give readers a second arm, but as mirrors they take more of it than they give.
    assert!(read < 0.95 * scatter[0], "{read} {scatter:?}");
    assert!(mirrors[0] > 1.05 * scatter[0], "{mirrors:?} {scatter:?}");
    // Scattered, young files leave no disk without writes: better for writers, worse for readers.
    assert!(scattered[0] > 1.05 * read && scattered[1] < 0.95 * write, "{scattered:?} {read} {write}");
    // All on the first disk, they are in each other's way most, and least in the readers'.
    assert!(first[0] < read && first[1] > 1.05 * write, "{first:?} {read} {write}");
}

#[test]
fn a_copy_of_the_example_takes_a_read_and_a_write_of_its_file() {
    let count = |report: &Value, name: &str| figure(report, &format!("/copies/0/{name}"));
    let moved = |report: &Value, side: &str| -> f64 {
        [0, 1].map(|disk| count(report, &format!("copy_moves/{disk}/{side}_bytes"))).iter().sum()
    };
    let [background, at_once] =
        ["simulated", "at-once"].map(|traffic| run(&format!("replication.copies.traffic={traffic}")));
    for report in [&background, &at_once] {
        // Four writers make thirty files twice; those of the last minute have no copy yet.
        let copies = count(report, "copies_made");
        assert!((120.0..240.0).contains(&copies), "{copies}");
        assert_eq!(count(report, "cut_backs"), 120.0, "each file when it is written again");
        let abandoned = count(report, "copies_abandoned");
        let bytes = moved(report, "written");
        assert!(bytes >= copies * 65_536.0 && bytes <= (copies + abandoned + 4.0) * 65_536.0, "{bytes}");
        assert!(moved(report, "read") >= bytes);
        assert_eq!(count(report, "copy_bytes"), moved(report, "read") + bytes);
    }
    let magic = run("replication.copies.traffic=magic");
    assert_eq!(count(&magic, "copy_bytes"), 0.0);
    assert!(count(&magic, "copies_made") > 120.0);
    let [magic, background, at_once] = [&magic, &background, &at_once].map(|report| turnarounds(report)[0]);
    assert!(magic < 0.97 * background && background < 0.9 * at_once, "{magic} {background} {at_once}");
}

/// The mean milliseconds of an operation of a sort, and of a request, in an example that is changed so.
fn means(example: &str, set: &str) -> (Value, impl Fn(&str) -> f64) {
    let folder = Folder::new();
    let scenario = root().join("examples").join(example).display().to_string();
    let answer = folder.petrio(&["run", &scenario, "-q", "--no-what-if", "--json", "r.json", "--set", set]);
    assert_eq!(answer.code, Some(0), "{set}: {}", answer.talk);
    let report = folder.json("r.json");
    let told = report.clone();
    (report, move |path: &str| figure(&told, path))
}

#[test]
fn the_protocols_of_the_example_cost_what_it_says() {
    let write = |protocol: &str| {
        let set = format!("replication.copies.protocol={protocol}");
        let set = if protocol.is_empty() { "seed=1".to_owned() } else { set };
        let (_, mean) = means("copies-kept-alike.toml", &set);
        ["read", "write"].map(|side| mean(&format!("/copies/0/{side}_turnaround_ms/mean")))
    };
    let vote = write("");
    let first = write("{ kind = \"write-all\" }");
    let all = write("{ kind = \"voting\", writes = 3, reads = 1 }");
    let master = write("{ kind = \"master\" }");
    let on_disk = write("{ kind = \"voting\", writes = 2, versions = \"on-disk\" }");
    let transaction = write("{ kind = \"transaction\" }");
    for between in [vote, master] {
        assert!(first[1] < 0.95 * between[1] && between[1] < 0.95 * all[1], "{first:?} {between:?} {all:?}");
    }
    assert!((0..2).all(|side| on_disk[side] > 2.0 * vote[side]), "{on_disk:?} {vote:?}");
    let times = transaction[1] / all[1];
    assert!((5.5..6.5).contains(&times), "{times}");
}

#[test]
fn the_storage_nodes_of_the_example_cost_and_save_what_it_says() {
    let nodes = root().join("examples/storage-nodes.toml");
    let folder = Folder::new();
    // The same without nodes.
    let bare: String = std::fs::read_to_string(&nodes)
        .expect("an example")
        .split("\n[")
        .filter(|part| !part.starts_with("network."))
        .map(|part| part.lines().filter(|line| !line.starts_with("nodes")).collect::<Vec<_>>().join("\n"))
        .collect::<Vec<_>>()
        .join("\n[");
    folder.write("bare.toml", bare);
    let run = |scenario: &str, sets: &[&str]| {
        let mut words = vec!["run", scenario, "-q", "--no-what-if", "--json", "r.json"];
        sets.iter().for_each(|set| words.extend(["--set", set]));
        let answer = folder.petrio(&words);
        assert_eq!(answer.code, Some(0), "{sets:?}: {}", answer.talk);
        let report = folder.json("r.json");
        let of = |name: &str| figure(&report, &format!("/copies/0/{name}"));
        (of("read_turnaround_ms/mean"), of("remembered") / of("read_turnaround_ms/count"))
    };
    let nodes = nodes.display().to_string();
    let scattered = "replication.copies.policy={ kind = \"scatter\" }";
    let slow =
        ["network.mesh.link.rate=1.25 MB/s", "network.mesh.costs={ send = \"1 ms\", receive = \"1 ms\" }"];
    let (bare, _) = run("bare.toml", &[]);
    let (usual, remembered) = run(&nodes, &[]);
    assert!((0.10..0.15).contains(&(1.0 - bare / usual)) && remembered < 0.1, "{bare} {usual} {remembered}");
    let (with_memory, remembered) = run(&nodes, &["replication.copies.nodes.memory=8 MiB"]);
    assert!(
        with_memory < 0.8 * bare && (0.6..0.75).contains(&remembered),
        "{with_memory} {bare} {remembered}"
    );
    let (over_ethernet, _) = run(&nodes, &slow);
    let (alone, _) = run(&nodes, &[slow[0], slow[1], scattered]);
    assert!(over_ethernet > 2.0 * bare && over_ethernet > 1.1 * alone, "{over_ethernet} {bare} {alone}");
    let (alone, _) = run(&nodes, &[scattered]);
    assert!(usual < 0.95 * alone, "on the fast network copies pay: {usual} {alone}");
}

#[test]
fn a_disk_laid_out_by_use_does_what_the_example_says() {
    let mean = |set: &str| {
        let (report, mean) = means("layout-by-use.toml", set);
        (mean("/latency/mean_ms/value"), report)
    };
    let (by_use, report) = mean("seed=1");
    let (plain, _) = mean("rearrangement.by-use.every=1 d");
    let (front, _) = mean("rearrangement.by-use.order=front");
    let (large, _) = mean("rearrangement.by-use.piece=256 KiB");
    let (magic, _) = mean("rearrangement.by-use.traffic=magic");
    assert!(by_use < 0.85 * plain, "{by_use} {plain}");
    assert!(front > 1.03 * by_use && front < 0.95 * plain, "{front} {by_use} {plain}");
    assert!(large > plain, "{large} {plain}");
    assert!(magic < by_use, "{magic} {by_use}");
    // Four requests for each move, beside those of the workload.
    let stages = report["stages"].as_array().expect("stages");
    let arrivals = |name: &str| {
        let row = stages.iter().find(|row| row["name"] == name).expect(name);
        figure(row, "/arrivals")
    };
    let moves = arrivals("by-use/moves");
    assert!(moves > 500.0 && (arrivals("d/queue") - 30_000.0 - 4.0 * moves).abs() <= 4.0, "{moves}");
}
