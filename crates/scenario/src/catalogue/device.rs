//! A device of the catalogue: which model it is simulated by, and that model's parameters.

use crate::text::tree::{Table, entry};
use crate::text::typed::{read, suggestion};
use crate::text::{Problem, Sources};
use petrio_models::device::analytic_disk::AnalyticDiskParameters;
use petrio_models::device::constant_rate::ConstantRateParameters;
use petrio_models::device::disk::{DiskParameters, Drive};
use schemars::JsonSchema;
use serde::Serialize;
use toml::Spanned;
use toml::de::DeValue;

/// A device. In its file, `kind` says which model simulates it; left out, it is `disk`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Device {
    /// A mechanical disk with geometry, arm, platters, cache and command queue.
    Disk(Box<DiskParameters>),
    /// A disk whose access time is a formula: seek by distance, rotation by chance, transfer at a fixed rate.
    AnalyticDisk(AnalyticDiskParameters),
    /// A fixed latency for each request and a fixed rate for its data.
    ConstantRate(ConstantRateParameters),
}

const KINDS: [&str; 3] = ["disk", "analytic-disk", "constant-rate"];

impl Device {
    /// What it is called: manufacturer and model.
    pub fn name(&self) -> &str {
        match self {
            Self::Disk(disk) => &disk.name,
            Self::AnalyticDisk(disk) => &disk.name,
            Self::ConstantRate(device) => &device.name,
        }
    }

    /// Whether its parameters make a device: zones that follow each other, a seek curve that has points.
    ///
    /// # Errors
    /// What keeps it from being one.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Disk(disk) => Drive::new(disk).map(|_| ()).map_err(|error| error.to_string()),
            Self::AnalyticDisk(AnalyticDiskParameters { blocks, .. })
            | Self::ConstantRate(ConstantRateParameters { blocks, .. })
                if blocks.get() == 0 =>
            {
                Err("it has no blocks; give `blocks` as a size such as \"1000000 blocks\"".to_owned())
            }
            Self::AnalyticDisk(disk) if disk.cylinders == 0 => {
                Err("it has no cylinders; give at least one".to_owned())
            }
            Self::AnalyticDisk(_) | Self::ConstantRate(_) => Ok(()),
        }
    }

    /// Blocks of 512 bytes that it offers; `None` when its parameters make no device.
    pub fn blocks(&self) -> Option<u64> {
        match self {
            Self::Disk(disk) => Drive::new(disk).ok().map(|drive| drive.blocks()),
            Self::AnalyticDisk(disk) => Some(disk.blocks.get()),
            Self::ConstantRate(device) => Some(device.blocks.get()),
        }
    }

    /// Where its figures come from.
    pub fn source(&self) -> &str {
        match self {
            Self::Disk(disk) => &disk.source,
            Self::AnalyticDisk(disk) => &disk.source,
            Self::ConstantRate(device) => &device.source,
        }
    }
}

/// Reads a device from its table. Told apart here and not by serde, which forgets where things stand once it has to look
/// at `kind` before it knows what it reads.
pub(crate) fn read_device(table: &Table<'_>, sources: &Sources) -> Result<Device, Vec<Problem>> {
    let mut rest = table.get_ref().clone();
    rest.remove("kind");
    let rest = Spanned::new(table.span(), rest);
    match entry(table.get_ref(), "kind").map(|(_, kind)| (kind.span(), kind.get_ref())) {
        None => read(&rest, sources).map(Device::Disk),
        Some((_, DeValue::String(word))) if word == "disk" => read(&rest, sources).map(Device::Disk),
        Some((_, DeValue::String(word))) if word == "analytic-disk" => {
            read(&rest, sources).map(Device::AnalyticDisk)
        }
        Some((_, DeValue::String(word))) if word == "constant-rate" => {
            read(&rest, sources).map(Device::ConstantRate)
        }
        Some((span, DeValue::String(word))) => {
            let problem = sources.error(span, format!("\"{word}\" is not a kind of device"));
            Err(vec![problem.help(suggestion(word, &KINDS, "it is one of"))])
        }
        Some((span, _)) => Err(vec![sources.error(span, "the kind of a device is a word")]),
    }
}
