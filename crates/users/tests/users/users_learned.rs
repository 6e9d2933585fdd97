//! From users to a trace, and from the trace back to users.

use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use petrio_users::learn::{KINDS_MOST, LearnError, Learner, TypesBy};
use petrio_users::namespace::{FileKind, Purpose};
use petrio_users::{CallKind, Together, UserSpecification, Users};
use petrio_workload::program::{CarriedOut, OperationEvents, Placement, Step};
use std::path::Path;

fn thesis() -> UserSpecification {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/users/thesis.toml");
    let mut thesis: UserSpecification = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    thesis.files.count = 4_000;
    thesis
}

/// Every call takes a tenth of a millisecond. All sessions are of one kind.
fn learn(specification: &UserSpecification, sessions: u32) -> petrio_users::learn::Learned {
    learn_kinds(specification, sessions, 1).0
}

/// With the bytes that were accessed.
fn learn_kinds(
    specification: &UserSpecification,
    sessions: u32,
    kinds_most: usize,
) -> (petrio_users::learn::Learned, u64) {
    let placement = Placement::new("users");
    let prepared = specification.prepare(&Users::new("", 1, sessions), &placement, None).unwrap();
    let mut events = OperationEvents::of(&prepared.files, 1);
    let mut learner = Learner::new(TypesBy::Nothing, kinds_most, None);
    let mut bytes = 0;
    let took = Time::from_micros(100);
    for mut program in prepared.programs {
        let mut now = Time::ZERO;
        loop {
            match program.next(Time::ZERO).unwrap() {
                Step::Operation(op) => {
                    let done = CarriedOut {
                        process: op.process,
                        operation: op.operation,
                        file: op.file,
                        offset: op.offset,
                        length: op.length,
                        start: now,
                        took,
                    };
                    now += took;
                    if let Some(event) = events.event(&done) {
                        if matches!(event.kind, EventKind::Read | EventKind::Write) {
                            bytes += event.length;
                        }
                        learner.event(&event);
                    }
                }
                Step::Think(time) => now += time,
                Step::End => break,
                _ => {}
            }
        }
    }
    (learner.finish("Learned").unwrap(), bytes)
}

/// Means over the rows of a use, by their weights.
fn mean(together: &Together, of: impl Fn(usize) -> f64) -> f64 {
    let weight = |at: usize| together.weights.get(at).copied().unwrap_or(1.0);
    let rows = 0..together.size.len();
    rows.clone().map(|at| weight(at) * of(at)).sum::<f64>() / rows.map(weight).sum::<f64>()
}

