//! A device of the catalogue: which model it is simulated by, and that model's parameters.

use crate::text::tree::{Table, entry};
use crate::text::typed::{read, suggestion};
use crate::text::{Problem, Sources};
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
}

const KINDS: [&str; 1] = ["disk"];

impl Device {
    /// What it is called: manufacturer and model.
    pub fn name(&self) -> &str {
        match self {
            Self::Disk(disk) => &disk.name,
        }
    }

    /// Whether its parameters make a device: zones that follow each other, a seek curve that has points.
    ///
    /// # Errors
    /// What keeps it from being one.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Disk(disk) => Drive::new(disk).map(|_| ()).map_err(|error| error.to_string()),
        }
    }

    /// Blocks of 512 bytes that it offers; `None` when its parameters make no device.
    pub fn blocks(&self) -> Option<u64> {
        match self {
            Self::Disk(disk) => Drive::new(disk).ok().map(|drive| drive.blocks()),
        }
    }

    /// Where its figures come from.
    pub fn source(&self) -> &str {
        match self {
            Self::Disk(disk) => &disk.source,
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
        Some((span, DeValue::String(word))) => {
            let problem = sources.error(span, format!("\"{word}\" is not a kind of device"));
            Err(vec![problem.help(suggestion(word, &KINDS, "it is one of"))])
        }
        Some((span, _)) => Err(vec![sources.error(span, "the kind of a device is a word")]),
    }
}
