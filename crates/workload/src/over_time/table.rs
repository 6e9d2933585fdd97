//! A CSV over time. Its first line names its columns; any of these, in any order:
//!
//! | column | what |
//! | --- | --- |
//! | `time` | when the interval ended: seconds from any moment, or ISO 8601 |
//! | `interval_s` | how long it was; left out, since the row of the same device before |
//! | `device` | which disk; left out, there is one, called `disk` |
//! | `reads_per_s`, `writes_per_s` | requests a second; one of both is needed |
//! | `read_bytes_per_s`, `written_bytes_per_s` | also with `kib`, `mib`, `kb` or `mb` in the place of `bytes` |
//! | `read_await_ms`, `write_await_ms`, `await_ms` | how long one took with its wait, of reads, of writes, of both; also with `us` or `s` |
//! | `in_flight` | how many were under way on average |
//! | `busy_percent`, `busy` | the part of the time in which something was under way, of 100, of 1 |
//!
//! Cells are divided by commas or semicolons; an empty one is a figure that wasn't told. Other columns are named in a remark and left out.

use super::Gathered;
use super::clock::iso;
use super::interval::{Interval, Requests};
use crate::measurement::MeasurementError;
use std::collections::HashMap;

/// What a column tells, with the factor to seconds, bytes, parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    Time,
    Length,
    Device,
    Rate(Of),
    Bytes(Of, f64),
    Await(Of, f64),
    InFlight,
    Busy(f64),
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    Reads,
    Writes,
    Both,
}

const SIZES: [(&str, f64); 5] =
    [("bytes", 1.0), ("kib", 1024.0), ("mib", 1_048_576.0), ("kb", 1e3), ("mb", 1e6)];
const SPANS: [(&str, f64); 3] = [("ms", 1e-3), ("us", 1e-6), ("s", 1.0)];

fn column(name: &str) -> Column {
    let size = |rest: &str| SIZES.iter().find(|(unit, _)| *unit == rest).map(|(_, size)| *size);
    let span = |rest: &str| SPANS.iter().find(|(unit, _)| *unit == rest).map(|(_, size)| *size);
    let sized = |prefix: &str| name.strip_prefix(prefix)?.strip_suffix("_per_s").and_then(size);
    let awaited = |prefix: &str| name.strip_prefix(prefix).and_then(span);
    let found = sized("read_").map(|size| Column::Bytes(Of::Reads, size));
    let found = found.or_else(|| sized("written_").map(|size| Column::Bytes(Of::Writes, size)));
    let found = found.or_else(|| awaited("read_await_").map(|span| Column::Await(Of::Reads, span)));
    let found = found.or_else(|| awaited("write_await_").map(|span| Column::Await(Of::Writes, span)));
    let found = found.or_else(|| awaited("await_").map(|span| Column::Await(Of::Both, span)));
    found.unwrap_or(match name {
        "time" => Column::Time,
        "interval_s" => Column::Length,
        "device" => Column::Device,
        "reads_per_s" => Column::Rate(Of::Reads),
        "writes_per_s" => Column::Rate(Of::Writes),
        "in_flight" => Column::InFlight,
        "busy_percent" => Column::Busy(0.01),
        "busy" => Column::Busy(1.0),
        _ => Column::Other,
    })
}

impl Column {
    /// Whether both tell the same, be it in another unit.
    fn tells_as(self, other: Self) -> bool {
        match (self, other) {
            (Self::Bytes(one, _), Self::Bytes(other, _)) | (Self::Await(one, _), Self::Await(other, _)) => {
                one == other
            }
            (Self::Busy(_), Self::Busy(_)) => true,
            (one, other) => one == other,
        }
    }
}

