//! From a scenario's text to its report, and what tests ask of that.

use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Loaded, Override, Problems, load_text};

/// A host that is on no network, with a file system `work` on a disk of this latency and rate; what works on it is to follow.
pub(crate) fn host_alone(latency: &str, rate: &str) -> String {
    format!(
        r#"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[disk.d]
model = "constant-rate"
drive.latency = "{latency}"
drive.rate = "{rate}"

[fs.work]
type = "ext4"
on = "d"
"#
    )
}

/// The scenario with these settings.
pub(crate) fn load_of(text: &str, set: &[&str]) -> Result<Loaded, Problems> {
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    load_text("test.toml", text, None, &overrides)
}

/// What comes of running it once; it is one that makes sense.
pub(crate) fn try_run(text: &str, set: &[&str]) -> Result<Report, RunFailure> {
    let loaded = load_of(text, set).unwrap_or_else(|problems| panic!("{problems:?}"));
    simulate(&loaded, &System::build(&loaded)?, Sinks::default())
}

/// Its report.
pub(crate) fn run_of(text: &str, set: &[&str]) -> Report {
    try_run(text, set).unwrap()
}

/// How much came to the stage of this name.
pub(crate) fn arrivals(report: &Report, stage: &str) -> u64 {
    report.stages.iter().filter(|row| row.name == stage).map(|row| row.arrivals).sum()
}

/// Bytes a second.
pub(crate) fn rate(report: &Report) -> f64 {
    report.served.throughput_bytes_per_s.value
}
