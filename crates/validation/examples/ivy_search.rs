//! How `examples/ivy/` was tuned: a search over the free parameters of a made-up trace for those under which one copy
//! of every file does what Ivy's tables say of one copy. Nothing of the other rows is looked at.
//!
//! ```sh
//! cargo run --release -p petrio-validation --example ivy_search -- examples/ivy/triangle-root.toml 300   # seconds
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]
#![allow(clippy::unwrap_used, reason = "a tool of the project's own, on its own files")]

use petrio_models::cluster::replication::ReplicationStatistics;
use petrio_units::{Bytes, Duration, Fraction};
use petrio_validation::ivy::{FileSystem, IvyPolicy, IvySystem, one_copy, run, system_of};
use petrio_workload::file_lives::FileLives;
use rayon::prelude::*;

/// The file system that a made-up trace stands for.
fn file_system(title: &str) -> FileSystem {
    FileSystem::ALL.into_iter().find(|file_system| file_system.name() == title).unwrap()
}

fn figures(tally: &ReplicationStatistics) -> [f64; 8] {
    let (r, w) = (tally.read_turnaround, tally.write_turnaround);
    [
        r.count() as f64 / (r.count() + w.count()).max(1) as f64,
        tally.seek_cylinders.mean(),
        tally.read_queue.mean(),
        tally.write_queue.mean(),
        r.mean(),
        r.deviation(),
        w.mean(),
        w.deviation(),
    ]
}

/// What the paper says of one copy. The share of reads is the one at which both turnarounds give the overall one.
fn wanted(file_system: FileSystem) -> [f64; 8] {
    let paper = one_copy(file_system);
    let reads = (paper.overall.0 - paper.write.0) / (paper.read.0 - paper.write.0);
    let (read, write) = (paper.read, paper.write);
    [reads, paper.seek_cylinders, paper.read_queue, paper.write_queue, read.0, read.1, write.0, write.1]
}

fn error(found: &[f64; 8], wanted: &[f64; 8]) -> f64 {
    // Reads' queue is small: an absolute share; standard deviations count half.
    let weights = [3.0, 1.0, 0.5, 1.0, 4.0, 1.0, 2.0, 0.7];
    found
        .iter()
        .zip(wanted)
        .zip(weights)
        .map(|((f, w), weight)| {
            let off = ((f.max(1e-3)) / w).ln() * weight;
            off * off
        })
        .sum()
}

fn system(lives: &FileLives, disks: u32, policy: IvyPolicy) -> IvySystem {
    IvySystem { lives: lives.clone(), ..system_of(file_system(&lives.title), policy, disks).unwrap() }
}

fn one(lives: &FileLives) -> Option<[f64; 8]> {
    let mut lives = lives.clone();
    // Files that are read or written in a trace that is tried: where few are large, more of them.
    let sessions = if lives.title == "Cello /" { 20_000.0 } else { 5_000.0 };
    let bursts = sessions / lives.burst_files;
    let span = lives.burst_interval.as_seconds() * bursts;
    lives.duration = Duration::new(petrio_kernel::Time::from_seconds(span));
    let lives = &lives;
    run(&system(lives, 1, IvyPolicy::ReadOneWriteAll), 1).ok().map(|tally| figures(&tally))
}

fn nudge(value: &mut f64, by: f64, least: f64, most: f64) {
    *value = (*value * by).clamp(least, most);
}

fn duration(value: &mut Duration, by: f64, least: f64, most: f64) {
    let mut seconds = value.as_seconds();
    nudge(&mut seconds, by, least, most);
    *value = Duration::new(petrio_kernel::Time::from_seconds(seconds));
}

fn part(value: &mut Fraction, by: f64, least: f64, most: f64) {
    let mut part = value.get().max(0.005);
    nudge(&mut part, by, least, most);
    *value = Fraction::new(part).unwrap();
}

fn bytes(value: &mut Bytes, by: f64, least: f64, most: f64) {
    let mut size = value.get() as f64;
    nudge(&mut size, by, least, most);
    *value = Bytes(size as u64);
}

