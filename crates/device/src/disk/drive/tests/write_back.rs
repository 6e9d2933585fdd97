//! Claims about a drive that holds many reported writes.

use super::*;
use crate::disk::parameters::{WriteBackOrder, WriteBackParameters};
use petrio_colours::RequestId;
use petrio_persist::Persist;

/// A cache of four segments of fifty blocks that holds this many blocks of writes, oldest first.
fn holding(blocks: u64) -> DiskParameters {
    let mut drive = parameters();
    drive.cache.segments = 4;
    drive.cache.writes_clear_near = false;
    drive.cache.immediate_reporting = ImmediateReporting::Cached;
    drive.cache.write_back =
        WriteBackParameters { size: Blocks(blocks), runs: 0, order: WriteBackOrder::FirstCome };
    drive
}

fn forced(demand: Demand) -> Demand {
    Demand { force_unit_access: true, ..demand }
}

fn request(demand: Demand) -> BlockRequest {
    BlockRequest {
        direction: if demand.write { Direction::Write } else { Direction::Read },
        force_unit_access: demand.force_unit_access,
        address: demand.block,
        blocks: demand.blocks as u32,
        ..BlockRequest::default()
    }
}

fn flush() -> BlockRequest {
    BlockRequest { direction: Direction::Flush, ..BlockRequest::default() }
}

/// A completed request: when, which, and how long it took by the clock and by its ledger.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
struct Done {
    at: Time,
    id: u64,
    took: Time,
    charged: Time,
}

/// What became of requests on a drive's page.
struct Outcome {
    done: Vec<Done>,
    /// How often the arm was sent somewhere, and how long it was busy.
    passages: u64,
    busy_ms: f64,
    /// How long it read ahead of its own accord, as far as that is recorded when commands begin.
    own_ms: f64,
    /// Tokens at the end: slots, controller, arm, and all that lies in between.
    free: [u32; 3],
    on_the_way: u32,
}

/// Runs requests that are issued at these times, milliseconds, to the end.
fn outcome(parameters: &DiskParameters, requests: &[(f64, BlockRequest)]) -> Outcome {
    let drive = Arc::new(Drive::new(parameters).unwrap());
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let (incoming, outgoing) = (page.fifo("requests"), page.fifo("completions"));
    let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
    let stages = disk_page(&mut page, "disk", &drive, queueing, incoming, outgoing);
    let own_work = stages.iter().find_map(|stage| stage.own_work).unwrap();
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.observe(outgoing, Vec::new(), |seen: &mut Vec<Done>, now, done: &BlockRequest| {
        seen.push(Done { at: now, id: done.id.0, took: now - done.issued, charged: done.ledger.total() });
    });
    for (number, (at, request)) in requests.iter().enumerate() {
        let issued = ms(*at).time();
        let request = BlockRequest { id: RequestId(number as u64), issued, ..request.clone() };
        run.inject(incoming, request, issued).unwrap();
    }
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    let place = |name: &str| {
        let index = net.find_place(&format!("disk/{name}")).unwrap();
        run.marking().statistics_at(index)
    };
    let free = ["slots", "controller-free", "arm-free"].map(|name| place(name).tokens);
    let resting = [
        "slots",
        "controller-free",
        "controller-beside",
        "arm-free",
        "drive",
        "arrivals",
        "sweep",
        "spare-sheets",
    ]
    .map(|name| format!("disk/{name}"));
    let on_the_way = net
        .place_paths()
        .enumerate()
        .filter(|(_, path)| path.starts_with("disk/") && !resting.iter().any(|name| name == path))
        .map(|(index, _)| run.marking().statistics_at(index).tokens)
        .sum();
    Outcome {
        done: run.observed::<BlockRequest, Vec<Done>>(outgoing).unwrap().clone(),
        passages: place("seeking").arrivals,
        busy_ms: ["seeking", "rotating", "passing"]
            .map(|name| place(name).area_token_seconds * 1e3)
            .iter()
            .sum(),
        own_ms: {
            let tally = run.marking().probe(own_work).tally();
            tally.mean() * tally.count() as f64 * 1e3
        },
        free,
        on_the_way,
    }
}

/// When these complete, milliseconds.
fn times(outcome: &Outcome) -> Vec<f64> {
    outcome.done.iter().map(|done| done.at.as_millis()).collect()
}

