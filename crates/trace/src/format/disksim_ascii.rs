//! DiskSim's ASCII trace: five blank-separated columns.
//!
//! Arrival in ms (a decimal number), device, first block, length in blocks, flags in hexadecimal: bit 0 read, bit 1 or
//! 7 the issuer waits (DiskSim 4.0 `disksim_reqflags.h`). Source: DiskSim 4.0 Reference Manual (Bucy et al.,
//! CMU-PDL-08-101, 2008), §4.2. Leaves out the sixth column of its "batch" variant, which is refused.

use super::{Facts, Fit, Format, Parser, PositionKind, Sample, exactly};
use crate::error::{Fault, Problem};
use crate::field::{
    Columns, MILLISECONDS, hexadecimal32, looks_numeric, looks_whole, picoseconds, whole, whole32,
};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(DisksimAscii)),
};

const COLUMNS: &str = "arrival in ms, device, block, length in blocks, flags in hexadecimal";
const READ: u32 = 0x1;
const TIME_CRITICAL: u32 = 0x2;
const SYNCHRONOUS: u32 = 0x80;

/// Five columns of numbers could be MQSim's too. A decimal point in a time tells: DiskSim's own tools always write one,
/// and MQSim counts whole nanoseconds.
fn fit(sample: &Sample<'_>) -> Fit {
    let shaped = |line: &[u8]| shape(line).is_some();
    if !sample.mostly(shaped) {
        return Fit::No;
    }
    let pointed = sample.lines.iter().filter_map(|line| shape(line)).any(|[time, ..]| time.contains(&b'.'));
    if pointed { Fit::Certain } else { Fit::Possible }
}

/// The columns of a line that looks like five numbers.
pub(super) fn shape(line: &[u8]) -> Option<[&[u8]; 5]> {
    let columns: [&[u8]; 5] = exactly(Columns::blank_separated(line, COLUMNS))?;
    let [time, device, block, length, flags] = columns;
    let numbers = looks_numeric(time) && [device, block, length].into_iter().all(looks_whole);
    (numbers && flags.iter().all(u8::is_ascii_hexdigit)).then_some(columns)
}

struct DisksimAscii;

impl Format for DisksimAscii {
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
    let clock = picoseconds(columns.column("arrival")?, MILLISECONDS, "arrival in ms")?;
    let device = whole32(columns.column("device")?, "device")?;
    let address = whole(columns.column("block")?, "block")?;
    let blocks = whole32(columns.column("length")?, "length in blocks")?;
    let flags = hexadecimal32(columns.column("flags")?, "flags")?;
    columns.finish()?;
    let direction = if flags & READ == 0 { Direction::Write } else { Direction::Read };
    let mut record = BlockRecord { device, ..BlockRecord::new(direction, address, blocks) };
    record.synchronous |= flags & (TIME_CRITICAL | SYNCHRONOUS) != 0;
    Ok((clock, record))
}
