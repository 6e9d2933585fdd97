//! What a made-up trace of file lives is made of.

use petrio_units::{Blocks, Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// People at work on a file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileLives {
    /// What it stands for.
    pub title: String,
    /// Where its figures come from.
    #[serde(default)]
    pub source: String,
    /// How long the trace is.
    pub duration: Duration,
    /// Size of the device.
    pub device: Blocks,
    /// Mean time from one burst of work to the next; exponential.
    pub burst_interval: Duration,
    /// Mean number of files that are read or written in a burst; geometric.
    pub burst_files: f64,
    /// Mean time from one of them to the next; exponential.
    pub burst_gap: Duration,
    /// Which part of them is read.
    pub reads: Fraction,
    /// The part of bursts in which files are both read and written; in each of the others, files are only read or only
    /// written.
    pub mixed: Fraction,
    /// How files are read.
    pub reading: Reading,
    /// How files are written.
    pub writing: Writing,
}

/// Sizes: lognormal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Half of the files are smaller.
    pub median: Bytes,
    /// Standard deviation of the natural logarithm.
    pub spread: f64,
    /// None is larger.
    pub largest: Bytes,
}

/// Where files of a sort lie: normally distributed on the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Their middle, as a part of the device.
    pub middle: Fraction,
    /// Standard deviation, as a part of the device.
    pub spread: Fraction,
}

/// How files are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Files that are there from the beginning.
    pub files: u32,
    /// Their sizes.
    pub sizes: Sizes,
    /// Where they lie.
    pub place: Location,
    /// The part of reads that goes to a file written of late instead: a block of what was written then, so that large
    /// files are read the more often.
    pub of_late: Fraction,
    /// Such a file was written this long ago, at the mean; exponential.
    pub lag: Duration,
    /// Mean time between a read's end and the next one's beginning; exponential.
    pub think: Duration,
    /// The unevenness of popularity: Zipf's exponent, 0 for all alike.
    pub zipf: f64,
}

/// How files are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Writing {
    /// Sizes of most files that are written.
    pub sizes: Sizes,
    /// The part that is large instead.
    pub large: Fraction,
    /// Sizes of the large ones.
    pub large_sizes: Sizes,
    /// How often a large file is read soon after it was written, at the mean. News packets are.
    #[serde(default)]
    pub followers: f64,
    /// How soon, at the mean; exponential.
    #[serde(default)]
    pub follow_after: Duration,
    /// Where they lie.
    pub place: Location,
    /// The part that is written over a file that is there, instead of making one.
    pub over: Fraction,
    /// Time between two writes of a file; exponential.
    pub think: Duration,
    /// The part of new files that is deleted.
    pub deleted: Fraction,
    /// Half of those that are deleted live shorter.
    pub life_median: Duration,
    /// Standard deviation of the natural logarithm of their lives.
    pub life_spread: f64,
}

/// A parameter that no trace can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{parameter}: {problem}")]
pub struct FileLivesError {
    /// Which.
    pub parameter: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl FileLives {
    /// Whether a trace can be made of them.
    ///
    /// # Errors
    /// The first parameter that makes no sense.
    pub fn check(&self) -> Result<(), FileLivesError> {
        let refuse = |parameter, problem| Err(FileLivesError { parameter, problem });
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if self.device.get() < 1 << 11 {
            return refuse("device", "a device of 2048 blocks (1 MiB) at least was expected");
        }
        if self.burst_interval.as_seconds() <= 0.0 {
            return refuse("burst_interval", "it is zero; the trace would never get on");
        }
        if !(self.burst_files.is_finite() && self.burst_files >= 1.0) {
            return refuse("burst_files", "a number from 1 was expected");
        }
        if self.reading.files == 0 {
            return refuse("reading.files", "it is zero; there would be nothing to read");
        }
        if !(self.reading.zipf.is_finite() && (0.0..=4.0).contains(&self.reading.zipf)) {
            return refuse("reading.zipf", "a number from 0 to 4 was expected");
        }
        if !(self.writing.followers.is_finite() && (0.0..=1000.0).contains(&self.writing.followers)) {
            return refuse("writing.followers", "a number from 0 to 1000 was expected");
        }
        for (parameter, sizes) in [
            ("reading.sizes", &self.reading.sizes),
            ("writing.sizes", &self.writing.sizes),
            ("writing.large_sizes", &self.writing.large_sizes),
        ] {
            if sizes.median.get() == 0 || !(sizes.spread.is_finite() && sizes.spread >= 0.0) {
                return refuse(parameter, "a median above zero and a spread from 0 were expected");
            }
            if sizes.largest < sizes.median {
                return refuse(parameter, "the largest is smaller than the median");
            }
            if sizes.largest.get() > self.device.get() * 512 / 4 {
                return refuse(parameter, "the largest takes more than a quarter of the device");
            }
        }
        let (median, spread) = (self.writing.life_median.as_seconds(), self.writing.life_spread);
        if !(positive(median) && spread.is_finite() && spread >= 0.0) {
            return refuse("writing.life_median", "a time above zero was expected, and a spread from 0");
        }
        Ok(())
    }
}
