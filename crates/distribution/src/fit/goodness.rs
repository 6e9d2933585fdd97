//! How well a distribution fits values: likelihood, Kolmogorov–Smirnov, Anderson–Darling, area difference.
//!
//! Sources: Stephens, "EDF statistics for goodness of fit and some comparisons", JASA 69 (1974), for both statistics
//! and the correction of Kolmogorov's limit for finite samples; Marsaglia and Marsaglia, "Evaluating the
//! Anderson–Darling distribution", Journal of Statistical Software 9 (2004), for `adinf`.

use super::points::bounded_log_density;
use crate::Distribution;
use libm::{exp, log, log1p, pow};
use petrio_units::numbers::{as_index, whole_part};
use rayon::prelude::*;
use serde::Serialize;

/// Statistics of a fit over all values (not over bins of them).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodness {
    /// The log-likelihood, in nats. The density is bounded at an edge where it is infinite.
    pub log_likelihood: f64,
    /// Bayes' information criterion: parameters × ln(values) − 2 × log-likelihood. The smallest is best.
    pub bic: f64,
    /// The greatest distance between the values' and the distribution's CDF.
    pub kolmogorov_smirnov: f64,
    /// How likely a greater one is if the values are of this very distribution. Parameters were estimated from the same
    /// values, so it is too favourable.
    pub kolmogorov_smirnov_p: f64,
    /// Anderson and Darling's A², which minds the tails.
    pub anderson_darling: f64,
    /// As `kolmogorov_smirnov_p`, of A².
    pub anderson_darling_p: f64,
    /// Half of it is the share of values that would have to move: the sum over equally filled bins of the differences
    /// between the share of values and the probability. Chance alone gives about √(2 · bins / (π · values)).
    pub area: f64,
}

/// Distances of a distribution from values: what can be told at once while somebody changes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distances {
    /// As [`Goodness::kolmogorov_smirnov`].
    pub kolmogorov_smirnov: f64,
    /// As [`Goodness::area`].
    pub area: f64,
}

impl Distances {
    /// Between a distribution and sorted values, of which there must be one at least.
    pub fn between(sorted: &[f64], distribution: &Distribution) -> Self {
        Self::at(sorted, &cdf_of(sorted, distribution), distribution)
    }

    fn at(sorted: &[f64], cdf: &[f64], distribution: &Distribution) -> Self {
        let steps = distribution.has_atoms();
        let mass = |x: f64| if steps { distribution.mass(x) } else { 0.0 };
        Self { kolmogorov_smirnov: farthest(sorted, cdf, mass), area: area(sorted, cdf, steps) }
    }
}

/// Up to so many values, the CDF is evaluated at each.
const EXACT_MAX: usize = 20_000;
/// Beyond, at so many on each side, and in the middle at every so many of the order statistics, and between them by a
/// cubic through value and slope.
const STRIDE: usize = 128;
const EXACT_ENDS: usize = 2_048;

/// Judges a distribution with so many free parameters by sorted values.
pub(super) fn goodness(
    sorted: &[f64],
    lattice: Option<f64>,
    distribution: &Distribution,
    freedom: usize,
    resolution: f64,
) -> Goodness {
    let n = sorted.len() as f64;
    let log_density = |x: f64| match lattice {
        None => bounded_log_density(distribution, x, resolution),
        Some(step) => log_density_of_step(distribution, x, step, resolution),
    };
    // Equal values have equal densities. Sums over parts of fixed length, added in their order: the same with any
    // number of threads.
    let parts: Vec<f64> = sorted
        .par_chunks(8_192)
        .map(|part| {
            part.chunk_by(|a, b| a == b).map(|equal| equal.len() as f64 * log_density(equal[0])).sum()
        })
        .collect();
    let log_likelihood: f64 = parts.iter().sum();
    let cdf = cdf_of(sorted, distribution);
    let Distances { kolmogorov_smirnov, area } = Distances::at(sorted, &cdf, distribution);
    let anderson_darling = anderson_darling(&cdf);
    Goodness {
        log_likelihood,
        bic: freedom as f64 * log(n) - 2.0 * log_likelihood,
        kolmogorov_smirnov,
        kolmogorov_smirnov_p: kolmogorov_p((n.sqrt() + 0.12 + 0.11 / n.sqrt()) * kolmogorov_smirnov),
        anderson_darling,
        anderson_darling_p: 1.0 - anderson_darling_limit(anderson_darling),
        area,
    }
}

