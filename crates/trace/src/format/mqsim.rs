//! MQSim's trace, the same as SSDsim's: five blank-separated whole numbers.
//!
//! Arrival in ns, device, first block, length in blocks, 1 = read or 0 = write. Source: SSDsim's README and MQSim's
//! `src/exec/ASCII_Trace_Definition.h`.

use super::disksim_ascii::shape;
use super::{Facts, Fit, Format, Parser, PositionKind, Sample};
use crate::error::{Fault, Problem, printable};
use crate::field::{Columns, NANOSECONDS, looks_whole, picoseconds, whole, whole32};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;

pub(crate) const FACTS: Facts =
    Facts { reorder_window: 0, places: PositionKind::Lines, fit, parser: Parser::Block(|_| Box::new(Mqsim)) };

const COLUMNS: &str = "arrival in ns, device, block, length in blocks, 1 for read or 0 for write";

/// The same five numbers could be DiskSim's with whole milliseconds. They are MQSim's beyond doubt only where that
/// reading is absurd: a request every ten seconds or more. Between, the person has to say.
fn fit(sample: &Sample<'_>) -> Fit {
    let shaped = |line: &[u8]| {
        shape(line).is_some_and(|[time, .., kind]| looks_whole(time) && matches!(kind, b"0" | b"1"))
    };
    if !sample.mostly(shaped) {
        return Fit::No;
    }
    let mut times = sample
        .lines
        .iter()
        .filter_map(|line| shape(line))
        .filter_map(|[time, ..]| picoseconds(time, NANOSECONDS, "").ok());
    let first = times.next();
    let (count, last) = times.fold((0_u128, first), |(count, _), time| (count + 1, Some(time)));
    let mean_gap_ns = match (first, last) {
        (Some(first), Some(last)) if count > 0 => last.saturating_sub(first) / 1_000 / count,
        _ => 0,
    };
    const TEN_SECONDS_IN_MS: u128 = 10_000;
    if mean_gap_ns >= TEN_SECONDS_IN_MS { Fit::Certain } else { Fit::Possible }
}

struct Mqsim;

impl Format for Mqsim {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let Some(line) = input.data_line()? else { return Ok(None) };
        let (clock, record) = parse(line)?;
        Ok(Some(RawRecord { clock, at: input.lines(), record }))
    }
}

fn parse(line: &[u8]) -> Result<(u128, BlockRecord), Problem> {
    let mut columns = Columns::blank_separated(line, COLUMNS);
    let time = columns.column("arrival")?;
    // A decimal point would mean another unit.
    let clock = u128::from(whole(time, "arrival in ns")?) * 1_000;
    let device = whole32(columns.column("device")?, "device")?;
    let address = whole(columns.column("block")?, "block")?;
    let blocks = whole32(columns.column("length")?, "length in blocks")?;
    let direction = match columns.column("operation")? {
        b"1" => Direction::Read,
        b"0" => Direction::Write,
        other => {
            return Err(Problem::UnknownOperation {
                column: "operation",
                found: printable(other),
                expected: "1 for read or 0 for write",
            });
        }
    };
    columns.finish()?;
    Ok((clock, BlockRecord { device, ..BlockRecord::new(direction, address, blocks) }))
}
