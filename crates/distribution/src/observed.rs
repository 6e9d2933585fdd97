//! Distributions of what was seen: values one by one, thinned to what a text can hold.

use super::text::{Draw, DrawFamily, EmpiricalSample};
use petrio_units::numbers::whole_part;
use petrio_units::{Amount, Measurable};
use std::collections::BTreeMap;

/// Most values kept of one measure: beyond, every second one is dropped, and every second one of those that follow.
const KEPT_MAX: usize = 1 << 16;
/// Groups into which sorted values are divided, equally filled but for the last, which is halved again and again: great
/// values are few, and matter most.
const GROUPS: usize = 64;

/// Values of one measure.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    kept: Vec<f64>,
    seen: u64,
    /// One in so many is kept, as a power of two.
    thinned: u32,
}

impl Observed {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        if self.seen.is_multiple_of(1 << self.thinned) {
            if self.kept.len() == KEPT_MAX {
                let mut at = 0;
                self.kept.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.thinned += 1;
            }
            if self.seen.is_multiple_of(1 << self.thinned) {
                self.kept.push(value);
            }
        }
        self.seen += 1;
    }

    /// Adds those of another.
    pub fn join(&mut self, other: &Self) {
        other.kept.iter().for_each(|value| self.add(*value));
    }

    /// How many values were added, kept or not.
    pub const fn len(&self) -> u64 {
        self.seen
    }

    /// Whether no value was added.
    pub const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// The values that were kept, in the order in which they came.
    pub fn kept(&self) -> &[f64] {
        &self.kept
    }

    /// A distribution of measured values. Where they are few, themselves; where they are many, the mean of each group
    /// as often as it has members, so that the mean is theirs.
    pub fn values<Q: Measurable>(&self) -> Draw<Q> {
        self.values_in(GROUPS)
    }

    /// The same in so many groups. What is nothing stays nothing.
    pub fn values_in<Q: Measurable>(&self, groups_most: usize) -> Draw<Q> {
        let mut sorted = self.kept.clone();
        sorted.sort_by(f64::total_cmp);
        let runs: Vec<(f64, f64)> = sorted
            .chunk_by(|a, b| a == b)
            .take(groups_most + 1)
            .map(|run| (run[0], run.len() as f64))
            .collect();
        if runs.len() <= groups_most {
            return weighted(&runs);
        }
        let mut ends: Vec<usize> = (1..groups_most).map(|group| group * sorted.len() / groups_most).collect();
        let mut last = ends.last().copied().unwrap_or(0);
        while last < sorted.len() {
            last += (sorted.len() - last).div_ceil(2);
            ends.push(last);
        }
        let nothing = sorted.partition_point(|value| *value <= 0.0);
        ends.push(nothing);
        ends.sort_unstable();
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut from = 0;
        for end in ends {
            let group = &sorted[from..end];
            from = end;
            if group.is_empty() {
                continue;
            }
            let mean = match group {
                // What many files have exactly, such as a power of two, they keep.
                [.., last] if *last <= 0.0 => 0.0,
                [first, .., last] if first == last => *first,
                _ => rounded(group.iter().sum::<f64>() / group.len() as f64),
            };
            match groups.last_mut() {
                Some((value, weight)) if *value == mean => *weight += group.len() as f64,
                _ => groups.push((mean, group.len() as f64)),
            }
        }
        weighted(&groups)
    }

    /// A distribution of counts: these alone.
    pub fn counts<Q: Measurable>(&self) -> Draw<Q> {
        let mut by_value: BTreeMap<u64, f64> = BTreeMap::new();
        for value in &self.kept {
            *by_value.entry(whole_part(*value)).or_default() += 1.0;
        }
        weighted(&by_value.into_iter().map(|(value, times)| (value as f64, times)).collect::<Vec<_>>())
    }
}

/// Values alone, with their weights.
fn weighted<Q: Measurable>(groups: &[(f64, f64)]) -> Draw<Q> {
    match groups {
        [] => Draw::constant(Amount::ZERO),
        [(value, _)] => Draw::constant(Amount::from_base(*value)),
        _ => {
            let equal = groups.iter().all(|(_, weight)| *weight == groups[0].1);
            let values = groups.iter().map(|(value, _)| Amount::from_base(*value)).collect();
            let weights = (!equal).then(|| groups.iter().map(|(_, weight)| *weight).collect());
            DrawFamily::Empirical(EmpiricalSample { values, weights, smooth: false }).into()
        }
    }
}

/// Four digits: what a text can show without hiding what it stands on.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_thinned_sample_keeps_its_distribution() {
        let mut observed = Observed::default();
        for number in 0..1_000_000_u64 {
            observed.add((number * 7_919 % 1_000) as f64);
        }
        assert_eq!(observed.len(), 1_000_000);
        assert!(observed.kept().len() <= KEPT_MAX && observed.kept().len() >= KEPT_MAX / 4);
        let draw: Draw<f64> = observed.values();
        let distribution = draw.distribution().unwrap();
        assert!((distribution.mean() - 499.5).abs() < 5.0, "{}", distribution.mean());
        assert!((distribution.quantile(0.9) - 900.0).abs() < 12.0);
        let mut same = Observed::default();
        same.add(3.0);
        same.add(3.0);
        assert_eq!(same.values::<f64>(), Draw::constant(Amount::from_base(3.0)));
        assert_eq!(same.counts::<f64>(), Draw::constant(Amount::from_base(3.0)));
        assert_eq!(Observed::default().values::<f64>(), Draw::constant(Amount::ZERO));
    }

    #[test]
    fn what_many_values_are_exactly_they_stay() {
        let mut observed = Observed::default();
        (0..10_000_u32)
            .for_each(|number| observed.add(f64::from(if number % 3 == 0 { number } else { 131_072 })));
        let draw: Draw<f64> = observed.values();
        assert!(draw.distribution().unwrap().mass(131_072.0) > 0.6);
    }

    #[test]
    fn a_heavy_tail_keeps_its_mean_and_its_greatest_value() {
        let mut observed = Observed::default();
        let mut sum = 0.0;
        for number in 1..=10_000_u32 {
            // Pareto with index 1.2: the greatest of them carries a tenth of the sum.
            let value = (10_000.0 / f64::from(number)).powf(1.0 / 1.2);
            sum += value;
            observed.add(value);
        }
        let draw: Draw<f64> = observed.values();
        let distribution = draw.distribution().unwrap();
        assert!((distribution.mean() / (sum / 10_000.0) - 1.0).abs() < 0.002, "{}", distribution.mean());
        assert!((distribution.quantile(1.0) / 10_000_f64.powf(1.0 / 1.2) - 1.0).abs() < 0.001);
    }
}
