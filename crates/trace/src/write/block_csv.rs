//! Requests to devices in petrio's own block trace.
//!
//! An event that knows its response is a whole request. One whose completion is another event is held until that comes,
//! or until the trace ends.

use super::encoder::Encoder;
use crate::event::{Event, EventKind};
use crate::format::petrio::PetrioWriter;
use crate::record::BlockRecord;
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_units::numbers::as_index;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

/// A request whose completion may still come.
struct Held {
    record: BlockRecord,
    request: Option<u64>,
    issued: Option<Time>,
    open: bool,
}

#[derive(Default)]
pub(super) struct BlockCsv {
    writer: Option<PetrioWriter<Vec<u8>>>,
    held: VecDeque<Held>,
    first: u64,
    in_flight: BTreeMap<u64, u64>,
}

/// Requests held for their completions, as many as in [`crate::format`]'s block formats.
const HELD_MAX: usize = 1 << 17;

/// The request of an event; `None` for what isn't one, or has no place.
pub(super) fn request_of(event: &Event) -> Option<BlockRecord> {
    let direction = event.direction?;
    let extent = event.extents.first().copied();
    if direction != Direction::Flush && extent.is_none_or(|extent| extent.blocks == 0) {
        return None;
    }
    let extent = extent.unwrap_or_default();
    Some(BlockRecord {
        time: event.time,
        measured: event.service,
        process: event.process,
        device: extent.device,
        synchronous: event.synchronous,
        force_unit_access: event.force_unit_access,
        metadata: event.metadata,
        ..BlockRecord::new(direction, extent.address, extent.blocks)
    })
}

impl BlockCsv {
    fn write(&mut self, record: &BlockRecord, to: &mut dyn Write) -> io::Result<()> {
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => PetrioWriter::new(Vec::new())?,
        };
        writer.write(record)?;
        self.put(writer, to)
    }

    /// Writes what is there.
    fn put(&mut self, writer: PetrioWriter<Vec<u8>>, to: &mut dyn Write) -> io::Result<()> {
        let mut text = writer.into_inner();
        to.write_all(&text)?;
        text.clear();
        self.writer = Some(PetrioWriter::continued(text));
        Ok(())
    }

    fn release(&mut self, keep: usize, to: &mut dyn Write) -> io::Result<()> {
        while let Some(head) = self.held.front() {
            if head.open && self.held.len() <= keep {
                break;
            }
            let Some(head) = self.held.pop_front() else { break };
            // The number may have been used again, for a later request.
            if let Some(request) =
                head.request.filter(|request| self.in_flight.get(request) == Some(&self.first))
            {
                self.in_flight.remove(&request);
            }
            self.first += 1;
            self.write(&head.record, to)?;
        }
        Ok(())
    }
}

impl Encoder for BlockCsv {
    fn event(&mut self, event: &Event, to: &mut dyn Write) -> io::Result<bool> {
        let place = event.request.and_then(|request| self.in_flight.get(&request)).copied();
        let held = place.and_then(|place| self.held.get_mut(as_index(place - self.first)));
        let written = match (event.kind, held) {
            (EventKind::Issue, Some(held)) => {
                held.issued = Some(event.time);
                true
            }
            (EventKind::Complete, Some(held)) => {
                let since = held.issued.unwrap_or(held.record.time);
                held.record.measured = event.service.or(Some(event.time.saturating_sub(since)));
                held.open = false;
                if let Some(request) = event.request {
                    self.in_flight.remove(&request);
                }
                true
            }
            (EventKind::Queue | EventKind::Issue, _) => match request_of(event) {
                Some(record) => {
                    let open = event.service.is_none() && event.request.is_some();
                    if let (true, Some(request)) = (open, event.request) {
                        self.in_flight.insert(request, self.first + self.held.len() as u64);
                    }
                    let issued = (event.kind == EventKind::Issue).then_some(event.time);
                    self.held.push_back(Held { record, request: event.request, issued, open });
                    true
                }
                None => false,
            },
            _ => false,
        };
        self.release(HELD_MAX, to)?;
        Ok(written)
    }

    fn note(&mut self, note: &str, to: &mut dyn Write) -> io::Result<()> {
        let mut writer = match self.writer.take() {
            Some(writer) => writer,
            None => PetrioWriter::new(Vec::new())?,
        };
        writer.remark(note)?;
        self.put(writer, to)
    }

    fn finish(&mut self, to: &mut dyn Write) -> io::Result<()> {
        self.release(0, to)
    }
}
