//! Numbering with spares and slips: which location holds the n-th block of a zone.
//!
//! A zone is a row of *locations* (sectors or, where whole tracks are spared, tracks), cut into *regions* of equal size
//! with spare locations at the end (or front) of each. Slipped locations hold nothing. Either the spares of their
//! region swallow the shift, or it goes on to the end of the zone. A lookup is a binary search over the slips.

use petrio_units::numbers::as_index;

/// A zone's numbering.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// Locations in a region.
    region: u64,
    /// Locations of a region that are numbered: all but the spares.
    capacity: u64,
    /// Locations in the zone.
    locations: u64,
    rule: Rule,
    /// Slipped locations, ascending.
    slips: Vec<u64>,
    /// For each slip that counts, the first number that it pushes on, ascending; and how many slips push that number.
    pushed: Vec<(u64, u64)>,
}

/// What a slip does to the locations behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Spares at the end of the region swallow the shift.
    WithinRegion,
    /// Spares at the front of the region swallow the shift.
    WithinRegionFromEnd,
    /// Everything up to the end of the zone moves on; spares are never used.
    ToEnd {
        /// The (unused) spares lie at the front of each region.
        spares_at_front: bool,
    },
}

impl Slots {
    /// `slips` must be ascending without repeats, `spares < region`, and `region` must not be zero.
    pub(super) fn new(locations: u64, region: u64, spares: u64, rule: Rule, slips: Vec<u64>) -> Self {
        let capacity = region - spares;
        let mut slots = Self { region, capacity, locations, rule, slips, pushed: Vec::new() };
        match rule {
            Rule::ToEnd { .. } => {
                // A slip that lies in a spare shifts nothing.
                let ranks = slots.slips.iter().filter_map(|&slip| slots.rank(slip));
                slots.pushed = ranks.zip(0u64..).map(|(rank, before)| (rank - before, before + 1)).collect();
            }
            Rule::WithinRegion => slots.pushed = slots.pushed_within_regions(),
            Rule::WithinRegionFromEnd => {}
        }
        slots
    }

    /// The j-th slip of a region (j from 0) pushes a number on if it lies at or before the place that the number has
    /// reached by then: from `slip − start − j` on, and up to the end of the region.
    fn pushed_within_regions(&self) -> Vec<(u64, u64)> {
        let mut pushed = Vec::new();
        let (mut region, mut before) = (u64::MAX, 0);
        for &slip in &self.slips {
            if slip / self.region != region {
                (region, before) = (slip / self.region, 0);
            }
            let offset = slip % self.region - before;
            before += 1;
            if offset < self.capacity {
                pushed.push((region * self.capacity + offset, before));
            }
        }
        pushed
    }

    /// How many slips push a number on, of those that push numbers from `from` on.
    fn pushes(&self, number: u64, from: u64) -> u64 {
        let behind = self.pushed.partition_point(|&(first, _)| first <= number);
        match self.pushed.get(behind.wrapping_sub(1)) {
            Some(&(first, slips)) if first >= from => slips,
            _ => 0,
        }
    }

    /// The rank of a location among those that are not spare.
    fn rank(&self, location: u64) -> Option<u64> {
        let spares = self.region - self.capacity;
        let (region, offset) = (location / self.region, location % self.region);
        let offset = match self.rule {
            Rule::ToEnd { spares_at_front: true } => offset.checked_sub(spares)?,
            _ => offset,
        };
        (offset < self.capacity).then(|| region * self.capacity + offset)
    }

    /// How many numbers the zone has.
    pub(super) fn count(&self) -> u64 {
        let whole = self.locations / self.region * self.capacity;
        // A range of cylinders that the zone's end cuts short has no spares (as DiskSim counts it).
        let rest = (self.locations % self.region).min(self.capacity);
        match self.rule {
            Rule::ToEnd { .. } => (whole + rest).saturating_sub(self.pushed.len() as u64),
            Rule::WithinRegion | Rule::WithinRegionFromEnd => whole + rest,
        }
    }

    /// The location that holds number `n`.
    pub(super) fn location(&self, n: u64) -> u64 {
        match self.rule {
            Rule::ToEnd { spares_at_front } => {
                let rank = n + self.pushes(n, 0);
                if self.capacity == self.region {
                    return rank;
                }
                let front = if spares_at_front { self.region - self.capacity } else { 0 };
                rank / self.capacity * self.region + front + rank % self.capacity
            }
            Rule::WithinRegion if n < self.capacity => n + self.pushes(n, 0),
            Rule::WithinRegion => {
                let (region, offset) = (n / self.capacity, n % self.capacity);
                region * self.region + offset + self.pushes(n, region * self.capacity)
            }
            Rule::WithinRegionFromEnd => {
                let (region, offset) = (n / self.capacity, n % self.capacity);
                let start = region * self.region;
                let last = (start + self.region).min(self.locations) - 1;
                let slips = self.slips_between(start, last + 1);
                // Mirrored: counted from the end of the region.
                let from_end = self.capacity - 1 - offset;
                let count = slips.len();
                let behind = prefix_by(count, |j| last - slips[count - 1 - as_index(j)] - j <= from_end);
                last.saturating_sub(from_end + behind).max(start)
            }
        }
    }

    /// The slips in `start..end`.
    fn slips_between(&self, start: u64, end: u64) -> &[u64] {
        if self.slips.is_empty() {
            return &[];
        }
        let first = self.slips.partition_point(|&slip| slip < start);
        let behind = first + self.slips[first..].partition_point(|&slip| slip < end);
        &self.slips[first..behind]
    }

