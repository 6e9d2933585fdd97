//! What is said of a controller's cache.

use petrio_colours::SECTOR_BYTES;
use petrio_kernel::Time;
use petrio_units::numbers::as_index;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The memory of an array's controller: it serves what is read again, and with a battery it takes writes, which are
/// reported once they are in it and written to the members later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RaidCacheParameters {
    /// How much it holds.
    pub size: Bytes,
    /// Whether a battery (or flash) keeps it when power fails. Without one, writes are reported when they are on the
    /// members, and flushes go to them.
    #[serde(default = "yes")]
    pub battery: bool,
    /// How fast data go into it and come out of it, one request after the other. Left out: in no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The pieces in which it keeps data: a multiple of 512 bytes, 64 of them at most.
    #[serde(default = "usual_line")]
    pub line: Bytes,
    /// It begins to write to the members when more of it than this isn't written yet …
    #[serde(default = "usual_high")]
    pub high: Fraction,
    /// … and goes on until no more than this is.
    #[serde(default = "usual_low")]
    pub low: Fraction,
    /// It also writes to the members when nothing has been asked of it for so long.
    #[serde(default = "usual_idle")]
    pub idle: Duration,
    /// It also writes all that isn't written so long after the first of it came, whatever is asked (LSI: cache flush
    /// interval). Left out: only as said above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_every: Option<Duration>,
    /// How many commands each member has on average of what is written from it, while somebody waits for room or nothing is asked;
    /// at other times one.
    #[serde(default = "usual_depth")]
    pub depth: u32,
    /// How much it reads ahead of each member at most, for each who reads in order; of all of them together no more than half of it. It
    /// begins once somebody goes on where he stopped, with a stripe, and doubles. Left out: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_ahead: Option<Bytes>,
}

fn yes() -> bool {
    true
}

fn usual_line() -> Bytes {
    Bytes::from_kib(4)
}

fn usual_high() -> Fraction {
    Fraction::new(0.5).unwrap_or(Fraction::ONE)
}

fn usual_low() -> Fraction {
    Fraction::new(0.25).unwrap_or(Fraction::ONE)
}

fn usual_idle() -> Duration {
    Duration::new(Time::from_millis(100))
}

fn usual_depth() -> u32 {
    8
}

impl RaidCacheParameters {
    /// One of this size, with everything else as usual.
    pub fn of(size: Bytes) -> Self {
        Self {
            size,
            battery: yes(),
            rate: None,
            line: usual_line(),
            high: usual_high(),
            low: usual_low(),
            idle: usual_idle(),
            flush_every: None,
            depth: usual_depth(),
            read_ahead: None,
        }
    }

    /// Sectors that are read ahead of each member.
    pub(super) fn ahead(&self) -> u64 {
        self.read_ahead.map_or(0, |ahead| ahead.get() / SECTOR_BYTES)
    }

    /// Sectors of a line.
    pub(super) fn sectors(&self) -> u64 {
        self.line.get() / SECTOR_BYTES
    }

    /// Lines that there is room for.
    pub(super) fn room(&self) -> usize {
        as_index(self.size.get() / self.line.get().max(1))
    }

    /// Why there can't be such a cache, if there can't.
    pub(in crate::raid) fn mistake(&self) -> Option<&'static str> {
        if !self.line.get().is_multiple_of(SECTOR_BYTES) || !(1..=64).contains(&self.sectors()) {
            return Some("its lines are multiples of 512 B, and no longer than 32 KiB");
        }
        if self.room() < 2 {
            return Some("it holds less than two of its lines");
        }
        if self.low.get() > self.high.get() {
            return Some("it would stop writing (low) before it begins (high)");
        }
        if self.depth == 0 || self.rate.is_some_and(|rate| rate.bytes_per_second() <= 0.0) {
            return Some("it would move nothing: its depth and its rate are above zero");
        }
        None
    }
}
