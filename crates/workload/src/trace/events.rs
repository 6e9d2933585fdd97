//! Reads any trace as one stream of events, whatever it is a trace of.

use super::begin::{Opened, Stream, opened};
use super::error::TraceError;
use super::event::{Event, EventKind, Extent};
use super::format::native_events::NativeEvents;
use super::format::{FileFormat, FormatName, Parser, RawEvent, Tally};
use super::native::{About, Wanted};
use super::options::TraceOptions;
use super::order::{Ordering, Origin};
use super::overview::device_number;
use super::reader::TraceReader;
use super::record::BlockRecord;
use petrio_colours::SECTOR_BYTES;
use petrio_files::inputs::Inputs;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What was read so far, and what was left out or brought into form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSummary {
    /// Events handed out.
    pub events: u64,
    /// Of each kind, in the order of [`EventKind::ALL`].
    pub kinds: [u64; EventKind::ALL.len()],
    /// Events that stood out of order and were put in place.
    pub reordered: u64,
    /// Events of other devices, left out because one device was asked for.
    pub other_devices: u64,
    /// Lines or records that make no event: other calls, other events, discards.
    pub other_events: u64,
    /// Requests widened to whole 512-byte blocks.
    pub widened: u64,
    /// Ends whose beginning isn't in the trace.
    pub unmatched_completions: u64,
    /// Beginnings whose end isn't in the trace.
    pub unanswered: u64,
}

/// A trace in any format as an iterator of events in order of time; memory does not grow with its length.
///
/// A record of a block trace becomes an event of the kind [`EventKind::Queue`], with the measured response time as its
/// service time. After an error the iterator ends.
///
/// ```
/// use petrio_workload::trace::event::EventKind;
/// use petrio_workload::trace::{EventReader, TraceOptions};
/// let text = "0.5 0 100 8 1\n1.75 0 4096 16 0\n";
/// let events = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?;
/// let events = events.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((events[1].kind, events[1].extents[0].address, events[1].length), (EventKind::Queue, 4096, 8192));
/// # Ok::<(), petrio_workload::trace::TraceError>(())
/// ```
pub struct EventReader {
    source: Source,
    done: bool,
    ahead: Option<Event>,
    summary: EventSummary,
}

enum Source {
    Blocks(Box<Blocks>),
    Events(Box<Events>),
}

/// A block trace.
struct Blocks {
    reader: TraceReader,
    /// Major and minor number in one, for the devices that have them.
    devices: BTreeMap<u32, u32>,
}

/// A trace of events.
struct Events {
    stream: Stream,
    format: Box<dyn FileFormat>,
    only_device: Option<String>,
    order: Ordering<RawEvent>,
    origin: Origin,
    /// The clock of the first event.
    first: Option<u128>,
    rebase: bool,
    other_devices: u64,
}

impl EventReader {
    /// Opens a file, unpacks it (gzip, xz, zstandard, told from its first bytes) and tells its format.
    ///
    /// # Errors
    /// A file that can't be opened or read, is empty, or is in no format or in more than one.
    pub fn open(path: impl AsRef<Path>, options: &TraceOptions) -> Result<Self, TraceError> {
        Self::open_in(&Inputs::here(), path, options)
    }