#[test]
fn writes_up_to_the_size_of_the_cache_are_reported_at_the_speed_of_the_bus() {
    let mut drive = holding(0);
    drive.bus.write_block = ms(0.01);
    drive.overheads.write_reported = AfterReadOrWrite::always(ms(0.5));
    // Twenty writes of ten blocks all over the disk: 200 blocks, as many as four segments of fifty have.
    let commands: Vec<(f64, Demand)> =
        (0..20u32).map(|n| (f64::from(n) * 0.6, write(u64::from(n) * 730 % 1990, 10))).collect();
    assert_close(&responses(&drive, &commands), &[0.6; 20]);
    // Where one is written before the next is taken, the second waits for the arm.
    drive.cache.immediate_reporting = ImmediateReporting::Always;
    assert!(responses(&drive, &commands)[2] > 5.0);
}

#[test]
fn a_write_that_finds_no_room_waits_until_one_has_been_written() {
    // The first is on the medium from 3.0 to 3.4 ms, the second at 6.4, the third at 17.4.
    let commands = [(0.0, write(630, 4)), (0.1, write(60, 4)), (0.2, write(870, 4))];
    assert_close(&responses(&holding(8), &commands), &[0.0, 0.0, 3.2]);
    assert_close(&responses(&holding(12), &commands), &[0.0; 3]);
    // A limit of two runs does the same; a write of which not even a piece has room is written through.
    let mut drive = holding(12);
    drive.cache.write_back.runs = 2;
    assert_close(&responses(&drive, &commands), &[0.0, 0.0, 3.2]);
    assert_close(&responses(&holding(3), &[(0.0, write(60, 4))]), &[6.4]);
    // Its process waited, and nobody else: the ledger has these 3.2 ms, the arm was busy for all three.
    let requests = commands.map(|(at, demand)| (at, request(demand)));
    let outcome = outcome(&holding(8), &requests);
    assert_close(&times(&outcome), &[0.0, 0.1, 3.4]);
    assert!(outcome.done.iter().all(|done| done.charged == done.took));
    assert_eq!(outcome.passages, 3);
    assert_close(&[outcome.busy_ms], &[17.4]);
}

/// Writes of one block each, none beside another, all over the small disk.
fn scattered(count: u64) -> Vec<u64> {
    (0..count).map(|number| number * 2 * 389 % 2000).collect()
}

/// When the small disk, whose cache holds `room` of these writes and whose bus moves a block in a microsecond, reports
/// them, picoseconds: computed from its geometry.
fn reported_by_hand(blocks: &[u64], room: usize, sorted: bool) -> Vec<u64> {
    const BUS: u64 = 1_000_000;
    const TENTH: u64 = 100_000_000;
    let place = |block: u64| (block / 200, block % 200 / 100, block % 100);
    let passes = |head: (u64, u64), now: u64, block: u64| {
        let (cylinder, surface, sector) = place(block);
        let seek = match (cylinder.abs_diff(head.0), surface == head.1) {
            (0, true) => 0,
            (0, false) => 5,
            (distance, _) => 10 + distance - 1,
        };
        let arrived = now + seek * TENTH;
        arrived + (sector * TENTH + 100 * TENTH - arrived % (100 * TENTH)) % (100 * TENTH)
    };
    // The arm turns to the first as soon as it is there, and all others that find room come before it is written.
    let mut reported: Vec<u64> = (1..=room as u64).map(|number| number * BUS).collect();
    let mut held: Vec<u64> = blocks[1..room].to_vec();
    let (mut now, mut head, mut block) = (BUS, (0, 0), blocks[0]);
    for next in &blocks[room..] {
        now = passes(head, now, block) + TENTH;
        head = (place(block).0, place(block).1);
        // The arm chooses among those that are there, and then one more comes.
        let least = (0..held.len()).min_by_key(|index| passes(head, now, held[*index])).unwrap();
        block = held.remove(if sorted { least } else { 0 });
        held.push(*next);
        reported.push(now + BUS);
    }
    reported
}

