//! Every family against oracles: its own draws, numeric integration, other implementations, and published values.
#![allow(clippy::unwrap_used)]

mod draws;
mod families;
mod ranks;
mod tables;
mod text;

use super::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn any(family: Result<impl Into<Distribution>, DistributionError>) -> Distribution {
    family.unwrap().into()
}

fn gamma(stages: &[(f64, f64, f64, f64)]) -> Distribution {
    let stages = stages
        .iter()
        .map(|&(weight, shape, scale, offset)| (weight, Gamma::new(shape, scale, offset).unwrap()));
    any(Mixture::new(stages.collect()))
}

/// DiskSim's families, in the order in which their draws are pinned.
fn disksim() -> Vec<Distribution> {
    vec![
        Distribution::constant(3.0),
        any(Uniform::new(-2.0, 7.0)),
        any(Normal::new(4.0, 3.0)),
        any(Exponential::new(1.0, 8.0)),
        any(Poisson::new(2.0, 3.5, 1.0)),
        any(Poisson::new(0.0, 40.0, 0.5)),
        any(Poisson::new(0.0, 2_500.0, 1.0)),
        any(TwoValue::new(1.0, 10.0, 0.3)),
        any(Exponential::new(5.0, 0.0)),
    ]
}

/// The continuous ones.
fn continuous() -> Vec<Distribution> {
    let bumps: Vec<f64> = (0..40).map(|i| libm::sin(f64::from(i) / 4.0).abs() + 0.01).collect();
    let points: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.3 + f64::from(i * i) * 0.01).collect();
    let curve = [0.0, 0.1, 0.15, 0.7, 0.9, 1.0];
    let knots = [-1.0, 0.0, 2.0, 2.5, 6.0, 20.0];
    let sample: Vec<f64> = (0..200).map(|i| libm::exp(f64::from(i * 7919 % 200) / 20.0) / 500.0).collect();
    vec![
        any(Uniform::new(-2.0, 7.0)),
        any(Normal::new(4.0, 3.0)),
        any(Exponential::new(1.0, 8.0)),
        any(Lognormal::new(3.0, 0.6, 0.0)),
        any(Lognormal::new(40.0, 0.25, -30.0)),
        any(Weibull::new(0.7, 2.0, 0.0)),
        any(Weibull::new(3.0, 2.0, 5.0)),
        any(Pareto::new(9.5, 2.0)),
        gamma(&[(1.0, 0.4, 3.0, 0.0)]),
        gamma(&[(1.0, 1.0, 3.0, 2.0)]),
        gamma(&[(1.0, 60.0, 0.5, 0.0)]),
        gamma(&[(0.3, 1.5, 1.2, 0.0), (0.5, 4.0, 0.5, 3.0), (0.2, 30.0, 0.2, 10.0)]),
        any(Pieces::of_density(&points, &bumps)),
        any(Pieces::of_cumulative(&knots, &curve, Interpolation::Linear)),
        any(Pieces::of_cumulative(&knots, &curve, Interpolation::MonotoneCubic)),
        any(Pieces::of_sample(&sample, None)),
        any(Mixture::new(vec![(2.0, any(Normal::new(0.0, 1.0))), (1.0, any(Uniform::new(3.0, 5.0)))])),
        any(Truncated::new(any(Normal::new(0.0, 1.0)), -0.5, 2.0)),
        any(Truncated::new(gamma(&[(1.0, 2.0, 1.0, 0.0)]), 9.0, f64::INFINITY)),
    ]
}

/// Those with atoms.
fn discrete() -> Vec<Distribution> {
    let mut all: Vec<Distribution> = disksim().into_iter().filter(Distribution::has_atoms).collect();
    all.extend([
        any(Zipf::new(0.9, 1_000, 1.0)),
        any(Zipf::new(1.0, 10, 2.0)),
        any(Zipf::new(2.5, 100_000, 1.0)),
        any(Zipf::new(0.0, 6, 1.0)),
        any(Geometric::new(3.2, true, 1.0)),
        any(Geometric::new(0.4, false, 5.0)),
        any(Geometric::new(1.0, true, 1.0)),
        any(Steps::new(&[3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0], None)),
        any(Steps::new(&[3.0, 1.0, 4.0], Some(&[0.2, 3.0, 0.0]))),
        any(Truncated::new(any(Poisson::new(0.0, 3.5, 1.0)), 2.0, 7.0)),
        any(Mixture::new(vec![(1.0, Distribution::constant(0.0)), (3.0, any(TwoValue::new(1.0, 4.0, 0.5)))])),
    ]);
    all
}

/// Partly one, partly the other.
fn mixed() -> Vec<Distribution> {
    vec![
        any(Mixture::new(vec![(0.25, Distribution::constant(0.0)), (0.75, any(Exponential::new(0.0, 4.0)))])),
        any(Mixture::new(vec![(0.5, Distribution::constant(2.0)), (0.5, any(Uniform::new(1.0, 5.0)))])),
        any(Pieces::of_cumulative(&[0.0, 1.0, 3.0], &[0.4, 0.5, 1.0], Interpolation::Linear)),
        any(Pieces::of_sample(&[0.0, 0.0, 0.0, 1.0, 2.0, 5.0], None)),
    ]
}

fn all() -> Vec<Distribution> {
    [continuous(), discrete(), mixed()].concat()
}

fn generator(seed: usize) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed as u64)
}
