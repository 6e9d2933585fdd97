//! Distributions in bounded memory: a logarithmic histogram beside exact count, sum, least and greatest value.
//!
//! A bucket is at most 1/128 of its value wide (HdrHistogram with two significant digits, 58 KiB), so quantiles and the
//! points of the distribution function are true to 0.8 %; count, mean, least and greatest are exact.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Two points of a distribution function are at least this factor apart, so that a page or a file of them stays small.
const STEP: f64 = 1.06;

/// Collects whole numbers, each with a weight.
#[derive(Clone, Debug)]
pub struct ValueTally {
    buckets: Histogram<u64>,
    count: u64,
    sum: u128,
    least: u64,
    greatest: u64,
}

impl Default for ValueTally {
    fn default() -> Self {
        Self::new()
    }
}

impl ValueTally {
    /// Of nothing so far.
    pub fn new() -> Self {
        // The bound is the histogram's own smallest one; it grows with the greatest value.
        let mut buckets = Histogram::new_with_bounds(1, 1 << 20, SIGNIFICANT_DIGITS)
            .unwrap_or_else(|_| unreachable!("these bounds are within those of the histogram"));
        buckets.auto(true);
        Self { buckets, count: 0, sum: 0, least: u64::MAX, greatest: 0 }
    }

    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.add_weighted(value, 1);
    }

    /// Adds a value as if it came `weight` times.
    #[inline]
    pub(super) fn add_weighted(&mut self, value: u64, weight: u64) {
        if weight == 0 {
            return;
        }
        // The histogram grows with its values; it could only fail where memory has no room for 58 KiB.
        if self.buckets.record_n(value, weight).is_err() {
            self.buckets.saturating_record_n(value, weight);
        }
        self.count = self.count.saturating_add(weight);
        self.sum = self.sum.saturating_add(u128::from(value) * u128::from(weight));
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }

    /// The distribution with every value over `unit`; `None` where nothing was added.
    pub fn finish(&self, unit: f64) -> Option<Distribution> {
        if self.count == 0 {
            return None;
        }
        let clipped = |value: u64| value.clamp(self.least, self.greatest) as f64 / unit;
        // The lower end of the bucket: sizes are very often round numbers, which begin one.
        let quantile =
            |part: f64| clipped(self.buckets.lowest_equivalent(self.buckets.value_at_quantile(part)));
        Some(Distribution {
            count: self.count,
            mean: self.sum as f64 / self.count as f64 / unit,
            least: self.least as f64 / unit,
            p10: quantile(0.1),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            greatest: self.greatest as f64 / unit,
            points: self.points(&clipped),
        })
    }

    fn points(&self, clipped: &dyn Fn(u64) -> f64) -> Vec<DistributionPoint> {
        let mut points: Vec<DistributionPoint> = Vec::new();
        let (mut below, mut from) = (0_u64, 0.0);
        for step in self.buckets.iter_recorded() {
            below = below.saturating_add(step.count_at_value());
            let at_most = clipped(step.value_iterated_to());
            let fraction = below as f64 / self.buckets.len().max(1) as f64;
            match points.last_mut() {
                // What lies close above joins the point before, which moves up to stay true.
                Some(last) if at_most < from * STEP => *last = DistributionPoint { at_most, fraction },
                _ => {
                    from = at_most;
                    points.push(DistributionPoint { at_most, fraction });
                }
            }
        }
        points
    }
}

const SIGNIFICANT_DIGITS: u8 = 2;

/// A distribution. The unit of its values is the one that the field's name ends in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// How many values; where values are weighted, the sum of the weights. Exact.
    pub count: u64,
    /// Mean, exact.
    pub mean: f64,
    /// Least value, exact.
    pub least: f64,
    /// One in ten is at most this, to 0.8 %.
    pub p10: f64,
    /// Median, to 0.8 %.
    pub p50: f64,
    /// Nine in ten are at most this, to 0.8 %.
    pub p90: f64,
    /// 99 in a hundred are at most this, to 0.8 %.
    pub p99: f64,
    /// Greatest value, exact.
    pub greatest: f64,
    /// The distribution function, with rising values.
    pub points: Vec<DistributionPoint>,
}

/// A point of a distribution function: a fraction of the values is at most so much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DistributionPoint {
    /// A value.
    pub at_most: f64,
    /// The fraction of all values that are not above it, 0 to 1.
    pub fraction: f64,
}

impl Distribution {
    /// The fraction of values at most `value`, from the nearest point below.
    pub fn fraction_at_most(&self, value: f64) -> f64 {
        let above = self.points.partition_point(|point| point.at_most <= value);
        above.checked_sub(1).map_or(0.0, |index| self.points[index].fraction)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut tally = ValueTally::new();
        values.into_iter().for_each(|value| tally.add(value));
        tally.finish(1.0).unwrap()
    }

    #[test]
    fn count_mean_and_ends_are_exact_and_quantiles_close() {
        let found = of((1..=100_000).map(|value| value * 1_000));
        assert_eq!((found.count, found.least, found.greatest), (100_000, 1_000.0, 1e8));
        assert_eq!(found.mean, 50_000_500.0);
        for (quantile, exact) in [(found.p10, 1e7), (found.p50, 5e7), (found.p90, 9e7), (found.p99, 9.9e7)] {
            assert!((quantile / exact - 1.0).abs() < 0.008, "{quantile} for {exact}");
        }
    }

    #[test]
    fn the_function_rises_to_one_and_is_true_at_its_points() {
        let values: Vec<u64> = (0..5_000).map(|value: u64| value * value * value).collect();
        let found = of(values.iter().copied());
        assert!(
            found
                .points
                .windows(2)
                .all(|pair| pair[0].at_most < pair[1].at_most && pair[0].fraction < pair[1].fraction)
        );
        assert_eq!(found.points.last().unwrap().fraction, 1.0);
        for point in &found.points {
            let exact =
                values.iter().filter(|value| **value as f64 <= point.at_most).count() as f64 / 5_000.0;
            assert!((exact - point.fraction).abs() < 1e-9, "{point:?}, exactly {exact}");
        }
        assert!(found.points.len() < 500);
    }

    #[test]
    fn a_weight_is_as_many_values_and_the_largest_number_is_borne() {
        let mut tally = ValueTally::new();
        tally.add_weighted(10, 3);
        tally.add_weighted(u64::MAX, 1);
        tally.add_weighted(5, 0);
        let found = tally.finish(2.0).unwrap();
        assert_eq!((found.count, found.least, found.p50), (4, 5.0, 5.0));
        assert_eq!(found.greatest, u64::MAX as f64 / 2.0);
        assert_eq!(found.fraction_at_most(5.0), 0.75);
        assert_eq!(found.fraction_at_most(4.0), 0.0);
        assert_eq!(ValueTally::new().finish(1.0), None);
    }
}
