//! What the machine at hand and the measured data say, beside what is predicted.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so, and one that runs what it saw")]

mod btrfs_arrays;
mod file_systems_measured;
mod measured_disks;
mod measured_syncs;
mod nfs_measured;
mod orangefs_measured;

use std::path::PathBuf;

/// A folder of measured data, which aren't part of the repository; where it isn't there the test says that it is skipped.
fn measured_folder(name: &str, test: &str) -> Option<PathBuf> {
    let data = std::env::var_os("PETRIO_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let folder = data.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {test} needs {} (or PETRIO_DATA)", folder.display());
    None
}
