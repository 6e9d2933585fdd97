//! From the text form to a distribution of plain numbers.

use super::Draw;
use super::family::{CumulativeTable, DensityTable, DrawFamily, GammaStages};
use super::lines::points;
use crate::any::Distribution;
use crate::error::{DistributionError, positive};
use crate::families::{
    Exponential, Gamma, Geometric, Lognormal, Mixture, Normal, Pareto, Poisson, Truncated, TwoValue, Uniform,
    Weibull, Zipf,
};
use crate::table::{Pieces, Steps};
use petrio_units::{Amount, Measurable};

/// The distribution of a draw, its amounts as numbers of the unit that `number` gives them.
#[expect(clippy::too_many_lines, reason = "a list: one arm for each family")]
pub(super) fn distribution<Q: Measurable>(
    draw: &Draw<Q>,
    number: &impl Fn(Amount<Q>) -> f64,
) -> Result<Distribution, DistributionError> {
    let numbers = |amounts: &[Amount<Q>]| -> Vec<f64> { amounts.iter().map(|&x| number(x)).collect() };
    Ok(match &draw.0 {
        DrawFamily::Constant(value) => return constant(*value, number(*value)),
        DrawFamily::Uniform { min, max } => Uniform::new(number(*min), number(*max))?.into(),
        DrawFamily::Normal { mean, standard_deviation } => {
            Normal::new(number(*mean), number(*standard_deviation))?.into()
        }
        DrawFamily::Exponential { base, mean } => Exponential::new(number(*base), number(*mean))?.into(),
        DrawFamily::Poisson { base, mean, step } => {
            let step = one_step("poisson", *step, number)?;
            Poisson::new(number(*base), number(*mean) / step, step)?.into()
        }
        DrawFamily::TwoValue { default, second, probability } => {
            TwoValue::new(number(*default), number(*second), probability.get())?.into()
        }
        DrawFamily::Lognormal { median, spread, offset } => {
            Lognormal::new(number(*median), *spread, number(*offset))?.into()
        }
        DrawFamily::Weibull { shape, scale, offset } => {
            Weibull::new(*shape, number(*scale), number(*offset))?.into()
        }
        DrawFamily::Pareto { shape, minimum } => Pareto::new(*shape, number(*minimum))?.into(),
        DrawFamily::Zipf { exponent, count, step } => {
            Zipf::new(*exponent, *count, one_step("zipf", *step, number)?)?.into()
        }
        DrawFamily::Geometric { mean, from, step } => {
            if *from > 1 {
                let problem = format!("is {from}; counts begin at 1 or at 0");
                return Err(DistributionError::new("geometric", "from", problem));
            }
            let step = one_step("geometric", *step, number)?;
            Geometric::new(number(*mean) / step, *from == 1, step)?.into()
        }
        DrawFamily::Gamma(gamma) => gamma_stages(gamma, number)?,
        DrawFamily::PhaseType { stages } => weighted("phase-type", stages, |stage| {
            positive("phase-type", "mean", number(stage.mean))?;
            Ok((stage.weight, Gamma::new(1.0, number(stage.mean), number(stage.offset))?))
        })?,
        DrawFamily::HyperErlang { stages } => weighted("hyper-erlang", stages, |stage| {
            if stage.phases == 0 {
                return Err(DistributionError::new(
                    "hyper-erlang",
                    "phases",
                    "is 0; a branch has at least one",
                ));
            }
            positive("hyper-erlang", "mean", number(stage.mean))?;
            let phases = f64::from(stage.phases);
            Ok((stage.weight, Gamma::new(phases, number(stage.mean) / phases, 0.0)?))
        })?,
        DrawFamily::DensityTable(DensityTable { x, density, file, lines }) => {
            let of = (file.as_deref(), lines.as_deref());
            let (x, density) = points(("density-table", "density"), (x, density), of)?;
            Pieces::of_density(&numbers(&x), &density)?.into()
        }
        DrawFamily::CumulativeTable(CumulativeTable { x, p, file, lines, interpolation }) => {
            let (x, p) = points(("cumulative-table", "p"), (x, p), (file.as_deref(), lines.as_deref()))?;
            Pieces::of_cumulative(&numbers(&x), &p, *interpolation)?.into()
        }
        DrawFamily::Empirical(sample) => {
            let values = numbers(&sample.values);
            if sample.smooth {
                Pieces::of_sample(&values, sample.weights.as_deref())?.into()
            } else {
                Steps::new(&values, sample.weights.as_deref())?.into()
            }
        }
        DrawFamily::Mixture(parts) => {
            let parts = parts.iter().enumerate().map(|(index, part)| {
                let of = distribution(&part.of, number)
                    .map_err(|error| error.within("mixture", &format!("{index}.of")))?;
                Ok((part.weight, of))
            });
            Mixture::new(parts.collect::<Result<_, _>>()?)?.into()
        }
        DrawFamily::Truncated { of, min, max } => {
            let inner = distribution(of, number).map_err(|error| error.within("truncated", "of"))?;
            let bound = |bound: Option<Amount<Q>>, none| bound.map_or(none, number);
            Truncated::new(inner, bound(*min, f64::NEG_INFINITY), bound(*max, f64::INFINITY))?.into()
        }
    })
}

