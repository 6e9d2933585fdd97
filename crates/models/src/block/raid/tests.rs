//! Where blocks lie, that nothing is lost, and that two disks are twice as fast.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::block::queue::{QueueParameters, queue_page};
use crate::device::DeviceFeatures;
use crate::device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::Blocks;
use proptest::prelude::*;

/// An array of disks with 1 ms a request and 64 blocks a millisecond, each behind a queue of its own.
struct Bench {
    run: Simulation,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
    down: Vec<Place<BlockRequest>>,
}

impl Bench {
    fn new(members: usize, unit: &str) -> Self {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
        let device = ConstantRateParameters {
            name: "disk".to_owned(),
            source: "made up".to_owned(),
            blocks: Blocks(1 << 30),
            latency: "1 ms".parse().unwrap(),
            rate: Some("32.768 MB/s".parse().unwrap()),
            write_cache: true,
            flush: Some("2 ms".parse().unwrap()),
        };
        let features = DeviceFeatures { write_cache: true, force_unit_access: true };
        let mut down = Vec::new();
        let ports: Vec<_> = (0..members)
            .map(|member| {
                let [from, to, sent, back] = ["in", "out", "down", "up"]
                    .map(|name| page.fifo::<BlockRequest>(&format!("m{member}-{name}")));
                let queue = QueueParameters { features, ..QueueParameters::default() };
                queue_page(&mut page, &format!("q{member}"), &queue, (from, to), (sent, back));
                constant_rate_page(&mut page, &format!("d{member}"), &device, sent, back);
                down.push(sent);
                (from, to)
            })
            .collect();
        let parameters = StripeParameters { stripe_unit: unit.parse().unwrap() };
        stripe_page(&mut page, "array", &parameters, (requests, completions), &ports).unwrap();
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.observe(completions, 0u32, |wrong: &mut u32, now, request: &BlockRequest| {
            *wrong += u32::from(request.issued + request.ledger.total() != now);
        });
        for down in &down {
            run.observe(
                *down,
                Vec::new(),
                |seen: &mut Vec<(Direction, u64, u32)>, _, request: &BlockRequest| {
                    seen.push((request.direction, request.address, request.blocks));
                },
            );
        }
        Self { run, requests, completions, down }
    }

    fn inject(&mut self, mut request: BlockRequest, at: Time) {
        request.issued = at;
        self.run.inject(self.requests, request, at).unwrap();
    }

    fn finish(&mut self) -> Vec<BlockRequest> {
        self.run.run_until(Time::from_whole_seconds(1_000)).unwrap();
        self.run.check_conservation().unwrap();
        assert_eq!(self.run.observed::<_, u32>(self.completions), Some(&0));
        self.run.drain(self.completions).collect()
    }

    fn seen(&self, member: usize) -> Vec<(Direction, u64, u32)> {
        self.run.observed::<BlockRequest, Vec<(Direction, u64, u32)>>(self.down[member]).unwrap().clone()
    }
}

fn read(id: u64, address: u64, blocks: u32) -> BlockRequest {
    BlockRequest { id: RequestId(id), tag: id + 10, address, blocks, ..BlockRequest::default() }
}

#[test]
fn a_request_within_a_unit_goes_to_one_member() {
    let mut bench = Bench::new(2, "64 KiB");
    // Units of 128 blocks: block 300 lies in the third, the second one of the first member.
    bench.inject(read(1, 300, 8), Time::ZERO);
    let done = bench.finish();
    assert_eq!(bench.seen(0), [(Direction::Read, 128 + 44, 8)]);
    assert_eq!(bench.seen(1), []);
    assert_eq!((done[0].id, done[0].tag, done[0].address), (RequestId(1), 11, 300));
}

