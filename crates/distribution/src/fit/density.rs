//! Fits to a density itself, rather than to values drawn from it, and how far two densities are apart.

use super::erlang;
use super::model::Model;
use super::points::{COARSE, FINE, Points};
use super::shifts;
use super::stages::Kind;
use crate::{Distribution, DistributionError};

/// What is fitted to a density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DensityFit {
    /// So many shifted gamma stages.
    Gamma(usize),
    /// So many shifted exponential phases.
    PhaseType(usize),
    /// Branches with so many phases in all.
    HyperErlang(u32),
}

/// Fits stages to a distribution on numbers from 0 on, by maximum likelihood over its quantiles.
///
/// # Errors
/// Stages that come out as no distribution, which would be a bug.
pub fn fit_density(target: &Distribution, fit: DensityFit) -> Result<Distribution, DistributionError> {
    let quantile = |p: f64| target.quantile(p);
    let coarse = Points::of_distribution(&quantile, COARSE);
    let fine = Points::of_distribution(&quantile, FINE);
    let stages = |count, kind| shifts::fit_shifted(&coarse, &fine, count, kind, 0.0).0;
    match fit {
        DensityFit::Gamma(count) => Model::Gamma(stages(count, Kind::Gamma)),
        DensityFit::PhaseType(count) => Model::PhaseType(stages(count, Kind::FixedShapes)),
        DensityFit::HyperErlang(phases) => {
            Model::HyperErlang(erlang::fit_hyper_erlang(&coarse, &fine, phases).0)
        }
    }
    .rounded()
    .distribution()
}

/// Panels that the area between two densities is cut into, by the quantiles of each.
const PANELS: usize = 3_000;

/// Gauss and Legendre's nodes and weights on 0…1, three points.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// ∫ |f − g|: 0 for the same density, 2 for densities that share nothing (Bobbio and Telek 1994).
pub fn area_difference(f: &Distribution, g: &Distribution) -> f64 {
    // Steps of probability that fall towards both ends, where densities may be infinite or long.
    let edge = |i: usize| {
        let t = i as f64 / PANELS as f64;
        t * t * (3.0 - 2.0 * t)
    };
    let mut edges: Vec<f64> = (1..PANELS)
        .flat_map(|i| [f.quantile(edge(i)), g.quantile(edge(i))])
        .filter(|x| x.is_finite())
        .collect();
    edges.extend([f, g].iter().flat_map(|d| [d.infimum(), d.supremum()]).filter(|x| x.is_finite()));
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else { return 0.0 };
    let ends = (f.cdf(first) - g.cdf(first)).abs() + (f.cdf(last) - g.cdf(last)).abs();
    let inside: f64 = edges
        .windows(2)
        .map(|pair| {
            let width = pair[1] - pair[0];
            let at = |t: f64| (f.density(pair[0] + t * width) - g.density(pair[0] + t * width)).abs();
            GAUSS.iter().map(|(t, weight)| weight * at(*t)).sum::<f64>() * width
        })
        .sum();
    ends + inside
}
