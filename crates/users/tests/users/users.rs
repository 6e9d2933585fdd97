//! Synthetic users: expectations of the thesis' tables, and the same calls whatever they run on.

use petrio_colours::{FileOp, Operation};
use petrio_kernel::Watch;
use petrio_time::Time;
use petrio_users::{UserSpecification, Users};
use petrio_workload::program::{FileProgram, Placement, Prepared, ProgramError, Step};
use std::path::Path;
use std::time::Duration;

/// The thesis' specification.
fn thesis() -> UserSpecification {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[derive(Clone, Copy, Debug, Default)]
struct Session {
    files: f64,
    bytes: f64,
}

fn seed(number: u64) -> Placement {
    Placement { seed: number, ..Placement::new("users") }
}

#[test]
fn the_expectations_of_a_session_are_those_of_the_thesis_tables() {
    let expected = thesis().expected().unwrap();
    let of_thesis: Vec<_> = expected.iter().filter(|expected| expected.user == "heavy").collect();
    // Tables 5.2: share times files, and these times size times accesses.
    let table = [
        (2.00, 5_303.0),
        (1.75, 4_780.0),
        (6.00, 22_220.0),
        (1.60, 43_190.0),
        (1.01, 70_344.0),
        (5.72, 105_681.0),
        (5.99, 242_397.0),
        (2.17, 78_145.0),
        (1.71, 48_848.0),
    ];
    for (expected, (files, bytes)) in of_thesis.iter().zip(table) {
        assert!((expected.files.unwrap() - files).abs() < 0.006, "{expected:?}");
        assert!((expected.bytes.unwrap() - bytes).abs() < 1.0, "{expected:?}");
    }
    let files: f64 = of_thesis.iter().map(|expected| expected.files.unwrap()).sum();
    let bytes: f64 = of_thesis.iter().map(|expected| expected.bytes.unwrap()).sum();
    assert!((files - 27.95).abs() < 0.006 && (bytes - 620_908.0).abs() < 2.0, "{files} {bytes}");
}

/// All calls of a program.
fn calls(mut program: Box<dyn FileProgram>) -> Vec<FileOp> {
    let mut calls = Vec::new();
    loop {
        match program.next(Time::ZERO).unwrap() {
            Step::Operation(op) => calls.push(op),
            Step::End => return calls,
            _ => {}
        }
    }
}

/// Sessions of one user: files opened or created, and bytes accessed; and lengths of the accesses of regular files.
fn sessions(seed_number: u64, count: u32) -> (Vec<Session>, Vec<f64>) {
    let workload = thesis().prepare(&Users::new("", 1, count), &seed(seed_number), None).unwrap();
    let operations = calls(workload.programs.into_iter().next().unwrap());
    let mut sessions: Vec<Session> = Vec::new();
    for op in &operations {
        match op.operation {
            Operation::Stat => sessions.push(Session::default()),
            _ => {
                let session = sessions.last_mut().unwrap();
                session.files +=
                    f64::from(u8::from(matches!(op.operation, Operation::Open | Operation::Create)));
                session.bytes += op.length as f64;
            }
        }
    }
    let moves = |op: &&FileOp| matches!(op.operation, Operation::Read | Operation::Write);
    let accesses = operations.iter().filter(moves).map(|op| op.length as f64).collect();
    (sessions, accesses)
}

fn mean_and_half_width(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 2.58 * (variance / count).sqrt())
}

#[test]
fn files_and_bytes_of_drawn_sessions_have_the_expected_means() {
    let (sessions, _) = sessions(1, 2_000);
    assert_eq!(sessions.len(), 2_000);
    let (files, width) =
        mean_and_half_width(&sessions.iter().map(|session| session.files).collect::<Vec<_>>());
    assert!((files - 27.95).abs() < width && width < 1.2, "{files} ± {width}");
    let (bytes, width) =
        mean_and_half_width(&sessions.iter().map(|session| session.bytes).collect::<Vec<_>>());
    assert!((bytes - 620_908.0).abs() < width && width < 60_000.0, "{bytes} ± {width}");
}

