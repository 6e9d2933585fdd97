//! The report on a terminal, to be read at a glance. Width-aware, and without colour nothing is lost.

mod processes;
mod shares;

use crate::estimate::Estimate;
use crate::latency::Latency;
use crate::section::Forms;
use crate::sections::on_terminal;
use crate::served::{OperationFigures, Served};
use crate::subject::Subject;
use crate::summary::{Report, StageFigures, WallClock};
use crate::waiting::Waiting;
use petrio_page::numbers::{
    bytes, counted, grouped, mean_number, per_cent, rate_unit, seconds, significant, time_in, time_unit,
};
use processes::processes;
use shares::{apart, breakdown};
use std::fmt::Write;

/// A report is laid out for no less and no more than this many columns.
const WIDTHS: (usize, usize) = (76, 120);

/// Rates of so many kinds are told one by one.
pub(super) const KINDS_MAX: usize = 4;

/// So many columns of a name in a table are told however narrow the terminal is.
pub(super) const SHORTEST_NAME: usize = 12;

/// The report as text for a terminal `width` columns wide. Ends with a newline.
pub fn terminal_text(report: &Report, wall: Option<WallClock>, width: usize) -> String {
    let width = width.clamp(WIDTHS.0, WIDTHS.1);
    let mut out = String::new();
    head(&mut out, report, wall, width);
    for served in report.each() {
        out.push('\n');
        if report.beside.is_some() {
            labelled(&mut out, served.subject.many(), &served.workload, width);
        }
        figures(&mut out, served, width);
        if let (Some(confidence), true) = (report.confidence, report.replications > 1) {
            let _ = writeln!(
                out,
                "              ± is the half-width of the {} confidence interval",
                per_cent(confidence)
            );
        }
        let own = report.model_error.iter().filter(|error| error.subject == served.subject);
        own.cloned().collect::<Vec<_>>().terminal(&mut out, width);
        breakdown(&mut out, served, width);
        apart(&mut out, served, width);
    }
    stages(&mut out, &report.stages, width);
    on_terminal(report).iter().for_each(|section| section.terminal(&mut out, width));
    foot(&mut out, report, width);
    out
}

// Writing to a string can't fail, so the results of `writeln!` are dropped throughout.

fn head(out: &mut String, report: &Report, wall: Option<WallClock>, width: usize) {
    let title = match (&report.beside, report.served.workload.as_str()) {
        (None, workload) if !workload.is_empty() => format!("{} · {workload}", report.title),
        _ => report.title.clone(),
    };
    for line in wrapped(&title, width - 2) {
        let _ = writeln!(out, "  {line}");
    }
    let took = wall.map(|wall| format!(" in {}", seconds(wall.seconds))).unwrap_or_default();
    let runs = match report.replications {
        0 | 1 => String::new(),
        runs => format!("{runs} replications, "),
    };
    let right = format!("{runs}simulated {}{took}, seed {}", seconds(report.simulated_s), report.seed);
    let left = format!("on {}", report.system);
    if report.system.is_empty() {
        let _ = writeln!(out, "  {right}");
    } else if 4 + length(&left) + length(&right) <= width {
        let gap = width - 2 - length(&left) - length(&right);
        let _ = writeln!(out, "  {left}{:gap$}{right}", "");
    } else {
        for line in wrapped(&left, width - 2) {
            let _ = writeln!(out, "  {line}");
        }
        let _ = writeln!(out, "  {right}");
    }
}

