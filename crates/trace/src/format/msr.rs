//! MSR Cambridge trace: comma-separated Windows file time, host, disk, `Read|Write`, offset and length in bytes,
//! response time in 100 ns.
//!
//! Source: the README of the traces ("MSR Cambridge Traces 1", SNIA IOTTA; Narayanan, Donnelly & Rowstron, FAST 2008):
//! the time is when the request was issued, in units of 100 ns since 1601, and so is the response time. Hosts become
//! processes, in order of first appearance; the disk's number becomes the device's.

use super::measured::span;
use super::numbered::Numbered;
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of, exactly};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, FILE_TIME, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_persist::{Damage, Persist, Reader, Writer};

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| {
        Box::new(Msr { hosts: Numbered::default(), first: true, tally: ReadCounts::default() })
    }),
};

const COLUMNS: &str =
    "time in 100 ns, host, disk, Read or Write, offset in bytes, length in bytes, response time in 100 ns";
const HEADER_START: &[u8] = b"timestamp,";

fn fit(sample: &Sample<'_>) -> Fit {
    Fit::certain_if(sample.mostly(|line| {
        exactly(Columns::comma_separated(line, COLUMNS)).is_some_and(
            |[time, _, disk, operation, offset, bytes, response]: [&[u8]; 7]| {
                looks_numeric(time)
                    && [disk, offset, bytes].into_iter().all(looks_whole)
                    && operation.iter().all(u8::is_ascii_alphabetic)
                    && looks_numeric(response)
            },
        )
    }))
}

struct Msr {
    hosts: Numbered<Vec<u8>>,
    first: bool,
    tally: ReadCounts,
}

impl Format for Msr {
    fn stands_alone(&self) -> bool {
        true
    }

    fn save(&self, to: &mut Writer<'_>) {
        self.hosts.save(to);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.hosts.restore(from)
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let Some(mut line) = input.data_line()? else { return Ok(None) };
        if std::mem::take(&mut self.first) && starts_with_ignoring_case(line, HEADER_START) {
            let Some(next) = input.data_line()? else { return Ok(None) };
            line = next;
        }
        let (clock, record) = self.parse(line)?;
        Ok(Some(RawRecord { clock, at: input.lines(), record }))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

fn starts_with_ignoring_case(line: &[u8], start: &[u8]) -> bool {
    line.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}

impl Msr {
    fn parse(&mut self, line: &[u8]) -> Result<(u128, BlockRecord), Problem> {
        let mut columns = Columns::comma_separated(line, COLUMNS);
        let clock = picoseconds(columns.column("time")?, FILE_TIME, "time in 100 ns")?;
        let process = self.host(columns.column("host")?)?;
        let device = whole32(columns.column("disk")?, "disk")?;
        let direction = match columns.column("operation")? {
            word if word.eq_ignore_ascii_case(b"read") => Direction::Read,
            word if word.eq_ignore_ascii_case(b"write") => Direction::Write,
            other => {
                return Err(Problem::UnknownOperation {
                    column: "operation",
                    found: printable(other),
                    expected: "Read or Write",
                });
            }
        };
        let offset = whole(columns.column("offset")?, "offset in bytes")?;
        let bytes = whole(columns.column("length")?, "length in bytes")?;
        let response = columns.column("response time")?;
        let picos = picoseconds(response, FILE_TIME, "response time in 100 ns")?;
        let measured = Some(span(picos, response, "response time in 100 ns")?);
        columns.finish()?;
        let (address, blocks) = blocks_of(offset, bytes, &mut self.tally)?;
        Ok((clock, BlockRecord { process, device, measured, ..BlockRecord::new(direction, address, blocks) }))
    }

    fn host(&mut self, name: &[u8]) -> Result<u32, Problem> {
        self.hosts.number(name, || Problem::TooLarge {
            column: "host",
            found: printable(name),
            limit: "4096 different hosts",
        })
    }
}
