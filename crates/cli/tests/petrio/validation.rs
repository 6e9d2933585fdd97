//! `petrio validate disks`: on the published traces, on a drive made up here, and on what is none.

use crate::support::{Folder, petrio_at_root, root};
use serde_json::Value;
use std::path::PathBuf;

/// A small drive in DiskSim's words: 10 cylinders, 2 surfaces, 100 blocks a track, 6000 rpm.
pub(crate) const PARAMETERS: &str = "
disksim_disk SMALL {
   Model = dm_disk {
      Block count = 1990,
      Number of data surfaces = 2,
      Number of cylinders = 10,
      Mechanical Model = dm_mech_g1 {
         Access time type = trackSwitchPlusRotation,
         Seek type = extracted,
         Full seek curve = small.seek,
         Add. write settling delay = 0.5,
         Head switch time = 0.75,
         Rotation speed (in rpms) = 6000,
         Percent error in rpms = 0.0
      },
      Layout Model = dm_layout_g1 {
         LBN-to-PBN mapping scheme = 0,
         Sparing scheme used = 0,
         Rangesize for sparing = 1,
         Zones = [ dm_layout_g1_zone {
            First cylinder number = 0,
            Last cylinder number = 9,
            Blocks per track = 100,
            Offset of first block = 0.0,
            Empty space at zone front = 0,
            Skew for track switch = 12.0,
            Skew for cylinder switch = 30.0,
            Number of spares = 0,
            slips = [],
            defects = []
         } ]
      }
   },
   Scheduler = disksim_ioqueue { Scheduling policy = 1, Cylinder mapping strategy = 0 },
   Max queue length = 1,
   Bulk sector transfer time = 0.1,
   Segment size (in blks) = 64,
   Number of buffer segments = 1,
   Colour of the casing = beige
}
";

/// Its seek times.
pub(crate) const SEEKS: &str = "Seek distances measured: 3\n1, 1.5\n5, 3.0\n9, 4.0\n";

const KEYS: [&str; 7] = [
    "disk",
    "requests",
    "measured_mean_ms",
    "simulated_mean_ms",
    "mean_error_percent",
    "demerit_ms",
    "rmse_ms",
];

fn published() -> Option<PathBuf> {
    let data = std::env::var_os("PETRIO_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    Some(data.join("disks")).filter(|disks| disks.is_dir())
}

#[test]
fn every_published_drive_is_predicted_at_least_as_well_as_by_disksim() {
    let Some(disks) = published() else {
        println!(
            "skipped: every_published_drive_is_predicted_at_least_as_well_as_by_disksim needs disks in PETRIO_DATA"
        );
        return;
    };
    let answer = petrio_at_root(&["validate", "disks", "--json", "--dir", &disks.display().to_string()]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let rows: Vec<Value> = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(rows.len(), 7);
    for row in rows {
        for key in KEYS {
            assert!(!row[key].is_null(), "{key} in {row}");
        }
        let number = |key: &str| row[key].as_f64().unwrap();
        assert!(number("mean_error_percent").abs() < 3.0, "{row}");
        assert!(number("demerit_ms") <= number("disksim_demerit_ms") + 0.0005, "{row}");
    }
}

#[test]
fn any_other_folder_of_such_files_will_do() {
    let folder = Folder::new();
    folder.write("small.parv", PARAMETERS);
    folder.write("small.seek", SEEKS);
    let trace: String = (0..50).map(|n| format!("R miss {} 4 12000.0 3000.0\n", n * 379 % 1_900)).collect();
    folder.write("small.trace", trace);
    let answer = folder.petrio(&["validate", "disks", "--json", "--dir", "."]);
    // What was measured is made up here, and no drive's: a row that misses is a failure, with its row told all the same.
    assert_eq!(answer.code, Some(1), "{}", answer.talk);
    assert!(
        answer.talk.contains("1 of 1 drives miss the measured mean by more than 3 %: small"),
        "{}",
        answer.talk
    );
    let rows: Vec<Value> = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(rows.len(), 1, "{}", answer.out);
    assert_eq!(rows[0]["requests"], 50);
    assert!((rows[0]["measured_mean_ms"].as_f64().unwrap() - 12.0).abs() < 1e-9);
    // At most the longest seek, a revolution, and four blocks under the head and over the bus.
    let simulated = rows[0]["simulated_mean_ms"].as_f64().unwrap();
    assert!(simulated > 1.0 && simulated < 4.0 + 10.0 + 2.0, "{simulated}");
    let table = folder.petrio(&["validate", "disks", "--dir", "."]).out;
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn a_folder_without_a_drive_and_its_trace_is_refused() {
    let folder = Folder::new();
    for (file, content) in [("", ""), ("a.parv", "\u{1}\u{2}garbage"), ("a.trace", "garbage\n")] {
        if !file.is_empty() {
            folder.write(file, content);
        }
        for json in [&["--json"][..], &[]] {
            let answer = folder.petrio(&[&["validate", "disks", "--dir", "."], json].concat());
            assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{file}: {}", answer.talk);
            assert!(answer.talk.contains("no drive with a measured trace"), "{}", answer.talk);
            assert!(answer.talk.contains("help:"), "{}", answer.talk);
        }
    }
    let answer = folder.petrio(&["validate", "disks", "--dir", "missing"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("missing"), "{}", answer.talk);
}
