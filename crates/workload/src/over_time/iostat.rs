//! `iostat -x`: a table for each report, before which stands its time where `-t` was given; and the same as JSON.
//!
//! The first report behind a banner ("Linux 6.1.0 (host) …") is of all the time since the machine was started and is left out; so is the
//! first of a text without one. `-y` leaves it out already: then one interval is lost. Source: sysstat's iostat.c, `write_stats`.

use super::clock::{Clock, iso, stamp};
use super::interval::Interval;
use super::{Gathered, json};
use crate::measurement::MeasurementError;
use crate::observed::{Column, Row, column, header};
use serde_json::Value;

pub(super) const HELP: &str = "paste the whole lines of iostat -x";

/// A header is looked for in so many lines.
const LINES: usize = 64;

pub(super) fn is_it(text: &str) -> bool {
    if json::is_sysstat(text) {
        return text.contains("\"disk_device\"");
    }
    text.lines().take(LINES).any(|line| header(line).is_some() && of_iostat(line))
}

fn of_iostat(line: &str) -> bool {
    line.split_whitespace().any(|word| word.trim_end_matches(':') == "Device")
}

pub(super) fn read(text: &str, _: Option<f64>) -> Result<Gathered, MeasurementError> {
    if json::is_sysstat(text) {
        return read_json(text);
    }
    let mut reports = Reports { since_start: true, ..Reports::default() };
    let mut columns: Option<Vec<Column>> = None;
    let ends_whole = text.ends_with('\n');
    let last = text.lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(found) = header(line) {
            columns = Some(found);
            reports.begin();
            continue;
        }
        if line.starts_with("Linux ") {
            reports.since_start = true;
            reports.before = None;
        }
        if line.trim().is_empty() {
            columns = None;
            continue;
        }
        let Some(known) = &columns else {
            reports.at = stamp(line).map(|stamp| reports.clock.seconds(stamp)).or(reports.at);
            continue;
        };
        match Row::of(line, known) {
            Ok(row) => reports.row(number, &row)?,
            // Somebody ended iostat, or copied while it was printing.
            Err(_) if number == last && !ends_whole => {
                reports.found.remark(format!("line {number}, the last one, is cut off and left out"));
            }
            Err(problem) => return Err(MeasurementError::at(number, problem).with_help(HELP)),
        }
    }
    Ok(reports.found)
}

/// What is known while reports are read.
#[derive(Default)]
struct Reports {
    found: Gathered,
    clock: Clock,
    /// The next report is of all the time since the machine was started.
    since_start: bool,
    /// This one is.
    skip: bool,
    /// When this report ended, and the one before it.
    at: Option<f64>,
    before: Option<f64>,
    ends: Option<f64>,
    length: Option<f64>,
}

impl Reports {
    fn begin(&mut self) {
        self.skip = std::mem::take(&mut self.since_start);
        self.ends = self.at.take();
        self.length = match (self.before, self.ends) {
            (Some(from), Some(to)) if !self.skip => self.found.length(from, to),
            _ => None,
        };
        self.before = self.ends;
    }

    fn row(&mut self, line: usize, row: &Row) -> Result<(), MeasurementError> {
        if self.skip {
            return Ok(());
        }
        self.found.besides.0 += row.sum(Column::Besides);
        let interval = Interval { end_s: self.ends, length_s: self.length, ..Interval::of_row(row) };
        self.found.add(line, &row.name, interval)
    }
}

/// `iostat -o JSON`: a list of statistics, each with its time where `-t` was given.
fn read_json(text: &str) -> Result<Gathered, MeasurementError> {
    let mut reports = Reports::default();
    for statistics in json::statistics(text)? {
        reports.since_start = true;
        for (number, report) in (1..).zip(&statistics) {
            let Some(disks) = report.get("disk").and_then(Value::as_array) else { continue };
            let time = report.get("timestamp").and_then(Value::as_str);
            reports.at = time.and_then(|time| {
                let absolute = iso(time).map(super::clock::Stamp::Absolute);
                Some(reports.clock.seconds(absolute.or_else(|| stamp(time))?))
            });
            reports.begin();
            for disk in disks {
                let row = json::row(disk, "disk_device", |key| match key {
                    "util" => Column::Busy,
                    key => column(key),
                })
                .map_err(|problem| MeasurementError::of(format!("report {number}: {problem}")))?;
                reports.row(number, &row)?;
            }
        }
    }
    Ok(reports.found)
}
