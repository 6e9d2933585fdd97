//! Values as they were seen, thinned to what a specification can hold.

use crate::distribution::{Draw, DrawFamily, EmpiricalSample};
use petrio_units::{Amount, Measurable};
use std::collections::BTreeMap;

/// Most values kept of one measure: beyond, every second one is dropped, and every second one of those that follow.
const KEPT_MAX: usize = 1 << 16;
/// Values of a measure in a specification.
const VALUES: usize = 48;

/// Values of one measure.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    kept: Vec<f64>,
    seen: u64,
    /// One in so many is kept, as a power of two.
    thinned: u32,
}

impl Sample {
    pub(super) fn add(&mut self, value: f64) {
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

    pub(super) const fn len(&self) -> u64 {
        self.seen
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.seen == 0
    }

    pub(super) fn kept(&self) -> &[f64] {
        &self.kept
    }
}

/// A distribution of measured values: their quantiles, and anything between two neighbours.
pub(super) fn values<Q: Measurable>(sample: &Sample) -> Draw<Q> {
    let mut sorted = sample.kept.clone();
    sorted.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Draw::constant(Amount::ZERO);
    };
    if first == last {
        return Draw::constant(Amount::from_base(rounded(*first)));
    }
    let wanted = sorted.len().min(VALUES);
    // Both ends are among them: the greatest files matter.
    let at = |number: usize| sorted[(number * (sorted.len() - 1)) / (wanted - 1)];
    let values = (0..wanted).map(|number| Amount::from_base(rounded(at(number)))).collect();
    DrawFamily::Empirical(EmpiricalSample { values, weights: None, smooth: true }).into()
}

/// A distribution of counts: these alone.
pub(super) fn counts<Q: Measurable>(sample: &Sample) -> Draw<Q> {
    let mut by_value: BTreeMap<u64, u64> = BTreeMap::new();
    for value in &sample.kept {
        *by_value.entry(*value as u64).or_default() += 1;
    }
    if let (1, Some((value, _))) = (by_value.len(), by_value.first_key_value()) {
        return Draw::constant(Amount::from_base(*value as f64));
    }
    let values = by_value.keys().map(|value| Amount::from_base(*value as f64)).collect();
    let weights = Some(by_value.values().map(|times| *times as f64).collect());
    DrawFamily::Empirical(EmpiricalSample { values, weights, smooth: false }).into()
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
        let mut sample = Sample::default();
        for number in 0..1_000_000_u64 {
            sample.add((number * 7_919 % 1_000) as f64);
        }
        assert_eq!(sample.len(), 1_000_000);
        assert!(sample.kept().len() <= KEPT_MAX && sample.kept().len() >= KEPT_MAX / 4);
        let draw: Draw<f64> = values(&sample);
        let distribution = draw.distribution().unwrap();
        assert!((distribution.mean() - 499.5).abs() < 5.0, "{}", distribution.mean());
        assert!((distribution.quantile(0.9) - 900.0).abs() < 10.0);
        let mut same = Sample::default();
        same.add(3.0);
        same.add(3.0);
        assert_eq!(values::<f64>(&same), Draw::constant(Amount::from_base(3.0)));
        assert_eq!(counts::<f64>(&same), Draw::constant(Amount::from_base(3.0)));
    }
}
