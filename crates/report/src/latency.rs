//! Latencies: an exact mean and maximum, percentiles from a high-dynamic-range histogram (relative error at most 0.1
//! %).

use crate::estimate::Estimate;
use crate::figure::figures;
use hdrhistogram::Histogram;
use petrio_kernel::Time;
use petrio_units::numbers::{as_index, whole_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The distribution of latencies in a few figures, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// The mean.
    pub mean_ms: Estimate,
    /// The median.
    pub p50_ms: Estimate,
    /// Nine in ten are at most this.
    pub p90_ms: Estimate,
    /// 99 in a hundred are at most this.
    pub p99_ms: Estimate,
    /// 999 in a thousand are at most this.
    pub p99_9_ms: Estimate,
    /// The longest.
    pub max_ms: Estimate,
    /// The standard deviation within the run.
    pub deviation_ms: Estimate,
}

figures! { Latency:
    mean_ms => "mean" Milliseconds Down;
    p50_ms => "p50" Milliseconds Down;
    p90_ms => "p90" Milliseconds Down;
    p99_ms => "p99" Milliseconds Down;
    p99_9_ms => "p99.9" Milliseconds Down;
    max_ms => "max" Milliseconds Down;
    deviation_ms => "standard deviation" Milliseconds Down;
}

/// One bin of the latency histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// Lower edge, milliseconds.
    pub from_ms: f64,
    /// Upper edge, milliseconds.
    pub to_ms: f64,
    /// Requests in it.
    pub count: u64,
}

/// One point of the distribution function.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantile {
    /// The part of the requests, 0 to 1, …
    pub probability: f64,
    /// … whose latency is at most this, milliseconds.
    pub latency_ms: f64,
}

/// Collects latencies in a memory that depends on their range (at most some 400 KB), not on their number.
#[derive(Clone, Debug)]
pub struct LatencyHistogram {
    nanoseconds: Histogram<u64>,
    count: u64,
    picoseconds_sum: u128,
    /// Sums of whole nanoseconds and of their squares, exact, so that neither the order of completion nor that of
    /// merging changes a digit.
    nanoseconds_sum: u128,
    squares_sum: u128,
    longest: Time,
}

const BINS_PER_DECADE: i32 = 20;

impl Default for LatencyHistogram {
    fn default() -> Self {
        // Three significant digits from 1 ns to the horizon of model time. The bounds are constants that the histogram
        // accepts; the fallbacks exist because a constructor that can fail has to be answered for.
        let nanoseconds = Histogram::new_with_bounds(1, u64::MAX / 1_000, 3)
            .or_else(|_| Histogram::new(3))
            .unwrap_or_else(|_| unreachable!("three significant digits are allowed"));
        Self {
            nanoseconds,
            count: 0,
            picoseconds_sum: 0,
            nanoseconds_sum: 0,
            squares_sum: 0,
            longest: Time::ZERO,
        }
    }
}

impl LatencyHistogram {
    /// Adds one latency.
    #[inline]
    pub fn record(&mut self, latency: Time) {
        let nanoseconds = latency.as_picos().div_ceil(1_000);
        self.nanoseconds.saturating_record(nanoseconds);
        self.count += 1;
        self.picoseconds_sum += u128::from(latency.as_picos());
        self.nanoseconds_sum += u128::from(nanoseconds);
        self.squares_sum += u128::from(nanoseconds) * u128::from(nanoseconds);
        self.longest = self.longest.max(latency);
    }

