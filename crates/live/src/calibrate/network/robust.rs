//! Figures that a few wild values don't move: medians, and straight lines through medians of slopes.
//!
//! Source: Theil, *A rank-invariant method of linear and polynomial regression analysis* (1950); Sen, *Estimates of the
//! regression coefficient based on Kendall's tau* (1968).

use super::super::spread::Quartiles;

/// The middle one; none of none.
pub(super) fn median(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    Quartiles::of(figures).map(|quartiles| quartiles.median)
}

/// What a quarter of them are below: of times, which whatever disturbs makes longer.
pub(super) fn low(figures: &[f64]) -> Option<f64> {
    Quartiles::of(figures.iter().copied()).map(|quartiles| quartiles.lower)
}

/// A straight line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Its value at zero.
    pub begin: f64,
    /// By how much it rises for each one.
    pub slope: f64,
}

impl Line {
    /// The line of Theil and Sen through points, of which at least two have different places. The slope is the median
    /// over all pairs, the beginning the median of what it leaves.
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let pairs = points.iter().enumerate().flat_map(|(number, one)| {
            points[number + 1..].iter().map(move |other| (other.0 - one.0, other.1 - one.1))
        });
        let slope = median(pairs.filter(|(across, _)| *across != 0.0).map(|(across, up)| up / across))?;
        let begin = median(points.iter().map(|(at, value)| value - slope * at))?;
        Some(Self { begin, slope })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_goes_through_its_points_though_a_fifth_of_them_are_wild() {
        let points: Vec<(f64, f64)> = (0..20)
            .map(|at| {
                let x = f64::from(at);
                (x, if at % 5 == 2 { 1e9 } else { 3.0 + 0.5 * x })
            })
            .collect();
        let line = Line::through(&points).unwrap();
        assert!((line.slope - 0.5).abs() < 1e-9 && (line.begin - 3.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn points_at_one_place_have_no_line() {
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Line::through(&[]), None);
    }
}
