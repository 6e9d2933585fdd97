//! The requests to devices in petrio's own trace file, as a block trace.
//!
//! A request that was queued, issued and completed is three events with one number. It arrives when it is queued (when
//! issued, if its queueing isn't in the trace); its measured response is the time from the issue to the completion, or
//! from the queueing where there is no issue. A queued event that knows its own response time, as block traces of other
//! formats become, is a whole request. How long one waits for its completion: as in [`super::block_layer`].
//!
//! Leaves out the calls on files, and requests without a direction or a range; both are counted.

use super::block_layer::{DEVICES_MAX, PATIENCE, WAITING_MAX};
use super::{Facts, Fit, Format, Parser, PositionKind, ReadCounts};
use crate::device_names::{device_name, device_number};
use crate::error::{Fault, Problem, TraceError};
use crate::event::{Event, EventKind};
use crate::input::Input;
use crate::native::{MAGIC, NativeReader, Wanted};
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_persist::{Damage, Persist, Reader, Writer};
use petrio_time::Time;
use petrio_units::numbers::{as_index, as_number};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Rows,
    fit: |sample| Fit::certain_if(sample.bytes.starts_with(MAGIC)),
    parser: Parser::Either {
        block: |_, name| Box::new(NativeBlocks::new(Source::Stream(name.clone()))),
        file: |_, name| Box::new(super::native_events::NativeEvents::new(name.clone())),
    },
};

/// Where the events come from.
enum Source {
    /// A stream that has to be read to its end first: the format begins at its end.
    Stream(Arc<str>),
    Reader(Box<NativeReader>),
}

struct Waiting {
    raw: RawRecord,
    request: Option<u64>,
    issued: Option<u128>,
    answered: bool,
}

/// Joins events to requests.
pub(crate) struct NativeBlocks {
    source: Source,
    /// In order of arrival; the first one's number is `first`.
    waiting: VecDeque<Waiting>,
    first: u64,
    /// The place in order of arrival of each request in flight.
    in_flight: BTreeMap<u64, u64>,
    /// The number that each device of the file gets, which scenarios count from 0.
    devices: BTreeMap<u32, u32>,
    newest: u128,
    at_end: bool,
    row: u64,
    tally: ReadCounts,
}

impl NativeBlocks {
    /// Of a file that is open.
    pub(crate) fn of(reader: NativeReader) -> Self {
        Self::new(Source::Reader(Box::new(reader)))
    }

    fn new(source: Source) -> Self {
        Self {
            source,
            waiting: VecDeque::new(),
            first: 0,
            in_flight: BTreeMap::new(),
            devices: BTreeMap::new(),
            newest: 0,
            at_end: false,
            row: 0,
            tally: ReadCounts::default(),
        }
    }

    fn ready(&mut self) -> Option<RawRecord> {
        let head = self.waiting.front()?;
        let given_up = self.at_end
            || self.waiting.len() > WAITING_MAX
            || head.raw.clock.saturating_add(PATIENCE) < self.newest;
        if !head.answered && !given_up {
            return None;
        }
        let head = self.waiting.pop_front()?;
        if !head.answered {
            self.tally.unanswered += 1;
            // The number may have been used again, for a later request.
            if let Some(request) =
                head.request.filter(|request| self.in_flight.get(request) == Some(&self.first))
            {
                self.in_flight.remove(&request);
            }
        }
        self.first += 1;
        Some(head.raw)
    }

    fn take(&mut self, event: &Event) -> Result<(), Problem> {
        let clock = u128::from(event.time.as_picos());
        self.newest = self.newest.max(clock);
        let known = event.request.and_then(|request| self.in_flight.get(&request)).copied();
        let known = known.and_then(|number| self.waiting.get_mut(as_index(number - self.first)));
        match (event.kind, known) {
            (EventKind::Issue, Some(waiting)) => waiting.issued = Some(clock),
            (EventKind::Complete, Some(waiting)) => {
                let since = waiting.issued.unwrap_or(waiting.raw.clock);
                let response = u64::try_from(clock.saturating_sub(since)).ok().map(Time::from_picos);
                waiting.raw.record.measured = event.service.or(response);
                waiting.answered = true;
                if let Some(request) = event.request {
                    self.in_flight.remove(&request);
                }
            }
            (EventKind::Complete, None) => self.tally.unmatched_completions += 1,
            // A number that is used again: the first request's completion isn't in the trace.
            (EventKind::Queue | EventKind::Issue, _) => self.arrive(event, clock)?,
            _ => self.tally.other_events += 1,
        }
        Ok(())
    }