#[test]
fn what_is_learned_of_the_thesis_users_is_what_they_were_made_of() {
    let learned = learn(&thesis(), 400);
    assert_eq!(learned.sessions, 400);
    let found = &learned.specification;
    let mut purposes: Vec<(String, FileKind, Purpose)> = found
        .category
        .values()
        .map(|category| (category.owner.clone(), category.kind, category.purpose))
        .collect();
    purposes.sort();
    let mut expected: Vec<(String, FileKind, Purpose)> = thesis()
        .category
        .values()
        .map(|category| (category.owner.clone(), category.kind, category.purpose))
        .collect();
    expected.sort();
    assert_eq!(purposes, expected);
    let user = &found.user["learned"];
    let after_reads = &user.calls.as_ref().unwrap().after[&CallKind::Read];
    let think = after_reads.pauses[&CallKind::Read].distribution().unwrap();
    assert!((think.mean() - 0.005).abs() < 0.0004, "{}", think.mean());
    let uses = |name: &str| &user.session["kind-1"].uses[name];
    assert!((uses("notes-read").share.get() - 0.53).abs() < 0.07);
    assert!((uses("user-read").share.get() - 1.0).abs() < 0.01);
    assert!((uses("notes-read").files.distribution().unwrap().mean() - 11.3).abs() < 2.5);
    let temporary = uses("user-temp").together.as_ref().unwrap();
    let size = mean(temporary, |at| temporary.size[at].get() as f64);
    // Where less than once each of its bytes is to be accessed, a file that is made stays smaller than drawn: at the
    // mean by E[min(1, r)] = 2 (1 − e^(−1/2)), r exponential with mean 2.
    assert!((size / (9_233.0 * 0.787) - 1.0).abs() < 0.08, "{size}");
    // Accesses are as they were before they were cut, the second time as the first.
    let access = |learned: &UserSpecification| {
        learned.user["learned"].access.as_ref().unwrap().distribution().unwrap().mean()
    };
    assert!((access(found) / 1_024.0 - 1.0).abs() < 0.02, "{}", access(found));
    let second = access(&learn(found, 200).specification);
    assert!((second / 1_024.0 - 1.0).abs() < 0.03, "{second}");
    // New files are deleted some sessions later, and aren't temporary for that.
    let of = |name: &str| uses(name).share.get() * uses(name).files.distribution().unwrap().mean();
    assert!((of("user-new") - 1.6).abs() < 0.3, "{}", of("user-new"));
    assert!((of("user-temp") - 5.72).abs() < 0.7, "{}", of("user-temp"));
    assert_eq!(found.readings.kept_sessions, 10);
    // A session of theirs is as one of the thesis' users.
    let (files, bytes) = found.expected().unwrap().iter().fold((0.0, 0.0), |(files, bytes), expected| {
        (files + expected.files.unwrap(), bytes + expected.bytes.unwrap())
    });
    assert!((files / 27.95 - 1.0).abs() < 0.06, "{files}");
    // What is forecast of them is what the trace has, however the sessions are told apart.
    for kinds in [1, KINDS_MOST] {
        let (learned, seen) = learn_kinds(&thesis(), 100, kinds);
        let forecast: f64 =
            learned.specification.expected().unwrap().iter().map(|expected| expected.bytes.unwrap()).sum();
        assert!((forecast / (seen as f64 / 100.0) - 1.0).abs() < 1e-3, "{kinds}: {forecast}, {seen}");
    }
    assert!((bytes / 620_908.0 - 1.0).abs() < 0.1, "{bytes}");
    // They think independently, and their calls aren't: an open comes before what it opens.
    let thinks =
        learned.independence.autocorrelations.iter().find(|found| found.of == "think times").unwrap();
    assert!(thinks.by_lag[0].abs() < 0.02, "{thinks:?}");
    assert!(learned.independence.markov.as_ref().unwrap().order >= 1);
    // And it can be put to work again.
    let text = toml::to_string(found).unwrap();
    let again: UserSpecification = toml::from_str(&text).unwrap();
    assert_eq!(again, *found);
    assert_eq!(learn(&again, 20).sessions, 20);
}

#[test]
fn sizes_and_accesses_that_go_together_are_learned_together() {
    let mut thesis = thesis();
    thesis.user["heavy"].uses["notes-read"].rank_correlation = Some(-1.0);
    let learned = learn(&thesis, 200).specification;
    let bytes = |specification: &UserSpecification| {
        let expected = specification.expected().unwrap();
        expected.iter().find(|expected| expected.category == "notes-read").unwrap().bytes.unwrap()
    };
    // A large file has few of its bytes read: of the bytes that would be read otherwise, a third is.
    let mut apart = thesis.clone();
    apart.user["heavy"].uses["notes-read"].rank_correlation = None;
    assert!(bytes(&thesis) < 0.4 * bytes(&apart), "{} of {}", bytes(&thesis), bytes(&apart));
    let notes = learned.user["learned"].session["kind-1"].uses["notes-read"].together.as_ref().unwrap();
    // Of exponential sizes and accesses at opposite quantiles: 2 − π²/6 of the product of their means.
    let a_file = 53_965.0 * 0.75 * (2.0 - std::f64::consts::PI.powi(2) / 6.0);
    let learned_of_a_file = mean(notes, |at| notes.accessed[at].get() as f64);
    assert!((learned_of_a_file / a_file - 1.0).abs() < 0.06, "{learned_of_a_file} and {a_file}");
    let ratio = |at: usize| notes.accessed[at].get() as f64 / notes.size[at].get().max(1) as f64;
    let (small, large): (Vec<usize>, Vec<usize>) =
        (0..notes.size.len()).partition(|at| notes.size[*at].get() < 30_000);
    let ratio_of = |rows: &[usize]| rows.iter().map(|at| ratio(*at)).sum::<f64>() / rows.len() as f64;
    assert!(ratio_of(&small) > 2.0 * ratio_of(&large), "{} {}", ratio_of(&small), ratio_of(&large));
    learned.check().unwrap();
    // A correlation that can't be is refused.
    thesis.user["heavy"].uses["notes-read"].rank_correlation = Some(1.5);
    assert!(thesis.check().unwrap_err().problem.contains("between -1 and 1"));
}

