//! What distributions of counts share: a base, a step, and a quantile found among whole numbers.

use crate::error::{DistributionError, finite, positive};

/// Numbers `base + step · count`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    pub(super) base: f64,
    pub(super) step: f64,
}

impl Lattice {
    pub(super) fn new(family: &'static str, base: f64, step: f64) -> Result<Self, DistributionError> {
        finite(family, "base", base)?;
        positive(family, "step", step)?;
        Ok(Self { base, step })
    }

    /// The number that stands for a count.
    pub(super) fn number(&self, count: f64) -> f64 {
        self.base + self.step * count
    }

    /// The largest count whose number is `x` or less (minus one where `x` is below the base).
    pub(super) fn last_count(&self, x: f64) -> f64 {
        let near = libm::floor((x - self.base) / self.step);
        if near.is_infinite() {
            return near;
        }
        // The division may have rounded past a number of the lattice.
        if self.number(near + 1.0) <= x {
            near + 1.0
        } else if self.number(near) > x {
            near - 1.0
        } else {
            near
        }
    }

    /// The count whose number is exactly `x`.
    pub(super) fn count_of(&self, x: f64) -> Option<f64> {
        let count = self.last_count(x);
        (count.is_finite() && self.number(count) == x).then_some(count)
    }
}

/// The smallest whole number from `first` on whose `cdf` is `p` or more, searched outward from a guess.
pub(super) fn count_quantile(first: f64, last: f64, p: f64, guess: f64, cdf: impl Fn(f64) -> f64) -> f64 {
    let reaches = |count: f64| cdf(count) >= p;
    if reaches(first) {
        return first;
    }
    let (mut low, mut high) = (first, libm::floor(guess).clamp(first + 1.0, last.max(first + 1.0)));
    let mut stride = 1.0;
    while high < last && !reaches(high) {
        low = high;
        high = (high + stride).min(last);
        stride *= 2.0;
        if stride > 1e300 {
            return f64::INFINITY;
        }
    }
    // Between `low`, which doesn't reach it, and `high`, which does.
    while high - low > 1.0 {
        let middle = libm::floor(f64::midpoint(low, high));
        if middle <= low || middle >= high {
            break;
        }
        if reaches(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
