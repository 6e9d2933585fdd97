//! Queues before a device of constant rate: what reaches the device, and that nothing is lost on the way.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::elevator::{Added, IoRequest, Next};
use crate::scheduler::SchedulerParameters;
use crate::{AwaitedWrites, BlockLayerParameters};
use petrio_colours::{Cause, Direction, RequestId, Status};
use petrio_device::DeviceFeatures;
use petrio_device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, Simulation};
use petrio_persist::Persist;
use petrio_units::Blocks;
use proptest::prelude::*;

const WRITE_CACHE: DeviceFeatures = DeviceFeatures::of_write_cache(true);
const WITH_FUA: DeviceFeatures =
    DeviceFeatures { force_unit_access: true, ..DeviceFeatures::of_write_cache(true) };
const NONE: DeviceFeatures = DeviceFeatures::of_write_cache(false);

/// A queue before a device that takes 5 ms a request.
struct Bench {
    run: Simulation,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
    down: Place<BlockRequest>,
}

impl Bench {
    fn new(parameters: &QueueParameters) -> Self {
        Self::with(parameters, parameters.scheduler.elevator(&parameters.limits))
    }

    fn with(parameters: &QueueParameters, elevator: Box<dyn Elevator>) -> Self {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let [requests, completions, down, up] =
            ["requests", "completions", "down", "up"].map(|name| page.fifo::<BlockRequest>(name));
        page_with(&mut page, "queue", (parameters, elevator, None), (requests, completions), (down, up));
        let device = ConstantRateParameters {
            name: "device".to_owned(),
            source: "made up".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            blocks: Blocks(1 << 30),
            latency: "5 ms".parse().unwrap(),
            part: None,
            rate: None,
            write_cache: parameters.features.write_cache,
            flush: Some("5 ms".parse().unwrap()),
        };
        constant_rate_page(&mut page, "device", &device, down, up);
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.observe(down, String::new(), |seen: &mut String, _, request: &BlockRequest| {
            let kibibytes = request.blocks / 2;
            let letter = match request.direction {
                Direction::Read => format!("R{kibibytes}"),
                Direction::Write if request.force_unit_access => format!("W{kibibytes}!"),
                Direction::Write => format!("W{kibibytes}"),
                Direction::Flush => "F".to_owned(),
                Direction::Discard => format!("D{}+{}", request.address, request.blocks),
            };
            if !seen.is_empty() {
                seen.push(' ');
            }
            seen.push_str(&letter);
        });
        run.observe(completions, 0u32, |wrong: &mut u32, now, request: &BlockRequest| {
            *wrong += u32::from(request.issued + request.ledger.total() != now);
        });
        Self { run, requests, completions, down }
    }

    fn inject(&mut self, mut request: BlockRequest, at: Time) {
        request.issued = at;
        self.run.inject(self.requests, request, at).unwrap();
    }

    /// What reached the device, in order, once everything is done; and the completions.
    fn finish(mut self) -> (String, Vec<BlockRequest>) {
        self.run.run_until(Time::from_whole_seconds(1_000)).unwrap();
        self.run.check_conservation().unwrap();
        assert_eq!(self.run.observed::<_, u32>(self.completions), Some(&0), "ledgers that don't add up");
        let done: Vec<BlockRequest> = self.run.drain(self.completions).collect();
        for stand_in in ["queue/waiting", "queue/waiting-for-flush"] {
            let index = self.run.net().find_place(stand_in);
            assert_eq!(self.run.marking().statistics_at(index.unwrap()).tokens, 0, "{stand_in}");
        }
        (self.run.observed::<_, String>(self.down).unwrap().clone(), done)
    }
}

fn queue(features: DeviceFeatures) -> QueueParameters {
    QueueParameters { features, ..QueueParameters::default() }
}

fn write(id: u64, address: u64, kibibytes: u32) -> BlockRequest {
    let (id, blocks) = (RequestId(id), kibibytes * 2);
    BlockRequest {
        id,
        address,
        blocks,
        tag: id.0 + 100,
        direction: Direction::Write,
        ..BlockRequest::default()
    }
}

/// A journal's commit block: flush, write, and on the medium before it completes.
fn commit(id: u64, address: u64) -> BlockRequest {
    BlockRequest { flush_before: true, force_unit_access: true, synchronous: true, ..write(id, address, 4) }
}