/// Of a value that stands for all about it that are rounded to it: their mean density. A density that is infinite at a
/// rounded value, and nowhere else, explains nothing.
fn log_density_of_step(distribution: &Distribution, x: f64, step: f64, resolution: f64) -> f64 {
    let probability = distribution.cdf(x + step / 2.0) - distribution.cdf(x - step / 2.0);
    // In a tail, the difference of two CDFs has no digits left.
    if probability > 1e-9 {
        log(probability / step)
    } else {
        bounded_log_density(distribution, x, resolution)
    }
}

fn cdf_of(sorted: &[f64], distribution: &Distribution) -> Vec<f64> {
    let n = sorted.len();
    // Between two knots, a CDF that steps may be anywhere.
    if n <= EXACT_MAX || distribution.has_atoms() {
        return sorted.par_iter().map(|&x| distribution.cdf(x)).collect();
    }
    // Each of the outermost: the logarithms of A² are of the tails.
    let middle = (EXACT_ENDS..n - EXACT_ENDS).step_by(STRIDE);
    let knots: Vec<usize> = (0..EXACT_ENDS).chain(middle).chain(n - EXACT_ENDS..n).collect();
    let at_knots: Vec<(f64, f64)> =
        knots.par_iter().map(|&i| (distribution.cdf(sorted[i]), distribution.density(sorted[i]))).collect();
    let mut cdf = Vec::with_capacity(n);
    for (pair, values) in knots.windows(2).zip(at_knots.windows(2)) {
        let ((low, slope_low), (high, slope_high)) = (values[0], values[1]);
        let (from, width) = (sorted[pair[0]], sorted[pair[1]] - sorted[pair[0]]);
        for &x in &sorted[pair[0]..pair[1]] {
            let t = if width > 0.0 { (x - from) / width } else { 0.0 };
            let (d0, d1) = (slope_low * width, slope_high * width);
            let cubic = low
                + t * (d0 + t * (3.0 * (high - low) - 2.0 * d0 - d1 + t * (2.0 * (low - high) + d0 + d1)));
            // Where the density jumps or is infinite the cubic is worthless, but the knots still enclose the CDF.
            cdf.push(if cubic.is_finite() { cubic.clamp(low, high) } else { low + t * (high - low) });
        }
    }
    cdf.push(at_knots[at_knots.len() - 1].0);
    cdf
}

/// `mass` is how far the distribution steps at a value.
fn farthest(sorted: &[f64], cdf: &[f64], mass: impl Fn(f64) -> f64) -> f64 {
    let n = sorted.len();
    let (mut most, mut from) = (0.0_f64, 0);
    while from < n {
        let mut to = from + 1;
        while to < n && sorted[to] == sorted[from] {
            to += 1;
        }
        let value = cdf[from];
        let before = value - mass(sorted[from]);
        most = most.max((to as f64 / n as f64 - value).abs()).max((before - from as f64 / n as f64).abs());
        from = to;
    }
    most
}

/// A value at the very edge of a distribution, which its fit has put there, counts as the outermost of n² and not as
/// impossible: A² would be infinite.
fn anderson_darling(cdf: &[f64]) -> f64 {
    let n = cdf.len();
    let edge = 1.0 / (n as f64 * n as f64);
    let sum: f64 = (0..n)
        .map(|i| {
            let below = log(if cdf[i] <= 0.0 { edge } else { cdf[i] });
            let other = cdf[n - 1 - i];
            let above = if other >= 1.0 { log(edge) } else { log1p(-other) };
            (2 * i + 1) as f64 * (below + above)
        })
        .sum();
    -(n as f64) - sum / n as f64
}

