//! Traces of storage servers that Google published (Thesios, 2024): a table of reads and writes of files, columns named in its first line.
//!
//! | column | becomes |
//! | --- | --- |
//! | `filename`, `file_offset`, `request_io_size_bytes` | the file, where, and how much |
//! | `op_type` | `READ` or `WRITE` |
//! | `start_time` | when it came, in s since 1970 |
//! | `simulated_latency` | how long the server took, in s |
//! | `cache_hit` | whether it was answered from memory (1; 0 if not; -1 for writes) |
//!
//! Other columns are read over. Source: the README of github.com/google-research-datasets/thesios; Phothilimthana, Kadekodi, Ghodrati,
//! Moon & Maas, "Thesios: synthesizing accurate counterfactual I/O traces from I/O samples", ASPLOS 2024.

use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent, ReadCounts, Sample};
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind, FileKey};
use crate::field::{Columns, SECONDS, picoseconds, whole};
use crate::input::Input;
use petrio_time::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) const FACTS: Facts = Facts {
    // Shards are in order but for a few.
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit,
    parser: Parser::File(|_| Box::new(Thesios::default())),
};

/// The columns that are needed.
const NEEDED: [&str; 5] = ["filename", "file_offset", "request_io_size_bytes", "op_type", "start_time"];
const COLUMNS: &str = "those that the header names";

fn fit(sample: &Sample<'_>) -> Fit {
    let first = sample.lines.first().copied().unwrap_or_default();
    let names: Vec<&[u8]> = Columns::comma_separated(first, COLUMNS).collect();
    Fit::certain_if(NEEDED.iter().all(|needed| names.contains(&needed.as_bytes())))
}

#[derive(Default)]
struct Thesios {
    /// Positions of columns by their names; empty before the header.
    columns: BTreeMap<String, usize>,
    files: BTreeMap<Arc<str>, u64>,
    tally: ReadCounts,
}

impl Thesios {
    fn header(&mut self, line: &[u8]) -> Result<(), Problem> {
        let names = Columns::comma_separated(line, COLUMNS);
        self.columns =
            names.enumerate().map(|(at, name)| (String::from_utf8_lossy(name).into_owned(), at)).collect();
        match NEEDED.iter().find(|needed| !self.columns.contains_key(**needed)) {
            None => Ok(()),
            Some(missing) => Err(Problem::Header(format!("names no column \"{missing}\""))),
        }
    }

    fn event(&mut self, line: &[u8], at: u64) -> Result<RawEvent, Problem> {
        let cells: Vec<&[u8]> = Columns::comma_separated(line, COLUMNS).collect();
        let column = |name: &'static str| {
            let position = self.columns.get(name).copied();
            position.and_then(|position| cells.get(position).copied())
        };
        let needed = |name: &'static str| {
            column(name).ok_or(Problem::MissingColumn { column: name, columns: COLUMNS })
        };
        let kind = match needed("op_type")? {
            word if word.eq_ignore_ascii_case(b"read") => EventKind::Read,
            word if word.eq_ignore_ascii_case(b"write") => EventKind::Write,
            other => {
                let found = printable(other);
                return Err(Problem::UnknownOperation {
                    column: "op_type",
                    found,
                    expected: "READ or WRITE",
                });
            }
        };
        let clock = picoseconds(needed("start_time")?, SECONDS, "start_time")?;
        let latency = column("simulated_latency").filter(|text| !text.is_empty());
        let took = latency.map(|text| picoseconds(text, SECONDS, "simulated_latency")).transpose()?;
        let service = took.and_then(|took| u64::try_from(took).ok()).map(Time::from_picos);
        let (offset, length) = (
            whole(needed("file_offset")?, "file_offset")?,
            whole(needed("request_io_size_bytes")?, "request_io_size_bytes")?,
        );
        let hit = column("cache_hit").and_then(|text| match text {
            b"1" => Some(true),
            b"0" => Some(false),
            _ => None,
        });
        let path: Arc<str> = String::from_utf8_lossy(needed("filename")?).into();
        let next = self.files.len() as u64 + 1;
        let inode = *self.files.entry(path.clone()).or_insert(next);
        let mut record = Event::new(Time::ZERO, kind);
        (record.file, record.path) = (FileKey { device: 0, inode, generation: 0 }, Some(path));
        (record.offset, record.length, record.service, record.hit) = (Some(offset), length, service, hit);
        Ok(RawEvent { clock, at, record })
    }
}

impl Format<Event> for Thesios {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        if self.columns.is_empty() {
            let Some(line) = input.data_line()? else { return Ok(None) };
            self.header(line)?;
        }
        let lines = input.lines() + 1;
        let Some(line) = input.data_line()? else { return Ok(None) };
        Ok(Some(self.event(line, lines)?))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn is_since_1970(&self) -> bool {
        true
    }
}
