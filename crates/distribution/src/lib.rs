//! Random distributions: density, CDF, quantiles, moments, draws that are the same on every machine, and their
//! [`fit`]ting to values.
//!
//! ```text
//!  text (Draw<Q>, with units) ── distribution() ──▶ Distribution ── sample ──▶ a number
//!                                                    ├ families/   one a file
//!                                                    ├ table/      densities, cumulative values, samples
//!                                                    └ mixtures, truncation of others; RankCorrelated of several
//!  values ── fit::fit() ──▶ FitReport: which family, its parameters with intervals, how well
//! ```
//!
//! A distribution built, asked and drawn from:
//!
//! ```
//! use petrio_distribution::{Distribution, Family, Lognormal};
//! use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
//! let sizes: Distribution = Lognormal::new(1.0, 1.0, 0.0)?.into();
//! assert!((sizes.quantile(0.5) - 1.0).abs() < 1e-9);
//! let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
//! let draws: Vec<f64> = (0..1000).map(|_| sizes.sample(&mut random)).collect();
//! let below = draws.iter().filter(|&&size| size < 1.0).count();
//! assert!((400..600).contains(&below));
//! # Ok::<(), petrio_distribution::DistributionError>(())
//! ```
//!
//! The families: DiskSim's six (Reference Manual, CMU-PDL-08-101, §4.3 "Synthetic workloads"; `disksim_synthio.c`), the
//! multi-stage gamma and the phase-type exponential distributions of Kao's workload generator (1991, §5.1) and tables
//! as its Graphic Distribution Specifier takes them (§4.1.1), and the usual ones of the field. Nothing depends on the
//! platform's mathematics.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod any;
mod error;
mod families;
pub mod fit;
mod observed;
mod random;
mod rank;
pub(crate) mod special;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use any::Distribution;
pub use error::DistributionError;
pub use families::{
    Constant, Exponential, Family, Gamma, Geometric, Lognormal, Mixture, Normal, Pareto, Poisson, Truncated,
    TwoValue, Uniform, Weibull, Zipf,
};
pub use observed::Observed;
pub use random::{standard_normal, uniform, uniform_below};
pub use rank::RankCorrelated;
pub use special::{normal_cdf, normal_quantile};
pub use table::{Interpolation, Pieces, Steps};
pub use text::{
    CumulativeTable, DensityTable, Draw, DrawFamily, EmpiricalSample, ErlangStage, ExponentialStage,
    GammaStage, GammaStages, MixturePart,
};
