//! Sizes of accesses such that Darshan would count them as it did: so many of each range, those that came often as often, and all bytes.
//!
//! What is left free is spread evenly: between the ranges by the room that they have, and within each the same for all, to a byte.

use petrio_persist::Persist;
use petrio_trace::darshan::{FileCounters, SIZE_ENDS, Transfers, size_range};

/// So many accesses of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Sized {
    pub(super) bytes: u64,
    pub(super) count: u64,
}

/// The sizes of the reads and the writes of a file; those of no bytes, which come at a file's end, last.
pub(super) fn sizes(file: &FileCounters) -> [Vec<Sized>; 2] {
    let mut both = match (histogram(&file.read), histogram(&file.write)) {
        (Some(read), Some(write)) => known(file, [read, write]),
        (read, write) => {
            let one = |moved: &Transfers, ranges: Option<[u64; 10]>| {
                ranges.and_then(|ranges| filled(ranges, moved.bytes)).unwrap_or_else(|| equal(moved))
            };
            [one(&file.read, read), one(&file.write, write)]
        }
    };
    for all in &mut both {
        all.retain(|sized| sized.count > 0);
        all.sort_by_key(|sized| sized.bytes == 0);
    }
    both
}

/// The ranges, where all accesses are in them.
fn histogram(moved: &Transfers) -> Option<[u64; 10]> {
    let ranges = moved.sizes.unwrap_or_default();
    let counted = ranges.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    (counted == moved.operations).then_some(ranges)
}

/// All of one size, to a byte.
fn equal(moved: &Transfers) -> Vec<Sized> {
    evenly(moved.operations, u128::from(moved.bytes))
}

fn evenly(count: u64, bytes: u128) -> Vec<Sized> {
    if count == 0 {
        return Vec::new();
    }
    let each = u64::try_from(bytes / u128::from(count)).unwrap_or(u64::MAX);
    let larger = u64::try_from(bytes % u128::from(count)).unwrap_or(u64::MAX);
    vec![Sized { bytes: each.saturating_add(1), count: larger }, Sized { bytes: each, count: count - larger }]
}

/// The ends of a range, both in it.
fn ends(range: usize, bytes: u64) -> (u64, u64) {
    let from = range.checked_sub(1).map_or(0, |before| SIZE_ENDS[before] + 1);
    (from, SIZE_ENDS.get(range).copied().unwrap_or_else(|| from.saturating_add(bytes)))
}

/// So many accesses of each range that have so many bytes together; `None` where no such sizes are.
fn filled(ranges: [u64; 10], bytes: u64) -> Option<Vec<Sized>> {
    let parts = (0..).zip(ranges).filter(|(_, count)| *count > 0).map(|(range, count)| {
        let (from, to) = ends(range, bytes);
        let of_all = |each: u64| u128::from(each) * u128::from(count);
        (count, of_all(from), of_all(to - from))
    });
    let parts: Vec<_> = parts.collect();
    let least: u128 = parts.iter().map(|part| part.1).sum();
    let room: u128 = parts.iter().map(|part| part.2).sum();
    let more = u128::from(bytes).checked_sub(least).filter(|more| *more <= room)?;
    let (mut before, mut given, mut all) = (0, 0, Vec::new());
    for (count, least, part) in parts {
        before += part;
        // By the room up to here, so that all is given in the end.
        let until = share(more, before, room);
        all.extend(evenly(count, least + until - given));
        given = until;
    }
    Some(all)
}

/// `amount * part / whole`, rounded down, of numbers whose product may be larger than any.
fn share(amount: u128, part: u128, whole: u128) -> u128 {
    if whole == 0 {
        return 0;
    }
    match amount.checked_mul(part) {
        Some(product) => product / whole,
        // Both are below 2^127 or so: a part of a bytes' 64 bits is near enough, and the last one gets the rest.
        None if part == whole => amount,
        None => (amount >> 32) * (part >> 32) / (whole >> 64).max(1),
    }
}

/// A size that came often, and how often among the reads; the rest is of the writes.
#[derive(Clone, Copy, Debug)]
struct Common {
    bytes: u64,
    range: usize,
    read: u64,
    write: u64,
}

