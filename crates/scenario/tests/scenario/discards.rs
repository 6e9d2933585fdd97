//! Discards of file systems: how many there are and of which blocks, where they pass, and what a drive makes of them.
//!
//! What a real file system sends was traced (block_rq_issue, Linux 6.18, a loop device of 1 GiB, made without discarding and mounted with
//! noatime,discard): a file is written and synced, removed, another one is touched, and all is synced.

use crate::common::once;
use petrio_scenario::report::Report;

fn host(disks: &str, fs: &str) -> String {
    format!(
        "seed = 7\n{disks}[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
         [fs.f]\nsize = \"1 GiB\"\n{fs}\n"
    )
}

fn script(text: &str) -> String {
    format!("[workload.w]\nkind = \"script\"\non = \"f\"\nscript = \"\"\"{text}\"\"\"\n")
}

const NVME: &str = "[disk.d]\nmodel = \"samsung-970-evo-500gb\"\n";

/// A file of this size comes and goes.
fn one_file(size: &str) -> String {
    script(&format!(
        "create a; write a 0 {size}; close a; sync; think 300 ms; unlink a; think 100 ms; create x; sync; think 2 s; create y"
    ))
}

/// How many discards reached the devices, and of how many bytes.
fn discards(report: &Report) -> (u64, u64) {
    let rows = report.traffic.iter().flat_map(|device| &device.purposes);
    rows.fold((0, 0), |sum, row| (sum.0 + row.discards.requests, sum.1 + row.discards.bytes))
}

const SIZES: [(&str, u64); 5] = [
    ("4 KiB", 4 << 10),
    ("64 KiB", 64 << 10),
    ("1 MiB", 1 << 20),
    ("100 MiB", 100 << 20),
    ("300 MiB", 300 << 20),
];

/// Measured: 1, 1, 1, 1 and 2 discards, of just the file's blocks.
#[test]
fn xfs_discards_the_extents_of_what_is_removed() {
    for ((size, bytes), measured) in SIZES.into_iter().zip([1, 1, 1, 1, 2]) {
        let report = once(&(host(NVME, "type = \"xfs\"\non = \"d\"\ndiscard = true") + &one_file(size)));
        assert_eq!(discards(&report), (measured, bytes), "{size}");
    }
}

/// Measured: 1, 1, 1, 1 and 3 discards, each to the end of what is free behind the file's blocks.
#[test]
fn ext4_discards_what_is_removed_and_what_is_free_behind_it() {
    for ((size, bytes), measured) in SIZES.into_iter().zip([1, 1, 1, 1, 3]) {
        let report = once(&(host(NVME, "type = \"ext4\"\non = \"d\"\ndiscard = true") + &one_file(size)));
        let (requests, discarded) = discards(&report);
        assert_eq!(requests, measured, "{size}");
        let group = 128 << 20;
        assert!((bytes..bytes + measured * group).contains(&discarded), "{size}: {discarded}");
    }
}

/// Measured: XFS sends one for the ten neighbours, and ten for every second of twenty, beside that of the directory.
#[test]
fn neighbours_are_discarded_together() {
    let files = |count: u32| {
        (0..count).map(|n| format!("create f{n}; write f{n} 0 64 KiB; close f{n}; ")).collect::<String>()
    };
    let gone = |all: &[u32]| all.iter().map(|n| format!("unlink f{n}; ")).collect::<String>();
    let ran = |kind: &str, text: String| {
        let fs = format!("type = \"{kind}\"\non = \"d\"\ndiscard = true");
        discards(&once(&(host(NVME, &fs) + &script(&text))))
    };
    for kind in ["xfs", "ext4"] {
        let text = |count, all: &[u32]| {
            let (files, gone) = (files(count), gone(all));
            format!("{files}sync; think 300 ms; {gone}think 100 ms; create x; sync; think 2 s; create y")
        };
        let all: Vec<u32> = (0..10).collect();
        let (few, bytes) = ran(kind, text(10, &all));
        assert!(few <= 3 && bytes >= 640 << 10, "{kind}: {few} of {bytes}");
        let second: Vec<u32> = (0..20).step_by(2).collect();
        let (many, bytes) = ran(kind, text(20, &second));
        assert!((10..=11).contains(&many) && bytes >= 640 << 10, "{kind}: {many} of {bytes}");
    }
}

