//! What parallel programs print of themselves: against what can be computed by hand, and against each operation of the run.

use crate::common::once_of;
use crate::hosts::support::{host_alone, load_of};
use petrio_colours::{FileOp, Operation};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_scenario::Override;
use petrio_scenario::build::System;
use petrio_scenario::report::{
    JobFigures, PhaseFigures, Report, ReportError, RequestSink, Sinks, terminal_text, write_csv, write_html,
    write_json,
};
use petrio_scenario::run::simulate;
use std::sync::{Arc, Mutex};

/// Four ranks of a program on a host with a disk of a constant rate.
const FOUR_RANKS: &str = r#"
[workload.w]
kind = "parallel"
on = "work"
ranks = 4
program = PROGRAM
"#;

/// Bytes a second of the disk.
const RATE: f64 = 200e6;

/// Keeps each operation with when it was done.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(FileOp, Time)>>>);

impl RequestSink<FileOp> for Seen {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        self.0.lock().unwrap().push((op.clone(), at));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

impl Seen {
    /// The first begin and the last end of some operations, seconds, and how many there are.
    fn span(&self, of: impl Fn(&FileOp) -> bool) -> (f64, f64, usize) {
        let all = self.0.lock().unwrap();
        let some: Vec<_> = all.iter().filter(|(op, _)| of(op)).collect();
        let begin = some.iter().map(|(op, _)| op.issued).min().unwrap();
        let end = some.iter().map(|(_, done)| *done).max().unwrap();
        (begin.as_seconds(), end.as_seconds(), some.len())
    }
}

fn run(program: &str, set: &[&str]) -> (Report, Seen) {
    let loaded =
        load_of(&(host_alone("100 us", "200 MB/s") + FOUR_RANKS).replace("PROGRAM", program), set).unwrap();
    let seen = Seen::default();
    let mut sinks = Sinks::default();
    sinks.push(seen.clone());
    (simulate(&loaded, &System::build(&loaded).unwrap(), sinks).unwrap(), seen)
}

fn of<'j>(job: &'j JobFigures, name: &str) -> Vec<&'j PhaseFigures> {
    job.phases.iter().filter(|phase| phase.name == name).collect()
}

/// Whether two numbers differ by less than so much of the second.
fn near(number: f64, expected: f64, by: f64) -> bool {
    (number / expected - 1.0).abs() < by
}

#[test]
fn ior_writes_at_the_rate_of_the_disk_and_reads_from_memory() {
    let command = r#"{ kind = "ior", command = "ior -t 1m -b 16m -s 4 -F -e -C -w -r -i 3" }"#;
    let (report, seen) = run(command, &[]);
    let job = &report.jobs[0];
    let (writes, reads) = (of(job, "write"), of(job, "read"));
    assert_eq!((writes.len(), reads.len(), job.phases.len()), (3, 3, 6));
    let bytes = 4.0 * 64.0 * 1_048_576.0;
    for (number, write) in writes.iter().enumerate() {
        assert_eq!((write.repetition, write.bytes, write.operations), (number as u32, bytes as u64, 256));
        assert!(near(write.rate * write.seconds, bytes, 1e-12));
        // All of it goes to the disk before the files are closed, which costs its 100 us for each of its requests, too.
        assert!(write.rate < RATE && write.rate > 0.9 * RATE, "{}", write.rate);
    }
    assert!(reads.iter().all(|read| read.rate > 20.0 * RATE));
    // Of the first repetition: from the first file's making to the close of the last one, which no read has begun before.
    let read_begins = reads[0].begin_s;
    let (begin, end, closes) = seen.span(|op| {
        let makes = matches!(op.operation, Operation::Create | Operation::Close);
        makes && op.issued.as_seconds() < read_begins
    });
    assert_eq!(closes, 8);
    assert!(near(writes[0].seconds, end - begin, 1e-9), "{} {}", writes[0].seconds, end - begin);
    assert!(near(writes[0].begin_s, begin, 1e-9));
    let text = terminal_text(&report, None, 100);
    let row = |name: &str| {
        text.lines().find(|line| line.starts_with(&format!("    {name} ")) && line.ends_with("256 MiB"))
    };
    assert!(row("write").is_some_and(|row| row.contains(" MiB/s")), "{text}");
    assert!(row("read").is_some_and(|row| row.contains(" GiB/s")), "{text}");
}

