//! What the fitting algorithms see: points with weights, few enough for hundreds of passes.
//!
//! A million values are compressed to some thousand points: bins of equally many values in the middle, single values at
//! both ends, where a likelihood is decided. Each point is its bin's mean, so that the mean of all is kept exactly.

use crate::{Distribution, Family};
use petrio_units::numbers::{as_index, whole_part};

/// Bins of a fit's last passes, and of its search.
pub(super) const FINE: usize = 2_000;
pub(super) const COARSE: usize = 300;
/// For families that need only a few passes.
pub(super) const ALL: usize = 50_000;

/// Points on each side that tell how closely they lie.
const NEIGHBOURS: usize = 4;

/// Points in ascending order, with weights that add up to 1.
#[derive(Clone, Debug)]
pub(super) struct Points {
    pub(super) x: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// Nothing finer than this is told apart. The likelihood of a stage that gathers about one value, or of one with a
    /// shape below 1 that begins at a value, grows without bound; a density is therefore never taken nearer to its edge
    /// than this.
    pub(super) resolution: f64,
}

impl Points {
    /// Of sorted values.
    pub(super) fn of_sorted(values: &[f64], bins: usize) -> Self {
        let n = values.len();
        let mut points = Self { x: Vec::new(), weight: Vec::new(), resolution: 0.0 };
        // An eighth of the points stand for single values at each end.
        let single = if n <= bins { n } else { bins / 8 };
        let (from, to) = (single, n.saturating_sub(single).max(single));
        points.bins(&values[..from], from, n);
        points.bins(&values[from..to], (bins * 3 / 4).min(to - from), n);
        points.bins(&values[to..], n - to, n);
        points.resolution = resolution(&|p| quantile(values, p));
        points
    }

    fn bins(&mut self, values: &[f64], bins: usize, all: usize) {
        for bin in 0..bins {
            let range = bin * values.len() / bins..(bin + 1) * values.len() / bins;
            let count = range.len() as f64;
            let first = values[range.start];
            let mean = first + values[range].iter().map(|x| x - first).sum::<f64>() / count;
            if self.x.last() == Some(&mean) {
                if let Some(last) = self.weight.last_mut() {
                    *last += count / all as f64;
                }
                continue;
            }
            self.x.push(mean);
            self.weight.push(count / all as f64);
        }
    }

    /// Of a distribution itself: equally likely quantiles, closer together in the tails.
    pub(super) fn of_distribution(quantile: &dyn Fn(f64) -> f64, bins: usize) -> Self {
        // Equal steps in t of p = t² (3 − 2 t): steps of probability fall towards both ends.
        let edge = |i: usize| {
            let t = i as f64 / bins as f64;
            t * t * (3.0 - 2.0 * t)
        };
        let mut points = Self { x: Vec::new(), weight: Vec::new(), resolution: 0.0 };
        for bin in 0..bins {
            points.x.push(quantile(f64::midpoint(edge(bin), edge(bin + 1))));
            points.weight.push(edge(bin + 1) - edge(bin));
        }
        points.resolution = resolution(quantile);
        points
    }

    /// The same points with other weights, which needn't add up to 1.
    pub(super) fn reweighted(&self, weight: Vec<f64>) -> Self {
        let total: f64 = weight.iter().sum();
        Self {
            x: self.x.clone(),
            weight: weight.into_iter().map(|w| w / total).collect(),
            resolution: self.resolution,
        }
    }

    /// Nearer to a stage's offset its density isn't taken where it is infinite there. Zero is where quantities begin,
    /// and no offset that was moved toward the values: as long as all lie above it, a density is what it is.
    pub(super) fn nearest_to(&self, offset: f64) -> f64 {
        if offset == 0.0 && self.min() > 0.0 { f64::MIN_POSITIVE } else { self.resolution }
    }

    /// How far apart points lie just above `x`: no density that is infinite there is taken nearer to it. A point stands
    /// for values all about it, and a stage must not gain by sitting on the point itself.
    pub(super) fn spacing_above(&self, x: f64) -> f64 {
        if x == 0.0 && self.min() > 0.0 {
            return self.nearest_to(x);
        }
        self.spacing(self.x.partition_point(|&point| point < x), 0)
    }

    /// How far apart points lie about `x`: no stage is narrower.
    pub(super) fn spacing_about(&self, x: f64) -> f64 {
        self.spacing(self.x.partition_point(|&point| point < x), NEIGHBOURS)
    }

    fn spacing(&self, at: usize, before: usize) -> f64 {
        let last = self.x.len() - 1;
        let from = at.saturating_sub(before).min(last.saturating_sub(NEIGHBOURS));
        let to = (at + NEIGHBOURS).min(last);
        let mean = (self.x[to] - self.x[from]) / (to - from).max(1) as f64;
        mean.max(self.resolution)
    }

    pub(super) fn min(&self) -> f64 {
        self.x[0]
    }

    pub(super) fn max(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    pub(super) fn mean(&self) -> f64 {
        self.expectation(|x| x)
    }

    pub(super) fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expectation(|x| (x - mean) * (x - mean))
    }

    pub(super) fn expectation(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.x.iter().zip(&self.weight).map(|(&x, weight)| weight * of(x)).sum()
    }

    /// The points' quantile: the first at which so much weight is reached.
    pub(super) fn quantile(&self, p: f64) -> f64 {
        let mut sum = 0.0;
        for (&x, weight) in self.x.iter().zip(&self.weight) {
            sum += weight;
            if sum >= p {
                return x;
            }
        }
        self.max()
    }
}

/// The logarithm of a density that is bounded on both sides: taken `resolution` off an edge where it is infinite.
pub(super) fn bounded_log_density(distribution: &Distribution, x: f64, resolution: f64) -> f64 {
    const LEAST: f64 = 1e-300;
    let density = match distribution {
        Distribution::Gamma(stages) => stages
            .parts()
            .iter()
            .filter(|(_, stage)| x >= stage.offset())
            .map(|(weight, stage)| {
                let is_inside = stage.offset() == 0.0 && x > 0.0;
                weight * stage.density(if is_inside { x } else { x.max(stage.offset() + resolution) })
            })
            .sum(),
        _ if x == distribution.infimum() => distribution.density(x).min(distribution.density(x + resolution)),
        _ => distribution.density(x),
    };
    libm::log(density.clamp(LEAST, f64::MAX))
}

/// A ten-millionth of a typical distance between the values: of the quartiles where they differ.
fn resolution(quantile: &dyn Fn(f64) -> f64) -> f64 {
    let spread = [(0.25, 0.75), (0.05, 0.95), (1e-6, 1.0 - 1e-6)]
        .into_iter()
        .map(|(low, high)| quantile(high) - quantile(low))
        .find(|&spread| spread > 0.0 && spread.is_finite());
    1e-7 * spread.unwrap_or(1.0)
}

fn quantile(sorted: &[f64], p: f64) -> f64 {
    sorted[as_index(whole_part(p * sorted.len() as f64)).min(sorted.len() - 1)]
}
