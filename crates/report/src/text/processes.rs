//! The processes of replayed traces, on a terminal.

use super::flowing;
use crate::processes::ProcessFigures;
use petrio_page::numbers::{counted, rate_unit, significant, time};
use std::fmt::Write;

/// So many have a line each: those that completed most.
const LINES_MAX: usize = 12;

/// A line for each.
pub(super) fn processes(out: &mut String, all: &[ProcessFigures], left_out: u64, width: usize) {
    if all.is_empty() {
        return;
    }
    let mut most: Vec<&ProcessFigures> = all.iter().collect();
    most.sort_by_key(|one| std::cmp::Reverse(one.completed));
    let _ = writeln!(out, "  by process of the trace");
    for one in most.iter().take(LINES_MAX) {
        let bytes_per_s = one.bytes as f64 * one.per_s.value / one.completed.max(1) as f64;
        let (unit, size) = rate_unit(bytes_per_s);
        let mut parts = vec![
            format!("{}/s", one.per_s.scaled(1.0)),
            format!("{} {unit}", significant(bytes_per_s / size)),
        ];
        if let Some(latency) = &one.latency {
            parts.push(format!("mean {}", time(latency.mean_ms.value)));
            parts.push(format!("p99 {}", time(latency.p99_ms.value)));
            parts.push(format!("max {}", time(latency.max_ms.value)));
        }
        flowing(out, &format!("  {}", one.words()), &parts, width);
    }
    let more = most.len().saturating_sub(LINES_MAX) as u64 + left_out;
    if more > 0 {
        let _ = writeln!(out, "    and {}", counted(more, "process more", "processes more"));
    }
}
