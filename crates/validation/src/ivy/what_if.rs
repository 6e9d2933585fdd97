//! What the paper leaves open or for the future: copies that cost traffic, heavier load, CSCAN, messages, disks of
//! today, and what of the unpublished traces decides the reductions.

use super::error::IvyError;
use super::figures::{IvyFigures, reduction};
use super::inputs::analytic_disk;
use super::paper::{FileSystem, IvyPolicy};
use super::run::{Tell, run_seeds};
use super::settings::IvySettings;
use super::system::IvySystem;
use petrio_kernel::Time;
use petrio_models::cluster::replication::{CopyTraffic, Messages, ReplicationStatistics};
use petrio_models::device::analytic_disk::AnalyticDiskParameters;
use petrio_models::device::disk::parameters::QueueDiscipline;
use petrio_models::host::unix_1990::DEVICE_BLOCKS_MAX;
use petrio_units::{Blocks, Duration, Fraction};
use serde::Serialize;

/// One change, and what two copies gain under it.
#[derive(Clone, Debug, Serialize)]
pub struct WhatIf {
    /// What is changed.
    pub change: String,
    /// The file system.
    pub file_system: FileSystem,
    /// The policy.
    pub policy: IvyPolicy,
    /// With one copy.
    pub one: IvyFigures,
    /// With two.
    pub two: IvyFigures,
    /// By how much reads are faster with two copies, per cent.
    pub read_reduction_percent: f64,
    /// By how much writes are.
    pub write_reduction_percent: f64,
    /// Bytes moved to make copies, for each byte of the programs' own.
    pub copy_traffic: f64,
}

pub(super) type Change = (String, Box<dyn Fn(&mut IvySystem) + Sync>);

/// The disk of today that takes the place of one of 1990: files lie as far apart in parts of the stroke.
const TODAY: &str = "analytic-nearline-7200";

pub(super) fn changes() -> Result<Vec<Change>, IvyError> {
    let change = |name: &str, change: fn(&mut IvySystem)| -> Change { (name.to_owned(), Box::new(change)) };
    let mut all = vec![
        change("as in the paper", |_| {}),
        change("copies cost traffic, at low priority", |system| {
            system.replication.traffic = CopyTraffic::Simulated;
        }),
        change("messages cost: 0.2 ms forward, 0.4 ms to ask, 0.2 ms to send on", |system| {
            let ms = |value: f64| Duration::new(Time::from_seconds(value / 1e3));
            system.replication.messages = Messages { forward: ms(0.2), query: ms(0.4), dispatch: ms(0.2) };
        }),
        change("CSCAN in place of first come, first served", |system| {
            system.discipline = QueueDiscipline::CircularScan;
        }),
        change("the disks know where their platters stand", |system| {
            system.replication.knows_rotation = true;
        }),
    ];
    let today = analytic_disk(TODAY)?;
    all.push((
        "disks of today".to_owned(),
        Box::new(move |system: &mut IvySystem| {
            // Addresses of 1990 end before such a disk does: each stands for several of its blocks, over the whole stroke.
            let blocks = today.blocks.get().min(DEVICE_BLOCKS_MAX);
            let stretch = blocks / system.disk.blocks.get().max(1);
            system.disk = AnalyticDiskParameters { blocks: Blocks(blocks), ..today.clone() };
            system.stretch = stretch.max(1);
        }),
    ));
    for factor in [2.0, 5.0, 10.0] {
        all.push((
            format!("{factor} times the load"),
            Box::new(move |system: &mut IvySystem| {
                let interval = system.lives.burst_interval.as_seconds() / factor;
                system.lives.burst_interval = Duration::new(Time::from_seconds(interval));
                let span = system.lives.duration.as_seconds() / factor;
                system.lives.duration = Duration::new(Time::from_seconds(span));
            }),
        ));
    }
    all.push(change("10 times the load, copies cost traffic", |system| {
        let (interval, span) = (system.lives.burst_interval, system.lives.duration);
        system.lives.burst_interval = Duration::new(Time::from_seconds(interval.as_seconds() / 10.0));
        system.lives.duration = Duration::new(Time::from_seconds(span.as_seconds() / 10.0));
        system.replication.traffic = CopyTraffic::Simulated;
    }));
    Ok(all)
}

