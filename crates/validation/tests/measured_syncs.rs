//! fsync beside a streaming writer, beside what a real ext4 did on a disk of known times.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use petrio_validation::syncs::{measured, play};
use petrio_validation::verdict::Judgement;
use std::path::PathBuf;

/// The folder of the measurements, which aren't part of the repository.
fn folder() -> Option<PathBuf> {
    let data = std::env::var_os("PETRIO_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let folder = data.join("xfs-ext4");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: measured_syncs needs {} (or PETRIO_DATA)", folder.display());
    None
}

#[test]
fn an_fsync_of_ext4_beside_a_stream_waits_as_often_and_as_long_as_a_real_one() {
    let Some(folder) = folder() else { return };
    let (rows, left_out) = measured(&folder).unwrap();
    assert!(left_out > 0, "other file systems stand in the table, too");
    let row = rows.iter().find(|row| row.fs == "ext4" && row.cache == "wb").unwrap();
    let played = play(row).unwrap();
    for judged in played.judged() {
        assert_eq!(judged.verdict, Judgement::Holds, "{}", judged.line());
    }
}
