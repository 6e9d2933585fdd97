//! What schedulers and write-back throttling make of several processes, from a scenario's text to its report.

use crate::common::once;
use petrio_files::inputs::Inputs;
use petrio_scenario::build::System;
use petrio_scenario::report::{DeviceLog, Report, Sinks};
use petrio_scenario::run::simulate;

fn host(kernel: &str, disk: &str, file_system: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"{disk}\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{kernel}\"\nmemory = \"256 MiB\"\n\
         [fs.f]\non = \"d\"\ntype = \"ext4\"\nsize = \"8 GiB\"\n{file_system}\n"
    )
}

/// Requests of a workload a second.
fn per_s(report: &Report, workload: &str) -> f64 {
    let all = [Some(&report.served), report.beside.as_deref()];
    let rows = all.into_iter().flatten().flat_map(|served| &served.workloads);
    rows.into_iter().find(|row| row.workload == workload).unwrap().per_s.value
}

fn generator(name: &str, sequential: u32, gap: &str, size: &str) -> String {
    format!(
        "[workload.{name}]\nkind = \"synthetic\"\non = \"d\"\n\
         generators = [{{ read_fraction = 1, sequential_fraction = {sequential}, time_critical_fraction = 1, \
         inter_arrival = \"{gap}\", size = {{ constant = \"{size}\" }} }}]\n"
    )
}

#[test]
fn each_workload_of_block_requests_is_a_process_of_its_own_to_a_scheduler() {
    let user = "[workload.user]\nkind = \"script\"\non = \"f\"\nscript = \"file a 4 KiB; think 1.9 s; read a 0 4 KiB direct\"\n";
    let run = |scheduler: &str| {
        let parts = host("linux-6.18", "western-digital-wd800bb", &format!("scheduler = \"{scheduler}\""));
        let loads =
            [generator("stream", 1, "0.2 ms", "64 KiB"), generator("seeks", 0, "5 ms", "8 KiB")].concat();
        once(&format!("{parts}{loads}{user}[measure]\nstop = {{ time = \"2 s\" }}\n"))
    };
    let first_come = per_s(&run("noop"), "stream");
    for scheduler in ["cfq", "bfq"] {
        let report = run(scheduler);
        let stream = per_s(&report, "stream");
        assert!(
            stream > 1.3 * first_come,
            "{scheduler}: {stream} requests of the stream a second, {first_come} under noop"
        );
        assert!(per_s(&report, "seeks") > 10.0, "{scheduler}");
    }
}

#[test]
fn requests_to_what_a_file_system_lies_on_pass_its_scheduler_though_nobody_works_on_files() {
    let run = |scheduler: &str| {
        let parts = host("linux-6.18", "western-digital-wd800bb", &format!("scheduler = \"{scheduler}\""));
        let loads =
            [generator("stream", 1, "0.2 ms", "64 KiB"), generator("seeks", 0, "5 ms", "8 KiB")].concat();
        once(&format!("{parts}{loads}[measure]\nstop = {{ time = \"2 s\" }}\n"))
    };
    let (first_come, cfq) = (run("noop"), run("cfq"));
    assert!(cfq.stages.iter().any(|stage| stage.name == "f-queue/scheduler" && stage.arrivals > 0));
    assert!(per_s(&cfq, "stream") > 1.3 * per_s(&first_come, "stream"));
}

/// Two processes of a blktrace, and what became of each at the device below a host's scheduler.
#[test]
fn processes_of_a_trace_keep_their_numbers_below_a_scheduler() {
    let folder = tempfile::tempdir().unwrap();
    let line = |number: u32, process: u32, block: u32| {
        format!("8,0 1 {number} 0.{number:03}000000 {process} Q R {block} + 8 [dd]\n")
    };
    let trace: String = (0..20).map(|number| line(number, 1_001 + number % 2, 8 * number)).collect();
    std::fs::write(folder.path().join("two.blkparse"), trace).unwrap();
    let scenario = host("linux-6.18", "constant-rate", "scheduler = \"bfq\"")
        + "[workload.t]\nkind = \"trace\"\non = \"d\"\nfiles = [\"two.blkparse\"]\nreplay = \"closed\"\n";
    let path = folder.path().join("s.toml");
    std::fs::write(&path, scenario).unwrap();
    let loaded = petrio_scenario::load(&path, &[]).unwrap();
    let mut sinks = Sinks::default();
    let log = folder.path().join("log.csv");
    sinks.push_device_log(DeviceLog::create(&log, &Inputs::none(), vec!["d".to_owned()]).unwrap());
    let report = simulate(&loaded, &System::build(&loaded).unwrap(), sinks).unwrap();
    let rows: Vec<_> = (report.served.processes.iter())
        .map(|row| (row.workload.as_str(), row.process, row.completed))
        .collect();
    assert_eq!(rows, [("t", 1_001, 10), ("t", 1_002, 10)], "each process has a row of its own");
    let log = std::fs::read_to_string(&log).unwrap();
    let processes: Vec<&str> = log.lines().skip(1).map(|line| line.split(',').nth(8).unwrap()).collect();
    assert!(processes.contains(&"1001") && processes.contains(&"1002"), "{log}");
    assert!(processes.iter().all(|process| ["1001", "1002"].contains(process)), "{log}");
}

