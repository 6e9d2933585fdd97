//! What a trace is like: file sizes and lifetimes, composition, opens, sequentiality, offsets over time, think times,
//! the read/write mix, service times, working set, popularity and the exact LRU miss-ratio curve.
//!
//! ```
//! use petrio_time::Time;
//! use petrio_trace::characterise::{Characterise, Characteriser};
//! use petrio_trace::event::{Event, EventKind, FileKey};
//! let mut characteriser = Characteriser::new(&Characterise::default());
//! for number in 0..4 {
//!     let mut read = Event::new(Time::from_millis(number), EventKind::Read);
//!     read.file = FileKey { device: 1, inode: 12, generation: 0 };
//!     (read.process, read.offset, read.length) = (7, Some(number % 2 * 4096), 4096);
//!     characteriser.event(&read);
//! }
//! let found = characteriser.finish();
//! let files = found.file_requests.unwrap();
//! assert_eq!(files.mix.bytes(), 16_384);
//! // Two pages, each used twice: with room for both, half of the uses hit.
//! assert_eq!(files.pages.unwrap().miss_ratio.points.last().unwrap().miss_ratio, 0.5);
//! ```
//!
//! A [`Characteriser`] is told of one event at a time. Its memory doesn't depend on the length of the trace; it grows
//! with the number of different files, processes and pages (each part says how). Nothing in the result depends on the
//! order of a map.
//!
//! ```text
//!            ┌─ service      every event
//!            ├─ files ─────▶ composition: categories, opens, sizes, lifetimes, directories
//!  Event ────┤                       ┌─ mix, hours, inter_arrival
//!            ├─ level: files ────────┼─ streams ─▶ sequentiality, runs
//!            └─ level: devices ──────┼─ pages ───▶ miss_ratio, working_set, popularity
//!                                    └─ pictures
//! ```
//!
//! Calls on files and requests to devices are kept apart, as a trace may have both. A device's request counts when it
//! is queued; its issue and its completion count as events, with their service times. A *compact* trace (see
//! [`super::event`]) leaves out reads that hit: their bytes come from the totals of the closes, and what can't be known
//! without them is counted as unknown.
//!
//! Source: S.-L. Lo, *Ivy: a study on replicating data for performance improvement*, HPL-CSP-90-48, 1990, §5; the
//! dissertation, §3.3.2 (table 4, figure 16) and §5.5 (figures 33–37). Each part names its own.

mod category;
mod composition;
mod distribution;
mod files;
mod gaps;
mod hours;
mod inter_arrival;
mod level;
mod miss_ratio;
mod mix;
mod pages;
mod pictures;
mod popularity;
mod recency;
mod runs;
mod sequentiality;
mod service;
mod streams;
#[cfg(test)]
mod tests;
mod transfer;
mod working_set;

pub use category::{ByCategory, FileCategory};
pub use composition::{Directory, FileSystem, FileUse, device_name};
pub use distribution::{Distribution, DistributionPoint, ValueTally};
pub use gaps::{Gap, Gaps};
pub use hours::{ByHour, Hour};
pub use inter_arrival::InterArrival;
pub use level::Requests;
pub use miss_ratio::{MissRatio, MissRatioPoint, PAGE_BYTES};
pub use mix::{Mix, MixSide, SizeClass};
pub use pages::PageUse;
pub use pictures::{OffsetsOverTime, PicturePoint};
pub use popularity::{Popularity, PopularityPoint};
pub use runs::{Runs, RunsOneWay};
pub use sequentiality::{ClassShare, Sequentiality, StreamClass};
pub use service::KindOfEvent;
pub use working_set::{WorkingSet, WorkingSetWindow};

use super::event::{Event, EventKind};
use files::Files;
use level::Level;
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_time::Time;
use petrio_units::numbers::as_number;
use rustc_hash::FxHashMap;
use serde::Serialize;
use service::Services;
use transfer::{Transfer, Way};

/// How a trace is to be characterised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Characterise {
    /// The trace's time zero on the clock of those who worked, in seconds since a midnight (seconds since 1970, plus
    /// the difference of their time zone). Left out, hours count from the beginning of the trace.
    pub origin_seconds: Option<u64>,
}

