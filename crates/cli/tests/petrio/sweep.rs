//! `petrio sweep`: every row is the run that it says it is, in whichever order, on however many threads and shards and however often it was
//! killed; and what makes no sense is refused before anything is run.

use crate::support::{Answer, Folder, RANDOM, figure, unwrapped};
use serde_json::Value;
use std::time::{Duration, Instant};

const GRID: [&str; 8] = [
    "sweep",
    "scenario.toml",
    "--set",
    "workload.w.requests=400",
    "--vary",
    "disk.d0.scheduler=fcfs,sptf",
    "--vary",
    "workload.w.generators.0.read_fraction=lin(0.2, 0.8, 3)",
];

fn swept(folder: &Folder, arguments: &[&str], out: &str) -> Answer {
    let answer = folder.petrio(&[&GRID[..], arguments, &["--replications", "2", "--out", out]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    answer
}

/// The rows as CSV has them, each as its cells by name.
fn rows(folder: &Folder, study: &str) -> Vec<Vec<(String, String)>> {
    let answer = folder.petrio(&["sweep", "show", study, "--csv", "rows.csv", "--quiet"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = folder.text("rows.csv");
    std::fs::remove_file(folder.path("rows.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    lines.map(|cells| heads.iter().cloned().zip(cells).collect()).collect()
}

fn cell<'r>(row: &'r Cells, name: &str) -> &'r str {
    row.iter().find(|(head, _)| head == name).map(|(_, cell)| cell.as_str()).unwrap()
}

/// A row's cells by name.
type Cells = [(String, String)];

/// What lies in a study's folder: names, and hashes of what is in them.
fn files(folder: &Folder, study: &str) -> Vec<(String, u64)> {
    let mut all: Vec<(String, u64)> = std::fs::read_dir(folder.path(study))
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                petrio_random::fnv1a(std::fs::read(entry.path()).unwrap()),
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn every_row_is_the_run_that_its_command_repeats() {
    let folder = Folder::with(RANDOM);
    let answer = swept(&folder, &[], "study");
    assert!(answer.out.contains("disk.d0.scheduler") && answer.out.contains("repeat"), "{}", answer.out);
    let rows = rows(&folder, "study");
    assert_eq!(rows.len(), 2 * 3 * 2);
    for row in rows.iter().step_by(5) {
        let (case, replication) = (cell(row, "case"), cell(row, "replication"));
        let shown = folder.petrio(&["sweep", "show", "study", "--case", case]).out;
        let command = shown.lines().find_map(|line| line.strip_prefix("repeat it:  petrio ")).unwrap();
        let command =
            command.replace("--replication 0", &format!("--replication {replication} -q --json run.json"));
        let words: Vec<String> = command.split(' ').map(|word| word.replace('\'', "")).collect();
        let run = folder.petrio(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{command}: {}", run.talk);
        let report = folder.json("run.json");
        let mean = figure(&report, "/latency/mean_ms/value");
        assert_eq!(cell(row, "mean-latency (ms)").parse::<f64>().unwrap(), mean, "{command}");
        let rate = figure(&report, "/requests_per_s/value");
        assert_eq!(cell(row, "rate (1/s)").parse::<f64>().unwrap(), rate, "{command}");
    }
}

#[test]
fn threads_and_shards_make_no_difference() {
    let folder = Folder::with(RANDOM);
    swept(&folder, &["--jobs", "1"], "one");
    swept(&folder, &["--jobs", "3"], "three");
    let wanted = files(&folder, "one");
    assert!(wanted.iter().any(|(name, _)| name == "cases-000000.parquet") && wanted.len() == 2, "{wanted:?}");
    assert_eq!(files(&folder, "three"), wanted);
    // In folders of their own, and in one.
    for shard in ["1/3", "2/3", "3/3"] {
        swept(&folder, &["--shard", shard], &format!("part{}", &shard[..1]));
        swept(&folder, &["--shard", shard], "parts");
    }
    let merged = folder.petrio(&["sweep", "merge", "all", "part3", "part1", "part2"]);
    assert_eq!(merged.code, Some(0), "{}", merged.talk);
    assert_eq!(files(&folder, "all"), wanted);
    assert_eq!(rows(&folder, "parts"), rows(&folder, "one"));
    assert_eq!(folder.petrio(&["sweep", "merge", "again", "parts"]).code, Some(0));
    assert_eq!(files(&folder, "again"), wanted);
}

#[test]
fn one_that_is_killed_goes_on_and_ends_as_if_nothing_had_been() {
    let folder = Folder::with(RANDOM);
    let arguments = |out: &'static str| {
        [
            "sweep",
            "scenario.toml",
            "--set",
            "workload.w.requests=30000",
            "--vary",
            "disk.d0.queue_depth=1..12",
            "-q",
            "--out",
            out,
        ]
    };
    assert_eq!(folder.petrio(&arguments("whole")).code, Some(0));
    let mut killed = 0;
    for _ in 0..20 {
        let mut child = folder.command(&arguments("broken")).spawn().unwrap();
        let begun = Instant::now();
        let journal = folder.path("broken").join("rows.jsonl");
        let before = std::fs::metadata(&journal).map_or(0, |there| there.len());
        // Until a further case is done, or all are.
        while child.try_wait().unwrap().is_none()
            && std::fs::metadata(&journal).map_or(0, |there| there.len()) <= before
            && begun.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.success() {
            break;
        }
        killed += 1;
        // Half a line, as a kill in the middle of writing leaves it.
        if killed == 1 {
            let mut text = std::fs::read(&journal).unwrap_or_default();
            text.extend(b"[{\"case\":99,\"repl");
            std::fs::write(&journal, text).unwrap();
        }
    }
    assert!(killed > 1, "it was never killed half-way");
    let last = folder.petrio(&arguments("broken"));
    assert_eq!(last.code, Some(0), "{}", last.talk);
    assert!(last.talk.contains("there already"), "{}", last.talk);
    assert_eq!(files(&folder, "broken"), files(&folder, "whole"));
}

#[test]
fn what_is_illegal_is_told_case_by_case_before_the_first_run() {
    let folder = Folder::with(RANDOM);
    let refused = |arguments: &[&str], said: &[&str]| {
        let answer = folder.petrio(&[&["sweep", "scenario.toml", "--out", "bad"], arguments].concat());
        let talk = unwrapped(&answer.talk);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {talk}");
        for word in said {
            assert!(talk.contains(word), "{arguments:?}: {talk}");
        }
        let left = std::fs::read_dir(folder.path("bad")).map_or(0, |all| {
            all.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with("parquet"))
                .count()
        });
        assert_eq!(left, 0, "{arguments:?}");
    };
    refused(&["--vary", "disk.d0.queue_depth=1,0,4"], &["disk.d0.queue_depth=0", "nothing was run"]);
    refused(&["--vary", "disk.d0.queue_dept=1..4"], &["queue_depth"]);
    refused(&["--vary", "disk.d0.queue_depth=4..1"], &["goes down"]);
    refused(&["--vary", "workload.w.requests=lin(1 ms, 1 s, 3)"], &["workload.w.requests=1 ms"]);
    refused(
        &[
            "--vary",
            "seed=1..10000",
            "--vary",
            "workload.w.requests=1..10000",
            "--vary",
            "disk.d0.queue_depth=1..10000",
        ],
        &["1000000000000 cases", "--sample"],
    );
    refused(
        &["--vary", "disk.d0.queue_depth=1..4", "--where", "disk.d0.queue_depth > 9"],
        &["no case is left"],
    );
    refused(
        &["--vary", "disk.d0.queue_depth=1..4", "--where", "disk.d0.queue_dept > 9"],
        &["did you mean disk.d0.queue_depth"],
    );
    refused(&["--vary", "disk.d0.queue_depth=1..4", "--measure", "p98"], &["p9"]);
    refused(&[], &["nothing is varied", "--vary"]);
}

#[test]
fn a_folder_of_another_study_stays_as_it_is() {
    let folder = Folder::with(RANDOM);
    swept(&folder, &[], "study");
    let before = files(&folder, "study");
    let refused = |folder: &Folder, arguments: &[&str], said: &str| {
        let answer = folder.petrio(&[&GRID[..], arguments].concat());
        assert_eq!(answer.code, Some(2), "{}", answer.talk);
        assert!(unwrapped(&answer.talk).contains(said), "{arguments:?}: {}", answer.talk);
    };
    refused(&folder, &["--replications", "3", "--out", "study"], "replicated otherwise");
    refused(&folder, &["--replications", "2", "--seed", "9", "--out", "study"], "its seed is 1");
    refused(
        &folder,
        &["--replications", "2", "--vary", "disk.d0.queue_depth=1,2", "--out", "study"],
        "other keys",
    );
    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/thesis.txt", "text");
    refused(&folder, &["--out", "mine"], "thesis.txt");
    folder.write("scenario.toml", format!("{RANDOM}\n# changed\n"));
    refused(&folder, &["--replications", "2", "--out", "study"], "says something else now");
    assert_eq!(files(&folder, "study"), before);
    assert_eq!(folder.petrio(&["sweep", "show", "mine"]).code, Some(2));
}

#[test]
fn two_sweeps_do_not_write_to_one_folder() {
    let folder = Folder::with(RANDOM);
    let arguments = [
        "sweep",
        "scenario.toml",
        "--set",
        "workload.w.requests=200000",
        "--vary",
        "disk.d0.queue_depth=1..40",
        "--out",
        "study",
    ];
    let mut first = folder.command(&arguments).spawn().unwrap();
    let begun = Instant::now();
    while !folder.path("study").join("study.json").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = folder.petrio(&arguments);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, Some(2), "{}", second.talk);
    assert!(unwrapped(&second.talk).contains("another petrio sweep writes"), "{}", second.talk);
}

#[test]
fn findings_say_what_the_rows_say() {
    let folder = Folder::with(RANDOM);
    swept(&folder, &["--measure", "mean-latency"], "study");
    let shown =
        folder.petrio(&["sweep", "show", "study", "--json", "found.json", "--html", "found.html", "--quiet"]);
    assert_eq!(shown.code, Some(0), "{}", shown.talk);
    let found = folder.json("found.json");
    let rows = rows(&folder, "study");
    let mean_of = |wanted: &dyn Fn(&Cells) -> bool| {
        let values: Vec<f64> = rows
            .iter()
            .filter(|row| wanted(row))
            .map(|row| cell(row, "mean-latency (ms)").parse().unwrap())
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let effects = found["effects"].as_array().unwrap();
    assert_eq!(effects.len(), 2);
    for effect in effects {
        let path = effect["path"].as_str().unwrap();
        for level in effect["levels"].as_array().unwrap() {
            let value = level["value"].as_str().unwrap();
            let wanted = mean_of(&|row| cell(row, path) == value);
            assert!((figure(level, "/mean") - wanted).abs() < 1e-9 * wanted, "{path}={value}");
        }
        let levels = |which: &str| &effect["levels"][effect[which].as_u64().unwrap() as usize];
        assert!(
            figure(levels("best"), "/mean") <= figure(levels("worst"), "/mean"),
            "less latency is better"
        );
    }
    let cases: Vec<f64> =
        found["cases"].as_array().unwrap().iter().map(|case| figure(case, "/mean")).collect();
    assert!(cases.is_sorted(), "the best first: {cases:?}");
    let shares: f64 = effects.iter().map(|effect| figure(effect, "/share")).sum();
    assert!((0.0..=1.0 + 1e-9).contains(&shares), "{shares}");
    let page = folder.text("found.html");
    assert!(page.contains("disk.d0.scheduler") && page.contains("All cases over all keys"));
    let text = folder.petrio(&["sweep", "show", "study", "--measure", "rate"]).out;
    assert!(text.contains("more is better"), "{text}");
    assert_eq!(folder.petrio(&["sweep", "show", "study", "--measure", "fsync.p99"]).code, Some(2));
    assert_eq!(folder.petrio(&["sweep", "show", "study", "--case", "77"]).code, Some(2));
}

#[test]
fn tables_constraints_and_drawn_points_choose_the_cases_that_they_say() {
    let folder = Folder::with(RANDOM);
    folder.write("cases.csv", "disk.d0.scheduler, disk.d0.queue_depth\nsptf, 4\nfcfs, 1\nsptf, 4\n");
    let few = ["--set", "workload.w.requests=50", "-q"];
    let run = |arguments: &[&str], out: &str| {
        let answer =
            folder.petrio(&[&["sweep", "scenario.toml", "--out", out], &few[..], arguments].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        rows(&folder, out)
    };
    let table = run(&["--cases", "cases.csv"], "table");
    let told: Vec<[&str; 2]> =
        table.iter().map(|row| [cell(row, "disk.d0.scheduler"), cell(row, "disk.d0.queue_depth")]).collect();
    assert_eq!(told, [["sptf", "4"], ["fcfs", "1"], ["sptf", "4"]]);
    assert_eq!(cell(&table[0], "key"), cell(&table[2], "key"), "one effective scenario, one key");
    assert_ne!(cell(&table[0], "key"), cell(&table[1], "key"));
    let grid = run(
        &[
            "--vary",
            "disk.d0.queue_depth=1..4",
            "--vary",
            "workload.w.requests=50,100,150",
            "--where",
            "disk.d0.queue_depth * 50 >= workload.w.requests",
        ],
        "where",
    );
    assert_eq!(grid.len(), 1 + 2 + 3 + 3);
    let together = run(
        &["--vary", "disk.d0.queue_depth=1..3", "--vary", "disk.d0.scheduler=fcfs,sptf,look", "--together"],
        "together",
    );
    assert_eq!(together.len(), 3);
    for design in ["latin-hypercube", "sobol"] {
        let drawn = run(
            &[
                "--vary",
                "workload.w.generators.0.read_fraction=lin(0.0, 1.0)",
                "--sample",
                design,
                "--points",
                "8",
            ],
            design,
        );
        let mut eighths: Vec<u64> = drawn
            .iter()
            .map(|row| {
                (cell(row, "workload.w.generators.0.read_fraction").parse::<f64>().unwrap() * 8.0) as u64
            })
            .collect();
        eighths.sort_unstable();
        assert_eq!(eighths, [0, 1, 2, 3, 4, 5, 6, 7], "{design}: one in each eighth");
    }
    let saltelli = [
        "--vary",
        "workload.w.generators.0.read_fraction=lin(0.0, 1.0)",
        "--vary",
        "disk.d0.scheduler=fcfs,sptf",
    ];
    assert_eq!(
        run(&[&saltelli[..], &["--sample", "saltelli", "--points", "4"]].concat(), "saltelli").len(),
        4 * 4
    );
    let found = folder.petrio(&["sweep", "show", "saltelli", "--json", "-"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["indices"].as_array().unwrap().len(), 2);
}

#[test]
fn a_precision_is_reached_case_by_case() {
    let folder = Folder::with(RANDOM);
    let arguments =
        ["sweep", "scenario.toml", "--set", "workload.w.requests=300", "--vary", "disk.d0.queue_depth=1,4"];
    let answer = folder.petrio(
        &[&arguments[..], &["--measure", "mean-latency", "--precision", "4%", "--out", "study", "-q"]]
            .concat(),
    );
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = folder.petrio(&["sweep", "show", "study", "--json", "-"]).out;
    let found: Value = serde_json::from_str(&found).unwrap();
    for case in found["cases"].as_array().unwrap() {
        let (mean, half) = (figure(case, "/mean"), figure(case, "/half_width"));
        assert!(half <= 0.04 * mean, "{half} of {mean}");
    }
}
