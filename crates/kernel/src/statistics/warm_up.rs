//! Warm-up deletion by MSER-5 (White 1997).

/// Groups are at most this many; then neighbours merge.
const GROUPS: usize = 2_048;

/// The number of leading values to delete, by MSER-5: of all truncation points of the series of means of five, the one
/// with the least standard error of what remains. `None` where the minimum lies in the second half: the series is too
/// short to tell.
///
/// ```
/// use petrio_kernel::statistics::mser5;
/// // Fifty values that come down to a level, then the level with a little noise.
/// let series: Vec<f64> = (0..1_000)
///     .map(|i| if i < 50 { 50.0 - f64::from(i) } else { f64::from(i % 7) * 0.1 })
///     .collect();
/// assert_eq!(mser5(&series), Some(50));
/// ```
pub fn mser5(values: &[f64]) -> Option<usize> {
    let means: Vec<f64> = values.chunks_exact(5).map(|five| five.iter().sum::<f64>() / 5.0).collect();
    truncation(&means).map(|groups| groups * 5)
}

/// Index of the first group to keep.
fn truncation(means: &[f64]) -> Option<usize> {
    if means.len() < 4 {
        return None;
    }
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    // From the end, so that each suffix adds one value. The last few suffixes are too short to mean anything.
    for (start, mean) in means.iter().enumerate().rev() {
        sum += mean;
        squares += mean * mean;
        let left = (means.len() - start) as f64;
        if left < 5.0 {
            continue;
        }
        let statistic = (squares - sum * sum / left).max(0.0) / (left * left);
        if statistic <= best.0 {
            best = (statistic, start);
        }
    }
    (best.1 <= means.len() / 2).then_some(best.1)
}

/// MSER-5 on a stream of unknown length in constant memory: groups of five at first, of ten, twenty… as it goes on.
#[derive(Clone, Debug)]
pub struct WarmUp {
    means: Vec<f64>,
    size: u64,
    sum: f64,
    filled: u64,
}

impl Default for WarmUp {
    fn default() -> Self {
        Self { means: Vec::new(), size: 5, sum: 0.0, filled: 0 }
    }
}

impl WarmUp {
    /// Adds a value.
    pub fn record(&mut self, value: f64) {
        self.sum += value;
        self.filled += 1;
        if self.filled < self.size {
            return;
        }
        self.means.push(self.sum / self.size as f64);
        self.sum = 0.0;
        self.filled = 0;
        if self.means.len() == GROUPS {
            for pair in 0..GROUPS / 2 {
                self.means[pair] = 0.5 * (self.means[2 * pair] + self.means[2 * pair + 1]);
            }
            self.means.truncate(GROUPS / 2);
            self.size *= 2;
        }
    }

    /// How many leading values belong to the warm-up; `None` where the run is too short to tell.
    pub fn length(&self) -> Option<u64> {
        truncation(&self.means).map(|groups| groups as u64 * self.size)
    }

    /// The mean of the values after the warm-up.
    pub fn steady_mean(&self) -> Option<f64> {
        let start = truncation(&self.means)?;
        let rest = &self.means[start..];
        Some(rest.iter().sum::<f64>() / rest.len() as f64)
    }
}
