//! Poisson counts: by multiplication for small means (as DiskSim), by transformed rejection for large ones.
//!
//! Source of the rejection method: Hörmann, "The transformed rejection method for generating Poisson random variables"
//! (1993), algorithm PTRS, for means of 10 and more. Multiplication takes time in proportion to the mean, and underflows
//! beyond 745.

use super::uniform;
use rand_core::Rng;

/// Hörmann's method holds from here on.
const REJECTION_FROM: f64 = 10.0;

pub(super) fn sample(mean: f64, random: &mut impl Rng) -> f64 {
    if mean < REJECTION_FROM { multiplied(mean, random) } else { rejected(mean, random) }
}

/// Knuth's method: how many uniform numbers can be multiplied before the product falls below e^−mean.
fn multiplied(mean: f64, random: &mut impl Rng) -> f64 {
    let stop = libm::exp(-mean);
    let mut product = uniform(random);
    let mut count = 0.0;
    while product > stop {
        product *= uniform(random);
        count += 1.0;
    }
    count
}

fn rejected(mean: f64, random: &mut impl Rng) -> f64 {
    let log_mean = libm::log(mean);
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let v_r = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = uniform(random) - 0.5;
        let v = uniform(random);
        let us = 0.5 - u.abs();
        let count = libm::floor((2.0 * a / us + b) * u + mean + 0.43);
        if us >= 0.07 && v <= v_r {
            return count;
        }
        if count < 0.0 || (us < 0.013 && v > us) {
            continue;
        }
        let left = libm::log(v * inverse_alpha / (a / (us * us) + b));
        if left <= count * log_mean - mean - libm::lgamma(count + 1.0) {
            return count;
        }
    }
}

/// The probability of a count; 0 for what is no count.
pub(super) fn probability(count: f64, mean: f64) -> f64 {
    if count < 0.0 || count != libm::floor(count) {
        return 0.0;
    }
    if mean == 0.0 {
        return f64::from(u8::from(count == 0.0));
    }
    libm::exp(count * libm::log(mean) - mean - libm::lgamma(count + 1.0))
}
