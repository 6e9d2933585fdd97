//! MPI jobs on simulated storage, from the command line: what is posted, communicators, and accesses to other ranks' memory.

use crate::exec_ranks::{compiled, executed, is_installed, possible};
use crate::support::Folder;
use serde_json::Value;
use std::process::Command;

const POSTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/posted.c");
const WINDOWS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/windows.c");

/// What a program prints, and its report.
fn told(folder: &Folder, source: &str, ranks: &str, options: &[&str]) -> (Vec<String>, Value) {
    let program = compiled(folder, source, "program");
    let (answer, report) = executed(folder, options, &["-np", ranks, &program]);
    (answer.out.lines().map(str::to_owned).collect(), report)
}

/// The numbers in the line that begins with a word.
fn numbers(lines: &[String], word: &str) -> Vec<u64> {
    let line = lines.iter().find(|line| line.split(' ').next() == Some(word));
    let line = line.unwrap_or_else(|| panic!("no {word} in {lines:?}"));
    line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn what_is_posted_goes_on_while_ranks_compute_and_only_who_waits_is_delayed() {
    let test = "what_is_posted_goes_on_while_ranks_compute_and_only_who_waits_is_delayed";
    let Some(folder) = possible(test) else { return };
    let (lines, report) = told(&folder, POSTED, "4", &["--message-latency", "50ms"]);
    let posted = numbers(&lines, "posted");
    // Two rounds of 50 ms go on within the half second; posting takes nothing.
    assert_eq!(posted, [0, 500], "{lines:?}");
    let late = lines.iter().find(|line| line.contains("late")).unwrap();
    let late: Vec<u64> = late.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(late[0] == 0 && (2050..=2200).contains(&late[1]), "{lines:?}");
    assert_eq!(numbers(&lines, "tested"), [1], "{lines:?}");
    // Two seconds where it was waited for at its posting; a barrier behind it has two rounds, too.
    assert!((1000..=1200).contains(&numbers(&lines, "crossed")[0]), "{lines:?}");
    assert_eq!(report["executed"]["uncertain"], 0, "{report}");
    assert!(report["executed"]["unseen"].is_null(), "{report}");
}

#[test]
fn messages_and_operations_of_two_communicators_are_told_apart() {
    let test = "messages_and_operations_of_two_communicators_are_told_apart";
    let Some(folder) = possible(test) else { return };
    let (lines, _) = told(&folder, POSTED, "4", &[]);
    // The one that was sent a second later is the one that was asked for.
    assert_eq!(numbers(&lines, "other"), [22, 1000, 11], "{lines:?}");
    // Those of the other half come three seconds later.
    assert_eq!(numbers(&lines, "half"), [0], "{lines:?}");
    let often = numbers(&lines, "often")[0];
    assert!((300..310).contains(&often), "{lines:?}");
}

#[test]
fn accesses_to_others_memory_take_their_time_and_locks_exclude() {
    let test = "accesses_to_others_memory_take_their_time_and_locks_exclude";
    let Some(folder) = possible(test) else { return };
    let options = ["--message-latency", "2ms", "--message-rate", "1 MiB/s"];
    let (lines, report) = told(&folder, WINDOWS, "3", &options);
    // 1 MiB at 1 MiB/s, its way, and the two rounds of a barrier.
    assert!((1002..=1012).contains(&numbers(&lines, "fence")[0]), "{lines:?}");
    let counted = numbers(&lines, "counted");
    assert!(counted[0] == 3 && (30..=31).contains(&counted[1]), "{lines:?}");
    assert_eq!(numbers(&lines, "shared"), [10], "{lines:?}");
    let got = numbers(&lines, "got");
    assert!(got[0] == 42 && got[1] == 0 && (100..=101).contains(&got[2]), "{lines:?}");
    let exposed = numbers(&lines, "exposed");
    assert!(exposed[..3] == [0, 7, 20] && (120..=122).contains(&exposed[3]), "{lines:?}");
    let ranks = report["executed"]["ranks"].as_array().unwrap();
    assert!(ranks[1]["accessed_bytes"].as_u64().unwrap() >= 3 << 20, "{report}");
    assert_eq!(report["executed"]["uncertain"], 0, "{report}");
    // Again, and it is the same.
    let (again, other) = told(&folder, WINDOWS, "3", &options);
    assert_eq!((again, &other["executed"]["ranks"]), (lines, &report["executed"]["ranks"]));
}

/// The same with MPICH's library, where it is installed beside Open MPI's.
fn by_mpich(test: &str, source: &str, ranks: &str, options: &[&str]) -> Option<Vec<String>> {
    let folder = possible(test)?;
    if let Some(missing) = ["mpicc.mpich", "mpirun.mpich"].into_iter().find(|program| !is_installed(program))
    {
        println!("skipped: {test}: {missing} isn't installed");
        return None;
    }
    let program = folder.path("program");
    let made = Command::new("mpicc.mpich").args(["-O2", source, "-o"]).arg(&program).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let words = ["exec", "scenario.toml", "--compute", "none", "-q"];
    let program = program.to_string_lossy().into_owned();
    let job = ["--", "mpirun.mpich", "-np", ranks, &program];
    let mut command = folder.command(&[&words[..], options, &job].concat());
    let output = command.env("MPICC", "mpicc.mpich").output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out} {}", String::from_utf8_lossy(&output.stderr));
    Some(out.lines().map(str::to_owned).collect())
}

