//! Shifted gamma stages under an EM algorithm.
//!
//! Source of the method: Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm"
//! (1977); of a gamma stage's maximum, whose shape solves ln α − ψ(α) = ln(mean) − mean(ln): Minka, "Estimating a gamma
//! distribution" (2002); Choi and Wette (1969). Exponential phases and Erlang branches are stages whose shapes stay as
//! they are.

use super::points::Points;
use crate::special::{digamma, trigamma};
use libm::{exp, lgamma, log};

/// Shapes beyond these are numerically of no use: a density that is all edge, or a spike.
const SHAPE_MIN: f64 = 0.02;
const SHAPE_MAX: f64 = 1e5;

/// The logarithm of a density that stands for nothing.
const NOTHING: f64 = -690.0;

/// One stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FittedStage {
    pub(super) weight: f64,
    pub(super) shape: f64,
    pub(super) scale: f64,
    pub(super) offset: f64,
}

impl FittedStage {
    pub(super) fn mean(&self) -> f64 {
        self.offset + self.shape * self.scale
    }

    pub(super) fn deviation(&self) -> f64 {
        self.shape.sqrt() * self.scale
    }

    /// With the mean and the variance of what lies above its offset; the shape is kept where it is fixed.
    pub(super) fn by_moments(weight: f64, offset: f64, mean: f64, variance: f64, shape: Option<f64>) -> Self {
        let mean = mean.max(1e-300);
        let shape = shape.unwrap_or((mean * mean / variance.max(1e-300)).clamp(SHAPE_MIN, SHAPE_MAX));
        Self { weight, shape, scale: mean / shape, offset }
    }
}

/// What stays as it is while stages are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Gamma,
    /// The shapes: 1 for exponential phases, whole for Erlang branches.
    FixedShapes,
}

/// What a pass over the points has to remember of each stage.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weight: f64,
    y: f64,
    log_y: f64,
}

/// Distances of the points from each stage's offset, and their logarithms: they change with the offsets only.
pub(super) struct Prepared<'p> {
    points: &'p Points,
    /// Per stage: the first point above its offset.
    first: Vec<usize>,
    /// Per stage: nearer to its offset a density that is infinite there isn't taken. The logarithm of that distance.
    least: Vec<f64>,
    y: Vec<Vec<f64>>,
    log_y: Vec<Vec<f64>>,
}

impl<'p> Prepared<'p> {
    pub(super) fn new(points: &'p Points, stages: &[FittedStage]) -> Self {
        let mut prepared = Self { points, first: vec![], least: vec![], y: vec![], log_y: vec![] };
        for stage in stages {
            let first = points.x.partition_point(|&x| x < stage.offset);
            let nearest = points.nearest_to(stage.offset);
            let y: Vec<f64> = points.x.iter().map(|&x| (x - stage.offset).max(nearest)).collect();
            prepared.least.push(log(points.spacing_above(stage.offset)));
            prepared.log_y.push(y.iter().map(|&y| log(y)).collect());
            prepared.first.push(first);
            prepared.y.push(y);
        }
        prepared
    }

    /// The logarithm of a point's distance from a stage's offset, as the stage's density takes it.
    #[inline]
    fn log_distance(&self, stage: &FittedStage, j: usize, i: usize) -> f64 {
        let log_y = self.log_y[j][i];
        if stage.shape < 1.0 { log_y.max(self.least[j]) } else { log_y }
    }

    /// The mean log-likelihood of the stages; what each point belongs to goes to
    /// `visit(point, stage, share of weight)`.
    fn pass(&self, stages: &[FittedStage], mut visit: impl FnMut(usize, usize, f64)) -> f64 {
        let constant: Vec<f64> = stages
            .iter()
            .map(|s| log(s.weight.max(1e-300)) - lgamma(s.shape) - s.shape * log(s.scale))
            .collect();
        let mut logs = vec![0.0; stages.len()];
        let mut sum = 0.0;
        for (i, &weight) in self.points.weight.iter().enumerate() {
            let mut largest = f64::NEG_INFINITY;
            for (j, stage) in stages.iter().enumerate() {
                let value = if i < self.first[j] {
                    f64::NEG_INFINITY
                } else {
                    constant[j] + (stage.shape - 1.0) * self.log_distance(stage, j, i)
                        - self.y[j][i] / stage.scale
                };
                logs[j] = value;
                largest = largest.max(value);
            }
            if largest < NOTHING {
                sum += weight * NOTHING;
                continue;
            }
            let mut total = 0.0;
            for value in &mut logs {
                *value = if *value < largest - 40.0 { 0.0 } else { exp(*value - largest) };
                total += *value;
            }
            sum += weight * (largest + log(total));
            let scale = weight / total;
            for (j, share) in logs.iter().enumerate() {
                if *share > 0.0 {
                    visit(i, j, share * scale);
                }
            }
        }
        sum
    }