#[test]
fn a_full_cache_takes_writes_at_the_rate_at_which_the_drive_writes_sorted_ones() {
    let blocks = scattered(900);
    let mut last = Vec::new();
    for (order, sorted) in [(WriteBackOrder::ShortestPositioning, true), (WriteBackOrder::FirstCome, false)] {
        let mut drive = holding(32);
        drive.bus.write_block = ms(0.001);
        drive.cache.write_back.order = order;
        let by_hand = reported_by_hand(&blocks, 32, sorted);
        let requests: Vec<_> = blocks.iter().map(|&block| (0.0, request(write(block, 1)))).collect();
        let found: Vec<u64> = outcome(&drive, &requests).done.iter().map(|done| done.at.as_picos()).collect();
        assert_eq!(found, by_hand, "{order:?}");
        let compiled = Drive::new(&drive).unwrap();
        let mut replay = Replay::new(&compiled);
        let mut now = Time::ZERO;
        for (&block, &expected) in blocks.iter().zip(&by_hand) {
            now = replay.serve(write(block, 1), now);
            assert_eq!(now.as_picos(), expected, "{order:?}");
        }
        last.push(now.as_millis());
    }
    // 32 to choose from on ten cylinders: more than twice as fast as in the order in which they came.
    assert!(last[0] * 2.0 < last[1], "{last:?}");
}

#[test]
fn a_read_of_held_blocks_does_not_touch_the_medium() {
    let drive = holding(100);
    let commands = [
        (0.0, request(write(630, 4))),
        (0.1, request(write(100, 8))),
        // Held, and being written.
        (0.2, request(read(102, 4))),
        (0.3, request(read(631, 2))),
        // Its second half isn't held: granted at 3.4 ms, on surface 1 of cylinder 0 at 4.6, sector 8 at 10.8 ms.
        (0.4, request(read(106, 4))),
    ];
    let outcome = outcome(&drive, &commands);
    assert_close(&times(&outcome), &[0.0, 0.1, 0.2, 0.3, 11.0]);
    // Two for the writes, one for the read.
    assert_eq!(outcome.passages, 3);
    // What serves no reads once it is on the medium does so while it isn't: there is nowhere else to read it.
    let mut dropping = drive;
    dropping.cache.read_hits_on_written = false;
    let again = [(0.0, write(630, 4)), (0.1, read(631, 2)), (23.0, read(630, 4))];
    assert_close(&responses(&dropping, &again), &[0.0, 0.0, 0.4]);
}

#[test]
fn a_flush_waits_for_all_that_is_held() {
    let drive = holding(100);
    let requests = [
        (0.0, request(write(630, 4))),
        (0.1, request(write(60, 4))),
        (0.2, request(write(850, 4))),
        (0.3, flush()),
        (20.0, flush()),
    ];
    // On the medium at 3.4, 6.4 and 15.4 ms; then there is nothing to wait for.
    assert_close(&times(&outcome(&drive, &requests)), &[0.0, 0.1, 0.2, 15.4, 20.0]);
    // By positioning time from cylinder 3 at 3.4 ms: sector 50 of cylinder 4 at 5.0, then sector 60 of cylinder 0 at
    // 16.0.
    let mut sorted = drive;
    sorted.cache.write_back.order = WriteBackOrder::ShortestPositioning;
    assert_close(&times(&outcome(&sorted, &requests))[3..], &[16.4, 20.0]);
}

#[test]
fn a_forced_write_is_reported_from_the_medium_and_takes_the_place_of_held_data() {
    let drive = holding(100);
    let requests = [
        (0.0, request(write(630, 4))),
        (0.1, request(write(60, 4))),
        // Before the held ones, behind the one being written.
        (0.2, request(forced(write(60, 4)))),
        (6.5, flush()),
    ];
    let outcome = outcome(&drive, &requests);
    assert_close(&times(&outcome), &[0.0, 0.1, 6.4, 6.5]);
    assert_eq!(outcome.passages, 2);
    assert_eq!(outcome.on_the_way, 0);
}

#[test]
fn overlapping_and_continuing_writes_are_written_once() {
    let drive = holding(100);
    let after_the_first = |writes: &[Demand]| {
        let mut requests = vec![(0.0, request(write(630, 4)))];
        requests.extend(writes.iter().map(|demand| (0.1, request(*demand))));
        requests.push((0.2, flush()));
        let outcome = outcome(&drive, &requests);
        (outcome.passages, times(&outcome).last().copied().unwrap())
    };
    let assert_is = |found: (u64, f64), passages, flushed| {
        assert_eq!(found.0, passages);
        assert_close(&[found.1], &[flushed]);
    };
    assert_is(after_the_first(&[write(60, 4), write(62, 4), write(60, 2), write(66, 2)]), 2, 6.8);
    // What is being written when newer data come is written again, a revolution later.
    assert_is(after_the_first(&[write(632, 2)]), 2, 13.4);
}

