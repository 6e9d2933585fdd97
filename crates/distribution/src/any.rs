//! Any of the distributions behind one type.

use super::families::{
    Constant, Exponential, Family, Gamma, Geometric, Lognormal, Mixture, Normal, Pareto, Poisson, Truncated,
    TwoValue, Uniform, Weibull, Zipf,
};
use super::table::{Pieces, Steps};
use rand_core::Rng;

/// A distribution of one random number, of any family. Numbers have no unit here; a [`Draw`](super::Draw) gives them
/// one.
///
/// ```
/// use petrio_distribution::{Distribution, Exponential, Family, Gamma, Mixture};
/// use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
/// let service: Distribution = Exponential::new(1.0, 4.0)?.into();
/// assert_eq!((service.mean(), service.variance()), (5.0, 16.0));
/// let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
/// assert!(service.sample(&mut random) >= 1.0);
///
/// let stages = Mixture::new(vec![(0.3, Gamma::new(2.0, 1.0, 0.0)?), (0.7, Gamma::new(1.5, 4.0, 10.0)?)])?;
/// let sizes = Distribution::from(stages);
/// assert!((sizes.mean() - (0.3 * 2.0 + 0.7 * 16.0)).abs() < 1e-12);
/// assert!((sizes.cdf(sizes.quantile(0.9)) - 0.9).abs() < 1e-12);
/// # Ok::<(), petrio_distribution::DistributionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant(Constant),
    /// Every number between two is equally likely.
    Uniform(Uniform),
    /// The normal distribution.
    Normal(Normal),
    /// A base plus an exponentially distributed number.
    Exponential(Exponential),
    /// A base plus steps, as many as a Poisson-distributed count says.
    Poisson(Poisson),
    /// One of two numbers.
    TwoValue(TwoValue),
    /// A number whose logarithm is normally distributed.
    Lognormal(Lognormal),
    /// A power of an exponentially distributed number.
    Weibull(Weibull),
    /// A tail that falls as a power.
    Pareto(Pareto),
    /// Ranks whose probabilities fall as a power.
    Zipf(Zipf),
    /// Counts without memory.
    Geometric(Geometric),
    /// One or more shifted gamma stages: multi-stage gamma, phase-type exponential and hyper-Erlang distributions.
    Gamma(Mixture<Gamma>),
    /// A table of densities or of cumulative values, or a sample smoothed.
    Table(Pieces),
    /// A sample as it is.
    Empirical(Steps),
    /// A choice between distributions.
    Mixture(Mixture<Distribution>),
    /// A distribution between two bounds.
    Truncated(Truncated),
}

/// Asks whichever distribution it is.
macro_rules! ask {
    ($it:expr, $one:ident => $answer:expr) => {
        match $it {
            Distribution::Constant($one) => $answer,
            Distribution::Uniform($one) => $answer,
            Distribution::Normal($one) => $answer,
            Distribution::Exponential($one) => $answer,
            Distribution::Poisson($one) => $answer,
            Distribution::TwoValue($one) => $answer,
            Distribution::Lognormal($one) => $answer,
            Distribution::Weibull($one) => $answer,
            Distribution::Pareto($one) => $answer,
            Distribution::Zipf($one) => $answer,
            Distribution::Geometric($one) => $answer,
            Distribution::Gamma($one) => $answer,
            Distribution::Table($one) => $answer,
            Distribution::Empirical($one) => $answer,
            Distribution::Mixture($one) => $answer,
            Distribution::Truncated($one) => $answer,
        }
    };
}

impl Distribution {
    /// Always the same number.
    pub const fn constant(value: f64) -> Self {
        Self::Constant(Constant(value))
    }

    /// The probability density at `x`; see [`Family::density`].
    pub fn density(&self, x: f64) -> f64 {
        ask!(self, one => one.density(x))
    }

    /// The probability of exactly `x`.
    pub fn mass(&self, x: f64) -> f64 {
        ask!(self, one => one.mass(x))
    }

    /// The probability of `x` or less.
    pub fn cdf(&self, x: f64) -> f64 {
        ask!(self, one => one.cdf(x))
    }

    /// The smallest number whose CDF is `p` or more; the edges of the support at 0 and 1.
    pub fn quantile(&self, p: f64) -> f64 {
        ask!(self, one => one.quantile(p))
    }

    /// The `k`-th raw moment, for `k` up to 4; infinite where it doesn't exist.
    pub fn moment(&self, k: u32) -> f64 {
        self.moment_to(k, f64::INFINITY)
    }

    /// What numbers up to `x` contribute to the `k`-th raw moment.
    pub fn moment_to(&self, k: u32, x: f64) -> f64 {
        ask!(self, one => one.moment_to(k, x))
    }

    /// The mean; infinite where there is none.
    pub fn mean(&self) -> f64 {
        ask!(self, one => one.mean())
    }

    /// The variance; infinite where there is none.
    pub fn variance(&self) -> f64 {
        ask!(self, one => one.variance())
    }

    /// Nothing below it is drawn; minus infinity where there is no such bound.
    pub fn infimum(&self) -> f64 {
        ask!(self, one => one.infimum())
    }

    /// Nothing above it is drawn; infinite where there is no such bound. Says whether a draw can ever be accepted.
    pub fn supremum(&self) -> f64 {
        ask!(self, one => one.supremum())
    }

    /// Whether single numbers have probabilities of their own.
    pub fn has_atoms(&self) -> bool {
        ask!(self, one => one.has_atoms())
    }

    /// A draw.
    pub fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        ask!(self, one => one.sample(random))
    }
}

impl Family for Distribution {
    fn density(&self, x: f64) -> f64 {
        self.density(x)
    }

    fn mass(&self, x: f64) -> f64 {
        self.mass(x)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.cdf(x)
    }

    fn quantile(&self, p: f64) -> f64 {
        self.quantile(p)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        self.moment_to(k, x)
    }

    fn mean(&self) -> f64 {
        self.mean()
    }

    fn variance(&self) -> f64 {
        self.variance()
    }

    fn infimum(&self) -> f64 {
        self.infimum()
    }

    fn supremum(&self) -> f64 {
        self.supremum()
    }

    fn has_atoms(&self) -> bool {
        self.has_atoms()
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        self.sample(random)
    }
}

/// A family's own type as any distribution.
macro_rules! from_family {
    ($($variant:ident($family:ty),)*) => {
        $(impl From<$family> for Distribution {
            fn from(family: $family) -> Self {
                Self::$variant(family)
            }
        })*
    };
}

from_family! {
    Constant(Constant),
    Uniform(Uniform),
    Normal(Normal),
    Exponential(Exponential),
    Poisson(Poisson),
    TwoValue(TwoValue),
    Lognormal(Lognormal),
    Weibull(Weibull),
    Pareto(Pareto),
    Zipf(Zipf),
    Geometric(Geometric),
    Gamma(Mixture<Gamma>),
    Table(Pieces),
    Empirical(Steps),
    Mixture(Mixture<Distribution>),
    Truncated(Truncated),
}

impl From<Gamma> for Distribution {
    fn from(stage: Gamma) -> Self {
        // One stage of weight 1 is always sound.
        Self::Gamma(Mixture::single(stage))
    }
}
