//! Reads one trace as a stream of records: opens, unpacks, detects, checks, puts in order. The same for requests and
//! for events.

use super::begin::{Opened, Stream, opened};
use super::error::{Fault, TraceError};
use super::format::{Format, FormatName, Parser, Sample};
use super::native::{NativeReader, Wanted};
use super::options::TraceOptions;
use super::order::{Ordering, Origin};
use super::record::{BlockRecord, Raw, Record};
use super::summary::LeftOut;
use petrio_files::inputs::Inputs;
use petrio_persist::{self as persist, Damage, Persist, Writer};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// How a record is parsed, which is this crate's own business.
pub trait Parsed: Record {
    /// Which columns of petrio's own file it needs.
    #[doc(hidden)]
    const WANTED: Wanted;

    #[doc(hidden)]
    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn of_native(name: &Arc<str>, reader: NativeReader) -> Box<dyn Format<Self>>;

    #[doc(hidden)]
    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn parser(
        sample: &Sample<'_>,
        name: &Arc<str>,
        format: FormatName,
    ) -> Result<Box<dyn Format<Self>>, TraceError>;
}

impl Parsed for BlockRecord {
    const WANTED: Wanted = Wanted::DeviceRequests;

    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn of_native(_: &Arc<str>, reader: NativeReader) -> Box<dyn Format<Self>> {
        Box::new(super::format::native::NativeBlocks::of(reader))
    }

    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn parser(
        sample: &Sample<'_>,
        name: &Arc<str>,
        format: FormatName,
    ) -> Result<Box<dyn Format<Self>>, TraceError> {
        match format.facts().parser {
            Parser::Block(parser) => Ok(parser(sample)),
            Parser::Either { block, .. } => Ok(block(sample, name)),
            Parser::File(_) => Err(TraceError::CallsOnFiles { name: name.clone(), format }),
        }
    }
}

/// A place in a file: what stands before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Place {
    bytes: u64,
    lines: u64,
    rows: u64,
}

/// A trace as an iterator of records in order of time; memory does not grow with its length.
///
/// After an error the iterator ends.
pub struct Reader<R: Parsed> {
    stream: Stream,
    format: Box<dyn Format<R>>,
    only_device: Option<String>,
    order: Ordering<R>,
    origin: Origin,
    rebase: bool,
    /// The clock of the first record.
    first: Option<u128>,
    done: bool,
    /// The clock of the last record that was handed out, how many were, and where the last that was parsed begins.
    clock: u128,
    read: u64,
    place: Place,
    /// The next record, where somebody looked ahead.
    ahead: Option<Raw<R>>,
    summary: R::Summary,
    other_devices: u64,
}

/// A block trace as requests.
pub type TraceReader = Reader<BlockRecord>;

