//! A drive's parameters found on a real block device whose times are those of a drive that is known.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible};
use petrio_live::calibrate::drive::{Effort, Found, RealDrive, compare, compared_table, extract};
use petrio_live::rig::EmulatedDisk;
use petrio_models::device::disk::DiskParameters;

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
fn a_drive_emulated_behind_a_loop_device_is_found_again_by_its_times() {
    let test = "a_drive_emulated_behind_a_loop_device_is_found_again_by_its_times";
    if !possible(test, &[&EmulatedDisk::probe()]) {
        return;
    }
    let _turn = memory_to_itself();
    let truth: DiskParameters = toml::from_str(DRIVE).unwrap();
    let disk = EmulatedDisk::set_up(&truth).unwrap();
    assert!(disk.device().is_direct(), "requests would be answered from the page cache");
    let mut drive = RealDrive::open(disk.device().path(), false).unwrap();
    let effort = Effort { turns: 50.0, halvings: 6, spacing: 6.0, tracks: 9, segments: 4, ..Effort::quick() };
    let found = match extract(&mut drive, &effort, &mut |_| ()) {
        Ok(Found::Disk(found)) => *found,
        other => panic!("{other:?}"),
    };
    let rows = compare(&found, &truth);
    let told = compared_table(&rows);
    let row = |what: &str| rows.iter().find(|row| row.what == what).unwrap();
    let rotation = row("rotation, rpm");
    assert!((rotation.off / rotation.truth).abs() < 0.001, "{told}");
    for what in ["surfaces", "zones", "sectors per track"] {
        assert!(row(what).off.abs() < 1e-9, "{what}\n{told}");
    }
    for what in ["track skew, sectors", "cylinder skew, sectors"] {
        assert!(row(what).off.abs() <= 3.0, "{what}\n{told}");
    }
    let seeks = row("mean of seeks, ms");
    assert!((seeks.off / seeks.truth).abs() < 0.1, "{told}");
}
