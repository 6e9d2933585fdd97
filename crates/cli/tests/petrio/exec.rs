//! Real programs on simulated storage, from the command line: what time they see, what they leave, what ends them.

mod limits;
mod nameless;
mod programs;
mod signals;
mod timers;
mod times;

use crate::support::{Answer, Folder};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A disk of 7200 turns a minute.
const DISK: &str = "[disk.d]\nmodel = \"western-digital-wd800bb\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\n\
    kernel = \"linux-6.18\"\n[fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n";

/// The same on flash.
fn flash() -> String {
    DISK.replace("western-digital-wd800bb", "samsung-970-evo-500gb")
}

fn is_installed(program: &str) -> bool {
    let places = std::env::var("PATH").unwrap_or_default();
    places.split(':').any(|place| std::path::Path::new(place).join(program).is_file())
}

/// A folder in which a program can be executed; none, told by name, where namespaces or overlays are refused, or something isn't there.
fn possible(test: &str, programs: &[&str]) -> Option<Folder> {
    let folder = Folder::with(DISK);
    let missing = programs.iter().find(|program| !is_installed(program));
    let answer = folder.petrio(&["exec", "scenario.toml", "-q", "--", "true"]);
    let why = match missing {
        Some(program) => format!("{program} isn't installed"),
        None if answer.code == Some(0) => return Some(folder),
        None => answer.talk,
    };
    println!("skipped: {test}: {why}");
    None
}

/// Executes a program whose computing costs nothing; its answer and its report.
fn executed(folder: &Folder, command: &[&str]) -> (Answer, Value) {
    let words = ["exec", "scenario.toml", "--compute", "none", "-q", "--json", "report.json", "--"];
    let answer = folder.petrio(&[&words[..], command].concat());
    let report = folder.json("report.json");
    (answer, report)
}

/// What is printed as one number.
fn number(answer: &Answer) -> f64 {
    answer.out.trim().parse().unwrap_or_else(|_| panic!("{} {}", answer.out, answer.talk))
}

fn seconds(report: &Value) -> f64 {
    report["simulated_s"].as_f64().unwrap()
}

#[test]
fn what_cannot_be_executed_is_refused_with_what_to_do() {
    let folder = Folder::with(DISK);
    folder.write("two.toml", DISK.to_owned() + "[fs.more]\ntype = \"ext4\"\non = \"d\"\n");
    folder.write("none.toml", "[disk.d]\nmodel = \"western-digital-wd800bb\"\n");
    for (words, told) in [
        (&["scenario.toml", "--", "no-such-program"][..], "no-such-program"),
        (&["scenario.toml", "--", "./no-such-program"], "isn't there"),
        (&["two.toml", "--", "true"], "--on"),
        (&["none.toml", "--", "true"], "no file system"),
        (&["no.toml", "--", "true"], "no.toml"),
        (&["scenario.toml", "--compute", "much", "--", "true"], "measured"),
        (&["scenario.toml", "--scratch", "nowhere", "--", "true"], "nowhere"),
        (&["scenario.toml", "--storage", "nowhere", "--", "true"], "nowhere"),
        (&["scenario.toml"], "COMMAND"),
    ] {
        let answer = folder.petrio(&[&["exec"], words].concat());
        assert_eq!(answer.code, Some(2), "{words:?}: {}", answer.talk);
        assert!(answer.talk.contains(told), "{words:?}: {}", answer.talk);
    }
}

