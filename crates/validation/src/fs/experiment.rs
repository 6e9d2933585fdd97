//! The experiments: which points each has, what it needs, and how near the prediction is to come.
//!
//! Figures and tables in their heads are those of the dissertation that they repeat on the machine at hand.

use super::point::{Point, Setting};
use petrio_units::Bytes;

/// What the figures of an experiment are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Mebibytes a second.
    MibPerSecond,
    /// Accesses a second.
    AccessesPerSecond,
}

impl Unit {
    /// As it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MibPerSecond => "MiB/s",
            Self::AccessesPerSecond => "accesses/s",
        }
    }
}

/// What an experiment waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paced {
    /// Calls that read what is in memory.
    ByReads,
    /// Calls that overwrite what is in memory.
    ByOverwrites,
    /// Calls that write what is new.
    ByNewFiles,
    /// The device and its limits.
    ByDevice,
}

/// An experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// By which it is chosen.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// What it is compared in.
    pub unit: Unit,
    /// What sets its pace.
    pub paced: Paced,
    /// How far a prediction may be off on a quiet machine, in per cent of the measured figure.
    pub aim_percent: f64,
    /// Whether its curve over the size of the file falls off a cliff, whose place is compared too.
    pub cliff: bool,
    points: fn(bool) -> Vec<Point>,
}

impl Experiment {
    /// Its points, those of one setting together; fewer of them if it has to be `quick`.
    pub fn points(&self, quick: bool) -> Vec<Point> {
        (self.points)(quick)
    }
}

/// All experiments, in the order in which they run.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "sequential-read",
        title: "Sequential reads of files in memory (figures 5, 31)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByReads,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| grid("read", quick),
    },
    Experiment {
        name: "overwrite",
        title: "Sequential overwrites of files in memory (figure 7)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByOverwrites,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| grid("rewrite", quick),
    },
    Experiment {
        name: "new-file",
        title: "New files, written sequentially (figures 6, 32)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByNewFiles,
        aim_percent: 20.0,
        cliff: false,
        points: |quick| grid("write", quick),
    },
    Experiment {
        name: "random-read",
        title: "Random reads of 8 KiB from memory (table 5)",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByReads,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| random("read", quick),
    },
    Experiment {
        name: "random-overwrite",
        title: "Random overwrites of 8 KiB in memory (table 6)",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByOverwrites,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| random("rewrite", quick),
    },
    Experiment {
        name: "throttled-read",
        title: "Random reads of 8 KiB that aren't in memory, 500 I/Os a second",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| throttled(512, 3000, "operation = \"read\"\n", quick),
    },
    Experiment {
        name: "throttled-write",
        title: "Random overwrites of 8 KiB and one fsync, 500 I/Os a second",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| {
            throttled(1024, 3000, "operation = \"rewrite\"\ncached = true\nfsync = \"at-end\"\n", quick)
        },
    },
    Experiment {
        name: "throttled-synchronous-write",
        title: "Random O_SYNC overwrites of 8 KiB, 500 I/Os a second (table 12)",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: |quick| throttled(1024, 1500, "operation = \"rewrite\"\ncached = true\nsync = true\n", quick),
    },
    Experiment {
        name: "synchronous-write",
        title: "New files, written sequentially with O_SYNC, 500 I/Os a second (figure 40)",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: synchronous,
    },
    Experiment {
        name: "full-journal",
        title: "New files and one fsync with data in the journal, 100 MiB/s (figure 39)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: full_journal,
    },
    Experiment {
        name: "memory-cliff",
        title: "A file read again and again with 256 MiB of memory, 100 MiB/s (figure 9)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: true,
        points: memory_cliff,
    },
    Experiment {
        name: "dirty-cliff",
        title: "A new file with at most 128 MiB dirty, 100 MiB/s (figures 10, 38)",
        unit: Unit::MibPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: true,
        points: dirty_cliff,
    },
    Experiment {
        name: "captured",
        title: "Captured requests, replayed, 500 I/Os a second (tables 7, 8)",
        unit: Unit::AccessesPerSecond,
        paced: Paced::ByDevice,
        aim_percent: 10.0,
        cliff: false,
        points: super::requests::points,
    },
];

/// Bytes that a point in memory moves at least, and files that it may open.
const MOVED: u64 = 64 << 20;
const FILES_MOST: u64 = 256;

fn point(setting: Setting, (file_size, record): (u64, u64), workload: &str, repetitions: u32) -> Point {
    let (file_size, record) = (Bytes(file_size), Bytes(record));
    Point { setting, file_size, record, workload: workload.to_owned(), requests: None, repetitions }
}

/// Records of 4 KiB to 16 MiB in files of 4 KiB to 512 MiB, powers of two.
fn grid(operation: &str, quick: bool) -> Vec<Point> {
    let step = if quick { 4 } else { 1 };
    let mut points = Vec::new();
    for file_size in (12..=29).step_by(step).map(|power| 1u64 << power) {
        for record in (12..=24).step_by(step).map(|power| 1u64 << power) {
            if record > file_size || quick && file_size > 1 << 28 {
                continue;
            }
            let again = (MOVED / file_size).max(1);
            let (times, repetitions) = match operation {
                "write" => (format!("files = {}\n", again.min(FILES_MOST)), 5),
                _ => (format!("passes = {again}\nwarm_up_pass = true\ncached = true\n"), 5),
            };
            let workload = format!("operation = \"{operation}\"\n{times}");
            points.push(point(Setting::PLAIN, (file_size, record), &workload, repetitions));
        }
    }
    points
}