#[test]
fn a_learned_chain_makes_calls_in_the_order_from_which_it_was_learned() {
    let first = learn_kinds(&thesis(), 200, KINDS_MOST).0;
    let second = learn_kinds(&first.specification, 200, KINDS_MOST).0;
    let bits = |learned: &petrio_users::learn::Learned| {
        learned.independence.markov.as_ref().unwrap().bits_a_call.clone()
    };
    // How uncertain the next call is, by how many before it are known: the same kinds, and as bound to each other or
    // somewhat more, as users who go on with one file at a time are.
    let (first, second) = (bits(&first), bits(&second));
    assert!((first[0] - second[0]).abs() < 0.1, "{first:?} and {second:?}");
    assert!((first[1] - second[1]).abs() < 0.25 && second[1] < second[0] - 0.02, "{first:?} and {second:?}");
}

#[test]
fn pauses_that_go_together_are_learned_and_made_again() {
    let mut specification = learn_kinds(&thesis(), 50, 1).0.specification;
    let chain = specification.user["learned"].calls.as_mut().unwrap();
    assert_eq!(chain.pause_correlation.unwrap_or(0.0).abs().max(0.05), 0.05);
    chain.pause_correlation = Some(0.7);
    for after in chain.after.values_mut() {
        let pause = "{ exponential = { mean = \"5 ms\" } }";
        let draw: petrio_distribution::Draw<petrio_units::Duration> =
            toml::from_str::<std::collections::BTreeMap<String, _>>(&format!("x = {pause}"))
                .unwrap()
                .remove("x")
                .unwrap();
        after.pauses.values_mut().for_each(|there| *there = draw.clone());
        chain.pause = draw;
    }
    let again = learn_kinds(&specification, 100, 1).0;
    let found = again.specification.user["learned"].calls.as_ref().unwrap().pause_correlation.unwrap();
    assert!((found - 0.7).abs() < 0.05, "{found}");
    // The correlation dies out as it should: no phases are seen in it.
    assert!(again.specification.user["learned"].phase.is_empty());
}

#[test]
fn users_of_different_types_are_told_apart_by_program_or_by_login() {
    let event = |process: u32, at: u64, kind, path: &str, length: u64| Event {
        process,
        path: Some(path.into()),
        file: FileKey { device: 1, inode: path.len() as u64, generation: 0 },
        size: Some(4_096),
        offset: (length > 0).then_some(0),
        length,
        service: Some(Time::from_micros(10)),
        ..Event::new(Time::from_micros(at), kind)
    };
    let mut by_program = Learner::new(TypesBy::Program, KINDS_MOST, None);
    let mut at = 0;
    for process in 1..=30 {
        let (program, length) = if process % 3 == 0 { ("/usr/bin/ld", 4_096) } else { ("/usr/lib/cc1", 100) };
        for (kind, path, length) in [
            (EventKind::Exec, "/usr/bin/sh", 0),
            (EventKind::Exec, program, 0),
            (EventKind::Open, "/src/a.c", 0),
            (EventKind::Read, "/src/a.c", length),
            (EventKind::Close, "/src/a.c", 0),
        ] {
            at += 100;
            by_program.event(&event(process, at, kind, path, length));
        }
    }
    let found = by_program.finish("Programs").unwrap().specification;
    let names: Vec<(&str, f64)> =
        found.user.iter().map(|(name, kind)| (name.as_str(), kind.share.unwrap())).collect();
    assert_eq!(names, [("cc1", 20.0), ("ld", 10.0)]);
    let access = |name: &str| {
        let (kind, _) = found.user[name].session.get_index(0).unwrap();
        assert_eq!(*kind, format!("{name}-1"));
        found.user[name].session[0].uses["system-read"].together.as_ref().unwrap().access[0].get()
    };
    assert_eq!((access("cc1"), access("ld")), (100, 4_096));
    found.check().unwrap();

    let mut by_user = Learner::new(TypesBy::User, KINDS_MOST, None);
    for (process, home) in [(1, "home/ann/"), (2, "home/bob/"), (3, "home/bob/")] {
        for (kind, path, length) in
            [(EventKind::Stat, home, 0), (EventKind::Open, "home/x", 0), (EventKind::Read, "home/x", 10)]
        {
            at += 100;
            by_user.event(&event(process, at, kind, path, length));
        }
    }
    let found = by_user.finish("Users").unwrap().specification;
    assert_eq!(found.user.keys().collect::<Vec<_>>(), ["bob", "ann"]);
}

#[test]
fn of_a_trace_without_files_nothing_is_learned() {
    assert_eq!(Learner::default().finish("Nobody").unwrap_err(), LearnError::NoFiles);
}