fn flush(id: u64) -> BlockRequest {
    BlockRequest {
        id: RequestId(id),
        direction: Direction::Flush,
        synchronous: true,
        ..BlockRequest::default()
    }
}

#[test]
fn a_commit_block_is_flush_write_flush() {
    for (features, seen, time) in [(WRITE_CACHE, "F W4 F", 15), (WITH_FUA, "F W4!", 10), (NONE, "W4", 5)] {
        let mut bench = Bench::new(&queue(features));
        bench.inject(commit(7, 800), Time::ZERO);
        let (down, done) = bench.finish();
        assert_eq!(down, seen);
        assert_eq!(done[0].ledger.total(), Time::from_millis(time));
        assert_eq!((done[0].id, done[0].tag, done[0].status), (RequestId(7), 107, Status::Done));
    }
}

#[test]
fn explicit_flushes_vanish_where_there_is_no_write_cache() {
    let mut bench = Bench::new(&queue(NONE));
    bench.inject(flush(1), Time::from_millis(1));
    let (down, done) = bench.finish();
    assert_eq!(down, "");
    assert_eq!((done.len(), done[0].ledger.total()), (1, Time::ZERO));
}

#[test]
fn flushes_that_come_at_once_share_one_and_a_later_one_does_not() {
    let mut bench = Bench::new(&queue(WRITE_CACHE));
    // The first is sent alone; the others come while it is on its way and share the second.
    for (id, at) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
        bench.inject(flush(id), Time::from_millis(at));
    }
    let (down, done) = bench.finish();
    assert_eq!(down, "F F");
    let times: Vec<u64> =
        done.iter().map(|flush| (flush.issued + flush.ledger.total()).as_picos() / 1_000_000_000).collect();
    assert_eq!(times, [5, 10, 10, 10]);
    assert_eq!(done[1].ledger.of(Cause::Queue), Time::from_millis(4));
    assert_eq!(done[1].ledger.of(Cause::Service), Time::from_millis(5));
}

#[test]
fn commits_that_share_the_first_flush_share_the_last() {
    let mut bench = Bench::new(&QueueParameters {
        limits: QueueLimits { depth: 2, ..QueueLimits::default() },
        ..queue(WRITE_CACHE)
    });
    bench.inject(flush(0), Time::ZERO);
    bench.inject(commit(1, 800), Time::from_millis(1));
    bench.inject(commit(2, 1_600), Time::from_millis(2));
    let (down, done) = bench.finish();
    // The second flush waits for both writes, as the first flush of both was the same (conditions C1 and C2).
    assert_eq!(down, "F F W4 W4 F");
    assert_eq!(done.len(), 3);
}

#[test]
fn data_of_a_commit_go_before_what_the_scheduler_holds() {
    let mut bench = Bench::new(&queue(WRITE_CACHE));
    bench.inject(commit(0, 800), Time::ZERO);
    for id in 1..4 {
        bench.inject(write(id, id * 1_000, 16), Time::from_millis(1));
    }
    let (down, _) = bench.finish();
    assert_eq!(down, "F W4 F W16 W16 W16");
}

#[test]
fn what_comes_at_one_instant_is_merged_before_the_first_of_it_is_sent() {
    let mut bench = Bench::new(&queue(NONE));
    for page in 0..300 {
        bench.inject(write(page, page * 8, 4), Time::ZERO);
    }
    let (down, done) = bench.finish();
    // 1200 KiB in requests of 512 KiB, made of no more than 128 pages.
    assert_eq!(down, "W512 W512 W176");
    assert_eq!(done.len(), 300);
    assert!(done.iter().all(|request| request.tag == request.id.0 + 100));
    let ends: Vec<f64> = [0, 128, 299].map(|index| done[index].ledger.total().as_millis()).to_vec();
    assert_eq!(ends, [5.0, 10.0, 15.0]);
}

#[test]
fn requests_that_come_later_merge_with_what_waits() {
    let mut bench = Bench::new(&queue(NONE));
    for page in 0..4 {
        bench.inject(write(page, page * 8, 4), Time::from_millis(page));
    }
    assert_eq!(bench.finish().0, "W4 W12");
}