/// The thesis' table 5.3 prints 929 to 956 bytes (six runs of 50 sessions, 941 at the mean): accesses of regular files,
/// cut at the end of the file on every pass.
#[test]
fn the_mean_access_is_that_of_the_thesis_table() {
    let batches: Vec<f64> = (0..8)
        .map(|batch| {
            let (_, accesses) = sessions(100 + batch, 50);
            accesses.iter().sum::<f64>() / accesses.len() as f64
        })
        .collect();
    let (mean, width) = mean_and_half_width(&batches);
    assert!((mean - 941.0).abs() < width && width < 25.0, "{mean} ± {width}: {batches:?}");
}

#[test]
fn a_users_calls_are_the_same_from_the_same_seed_whatever_others_do_and_whatever_comes_back() {
    let mut thesis = thesis();
    thesis.files.users = Some(3);
    let calls = |users: u32, answers: bool| {
        let workload = thesis.prepare(&Users::new("", users, 3), &seed(7), None).unwrap();
        let mut program = workload.programs.into_iter().next().unwrap();
        let (mut list, mut at) = (Vec::new(), Time::ZERO);
        loop {
            match program.next(if answers { at } else { Time::ZERO }).unwrap() {
                Step::Operation(op) => {
                    list.push((op.operation, op.offset, op.length));
                    at += Time::from_millis(3);
                }
                Step::Think(time) => list.push((Operation::Sync, time.as_picos(), 0)),
                Step::End => return list,
                _ => {}
            }
        }
    };
    let alone = calls(1, false);
    assert!(alone.len() > 500);
    assert_eq!(alone, calls(1, true));
    assert_eq!(alone, calls(3, false));
}

#[test]
fn what_is_made_is_deleted_or_kept_for_some_sessions_and_its_names_suffice() {
    let mut thesis = thesis();
    thesis.readings.kept_sessions = 2;
    let workload = thesis.prepare(&Users::new("", 2, 30), &seed(3), None).unwrap();
    let files = workload.files;
    for mut program in workload.programs {
        let (mut there, mut made, mut kept) = (std::collections::BTreeMap::new(), 0_u32, 0_u32);
        let (mut session, mut used) = (0, std::collections::BTreeSet::new());
        loop {
            match program.next(Time::ZERO).unwrap() {
                Step::Operation(op) => match op.operation {
                    Operation::Stat => session += 1,
                    Operation::Create => {
                        let name = &files.get(op.file).unwrap().name;
                        assert!(petrio_users::is_made_by_users(name), "{name}");
                        assert!(there.insert(op.file, (session, name.clone())).is_none());
                        made += 1;
                        used.insert(op.file);
                    }
                    Operation::Unlink => {
                        let (since, name) = there.remove(&op.file).unwrap();
                        let lived = if name.starts_with("user-temp") { 0 } else { 3 };
                        assert_eq!(session - since, lived, "{name}");
                        kept += u32::from(lived > 0);
                    }
                    _ => {}
                },
                Step::End => break,
                _ => {}
            }
        }
        assert!(made > 100 && kept > 10 && used.len() < made as usize / 2);
    }
}

#[test]
fn phases_and_hours_change_when_and_not_what() {
    let plain = thesis();
    let mut phased = thesis();
    let text = r#"
hours = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
[phase.computing]
think = { constant = "2 s" }
lasts = { constant = "20 s" }
[phase.reading]
think = { constant = "1 ms" }
lasts = { constant = "100 ms" }
"#;
    let changes: petrio_users::UserType = toml::from_str(text).unwrap();
    let heavy = &mut phased.user["heavy"];
    (heavy.hours, heavy.phase) = (changes.hours, changes.phase);
    let run = |specification: &UserSpecification| {
        let workload = specification.prepare(&Users::new("", 1, 4), &seed(5), None).unwrap();
        let mut program = workload.programs.into_iter().next().unwrap();
        let (mut calls, mut thinks) = (Vec::new(), Vec::new());
        loop {
            match program.next(Time::ZERO).unwrap() {
                Step::Operation(op) => calls.push((op.operation, op.file, op.offset, op.length)),
                Step::Think(time) => thinks.push(time.as_seconds()),
                Step::End => return (calls, thinks),
                _ => {}
            }
        }
    };
    let ((calls, _), (phased_calls, thinks)) = (run(&plain), run(&phased));
    assert_eq!(calls, phased_calls);
    // They begin at midnight, and wait until nine; ten thoughts of 2 s, a hundred of 1 ms, and so on.
    assert!((thinks[0] - 9.0 * 3_600.0).abs() < 2.1, "{}", thinks[0]);
    let long = thinks[1..].iter().filter(|think| (**think - 2.0).abs() < 1e-9).count();
    let short = thinks[1..].iter().filter(|think| (**think - 0.001).abs() < 1e-9).count();
    assert_eq!(long + short, thinks.len() - 1);
    let ratio = short as f64 / long as f64;
    assert!((8.0..12.0).contains(&ratio), "{ratio}");
}