#[test]
fn a_request_over_many_units_is_one_piece_on_each_member() {
    let mut bench = Bench::new(3, "4 KiB");
    bench.inject(read(1, 4, 40), Time::ZERO);
    let done = bench.finish();
    // Blocks 4 to 44 in units of 8: 4..8 on the first, 8..16 on the second, 16..24, then 24..32, 32..40, 40..44.
    assert_eq!(bench.seen(0), [(Direction::Read, 4, 12)]);
    assert_eq!(bench.seen(1), [(Direction::Read, 0, 16)]);
    assert_eq!(bench.seen(2), [(Direction::Read, 0, 12)]);
    assert_eq!(done.len(), 1);
    // The largest part decides: 1 ms and 16 blocks at 64 blocks a millisecond.
    assert_eq!(done[0].ledger.total(), Time::from_micros(1_250));
}

#[test]
fn a_stripe_of_two_doubles_the_rate_of_a_sequential_stream() {
    let rate = |members| {
        let mut bench = Bench::new(members, "64 KiB");
        for index in 0..200 {
            bench.inject(read(index, index * 256, 256), Time::ZERO);
        }
        let done = bench.finish();
        assert_eq!(done.len(), 200);
        let end = done.iter().map(|request| request.ledger.total()).fold(Time::ZERO, Time::max);
        200.0 * 256.0 / end.as_millis()
    };
    let ratio = rate(2) / rate(1);
    assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
}

#[test]
fn flushes_go_to_every_member_and_before_the_data() {
    let mut bench = Bench::new(2, "64 KiB");
    let commit = BlockRequest {
        direction: Direction::Write,
        flush_before: true,
        force_unit_access: true,
        ..read(1, 0, 8)
    };
    bench.inject(commit, Time::ZERO);
    let done = bench.finish();
    assert_eq!(bench.seen(0), [(Direction::Flush, 0, 0), (Direction::Write, 0, 8)]);
    assert_eq!(bench.seen(1), [(Direction::Flush, 0, 0)]);
    assert_eq!(done[0].ledger.total(), Time::from_micros(2_000 + 1_125));
    assert!(done[0].flush_before && done[0].force_unit_access);
}

#[test]
fn nonsense_is_refused() {
    let unit = |bytes| StripeParameters { stripe_unit: Bytes(bytes) };
    assert_eq!(unit(1_000).layout(2), Err(StripeError::Unit(1_000)));
    assert_eq!(unit(0).layout(2), Err(StripeError::Unit(0)));
    assert_eq!(unit(4_096).layout(0), Err(StripeError::NoMembers));
    assert_eq!(unit(4_096).layout(3).unwrap().blocks(1_001), 3_000);
}

proptest! {
    #[test]
    fn parts_are_where_the_blocks_are(unit in 1u64..20, members in 1usize..6, first in 0u64..500, count in 1u64..200) {
        let layout = StripeParameters { stripe_unit: Bytes(unit * 512) }.layout(members).unwrap();
        let mut placed: Vec<Vec<u64>> = vec![Vec::new(); members];
        for block in first..first + count {
            let (member, at) = layout.place(block);
            placed[member].push(at);
        }
        for (member, blocks) in placed.iter().enumerate() {
            let part = layout.part(first, first + count, member);
            let listed: Vec<u64> = part.map_or(vec![], |(from, count)| (from..from + u64::from(count)).collect());
            prop_assert_eq!(&listed, blocks);
        }
    }

    #[test]
    fn every_request_comes_out_once(
        steps in prop::collection::vec((0u64..3_000, 0u64..400, 1u32..300, 0u8..5), 1..60),
        members in 1usize..4,
    ) {
        let mut bench = Bench::new(members, "16 KiB");
        let mut at = Time::ZERO;
        for (index, (pause, address, blocks, what)) in steps.iter().enumerate() {
            at += Time::from_micros(*pause);
            let request = read(index as u64, *address, *blocks);
            bench.inject(match what {
                0 => BlockRequest { direction: Direction::Flush, address: 0, blocks: 0, ..request },
                1 => BlockRequest { direction: Direction::Write, flush_before: true, ..request },
                2 => BlockRequest { direction: Direction::Write, ..request },
                _ => request,
            }, at);
        }
        let mut ids: Vec<(u64, u64)> = bench.finish().iter().map(|request| (request.id.0, request.tag)).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..steps.len() as u64).map(|id| (id, id + 10)).collect::<Vec<_>>());
    }
}
