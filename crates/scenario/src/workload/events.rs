//! `kind = "events"`: a file-level trace, played back on file systems.

use super::kind::{FileLoad, Intensity, Load, LoadSite};
use super::place::FileLoadPlace;
use super::trace::Replay;
use crate::schema::Names;
use indexmap::IndexMap;
use petrio_trace::{ColumnUnits, FormatName, NamedColumns};
use petrio_units::Bytes;
use petrio_workload::replay::ThinkPer;
use petrio_workload::{ClosedReplayOptions, Processes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A file-level trace (petrio's own, strace's, fio's, Darshan's): creations, opens, reads, writes, deletions, played
/// back. Of a trace of device requests a file stands for each device, read and written past the cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventReplay {
    /// The trace file, relative to the scenario's folder. Its format is told from its content.
    pub file: PathBuf,
    /// Of a table of one's own, which column means what: { time = "ts", operation = "rw", offset = "lba", length = "size" };
    /// its first line has the names. Needs `units`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<NamedColumns>,
    /// The units of these columns: { time = "ms", offset = "sectors", length = "bytes" }.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<ColumnUnits>,
    /// Its format, where the content doesn't tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FormatName>,
    /// On which other file systems of the same host its files lie, by the beginning of their paths or by the number of the
    /// device on which the trace saw them: { "/home" = "users", "1026" = "users" }; of several beginnings the longest
    /// counts, and paths before devices. All others lie on that of the workload itself.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<String, String>,
    /// Whether calls keep their times (open), or each follows the end of the one before after its recorded think time
    /// (closed).
    #[serde(default = "closed")]
    pub replay: Replay,
    /// Factor on times and think times: 0.5 plays the trace twice as fast.
    #[serde(default = "unscaled")]
    pub time_scale: f64,
    /// For whom think times are kept in a closed replay: each process (where the trace knows them), or each file.
    #[serde(default)]
    pub think_per: ThinkPer,
    /// Which reads are played: all of them, or only those that missed the cache of the machine that was traced (for a
    /// Unix host with `reads = "missed"`).
    #[serde(default)]
    pub reads: Reads,
    /// Which files are in memory when it begins.
    #[serde(default)]
    pub caches: CachesAtBegin,
    /// Of a trace of device requests: the most that the file which stands for a device may take; addresses beyond it
    /// wrap round. Left out, the file is as long as the highest address needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_room: Option<Bytes>,
    /// On a Unix host of 1990, which puts files where the trace saw them: what becomes of that if it saw one beyond the
    /// end of its file system's device, as on a machine with a larger one.
    #[serde(default)]
    pub out_of_range: PlacesOutOfRange,
}

/// What becomes of the places of files that a trace has seen, if one lies beyond the end of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlacesOutOfRange {
    /// None of that device's counts: the file system places its files as if it had made them itself, and the report
    /// warns.
    #[default]
    Allocate,
    /// They wrap around at the device's size, each file in its order; the report warns.
    Wrap,
    /// The scenario is refused.
    Error,
}

/// Which files of a trace are in memory when its replay begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CachesAtBegin {
    /// Those of which the trace says that their first read was answered from memory; none where it doesn't know.
    #[default]
    AsTraced,
    /// None.
    Cold,
}

/// Which reads of a trace are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// All that it has.
    #[default]
    All,
    /// Those of which it doesn't say that they were answered from the cache.
    Missed,
}

fn closed() -> Replay {
    Replay::Closed
}

fn unscaled() -> f64 {
    1.0
}

impl EventReplay {
    /// How it is replayed closed.
    pub fn closed_options(&self) -> ClosedReplayOptions {
        ClosedReplayOptions {
            time_scale: self.time_scale,
            processes: Processes::Apart,
            ..ClosedReplayOptions::default()
        }
    }
}

impl Load for FileLoad<EventReplay> {
    fn on(&self) -> &Names {
        &self.place.on
    }

    fn files_place(&self) -> Option<&FileLoadPlace> {
        Some(&self.place)
    }

    fn places(&self) -> Option<&IndexMap<String, String>> {
        Some(&self.parameters.places)
    }

    fn trace_names(&self) -> Option<&'static str> {
        Some("file")
    }

    fn check(&self, site: &mut LoadSite<'_, '_, '_>) {
        let LoadSite { checker, path, on, .. } = site;
        let EventReplay { file, columns, units, time_scale, device_room, .. } = &self.parameters;
        checker.urgency(path, &self.place);
        checker.places_of(path, self.places());
        checker.on_one_machine(&format!("{path}.on"), on);
        checker.file(&format!("{path}.file"), file);
        checker.time_scale(path, *time_scale);
        checker.own_table(path, columns.as_ref(), *units);
        checker.device_room(path, *device_room);
    }

    fn has_phases(&self) -> bool {
        true
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::times(self.parameters.time_scale))
    }

    fn is_open(&self) -> bool {
        self.parameters.replay == Replay::Open
    }
}
