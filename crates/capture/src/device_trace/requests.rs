//! Kernel events of one device, matched into requests, in order of arrival.
//!
//! - It arrives when it comes into the queue before the device (`block_rq_insert`), or when it is issued where it goes past the queue.
//! - It is over when the device has served all of it, in parts if need be.
//! - Its process is who handed it over (`block_bio_queue`), not the kernel's thread that happened to send it to the device.
//!
//! A write with a flush before it, or with force unit access on a device that lacks that, appears as the device sees
//! it: a flush, the write, a flush. Merged requests are one, of the size that they had when issued; one that a driver
//! sends back and issues again begins at its first issue.
//!
//! Source: Linux 6.18 `block/blk-mq.c`, `block/blk-flush.c` (where the events stand), `include/trace/events/block.h`.

use crate::recorder::block::{Access, BlockAccess};
use crate::recorder::kernel_event::{KernelEvent, RequestStage, ThreadName, What};
use petrio_colours::Direction;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What was seen, and what could not be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCounts {
    /// Requests that failed on the device; they are in the trace.
    pub failed: u64,
    /// Other commands, left out.
    pub other_commands: u64,
    /// Completions of requests that were issued before, left out.
    pub unmatched_completions: u64,
    /// Requests in flight at the end, left out.
    pub unfinished: u64,
    /// Requests outside of the partition, left out.
    pub outside: u64,
}

/// Who asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asker {
    pub(super) thread: u32,
    pub(super) name: ThreadName,
}

/// A request that was served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) arrival_ns: u64,
    pub(super) completion_ns: u64,
    pub(super) asker: Asker,
    pub(super) direction: Direction,
    pub(super) sector: u64,
    pub(super) sectors: u64,
    pub(super) synchronous: bool,
    pub(super) force_unit_access: bool,
    pub(super) metadata: bool,
    /// An error number, or zero.
    pub(super) error: u16,
}

/// A request between its issue and its completion, or waiting for those that arrived before it.
#[derive(Clone, Debug)]
struct Held {
    request: Request,
    served: u64,
    is_over: bool,
    /// Its bio asked for force unit access and the device has none: a flush follows.
    flush_follows: bool,
}

/// What a file system handed over and no request has taken up yet.
#[derive(Clone, Copy, Debug)]
struct Bio {
    end: u64,
    direction: Direction,
    asker: Asker,
    force_unit_access: bool,
}

/// In order of arrival; the second number tells apart those that arrived at once.
type Arrival = (u64, u64);

/// Bios, requests in the queue, and requests that wait for one before them, at most: those that stay so long went
/// unseen.
const HELD_MAX: usize = 1 << 16;

/// Takes events in order of time.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    pub(super) tally: MatchCounts,
    bios: BTreeMap<(u64, u64), Bio>,
    /// Those in the queue, by their sector: when they came, and what they do.
    inserted: BTreeMap<(u64, u64), (u64, Direction)>,
    inserted_at: BTreeSet<Arrival>,
    /// Who waits for a flush, the first first.
    awaiting_flush: VecDeque<Asker>,
    flushes: VecDeque<Arrival>,
    /// By what it does, and the sector at which what isn't served yet begins.
    in_flight: FxHashMap<(Direction, u64), Arrival>,
    requests: BTreeMap<Arrival, Held>,
    last_number: u64,
}

/// What a request with a range does.
fn direction_of(access: &BlockAccess) -> Direction {
    match access.access {
        Access::Write => Direction::Write,
        Access::Discard => Direction::Discard,
        Access::Read | Access::Flush | Access::Other => Direction::Read,
    }
}

impl Matcher {
    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Takes an event; hands on the requests that are over, and before which none can arrive any more.
    pub(super) fn take(&mut self, event: &KernelEvent, hand_on: &mut impl FnMut(Request)) {
        let What::Request { stage, sector, sectors, letters, name, error, .. } = event.what else { return };
        let asker = Asker { thread: event.thread, name };
        let Some(access) = BlockAccess::of_letters(letters, sector, sectors.into()) else {
            self.tally.other_commands += u64::from(stage == RequestStage::Issued);
            return;
        };
        let time_ns = event.time_ns;
        match (access.access, stage) {
            (Access::Read | Access::Write | Access::Discard, RequestStage::Queued) => {
                self.queued(&access, asker);
            }
            (Access::Read | Access::Write | Access::Discard, RequestStage::Inserted) => {
                self.inserted(time_ns, &access);
            }
            (Access::Read | Access::Write | Access::Discard, RequestStage::Issued) => {
                self.issued(time_ns, &access, asker);
            }
            (Access::Read | Access::Write | Access::Discard, RequestStage::Completed) => {
                self.completed(time_ns, &access, error);
            }
            (Access::Flush, RequestStage::Queued) => self.awaiting_flush.push_back(asker),
            (Access::Flush, RequestStage::Inserted) => {}
            (Access::Flush, RequestStage::Issued) => self.flush_issued(time_ns, asker),
            // The flush machinery's own end of a write whose data ended before, which asks for no flush.
            (Access::Flush, RequestStage::Completed) if letters[0] != b'F' => {}
            (Access::Flush, RequestStage::Completed) => self.flush_completed(time_ns, error),
            (Access::Other, RequestStage::Issued) => self.tally.other_commands += 1,
            (Access::Other, _) => {}
        }
        self.release(false, hand_on);
    }

