//! How users used files, as a page, and as figures for whoever draws them: the thesis' figures 5.3 to 5.5 and its table 5.3.

use super::analyse::AnalysedUsage;
use crate::page::distributions;
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Figure, Quantity, SERIES_MAX};
use petrio_page::histogram::histogram;
use petrio_page::numbers::{counted, grouped};
use petrio_page::page::{Page, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use petrio_trace::characterise::Distribution;
use petrio_users::{CallUsage, SessionUsage, Usage};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same run gives the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_usage_html(found: &AnalysedUsage, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

fn page(found: &AnalysedUsage) -> Page {
    let usage = &found.usage;
    let mut page = Page::new("How users used files");
    let sessions = counted(usage.sessions.len() as u64, "login session", "login sessions");
    let origin = if found.command.is_empty() { &found.run } else { &found.command };
    page.below = vec![
        format!("{sessions} of {}", counted(usage.processes, "process", "processes")).into(),
        Text::default().quiet(origin.as_str()),
    ];
    page.tiles([
        ("Reads and writes".to_owned(), grouped(usage.accesses.calls)),
        ("Mean access".to_owned(), format!("{:.0} B", usage.accesses.bytes_mean)),
        ("Mean response".to_owned(), format!("{:.1} µs", usage.accesses.response_us_mean)),
        ("Response a byte".to_owned(), format!("{:.4} µs", usage.response_us_per_byte)),
    ]);
    page.heading("Sessions");
    page.figures(session_histograms(usage));
    if usage.sessions.len() < 2 {
        page.note("Histograms need more than one session.");
    }
    calls(&mut page, usage);
    page.foot = "the same run gives the same page".to_owned();
    page
}

/// How sessions differ: histograms of what they did, of those measures in which they do.
pub fn session_histograms(usage: &Usage) -> Vec<Figure> {
    type Value = fn(&SessionUsage) -> f64;
    let all: [(&str, &str, Quantity, Value); 3] = [
        ("Accesses per byte", "mean over a session's files", Quantity::Number, |session| {
            session.accesses_per_byte
        }),
        ("File size", "mean over a session's files", Quantity::Bytes, |session| session.file_size),
        ("Files referenced", "files of a session", Quantity::Number, |session| session.files as f64),
    ];
    let histogram = |(title, across, quantity, value): (&str, &str, Quantity, Value)| {
        let values: Vec<f64> = usage.sessions.iter().map(value).collect();
        histogram(&values, title, (across, quantity), "sessions")
    };
    all.into_iter().filter_map(histogram).collect()
}

fn calls(page: &mut Page, usage: &Usage) {
    page.heading("Calls");
    let quantile = |call: &CallUsage, part: fn(&Distribution) -> f64| {
        call.response_us.as_ref().map_or_else(|| "–".to_owned(), |found| format!("{:.2}", part(found)))
    };
    let row = |call: &CallUsage| {
        vec![
            call.call.clone(),
            grouped(call.calls),
            format!("{:.2} ({:.2})", call.bytes_mean, call.bytes_deviation),
            format!("{:.2} ({:.2})", call.response_us_mean, call.response_us_deviation),
            quantile(call, |found| found.p50),
            quantile(call, |found| found.p99),
        ]
    };
    let rows = std::iter::once(&usage.accesses).chain(&usage.calls).map(row);
    let heads = ["call", "calls", "bytes, mean (std)", "response time in µs, mean (std)", "p50", "p99"];
    page.table(Table::new(heads).with(rows));
    let of = |distribution: fn(&CallUsage) -> Option<&Distribution>| {
        let mut calls: Vec<&CallUsage> = usage.calls.iter().collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.calls));
        let told = calls.into_iter().filter_map(|call| Some((call.call.clone(), distribution(call)?)));
        told.take(SERIES_MAX).collect::<Vec<_>>()
    };
    let (sizes, responses) = (of(|call| call.bytes.as_ref()), of(|call| call.response_us.as_ref()));
    let bytes = ("access size", Quantity::Bytes, 1.0);
    let time = ("response time", Quantity::Duration, 1e-6);
    let all = [
        distributions("Access size by call", &sizes, bytes, "of calls at most so large"),
        distributions("Response time by call", &responses, time, "of calls at most so long"),
    ];
    page.figures(all.into_iter().flatten());
}