#[test]
fn every_form_of_the_report_has_the_phases() {
    let program = r#"{ kind = "io500", ior_easy_block = "2 MiB", ior_hard_segments = 2, mdtest_easy_files = 3, mdtest_hard_files = 2 }"#;
    let (report, _) = run(program, &[]);
    let folder = tempfile::tempdir().unwrap();
    let [csv, html, json] = ["r.csv", "r.html", "r.json"].map(|name| folder.path().join(name));
    write_csv(&report, &csv, &Inputs::none()).unwrap();
    write_html(&report, &html, &Inputs::none()).unwrap();
    write_json(&report, &json, &Inputs::none()).unwrap();
    let [csv, html, json] = [csv, html, json].map(|path| std::fs::read_to_string(path).unwrap());
    let job = &report.jobs[0];
    let written = of(job, "ior-hard-write")[0];
    assert!(csv.contains(&format!(",1,phase,w,ior-hard-write 0,rate,{},,B/s\n", written.rate)), "{csv}");
    assert!(csv.contains(&format!(",1,phase,w,ior-hard-write 0,time,{},,s\n", written.seconds)), "{csv}");
    assert!(csv.contains(&format!(",1,score,w,,total,{},,1\n", job.score.unwrap().total)), "{csv}");
    assert!(html.contains("ior-hard-write") && html.contains(" kIOPS, total "));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let phases = json["jobs"][0]["phases"].as_array().unwrap();
    let phase = phases.iter().find(|phase| phase["name"] == "ior-hard-write").unwrap();
    assert_eq!(
        (&phase["bytes"], &phase["operations"], &phase["repetition"]),
        (&(8 * 47_008).into(), &8.into(), &0.into())
    );
    assert_eq!(
        (phase["seconds"].as_f64(), phase["rate"].as_f64()),
        (Some(written.seconds), Some(written.rate))
    );
    assert_eq!(json["jobs"][0]["score"]["total"].as_f64(), Some(job.score.unwrap().total));
}

