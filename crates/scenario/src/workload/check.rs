//! What makes no sense of what workloads say, be it of several kinds or of a trace.

use super::{FileLoadPlace, Replay, TraceReplay, problem_of};
use crate::checker::{Checker, FILE_SYSTEMS, PlannedVolume};
use crate::schema::{Names, Stop};
use crate::text::deserialise::suggestion;
use crate::text::file::near_file;
use indexmap::IndexMap;
use petrio_trace::{ColumnUnits, NamedColumns, of_recording};
use petrio_units::Bytes;
use petrio_workload::program::{AccessParameters, ProgramError};
use petrio_workload::synthetic::Synthetic;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

/// The least urgent I/O priority within a class (ioprio_set(2)).
const LEAST_URGENT: u8 = 7;
/// The least room of a file that stands for a device, in bytes: a large request must fit.
const DEVICE_ROOM_LEAST: u64 = 1 << 20;

impl Checker<'_, '_> {
    /// Columns are told with their units.
    pub(crate) fn own_table(
        &mut self,
        path: &str,
        columns: Option<&NamedColumns>,
        units: Option<ColumnUnits>,
    ) {
        let (missing, help) = match (columns, units) {
            (Some(_), None) => {
                ("units", "write units = { time = \"ms\", offset = \"sectors\", length = \"bytes\" }")
            }
            (None, Some(_)) => (
                "columns",
                "write columns = { time = \"…\", operation = \"…\", offset = \"…\", length = \"…\" }",
            ),
            _ => return,
        };
        self.error(path, format!("\"{missing}\" is missing: columns and units belong together"), help);
    }

    /// A file that a workload names must be there.
    pub(crate) fn file(&mut self, path: &str, name: &Path) {
        if !self.inputs.may_be_read(name) {
            return;
        }
        let full = self.inputs.path_of(name);
        let (message, help) = match self.inputs.look(name) {
            Ok(()) => return,
            // A recording is a folder with a trace in it.
            Err(_) if matches!(of_recording(&full), Cow::Owned(_)) => return,
            Err(cause) if cause.kind() == ErrorKind::IsADirectory => {
                (format!("{} is a folder", full.display()), "name the files in it".to_owned())
            }
            Err(cause) => {
                let near = near_file(&full).map(|near| format!("did you mean {near}?"));
                let advice = "paths are relative to the scenario's folder".to_owned();
                (format!("{} can't be read: {cause}", full.display()), near.unwrap_or(advice))
            }
        };
        self.error(path, message, help);
    }

    /// The file systems that a workload names beside its own.
    pub(crate) fn places_of(&mut self, path: &str, places: Option<&IndexMap<String, String>>) {
        let Some(file_systems) = self.file_systems.clone() else { return };
        for (place, on) in places.into_iter().flatten() {
            let path = format!("{path}.places.{place}");
            let there = self.find(&path, &Names::one(on), &file_systems, FILE_SYSTEMS);
            self.used_volumes.extend(there);
        }
    }

    /// Notes what a program says of its parameters.
    pub(crate) fn program(&mut self, path: &str, error: &ProgramError) {
        let name = path.trim_start_matches("workload.");
        self.problems.push(problem_of(name, error, self.places, self.sources));
    }

    /// A trace of a whole machine isn't played on each of the machine's file systems.
    pub(crate) fn on_one_machine(&mut self, path: &str, on: &[u32]) {
        let on = on.iter().filter_map(|&number| self.volumes.get(number as usize));
        let mut firsts: BTreeMap<&str, &PlannedVolume> = BTreeMap::new();
        let beside = |volume: &&PlannedVolume| volume.is_beside_others;
        let Some((first, second)) =
            on.filter(beside).find_map(|volume| Some((firsts.insert(&volume.part, volume)?, volume)))
        else {
            return;
        };
        let message = format!(
            "\"{}\" and \"{}\" are file systems of one host, and each would get the whole trace",
            first.name, second.name
        );
        let help = format!(
            "name one, and in places which files lie on the others, by the beginnings of their paths or by the trace's devices: \
             on = \"{}\" and places = {{ \"/home\" = \"{}\" }}",
            first.name, second.name
        );
        self.error(path, message, help);
    }

    pub(crate) fn urgency(&mut self, path: &str, place: &FileLoadPlace) {
        if place.io_priority > LEAST_URGENT {
            let message = format!(
                "an I/O priority lies between 0 and {LEAST_URGENT}, and not at {}",
                place.io_priority
            );
            self.error(&format!("{path}.io_priority"), message, "0 is the most urgent, 4 the usual");
        }
    }

