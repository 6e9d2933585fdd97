//! `petrio users run --processes`: the same calls as by threads, and nothing left of workers and files however it ends.

use crate::support::{Folder, root};
use petrio_trace::event::{Event, EventKind};
use petrio_trace::native::{NativeReader, Wanted};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn specification() -> String {
    root().join("examples/users/thesis.toml").to_string_lossy().into_owned()
}

/// What users do in some hundred files, without an end that a test would wait for.
const LONG: [&str; 10] = [
    "--dir",
    "files",
    "--set",
    "files.count=120",
    "--sessions",
    "3000",
    "--share",
    "heavy=1",
    "--set",
    "user.heavy.think=200 us",
];

type Call = (EventKind, u64, u32, Option<String>, Option<u64>, u64, Option<u64>);

/// Calls by process, in order.
fn calls(trace: &Path) -> BTreeMap<u32, Vec<Call>> {
    let mut by_process: BTreeMap<u32, Vec<Call>> = BTreeMap::new();
    let mut last = None;
    for event in NativeReader::open_for(trace, Wanted::Everything).unwrap() {
        let event: Event = event.unwrap();
        assert!(last <= Some(event.time), "out of order");
        last = Some(event.time);
        by_process.entry(event.process).or_default().push((
            event.kind,
            event.file.inode,
            event.file.generation,
            event.path.map(|path| path.to_string()),
            event.offset,
            event.length,
            event.size,
        ));
    }
    by_process
}

#[test]
fn processes_make_the_calls_that_threads_make() {
    let folder = Folder::new();
    let specification = specification();
    let run = |more: &[&str]| {
        let arguments = ["users", "run", &specification, "--dir", "files", "--set", "files.count=120"];
        let crowd = ["--users", "3", "--sessions", "2", "--share", "extremely-heavy=1"];
        let two = ["--set", "user.heavy.sessions_at_once=2"];
        let answer = folder.petrio(&[&arguments[..], &crowd[..], &two[..], more].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        answer.out
    };
    run(&["--out", "threads"]);
    let threads = calls(&folder.path("threads"));
    assert_eq!(threads.len(), 6);
    for (processes, workers) in [("--processes", 6), ("--processes=4", 4), ("--processes=100", 6)] {
        let said = run(&[processes, "--out", "processes"]);
        assert!(said.contains(&format!("{workers} worker processes")), "{said}");
        assert!(said.contains("the driver itself"), "{said}");
        assert_eq!(calls(&folder.path("processes")), threads, "{processes}");
    }
    assert_eq!(folder.petrio(&["fs", "verify", "--dir", "files"]).code, Some(0));
}

/// Whether users have made files that are there.
fn is_something_made(folder: &Folder) -> bool {
    let homes = std::fs::read_dir(folder.path("files/home")).into_iter().flatten().flatten();
    let files = homes.flat_map(|home| std::fs::read_dir(home.path()).into_iter().flatten().flatten());
    files.into_iter().any(|file| file.file_name().to_string_lossy().contains("-made-"))
}

/// The processes that a process has started.
fn started_by(parent: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let number = |entry: std::fs::DirEntry| {
        let number = entry.file_name().to_str()?.parse::<u32>().ok()?;
        let status = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // After the name, in brackets: state, parent.
        let of = status.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok()?;
        (of == parent).then_some(number)
    };
    all.filter_map(number).collect()
}

/// A long run, at work.
fn at_work(folder: &Folder, more: &[&str]) -> Child {
    let specification = specification();
    let arguments = [&["users", "run", &specification, "--users", "4"], &LONG[..], more].concat();
    let run = folder.command(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = run.unwrap();
    while !is_something_made(folder) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    child
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

#[test]
fn a_run_that_is_broken_off_leaves_neither_files_nor_workers() {
    for more in [&["--processes"][..], &["--processes=2"], &[]] {
        let folder = Folder::new();
        let mut child = at_work(&folder, more);
        let workers = started_by(child.id());
        assert_eq!(
            workers.len(),
            if more.is_empty() { 0 } else { if more[0] == "--processes" { 4 } else { 2 } }
        );
        signal("-INT", child.id());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{more:?}");
        assert!(!is_something_made(&folder), "{more:?}");
        assert!(workers.iter().all(|worker| !Path::new(&format!("/proc/{worker}")).exists()), "{more:?}");
    }
}

#[test]
fn a_worker_that_dies_ends_the_run_with_its_number_and_cause() {
    let folder = Folder::new();
    let child = at_work(&folder, &["--processes"]);
    let mut workers = started_by(child.id());
    workers.sort_unstable();
    signal("-KILL", workers[2]);
    let answer = child.wait_with_output().unwrap();
    let said = String::from_utf8(answer.stderr).unwrap();
    assert_eq!(answer.status.code(), Some(1), "{said}");
    assert!(said.contains("worker process 2 (process 2): it was ended by signal 9"), "{said}");
    assert!(!is_something_made(&folder));
    assert!(workers.iter().all(|worker| !Path::new(&format!("/proc/{worker}")).exists()));
}

#[test]
fn a_worker_whose_call_fails_says_which() {
    let folder = Folder::new();
    let child = at_work(&folder, &["--processes"]);
    // The homes go, and with them what users would open next.
    std::fs::rename(folder.path("files/home/u002"), folder.path("gone")).unwrap();
    let answer = child.wait_with_output().unwrap();
    let said = String::from_utf8(answer.stderr).unwrap();
    assert_eq!(answer.status.code(), Some(1), "{said}");
    assert!(said.contains("worker process 1 (process 1)") && said.contains("files/home/u002"), "{said}");
}

#[test]
fn a_limit_of_open_files_is_told_before_anything_is_started() {
    let folder = Folder::new();
    let specification = specification();
    let program = env!("CARGO_BIN_EXE_petrio");
    let script = format!(
        "ulimit -n 40 && {program} users run {specification} --dir files --users 20 --sessions 1 \
         --set files.count=120 --processes"
    );
    let answer = Command::new("sh").args(["-c", &script]).current_dir(folder.path("")).output().unwrap();
    let said = String::from_utf8(answer.stderr).unwrap();
    assert_eq!(answer.status.code(), Some(1), "{said}");
    assert!(said.contains("20 worker processes need 44 open files, and 40 are allowed"), "{said}");
    assert!(said.contains("ulimit -n 44") && said.contains("--processes=N"), "{said}");
}

#[test]
fn workers_are_started_by_a_run_alone() {
    let folder = Folder::new();
    let mut command = folder.command(&["users", "worker"]);
    let answer = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(answer.status.code(), Some(2));
    let said = String::from_utf8(answer.stderr).unwrap();
    assert!(said.contains("only petrio users run --processes starts workers"), "{said}");
    assert!(!folder.petrio(&["users", "--help"]).out.contains("worker"));
    let none = folder.petrio(&["users", "run", "users.toml", "--dir", "files", "--processes=0"]);
    assert!(none.code == Some(2) && none.talk.contains("1 or more"), "{}", none.talk);
}
