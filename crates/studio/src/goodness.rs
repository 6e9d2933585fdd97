//! How far a distribution is from loaded values: the two figures that move while a handle is dragged.

use petrio_workload::distribution::Distribution;

/// Up to so many values the CDF is evaluated at each; of more, at so many order statistics. The distance is then within 1 / this.
const EVALUATED_MAX: usize = 4_096;

/// Distances of a distribution from a sample.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub(crate) struct Goodness {
    /// The greatest distance between the two CDFs.
    pub(crate) kolmogorov_smirnov: f64,
    /// The sum over equally filled bins of the differences between the share of values and the probability: twice the share that would have
    /// to move.
    pub(crate) area: f64,
}

/// Compares with sorted values.
pub(crate) fn goodness(sorted: &[f64], distribution: &Distribution) -> Goodness {
    let n = sorted.len();
    let stride = n.div_ceil(EVALUATED_MAX).max(1);
    let (mut farthest, mut i) = (0.0_f64, 0);
    while i < n {
        let x = sorted[i];
        let below = sorted.partition_point(|&value| value < x);
        let through = sorted.partition_point(|&value| value <= x);
        let cdf = distribution.cdf(x);
        let before = cdf - distribution.mass(x);
        farthest = farthest
            .max((cdf - through as f64 / n as f64).abs())
            .max((before - below as f64 / n as f64).abs());
        i = (i + stride).max(through);
    }
    Goodness { kolmogorov_smirnov: farthest, area: area(sorted, distribution) }
}

/// As many equally filled bins as Mann and Wald's rule for tests of fit has, at 2 n^(2/5).
fn area(sorted: &[f64], distribution: &Distribution) -> f64 {
    let n = sorted.len();
    let bins = (libm::ceil(2.0 * libm::pow(n as f64, 0.4)) as usize).min(n);
    let (mut sum, mut cdf_before, mut end_before) = (0.0, 0.0, 0);
    for bin in 1..=bins {
        // A bin ends between two different values.
        let last = sorted[bin * n / bins - 1];
        let end = sorted.partition_point(|&value| value <= last);
        if end == end_before {
            continue;
        }
        let cdf = if end == n { 1.0 } else { distribution.cdf(f64::midpoint(last, sorted[end])) };
        sum += ((end - end_before) as f64 / n as f64 - (cdf - cdf_before)).abs();
        (cdf_before, end_before) = (cdf, end);
    }
    sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_workload::distribution::{Exponential, Uniform};

    #[test]
    fn the_distances_of_a_uniform_sample_are_those_of_the_definition() {
        let sorted: Vec<f64> = (0..100).map(|i| (f64::from(i) + 0.5) / 100.0).collect();
        let own = goodness(&sorted, &Uniform::new(0.0, 1.0).unwrap().into());
        assert!((own.kolmogorov_smirnov - 0.005).abs() < 1e-12);
        assert!(own.area < 1e-9, "{}", own.area);
        // The upper half of the CDF of U(0, 2) is missing: 0.995 against 0.4975.
        let wide = goodness(&sorted, &Uniform::new(0.0, 2.0).unwrap().into());
        assert!((wide.kolmogorov_smirnov - 0.5025).abs() < 1e-12, "{}", wide.kolmogorov_smirnov);
        assert!(wide.area > 0.9);
    }

    #[test]
    fn equal_values_are_one_step() {
        let constant = goodness(&[3.0; 50], &Distribution::constant(3.0));
        assert_eq!((constant.kolmogorov_smirnov, constant.area), (0.0, 0.0));
        let other = goodness(&[3.0; 50], &Exponential::new(0.0, 3.0).unwrap().into());
        assert!((other.kolmogorov_smirnov - 0.632).abs() < 1e-3);
    }
}
