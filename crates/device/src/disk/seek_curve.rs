//! Seek time by distance.
//!
//! Five forms are in use (see [`SeekParameters`]); all compile to one lookup. Between measured points the curve is a
//! straight line; beyond the last point it goes on as its last piece does; before the first it is the first point's
//! time.

use super::parameters::SeekParameters;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// A compiled seek curve.
#[derive(Clone, Debug)]
pub struct SeekCurve {
    /// Times of the distances from 1 up, where they are given one by one.
    first: Vec<Time>,
    rest: Rest,
}

#[derive(Clone, Debug, Persist)]
enum Rest {
    /// Straight lines through points (distance, picoseconds), ascending, at least one.
    Points(Vec<(u32, u64)>),
    /// `base + root·√(d − offset) + slope·(d − offset)` below the knee, `far_base + far_slope·d` from it on; seconds.
    Formula { offset: f64, base: f64, root: f64, slope: f64, knee: u32, far_base: f64, far_slope: f64 },
}

/// Why a description makes no seek curve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeekCurveError {
    /// No points.
    #[error("the seek curve has no points; give at least one")]
    Empty,
    /// Distances that do not ascend from at least 1.
    #[error("the seek curve's distance {0} does not ascend; give distances in ascending order, from 1")]
    Order(u32),
}

impl SeekCurve {
    /// Compiles a seek curve for a drive with so many cylinders.
    ///
    /// # Errors
    /// Measured points that are missing or do not ascend.
    pub fn new(parameters: &SeekParameters, cylinders: u32) -> Result<Self, SeekCurveError> {
        let seconds = |span: &petrio_units::Duration| span.as_seconds();
        Ok(match parameters {
            SeekParameters::Constant { time } => {
                Self { first: Vec::new(), rest: Rest::Points(vec![(1, time.time().as_picos())]) }
            }
            SeekParameters::ThreePointLine { single, average, full } => {
                let mut points = vec![(1, single.time().as_picos())];
                let third = (cylinders / 3).max(2);
                points.push((third, average.time().as_picos()));
                points.push((cylinders.saturating_sub(1).max(third + 1), full.time().as_picos()));
                Self { first: Vec::new(), rest: Rest::Points(points) }
            }
            SeekParameters::ThreePointCurve { single, average, full } => {
                // Through (1, single), (third, average), (last, full), in terms of d − 1.
                let (third, last) = (f64::from(cylinders / 3).max(2.0), f64::from(cylinders).max(4.0) - 1.0);
                let (x1, x2) = (third - 1.0, last - 1.0);
                let (y1, y2) = (seconds(average) - seconds(single), seconds(full) - seconds(single));
                let (r1, r2) = (libm::sqrt(x1), libm::sqrt(x2));
                let determinant = r1 * x2 - r2 * x1;
                let root = (y1 * x2 - y2 * x1) / determinant;
                let slope = (r1 * y2 - r2 * y1) / determinant;
                let base = seconds(single);
                let formula = Rest::Formula {
                    offset: 1.0,
                    base,
                    root,
                    slope,
                    knee: u32::MAX,
                    far_base: 0.0,
                    far_slope: 0.0,
                };
                Self { first: Vec::new(), rest: formula }
            }
            SeekParameters::TwoPart { knee_cylinders, base, root, far_base, per_cylinder, first } => Self {
                first: first.iter().map(|span| span.time()).collect(),
                rest: Rest::Formula {
                    offset: 0.0,
                    base: seconds(base),
                    root: seconds(root),
                    slope: 0.0,
                    knee: *knee_cylinders,
                    far_base: seconds(far_base),
                    far_slope: seconds(per_cylinder),
                },
            },
            SeekParameters::Measured { points } => Self::measured(points)?,
        })
    }

    fn measured(points: &[(u32, petrio_units::Duration)]) -> Result<Self, SeekCurveError> {
        if points.is_empty() {
            return Err(SeekCurveError::Empty);
        }
        let mut before = 0;
        for &(distance, _) in points {
            if distance <= before {
                return Err(SeekCurveError::Order(distance));
            }
            before = distance;
        }
        // Points at 1, 2, 3, … are looked up without a search: most seeks of a local workload are that short.
        let dense =
            points.iter().zip(1..).take_while(|((distance, _), expected)| distance == expected).count();
        let first = points[..dense].iter().map(|(_, span)| span.time()).collect();
        let points = points.iter().map(|&(distance, span)| (distance, span.time().as_picos())).collect();
        Ok(Self { first, rest: Rest::Points(points) })
    }

    /// The time of a seek over `distance` cylinders.
    pub fn time(&self, distance: u32) -> Time {
        if distance == 0 {
            return Time::ZERO;
        }
        if let Some(&time) = self.first.get(distance as usize - 1) {
            return time;
        }
        match &self.rest {
            Rest::Points(points) => Time::from_picos(on_lines(points, distance)),
            &Rest::Formula { offset, base, root, slope, knee, far_base, far_slope } => {
                let d = f64::from(distance) - offset;
                Time::from_seconds(if distance < knee {
                    base + root * libm::sqrt(d) + slope * d
                } else {
                    far_base + far_slope * d
                })
            }
        }
    }
}

