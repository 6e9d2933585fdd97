//! Generalised harmonic numbers, the sums behind Zipf's law.
//!
//! Source: the Euler–Maclaurin formula (Abramowitz and Stegun 1964, 23.1.30) beyond the first terms, which are added
//! up.

use libm::{expm1, log, pow};

/// Terms that are added one by one; the formula's error after them is below 10⁻¹⁴ of the sum.
const DIRECT: u64 = 64;

/// Σ k^−exponent for k = 1..=count.
pub(crate) fn generalised_harmonic(count: u64, exponent: f64) -> f64 {
    let term = |k: f64| pow(k, -exponent);
    let direct: f64 = (1..=count.min(DIRECT)).rev().map(|k| term(k as f64)).sum();
    if count <= DIRECT {
        return direct;
    }
    let (a, b) = (DIRECT as f64, count as f64);
    // Derivatives of x^−s: −s x^−(s+1), and the third −s(s+1)(s+2) x^−(s+3).
    let s = exponent;
    let first = |x: f64| -s * pow(x, -s - 1.0);
    let third = |x: f64| -s * (s + 1.0) * (s + 2.0) * pow(x, -s - 3.0);
    direct + integral(a, b, s) + (term(b) - term(a)) / 2.0 + (first(b) - first(a)) / 12.0
        - (third(b) - third(a)) / 720.0
}

/// ∫ x^−s from a to b; the logarithm at s = 1, and smooth beside it.
fn integral(a: f64, b: f64, s: f64) -> f64 {
    let ratio = log(b / a);
    let t = (1.0 - s) * ratio;
    let growth = if t.abs() < 1e-12 { ratio } else { expm1(t) / (1.0 - s) };
    pow(a, 1.0 - s) * growth
}

#[cfg(test)]
mod tests {
    use super::generalised_harmonic;

    #[test]
    fn sums_agree_with_plain_addition() {
        for exponent in [-3.0, 0.0, 0.5, 0.999_999, 1.0, 1.2, 2.0, 4.0] {
            for count in [1, 5, 64, 65, 100, 10_000] {
                let plain: f64 = (1..=count).rev().map(|k| f64::from(k).powf(-exponent)).sum();
                let ours = generalised_harmonic(u64::from(count as u32), exponent);
                assert!((ours / plain - 1.0).abs() < 1e-12, "{exponent}, {count}: {ours} {plain}");
            }
        }
        // ζ(2) = π²/6, less the tail of 1/n.
        let n = 1e12;
        let zeta = std::f64::consts::PI * std::f64::consts::PI / 6.0;
        assert!((generalised_harmonic(n as u64, 2.0) - (zeta - 1.0 / n)).abs() < 1e-13);
    }
}
