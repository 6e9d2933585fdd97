//! The special functions that distributions need, from `libm` and textbook series, so that they are the same on every
//! machine.

mod gamma;
mod harmonic;
mod invert;
mod normal;
mod polygamma;

pub(crate) use gamma::{gamma_p, gamma_p_inverse, gamma_q};
pub(crate) use harmonic::generalised_harmonic;
pub(crate) use invert::invert;
pub(crate) use normal::normal_density;
pub use normal::{normal_cdf, normal_quantile};
pub(crate) use polygamma::{digamma, trigamma};

/// The binomial coefficient of small numbers, for the moments of shifted distributions.
pub(crate) fn binomial(n: u32, k: u32) -> f64 {
    (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product()
}

/// A float to a small whole power; zero to the power of zero is one.
pub(crate) fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// E[(offset + scale · Y)^k] of a standard variable whose moments (whole or partial) `standard` gives.
pub(crate) fn shifted_moment(k: u32, offset: f64, scale: f64, standard: impl Fn(u32) -> f64) -> f64 {
    if offset == 0.0 {
        return power(scale, k) * standard(k);
    }
    (0..=k).map(|j| binomial(k, j) * power(offset, k - j) * power(scale, j) * standard(j)).sum()
}