#[test]
fn twenty_overwrites_each_with_fsync_take_twenty_turns_and_a_faster_drive_shows() {
    let name = "twenty_overwrites_each_with_fsync_take_twenty_turns_and_a_faster_drive_shows";
    let Some(folder) = possible(name, &["dd"]) else { return };
    let dd = ["dd", "if=/dev/zero", "of=x", "bs=4k", "count=20", "oflag=dsync"];
    let (answer, report) = executed(&folder, &dd);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    // 20 / (7200 / 60) seconds; the program says the same.
    assert!(seconds(&report) > 0.1666, "{report}");
    let own: f64 = answer.talk.split(" copied, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(own > 0.1666 && own < seconds(&report), "{own}");
    folder.write("scenario.toml", flash());
    let (_, faster) = executed(&folder, &dd);
    assert!(seconds(&faster) < 0.5 * seconds(&report), "{faster}");
    assert_eq!(folder.names(), ["report.json", "scenario.toml"]);
}

#[test]
fn clocks_sleeps_and_timeouts_show_virtual_time_and_nobody_waits_for_it() {
    let name = "clocks_sleeps_and_timeouts_show_virtual_time_and_nobody_waits_for_it";
    let Some(folder) = possible(name, &["date", "sleep", "timeout", "sh"]) else { return };
    let began = Instant::now();
    let (answer, report) =
        executed(&folder, &["sh", "-c", "a=$(date +%s); sleep 1000; b=$(date +%s); echo $((b - a))"]);
    assert!((number(&answer) - 1000.0).abs() < 1.5);
    assert!(seconds(&report) >= 1000.0);
    let (answer, report) = executed(&folder, &["timeout", "30", "sleep", "1000"]);
    assert_eq!(answer.code, Some(124));
    assert!((seconds(&report) - 30.0).abs() < 0.1, "{report}");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn children_pipes_and_signals_pass_time_on() {
    let name = "children_pipes_and_signals_pass_time_on";
    let Some(folder) = possible(name, &["sh", "sleep", "cat", "wc", "seq"]) else { return };
    // Both sleep beside each other; the reader waits for the writer; what is written arrives whole.
    let script = "sleep 5 & (sleep 7; seq 20000) | wc -l; wait; trap 'exit 9' TERM; (sleep 2; kill -TERM $$) & sleep 60 & wait";
    let (answer, report) = executed(&folder, &["sh", "-c", script]);
    assert_eq!((answer.code, answer.out.trim()), (Some(9), "20000"), "{}", answer.talk);
    assert!((seconds(&report) - 9.0).abs() < 0.1, "{report}");
}

#[test]
fn threads_wait_for_each_other_in_virtual_time() {
    let name = "threads_wait_for_each_other_in_virtual_time";
    let Some(folder) = possible(name, &["python3"]) else { return };
    let script = "import threading, time\nt = time.monotonic()\nlock = threading.Lock()\n\
        def work():\n    with lock: time.sleep(10)\n\
        all = [threading.Thread(target=work) for _ in range(3)]\n\
        [one.start() for one in all]\n[one.join() for one in all]\nprint(time.monotonic() - t)";
    let (answer, _) = executed(&folder, &["python3", "-c", script]);
    assert!((number(&answer) - 30.0).abs() < 0.5, "{}", answer.out);
}

#[test]
fn no_file_of_the_host_is_touched_and_the_programs_own_are_whole() {
    let name = "no_file_of_the_host_is_touched_and_the_programs_own_are_whole";
    let Some(folder) = possible(name, &["sh", "cat", "mv", "mkdir", "rm"]) else { return };
    folder.write("old", "old");
    let script = "echo new >> old; mkdir d; echo text > d/f; mv d e; cat e/f old; rm old; test ! -e old";
    let (answer, report) = executed(&folder, &["sh", "-c", script]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), "text\noldnew\n"), "{}", answer.talk);
    assert_eq!(folder.read("old"), b"old");
    assert_eq!(folder.names(), ["old", "report.json", "scenario.toml"]);
    let kinds = report["kinds"].to_string();
    assert!(report["executed"]["exit_code"] == 0, "{kinds}");
    // A second directory for what is written, which is gone after, or is left where that is asked for.
    fs::create_dir(folder.path("scratch")).unwrap();
    let exec = |more: &[&str]| {
        let words = ["exec", "scenario.toml", "-q", "--scratch", "scratch"];
        folder.petrio(&[&words[..], more, &["--", "sh", "-c", "echo x > y"]].concat())
    };
    assert_eq!(exec(&[]).code, Some(0));
    assert_eq!(fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
    assert_eq!(exec(&["--keep"]).code, Some(0));
    assert_eq!(fs::read_dir(folder.path("scratch")).unwrap().count(), 1);
}

#[test]
fn the_same_program_gives_the_same_bytes_of_report_where_computing_is_not_measured() {
    let name = "the_same_program_gives_the_same_bytes_of_report_where_computing_is_not_measured";
    let Some(folder) = possible(name, &["sh", "seq", "sort"]) else { return };
    for compute in ["none", "fixed:3us"] {
        let report = |file: &str| {
            let words =
                ["exec", "scenario.toml", "--compute", compute, "-q", "--json", file, "--", "sh", "-c"];
            let script = "seq 3000 > a; sort -r a > b; rm a; sync; sleep 1";
            // A file that was left would be there in the next.
            let answer = folder.petrio(&[&words[..], &[script]].concat());
            assert_eq!(answer.code, Some(0), "{}", answer.talk);
            let bytes = folder.read(file);
            fs::remove_file(folder.path(file)).unwrap();
            bytes
        };
        assert!(report("a.json") == report("b.json"), "{compute}");
    }
}

#[test]
fn what_a_program_may_write_and_how_many_it_may_be_is_bounded() {
    let name = "what_a_program_may_write_and_how_many_it_may_be_is_bounded";
    let Some(folder) = possible(name, &["dd", "sh"]) else { return };
    let answer = folder.petrio(&[
        "exec",
        "scenario.toml",
        "--limit",
        "1 MiB",
        "--",
        "dd",
        "if=/dev/zero",
        "of=x",
        "bs=64k",
        "count=100",
    ]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.talk.contains("No space left"), "{}", answer.talk);
    assert!(answer.out.contains("found no room"), "{}", answer.out);
    let answer = folder.petrio(&[
        "exec", "scenario.toml", "--processes", "6", "--compute", "none", "--", "python3", "-c",
        "import os\nfor i in range(20):\n  try:\n    if os.fork() == 0: os.pause() if hasattr(os, 'pause') else __import__('signal').pause()\n  \
         except OSError as error: print(i, error.errno); break",
    ]);
    if is_installed("python3") {
        assert!(answer.out.contains(" 11\n"), "{} {}", answer.out, answer.talk);
        assert!(answer.out.contains("refused"), "{}", answer.out);
    }
}

#[test]
fn what_it_ends_with_is_passed_on_and_a_killed_petrio_leaves_nothing_running() {
    let name = "what_it_ends_with_is_passed_on_and_a_killed_petrio_leaves_nothing_running";
    let Some(folder) = possible(name, &["sh"]) else { return };
    assert_eq!(executed(&folder, &["sh", "-c", "exit 7"]).0.code, Some(7));
    assert_eq!(executed(&folder, &["sh", "-c", "kill -SEGV $$"]).0.code, Some(139));
    let mark = format!("while :; do : {}; done", std::process::id());
    let running = || {
        let out = Command::new("ps").args(["ax", "-o", "args"]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).matches(&mark).count()
    };
    let mut command =
        folder.command(&["exec", "scenario.toml", "--compute", "none", "--", "sh", "-c", &mark]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while running() < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while running() > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(running(), 0);
}

#[test]
fn two_systems_are_compared_with_one_program() {
    let name = "two_systems_are_compared_with_one_program";
    let Some(folder) = possible(name, &["dd"]) else { return };
    folder.write("flash.toml", flash());
    let answer = folder.petrio(&[
        "exec",
        "scenario.toml",
        "flash.toml",
        "--compute",
        "none",
        "--",
        "dd",
        "if=/dev/zero",
        "of=x",
        "bs=4k",
        "count=5",
        "oflag=dsync",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.out.contains("makespan"), "{}", answer.out);
    assert!(answer.out.contains("the program took"), "{}", answer.out);
}

#[test]
fn what_reaches_the_disk_of_a_program_and_what_it_asked_for_are_written_when_asked_for() {
    let test = "what_reaches_the_disk_of_a_program_and_what_it_asked_for_are_written_when_asked_for";
    let Some(folder) = possible(test, &["dd"]) else { return };
    fs::create_dir(folder.path("tree")).unwrap();
    folder.write("tree/f", vec![1; 16 << 10]);
    folder.write("ext3.toml", DISK.replace("ext4", "ext3"));
    let words =
        ["exec", "ext3.toml", "-q", "--compute", "none", "--device-log", "log.csv", "--trace", "ops.parquet"];
    let command = ["--", "dd", "if=tree/f", "of=g", "bs=4k", "oflag=dsync"];
    let answer = folder.petrio(&[&words[..], &command].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let log = String::from_utf8(folder.read("log.csv")).unwrap();
    let count =
        |parts: [&str; 2]| log.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count();
    assert_eq!(count([",write,", ",data,"]), 4, "{log}");
    assert!(count([",flush,", ""]) >= 4, "{log}");
    // Of a directory that nobody has looked into since the mount, inode and block are read, and the inode of its file.
    assert!(count([",read,", ",metadata,"]) >= 4, "{log}");
    let info = folder.petrio(&["trace", "info", "ops.parquet"]);
    assert!(info.code == Some(0) && info.out.contains("write"), "{} {}", info.out, info.talk);
    let words = ["exec", "ext3.toml", "scenario.toml", "--device-log", "log.csv", "--", "true"];
    let answer = folder.petrio(&words);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(answer.talk.contains("--device-log is of one scenario's storage"), "{}", answer.talk);
}
