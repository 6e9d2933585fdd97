//! Reads any trace as one stream of events, whatever it is a trace of: a block trace's requests are events, too.

use super::device_names::device_number;
use super::error::{Fault, Problem, TraceError};
use super::event::{Event, EventKind, Extent};
use super::format::native_events::NativeEvents;
use super::format::{Format, FormatName, Parser, RawEvent, ReadCounts, Sample};
use super::input::Input;
use super::native::{About, NativeReader, Wanted};
use super::reader::{Parsed, Reader};
use super::record::{BlockRecord, Record};
use petrio_colours::SECTOR_BYTES;
use petrio_persist::{Damage, Persist, Writer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A trace in any format as events in order of time.
///
/// A record of a block trace becomes an event of the kind [`EventKind::Queue`], with the measured response time as its
/// service time.
///
/// ```
/// use petrio_trace::event::EventKind;
/// use petrio_trace::{EventReader, TraceOptions};
/// let text = "0.5 0 100 8 1\n1.75 0 4096 16 0\n";
/// let events = EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default())?;
/// let events = events.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((events[1].kind, events[1].extents[0].address, events[1].length), (EventKind::Queue, 4096, 8192));
/// # Ok::<(), petrio_trace::TraceError>(())
/// ```
pub type EventReader = Reader<Event>;

impl Parsed for Event {
    const WANTED: Wanted = Wanted::Everything;

    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn of_native(name: &Arc<str>, reader: NativeReader) -> Box<dyn Format<Self>> {
        Box::new(NativeEvents::of(name.clone(), reader))
    }

    #[expect(private_interfaces, reason = "formats are this crate's own")]
    fn parser(
        sample: &Sample<'_>,
        name: &Arc<str>,
        format: FormatName,
    ) -> Result<Box<dyn Format<Self>>, TraceError> {
        Ok(match format.facts().parser {
            Parser::Block(parser) => Box::new(Queued { format: parser(sample), devices: BTreeMap::new() }),
            Parser::File(parser) => parser(sample),
            Parser::Either { file, .. } => file(sample, name),
        })
    }
}

impl Reader<Event> {
    /// What is known of the trace as a whole, which takes a look at its first event: where that is brought to time
    /// zero, the origin is its wall clock.
    ///
    /// # Errors
    /// What is wrong with the first event.
    pub fn about(&mut self) -> Result<About, TraceError> {
        if self.first_clock()?.is_none() {
            return Err(self.without_records());
        }
        let (format, shift) = self.said();
        let mut about = format.about().cloned().unwrap_or_default();
        let shift = u64::try_from(shift / 1_000).unwrap_or_default();
        about.origin_unix_ns = match (about.origin_unix_ns, format.is_since_1970()) {
            (Some(origin), _) => origin.checked_add(shift),
            (None, true) => Some(shift),
            (None, false) => None,
        };
        Ok(about)
    }
}

/// The requests of a block trace as events.
struct Queued {
    format: Box<dyn Format>,
    /// Major and minor number in one, for the devices that have them.
    devices: BTreeMap<u32, u32>,
}

impl Queued {
    fn shown(&self, device: u32) -> u32 {
        self.format.device_name(device).and_then(|name| device_number(&name)).unwrap_or(device)
    }
}

impl Format<Event> for Queued {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        let Some(raw) = self.format.next(input)? else { return Ok(None) };
        let mut record = raw.record;
        record.device = match self.devices.get(&record.device) {
            Some(&device) => device,
            None => {
                let device = self.shown(record.device);
                self.devices.insert(record.device, device);
                device
            }
        };
        Ok(Some(RawEvent { clock: raw.clock, at: raw.at, record: queued(&record) }))
    }

    fn stands_alone(&self) -> bool {
        self.format.stands_alone()
    }

    fn save(&self, to: &mut Writer<'_>) {
        self.devices.save(to);
        self.format.save(to);
    }

    fn restore(&mut self, from: &mut petrio_persist::Reader<'_>) -> Result<(), Damage> {
        self.devices.restore(from)?;
        self.format.restore(from)
    }

    fn rows(&self) -> u64 {
        self.format.rows()
    }

    fn go_to_row(&mut self, row: u64) -> Result<(), TraceError> {
        self.format.go_to_row(row)
    }

    fn tally(&self) -> ReadCounts {
        self.format.tally()
    }

    fn check(&self, event: &Event) -> Result<(), Problem> {
        let (Some(direction), Some(extent)) = (event.direction, event.extents.first()) else { return Ok(()) };
        BlockRecord::new(direction, extent.address, extent.blocks).check()
    }

    fn device_number(&self, name: &str) -> Option<u32> {
        self.format.device_number(name).map(|device| self.shown(device))
    }

    fn process_name(&self, process: u32) -> Option<String> {
        self.format.process_name(process)
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
        metadata: record.metadata,
        ..Event::new(record.time, EventKind::Queue)
    };
    let BlockRecord { device, address, blocks, .. } = *record;
    event.extents.push(Extent { device, address, blocks, hit: false });
    event
}
