//! The families of one or two parameters, by maximum likelihood or by moments.
//!
//! Sources: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions" (1994), chapters 14 (lognormal), 20
//! (Pareto) and 21 (Weibull, whose shape solves an equation of its own).

use super::family::FitFamily;
use super::model::Model;
use super::points::Points;
use super::stages::FittedStage;
use crate::special::invert;
use libm::{exp, log, pow, tgamma};

pub(super) fn exponential(points: &Points) -> Model {
    Model::Exponential { mean: points.mean() }
}

pub(super) fn normal(points: &Points) -> Model {
    Model::Normal { mean: points.mean(), deviation: points.variance().sqrt() }
}

pub(super) fn uniform(points: &Points) -> Model {
    Model::Uniform { min: points.min(), max: points.max() }
}

pub(super) fn lognormal(points: &Points) -> Model {
    let mean = points.expectation(log);
    let variance = points.expectation(|x| (log(x) - mean) * (log(x) - mean));
    Model::Lognormal { median: exp(mean), spread: variance.sqrt() }
}

pub(super) fn pareto(points: &Points) -> Model {
    let minimum = points.min();
    Model::Pareto { shape: 1.0 / points.expectation(|x| log(x / minimum)), minimum }
}

pub(super) fn weibull(points: &Points) -> Model {
    let shape = weibull_shape(points);
    let mean = points.mean();
    let power = points.expectation(|x| pow(x / mean, shape));
    Model::Weibull { shape, scale: mean * pow(power, 1.0 / shape) }
}

/// The shape k with Σ x^k ln x / Σ x^k − 1/k = mean of ln x; the left side rises with k.
fn weibull_shape(points: &Points) -> f64 {
    let mean = points.mean();
    let least = points.nearest_to(0.0);
    let logs: Vec<f64> = points.x.iter().map(|&x| log(x.max(least) / mean)).collect();
    let mean_log: f64 = logs.iter().zip(&points.weight).map(|(log, weight)| log * weight).sum();
    let excess = |shape: f64| {
        let (mut sum, mut weighted) = (0.0, 0.0);
        for (&log, &weight) in logs.iter().zip(&points.weight) {
            let power = weight * exp(shape * log);
            sum += power;
            weighted += power * log;
        }
        weighted / sum - 1.0 / shape - mean_log
    };
    invert(0.0, 1.0, 0.01, 500.0, excess, |_| 0.0)
}

/// The member of a family with the points' mean and variance (and skewness, for a shifted gamma stage), or why there is
/// none.
pub(super) fn by_moments(points: &Points, family: FitFamily, lowest: f64) -> Result<Model, String> {
    let (mean, variance) = (points.mean(), points.variance());
    let deviation = variance.sqrt();
    let third = points.expectation(|x| pow((x - mean) / deviation, 3.0));
    let one = |shape: f64, scale: f64, offset: f64| vec![FittedStage { weight: 1.0, shape, scale, offset }];
    Ok(match family {
        FitFamily::Exponential => Model::Exponential { mean },
        FitFamily::Normal => Model::Normal { mean, deviation },
        FitFamily::Uniform => {
            let half = deviation * 3.0_f64.sqrt();
            if mean - half < lowest {
                return Err("a uniform distribution from 0 on varies less than these values".to_owned());
            }
            Model::Uniform { min: mean - half, max: mean + half }
        }
        FitFamily::Lognormal => {
            let square = libm::log1p(variance / (mean * mean));
            Model::Lognormal { median: mean * exp(-square / 2.0), spread: square.sqrt() }
        }
        FitFamily::Pareto => {
            // mean = a m / (a − 1), variance = mean² / (a (a − 2)).
            let shape = 1.0 + (1.0 + mean * mean / variance).sqrt();
            Model::Pareto { shape, minimum: mean * (shape - 1.0) / shape }
        }
        FitFamily::Weibull => {
            // The squared coefficient of variation falls as the shape rises.
            let wanted = variance / (mean * mean);
            let of = |shape: f64| {
                let first = tgamma(1.0 + 1.0 / shape);
                -(tgamma(1.0 + 2.0 / shape) / (first * first) - 1.0)
            };
            let shape = invert(-wanted, 1.0, 0.05, 200.0, of, |_| 0.0);
            Model::Weibull { shape, scale: mean / tgamma(1.0 + 1.0 / shape) }
        }
        FitFamily::Gamma => {
            if third <= 0.0 {
                return Err("a gamma stage is skewed to the right, these values aren't".to_owned());
            }
            let shape = 4.0 / (third * third);
            let scale = deviation * third / 2.0;
            let offset = mean - shape * scale;
            if offset >= lowest {
                Model::Gamma(one(shape, scale, offset))
            } else {
                // Without an offset, mean and variance alone.
                Model::Gamma(one(mean * mean / variance, variance / mean, 0.0))
            }
        }
        FitFamily::PhaseType => {
            if mean - deviation < lowest {
                return Err("one exponential phase with an offset varies less than these values".to_owned());
            }
            Model::PhaseType(one(1.0, deviation, mean - deviation))
        }
        FitFamily::HyperErlang => {
            let phases = libm::round(mean * mean / variance);
            if !(1.0..=1e6).contains(&phases) {
                return Err("one Erlang branch varies less than these values".to_owned());
            }
            Model::HyperErlang(one(phases, mean / phases, 0.0))
        }
    })
}