    /// Hands on all that are over; those in flight are counted.
    pub(super) fn end(&mut self, hand_on: &mut impl FnMut(Request)) {
        self.inserted.clear();
        self.inserted_at.clear();
        self.release(true, hand_on);
    }

    fn release(&mut self, all: bool, hand_on: &mut impl FnMut(Request)) {
        while let Some((&place, held)) = self.requests.first_key_value() {
            let too_many = all || self.requests.len() > HELD_MAX;
            match self.inserted_at.first() {
                Some(&earlier) if earlier < place && !too_many => return,
                _ if held.is_over => {
                    if let Some((_, held)) = self.requests.pop_first() {
                        hand_on(held.request);
                    }
                }
                _ if too_many => {
                    self.tally.unfinished += 1;
                    self.requests.pop_first();
                    self.in_flight.retain(|_, flying| *flying != place);
                    self.flushes.retain(|flying| *flying != place);
                }
                _ => return,
            }
        }
    }

    fn queued(&mut self, access: &BlockAccess, asker: Asker) {
        if self.bios.len() >= HELD_MAX {
            self.bios.clear();
        }
        let bio = Bio {
            end: access.sector.saturating_add(access.sectors),
            direction: direction_of(access),
            asker,
            force_unit_access: access.force_unit_access,
        };
        let number = self.number();
        self.bios.insert((access.sector, number), bio);
        if access.flush_before {
            self.awaiting_flush.push_back(asker);
        }
    }

    fn inserted(&mut self, time_ns: u64, access: &BlockAccess) {
        if self.inserted.len() >= HELD_MAX {
            self.inserted.clear();
            self.inserted_at.clear();
        }
        let number = self.number();
        self.inserted.insert((access.sector, number), (time_ns, direction_of(access)));
        self.inserted_at.insert((time_ns, number));
    }

    fn issued(&mut self, time_ns: u64, access: &BlockAccess, asker: Asker) {
        let direction = direction_of(access);
        if self.in_flight.contains_key(&(direction, access.sector)) {
            return;
        }
        let end = access.sector.saturating_add(access.sectors);
        let queued = self.inserted.range((access.sector, 0)..(end, 0));
        let queued: Vec<_> = queued
            .filter(|(_, (_, does))| *does == direction)
            .map(|(&key, &(time, _))| (key, time))
            .collect();
        let mut arrival_ns = time_ns;
        for (key, inserted_ns) in queued {
            arrival_ns = arrival_ns.min(inserted_ns);
            self.inserted.remove(&key);
            self.inserted_at.remove(&(inserted_ns, key.1));
        }
        let bio = self.bio_of(access.sector, end, direction);
        let request = Request {
            arrival_ns,
            completion_ns: 0,
            asker: bio.map_or(asker, |bio| bio.asker),
            direction,
            sector: access.sector,
            sectors: access.sectors,
            synchronous: direction == Direction::Read || access.synchronous || access.force_unit_access,
            force_unit_access: direction == Direction::Write && access.force_unit_access,
            metadata: access.metadata,
            error: 0,
        };
        let flush_follows = bio.is_some_and(|bio| bio.force_unit_access) && !access.force_unit_access;
        let place = self.hold(Held { request, served: 0, is_over: false, flush_follows });
        self.in_flight.insert((direction, access.sector), place);
    }

    fn hold(&mut self, held: Held) -> Arrival {
        let place = (held.request.arrival_ns, self.number());
        self.requests.insert(place, held);
        place
    }

    /// The first bio of a request; all that it covers are forgotten, but for what of a split one lies past its end.
    fn bio_of(&mut self, sector: u64, end: u64, direction: Direction) -> Option<Bio> {
        let before = self.bios.range(..(sector, 0)).next_back();
        let before =
            before.filter(|(_, bio)| bio.end > sector && bio.direction == direction).map(|(&key, _)| key);
        let inside = self.bios.range((sector, 0)..(end, 0)).filter(|(_, bio)| bio.direction == direction);
        let covered: Vec<_> = before.into_iter().chain(inside.map(|(&key, _)| key)).collect();
        let mut first = None;
        for key in covered {
            let Some(bio) = self.bios.remove(&key) else { continue };
            first = first.or(Some(bio));
            if bio.end > end {
                self.bios.insert((end, key.1), bio);
            }
        }
        first
    }