fn changed(lives: &FileLives, draw: &mut impl FnMut() -> f64, width: f64) -> FileLives {
    let mut lives = lives.clone();
    let count = 1 + (draw() * 4.0) as usize;
    for _ in 0..count {
        let by = ((draw() - 0.5) * 2.0 * width).exp();
        match (draw() * 14.0) as usize {
            // One user's bursts, and a user's, are few files; in those of a time-sharing system's root many processes
            // meet.
            0 => {
                let most = if lives.title == "Cello /" { 200.0 } else { 8.0 };
                nudge(&mut lives.burst_files, by, 1.5, most);
            }
            1 => duration(&mut lives.burst_gap, by, 0.05, 30.0),
            2 => part(&mut lives.reads, by, 0.02, 0.98),
            // 70 % of files are smaller than 8 KB (§5.2).
            3 => bytes(&mut lives.reading.sizes.median, by, 1024.0, 16384.0),
            4 => duration(&mut lives.reading.think, by, 0.001, 1.0),
            5 => part(&mut lives.reading.place.spread, by, 0.001, 0.3),
            6 => part(&mut lives.writing.place.spread, by, 0.001, 0.3),
            7 => part(&mut lives.writing.place.middle, by, 0.1, 0.9),
            8 => part(&mut lives.writing.large, by, 0.0, 0.5),
            // News packets are of 700 KB to 1 MB, and read shortly after they were written (§5.2, §6.3).
            9 if lives.title == "Cello /" => nudge(&mut lives.writing.followers, by, 1.0, 60.0),
            10 if lives.title == "Cello /" => duration(&mut lives.writing.follow_after, by, 2.0, 40.0),
            9 => bytes(&mut lives.writing.large_sizes.median, by, 16384.0, 1.5e6),
            10 => nudge(&mut lives.writing.large_sizes.spread, by, 0.05, 2.0),
            11 => duration(&mut lives.writing.think, by, 0.0005, 0.5),
            12 => nudge(&mut lives.reading.sizes.spread, by, 0.2, 2.2),
            _ => duration(&mut lives.burst_interval, by, 30.0, 3600.0),
        }
    }
    lives
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let path = &arguments[1];
    let lives: FileLives = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let target = wanted(file_system(&lives.title));
    let seconds: f64 = arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(0.0);
    if seconds == 0.0 {
        show(&lives);
        return;
    }
    let mut state = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(1u64);
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut best = (one(&lives).map_or(f64::MAX, |found| error(&found, &target)), lives);
    let started = std::time::Instant::now();
    loop {
        let past = started.elapsed().as_secs_f64() / seconds;
        if past > 1.0 {
            break;
        }
        let width = 0.7 * (1.0 - past) + 0.05;
        let candidates: Vec<FileLives> = (0..4).map(|_| changed(&best.1, &mut draw, width)).collect();
        let tried: Vec<(f64, FileLives)> = candidates
            .into_par_iter()
            .filter_map(|lives| one(&lives).map(|found| (error(&found, &target), lives)))
            .collect();
        for (off, lives) in tried {
            if off < best.0 {
                best = (off, lives);
            }
        }
    }
    println!("# error {:.4}", best.0);
    println!("# found  {:?}", one(&best.1).unwrap().map(|value| (value * 100.0).round() / 100.0));
    println!("# wanted {target:?}");
    println!("{}", toml::to_string(&best.1).unwrap());
}

fn show(lives: &FileLives) {
    println!("wanted {:?}", wanted(file_system(&lives.title)));
    for policy in IvyPolicy::ALL {
        let name = policy.name();
        let mut base = 0.0;
        for disks in [1, 2, 3, 5, 7] {
            let started = std::time::Instant::now();
            let tally = run(&system(lives, disks, policy), 1).unwrap();
            let f = figures(&tally);
            if disks == 1 {
                base = f[4];
            }
            let share = f.map(|value| format!("{value:.2}")).join("  ");
            println!(
                "{name:10} {disks}  {share}  reads {:+.1} %  n {}  {:.2} s",
                (f[4] / base - 1.0) * 100.0,
                tally.read_turnaround.count() + tally.write_turnaround.count(),
                started.elapsed().as_secs_f64()
            );
        }
    }
}