fn figures(out: &mut String, served: &Served, width: usize) {
    let (unit, size) = rate_unit(served.throughput_bytes_per_s.value);
    let parts = [
        format!("{} {unit}", served.throughput_bytes_per_s.scaled(size)),
        format!("{} {}/s", served.requests_per_s.scaled(1.0), served.subject.many()),
        format!("{} moved", bytes(served.bytes)),
    ];
    flowing(out, "throughput", &parts, width);
    match &served.latency {
        None => {
            let waiting = served.waiting.map(|waiting| format!(": {}", waiting.words())).unwrap_or_default();
            let _ = writeln!(out, "  latency     – (no {} completed{waiting})", served.subject.one());
        }
        Some(latency) if served.is_mixed() => mixed_line(out, latency, width),
        Some(latency) => latency_line(out, "latency", latency, width),
    }
    match served.subject {
        Subject::BlockRequests => {
            if let Some(latency) = &served.read_latency {
                latency_line(out, "  reads", latency, width);
            }
            if let Some(latency) = &served.write_latency {
                latency_line(out, "  writes", latency, width);
            }
            if let Some(latency) = &served.flush_latency {
                latency_line(out, "  flushes", latency, width);
            }
        }
        Subject::FileOperations => kinds(out, served, width),
    }
    workloads(out, served, width);
    processes(out, &served.processes, served.processes_left_out, width);
    for depths in &served.depths {
        labelled(out, "submitted", &depths.sentence(), width);
    }
    for transactions in &served.transactions {
        labelled(out, "transacted", &transactions.sentence(), width);
    }
    for deadline in &served.deadlines {
        labelled(out, "deadline", &deadline.sentence(), width);
    }
}

/// "221 fdatasync/s".
pub(super) fn kind_rate(kind: &OperationFigures) -> String {
    format!("{} {}/s", kind.per_s.scaled(1.0), kind.operation)
}

/// What each of several workloads got over its own span.
fn workloads(out: &mut String, served: &Served, width: usize) {
    if served.workloads.is_empty() {
        return;
    }
    let _ = writeln!(out, "  by workload");
    for row in &served.workloads {
        let (unit, size) = rate_unit(row.throughput_bytes_per_s.value);
        // Of a commit that writes and makes durable, both together say nothing.
        let mut parts: Vec<String> = match row.operations.len() {
            2..=KINDS_MAX => row.operations.iter().map(kind_rate).collect(),
            _ => vec![format!("{}/s", row.per_s.scaled(1.0))],
        };
        parts.push(format!("{} {unit}", row.throughput_bytes_per_s.scaled(size)));
        match &row.latency {
            Some(latency) => {
                let unit = time_unit(latency.mean_ms.value);
                parts.push(format!("mean {} {}", latency.mean_ms.scaled(unit.1), unit.0));
                if row.operations.is_empty() {
                    parts.push(format!("p99 {}", timed(latency.p99_ms, unit)));
                    parts.extend(longer(latency, row.waiting));
                }
            }
            None => {
                parts.push("none completed".to_owned());
                parts.extend(row.waiting.map(Waiting::words));
            }
        }
        parts.push(format!("from {} to {}", seconds(row.from_s), seconds(row.until_s)));
        flowing(out, &format!("  {}", row.workload), &parts, width);
        for kind in &row.operations {
            kind_line(out, &format!("    {}", kind.operation), kind, width);
        }
    }
}

/// The latency of several kinds of requests together, of which percentiles would say little.
fn mixed_line(out: &mut String, latency: &Latency, width: usize) {
    let unit = time_unit(latency.mean_ms.value);
    let parts = [
        format!("mean {} {}", latency.mean_ms.scaled(unit.1), unit.0),
        format!("max {}", timed(latency.max_ms, unit)),
        "of all kinds together".to_owned(),
    ];
    flowing(out, "latency", &parts, width);
}

/// File operations of more than one kind: how many of each, and how long they take.
fn kinds(out: &mut String, served: &Served, width: usize) {
    let [_, _, ..] = served.operations.as_slice() else { return };
    for kind in &served.operations {
        kind_line(out, &format!("  {}", kind.operation), kind, width);
    }
    let parts: Vec<String> = served
        .operations
        .iter()
        .map(|kind| format!("{} {} ({}/s)", kind.operation, grouped(kind.completed), kind.per_s.scaled(1.0)))
        .collect();
    flowing(out, "operations", &parts, width);
}

/// A kind of operations, of which some may wait longer than any took, or none have completed.
fn kind_line(out: &mut String, name: &str, kind: &OperationFigures, width: usize) {
    match &kind.latency {
        Some(latency) => latency_parts(out, name, latency, longer(latency, kind.waiting), width),
        None => {
            let waiting = kind.waiting.map(Waiting::words);
            let parts: Vec<String> = std::iter::once("none completed".to_owned()).chain(waiting).collect();
            flowing(out, name, &parts, width);
        }
    }
}