/// Takes one event after another, in order of time, and keeps what [`Characterisation`] needs.
#[derive(Debug)]
pub struct Characteriser {
    services: Services,
    files: Files,
    file_level: Level,
    device_level: Level,
    /// Devices by their number in order of appearance.
    devices: FxHashMap<u32, u32>,
    device_numbers: Vec<u32>,
    events: u64,
    first: Option<Time>,
    last: Time,
    end: Time,
    out_of_order: u64,
    compact_closes: u64,
    tells_misses: bool,
}

/// What a trace is like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Characterisation {
    /// Events in all.
    pub events: u64,
    /// When the first began, seconds from the trace's origin.
    pub begin_s: f64,
    /// When the last was over, seconds from the trace's origin.
    pub end_s: f64,
    /// Events that began before the one before them; they count as they come.
    pub out_of_order: u64,
    /// Closes whose totals tell of more bytes than the trace has calls for: the trace is a compact one.
    pub compact_closes: u64,
    /// By kind of event: how often, how long, hits.
    pub kinds: Vec<KindOfEvent>,
    /// The files; `None` where the trace names none.
    pub files: Option<FileUse>,
    /// What files were asked for; `None` in a trace of devices.
    pub file_requests: Option<Requests>,
    /// What devices were asked for; `None` where the trace has no requests of theirs.
    pub device_requests: Option<Requests>,
}

impl Characteriser {
    /// Nothing seen yet.
    pub fn new(how: &Characterise) -> Self {
        Self {
            services: Services::new(),
            files: Files::default(),
            file_level: Level::new(how.origin_seconds),
            device_level: Level::new(how.origin_seconds),
            devices: FxHashMap::default(),
            device_numbers: Vec::new(),
            events: 0,
            first: None,
            last: Time::ZERO,
            end: Time::ZERO,
            out_of_order: 0,
            compact_closes: 0,
            tells_misses: false,
        }
    }

    /// The next event of the trace.
    pub fn event(&mut self, event: &Event) {
        self.events += 1;
        self.first.get_or_insert(event.time);
        self.out_of_order += u64::from(event.time < self.last);
        self.last = event.time;
        self.end = self.end.max(event.end());
        self.services.add(event);
        if event.kind.is_of_device() {
            if event.kind == EventKind::Queue {
                self.device_request(event);
            }
            return;
        }
        let process = (event.process != 0).then_some(event.process);
        self.file_level.calls.add(event.time, event.service, process);
        if event.error == 0 {
            self.call(event);
        }
    }

    /// A call on a file that succeeded.
    fn call(&mut self, event: &Event) {
        let path = event.path.as_ref();
        match event.kind {
            EventKind::Read => self.moved(event, Way::Read),
            EventKind::Write => self.moved(event, Way::Write),
            EventKind::Create | EventKind::Open => {
                let number = match event.kind {
                    EventKind::Create => self.files.created(event.time, event.file, path),
                    _ => self.files.number(event.file, path),
                };
                if let Some(number) = number {
                    self.files.opened(number, event.access, event.size);
                    self.file_level.streams.opened(event.process, number, event.access);
                }
            }
            EventKind::Close => self.closed(event),
            EventKind::Unlink => {
                if let Some(number) = self.files.number(event.file, path) {
                    self.files.ages(number, event.ages.as_deref(), event.time);
                    self.files.unlinked(event.time, number, event.size);
                }
            }
            EventKind::Truncate => {
                if let Some(number) = self.files.number(event.file, path) {
                    self.files.truncated(number, event.size);
                    self.files.changed(number, true, event.time);
                }
            }
            EventKind::Rename => {
                if let Some(number) = self.files.number(event.file, path) {
                    self.files.renamed(event.time, number, event.new_path.as_ref());
                    self.files.changed(number, false, event.time);
                }
            }
            EventKind::Exec
            | EventKind::Fsync
            | EventKind::Fdatasync
            | EventKind::SyncRange
            | EventKind::Map => {
                self.files.number(event.file, path);
            }
            EventKind::Allocate => {
                if let Some(number) = self.files.number(event.file, path) {
                    self.files.changed(number, true, event.time);
                }
            }
            EventKind::Mkdir | EventKind::Rmdir | EventKind::Stat | EventKind::List | EventKind::Sync => {}
            EventKind::Fork | EventKind::Join | EventKind::Exit | EventKind::Sleep => {}
            EventKind::Send
            | EventKind::Receive
            | EventKind::PostSend
            | EventKind::PostReceive
            | EventKind::Wait
            | EventKind::Collective => {}
            EventKind::Queue | EventKind::Issue | EventKind::Complete => {}
        }
    }

