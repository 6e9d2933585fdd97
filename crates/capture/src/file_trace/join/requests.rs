//! Device requests: from the file system's hand through the queue to the device and back, under one number.
//!
//! What a file system hands over (a bio) may be merged with others into one request, or be split into several. A
//! request is what goes to the device: bios that it covers get its number, and a bio's rest waits for the next. A
//! completion is that of the request issued at the same sector. Without an issue in between (devices that take bios as
//! they are) the queueing stands alone.
//!
//! Source: Linux 6.18 `block/blk-core.c`, `block/blk-mq.c` (where the events stand), `kernel/trace/blktrace.c`
//! (`blk_fill_rwbs`, the letters). Left out: zone commands, which are counted.

use super::places::ExtentMap;
use super::queue::{Position, Queue};
use crate::recorder::block::{Access, BlockAccess, Letters};
use crate::recorder::kernel_event::RequestStage;
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, Extent};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

const SECTOR_BYTES: u64 = 512;

/// Bios and requests that are remembered at most; older ones went unseen.
const PENDING_MAX: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
struct Bio {
    sectors: u64,
    queued_ns: u64,
    thread: u32,
    /// Its record in the queue; a split bio's rest has none.
    place: Option<Position>,
}

#[derive(Clone, Copy, Debug)]
struct Flying {
    number: u64,
    issued_ns: u64,
    sectors: u64,
    thread: u32,
}

/// A step of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestEvent {
    /// Nanoseconds on the trace's clock.
    pub(crate) time_ns: u64,
    /// Nanoseconds of the trace's origin on that clock.
    pub(crate) origin_ns: u64,
    /// In whose context.
    pub(crate) thread: u32,
    /// Which step.
    pub(crate) stage: RequestStage,
    /// The disk.
    pub(crate) disk: u32,
    /// First sector.
    pub(crate) sector: u64,
    /// Length in sectors.
    pub(crate) sectors: u64,
    /// The block layer's letters.
    pub(crate) letters: Letters,
}

/// What the letters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RequestKind {
    direction: Direction,
    synchronous: bool,
    force_unit_access: bool,
    metadata: bool,
}

/// None of what is neither of these.
fn said(letters: Letters, sectors: u64) -> Option<RequestKind> {
    let access = BlockAccess::of_letters(letters, 0, sectors)?;
    let direction = match access.access {
        Access::Read => Direction::Read,
        Access::Write => Direction::Write,
        Access::Flush => Direction::Flush,
        Access::Discard => Direction::Discard,
        Access::Other => return None,
    };
    Some(RequestKind {
        direction,
        synchronous: access.synchronous,
        force_unit_access: access.force_unit_access && direction == Direction::Write,
        metadata: access.metadata,
    })
}

/// Requests on their way.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    bios: BTreeMap<(u32, u64), SmallVec<[Bio; 1]>>,
    flying: FxHashMap<(u32, u64), SmallVec<[Flying; 1]>>,
    last_number: u64,
    /// Others, which aren't recorded.
    pub(crate) passed_over: u64,
}

impl Requests {
    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// A request went a step further.
    pub(crate) fn step(&mut self, mut step: RequestEvent, places: &ExtentMap, queue: &mut Queue) {
        let Some(said) = said(step.letters, step.sectors) else {
            self.passed_over += u64::from(step.stage == RequestStage::Queued);
            return;
        };
        if said.direction == Direction::Flush {
            // A flush has no place, whatever its sector says.
            (step.sector, step.sectors) = (0, 0);
        }
        match step.stage {
            RequestStage::Queued => self.queued(step, said, places, queue),
            // Of the queue in between, a file-level trace has nothing.
            RequestStage::Inserted => {}
            RequestStage::Issued => self.issued(step, said, places, queue),
            RequestStage::Completed => self.completed(step, said, places, queue),
        }
    }

