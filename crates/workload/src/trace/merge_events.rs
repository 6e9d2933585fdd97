//! Several traces of any format merged by time into one stream of events.
//!
//! Processes and requests are numbered anew, so that those of one trace aren't those of another. Files and devices of the
//! same number are the same, unless the traces are told to be of different machines.

use super::error::TraceError;
use super::event::Event;
use super::events::EventReader;
use super::native::About;
use petrio_kernel::Time;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use thiserror::Error;

/// Traces that can't be merged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// One of them can't be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Clocks are to be aligned, and one has none.
    #[error("{0}: it doesn't say when it was recorded, so its clock can't be aligned")]
    NoOrigin(Arc<str>),
    /// One begins too long after the first.
    #[error("{0}: it begins more than 213 days after the earliest")]
    TooLate(Arc<str>),
}

impl MergeError {
    /// What to do about it, where there is something to do.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Trace(error) => error.help(),
            Self::NoOrigin(_) => {
                Some("merge without aligning: each trace then begins at time zero".to_owned())
            }
            Self::TooLate(_) => Some("merge without aligning, or merge traces of one time".to_owned()),
        }
    }
}

struct Source {
    reader: EventReader,
    shift: Time,
    next: Option<Event>,
}

/// Events of several traces, in order of time; events of the same time come in the order of the traces.
pub struct MergedEvents {
    sources: Vec<Source>,
    heads: BinaryHeap<Reverse<(Time, usize)>>,
    processes: BTreeMap<(usize, u32), u32>,
    /// New numbers of devices by trace and old number, where traces are apart.
    devices: Option<BTreeMap<(usize, u32), u32>>,
    about: About,
    failed: Option<TraceError>,
    done: bool,
}

impl MergedEvents {
    /// Merges traces: each begins at time zero, or, with `align`, keeps its distance from the others by the wall clock.
    /// With `apart`, devices of the same number in different traces are different ones.
    ///
    /// # Errors
    /// What is wrong with a trace's first event, and clocks that can't be aligned.
    pub fn new(readers: Vec<EventReader>, align: bool, apart: bool) -> Result<Self, MergeError> {
        let mut merged = Self {
            sources: Vec::new(),
            heads: BinaryHeap::new(),
            processes: BTreeMap::new(),
            devices: apart.then(BTreeMap::new),
            about: About::default(),
            failed: None,
            done: false,
        };
        let mut origins = Vec::new();
        for mut reader in readers {
            let about = reader.about()?;
            if align {
                origins
                    .push(about.origin_unix_ns.ok_or_else(|| MergeError::NoOrigin(reader.name().clone()))?);
            }
            merged.about.lost += about.lost;
            merged.about.compact |= about.compact;
            merged.about.notes.push(format!("merged from {} ({})", reader.name(), reader.format()));
            merged.about.notes.extend(about.notes);
            merged.sources.push(Source { reader, shift: Time::ZERO, next: None });
        }
        if let Some(&earliest) = origins.iter().min() {
            merged.about.origin_unix_ns = Some(earliest);
            for (source, origin) in merged.sources.iter_mut().zip(&origins) {
                source.shift = Time::from_nanos(origin - earliest);
                if source.shift.is_never() {
                    return Err(MergeError::TooLate(source.reader.name().clone()));
                }
            }
        }
        for index in 0..merged.sources.len() {
            merged.advance(index)?;
        }
        Ok(merged)
    }

    /// What is known of the whole.
    pub const fn about(&self) -> &About {
        &self.about
    }

    fn advance(&mut self, index: usize) -> Result<(), TraceError> {
        let source = &mut self.sources[index];
        source.next = source.reader.next().transpose()?;
        if let Some(event) = &mut source.next {
            event.time = event.time.saturating_add(source.shift);
            self.heads.push(Reverse((event.time, index)));
        }
        Ok(())
    }

    fn device(&mut self, index: usize, device: u32) -> u32 {
        let Some(devices) = &mut self.devices else { return device };
        let next = devices.len() as u32;
        *devices.entry((index, device)).or_insert(next)
    }

    fn read(&mut self) -> Result<Option<Event>, TraceError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(Reverse((_, index))) = self.heads.pop() else { return Ok(None) };
        let Some(mut event) = self.sources[index].next.take() else { return Ok(None) };
        self.failed = self.advance(index).err();
        if event.process != 0 {
            let next = self.processes.len() as u32 + 1;
            event.process = *self.processes.entry((index, event.process)).or_insert(next);
        }
        let count = self.sources.len() as u64;
        event.request = event.request.map(|request| request.wrapping_mul(count).wrapping_add(index as u64));
        if event.file.is_known() {
            event.file.device = self.device(index, event.file.device);
        }
        for at in 0..event.extents.len() {
            event.extents[at].device = self.device(index, event.extents[at].device);
        }
        Ok(Some(event))
    }
}

impl Iterator for MergedEvents {
    type Item = Result<Event, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl std::iter::FusedIterator for MergedEvents {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::trace::TraceOptions;

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