/// What has been under way for longer than any took that completed.
pub(super) fn longer(latency: &Latency, waiting: Option<Waiting>) -> Option<String> {
    let waiting = waiting.filter(|waiting| waiting.oldest_s * 1e3 > latency.max_ms.value)?;
    Some(waiting.words())
}

fn latency_line(out: &mut String, name: &str, latency: &Latency, width: usize) {
    latency_parts(out, name, latency, None, width);
}

fn latency_parts(out: &mut String, name: &str, latency: &Latency, more: Option<String>, width: usize) {
    let unit = time_unit(latency.mean_ms.value);
    let parts = [
        format!("mean {} {}", latency.mean_ms.scaled(unit.1), unit.0),
        format!("p50 {}", timed(latency.p50_ms, unit)),
        format!("p90 {}", timed(latency.p90_ms, unit)),
        format!("p99 {}", timed(latency.p99_ms, unit)),
        format!("p99.9 {}", timed(latency.p99_9_ms, unit)),
        format!("max {}", timed(latency.max_ms, unit)),
    ];
    flowing(out, name, &parts.into_iter().chain(more).collect::<Vec<String>>(), width);
}

/// Parts side by side behind a name, in as many lines as they need.
fn flowing(out: &mut String, name: &str, parts: &[String], width: usize) {
    const INDENT: usize = 12;
    let _ = write!(out, "  {name:<10}");
    // A long name takes a part of the gap.
    let over = length(name).saturating_sub(INDENT - 2).min(1);
    let mut column = INDENT;
    for (index, part) in parts.iter().enumerate() {
        if column > INDENT && column + 3 + length(part) > width {
            let _ = write!(out, "\n{:INDENT$}", "");
            column = INDENT;
        }
        let gap = match column {
            INDENT if index == 0 => 2 - over,
            INDENT => 2,
            _ => 3,
        };
        let _ = write!(out, "{:gap$}{part}", "");
        column += gap + length(part);
    }
    out.push('\n');
}

/// A time in the unit of those beside it, or in one of its own where that doesn't suit it.
fn timed(figure: Estimate, unit: (&str, f64)) -> String {
    let value = time_in(unit, figure.value);
    match figure.half_width {
        Some(half_width) => format!("{value} ± {}", time_in(unit, half_width)),
        None => value,
    }
}

fn stages(out: &mut String, stages: &[StageFigures], width: usize) {
    if stages.is_empty() {
        return;
    }
    let or_dash = |value: Option<f64>, text: &dyn Fn(f64) -> String| value.map_or("–".to_owned(), text);
    let heads = ["stage", "arrivals", "utilisation", "mean queue", "mean wait", "mean service"];
    let rows: Vec<[String; 6]> = shown(stages)
        .map(|stage| {
            [
                match &stage.members {
                    Some(members) => format!("{} ({})", stage.name, grouped(members.count)),
                    None => stage.name.clone(),
                },
                grouped(stage.arrivals),
                or_dash(stage.utilisation, &|busy| busy_servers(stage, busy)),
                or_dash(stage.mean_queue, &mean_number),
                or_dash(stage.mean_wait_ms, &petrio_page::numbers::time),
                or_dash(stage.mean_service_ms, &petrio_page::numbers::time),
            ]
        })
        .collect();
    let mut widths = heads.map(length);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(length(cell));
        }
    }
    // A long path is cut in its middle rather than allowed to break the table.
    let others: usize = widths[1..].iter().map(|width| width + 2).sum();
    widths[0] = widths[0].min(width.saturating_sub(2 + others).max(SHORTEST_NAME));
    out.push('\n');
    let mut line = |cells: &[String; 6]| {
        let _ = write!(out, "  {:<first$}", shortened(&cells[0], widths[0]), first = widths[0]);
        for (cell, width) in cells[1..].iter().zip(&widths[1..]) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    };
    line(&heads.map(str::to_owned));
    rows.iter().for_each(&mut line);
    for stage in shown(stages) {
        let Some(members) = &stage.members else { continue };
        let figure = if stage.utilisation.is_some() { per_cent } else { significant };
        let (least, most) = (figure(members.least), figure(members.most));
        // What says nothing that the row doesn't.
        if least != most && stage.utilisation.is_some() {
            let _ = writeln!(out, "  {} is the busiest with {most}, the least has {least}", members.busiest);
        }
    }
}