/// Without the option nothing is discarded; with it nothing of what is kept, and no byte of data more or less is moved.
#[test]
fn what_is_kept_is_not_discarded_and_data_are_the_same() {
    for kind in ["ext4", "xfs"] {
        let ran = |discard: &str, work: &str| {
            once(&(host(NVME, &format!("type = \"{kind}\"\non = \"d\"\n{discard}")) + &script(work)))
        };
        let work = "create a; write a 0 8 MiB; close a; sync; think 1 s; unlink a; sync; think 1 s; \
             create b; write b 0 1 MiB; close b; sync; think 2 s; create y";
        let (with, without) = (ran("discard = true", work), ran("", work));
        assert!(discards(&with).0 > 0 && discards(&without) == (0, 0));
        let data = |report: &Report| {
            let rows = report.traffic.iter().flat_map(|device| &device.purposes);
            rows.filter(|row| row.purpose == "data").map(|row| row.writes.bytes).sum::<u64>()
        };
        assert_eq!(data(&with), data(&without), "{kind}");
        let kept = ran("discard = true", "create a; write a 0 8 MiB; close a; sync; think 2 s; create y");
        assert_eq!(discards(&kept), (0, 0), "{kind}");
    }
}

/// Through what passes them on, and not through what refuses them: of which the scenario tells.
#[test]
fn discards_pass_what_passes_them_on_and_nothing_else() {
    let four = "[disk.d]\nmodel = \"samsung-970-evo-500gb\"\ncount = 4\n";
    let passes = [
        (four, "r", "[raid.r]\nlevel = 0\nuse = \"linux-md\"\non = \"d*\"\n", 1),
        (four, "r", "[raid.r]\nlevel = 1\nuse = \"linux-md\"\non = \"d*\"\n", 4),
        (four, "r", "[raid.r]\nlevel = \"1+0\"\nuse = \"linux-md\"\non = \"d*\"\n", 2),
        (four, "c", "[concat.c]\non = \"d*\"\n", 1),
        (NVME, "p", "[partition.p]\non = \"d\"\nfrom = \"25 %\"\nsize = \"50 %\"\n", 1),
        (
            NVME,
            "f",
            "[fabric.f]\non = \"d\"\nadapter = \"10 us\"\nlatency = \"40 us\"\nrate = \"1 GB/s\"\n",
            1,
        ),
        (NVME, "t", "[throttle.t]\non = \"d\"\nwrite_rate = \"100 MiB/s\"\n", 1),
    ];
    for (disks, on, part, copies) in passes {
        let fs = format!("type = \"xfs\"\non = \"{on}\"\ndiscard = true");
        let report = once(&(host(&format!("{disks}{part}"), &fs) + &one_file("100 MiB")));
        let (requests, bytes) = discards(&report);
        assert_eq!(bytes, copies * (100 << 20), "{part}");
        // One for each member that has some of it.
        let members = if disks == four && on != "c" { 4 } else { 1 };
        assert_eq!(requests, members, "{part}");
    }
    let refuses = [
        ("[disk.d]\nmodel = \"seagate-exos-x16-16tb\"\n", "d", ""),
        (four, "r", "[raid.r]\nlevel = 5\nuse = \"linux-md\"\non = \"d*\"\n"),
        (four, "r", "[raid.r]\nlevel = \"1+0\"\nuse = \"perc-h700\"\non = \"d*\"\n"),
    ];
    for (disks, on, part) in refuses {
        let fs = format!("type = \"ext4\"\non = \"{on}\"\ndiscard = true");
        let text = host(&format!("{disks}{part}"), &fs) + &one_file("1 MiB");
        let loaded = crate::common::loaded(&text);
        let warned =
            loaded.warnings.iter().any(|warning| warning.to_string().contains("does not support discard"));
        assert!(warned, "{part}");
        assert_eq!(discards(&crate::common::once_of(&loaded)), (0, 0), "{part}");
    }
}
