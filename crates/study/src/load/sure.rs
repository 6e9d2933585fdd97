//! How sure the highest load is: where those of nine real systems in ten lie, if a model's times are all wrong by one factor.
//!
//! By what validations missed by, real times lie within a factor w of the model's nine times in ten (`report::sure`). A system whose times are
//! all w times as long bears at λ what the model bears at w λ, and takes w times as long for it: it keeps a limit L of a time up to x / w, where
//! x is the highest load at which the model keeps L / w. The same with 1 / w is the other end. In between, the metric is taken in a straight line
//! of its reciprocal, as the limit itself is sought.

use super::limit::Crossing;
use super::{Highest, Point};
use crate::compare::{Figure, Measure};
use petrio_scenario::report::{RangeOf, Report, Subject};
use serde::Serialize;

/// Where the highest loads of nine real systems in ten lie, as factors on today's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sure {
    /// Within which factor of the model's real times lie.
    pub within: f64,
    /// The lower end: nothing where a system so slow keeps the limit at no load.
    pub low: f64,
    /// The upper end; nothing where it lies beyond what was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Within which factor of what a run says real times lie nine times in ten: of the percentile where it is one, else of the mean. None for
/// what is no time, or where nothing on the way was ever validated.
pub(super) fn width(report: &Report, metric: &Measure) -> Option<f64> {
    let error = report.model_error.iter().find(|error| error.subject == Subject::default())?;
    let of = |wanted| error.ranges.iter().find(|range| range.of == wanted);
    let range = match metric.figure {
        Figure::P95 | Figure::P99 => of(RangeOf::P99).or_else(|| of(RangeOf::MeanLatency)),
        Figure::Mean | Figure::P50 => of(RangeOf::MeanLatency),
        _ => None,
    }?;
    Some(range.high / range.value).filter(|width| width.is_finite() && *width > 1.0)
}

/// Both ends, from what was run and what was found.
pub(super) fn sure(points: &[Point], highest: &Highest, limit: f64) -> Option<Sure> {
    if !matches!(highest.crossing, Crossing::Found | Crossing::Between) {
        return None;
    }
    let near = points.iter().filter(|point| point.width.is_some());
    let distance = |point: &&Point| libm::fabs(point.factor - highest.factor);
    let within = near.min_by(|one, other| distance(one).total_cmp(&distance(other)))?.width?;
    // The load and what is left there: the reciprocal of the metric.
    let mut curve: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| !point.overloaded && point.metric > 0.0)
        .map(|point| (point.factor, 1.0 / point.metric))
        .chain([(highest.factor, 1.0 / limit)])
        .collect();
    curve.sort_by(|one, other| one.0.total_cmp(&other.0));
    let overloaded = points.iter().find(|point| point.overloaded).map(|point| (point.factor, 0.0));
    curve.extend(overloaded.filter(|(factor, _)| curve.last().is_none_or(|last| *factor > last.0)));
    let at = |times: f64| crossing(&curve, times / limit).map(|load| load / times);
    let low = match at(within) {
        Some(low) => low,
        // Nothing that was run keeps it: of less load is only known that it leaves no less.
        None if curve.first().is_some_and(|first| first.1 < within / limit) => 0.0,
        None => return None,
    };
    Some(Sure {
        within,
        low: low.min(highest.factor),
        high: at(1.0 / within).map(|high| high.max(highest.factor)),
    })
}

/// The last load at which no less than this is left, where that is known to be the last.
fn crossing(curve: &[(f64, f64)], wanted: f64) -> Option<f64> {
    let last = curve.iter().rposition(|(_, left)| *left >= wanted)?;
    let ((from, more), (to, less)) = (curve[last], *curve.get(last + 1)?);
    Some(from + (to - from) * (more - wanted) / (more - less))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// An M/M/1 that serves `capacity` at a factor of 1, run at these factors: times by its formula.
    fn run(capacity: f64, factors: &[f64], width: Option<f64>) -> Vec<Point> {
        let point = |factor: f64| Point {
            factor,
            metric: if factor < capacity { 1.0 / (capacity - factor) } else { 50.0 },
            half_width: None,
            response_ms: 0.0,
            rate: factor,
            throughput: 0.0,
            busiest: None,
            overloaded: factor >= capacity,
            replications: 1,
            width,
        };
        factors.iter().map(|factor| point(*factor)).collect()
    }

    fn highest(factor: f64) -> Highest {
        Highest {
            factor,
            half_width: None,
            rate: factor,
            busiest: None,
            crossing: Crossing::Found,
            sure: None,
        }
    }

    /// Of M/M/1 with capacity μ the highest load that keeps L is μ − 1 / L, and with times w times as long μ / w − 1 / L.
    #[test]
    fn both_ends_are_those_of_the_slower_and_the_faster_queue() {
        let factors: Vec<f64> = (1..=160).map(|step| f64::from(step) * 0.025).collect();
        for capacity in [1.0, 1.5, 1.9] {
            for width in [1.05, 1.3, 1.9] {
                for slack in [0.15, 0.3, 0.5] {
                    let points = run(capacity, &factors, Some(width));
                    let found = sure(&points, &highest(capacity - slack), 1.0 / slack).unwrap();
                    let (low, high) = ((capacity / width - slack).max(0.0), capacity * width - slack);
                    assert!((found.low - low).abs() < 0.03, "{found:?} for {low}");
                    assert!((found.high.unwrap() - high).abs() < 0.03 * width, "{found:?} for {high}");
                    assert!(found.low <= capacity - slack && found.high.unwrap() >= capacity - slack);
                }
            }
        }
    }

    #[test]
    fn what_was_not_run_is_not_told() {
        // A limit of 2 is kept up to 1.5; of 4, as a system twice as fast needs, nobody knows how much more is borne.
        let points = run(2.0, &[0.5, 1.0, 1.5], Some(2.0));
        assert_eq!(sure(&points, &highest(1.5), 2.0).unwrap().high, None);
        // Four times as slow, it keeps the limit at no load that was run.
        let slow = run(2.0, &[1.0, 1.5, 1.9], Some(4.0));
        assert_eq!(sure(&slow, &highest(1.5), 2.0).unwrap().low, 0.0);
        let most = Highest { crossing: Crossing::AtLeast, ..highest(1.5) };
        assert_eq!(sure(&slow, &most, 2.0), None, "where the limit lies isn't known");
        assert_eq!(
            sure(&run(2.0, &[1.0, 1.5], None), &highest(1.5), 2.0),
            None,
            "nothing was ever validated"
        );
    }
}
