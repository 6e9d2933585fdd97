//! What a fit gives: a family with its parameters, as numbers, as a distribution, and as text to paste.

use super::stages::FittedStage;
use crate::{
    Distribution, DistributionError, Draw, DrawFamily, EmpiricalSample, ErlangStage, ExponentialStage,
    GammaStage, GammaStages, MixturePart,
};
use petrio_units::numbers::{as_number, whole_part};
use petrio_units::{Amount, Measurable};

/// Significant digits of a fitted parameter: more than any sample can tell.
const DIGITS: usize = 7;

/// A continuous distribution with its parameters, in the unit of the values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Model {
    Gamma(Vec<FittedStage>),
    PhaseType(Vec<FittedStage>),
    HyperErlang(Vec<FittedStage>),
    Exponential { mean: f64 },
    Normal { mean: f64, deviation: f64 },
    Lognormal { median: f64, spread: f64 },
    Weibull { shape: f64, scale: f64 },
    Pareto { shape: f64, minimum: f64 },
    Uniform { min: f64, max: f64 },
}

/// A parameter of a fitted distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path in the distribution's text, such as `stages.1.shape`.
    pub name: String,
    /// Its value, in the unit of the values where it has one.
    pub value: f64,
    /// Whether it has the unit of the values.
    pub has_unit: bool,
    /// Whether no value lies beyond it.
    pub is_edge: bool,
}

