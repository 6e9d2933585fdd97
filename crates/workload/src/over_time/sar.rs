//! `sar -d`: rows that begin with their time; `sadf -d -- -d`, the same divided by semicolons; `sadf -j -- -d`, the same as JSON.
//!
//! sar counts reads and writes together. They are taken to be of one length, and how long they take is held against the prediction of both.
//! Source: sysstat's pr_stats.c (`print_disk_stats`), rndr_stats.c and json_stats.c.

use super::clock::{Clock, Stamp, iso, stamp};
use super::interval::Interval;
use super::{Gathered, json};
use crate::measurement::MeasurementError;
use crate::observed::{Column, Row, column, header};
use serde_json::Value;

/// A header is looked for in so many lines.
const LINES: usize = 64;
const RESTART: &str = "the machine was started anew in between";
const NO_TIMES: &str =
    "sar -b tells how much the whole machine reads and writes, and of no disk how long that takes";

pub(super) fn is_it(text: &str) -> bool {
    if json::is_sysstat(text) {
        return text.contains("\"disk-device\"")
            || text.contains("\"statistics\"") && !text.contains("\"disk_device\"");
    }
    text.lines().take(LINES).any(|line| is_of_sadf(line) || is_of_sar(line) || is_of_b(line))
}

fn is_of_sadf(line: &str) -> bool {
    line.starts_with('#') && line.contains(";timestamp;") && line.contains(";DEV;")
}

fn is_of_sar(line: &str) -> bool {
    header(line).is_some() && line.split_whitespace().any(|word| word == "DEV")
}

fn is_of_b(line: &str) -> bool {
    let has = |name: &str| line.split([' ', '\t', ';']).any(|word| word == name);
    has("rtps") && has("wtps")
}

pub(super) fn read(text: &str, _: Option<f64>) -> Result<Gathered, MeasurementError> {
    if json::is_sysstat(text) {
        return read_json(text);
    }
    let lines = || (1..).zip(text.lines());
    if lines().any(|(_, line)| is_of_sadf(line)) {
        return read_sadf(text);
    }
    if !lines().any(|(_, line)| is_of_sar(line)) {
        let at = lines().find(|(_, line)| is_of_b(line)).map_or(1, |(number, _)| number);
        return Err(MeasurementError::at(at, NO_TIMES).with_help("give what sar -d tells"));
    }
    read_screen(text)
}

fn read_screen(text: &str) -> Result<Gathered, MeasurementError> {
    let (mut found, mut clock) = (Gathered::default(), Clock::default());
    let mut columns: Option<Vec<Column>> = None;
    // When this interval began, and when it ends.
    let (mut begin, mut end): (Option<f64>, Option<f64>) = (None, None);
    let last = text.lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        if line.starts_with("Average:") || words.is_empty() {
            continue;
        }
        if line.contains("LINUX RESTART") {
            found.remark(RESTART);
            (begin, end, columns) = (None, None, None);
            continue;
        }
        let time = stamp(&words.join(" "));
        if let Some(known) = header(line).filter(|_| is_of_sar(line)) {
            columns = Some(known);
            if begin.is_none() && end.is_none() {
                end = time.map(|time| clock.seconds(time));
            }
            continue;
        }
        let Some(known) = &columns else { continue };
        let now = time.map(|time| clock.seconds(time));
        if now.is_some() && now != end {
            (begin, end) = (end, now);
        }
        match Row::of(line, known) {
            Ok(row) => {
                let length = begin.zip(end).and_then(|(from, to)| found.length(from, to));
                found.add(
                    number,
                    &row.name,
                    Interval { end_s: end, length_s: length, ..Interval::of_row(&row) },
                )?;
            }
            Err(_) if number == last && !text.ends_with('\n') => {
                found.remark(format!("line {number}, the last one, is cut off and left out"));
            }
            Err(problem) => {
                return Err(
                    MeasurementError::at(number, problem).with_help("paste the whole lines of sar -d")
                );
            }
        }
    }
    Ok(found)
}

