//! The nine densities by which the field measures fitting algorithms.
//!
//! Source: Bobbio and Telek, "A benchmark for PH estimation algorithms: results for acyclic-PH", Stochastic Models 10
//! (1994). Their lognormal densities are given by the mean, 1, and the standard deviation of the logarithm σ: the
//! median is e^(−σ²/2). Their matrix-exponential density is (1 + 1/(2π)²) (1 − cos 2πt) e^−t.

use crate::{Distribution, DistributionError, Exponential, Lognormal, Mixture, Pieces, Uniform, Weibull};
use std::f64::consts::TAU;

/// One of the nine.
#[derive(Clone, Debug, PartialEq)]
pub struct TestDensity {
    /// Its name in the benchmark.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// Itself.
    pub distribution: Distribution,
}

/// All nine, in the benchmark's order.
///
/// # Errors
/// None: the parameters are sound.
pub fn test_densities() -> Result<Vec<TestDensity>, DistributionError> {
    let lognormal =
        |spread: f64| Lognormal::new(libm::exp(-spread * spread / 2.0), spread, 0.0).map(Distribution::from);
    let shifted = Mixture::new(vec![
        (0.5, Distribution::from(Exponential::new(0.0, 1.0)?)),
        (0.5, Exponential::new(1.0, 1.0)?.into()),
    ])?;
    let test = |name, what, distribution| TestDensity { name, what, distribution };
    Ok(vec![
        test("W1", "Weibull (1, 1.5)", Weibull::new(1.5, 1.0, 0.0)?.into()),
        test("W2", "Weibull (1, 0.5)", Weibull::new(0.5, 1.0, 0.0)?.into()),
        test("L1", "lognormal (1, 1.8)", lognormal(1.8)?),
        test("L2", "lognormal (1, 0.8)", lognormal(0.8)?),
        test("L3", "lognormal (1, 0.2)", lognormal(0.2)?),
        test("U1", "uniform (0, 1)", Uniform::new(0.0, 1.0)?.into()),
        test("U2", "uniform (1, 2)", Uniform::new(1.0, 2.0)?.into()),
        test("SE", "shifted exponential", shifted.into()),
        test("ME", "matrix exponential", matrix_exponential()?),
    ])
}

/// As a table: 200 points a wave, up to where e^−40 is left.
fn matrix_exponential() -> Result<Distribution, DistributionError> {
    let x: Vec<f64> = (0..=8_000).map(|i| f64::from(i) / 200.0).collect();
    let density = |t: &f64| (1.0 + 1.0 / (TAU * TAU)) * (1.0 - libm::cos(TAU * t)) * libm::exp(-t);
    Ok(Pieces::of_density(&x, &x.iter().map(density).collect::<Vec<_>>())?.into())
}
