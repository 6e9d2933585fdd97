//! Whether the number in flight only ever grows: an open workload that the System can't keep up with.

/// Watches the number in flight.
pub(super) struct Growth {
    peak: u64,
    samples: u64,
    rises: u64,
    next: u64,
}

impl Default for Growth {
    fn default() -> Self {
        // Fewer requests than this are a burst and no load.
        Self { peak: 0, samples: 0, rises: 0, next: 100 }
    }
}

impl Growth {
    /// So many have completed, and so many are in flight.
    #[inline]
    pub(super) fn note(&mut self, completed: u64, in_flight: u64) {
        if completed >= self.next {
            self.sample(completed, in_flight);
        }
    }

    fn sample(&mut self, completed: u64, in_flight: u64) {
        // Ever wider steps, so that a long run has about as many samples as a short one.
        self.next = completed + completed / 8 + 1;
        self.samples += 1;
        if in_flight > self.peak {
            self.rises += 1;
            self.peak = in_flight;
        }
    }

    /// Whether it hardly ever did anything but grow.
    pub(super) fn is_growing(&self) -> bool {
        self.samples >= 8 && self.peak > 64 && self.rises * 10 >= self.samples * 8
    }
}