#[test]
fn a_read_goes_before_held_writes_and_behind_the_one_being_written() {
    let drive = holding(100);
    let requests = [
        (0.0, request(write(630, 4))),
        (0.1, request(write(1801, 4))),
        (0.2, request(write(1, 4))),
        // Granted at 3.4 ms, on cylinder 0 at 4.6, sector 60 at 6.0.
        (0.3, request(read(60, 1))),
        (0.4, flush()),
    ];
    // Then cylinder 9 at 7.9 ms, sector 1 at 10.1; cylinder 0 at 12.3, sector 1 at 20.1.
    assert_close(&times(&outcome(&drive, &requests)), &[0.0, 0.1, 0.2, 6.1, 20.5]);
}

#[test]
fn nothing_is_read_ahead_while_writes_are_held() {
    let mut drive = holding(100);
    drive.cache.read_ahead = ReadAhead::Segment;
    let commands = [(0.0, write(630, 4)), (0.1, write(230, 4)), (0.2, read(60, 1)), (9.0, read(61, 1))];
    // The read is done at 6.1 ms, the second write from 13.0 to 13.4 ms, and the arm back for sector 61 at 16.1.
    assert_close(&responses(&drive, &commands)[2..], &[5.9, 7.2]);
    assert_close(&responses(&drive, &[commands[2], commands[3]]), &[5.9, 0.0]);
}

#[test]
fn every_request_completes_once_and_the_drive_is_at_rest_at_the_end() {
    let mut drive = holding(64);
    drive.cache.write_back.order = WriteBackOrder::ShortestPositioning;
    drive.cache.read_ahead = ReadAhead::Segment;
    drive.bus.write_block = ms(0.003);
    drive.bus.read_block = ms(0.002);
    drive.overheads.write_reported = AfterReadOrWrite::always(ms(0.13));
    drive.overheads.read_miss = AfterReadOrWrite::always(ms(0.21));
    drive.queue = QueueParameters { depth: 4, discipline: QueueDiscipline::ShortestPositioning };
    let mut number: u64 = 0x9e37_79b9;
    let mut below = |limit: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % limit
    };
    let mut at = 0.0;
    let requests: Vec<(f64, BlockRequest)> = (0..3_000)
        .map(|_| {
            at += below(900) as f64 / 100.0;
            let demand = read(below(1_960), 1 + below(40));
            let request = match below(20) {
                0 => flush(),
                1 => request(forced(Demand { write: true, ..demand })),
                2..=13 => request(Demand { write: true, ..demand }),
                _ => request(demand),
            };
            (at, request)
        })
        .collect();
    let outcome = outcome(&drive, &requests);
    let mut ids: Vec<u64> = outcome.done.iter().map(|done| done.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..3_000).collect::<Vec<_>>());
    for done in &outcome.done {
        assert_eq!(done.charged, done.took, "{done:?}");
    }
    assert_eq!(outcome.free, [4, 1, 1]);
    assert_eq!(outcome.on_the_way, 0);
}

/// The arm can't do both: before, a hit meanwhile counted as reading ahead, and the mechanics were busy for more than all of the time.
#[test]
fn a_hit_while_the_arm_writes_what_is_held_begins_no_reading() {
    let mut drive = holding(64);
    drive.cache.read_ahead = ReadAhead::Segment;
    drive.cache.segments = 8;
    drive.cache.read_ahead_after_hit = true;
    drive.cache.hits_beside_read_ahead = true;
    drive.cache.read_ahead_share = Blocks(100);
    let write = |block: u64| request(Demand { write: true, ..read(block, 8) });
    let begin =
        [(0.0, request(read(0, 8))), (200.0, write(800)), (200.0, write(1_200)), (200.0, write(1_600))];
    // Another command, when all is over, has recorded what was read until then.
    let end = (900.0, request(read(1_900, 8)));
    // The arm has three places to go to, for some ten milliseconds each.
    let hits: Vec<(f64, BlockRequest)> = (0..4)
        .map(|number| (208.0 + 1.5 * f64::from(number), request(read(8 * u64::from(number as u32), 8))))
        .collect();
    let with_hits = outcome(&drive, &[&begin[..], &hits[..], std::slice::from_ref(&end)].concat());
    let without = outcome(&drive, &[&begin[..], &[end]].concat());
    assert!(without.own_ms > 0.0 && without.busy_ms > 0.0);
    assert_eq!(with_hits.own_ms, without.own_ms);
}
