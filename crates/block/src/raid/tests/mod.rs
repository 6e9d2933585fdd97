//! Where blocks lie, that nothing is lost, and that two disks are twice as fast.

#![allow(clippy::unwrap_used)]

mod cache;
mod controllers;
mod counts;
mod data;
mod failures;
mod intents;
mod journals;
mod md;
mod plan;
mod rows;
mod strides;

use super::*;
use crate::queue::{QueueParameters, queue_page};
use petrio_colours::{Direction, RequestId};
use petrio_device::DeviceFeatures;
use petrio_device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, Simulation};
use petrio_units::{Blocks, Bytes};
use proptest::prelude::*;

/// An array of disks with 1 ms a request and 64 blocks a millisecond, each behind a queue of its own.
struct Bench {
    run: Simulation,
    requests: Place<BlockRequest>,
    completions: Place<BlockRequest>,
    down: Vec<Place<BlockRequest>>,
    array: Place<Array>,
    cache: Option<Place<Cache>>,
}

impl Bench {
    fn new(members: usize, unit: &str) -> Self {
        let striped = RaidParameters::of(RaidLevel::Striped);
        Self::of(members, &RaidParameters { stripe_unit: unit.parse().unwrap(), ..striped })
    }

    fn of(members: usize, parameters: &RaidParameters) -> Self {
        Self::sized(members, 1 << 30, parameters)
    }

    /// Over members of so many blocks.
    fn sized(members: usize, blocks: u64, parameters: &RaidParameters) -> Self {
        Self::over(members, blocks, parameters, |_| "1 ms")
    }

