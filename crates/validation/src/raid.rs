//! Arrays beside DiskSim's: its own configurations of RAID 5 and of a set of arrays, with its own synthetic workloads.
//!
//! DiskSim's regressions (valid/runvalid of version 4.0, Bucy et al., CMU-PDL-08-101, 2008) name two means: 22.8 ms that a
//! drive of the RAID 5 takes to answer, and 34.3 ms that a request to the set of arrays takes. The other figures here are
//! those of DiskSim 4.0 run on the same files, built for 32 bits: it gives 22.861 and 34.272 ms for the two that are
//! published. The last row is the set of arrays with a bus for each drive, in DiskSim's file as in ours: what the shared
//! buses cost.

use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Override, Problems, load_text};
use serde::Serialize;
use thiserror::Error;

/// DiskSim's RAID 5 as a scenario, built of the parameters of its file.
pub const RAID_5: &str = include_str!("raid/raid5.toml");
/// Its set of arrays.
pub const ARRAYS: &str = include_str!("raid/arrays.toml");

/// How far a mean may lie from DiskSim's, in per cent.
pub const BOUND_PERCENT: f64 = 3.0;

/// A mean beside DiskSim's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaidRow {
    /// DiskSim's file.
    pub configuration: &'static str,
    /// Which mean.
    pub mean: &'static str,
    /// Whether DiskSim's figure is one that it publishes; otherwise that of a run of it.
    pub published: bool,
    /// Requests of our run.
    pub requests: u64,
    /// DiskSim's mean, ms.
    pub disksim_ms: f64,
    /// Ours, ms.
    pub ours_ms: f64,
    /// By how much ours is more, per cent.
    pub deviation_percent: f64,
}

impl RaidRow {
    /// Whether it lies within [`BOUND_PERCENT`].
    pub fn holds(&self) -> bool {
        self.deviation_percent.abs() <= BOUND_PERCENT
    }
}

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum RaidValidationError {
    /// A built-in scenario is wrong: a bug.
    #[error("the scenario of DiskSim's arrays is wrong: {0}")]
    Scenario(#[from] Box<Problems>),
    /// A run failed.
    #[error(transparent)]
    Run(#[from] Box<RunFailure>),
}

/// Runs DiskSim's configurations with so many requests each.
///
/// # Errors
/// [`RaidValidationError`].
pub fn validate_raid(requests: u64, seed: u64) -> Result<Vec<RaidRow>, RaidValidationError> {
    let row = |configuration, mean, disksim_ms, published, (report, ours_ms): (&Report, f64)| RaidRow {
        configuration,
        mean,
        published,
        requests: report.served.requests.completed,
        disksim_ms,
        ours_ms,
        deviation_percent: (ours_ms / disksim_ms - 1.0) * 100.0,
    };
    let whole =
        |report: &Report| report.served.latency.as_ref().map_or(f64::NAN, |latency| latency.mean_ms.value);
    let raid_5 = run("raid5.toml", RAID_5, requests, seed)?;
    let member = raid_5.arrays.first().and_then(|array| array.member_response_ms).unwrap_or(f64::NAN);
    let arrays = run("arrays.toml", ARRAYS, requests, seed)?;
    let apart: String =
        ARRAYS.lines().filter(|line| !line.starts_with("bus")).flat_map(|line| [line, "\n"]).collect();
    let apart = run("arrays.toml", &apart, requests, seed)?;
    Ok(vec![
        row("synthraid5", "a drive's answer", 22.8, true, (&raid_5, member)),
        row("synthraid5", "a request", 35.749, false, (&raid_5, whole(&raid_5))),
        row("syntharrays", "a request", 34.3, true, (&arrays, whole(&arrays))),
        row("syntharrays, a bus for each drive", "a request", 31.249, false, (&apart, whole(&apart))),
    ])
}

fn run(name: &str, text: &str, requests: u64, seed: u64) -> Result<Report, RaidValidationError> {
    let settings = [
        Override::new("workload.load.requests", &requests.to_string()),
        Override::new("seed", &seed.to_string()),
    ];
    let loaded = load_text(name, text, None, &settings).map_err(Box::new)?;
    let system = System::build(&loaded).map_err(Box::new)?;
    Ok(simulate(&loaded, &system, Sinks::default()).map_err(Box::new)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn means_are_disksims() {
        let rows = validate_raid(40_000, 42).unwrap();
        assert!(rows.iter().all(RaidRow::holds), "{rows:#?}");
        assert_eq!(rows.iter().filter(|row| row.published).count(), 2);
    }
}
