//! Rows of files as they were used, from all uses of one kind.

use super::used::OfFile;
use crate::namespace::Purpose;
use crate::rows::Together;
use petrio_units::Bytes;
use petrio_units::numbers::nearest_whole;
use std::collections::BTreeMap;

/// Most rows of a use; more are joined with those beside them.
const ROWS: usize = 96;
/// Groups by size; the last is halved again and again, as great sizes are few and matter most.
const GROUPS: usize = 16;
/// Groups of each by bytes accessed.
const PARTS: usize = 4;

/// A file as it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    size: u64,
    accessed: u64,
    written: u64,
    /// Of the first after an open, and of the others.
    access: [u64; 2],
    opens: u32,
    ends: u32,
}

/// Files as they were used.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    seen: BTreeMap<Seen, u64>,
    count: u64,
}

/// Rows that stand for several, with their weight.
struct Joined {
    size: u64,
    accessed: u64,
    written: u64,
    access: [u64; 2],
    opens: f64,
    ends: f64,
    weight: f64,
}

impl Rows {
    pub(super) fn add(&mut self, used: &OfFile, is_directory: bool) {
        let seen = Seen {
            size: used.size,
            accessed: used.bytes,
            written: used.written.min(used.bytes),
            access: used.access(is_directory),
            opens: used.opens.max(1),
            ends: used.ends,
        };
        *self.seen.entry(seen).or_default() += 1;
        self.count += 1;
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The rows: each as it was, or, where they are many, means of some that are near each other.
    pub(super) fn together(&self, purpose: Purpose) -> Together {
        let joined: Vec<Joined> = if self.seen.len() <= ROWS {
            self.seen.iter().map(|(seen, weight)| joined(&[(*seen, *weight)])).collect()
        } else {
            self.groups().iter().map(|group| joined(group)).collect()
        };
        let bytes = |of: fn(&Joined) -> u64| joined.iter().map(|row| Bytes(of(row))).collect::<Vec<_>>();
        let numbers = |of: fn(&Joined) -> f64, usual: f64| {
            let all: Vec<f64> = joined.iter().map(of).collect();
            if all.iter().all(|number| *number == usual) { Vec::new() } else { all }
        };
        let mut together = Together {
            size: bytes(|row| row.size),
            accessed: bytes(|row| row.accessed),
            written: bytes(|row| row.written),
            first: bytes(|row| row.access[0]),
            access: bytes(|row| row.access[1]),
            opens: numbers(|row| row.opens, 1.0),
            ends: numbers(|row| row.ends, 0.0),
            weights: numbers(|row| row.weight, 1.0),
        };
        if purpose == Purpose::ReadOnly {
            together.written.clear();
        }
        if joined.iter().all(|row| row.access[1] == 0) {
            together.access.clear();
        }
        if joined.iter().all(|row| row.access[0] == row.access[1]) {
            together.first.clear();
        }
        together
    }

    fn groups(&self) -> Vec<Vec<(Seen, u64)>> {
        let sorted: Vec<(Seen, u64)> = self.seen.iter().map(|(seen, weight)| (*seen, *weight)).collect();
        let mut groups = Vec::new();
        for mut group in parts(&sorted, GROUPS, true) {
            group.sort_by_key(|(seen, _)| (seen.accessed, *seen));
            groups.extend(parts(&group, PARTS, false));
        }
        groups
    }
}

/// Rows in parts of about the same weight; the last halved until one is left, where that is wanted.
fn parts(rows: &[(Seen, u64)], count: usize, halved: bool) -> Vec<Vec<(Seen, u64)>> {
    let whole: u64 = rows.iter().map(|(_, weight)| weight).sum();
    let mut bounds: Vec<u64> = (1..count as u64).map(|part| part * whole / count as u64).collect();
    if halved {
        let mut last = bounds.last().copied().unwrap_or(0);
        while last < whole {
            last += (whole - last).div_ceil(2);
            bounds.push(last);
        }
    } else {
        bounds.push(whole);
    }
    let mut parts: Vec<Vec<(Seen, u64)>> = vec![Vec::new(); bounds.len()];
    let mut before = 0;
    for (seen, weight) in rows {
        // A row belongs where its middle lies.
        let middle = before + weight / 2;
        let at = bounds.partition_point(|bound| *bound <= middle).min(parts.len() - 1);
        parts[at].push((*seen, *weight));
        before += weight;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// One row for several: means, so that sums stay, and the most frequent lengths of accesses.
fn joined(group: &[(Seen, u64)]) -> Joined {
    let weight = group.iter().map(|(_, weight)| weight).sum::<u64>() as f64;
    let mean = |of: &dyn Fn(&Seen) -> f64| {
        group.iter().map(|(seen, weight)| of(seen) * *weight as f64).sum::<f64>() / weight
    };
    let whole = |of: &dyn Fn(&Seen) -> f64| nearest_whole(mean(of));
    let mut lengths: BTreeMap<[u64; 2], u64> = BTreeMap::new();
    for (seen, weight) in group.iter().filter(|(seen, _)| seen.accessed > 0) {
        *lengths.entry(seen.access).or_default() += weight;
    }
    let access = lengths.iter().max_by_key(|(_, weight)| **weight).map_or([0, 0], |(length, _)| *length);
    let told = |number: f64| (number * 1e3).round() / 1e3;
    Joined {
        size: whole(&|seen| seen.size as f64),
        accessed: whole(&|seen| seen.accessed as f64),
        written: whole(&|seen| seen.written as f64),
        access,
        opens: told(mean(&|seen| f64::from(seen.opens))),
        ends: told(mean(&|seen| f64::from(seen.ends))),
        weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_become_few_with_the_same_sums() {
        let mut rows = Rows::default();
        let (mut size, mut accessed) = (0.0, 0.0);
        for number in 1..=3_000_u64 {
            let used = OfFile { size: number * number, bytes: 832.min(number * number), ..OfFile::default() };
            size += used.size as f64;
            accessed += used.bytes as f64;
            rows.add(&used, false);
        }
        let found = rows.together(Purpose::ReadOnly);
        assert!(found.size.len() <= ROWS + 32 && found.size.len() > 32, "{}", found.size.len());
        let sum = |bytes: &[Bytes]| -> f64 {
            bytes.iter().zip(&found.weights).map(|(bytes, weight)| bytes.get() as f64 * weight).sum()
        };
        assert!((sum(&found.size) / size - 1.0).abs() < 1e-4);
        assert!((sum(&found.accessed) / accessed - 1.0).abs() < 1e-3);
        // What is read of a large file is as little as it was.
        assert!(found.accessed.iter().all(|bytes| bytes.get() <= 832));
    }
}
