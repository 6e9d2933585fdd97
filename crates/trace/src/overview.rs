//! What is in a trace, in figures.

use super::device_names::device_name;
use super::error::TraceError;
use super::event::{Event, EventKind};
use super::events::EventReader;
use petrio_colours::Direction;
use petrio_time::Time;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The figures of one trace. Times in seconds, lengths in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Overview {
    /// The file.
    pub file: String,
    /// The format that it was read as.
    pub format: String,
    /// Events.
    pub events: u64,
    /// Events by kind; kinds that don't occur are left out.
    pub kinds: BTreeMap<&'static str, u64>,
    /// From the beginning of the first event to the end of the last, in seconds.
    pub span_seconds: f64,
    /// Processes that asked.
    pub processes: u64,
    /// Files that were named or numbered.
    pub files: u64,
    /// Devices that were asked, as `major,minor` or by their number.
    pub devices: Vec<String>,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// Bytes that devices were asked to read.
    pub device_bytes_read: u64,
    /// Bytes that devices were asked to write.
    pub device_bytes_written: u64,
    /// Bytes of both that a file system keeps about files, or logs, where the trace tells.
    pub device_bytes_of_metadata: u64,
    /// Calls that failed.
    pub failed: u64,
    /// What was left out or brought into form while reading, where there was any, and how often.
    pub remarks: BTreeMap<&'static str, u64>,
    /// When it was recorded, in nanoseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_unix_ns: Option<u64>,
    /// The machine that was traced.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// What was run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Whether it has only what Ivy kept.
    pub compact: bool,
    /// Events that were lost while tracing.
    pub lost: u64,
    /// Remarks that the file brings along.
    pub notes: Vec<String>,
}

impl Overview {
    /// Reads a trace to its end.
    ///
    /// # Errors
    /// What is wrong with the trace.
    pub fn of(mut reader: EventReader) -> Result<Self, TraceError> {
        let about = reader.about()?;
        let mut overview = Self {
            file: reader.name().to_string(),
            format: reader.format().to_string(),
            origin_unix_ns: about.origin_unix_ns,
            machine: about.machine,
            command: about.command,
            compact: about.compact,
            lost: about.lost,
            notes: about.notes,
            ..Self::default()
        };
        let (mut processes, mut files, mut devices) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut first, mut last) = (None, Time::ZERO);
        for event in reader.by_ref() {
            let event = event?;
            first.get_or_insert(event.time);
            last = last.max(event.end());
            processes.insert(event.process);
            if event.file.is_known() {
                files.insert(event.file);
            }
            devices.extend(event.extents.iter().map(|extent| extent.device));
            overview.count(&event);
        }
        overview.span_seconds = last.saturating_sub(first.unwrap_or_default()).as_seconds();
        overview.processes = processes.len() as u64;
        overview.files = files.len() as u64;
        overview.devices = devices.into_iter().map(device_name).collect();
        overview.finish(&reader);
        Ok(overview)
    }

    fn count(&mut self, event: &Event) {
        self.failed += u64::from(event.error != 0);
        if event.error != 0 {
            return;
        }
        if event.kind == EventKind::Queue && event.metadata {
            self.device_bytes_of_metadata = self.device_bytes_of_metadata.saturating_add(event.length);
        }
        // Of a request's three events the first counts: a trace without queueing has the issue.
        match (event.kind, event.direction) {
            (EventKind::Read, _) => self.bytes_read = self.bytes_read.saturating_add(event.length),
            (EventKind::Write, _) => self.bytes_written = self.bytes_written.saturating_add(event.length),
            (EventKind::Queue, Some(Direction::Read)) => {
                self.device_bytes_read = self.device_bytes_read.saturating_add(event.length);
            }
            (EventKind::Queue, Some(Direction::Write)) => {
                self.device_bytes_written = self.device_bytes_written.saturating_add(event.length);
            }
            _ => {}
        }
    }

    fn finish(&mut self, reader: &EventReader) {
        let summary = reader.summary();
        self.events = summary.events;
        let kinds = EventKind::ALL.iter().zip(summary.kinds);
        self.kinds =
            kinds.filter(|&(_, count)| count > 0).map(|(kind, count)| (kind.name(), count)).collect();
        self.remarks = [
            ("lines or records that make no event", summary.left_out.other_events),
            (
                "steps of requests that tell nothing more (insertions, merges, plugs …)",
                summary.left_out.other_steps,
            ),
            ("put in order", summary.left_out.reordered),
            ("widened to whole blocks", summary.left_out.widened),
            ("ends without a beginning", summary.left_out.unmatched_completions),
            ("beginnings without an end", summary.left_out.unanswered),
            ("of other devices", summary.left_out.other_devices),
            ("without a time: only their order is known", summary.left_out.untimed),
            (
                "calls that don't show their files or bytes (io_uring; files opened before: record with strace -y)",
                summary.left_out.unseen,
            ),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .collect();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceOptions;
    use crate::device_names::device_number;

    #[test]
    fn figures_of_a_small_trace() {
        let text = "1 5.000000 open(\"/a\", O_RDONLY) = 3 <0.000010>\n1 5.000100 read(3, \"…\", 10) = 10 <0.000900>\n\
                    2 5.000200 mkdir(\"/b\", 0777) = -1 EEXIST (File exists) <0.000010>\n2 5.000300 getpid() = 2 <0.000001>\n";
        let reader = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        let overview = Overview::of(reader).unwrap();
        assert_eq!((overview.events, overview.processes, overview.files, overview.failed), (3, 2, 2, 1));
        assert_eq!((overview.bytes_read, overview.kinds["read"]), (10, 1));
        assert!((overview.span_seconds - 0.001).abs() < 1e-12);
        assert_eq!(overview.remarks["lines or records that make no event"], 1);
        assert_eq!(overview.origin_unix_ns, Some(5_000_000_000));
    }

    #[test]
    fn devices_have_names_of_linux_or_numbers() {
        assert_eq!((device_name(8 << 20 | 16), device_name(3)), ("8,16".to_owned(), "3".to_owned()));
        assert_eq!(
            (device_number("8,16"), device_number("3"), device_number("x")),
            (Some(8 << 20 | 16), Some(3), None)
        );
    }
}
