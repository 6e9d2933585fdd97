//! A table of densities.
//!
//! Source: Kao, "A user-oriented synthetic workload generator" (1991), §4.1.1: "To compute CDF values from PDF values,
//! Simpson's method for numerical integration is used." Between its points the density is a monotone cubic, which never
//! falls below zero; on a cubic Simpson's rule is exact, so the CDF is the integral of the very density that is shown,
//! between the points as well as at them.

use super::hermite::{cubic, derivatives};
use super::pieces::Pieces;
use super::{ascending, columns};
use crate::error::{DistributionError, not_negative};

const FAMILY: &str = "density-table";

impl Pieces {
    /// From points and the density at each. The densities are relative: whatever they integrate to becomes 1.
    ///
    /// # Errors
    /// Fewer than two points, points that don't ascend, densities that are negative or all zero, columns of two
    /// lengths.
    pub fn of_density(x: &[f64], density: &[f64]) -> Result<Self, DistributionError> {
        columns(FAMILY, ("x", x), ("density", density), 2)?;
        ascending(FAMILY, "x", x)?;
        for (index, &value) in density.iter().enumerate() {
            not_negative(FAMILY, &format!("density.{index}"), value)?;
        }
        let slopes = derivatives(x, density);
        let mut cumulative = vec![0.0];
        let mut rows = Vec::with_capacity(x.len() - 1);
        for i in 0..x.len() - 1 {
            let width = x[i + 1] - x[i];
            let c = cubic(width, (density[i], density[i + 1]), (slopes[i], slopes[i + 1]));
            let middle = c[0] + 0.5 * (c[1] + 0.5 * (c[2] + 0.5 * c[3]));
            let simpson = width / 6.0 * (density[i] + 4.0 * middle + density[i + 1]);
            cumulative.push(cumulative[i] + simpson);
            rows.push([width * c[0], width * c[1] / 2.0, width * c[2] / 3.0, width * c[3] / 4.0]);
        }
        let total = cumulative[x.len() - 1];
        if !(total > 0.0 && total.is_finite()) {
            let problem = format!("integrates to {total}; it must be more than zero somewhere");
            return Err(DistributionError::new(FAMILY, "density", problem));
        }
        for value in cumulative.iter_mut().chain(rows.iter_mut().flatten()) {
            *value /= total;
        }
        cumulative[x.len() - 1] = 1.0;
        Ok(Self::new(x.to_vec(), cumulative, rows))
    }
}
