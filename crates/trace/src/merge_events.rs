//! Several traces of any format merged by time into one stream of events.
//!
//! Requests are numbered anew, and processes whose number another trace has, so that those of one trace aren't those of another. Files and devices of
//! the same number are the same, unless the traces are told to be of different machines.

use super::error::TraceError;
use super::event::Event;
use super::events::EventReader;
use super::merge::{Merge, ProcessNumbers, Renumbered};
use super::native::About;
use miette::Diagnostic;
use petrio_time::Time;
use std::sync::Arc;
use thiserror::Error;

/// Traces that can't be merged.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// One of them can't be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Trace(#[from] TraceError),
    /// Clocks are to be aligned, and one has none.
    #[error("{0}: it doesn't say when it was recorded, so its clock can't be aligned")]
    #[diagnostic(help("merge without aligning: each trace then begins at time zero"))]
    NoOrigin(Arc<str>),
    /// One begins too long after the first.
    #[error("{0}: it begins more than 213 days after the earliest")]
    #[diagnostic(help("merge without aligning, or merge traces of one time"))]
    TooLate(Arc<str>),
}

/// Events of several traces, in order of time; events of the same time come in the order of the traces.
pub struct MergedEvents {
    merge: Merge<Event>,
    processes: ProcessNumbers,
    /// New numbers of devices, where traces are apart.
    devices: Option<Renumbered>,
    about: About,
}

impl MergedEvents {
    /// Merges traces: each begins at time zero, or, with `align`, keeps its distance from the others by the wall clock.
    /// With `apart`, devices of the same number in different traces are different ones.
    ///
    /// # Errors
    /// What is wrong with a trace's first event, and clocks that can't be aligned.
    pub fn new(mut readers: Vec<EventReader>, align: bool, apart: bool) -> Result<Self, MergeError> {
        let mut whole = About::default();
        let mut origins = Vec::new();
        for reader in &mut readers {
            let about = reader.about()?;
            if align {
                origins
                    .push(about.origin_unix_ns.ok_or_else(|| MergeError::NoOrigin(reader.name().clone()))?);
            }
            whole.lost += about.lost;
            whole.compact |= about.compact;
            whole.notes.push(format!("merged from {} ({})", reader.name(), reader.format()));
            whole.notes.extend(about.notes);
        }
        let mut shifts = vec![Time::ZERO; readers.len()];
        if let Some(&earliest) = origins.iter().min() {
            whole.origin_unix_ns = Some(earliest);
            for ((reader, shift), origin) in readers.iter().zip(&mut shifts).zip(&origins) {
                *shift = Time::from_nanos(origin - earliest);
                if shift.is_never() {
                    return Err(MergeError::TooLate(reader.name().clone()));
                }
            }
        }
        Ok(Self {
            merge: Merge::new(readers.into_iter().zip(shifts))?,
            processes: ProcessNumbers::from(1),
            devices: apart.then(Renumbered::default),
            about: whole,
        })
    }

    /// What is known of the whole.
    pub const fn about(&self) -> &About {
        &self.about
    }
}

impl Iterator for MergedEvents {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { merge, processes, devices, .. } = self;
        merge.next(|merge, trace, mut event| {
            if event.process != 0 {
                event.process = processes.of(trace, event.process);
            }
            let count = merge.readers().len() as u64;
            event.request =
                event.request.map(|request| request.wrapping_mul(count).wrapping_add(trace as u64));
            if let Some(devices) = devices {
                if event.file.is_known() {
                    event.file.device = devices.of(trace, event.file.device);
                }
                for extent in &mut event.extents {
                    extent.device = devices.of(trace, extent.device);
                }
            }
            Ok(event)
        })
    }
}

impl std::iter::FusedIterator for MergedEvents {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceOptions;

    fn reader(text: &'static str) -> EventReader {
        EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap()
    }

    const EARLY: &str =
        "7 100.000000 mkdir(\"/a\", 0777) = 0 <0.000010>\n7 100.500000 mkdir(\"/b\", 0777) = 0 <0.000010>\n";
    const LATE: &str = "7 100.250000 mkdir(\"/c\", 0777) = 0 <0.000010>\n";

    #[test]
    fn clocks_are_aligned_or_each_begins_at_zero() {
        let paths = |align| -> Vec<String> {
            let merged = MergedEvents::new(vec![reader(EARLY), reader(LATE)], align, false).unwrap();
            merged.map(|event| event.unwrap().path.unwrap().to_string()).collect()
        };
        assert_eq!(paths(true), ["/a", "/c", "/b"]);
        assert_eq!(paths(false), ["/a", "/c", "/b"]);
        let merged = MergedEvents::new(vec![reader(EARLY), reader(LATE)], true, false).unwrap();
        assert_eq!(merged.about().origin_unix_ns, Some(100_000_000_000));
        let times: Vec<_> = merged.map(|event| event.unwrap().time).collect();
        assert_eq!(times[1], Time::from_millis(250));
    }

    #[test]
    fn processes_of_different_traces_are_different_and_a_clock_has_to_be_there() {
        let merged = MergedEvents::new(vec![reader(EARLY), reader(LATE)], false, true).unwrap();
        let events: Vec<Event> = merged.map(Result::unwrap).collect();
        assert_ne!(events[0].process, events[1].process);
        assert_ne!(events[0].file.device, events[1].file.device);
        let block = reader("0.5 0 100 8 1\n1.75 0 4096 16 0\n");
        assert!(matches!(MergedEvents::new(vec![block], true, false), Err(MergeError::NoOrigin(_))));
    }
}
