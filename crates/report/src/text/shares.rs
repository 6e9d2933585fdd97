//! Where time goes, on a terminal: bars of the average request, and the causes of each kind and workload in a line.

use super::{flowing, length};
use crate::served::{Served, Share};
use crate::spent::in_words;
use crate::subject::Subject;
use petrio_page::numbers::per_cent;
use petrio_units::numbers::{as_index, whole_part};
use std::fmt::Write;

/// Bars in one line where they fit, else a line each. The number stands beside each bar.
pub(super) fn breakdown(out: &mut String, served: &Served, width: usize) {
    if served.breakdown.is_empty() {
        return;
    }
    let mut shares: Vec<_> = served.breakdown.iter().collect();
    shares.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    let lead = match served.subject {
        Subject::BlockRequests => "  an average request   ",
        Subject::FileOperations => "  an average operation   ",
    };
    let words: usize =
        shares.iter().map(|share| length(&share.cause) + length(&per_cent(share.fraction)) + 4).sum();
    out.push('\n');
    let room = width.saturating_sub(length(lead) + words);
    if room >= 12 {
        let scale = room.min(40);
        let parts: Vec<String> = shares
            .iter()
            .map(|share| {
                format!("{} {}{}", share.cause, spaced_bar(share.fraction, scale), per_cent(share.fraction))
            })
            .collect();
        let _ = writeln!(out, "{lead}{}", parts.join("  "));
        return;
    }
    let _ = writeln!(out, "{}", lead.trim_end());
    for share in shares {
        let bar = bar(share.fraction, width.saturating_sub(30).min(40));
        let line = format!("    {:<14} {:>7}  {bar}", share.cause, per_cent(share.fraction));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Where the time of each kind and of each workload goes, where there are several.
pub(super) fn apart(out: &mut String, served: &Served, width: usize) {
    let worth = |row: &(&str, &[Share])| !row.1.is_empty();
    let kinds = served.operations.iter().map(|kind| (kind.operation.as_str(), &*kind.breakdown));
    let workloads = served.workloads.iter().map(|row| (row.workload.as_str(), &*row.breakdown));
    let (kinds, workloads): (Vec<_>, Vec<_>) =
        (kinds.filter(worth).collect(), workloads.filter(worth).collect());
    for (of, rows) in [("by kind", kinds), ("by workload", workloads)] {
        let [_, _, ..] = rows.as_slice() else { continue };
        let _ = writeln!(out, "  {of}");
        for (name, shares) in rows {
            flowing(out, &format!("  {name}"), &[in_words(shares)], width);
        }
    }
}

fn spaced_bar(fraction: f64, scale: usize) -> String {
    let bar = bar(fraction, scale);
    if bar.is_empty() { bar } else { bar + " " }
}

fn bar(fraction: f64, scale: usize) -> String {
    "█".repeat(as_index(whole_part(fraction.clamp(0.0, 1.0) * scale as f64 + 0.5)))
}
