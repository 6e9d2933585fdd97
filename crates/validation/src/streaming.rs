//! Drives that stream: the catalogue's mechanical drives, read and written from their first block on, beside what their
//! makers promise.
//!
//! A stream is one command after the other, each where the one before ended, at the outermost tracks, with a gap between a
//! completion and the next command. What bounds it is the least of three rates: that of the medium (the data sheet's
//! sustained rate where the catalogue file knows one, else that of the file's own geometry, track switches included), that
//! of controller and bus for one command after the other, and that at which the host asks. A revolution lost at each
//! command shows at once. Rates are counted over all of the time, gaps included.
//!
//! Writes are those of the drive with its write cache on, once it is full: without, a write that comes when the one before
//! is on the medium has to wait for the next turn, in a real drive as well.

use petrio_colours::{BlockRequest, Direction, RequestId, SECTOR_BYTES};
use petrio_kernel::{Net, NetBuilder, NetError, Place, RunError, Simulation, Time};
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::{
    BusParameters, CacheParameters, ImmediateReporting, OverheadParameters, QueueDiscipline, ReadAhead,
};
use petrio_models::device::disk::{Demand, DiskParameters, Drive, DriveError, Replay, disk_page};
use petrio_scenario::Problem;
use petrio_scenario::catalogue::{Device, devices};
use petrio_units::Blocks;
use petrio_units::numbers::as_number;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Arc;
use thiserror::Error;

/// Lengths of commands, KiB.
pub const LENGTHS_KIB: [u64; 6] = [1, 4, 16, 64, 256, 1024];

/// Gaps between a completion and the next command, microseconds.
pub const GAPS_US: [u64; 6] = [0, 1, 10, 100, 1_000, 10_000];

/// Commands of at least this length, KiB, are held to the bound.
const JUDGED_KIB: u64 = 64;

/// How far from its bound a rate may lie, percent.
pub const MARGIN_PERCENT: f64 = 5.0;

/// What a write cache holds at most while it is measured, so that it is full soon: 2 MiB.
const HELD_BLOCKS: u64 = 4096;

/// A stream on a drive, predicted and bounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamingRow {
    /// The drive's name in the catalogue.
    pub drive: String,
    /// Whether it writes.
    pub write: bool,
    /// Length of a command, KiB.
    pub length_kib: u64,
    /// From a completion to the next command, microseconds.
    pub gap_us: u64,
    /// The rate as predicted, MB/s (of 1,000,000 bytes).
    pub mb_per_s: f64,
    /// The rate that bounds it, MB/s.
    pub bound_mb_per_s: f64,
    /// Whose rate that is.
    pub bound: Bound,
    /// Predicted over bound, less one, percent.
    pub error_percent: f64,
    /// How it is judged.
    pub verdict: Verdict,
    /// Why it misses, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

/// What bounds a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The data sheet's sustained rate.
    DataSheet,
    /// The medium, by the geometry of the catalogue file.
    Medium,
    /// Controller and bus, one command after the other, and the host's gaps between them.
    Commands,
}

/// How a row is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Within the margin.
    Holds,
    /// Too short a command to be judged.
    NotJudged,
    /// Outside of the margin, for a reason that is known.
    KnownToMiss,
    /// Outside of the margin.
    Misses,
}

