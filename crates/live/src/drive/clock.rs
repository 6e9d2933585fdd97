//! What looking at the clock costs, so that it can be taken off.

use std::time::{Duration, Instant};

/// Pairs of looks in a sample, and samples.
const PAIRS: u32 = 1_000;
const SAMPLES: usize = 25;

/// Nanoseconds that pass between two looks at the clock with nothing between them: what each measured operation seems
/// to take longer than it does. The median of several samples.
pub fn clock_overhead_ns() -> f64 {
    let mut samples: Vec<f64> = (0..SAMPLES).map(|_| sample()).collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples[SAMPLES / 2]
}

fn sample() -> f64 {
    let mut between = 0;
    for _ in 0..PAIRS {
        let start = Instant::now();
        between += start.elapsed().as_nanos();
    }
    between as f64 / f64::from(PAIRS)
}

/// Its nanoseconds; those of 584 years of what is longer.
pub(super) fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_at_the_clock_costs_something_but_no_system_call_of_a_disk() {
        let overhead = clock_overhead_ns();
        assert!(overhead >= 0.0 && overhead.is_finite());
    }
}
