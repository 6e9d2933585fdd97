//! The difference of a measure between two contenders, with what can be said about its uncertainty.

use super::sample::Sample;
use petrio_kernel::statistics::{student_t_quantile, student_t_two_sided};
use serde::Serialize;

/// How an interval came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Nothing is random on either side: the difference is what it is.
    Exact,
    /// Replications of the same random numbers, pair by pair.
    Paired,
    /// Independent replications, of variances that may differ.
    Welch,
    /// A single run on a side: there is a difference, and no telling how far it is due to chance.
    Single,
}

/// An estimate with its t interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// The estimate.
    pub value: f64,
    /// Half the width of its interval; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub half_width: Option<f64>,
    /// Degrees of freedom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freedom: Option<f64>,
    /// How likely so large an estimate would be if there were none: two-sided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// A ratio with its interval, which isn't symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Second over first.
    pub value: f64,
    /// Lower end of the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// How likely a ratio so far from one would be if there were no difference: two-sided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

impl Ratio {
    /// First over second.
    #[must_use]
    pub fn inverse(self) -> Self {
        let Self { value, low, high, p } = self;
        Self { value: 1.0 / value, low: high.map(|high| 1.0 / high), high: low.map(|low| 1.0 / low), p }
    }

    /// Half the interval's width; none without an interval.
    pub fn half_width(self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }
}

/// A measure of two contenders.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// How the interval came about.
    pub method: Method,
    /// Second less first, in the measure's unit.
    pub difference: Test,
    /// Second over first, by its logarithm; absent where a value is zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// The same difference by Welch's t test, as if the two had nothing in common; beside a paired one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub welch: Option<Test>,
    /// How many times smaller pairing made the variance of the difference; below 1, it made it larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_reduction: Option<f64>,
}

impl Difference {
    /// Of two samples at a level of confidence. `paired` says that values of the same place belong together; the longer
    /// sample is cut.
    pub fn between(first: &Sample, second: &Sample, paired: bool, level: f64) -> Self {
        let logarithms = first.logarithms().zip(second.logarithms());
        let exact = first.is_exact() && second.is_exact();
        let pairs = pairs(first, second, paired);
        let single = first.count() < 2 || second.count() < 2;
        if exact || (single && pairs.len() < 2) {
            let ratio = logarithms.is_some().then(|| second.mean() / first.mean());
            let change = second.mean() - first.mean();
            let p = exact.then_some(if change == 0.0 { 1.0 } else { 0.0 });
            return Self {
                method: if exact { Method::Exact } else { Method::Single },
                difference: Test { value: change, half_width: None, freedom: None, p },
                ratio: ratio.map(|value| Ratio { value, low: None, high: None, p }),
                welch: None,
                variance_reduction: None,
            };
        }
        if pairs.len() < 2 {
            return Self {
                method: Method::Welch,
                difference: welch(first, second, level),
                ratio: logarithms.map(|(first, second)| ratio_of(welch(&first, &second, level))),
                welch: None,
                variance_reduction: None,
            };
        }
        let logarithms = logarithms.map(|(first, second)| {
            let differences: Vec<f64> = self::pairs(&first, &second, true);
            ratio_of(one_sample(&differences, level))
        });
        let independent = first.variance() + second.variance();
        let difference = Sample::of(pairs.clone()).map_or(0.0, |sample| sample.variance());
        Self {
            method: Method::Paired,
            difference: one_sample(&pairs, level),
            ratio: logarithms,
            welch: Some(welch(first, second, level)),
            variance_reduction: (difference > 0.0).then(|| independent / difference),
        }
    }

    /// How likely so large a difference would be by chance: that of the ratio, where there is one. None where a single
    /// run doesn't tell.
    pub fn p(&self) -> Option<f64> {
        self.ratio.map_or(self.difference.p, |ratio| ratio.p)
    }
}

