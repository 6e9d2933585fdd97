//! A real block device whose times are those of a drive that is known.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible};
use petrio_live::calibrate::drive::{RealDrive, TimedDrive};
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
