//! File domains: which part of a collective access each aggregator reads or writes (ROMIO: ad_aggregate.c,
//! ADIOI_Calc_file_domains).

use super::shares::Shares;
use std::ops::Range;

/// The parts of `[range.start, range.end)` that so many aggregators have: of the same length, or, where the file's stripes
/// are known, from the stripe boundary nearest to the one nearest. The last may be empty.
pub(super) fn split(range: &Range<u64>, aggregators: u32, striping_unit: Option<u64>) -> Vec<Range<u64>> {
    let length = (range.end - range.start).div_ceil(u64::from(aggregators));
    let mut start = range.start;
    (0..u64::from(aggregators))
        .map(|number| {
            let even = range.start.saturating_add(length.saturating_mul(number + 1));
            let end = if number + 1 == u64::from(aggregators) {
                range.end
            } else {
                striping_unit.map_or(even, |unit| nearest(even, unit)).clamp(start, range.end)
            };
            let domain = start..end;
            start = end;
            domain
        })
        .collect()
}

/// The multiple of `unit` that is nearest; of two as near the later.
const fn nearest(offset: u64, unit: u64) -> u64 {
    let beyond = offset % unit;
    if beyond < unit - beyond { offset - beyond } else { (offset - beyond).saturating_add(unit) }
}

/// From the first to one past the last byte that any rank means.
pub(super) fn extremes(shares: &dyn Shares, ranks: u32) -> Option<Range<u64>> {
    if let Some(covered) = shares.covered() {
        return (covered.start < covered.end).then_some(covered);
    }
    (0..ranks).filter_map(|rank| shares.span(rank)).reduce(hull)
}

/// Of each domain, from the first to one past the last byte that any rank means.
pub(super) fn meant(shares: &dyn Shares, ranks: u32, domain: &Range<u64>) -> Range<u64> {
    if shares.covered().is_some() {
        return domain.clone();
    }
    let spans = (0..ranks).filter_map(|rank| shares.span_within(rank, domain));
    spans.reduce(hull).unwrap_or(domain.start..domain.start)
}

fn hull(one: Range<u64>, other: Range<u64>) -> Range<u64> {
    one.start.min(other.start)..one.end.max(other.end)
}

/// Whether the ranks' pieces lie among each other, as ROMIO looks for it: a rank's begin before the end of those of the one
/// before.
pub(super) fn interleaved(shares: &dyn Shares, ranks: u32) -> bool {
    let mut before: Option<Range<u64>> = shares.span(0);
    for rank in 1..ranks {
        let span = shares.span(rank);
        if let (Some(before), Some(span)) = (&before, &span) {
            // Its ends are the last bytes, and it wants one to lie before the other.
            if span.start + 1 < before.end {
                return true;
            }
        }
        before = span;
    }
    false
}