/// Properties of the traces that the paper doesn't publish, each moved alone.
pub(super) fn unpublished() -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    let part = |value: f64| Fraction::new(value.clamp(0.0, 1.0)).unwrap_or_default();
    for of_late in [0.0, 0.3, 0.6, 0.9] {
        all.push((
            format!("{:.0} % of reads go to files written of late", of_late * 100.0),
            Box::new(move |system: &mut IvySystem| system.lives.reading.of_late = part(of_late)),
        ));
    }
    for apart in [0.0, 0.1, 0.3] {
        all.push((
            format!("written files lie {:.0} % of the disk from those that are read", apart * 100.0),
            Box::new(move |system: &mut IvySystem| {
                let middle = system.lives.reading.place.middle.get();
                system.lives.writing.place.middle = part(middle + apart);
            }),
        ));
    }
    for mixed in [0.0, 0.5, 1.0] {
        all.push((
            format!("{:.0} % of the bursts mix reads and writes", mixed * 100.0),
            Box::new(move |system: &mut IvySystem| system.lives.mixed = part(mixed)),
        ));
    }
    for factor in [0.2, 5.0] {
        all.push((
            format!("bursts of work {factor} times as dense"),
            Box::new(move |system: &mut IvySystem| {
                let gap = system.lives.burst_gap.as_seconds() / factor;
                system.lives.burst_gap = Duration::new(Time::from_seconds(gap));
            }),
        ));
    }
    all
}

/// What is looked at: a file system and a policy.
const CASES: [(FileSystem, IvyPolicy); 4] = [
    (FileSystem::TriangleRoot, IvyPolicy::CutBackRandom),
    (FileSystem::CelloRoot, IvyPolicy::ReadOneWriteAll),
    (FileSystem::CelloRoot, IvyPolicy::CutBackRandom),
    (FileSystem::CelloUsers, IvyPolicy::CutBackRandom),
];

/// Runs all changes, to what the settings make of the study: those of the System first, then those of the traces.
/// `progress` is told what comes next, and how many of how many pairs of Systems have been run.
///
/// # Errors
/// A run that fails.
pub fn what_if(
    settings: &IvySettings,
    progress: &mut Tell<'_>,
) -> Result<(Vec<WhatIf>, Vec<WhatIf>), IvyError> {
    let mut found = [Vec::new(), Vec::new()];
    let all = settings.file_systems();
    let cases = || CASES.into_iter().filter(|(file_system, _)| all.contains(file_system));
    let changes = [changes()?, unpublished()];
    let of = changes.iter().map(Vec::len).sum::<usize>() * cases().count();
    let mut done = 0;
    for (into, changes) in found.iter_mut().zip(&changes) {
        for (name, change) in changes {
            for (file_system, policy) in cases() {
                progress(&format!("{name}: {}, {}", file_system.name(), policy.name()), (done, of));
                done += 1;
                let tally = |disks: u32| {
                    let mut system = settings.system(file_system, policy, disks)?;
                    change(&mut system);
                    run_seeds(&system)
                };
                into.push(row(name, (file_system, policy), &tally(1)?, &tally(2)?));
            }
        }
    }
    let [systems, traces] = found;
    Ok((systems, traces))
}

fn row(
    change: &str,
    (file_system, policy): (FileSystem, IvyPolicy),
    one: &ReplicationStatistics,
    two: &ReplicationStatistics,
) -> WhatIf {
    let (first, second) = (IvyFigures::of(one), IvyFigures::of(two));
    let requests = two.read_turnaround.count() + two.write_turnaround.count();
    WhatIf {
        change: change.to_owned(),
        file_system,
        policy,
        one: first,
        two: second,
        read_reduction_percent: reduction(first.read.0, second.read.0),
        write_reduction_percent: reduction(first.write.0, second.write.0),
        // A request moves a block of 8 KiB at most.
        copy_traffic: two.copy_bytes() as f64 / (requests.max(1) * 8192) as f64,
    }
}