    /// Linux's numbers of devices become numbers in order of first appearance, as in other traces of Linux; a plain
    /// number stays, unless it is taken.
    fn device(&mut self, device: u32) -> Result<u32, Problem> {
        if let Some(&known) = self.devices.get(&device) {
            return Ok(known);
        }
        if self.devices.len() >= DEVICES_MAX {
            let found = device_name(device);
            return Err(Problem::TooLarge { column: "device", found, limit: "4096 different devices" });
        }
        let taken = |number: u32| self.devices.values().any(|&known| known == number);
        let plain = device >> MINOR_BITS == 0 && !taken(device);
        // One of so many numbers is free, because each device took one.
        let free = || (0..=as_number(self.devices.len())).find(|&number| !taken(number)).unwrap_or(device);
        let number = if plain { device } else { free() };
        self.devices.insert(device, number);
        Ok(number)
    }

    fn arrive(&mut self, event: &Event, clock: u128) -> Result<(), Problem> {
        let extent = event.extents.first().copied();
        let (Some(direction), true) =
            (event.direction, extent.is_some() || event.direction == Some(Direction::Flush))
        else {
            self.tally.other_events += 1;
            return Ok(());
        };
        let extent = extent.unwrap_or_default();
        let record = BlockRecord {
            process: event.process,
            device: self.device(extent.device)?,
            measured: event.service,
            force_unit_access: event.force_unit_access,
            metadata: event.metadata,
            synchronous: event.synchronous,
            ..BlockRecord::new(direction, extent.address, extent.blocks)
        };
        let answered = event.service.is_some() || event.request.is_none();
        if let (false, Some(request)) = (answered, event.request) {
            self.in_flight.insert(request, self.first + self.waiting.len() as u64);
        }
        let issued = (event.kind == EventKind::Issue).then_some(clock);
        let raw = RawRecord { clock, at: self.row, record };
        self.waiting.push_back(Waiting { raw, request: event.request, issued, answered });
        Ok(())
    }
}

impl Format for NativeBlocks {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawRecord>, Fault> {
        loop {
            if let Some(raw) = self.ready() {
                return Ok(Some(raw));
            }
            let reader = match &mut self.source {
                Source::Reader(reader) => reader,
                Source::Stream(name) => {
                    let file = input.kept_aside()?;
                    let reader = NativeReader::of_file(name.clone(), file, Wanted::DeviceRequests)?;
                    self.source = Source::Reader(Box::new(reader));
                    continue;
                }
            };
            let Some(event) = reader.next().transpose()? else {
                self.at_end = true;
                return Ok(self.ready());
            };
            self.row += 1;
            self.take(&event)?;
        }
    }

    /// Where no request waits for its end, which is another event.
    fn stands_alone(&self) -> bool {
        self.waiting.is_empty()
    }

    fn save(&self, to: &mut Writer<'_>) {
        self.devices.save(to);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        self.devices.restore(from)
    }

    fn rows(&self) -> u64 {
        self.row
    }

    fn go_to_row(&mut self, row: u64) -> Result<(), TraceError> {
        self.row = self.row.max(row);
        match &mut self.source {
            Source::Reader(reader) => reader.go_to(row),
            Source::Stream(_) => Ok(()),
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn device_number(&self, name: &str) -> Option<u32> {
        self.devices.get(&device_number(name)?).copied()
    }

    fn device_name(&self, device: u32) -> Option<String> {
        let (&named, _) = self.devices.iter().find(|&(_, &number)| number == device)?;
        (named >> MINOR_BITS > 0).then(|| device_name(named))
    }
}

/// Linux's device numbers: `MINORBITS` of `include/linux/kdev_t.h`.
const MINOR_BITS: u32 = 20;
