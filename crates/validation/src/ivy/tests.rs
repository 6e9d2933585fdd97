//! The paper's tables against themselves, and what must hold of the runs whatever the traces are.

#![allow(clippy::unwrap_used)]
use super::*;
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