    pub(super) fn log_likelihood(&self, stages: &[FittedStage]) -> f64 {
        self.pass(stages, |_, _, _| {})
    }

    /// One pass: the likelihood of the stages as they were, and how the likelihood changes with the logarithms of shape
    /// and scale, the offset and the weight's logit of each stage.
    pub(super) fn gradient(&self, stages: &[FittedStage]) -> (f64, Vec<[f64; 4]>) {
        let digammas: Vec<f64> = stages.iter().map(|s| digamma(s.shape) + log(s.scale)).collect();
        let mut slopes: Vec<[f64; 4]> = stages.iter().map(|s| [0.0, 0.0, 0.0, -s.weight]).collect();
        let value = self.pass(stages, |i, j, share| {
            let (y, stage, slope) = (self.y[j][i], &stages[j], &mut slopes[j]);
            let log_y = self.log_distance(stage, j, i);
            slope[0] += share * stage.shape * (log_y - digammas[j]);
            slope[1] += share * (y / stage.scale - stage.shape);
            let edge = if log_y > self.log_y[j][i] { 0.0 } else { (stage.shape - 1.0) / y };
            slope[2] += share * (1.0 / stage.scale - edge);
            slope[3] += share;
        });
        (value, slopes)
    }

    /// EM passes until a pass gains less than `gain`, at most so many. Gives the likelihood before the last of them.
    pub(super) fn em(&self, stages: &mut [FittedStage], kind: Kind, passes: usize, gain: f64) -> f64 {
        let mut before = f64::NEG_INFINITY;
        for _ in 0..passes {
            let mut sums = vec![Sums::default(); stages.len()];
            let seen = &*stages;
            let value = self.pass(seen, |i, j, share| {
                sums[j].weight += share;
                sums[j].y += share * self.y[j][i];
                sums[j].log_y += share * self.log_distance(&seen[j], j, i);
            });
            for (stage, sums) in stages.iter_mut().zip(&sums) {
                maximise(stage, sums, kind, self.points);
            }
            if value - before < gain {
                return value;
            }
            before = value;
        }
        before
    }
}

/// The stage that makes its share of the points most likely.
fn maximise(stage: &mut FittedStage, sums: &Sums, kind: Kind, points: &Points) {
    if sums.weight < 1e-9 {
        stage.weight = sums.weight;
        return;
    }
    let mean = sums.y / sums.weight;
    stage.weight = sums.weight;
    // A stage narrower than the points about it lie apart is a spike on one of them: the likelihood's singularity.
    let least = points.spacing_about(stage.offset + mean);
    if kind == Kind::Gamma {
        stage.shape = shape(log(mean) - sums.log_y / sums.weight);
        stage.shape = stage.shape.min((mean / least) * (mean / least)).max(SHAPE_MIN);
    }
    stage.scale = (mean / stage.shape).max(least / stage.shape.sqrt());
}

/// The shape α with ln α − ψ(α) = `c`, by Newton's method from a close approximation.
pub(super) fn shape(c: f64) -> f64 {
    if c <= 1.0 / (2.0 * SHAPE_MAX) {
        return SHAPE_MAX;
    }
    let mut a = (3.0 - c + ((c - 3.0) * (c - 3.0) + 24.0 * c).sqrt()) / (12.0 * c);
    for _ in 0..20 {
        let step = (log(a) - digamma(a) - c) / (1.0 / a - trigamma(a));
        // Newton's step in 1/a would be better far out; halving keeps it positive here.
        let next = if step < a { a - step } else { a / 2.0 };
        if (next - a).abs() < 1e-10 * a {
            return next.clamp(SHAPE_MIN, SHAPE_MAX);
        }
        a = next;
    }
    a.clamp(SHAPE_MIN, SHAPE_MAX)
}