/// The value at `distance` on straight lines through ascending points.
fn on_lines(points: &[(u32, u64)], distance: u32) -> u64 {
    let behind = points.partition_point(|&(d, _)| d < distance);
    let (left, right) = match behind {
        0 => return points[0].1,
        _ if points.len() == 1 => return points[0].1,
        // Beyond the last point the last piece goes on.
        behind if behind == points.len() => (points[behind - 2], points[behind - 1]),
        behind => (points[behind - 1], points[behind]),
    };
    let span = i128::from(right.0 - left.0);
    let rise = i128::from(right.1) - i128::from(left.1);
    let along = i128::from(distance - left.0);
    u64::try_from((i128::from(left.1) + (rise * along) / span).max(0)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_units::Duration;

    fn ms(text: &str) -> Duration {
        text.parse().unwrap()
    }

    fn millis(curve: &SeekCurve, distance: u32) -> f64 {
        curve.time(distance).as_millis()
    }

    #[test]
    fn the_two_part_formula_of_the_hp_97560_gives_the_published_times() {
        // Ruemmler & Wilkes 1994: 3.24 + 0.400 √d ms up to 383 cylinders, 8.00 + 0.008 d above.
        let parameters = SeekParameters::TwoPart {
            knee_cylinders: 384,
            base: ms("3.24 ms"),
            root: ms("0.4 ms"),
            far_base: ms("8 ms"),
            per_cylinder: ms("0.008 ms"),
            first: Vec::new(),
        };
        let curve = SeekCurve::new(&parameters, 1962).unwrap();
        assert_eq!(curve.time(0), Time::ZERO);
        assert!((millis(&curve, 1) - 3.64).abs() < 1e-9);
        assert!((millis(&curve, 100) - 7.24).abs() < 1e-9);
        assert!((millis(&curve, 383) - (3.24 + 0.4 * 383f64.sqrt())).abs() < 1e-9);
        assert!((millis(&curve, 1961) - 23.688).abs() < 1e-9);
    }

    #[test]
    fn the_first_seeks_of_a_table_stand_in_place_of_the_formula() {
        let parameters = SeekParameters::TwoPart {
            knee_cylinders: 300,
            base: ms("3.81 ms"),
            root: ms("0.33 ms"),
            far_base: ms("7.75 ms"),
            per_cylinder: ms("0.0059 ms"),
            first: vec![ms("2.89 ms"), ms("3.68 ms")],
        };
        let curve = SeekCurve::new(&parameters, 2051).unwrap();
        assert!((millis(&curve, 1) - 2.89).abs() < 1e-9);
        assert!((millis(&curve, 2) - 3.68).abs() < 1e-9);
        assert!((millis(&curve, 4) - 4.47).abs() < 1e-9);
    }

    #[test]
    fn measured_points_are_joined_by_straight_lines_and_the_last_goes_on() {
        let points = vec![(1, ms("1 ms")), (2, ms("1.5 ms")), (10, ms("3.5 ms")), (20, ms("4 ms"))];
        let curve = SeekCurve::new(&SeekParameters::Measured { points }, 100).unwrap();
        let expected = [(1, 1.0), (2, 1.5), (6, 2.5), (10, 3.5), (15, 3.75), (20, 4.0), (40, 5.0)];
        for (distance, time) in expected {
            assert!((millis(&curve, distance) - time).abs() < 1e-9, "{distance}");
        }
    }

    #[test]
    fn a_line_that_rises_beyond_all_time_stays_there() {
        let points = vec![(1, ms("1 ms")), (2, Duration::new(Time::from_whole_seconds(1 << 24)))];
        let curve = SeekCurve::new(&SeekParameters::Measured { points }, 100).unwrap();
        assert_eq!(curve.time(99), Time::NEVER);
    }

    #[test]
    fn the_three_point_forms_pass_through_their_points() {
        let (single, average, full) = (ms("1 ms"), ms("8 ms"), ms("16 ms"));
        for parameters in [
            SeekParameters::ThreePointLine { single, average, full },
            SeekParameters::ThreePointCurve { single, average, full },
        ] {
            let curve = SeekCurve::new(&parameters, 3000).unwrap();
            for (distance, time) in [(1, 1.0), (1000, 8.0), (2999, 16.0)] {
                assert!((millis(&curve, distance) - time).abs() < 1e-6, "{parameters:?} at {distance}");
            }
        }
    }

    #[test]
    fn points_that_do_not_ascend_are_refused() {
        let points = vec![(5, ms("1 ms")), (5, ms("2 ms"))];
        let refused = SeekCurve::new(&SeekParameters::Measured { points }, 10).unwrap_err();
        assert_eq!(refused, SeekCurveError::Order(5));
        let none = SeekCurve::new(&SeekParameters::Measured { points: Vec::new() }, 10).unwrap_err();
        assert_eq!(none, SeekCurveError::Empty);
    }
}
