//! Independent replications, on any number of threads with the same result.

use super::{Interval, Tally};
use rayon::prelude::*;

/// Runs replications `0..count` in parallel; the answers come back in the order of their numbers, so that nothing
/// depends on the number of threads.
///
/// # Errors
/// The error of the lowest-numbered replication that failed.
pub fn replicate<R: Send, E: Send>(
    count: u64,
    run: impl Fn(u64) -> Result<R, E> + Send + Sync,
) -> Result<Vec<R>, E> {
    (0..count).into_par_iter().map(run).collect::<Vec<_>>().into_iter().collect()
}

/// When to stop replicating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The half-width wanted, as a fraction of the mean.
    pub relative: f64,
    /// The level of the interval.
    pub level: f64,
    /// At least so many replications.
    pub least: u64,
    /// At most so many.
    pub most: u64,
}

/// Runs replications until the interval of their answers is narrow enough, or `most` is reached.
///
/// They are run in batches whose size doesn't depend on the number of threads, and the decision is taken between
/// batches; so the outcome is the same on every machine.
///
/// # Errors
/// The error of the lowest-numbered replication that failed.
pub fn replicate_until<E: Send>(
    precision: Precision,
    run: impl Fn(u64) -> Result<f64, E> + Send + Sync,
) -> Result<(Interval, Vec<f64>), E> {
    const BATCH: u64 = 8;
    let least = precision.least.max(2);
    let mut answers: Vec<f64> = Vec::new();
    loop {
        let done = answers.len() as u64;
        let next = if done == 0 { least } else { BATCH }.min(precision.most.max(least) - done);
        answers.extend(replicate(next, |replication| run(done + replication))?);
        let interval = Interval::of(&answers.iter().copied().collect::<Tally>(), precision.level);
        if interval.relative() <= precision.relative || answers.len() as u64 >= precision.most.max(least) {
            return Ok((interval, answers));
        }
    }
}