    #[inline]
    fn moved(&mut self, event: &Event, way: Way) {
        self.tells_misses |= event.hit.is_some();
        let subject = self.files.number(event.file, event.path.as_ref());
        if let Some(number) = subject {
            self.files.moved(number, way, event.offset, event.length);
            self.files.touched(number, way, event.time);
        }
        let transfer = Transfer {
            time: event.time,
            process: event.process,
            subject,
            way,
            offset: event.offset,
            length: event.length,
        };
        self.file_level.transfer(&transfer, way == Way::Read && event.hit == Some(false));
    }

    fn closed(&mut self, event: &Event) {
        self.tells_misses |= event.hit.is_some();
        let Some(number) = self.files.number(event.file, event.path.as_ref()) else { return };
        let closed = self.file_level.streams.closed(event.process, number, event.totals.as_ref(), event.hit);
        if let Some(closed) = closed {
            // Of calls that no record tells, the last one is no later than this.
            for (way, bytes) in
                [(Way::Read, closed.unrecorded.read.1), (Way::Write, closed.unrecorded.write.1)]
            {
                if bytes > 0 {
                    self.files.touched(number, way, event.time);
                }
            }
            self.stream_over(number, &closed);
        }
        self.files.closed(number);
    }

    fn stream_over(&mut self, number: u32, closed: &streams::Closed) {
        let unrecorded = &closed.unrecorded;
        self.file_level.mixes.add_unrecorded(unrecorded);
        self.compact_closes += u64::from(unrecorded.read.1 > 0 || unrecorded.write.1 > 0);
        let file = &mut self.files.all[number as usize];
        file.bytes_read = file.bytes_read.saturating_add(unrecorded.read.1);
        file.bytes_written = file.bytes_written.saturating_add(unrecorded.write.1);
        file.read_only_opens_missed += u32::from(closed.read_only_missed);
    }

    /// A request that came to a device's queue.
    #[inline]
    fn device_request(&mut self, event: &Event) {
        // Without processes, requests count as one initiator's.
        self.device_level.calls.add(event.time, event.service, Some(event.process));
        let way = match event.direction {
            Some(Direction::Read) => Way::Read,
            Some(Direction::Write) => Way::Write,
            Some(Direction::Flush | Direction::Discard) | None => return,
        };
        if event.extents.is_empty() {
            let (time, process, subject) = (event.time, event.process, None);
            let transfer = Transfer { time, process, subject, way, offset: None, length: event.length };
            self.device_level.transfer(&transfer, false);
        }
        for extent in &event.extents {
            let next = as_number(self.device_numbers.len());
            let subject = *self.devices.entry(extent.device).or_insert(next);
            if subject == next {
                self.device_numbers.push(extent.device);
            }
            let transfer = Transfer {
                time: event.time,
                process: event.process,
                subject: Some(subject),
                way,
                offset: Some(extent.address.saturating_mul(SECTOR_BYTES)),
                length: u64::from(extent.blocks) * SECTOR_BYTES,
            };
            self.device_level.transfer(&transfer, false);
        }
    }

    /// What the trace is like.
    pub fn finish(mut self) -> Characterisation {
        let mut streams = std::mem::take(&mut self.file_level.streams);
        streams.end(|number, closed| self.stream_over(number, &closed));
        self.file_level.streams = streams;
        self.device_level.streams.end(|_, _| {});
        let files = &self.files;
        let file_name = |number: u32| {
            let file = &files.all[number as usize];
            match &file.path {
                Some(path) => path.to_string(),
                None => format!("{}, inode {}", device_name(file.key.device), file.key.inode),
            }
        };
        let devices = &self.device_numbers;
        Characterisation {
            events: self.events,
            begin_s: self.first.unwrap_or(Time::ZERO).as_seconds(),
            end_s: self.end.as_seconds(),
            out_of_order: self.out_of_order,
            compact_closes: self.compact_closes,
            kinds: self.services.finish(),
            files: composition::file_use(files, self.tells_misses),
            file_requests: self.file_level.finish(file_name),
            device_requests: self.device_level.finish(|number| device_name(devices[number as usize])),
        }
    }
}
