//! Reads one trace as a stream of records: opens, unpacks, detects, checks, puts in order.

use super::begin::{Begun, Opened, opened, read_error};
use super::compression::Compression;
use super::error::{Fault, Place, Problem, TraceError, printable};
use super::format::native::NativeBlocks;
use super::format::{Format, FormatName, Parser, Sample};
use super::input::Input;
use super::native::{NativeReader, Wanted};
use super::options::{REORDER_WINDOW_MAX, TraceOptions};
use super::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_kernel::Time;
use std::collections::VecDeque;
use std::io::{self, Read};
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
    name: Arc<str>,
    compression: Compression,
    input: Input,
    format_name: FormatName,
    format: Box<dyn Format>,
    only_device: Option<String>,
    window: usize,
    /// Records held back to be sorted, in order of time. Most arrive in order, so most go to the end.
    held: VecDeque<RawRecord>,
    /// The clock that is time zero; `None` until the first record with rebasing on.
    origin: Option<u128>,
    rebase: bool,
    newest: u128,
    last: u128,
    input_ended: bool,
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
        let path = path.as_ref();
        let name: Arc<str> = path.to_string_lossy().into();
        match opened(path) {
            Ok(Opened::Stream(stream)) => Self::from_reader(name, stream, options),
            Ok(Opened::Native(file)) if options.format.is_some_and(|format| format != FormatName::Native) => {
                Self::from_reader(name, file, options)
            }
            Ok(Opened::Native(file)) => {
                let reader = NativeReader::of_file(name.clone(), file, Wanted::DeviceRequests)?;
                let input = Input::new(Box::new(io::empty()));
                let blocks = Box::new(NativeBlocks::of(reader));
                Ok(Self::new(name, Compression::None, input, FormatName::Native, blocks, options))
            }
            Err(source) => Err(TraceError::Open { name, source }),
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
        let name = name.into();
        let Begun { compression, mut input, format: format_name } = Begun::new(&name, source, options)?;
        let (bytes, whole_file) =
            input.sample().map_err(|source| read_error(&name, compression, Place::Byte(0), source))?;
        let sample = Sample::new(bytes, whole_file);
        let format = match format_name.facts().parser {
            Parser::Block(parser) => parser(&sample),
            Parser::Either { block, .. } => block(&sample, &name),
            Parser::File(_) => return Err(TraceError::CallsOnFiles { name, format: format_name }),
        };
        Ok(Self::new(name, compression, input, format_name, format, options))
    }

    fn new(
        name: Arc<str>,
        compression: Compression,
        input: Input,
        format_name: FormatName,
        format: Box<dyn Format>,
        options: &TraceOptions,
    ) -> Self {
        let window = options.reorder_window.unwrap_or(format_name.facts().reorder_window);
        Self {
            compression,
            input,
            format_name,
            format,
            only_device: options.only_device.clone(),
            window: window.min(REORDER_WINDOW_MAX),
            held: VecDeque::new(),
            origin: (!options.rebase).then_some(0),
            rebase: options.rebase,
            newest: 0,
            last: 0,
            input_ended: false,
            done: false,
            ahead: None,
            summary: TraceSummary::default(),
            name,
        }
    }

    /// The file's name, as in messages.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The format it is read as.
    pub const fn format(&self) -> FormatName {
        self.format_name
    }

    /// What was read so far.
    pub fn summary(&self) -> TraceSummary {
        let tally = self.format.tally();
        TraceSummary {
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
        self.origin = Some(clock);
    }

    fn place(&self, at: u64) -> Place {
        self.format_name.facts().places.at(at)
    }

    fn here(&self) -> Place {
        self.format_name.facts().places.here(&self.input)
    }

    fn problem(&self, at: u64, problem: Problem) -> TraceError {
        TraceError::Record {
            name: self.name.clone(),
            place: self.place(at),
            format: self.format_name,
            problem,
        }
    }

    /// The next record of the file that is asked for, checked.
    fn parsed(&mut self) -> Result<Option<RawRecord>, TraceError> {
        loop {
            let raw = match self.format.next(&mut self.input) {
                Ok(Some(raw)) => raw,
                Ok(None) => return Ok(None),
                Err(Fault::Problem(problem)) => {
                    return Err(TraceError::Record {
                        name: self.name.clone(),
                        place: self.here(),
                        format: self.format_name,
                        problem,
                    });
                }
                Err(Fault::Trace(error)) => return Err(*error),
                Err(Fault::Io(source)) => {
                    return Err(read_error(&self.name, self.compression, self.here(), source));
                }
            };
            if let Some(wanted) = &self.only_device
                && self.format.device_number(wanted) != Some(raw.record.device)
            {
                self.summary.other_devices += 1;
                continue;
            }
            check(&raw.record).map_err(|problem| self.problem(raw.at, problem))?;
            return Ok(Some(raw));
        }
    }

    /// The next record in order of time.
    fn ordered(&mut self) -> Result<Option<RawRecord>, TraceError> {
        let raw = if self.window == 0 {
            self.parsed()?
        } else {
            while !self.input_ended && self.held.len() <= self.window {
                match self.parsed()? {
                    None => self.input_ended = true,
                    Some(raw) => {
                        self.summary.reordered += u64::from(raw.clock < self.newest);
                        self.newest = self.newest.max(raw.clock);
                        let late = self.held.back().is_some_and(|back| raw.clock < back.clock);
                        let place = match late {
                            false => self.held.len(),
                            true => self.held.partition_point(|held| held.clock <= raw.clock),
                        };
                        self.held.insert(place, raw);
                    }
                }
            }
            self.held.pop_front()
        };
        let Some(raw) = raw else { return Ok(None) };
        if raw.clock < self.last {
            let by = Time::from_picos(u64::try_from(self.last - raw.clock).unwrap_or(u64::MAX - 1));
            return Err(self.problem(raw.at, Problem::OutOfOrder { by, window: self.window }));
        }
        self.last = raw.clock;
        Ok(Some(raw))
    }

    fn read(&mut self) -> Result<Option<BlockRecord>, TraceError> {
        let next = match self.ahead.take() {
            Some(raw) => Some(raw),
            None => self.ordered()?,
        };
        let Some(raw) = next else {
            if self.summary.records == 0 && self.summary.other_devices == 0 {
                let lines = match self.here() {
                    Place::Line(count) => format!("its {count} lines"),
                    Place::Byte(count) => format!("its {count} bytes"),
                    Place::Row(count) => format!("its {count} rows"),
                };
                let (name, format) = (self.name.clone(), self.format_name);
                return Err(TraceError::NoRecords { name, format, lines });
            }
            if let Some(device) = self.only_device.as_ref().filter(|_| self.summary.records == 0) {
                let lines = format!("it to device {}", printable(device.as_bytes()));
                let (name, format) = (self.name.clone(), self.format_name);
                return Err(TraceError::NoRecords { name, format, lines });
            }
            return Ok(None);
        };
        let origin = *self.origin.get_or_insert(raw.clock);
        let mut record = raw.record;
        record.time = match u64::try_from(raw.clock.saturating_sub(origin)) {
            Ok(u64::MAX) | Err(_) => {
                let origin = if self.rebase { "the first record" } else { "zero" };
                return Err(self.problem(raw.at, Problem::BeyondHorizon { origin }));
            }
            Ok(picos) => Time::from_picos(picos),
        };
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
