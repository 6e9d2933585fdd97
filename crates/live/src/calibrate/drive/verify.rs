//! Whether a drive that was made of what was found takes as long as the device does: random reads and a sequential one,
//! and the same of writes where they are allowed.

use super::effort::Effort;
use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::{FoundDisk, FoundReporting};
use crate::timed::TimedDrive;
use serde::Serialize;

/// Bytes of a random request, and of one of the sequential ones.
const BYTES: [u64; 2] = [4 << 10, 64 << 10];
/// Random writes that are timed of a drive that holds many.
const STEADY: usize = 6_000;
const RANDOM_WRITE: &str = "random write, 4 KiB";
/// By which part a prediction may be off without a word: drives of the catalogue without defects are found much nearer.
pub const FITS: f64 = 0.05;

/// What a device takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Mean of random reads of 4 KiB, one at a time, in seconds.
    pub random: f64,
    /// Mean of sequential reads of 64 KiB, in seconds.
    pub sequential: f64,
    /// As `random`, of writes: those of a drive that holds many once no more fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_write: Option<f64>,
    /// As `sequential`, of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequential_write: Option<f64>,
}

/// What the device takes, and what the drive that was made of it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// The device.
    pub measured: Measured,
    /// The drive.
    pub predicted: Measured,
}

/// What was timed of a device and of its model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// What.
    pub what: &'static str,
    /// The device's, in seconds.
    pub measured: f64,
    /// The model's, in seconds.
    pub predicted: f64,
}