    /// Over members of so many blocks, each with its own time for a request.
    fn over(
        members: usize,
        blocks: u64,
        parameters: &RaidParameters,
        latency: impl Fn(usize) -> &'static str,
    ) -> Self {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
        let device = ConstantRateParameters {
            name: "disk".to_owned(),
            source: "made up".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            blocks: Blocks(blocks),
            latency: "1 ms".parse().unwrap(),
            part: None,
            rate: Some("32.768 MB/s".parse().unwrap()),
            write_cache: true,
            flush: Some("2 ms".parse().unwrap()),
        };
        let features = DeviceFeatures { force_unit_access: true, ..DeviceFeatures::of_write_cache(true) };
        let mut down = Vec::new();
        let ports: Vec<_> = (0..members)
            .map(|member| {
                let [from, to, sent, back] = ["in", "out", "down", "up"]
                    .map(|name| page.fifo::<BlockRequest>(&format!("m{member}-{name}")));
                let queue = QueueParameters { features, ..QueueParameters::default() };
                queue_page(&mut page, &format!("q{member}"), &queue, (from, to), (sent, back));
                let latency = latency(member);
                // Others than those of 1 ms flush as fast as they do the rest.
                let flush = if latency == "1 ms" { device.flush } else { Some(latency.parse().unwrap()) };
                let device =
                    ConstantRateParameters { latency: latency.parse().unwrap(), flush, ..device.clone() };
                constant_rate_page(&mut page, &format!("d{member}"), &device, sent, back);
                down.push(sent);
                (from, to)
            })
            .collect();
        let ports = RaidPorts {
            requests,
            completions,
            members: ports,
            blocks,
            journal_blocks: blocks,
            rotational: true,
            alone: true,
        };
        let RaidPage { array, cache, .. } = raid_page(&mut page, "array", parameters, &ports).unwrap();
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
        Self { run, requests, completions, down, array, cache }
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

    /// Looks at what changes of the array.
    fn look<R>(&self, look: impl FnOnce(&Array) -> R) -> R {
        let (mut look, mut seen) = (Some(look), None);
        self.run.for_each_token(self.array, |array| seen = look.take().map(|look| look(array)));
        seen.unwrap()
    }

    fn look_at_cache<R>(&self, look: impl FnOnce(&Cache) -> R) -> R {
        let (mut look, mut seen) = (Some(look), None);
        let cache = self.cache.unwrap();
        self.run.for_each_token(cache, |cache| seen = look.take().map(|look| look(cache)));
        seen.unwrap()
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
    let of = |level, members, change: fn(&mut RaidParameters)| {
        let mut parameters = RaidParameters::of(level);
        change(&mut parameters);
        parameters.layout(members).map(|layout| layout.blocks(1_001)).map_err(|error| error.to_string())
    };
    let refused = |level, members, change, word: &str| {
        let error = of(level, members, change).unwrap_err();
        assert!(error.contains(word), "{error}");
    };
    refused(RaidLevel::Striped, 2, |parameters| parameters.stripe_unit = Bytes(1_000), "multiple of 512");
    refused(RaidLevel::Striped, 2, |parameters| parameters.stripe_unit = Bytes(0), "multiple of 512");
    refused(RaidLevel::Rotated, 5, |parameters| parameters.granularity = Bytes(48 << 10), "granularity");
    refused(RaidLevel::Rotated, 2, |_| {}, "needs 3 members");
    refused(RaidLevel::DoubleRotated, 3, |_| {}, "needs 4 members");
    refused(RaidLevel::MirroredStriped, 2, |parameters| parameters.copies = 3, "3 copies");
    refused(RaidLevel::Rotated, 5, |parameters| parameters.stripe_width = Some(6), "a stripe of 6 units");
    refused(RaidLevel::Striped, 5, |parameters| parameters.stripe_width = Some(4), "no stripe_width");
    assert_eq!(of(RaidLevel::Striped, 3, |parameters| parameters.stripe_unit = Bytes(4_096)), Ok(3_000));
    // 1,001 blocks are 7 units of 128: 6 data and a parity each, or one stripe of three on seven members in a slice.
    assert_eq!(of(RaidLevel::Rotated, 7, |_| {}), Ok(7 * 6 * 128));
    assert_eq!(
        of(RaidLevel::Rotated, 7, |parameters| parameters.stripe_width = Some(3)),
        Ok(2 * 7 * 2 * 128)
    );
    assert_eq!(of(RaidLevel::MirroredStriped, 6, |_| {}), Ok(7 * 3 * 128));
    // Of seven rows six are used: three stripes of five units in two rows each.
    assert_eq!(of(RaidLevel::MirroredStriped, 5, |_| {}), Ok(3 * 5 * 128));
    assert_eq!(of(RaidLevel::Mirrored, 3, |_| {}), Ok(7 * 128));
}

#[test]
fn one_request_after_the_other_changes_a_stripe() {
    let ends = |locks, second| {
        let parameters = RaidParameters { stripe_locks: locks, ..RaidParameters::of(RaidLevel::Rotated) };
        let mut bench = Bench::of(5, &parameters);
        let write = |id, address| BlockRequest { direction: Direction::Write, ..read(id, address, 8) };
        bench.inject(write(1, 0), Time::ZERO);
        bench.inject(write(2, second), Time::ZERO);
        let mut ends: Vec<_> =
            bench.finish().iter().map(|request| request.issued + request.ledger.total()).collect();
        ends.sort_unstable();
        ends
    };
    // Read and write of 8 blocks: 1.125 ms each. The second in the same stripe begins when the first has ended; without
    // locks both have read their parity before either writes it.
    let [one, both] = [2_250, 4_500].map(Time::from_micros);
    assert_eq!(ends(true, 128), [one, both]);
    assert_eq!(ends(false, 128), [Time::from_micros(3_375), both]);
    // In the next stripe on other members it goes beside it.
    assert_eq!(ends(true, 128 * 6), [one, one]);
}

#[test]
fn a_controller_takes_its_time_for_requests_and_parity() {
    let total = |overhead: &str, rate: Option<&str>, blocks| {
        let controller = ControllerParameters {
            overhead: overhead.parse().unwrap(),
            parity_rate: rate.map(|rate| rate.parse().unwrap()),
            cache: None,
        };
        let parameters =
            RaidParameters { controller: Some(controller), ..RaidParameters::of(RaidLevel::Rotated) };
        let mut bench = Bench::of(5, &parameters);
        bench.inject(BlockRequest { direction: Direction::Write, ..read(1, 0, blocks) }, Time::ZERO);
        bench.finish()[0].ledger.total()
    };
    let base = total("0 s", None, 8);
    assert_eq!(base, Time::from_micros(2_250));
    assert_eq!(total("300 us", None, 8), Time::from_micros(2_550));
    // Parity of 8 new, 8 old, and 8 old parity blocks: 12,288 bytes.
    assert_eq!(total("0 s", Some("12.288 MB/s"), 8), Time::from_micros(3_250));
}

#[test]
fn reads_go_to_the_copy_that_is_chosen() {
    let seen = |reads, addresses: &[u64]| {
        let parameters = RaidParameters { reads, ..RaidParameters::of(RaidLevel::Mirrored) };
        let mut bench = Bench::of(2, &parameters);
        for (index, &address) in addresses.iter().enumerate() {
            bench.inject(read(index as u64, address, 8), Time::from_millis(10 * index as u64));
        }
        bench.finish();
        [bench.seen(0).len(), bench.seen(1).len()]
    };
    let two_streams = [0, 1 << 20, 8, (1 << 20) + 8, 16, (1 << 20) + 16];
    assert_eq!(seen(ReadChoice::First, &two_streams), [6, 0]);
    assert_eq!(seen(ReadChoice::RoundRobin, &two_streams), [3, 3]);
    // The first goes to the first of two that are as near; so does the second, whose arm is no nearer.
    let [first, second] = seen(ReadChoice::Nearest, &two_streams);
    assert_eq!(first + second, 6);
    assert!(second >= 2, "each stream keeps its copy: {first} {second}");
    // Linux md: the second stream finds an idle copy, and each stays where it goes on.
    assert_eq!(seen(ReadChoice::LinuxMd, &two_streams), [6, 0], "idle, one copy serves all in turn");
    let at_once = |reads| {
        let mut bench = Bench::of(2, &RaidParameters { reads, ..RaidParameters::of(RaidLevel::Mirrored) });
        (0..10).for_each(|id| bench.inject(read(id, id * 1_000, 8), Time::ZERO));
        bench.finish();
        [bench.seen(0).len(), bench.seen(1).len()]
    };
    assert_eq!(at_once(ReadChoice::ShortestQueue), [5, 5]);
    assert_eq!(at_once(ReadChoice::Nearest), [10, 0]);
    // The first goes on from where the arm is, the second finds the other idle; for the rest both arms are where they were, as
    // nothing that was read is complete.
    assert_eq!(at_once(ReadChoice::LinuxMd), [9, 1]);
}

#[test]
fn what_is_beyond_the_end_is_refused() {
    let mut bench = Bench::of(5, &RaidParameters::of(RaidLevel::Rotated));
    let blocks = RaidParameters::of(RaidLevel::Rotated).layout(5).unwrap().blocks(1 << 30);
    bench.inject(read(1, blocks - 4, 8), Time::ZERO);
    bench.inject(read(2, blocks - 8, 8), Time::ZERO);
    let done = bench.finish();
    let failures: Vec<_> = done.iter().map(|request| request.status.failure().is_some()).collect();
    assert_eq!(failures, [true, false]);
}

pub(super) const LEVELS: [RaidLevel; 6] = [
    RaidLevel::Striped,
    RaidLevel::Mirrored,
    RaidLevel::MirroredStriped,
    RaidLevel::ParityMember,
    RaidLevel::Rotated,
    RaidLevel::DoubleRotated,
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_comes_out_once(
        steps in prop::collection::vec((0u64..3_000, 0u64..400, 1u32..300, 0u8..5), 1..60),
        members in 2usize..4,
        level in 0usize..6,
        controller in any::<bool>(),
        cached in any::<Option<bool>>(),
        order in any::<bool>(),
        locks in any::<bool>(),
    ) {
        let parameters = RaidParameters {
            stripe_unit: Bytes::from_kib(16),
            controller: controller.then(|| ControllerParameters {
                overhead: "100 us".parse().unwrap(),
                parity_rate: Some("100 MB/s".parse().unwrap()),
                cache: cached.map(|battery| RaidCacheParameters { battery, ..RaidCacheParameters::of(Bytes::from_kib(256)) }),
            }),
            write_order: if order { WriteOrder::AfterOwnRead } else { WriteOrder::AfterAllReads },
            stripe_locks: locks,
            ..RaidParameters::of(LEVELS[level])
        };
        let mut bench = Bench::of(2 * members, &parameters);
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
