//! Events of Linux's block layer paired into requests: what `blkparse` and the kernel's trace events have in common.
//!
//! A request arrives when it is queued (`Q`, `block_bio_queue`); a trace without those is taken from the dispatch to
//! the driver (`D`, `block_rq_issue`). Its measured response ends at the completion (`C`, `block_rq_complete`) of the
//! last of its blocks: the block layer merges queued requests into larger ones and splits large ones, so completions
//! are matched by the range of blocks they cover. Source: blktrace's manual; Linux 6.x `include/trace/events/block.h`,
//! `blk_fill_rwbs` in `kernel/trace/blktrace.c`.
//!
//! Requests are handed out in order of arrival, each once its completion is known. One whose completion doesn't come
//! within [`PATIENCE`] or [`WAITING_MAX`] later arrivals is handed out without a measured response, and counted.
//!
//! Leaves out zone commands and events of other stages; all are counted.

use super::{ReadCounts, Sample};
use crate::error::{Problem, printable};
use crate::field::whole32;
use crate::record::{BlockRecord, RawRecord};
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_units::numbers::{as_index, as_number};
use std::collections::{BTreeSet, VecDeque};

/// Requests waiting for their completion: twice the depth of the deepest hardware queue (NVMe, 65,535 and several
/// queues) bounds the memory of a trace without completions.
pub(super) const WAITING_MAX: usize = 1 << 17;

/// No device leaves a request unanswered for longer: Linux gives up after 30 s, with retries.
pub(super) const PATIENCE: u128 = 120 * 1_000_000_000_000;

/// Devices are looked up one by one.
pub(super) const DEVICES_MAX: usize = 4_096;

/// A stage of a request's way that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestStage {
    Queued,
    Issued,
    Completed,
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockEvent {
    pub(super) stage: RequestStage,
    /// Picoseconds.
    pub(super) clock: u128,
    /// Line.
    pub(super) at: u64,
    /// Major and minor number.
    pub(super) device: (u32, u32),
    pub(super) operation: Operation,
    pub(super) address: u64,
    pub(super) blocks: u32,
    pub(super) process: u32,
}

/// What the letters of the RWBS column say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Operation {
    /// `None` for a zone command and the like.
    direction: Option<Direction>,
    /// A cache flush goes before the data.
    flush_first: bool,
    force_unit_access: bool,
    synchronous: bool,
    metadata: bool,
}

impl Operation {
    /// Whether it flushes the device's cache, with data or without.
    pub(super) fn flushes(&self) -> bool {
        self.flush_first || self.direction == Some(Direction::Flush)
    }

    /// Reads `RS`, `WFS`, `FWS`, `DE`, …: an optional flush before, the operation, then attributes.
    pub(super) fn from_rwbs(letters: &[u8]) -> Option<Self> {
        if letters.is_empty() || !letters.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let (flush_first, rest) = match letters {
            [b'F', rest @ ..] if !rest.is_empty() => (true, rest),
            whole => (false, whole),
        };
        let attributes = rest.get(1..).unwrap_or_default();
        let direction = match rest[0] {
            b'R' => Some(Direction::Read),
            b'W' => Some(Direction::Write),
            b'F' => Some(Direction::Flush),
            b'D' => Some(Direction::Discard),
            _ if flush_first => Some(Direction::Flush),
            _ => None,
        };
        let read_ahead = attributes.contains(&b'A');
        Some(Self {
            direction,
            flush_first,
            force_unit_access: attributes.contains(&b'F'),
            synchronous: attributes.contains(&b'S') || (direction == Some(Direction::Read) && !read_ahead),
            metadata: attributes.contains(&b'M'),
        })
    }
}

/// A request that has arrived and not been handed out.
struct Waiting {
    raw: RawRecord,
    /// Blocks whose completion hasn't been seen; 0 when it is ready.
    open_blocks: u32,
}

/// What a record of the block layer's is.
pub(super) enum RecordKind {
    /// It begins, issues or ends a request.
    Event(BlockEvent),
    /// It is another step of one (a merge, an insertion, a plug), or a message: nothing more follows from it.
    Other,
    /// It is none of these.
    Foreign,
}

