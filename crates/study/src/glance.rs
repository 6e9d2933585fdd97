//! What several studies look for in a report.

use petrio_scenario::report::{Claim, Report};

/// The stage that was busy for most of the time, and for which part of it, 0 to 1.
pub(crate) fn busiest(report: &Report) -> Option<(String, f64)> {
    let busy = report.stages.iter().filter_map(|stage| Some((stage, stage.utilisation?)));
    busy.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(stage, busy)| (stage.name.clone(), busy))
}

/// That more came than was served, in the report's words.
pub(crate) fn overload(report: &Report) -> Option<&str> {
    report.warnings.iter().find(|told| told.claim == Claim::Overloaded).map(|told| told.text.as_str())
}
