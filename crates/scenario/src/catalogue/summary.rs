//! The catalogue at a glance, and devices as text.

use crate::catalogue::{DEVICES, Device, read_device};
use crate::text::tree::parse;
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_models::device::disk::DiskParameters;

/// A line of `petrio catalogue list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name by which scenarios refer to it.
    pub key: &'static str,
    /// Manufacturer and model.
    pub name: String,
    /// How much it holds.
    pub size: String,
    /// How fast it turns, or which model simulates it.
    pub speed: String,
}

/// Every device of the catalogue in a line.
///
/// # Errors
/// A file of the catalogue that doesn't read, which is a bug.
pub fn device_summaries() -> Result<Vec<Summary>, Problem> {
    DEVICES
        .iter()
        .map(|&(key, text)| {
            let mut sources = Sources::default();
            let base = sources.add(key, text);
            let (table, mistakes) = parse(text, base);
            if let Some(mistake) = mistakes.into_iter().next() {
                return Err(sources.error(mistake.span, mistake.message));
            }
            let device = read_device(&table, &sources).map_err(first)?;
            let size = device.blocks().map_or_else(
                || "–".to_owned(),
                |blocks| format!("{:.1} GB", (blocks * SECTOR_BYTES) as f64 / 1e9),
            );
            Ok(Summary { key, name: device.name().to_owned(), size, speed: speed(&device) })
        })
        .collect()
}

fn first(mut problems: Vec<Problem>) -> Problem {
    problems.swap_remove(0)
}

fn speed(device: &Device) -> String {
    match device {
        Device::Disk(disk) => disk.mechanics.rotation.to_string(),
        Device::AnalyticDisk(disk) => format!("{} (analytic)", disk.rotation),
        Device::ConstantRate(device) => format!("{} a request", device.latency),
    }
}

/// The JSON schema of a catalogue file.
pub fn device_schema() -> schemars::Schema {
    schemars::schema_for!(Device)
}

/// A drive as a catalogue file.
///
/// # Errors
/// What TOML can't express, which is a bug.
pub fn drive_toml(drive: &DiskParameters) -> Result<String, toml::ser::Error> {
    toml::to_string_pretty(drive)
}
