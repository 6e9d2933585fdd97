//! The knee: the load of the greatest throughput over mean response.

use super::Knee;
use super::error::LoadError;
use super::prober::{Point, Prober};

/// A knee that moves by less than this part is found.
const STILL: f64 = 0.01;
/// Without a guess the load grows or falls by this factor.
const STRIDE: f64 = 1.6;
/// Points that a parabola is laid through.
const POINTS: usize = 5;

/// Kleinrock's power, by rate: of M/M/1 a parabola over the load.
fn power(point: &Point) -> f64 {
    point.rate / point.response_ms
}

/// Seeks the knee, and leaves so many runs.
pub(super) fn seek_knee(prober: &mut Prober<'_, '_>, kept: u32) -> Result<Option<Knee>, LoadError> {
    let mut before: Option<f64> = None;
    loop {
        let served: Vec<&Point> = prober.points().iter().filter(|point| power(point).is_finite()).collect();
        let Some(best) =
            (0..served.len()).max_by(|one, other| power(served[*one]).total_cmp(&power(served[*other])))
        else {
            return Ok(None);
        };
        let ends = (best == 0, best + 1 == served.len());
        let at = served[best].factor;
        let next = match ends {
            (true, _) => at / STRIDE,
            (_, true) => at * STRIDE,
            _ => vertex(&served, best).unwrap_or(at),
        };
        let next = prober.dial().possible(next);
        let is_known = prober.points().iter().any(|point| (point.factor / next - 1.0).abs() < STILL / 2.0);
        let inside = ends == (false, false);
        let still = inside && before.is_some_and(|before| (next / before - 1.0).abs() < STILL);
        if still || is_known || prober.left() <= kept {
            return Ok(Some(found(prober, next, inside)));
        }
        if inside {
            before = Some(next);
        }
        prober.probe(next)?;
    }
}

/// Where the parabola through the points around the best one is highest (least squares).
fn vertex(points: &[&Point], best: usize) -> Option<f64> {
    let first = best.saturating_sub(POINTS / 2).min(points.len().saturating_sub(POINTS));
    let around = &points[first..(first + POINTS).min(points.len())];
    let centre = points[best].factor;
    let most = power(points[best]);
    // Sums of the normal equations, about the best point and in its units.
    let (mut sums, mut products) = ([0.0; 5], [0.0; 3]);
    for point in around {
        let (x, y) = (point.factor / centre - 1.0, power(point) / most);
        for (order, sum) in sums.iter_mut().enumerate() {
            *sum += libm::pow(x, order as f64);
        }
        for (order, product) in products.iter_mut().enumerate() {
            *product += y * libm::pow(x, order as f64);
        }
    }
    let [s0, s1, s2, s3, s4] = sums;
    let matrix = [[s0, s1, s2], [s1, s2, s3], [s2, s3, s4]];
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let with_column = |column: usize| {
        let mut m = matrix;
        for (row, product) in m.iter_mut().zip(products) {
            row[column] = product;
        }
        determinant(m)
    };
    let whole = determinant(matrix);
    let (slope, curve) = (with_column(1) / whole, with_column(2) / whole);
    let at = centre * (1.0 - slope / (2.0 * curve));
    // Between its neighbours, if it is a hill at all.
    let (left, right) = (points[best - 1].factor, points[best + 1].factor);
    (curve < 0.0 && at.is_finite() && (left..=right).contains(&at)).then_some(at)
}

fn found(prober: &Prober<'_, '_>, factor: f64, inside: bool) -> Knee {
    let nearest = prober
        .points()
        .iter()
        .filter(|point| power(point).is_finite())
        .min_by(|one, other| (one.factor - factor).abs().total_cmp(&(other.factor - factor).abs()));
    let (factor, rate, response_ms) = match nearest {
        // At the end of what was run there is no hill to be on top of.
        Some(point) if !inside => (point.factor, point.rate, point.response_ms),
        Some(point) => (factor, point.rate * factor / point.factor, point.response_ms),
        None => (factor, f64::NAN, f64::NAN),
    };
    Knee { factor, rate, response_ms, at_end: !inside }
}
