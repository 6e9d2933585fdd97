//! Figure 4: a thousand requests of so many blocks on one disk, each so many blocks behind the one before.

use super::error::ParIoSimError;
use crate::side_by_side::{Progress, Set, quoted, side_by_side, simulated};
use petrio_scenario::report::Sinks;
use serde::Serialize;

const DAS: &str = include_str!("das.toml");

/// Blocks of a request.
pub const CHUNKS: [u64; 5] = [1, 2, 4, 8, 16];
/// Blocks that lie between a request's end and the next one.
pub const SEEKS: [u64; 7] = [0, 1, 2, 4, 8, 16, 32];
/// Requests of a run.
const REQUESTS: u64 = 1_000;
/// Bytes of a block (table 1).
const BLOCK: u64 = 4_096;

/// A run of figure 4.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DasCell {
    /// Whether it writes.
    pub writes: bool,
    /// Blocks of a request.
    pub chunk: u64,
    /// Blocks between one request and the next.
    pub seek: u64,
    /// All requests' time, seconds.
    pub seconds: f64,
    /// The same of writes, if the drive's write cache were off, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_through_s: Option<f64>,
}

impl DasCell {
    /// Bytes a second.
    pub fn bytes_per_s(&self) -> f64 {
        (REQUESTS * self.chunk * BLOCK) as f64 / self.seconds
    }

    fn words(&self) -> String {
        let what = if self.writes { "writes" } else { "reads" };
        format!("{what} of {} blocks, {} apart", self.chunk, self.seek)
    }

    /// The requests as a script, past the page cache: it is the disk that figure 4 is about.
    fn script(&self) -> String {
        let (word, each) = (if self.writes { "write" } else { "read" }, self.chunk * BLOCK);
        let step = each + self.seek * BLOCK;
        let mut script = format!("file a {} KiB\n", (REQUESTS * step).div_ceil(1024));
        for number in 0..REQUESTS {
            script.push_str(&format!("{word} a {} B {each} B direct\n", number * step));
        }
        script
    }
}

/// All of figure 4: reads, then writes, by chunk and distance.
///
/// # Errors
/// A run that fails: a bug.
pub fn das_grid(progress: &mut Progress<'_>) -> Result<Vec<DasCell>, ParIoSimError> {
    let cell = |writes, chunk, seek| DasCell { writes, chunk, seek, seconds: 0.0, written_through_s: None };
    let all: Vec<DasCell> = [false, true]
        .into_iter()
        .flat_map(|writes| CHUNKS.into_iter().map(move |chunk| (writes, chunk)))
        .flat_map(|(writes, chunk)| SEEKS.map(|seek| cell(writes, chunk, seek)))
        .collect();
    side_by_side(&all, progress, |cell| {
        let script = ("workload.requests.script", format!("'''\n{}'''", cell.script()));
        let of = |set: &[Set]| {
            simulated(("the study's PC", DAS), None, set, Sinks::default())
                .map(|report| report.simulated_s)
                .map_err(|cause| ParIoSimError::Simulated {
                    experiment: cell.words(),
                    cause: Box::new(cause),
                })
        };
        let through = [script.clone(), ("disk.d.drive.cache.immediate_reporting", quoted("never"))];
        let written_through_s = cell.writes.then(|| of(&through)).transpose()?;
        Ok(DasCell { seconds: of(&[script])?, written_through_s, ..cell.clone() })
    })
}
