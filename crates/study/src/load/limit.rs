//! The highest load that keeps a limit: where the metric crosses it.

use super::Highest;
use super::error::LoadError;
use super::prober::{Point, Prober};
use crate::compare::Measure;
use petrio_units::Measured;
use serde::Serialize;

/// A load is known when what keeps the limit and what doesn't are no further apart than this part.
const CLOSE: f64 = 0.004;
/// Nearer to an end than this part of what lies between, a guess would tell little.
const EDGE: f64 = 0.08;
/// Without a guess the load grows or falls by this factor.
const STRIDE: f64 = 2.0;
/// Loads beyond this many times today's aren't looked for, nor those below its reciprocal.
const FURTHEST: f64 = 1e4;

/// What a metric's slope is taken over, on either side, as a part of the load.
const AROUND: f64 = 0.04;

/// How the highest load is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crossing {
    /// It lies between a load that keeps the limit and one that doesn't, close together.
    Found,
    /// It lies between two that are further apart: the runs were used up.
    Between,
    /// The highest load that was run keeps the limit, and a higher one may, too.
    AtLeast,
    /// The lowest load that was run doesn't keep it.
    Below,
}

/// A limit in the unit that reports have the metric in.
pub fn in_unit_of(metric: &Measure, text: &str) -> Result<f64, LoadError> {
    let unit = metric.base_unit();
    let (base, size, example) = match unit {
        "ms" => ("ps", 1e9, "20 ms"),
        "s" => ("ps", 1e12, "20 s"),
        "B" => ("B", 1.0, "1 GiB"),
        "bytes/s" => ("B/s", 1.0, "100 MB/s"),
        "1/s" => ("/s", 1.0, "100 /s"),
        _ => ("", 1.0, "0.5"),
    };
    let wrong = |why: &str| LoadError::Limit {
        text: text.to_owned(),
        why: why.to_owned(),
        help: format!("a limit of {metric} is written as in --limit \"{example}\""),
    };
    let limit = Measured::read(text).ok_or_else(|| wrong("it is no number with a unit that there is"))?;
    if limit.base_unit() != base {
        return Err(wrong(&format!(
            "it is no limit of {metric}, which is in {}",
            if unit.is_empty() { "no unit" } else { unit }
        )));
    }
    if limit.base() <= 0.0 {
        return Err(wrong("nothing stays below that"));
    }
    Ok(limit.base() / size)
}

/// What lies around the limit.
pub(super) struct Around {
    low: Option<Point>,
    high: Option<Point>,
    close: bool,
}

/// Runs loads until those that keep the limit and those that don't are close.
pub(super) fn seek_limit(prober: &mut Prober<'_, '_>, limit: f64, runs: u32) -> Result<Around, LoadError> {
    let last = prober.left().saturating_sub(runs);
    let mut side = None;
    let mut stays = 0;
    loop {
        let keeps = |point: &&Point| point.metric <= limit && !point.overloaded;
        let points = prober.points();
        let high = points.iter().find(|point| !keeps(point)).cloned();
        let low = points
            .iter()
            .rev()
            .find(|point| keeps(point) && high.as_ref().is_none_or(|high| point.factor < high.factor));
        let low = low.cloned();
        let step = prober.dial().step();
        let close = match (&low, &high) {
            (Some(low), Some(high)) => {
                high.factor / low.factor - 1.0 <= CLOSE || high.factor - low.factor <= step * 1.001
            }
            _ => false,
        };
        if close || prober.left() <= last {
            return Ok(Around { low, high, close });
        }
        let next = match (&low, &high) {
            (Some(low), Some(high)) => between(low, high, limit, stays >= 2),
            (Some(low), None) => further(prober, low, limit),
            (None, Some(high)) => high.factor / STRIDE,
            (None, None) => 1.0,
        };
        let next = prober.dial().possible(next);
        let known = prober.points().iter().any(|point| (point.factor / next - 1.0).abs() < 1e-9);
        if known || !(1.0 / FURTHEST..FURTHEST).contains(&next) {
            return Ok(Around { low, high, close });
        }
        let found = prober.probe(next)?;
        // A secant may creep to one end; then the middle is taken.
        let now = keeps(&&found);
        stays = if side == Some(now) { stays + 1 } else { 0 };
        side = Some(now);
    }
}

