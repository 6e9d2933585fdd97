//! How files were used, as tables.

use crate::table::table;
use petrio_kernel::statistics::Tally;
use petrio_scenario::report::figures::counted;
use petrio_workload::trace::characterise::Distribution;
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
    let head = format!(
        "{} of {}",
        counted(usage.sessions.len() as u64, "session", "sessions"),
        counted(usage.processes, "process", "processes")
    );
    text.push_str(&table(&[&head, "mean", "std"], &rows));
    text.push('\n');
    let quantile = |call: &CallUsage, part: fn(&Distribution) -> f64| {
        call.response_us.as_ref().map_or_else(String::new, |found| format!("{:.2}", part(found)))
    };
    let call = |call: &CallUsage| {
        vec![
            call.call.clone(),
            call.calls.to_string(),
            format!("{:.2}", call.bytes_mean),
            format!("{:.2}", call.bytes_deviation),
            format!("{:.2}", call.response_us_mean),
            format!("{:.2}", call.response_us_deviation),
            quantile(call, |found| found.p50),
            quantile(call, |found| found.p99),
        ]
    };
    let mut rows = vec![call(&usage.accesses)];
    rows.extend(usage.calls.iter().map(call));
    text.push_str(&table(
        &["call", "calls", "bytes, mean", "std", "response µs, mean", "std", "p50", "p99"],
        &rows,
    ));
    text.push_str(&format!("\n  response time {:.4} µs a byte\n", usage.response_us_per_byte));
    text
}
