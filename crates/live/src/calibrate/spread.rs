//! A figure that was measured several times, and the clock that it was measured with.
//!
//! Work of a processor is timed by the thread's own processor time (CLOCK_THREAD_CPUTIME_ID), which doesn't run while
//! others have the processor; what waits is timed by the wall clock.

use petrio_units::numbers::{as_index, whole_part};
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this thread so far, in nanoseconds: user's and system's.
pub(super) fn thread_cpu_ns() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

/// Nanoseconds that two looks at the thread's clock find between them with nothing between.
pub(super) fn look_ns() -> f64 {
    let mut looks: Vec<f64> = (0..301)
        .map(|_| {
            let start = thread_cpu_ns();
            thread_cpu_ns() - start
        })
        .collect();
    looks.sort_unstable_by(f64::total_cmp);
    looks[looks.len() / 2]
}

/// Repetitions of one figure: how many, the middle one, and the quartiles.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Quartiles {
    /// How many repetitions.
    pub repetitions: usize,
    /// A quarter of them are less.
    pub lower: f64,
    /// The middle one.
    pub median: f64,
    /// A quarter of them are greater.
    pub upper: f64,
}

impl Quartiles {
    /// Of these; none of none. Between two repetitions the quartile is interpolated.
    ///
    /// ```
    /// use petrio_live::calibrate::Quartiles;
    /// let figure = Quartiles::of([5.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
    /// assert_eq!((figure.lower, figure.median, figure.upper), (2.0, 3.0, 4.0));
    /// assert_eq!(Quartiles::of([]), None);
    /// ```
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        if sorted.is_empty() {
            return None;
        }
        let at = |share: f64| {
            let position = share * (sorted.len() - 1) as f64;
            let below = as_index(whole_part(position));
            let above = (below + 1).min(sorted.len() - 1);
            sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64)
        };
        Some(Self { repetitions: sorted.len(), lower: at(0.25), median: at(0.5), upper: at(0.75) })
    }

    /// From quartile to quartile, as a share of the median.
    pub fn relative(self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.upper - self.lower) / self.median }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_sleeping_thread_spends_no_processor_time() {
        let start = thread_cpu_ns();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(thread_cpu_ns() - start < 15e6);
    }

    #[test]
    fn one_wild_repetition_moves_neither_median_nor_quartiles_far() {
        let tame = Quartiles::of((0..21).map(|at| 100.0 + f64::from(at))).unwrap();
        let wild =
            Quartiles::of((0..21).map(|at| if at == 20 { 1e9 } else { 100.0 + f64::from(at) })).unwrap();
        assert_eq!((tame.lower, tame.median, tame.upper), (wild.lower, wild.median, wild.upper));
        assert_eq!((tame.median, tame.repetitions), (110.0, 21));
        assert!((tame.relative() - 10.0 / 110.0).abs() < 1e-12);
    }
}