    /// As [`open`](Self::open), of the inputs of a piece of work.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn open_in(
        inputs: &Inputs,
        path: impl AsRef<Path>,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        match opened(inputs, path.as_ref(), options, Wanted::Everything)? {
            (name, Opened::Stream(stream)) => Self::from_reader(name, stream, options),
            (name, Opened::Native(reader)) => {
                let format = Box::new(NativeEvents::of(name.clone(), *reader));
                Ok(Self::of_events(Stream::native(name), format, options))
            }
        }
    }

    /// Reads from anything: a pipe, a buffer. `name` stands in messages.
    ///
    /// # Errors
    /// As of [`EventReader::open`].
    pub fn from_reader(
        name: impl Into<Arc<str>>,
        source: impl Read + Send + 'static,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let mut stream = Stream::new(name.into(), source, options)?;
        enum Chosen {
            Block(Box<dyn super::format::Format>),
            File(Box<dyn FileFormat>),
        }
        let chosen = stream.parser(|sample, name, format| {
            Ok(match format.facts().parser {
                Parser::Block(parser) => Chosen::Block(parser(sample)),
                Parser::File(parser) => Chosen::File(parser(sample)),
                Parser::Either { file, .. } => Chosen::File(file(sample, name)),
            })
        })?;
        Ok(match chosen {
            Chosen::Block(format) => Self::of_blocks(TraceReader::new(stream, format, options)),
            Chosen::File(format) => Self::of_events(stream, format, options),
        })
    }

    /// The requests of a block trace that is open.
    pub fn of_blocks(reader: TraceReader) -> Self {
        Self::new(Source::Blocks(Box::new(Blocks { reader, devices: BTreeMap::new() })))
    }

    fn of_events(stream: Stream, format: Box<dyn FileFormat>, options: &TraceOptions) -> Self {
        Self::new(Source::Events(Box::new(Events {
            order: Ordering::new(options, &stream),
            origin: Origin::new(options),
            only_device: options.only_device.clone(),
            first: None,
            rebase: options.rebase,
            other_devices: 0,
            stream,
            format,
        })))
    }

    fn new(source: Source) -> Self {
        Self { source, done: false, ahead: None, summary: EventSummary::default() }
    }

    /// The file's name, as in messages.
    pub fn name(&self) -> &Arc<str> {
        match &self.source {
            Source::Blocks(blocks) => blocks.reader.name(),
            Source::Events(events) => &events.stream.name,
        }
    }

    /// The format it is read as.
    pub fn format(&self) -> FormatName {
        match &self.source {
            Source::Blocks(blocks) => blocks.reader.format(),
            Source::Events(events) => events.stream.format,
        }
    }

    /// What was read so far.
    pub fn summary(&self) -> EventSummary {
        let (tally, reordered, other_devices) = match &self.source {
            Source::Blocks(blocks) => {
                let summary = blocks.reader.summary();
                let tally = Tally {
                    other_events: summary.other_events,
                    widened: summary.widened,
                    unmatched_completions: summary.unmatched_completions,
                    unanswered: summary.unanswered,
                };
                (tally, summary.reordered, summary.other_devices)
            }
            Source::Events(events) => (events.format.tally(), events.order.reordered, events.other_devices),
        };
        EventSummary {
            reordered,
            other_devices,
            other_events: tally.other_events,
            widened: tally.widened,
            unmatched_completions: tally.unmatched_completions,
            unanswered: tally.unanswered,
            ..self.summary
        }
    }

    /// What is known of the trace as a whole, which takes a look at its first event: where that is brought to time zero,
    /// the origin is its wall clock.
    ///
    /// # Errors
    /// What is wrong with the first event.
    pub fn about(&mut self) -> Result<About, TraceError> {
        if self.ahead.is_none() && !self.done && self.summary.events == 0 {
            self.ahead = self.source.next()?;
        }
        Ok(match &self.source {
            Source::Blocks(_) => About::default(),
            Source::Events(events) => events.about(),
        })
    }

    fn read(&mut self) -> Result<Option<Event>, TraceError> {
        let next = match self.ahead.take() {
            Some(event) => Some(event),
            None => self.source.next()?,
        };
        if let Some(event) = &next {
            self.summary.events += 1;
            // The kinds are numbered in the order of `ALL`.
            self.summary.kinds[event.kind as usize] += 1;
        }
        Ok(next)
    }
}

impl Iterator for EventReader {
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

impl std::iter::FusedIterator for EventReader {}

impl Source {
    fn next(&mut self) -> Result<Option<Event>, TraceError> {
        match self {
            Self::Blocks(blocks) => blocks.next(),
            Self::Events(events) => events.next(),
        }
    }
}

impl Blocks {
    fn next(&mut self) -> Result<Option<Event>, TraceError> {
        let Some(mut record) = self.reader.next().transpose()? else { return Ok(None) };
        let reader = &self.reader;
        record.device = *self.devices.entry(record.device).or_insert_with(|| {
            reader.device_name(record.device).and_then(|name| device_number(&name)).unwrap_or(record.device)
        });
        Ok(Some(queued(&record)))
    }
}

/// A request of a block trace as an event.
fn queued(record: &BlockRecord) -> Event {
    let mut event = Event {
        process: record.process,
        length: u64::from(record.blocks) * SECTOR_BYTES,
        service: record.measured,
        direction: Some(record.direction),
        synchronous: record.synchronous,
        force_unit_access: record.force_unit_access,
        ..Event::new(record.time, EventKind::Queue)
    };
    let BlockRecord { device, address, blocks, .. } = *record;
    event.extents.push(Extent { device, address, blocks, hit: false });
    event
}

impl Events {
    fn parsed(&mut self) -> Result<Option<RawEvent>, TraceError> {
        loop {
            let raw = self.format.next(&mut self.stream.input).map_err(|fault| self.stream.fault(fault))?;
            let (Some(raw), Some(wanted)) = (&raw, &self.only_device) else { return Ok(raw) };
            let number = device_number(wanted);
            let event = &raw.event;
            let mut devices = event.extents.iter().map(|extent| extent.device);
            if number
                .is_some_and(|number| event.file.device == number || devices.any(|device| device == number))
            {
                return Ok(Some(raw.clone()));
            }
            self.other_devices += 1;
        }
    }

    fn next(&mut self) -> Result<Option<Event>, TraceError> {
        while self.order.wants() {
            let raw = self.parsed()?;
            self.order.put(raw);
        }
        let Some(raw) = self.order.take(&self.stream)? else {
            let only_device = self.only_device.as_deref().filter(|_| self.other_devices > 0);
            return match self.first {
                None => Err(self.stream.without_records(only_device)),
                Some(_) => Ok(None),
            };
        };
        self.first.get_or_insert(raw.clock);
        let time = self.origin.time(raw.clock).map_err(|problem| self.stream.problem(raw.at, problem))?;
        Ok(Some(Event { time, ..raw.event }))
    }

    fn about(&self) -> About {
        let mut about = self.format.about().cloned().unwrap_or_default();
        let nanoseconds = |clock: u128| u64::try_from(clock / 1_000).ok();
        let shift = self.first.filter(|_| self.rebase).and_then(nanoseconds).unwrap_or_default();
        about.origin_unix_ns = match (about.origin_unix_ns, self.format.is_since_1970()) {
            (Some(origin), _) => origin.checked_add(shift),
            (None, true) => Some(shift),
            (None, false) => None,
        };
        about
    }
}