#[test]
fn nobody_waits_for_processes_that_have_ended() {
    let took = |kernel: &str, scheduler: &str| {
        let load = "[workload.w]\nkind = \"files\"\non = \"f\"\noperation = \"read\"\nrecord = \"64 KiB\"\nfile_size = \"64 KiB\"\nprocesses = 24\n";
        once(&format!("{}{load}", host(kernel, "constant-rate", &format!("scheduler = \"{scheduler}\""))))
            .simulated_s
    };
    for kernel in ["linux-2.6.24", "linux-3.2", "linux-6.18"] {
        let noop = took(kernel, "noop");
        for scheduler in ["cfq", "bfq"] {
            let ratio = took(kernel, scheduler) / noop;
            assert!(ratio < 1.5, "{scheduler} on {kernel}: {ratio}");
        }
    }
}

#[test]
fn write_back_is_held_so_that_reads_keep_their_latency_unless_that_is_switched_off() {
    let read_ms = |latency: &str| {
        let loads = "[workload.writer]\nkind = \"files\"\non = \"f\"\noperation = \"write\"\nrecord = \"1 MiB\"\nfile_size = \"4 GiB\"\n\
                     [workload.reader]\nkind = \"files\"\non = \"f\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\n\
                     file_size = \"1 GiB\"\noperations = 100000\n[measure]\nstop = { time = \"4 s\" }\n";
        let text = host("linux-6.18", "constant-rate", &format!("queue_depth = 32\n{latency}"));
        // Of the kernel's largest requests one alone would take 42 ms.
        let text = text.replace("memory =", "change.kernel.block.largest_request = \"256 KiB\"\nmemory =");
        let report =
            once(&format!("{text}{loads}").replace("[host.h]", "drive.rate = \"100 MB/s\"\n[host.h]"));
        1_000.0 / per_s(&report, "reader")
    };
    let (held, free) = (read_ms(""), read_ms("write_back_latency = \"0 s\""));
    assert!(held < 0.6 * free, "{held} ms beside write-back that is held, {free} ms where it isn't");
}

/// What is done on files beside each other; each as a workload of its name.
const KINDS: [(&str, &str); 3] = [
    ("stream", "operation = \"read\"\nrecord = \"128 KiB\"\nfile_size = \"2 GiB\"\n"),
    (
        "seeks",
        "operation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\ndirect = true\nfile_size = \"1 GiB\"\n",
    ),
    ("writer", "operation = \"write\"\nrecord = \"256 KiB\"\nfile_size = \"3 GiB\"\n"),
];

fn beside(disk: &str, scheduler: &str, kinds: &[usize], seconds: u32) -> Vec<f64> {
    let loads: String = kinds
        .iter()
        .map(|&kind| format!("[workload.{}]\nkind = \"files\"\non = \"f\"\n{}", KINDS[kind].0, KINDS[kind].1))
        .collect();
    let parts = host("linux-6.18", disk, &format!("scheduler = \"{scheduler}\""));
    let report = once(&format!("{parts}{loads}[measure]\nstop = {{ time = \"{seconds} s\" }}\n"));
    if let [_] = kinds {
        return vec![report.each().next().unwrap().requests_per_s.value];
    }
    kinds.iter().map(|&kind| per_s(&report, KINDS[kind].0)).collect()
}

const QUEUEING: &str = "seagate-exos-x16-16tb";
const ONE_BY_ONE: &str = "western-digital-wd800bb";

#[test]
fn a_reader_that_begins_beside_a_buffered_writer_keeps_most_of_its_rate_under_bfq() {
    // "Regardless of the actual background workload, BFQ guarantees that, for interactive tasks, the storage device is virtually as
    // responsive as if it was idle" (Documentation/block/bfq-iosched.rst): for as long as they are taken for such, three seconds and more.
    for (disk, part) in [(QUEUEING, 0.9), (ONE_BY_ONE, 0.5)] {
        let alone = beside(disk, "bfq", &[1], 5)[0];
        let pair = beside(disk, "bfq", &[1, 2], 5);
        let other = beside(disk, "mq-deadline", &[1, 2], 5)[0];
        assert!(pair[0] > part * alone, "{disk}: {} of {alone} reads a second", pair[0]);
        assert!(pair[0] > 5.0 * other, "{disk}: {} reads a second, {other} under mq-deadline", pair[0]);
        assert!(pair[1] > 0.0, "{disk}: no write at all");
    }
}