/// Why drives can't be validated: the catalogue or the simulator is broken.
#[derive(Debug, Error)]
pub enum StreamingError {
    /// A catalogue file that doesn't read.
    #[error(transparent)]
    Catalogue(#[from] Problem),
    /// A drive that cannot be built.
    #[error("catalogue drive {drive}: {error}")]
    Drive {
        /// Its name.
        drive: String,
        /// What is wrong.
        error: DriveError,
    },
    /// The net: a bug.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The run: a bug.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The run came to an end before its commands: a bug.
    #[error("a stream stopped after {done} of {commands} commands")]
    Stopped {
        /// Commands that completed.
        done: u64,
        /// Commands in all.
        commands: u64,
    },
}

/// Reading ahead fills a segment and stops; the head has to come round again for what comes next.
const SEGMENT_FULL: &str =
    "reading ahead fills its segment before the host asks again, and loses a turn to go on";

/// As measured on drives of the nineties.
const TRACK_READ: &str =
    "reading ahead ends with a track, as measured; a command that comes later loses a turn";

/// As measured on drives of the nineties.
const NOT_TAKEN_UP: &str = "reads from the cache don't take up reading ahead again, as measured: it ends";

/// The arm goes on only with what it finds in the cache when a write is done.
const WRITES_TOO_LONG: &str =
    "so little of the buffer is left beside a write that the arm finds nothing to go on with when it is done";

/// The mechanical drives of the catalogue.
///
/// # Errors
/// A file that doesn't read.
pub fn catalogue_drives() -> Result<Vec<(&'static str, DiskParameters)>, StreamingError> {
    let drive = |(name, device)| match device {
        Device::Disk(parameters) => Some((name, *parameters)),
        _ => None,
    };
    Ok(devices()?.into_iter().filter_map(drive).collect())
}

/// Streams on every mechanical drive of the catalogue.
///
/// # Errors
/// A drive that doesn't read or run.
pub fn validate_streaming() -> Result<Vec<StreamingRow>, StreamingError> {
    let drives = catalogue_drives()?;
    let rows: Result<Vec<_>, _> =
        drives.par_iter().map(|(name, parameters)| validate_drive(name, parameters)).collect();
    Ok(rows?.into_iter().flatten().collect())
}

/// Streams on a drive.
///
/// # Errors
/// A drive that doesn't run.
pub fn validate_drive(name: &str, parameters: &DiskParameters) -> Result<Vec<StreamingRow>, StreamingError> {
    let mut rows = Vec::new();
    for write in [false, true] {
        let mut parameters = parameters.clone();
        if write {
            let cache = &mut parameters.cache;
            cache.immediate_reporting = ImmediateReporting::Cached;
            cache.write_back.size = Blocks(cache.buffer().min(HELD_BLOCKS));
        }
        let wrong = |error| StreamingError::Drive { drive: name.to_owned(), error };
        let drive = Arc::new(Drive::new(&parameters).map_err(wrong)?);
        let sustained = parameters.data_sheet.as_ref().and_then(|sheet| sheet.sustained_rate);
        let (medium, bound) = match sustained {
            Some(rate) => (rate.bytes_per_second(), Bound::DataSheet),
            None => (medium_rate(&parameters, write).map_err(wrong)?, Bound::Medium),
        };
        let testbed = Testbed::new(&drive)?;
        for length_kib in LENGTHS_KIB {
            for gap_us in GAPS_US {
                let stream = Stream { write, blocks: length_kib * 2, gap: Time::from_micros(gap_us) };
                let offered = stream.offered(&parameters);
                let least = if offered < medium { (offered, Bound::Commands) } else { (medium, bound) };
                let reason = stream.reason(&parameters, medium);
                rows.push(row(name, stream, testbed.rate(stream, &parameters)?, least, reason));
            }
        }
    }
    Ok(rows)
}

fn row(
    name: &str,
    stream: Stream,
    rate: f64,
    (least, bound): (f64, Bound),
    reason: Option<&'static str>,
) -> StreamingRow {
    let (length_kib, gap_us) = (stream.blocks / 2, stream.gap.as_picos() / 1_000_000);
    let error_percent = (rate / least - 1.0) * 100.0;
    let verdict = match reason {
        _ if length_kib < JUDGED_KIB => Verdict::NotJudged,
        _ if error_percent.abs() <= MARGIN_PERCENT => Verdict::Holds,
        Some(_) => Verdict::KnownToMiss,
        None => Verdict::Misses,
    };
    let reason = reason.filter(|_| verdict == Verdict::KnownToMiss);
    StreamingRow {
        drive: name.to_owned(),
        write: stream.write,
        length_kib,
        gap_us,
        mb_per_s: rate / 1e6,
        bound_mb_per_s: least / 1e6,
        bound,
        error_percent,
        verdict,
        reason,
    }
}

/// The rate at which the first 32 MiB, less a track, pass the head in one go; bytes a second.
fn medium_rate(parameters: &DiskParameters, write: bool) -> Result<f64, DriveError> {
    let bare = DiskParameters {
        bus: BusParameters::default(),
        overheads: OverheadParameters::default(),
        cache: CacheParameters::default(),
        ..parameters.clone()
    };
    let drive = Drive::new(&bare)?;
    let until = |blocks| {
        let demand = Demand { write, block: 0, blocks, force_unit_access: false };
        Replay::new(&drive).serve(demand, Time::ZERO)
    };
    let (first, last) = (1, 1 << 16);
    Ok(((last - first) * SECTOR_BYTES) as f64 / (until(last) - until(first)).as_seconds())
}

/// Commands one after the other.
#[derive(Clone, Copy, Debug)]
struct Stream {
    write: bool,
    blocks: u64,
    gap: Time,
}

impl Stream {
    /// The rate that controller, bus and host come to, one command after the other; bytes a second.
    fn offered(self, parameters: &DiskParameters) -> f64 {
        let (overheads, bus) = (&parameters.overheads, &parameters.bus);
        let (decode, completion, block) = if self.write {
            (overheads.write_reported.after_write, overheads.write_completion, bus.write_block)
        } else {
            (overheads.read_hit.after_read, overheads.read_completion, bus.read_block)
        };
        let spans = [overheads.command, decode, overheads.data_preparation, completion];
        let controller: f64 = spans.iter().map(|span| span.time().as_seconds()).sum();
        let each = controller + block.time().as_seconds() * self.blocks as f64 + self.gap.as_seconds();
        (self.blocks * SECTOR_BYTES) as f64 / each
    }

