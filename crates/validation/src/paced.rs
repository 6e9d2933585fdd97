//! What was measured of real file systems on a disk that takes as long for each request: tables of it, and scenarios of the same.

use petrio_files::inputs::Inputs;
use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Problems, load_text};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum TableError {
    /// A table can't be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A row of a table makes no sense.
    #[error("{}: {source}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Which, and why.
        source: csv::Error,
    },
}

/// Why nothing was played.
#[derive(Debug, Error)]
pub enum PlayError {
    /// What is measured makes no scenario.
    #[error("{0}")]
    Scenario(#[from] Box<Problems>),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] Box<RunFailure>),
}

/// Rows of a table.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub(crate) fn rows<T: DeserializeOwned>(inputs: &Inputs, path: &Path) -> Result<Vec<T>, TableError> {
    let mut text = String::new();
    inputs
        .open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|source| TableError::Read { path: path.to_owned(), source })?;
    let rows: Result<Vec<T>, _> = csv::Reader::from_reader(text.as_bytes()).deserialize().collect();
    rows.map_err(|source| TableError::Row { path: path.to_owned(), source })
}

/// The disk `d` of so many blocks of 512 B that takes `each` for a request, with a write cache and flushes or without, and the host `h`
/// with the queue that it had there. Further keys of the host may follow.
pub(crate) fn disk_and_host(blocks: u64, each: &str, cached: bool) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive.blocks = "{blocks} blocks"
drive.latency = "{each}"
drive.rate = "100 GB/s"
drive.part = "1 MiB"
drive.write_cache = {cached}
drive.flush = "{each}"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
change.machine.memory = "24 GiB"
change.kernel.block.requests = 128
change.kernel.block.largest_request = "1280 KiB"
"#
    )
}

/// Runs a scenario, all of whose requests go to `sinks`.
///
/// # Errors
/// A text that makes no scenario; a run that fails.
pub(crate) fn run(name: &str, text: &str, sinks: Sinks) -> Result<(), PlayError> {
    let loaded = load_text(name, text, None, &[]).map_err(Box::new)?;
    let system = System::build(&loaded).map_err(Box::new)?;
    simulate(&loaded, &system, sinks).map_err(Box::new)?;
    Ok(())
}