/// How busy a stage is, and of how many servers: "86 %", "43 % of 4".
pub(super) fn busy_servers(stage: &StageFigures, busy: f64) -> String {
    match stage.servers {
        Some(servers) if servers > 1 => format!("{} of {}", per_cent(busy), grouped(servers.into())),
        _ => per_cent(busy),
    }
}

/// Rows worth a line: a wait that nobody had is none.
pub(super) fn shown(stages: &[StageFigures]) -> impl Iterator<Item = &StageFigures> {
    stages.iter().filter(|stage| stage.arrivals > 0 || stage.utilisation.is_some())
}

/// A table's lines, set in.
pub(super) fn indented(out: &mut String, table: &str, by: usize, width: usize) {
    for line in table.lines() {
        let _ = writeln!(out, "{:by$}{}", "", shortened(line, width - by));
    }
}

fn foot(out: &mut String, report: &Report, width: usize) {
    if let Some(bottleneck) = &report.bottleneck {
        out.push('\n');
        let text = format!("{}, {}. {}", bottleneck.named_stage(), bottleneck.why(), bottleneck.sentences());
        labelled(out, "bottleneck", text.trim_end(), width);
        for (label, command) in bottleneck.commands() {
            labelled(out, label, &command, width);
        }
    }
    report.each().for_each(|served| left_over(out, served, width));
    for assumption in &report.assumptions {
        labelled(out, "assumed", &assumption.text, width);
    }
    for warning in &report.warnings {
        labelled(out, "warning", &warning.text, width);
    }
}

/// What the figures leave out.
fn left_over(out: &mut String, served: &Served, width: usize) {
    if let Some(closing_s) = served.closing_s {
        let with =
            served.bytes as f64 / (served.bytes as f64 / served.throughput_bytes_per_s.value + closing_s);
        let (unit, size) = rate_unit(with);
        let mut text = format!("what closed the run took {} more, which doesn't count", seconds(closing_s));
        if with.is_finite() {
            text.push_str(&format!("; with it {} {unit}", significant(with / size)));
        }
        labelled(out, "closing", &text, width);
    }
    if served.requests.in_flight > 0 {
        let (one, many) = (served.subject.one(), served.subject.many());
        let text = match served.waiting {
            Some(waiting) => waiting.words_of(one, many),
            None => {
                format!("{} not completed when the run ended", counted(served.requests.in_flight, one, many))
            }
        };
        labelled(out, "in flight", &text, width);
    }
}

/// Adds words behind a label, in lines of at most `width` columns.
pub fn labelled(out: &mut String, label: &str, text: &str, width: usize) {
    for (index, line) in wrapped(text, width - 14).iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let _ = writeln!(out, "  {label:<10}  {line}");
    }
}

pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// Lines of at most `width` columns, broken at blanks where possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if length(line) + 1 + length(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// At most `width` columns, the middle left out.
pub(super) fn shortened(text: &str, width: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(1);
    let head: String = characters[..kept / 2].iter().collect();
    let tail: String = characters[characters.len() - (kept - kept / 2)..].iter().collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_figure_is_lost() {
        let report = example();
        for width in [76, 80, 100, 120] {
            let text = terminal_text(&report, Some(WallClock { seconds: 0.08 }), width);
            for line in text.lines() {
                assert!(length(line) <= width, "{width}: {line}");
            }
            for figure in ["644", "4.31", "p99.9", "38 %", "d0/mechanics", "86 %", "seed 1"] {
                assert!(text.contains(figure), "{figure} at width {width}:\n{text}");
            }
        }
    }

    #[test]
    fn the_report_reads_as_the_design_sketches_it() {
        insta::assert_snapshot!(terminal_text(&example(), Some(WallClock { seconds: 0.08 }), 100));
    }
}
