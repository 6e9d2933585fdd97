//! A real block device whose times are those of a drive that is known.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible, skip};
use petrio_live::calibrate::drive::{
    Compared, Effort, Found, RealDrive, TimedDrive, compare, compared_table, extract,
};
use petrio_live::rig::EmulatedDisk;
use petrio_models::device::disk::{Demand, DiskParameters, Drive, Replay};
use petrio_time::Time;

/// Reads of half a millisecond to two turns: three seconds of them.
const READS: u32 = 200;

/// Two zones, sectors of 0.1 ms: large against what the way through the kernel adds, which strays by some 0.02 ms.
const DRIVE: &str = r#"
name = "slow and small"
[geometry]
surfaces = 3
cylinders = 700
[[geometry.zones]]
first_cylinder = 0
last_cylinder = 299
sectors_per_track = 110
track_skew_sectors = 14.0
cylinder_skew_sectors = 24.0
[[geometry.zones]]
first_cylinder = 300
last_cylinder = 699
sectors_per_track = 90
track_skew_sectors = 12.0
cylinder_skew_sectors = 20.0
[mechanics]
rotation = "5400 rpm"
head_switch = "1 ms"
seek = { kind = "three-point-curve", single = "1.5 ms", average = "5 ms", full = "10 ms" }
[bus]
read_block = "3 us"
write_block = "3 us"
[overheads]
command = "350 us"
[cache]
segments = 2
segment_size = "64 KiB"
read_ahead = "segment"
"#;

#[test]
fn a_drive_emulated_behind_a_loop_device_takes_the_times_of_its_model() {
    let test = "a_drive_emulated_behind_a_loop_device_takes_the_times_of_its_model";
    if !possible(test, &[&EmulatedDisk::probe()]) {
        return;
    }
    let _turn = memory_to_itself();
    let truth: DiskParameters = toml::from_str(DRIVE).unwrap();
    let disk = EmulatedDisk::set_up(&truth).unwrap();
    assert!(disk.device().is_direct(), "requests would be answered from the page cache");
    let mut real = RealDrive::open(disk.device().path(), false).unwrap();
    let drive = Drive::new(&truth).unwrap();
    assert_eq!(real.sectors(), drive.blocks());
    let mut model = Replay::new(&drive);
    let (mut now, mut measured, mut expected) = (Time::ZERO, Vec::new(), Vec::new());
    for number in 0..READS {
        // Steps of the golden section reach all distances.
        let block = (drive.blocks() as f64 * (f64::from(number) * 0.618_034).fract()) as u64 / 8 * 8;
        let timing = real.read(block, 8).unwrap();
        measured.push(timing.end - timing.begin);
        let done = model.serve(Demand { write: false, block, blocks: 8, force_unit_access: false }, now);
        expected.push((done - now).as_seconds());
        now = done;
    }
    // The platters are elsewhere when a request comes some time later, so single ones differ by up to a turn, and a machine that is
    // busy holds some back: the medians are alike, and hardly any is served before its command, its seek and its data could be over.
    let [one, other] = [&mut measured, &mut expected].map(|times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    assert!((0.85..1.3).contains(&(one / other)), "{one} s instead of {other} s");
    assert!(measured[0] > 0.8 * expected[0], "{} s, {} s", measured[0], expected[0]);
}

/// How far a completion may stray, in turns, for times to be worth anything: of a machine that does nothing else 0.000 1.
const QUIET: f64 = 0.001;

/// What was found that isn't so: each figure with what it is.
fn wrong(rows: &[Compared]) -> Vec<&Compared> {
    let allowed = |row: &Compared| match row.what.as_str() {
        "rotation, rpm" => 0.001 * row.truth,
        "track skew, sectors" | "cylinder skew, sectors" => 1.0,
        // The way through the kernel is a part of them.
        "head switch, us" | "worst seek, ms" | "mean of seeks, ms" => 0.2 * row.truth,
        // Of a drive without a cache it is the buffer between medium and bus.
        "segments of the cache" | "blocks of a segment" | "blocks read ahead" | "bus, us a block" => {
            f64::INFINITY
        }
        // Surfaces, cylinders, zones, sectors.
        _ => 0.0,
    };
    rows.iter().filter(|row| row.off.abs() > allowed(row)).collect()
}

/// Its turns, zones, surfaces, skews and seeks come out of nothing but the times of reads of a block device.
#[test]
fn the_geometry_of_an_emulated_drive_is_found_by_its_times() {
    let test = "the_geometry_of_an_emulated_drive_is_found_by_its_times";
    if std::env::var_os("PETRIO_LONG_TESTS").is_none() {
        skip(test, "it waits for turns of a disk for a minute and a half: `make test-all` runs it");
        return;
    }
    if !possible(test, &[&EmulatedDisk::probe()]) {
        return;
    }
    let _turn = memory_to_itself();
    // A cache costs minutes of waiting for what is read ahead.
    let (mechanics, _) = DRIVE.split_once("[cache]").unwrap();
    let truth: DiskParameters = toml::from_str(mechanics).unwrap();
    let disk = EmulatedDisk::set_up(&truth).unwrap();
    let effort = Effort { tracks: 12, halvings: 10, ..Effort::quick() };
    let mut strays = Vec::new();
    let mut told = String::new();
    // Others' work on the same processors may spoil a time on which all later ones rest.
    for seed in 1..=3 {
        let mut real = RealDrive::open(disk.device().path(), false).unwrap();
        match extract(&mut real, &Effort { seed, ..effort.clone() }, &mut |_| ()) {
            Ok(Found::Disk(found)) => {
                let rows = compare(&found, &truth);
                if wrong(&rows).is_empty() {
                    return;
                }
                strays.push(found.stray);
                told += &format!("{}a completion strays by {} turns\n", compared_table(&rows), found.stray);
            }
            Ok(Found::Constant(device)) => told += &format!("{device:?}\n"),
            Err(error) => told += &format!("{error}\n"),
        }
    }
    if strays.len() == 3 && strays.iter().all(|stray| *stray > QUIET) {
        skip(test, "this machine is too busy for times of a tenth of a millisecond");
        return;
    }
    panic!("not found in three times:\n{told}");
}