/// Kolmogorov's limit: 2 Σ (−1)^(j − 1) e^(−2 j² λ²).
fn kolmogorov_p(lambda: f64) -> f64 {
    if lambda < 0.2 {
        return 1.0;
    }
    let sum: f64 = (1..=100)
        .map(|j| {
            let sign = if j % 2 == 1 { 1.0 } else { -1.0 };
            sign * exp(-2.0 * f64::from(j * j) * lambda * lambda)
        })
        .sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

/// The limit of A²'s CDF.
fn anderson_darling_limit(z: f64) -> f64 {
    if z <= 0.0 {
        return 0.0;
    }
    let horner = |c: &[f64]| c.iter().rev().fold(0.0, |sum, c| sum * z + c);
    if z < 2.0 {
        const SMALL: [f64; 6] = [2.00012, 0.247105, -0.0649821, 0.0347962, -0.0116720, 0.00168691];
        return (exp(-1.2337141 / z) / z.sqrt() * horner(&SMALL)).clamp(0.0, 1.0);
    }
    const LARGE: [f64; 6] = [1.0776, -2.30695, 0.43424, -0.082433, 0.008056, -0.0003146];
    // The polynomial was fitted up to 32, where nothing is left.
    if z > 32.0 { 1.0 } else { exp(-exp(horner(&LARGE))) }
}

/// As many equally filled bins as Mann and Wald's rule for tests of fit has, at 2 n^(2/5).
fn area(sorted: &[f64], cdf: &[f64], steps: bool) -> f64 {
    let n = sorted.len();
    let bins = as_index(whole_part(2.0 * libm::ceil(pow(n as f64, 0.4))));
    let bins = bins.min(n);
    let (mut sum, mut cdf_before, mut share_before) = (0.0, 0.0, 0.0);
    for bin in 1..=bins {
        let end = bin * n / bins;
        // A bin ends between two different values; where the CDF steps, with the lower one.
        let end = end + sorted[end..].iter().take_while(|&&x| x == sorted[end - 1]).count();
        let share = end as f64 / n as f64;
        let value = match end {
            _ if end == n => 1.0,
            _ if steps => cdf[end - 1],
            _ => f64::midpoint(cdf[end - 1], cdf[end]),
        };
        sum += ((share - share_before) - (value - cdf_before)).abs();
        (share_before, cdf_before) = (share, value);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_those_of_published_tables() {
        // Kolmogorov: 1.3581 at 5 %, 1.6276 at 1 %. Anderson–Darling, fully specified: 2.492 at 5 %, 3.857 at 1 %
        // (Stephens 1974).
        assert!((kolmogorov_p(1.3581) - 0.05).abs() < 1e-4);
        assert!((kolmogorov_p(1.6276) - 0.01).abs() < 1e-4);
        assert!((1.0 - anderson_darling_limit(2.492) - 0.05).abs() < 5e-4);
        assert!((1.0 - anderson_darling_limit(3.857) - 0.01).abs() < 5e-4);
    }

    #[test]
    fn distances_of_a_uniform_sample_are_those_of_the_definition() {
        let uniform = |to| Distribution::from(crate::Uniform::new(0.0, to).expect("sound"));
        let sorted: Vec<f64> = (0..100).map(|i| (f64::from(i) + 0.5) / 100.0).collect();
        let own = Distances::between(&sorted, &uniform(1.0));
        assert!((own.kolmogorov_smirnov - 0.005).abs() < 1e-12);
        assert!(own.area < 1e-9, "{}", own.area);
        // The upper half of the CDF of U(0, 2) is missing: 0.995 against 0.4975.
        let wide = Distances::between(&sorted, &uniform(2.0));
        assert!((wide.kolmogorov_smirnov - 0.5025).abs() < 1e-12, "{}", wide.kolmogorov_smirnov);
        assert!(wide.area > 0.9);
    }

    #[test]
    fn equal_values_are_one_step() {
        let constant = Distances::between(&[3.0; 50], &Distribution::constant(3.0));
        assert_eq!((constant.kolmogorov_smirnov, constant.area), (0.0, 0.0));
        let exponential = crate::Exponential::new(0.0, 3.0).expect("sound");
        let other = Distances::between(&[3.0; 50], &exponential.into());
        assert!((other.kolmogorov_smirnov - 0.632).abs() < 1e-3);
    }

    #[test]
    fn statistics_of_three_values_against_a_uniform_are_those_counted_by_hand() {
        let uniform = Distribution::from(crate::Uniform::new(0.0, 1.0).expect("sound"));
        let found = goodness(&[0.1, 0.2, 0.9], None, &uniform, 2, 1e-9);
        // Distances: 2/3 − 0.2.
        assert!((found.kolmogorov_smirnov - (2.0 / 3.0 - 0.2)).abs() < 1e-12);
        let by_hand = -3.0
            - [(0.1_f64, 0.9_f64), (0.2, 0.2), (0.9, 0.1)]
                .iter()
                .zip([1.0, 3.0, 5.0])
                .map(|((f, g), k)| k * (f.ln() + (1.0 - g).ln()))
                .sum::<f64>()
                / 3.0;
        assert!((found.anderson_darling - by_hand).abs() < 1e-12);
        assert_eq!(found.log_likelihood, 0.0);
        assert!((found.bic - 2.0 * 3.0_f64.ln()).abs() < 1e-12);
    }
}
