//! The families that can be fitted, and which values each can explain.

use super::sample::Sample;

/// A family to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FitFamily {
    /// Shifted gamma stages.
    Gamma,
    /// Shifted exponential phases.
    PhaseType,
    /// Branches of exponential phases one after another.
    HyperErlang,
    /// The exponential distribution.
    Exponential,
    /// The Weibull distribution.
    Weibull,
    /// The lognormal distribution.
    Lognormal,
    /// The Pareto distribution.
    Pareto,
    /// The normal distribution.
    Normal,
    /// The uniform distribution.
    Uniform,
}

impl FitFamily {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Gamma,
        Self::PhaseType,
        Self::HyperErlang,
        Self::Exponential,
        Self::Weibull,
        Self::Lognormal,
        Self::Pareto,
        Self::Normal,
        Self::Uniform,
    ];

    /// As the text form of distributions names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gamma => "gamma",
            Self::PhaseType => "phase-type",
            Self::HyperErlang => "hyper-erlang",
            Self::Exponential => "exponential",
            Self::Weibull => "weibull",
            Self::Lognormal => "lognormal",
            Self::Pareto => "pareto",
            Self::Normal => "normal",
            Self::Uniform => "uniform",
        }
    }

    /// Whether it has stages, whose number is to be chosen.
    pub const fn has_stages(self) -> bool {
        matches!(self, Self::Gamma | Self::PhaseType)
    }

    /// Why the family can't explain these values, if it can't.
    pub(super) fn refusal(self, sample: &Sample) -> Option<String> {
        let from_zero = matches!(
            self,
            Self::HyperErlang | Self::Exponential | Self::Weibull | Self::Lognormal | Self::Pareto
        );
        if let (true, Some((position, value))) = (from_zero, sample.negative) {
            return Some(format!(
                "it takes no negative numbers (value {position} is {value}); normal, uniform, gamma and phase-type do"
            ));
        }
        let above_zero = matches!(self, Self::Lognormal | Self::Pareto);
        if above_zero && sample.rest.first().is_some_and(|&least| least <= 0.0) {
            return Some("it takes no zeros, and too few are there to stand for themselves".to_owned());
        }
        None
    }
}