    /// Whether locations and numbers can part within a track of so many sectors a location.
    pub(super) fn has_gaps(&self, location_sectors: u64) -> bool {
        location_sectors == 1 && (!self.slips.is_empty() || self.capacity < self.region)
    }

    /// The fullest region's slips beyond its spares, if spares must swallow them.
    pub(super) fn overflowing_region(&self) -> Option<(u64, u64)> {
        if let Rule::ToEnd { .. } = self.rule {
            return None;
        }
        let spares = self.region - self.capacity;
        let mut first = 0;
        while first < self.slips.len() {
            let region = self.slips[first] / self.region;
            let count = self.slips_between(region * self.region, (region + 1) * self.region).len();
            if count as u64 > spares {
                return Some((region, count as u64));
            }
            first += count;
        }
        None
    }

    /// How many slips lie before a location.
    pub(super) fn slips_before(&self, location: u64) -> u64 {
        self.slips.partition_point(|&slip| slip < location) as u64
    }

    /// The smallest number whose location is `location` or behind it; the count of numbers if there is none: as many as
    /// there are numbered locations before it.
    pub(super) fn first_at_or_after(&self, location: u64) -> u64 {
        let location = location.min(self.locations);
        let (region, offset) = (location / self.region, location % self.region);
        let start = region * self.region;
        let before = match self.rule {
            Rule::ToEnd { spares_at_front } => {
                let front = if spares_at_front { self.region - self.capacity } else { 0 };
                let rank = region * self.capacity + offset.saturating_sub(front).min(self.capacity);
                // The i-th slip's rank is the first number that it pushes and the slips before it, which ascends.
                rank - prefix_by(self.pushed.len(), |i| self.pushed[as_index(i)].0 + i < rank)
            }
            Rule::WithinRegion => {
                let slips = self.slips_between(start, location).len() as u64;
                region * self.capacity + (offset - slips).min(self.capacity)
            }
            Rule::WithinRegionFromEnd => {
                let end = (start + self.region).min(self.locations);
                let good = (end - location) - self.slips_between(location, end).len() as u64;
                let numbered = self.capacity.min(end - start);
                region * self.capacity + numbered.saturating_sub(good)
            }
        };
        before.min(self.count())
    }
}

/// The length of the longest prefix of `0..count` that holds a predicate, which must hold for a prefix only.
fn prefix_by(count: usize, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, count as u64);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbering by walking along the locations: the definition.
    fn walked(locations: u64, region: u64, spares: u64, rule: Rule, slips: &[u64]) -> Vec<u64> {
        let mut numbered = Vec::new();
        for start in (0..locations).step_by(region as usize) {
            let end = (start + region).min(locations);
            let spare = |at: u64| match rule {
                Rule::ToEnd { spares_at_front: true } => at < start + spares,
                _ => at >= start + region - spares,
            };
            let good: Vec<u64> = (start..end).filter(|at| !slips.contains(at)).collect();
            let quota = (end - start).saturating_sub(spares) as usize;
            match rule {
                Rule::ToEnd { .. } => numbered.extend(good.iter().copied().filter(|&at| !spare(at))),
                Rule::WithinRegion => numbered.extend(good.iter().take(quota)),
                Rule::WithinRegionFromEnd => numbered.extend(&good[good.len().saturating_sub(quota)..]),
            }
        }
        numbered
    }

    #[test]
    fn a_lookup_finds_what_walking_along_the_zone_finds() {
        let rules = [
            Rule::WithinRegion,
            Rule::WithinRegionFromEnd,
            Rule::ToEnd { spares_at_front: false },
            Rule::ToEnd { spares_at_front: true },
        ];
        for rule in rules {
            for slips in [vec![], vec![0], vec![3, 4, 5, 17], vec![9, 19, 20, 29], vec![8, 18, 28, 38]] {
                let expected = walked(40, 10, 4, rule, &slips);
                let slots = Slots::new(40, 10, 4, rule, slips.clone());
                assert_eq!(slots.count(), expected.len() as u64, "{rule:?} {slips:?}");
                let found: Vec<u64> = (0..slots.count()).map(|n| slots.location(n)).collect();
                assert_eq!(found, expected, "{rule:?} {slips:?}");
            }
        }
    }

    #[test]
    fn the_first_number_at_or_after_a_location_is_the_inverse_of_the_lookup() {
        for rule in [Rule::WithinRegion, Rule::WithinRegionFromEnd, Rule::ToEnd { spares_at_front: false }] {
            let slots = Slots::new(60, 20, 3, rule, vec![2, 5, 21, 38, 39, 41]);
            for location in 0..=60 {
                let expected =
                    (0..slots.count()).find(|&n| slots.location(n) >= location).unwrap_or(slots.count());
                assert_eq!(slots.first_at_or_after(location), expected, "{rule:?} at {location}");
            }
        }
    }

    #[test]
    fn more_slips_than_spares_never_leave_the_region_silently() {
        // Refused when the drive is built (see `Layout::new`); the lookup itself stays free of panics.
        let slots = Slots::new(20, 10, 1, Rule::WithinRegionFromEnd, vec![1, 2, 3]);
        for n in 0..slots.count() {
            assert!(slots.location(n) < 20);
        }
    }
}
