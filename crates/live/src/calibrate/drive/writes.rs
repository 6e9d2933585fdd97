//! Writes, where they are allowed: whether they are reported before they are on the medium, how many, and what they need
//! beside reads. What is written is what was there.

use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::seek::{Cylinders, movement, still};
use serde::Serialize;

type Result<T> = std::result::Result<T, DriveCalibrationError>;

/// Most writes of a burst.
const BURST: u64 = 64;

/// Writes as they were found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FoundWrites {
    /// How many in a row are reported at once; none is a drive that reports what is on the medium.
    pub reported: u64,
    /// What such a write takes in all, in seconds; none where none is reported.
    pub reported_span: f64,
    /// What a write takes without movement and wait, in seconds, less a sector; zero where writes are reported at once.
    pub still: f64,
    /// What a movement takes more for a write than for a read, in seconds.
    pub settle: f64,
}

/// Times writes.
pub(super) fn writes(
    probe: &mut Probe<'_>,
    cylinders: Cylinders<'_>,
    read_still: f64,
) -> Result<FoundWrites> {
    let (mut burst, mut spans) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        // All of an earlier burst is on the medium by then.
        let pause = 4.0 * BURST as f64 * probe.period;
        probe.wait(pause);
        let mut quick = 0;
        for _ in 0..BURST {
            let place = probe.below(probe.sectors());
            let span = probe.rewrite(place, 1)?.span();
            // What passes the medium waits for its sector: a write that is reported does not.
            if span > probe.hit_below.max(0.2 * probe.period + read_still) {
                break;
            }
            quick += 1;
            spans.push(span);
        }
        burst.push(quick);
    }
    burst.sort_unstable();
    spans.sort_by(f64::total_cmp);
    let reported = burst[burst.len() / 2];
    if reported > 0 {
        let reported_span = spans[spans.len() / 4];
        return Ok(FoundWrites { reported, reported_span, still: 0.0, settle: 0.0 });
    }
    let write_still = still(probe, cylinders.zones, true)?;
    let most = cylinders.count().saturating_sub(1);
    let mut more = Vec::new();
    for part in [0.02, 0.1, 0.3, 0.6] {
        let distance = ((most as f64 * part) as u64).max(1);
        let from = probe.below((most - distance).max(1));
        let (one, other) = (cylinders.track(from), cylinders.track(from + distance));
        let read = movement(probe, one, other, read_still, false)?;
        more.push(movement(probe, one, other, write_still, true)? - read);
    }
    more.sort_by(f64::total_cmp);
    Ok(FoundWrites { reported, reported_span: 0.0, still: write_still, settle: (more[1] + more[2]) / 2.0 })
}
