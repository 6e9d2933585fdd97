//! Figure 4: a thousand requests of so many blocks on one disk, each so many blocks behind the one before.

use super::error::ParIoSimError;
use crate::asked::{Asked, Place, Written, file_name};
use crate::side_by_side::{NotSimulated, Progress, quoted};
use petrio_files::inputs::Inputs;
use petrio_scenario::Override;
use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::simulate;
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

    /// What is set for it: with the drive as it was shipped, or with its write cache off.
    fn set(&self, through: bool) -> Vec<Override> {
        let script = Override::new("workload.requests.script", &format!("'''\n{}'''", self.script()));
        let cache = through.then(|| Override::new("disk.d.write_cache", &quoted("off")));
        std::iter::once(script).chain(cache).collect()
    }

    /// How long all of it takes, seconds.
    fn simulated(&self, asked: &Asked, through: bool) -> Result<f64, ParIoSimError> {
        let failed = |cause: NotSimulated| ParIoSimError::Simulated {
            experiment: self.words(),
            cause: Box::new(cause),
        };
        let set = self.set(through);
        let loaded = asked.load((PC, DAS), &Inputs::none(), &set).map_err(failed)?;
        let system = System::build(&loaded).map_err(|cause| failed(cause.into()))?;
        let report = simulate(&loaded, &system, Sinks::default()).map_err(|cause| failed(cause.into()))?;
        Ok(report.simulated_s)
    }

    /// As a scenario.
    fn written(&self, asked: &Asked) -> Written {
        let set = self.set(false).into_iter().chain(asked.set.iter().cloned()).collect();
        let words = self.words();
        let about = format!("Figure 4 of the study of ParIOSim: {words}, of 4 KiB each.");
        let name = file_name(&format!("figure 4 {words}"));
        Written { name, about, text: DAS.to_owned(), set, beside: Vec::new() }
    }
}

const PC: &str = "the study's PC";

/// The figure that it is.
pub(super) const PLACE: Place = Place::Figure(4);

fn cells() -> Vec<DasCell> {
    let cell = |writes, chunk, seek| DasCell { writes, chunk, seek, seconds: 0.0, written_through_s: None };
    [false, true]
        .into_iter()
        .flat_map(|writes| CHUNKS.into_iter().map(move |chunk| (writes, chunk)))
        .flat_map(|(writes, chunk)| SEEKS.map(|seek| cell(writes, chunk, seek)))
        .collect()
}

/// All of figure 4 as scenarios, with the write cache as it was shipped.
pub(super) fn das_scenarios(asked: &Asked) -> Vec<Written> {
    cells().iter().map(|cell| cell.written(asked)).collect()
}

/// All of figure 4: reads, then writes, by chunk and distance; of what is asked of it, and is done before it is broken off.
///
/// # Errors
/// A run that fails: a bug.
pub fn das_grid(asked: &Asked, progress: &mut Progress<'_>) -> Result<Vec<DasCell>, ParIoSimError> {
    if !asked.wants(&[PLACE]) {
        return Ok(Vec::new());
    }
    asked.side_by_side(&cells(), progress, |cell| {
        let written_through_s = cell.writes.then(|| cell.simulated(asked, true)).transpose()?;
        Ok(DasCell { seconds: cell.simulated(asked, false)?, written_through_s, ..cell.clone() })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]
    use super::*;

    #[test]
    fn without_its_write_cache_the_drive_loses_a_turn_on_each_write_that_follows_closely() {
        let next = DasCell { writes: true, chunk: 1, seek: 0, seconds: 0.0, written_through_s: None };
        let asked = Asked::default();
        let [cached, through] = [false, true].map(|through| next.simulated(&asked, through).unwrap());
        // 7,200 revolutions a minute.
        assert!((7.5..9.0).contains(&through), "{through} s");
        assert!(cached < 0.1 * through, "{cached} s");
    }
}