fn to_nearest(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// The next number of few digits that is not above.
fn not_above(value: f64) -> f64 {
    let near = to_nearest(value);
    if near <= value {
        return near;
    }
    let step = libm::pow(10.0, libm::floor(libm::log10(value.abs())) - (DIGITS - 1) as f64);
    to_nearest(near - step).min(value)
}

impl Model {
    /// With as many digits as are worth writing: what is reported of it then holds for the text. Edges are never moved
    /// onto values.
    pub(super) fn rounded(self) -> Self {
        let stages = |stages: Vec<FittedStage>| -> Vec<FittedStage> {
            let round = |s: FittedStage| FittedStage {
                weight: to_nearest(s.weight),
                shape: to_nearest(s.shape),
                scale: to_nearest(s.scale),
                offset: not_above(s.offset),
            };
            stages.into_iter().map(round).filter(|stage| stage.weight > 1e-6).collect()
        };
        match self {
            Self::Gamma(s) => Self::Gamma(stages(s)),
            Self::PhaseType(s) => Self::PhaseType(stages(s)),
            Self::HyperErlang(s) => Self::HyperErlang(stages(s)),
            Self::Exponential { mean } => Self::Exponential { mean: to_nearest(mean) },
            Self::Normal { mean, deviation } => {
                Self::Normal { mean: to_nearest(mean), deviation: to_nearest(deviation) }
            }
            Self::Lognormal { median, spread } => {
                Self::Lognormal { median: to_nearest(median), spread: to_nearest(spread) }
            }
            Self::Weibull { shape, scale } => {
                Self::Weibull { shape: to_nearest(shape), scale: to_nearest(scale) }
            }
            Self::Pareto { shape, minimum } => {
                Self::Pareto { shape: to_nearest(shape), minimum: not_above(minimum) }
            }
            Self::Uniform { min, max } => Self::Uniform { min: not_above(min), max: -not_above(-max) },
        }
    }

    /// How many numbers the fit chose.
    pub(super) fn freedom(&self) -> usize {
        match self {
            Self::Gamma(stages) => 4 * stages.len() - 1,
            Self::PhaseType(stages) | Self::HyperErlang(stages) => 3 * stages.len() - 1,
            Self::Exponential { .. } => 1,
            _ => 2,
        }
    }

    /// As it is written, for values of a quantity.
    pub(super) fn draw<Q: Measurable>(&self) -> Draw<Q> {
        let amount = |value: f64| Amount::from_base(value);
        Draw(match self {
            Self::Gamma(stages) => match stages.as_slice() {
                [stage] => DrawFamily::Gamma(GammaStages {
                    stages: None,
                    shape: Some(stage.shape),
                    scale: Some(amount(stage.scale)),
                    offset: (stage.offset != 0.0).then(|| amount(stage.offset)),
                }),
                stages => DrawFamily::Gamma(GammaStages {
                    stages: Some(
                        stages
                            .iter()
                            .map(|s| GammaStage {
                                weight: s.weight,
                                shape: s.shape,
                                scale: amount(s.scale),
                                offset: amount(s.offset),
                            })
                            .collect(),
                    ),
                    shape: None,
                    scale: None,
                    offset: None,
                }),
            },
            Self::PhaseType(stages) => DrawFamily::PhaseType {
                stages: stages
                    .iter()
                    .map(|s| ExponentialStage {
                        weight: s.weight,
                        mean: amount(s.scale),
                        offset: amount(s.offset),
                    })
                    .collect(),
            },
            Self::HyperErlang(stages) => DrawFamily::HyperErlang {
                stages: stages
                    .iter()
                    .map(|s| ErlangStage {
                        weight: s.weight,
                        phases: as_number(whole_part(s.shape)),
                        mean: amount(to_nearest(s.scale * s.shape)),
                    })
                    .collect(),
            },
            Self::Exponential { mean } => DrawFamily::Exponential { base: Amount::ZERO, mean: amount(*mean) },
            Self::Normal { mean, deviation } => {
                DrawFamily::Normal { mean: amount(*mean), standard_deviation: amount(*deviation) }
            }
            Self::Lognormal { median, spread } => {
                DrawFamily::Lognormal { median: amount(*median), spread: *spread, offset: Amount::ZERO }
            }
            Self::Weibull { shape, scale } => {
                DrawFamily::Weibull { shape: *shape, scale: amount(*scale), offset: Amount::ZERO }
            }
            Self::Pareto { shape, minimum } => {
                DrawFamily::Pareto { shape: *shape, minimum: amount(*minimum) }
            }
            Self::Uniform { min, max } => DrawFamily::Uniform { min: amount(*min), max: amount(*max) },
        })
    }

    pub(super) fn distribution(&self) -> Result<Distribution, DistributionError> {
        self.draw::<f64>().distribution()
    }

    /// Its parameters by name, in the order of their text.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let plain =
            |name: &str, value| Parameter { name: name.to_owned(), value, has_unit: false, is_edge: false };
        let unit = |name: &str, value| Parameter { has_unit: true, ..plain(name, value) };
        let edge = |name: &str, value| Parameter { is_edge: true, ..unit(name, value) };
        let staged = |stages: &[FittedStage], of: &dyn Fn(&FittedStage) -> Vec<Parameter>| {
            let place = |index: usize, parameter: Parameter| Parameter {
                name: format!("stages.{index}.{}", parameter.name),
                ..parameter
            };
            let each = stages.iter().enumerate();
            each.flat_map(|(index, stage)| {
                of(stage).into_iter().map(move |parameter| place(index, parameter))
            })
            .collect()
        };
        match self {
            Self::Gamma(stages) => staged(stages, &|s| {
                vec![
                    plain("weight", s.weight),
                    plain("shape", s.shape),
                    unit("scale", s.scale),
                    edge("offset", s.offset),
                ]
            }),
            Self::PhaseType(stages) => staged(stages, &|s| {
                vec![plain("weight", s.weight), unit("mean", s.scale), edge("offset", s.offset)]
            }),
            Self::HyperErlang(stages) => staged(stages, &|s| {
                vec![plain("weight", s.weight), plain("phases", s.shape), unit("mean", s.scale * s.shape)]
            }),
            Self::Exponential { mean } => vec![unit("mean", *mean)],
            Self::Normal { mean, deviation } => {
                vec![unit("mean", *mean), unit("standard_deviation", *deviation)]
            }
            Self::Lognormal { median, spread } => vec![unit("median", *median), plain("spread", *spread)],
            Self::Weibull { shape, scale } => vec![plain("shape", *shape), unit("scale", *scale)],
            Self::Pareto { shape, minimum } => vec![plain("shape", *shape), edge("minimum", *minimum)],
            Self::Uniform { min, max } => vec![edge("min", *min), edge("max", *max)],
        }
    }
}

/// A model beside values with probabilities of their own, as it is written; without a model, those values alone.
pub(super) fn with_atoms<Q: Measurable>(model: Option<&Model>, atoms: &[(f64, f64)]) -> Draw<Q> {
    let constant = |value: f64| Draw::constant(Amount::from_base(value));
    match (model, atoms) {
        (Some(model), []) => model.draw(),
        (None, [(value, _)]) => constant(*value),
        (None, atoms) => Draw(DrawFamily::Empirical(EmpiricalSample {
            values: atoms.iter().map(|(value, _)| Amount::from_base(*value)).collect(),
            weights: Some(atoms.iter().map(|(_, share)| to_nearest(*share)).collect()),
            smooth: false,
        })),
        (Some(model), atoms) => {
            let rest = 1.0 - atoms.iter().map(|(_, share)| share).sum::<f64>();
            let parts = atoms.iter().map(|(value, share)| (*share, constant(*value)));
            let parts = parts.chain([(rest, model.draw())]);
            Draw(DrawFamily::Mixture(
                parts.map(|(weight, of)| MixturePart { weight: to_nearest(weight), of }).collect(),
            ))
        }
    }
}
