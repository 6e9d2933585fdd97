//! The gamma distribution, shifted: one stage of a multi-stage gamma distribution (Kao 1991, §5.1).
//!
//! With shape 1 it is a phase of a phase-type exponential distribution, with a whole shape a branch of a hyper-Erlang
//! one. Source of the draws: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000);
//! for shapes below 1 their remark that Γ(a) is Γ(a + 1) times a uniform number to the power of 1/a.

use super::Family;
use crate::error::{DistributionError, finite, positive};
use crate::random::{standard_exponential, standard_normal, uniform};
use crate::special::{gamma_p, gamma_p_inverse, shifted_moment};
use libm::{exp, lgamma, log, pow};
use rand_core::Rng;

/// `offset` plus a gamma-distributed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gamma {
    shape: f64,
    scale: f64,
    offset: f64,
}

impl Gamma {
    /// From shape, scale and offset.
    ///
    /// # Errors
    /// Unless all are finite, and the shape and the scale more than zero.
    pub fn new(shape: f64, scale: f64, offset: f64) -> Result<Self, DistributionError> {
        positive("gamma", "shape", shape)?;
        positive("gamma", "scale", scale)?;
        finite("gamma", "offset", offset)?;
        Ok(Self { shape, scale, offset })
    }

    /// Its shape.
    pub const fn shape(&self) -> f64 {
        self.shape
    }

    /// Its scale, in the unit of the numbers.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// What is added: nothing is below it.
    pub const fn offset(&self) -> f64 {
        self.offset
    }

    fn standardised(&self, x: f64) -> f64 {
        (x - self.offset) / self.scale
    }
}

impl Family for Gamma {
    fn density(&self, x: f64) -> f64 {
        let y = self.standardised(x);
        if y < 0.0 {
            return 0.0;
        }
        if y == 0.0 {
            return match self.shape.total_cmp(&1.0) {
                std::cmp::Ordering::Less => f64::INFINITY,
                std::cmp::Ordering::Equal => 1.0 / self.scale,
                std::cmp::Ordering::Greater => 0.0,
            };
        }
        exp((self.shape - 1.0) * log(y) - y - lgamma(self.shape)) / self.scale
    }

    fn cdf(&self, x: f64) -> f64 {
        gamma_p(self.shape, self.standardised(x))
    }

    fn quantile(&self, p: f64) -> f64 {
        self.offset + self.scale * gamma_p_inverse(self.shape, p)
    }

    fn moment_to(&self, k: u32, x: f64) -> f64 {
        let y = self.standardised(x);
        // E[Y^j; Y ≤ y] = a (a + 1) … (a + j − 1) P(a + j, y).
        let standard = |j: u32| {
            let rising: f64 = (0..j).map(|i| self.shape + f64::from(i)).product();
            rising * gamma_p(self.shape + f64::from(j), y)
        };
        shifted_moment(k, self.offset, self.scale, standard)
    }

    fn mean(&self) -> f64 {
        self.offset + self.shape * self.scale
    }

    fn variance(&self) -> f64 {
        self.shape * self.scale * self.scale
    }

    fn infimum(&self) -> f64 {
        self.offset
    }

    fn supremum(&self) -> f64 {
        f64::INFINITY
    }

    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f64 {
        let standard = if self.shape == 1.0 {
            standard_exponential(random)
        } else if self.shape < 1.0 {
            let larger = at_least_one(self.shape + 1.0, random);
            larger * pow(1.0 - uniform(random), 1.0 / self.shape)
        } else {
            at_least_one(self.shape, random)
        };
        self.offset + self.scale * standard
    }
}

/// A standard gamma number of a shape of at least 1.
fn at_least_one(shape: f64, random: &mut (impl Rng + ?Sized)) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = standard_normal(random);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = 1.0 - uniform(random);
        let square = x * x;
        if u < 1.0 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1.0 - v + log(v)) {
            return d * v;
        }
    }
}
