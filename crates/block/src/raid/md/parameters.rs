//! What is said of Linux md's stripe cache.

use super::{MOST_ROWS, MOST_UNITS, PAGE_BLOCKS};
use petrio_colours::SECTOR_BYTES;
use petrio_units::{Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How Linux md works at levels 4, 5 and 6: by rows of one page a member, which gather in a cache and are handled by a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StripeCacheParameters {
    /// Rows that it holds, of 4 KiB of each member (`stripe_cache_size`; 256). Writers wait where all are in use; it grows by one
    /// for them whenever the thread is done, up to 32768, as where memory is free.
    pub rows: u32,
    /// How many rows that are written whole may go before one that must be read first (`preread_bypass_threshold`; 1).
    pub bypass: u32,
    /// Whether pages that are written whole go to the members from their owner's memory (`skip_copy`): a copy less, and the cache
    /// knows nothing of them afterwards.
    pub skip_copy: bool,
    /// The largest request that pages which go on from each other are put together to (`max_sectors_kb` of the members, or their
    /// `max_segments` pages).
    pub largest_request: Bytes,
    /// Threads that handle rows beside md's own, eight rows at a time each (`group_thread_cnt`; 0).
    pub threads: u32,
    /// What a thread takes for each row that it handles. Left out: no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_time: Option<Duration>,
    /// How fast a thread copies data and makes parity of them. Left out: in no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_rate: Option<Rate>,
}

impl Default for StripeCacheParameters {
    fn default() -> Self {
        Self {
            rows: 256,
            bypass: 1,
            skip_copy: false,
            largest_request: Bytes::from_kib(1_280),
            threads: 0,
            row_time: None,
            page_rate: None,
        }
    }
}

/// Fewest rows (`raid5_set_cache_size`).
const FEWEST_ROWS: u32 = 17;

impl StripeCacheParameters {
    /// Why rows of pages can't be made of units of so many bytes on so many members, if they can't.
    pub(in crate::raid) fn mistake(&self, unit: Bytes, members: usize) -> Option<&'static str> {
        let page = PAGE_BLOCKS * SECTOR_BYTES;
        if !unit.get().is_multiple_of(page) {
            return Some("its stripe unit is no multiple of 4 KiB, a page");
        }
        if !(FEWEST_ROWS..=MOST_ROWS).contains(&self.rows) {
            return Some("it holds 17 to 32768 rows");
        }
        if members > MOST_UNITS {
            return Some("it has 128 members at most");
        }
        (self.largest_request.get() < page).then_some("the largest request has a page of 4 KiB at least")
    }
}