#[test]
fn a_request_that_is_too_large_is_split_and_completes_once() {
    let mut bench = Bench::new(&queue(NONE));
    bench.inject(write(3, 16, 1_200), Time::from_millis(1));
    let (down, done) = bench.finish();
    assert_eq!(down, "W512 W512 W176");
    assert_eq!(done.len(), 1);
    assert_eq!((done[0].id, done[0].tag, done[0].blocks), (RequestId(3), 103, 2_400));
    assert_eq!(done[0].ledger.total(), Time::from_millis(15));
    assert_eq!(done[0].ledger.of(Cause::Queue), Time::from_millis(10));
}

#[test]
fn a_full_queue_lets_others_wait_in_front() {
    let limits = QueueLimits { requests: 4, ..QueueLimits::default() };
    let mut bench = Bench::new(&QueueParameters { limits, ..queue(NONE) });
    for id in 0..10 {
        bench.inject(write(id, id * 1_000, 4), Time::ZERO);
    }
    // What continues a waiting request needs no room.
    bench.inject(write(10, 3_008, 4), Time::ZERO);
    bench.run.run_until(Time::ZERO).unwrap();
    let held = bench.run.net().find_place("queue/held").unwrap();
    assert_eq!(bench.run.marking().statistics_at(held).tokens, 6);
    let (down, done) = bench.finish();
    assert_eq!(down, "W4 W4 W4 W8 W4 W4 W4 W4 W4 W4");
    assert_eq!(done.len(), 11);
    assert_eq!(done[10].ledger.total(), Time::from_millis(50));
}

#[test]
fn the_plug_of_a_single_queue_is_pulled_by_number_by_time_and_by_whoever_waits() {
    let plugged = QueueParameters { generation: Generation::SINGLE_QUEUE, ..queue(NONE) };
    let first = |requests: &[(u64, bool)]| {
        let mut bench = Bench::new(&plugged);
        for (index, (at, synchronous)) in requests.iter().enumerate() {
            let request = write(index as u64, index as u64 * 1_000, 4);
            let at = Time::from_micros(*at);
            bench.inject(BlockRequest { synchronous: *synchronous, ..request }, at);
        }
        let (_, done) = bench.finish();
        assert_eq!(done.len(), requests.len());
        let first = &done[0];
        (first.issued + first.ledger.total() - Time::from_millis(5)).as_micros()
    };
    assert_eq!(first(&[(0, false)]), 3_000.0);
    assert_eq!(first(&[(0, false), (1_000, false), (1_500, false)]), 3_000.0);
    assert_eq!(first(&[(0, false), (1_000, false), (1_500, false), (2_000, false)]), 2_000.0);
    assert_eq!(first(&[(0, false), (700, true)]), 700.0);
}

#[test]
fn reads_find_room_beside_many_writes_in_a_single_queue() {
    let limits = QueueLimits { requests: 2, ..QueueLimits::default() };
    let parameters = |generation| QueueParameters {
        limits,
        generation,
        scheduler: SchedulerParameters::named("deadline").unwrap(),
        ..queue(NONE)
    };
    let read_ends = |generation| {
        let mut bench = Bench::new(&parameters(generation));
        for id in 0..20 {
            bench.inject(write(id, id * 1_000, 4), Time::ZERO);
        }
        let read = BlockRequest { direction: Direction::Read, synchronous: true, ..write(20, 500_000, 4) };
        bench.inject(read, Time::from_millis(1));
        let (_, done) = bench.finish();
        done.iter().find(|request| request.id.0 == 20).unwrap().ledger.total().as_millis()
    };
    assert!(read_ends(Generation::SINGLE_QUEUE) < 20.0);
    assert!(read_ends(Generation::MultiQueue) > 90.0);
}

