//! `kind = "trace"`: recorded block requests, played back.

use super::kind::{Intensity, Load, LoadSite};
use crate::schema::Names;
use indexmap::IndexMap;
use petrio_trace::{Alignment, ColumnUnits, FormatName, NamedColumns, OwnTable, TraceOptions};
use petrio_workload::{ClosedReplayOptions, Processes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Recorded block requests, played back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceReplay {
    /// The disks that the requests go to. The trace's first device goes to the first of them, and so on; one disk takes
    /// all. A disk on which a file system lies has its host's queue and scheduler before it, which the requests pass, too.
    pub on: Names,
    /// The trace files, merged by time; relative to the scenario's folder. gzip, bzip2, xz and zstandard are unpacked.
    pub files: Vec<PathBuf>,
    /// Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" };
    /// its first line has the names. Needs `units`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<NamedColumns>,
    /// The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<ColumnUnits>,
    /// The files' format; left out, it is told from their content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatName>,
    /// Whether requests keep their arrival times (open), or each follows the completion of the one before after its
    /// recorded think time (closed).
    #[serde(default)]
    pub replay: Replay,
    /// Factor on arrival and think times: 0.5 plays the trace twice as fast.
    #[serde(default = "unscaled")]
    pub time_scale: f64,
    /// In a closed replay, whether the processes of the trace wait each for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<Processes>,
    /// In a closed replay, the most requests that a process has in flight; left out, as many as the trace shows, or 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outstanding: Option<u32>,
    /// Play no more than this many requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Which device of the trace goes to which disk, where the order of `on` doesn't say it: { 8 = "d0", 9 = "d1" }.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub devices: IndexMap<String, String>,
    /// Play only the requests to this device: its number in the trace, or its major and minor number such as "8,16".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_device: Option<String>,
    /// Whether each file begins at time zero, or they share a clock.
    #[serde(default)]
    pub alignment: Alignment,
    /// How many records out of place a record may be; left out, 0, or 1,024 for formats collected per processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reorder_window: Option<usize>,
    /// What becomes of a request that lies beyond the end of its disk.
    #[serde(default)]
    pub out_of_range: OutOfRange,
}

impl TraceReplay {
    /// How the files are to be read.
    pub fn options(&self) -> TraceOptions {
        TraceOptions {
            format: self.format,
            reorder_window: self.reorder_window,
            only_device: self.only_device.clone(),
            own: own_table(self.columns.as_ref(), self.units),
            ..TraceOptions::default()
        }
    }

    /// How the trace is replayed closed.
    pub fn closed_options(&self) -> ClosedReplayOptions {
        let usual = ClosedReplayOptions::default();
        ClosedReplayOptions {
            time_scale: self.time_scale,
            processes: self.processes.unwrap_or(usual.processes),
            outstanding: self.outstanding,
            ..usual
        }
    }
}

/// The table that both describe together.
pub(crate) fn own_table(columns: Option<&NamedColumns>, units: Option<ColumnUnits>) -> Option<OwnTable> {
    columns.zip(units).map(|(columns, units)| OwnTable { columns: columns.clone(), units })
}

fn unscaled() -> f64 {
    1.0
}

/// When a recorded request is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// At its recorded time, however long others take: what load an outside world puts on the disk.
    #[default]
    Open,
    /// When the one before of the same process has completed and its think time has passed: a program that waits.
    Closed,
}

/// What becomes of a request beyond the end of its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfRange {
    /// The run ends with an error that names the trace's line.
    #[default]
    Error,
    /// It is left out, counted, and the report warns.
    Skip,
    /// Its address wraps around at the disk's size; counted, and the report warns.
    Wrap,
}

impl Load for TraceReplay {
    fn on(&self) -> &Names {
        &self.on
    }

    fn trace_names(&self) -> Option<&'static str> {
        Some("files")
    }

    fn check(&self, site: &mut LoadSite<'_, '_, '_>) {
        site.checker.trace(site.path, self, site.on);
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::times(self.time_scale))
    }

    fn is_open(&self) -> bool {
        self.replay == Replay::Open
    }
}
