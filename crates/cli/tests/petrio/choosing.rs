//! Each sentence of docs/choosing.md is a run.

use crate::support::{Folder, figure, root};
use std::collections::BTreeMap;

/// The programs, as the guide calls them, and what is set beside the program.
const PROGRAMS: [(&str, &str, &str, &[&str]); 6] = [
    ("own files", "ior", "ior -t 512k -b 16m -F -e -C -o testfile", &[]),
    ("own files, not waited for", "ior", "ior -t 512k -b 16m -F -C -o testfile", &[]),
    ("one file in pieces", "ior", "ior -t 47008 -b 47008 -s 100 -C -e -o testfile", &[]),
    ("small files", "mdtest", "mdtest -n 100 -d dir -F -w 3901 -e 3901", &[]),
    ("small calls", "ior", "ior -t 4k -b 1m -F -C -o testfile", &[]),
    ("one process", "ior", "ior -t 1m -b 64m -C -e -o testfile", &["workload.job.ranks=1"]),
];

const ALL: [&str; 5] = ["nfs", "pvfs", "lustre", "beegfs", "share"];
const FOUR: [&str; 4] = ["pvfs", "lustre", "beegfs", "share"];

/// What takes how long, by program and file system.
struct Times(BTreeMap<(&'static str, &'static str), f64>);

impl Times {
    fn of(&self, program: &'static str, name: &'static str) -> f64 {
        self.0[&(program, name)]
    }

    /// How many times as long as another it takes.
    fn times(&self, program: &'static str, name: &'static str, other: &'static str) -> f64 {
        self.of(program, name) / self.of(program, other)
    }

    /// Of some file systems the least time and the most.
    fn range(&self, program: &'static str, names: &[&'static str]) -> (f64, f64) {
        let all = names.iter().map(|name| self.of(program, name));
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
    }
}

/// Whether a sentence is so.
type Holds = fn(&Times) -> bool;

const OWN: &str = "own files";
const FREE: &str = "own files, not waited for";
const PIECES: &str = "one file in pieces";
const SMALL: &str = "small files";
const CALLS: &str = "small calls";
const ALONE: &str = "one process";

/// The guide's sentences, and what makes each true.
const SENTENCES: [(&str, Holds); 9] = [
    (
        "own files: each of the four that use all servers takes two fifths of the time of NFS, or less.",
        |all| FOUR.iter().all(|name| all.times(OWN, name, "nfs") <= 0.4),
    ),
    ("own files: of these four the slowest takes a quarter longer than the fastest, or less.", |all| {
        let (least, most) = all.range(OWN, &FOUR);
        most <= 1.25 * least
    }),
    (
        "own files, not waited for: PVFS and BeeGFS take two fifths of what the same takes them on disk, or less.",
        |all| ["pvfs", "beegfs"].iter().all(|name| all.of(FREE, name) <= 0.4 * all.of(OWN, name)),
    ),
    ("own files, not waited for: NFS, Lustre and the service win a seventh of their time at most.", |all| {
        ["nfs", "lustre", "share"].iter().all(|name| all.of(FREE, name) >= 6.0 / 7.0 * all.of(OWN, name))
    }),
    ("one file in pieces: BeeGFS is the fastest, and Lustre takes three times as long, or more.", |all| {
        let is_fastest = all.range(PIECES, &ALL).0 == all.of(PIECES, "beegfs");
        is_fastest && all.times(PIECES, "lustre", "beegfs") >= 3.0
    }),
    ("one file in pieces: NFS takes seven times as long as BeeGFS, or more.", |all| {
        all.times(PIECES, "nfs", "beegfs") >= 7.0
    }),
    ("small files: Lustre is the fastest, and PVFS the slowest, at twice the time or more.", |all| {
        all.range(SMALL, &ALL) == (all.of(SMALL, "lustre"), all.of(SMALL, "pvfs"))
            && all.times(SMALL, "pvfs", "lustre") >= 2.0
    }),
    ("small calls: BeeGFS takes a fifth of the time of Lustre, or less.", |all| {
        all.times(CALLS, "beegfs", "lustre") <= 0.2
    }),
    ("one process: Lustre takes half of the time of BeeGFS, or less.", |all| {
        all.times(ALONE, "lustre", "beegfs") <= 0.5
    }),
];

/// The file systems that sentences about a program are of.
fn named(program: &str) -> &'static [&'static str] {
    match program {
        CALLS | ALONE => &["lustre", "beegfs"],
        _ => &ALL,
    }
}

fn time((_, kind, command, more): (&str, &str, &str, &[&str]), name: &str) -> f64 {
    let folder = Folder::new();
    let scenario = root().join(format!("examples/choosing/{name}.toml")).display().to_string();
    let program = format!("workload.job.program={{ kind = \"{kind}\", command = \"{command}\" }}");
    let mut arguments = vec!["run", &scenario, "-q", "--no-what-if", "--json", "r.json", "--set", &program];
    more.iter().for_each(|set| arguments.extend(["--set", set]));
    let answer = folder.petrio(&arguments);
    assert_eq!(answer.code, Some(0), "{name}: {}", answer.talk);
    let report = folder.json("r.json");
    assert!(
        report.get("failures").is_none_or(|all| all.as_array().is_some_and(Vec::is_empty)),
        "{name}: {command}"
    );
    figure(&report, "/simulated_s")
}

#[test]
fn every_sentence_about_choosing_a_file_system_is_what_its_runs_say() {
    let guide = std::fs::read_to_string(root().join("docs/choosing.md")).unwrap();
    for (name, _, command, more) in PROGRAMS {
        let row = format!("| {name} | `{command}`");
        assert!(guide.contains(&row) && more.iter().all(|set| guide.contains(set)), "{row}");
    }
    let told = guide.split("## What the runs say").nth(1).unwrap().split("Why:").next().unwrap();
    let told: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    assert_eq!(
        told,
        SENTENCES.map(|(sentence, _)| sentence),
        "the guide's sentences are those that are looked at"
    );
    let wanted =
        PROGRAMS.iter().flat_map(|program| named(program.0).iter().map(move |name| (*program, *name)));
    let wanted: Vec<_> = wanted.collect();
    let times = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let own = wanted.iter().skip(half).step_by(2);
            scope.spawn(move || {
                own.map(|&(program, name)| ((program.0, name), time(program, name))).collect::<Vec<_>>()
            })
        });
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    let times = Times(times);
    for (sentence, holds) in SENTENCES {
        assert!(holds(&times), "{sentence} {:?}", times.0);
    }
    // Whoever waits for disks with several processes is better off with any of the four than with one server.
    for program in [OWN, PIECES] {
        assert!(FOUR.iter().all(|name| times.times(program, name, "nfs") < 1.0), "{program}: {:?}", times.0);
    }
}