/// How much is left at a load: the reciprocal of the metric, which is nothing where more comes than is served.
fn left(point: &Point) -> f64 {
    if point.overloaded { 0.0 } else { 1.0 / point.metric }
}

/// A load between two, where the secant crosses the limit.
fn between(low: &Point, high: &Point, limit: f64, creeps: bool) -> f64 {
    let width = high.factor - low.factor;
    let (at_low, at_high) = (left(low), left(high));
    let part = (at_low - 1.0 / limit) / (at_low - at_high);
    let part = if creeps || !part.is_finite() { 0.5 } else { part.clamp(EDGE, 1.0 - EDGE) };
    low.factor + width * part
}

/// A load beyond all that keep the limit: where what is left would come to it in a straight line.
fn further(prober: &Prober<'_, '_>, low: &Point, limit: f64) -> f64 {
    let before = prober.points().iter().rev().find(|point| point.factor < low.factor * 0.999);
    let slope = match (before, &low.busiest) {
        (Some(before), _) => (left(before) - left(low)) / (low.factor - before.factor),
        // Of one server that is busy for ρ of the time, what is left falls by ρ / (1 − ρ) of it a load.
        (None, Some((_, busy))) if *busy < 1.0 => left(low) * busy / (1.0 - busy) / low.factor,
        _ => 0.0,
    };
    let guess = low.factor + (left(low) - 1.0 / limit) / slope;
    // Just beyond rather than just before: an end is wanted on the other side.
    let guess = guess + (guess - low.factor) * EDGE;
    if guess.is_finite() && guess > low.factor {
        guess.min(low.factor * STRIDE * STRIDE)
    } else {
        low.factor * STRIDE
    }
}

/// The highest load, with its interval from replications at the nearest that was run.
pub(super) fn known(
    prober: &mut Prober<'_, '_>,
    around: Around,
    limit: f64,
) -> Result<Option<Highest>, LoadError> {
    let Around { low, high, close } = around;
    let Some(nearest) = low.as_ref().or(high.as_ref()).map(|point| point.factor) else { return Ok(None) };
    let whole = prober.dial().step() > 0.0;
    let crossing = match (&low, &high) {
        (Some(_), Some(_)) if close => Crossing::Found,
        (Some(_), Some(_)) => Crossing::Between,
        (Some(_), None) => Crossing::AtLeast,
        _ => Crossing::Below,
    };
    let factor = match (&low, &high) {
        (Some(low), Some(high)) if !whole => {
            let part = (left(low) - 1.0 / limit) / (left(low) - left(high));
            low.factor + (high.factor - low.factor) * part.clamp(0.0, 1.0)
        }
        _ => nearest,
    };
    let point = prober.replicate(nearest, 4)?;
    let slope = slope(prober, nearest);
    let point = point.or(low).or(high);
    let half_width =
        point.as_ref().and_then(|point| point.half_width).zip(slope).map(|(half, slope)| half / slope);
    Ok(point.map(|point| Highest {
        factor,
        half_width: half_width.filter(|_| crossing != Crossing::AtLeast && crossing != Crossing::Below),
        rate: point.rate * factor / point.factor,
        busiest: point.busiest,
        crossing,
        sure: None,
    }))
}

/// How much the metric grows with the load around one: from points some way off on both sides, for close by there is but chance.
fn slope(prober: &Prober<'_, '_>, factor: f64) -> Option<f64> {
    let served = || prober.points().iter().filter(|point| !point.overloaded);
    let before =
        served().rev().find(|point| point.factor <= factor * (1.0 - AROUND)).or_else(|| served().next())?;
    let behind =
        served().find(|point| point.factor >= factor * (1.0 + AROUND)).or_else(|| served().next_back())?;
    let slope = (behind.metric - before.metric) / (behind.factor - before.factor);
    (slope > 0.0).then_some(slope)
}