    /// Adds what another has collected.
    pub fn merge(&mut self, other: &Self) {
        // Both have the same bounds, so nothing of the other can fall outside; the result only says that.
        let _ = self.nanoseconds.add(&other.nanoseconds);
        self.count += other.count;
        self.picoseconds_sum += other.picoseconds_sum;
        self.nanoseconds_sum += other.nanoseconds_sum;
        self.squares_sum += other.squares_sum;
        self.longest = self.longest.max(other.longest);
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of all latencies, picoseconds.
    pub(crate) fn sum_ps(&self) -> u128 {
        self.picoseconds_sum
    }

    /// The standard deviation (n − 1), milliseconds; zero for fewer than two.
    fn deviation_ms(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let (count, sum) = (u128::from(self.count), self.nanoseconds_sum);
        // Exact as long as it fits; a difference of two products this large has no use for its last digits.
        let spread = match (count.checked_mul(self.squares_sum), sum.checked_mul(sum)) {
            (Some(squares), Some(square)) => squares.saturating_sub(square) as f64,
            _ => (count as f64 * self.squares_sum as f64 - sum as f64 * sum as f64).max(0.0),
        };
        libm::sqrt(spread / count as f64 / (count - 1) as f64) / 1e6
    }

    /// The mean, milliseconds; zero when there are none.
    pub fn mean_ms(&self) -> f64 {
        // From the exact sum, so that it doesn't depend on the order of completion.
        if self.count() == 0 { 0.0 } else { self.picoseconds_sum as f64 / 1e9 / self.count() as f64 }
    }

    /// The latency that the given part of the requests doesn't exceed, milliseconds.
    pub fn quantile_ms(&self, probability: f64) -> f64 {
        // The histogram answers with the upper edge of a bin, which may lie beyond the longest.
        (self.nanoseconds.value_at_quantile(probability) as f64 / 1e6).min(self.longest.as_millis())
    }

    /// The usual figures; `None` when there are no latencies.
    pub fn summary(&self) -> Option<Latency> {
        if self.count() == 0 {
            return None;
        }
        Some(Latency {
            mean_ms: self.mean_ms().into(),
            p50_ms: self.quantile_ms(0.5).into(),
            p90_ms: self.quantile_ms(0.9).into(),
            p99_ms: self.quantile_ms(0.99).into(),
            p99_9_ms: self.quantile_ms(0.999).into(),
            max_ms: self.longest.as_millis().into(),
            deviation_ms: self.deviation_ms().into(),
        })
    }

    /// The histogram in bins a twentieth of a decade wide, without the empty ones at both ends. Latencies below a
    /// nanosecond stand in the first bin.
    pub fn bins(&self) -> Vec<Bin> {
        let bin_of = |ns: u64| whole_part(libm::log10(ns.max(1) as f64) * f64::from(BINS_PER_DECADE));
        let edge_ms = |bin: u64| libm::pow(10.0, bin as f64 / f64::from(BINS_PER_DECADE)) / 1e6;
        let mut bins: Vec<Bin> = Vec::new();
        let mut first = None;
        for recorded in self.nanoseconds.iter_recorded() {
            let bin = bin_of(recorded.value_iterated_to());
            let first = *first.get_or_insert(bin);
            let index = as_index(bin.saturating_sub(first));
            while bins.len() <= index {
                let next = first + bins.len() as u64;
                bins.push(Bin { from_ms: edge_ms(next), to_ms: edge_ms(next + 1), count: 0 });
            }
            bins[index].count += recorded.count_since_last_iteration();
        }
        bins
    }

    /// The distribution function at every per cent, every tenth of one above 99 % and every hundredth above 99.9 %.
    pub fn quantiles(&self) -> Vec<Quantile> {
        if self.count() == 0 {
            return Vec::new();
        }
        let per_cent = (0..99).map(|p| f64::from(p) / 100.0);
        let tenths = (990..999).map(|p| f64::from(p) / 1_000.0);
        let hundredths = (9_990..=10_000).map(|p| f64::from(p) / 10_000.0);
        per_cent
            .chain(tenths)
            .chain(hundredths)
            .map(|probability| Quantile { probability, latency_ms: self.quantile_ms(probability) })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn percentiles_agree_with_sorted_latencies_to_a_thousandth() {
        let mut histogram = LatencyHistogram::default();
        let mut all: Vec<u64> = (0..10_000u64).map(|n| (n * 7_919) % 10_007 * 1_000_000 + 500_000).collect();
        for &ps in &all {
            histogram.record(Time::from_picos(ps));
        }
        all.sort_unstable();
        for (probability, index) in [(0.5, 4_999), (0.9, 8_999), (0.99, 9_899), (0.999, 9_989)] {
            let exact = all[index] as f64 / 1e9;
            assert!((histogram.quantile_ms(probability) / exact - 1.0).abs() < 1e-3, "{probability}");
        }
        let mean = all.iter().sum::<u64>() as f64 / 1e9 / 10_000.0;
        let latency = histogram.summary().unwrap();
        assert!((latency.mean_ms.value - mean).abs() < 1e-9);
        assert_eq!(latency.max_ms.value, all[9_999] as f64 / 1e9);
    }

    #[test]
    fn bins_hold_every_latency_and_touch_each_other() {
        let mut histogram = LatencyHistogram::default();
        for ps in [0, 1, 999, 1_000_000, 5_300_000_000, 5_300_000_001, 90_000_000_000_000] {
            histogram.record(Time::from_picos(ps));
        }
        let bins = histogram.bins();
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 7);
        assert!(bins.windows(2).all(|pair| pair[0].to_ms == pair[1].from_ms));
        assert!(bins.last().unwrap().to_ms > 90_000.0);
    }

    #[test]
    fn two_histograms_merged_are_one_of_all_their_latencies() {
        let (mut both, mut left, mut right) =
            (LatencyHistogram::default(), LatencyHistogram::default(), LatencyHistogram::default());
        for n in 0..1_000u64 {
            let latency = Time::from_nanos(400 + n * n);
            both.record(latency);
            if n % 3 == 0 { left.record(latency) } else { right.record(latency) }
        }
        left.merge(&right);
        assert_eq!(left.summary(), both.summary());
        assert_eq!((left.bins(), left.quantiles()), (both.bins(), both.quantiles()));
    }

    #[test]
    fn the_deviation_agrees_with_the_definition() {
        let mut histogram = LatencyHistogram::default();
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        values.iter().for_each(|&ms| histogram.record(Time::from_seconds(ms * 1e-3)));
        let deviation = histogram.summary().unwrap().deviation_ms.value;
        assert!((deviation - libm::sqrt(32.0 / 7.0)).abs() < 1e-12, "{deviation}");
    }

    #[test]
    fn no_latencies_have_no_summary() {
        assert!(LatencyHistogram::default().summary().is_none());
        assert!(LatencyHistogram::default().bins().is_empty());
    }
}
