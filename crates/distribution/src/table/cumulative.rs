//! A table of cumulative probabilities: how a measured distribution is often published.

use super::hermite::{cubic, derivatives};
use super::pieces::Pieces;
use super::{ascending, columns};
use crate::error::DistributionError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const FAMILY: &str = "cumulative-table";

/// How a table of cumulative probabilities goes on between its points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Straight: every number between two points is equally likely.
    #[default]
    Linear,
    /// A cubic that stays monotone (Fritsch and Carlson 1980): a density without steps.
    MonotoneCubic,
}

impl Pieces {
    /// From points and the probability of each or less. A first probability above 0 is that of exactly the first point.
    ///
    /// # Errors
    /// No point, points that don't ascend, probabilities that descend or lie outside 0…1, a last one that isn't 1,
    /// columns of two lengths.
    pub fn of_cumulative(
        x: &[f64],
        p: &[f64],
        interpolation: Interpolation,
    ) -> Result<Self, DistributionError> {
        columns(FAMILY, ("x", x), ("p", p), 1)?;
        ascending(FAMILY, "x", x)?;
        if let Some(at) = p.iter().position(|p| !(0.0..=1.0).contains(p)) {
            let problem = format!("is {}; a probability is between 0 and 1", p[at]);
            return Err(DistributionError::new(FAMILY, &format!("p.{at}"), problem));
        }
        if let Some(at) = p.windows(2).position(|pair| pair[0] > pair[1]) {
            let problem =
                format!("is {}, after {}; cumulative probabilities never descend", p[at + 1], p[at]);
            return Err(DistributionError::new(FAMILY, &format!("p.{}", at + 1), problem));
        }
        // Published tables are rounded; a last value of 0.9999 is meant as 1, one of 0.95 is a table without its end.
        let last = p[p.len() - 1];
        if (last - 1.0).abs() > 1e-3 {
            let problem = format!("ends at {last}; add the point at which it reaches 1");
            return Err(DistributionError::new(FAMILY, "p", problem));
        }
        let mut p = p.to_vec();
        if let Some(last) = p.last_mut() {
            *last = 1.0;
        }
        if interpolation == Interpolation::Linear || x.len() < 3 {
            return Ok(Self::straight(x.to_vec(), p));
        }
        let slopes = derivatives(x, &p);
        let rows = (0..x.len() - 1)
            .map(|i| {
                let [_, a, b, c] = cubic(x[i + 1] - x[i], (p[i], p[i + 1]), (slopes[i], slopes[i + 1]));
                [a, b, c, 0.0]
            })
            .collect();
        Ok(Self::new(x.to_vec(), p, rows))
    }
}
