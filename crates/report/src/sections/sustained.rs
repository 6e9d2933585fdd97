//! What of a run's writes is yet to come to media when it ends, and what such a load gets once the caches that hold it are
//! full.

use crate::figure::figures;
use crate::section::Entry;
use petrio_page::numbers::{per_cent, seconds, significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cache, or all equal ones, with what it held of writes that had been reported when a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which, in words: `the controller's memory of "array"`.
    pub cache: String,
    /// What had been reported and was on no medium, bytes.
    pub unwritten_bytes: u64,
    /// How much of that there may be before who writes is held back.
    pub room_bytes: u64,
}

/// What a load gets that goes on after a cache is full which had room until the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sustained {
    /// The cache.
    pub cache: String,
    /// How full it was at the end of the run, 0 to 1.
    pub filled: f64,
    /// After how long it would be full at the run's rate, seconds from its beginning.
    pub full_after_s: f64,
    /// How many times as long the run was made that looked behind it.
    pub times_as_long: f64,
    /// What completed a second in the last quarter of that run; absent where it still had room then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requests_per_s: Option<f64>,
    /// The mean latency of these, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_latency_ms: Option<f64>,
}

/// Whether what a cache holds outlives the power, as a drive's faster flash does.
pub fn is_safe(cache: &str) -> bool {
    cache.starts_with("the SLC")
}

/// A cache that is as full as this is full.
const NEARLY: f64 = 0.97;

impl Sustained {
    /// What it says, beside what the run itself got.
    pub fn sentence(&self, many: &str, (per_s, mean_ms): (f64, f64)) -> String {
        let Self { cache, filled, full_after_s, times_as_long, requests_per_s, mean_latency_ms } = self;
        let of = if is_safe(cache) {
            "what is yet to go to the slower flash"
        } else {
            "what had been reported and was on no medium"
        };
        let full = if *filled < NEARLY {
            format!("; at this rate it is full after {}", seconds(*full_after_s))
        } else {
            String::new()
        };
        let head = format!("the run ended while {cache} was {} full of {of}{full}", per_cent(*filled));
        match (requests_per_s, mean_latency_ms) {
            (Some(behind), Some(behind_ms)) => format!(
                "{head}, and behind that the same load gets {} {many} a second with a mean latency of {}, not {} with {}: a run \
                 {} times as long shows it",
                significant(*behind),
                time(*behind_ms),
                significant(per_s),
                time(mean_ms),
                significant(*times_as_long)
            ),
            _ => format!(
                "{head}: it filled on in a run {} times as long, and only a longer one tells what the load gets then",
                significant(*times_as_long)
            ),
        }
    }
}

figures! { Sustained:
    filled => "filled" One Down;
    full_after_s => "full after" Seconds Up;
    requests_per_s => "rate" PerSecond Up;
    mean_latency_ms => "mean latency" Milliseconds Down;
}

impl Entry for Sustained {
    const PART: &'static str = "sustained";

    fn name(&self) -> &str {
        &self.cache
    }
}
