//! The families of distributions, one a file, and what each of them can tell of itself.

mod constant;
mod exponential;
mod gamma;
mod geometric;
mod lattice;
mod lognormal;
mod mixture;
mod normal;
mod pareto;
mod poisson;
mod truncated;
mod two_value;
mod uniform;
mod weibull;
mod zipf;

pub use constant::Constant;
pub use exponential::Exponential;
pub use gamma::Gamma;
pub use geometric::Geometric;
pub use lognormal::Lognormal;
pub use mixture::Mixture;
pub use normal::Normal;
pub use pareto::Pareto;
pub use poisson::Poisson;
pub use truncated::Truncated;
pub use two_value::TwoValue;
pub use uniform::Uniform;
pub use weibull::Weibull;
pub use zipf::Zipf;

use rand_core::Rng;

/// A distribution of one random number.
///
/// Everything here is computed with `libm` and arithmetic alone, so that it is the same on every machine, draws above
/// all.
pub trait Family {
    /// The probability density at `x`; for a discrete distribution the probability of `x`. Of a mixture of both it is
    /// the weighted sum, so an atom's probability stands where its density would be infinite. Infinite at the edge of a
    /// gamma or Weibull distribution whose shape is below 1.
    fn density(&self, x: f64) -> f64;

    /// The probability of exactly `x`: zero unless an atom lies there.
    fn mass(&self, _: f64) -> f64 {
        0.0
    }

    /// The probability of `x` or less.
    fn cdf(&self, x: f64) -> f64;

    /// The smallest number whose CDF is `p` or more, for `p` from 0 to 1; the edges of the support at 0 and 1.
    fn quantile(&self, p: f64) -> f64;

    /// E[X^k; X ≤ x]: what numbers up to `x` contribute to the `k`-th raw moment, for `k` up to 4. With `x` infinite
    /// the moment itself, infinite where it doesn't exist.
    fn moment_to(&self, k: u32, x: f64) -> f64;

    /// The mean; infinite where there is none.
    fn mean(&self) -> f64 {
        self.moment_to(1, f64::INFINITY)
    }

    /// The variance; infinite where there is none.
    fn variance(&self) -> f64;

    /// The largest number below or at which it draws nothing smaller: minus infinity where there is no such bound.
    fn infimum(&self) -> f64;

    /// The least number above which it draws nothing; infinite where there is none.
    fn supremum(&self) -> f64;

    /// Whether single numbers have probabilities of their own.
    fn has_atoms(&self) -> bool {
        false
    }

    /// A draw.
    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64;
}

/// 1 where the condition holds.
fn indicator(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}