/// `hostname;interval;timestamp;DEV;tps;…`
fn read_sadf(text: &str) -> Result<Gathered, MeasurementError> {
    let mut found = Gathered::default();
    let mut head: Vec<&str> = Vec::new();
    let last = text.lines().count();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(names) = line.strip_prefix('#') {
            head = names.trim().split(';').collect();
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        if line.contains("LINUX-RESTART") {
            found.remark(RESTART);
            continue;
        }
        let cells: Vec<&str> = line.split(';').collect();
        if cells.len() != head.len() {
            if number == last && !text.ends_with('\n') {
                found.remark(format!("line {number}, the last one, is cut off and left out"));
                continue;
            }
            let problem =
                format!("it has {} columns, and the line that names them {}", cells.len(), head.len());
            return Err(
                MeasurementError::at(number, problem).with_help("give all that sadf -d -- -d printed")
            );
        }
        let cell = |name: &str| head.iter().position(|known| *known == name).map(|place| cells[place]);
        let values: Result<Vec<(Column, f64)>, String> = head
            .iter()
            .zip(&cells)
            .filter(|(name, _)| !matches!(column(name), Column::Other | Column::Name))
            .map(|(name, cell)| Ok((column(name), Row::number(cell)?)))
            .collect();
        let values = values.map_err(|problem| MeasurementError::at(number, problem))?;
        let row = Row::new(cell("DEV").unwrap_or_default(), values);
        let time = cell("timestamp").unwrap_or_default();
        let end = iso(time).or_else(|| time.parse().ok()).filter(|at: &f64| at.is_finite());
        let length = cell("interval").and_then(|text| text.parse().ok());
        let interval = Interval {
            end_s: end,
            length_s: length.filter(|length: &f64| length.is_finite() && *length > 0.0),
            ..Interval::of_row(&row)
        };
        found.add(number, &row.name, interval)?;
    }
    Ok(found)
}

/// What sadf's JSON calls its columns.
fn json_column(key: &str) -> Column {
    match key {
        "rkB" => Column::ReadBytes(1024.0),
        "wkB" => Column::WrittenBytes(1024.0),
        "util-percent" => Column::Busy,
        // Of versions before 11.7 they are the only ones, of later ones the same once more.
        "rd_sec" | "wr_sec" | "avgqu-sz" => Column::Other,
        key => column(key),
    }
}

/// The same of versions that have sectors alone.
fn old_json_column(key: &str) -> Column {
    match key {
        "rd_sec" => Column::ReadBytes(512.0),
        "wr_sec" => Column::WrittenBytes(512.0),
        "avgqu-sz" => Column::UnderWay,
        key => json_column(key),
    }
}

fn read_json(text: &str) -> Result<Gathered, MeasurementError> {
    let (mut found, mut clock) = (Gathered::default(), Clock::default());
    for statistics in json::statistics(text)? {
        for (number, report) in (1..).zip(&statistics) {
            let Some(disks) = report.get("disk").and_then(Value::as_array) else { continue };
            let part = |key: &str| report.pointer(&format!("/timestamp/{key}")).and_then(Value::as_str);
            let when = part("date").zip(part("time")).and_then(|(date, time)| iso(&format!("{date} {time}")));
            let end_s = when.map(|at| clock.seconds(Stamp::Absolute(at)));
            let length_s = report.pointer("/timestamp/interval").and_then(Value::as_f64);
            for disk in disks {
                let name = |key: &str| {
                    if disk.get("rkB").is_some() { json_column(key) } else { old_json_column(key) }
                };
                let row = json::row(disk, "disk-device", name)
                    .map_err(|problem| MeasurementError::of(format!("report {number}: {problem}")))?;
                let length_s = length_s.filter(|length| *length > 0.0);
                found.add(number, &row.name, Interval { end_s, length_s, ..Interval::of_row(&row) })?;
            }
        }
    }
    if found.count == 0 {
        return Err(
            MeasurementError::of("there is no disk in it").with_help("ask for disks: sadf -j FILE -- -d")
        );
    }
    Ok(found)
}