    /// Why it may stay below its bound, if its drive's buffer is too small for it.
    fn reason(self, parameters: &DiskParameters, medium: f64) -> Option<&'static str> {
        let cache = &parameters.cache;
        if self.write {
            return (self.blocks * 4 > cache.write_back.size.get()).then_some(WRITES_TOO_LONG);
        }
        let ahead = match cache.read_ahead_limit.get() {
            0 => cache.segment_size.get(),
            limit => limit.min(cache.segment_size.get()),
        };
        if matches!(cache.read_ahead, ReadAhead::Track | ReadAhead::Cylinder | ReadAhead::TrackAhead) {
            return Some(TRACK_READ);
        }
        if !cache.read_ahead_after_hit {
            return Some(NOT_TAKEN_UP);
        }
        let passes = self.gap.as_seconds() * medium / SECTOR_BYTES as f64;
        // A slower host empties the segment while the head comes round.
        let left = ahead.saturating_sub(self.blocks) * SECTOR_BYTES;
        let empty_after = left as f64 / self.offered(parameters).min(medium);
        let slower = self.offered(parameters) < medium;
        let comes_too_late =
            slower && empty_after < 1.5 * parameters.mechanics.rotation.revolution().as_seconds();
        (comes_too_late || passes + self.blocks as f64 > ahead as f64).then_some(SEGMENT_FULL)
    }
}

/// A drive in a net of its own.
struct Testbed {
    net: Arc<Net>,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
}

impl Testbed {
    fn new(drive: &Arc<Drive>) -> Result<Self, NetError> {
        let mut net = NetBuilder::new("streaming");
        let mut page = net.top();
        let requests = page.fifo::<BlockRequest>("requests");
        let completions = page.fifo::<BlockRequest>("completions");
        let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
        disk_page(&mut page, "disk", drive, queueing, requests, completions);
        Ok(Self { net: net.build()?, requests, completions })
    }

    /// The rate of a stream, bytes a second, once a write cache is full.
    fn rate(&self, stream: Stream, parameters: &DiskParameters) -> Result<f64, StreamingError> {
        let held = if stream.write { 2 * parameters.cache.write_back.size.get() } else { 0 };
        // Long enough for many turns of the platters, and many fillings of a buffer.
        let measured = (16 * HELD_BLOCKS / stream.blocks).clamp(50, 8_000);
        let commands = 1 + held / stream.blocks + measured;
        let mut run = Simulation::new(&self.net, 1, 0);
        let mut began = Time::ZERO;
        let mut at = Time::ZERO;
        for number in 0..commands {
            let request = BlockRequest {
                id: RequestId(number),
                direction: if stream.write { Direction::Write } else { Direction::Read },
                address: number * stream.blocks,
                blocks: as_number(stream.blocks),
                issued: at,
                ..BlockRequest::default()
            };
            run.inject(self.requests, request, at)?;
            while run.drain(self.completions).next().is_none() {
                let next = run.next_time()?.ok_or(StreamingError::Stopped { done: number, commands })?;
                run.run_until(next)?;
            }
            if number == commands - measured - 1 {
                began = run.now();
            }
            at = run.now() + stream.gap;
        }
        // The gaps belong to it, one for each command.
        let span = at - began - stream.gap;
        Ok((measured * stream.blocks * SECTOR_BYTES) as f64 / span.as_seconds())
    }
}

#[cfg(test)]
mod tests;
