//! Figure 4: one disk. Its accuracy (within 3 %) can't be judged: it prints no numbers.

use super::super::das::{CHUNKS, DasCell, SEEKS};
use super::claim::{Claim, Limit};
use super::{least, mb};

/// What the sheet of the drive sustains at most, MB/s, and by how much a run of its outermost tracks alone may lie above.
const MEDIUM: f64 = 42.0 * 1.05;

pub(super) fn claims(das: &[DasCell]) -> Vec<Claim> {
    if das.is_empty() {
        return Vec::new();
    }
    [false, true].into_iter().flat_map(|writes| of(das, writes)).collect()
}

fn of(das: &[DasCell], writes: bool) -> Vec<Claim> {
    let word = if writes { "writes" } else { "reads" };
    let cell = |chunk: u64, seek: u64| {
        das.iter().find(|cell| (cell.writes, cell.chunk, cell.seek) == (writes, chunk, seek))
    };
    let seconds = |chunk, seek| cell(chunk, seek).map_or(f64::NAN, |cell| cell.seconds);
    let longer = least(SEEKS.into_iter().flat_map(|seek| {
        (CHUNKS.windows(2))
            .map(move |pair| seconds(pair[1], seek) / seconds(pair[0], seek))
            .collect::<Vec<_>>()
    }));
    let farther = least(CHUNKS.into_iter().flat_map(|chunk| {
        (SEEKS.windows(2))
            .map(move |pair| seconds(chunk, pair[1]) / seconds(chunk, pair[0]))
            .collect::<Vec<_>>()
    }));
    let through = |seek| cell(1, seek).and_then(|cell| cell.written_through_s);
    let what_if = match (through(0), through(8)) {
        (Some(next), Some(apart)) => format!(
            "; what if the drive's write cache were off: {next:.1} s for a thousand of one block next to each other, whose place has passed \
             when they come, and {apart:.2} s for those 8 blocks apart"
        ),
        _ => String::new(),
    };
    let fastest =
        das.iter().filter(|cell| cell.writes == writes).map(DasCell::bytes_per_s).fold(0.0, f64::max);
    vec![
        Claim::of(
            format!("figure 4, {word}: twice the chunk takes no less time"),
            format!("at least {longer:.2} times, over all seek distances"),
            vec![longer],
            Limit::AtLeast(0.99),
        ),
        Claim::of(
            format!("figure 4, {word}: a longer seek takes no less time"),
            format!("at least {farther:.2} times from one distance to the next, at least 0.9{what_if}"),
            vec![farther],
            Limit::AtLeast(0.9),
        ),
        Claim::of(
            format!("figure 4, {word}: none is faster than the disk's medium"),
            format!("{} at most; the sheet says 42 MB/s", mb(fastest)),
            vec![fastest / 1e6],
            Limit::AtMost(MEDIUM),
        ),
    ]
}
