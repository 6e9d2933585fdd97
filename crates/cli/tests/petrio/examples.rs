//! Every shipped example is in order and runs, and shows what it says it shows.

use crate::forms::{have_the_same_figures, pandas_reads};
use crate::support::{Folder, figure, null_in, petrio_at_root, root};
use serde_json::Value;

/// The report of an example, without a search for what would change it.
pub(crate) fn run(name: &str, more: &[&str]) -> Value {
    explained(name, &[&["--no-what-if"], more].concat())
}

fn explained(name: &str, more: &[&str]) -> Value {
    let folder = Folder::new();
    let scenario = root().join("examples").join(name).display().to_string();
    let mut arguments = vec!["run", &scenario, "-q", "--json", "r.json"];
    arguments.extend(more);
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(0), "{name}: {}", answer.talk);
    folder.json("r.json")
}

#[test]
fn every_example_is_in_order_and_runs_and_its_forms_say_the_same() {
    let mut count = 0;
    let folder = Folder::new();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let scenario = path.display().to_string();
        let check = petrio_at_root(&["check", &scenario]);
        assert_eq!(check.code, Some(0), "{}", check.talk);
        assert!(check.out.contains("in order"), "{}", check.out);
        let name = path.file_stem().unwrap().to_str().unwrap();
        let forms = ["json", "csv", "parquet"].map(|form| format!("{name}.{form}"));
        let [json, csv, parquet] = forms.each_ref().map(String::as_str);
        let answer = folder.petrio(
            &[
                &["run", &scenario, "-q", "--no-what-if", "--set", "measure.stop.requests=2000"][..],
                &["--json", json, "--csv", csv, "--parquet", parquet],
            ]
            .concat(),
        );
        assert_eq!(answer.code, Some(0), "{name}: {}", answer.talk);
        have_the_same_figures(&folder, name);
        let report = folder.json(json);
        assert_eq!(null_in(&report, ""), None, "{name}");
        let completed = figure(&report, "/requests/completed");
        // A short trace has fewer, and a warm-up takes some.
        assert!((500.0..=2_000.0).contains(&completed), "{name}: {completed}");
    }
    assert!(count >= 6, "only {count} examples");
    pandas_reads(&folder, "every_example_is_in_order_and_runs_and_its_forms_say_the_same");
}