fn random(operation: &str, quick: bool) -> Vec<Point> {
    let sizes: &[u64] = if quick { &[64] } else { &[4, 16, 64, 256, 512] };
    let workload = format!(
        "pattern = \"random\"\noperation = \"{operation}\"\ncached = true\npasses = 2\nwarm_up_pass = true\n"
    );
    sizes.iter().map(|mib| point(Setting::PLAIN, (mib << 20, 8 << 10), &workload, 7)).collect()
}

const MODES: [&str; 3] = ["ordered", "write-back", "journal"];

fn throttled(file_mib: u64, operations: u32, what: &str, quick: bool) -> Vec<Point> {
    let (modes, operations, repetitions): (&[&str], _, _) =
        if quick { (&["ordered"], operations / 3, 1) } else { (&MODES, operations, 2) };
    let workload = format!("pattern = \"random\"\noperations = {operations}\n{what}");
    let setting = |journal| Setting {
        journal,
        size: Bytes::from_mib(4 << 10),
        requests_per_second: Some(500),
        ..Setting::PLAIN
    };
    modes
        .iter()
        .map(|journal| point(setting(journal), (file_mib << 20, 8 << 10), &workload, repetitions))
        .collect()
}

fn synchronous(quick: bool) -> Vec<Point> {
    let modes: &[&str] = if quick { &["ordered"] } else { &["ordered", "journal"] };
    // Of large records fewer: with data in the journal each block of 4 KiB is an I/O of its own, twice.
    let records: &[(u64, u64)] =
        if quick { &[(16, 200)] } else { &[(4, 200), (16, 200), (64, 100), (256, 40), (1024, 16)] };
    let mut points = Vec::new();
    for journal in modes {
        let setting = Setting { journal, requests_per_second: Some(500), ..Setting::PLAIN };
        for (record, count) in records.iter().map(|(kib, count)| (kib << 10, count)) {
            points.push(point(setting, (record * count, record), "operation = \"write\"\nsync = true\n", 2));
        }
    }
    points
}

fn full_journal(quick: bool) -> Vec<Point> {
    let (modes, sizes): (&[&str], &[u64]) =
        if quick { (&["journal"], &[64]) } else { (&MODES, &[8, 16, 32, 64, 128, 256]) };
    let workload = "operation = \"write\"\nfsync = \"at-end\"\n";
    let mut points = Vec::new();
    for journal in modes {
        let setting = Setting { journal, mib_per_second: Some(100), ..Setting::PLAIN };
        points.extend(sizes.iter().map(|mib| point(setting, (mib << 20, 64 << 10), workload, 2)));
    }
    points
}

fn memory_cliff(quick: bool) -> Vec<Point> {
    let setting = Setting { memory: Some(Bytes::from_mib(256)), mib_per_second: Some(100), ..Setting::PLAIN };
    let sizes: &[u64] = if quick {
        &[192, 320]
    } else {
        &[128, 160, 192, 208, 216, 224, 232, 240, 248, 256, 272, 288, 320, 384, 512]
    };
    let passes = if quick { 1 } else { 3 };
    let workload = format!("operation = \"read\"\npasses = {passes}\nwarm_up_pass = true\n");
    sizes.iter().map(|mib| point(setting, (mib << 20, 1 << 20), &workload, 1)).collect()
}

fn dirty_cliff(quick: bool) -> Vec<Point> {
    let setting =
        Setting { dirty_limit: Some(Bytes::from_mib(128)), mib_per_second: Some(100), ..Setting::PLAIN };
    let sizes: &[u64] =
        if quick { &[64, 256] } else { &[64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320, 384, 512] };
    let workload = "operation = \"write\"\ntiming = \"accesses\"\n";
    sizes
        .iter()
        .map(|mib| point(setting, (mib << 20, 64 << 10), workload, if quick { 1 } else { 3 }))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::point::Profile;
    use super::super::predict::load;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_point_of_every_experiment_is_a_scenario_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let profile = Profile { machine: "epyc-9005-2vcpu".to_owned(), kernel: "linux-6.18".to_owned() };
        for experiment in EXPERIMENTS {
            for point in experiment.points(false).iter().chain(&experiment.points(true)) {
                let loaded = load(experiment.title, point, &profile, folder.path());
                let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error:?}", experiment.name));
                assert_eq!(loaded.hosts.linux.file_systems[0].blocks * 512, point.setting.size.get());
            }
        }
    }

    #[test]
    fn a_quick_run_has_fewer_points_and_no_name_comes_twice() {
        let names: BTreeSet<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        assert_eq!(names.len(), EXPERIMENTS.len());
        for experiment in EXPERIMENTS {
            let (quick, all) = (experiment.points(true).len(), experiment.points(false).len());
            assert!(quick > 0 && quick < all, "{}: {quick} of {all}", experiment.name);
        }
    }

    #[test]
    fn the_grid_reaches_from_a_page_to_half_a_gibibyte_in_powers_of_two() {
        let points = grid("read", false);
        // Records of 2^12 to 2^24 in files of 2^12 to 2^29, none longer than its file.
        assert_eq!(points.len(), (1..=13).sum::<usize>() + 5 * 13);
        for point in &points {
            assert!(point.record <= point.file_size);
            assert!(point.record.get().is_power_of_two() && point.file_size.get().is_power_of_two());
        }
    }
}
