//! A parallel program as Darshan recorded it: of its extended traces each access ([`recorded`]), of its counters a program that is
//! counted alike ([`counted`]).

mod counted;
mod places;
pub(in crate::parallel) mod rank;
pub(in crate::parallel) mod recorded;
mod sizes;

pub use counted::{CountedJob, counted_job};

use super::{Planned, refuse};
use crate::program::{PhaseName, ProgramError, Timing};
use petrio_colours::Operation;
use petrio_files::inputs::Inputs;
use petrio_persist::Persist;
use petrio_trace::darshan::{DarshanFile, read_in};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A parallel program that Darshan recorded: each rank's reads and writes with the gaps between, where it was recorded with the
/// extended tracing (DXT); else a program that opens, reads, writes and syncs its files as often as was counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DarshanParameters {
    /// Darshan's log, or what darshan-dxt-parser (or, of a log without extended traces, darshan-parser) printed of it.
    pub file: PathBuf,
    /// What a rank did between two calls.
    #[serde(default)]
    pub gaps: Gaps,
    /// The gaps are multiplied by this: 0 for none.
    #[serde(default = "one")]
    pub time_scale: f64,
}

const fn one() -> f64 {
    1.0
}

/// What a rank did between two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum Gaps {
    /// It computed: a processor of its host was busy. `compute_scale` is of these, too.
    #[default]
    Compute,
    /// It waited: for others, or for what no processor does.
    Think,
}

impl DarshanParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        format!("what Darshan recorded in {}", self.file.display())
    }

    pub(in crate::parallel) fn check(&self) -> Result<(), ProgramError> {
        if !(self.time_scale.is_finite() && self.time_scale >= 0.0) {
            return refuse("time_scale", "it is no number from 0 on");
        }
        Ok(())
    }

    pub(in crate::parallel) fn plan(
        &self,
        inputs: &Inputs,
        ranks: u32,
    ) -> Result<Arc<dyn Planned>, ProgramError> {
        Ok(match read_in(inputs, &self.file)? {
            DarshanFile::Counters(counters) => Arc::new(counted::plan(self, &counters, ranks)?),
            // What is no log of Darshan's is told what it is by the reader of traces.
            DarshanFile::Extended | DarshanFile::Other => Arc::new(self.recorded(inputs, ranks)?),
        })
    }
}

/// As what reads or writes are measured: as long as the rank that was longest at them, without the gaps. It is what Darshan's own
/// summary says of a job (its `agg_perf_by_slowest`), though of one direction.
fn phase(operation: Operation) -> PhaseName {
    let name = if operation == Operation::Read { "read" } else { "write" };
    PhaseName { timing: Timing::Inside, ..PhaseName::of_bytes(name, 0) }
}

#[cfg(test)]
mod tests;