/// The first line that says something, with its number.
fn head(text: &str) -> Option<(usize, &str)> {
    let mut lines = (1..).zip(text.lines());
    lines.find(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn names(line: &str) -> (char, Vec<String>) {
    let between = if line.contains(';') { ';' } else { ',' };
    let bare = |name: &str| name.trim().trim_matches('"').to_ascii_lowercase();
    (between, line.trim_start_matches('\u{feff}').split(between).map(bare).collect())
}

pub(super) fn is_it(text: &str) -> bool {
    head(text).is_some_and(|(_, line)| {
        let (_, names) = names(line);
        names.len() > 1 && names.iter().any(|name| matches!(column(name), Column::Rate(_)))
    })
}

pub(super) fn read(text: &str, said_s: Option<f64>) -> Result<Gathered, MeasurementError> {
    let mut found = Gathered::default();
    let Some((first, line)) = head(text) else { return Ok(found) };
    let (between, names) = names(line);
    let columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    for (place, known) in columns.iter().enumerate() {
        if *known != Column::Other && columns[..place].iter().any(|other| other.tells_as(*known)) {
            let problem = format!("\"{}\" is there twice, by this name or in another unit", names[place]);
            return Err(MeasurementError::at(first, problem).with_help("leave one of both out"));
        }
    }
    let unread: Vec<&str> = (names.iter().zip(&columns))
        .filter(|(_, column)| **column == Column::Other)
        .map(|(name, _)| name.as_str())
        .collect();
    if !unread.is_empty() {
        found.remark(format!("columns that are left out: {}", unread.join(", ")));
    }
    let mut before: HashMap<String, f64> = HashMap::new();
    let last = text.lines().count();
    for (number, line) in (1..).zip(text.lines()).skip(first) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split(between).map(|cell| cell.trim().trim_matches('"')).collect();
        if cells.len() != columns.len() {
            if number == last && !text.ends_with('\n') && cells.len() < columns.len() {
                found.remark(format!("line {number}, the last one, is cut off and left out"));
                continue;
            }
            let problem =
                format!("it has {} columns, and the line that names them {}", cells.len(), columns.len());
            return Err(MeasurementError::at(number, problem).with_help("give every row all columns"));
        }
        let (device, mut interval) = row((&names, &columns), &cells).map_err(|problem| {
            MeasurementError::at(number, problem).with_help("the columns stand in docs/measured.md")
        })?;
        if let Some(end) = interval.end_s {
            let from = before.insert(device.clone(), end).or_else(|| Some(end - said_s?));
            if interval.length_s.is_none()
                && let Some(from) = from
            {
                interval.length_s = found.length(from, end);
            }
        }
        found.add(number, &device, interval)?;
    }
    Ok(found)
}

fn row((names, columns): (&[String], &[Column]), cells: &[&str]) -> Result<(String, Interval), String> {
    let mut interval = Interval::default();
    let mut device = "disk".to_owned();
    let mut awaits: [Option<f64>; 3] = [None; 3];
    for ((column, cell), name) in columns.iter().zip(cells).zip(names) {
        if cell.is_empty() || *column == Column::Other {
            continue;
        }
        match column {
            Column::Device => (*cell).clone_into(&mut device),
            Column::Time => {
                let seconds = cell.parse().ok().or_else(|| iso(cell)).filter(|at: &f64| at.is_finite());
                interval.end_s = Some(seconds.ok_or_else(|| {
                    format!("\"{cell}\" is no time: seconds, or a time such as 2026-01-02T10:11:12Z")
                })?);
            }
            _ => {
                let value: f64 = cell.parse().map_err(|_| format!("{name}: \"{cell}\" is no number"))?;
                if !(0.0..1e15).contains(&value) {
                    return Err(format!("{name}: {cell} is nothing that a disk has"));
                }
                match column {
                    Column::Length if value > 0.0 => interval.length_s = Some(value),
                    Column::Length => return Err(format!("{name}: no interval lasts {cell} s")),
                    Column::Rate(Of::Writes) => interval.writes.per_s = value,
                    Column::Rate(_) => interval.reads.per_s = value,
                    Column::Bytes(Of::Writes, size) => interval.writes.bytes_per_s = value * size,
                    Column::Bytes(_, size) => interval.reads.bytes_per_s = value * size,
                    Column::Await(of, span) => awaits[*of as usize] = Some(value * span),
                    Column::InFlight => interval.in_flight = Some(value),
                    Column::Busy(_) if *column == Column::Busy(1.0) && value > 1.0 => {
                        return Err(format!(
                            "{name}: {cell} is more than all of the time; of 100 it is busy_percent"
                        ));
                    }
                    Column::Busy(size) => interval.busy = Some((value * size).min(1.0)),
                    Column::Time | Column::Device | Column::Other => {}
                }
            }
        }
    }
    let there = |requests: &Requests, told: Option<f64>| told.filter(|_| requests.per_s > 0.0);
    interval.reads.await_s = there(&interval.reads, awaits[Of::Reads as usize]);
    interval.writes.await_s = there(&interval.writes, awaits[Of::Writes as usize]);
    interval.await_s = awaits[Of::Both as usize].filter(|_| interval.rate() > 0.0);
    Ok((device, interval))
}
