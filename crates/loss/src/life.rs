//! How long a drive lives.

use petrio_random::{Generator, exponential};

/// Lives by a Weibull distribution: 1 as its shape is exponential, above it drives wear, below it they fail young.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Life {
    scale: f64,
    shape: f64,
}

impl Life {
    /// Lives that are so long on average, seconds.
    pub fn new(mean: f64, shape: f64) -> Self {
        Self { scale: mean / libm::tgamma(1.0 + 1.0 / shape), shape }
    }

    /// The expected number of failures of one that is replaced at once by one as old, from one age to another: the cumulative hazard.
    pub(crate) fn hazard(&self, from: f64, to: f64) -> f64 {
        self.until(to) - self.until(from)
    }

    fn until(&self, age: f64) -> f64 {
        let share = age / self.scale;
        if self.shape == 1.0 { share } else { libm::pow(share, self.shape) }
    }

    /// How much longer one of an age lives, where it fails so many times as often as by nature.
    pub(crate) fn left(&self, age: f64, times: f64, random: &mut Generator) -> f64 {
        let hazard = exponential(random, 1.0 / times);
        if self.shape == 1.0 {
            return hazard * self.scale;
        }
        (self.scale * libm::pow(self.until(age) + hazard, 1.0 / self.shape) - age).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_random::generator;

    #[test]
    fn lives_have_their_mean_and_those_that_wear_are_alike() {
        for shape in [0.7, 1.0, 1.12, 3.0] {
            let life = Life::new(100.0, shape);
            let mut random = generator(1, 0, "life", "test");
            let lives: Vec<f64> = (0..40_000).map(|_| life.left(0.0, 1.0, &mut random)).collect();
            let mean = lives.iter().sum::<f64>() / lives.len() as f64;
            assert!((mean / 100.0 - 1.0).abs() < 0.03, "shape {shape}: {mean}");
        }
        let (young, old) =
            (Life::new(100.0, 3.0).hazard(0.0, 10.0), Life::new(100.0, 3.0).hazard(100.0, 110.0));
        assert!(old > 100.0 * young);
    }

    #[test]
    fn one_that_has_an_age_lives_on_as_those_do_that_reached_it() {
        let life = Life::new(100.0, 1.12);
        let mut random = generator(2, 0, "life", "test");
        let beyond = |lives: &[f64]| lives.iter().sum::<f64>() / lives.len() as f64;
        let reached: Vec<f64> =
            (0..80_000).map(|_| life.left(0.0, 1.0, &mut random) - 80.0).filter(|left| *left > 0.0).collect();
        let aged: Vec<f64> = (0..40_000).map(|_| life.left(80.0, 1.0, &mut random)).collect();
        assert!((beyond(&reached) / beyond(&aged) - 1.0).abs() < 0.03);
    }
}
