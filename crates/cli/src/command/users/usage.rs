//! How files were used, as tables.

use crate::table::table;
use petrio_kernel::statistics::Tally;
use petrio_workload::users::{CallUsage, SessionUsage, Usage};

/// The analyser's figures on the terminal.
pub(super) fn usage_tables(usage: &Usage) -> String {
    let mut text = String::new();
    let sessions = |value: fn(&SessionUsage) -> f64| {
        let tally: Tally = usage.sessions.iter().map(value).collect();
        (format!("{:.2}", tally.mean()), format!("{:.2}", tally.deviation()))
    };
    let row = |what: &str, value| {
        let (mean, deviation) = sessions(value);
        vec![what.to_owned(), mean, deviation]
    };
    let rows = [
        row("files referenced", |session| session.files as f64),
        row("file size, bytes", |session| session.file_size),
        row("accesses per byte", |session| session.accesses_per_byte),
        row("bytes accessed", |session| session.bytes as f64),
    ];
    let head = format!("{} sessions of {} processes", usage.sessions.len(), usage.processes);
    text.push_str(&table(&[&head, "mean", "std"], &rows));
    text.push('\n');
    let call = |call: &CallUsage| {
        vec![
            call.call.clone(),
            call.calls.to_string(),
            format!("{:.2}", call.bytes_mean),
            format!("{:.2}", call.bytes_deviation),
            format!("{:.2}", call.response_us_mean),
            format!("{:.2}", call.response_us_deviation),
        ]
    };
    let mut rows = vec![call(&usage.accesses)];
    rows.extend(usage.calls.iter().map(call));
    text.push_str(&table(&["call", "calls", "bytes, mean", "std", "response µs, mean", "std"], &rows));
    text.push_str(&format!("\n  response time {:.4} µs a byte\n", usage.response_us_per_byte));
    text
}
