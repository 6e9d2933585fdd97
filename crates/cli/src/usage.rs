//! How files were used, as tables.

use crate::table::table;
use petrio_kernel::statistics::Tally;
use petrio_page::numbers::counted;
use petrio_study::users::{Point, UsersFigures};
use petrio_trace::characterise::Distribution;
use petrio_users::{CallUsage, SessionUsage, Usage};

/// The analyser's figures on the terminal.
pub(crate) fn usage_tables(usage: &Usage) -> String {
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

/// Response time a byte of each measurement.
pub(super) fn figures_table(figures: &UsersFigures) -> String {
    let row = |name: &str, point: &Point| {
        let accesses = &point.accesses;
        vec![
            name.to_owned(),
            point.users.to_string(),
            point.who(),
            format!("{:.2} ({:.2})", accesses.bytes_mean, accesses.bytes_deviation),
            format!("{:.2} ({:.2})", accesses.response_us_mean, accesses.response_us_deviation),
            format!("{:.4}", point.response_us_per_byte),
        ]
    };
    let mut rows = Vec::new();
    for population in &figures.populations {
        rows.extend(population.points.iter().map(|point| row(&population.population, point)));
    }
    let sizes = figures.access_sizes.iter();
    rows.extend(sizes.map(|point| row(&format!("accesses of {} B", point.access_bytes.unwrap_or(0)), point)));
    let heads =
        ["population", "users", "at work", "bytes, mean (std)", "response µs, mean (std)", "µs a byte"];
    table(&heads, &rows)
}