/// Both directions, whose common sizes Darshan counts together.
fn known(file: &FileCounters, ranges: [[u64; 10]; 2]) -> [Vec<Sized>; 2] {
    let moved = [&file.read, &file.write];
    let common = divided(&file.common_sizes, ranges);
    let in_one = |one: &Common| ranges[0][one.range] == 0 || ranges[1][one.range] == 0;
    let attempts = [
        exchanged(common.clone(), ranges, moved),
        // Which of the reads and writes of one range they were isn't always to be told.
        common.iter().copied().filter(in_one).collect(),
        Vec::new(),
    ];
    for attempt in attempts {
        let one = |at: usize| with_common(&attempt, at, ranges[at], moved[at].bytes);
        if let (Some(read), Some(write)) = (one(0), one(1)) {
            return [read, write];
        }
    }
    let one = |at: usize| filled(ranges[at], moved[at].bytes).unwrap_or_else(|| equal(moved[at]));
    [one(0), one(1)]
}

/// Common sizes, to reads and writes as these share the range; never more than the ranges have.
fn divided(sizes: &[(u64, u64)], ranges: [[u64; 10]; 2]) -> Vec<Common> {
    let mut left = ranges;
    let mut all = Vec::new();
    for &(bytes, count) in sizes {
        let range = size_range(bytes);
        let [read, write] = [left[0][range], left[1][range]];
        let count = count.min(read.saturating_add(write));
        if count == 0 {
            continue;
        }
        let of_reads = u128::from(count) * u128::from(read) / (u128::from(read) + u128::from(write));
        let of_reads = u64::try_from(of_reads).unwrap_or(u64::MAX).max(count.saturating_sub(write)).min(read);
        left[0][range] -= of_reads;
        left[1][range] -= count - of_reads;
        all.push(Common { bytes, range, read: of_reads, write: count - of_reads });
    }
    all
}

/// Common sizes of one range exchanged between reads and writes until the bytes of both can be as they were counted.
fn exchanged(mut common: Vec<Common>, ranges: [[u64; 10]; 2], moved: [&Transfers; 2]) -> Vec<Common> {
    // Four sizes have six pairs; each settles what it can.
    for _ in 0..6 {
        let Some(missing) = missing(&common, 0, ranges[0], moved[0].bytes).filter(|missing| *missing != 0)
        else {
            break;
        };
        let mut best: Option<(usize, usize, u64)> = None;
        for (up, larger) in (0..).zip(&common) {
            for (down, smaller) in (0..).zip(&common) {
                if larger.range != smaller.range || larger.bytes <= smaller.bytes {
                    continue;
                }
                let step = u128::from(larger.bytes - smaller.bytes);
                let most = match missing > 0 {
                    true => larger.write.min(smaller.read),
                    false => larger.read.min(smaller.write),
                };
                let wanted = u64::try_from(missing.unsigned_abs() / step).unwrap_or(u64::MAX).min(most);
                if wanted > 0 && best.is_none_or(|(_, _, known)| wanted > known) {
                    best = Some((up, down, wanted));
                }
            }
        }
        let Some((up, down, count)) = best else { break };
        let (larger, smaller) = if missing > 0 { (up, down) } else { (down, up) };
        common[larger].read += count;
        common[larger].write -= count;
        common[smaller].read -= count;
        common[smaller].write += count;
    }
    common
}

/// The accesses that no common size is, and the bytes of those that are.
fn free(common: &[Common], at: usize, mut ranges: [u64; 10]) -> ([u64; 10], u128) {
    let mut bytes = 0;
    for one in common {
        let count = if at == 0 { one.read } else { one.write };
        ranges[one.range] -= count;
        bytes += u128::from(one.bytes) * u128::from(count);
    }
    (ranges, bytes)
}

/// How many bytes more (or fewer) the common sizes need so that the others can make up the rest.
fn missing(common: &[Common], at: usize, ranges: [u64; 10], bytes: u64) -> Option<i128> {
    let (left, fixed) = free(common, at, ranges);
    let (mut least, mut most) = (fixed, fixed);
    for (range, count) in (0..).zip(left) {
        let (from, to) = ends(range, bytes);
        least += u128::from(from) * u128::from(count);
        most += u128::from(to) * u128::from(count);
    }
    let wanted = i128::from(bytes);
    let (least, most) = (i128::try_from(least).ok()?, i128::try_from(most).ok()?);
    Some(if wanted < least { wanted - least } else { (wanted - most).max(0) })
}

fn with_common(common: &[Common], at: usize, ranges: [u64; 10], bytes: u64) -> Option<Vec<Sized>> {
    let (left, fixed) = free(common, at, ranges);
    let rest = u128::from(bytes).checked_sub(fixed)?;
    let mut all = filled(left, u64::try_from(rest).ok()?)?;
    all.extend(
        common
            .iter()
            .map(|one| Sized { bytes: one.bytes, count: if at == 0 { one.read } else { one.write } }),
    );
    Some(all)
}
