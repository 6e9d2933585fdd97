//! The search over the stages' offsets: where in the data does each of them begin?
//!
//! The likelihood has a maximum for almost every assignment of offsets, so the search tries many on few points: offsets
//! at the largest gaps of the data and at its quantiles, greedily one stage at a time, and then smaller and smaller
//! moves about the best.

use super::erlang;
use super::points::Points;
use super::polish::polish;
use super::stages::{FittedStage, Kind, Prepared};

/// Passes of EM after which a trial is judged.
const TRIAL_PASSES: usize = 12;

/// Fits `count` stages with offsets of their own. `fixed` holds the shapes where they are not free; `lowest` is the
/// smallest offset that makes sense (0 for data that can't be negative).
pub(super) fn fit_shifted(
    coarse: &Points,
    fine: &Points,
    count: usize,
    kind: Kind,
    lowest: f64,
) -> (Vec<FittedStage>, f64) {
    let fixed = (kind == Kind::FixedShapes).then_some(1.0);
    let candidates = candidates(coarse, lowest);
    let mut best: Option<(Vec<FittedStage>, f64)> = None;
    let mut starts = starts(coarse, count, lowest, fixed);
    if kind == Kind::Gamma && lowest == 0.0 {
        starts.extend(erlang::beginning(coarse, count));
    }
    for start in starts {
        let mut stages = start;
        let mut value = climb(coarse, &mut stages, kind, 60);
        greedy(coarse, &mut stages, &mut value, kind, &candidates, fixed);
        refine(coarse, &mut stages, &mut value, kind, lowest);
        if kind == Kind::Gamma {
            value = polish(coarse, &mut stages, kind, lowest, 40);
        }
        if best.as_ref().is_none_or(|(_, reached)| value > *reached) {
            best = Some((stages, value));
        }
    }
    let (mut stages, _) = best.unwrap_or_default();
    finish(fine, &mut stages, kind, lowest)
}

/// The last passes on all points.
pub(super) fn finish(
    fine: &Points,
    stages: &mut Vec<FittedStage>,
    kind: Kind,
    lowest: f64,
) -> (Vec<FittedStage>, f64) {
    let mut value = climb(fine, stages, kind, 60);
    for _ in 0..2 {
        value = polish(fine, stages, kind, lowest, 60).max(value);
        nudge(fine, stages, &mut value, kind, lowest);
    }
    climb(fine, stages, kind, 5);
    stages.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    let value = Prepared::new(fine, stages).log_likelihood(stages);
    (stages.clone(), value)
}

fn climb(points: &Points, stages: &mut [FittedStage], kind: Kind, passes: usize) -> f64 {
    Prepared::new(points, stages).em(stages, kind, passes, 1e-9)
}

/// Several beginnings: equally many values a stage, each from its own first value on or all from the bottom; all spread
/// widely from the bottom, for a tail.
fn starts(points: &Points, count: usize, lowest: f64, fixed: Option<f64>) -> Vec<Vec<FittedStage>> {
    let bottom = lowest.max(points.min() - 0.01 * (points.quantile(0.5) - points.min()) - points.resolution);
    let share = 1.0 / count as f64;
    let split = |own: bool, bottom: f64| -> Vec<FittedStage> {
        (0..count)
            .map(|j| {
                let (from, to) = (points.quantile(j as f64 * share), points.quantile((j + 1) as f64 * share));
                let inside = |x: f64| x >= from && (x <= to || j + 1 == count);
                let offset = if own && j > 0 { from } else { bottom };
                by_points(points, offset, share, fixed, inside)
            })
            .collect()
    };
    let mut all = vec![split(false, bottom), split(true, bottom)];
    if lowest.is_finite() && lowest < bottom {
        all.push(split(false, lowest));
    }
    if count == 1 {
        all.truncate(1);
        if lowest.is_finite() && lowest < bottom {
            all.push(split(false, lowest));
        }
    }
    all
}

/// A stage by the moments of some of the points above its offset.
fn by_points(
    points: &Points,
    offset: f64,
    weight: f64,
    fixed: Option<f64>,
    inside: impl Fn(f64) -> bool,
) -> FittedStage {
    let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
    for (&x, &w) in points.x.iter().zip(&points.weight) {
        if x >= offset && inside(x) {
            let y = x - offset;
            sum += w;
            first += w * y;
            second += w * y * y;
        }
    }
    if sum <= 0.0 {
        return FittedStage::by_moments(weight, offset, points.resolution, points.resolution, fixed);
    }
    let mean = (first / sum).max(points.resolution);
    FittedStage::by_moments(weight, offset, mean, (second / sum - mean * mean).max(0.05 * mean * mean), fixed)
}

