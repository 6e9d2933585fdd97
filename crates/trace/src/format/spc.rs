//! SPC trace: comma-separated application storage unit, first block, bytes, `R|W` in either case, time in s.
//!
//! Further columns are optional and free in form, and are left out. Source: SPC Trace File Format Specification,
//! revision
//! 1.0.1 (Storage Performance Council, 2002); the Financial and WebSearch traces of the UMass repository. Blocks are of
//! 512 bytes, as in those traces; the unit's number becomes the device's.

use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, SECONDS, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Spc { tally: ReadCounts::default() })),
};

const COLUMNS: &str = "unit, block, length in bytes, R or W, time in s";

fn fit(sample: &Sample<'_>) -> Fit {
    Fit::certain_if(sample.mostly(|line| {
        let mut columns = Columns::comma_separated(line, COLUMNS);
        let mut next = || columns.next().unwrap_or_default();
        let (unit, block, bytes, operation, time) = (next(), next(), next(), next(), next());
        [unit, block, bytes].into_iter().all(looks_whole)
            && operation.len() == 1
            && operation[0].is_ascii_alphabetic()
            && looks_numeric(time)
    }))
}

struct Spc {
    tally: ReadCounts,
}

impl Format for Spc {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let Some(line) = input.data_line()? else { return Ok(None) };
        let (clock, record) = parse(line, &mut self.tally)?;
        Ok(Some(RawRecord { clock, at: input.lines(), record }))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

fn parse(line: &[u8], tally: &mut ReadCounts) -> Result<(u128, BlockRecord), Problem> {
    let mut columns = Columns::comma_separated(line, COLUMNS);
    let device = whole32(columns.column("unit")?, "unit")?;
    let address = whole(columns.column("block")?, "block")?;
    let bytes = whole(columns.column("length")?, "length in bytes")?;
    let direction = match columns.column("operation")? {
        b"R" | b"r" => Direction::Read,
        b"W" | b"w" => Direction::Write,
        other => {
            return Err(Problem::UnknownOperation {
                column: "operation",
                found: printable(other),
                expected: "R or W",
            });
        }
    };
    let clock = picoseconds(columns.column("time")?, SECONDS, "time in s")?;
    let (_, blocks) = blocks_of(0, bytes, tally)?;
    Ok((clock, BlockRecord { device, ..BlockRecord::new(direction, address, blocks) }))
}
