//! Whether a drive that was made of what was found takes as long as the device does: random reads and a sequential one.

use super::effort::Effort;
use super::error::DriveCalibrationError;
use super::probe::Probe;
use super::timed::TimedDrive;
use serde::Serialize;

/// Bytes of a random read, and of one of the sequential ones.
const BYTES: [u64; 2] = [4 << 10, 64 << 10];

/// What a device takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Mean of random reads of 4 KiB, one at a time, in seconds.
    pub random: f64,
    /// Mean of sequential reads of 64 KiB, in seconds.
    pub sequential: f64,
}

/// What the device takes, and what the drive that was made of it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verified {
    /// The device.
    pub measured: Measured,
    /// The drive.
    pub predicted: Measured,
}

impl Verified {
    /// By which part the prediction of random and of sequential reads is off.
    pub fn errors(&self) -> [f64; 2] {
        [
            self.predicted.random / self.measured.random - 1.0,
            self.predicted.sequential / self.measured.sequential - 1.0,
        ]
    }
}

/// Times random and sequential reads; where they are, the effort's seed says.
///
/// # Errors
/// Requests that fail.
pub fn measure(drive: &mut dyn TimedDrive, effort: &Effort) -> Result<Measured, DriveCalibrationError> {
    let mut probe = Probe::new(drive, effort);
    let [random, sequential] = BYTES.map(|bytes| (bytes / probe.sector_bytes()).max(1));
    let count = effort.checks.max(1);
    let mut sum = 0.0;
    for _ in 0..count {
        let place = probe.below(probe.sectors() - random);
        sum += probe.read(place, random)?.span();
    }
    let random_mean = sum / count as f64;
    // From the outermost zone on, as a file would be read that lies there.
    let count = (count as u64).min(probe.sectors() / sequential / 2).max(1);
    let (mut first, mut last) = (0.0, 0.0);
    for number in 0..count {
        let timing = probe.read(number * sequential, sequential)?;
        if number == 0 {
            first = timing.begin;
        }
        last = timing.end;
    }
    Ok(Measured { random: random_mean, sequential: (last - first) / count as f64 })
}

/// Times a device and the drive that was made of it.
///
/// # Errors
/// Requests that fail.
pub fn verify(
    device: &mut dyn TimedDrive,
    made: &mut dyn TimedDrive,
    effort: &Effort,
) -> Result<Verified, DriveCalibrationError> {
    Ok(Verified { measured: measure(device, effort)?, predicted: measure(made, effort)? })
}