#[test]
fn places_lie_on_file_systems_of_their_own_and_calls_go_there() {
    let crowd = Users::new("", 2, 5);
    let places = [("notes".to_owned(), 7)].into_iter().collect();
    let together = thesis().prepare(&crowd, &seed(1), Some("top")).unwrap();
    let apart = thesis().prepare(&crowd, &Placement { places, ..seed(1) }, Some("top")).unwrap();
    assert!(together.elsewhere.is_empty());
    let notes = &apart.elsewhere[&7];
    // Nothing is lost or doubled but the directory on top.
    assert_eq!(apart.files.len() + notes.len(), together.files.len() + 1);
    let all = |prepared: Prepared| prepared.programs.into_iter().flat_map(calls).collect::<Vec<_>>();
    let table = apart.elsewhere[&7].clone();
    let (together, apart) = (all(together), all(apart));
    assert_eq!(together.len(), apart.len());
    let mut there = 0;
    for (one, other) in together.iter().zip(&apart) {
        let on_notes = table.get(other.file).is_some();
        assert_eq!(other.file_system, if on_notes { 7 } else { 0 });
        assert_eq!(*one, FileOp { file_system: 0, ..other.clone() });
        there += usize::from(on_notes);
    }
    assert!(there > 100, "{there}");
    let unknown = [("nots".to_owned(), 7)].into_iter().collect();
    let refused = thesis().prepare(&crowd, &Placement { places: unknown, ..seed(1) }, None);
    assert!(refused.err().unwrap().to_string().contains("its places: notes"));
}

#[test]
fn a_part_of_a_crowd_makes_the_calls_that_it_makes_in_the_whole() {
    let mut thesis = thesis();
    thesis.files.count = 200;
    thesis.files.users = Some(9);
    for kind in ["heavy", "light"] {
        thesis.user[kind].share = Some(1.0);
        thesis.user[kind].sessions_at_once = Some(if kind == "heavy" { 2 } else { 1 });
    }
    let (crowd, seed) = (Users::new("", 7, 3), seed(5));
    let whole = thesis.prepare(&crowd, &seed, None).unwrap();
    let of_whole: Vec<Vec<FileOp>> = whole.programs.into_iter().map(calls).collect();
    for count in [1, 2, 4, 100] {
        let (files, parts) = thesis.parts(&crowd, &seed, count).unwrap();
        assert_eq!(files, whole.files);
        assert_eq!(parts.len(), of_whole.len().min(count as usize));
        let mut process = 0;
        for part in parts {
            let (prepared, numbers) = thesis.prepare_part(&crowd, &seed, &part).unwrap();
            assert!(count == 1 || prepared.files.len() < files.len());
            assert_eq!(part.processes.len(), prepared.programs.len());
            for program in prepared.programs {
                let mut calls = calls(program);
                for call in &mut calls {
                    let (here, there) = (prepared.files.path(call.file), numbers.of_whole(call.file));
                    assert_eq!(here, files.path(there));
                    call.file = there;
                    call.parent = numbers.of_whole(call.parent);
                }
                assert_eq!(calls, of_whole[process]);
                process += 1;
            }
        }
        assert_eq!(process, of_whole.len());
    }
}

/// The thesis' specification with something changed.
fn changed(from: &str, to: &str) -> UserSpecification {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from));
    toml::from_str(&text.replacen(from, to, 1)).unwrap()
}

