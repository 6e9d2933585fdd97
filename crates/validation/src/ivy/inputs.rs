//! What the study reads beside the paper: the made-up work of its file systems, and the catalogue's disks.

use super::error::IvyError;
use super::paper::FileSystem;
use petrio_models::device::analytic_disk::AnalyticDiskParameters;
use petrio_scenario::catalogue::DEVICES;
use petrio_workload::file_lives::FileLives;

/// The work of a file system as `examples/ivy/` has it.
pub fn lives_of(file_system: FileSystem) -> Result<FileLives, IvyError> {
    let text = match file_system {
        FileSystem::TriangleRoot => include_str!("../../../../examples/ivy/triangle-root.toml"),
        FileSystem::CelloRoot => include_str!("../../../../examples/ivy/cello-root.toml"),
        FileSystem::CelloUsers => include_str!("../../../../examples/ivy/cello-users.toml"),
    };
    toml::from_str(text).map_err(|error| IvyError::Net(format!("{}: {error}", file_system.name())))
}

/// An analytic disk of the catalogue.
pub fn analytic_disk(name: &str) -> Result<AnalyticDiskParameters, IvyError> {
    let missing = || IvyError::Net(format!("the catalogue has no analytic disk \"{name}\""));
    let mut table: toml::Table =
        DEVICES.text(name).and_then(|text| toml::from_str(text).ok()).ok_or_else(missing)?;
    table.remove("kind");
    table.try_into().map_err(|error| IvyError::Net(format!("{name}: {error}")))
}