#[test]
fn a_synchronous_write_finds_room_beside_write_back_where_places_are_counted_by_who_waits() {
    let ends = |first_line| {
        let limits = QueueLimits { requests: 2, awaited_apart: true, ..QueueLimits::default() };
        let generation = Generation::single_queue(first_line);
        let mut bench = Bench::new(&QueueParameters { limits, generation, ..queue(NONE) });
        for id in 0..20 {
            bench.inject(write(id, id * 1_000, 4), Time::ZERO);
        }
        let awaited = BlockRequest { synchronous: true, ..write(20, 500_000, 4) };
        bench.inject(awaited, Time::from_millis(1));
        let (_, done) = bench.finish();
        done.iter().find(|request| request.id.0 == 20).unwrap().ledger.total().as_millis()
    };
    // Three have places, as the writer took the last one; nobody else comes before.
    assert!(ends(parameters::FirstLine::Awaited) < 25.0);
    assert!(ends(parameters::FirstLine::Reads) > 90.0);
}

#[test]
fn who_took_the_last_place_may_take_half_as_many_more() {
    let order = |generation| {
        let limits = QueueLimits { requests: 2, ..QueueLimits::default() };
        let mut bench = Bench::new(&QueueParameters { limits, generation, ..queue(NONE) });
        for (id, process) in [(0, 1), (1, 1), (2, 2), (3, 1), (4, 1)] {
            bench.inject(BlockRequest { process, ..write(id, id * 1_000, 4) }, Time::from_micros(id));
        }
        bench.finish().1.iter().map(|request| request.id.0).collect::<Vec<_>>()
    };
    assert_eq!(order(Generation::SINGLE_QUEUE), [0, 1, 3, 2, 4], "the fourth is one too many");
    assert_eq!(order(Generation::MultiQueue), [0, 1, 2, 3, 4]);
}

#[test]
fn whoever_is_idled_for_comes_into_a_full_queue_once_a_slice() {
    // Twelve processes read, four find places; the first reads on in order as soon as it has what it asked for.
    let waits = |scheduler| {
        let limits = QueueLimits { requests: 4, ..QueueLimits::default() };
        let scheduler = SchedulerParameters::named(scheduler).unwrap();
        let generation = Generation::SINGLE_QUEUE;
        let mut bench = Bench::new(&QueueParameters { scheduler, limits, generation, ..queue(NONE) });
        let read = |id: u64, process, address| BlockRequest {
            direction: Direction::Read,
            synchronous: true,
            process,
            ..write(id, address, 4)
        };
        for process in 1..=12u32 {
            let id = u64::from(process);
            bench.inject(read(id, process, id * 1_000_000), Time::from_micros(id));
        }
        for (id, at) in [(13, 7), (14, 13)] {
            bench.inject(read(id, 1, 1_000_000 + (id - 12) * 8), Time::from_millis(at));
        }
        let (_, done) = bench.finish();
        [13, 14].map(|id| done.iter().find(|done| done.id.0 == id).unwrap().ledger.total().as_millis())
    };
    let [first, second] = waits("cfq");
    assert!(first < 6.0 && second > 30.0, "{first} ms, then {second} ms");
    let [first, second] = waits("anticipatory");
    assert!(first < 6.0 && second < 6.0, "as_may_queue has no such limit: {first} ms, then {second} ms");
    let [first, _] = waits("deadline");
    assert!(first > 30.0, "nobody is idled for: {first} ms");
}

#[test]
fn a_kernel_profile_gives_the_queue_that_it_says() {
    let kernel = BlockLayerParameters {
        multi_queue: true,
        requests: 64,
        largest_request: "1 MiB".parse().unwrap(),
        scheduler: "none".to_owned(),
        schedulers: Vec::new(),
        service_trees: true,
        write_back_throttling: true,
        awaited_writes: AwaitedWrites::Synchronous,
    };
    let queue = QueueParameters::of_kernel(&kernel, None, WITH_FUA, 32, false).unwrap();
    assert_eq!(queue.scheduler.name(), "noop");
    assert_eq!((queue.limits.largest_request, queue.limits.requests, queue.limits.depth), (2_048, 64, 32));
    let kernel = BlockLayerParameters { scheduler: "fair".to_owned(), ..kernel };
    let refusal = QueueParameters::of_kernel(&kernel, None, NONE, 1, true).unwrap_err().to_string();
    assert!(refusal.contains("\"fair\"") && refusal.contains("mq-deadline"), "{refusal}");
}

/// A scheduler that waits 8 ms after each request for one behind it, before it serves another.
#[derive(Clone, Default, Persist)]
struct Patient {
    waiting: Vec<IoRequest>,
    end: u64,
    until: Time,
}

