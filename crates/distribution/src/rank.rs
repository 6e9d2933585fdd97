//! Draws of several distributions that go together: large with large, or large with small.
//!
//! A Gaussian copula: correlated normal numbers, each turned into a probability and that into a quantile. Spearman's
//! correlation of ranks ρ comes out where the normal numbers have the correlation 2 sin(π ρ / 6) (Pearson 1907;
//! Kruskal, "Ordinal measures of association", JASA 53, 1958), whatever the distributions, as long as they are
//! continuous; ties weaken it.

use super::any::Distribution;
use super::error::DistributionError;
use super::random::standard_normal;
use super::special::{normal_cdf, normal_density};
use petrio_units::numbers::{as_index, as_number, whole_part};
use rand_core::Rng;
use std::f64::consts::PI;

const FAMILY: &str = "rank correlation";

/// Several distributions whose draws have given correlations of ranks.
///
/// ```
/// use petrio_distribution::{Distribution, Exponential, RankCorrelated, Uniform};
/// use rand_xoshiro::{Xoshiro256PlusPlus, rand_core::SeedableRng};
/// let both = vec![Distribution::from(Exponential::new(0.0, 8.0)?), Uniform::new(0.0, 1.0)?.into()];
/// let together = RankCorrelated::new(both, &[vec![1.0, 0.8], vec![0.8, 1.0]])?;
/// let (mut random, mut draws) = (Xoshiro256PlusPlus::seed_from_u64(1), [0.0; 2]);
/// together.sample_into(&mut random, &mut draws);
/// # Ok::<(), petrio_distribution::DistributionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RankCorrelated {
    distributions: Vec<Distribution>,
    /// The lower triangle of Cholesky's factor of the normal numbers' correlations, row by row.
    factor: Vec<Vec<f64>>,
}

impl RankCorrelated {
    /// From the distributions and the symmetric matrix of Spearman's correlations, with ones on its diagonal.
    ///
    /// # Errors
    /// A matrix of another size, with entries beyond −1…1, without symmetry, or of correlations that can't hold
    /// together.
    pub fn new(distributions: Vec<Distribution>, ranks: &[Vec<f64>]) -> Result<Self, DistributionError> {
        let n = distributions.len();
        let refuse = |place: &str, problem: String| Err(DistributionError::new(FAMILY, place, problem));
        if ranks.len() != n || ranks.iter().any(|row| row.len() != n) {
            return refuse("", format!("{n} distributions need a matrix of {n} rows of {n} correlations"));
        }
        for (i, row) in ranks.iter().enumerate() {
            for (j, &rho) in row.iter().enumerate() {
                let place = format!("{i}.{j}");
                if !(-1.0..=1.0).contains(&rho) {
                    return refuse(&place, format!("is {rho}; a correlation is between -1 and 1"));
                }
                if i == j && rho != 1.0 {
                    return refuse(&place, format!("is {rho}; everything correlates with itself by 1"));
                }
                if rho != ranks[j][i] {
                    return refuse(
                        &place,
                        format!("is {rho}, but {j}.{i} is {}; they must agree", ranks[j][i]),
                    );
                }
            }
        }
        let normal = |i: usize, j: usize| if i == j { 1.0 } else { 2.0 * libm::sin(PI * ranks[i][j] / 6.0) };
        let mut factor: Vec<Vec<f64>> = Vec::with_capacity(n);
        for i in 0..n {
            let mut row: Vec<f64> = Vec::with_capacity(i + 1);
            let mut holds = true;
            for (j, before) in factor.iter().enumerate() {
                let known: f64 = row.iter().zip(before).map(|(a, b)| a * b).sum();
                let (left, pivot) = (normal(i, j) - known, before[j]);
                // One that follows from others has nothing of its own, and with that nothing else can go.
                holds &= pivot > 0.0 || left.abs() < EXACT;
                row.push(if pivot > 0.0 { left / pivot } else { 0.0 });
            }
            let rest = 1.0 - row.iter().map(|a| a * a).sum::<f64>();
            if !holds || rest < -EXACT {
                return refuse(
                    "",
                    format!(
                        "the correlations of distribution {i} with those before it can't hold together: the matrix has a \
                         negative eigenvalue; move them toward 0"
                    ),
                );
            }
            // Of 1 and −1 nothing is left: what is drawn follows from those before.
            row.push(if rest < EXACT { 0.0 } else { rest.sqrt() });
            factor.push(row);
        }
        Ok(Self { distributions, factor })
    }

    /// The distributions, in the order of the draws.
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// A draw of each into `draws`, which has room for as many as there are distributions; more room is left alone.
    pub fn sample_into<R: Rng + ?Sized>(&self, random: &mut R, draws: &mut [f64]) {
        for draw in draws.iter_mut().take(self.factor.len()) {
            *draw = standard_normal(random);
        }
        // From the last on, because each depends on the independent numbers before it.
        for i in (0..self.factor.len().min(draws.len())).rev() {
            let z: f64 = self.factor[i].iter().zip(&*draws).map(|(a, b)| a * b).sum();
            draws[i] = self.distributions[i].quantile(normal_cdf(z));
        }
    }

    /// The mean of the product of the first two: what size times accesses is at the mean, where the two go together. By
    /// the trapezoid rule over both normal numbers, which is exact to many digits for smooth densities.
    pub fn mean_of_product(&self) -> f64 {
        let [one, other] = self.distributions.as_slice() else { return f64::NAN };
        let (r, rest) = (self.factor[1][0], self.factor[1][1]);
        let values: Vec<f64> = points().map(|z| other.quantile(normal_cdf(z))).collect();
        // The other's value where its normal number lies between two points.
        let value = |z: f64| {
            let at = ((z + REACH) / STEP).clamp(0.0, (values.len() - 1) as f64);
            let below = as_index(whole_part(at));
            let above = (below + 1).min(values.len() - 1);
            values[below] + (at - below as f64) * (values[above] - values[below])
        };
        let weigh = |z: f64| STEP * normal_density(z);
        points()
            .map(|z| {
                let inner: f64 = points().map(|w| weigh(w) * value(r * z + rest * w)).sum();
                weigh(z) * one.quantile(normal_cdf(z)) * inner
            })
            .sum()
    }
}

/// What rounding makes of nothing.
const EXACT: f64 = 1e-9;

/// How far from zero normal numbers are looked at: beyond lie 10⁻¹⁵ of them.
const REACH: f64 = 8.0;
const STEP: f64 = 1.0 / 32.0;

fn points() -> impl Iterator<Item = f64> {
    (0..=as_number(whole_part(2.0 * REACH / STEP))).map(|at| f64::from(at) * STEP - REACH)
}