#[test]
fn the_report_of_the_shipped_example_has_the_parts_that_the_readme_promises() {
    let answer = petrio_at_root(&["run", "examples/load-on-one-disk.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    for part in [
        "throughput",
        "requests/s",
        "latency",
        "mean",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
        "an average request",
        "seek",
        "rotation",
        "arrivals",
        "utilisation",
        "mean queue",
        "mean wait",
        "mean service",
        "bottleneck",
        "simulated",
        "seed 1",
    ] {
        assert!(answer.out.contains(part), "no \"{part}\" in\n{}", answer.out);
    }
    assert_eq!(answer.talk, "", "nothing to talk about");
}

#[test]
fn the_whole_recorded_load_completes() {
    let report = run("load-on-one-disk.toml", &[]);
    assert_eq!(figure(&report, "/requests/in_flight"), 0.0);
    let kinds = ["reads", "writes", "flushes"].map(|kind| figure(&report, &format!("/requests/{kind}")));
    assert_eq!(kinds.iter().sum::<f64>(), figure(&report, "/requests/completed"));
    assert_eq!(figure(&report, "/requests/completed"), 40_200.0);
}

#[test]
fn a_journal_on_a_disk_of_its_own_is_worth_what_the_example_says() {
    let text = std::fs::read_to_string(root().join("examples/journal-on-its-own-disk.toml")).unwrap();
    let folder = Folder::new();
    let rate = |text: &str| {
        folder.write("s.toml", text);
        let answer = folder.petrio(&["run", "s.toml", "-q", "--no-what-if", "--json", "r.json"]);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        figure(&folder.json("r.json"), "/throughput_bytes_per_s/value")
    };
    let within = text
        .replace("[disk.log]\nmodel = \"seagate-cheetah-9lp\"\n", "")
        .replace("journal = { on = \"log\" }\n", "");
    let gain = rate(&text) / rate(&within);
    assert!((1.35..1.45).contains(&gain), "{gain}");
}

#[test]
fn the_head_that_looks_for_the_nearest_request_serves_sixteen_readers_fastest() {
    let mean = |scheduler: &str| {
        let set = format!("disk.d0.scheduler={scheduler}");
        let report = run("queue-discipline.toml", &["--set", &set, "--set", "measure.stop.requests=6000"]);
        figure(&report, "/latency/mean_ms/value")
    };
    let [sptf, sstf, look, fcfs] = ["sptf", "sstf", "look", "fcfs"].map(mean);
    assert!(sptf < sstf && sptf < look && sstf < fcfs && look < fcfs, "{sptf} {sstf} {look} {fcfs}");
    assert!(fcfs > 1.4 * sptf, "{fcfs} {sptf}");
}

#[test]
fn levels_cost_what_the_example_says() {
    let of = |set: &[&str]| {
        let report = run("raid-levels.toml", set);
        let array = |what: &str| figure(&report, &format!("/arrays/0/{what}/requests"));
        let [reads, writes] =
            ["read_latency", "write_latency"].map(|kind| figure(&report, &format!("/{kind}/mean_ms/value")));
        let per_write = array("member_writes") / array("writes");
        (reads, writes, per_write)
    };
    let (_, five, twice) = of(&[]);
    let (_, six, thrice) = of(&["--set", "raid.array.level=6"]);
    let (_, mirrored, copies) = of(&["--set", "raid.array.level=\"1+0\""]);
    let (_, cached, _) = of(&["--set", "raid.array.use=\"perc-h700\""]);
    assert!((2.0..2.1).contains(&twice) && (1.45..1.55).contains(&(thrice / twice)), "{twice} {thrice}");
    assert!((2.0..2.1).contains(&copies), "{copies}");
    assert!(six > five && mirrored < five / 2.0 && cached < 0.1, "{five} {six} {mirrored} {cached}");
}

#[test]
fn every_form_of_a_report_says_what_redundancy_costs() {
    let folder = Folder::new();
    let scenario = root().join("examples/raid-5-loses-a-disk.toml").display().to_string();
    let outputs = ["--no-what-if", "--json", "r.json", "--csv", "r.csv", "--html", "r.html"];
    let answer = folder.petrio(&[&["run", scenario.as_str()][..], &outputs].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text: String = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let html = std::fs::read_to_string(folder.path("r.html")).unwrap();
    for words in [
        "reads of members and",
        "B are written for each byte that was",
        "were read for redundancy alone",
        "a member took",
        "d2 failed at 60.0 s, and d5 was filled in",
        "in which one more failure would have lost data",
    ] {
        assert!(text.contains(words), "{words}: {text}");
        assert!(html.contains(words), "{words} isn't on the page");
    }
    let json = folder.json("r.json");
    let array = |what: &str| figure(&json, &format!("/arrays/0/{what}"));
    let amplification = array("member_writes/bytes") / array("writes/bytes");
    assert!((array("write_amplification") / amplification - 1.0).abs() < 1e-9);
    // 1 GB at 1 MB/s.
    assert!((1_000.0..1_200.0).contains(&array("failures/0/rebuilt_in_s")));
    assert_eq!(array("exposed_s"), array("degraded_s"));
    assert_eq!(array("lost_bytes"), 0.0);
    let csv = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    for quantity in ["reads of members", "write amplification", ",d2,rebuilt in", "exposed", "lost"] {
        assert!(
            csv.lines().any(|line| line.contains(",array") && line.contains(quantity)),
            "{quantity}: {csv}"
        );
    }
}

#[test]
fn two_striped_disks_stream_twice_as_fast_as_one_and_five_fill_their_link() {
    let rate = |file: &str, set: &[&str]| figure(&run(file, set), "/throughput_bytes_per_s/value") / 1e6;
    let one = ["--set", "disk.d.count=1", "--set", "fs.data.on=d", "--set", "raid={}"];
    let [one, two] = [&one[..], &[]].map(|set| rate("raid-0-of-two.toml", set));
    assert!((1.9..=2.05).contains(&(two / one)), "{one} {two}");
    let none = ["--set", "disk.d.drive.cache.read_ahead=none"];
    let wide = [&none[..], &["--set", "host.h.read_ahead=\"1 MiB\""]].concat();
    let [narrow, wide] = [&none[..], &wide].map(|set| rate("raid-0-of-two.toml", set));
    assert!(wide > 1.5 * narrow && two > 1.2 * wide, "{narrow} {wide} {two}");

    let report = explained("array-behind-a-fabric.toml", &[]);
    assert_eq!(report["bottleneck"]["stage"], "san/to-host");
    assert!(figure(&report, "/bottleneck/what_if/gain") > 1.3, "{}", report["bottleneck"]);
    // 212.5 MB/s, less what passes before the link is filled.
    let link = rate("array-behind-a-fabric.toml", &[]);
    assert!((0.85 * 212.5..212.5).contains(&link), "{link}");
    let window = rate("array-behind-a-fabric.toml", &["--set", "host.h.read_ahead=\"128 KiB\""]);
    // The drives read on for each of the readers, whatever the kernel asks for at a time.
    assert!((0.95..=1.01).contains(&(window / link)), "{window} {link}");
}

#[test]
fn a_fourth_disk_shortens_the_queues_of_the_other_three() {
    let mean = |count: &str| {
        let set = format!("disk.d.count={count}");
        let report = run(
            "random-load-on-three-disks.toml",
            &["--set", &set, "--set", "workload.users.requests=20000"],
        );
        figure(&report, "/latency/mean_ms/value")
    };
    assert!(mean("4") < mean("3"));
}

#[test]
fn the_compile_takes_longer_on_the_slower_drive() {
    let time = |more: &[&str]| figure(&run("compile-on-two-drives.toml", more), "/simulated_s");
    let slower = ["--set", "disk.d0.model=ibm-dtta-350840"];
    assert!(time(&slower) > time(&[]));
}

#[test]
fn the_load_that_comes_faster_waits_longer() {
    let wait = |scale: &str| {
        let set = format!("workload.database.time_scale={scale}");
        figure(&run("open-replay.toml", &["--set", &set]), "/latency/mean_ms/value")
    };
    assert!(wait("1") > wait("8"));
}

#[test]
fn the_precision_asked_for_is_reached() {
    let report = run("with-confidence.toml", &[]);
    let (mean, half_width) =
        (figure(&report, "/latency/mean_ms/value"), figure(&report, "/latency/mean_ms/half_width"));
    assert!(half_width > 0.0 && half_width <= 0.02 * mean, "{mean} ± {half_width}");
    assert!(figure(&report, "/replications") >= 8.0);
    assert!(figure(&report, "/warm_up_s") > 0.0);
    assert_eq!(report.pointer("/warnings"), Some(&Value::Array(Vec::new())));
}

/// Bytes a second of an example with something set, in MB/s.
pub(crate) fn rate_of(name: &str, set: &[&str]) -> f64 {
    let more: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    figure(&run(name, &more), "/throughput_bytes_per_s/value") / 1e6
}

#[test]
fn nodes_of_the_nas_wait_for_one_link_and_more_of_them_bring_hardly_anything() {
    let [nine, four, twice] = ["host.node.count=9", "host.node.count=4", "host.node.count=18"]
        .map(|count| rate_of("nas.toml", &[count]));
    assert!(twice < 12.5 && twice < 1.08 * nine && nine < 1.25 * four, "{four} {nine} {twice}");
    let report = run("nas.toml", &[]);
    let spent = report["breakdown"].as_array().unwrap().iter();
    let network =
        spent.filter(|part| part["cause"] == "network").map(|part| figure(part, "/fraction")).sum::<f64>();
    assert!(network > 0.7, "they wait for another thing than the network: {network}");
}

#[test]
fn placed_by_a_run_all_partitions_of_san_direct_are_the_nodes_own() {
    let folder = Folder::new();
    let scenario = root().join("examples/san-direct.toml").display().to_string();
    let answer = folder.petrio(&["place", &scenario, "--json", "placed.json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let placed = folder.json("placed.json");
    let [all, before, after] =
        ["bytes", "local_before", "local_after"].map(|part| figure(&placed, &format!("/moved/{part}")));
    // Eight of nine are another node's.
    assert!((before / all - 1.0 / 9.0).abs() < 0.01, "{before} of {all}");
    assert_eq!(all, after);
    let [before, after] =
        ["before", "after"].map(|run| figure(&placed, &format!("/{run}/throughput_bytes_per_s/value")));
    assert!(after > 1.2 * before, "{before} {after}");
    assert!(
        before > 2.0 * 1e6 * rate_of("nas.toml", &[]),
        "SAN-direct has nine links and nine disks: {before}"
    );
}

#[test]
fn on_shared_disks_it_is_the_arms_that_limit_and_files_of_one_disk_each_let_them_rest() {
    let run_with = |set: &[&str]| {
        let more: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        run("san-all.toml", &more)
    };
    let rate = |report: &Value| figure(report, "/throughput_bytes_per_s/value");
    let used = |report: &Value, stage: &str| -> f64 {
        let all = report["stages"].as_array().unwrap().iter();
        let of = all.filter(|row| row["name"].as_str().unwrap().ends_with(stage));
        of.filter_map(|row| row["utilisation"].as_f64()).fold(0.0, f64::max)
    };
    let usual = run_with(&[]);
    assert!(used(&usual, "mechanics") > 2.0 * used(&usual, "down"), "the network is busier than the disks");
    let by_file = run_with(&["san.work.placement=\"by-file\""]);
    assert!(rate(&by_file) > 1.2 * rate(&usual), "{} {}", rate(&by_file), rate(&usual));
    let four = run_with(&["disk.d.count=4"]);
    assert!(rate(&four) < 0.6 * rate(&usual), "{} {}", rate(&four), rate(&usual));
    let whole = run_with(&["san.work.locks.granularity=\"file\""]);
    assert!((rate(&whole) / rate(&usual) - 1.0).abs() < 0.05, "{} {}", rate(&whole), rate(&usual));
}

#[test]
fn a_file_a_rank_is_the_only_way_in_which_all_architectures_run_bt_io() {
    let scenario =
        |name: &str| root().join(format!("examples/architectures/{name}.toml")).display().to_string();
    for name in ["das", "nas", "san-direct", "san-all"] {
        let of = |subtype: &str| {
            let table = format!(
                "workload.bt.program={{ kind = \"bt-io\", class = \"S\", subtype = \"{subtype}\", rate = 50 }}"
            );
            petrio_at_root(&["run", &scenario(name), "-q", "--no-what-if", "--set", &table]).code
        };
        assert_eq!(of("epio"), Some(0), "{name}");
        // One file of all ranks is nowhere where every node has but its own disk.
        assert_eq!(of("full") == Some(0), name != "das", "{name}");
        let text = std::fs::read_to_string(scenario(name)).unwrap();
        let models = text.lines().filter(|line| line.starts_with("model")).collect::<Vec<_>>();
        assert_eq!(models, ["model = \"seagate-st336752fc\""], "{name}");
    }
}

#[test]
fn architectures_differ_by_their_storage_and_not_by_what_they_compute() {
    let [das, nas, direct, all] = ["das", "nas", "san-direct", "san-all"]
        .map(|name| rate_of(&format!("architectures/{name}.toml"), &[]));
    // Each its own disk; then all disks over Fibre Channel; then over Fast Ethernet; then one link for all.
    assert!(das > all && all > 1.1 * direct && direct > 1.5 * nas, "{das} {all} {direct} {nas}");
}

#[test]
fn disks_on_a_bus_that_is_let_go_of_serve_more_than_on_one_that_is_held() {
    let rate = |name: &str, more: &[&str]| rate_of(&format!("architectures/das-{name}.toml"), more);
    let [ide, scsi, fc] = ["ide", "scsi", "fc"].map(|name| rate(name, &[]));
    assert!(fc > 2.0 * scsi && scsi > 1.2 * ide, "{fc} {scsi} {ide}");
    // Of two on a channel one is silent.
    let let_go = rate(
        "ide",
        &["host.server.hba.ide.keeps_channel=false", "host.server.disk.d.drive.cache.never_disconnect=false"],
    );
    assert!(let_go > 1.3 * ide, "{let_go} {ide}");
    // A drive that chooses among tagged commands moves its arm less.
    let one = rate("scsi", &["host.server.disk.d.queue_depth=1", "host.server.fs.data.queue_depth=1"]);
    assert!(scsi > 1.02 * one, "{scsi} {one}");
}

#[test]
fn a_disk_on_ceph_stands_still_until_an_osd_is_found_out_and_goes_on_with_two_copies() {
    let run =
        |set: &[&str]| run("ceph-rbd.toml", &set.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>());
    let of = |report: &Value, what: &str| report["ceph"][0][what].as_f64().unwrap_or(0.0);
    let took = |report: &Value| figure(report, "/simulated_s");
    let (usual, without, one) = (run(&[]), run(&["ceph.rbd.stops=[]"]), run(&["ceph.rbd.size=1"]));
    assert!((took(&usual) - took(&without) - 1.0).abs() < 0.1, "{} {}", took(&usual), took(&without));
    assert!((900.0..1_100.0).contains(&of(&usual, "degraded_writes")));
    assert!(took(&one) > 3.2 && of(&one, "blocked") > 0.0, "it comes back 3.2 s after the beginning");
    let gone = run(&[
        "ceph.rbd.stops=[{ osd = 2, at = \"200 ms\" }]",
        "ceph.rbd.recovery={ grace = \"1 s\", down_out_interval = \"100 ms\" }",
        "workload.database.amount=\"200 MiB\"",
    ]);
    assert_eq!((of(&gone, "objects_filled"), of(&gone, "groups_short")), (133.0, 0.0));
}

#[test]
fn every_example_is_in_the_gallery_with_a_small_picture() {
    let page = std::fs::read_to_string(root().join("docs/gallery.md")).unwrap();
    let mut names = 0;
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let picture = root().join(format!("docs/gallery/{name}.svg"));
        assert!(page.contains(&format!("(gallery/{name}.svg)")), "{name}: scripts/gallery.py write");
        let bytes = picture.metadata().map(|there| there.len()).unwrap_or_default();
        assert!((500..30_000).contains(&bytes), "{name}: {bytes} bytes");
        names += 1;
    }
    let pictures = std::fs::read_dir(root().join("docs/gallery")).unwrap().count();
    assert_eq!(names, pictures, "a picture for each example, and no other");
}

#[test]
fn processes_with_more_memory_than_there_is_wait_for_swap_space_as_the_example_says() {
    let run = |sets: &[&str]| {
        let mut arguments = vec!["--set", "workload.rows.operations=200"];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        run("processes-with-memory.toml", &arguments)
    };
    let [short, enough] = [run(&[]), run(&["host.server.memory=4 GiB"])];
    assert!(figure(&short, "/memory/0/swapped_in_bytes") > 0.0);
    assert!(enough["memory"][0]["swapped_out_bytes"].is_null(), "{}", enough["memory"]);
    assert!(figure(&enough, "/latency/p99_ms/value") < 0.01);
    assert!(figure(&short, "/latency/mean_ms/value") > 1.0);
}
