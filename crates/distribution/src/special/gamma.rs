//! The incomplete gamma functions and their inverse.
//!
//! Sources: Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 6.5.29 (the series) and 6.5.31 (the
//! continued fraction, evaluated by Lentz's method as modified by Thompson and Barnett 1986); the first guess of the
//! inverse is 26.4.17 (Wilson and Hilferty).

use super::{invert, normal_cdf, normal_quantile};
use libm::{cbrt, exp, lgamma, log};

/// Enough for shapes up to some 10⁸; near x = a both methods need about 6 √a terms.
const TERMS_MAX: u32 = 100_000;
/// From this shape on the approximation of Wilson and Hilferty is right to ten digits, and the sums aren't: they would
/// need more terms.
const LARGE: f64 = 1e10;
/// Of a smaller shape not even 1/a is a float, and no draw differs from zero.
const SMALL: f64 = f64::MIN_POSITIVE;

/// The regularised lower incomplete gamma function P(a, x), the CDF of a standard gamma distribution of shape `a` > 0.
pub(crate) fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x == f64::INFINITY || a < SMALL {
        1.0
    } else if a > LARGE {
        normal_cdf(normal_of(a, x))
    } else if x < a + 1.0 {
        series(a, x)
    } else {
        1.0 - fraction(a, x)
    }
}

/// Its complement Q(a, x), precise far out.
pub(crate) fn gamma_q(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x == f64::INFINITY || a < SMALL {
        0.0
    } else if a > LARGE {
        normal_cdf(-normal_of(a, x))
    } else if x < a + 1.0 {
        1.0 - series(a, x)
    } else {
        fraction(a, x)
    }
}

/// The standard normal number that corresponds to x: 26.4.14, for many degrees of freedom.
fn normal_of(a: f64, x: f64) -> f64 {
    3.0 * a.sqrt() * (cbrt(x / a) - 1.0 + 1.0 / (9.0 * a))
}

/// What corresponds to a standard normal number: its inverse, 26.4.17.
fn of_normal(a: f64, z: f64) -> f64 {
    let cube = 1.0 - 1.0 / (9.0 * a) + z / (3.0 * a.sqrt());
    a * cube * cube * cube
}

/// x^a e^−x / Γ(a).
fn front(a: f64, x: f64) -> f64 {
    exp(a * log(x) - x - lgamma(a))
}

fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut denominator) = (1.0 / a, a);
    let mut sum = term;
    for _ in 0..TERMS_MAX {
        denominator += 1.0;
        term *= x / denominator;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    (sum * front(a, x)).min(1.0)
}

fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..TERMS_MAX {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + an / c;
        c = if c.abs() < TINY { TINY } else { c };
        let factor = d * c;
        h *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    (h * front(a, x)).min(1.0)
}

/// The x at which P(a, x) is `p`.
pub(crate) fn gamma_p_inverse(a: f64, p: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    if a < SMALL {
        return 0.0;
    }
    if a > LARGE {
        return of_normal(a, normal_quantile(p));
    }
    // For small x, P(a, x) ≈ x^a / Γ(a + 1): always an overestimate of P, so an underestimate of x.
    let small = exp((log(p) + lgamma(a + 1.0)) / a);
    let guess = if a < 0.5 || small < 0.1 * a { small } else { of_normal(a, normal_quantile(p)).max(small) };
    let mut high = guess.max(small) * 2.0 + 1.0;
    while gamma_p(a, high) < p {
        high *= 2.0;
    }
    let density = |x: f64| if x > 0.0 { exp((a - 1.0) * log(x) - x - lgamma(a)) } else { 0.0 };
    // Near 1, P has lost the digits that its complement still has.
    if p > 0.9 {
        invert(p - 1.0, guess, small * 0.5, high, |x| -gamma_q(a, x), density)
    } else {
        invert(p, guess, small * 0.5, high, |x| gamma_p(a, x), density)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::function::gamma as oracle;

    #[test]
    fn incomplete_gamma_functions_agree_with_another_implementation() {
        for a in [0.05, 0.3, 1.0, 2.5, 17.0, 400.0, 5e4] {
            for factor in [1e-3, 0.2, 0.7, 0.99, 1.01, 1.5, 4.0] {
                let x = a * factor;
                assert!((gamma_p(a, x) - oracle::gamma_lr(a, x)).abs() < 3e-11, "P({a}, {x})");
                let (q, expected) = (gamma_q(a, x), oracle::gamma_ur(a, x));
                assert!((q - expected).abs() < 3e-11, "Q({a}, {x}): {q} {expected}");
            }
        }
    }

    #[test]
    fn shapes_of_any_size_have_functions_that_are_found_at_once() {
        for a in [5e-324, 1e-310, 1e-300, 1e9, 2e10, 1e15, 1e300] {
            let mut last = 0.0;
            for p in [1e-9, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
                let x = gamma_p_inverse(a, p);
                assert!(x >= last && x.is_finite(), "{a}, {p}: {x}");
                last = x;
                for x in [x, 1e-300, 1.0, a, 1e300] {
                    let (p, q) = (gamma_p(a, x), gamma_q(a, x));
                    assert!((0.0..=1.0).contains(&p) && (p + q - 1.0).abs() < 1e-9, "{a}, {x}: {p}, {q}");
                }
            }
        }
        // Where the sums end and the approximation begins, both say the same.
        for z in [-3.0, -1.0, 0.0, 0.5, 4.0] {
            let (a, x) = (LARGE / 100.0, of_normal(LARGE / 100.0, z));
            assert!((gamma_p(a, x) - normal_cdf(z)).abs() < 1e-7, "{z}");
        }
    }

    #[test]
    fn the_inverse_leads_back() {
        for a in [0.02, 0.3, 1.0, 2.5, 17.0, 400.0, 5e4] {
            for p in [1e-9, 1e-3, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-9] {
                let x = gamma_p_inverse(a, p);
                if x < f64::MIN_POSITIVE {
                    // The shape is so small that the quantile is less than any float.
                    assert!(a < 0.1 && p < 0.1);
                    continue;
                }
                let error = if p > 0.9 { gamma_q(a, x) - (1.0 - p) } else { gamma_p(a, x) - p };
                assert!(error.abs() <= 1e-9 * p.min(1.0 - p), "{a}, {p}: {x}, {error}");
            }
        }
    }
}