impl Check {
    /// By which part the prediction is off.
    pub fn error(self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

impl Verified {
    /// All that was timed.
    pub fn checks(&self) -> Vec<Check> {
        let of = |measured: &Measured| {
            [
                ("random read, 4 KiB", Some(measured.random)),
                ("sequential read, 64 KiB", Some(measured.sequential)),
                (RANDOM_WRITE, measured.random_write),
                ("sequential write, 64 KiB", measured.sequential_write),
            ]
        };
        let pairs = of(&self.measured).into_iter().zip(of(&self.predicted));
        pairs
            .filter_map(|((what, measured), (_, predicted))| {
                Some(Check { what, measured: measured?, predicted: predicted? })
            })
            .collect()
    }

    /// By which part each prediction is off.
    pub fn errors(&self) -> Vec<f64> {
        self.checks().into_iter().map(Check::error).collect()
    }

    /// What is off by more than [`FITS`], in a sentence each, and at the end why that may be; nothing where all fits.
    pub fn warnings(&self, found: &FoundDisk) -> Vec<String> {
        let mut warnings: Vec<String> = (self.checks().into_iter())
            // What is no number is off, too.
            .filter(|check| !check.error().is_finite() || check.error().abs() > fits(found, check.what))
            .map(|check| {
                format!(
                    "{}: the device takes {:.3} ms, the drive that was found {:.3} ms, {:+.1} %",
                    check.what,
                    check.measured * 1e3,
                    check.predicted * 1e3,
                    check.error() * 100.0
                )
            })
            .collect();
        if !warnings.is_empty() {
            warnings.push(why(found).to_owned());
        }
        warnings
    }
}

/// By which part it may be off without a word.
fn fits(found: &FoundDisk, what: &str) -> f64 {
    let held = found.writes.as_ref().is_some_and(|writes| writes.reporting == FoundReporting::Held);
    // Two that are the same drive are no nearer.
    if held && what == RANDOM_WRITE { 2.0 * FITS } else { FITS }
}

/// Zones beyond those that drives have: more than that are found where tracks differ by sectors that hold nothing.
const MANY_ZONES: usize = 64;
/// A drive's own clock strays by less, as a part of a turn.
const NOISY: f64 = 0.002;

/// Why what was found may not fit.
fn why(found: &FoundDisk) -> &'static str {
    if found.stray > NOISY * found.period {
        "completions stray by more than a drive's do: measure again while nothing else runs on this machine or uses the device"
    } else if found.zones.len() > MANY_ZONES {
        "so many zones are none: defects that were slipped over, or spare sectors, shift the tracks behind them, which are then taken for zones; seeks and skews are off with them"
    } else if !found.surfaces_seen {
        "how many surfaces it has didn't show, and seeks and head switches are not told apart"
    } else {
        "either it was disturbed (measure again while nothing else runs), or it does what the model of a drive has no figure for; --seed N measures at other places"
    }
}

/// Times random and sequential reads, and writes of a drive of which they were found; where they are, the effort's seed
/// says.
///
/// # Errors
/// Requests that fail.
pub fn measure(
    drive: &mut dyn TimedDrive,
    found: &FoundDisk,
    effort: &Effort,
) -> Result<Measured, DriveCalibrationError> {
    let mut probe = Probe::new(drive, effort);
    let reads = probe.means(None)?;
    let (mut random_write, mut sequential_write) = (None, None);
    if let Some(writes) = &found.writes {
        // What one turn doesn't write, two do; and reads come between, which a drive may put before them.
        let held = if writes.reporting == FoundReporting::Held { 2 * writes.held } else { 0 };
        let means = probe.means(Some((held, 2.0 * found.period)))?;
        (random_write, sequential_write) = (Some(means[0]), Some(means[1]));
    }
    Ok(Measured { random: reads[0], sequential: reads[1], random_write, sequential_write })
}

impl Probe<'_> {
    /// Means of random and of sequential requests: of reads, or of writes of a drive that holds so many, for each of which
    /// so many seconds pass at the most.
    fn means(&mut self, writes: Option<(u64, f64)>) -> Result<[f64; 2], DriveCalibrationError> {
        let [random, sequential] = BYTES.map(|bytes| (bytes / self.sector_bytes()).max(1));
        let (held, each) = writes.unwrap_or_default();
        // Which held write is next is a game of chance: their times, short as they are, spread further.
        let count = self.effort.checks.max(if held > 0 { STEADY } else { 1 }) as u64;
        let all = self.sectors();
        let places: Vec<(u64, u64)> = (0..count + held).map(|_| (self.below(all - random), random)).collect();
        let rest = |probe: &mut Self| {
            if writes.is_some() {
                probe.wait((held + 8) as f64 * each);
            }
        };
        if writes.is_some() {
            self.keep(&places)?;
            rest(self);
        }
        let mut sum = 0.0;
        for (number, (place, sectors)) in places.into_iter().enumerate() {
            let span = self.transfer(place, sectors, writes.is_some())?;
            sum += if number as u64 >= held { span.1 - span.0 } else { 0.0 };
        }
        let random_mean = sum / count as f64;
        rest(self);
        // From the outermost zone on, as a file would be read that lies there.
        let count = count.min(all / sequential / 2).max(1);
        let (mut first, mut last) = (0.0, 0.0);
        if writes.is_some() {
            let runs: Vec<_> = (0..count).map(|number| (number * sequential, sequential)).collect();
            self.keep(&runs)?;
        }
        for number in 0..count {
            let (begin, end) = self.transfer(number * sequential, sequential, writes.is_some())?;
            first = if number == 0 { begin } else { first };
            last = end;
        }
        rest(self);
        Ok([random_mean, (last - first) / count as f64])
    }

    /// When a read, or a write that may be held, began and ended.
    fn transfer(
        &mut self,
        sector: u64,
        sectors: u64,
        write: bool,
    ) -> Result<(f64, f64), DriveCalibrationError> {
        let timing = if write { self.rewrite(sector, sectors, false)? } else { self.read(sector, sectors)? };
        Ok((timing.begin, timing.end))
    }
}

/// Times a device and the drive that was made of what was found.
///
/// # Errors
/// Requests that fail.
pub fn verify(
    device: &mut dyn TimedDrive,
    made: &mut dyn TimedDrive,
    found: &FoundDisk,
    effort: &Effort,
) -> Result<Verified, DriveCalibrationError> {
    Ok(Verified { measured: measure(device, found, effort)?, predicted: measure(made, found, effort)? })
}
