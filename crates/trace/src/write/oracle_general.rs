//! libCacheSim's `oracleGeneral`: 24 bytes a request, with the number of the next request for the same block.
//!
//! Requests are held in memory until the end, 24 bytes each, because what comes next is known only then. Times are
//! whole seconds; lengths of up to 4 GiB. Source: as of [`crate::format`]'s reader of it.

use super::encoder::Encoder;
use crate::event::{Event, EventKind};
use crate::write::block_csv::request_of;
use petrio_colours::SECTOR_BYTES;
use std::collections::HashMap;
use std::io::{self, Write};

const RECORD_BYTES: usize = 24;
const NEXT: std::ops::Range<usize> = 16..24;

#[derive(Default)]
pub(super) struct OracleGeneral {
    records: Vec<u8>,
    /// The last request for each block.
    last: HashMap<u64, usize>,
}

impl Encoder for OracleGeneral {
    fn event(&mut self, event: &Event, _: &mut dyn Write) -> io::Result<bool> {
        // One event a request: a trace that has its queueing has the others for times that this format doesn't hold.
        let Some(record) = request_of(event).filter(|_| event.kind == EventKind::Queue) else {
            return Ok(false);
        };
        let bytes = u64::from(record.blocks) * SECTOR_BYTES;
        let seconds = event.time.as_picos() / 1_000_000_000_000;
        let (Ok(bytes), Ok(seconds)) = (u32::try_from(bytes), u32::try_from(seconds)) else {
            return Ok(false);
        };
        if !record.direction.moves_data() {
            return Ok(false);
        }
        let index = self.records.len() / RECORD_BYTES;
        if let Some(before) = self.last.insert(record.address, index) {
            let next = (index as i64).to_le_bytes();
            if let Some(record) = self.records.get_mut(before * RECORD_BYTES..(before + 1) * RECORD_BYTES) {
                record[NEXT].copy_from_slice(&next);
            }
        }
        self.records.extend(seconds.to_le_bytes());
        self.records.extend(record.address.to_le_bytes());
        self.records.extend(bytes.to_le_bytes());
        self.records.extend((-1_i64).to_le_bytes());
        Ok(true)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&std::mem::take(&mut self.records))
    }
}