    fn completed(&mut self, time_ns: u64, access: &BlockAccess, error: i32) {
        let direction = direction_of(access);
        let Some(place) = self.in_flight.remove(&(direction, access.sector)) else {
            self.tally.unmatched_completions += 1;
            return;
        };
        let Some(held) = self.requests.get_mut(&place) else { return };
        held.served += access.sectors;
        held.failed(error);
        self.tally.failed += u64::from(error != 0);
        if held.served < held.request.sectors {
            self.in_flight.insert((direction, access.sector.saturating_add(access.sectors)), place);
            return;
        }
        if held.flush_follows {
            self.awaiting_flush.push_back(held.request.asker);
        }
        held.end(time_ns);
    }

    fn flush_issued(&mut self, time_ns: u64, asker: Asker) {
        // One flush serves all that wait for it; the first in line gives its name.
        let asker = self.awaiting_flush.front().copied().unwrap_or(asker);
        self.awaiting_flush.clear();
        let request = Request {
            arrival_ns: time_ns,
            completion_ns: 0,
            asker,
            direction: Direction::Flush,
            sector: 0,
            sectors: 0,
            synchronous: true,
            force_unit_access: false,
            metadata: false,
            error: 0,
        };
        let place = self.hold(Held { request, served: 0, is_over: false, flush_follows: false });
        self.flushes.push_back(place);
    }

    fn flush_completed(&mut self, time_ns: u64, error: i32) {
        let Some(place) = self.flushes.pop_front() else {
            self.tally.unmatched_completions += 1;
            return;
        };
        self.tally.failed += u64::from(error != 0);
        if let Some(held) = self.requests.get_mut(&place) {
            held.failed(error);
            held.end(time_ns);
        }
    }
}

impl Held {
    fn end(&mut self, time_ns: u64) {
        self.is_over = true;
        self.request.completion_ns = time_ns;
    }