#[test]
fn directories_of_more_entries_than_can_be_named_are_refused() {
    let vast = changed(r#"{ mean = "714 B" }"#, r#"{ mean = "1 EiB" }"#);
    // Each key makes sense; only drawn do they make too much.
    assert_eq!(vast.check(), Ok(()));
    let refused = vast.namespace(1, 1).unwrap_err();
    assert_eq!(refused.at, "category.dir-user-read.size");
    assert!(refused.problem.contains("16777216 entries"), "{refused}");
}

#[test]
fn files_of_more_bytes_than_can_be_counted_have_the_greatest_number() {
    let vast = changed(r#"{ exponential = { mean = "5794 B" } }"#, r#""15 EiB""#);
    assert_eq!(vast.namespace(1, 1).unwrap().bytes(), u64::MAX);
    assert_eq!(vast.prepare(&Users::new("", 1, 1), &seed(1), None).unwrap().files.bytes(), u64::MAX);
}

#[test]
fn what_is_stopped_is_laid_out_no_further() {
    // Some nine million sessions, which would take minutes; and as many files as there can be.
    let many = changed("count = 1000", "count = 16000000");
    for (specification, sessions) in [(thesis(), 300_000), (many, 1)] {
        let watch = Watch::new();
        let placement = Placement { watch: watch.clone(), ..seed(1) };
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            watch.stop();
        });
        let outcome = specification.prepare(&Users::new("", 30, sessions), &placement, None);
        assert!(matches!(outcome, Err(ProgramError::Stopped)));
        stopping.join().unwrap();
    }
    // A program that is made goes on no further either.
    let watch = Watch::new();
    let placement = Placement { watch: watch.clone(), ..seed(1) };
    let mut prepared = thesis().prepare(&Users::new("", 1, 1), &placement, None).unwrap();
    assert!(prepared.programs[0].next(Time::ZERO).is_ok());
    watch.stop();
    assert!(matches!(prepared.programs[0].next(Time::ZERO), Err(ProgramError::Stopped)));
}

#[test]
fn new_files_are_numbered_for_as_many_as_are_there_at_once() {
    let kept = |sessions: u32| {
        let text = format!("[readings]\nkept_sessions = {sessions}\n\n[files]");
        let files = |count: u32| {
            let specification = changed("[files]", &text);
            let prepared = specification.prepare(&Users::new("", 1, count), &seed(1), None).unwrap();
            prepared.files.len()
        };
        [1, 5, 40].map(files)
    };
    // Those of a session alone are the most of any one; the more sessions' files stay, the more there are at once.
    let [none, some, all] = [0, 4, 100].map(kept);
    assert!(none[2] < some[2] && some[2] < all[2], "{none:?} {some:?} {all:?}");
    assert_eq!(some[0], all[0]);
    assert_eq!(some[1], all[1], "five sessions, of which all stay");
}

#[test]
fn thinking_ends_at_ticks_of_a_clock_and_going_to_sleep_is_computed_and_calls_stay_the_same() {
    let tick = Time::from_millis(20);
    let run = |crowd: &Users| {
        let workload = thesis().prepare(crowd, &seed(3), None).unwrap();
        let mut program = workload.programs.into_iter().next().unwrap();
        let (mut calls, mut computed, mut ends, mut now) = (Vec::new(), 0u64, Vec::new(), Time::ZERO);
        loop {
            match program.next(now).unwrap() {
                Step::Operation(op) if op.operation == Operation::Compute => {
                    computed += 1;
                    now = now.saturating_add(Time::from_picos(op.length));
                }
                // Each takes some odd time.
                Step::Operation(op) => {
                    now = now.saturating_add(Time::from_micros(1_234));
                    calls.push(op);
                }
                Step::Think(time) => {
                    now = now.saturating_add(time);
                    ends.push(now);
                }
                Step::End => return (calls, computed, ends),
                _ => {}
            }
        }
    };
    let usual = Users::new("", 1, 2);
    let (calls, none, ends) = run(&usual);
    let sleep = Some("1 ms".parse().unwrap());
    let (again, computed, at_ticks) =
        run(&Users { tick: Some("20 ms".parse().unwrap()), sleep, ..usual.clone() });
    assert_eq!((calls, none), (again, 0));
    assert_eq!(computed, at_ticks.len() as u64);
    assert_eq!(at_ticks.len(), ends.len());
    assert!(at_ticks.iter().all(|end| end.as_picos().is_multiple_of(tick.as_picos())));
    assert!(!ends.iter().all(|end| end.as_picos().is_multiple_of(tick.as_picos())));
}