/// Second less first, pair by pair; nothing where they are no pairs.
fn pairs(first: &Sample, second: &Sample, paired: bool) -> Vec<f64> {
    if !paired {
        return Vec::new();
    }
    first.values().iter().zip(second.values()).map(|(first, second)| second - first).collect()
}

/// The t test of one sample against zero.
fn one_sample(values: &[f64], level: f64) -> Test {
    let Some(sample) = Sample::of(values.to_vec()) else {
        return Test { value: 0.0, half_width: None, freedom: None, p: None };
    };
    let freedom = (values.len() - 1) as f64;
    test(sample.mean(), sample.variance() / values.len() as f64, freedom, level)
}

/// Welch's t test with the degrees of freedom of Welch and Satterthwaite.
fn welch(first: &Sample, second: &Sample, level: f64) -> Test {
    let part = |sample: &Sample| sample.variance() / sample.count() as f64;
    let (a, b) = (part(first), part(second));
    let squared = |part: f64, sample: &Sample| part * part / (sample.count() - 1) as f64;
    let spread = squared(a, first) + squared(b, second);
    let freedom = if spread > 0.0 {
        (a + b) * (a + b) / spread
    } else {
        (first.count().min(second.count()) - 1) as f64
    };
    test(second.mean() - first.mean(), a + b, freedom, level)
}

fn test(value: f64, squared_error: f64, freedom: f64, level: f64) -> Test {
    let error = libm::sqrt(squared_error);
    let p = match (value == 0.0, error == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => student_t_two_sided(value / error, freedom),
    };
    let half_width = student_t_quantile(0.5 + level / 2.0, freedom) * error;
    Test { value, half_width: Some(half_width), freedom: Some(freedom), p: Some(p) }
}