    fn failed(&mut self, error: i32) {
        if error != 0 {
            self.request.error = u16::try_from(error.unsigned_abs()).unwrap_or(u16::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::recorder::kernel_event::letters;
    use RequestStage::{Completed, Inserted, Issued, Queued};
    use proptest::prelude::*;

    type RequestEvent = (u64, RequestStage, &'static str, u64, u32, u32);

    fn event((time_ns, stage, text, sector, sectors, thread): RequestEvent) -> KernelEvent {
        let what = What::Request {
            stage,
            device: 7 << 20,
            sector,
            sectors,
            letters: letters(text),
            name: ThreadName::default(),
            error: 0,
        };
        KernelEvent { time_ns, thread, what }
    }

    fn matched(events: impl IntoIterator<Item = KernelEvent>) -> (Vec<Request>, MatchCounts) {
        let (mut matcher, mut requests) = (Matcher::default(), Vec::new());
        for event in events {
            matcher.take(&event, &mut |request| requests.push(request));
        }
        matcher.end(&mut |request| requests.push(request));
        (requests, matcher.tally)
    }

    fn requests(steps: &[RequestEvent]) -> (Vec<Request>, MatchCounts) {
        matched(steps.iter().copied().map(event))
    }

    #[test]
    fn a_read_lasts_from_its_queueing_to_its_completion_and_is_whose_who_handed_it_over() {
        let (served, _) = requests(&[
            (0, Queued, "RA", 2048, 16, 42),
            (3, Inserted, "RA", 2048, 16, 42),
            (9, Issued, "RA", 2048, 16, 7),
            (200, Completed, "RA", 2048, 16, 0),
        ]);
        let expected = Request {
            arrival_ns: 3,
            completion_ns: 200,
            asker: Asker { thread: 42, name: ThreadName::default() },
            direction: Direction::Read,
            sector: 2048,
            sectors: 16,
            synchronous: true,
            force_unit_access: false,
            metadata: false,
            error: 0,
        };
        assert_eq!(served, [expected]);
    }

    #[test]
    fn merged_bios_are_one_request_and_a_split_bio_is_two() {
        let (served, _) = requests(&[
            (1, Queued, "W", 0, 8, 1),
            (2, Queued, "W", 8, 8, 2),
            (3, Inserted, "W", 0, 16, 1),
            (4, Issued, "W", 0, 16, 1),
            (5, Queued, "W", 100, 20, 3),
            (6, Issued, "W", 100, 10, 9),
            (7, Issued, "W", 110, 10, 9),
            (8, Completed, "W", 0, 16, 0),
            (9, Completed, "W", 110, 10, 0),
            (9, Completed, "W", 100, 10, 0),
        ]);
        let seen: Vec<_> = served.iter().map(|one| (one.sector, one.sectors, one.asker.thread)).collect();
        assert_eq!(seen, [(0, 16, 1), (100, 10, 3), (110, 10, 3)]);
        assert!(served.iter().all(|one| !one.synchronous));
    }

    #[test]
    fn a_commit_block_is_a_flush_a_write_and_a_flush_of_the_process_that_asked() {
        let (served, tally) = requests(&[
            (1, Queued, "FWFSM", 816, 8, 10),
            (2, Issued, "FF", 0, 0, 44),
            (3, Completed, "FF", u64::MAX, 0, 0),
            (4, Inserted, "WSM", 816, 8, 44),
            (5, Issued, "WSM", 816, 8, 44),
            (6, Completed, "WSM", 816, 8, 0),
            (7, Issued, "FF", 0, 0, 44),
            (8, Completed, "FF", u64::MAX, 0, 0),
            (8, Completed, "WSM", 816, 0, 0),
        ]);
        let directions: Vec<_> = served.iter().map(|one| (one.direction, one.asker.thread)).collect();
        assert_eq!(directions, [(Direction::Flush, 10), (Direction::Write, 10), (Direction::Flush, 10)]);
        assert_eq!(tally, MatchCounts::default());
    }

    #[test]
    fn force_unit_access_that_the_device_has_itself_is_kept_and_needs_no_flush() {
        let (served, _) = requests(&[
            (1, Queued, "WFS", 816, 8, 1),
            (5, Issued, "WFS", 816, 8, 1),
            (6, Completed, "WFS", 816, 8, 0),
        ]);
        assert_eq!(served.iter().map(|one| one.force_unit_access).collect::<Vec<_>>(), [true]);
    }

    #[test]
    fn a_request_served_in_two_parts_ends_with_the_second_and_one_sent_back_begins_at_its_first_issue() {
        let (served, _) = requests(&[
            (1, Issued, "R", 0, 16, 1),
            (3, Issued, "R", 0, 16, 1),
            (5, Completed, "R", 0, 8, 0),
            (9, Completed, "R", 8, 8, 0),
        ]);
        assert_eq!(
            served.iter().map(|one| (one.arrival_ns, one.completion_ns)).collect::<Vec<_>>(),
            [(1, 9)]
        );
    }

    #[test]
    fn what_is_unfinished_failed_or_of_no_interest_is_counted() {
        let mut failing = event((5, Completed, "R", 32, 8, 0));
        if let What::Request { error, .. } = &mut failing.what {
            *error = -5;
        }
        let steps = [
            (1, Issued, "N", 0, 8, 1),
            (2, Issued, "R", 0, 8, 1),
            (3, Completed, "R", 64, 8, 0),
            (4, Issued, "R", 32, 8, 1),
        ];
        let (served, tally) = matched(steps.into_iter().map(event).chain([failing]));
        assert_eq!(served.iter().map(|one| (one.sector, one.error)).collect::<Vec<_>>(), [(32, 5)]);
        let expected =
            MatchCounts { failed: 1, other_commands: 1, unmatched_completions: 1, unfinished: 1, outside: 0 };
        assert_eq!(tally, expected);
    }

    #[test]
    fn one_that_never_ends_holds_up_a_bounded_number_of_others() {
        let mut steps = vec![(1, Issued, "R", 1 << 40, 8, 1)];
        for number in 0..HELD_MAX as u64 * 2 {
            steps.push((number * 2 + 2, Issued, "W", number * 8, 8, 1));
            steps.push((number * 2 + 3, Completed, "W", number * 8, 8, 0));
        }
        let (served, tally) = requests(&steps);
        assert_eq!((served.len(), tally.unfinished), (HELD_MAX * 2, 1));
    }

    proptest! {
        #[test]
        fn any_order_of_events_gives_requests_in_order_of_arrival(
            steps in proptest::collection::vec((0_u8..4, 0_u64..40, 0_u32..10, "[RWFDSMA]{0,4}"), 0..80)
        ) {
            let stages = [Queued, Inserted, Issued, Completed];
            let events = steps.iter().enumerate().map(|(time, (stage, sector, sectors, text))| {
                let mut event = event((time as u64, stages[usize::from(*stage)], "", *sector, *sectors, 1));
                if let What::Request { letters: to, .. } = &mut event.what {
                    *to = letters(text);
                }
                event
            });
            let (served, tally) = matched(events);
            prop_assert!(served.windows(2).all(|pair| pair[0].arrival_ns <= pair[1].arrival_ns));
            prop_assert!(served.iter().all(|one| one.arrival_ns <= one.completion_ns));
            prop_assert!(tally.unfinished + served.len() as u64 <= steps.len() as u64);
        }
    }
}
