//! Reads one trace as a stream of records: opens, unpacks, detects, checks, puts in order.

use super::begin::{Opened, Stream, opened};
use super::error::{Problem, TraceError};
use super::format::native::NativeBlocks;
use super::format::{Format, FormatName, Parser};
use super::native::Wanted;
use super::options::TraceOptions;
use super::order::{Ordering, Origin};
use super::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What was read so far, and what was left out or brought into form: nothing happens to a trace without a count here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// Records handed out.
    pub records: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Flushes among them.
    pub flushes: u64,
    /// Bytes that they move.
    pub bytes: u64,
    /// Records that stood out of order and were put in place.
    pub reordered: u64,
    /// Requests to other devices, left out because one device was asked for.
    pub other_devices: u64,
    /// Lines or records that hold no read, write or flush: other events, discards, inquiries.
    pub other_events: u64,
    /// Requests widened to whole 512-byte blocks.
    pub widened: u64,
    /// Completions whose request isn't in the trace.
    pub unmatched_completions: u64,
    /// Requests whose completion isn't in the trace, handed out without a measured response time.
    pub unanswered: u64,
}

/// A block trace as an iterator of records, in order of time; memory does not grow with its length.
///
/// After an error the iterator ends.
pub struct TraceReader {
    stream: Stream,
    format: Box<dyn Format>,
    only_device: Option<String>,
    order: Ordering<RawRecord>,
    origin: Origin,
    done: bool,
    /// The next record, where somebody looked ahead.
    ahead: Option<RawRecord>,
    summary: TraceSummary,
}

impl TraceReader {
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
        match opened(inputs, path.as_ref(), options, Wanted::DeviceRequests)? {
            (name, Opened::Stream(stream)) => Self::from_reader(name, stream, options),
            (name, Opened::Native(reader)) => {
                let blocks = Box::new(NativeBlocks::of(*reader));
                Ok(Self::new(Stream::native(name), blocks, options))
            }
        }
    }

    /// Reads from anything: a pipe, a buffer. `name` stands in messages.
    ///
    /// # Errors
    /// As of [`TraceReader::open`].
    pub fn from_reader(
        name: impl Into<Arc<str>>,
        source: impl Read + Send + 'static,
        options: &TraceOptions,
    ) -> Result<Self, TraceError> {
        let mut stream = Stream::new(name.into(), source, options)?;
        let format = stream.parser(|sample, name, format| match format.facts().parser {
            Parser::Block(parser) => Ok(parser(sample)),
            Parser::Either { block, .. } => Ok(block(sample, name)),
            Parser::File(_) => Err(TraceError::CallsOnFiles { name: name.clone(), format }),
        })?;
        Ok(Self::new(stream, format, options))
    }

    pub(super) fn new(stream: Stream, format: Box<dyn Format>, options: &TraceOptions) -> Self {
        Self {
            format,
            only_device: options.only_device.clone(),
            order: Ordering::new(options, &stream),
            origin: Origin::new(options),
            done: false,
            ahead: None,
            summary: TraceSummary::default(),
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
    pub fn summary(&self) -> TraceSummary {
        let tally = self.format.tally();
        TraceSummary {
            reordered: self.order.reordered,
            other_events: tally.other_events,
            widened: tally.widened,
            unmatched_completions: tally.unmatched_completions,
            unanswered: tally.unanswered,
            ..self.summary
        }
    }

    /// The name of a device that the records give as a number, such as `8,16`; where the format has names.
    pub fn device_name(&self, device: u32) -> Option<String> {
        self.format.device_name(device)
    }

    /// The clock of the first record, which is read ahead for it; `None` where there is none.
    pub(crate) fn first_clock(&mut self) -> Result<Option<u128>, TraceError> {
        if self.ahead.is_none() && !self.done {
            self.ahead = self.ordered()?;
        }
        Ok(self.ahead.map(|raw| raw.clock))
    }

    /// Makes a clock time zero, instead of the first record's.
    pub(crate) fn set_origin(&mut self, clock: u128) {
        self.origin.set(clock);
    }

    /// The next record of the file that is asked for, checked.
    fn parsed(&mut self) -> Result<Option<RawRecord>, TraceError> {
        loop {
            let Some(raw) =
                self.format.next(&mut self.stream.input).map_err(|fault| self.stream.fault(fault))?
            else {
                return Ok(None);
            };
            if let Some(wanted) = &self.only_device
                && self.format.device_number(wanted) != Some(raw.record.device)
            {
                self.summary.other_devices += 1;
                continue;
            }
            check(&raw.record).map_err(|problem| self.stream.problem(raw.at, problem))?;
            return Ok(Some(raw));
        }
    }

    /// The next record in order of time.
    fn ordered(&mut self) -> Result<Option<RawRecord>, TraceError> {
        while self.order.wants() {
            let raw = self.parsed()?;
            self.order.put(raw);
        }
        self.order.take(&self.stream)
    }

    fn read(&mut self) -> Result<Option<BlockRecord>, TraceError> {
        let next = match self.ahead.take() {
            Some(raw) => Some(raw),
            None => self.ordered()?,
        };
        let Some(raw) = next else {
            let only_device = self.only_device.as_deref().filter(|_| self.summary.other_devices > 0);
            return match self.summary.records {
                0 => Err(self.stream.without_records(only_device)),
                _ => Ok(None),
            };
        };
        let mut record = raw.record;
        record.time = self.origin.time(raw.clock).map_err(|problem| self.stream.problem(raw.at, problem))?;
        let summary = &mut self.summary;
        summary.records += 1;
        match record.direction {
            Direction::Read => summary.reads += 1,
            Direction::Write => summary.writes += 1,
            Direction::Flush => summary.flushes += 1,
        }
        summary.bytes += u64::from(record.blocks) * petrio_colours::SECTOR_BYTES;
        Ok(Some(record))
    }
}

impl Iterator for TraceReader {
    type Item = Result<BlockRecord, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl std::iter::FusedIterator for TraceReader {}

/// What no device can do.
fn check(record: &BlockRecord) -> Result<(), Problem> {
    let direction = match record.direction {
        Direction::Flush => return Ok(()),
        Direction::Read => "read",
        Direction::Write => "write",
    };
    if record.blocks == 0 {
        return Err(Problem::ZeroLength(direction));
    }
    match record.address.checked_add(u64::from(record.blocks)) {
        Some(_) => Ok(()),
        None => Err(Problem::AddressOverflow { address: record.address, blocks: record.blocks }),
    }
}
