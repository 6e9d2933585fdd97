//! Random distributions: density, CDF, quantiles, moments, and draws that are the same on every machine.
//!
//! ```text
//!  text (Draw<Q>, with units) ── distribution() ──▶ Distribution ── sample ──▶ a number
//!                                                    ├ families/   one a file
//!                                                    ├ table/      densities, cumulative values, samples
//!                                                    └ mixtures, truncation of others; RankCorrelated of several
//! ```
//!
//! The families: DiskSim's six (Reference Manual, CMU-PDL-08-101, §4.3 "Synthetic workloads"; `disksim_synthio.c`), the multi-stage
//! gamma and the phase-type exponential distributions of Kao's workload generator (1991, §5.1) and tables as its Graphic
//! Distribution Specifier takes them (§4.1.1), and the usual ones of the field. Nothing depends on the platform's mathematics.

mod any;
mod error;
mod families;
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
pub(crate) use observed::Observed;
pub(crate) use random::below;
pub use random::uniform;
pub use rank::RankCorrelated;
pub use table::{Interpolation, Pieces, Steps};
pub use text::{
    CumulativeTable, DensityTable, Draw, DrawFamily, EmpiricalSample, ErlangStage, ExponentialStage,
    GammaStage, GammaStages, MixturePart,
};