    fn queued(&mut self, step: RequestEvent, said: RequestKind, places: &ExtentMap, queue: &mut Queue) {
        let place = queue.reserve(step.time_ns);
        queue.unsettle(place, step.event(EventKind::Queue, said, step.thread, places));
        let bio =
            Bio { sectors: step.sectors, queued_ns: step.time_ns, thread: step.thread, place: Some(place) };
        self.bios.entry((step.disk, step.sector)).or_default().push(bio);
        if self.bios.len() > PENDING_MAX {
            self.bios.clear();
        }
    }

    fn issued(&mut self, step: RequestEvent, said: RequestKind, places: &ExtentMap, queue: &mut Queue) {
        let again = self.flying.get(&(step.disk, step.sector));
        if step.sectors > 0
            && again.is_some_and(|flying| flying.iter().any(|one| one.sectors == step.sectors))
        {
            // Sent back to the queue and issued again: its first issue counts.
            return;
        }
        let number = self.number();
        let end = step.sector.saturating_add(step.sectors.max(1));
        let starts: SmallVec<[u64; 4]> = self
            .bios
            .range((step.disk, step.sector)..(step.disk, end))
            .map(|((_, sector), _)| *sector)
            .collect();
        let mut first: Option<Bio> = None;
        for start in starts {
            let Some(mut waiting) = self.bios.remove(&(step.disk, start)) else { continue };
            let bio = waiting.remove(0);
            if !waiting.is_empty() {
                self.bios.insert((step.disk, start), waiting);
            }
            if let Some(place) = bio.place {
                queue.complete(place, |event| event.request = Some(number));
            }
            let bio_end = start.saturating_add(bio.sectors);
            if bio_end > end && step.sectors > 0 {
                let rest = Bio { sectors: bio_end - end, place: None, ..bio };
                self.bios.entry((step.disk, end)).or_default().push(rest);
            }
            if first.is_none_or(|first| bio.queued_ns < first.queued_ns) {
                first = Some(bio);
            }
        }
        let thread = first.map_or(step.thread, |bio| bio.thread);
        let mut event = step.event(EventKind::Issue, said, thread, places);
        event.request = Some(number);
        queue.push(step.time_ns, event);
        let flying = Flying { number, issued_ns: step.time_ns, sectors: step.sectors, thread };
        self.flying.entry((step.disk, step.sector)).or_default().push(flying);
        if self.flying.len() > PENDING_MAX {
            self.flying.clear();
        }
    }

    fn completed(&mut self, step: RequestEvent, said: RequestKind, places: &ExtentMap, queue: &mut Queue) {
        let place = (step.disk, step.sector);
        let mut flying = None;
        if let Some(here) = self.flying.get_mut(&place) {
            let position = here.iter().position(|one| one.sectors == step.sectors).unwrap_or(0);
            flying = Some(here.remove(position));
            if here.is_empty() {
                self.flying.remove(&place);
            }
        }
        let thread = flying.map_or(0, |flying| flying.thread);
        let mut event = step.event(EventKind::Complete, said, thread, places);
        event.request = flying.map(|flying| flying.number);
        event.service = flying.map(|flying| Time::from_nanos(step.time_ns.saturating_sub(flying.issued_ns)));
        queue.push(step.time_ns, event);
    }
}

