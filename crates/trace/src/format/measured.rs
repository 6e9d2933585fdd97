//! Requests measured on a real drive, one outstanding: six blank-separated columns.
//!
//! `R|W`; buffer action, a word that informs only; first block; length in blocks; measured access time in µs; idle time
//! in µs from this request's completion to the next one's issue. DiskSim calls the format `validate`
//! (`disksim_iotrace.c`); its seven published drives come with such traces.
//!
//! There are no arrivals in it: they are added up from access and idle times, exactly, so that an open replay is
//! possible and a closed one gets the idle times back to the picosecond.

use super::{Facts, Fit, Format, Parser, PositionKind, Sample, exactly};
use crate::error::{Fault, Problem};
use crate::field::{Columns, MICROSECONDS, looks_numeric, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Measured { clock: 0 })),
};

const COLUMNS: &str = "R or W, buffer action, block, length in blocks, access time in us, idle time in us";

fn fit(sample: &Sample<'_>) -> Fit {
    Fit::certain_if(sample.mostly(|line| {
        exactly(Columns::blank_separated(line, COLUMNS)).is_some_and(
            |[operation, action, block, length, access, idle]: [&[u8]; 6]| {
                operation.len() == 1
                    && operation[0].is_ascii_alphabetic()
                    && action.iter().all(u8::is_ascii_alphabetic)
                    && looks_whole(block)
                    && looks_whole(length)
                    && looks_numeric(access)
                    && looks_numeric(idle)
            },
        )
    }))
}

struct Measured {
    /// When the next request is issued.
    clock: u128,
}

impl Format for Measured {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let Some(line) = input.data_line()? else { return Ok(None) };
        let (record, idle) = parse(line)?;
        let clock = self.clock;
        let access = record.measured.unwrap_or_default();
        self.clock = clock.saturating_add(u128::from(access.as_picos())).saturating_add(idle);
        Ok(Some(RawRecord { clock, at: input.lines(), record }))
    }
}

fn parse(line: &[u8]) -> Result<(BlockRecord, u128), Problem> {
    let mut columns = Columns::blank_separated(line, COLUMNS);
    let direction = match columns.column("operation")? {
        b"R" => Direction::Read,
        b"W" => Direction::Write,
        other => {
            return Err(Problem::UnknownOperation {
                column: "operation",
                found: crate::error::printable(other),
                expected: "R or W",
            });
        }
    };
    columns.column("buffer action")?;
    let address = whole(columns.column("block")?, "block")?;
    let blocks = whole32(columns.column("length")?, "length in blocks")?;
    let access = columns.column("access time")?;
    let measured =
        span(picoseconds(access, MICROSECONDS, "access time in us")?, access, "access time in us")?;
    let idle = picoseconds(columns.column("idle time")?, MICROSECONDS, "idle time in us")?;
    columns.finish()?;
    // One request outstanding: whoever issued it waited for it.
    let record = BlockRecord {
        measured: Some(measured),
        synchronous: true,
        ..BlockRecord::new(direction, address, blocks)
    };
    Ok((record, idle))
}

/// A span that model time holds.
pub(super) fn span(picoseconds: u128, text: &[u8], column: &'static str) -> Result<Time, Problem> {
    match u64::try_from(picoseconds) {
        Ok(u64::MAX) | Err(_) => {
            Err(Problem::TooLarge { column, found: crate::error::printable(text), limit: "213 days" })
        }
        Ok(picoseconds) => Ok(Time::from_picos(picoseconds)),
    }
}