/// Where a stage may begin: the bottom, above the largest gaps, at quantiles.
fn candidates(points: &Points, lowest: f64) -> Vec<f64> {
    let mut found = vec![points.min() - points.resolution];
    if lowest.is_finite() {
        found.push(lowest);
    }
    let mut gaps: Vec<(f64, f64)> = points.x.windows(2).map(|pair| (pair[1] - pair[0], pair[1])).collect();
    // The top tenth is all gaps: a tail.
    gaps.truncate(gaps.len() * 9 / 10);
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.extend(gaps.iter().take(6).map(|&(_, above)| above - points.resolution));
    found.extend((1..20).map(|i| points.quantile(f64::from(i) / 20.0)));
    found.retain(|&offset| offset >= lowest);
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// One stage's offset after the other to the candidate that gains most, as long as something gains.
fn greedy(
    points: &Points,
    stages: &mut Vec<FittedStage>,
    value: &mut f64,
    kind: Kind,
    candidates: &[f64],
    fixed: Option<f64>,
) {
    for _ in 0..3 {
        let mut gained = false;
        for j in 0..stages.len() {
            let mut best: Option<(Vec<FittedStage>, f64)> = None;
            for &offset in candidates {
                let mut trial = stages.clone();
                // The stage keeps to where it was, or becomes what lies next above its new offset.
                let (mean, deviation) = (trial[j].mean(), trial[j].deviation());
                let weight = trial[j].weight.max(0.05);
                trial[j] = if mean > offset + 0.2 * deviation {
                    FittedStage::by_moments(weight, offset, mean - offset, deviation * deviation, fixed)
                } else {
                    by_points(points, offset, weight, fixed, |x| x <= offset + 4.0 * deviation)
                };
                let reached = climb(points, &mut trial, kind, TRIAL_PASSES);
                if best.as_ref().is_none_or(|(_, most)| reached > *most) {
                    best = Some((trial, reached));
                }
            }
            if let Some((trial, reached)) = best
                && reached > *value + 1e-5
            {
                (*stages, *value) = (trial, reached);
                gained = true;
            }
        }
        if !gained {
            break;
        }
    }
    *value = climb(points, stages, kind, 60).max(*value);
}

/// Moves of each offset, halved until they are a thousandth of the stage's deviation.
fn refine(points: &Points, stages: &mut Vec<FittedStage>, value: &mut f64, kind: Kind, lowest: f64) {
    for j in 0..stages.len() {
        let mut stride = 0.25 * stages[j].deviation();
        let least = (1e-3 * stages[j].deviation()).max(points.resolution);
        while stride > least {
            let moved =
                [-stride, stride].into_iter().any(|by| try_move(points, stages, value, kind, lowest, j, by));
            if !moved {
                stride /= 2.0;
            }
        }
    }
}

/// A few moves on the fine points: an offset at a jump of the density can't be found by slopes.
fn nudge(points: &Points, stages: &mut Vec<FittedStage>, value: &mut f64, kind: Kind, lowest: f64) {
    for j in 0..stages.len() {
        let mut stride = 0.01 * stages[j].deviation();
        for _ in 0..5 {
            for by in [-stride, stride] {
                try_move(points, stages, value, kind, lowest, j, by);
            }
            stride /= 2.0;
        }
    }
}

fn try_move(
    points: &Points,
    stages: &mut Vec<FittedStage>,
    value: &mut f64,
    kind: Kind,
    lowest: f64,
    j: usize,
    by: f64,
) -> bool {
    let offset = (stages[j].offset + by).max(lowest);
    if offset == stages[j].offset || offset >= points.max() {
        return false;
    }
    let mut trial = stages.clone();
    // The mean stays where it was.
    let above = (trial[j].mean() - offset).max(points.resolution);
    let shape = (kind == Kind::FixedShapes).then_some(trial[j].shape);
    let deviation = trial[j].deviation();
    trial[j] = FittedStage::by_moments(trial[j].weight, offset, above, deviation * deviation, shape);
    let reached = climb(points, &mut trial, kind, TRIAL_PASSES);
    let better = reached > *value + 1e-9;
    if better {
        (*stages, *value) = (trial, reached);
    }
    better
}