/// Pairs events into requests.
pub(super) struct Pairing {
    /// Which stage counts as the arrival; `None` until the first that could.
    arrival: Option<RequestStage>,
    devices: Vec<(u32, u32)>,
    /// In order of arrival; the first one's number is `first`.
    waiting: VecDeque<Waiting>,
    first: u64,
    /// Requests in flight by device, first block and number.
    in_flight: BTreeSet<(u32, u64, u64)>,
    /// Room for what a completion may complete, kept from one to the next.
    candidates: Vec<(u32, u64, u64)>,
    newest: u128,
    at_end: bool,
    pub(super) tally: ReadCounts,
}

impl Pairing {
    /// Decides which stage is the arrival from the events at the file's beginning.
    pub(super) fn new(sample: &Sample<'_>, stage: impl Fn(&[u8]) -> Option<RequestStage>) -> Self {
        Self::with_stages(|wanted| sample.lines.iter().any(|line| stage(line) == Some(wanted)))
    }

    /// Decides which stage is the arrival: queueing, if there is any.
    pub(super) fn with_stages(has: impl Fn(RequestStage) -> bool) -> Self {
        let arrival = [RequestStage::Queued, RequestStage::Issued].into_iter().find(|&wanted| has(wanted));
        Self {
            arrival,
            devices: Vec::new(),
            waiting: VecDeque::new(),
            first: 0,
            in_flight: BTreeSet::new(),
            candidates: Vec::new(),
            newest: 0,
            at_end: false,
            tally: ReadCounts::default(),
        }
    }

    /// Takes in one record, which stands at `at`.
    pub(super) fn step(&mut self, step: &RecordKind, at: u64) -> Result<(), Problem> {
        match step {
            RecordKind::Event(event) => return self.event(BlockEvent { at, ..*event }),
            RecordKind::Other => self.tally.other_steps += 1,
            RecordKind::Foreign => self.tally.other_events += 1,
        }
        Ok(())
    }

    /// Takes in one event.
    pub(super) fn event(&mut self, event: BlockEvent) -> Result<(), Problem> {
        self.newest = self.newest.max(event.clock);
        match event.stage {
            RequestStage::Completed => self.complete(&event),
            stage => {
                if *self.arrival.get_or_insert(stage) == stage {
                    self.arrive(&event)?;
                }
            }
        }
        Ok(())
    }

    /// Tells that no event will follow.
    pub(super) fn end(&mut self) {
        self.at_end = true;
    }

    /// The next request that can be handed out.
    pub(super) fn ready(&mut self) -> Option<RawRecord> {
        let head = self.waiting.front()?;
        let answered = head.open_blocks == 0;
        let given_up = self.at_end
            || self.waiting.len() > WAITING_MAX
            || head.raw.clock.saturating_add(PATIENCE) < self.newest;
        if !answered && !given_up {
            return None;
        }
        let raw = head.raw;
        if !answered {
            self.tally.unanswered += 1;
            self.in_flight.remove(&(raw.record.device, raw.record.address, self.first));
        }
        self.waiting.pop_front();
        self.first += 1;
        Some(raw)
    }

    fn arrive(&mut self, event: &BlockEvent) -> Result<(), Problem> {
        let device = self.device(event.device)?;
        let operation = event.operation;
        let flush =
            operation.direction == Some(Direction::Flush) || (operation.flush_first && event.blocks == 0);
        let raw = |record: BlockRecord| RawRecord {
            clock: event.clock,
            at: event.at,
            record: BlockRecord { device, process: event.process, ..record },
        };
        if flush || operation.flush_first {
            // Its completion can't be told from that of the data, so it has no measured response.
            let record = BlockRecord { synchronous: true, ..BlockRecord::new(Direction::Flush, 0, 0) };
            self.waiting.push_back(Waiting { raw: raw(record), open_blocks: 0 });
        }
        let Some(direction) = operation.direction.filter(|_| !flush) else {
            self.tally.other_events += u64::from(!flush);
            return Ok(());
        };
        if self.requeued(device, event) {
            return Ok(());
        }
        let record = BlockRecord {
            force_unit_access: operation.force_unit_access,
            synchronous: operation.synchronous,
            metadata: operation.metadata,
            ..BlockRecord::new(direction, event.address, event.blocks)
        };
        let number = self.first + self.waiting.len() as u64;
        self.waiting.push_back(Waiting { raw: raw(record), open_blocks: event.blocks });
        if event.blocks > 0 {
            self.in_flight.insert((device, event.address, number));
        }
        Ok(())
    }