#[test]
fn nobody_starves_beside_another_under_any_scheduler() {
    for disk in [QUEUEING, ONE_BY_ONE, "samsung-860-evo-1tb"] {
        let alone: Vec<f64> = (0..3).map(|kind| beside(disk, "noop", &[kind], 3)[0]).collect();
        for scheduler in ["noop", "deadline", "mq-deadline", "anticipatory", "cfq", "bfq", "kyber"] {
            for kinds in [[0, 1], [0, 2], [1, 2]] {
                let rates = beside(disk, scheduler, &kinds, 3);
                for (&kind, rate) in kinds.iter().zip(&rates) {
                    let part = rate / alone[kind];
                    // Where nothing waits for a reader that seeks, what lies in order goes before it until it has expired, which in a
                    // single queue is half a second; and bfq gives one that has just begun nearly all.
                    let least = match (disk, scheduler, KINDS[kind].0) {
                        // Its inode and extents are read first, and wait as long.
                        (ONE_BY_ONE, _, "seeks") => 0.003,
                        (_, "bfq", _) => 0.01,
                        // Made for disks: they wait for the next of a stream, or give a writer slices, longer than a read takes here.
                        ("samsung-860-evo-1tb", "anticipatory" | "cfq", "seeks") => 0.002,
                        // A write of 4 MiB, the kernel's largest request, has the link for 7.6 ms.
                        ("samsung-860-evo-1tb", _, "seeks") => 0.01,
                        _ => 0.02,
                    };
                    let names = kinds.map(|kind| KINDS[kind].0);
                    assert!(part > least, "{disk}, {scheduler}, {names:?}: {} has {part}", KINDS[kind].0);
                    assert!(part < 1.1, "{disk}, {scheduler}, {names:?}: {} has {part}", KINDS[kind].0);
                }
            }
        }
    }
}

#[test]
fn classes_and_priorities_of_processes_matter_to_schedulers_that_know_of_them() {
    let reader = |name: &str, class: &str| {
        format!(
            "[workload.{name}]\nkind = \"files\"\non = \"f\"\nio_class = \"{class}\"\nprocesses = 4\n{}",
            KINDS[1].1
        )
    };
    let share = |scheduler: &str, class: &str| {
        let parts = host("linux-6.18", QUEUEING, &format!("scheduler = \"{scheduler}\""));
        let loads =
            [reader("usual", "best-effort"), reader("other", class)].concat().replace("1 GiB", "256 MiB");
        let report = once(&format!("{parts}{loads}[measure]\nstop = {{ time = \"4 s\" }}\n"));
        let [usual, other] = ["usual", "other"].map(|name| per_s(&report, name));
        other / (usual + other)
    };
    for scheduler in ["cfq", "bfq", "mq-deadline"] {
        let [idle, equal, first] = ["idle", "best-effort", "real-time"].map(|class| share(scheduler, class));
        assert!(
            idle < 0.1 && (0.4..0.6).contains(&equal) && first > 0.6,
            "{scheduler}: {idle} {equal} {first}"
        );
    }
    for scheduler in ["noop", "deadline", "kyber"] {
        for class in ["idle", "real-time"] {
            let part = share(scheduler, class);
            assert!((0.45..0.55).contains(&part), "{scheduler}, {class}: {part}");
        }
    }
}

/// The head of a report names an order where it decides something: not that of arrival before drives that put their commands in order
/// themselves, or to which every place is as near.
#[test]
fn the_head_names_an_order_only_where_requests_wait_in_it() {
    let head = |disk: &str| {
        once(&format!(
            "[disk.d]\n{disk}\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 20\n\
             generators = [{{ read_fraction = 1, inter_arrival = \"20 ms\", size = \"4 KiB\" }}]\n"
        ))
        .system
    };
    for (disk, named) in [
        ("model = \"hp-97560\"", true),
        ("model = \"hp-97560\"\nscheduler = \"sptf\"", true),
        ("model = \"seagate-savvio-10k4\"\nqueue_depth = 1", true),
        ("model = \"seagate-savvio-10k4\"\nqueue_depth = 32", false),
        ("model = \"samsung-870-evo-1tb\"", false),
    ] {
        let head = head(disk);
        assert_eq!(["FCFS", "SPTF"].iter().any(|order| head.contains(order)), named, "{disk}: {head}");
    }
}