impl<R: Parsed> Reader<R> {
    /// Opens a file, unpacks it (gzip, bzip2, xz, zstandard, told from its first bytes) and tells its format.
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
        match opened(inputs, path.as_ref(), options, R::WANTED)? {
            (name, Opened::Stream(stream)) => Self::from_reader(name, stream, options),
            (name, Opened::Native(reader)) => {
                let format = R::of_native(&name, *reader);
                Ok(Self::new(Stream::native(name), format, options))
            }
        }
    }

    /// Reads from anything: a pipe, a buffer. `name` stands in messages.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub fn from_reader(
        name: impl Into<Arc<str>>,
        source: impl Read + Send + 'static,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let mut stream = Stream::new(name.into(), source, options)?;
        let format = stream.parser(R::parser)?;
        Ok(Self::new(stream, format, options))
    }

    fn new(stream: Stream, format: Box<dyn Format<R>>, options: &TraceOptions) -> Self {
        Self {
            format,
            only_device: options.only_device.clone(),
            order: Ordering::new(options, &stream),
            origin: Origin::new(options),
            rebase: options.rebase,
            first: None,
            done: false,
            clock: 0,
            read: 0,
            place: Place::default(),
            ahead: None,
            summary: R::Summary::default(),
            other_devices: 0,
            stream,
        }
    }

    /// The file's name, as in messages.
    pub fn name(&self) -> &Arc<str> {
        &self.stream.name
    }

    /// The format it is read as.
    pub const fn format(&self) -> FormatName {
        self.stream.format
    }

    /// What was read so far.
    pub fn summary(&self) -> R::Summary {
        let (tally, mut summary) = (self.format.tally(), self.summary);
        *R::left_out(&mut summary) = LeftOut {
            reordered: self.order.reordered,
            other_devices: self.other_devices,
            other_events: tally.other_events,
            other_steps: tally.other_steps,
            widened: tally.widened,
            unmatched_completions: tally.unmatched_completions,
            unanswered: tally.unanswered,
            untimed: tally.untimed,
            unseen: tally.unseen,
        };
        summary
    }

    /// The name of a device that the records give as a number, such as `8,16`; where the format has names.
    pub fn device_name(&self, device: u32) -> Option<String> {
        self.format.device_name(device)
    }

    /// The name of the command that a process runs, where the format has names; of one whose records have been read.
    pub fn process_name(&self, process: u32) -> Option<String> {
        self.format.process_name(process)
    }

    /// The clock of the first record, which is read ahead for it; `None` where there is none.
    pub(crate) fn first_clock(&mut self) -> Result<Option<u128>, TraceError> {
        if self.first.is_none() && !self.done {
            self.ahead = self.ordered()?;
        }
        Ok(self.first)
    }

    /// Makes a clock time zero, instead of the first record's.
    pub(crate) fn set_origin(&mut self, clock: u128) {
        self.origin.set(clock);
    }

    /// What the format says of the trace, and how far its first record is from its clock's zero, where that was brought
    /// to time zero.
    pub(super) fn said(&self) -> (&dyn Format<R>, u128) {
        (&*self.format, self.first.filter(|_| self.rebase).unwrap_or_default())
    }

    /// The clock of the first record, and of the last one that was handed out, and which one is time zero.
    pub(super) fn clocks(&self) -> (u128, u128, u128) {
        (self.first.unwrap_or_default(), self.clock, self.origin.clock.unwrap_or_default())
    }

    /// How many records were handed out, and where the last one begins.
    pub(super) const fn place(&self) -> (u64, Place) {
        (self.read, self.place)
    }

    /// Writes what is known of the records before.
    pub(super) fn save(&self, to: &mut Writer<'_>) {
        self.format.save(to);
    }

    /// Knows what was written.
    pub(super) fn restore(&mut self, from: &mut persist::Reader<'_>) -> Result<(), Damage> {
        self.format.restore(from)
    }

    /// Whether each record can be read without those before.
    pub(super) fn stands_alone(&self) -> bool {
        self.order.is_of_file() && self.format.stands_alone()
    }

    /// Goes on at a place behind the records that were read.
    pub(super) fn go_to(&mut self, place: Place) -> Result<(), TraceError> {
        let Place { bytes, lines, rows } = place;
        let moved = self.stream.input.go_to(bytes, lines);
        moved.map_err(|source| self.stream.fault(Fault::Io(source)))?;
        self.format.go_to_row(rows)
    }

    /// Nothing was found.
    pub(super) fn without_records(&self) -> TraceError {
        self.stream.without_records(self.only_device.as_deref().filter(|_| self.other_devices > 0))
    }

    /// The next record of the file that is asked for, checked.
    fn parsed(&mut self) -> Result<Option<Raw<R>>, TraceError> {
        loop {
            let input = &self.stream.input;
            self.place = Place { bytes: input.bytes(), lines: input.lines(), rows: self.format.rows() };
            let Some(raw) =
                self.format.next(&mut self.stream.input).map_err(|fault| self.stream.fault(fault))?
            else {
                return Ok(None);
            };
            if let Some(wanted) = &self.only_device
                && !self.format.device_number(wanted).is_some_and(|device| raw.record.is_of(device))
            {
                self.other_devices += 1;
                continue;
            }
            self.format.check(&raw.record).map_err(|problem| self.stream.problem(raw.at, problem))?;
            return Ok(Some(raw));
        }
    }

    /// The next record in order of time.
    fn ordered(&mut self) -> Result<Option<Raw<R>>, TraceError> {
        while self.order.wants() {
            let raw = self.parsed()?;
            self.order.put(raw);
        }
        let raw = self.order.take(&self.stream)?;
        self.first = self.first.or(raw.as_ref().map(|raw| raw.clock));
        Ok(raw)
    }

    fn read(&mut self) -> Result<Option<R>, TraceError> {
        let next = match self.ahead.take() {
            Some(raw) => Some(raw),
            None => self.ordered()?,
        };
        let Some(raw) = next else {
            return if self.first.is_none() { Err(self.without_records()) } else { Ok(None) };
        };
        let time = self.origin.time(raw.clock).map_err(|problem| self.stream.problem(raw.at, problem))?;
        (self.clock, self.read) = (raw.clock, self.read + 1);
        let record = raw.record.at(time);
        record.count(&mut self.summary);
        Ok(Some(record))
    }
}

impl<R: Parsed> Iterator for Reader<R> {
    type Item = Result<R, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl<R: Parsed> std::iter::FusedIterator for Reader<R> {}
