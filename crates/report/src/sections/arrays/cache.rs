//! What the cache of an array's controller did.

use super::MovedFigures;
use crate::figure::figures;
use petrio_models::block::raid::Cache;
use petrio_page::numbers::{bytes, grouped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A controller's cache, or those of all equal arrays together, over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheFigures {
    /// Reads that came.
    pub reads: MovedFigures,
    /// Writes that came.
    pub writes: MovedFigures,
    /// Reads of which all was in memory.
    pub hits: MovedFigures,
    /// Reads of the array before anybody asked.
    #[serde(default)]
    pub read_ahead: MovedFigures,
    /// Reads that waited for what was read ahead.
    #[serde(default)]
    pub awaited: MovedFigures,
    /// Writes that were reported once they were in memory.
    pub reported: MovedFigures,
    /// Writes of what was in memory to the array.
    pub destaged: MovedFigures,
    /// How many whole stripes were in these, where members share a parity.
    pub whole_stripes: u64,
    /// Bytes that were written over in memory, and so written to the array once less.
    pub overwritten_bytes: u64,
    /// Writes that waited for room.
    pub waited: u64,
    /// Flushes that had nothing to wait for.
    pub flushes: u64,
    /// Bytes that were in memory and not yet on the members at the end.
    pub unwritten_bytes: u64,
    /// How much it has room for, bytes.
    #[serde(default)]
    pub room_bytes: u64,
    /// Bytes that had been reported and could not be written, for want of members.
    pub lost_bytes: u64,
}

figures! { CacheFigures:
    hits.requests => "read hits" One Up;
    read_ahead.bytes => "read ahead" Bytes Neither;
    awaited.requests => "reads that waited for what was read ahead" One Down;
    reported.requests => "writes reported from memory" One Up;
    destaged.requests => "destaged writes" One Down;
    whole_stripes => "destaged whole stripes" One Up;
    destaged.bytes => "destaged" Bytes Neither;
    overwritten_bytes => "written over in memory" Bytes Up;
    waited => "writes that waited for room" One Down;
    flushes => "flushes that waited for nothing" One Neither;
    unwritten_bytes => "in memory at the end" Bytes Neither;
    lost_bytes => "lost from memory" Bytes Down;
}

impl CacheFigures {
    /// Adds what one has counted until now.
    pub(super) fn add(&mut self, cache: &Cache) {
        let tally = cache.tally();
        self.reads.add(tally.reads);
        self.writes.add(tally.writes);
        self.hits.add(tally.hits);
        self.read_ahead.add(tally.read_ahead);
        self.awaited.add(tally.awaited);
        self.reported.add(tally.reported);
        self.destaged.add(tally.destaged);
        self.whole_stripes += tally.whole_stripes;
        self.overwritten_bytes += tally.overwritten_bytes;
        self.waited += tally.waited;
        self.flushes += tally.flushes;
        self.unwritten_bytes += cache.unwritten_bytes();
        self.room_bytes += cache.room_bytes();
        self.lost_bytes += tally.lost_bytes;
    }

    /// In a part of a sentence.
    pub(super) fn sentence(&self) -> String {
        let mut parts = Vec::new();
        if self.reads.requests > 0 {
            let (hits, reads) = (grouped(self.hits.requests), grouped(self.reads.requests));
            parts.push(format!("the cache had {hits} of {reads} reads"));
        }
        if self.read_ahead.requests > 0 {
            let ahead = bytes(self.read_ahead.bytes);
            let awaited = match self.awaited.requests {
                0 => String::new(),
                awaited => format!(", which {} more waited for", grouped(awaited)),
            };
            parts.push(format!("{ahead} were read ahead{awaited}"));
        }
        if self.reported.requests > 0 {
            let (reported, destaged) = (grouped(self.reported.requests), grouped(self.destaged.requests));
            let whole = match self.whole_stripes {
                0 => String::new(),
                whole => format!(" with {} whole stripes in them", grouped(whole)),
            };
            parts.push(format!(
                "{reported} writes were reported from memory and left it as {destaged} writes{whole}"
            ));
        }
        if self.overwritten_bytes > 0 {
            parts.push(format!("{} were written over there", bytes(self.overwritten_bytes)));
        }
        if self.waited > 0 {
            parts.push(format!("{} writes waited for room", grouped(self.waited)));
        }
        if self.unwritten_bytes > 0 {
            parts.push(format!("{} had not left it at the end", bytes(self.unwritten_bytes)));
        }
        if self.lost_bytes > 0 {
            parts.push(format!("{} that had been reported could not be written", bytes(self.lost_bytes)));
        }
        if parts.is_empty() { "the cache had nothing to do".to_owned() } else { parts.join("; ") }
    }
}
