//! A distribution whose CDF is a polynomial between each two of its points: what every continuous table comes to.

use super::guide::Guide;
use crate::families::Family;
use crate::random::uniform;
use crate::special::{invert, power};
use rand_core::Rng;
use std::sync::Arc;

/// A CDF of pieces between points; it may jump at the first point and wherever two points coincide.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces(Arc<Table>);

#[derive(Debug, PartialEq)]
struct Table {
    /// The points, not descending.
    x: Vec<f64>,
    /// The CDF at each; the last is 1.
    p: Vec<f64>,
    /// Between each two points: the CDF above that at the left one, over t from 0 to 1, without the constant that is
    /// zero. The lowest power first; the sum of a row is the difference of the two points' CDF.
    rows: Vec<[f64; 4]>,
    guide: Guide,
    mean: f64,
    variance: f64,
}

/// Nodes and weights on 0…1 of Gauss and Legendre's quadrature with four points, exact for polynomials up to degree 7:
/// a fourth power times a cubic density (Abramowitz and Stegun 1964, table 25.4).
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

fn horner(row: &[f64; 4], t: f64) -> f64 {
    t * (row[0] + t * (row[1] + t * (row[2] + t * row[3])))
}

fn slope(row: &[f64; 4], t: f64) -> f64 {
    row[0] + t * (2.0 * row[1] + t * (3.0 * row[2] + t * 4.0 * row[3]))
}

impl Pieces {
    /// From the points, the CDF at them, and the polynomials between; all checked already.
    pub(super) fn new(x: Vec<f64>, p: Vec<f64>, rows: Vec<[f64; 4]>) -> Self {
        let guide = Guide::new(&p);
        let mut table = Table { x, p, rows, guide, mean: 0.0, variance: 0.0 };
        table.mean = table.moment_about(0.0, 1, f64::INFINITY);
        table.variance = table.moment_about(table.mean, 2, f64::INFINITY);
        Self(Arc::new(table))
    }

    /// Straight lines between the points.
    pub(super) fn straight(x: Vec<f64>, p: Vec<f64>) -> Self {
        let rows = p.windows(2).map(|pair| [pair[1] - pair[0], 0.0, 0.0, 0.0]).collect();
        Self::new(x, p, rows)
    }

    /// How many points the table has.
    pub fn len(&self) -> usize {
        self.0.x.len()
    }

    /// Whether it has none; it always has.
    pub fn is_empty(&self) -> bool {
        self.0.x.is_empty()
    }
}

impl Table {
    /// The last point at or below `x`.
    fn point(&self, x: f64) -> Option<usize> {
        self.x.partition_point(|&point| point <= x).checked_sub(1)
    }

    /// E[(X − centre)^k; X ≤ x].
    fn moment_about(&self, centre: f64, k: u32, x: f64) -> f64 {
        if x < self.x[0] {
            return 0.0;
        }
        let mut sum = self.p[0] * power(self.x[0] - centre, k);
        for (i, row) in self.rows.iter().enumerate() {
            let (left, right) = (self.x[i], self.x[i + 1]);
            if left > x {
                break;
            }
            let width = right - left;
            if width == 0.0 {
                sum += (self.p[i + 1] - self.p[i]) * power(left - centre, k);
                continue;
            }
            let end = ((x - left) / width).min(1.0);
            sum += GAUSS
                .iter()
                .map(|(node, weight)| {
                    let t = node * end;
                    weight * end * slope(row, t) * power(left + t * width - centre, k)
                })
                .sum::<f64>();
        }
        sum
    }

    fn quantile(&self, p: f64) -> f64 {
        let right = self.guide.row(&self.p, p);
        if right == 0 {
            return self.x[0];
        }
        let (left, row) = (right - 1, &self.rows[right - 1]);
        let (start, width) = (self.x[left], self.x[right] - self.x[left]);
        let rise = self.p[right] - self.p[left];
        if width == 0.0 || rise <= 0.0 {
            return self.x[right];
        }
        let share = (p - self.p[left]).clamp(0.0, rise);
        let t = if row[1..] == [0.0; 3] {
            share / rise
        } else {
            invert(share, share / rise, 0.0, 1.0, |t| horner(row, t), |t| slope(row, t))
        };
        (start + t * width).min(self.x[right])
    }
}

impl Family for Pieces {
    fn density(&self, x: f64) -> f64 {
        let table = &*self.0;
        match table.point(x) {
            Some(i) if i < table.rows.len() => {
                let width = table.x[i + 1] - table.x[i];
                slope(&table.rows[i], (x - table.x[i]) / width).max(0.0) / width
            }
            Some(i) if x == table.x[i] && i > 0 && table.x[i] > table.x[i - 1] => {
                slope(&table.rows[i - 1], 1.0).max(0.0) / (table.x[i] - table.x[i - 1])
            }
            _ => 0.0,
        }
    }

    fn mass(&self, x: f64) -> f64 {
        let table = &*self.0;
        let first = table.x.partition_point(|&point| point < x);
        match table.point(x) {
            Some(last) if first == 0 => table.p[last],
            Some(last) if last > first => table.p[last] - table.p[first],
            _ => 0.0,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        let table = &*self.0;
        match table.point(x) {
            None => 0.0,
            Some(i) if i < table.rows.len() => {
                let t = (x - table.x[i]) / (table.x[i + 1] - table.x[i]);
                (table.p[i] + horner(&table.rows[i], t)).clamp(table.p[i], table.p[i + 1])
            }
            Some(_) => 1.0,
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        self.0.quantile(p.clamp(0.0, 1.0))
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        self.0.moment_about(0.0, k, x)
    }

    fn mean(&self) -> f64 {
        self.0.mean
    }

    fn variance(&self) -> f64 {
        self.0.variance
    }

    fn infimum(&self) -> f64 {
        self.0.x[0]
    }

    fn supremum(&self) -> f64 {
        self.0.x[self.0.x.len() - 1]
    }

    fn has_atoms(&self) -> bool {
        self.0.p[0] > 0.0 || self.0.x.windows(2).any(|pair| pair[0] == pair[1])
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        // 1 − u is in (0, 1]: what has no probability is not drawn.
        self.0.quantile(1.0 - uniform(random))
    }
}