/// The example of that name, with something set.
fn example(name: &str, set: &[&str]) -> JobFigures {
    let path = std::path::PathBuf::from(format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR")));
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    let loaded = petrio_scenario::load(&path, &overrides).unwrap_or_else(|problems| panic!("{problems:?}"));
    once_of(&loaded).jobs.remove(0)
}

#[test]
fn what_the_example_of_ior_says_holds() {
    // Bytes a second that two links of 1 Gbit/s carry.
    let links = 2.0 * 125e6;
    let once = |options: &str, set: &[&str]| {
        let command = format!("workload.ior.program.command=\"ior -t 1m -b 32m {options} -C\"");
        let set: Vec<&str> = std::iter::once(command.as_str()).chain(set.iter().copied()).collect();
        let job = example("ior.toml", &set);
        [of(&job, "write")[0].rate, of(&job, "read")[0].rate]
    };
    let [written, read] = once("-F -e", &[]);
    assert!(read > 0.9 * links && read < links, "{read}");
    assert!(written < 0.6 * links, "{written}");
    for options in ["-F", ""] {
        let [written, read] = once(options, &[]);
        assert!((written / read - 1.0).abs() < 0.05, "{written} {read}");
    }
    let [more_written, more_read] = once("-F -e", &["host.server.count=4"]);
    assert!(more_written > 1.7 * written && more_read > 1.7 * read, "{more_written} {more_read}");
    assert_eq!(example("ior.toml", &[]).phases.len(), 2 * 3);
}

#[test]
fn what_the_example_of_io500_says_holds() {
    let job = example("io500.toml", &[]);
    let rate = |name: &str| of(&job, name)[0].rate;
    assert_eq!(job.phases.len(), 12);
    assert!(near(rate("ior-hard-write"), rate("ior-easy-write"), 0.2));
    assert!(near(rate("ior-hard-read"), rate("ior-easy-read"), 0.05));
    assert!(rate("ior-easy-read") > 2.0 * rate("ior-easy-write"));
    for sort in ["easy", "hard"] {
        let [write, stat, delete] =
            ["write", "stat", "delete"].map(|phase| rate(&format!("mdtest-{sort}-{phase}")));
        assert!(write < 0.5 * stat && write < 0.5 * delete, "{write} {stat} {delete}");
    }
    assert!(!job.score.unwrap().by_the_rules);
}

#[test]
fn mdtest_tells_the_rate_of_each_phase_by_its_own_time() {
    let (report, seen) = run(r#"{ kind = "mdtest", command = "mdtest -n 100 -u -F" }"#, &[]);
    let job = &report.jobs[0];
    let names: Vec<&str> = job.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(
        names,
        ["tree creation", "file creation", "file stat", "file read", "file removal", "tree removal"]
    );
    for (name, operation) in [
        ("file creation", Operation::Create),
        ("file stat", Operation::Stat),
        ("file removal", Operation::Unlink),
    ] {
        let phase = of(job, name)[0];
        assert_eq!((phase.operations, phase.counted.as_str()), (400, "file"));
        let (begin, end, count) = seen.span(|op| op.operation == operation);
        assert_eq!(count, 400);
        // After the last call comes a close, where there is one, and a barrier.
        assert!(
            near(phase.rate, 400.0 / (end - begin), 0.05),
            "{name}: {} {}",
            phase.rate,
            400.0 / (end - begin)
        );
    }
    // Without what is done in other phases it is faster than over the whole run.
    let whole = 400.0 / job.elapsed_s;
    assert!(job.phases.iter().filter(|phase| phase.operations == 400).all(|phase| phase.rate > 2.0 * whole));
}

/// A row is never cut in its middle, where a rate would lose digits without anybody seeing it.
#[test]
fn rates_are_whole_however_wide_the_terminal() {
    let command = "mdtest -n 60 -i 2 -f 1 -l 4 -s 3";
    let (report, _) = run(&format!(r#"{{ kind = "mdtest", command = "{command}" }}"#), &[]);
    for width in [72, 80, 100, 140] {
        let text = terminal_text(&report, None, width);
        let rows: Vec<&str> =
            text.lines().filter(|line| line.contains("4 ranks  ") || line.contains("mean rate")).collect();
        assert_eq!(rows.len(), 11, "{text}");
        // A name may lose its middle, the figures behind it nothing.
        let figures = |row: &&str| !row.trim_start().chars().skip(29).any(|letter| letter == '…');
        assert!(rows.iter().all(figures), "{text}");
        assert!(width < 100 || !rows.iter().any(|row| row.contains('…')), "{text}");
    }
}

#[test]
fn a_sync_is_within_the_time_of_what_it_makes_durable() {
    let rate = |options: &str| {
        let command = format!("{{ kind = \"mdtest\", command = \"mdtest -n 50 -F -C -w 3901 {options}\" }}");
        of(&run(&command, &[]).0.jobs[0], "file creation")[0].rate
    };
    assert!(rate("-Y") < 0.7 * rate(""), "{} {}", rate("-Y"), rate(""));
}

#[test]
fn io500_has_twelve_results_and_a_score_of_their_geometric_means() {
    let program = r#"{ kind = "io500", ior_easy_block = "8 MiB", ior_hard_segments = 20, mdtest_easy_files = 30, mdtest_hard_files = 20 }"#;
    let (report, _) = run(program, &[]);
    let job = &report.jobs[0];
    assert_eq!(job.phases.len(), 12);
    let mean = |names: &str| {
        let rates = job.phases.iter().filter(|phase| phase.name.starts_with("ior") == (names == "ior"));
        let rates: Vec<f64> = rates.map(|phase| phase.rate).collect();
        rates.iter().product::<f64>().powf(1.0 / rates.len() as f64)
    };
    let score = job.score.unwrap();
    assert!(near(score.bandwidth_gib_per_s, mean("ior") / 1_073_741_824.0, 1e-9));
    assert!(near(score.metadata_kiops, mean("others") / 1000.0, 1e-9));
    assert!(near(score.total, (score.bandwidth_gib_per_s * score.metadata_kiops).sqrt(), 1e-9));
    let text = terminal_text(&report, None, 100);
    assert!(text.contains("kIOPS, total"), "{text}");
}

#[test]
fn a_training_says_how_busy_its_accelerators_are_and_its_readers_need_not_be() {
    let program = r#"{ kind = "training", model = "unet3d", files = 60, sample = "20 MB", batch = 2, readers = 1, epochs = 2, step_time = "STEP" }"#;
    let busy = |step: &str| {
        let (report, _) = run(&program.replace("STEP", step), &["workload.w.ranks=2"]);
        let job = report.jobs.into_iter().next().unwrap();
        let (epochs, steps) = (of(&job, "epoch"), 30.0 - 1.0);
        assert_eq!(epochs.len(), 2);
        for epoch in &epochs {
            assert_eq!(epoch.operations as f64, steps * 2.0);
            assert!(near(epoch.rate, steps * 2.0 / epoch.seconds, 1e-9));
        }
        (epochs[0].busy.unwrap(), job.efficiency.unwrap())
    };
    // Two samples are 0.2 s of the disk: a step of 0.4 s is waited for by the reader, and one of 0.05 s takes a quarter.
    let (slow, efficiency) = busy("400 ms");
    assert!(slow > 0.99 && efficiency > 0.95, "{slow} {efficiency}");
    let (fast, _) = busy("50 ms");
    assert!(near(fast, 0.25, 0.1), "{fast}");
}

#[test]
fn checkpoints_and_the_restart_are_told_one_by_one() {
    let program = r#"{ kind = "checkpoint", state = "16 MiB", transfer = "1 MiB", interval = "1 s", checkpoints = 3, restart = true }"#;
    let (report, _) = run(program, &[]);
    let job = &report.jobs[0];
    let (writes, bytes) = (of(job, "checkpoint"), 4.0 * 16.0 * 1_048_576.0);
    assert_eq!((writes.len(), of(job, "restart").len()), (3, 1));
    for phase in &job.phases {
        assert!(near(phase.rate, bytes / phase.seconds, 1e-9));
        assert!(phase.rate < RATE && phase.rate > 0.8 * RATE, "{} {}", phase.name, phase.rate);
    }
    // Four ranks on two processors: at least two seconds before each.
    assert!(writes[1].begin_s > writes[0].begin_s + writes[0].seconds + 1.9);
}

#[test]
fn bt_ios_phases_are_what_its_timer_counts_without_the_solver() {
    let program = r#"{ kind = "bt-io", class = "S", subtype = "simple", step_time = "2 ms" }"#;
    let (report, seen) = run(program, &[]);
    let job = &report.jobs[0];
    let (write, read) = (of(job, "write")[0], of(job, "read back")[0]);
    let dumps = 12 * 12 * 12 * 12 * 40;
    assert_eq!((write.bytes, read.bytes), (dumps, dumps));
    let (begin, end, _) = seen.span(|op| op.operation == Operation::Write);
    assert!(write.seconds < 0.5 * (end - begin), "{} {}", write.seconds, end - begin);
    let most = job.ranks.iter().map(|rank| rank.writing_s).fold(0.0, f64::max);
    assert!(write.seconds >= most, "{} {most}", write.seconds);
}

/// Two hosts and their servers on links of so long a way that nothing else matters.
const FAR: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
link = { rate = "10 Gbit/s", latency = "100 us" }

[host.h]
count = 2
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.server.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.server.fs.data]
type = "ext4"
on = "d"

[BY.work]
COSTS
clients = "h*"
servers = "server/data"

[workload.w]
kind = "parallel"
on = "h*/work"
ranks = 2
program = { kind = "io500", ior_easy_block = "2 MiB", ior_hard_segments = 1, mdtest_easy_files = 200, mdtest_hard_files = 100 }
"#;

#[test]
fn find_is_no_faster_than_the_round_trips_that_it_waits_for() {
    // There and back, over two links each.
    let round_trip = 4.0 * 100e-6;
    for (by, of_a_look) in [("pvfs", 2.0), ("share", 1.0)] {
        let costs = match by {
            "pvfs" => {
                "costs = { call = \"0 s\", answer = \"0 s\", request = \"0 s\", piece = \"0 s\", wake_up = \"0 s\" }\nsync_names = false"
            }
            _ => {
                "costs = { operation = \"0 s\", call = \"0 s\", answer = \"0 s\", serve = \"0 s\" }\nnames = \"on-sync\""
            }
        };
        let text = FAR.replace("BY", by).replace("COSTS", costs);
        assert!(text.contains(&format!("[{by}.work]")));
        let report = crate::hosts::support::run_of(&text, &[]);
        let find = of(&report.jobs[0], "find")[0];
        assert_eq!(find.operations, 3 + 2 * 300);
        // The first rank opens, lists and closes two directories, and looks at its own files and at those that all share; of a
        // look at a file of PVFS its manager is asked, and then who has it.
        let looks = 200.0 + 200.0;
        let least = (looks * of_a_look + 2.0) * round_trip;
        assert!(find.seconds >= least, "{by}: {} of {least}", find.seconds);
        assert!(find.seconds < 1.5 * least, "{by}: {} of {least}", find.seconds);
    }
}

/// sync(2) writes in place what its commit has left dirty, so that nothing of it is left for the next one.
#[test]
fn a_sync_leaves_nothing_to_the_next_one() {
    let command = r#"{ kind = "mdtest", command = "mdtest -F -n 500 -C -T -Y" }"#;
    let (report, seen) = run(command, &["workload.w.ranks=1"]);
    let job = &report.jobs[0];
    // What looks files up does nothing else: beside what it takes to ask, there is only a sync of a clean file system.
    let stats = of(job, "file stat");
    assert_eq!(stats.len(), 1);
    assert!(stats[0].seconds < 0.005, "{}", stats[0].seconds);
    let (_, _, syncs) = seen.span(|op| op.operation == Operation::Sync);
    assert_eq!(syncs, 2);
}
