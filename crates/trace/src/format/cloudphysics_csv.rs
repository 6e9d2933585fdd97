//! `CloudPhysics` block trace as comma-separated text: version, time in s, SCSI opcode in hexadecimal, bytes, first
//! block.
//!
//! The text form of a [vscsi](super::vscsi) trace, with or without its header line. Its times are whole seconds, so
//! requests come in bunches; the binary form keeps microseconds.

use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of, exactly, scsi};
use crate::error::{Fault, Problem};
use crate::field::{Columns, SECONDS, hexadecimal32, looks_numeric, looks_whole, picoseconds, whole};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(CloudphysicsCsv { first: true, tally: ReadCounts::default() })),
};

const COLUMNS: &str = "version, time in s, SCSI opcode in hexadecimal, length in bytes, block";
const HEADER: &str = "version,time,op,size,lbn";

fn fit(sample: &Sample<'_>) -> Fit {
    if sample.lines.first().is_some_and(|line| line.eq_ignore_ascii_case(HEADER.as_bytes())) {
        return Fit::Certain;
    }
    let shaped = |line: &[u8]| {
        exactly(Columns::comma_separated(line, COLUMNS)).is_some_and(
            |[version, time, opcode, size, block]: [&[u8]; 5]| {
                let numbers = looks_whole(version) && looks_numeric(time);
                let opcode = opcode.len() == 2 && hexadecimal32(opcode, "").is_ok();
                numbers && opcode && looks_whole(size) && looks_whole(block)
            },
        )
    };
    Fit::certain_if(sample.mostly(shaped))
}

struct CloudphysicsCsv {
    first: bool,
    tally: ReadCounts,
}

impl Format for CloudphysicsCsv {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            let Some(line) = input.data_line()? else { return Ok(None) };
            let header =
                std::mem::take(&mut self.first) && line.trim_ascii().eq_ignore_ascii_case(HEADER.as_bytes());
            if header {
                continue;
            }
            match parse(line, &mut self.tally)? {
                Some((clock, record)) => return Ok(Some(RawRecord { clock, at: input.lines(), record })),
                None => self.tally.other_events += 1,
            }
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}

fn parse(line: &[u8], tally: &mut ReadCounts) -> Result<Option<(u128, BlockRecord)>, Problem> {
    let mut columns = Columns::comma_separated(line, COLUMNS);
    whole(columns.column("version")?, "version")?;
    let clock = picoseconds(columns.column("time")?, SECONDS, "time in s")?;
    let opcode = hexadecimal32(columns.column("opcode")?, "SCSI opcode")?;
    let bytes = whole(columns.column("length")?, "length in bytes")?;
    let block = whole(columns.column("block")?, "block")?;
    columns.finish()?;
    Ok(record(opcode, bytes, block, tally)?.map(|record| (clock, record)))
}

/// A SCSI command as a record; `None` for a command that moves no data.
pub(super) fn record(
    opcode: u32,
    bytes: u64,
    block: u64,
    tally: &mut ReadCounts,
) -> Result<Option<BlockRecord>, Problem> {
    let Some(direction) = scsi::direction(opcode) else { return Ok(None) };
    let mut record = match direction {
        // A flush of a range; petrio's flush is of everything.
        Direction::Flush => BlockRecord::new(direction, 0, 0),
        // The address is in blocks already; a length that is no whole number of them is widened.
        _ => BlockRecord::new(direction, block, blocks_of(0, bytes, tally)?.1),
    };
    record.force_unit_access = scsi::forces_unit_access(opcode);
    Ok(Some(record))
}