fn ratio_of(logarithm: Test) -> Ratio {
    let end = |sign: f64| logarithm.half_width.map(|width| libm::exp(logarithm.value + sign * width));
    Ratio { value: libm::exp(logarithm.value), low: end(-1.0), high: end(1.0), p: logarithm.p }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::of(values.to_vec()).unwrap()
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found}, expected {expected}");
    }

    /// Student's own data ("The probable error of a mean", Biometrika 6, 1908): hours of sleep gained by ten patients
    /// under two drugs; R's `sleep`.
    const SLEEP: [[f64; 10]; 2] = [
        [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
        [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
    ];

    #[test]
    fn the_paired_test_agrees_with_students_sleep_data() {
        // R 4: t.test(extra ~ group, paired): t = 4.0621, 9 degrees, p = 0.002833, interval 0.7001142 … 2.4598858.
        let [first, second] = SLEEP.map(|values| sample(&values));
        let found = Difference::between(&first, &second, true, 0.95);
        assert_eq!(found.method, Method::Paired);
        near(found.difference.value, 1.58, 1e-12);
        near(found.difference.value - found.difference.half_width.unwrap(), 0.700_114_2, 1e-6);
        near(found.difference.p.unwrap(), 0.002_833, 1e-6);
        assert_eq!(found.difference.freedom, Some(9.0));
        assert_eq!(found.ratio, None, "there is no ratio to a loss of sleep");
    }

    #[test]
    fn welchs_test_agrees_with_students_sleep_data() {
        // R 4: t.test(extra ~ group): t = 1.8608, 17.776 degrees, p = 0.07939, interval −0.2054832 … 3.3654832.
        let [first, second] = SLEEP.map(|values| sample(&values));
        let found = Difference::between(&first, &second, false, 0.95);
        assert_eq!(found.method, Method::Welch);
        near(found.difference.freedom.unwrap(), 17.776, 1e-3);
        near(found.difference.p.unwrap(), 0.079_39, 1e-5);
        near(found.difference.value + found.difference.half_width.unwrap(), 3.365_483_2, 1e-6);
        // The paired comparison carries it beside, with what pairing was worth: (1.789010² + 2.002249²) / 1.229995².
        let paired = Difference::between(&first, &second, true, 0.95);
        assert_eq!(paired.welch, Some(found.difference));
        let gain = (1.789_010f64 * 1.789_010 + 2.002_249 * 2.002_249) / (1.229_995 * 1.229_995);
        near(paired.variance_reduction.unwrap(), gain, 1e-4);
    }

    #[test]
    fn welchs_test_agrees_with_a_published_example_of_unequal_sizes() {
        // Wikipedia, "Welch's t-test", third example (10 and 20 values): 24.5 degrees, p = 0.036.
        let first = [19.8, 20.4, 19.6, 17.8, 18.5, 18.9, 18.3, 18.9, 19.5, 22.0];
        let second = [
            28.2, 26.6, 20.1, 23.3, 25.2, 22.1, 17.7, 27.6, 20.6, 13.7, 23.2, 17.5, 20.6, 18.0, 23.9, 21.6,
            24.3, 20.4, 24.0, 13.2,
        ];
        let found = Difference::between(&sample(&first), &sample(&second), false, 0.95);
        near(found.difference.freedom.unwrap(), 24.5, 0.05);
        near(found.difference.p.unwrap(), 0.036, 0.0005);
    }

    #[test]
    fn means_with_half_widths_give_welchs_test_as_their_values_do() {
        let (first, second) = (sample(&[5.1, 4.9, 5.6, 5.2]), sample(&[6.0, 6.4, 5.9, 6.6, 6.1]));
        let saved = |sample: &Sample| Sample::of_estimate(sample.estimate(0.9), sample.count(), 0.9).unwrap();
        let (whole, saved) = (
            Difference::between(&first, &second, true, 0.95),
            Difference::between(&saved(&first), &saved(&second), true, 0.95),
        );
        assert_eq!((whole.method, saved.method), (Method::Paired, Method::Welch));
        near(saved.difference.half_width.unwrap(), whole.welch.unwrap().half_width.unwrap(), 1e-9);
        near(saved.difference.p.unwrap(), whole.welch.unwrap().p.unwrap(), 1e-9);
    }

    #[test]
    fn a_difference_without_chance_is_exact_and_a_single_run_tells_nothing_of_chance() {
        let exact = Difference::between(&sample(&[2.0, 2.0]), &sample(&[3.0, 3.0]), true, 0.95);
        assert_eq!((exact.method, exact.p()), (Method::Exact, Some(0.0)));
        assert_eq!((exact.difference.value, exact.difference.half_width), (1.0, None));
        let same = Difference::between(&sample(&[2.0, 2.0]), &sample(&[2.0, 2.0]), true, 0.95);
        assert_eq!(same.p(), Some(1.0));
        let single = Difference::between(&sample(&[2.0]), &sample(&[3.0, 3.5]), true, 0.95);
        assert_eq!((single.method, single.p()), (Method::Single, None));
    }

    #[test]
    fn the_ratio_of_b_to_a_is_the_inverse_of_that_of_a_to_b() {
        let (first, second) = (sample(&[5.1, 4.9, 5.6]), sample(&[6.0, 6.4, 6.1]));
        let forth = Difference::between(&first, &second, true, 0.95).ratio.unwrap();
        let back = Difference::between(&second, &first, true, 0.95).ratio.unwrap().inverse();
        near(forth.value, back.value, 1e-12);
        near(forth.low.unwrap(), back.low.unwrap(), 1e-12);
    }

    #[test]
    fn equal_pairs_have_no_difference_and_a_constant_one_is_certain() {
        let values = [3.0, 5.0, 4.0];
        let same = Difference::between(&sample(&values), &sample(&values), true, 0.95);
        assert_eq!((same.p(), same.difference.half_width), (Some(1.0), Some(0.0)));
        let shifted = Difference::between(&sample(&values), &sample(&[4.0, 6.0, 5.0]), true, 0.95);
        assert_eq!((shifted.difference.p, shifted.difference.half_width), (Some(0.0), Some(0.0)));
    }
}
