//! The speed of the disk with full mechanics: three disks under an open synthetic load, and nine as a RAID 5, from scenario to
//! report.

use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Override, Problems, load_text};
use petrio_units::numbers::whole_part;
use petrio_validation::raid::RAID_5;
use serde::Serialize;
use std::time::Instant;
use thiserror::Error;

/// A load that DiskSim 4.0 serves, too.
struct Load {
    name: &'static str,
    scenario: &'static str,
    /// What limits its requests.
    limit: &'static str,
    /// Requests of it to one of those asked for: those to an array become several.
    share: f64,
    /// Requests that DiskSim serves in a second, single-threaded (side by side on one machine).
    disksim_requests_per_s: f64,
}

const LOADS: [Load; 2] = [
    Load {
        name: "three disks",
        scenario: include_str!("three-disks.toml"),
        limit: "measure.stop.requests",
        share: 1.0,
        disksim_requests_per_s: 48_700.0,
    },
    Load {
        name: "RAID 5 of nine",
        scenario: RAID_5,
        limit: "workload.load.requests",
        share: 0.5,
        disksim_requests_per_s: 25_600.0,
    },
];

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct DiskSpeed {
    /// Which load.
    pub load: &'static str,
    /// Requests served.
    pub requests: u64,
    /// Wall-clock time of the run, seconds.
    pub seconds: f64,
    /// Requests a second on one core.
    pub requests_per_s: f64,
    /// That, over DiskSim's figure on the machine of its measurement.
    pub times_disksim: f64,
    /// Mean response time that the run predicts, milliseconds: a check that the mechanics were not left out.
    pub mean_response_ms: f64,
    /// Peak resident memory of this process, MiB; `None` where the system doesn't tell.
    pub peak_resident_mib: Option<f64>,
}

impl DiskSpeed {
    /// Headings of [`DiskSpeed::cells`].
    pub const HEADINGS: [&str; 7] =
        ["load", "requests", "seconds", "requests/s", "× DiskSim", "mean response ms", "peak resident MiB"];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.load.to_owned(),
            self.requests.to_string(),
            format!("{:.2}", self.seconds),
            format!("{:.0}", self.requests_per_s),
            format!("{:.1}", self.times_disksim),
            format!("{:.2}", self.mean_response_ms),
            self.peak_resident_mib.map_or("–".to_owned(), |mib| format!("{mib:.1}")),
        ]
    }
}

/// Why there is no figure.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The built-in scenario is wrong: a bug.
    #[error("the benchmark's scenario is wrong: {0}")]
    Scenario(#[from] Box<Problems>),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] Box<RunFailure>),
}

/// Runs the loads with so many requests and measures.
///
/// # Errors
/// [`BenchError`], which is a bug.
pub fn measure(requests: u64) -> Result<Vec<DiskSpeed>, BenchError> {
    LOADS.iter().map(|load| measure_one(load, requests)).collect()
}

fn measure_one(load: &Load, requests: u64) -> Result<DiskSpeed, BenchError> {
    let requests = whole_part(requests as f64 * load.share).max(1);
    let stop = Override::new(load.limit, &requests.to_string());
    let loaded = load_text("load.toml", load.scenario, None, &[stop]).map_err(Box::new)?;
    let system = System::build(&loaded).map_err(Box::new)?;
    let began = Instant::now();
    let report = simulate(&loaded, &system, Sinks::default()).map_err(Box::new)?;
    let seconds = began.elapsed().as_secs_f64();
    let requests_per_s = report.served.requests.completed as f64 / seconds;
    Ok(DiskSpeed {
        load: load.name,
        requests: report.served.requests.completed,
        seconds,
        requests_per_s,
        times_disksim: requests_per_s / load.disksim_requests_per_s,
        mean_response_ms: report.served.latency.map_or(0.0, |latency| latency.mean_ms.value),
        peak_resident_mib: super::peak_resident_mib(),
    })
}
