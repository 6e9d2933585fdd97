//! libCacheSim's `oracleGeneral`, binary, little-endian, 24 bytes a request: what most published cache traces come in.
//!
//! ```text
//!  0  u32  time in s          12  u32  size in bytes
//!  4  u64  object             16  i64  number of the object's next request, -1 for none
//! ```
//!
//! Source: libCacheSim's `doc/quickstart_lib.md` and `traceReader/customizedReader/oracle/oracleGeneralBin.h`.
//!
//! The format doesn't tell reads from writes, so all are reads; an object's number is taken as its first block, which
//! it is in the traces that were made from block traces (`CloudPhysics`, MSR, Tencent). The next request's number is
//! for oracles and isn't used.

use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts, Sample, blocks_of};
use crate::error::{Fault, Problem};
use crate::input::Input;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Bytes,
    fit,
    parser: Parser::Block(|_| Box::new(OracleGeneral { tally: ReadCounts::default() })),
};

const RECORD_BYTES: usize = 24;

/// There is no mark. Times that never decrease, sizes that an object has, and next requests that come later make it
/// very probable, and never text.
fn fit(sample: &Sample<'_>) -> Fit {
    const SIZE_MAX: u32 = 1 << 30;
    const NEXT_MAX: i64 = 1 << 48;
    let mut last = 0;
    let mut seen = 0;
    for (record, bytes) in sample.bytes.chunks_exact(RECORD_BYTES).enumerate() {
        let (time, size, next) = (word(bytes, 0), word(bytes, 12), long(bytes, 16).cast_signed());
        // Requests may be numbered from 0 or from 1.
        let later = next == -1 || next == i64::MAX || (record as i64 <= next && next < NEXT_MAX);
        if time < last || size == 0 || size > SIZE_MAX || !later {
            return Fit::No;
        }
        last = time;
        seen += 1;
    }
    match seen > 0 && sample.bytes.contains(&0) {
        true if sample.may_hold_records_of(RECORD_BYTES) => Fit::Certain,
        true => Fit::Possible,
        false => Fit::No,
    }
}

fn number<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes.get(offset..offset + N).and_then(|field| field.try_into().ok()).unwrap_or([0; N])
}

fn word(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(number(bytes, offset))
}

fn long(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(number(bytes, offset))
}

struct OracleGeneral {
    tally: ReadCounts,
}

impl Format for OracleGeneral {
    fn stands_alone(&self) -> bool {
        true
    }

    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        let at = input.bytes();
        let Some(bytes) = input.chunk(RECORD_BYTES)? else { return Ok(None) };
        let (time, object, size) = (word(bytes, 0), long(bytes, 4), word(bytes, 12));
        if size == 0 {
            return Err(Problem::ZeroLength("read").into());
        }
        let (_, blocks) = blocks_of(0, u64::from(size), &mut self.tally)?;
        let record = BlockRecord::new(Direction::Read, object, blocks);
        Ok(Some(RawRecord { clock: u128::from(time) * 1_000_000_000_000, at, record }))
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }
}