impl Elevator for Patient {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.waiting.push(IoRequest::new(request, now));
        Added::Queued
    }

    fn would_merge(&self, _: &BlockRequest) -> bool {
        false
    }

    fn next(&mut self, now: Time) -> Next {
        let behind = self.waiting.iter().position(|request| request.address == self.end);
        match (behind, self.waiting.is_empty()) {
            (Some(index), _) => Next::Dispatch(self.waiting.remove(index)),
            (None, false) if now < self.until => Next::IdleUntil(self.until),
            (None, false) => Next::Dispatch(self.waiting.remove(0)),
            (None, true) => Next::Empty,
        }
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        (self.end, self.until) = (request.end(), now + Time::from_millis(8));
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[test]
fn a_scheduler_that_idles_is_asked_again_when_its_time_has_come() {
    let mut bench = Bench::with(&queue(NONE), Box::new(Patient::default()));
    bench.inject(write(0, 800, 4), Time::ZERO);
    bench.inject(write(1, 8_000, 4), Time::from_millis(1));
    let (_, done) = bench.finish();
    // The first ends at 5 ms; nothing follows it until 13 ms.
    let ends: Vec<f64> = done.iter().map(|done| (done.issued + done.ledger.total()).as_millis()).collect();
    assert_eq!(ends, [5.0, 18.0]);
    assert_eq!(done[1].ledger.of(Cause::Queue), Time::from_millis(12));
}

#[test]
fn what_arrives_meanwhile_overtakes_the_idling() {
    let mut bench = Bench::with(&queue(NONE), Box::new(Patient::default()));
    bench.inject(write(0, 800, 4), Time::ZERO);
    bench.inject(write(1, 8_000, 4), Time::from_millis(1));
    // Behind the first: served at once, and the idling begins anew.
    bench.inject(write(2, 808, 4), Time::from_millis(9));
    bench.run.run_until(Time::from_millis(13)).unwrap();
    let wake = bench.run.net().find_transition("queue/wake").unwrap();
    assert_eq!(bench.run.marking().firings(wake), 0, "a timer that was overtaken fires");
    let (_, done) = bench.finish();
    let ends: Vec<(u64, f64)> =
        done.iter().map(|done| (done.id.0, (done.issued + done.ledger.total()).as_millis())).collect();
    assert_eq!(ends, [(0, 5.0), (2, 14.0), (1, 27.0)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_request_comes_out_once_with_its_time_accounted_for(
        steps in prop::collection::vec((0u64..9_000, 0u64..200, 1u32..9, 0u8..8), 1..120),
        depth in 1u32..4,
        requests in 1u32..9,
        features in 0usize..3,
        single in any::<bool>(),
        scheduler in 0..crate::scheduler::NAMES.len(),
    ) {
        let generation = if single { Generation::SINGLE_QUEUE } else { Generation::MultiQueue };
        let scheduler = SchedulerParameters::named(crate::scheduler::NAMES[scheduler]).unwrap();
        let limits = QueueLimits { depth, requests, largest_request: 24, ..QueueLimits::default() };
        let features = [NONE, WRITE_CACHE, WITH_FUA][features];
        let mut bench = Bench::new(&QueueParameters { scheduler, limits, features, generation, ..QueueParameters::default() });
        let mut at = Time::ZERO;
        for (index, (pause, page, pages, what)) in steps.iter().enumerate() {
            at += Time::from_micros(*pause);
            let request = write(index as u64, page * 8, pages * 4);
            bench.inject(match what {
                0..3 => BlockRequest { direction: Direction::Read, synchronous: true, ..request },
                3..5 => request,
                5 => BlockRequest { blocks: 8, tag: request.tag, ..commit(index as u64, page * 8) },
                6 => BlockRequest { force_unit_access: true, ..request },
                _ => BlockRequest { tag: request.tag, ..flush(index as u64) },
            }, at);
        }
        let (_, mut done) = bench.finish();
        done.sort_by_key(|request| request.id);
        let ids: Vec<(u64, u64)> = done.iter().map(|request| (request.id.0, request.tag)).collect();
        let expected: Vec<(u64, u64)> = (0..steps.len() as u64).map(|id| (id, id + 100)).collect();
        prop_assert_eq!(ids, expected);
    }
}