impl RequestEvent {
    fn event(&self, kind: EventKind, said: RequestKind, thread: u32, places: &ExtentMap) -> Event {
        let mut event = Event::new(Time::from_nanos(self.time_ns.saturating_sub(self.origin_ns)), kind);
        event.process = thread;
        event.length = self.sectors * SECTOR_BYTES;
        event.direction = Some(said.direction);
        event.synchronous = said.synchronous;
        event.force_unit_access = said.force_unit_access;
        event.metadata = said.metadata;
        if self.sectors > 0 {
            event.file = places.owner(self.disk, self.sector).unwrap_or_default();
            event.extents.push(Extent {
                device: self.disk,
                address: self.sector,
                blocks: u32::try_from(self.sectors).unwrap_or(u32::MAX),
                hit: false,
            });
        }
        event
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::recorder::kernel_event::letters;
    use proptest::prelude::*;

    fn run(steps: &[(u64, RequestStage, u64, u64, &str)]) -> Vec<Event> {
        let (mut requests, mut queue, places) = (Requests::default(), Queue::default(), ExtentMap::default());
        for &(time_ns, stage, sector, sectors, text) in steps {
            let letters = letters(text);
            let step =
                RequestEvent { time_ns, origin_ns: 0, thread: 9, stage, disk: 1, sector, sectors, letters };
            requests.step(step, &places, &mut queue);
        }
        let mut events = Vec::new();
        queue.release(u64::MAX, |_, event| events.push(event));
        events
    }

    fn summary(events: &[Event]) -> Vec<(EventKind, Option<u64>, u64)> {
        events.iter().map(|event| (event.kind, event.request, event.length)).collect()
    }

    #[test]
    fn merged_bios_are_one_request() {
        use RequestStage::{Completed, Issued, Queued};
        let events = run(&[
            (1, Queued, 100, 8, "R"),
            (2, Queued, 108, 8, "R"),
            (5, Issued, 100, 16, "R"),
            (9, Completed, 100, 16, "R"),
        ]);
        let expected = [
            (EventKind::Queue, Some(1), 4_096),
            (EventKind::Queue, Some(1), 4_096),
            (EventKind::Issue, Some(1), 8_192),
            (EventKind::Complete, Some(1), 8_192),
        ];
        assert_eq!(summary(&events), expected);
        assert_eq!(events[3].service, Some(Time::from_nanos(4)));
        assert_eq!(events[3].process, 9);
    }

    #[test]
    fn a_split_bio_is_two_requests_and_completions_may_overtake() {
        use RequestStage::{Completed, Issued, Queued};
        let events = run(&[
            (1, Queued, 100, 16, "WS"),
            (2, Issued, 100, 8, "WS"),
            (3, Issued, 108, 8, "WS"),
            (8, Completed, 108, 8, "WS"),
            (9, Completed, 100, 8, "WS"),
        ]);
        let requests: Vec<_> = events.iter().map(|event| event.request).collect();
        assert_eq!(requests, [Some(1), Some(1), Some(2), Some(2), Some(1)]);
        assert!(events.iter().all(|event| event.synchronous && event.process == 9));
    }

    #[test]
    fn letters_tell_writes_from_flushes_and_force_unit_access_from_a_flush_before() {
        let write = |force_unit_access, metadata| RequestKind {
            direction: Direction::Write,
            synchronous: true,
            force_unit_access,
            metadata,
        };
        assert_eq!(said(letters("FWFSM"), 8), Some(write(true, true)));
        assert_eq!(said(letters("FWS"), 8), Some(write(false, false)));
        assert_eq!(said(letters("FF"), 0).unwrap().direction, Direction::Flush);
        assert_eq!(said(letters("FWS"), 0).unwrap().direction, Direction::Flush);
        assert_eq!(said(letters("DS"), 8).unwrap().direction, Direction::Discard);
        assert_eq!(said(letters("N"), 8), None);
        assert_eq!(said(letters(""), 8), None);
    }

    proptest! {
        #[test]
        fn any_order_of_steps_is_taken_without_panic(
            steps in proptest::collection::vec((0_u8..3, 0_u64..40, 0_u64..10, "[RWFDSMA]{0,4}"), 0..60)
        ) {
            let steps: Vec<_> = steps.iter().enumerate().map(|(time, (stage, sector, sectors, text))| {
                let stage = [RequestStage::Queued, RequestStage::Issued, RequestStage::Completed][usize::from(*stage)];
                (time as u64, stage, *sector, *sectors, text.as_str())
            }).collect();
            let events = run(&steps);
            prop_assert!(events.windows(2).all(|pair| pair[0].time <= pair[1].time));
        }
    }
}
