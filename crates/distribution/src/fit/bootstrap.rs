//! How sure a fit is of its parameters: fits of the same model to resampled values.
//!
//! Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13 (percentile intervals). A
//! resample of n values draws each of them a number of times; with many values those counts are independent Poisson
//! counts of mean 1 (Hanley and MacGibbon 2006), and those of a bin of k values a Poisson count of mean k. Each
//! resample has a stream of its own, so that the intervals are the same with any number of threads.

use super::erlang;
use super::model::{Model, Parameter};
use super::points::Points;
use super::polish::polish;
use super::progress::Progress;
use super::single;
use super::stages::{FittedStage, Kind, Prepared};
use crate::{Distribution, Poisson};
use petrio_random::generator;
use petrio_units::numbers::{as_index, whole_part};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// 95 % of the resamples lie within.
const OUTSIDE: f64 = 0.025;

/// An interval that holds 95 % of the resampled fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Of an edge of the values, as far to both sides: a resample has no value beyond the outermost one, so that its
    /// edges lie on one side of the estimate, as the estimate lies on the other side of the truth (the basic interval
    /// of Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 5.2).
    fn on_both_sides(self, estimate: f64, lowest: f64) -> Self {
        Self {
            low: self.low.min(2.0 * estimate - self.high).max(lowest).min(estimate),
            high: self.high.max(2.0 * estimate - self.low).max(estimate),
        }
    }
}

/// The intervals of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// How many resamples were fitted.
    pub resamples: usize,
    /// Of each parameter, in the order of the fit's parameters.
    pub parameters: Vec<Interval>,
    /// Of the whole distribution's mean, where the values with a probability of their own have just that.
    pub mean: Interval,
}

impl Intervals {
    /// With such values, and their shares, beside what was resampled.
    pub(super) fn beside(mut self, atoms: &[(f64, f64)]) -> Self {
        let (share, sum) =
            atoms.iter().fold((0.0, 0.0), |(share, sum), (value, part)| (share + part, sum + value * part));
        let whole = |mean: f64| sum + (1.0 - share) * mean;
        self.mean = Interval { low: whole(self.mean.low), high: whole(self.mean.high) };
        self
    }
}

/// Resamples points that stand for `values` values.
pub(super) fn intervals(
    points: &Points,
    values: usize,
    model: &Model,
    lowest: f64,
    resamples: usize,
    seed: u64,
    progress: &(dyn Fn(&Progress) + Sync),
) -> Option<Intervals> {
    let done = AtomicUsize::new(0);
    let fits: Vec<(Vec<f64>, f64)> = (0..resamples)
        .into_par_iter()
        .filter_map(|resample| {
            let mut random = generator(seed, resample as u64, "fit", "bootstrap");
            let weights: Option<Vec<f64>> = points
                .weight
                .iter()
                .map(|weight| {
                    let count: Distribution = Poisson::new(0.0, weight * values as f64, 1.0).ok()?.into();
                    Some(count.sample(&mut random))
                })
                .collect();
            let refitted = refit(&resampled(points, weights?)?, model, lowest);
            progress(&Progress {
                what: "resamples".to_owned(),
                done: done.fetch_add(1, Ordering::Relaxed) + 1,
                of: resamples,
            });
            let parameters = refitted.parameters().into_iter().map(|parameter| parameter.value).collect();
            Some((parameters, refitted.distribution().ok()?.mean()))
        })
        .collect();
    let of = |(i, parameter): (usize, Parameter)| {
        let found = interval(fits.iter().map(|fit| fit.0[i]).collect())?;
        Some(match parameter.is_edge {
            true => found.on_both_sides(parameter.value, lowest),
            // Resamples of few values, or of a stage that few are of, may all end on one side.
            false => Interval { low: found.low.min(parameter.value), high: found.high.max(parameter.value) },
        })
    };
    let parameters = model.parameters().into_iter().enumerate().map(of).collect::<Option<Vec<_>>>()?;
    Some(Intervals {
        resamples: fits.len(),
        parameters,
        mean: interval(fits.iter().map(|fit| fit.1).collect())?,
    })
}

/// The points that were drawn at least once.
fn resampled(points: &Points, weights: Vec<f64>) -> Option<Points> {
    let drawn: Vec<(f64, f64)> =
        points.x.iter().copied().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
    if drawn.len() < 2 {
        return None;
    }
    let (x, weight): (Vec<f64>, Vec<f64>) = drawn.into_iter().unzip();
    Some(Points { x, weight: vec![], resolution: points.resolution }.reweighted(weight))
}

/// From where the fit of all values ended: the same maximum, a little aside.
fn refit(points: &Points, model: &Model, lowest: f64) -> Model {
    let again = |stages: &[FittedStage], kind: Kind| {
        let mut stages = stages.to_vec();
        Prepared::new(points, &stages).em(&mut stages, kind, 20, 1e-9);
        polish(points, &mut stages, kind, lowest, 25);
        stages
    };
    match model {
        Model::Gamma(stages) => Model::Gamma(again(stages, Kind::Gamma)),
        Model::PhaseType(stages) => Model::PhaseType(again(stages, Kind::FixedShapes)),
        Model::HyperErlang(stages) => Model::HyperErlang(erlang::refit(points, stages)),
        Model::Exponential { .. } => single::exponential(points),
        Model::Normal { .. } => single::normal(points),
        Model::Lognormal { .. } => single::lognormal(points),
        Model::Weibull { .. } => single::weibull(points),
        Model::Pareto { .. } => single::pareto(points),
        Model::Uniform { .. } => single::uniform(points),
    }
}

fn interval(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |p: f64| values[as_index(whole_part(libm::round(p * last as f64)))];
    Some(Interval { low: at(OUTSIDE), high: at(1.0 - OUTSIDE) })
}