    /// A request that the driver gave back is issued again; it arrived the first time.
    fn requeued(&self, device: u32, event: &BlockEvent) -> bool {
        event.stage == RequestStage::Issued
            && self.starting_at(device, event.address).any(|number| {
                let record = &self.waiting[as_index(number - self.first)].raw.record;
                record.blocks == event.blocks && Some(record.direction) == event.operation.direction
            })
    }

    fn starting_at(&self, device: u32, address: u64) -> impl Iterator<Item = u64> {
        self.in_flight.range((device, address, 0)..=(device, address, u64::MAX)).map(|&(_, _, number)| number)
    }

    fn complete(&mut self, event: &BlockEvent) {
        let Some(device) = self.devices.iter().position(|&known| known == event.device) else {
            self.tally.unmatched_completions += 1;
            return;
        };
        let device = as_number(device);
        let end = event.address.saturating_add(u64::from(event.blocks));
        // Requests that begin within the completed range, and the one that begins before and may reach into it.
        let before = self.in_flight.range((device, 0, 0)..(device, event.address, 0)).next_back();
        let within = self.in_flight.range((device, event.address, 0)..(device, end.max(event.address), 0));
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.extend(before.into_iter().chain(within).copied());
        // A block is completed once: of two requests for the same blocks the earlier is meant.
        let mut covered = event.address;
        let mut matched = false;
        for key in candidates.drain(..) {
            let Some(waiting) = self.waiting.get_mut(as_index(key.2 - self.first)) else { continue };
            let record = &mut waiting.raw.record;
            let record_end = record.address.saturating_add(u64::from(record.blocks));
            let overlap = record_end.min(end).saturating_sub(record.address.max(covered));
            if Some(record.direction) != event.operation.direction || overlap == 0 {
                continue;
            }
            matched = true;
            covered = record_end.min(end);
            // At most `blocks`, which has 32 bits.
            waiting.open_blocks = waiting.open_blocks.saturating_sub(as_number(overlap));
            if waiting.open_blocks == 0 {
                let response = event.clock.saturating_sub(waiting.raw.clock);
                record.measured = u64::try_from(response).ok().map(Time::from_picos);
                self.in_flight.remove(&key);
            }
        }
        self.candidates = candidates;
        let counts = event.blocks > 0 && event.operation.direction.is_some();
        self.tally.unmatched_completions += u64::from(!matched && counts);
    }

    fn device(&mut self, device: (u32, u32)) -> Result<u32, Problem> {
        let known = self.devices.iter().position(|&known| known == device);
        let number = match known {
            Some(number) => number,
            None if self.devices.len() < DEVICES_MAX => {
                self.devices.push(device);
                self.devices.len() - 1
            }
            None => {
                let found = format!("{},{}", device.0, device.1);
                return Err(Problem::TooLarge { column: "device", found, limit: "4096 different devices" });
            }
        };
        // At most `DEVICES_MAX`.
        Ok(as_number(number))
    }

    pub(super) fn device_number(&self, name: &str) -> Option<u32> {
        let device = parse_device(name.trim().as_bytes()).ok()?;
        self.devices.iter().position(|&known| known == device).map(as_number)
    }

    pub(super) fn device_name(&self, device: u32) -> Option<String> {
        self.devices.get(device as usize).map(|(major, minor)| format!("{major},{minor}"))
    }
}

