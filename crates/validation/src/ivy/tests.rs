//! The paper's tables against themselves, and what must hold of the runs whatever the traces are.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::verdict::Judgement;
use petrio_kernel::Time;
use petrio_units::Duration;

/// A short run of a row.
fn short(file_system: FileSystem, policy: IvyPolicy, copies: u32) -> IvySystem {
    let mut system = system_of(file_system, policy, copies).unwrap();
    system.lives.duration = Duration::new(Time::from_seconds(40_000.0));
    system
}

#[test]
fn the_papers_queues_are_means_over_arrivals() {
    // Of one copy (facts: 40.5, 91.7 and 73.6 % of the requests are reads).
    for (file_system, reads) in FileSystem::ALL.into_iter().zip([0.405, 0.917, 0.736]) {
        let paper = one_copy(file_system);
        let queue = reads * paper.read_queue + (1.0 - reads) * paper.write_queue;
        assert!((queue - paper.queue).abs() < 0.02, "{}: {queue}", file_system.name());
        let overall = reads * paper.read.0 + (1.0 - reads) * paper.write.0;
        assert!((overall - paper.overall.0).abs() < 0.15, "{}: {overall}", file_system.name());
    }
}

#[test]
fn every_table_begins_with_one_copy() {
    for table in &TABLES {
        assert_eq!(table.rows[0], (1, one_copy(table.file_system)), "table {}", table.number);
        assert!(table.rows.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

#[test]
fn with_one_disk_all_policies_are_the_same() {
    for file_system in FileSystem::ALL {
        let figures: Vec<IvyFigures> = IvyPolicy::ALL
            .into_iter()
            .map(|policy| IvyFigures::of(&run(&short(file_system, policy, 1), 1).unwrap()))
            .collect();
        assert!(figures[0].read.0 > 0.0 && figures[0].write.0 > 0.0);
        assert!(figures.windows(2).all(|pair| pair[0] == pair[1]), "{}", file_system.name());
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    let system = short(FileSystem::TriangleRoot, IvyPolicy::ScatterCutBack, 3);
    assert_eq!(run(&system, 5).unwrap(), run(&system, 5).unwrap());
    assert_ne!(run(&system, 5).unwrap(), run(&system, 6).unwrap());
}

#[test]
fn copies_make_reads_faster_and_mirrors_make_more_of_each_write() {
    let of = |policy, copies| run(&short(FileSystem::CelloUsers, policy, copies), 1).unwrap();
    let one = of(IvyPolicy::ReadOneWriteAll, 1);
    let mirrors = of(IvyPolicy::ReadOneWriteAll, 3);
    assert!(mirrors.read_turnaround.mean() < one.read_turnaround.mean());
    // The programs think between their calls, so a few writes come in another order; the number of blocks stays near.
    let times = mirrors.write_queue.count() as f64 / mirrors.write_turnaround.count() as f64;
    assert_eq!(times, 3.0, "each write goes to three disks");
}

fn settings(files: &[(&str, &str)], changes: &[&str]) -> Result<IvySettings, String> {
    let files: Vec<(String, String)> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    IvySettings::new(&files, &changes).map_err(|error| error.to_string())
}

#[test]
fn work_and_copies_are_changed_by_files_and_paths() {
    let text = include_str!("../../../../examples/ivy/cello-root.toml");
    let changed =
        settings(&[("mine.toml", text)], &["work.duration=40000 s", "replication.traffic=simulated"])
            .unwrap();
    assert!(!changed.is_default() && IvySettings::default().is_default());
    assert_eq!(changed.file_systems(), [FileSystem::CelloRoot]);
    let system = changed.system(FileSystem::CelloRoot, IvyPolicy::CutBackRandom, 2).unwrap();
    assert_eq!(system.lives.duration, Duration::new(Time::from_seconds(40_000.0)));
    // Copies that cost traffic move what is written and then left alone; those by magic move nothing.
    let paid = run(&system, 1).unwrap();
    assert!(paid.copies_made > 0 && paid.copy_bytes() > 0);
    let magic = run(&short(FileSystem::CelloRoot, IvyPolicy::CutBackRandom, 2), 1).unwrap();
    assert!(magic.copies_made > 0 && magic.copy_bytes() == 0);
}

#[test]
fn what_can_not_be_changed_is_told() {
    let refused = |files: &[(&str, &str)], changes: &[&str]| settings(files, changes).unwrap_err();
    assert!(refused(&[], &["work.mixd=1"]).starts_with("work.mixd: unknown field `mixd`"));
    assert!(refused(&[], &["work.mixed"]).contains("PATH=VALUE was expected"));
    assert!(refused(&[], &["replication.policy.kind=scatter"]).contains("the tables' own"));
    assert!(refused(&[("mine.toml", "title = 1")], &[]).starts_with("mine.toml: "));
    let text = include_str!("../../../../examples/ivy/cello-root.toml");
    let other = text.replace("title = \"Cello /\"", "title = \"Othello /\"");
    assert!(refused(&[("mine.toml", &other)], &[]).contains("the title is \"Othello /\""));
    assert!(refused(&[("a.toml", text), ("b.toml", text)], &[]).contains("b.toml: this is a second file"));
}

fn row(reads: (f64, f64), writes: (f64, f64)) -> IvyRow {
    IvyRow {
        table: 5,
        file_system: FileSystem::TriangleRoot,
        policy: IvyPolicy::ReadOneWriteAll,
        copies: 2,
        simulated: IvyFigures { read: (20.0, 10.0), write: (50.0, 60.0), ..IvyFigures::default() },
        paper: IvyFigures { read: (20.0, 20.0), write: (50.0, 50.0), ..IvyFigures::default() },
        read_differs: true,
        write_differs: true,
        read_reduction_percent: reads,
        write_reduction_percent: writes,
    }
}

#[test]
fn a_made_up_reduction_that_misses_the_papers_is_a_miss() {
    let verdicts = |row: IvyRow| agreements(&[row]).iter().map(|one| one.verdict).collect::<Vec<_>>();
    assert_eq!(verdicts(row((8.0, 13.9), (10.0, 4.1))), [Judgement::Holds, Judgement::Holds]);
    assert_eq!(verdicts(row((8.0, 14.1), (10.0, 3.9))), [Judgement::Misses, Judgement::Misses]);
    assert_eq!(deviations_off_percent(&[row((0.0, 0.0), (0.0, 0.0))], Of::Reads), 50.0);
    assert!((deviations_off_percent(&[row((0.0, 0.0), (0.0, 0.0))], Of::Writes) - 20.0).abs() < 1e-9);
}

#[test]
fn every_what_if_runs_and_changes_something() {
    let plain = short(FileSystem::CelloRoot, IvyPolicy::CutBackRandom, 2);
    let before = run(&plain, 1).unwrap();
    let all = what_if::changes().unwrap().into_iter().skip(1).chain(what_if::unpublished());
    let mut same = Vec::new();
    for (name, change) in all {
        let mut system = plain.clone();
        change(&mut system);
        let after = run(&system, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        if after == before {
            same.push(name);
        }
    }
    // Of a property's values one may be that of the made-up trace.
    assert!(same.len() <= 3, "{same:?}");
}

#[test]
fn laid_out_by_use_the_arm_moves_otherwise_and_all_else_is_asked_as_before() {
    for file_system in FileSystem::ALL {
        let mut system = short(file_system, IvyPolicy::CutBackRandom, 1);
        let plain = run(&system, 1).unwrap();
        for piece in PIECES {
            system.rearrangement = Some(rival::by_use(piece));
            let by_use = run(&system, 1).unwrap();
            assert_ne!(plain.seek_cylinders.mean(), by_use.seek_cylinders.mean());
            // A request that touches two pieces may become two.
            let [before, after] = [&plain, &by_use].map(|tally| tally.read_turnaround.count());
            assert!((before..before + before / 100 + 1).contains(&after), "{before} {after}");
        }
    }
}