/// How many events of messages are recorded of Fortran's calls in one form.
fn recorded_words(folder: &Folder, form: &str) -> String {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/words.F90");
    let program = folder.path(&format!("words{form}"));
    let made = Command::new("mpifort.mpich").args([form, source, "-o"]).arg(&program).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (out, file) = (format!("job{form}"), format!("file{form}"));
    let program = program.to_string_lossy().into_owned();
    let words = ["record", "--out", &out, "--", "mpirun.mpich", "-np", "3", &program, &file];
    let output = folder.command(&words).env("MPICC", "mpicc.mpich").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("3 of them ranks") && !told.contains("MPI's calls"), "{told}");
    let counted = told.split(';').find(|part| part.contains("events of messages"));
    counted.unwrap_or_else(|| panic!("{told}")).trim().to_owned()
}

#[test]
fn both_of_fortrans_modules_of_mpich_are_recorded_alike() {
    let test = "both_of_fortrans_modules_of_mpich_are_recorded_alike";
    let needed = ["mpicc.mpich", "mpifort.mpich", "mpirun.mpich", "objcopy"];
    if let Some(missing) = needed.into_iter().find(|program| !is_installed(program)) {
        println!("skipped: {test}: {missing} isn't installed");
        return;
    }
    let folder = Folder::new();
    let (old, new) = (recorded_words(&folder, "-DF77"), recorded_words(&folder, "-DF08"));
    assert_eq!(old, new);
    // Of each of three ranks at least two posts and their waits, and five operations of all.
    let count: u64 = new.split(' ').next().and_then(|word| word.parse().ok()).unwrap();
    assert!(count >= 3 * 9, "{new}");
}

#[test]
fn mpichs_ranks_take_the_same_time_for_what_is_posted_and_for_others_memory() {
    let test = "mpichs_ranks_take_the_same_time_for_what_is_posted_and_for_others_memory";
    let Some(lines) = by_mpich(test, POSTED, "2", &["--message-latency", "50ms"]) else { return };
    assert_eq!(numbers(&lines, "posted"), [0, 500], "{lines:?}");
    assert_eq!(numbers(&lines, "other")[0], 22, "{lines:?}");
    let options = ["--message-latency", "2ms", "--message-rate", "1 MiB/s"];
    let Some(lines) = by_mpich(test, WINDOWS, "2", &options) else { return };
    assert!((1002..=1012).contains(&numbers(&lines, "fence")[0]), "{lines:?}");
    let counted = numbers(&lines, "counted");
    assert!(counted[0] == 2 && (20..=21).contains(&counted[1]), "{lines:?}");
}
