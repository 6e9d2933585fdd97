//! The simulated side of a point.

use super::error::FsValidationError;
use super::point::{Point, Profile};
use super::requests::FILE;
use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::simulate;
use petrio_scenario::{Loaded, load_text};
use std::path::Path;

/// Loads the scenario of a point. `folder` holds its captured requests.
pub(super) fn load(
    title: &str,
    point: &Point,
    profile: &Profile,
    folder: &Path,
) -> Result<Loaded, FsValidationError> {
    if let Some(requests) = &point.requests {
        let path = folder.join(FILE);
        std::fs::write(&path, requests).map_err(FsValidationError::file("write", &path))?;
    }
    Ok(load_text(title, &point.scenario(title, profile), Some(folder), &[])?)
}

/// Bytes a second, and accesses a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speed {
    pub(super) bytes: f64,
    pub(super) accesses: f64,
}

/// What the model says.
pub(super) fn predict(loaded: &Loaded) -> Result<Speed, FsValidationError> {
    let system = System::build(loaded)?;
    let report = simulate(loaded, &system, Sinks::default())?;
    let bytes = report.served.throughput_bytes_per_s.value;
    // What makes data durable takes time and moves nothing: it isn't an access.
    let accesses = (report.served.requests.reads + report.served.requests.writes) as f64;
    let accesses = if report.served.bytes > 0 { bytes * accesses / report.served.bytes as f64 } else { 0.0 };
    Ok(Speed { bytes, accesses })
}
