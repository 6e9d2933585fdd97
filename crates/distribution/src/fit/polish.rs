//! The last steps to the maximum, offsets included, where EM would take thousands.
//!
//! A quasi-Newton method (BFGS: Nocedal and Wright, "Numerical Optimization", 2006, algorithm 6.1, with halved steps)
//! on the logarithms of shapes and scales, the offsets in units of their stages' deviations, and the logits of the
//! weights.

use super::points::Points;
use super::stages::{FittedStage, Kind, Prepared};
use libm::{exp, log};

/// Climbs from `stages`; gives the likelihood reached. Offsets stay at `lowest` or above.
pub(super) fn polish(
    points: &Points,
    stages: &mut Vec<FittedStage>,
    kind: Kind,
    lowest: f64,
    steps: usize,
) -> f64 {
    let offsets = kind == Kind::Gamma || stages.iter().any(|stage| stage.offset != 0.0);
    let frame = Frame { points, start: stages.clone(), kind, lowest, offsets };
    let n = stages.len() * 4;
    let mut x = vec![0.0; n];
    let (mut value, mut slope) = frame.value(&x);
    let mut inverse = identity(n);
    for _ in 0..steps {
        let mut direction: Vec<f64> = inverse.iter().map(|row| dot(row, &slope)).collect();
        if dot(&direction, &slope) <= 0.0 {
            inverse = identity(n);
            direction.clone_from(&slope);
        }
        // No parameter moves by more than one unit at a time: all of them are logarithms or deviations.
        let longest = direction.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
        let mut length = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        let promised = dot(&direction, &slope);
        let mut found = None;
        for _ in 0..25 {
            let next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let (reached, new_slope) = frame.value(&next);
            if reached >= value + 1e-4 * length * promised {
                found = Some((next, reached, new_slope));
                break;
            }
            length /= 2.0;
        }
        let Some((next, reached, new_slope)) = found else { break };
        let s: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        // The slope of what is climbed has the other sign than that of what is descended.
        let y: Vec<f64> = slope.iter().zip(&new_slope).map(|(a, b)| a - b).collect();
        update(&mut inverse, &s, &y);
        let gained = reached - value;
        (x, value, slope) = (next, reached, new_slope);
        if gained < 1e-12 {
            break;
        }
    }
    *stages = frame.stages(&x);
    value
}

struct Frame<'p> {
    points: &'p Points,
    start: Vec<FittedStage>,
    kind: Kind,
    lowest: f64,
    offsets: bool,
}

impl Frame<'_> {
    fn stages(&self, x: &[f64]) -> Vec<FittedStage> {
        let logits: Vec<f64> =
            self.start.iter().zip(x.chunks(4)).map(|(s, x)| log(s.weight.max(1e-12)) + x[3]).collect();
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = logits.iter().map(|logit| exp(logit - largest)).sum();
        self.start
            .iter()
            .zip(x.chunks(4))
            .zip(&logits)
            .map(|((start, x), logit)| FittedStage {
                weight: exp(logit - largest) / total,
                shape: start.shape * exp(x[0].clamp(-3.0, 3.0)),
                scale: start.scale * exp(x[1].clamp(-3.0, 3.0)),
                offset: (start.offset + x[2] * start.deviation()).max(self.lowest),
            })
            .collect()
    }

    fn value(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let stages = self.stages(x);
        let narrow = |stage: &FittedStage| {
            stage.deviation() < 0.99 * self.points.spacing_about(stage.mean())
                || !(0.02..=1e5).contains(&stage.shape)
        };
        if stages.iter().any(narrow) {
            return (f64::NEG_INFINITY, vec![0.0; x.len()]);
        }
        let (value, slopes) = Prepared::new(self.points, &stages).gradient(&stages);
        let mut slope = Vec::with_capacity(x.len());
        for ((start, stage), [shape, scale, offset, weight]) in self.start.iter().zip(&stages).zip(slopes) {
            let held = !self.offsets || (stage.offset <= self.lowest && offset < 0.0);
            slope.push(if self.kind == Kind::Gamma { shape } else { 0.0 });
            slope.push(scale);
            slope.push(if held { 0.0 } else { offset * start.deviation() });
            slope.push(weight);
        }
        (value, slope)
    }
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Nocedal and Wright's (6.17); left alone where the curvature has the wrong sign.
fn update(inverse: &mut [Vec<f64>], s: &[f64], y: &[f64]) {
    let curvature = dot(s, y);
    if curvature <= 1e-14 {
        return;
    }
    let hy: Vec<f64> = inverse.iter().map(|row| dot(row, y)).collect();
    let yhy = dot(y, &hy);
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry +=
                (1.0 + yhy / curvature) * s[i] * s[j] / curvature - (s[i] * hy[j] + hy[i] * s[j]) / curvature;
        }
    }
}
