//! File systems from the command line: the examples show what they say they show.

use crate::support::{Folder, figure, petrio_at_root, root};
use serde_json::Value;

fn run(name: &str, more: &[&str]) -> Value {
    let folder = Folder::new();
    let scenario = root().join("examples").join(name).display().to_string();
    let mut arguments = vec!["run", &scenario, "-q", "--no-what-if", "--json", "r.json"];
    arguments.extend(more);
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(0), "{name}: {}", answer.talk);
    folder.json("r.json")
}

fn mib_per_s(report: &Value) -> f64 {
    figure(report, "/throughput_bytes_per_s/value") / 1_048_576.0
}

fn per_s(report: &Value) -> f64 {
    figure(report, "/requests_per_s/value")
}

const SMALL: &str = r#"[disk.d]
model = "constant-rate"

[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[fs.data]
type = "ext3"
on = "d"
size = "1 GiB"

[workload.w]
kind = "script"
on = "data"
script = "create a; write a 0 4 KiB; fsync a; read a 0 4 KiB; unlink a"
repeat = 3
"#;

#[test]
fn a_report_of_a_file_system_counts_operations_by_kind() {
    let folder = Folder::with(SMALL);
    let report = folder.report(&[]);
    assert_eq!(report["subject"], "file-operations");
    let kinds: Vec<(&str, f64)> = report["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| (kind["operation"].as_str().unwrap(), kind["completed"].as_f64().unwrap()))
        .collect();
    assert_eq!(kinds, [("read", 3.0), ("write", 3.0), ("fsync", 3.0), ("create", 3.0), ("unlink", 3.0)]);
    let answer = folder.petrio(&["run", "scenario.toml"]);
    for part in
        ["15 operations", "operations/s", "an average operation", "fsync 3", "h/processor", "d/service"]
    {
        assert!(answer.out.contains(part), "no \"{part}\" in\n{}", answer.out);
    }
    assert!(!answer.out.contains("requests/s"), "{}", answer.out);
}

#[test]
fn the_device_log_has_a_row_for_every_request_that_the_disk_counts() {
    let folder = Folder::with(SMALL);
    let report = folder.report(&["--device-log", "log.csv"]);
    let log = folder.text("log.csv");
    let rows: Vec<&str> = log.lines().skip(1).collect();
    let stages = report["stages"].as_array().unwrap();
    let device = stages.iter().find(|stage| stage["name"].as_str().unwrap().starts_with("d/")).unwrap();
    assert_eq!(rows.len() as f64, device["arrivals"].as_f64().unwrap(), "{log}");
    assert!(rows.iter().any(|row| row.contains(",d,write,")), "{log}");
    assert!(
        rows.windows(2).all(|pair| pair[0].split(',').next() <= pair[1].split(',').next()),
        "in order of time"
    );
}

#[test]
fn every_form_of_a_result_tells_of_operations() {
    let folder = Folder::with(SMALL);
    let more = [
        "--csv",
        "r.csv",
        "--html",
        "r.html",
        "--parquet",
        "r.parquet",
        "--perfetto",
        "r.perfetto",
        "--device-log",
        "log.parquet",
    ];
    folder.report(&more);
    assert!(folder.text("r.csv").contains(",1,run,,,operations,15,"), "{}", folder.text("r.csv"));
    assert!(folder.text("r.csv").contains(",1,operation,fsync,,completed,3,"));
    assert!(folder.text("r.html").contains("Where the time of an average operation goes"));
    let timeline = folder.json("r.perfetto");
    let names = timeline["traceEvents"].as_array().unwrap().iter().map(|event| &event["name"]);
    assert_eq!(names.filter(|name| **name == "fsync").count(), 3);
    assert!(folder.read("log.parquet").starts_with(b"PAR1"));
}

#[test]
fn the_net_is_drawn_with_its_host() {
    let folder = Folder::with(SMALL);
    let answer = folder.petrio(&["net", "scenario.toml", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    for page in ["\"h/data\"", "\"data-queue\"", "\"programs\""] {
        assert!(answer.out.contains(page), "no page {page}");
    }
    let check = folder.petrio(&["check", "scenario.toml"]);
    assert!(check.out.contains("in order") && check.out.contains("ext3"), "{} {}", check.out, check.talk);
}

#[test]
fn machines_and_kernels_are_listed_and_can_be_a_file_of_ones_own() {
    let folder = Folder::with(SMALL);
    for (what, key, listed) in
        [("machines", "machine", "epyc-9005-2vcpu"), ("kernels", "kernel", "linux-6.18")]
    {
        let list = petrio_at_root(&["catalogue", "list", what]).out;
        assert!(list.contains(listed), "{list}");
        for name in list.lines().skip(1).filter_map(|line| line.split_whitespace().next()) {
            let shown = petrio_at_root(&["catalogue", "show", name]);
            assert!(shown.out.contains("source = "), "{name} without a source");
            folder.write("mine.toml", shown.out);
            let set = format!("host.h.{key}=mine.toml");
            let mine = folder.petrio(&["check", "scenario.toml", "--set", &set]);
            assert_eq!(mine.code, Some(0), "{name} as a file of one's own: {}", mine.talk);
        }
    }
}

#[test]
fn a_throttled_device_gives_as_many_operations_as_were_measured() {
    // Measured on Linux 6.18 with a device limited to 500 I/Os a second: 475.5 random reads of 8 KiB a second, 497.5
    // random overwrites with one fsync at the end, 249.4 synchronous ones.
    for (name, measured) in [
        ("throttled-random-read.toml", 475.5),
        ("throttled-random-write.toml", 497.5),
        ("throttled-synchronous-write.toml", 249.4),
    ] {
        let found = per_s(&run(name, &[]));
        assert!((found / measured - 1.0).abs() < 0.1, "{name}: {found} a second, measured {measured}");
    }
    let ordered = per_s(&run("throttled-synchronous-write.toml", &[]));
    let journal = per_s(&run("throttled-synchronous-write-journal.toml", &[]));
    assert!(journal < 0.5 * ordered, "{journal} {ordered}");
}

#[test]
fn a_file_larger_than_memory_falls_off_a_cliff() {
    let fits = mib_per_s(&run("memory-cliff.toml", &["--set", "workload.reader.file_size=224 MiB"]));
    let falls = mib_per_s(&run("memory-cliff.toml", &[]));
    assert!(fits > 1_000.0, "{fits} MiB/s from memory");
    assert!((90.0..=100.0).contains(&falls), "{falls} MiB/s from a device of 100 MiB/s");
}

#[test]
fn a_file_larger_than_the_dirty_limit_is_written_at_the_speed_of_the_device() {
    let speed = |size: &str| {
        let set = format!("workload.writer.file_size={size}");
        mib_per_s(&run("dirty-cliff.toml", &["--set", &set]))
    };
    // Measured with these sizes: 152 MB/s and 123 MB/s.
    let (below, above, far_above) = (speed("48 MiB"), speed("256 MiB"), speed("512 MiB"));
    assert!(below > 2.0 * above && above > far_above, "{below} {above} {far_above}");
    assert!((95.0..=130.0).contains(&far_above), "{far_above} MiB/s with a device of 100 MiB/s");
}

#[test]
fn a_script_copies_from_one_file_system_to_another() {
    let scenario = |script: &str| {
        format!(
            "[disk.d]\nmodel = \"constant-rate\"\ncount = 2\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
             [fs.data]\ntype = \"ext4\"\non = \"d0\"\n[fs.shelf]\ntype = \"ext4\"\non = \"d1\"\n\
             [workload.w]\nkind = \"script\"\non = \"data\"\nplaces = {{ archive = \"shelf\" }}\nprocesses = 2\nscript = \"{script}\"\n"
        )
    };
    let copy = "file a 1 MiB; create archive/a; repeat 16 { read a 0 64 KiB; append archive/a 64 KiB }; fsync archive/a";
    let folder = Folder::with(&scenario(copy));
    let answer = folder.petrio(&["run", "scenario.toml", "--device-log", "devices.csv"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let log = folder.text("devices.csv");
    let mut bytes = [[0u64; 2]; 2];
    let heads: Vec<&str> = log.lines().next().unwrap().split(',').collect();
    let column =
        |name: &str| heads.iter().position(|head| head.contains(name)).unwrap_or_else(|| panic!("{heads:?}"));
    let (device, operation, length) = (column("device"), column("direction"), column("blocks"));
    for line in log.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let disk = usize::from(cells[device].contains("d1"));
        let writes = usize::from(cells[operation].to_lowercase().starts_with('w'));
        bytes[disk][writes] += cells[length].parse::<u64>().unwrap_or(0);
    }
    assert!(bytes[0][0] > bytes[1][0], "the first is read: {bytes:?} of {log}");
    assert!(bytes[1][1] > bytes[0][1], "the second is written: {bytes:?} of {log}");
    for (script, words) in [
        ("create a; rename a archive/a", "different file systems"),
        ("create a; rmdir archive", "another file system begins"),
        ("create a; rename archive b", "another file system begins"),
    ] {
        folder.write("scenario.toml", scenario(script));
        let answer = folder.petrio(&["check", "scenario.toml"]);
        assert_eq!(answer.code, Some(2), "{script}");
        assert!(answer.talk.contains(words), "{script}: {}", answer.talk);
    }
}