/// A constant of a quantity that is counted must be whole; a mean needn't.
fn constant<Q: Measurable>(value: Amount<Q>, number: f64) -> Result<Distribution, DistributionError> {
    match Q::WHOLE {
        Some(parts) if value.finest().fract() != 0.0 => {
            let problem = format!("{value} is not a whole number of {parts}");
            Err(DistributionError::new("constant", "", problem))
        }
        _ => Ok(Distribution::constant(number)),
    }
}

/// What one count is, in plain numbers.
fn one_step<Q: Measurable>(
    family: &'static str,
    step: Option<Amount<Q>>,
    number: &impl Fn(Amount<Q>) -> f64,
) -> Result<f64, DistributionError> {
    match step {
        Some(step) => positive(family, "step", number(step)).map(|()| number(step)),
        None if Q::BARE => Ok(1.0),
        None => {
            let example = Q::write(Q::FINEST_PER_BASE);
            let problem = format!("is missing; say what one count is, such as step = \"{example}\"");
            Err(DistributionError::new(family, "step", problem))
        }
    }
}

/// The stages of a gamma distribution, written as a list or flat.
fn gamma_stages<Q: Measurable>(
    gamma: &GammaStages<Q>,
    number: &impl Fn(Amount<Q>) -> f64,
) -> Result<Distribution, DistributionError> {
    match (gamma.shape, gamma.scale, &gamma.stages) {
        (None, None, Some(stages)) if gamma.offset.is_none() => weighted("gamma", stages, |stage| {
            Ok((stage.weight, Gamma::new(stage.shape, number(stage.scale), number(stage.offset))?))
        }),
        (Some(shape), Some(scale), None) => {
            Ok(Gamma::new(shape, number(scale), gamma.offset.map_or(0.0, number))?.into())
        }
        _ => {
            let problem = "is written either as stages = [ … ], or as one stage with its shape and scale";
            Err(DistributionError::new("gamma", "", problem))
        }
    }
}

/// Gamma stages of a multi-stage family, each checked by its place.
fn weighted<S>(
    family: &'static str,
    stages: &[S],
    stage: impl Fn(&S) -> Result<(f64, Gamma), DistributionError>,
) -> Result<Distribution, DistributionError> {
    let place = |error: DistributionError, index: usize| {
        let own = DistributionError::new(family, error.parameter(), error.problem());
        own.within(family, &format!("stages.{index}"))
    };
    let parts = stages
        .iter()
        .enumerate()
        .map(|(index, written)| stage(written).map_err(|error| place(error, index)))
        .collect::<Result<Vec<_>, _>>()?;
    if parts.is_empty() {
        return Err(DistributionError::new(family, "stages", "has none; at least one is needed"));
    }
    let mixture = Mixture::new(parts).map_err(|error| {
        DistributionError::new(family, "stages", format!("{} {}", error.parameter(), error.problem()))
    })?;
    Ok(mixture.into())
}
