//! Fits of values whose distribution is known, of densities, and of values that no distribution explains.

#![allow(clippy::unwrap_used)]

mod data;
mod densities;
mod recovery;

use super::*;
use crate::{Distribution, Gamma, Mixture};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn draws(distribution: &Distribution, count: usize, seed: u64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..count).map(|_| distribution.sample(&mut random)).collect()
}

fn only(families: &[FitFamily], stages: Option<usize>) -> FitOptions {
    FitOptions { families: families.to_vec(), stages, ..FitOptions::default() }
}

fn stages(parts: &[(f64, f64, f64, f64)]) -> Distribution {
    let parts = parts
        .iter()
        .map(|&(weight, shape, scale, offset)| (weight, Gamma::new(shape, scale, offset).unwrap()));
    Mixture::new(parts.collect()).unwrap().into()
}