    pub(crate) fn device_room(&mut self, path: &str, room: Option<Bytes>) {
        if let Some(room) = room.filter(|room| room.get() < DEVICE_ROOM_LEAST) {
            self.error(
                &format!("{path}.device_room"),
                format!("a file of {room} can't stand for a device"),
                "give it 1 MiB or more, or leave it out: the file is then as long as the trace needs",
            );
        }
    }

    pub(crate) fn time_scale(&mut self, path: &str, time_scale: f64) {
        if !(time_scale.is_finite() && time_scale > 0.0) {
            self.error(
                &format!("{path}.time_scale"),
                format!("the time scale is a number above zero, not {time_scale}"),
                "0.5 plays the trace twice as fast, 2 at half the speed",
            );
        }
    }

    pub(crate) fn trace(&mut self, path: &str, trace: &TraceReplay, on: &[u32]) {
        self.own_table(path, trace.columns.as_ref(), trace.units);
        if trace.files.is_empty() {
            self.error(
                &format!("{path}.files"),
                "the list of trace files is empty",
                "name at least one file",
            );
        }
        for (index, file) in trace.files.iter().enumerate() {
            self.file(&format!("{path}.files.{index}"), file);
        }
        self.time_scale(path, trace.time_scale);
        if trace.replay == Replay::Open && (trace.processes.is_some() || trace.outstanding.is_some()) {
            let key = if trace.processes.is_some() { "processes" } else { "outstanding" };
            let message = format!("an open replay waits for nothing, so \"{key}\" has no meaning");
            self.error_at_key(
                &format!("{path}.{key}"),
                message,
                "write replay = \"closed\", or leave it out",
            );
        }
        if trace.outstanding == Some(0) {
            let path = format!("{path}.outstanding");
            self.error(&path, "with 0 requests in flight nothing happens", "write 1 or more");
        }
        if trace.limit == Some(0) {
            let help = "leave the limit out to play the whole trace";
            self.error(&format!("{path}.limit"), "a limit of 0 requests plays nothing", help);
        }
        for (device, disk) in &trace.devices {
            let path = format!("{path}.devices.{device}");
            if device.parse::<u32>().is_err() {
                let message = format!("\"{device}\" is not the number of a device of the trace");
                self.error_at_key(&path, message, "write devices = { 0 = \"d0\" }");
            }
            match self.holders.iter().position(|holder| holder.name == *disk) {
                None => {
                    let names: Vec<&str> =
                        self.holders.iter().map(|holder| holder.name.as_str()).take(50).collect();
                    let help = suggestion(disk, &names, "the disks and arrays are");
                    self.error(&path, format!("no disk or array is called \"{disk}\""), help);
                }
                Some(number) if !on.iter().any(|&target| target as usize == number) => {
                    let message = format!("the workload is not on \"{disk}\"");
                    self.error(&path, message, format!("add \"{disk}\" to the workload's on"));
                }
                Some(_) => {}
            }
        }
        if trace.only_device.is_some() && !trace.devices.is_empty() {
            let message = "one device of the trace is chosen, so there is nothing to map";
            self.error(&format!("{path}.devices"), message, "keep only_device or devices");
        }
    }

    /// What needs the disks is checked where they are known, in `crate::generators`.
    pub(crate) fn synthetic(&mut self, path: &str, parameters: &Synthetic, stop: &Stop) {
        if parameters.is_endless() && stop.requests.is_none() && stop.time.is_none() {
            let help = if stop.precision.is_some() {
                "a precision says how many replications there are, and not when each ends: give the workload requests = … \
                 or duration = \"…\", or [measure.stop] requests or time"
            } else {
                "give it requests = … or duration = \"…\", or the scenario a [measure.stop]"
            };
            self.error_at_key(path, "this workload never ends, and nothing stops the run", help);
        }
    }

    /// What goes on without end needs somebody who ends the run.
    pub(crate) fn endless(&mut self, path: &str, parameters: &AccessParameters, stop: &Stop) {
        if parameters.is_endless() && stop.requests.is_none() && stop.time.is_none() {
            let help = "give it a duration, or the scenario a [measure.stop]";
            self.error_at_key(path, "this workload never ends, and nothing stops the run", help);
        }
    }
}
