//! Partitions of files placed by a run, and what that brings: a run to see who touches what, the placement that follows,
//! and the same run with it.

use petrio_page::numbers::{bytes, counted, grouped, per_cent, rate_unit, significant};
use petrio_scenario::Loaded;
use petrio_scenario::build::System;
use petrio_scenario::placement::{Accesses, Moved, PlacementError, Service, placement_path, with_profile};
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::simulate;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// A placement made from a run, and both runs.
#[derive(Debug, Serialize)]
pub struct Placed {
    /// The file service.
    pub share: String,
    /// Bytes of a partition.
    pub partition: u64,
    /// What the placement moves.
    pub moved: Moved,
    /// The run as the scenario has it.
    pub before: Report,
    /// The same with the placement.
    pub after: Report,
    /// The placement as a table (CSV).
    #[serde(skip)]
    pub table: String,
    /// Where the scenario says how partitions are placed.
    pub path: String,
}

/// Places the partitions of a scenario's file service by a run; of several services that of this name.
///
/// # Errors
/// A scenario without such a service, and what keeps it from being run.
pub fn place(loaded: &Loaded, share: Option<&str>) -> Result<Placed, PlacementError> {
    let service = Arc::new(Service::of(loaded, share)?);
    let accesses = Accesses::of(&service);
    let mut sinks = Sinks::default();
    sinks.push(accesses.clone());
    let before = simulate(loaded, &System::build(loaded)?, sinks)?;
    let guided = service.guided(&accesses);
    let table = guided.table(&service.servers);
    let placed = with_profile(loaded, &service.name, &table)
        .map_err(|problems| PlacementError::Scenario(Box::new(problems)))?;
    let after = simulate(&placed, &System::build(&placed)?, Sinks::default())?;
    Ok(Placed {
        share: service.name.clone(),
        partition: service.partition,
        moved: guided.moved,
        before,
        after,
        table,
        path: placement_path(loaded, &service.name),
    })
}

/// What was moved and what that brought, in words; the table lies in a file, if it was written.
pub fn terminal_text(placed: &Placed, scenario: &Path, written: Option<&Path>) -> String {
    let Placed { share, partition, moved, before, after, path, .. } = placed;
    let part = |of: u64| if moved.bytes == 0 { 0.0 } else { of as f64 / moved.bytes as f64 };
    let rate = |report: &Report| report.served.throughput_bytes_per_s.value;
    let (unit, size) = rate_unit(rate(before).max(rate(after)));
    let gain = if rate(before) > 0.0 { rate(after) / rate(before) } else { 1.0 };
    let latency =
        |report: &Report| report.served.latency.as_ref().map_or(0.0, |latency| latency.mean_ms.value);
    let mut text = format!(
        "  {share}: {} of {} touched, {} moved\n",
        counted(moved.touched, "partition", "partitions"),
        bytes(*partition),
        grouped(moved.partitions)
    );
    let mut line = |name: &str, before: String, after: String| {
        text.push_str(&format!("  {name:<12}{before:>14}{after:>14}\n"));
    };
    line("", "before".to_owned(), "after".to_owned());
    line("local bytes", per_cent(part(moved.local_before)), per_cent(part(moved.local_after)));
    line(
        "throughput",
        format!("{} {unit}", significant(rate(before) / size)),
        format!("{} {unit}", significant(rate(after) / size)),
    );
    let ms = |report: &Report| format!("{} ms", significant(latency(report)));
    line("latency", ms(before), ms(after));
    let seconds = |report: &Report| format!("{} s", significant(report.simulated_s));
    line("time", seconds(before), seconds(after));
    text.push_str(&format!("  {} times the throughput\n", significant(gain)));
    if let Some(written) = written {
        // A scenario finds its files from its own folder.
        let here = scenario.parent().is_none_or(|folder| folder.as_os_str().is_empty());
        let written = match here {
            true => written.to_owned(),
            false => std::path::absolute(written).unwrap_or_else(|_| written.to_owned()),
        };
        text.push_str(&format!(
            "  try it      petrio run {} --set '{path}={{ profile = \"{}\" }}'\n",
            scenario.display(),
            written.display()
        ));
    }
    text
}
