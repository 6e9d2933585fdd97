//! Every family's parameters, as they are written.

use super::Draw;
use crate::table::Interpolation;
use petrio_units::{Amount, Fraction, Measurable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A distribution's family with its parameters, each with its unit; one key, which names the family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub enum DrawFamily<Q: Measurable> {
    /// Always the same.
    Constant(Amount<Q>),
    /// Anything between two, equally likely.
    Uniform {
        /// The smallest.
        min: Amount<Q>,
        /// The largest.
        max: Amount<Q>,
    },
    /// Normally distributed. DiskSim 4.0 calls its second number a variance, but takes it as the standard deviation.
    Normal {
        /// The mean.
        mean: Amount<Q>,
        /// The standard deviation.
        standard_deviation: Amount<Q>,
    },
    /// Exponentially distributed above a base: its mean is `base + mean`.
    Exponential {
        /// The smallest; nothing if left out.
        #[serde(default)]
        base: Amount<Q>,
        /// The mean of what is added to the base.
        mean: Amount<Q>,
    },
    /// A Poisson-distributed number of steps above a base.
    Poisson {
        /// The smallest; nothing if left out.
        #[serde(default)]
        base: Amount<Q>,
        /// The mean of what is added to the base.
        mean: Amount<Q>,
        /// One step. DiskSim's is 1 ms for times and 1 block for sizes. May be left out (1) where there is no unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Amount<Q>>,
    },
    /// One of two.
    TwoValue {
        /// The usual one.
        default: Amount<Q>,
        /// The other.
        second: Amount<Q>,
        /// How likely the other is.
        probability: Fraction,
    },
    /// Something whose logarithm is normally distributed.
    Lognormal {
        /// Half of all are less (the offset not counted).
        median: Amount<Q>,
        /// The standard deviation of the natural logarithm.
        spread: f64,
        /// What is added; nothing if left out.
        #[serde(default)]
        offset: Amount<Q>,
    },
    /// The Weibull distribution; with shape 1 the exponential one.
    Weibull {
        /// Below 1 the tail is longer than an exponential one, above 1 shorter.
        shape: f64,
        /// The scale: 63.2 % of all are less (the offset not counted).
        scale: Amount<Q>,
        /// What is added; nothing if left out.
        #[serde(default)]
        offset: Amount<Q>,
    },
    /// The probability of more than x is (minimum / x) to the power of the shape.
    Pareto {
        /// The tail's exponent: the mean exists above 1, the variance above 2.
        shape: f64,
        /// The smallest.
        minimum: Amount<Q>,
    },
    /// A rank from 1 to `count`, with a probability in proportion to rank to the power of −exponent.
    Zipf {
        /// 0: all ranks alike; popularity is often near 1.
        exponent: f64,
        /// How many ranks there are.
        count: u64,
        /// What one rank is. May be left out (1) where there is no unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Amount<Q>>,
    },
    /// Counts without memory, of which each further one is as likely as the one before.
    Geometric {
        /// The mean.
        mean: Amount<Q>,
        /// The smallest count: 1, or 0.
        #[serde(default = "one_count")]
        from: u8,
        /// What one count is. May be left out (1) where there is no unit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<Amount<Q>>,
    },
    /// A gamma distribution, or several stages of them (Kao 1991, §5.1).
    Gamma(GammaStages<Q>),
    /// Exponential phases, each with an offset of its own (Kao 1991, §5.1).
    PhaseType {
        /// The phases.
        stages: Vec<ExponentialStage<Q>>,
    },
    /// Branches of equal exponential phases one after another.
    HyperErlang {
        /// The branches.
        stages: Vec<ErlangStage<Q>>,
    },
    /// A table of densities, whose CDF comes from Simpson's rule.
    DensityTable(DensityTable<Q>),
    /// A table of cumulative probabilities.
    CumulativeTable(CumulativeTable<Q>),
    /// A sample.
    Empirical(EmpiricalSample<Q>),
    /// One of several distributions, chosen for each draw.
    Mixture(Vec<MixturePart<Q>>),
    /// A distribution between two bounds.
    Truncated {
        /// The distribution.
        of: Box<Draw<Q>>,
        /// Nothing less is drawn; no bound if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<Amount<Q>>,
        /// Nothing more is drawn; no bound if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<Amount<Q>>,
    },
}

/// The stages of a multi-stage gamma distribution. A single stage may be written flat:
/// `{ shape = 2, scale = "1 KiB" }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct GammaStages<Q: Measurable> {
    /// The stages; left out where a single one is written flat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<GammaStage<Q>>>,
    /// The shape of a single stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<f64>,
    /// The scale of a single stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Amount<Q>>,
    /// The offset of a single stage; nothing if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Amount<Q>>,
}

/// One stage of a multi-stage gamma distribution. Its mean is `offset + shape × scale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct GammaStage<Q: Measurable> {
    /// How likely it is, beside the other stages' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// The shape.
    pub shape: f64,
    /// The scale.
    pub scale: Amount<Q>,
    /// What is added; nothing if left out.
    #[serde(default)]
    pub offset: Amount<Q>,
}

/// One phase of a phase-type exponential distribution. Its mean is `offset + mean`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct ExponentialStage<Q: Measurable> {
    /// How likely it is, beside the other phases' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// The mean of what is added to the offset.
    pub mean: Amount<Q>,
    /// The offset; nothing if left out.
    #[serde(default)]
    pub offset: Amount<Q>,
}

/// One branch of a hyper-Erlang distribution: equal exponential phases one after another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct ErlangStage<Q: Measurable> {
    /// How likely it is, beside the other branches' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// How many phases.
    pub phases: u32,
    /// The mean of the whole branch.
    pub mean: Amount<Q>,
}

/// Points and the density at each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct DensityTable<Q: Measurable> {
    /// The points, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x: Vec<Amount<Q>>,
    /// The density at each, to any scale: the whole integrates to 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub density: Vec<f64>,
    /// A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `density`; a first line of
    /// words names the unit of points that have none. `petrio fit --table` writes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The lines themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

/// Points and the probability of each or less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct CumulativeTable<Q: Measurable> {
    /// The points, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub x: Vec<Amount<Q>>,
    /// The probability of each or less. The first is that of exactly the first point, the last is 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p: Vec<f64>,
    /// A file of lines `4 KiB, 0.7`, relative to the scenario or specification, in place of `x` and `p`; a first line of
    /// words names the unit of points that have none. `petrio fit --table` writes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The lines themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// How it goes on between the points.
    #[serde(default)]
    pub interpolation: Interpolation,
}

/// A sample of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct EmpiricalSample<Q: Measurable> {
    /// The values, in any order.
    pub values: Vec<Amount<Q>>,
    /// How often each occurred; left out: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
    /// Whether anything between two neighbouring values is drawn too; otherwise the values alone.
    #[serde(default)]
    pub smooth: bool,
}

/// One of the distributions of a mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, bound = "Q: Measurable")]
#[schemars(bound = "Q: Measurable")]
pub struct MixturePart<Q: Measurable> {
    /// How likely it is, beside the other parts' weights.
    #[serde(default = "one")]
    pub weight: f64,
    /// The distribution.
    pub of: Draw<Q>,
}

fn one() -> f64 {
    1.0
}

fn one_count() -> u8 {
    1
}