/// Reads `8,16`.
pub(super) fn parse_device(text: &[u8]) -> Result<(u32, u32), Problem> {
    let comma = text.iter().position(|&byte| byte == b',').ok_or_else(|| Problem::NotANumber {
        column: "device",
        found: printable(text),
        expected: "major and minor number such as 8,16",
    })?;
    Ok((whole32(&text[..comma], "device")?, whole32(text[comma + 1..].trim_ascii(), "device")?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn event(stage: RequestStage, microseconds: u128, rwbs: &[u8], address: u64, blocks: u32) -> BlockEvent {
        BlockEvent {
            stage,
            clock: microseconds * 1_000_000,
            at: 1,
            device: (8, 0),
            operation: Operation::from_rwbs(rwbs).unwrap(),
            address,
            blocks,
            process: 7,
        }
    }

    fn paired(events: &[BlockEvent]) -> (Vec<RawRecord>, ReadCounts) {
        let mut pairing = Pairing::new(&Sample::new(b"", true), |_| None);
        let mut out = Vec::new();
        for &event in events {
            pairing.event(event).unwrap();
            out.extend(std::iter::from_fn(|| pairing.ready()));
        }
        pairing.end();
        out.extend(std::iter::from_fn(|| pairing.ready()));
        (out, pairing.tally)
    }

    fn responses_us(records: &[RawRecord]) -> Vec<Option<f64>> {
        records.iter().map(|raw| raw.record.measured.map(Time::as_micros)).collect()
    }

    #[test]
    fn merged_requests_complete_together_and_split_ones_with_their_last_part() {
        use RequestStage::{Completed, Queued};
        let (records, tally) = paired(&[
            event(Queued, 0, b"WS", 100, 8),
            event(Queued, 1, b"WS", 108, 8),
            event(Queued, 2, b"R", 500, 16),
            event(Completed, 10, b"WS", 100, 16),
            event(Completed, 20, b"R", 500, 8),
            event(Completed, 30, b"R", 508, 8),
        ]);
        assert_eq!(responses_us(&records), [Some(10.0), Some(9.0), Some(28.0)]);
        assert_eq!(tally, ReadCounts::default());
    }

    #[test]
    fn two_requests_for_the_same_blocks_complete_in_order() {
        use RequestStage::{Completed, Queued};
        let (records, _) = paired(&[
            event(Queued, 0, b"R", 64, 8),
            event(Queued, 5, b"R", 64, 8),
            event(Completed, 10, b"R", 64, 8),
            event(Completed, 25, b"R", 64, 8),
        ]);
        assert_eq!(responses_us(&records), [Some(10.0), Some(20.0)]);
    }

    #[test]
    fn a_request_without_completion_is_kept_and_a_completion_without_request_is_counted() {
        use RequestStage::{Completed, Queued};
        let (records, tally) = paired(&[
            event(Queued, 0, b"R", 64, 8),
            event(Completed, 1, b"R", 9_000, 8),
            event(Completed, 2, b"W", 64, 8),
        ]);
        assert_eq!(responses_us(&records), [None]);
        assert_eq!((tally.unanswered, tally.unmatched_completions), (1, 2));
    }

    #[test]
    fn without_queue_events_the_dispatch_is_the_arrival_and_a_requeue_is_no_second_one() {
        use RequestStage::{Completed, Issued};
        let (records, _) = paired(&[
            event(Issued, 0, b"W", 64, 8),
            event(Issued, 4, b"W", 64, 8),
            event(Completed, 10, b"W", 64, 8),
        ]);
        assert_eq!(responses_us(&records), [Some(10.0)]);
    }

    #[test]
    fn letters_tell_flushes_attributes_and_what_is_left_out() {
        let read = |letters| Operation::from_rwbs(letters).unwrap();
        assert_eq!(read(b"FF").direction, Some(Direction::Flush));
        assert_eq!(read(b"FN").direction, Some(Direction::Flush));
        assert_eq!((read(b"DS").direction, read(b"ZR").direction), (Some(Direction::Discard), None));
        assert!(read(b"WFS").force_unit_access && !read(b"WFS").flush_first);
        assert!(read(b"FWFS").flush_first && read(b"FWFS").force_unit_access);
        assert!(read(b"WSM").metadata && read(b"RM").metadata && !read(b"WFS").metadata);
        assert!(read(b"R").synchronous && !read(b"RA").synchronous && !read(b"WM").synchronous);
        assert_eq!(Operation::from_rwbs(b"+"), None);

        let (records, tally) = paired(&[
            event(RequestStage::Queued, 0, b"FWS", 0, 0),
            event(RequestStage::Queued, 1, b"FWFS", 80, 8),
            event(RequestStage::Queued, 2, b"D", 80, 8),
            event(RequestStage::Queued, 3, b"ZR", 80, 8),
        ]);
        let directions: Vec<_> = records.iter().map(|raw| raw.record.direction).collect();
        let [flush, write, discard] = [Direction::Flush, Direction::Write, Direction::Discard];
        assert_eq!(directions, [flush, flush, write, discard]);
        assert_eq!(tally.other_events, 1);
    }
}
