//! How users used files, as a page: the thesis' figures 5.3 to 5.5 and its table 5.3.

use super::analyse::AnalysedUsage;
use crate::page::STYLE;
use crate::page::curves::{SERIES_MAX, durations, sizes};
use crate::page::histogram::histogram;
use crate::page::parts::{figure, note, table, tile};
use petrio_scenario::report::figures::{counted, grouped};
use petrio_scenario::report::html::{Axis, document, escaped};
use petrio_scenario::report::{ReportError, write_text};
use petrio_trace::characterise::Distribution;
use petrio_users::{CallUsage, SessionUsage, Usage};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the page. The file is complete or absent; the same run gives the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_usage_html(found: &AnalysedUsage, path: &Path) -> Result<(), ReportError> {
    write_text(path, &page(found))
}

fn page(found: &AnalysedUsage) -> String {
    let usage = &found.usage;
    let mut out = String::new();
    let _ = write!(
        out,
        "<header>\n<h1>How users used files</h1>\n<p>{} of {}</p>\n<p class=\"quiet\">{}</p>\n</header>\n",
        counted(usage.sessions.len() as u64, "login session", "login sessions"),
        counted(usage.processes, "process", "processes"),
        escaped(if found.command.is_empty() { &found.run } else { &found.command })
    );
    out.push_str("<section class=\"tiles\" aria-label=\"Summary\">\n");
    tile(&mut out, "Reads and writes", &grouped(usage.accesses.calls));
    tile(&mut out, "Mean access", &format!("{:.0} B", usage.accesses.bytes_mean));
    tile(&mut out, "Mean response", &format!("{:.1} µs", usage.accesses.response_us_mean));
    tile(&mut out, "Response a byte", &format!("{:.4} µs", usage.response_us_per_byte));
    out.push_str("</section>\n");
    sessions(&mut out, usage);
    calls(&mut out, usage);
    document("How users used files", STYLE, &out, "the same run gives the same page")
}

fn sessions(out: &mut String, usage: &Usage) {
    type Value = fn(&SessionUsage) -> f64;
    type Kind = fn(f64, f64, f64, f64) -> Axis;
    let plots: [(&str, &str, Value, Kind); 3] = [
        (
            "Accesses per byte",
            "mean over a session's files",
            |session| session.accesses_per_byte,
            Axis::linear,
        ),
        ("File size", "mean over a session's files, bytes", |session| session.file_size, Axis::linear),
        ("Files referenced", "files of a session", |session| session.files as f64, Axis::linear),
    ];
    out.push_str("<section>\n<h2>Sessions</h2>\n<div class=\"plots\">\n");
    for (title, across, value, kind) in plots {
        let values: Vec<f64> = usage.sessions.iter().map(value).collect();
        if let Some((plot, key)) = histogram(&values, across, kind) {
            figure(out, title, &plot, &key);
        }
    }
    out.push_str("</div>\n");
    if usage.sessions.len() < 2 {
        out.push_str(&note("Histograms need more than one session."));
    }
    out.push_str("</section>\n");
}

fn calls(out: &mut String, usage: &Usage) {
    out.push_str("<section>\n<h2>Calls</h2>\n");
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
    table(
        out,
        &["call", "calls", "bytes, mean (std)", "response time in µs, mean (std)", "p50", "p99"],
        rows,
    );
    let of = |distribution: fn(&CallUsage) -> Option<&Distribution>| {
        let mut calls: Vec<&CallUsage> = usage.calls.iter().collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.calls));
        let told = calls.into_iter().filter_map(|call| Some((call.call.clone(), distribution(call)?)));
        told.take(SERIES_MAX).collect::<Vec<_>>()
    };
    out.push_str("<div class=\"plots\">\n");
    if let Some((plot, key)) =
        sizes(&of(|call| call.bytes.as_ref()), "access size", "% of calls at most so large")
    {
        figure(out, "Access size by call", &plot, &key);
    }
    let responses = of(|call| call.response_us.as_ref());
    if let Some((plot, key)) = durations(&responses, "response time", "% of calls at most so long") {
        figure(out, "Response time by call", &plot, &key);
    }
    out.push_str("</div>\n");
    out.push_str("</section>\n");
}
