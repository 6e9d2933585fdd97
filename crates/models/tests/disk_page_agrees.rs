//! The page of the net and the plain loop are two implementations of the same drive: they agree to the picosecond.
#![allow(clippy::unwrap_used)]

use petrio_colours::{BlockRequest, Direction, RequestId};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, DiskParameters, EarlyDisconnect, GeometryParameters,
    ImmediateReporting, MechanicsParameters, OverheadParameters, QueueDiscipline, QueueParameters, ReadAhead,
    SeekParameters, Sparing, TrackOrder, WriteBackOrder, WriteBackParameters, WriteSegments, ZoneParameters,
};
use petrio_models::device::disk::{Demand, Drive, Replay, disk_page};
use petrio_units::{Blocks, Duration, SignedDuration};
use std::sync::Arc;

fn us(microseconds: u64) -> Duration {
    Duration::new(Time::from_micros(microseconds))
}

fn zone(first: u32, last: u32, sectors: u32, slips: &[u64]) -> ZoneParameters {
    ZoneParameters {
        first_cylinder: first,
        last_cylinder: last,
        sectors_per_track: sectors,
        track_skew_sectors: 9.0,
        cylinder_skew_sectors: 17.0,
        first_sector_angle_sectors: 3.0,
        reserved_sectors: 0,
        spares: 12,
        slips: slips.to_vec(),
        remaps: vec![[25, 5_000]],
    }
}

fn drive() -> DiskParameters {
    DiskParameters {
        name: "test drive".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: Vec::new(),
        data_sheet: None,
        geometry: GeometryParameters {
            surfaces: 4,
            cylinders: 400,
            blocks: None,
            order: TrackOrder::Serpentine,
            sparing: Sparing::SectorsPerZone { slip_to_end: false },
            skew_scale: 1.0,
            physical_sector: Blocks(1),
            zones: vec![zone(0, 199, 97, &[8, 500, 501]), zone(200, 399, 71, &[4])],
        },
        mechanics: MechanicsParameters {
            rotation: "7200 rpm".parse().unwrap(),
            rotation_tolerance: petrio_units::Fraction::ZERO,
            head_switch: us(700),
            write_settle: SignedDuration::from_picos(350_000_000),
            seek: SeekParameters::TwoPart {
                knee_cylinders: 100,
                base: us(1_000),
                root: us(200),
                far_base: us(2_000),
                per_cylinder: us(10),
                first: vec![us(900)],
            },
            write_seek: None,
            minimum_seek: Duration::ZERO,
            seek_scale: petrio_units::Fraction::ONE,
        },
        bus: BusParameters { read_block: us(40), write_block: us(60) },
        overheads: OverheadParameters {
            command: us(20),
            read_hit: AfterReadOrWrite { after_read: us(100), after_write: us(130) },
            read_miss: AfterReadOrWrite { after_read: us(300), after_write: us(350) },
            write_reported: AfterReadOrWrite { after_read: us(200), after_write: us(210) },
            write_through: AfterReadOrWrite { after_read: us(400), after_write: us(420) },
            data_preparation: us(15),
            reselect: us(50),
            write_disconnect: us(30),
            read_completion: us(25),
            write_completion: us(35),
            minimum_write_positioning: us(600),
            early_disconnect: None,
        },
        cache: CacheParameters { segments: 3, segment_size: Blocks(64), ..CacheParameters::default() },
        queue: QueueParameters::default(),
    }
}

/// Drives that differ in what the controller and the cache do.
#[expect(clippy::too_many_lines, reason = "a list of drives")]
fn drives() -> Vec<(&'static str, DiskParameters)> {
    let changed = |change: &dyn Fn(&mut DiskParameters)| {
        let mut drive = drive();
        change(&mut drive);
        drive
    };
    let early = EarlyDisconnect {
        command: us(640),
        seek_delay: us(250),
        disconnect: us(45),
        pause: us(430),
        second_disconnect: us(134),
        second_reselect: us(128),
    };
    vec![
        ("no read-ahead", changed(&|_| {})),
        (
            "read-ahead to the segment's end",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::Segment;
                drive.cache.keep_sectors_before = true;
            }),
        ),
        (
            "read-ahead by tracks, reported writes",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::TrackAhead;
                drive.cache.immediate_reporting = ImmediateReporting::Always;
                drive.cache.read_ahead_after_hit = true;
            }),
        ),
        (
            "sequential writes reported, one write segment",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::Cylinder;
                drive.cache.immediate_reporting = ImmediateReporting::Sequential;
                drive.cache.write_segments = WriteSegments::One;
                drive.cache.read_hits_on_written = false;
            }),
        ),
        (
            "early disconnection",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::Track;
                drive.cache.write_lead = Blocks(10);
                drive.overheads.early_disconnect = Some(early.clone());
            }),
        ),
        (
            "zero latency, never disconnects",
            changed(&|drive| {
                drive.cache.read_on_arrival = true;
                drive.cache.write_on_arrival = true;
                drive.cache.never_disconnect = true;
            }),
        ),
        (
            "writes held in the whole cache",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::Segment;
                drive.cache.immediate_reporting = ImmediateReporting::Cached;
            }),
        ),
        (
            "few writes held, first come, first served",
            changed(&|drive| {
                drive.cache.read_ahead = ReadAhead::Track;
                drive.cache.read_ahead_after_hit = true;
                drive.cache.hits_beside_read_ahead = true;
                drive.cache.read_hits_on_written = false;
                drive.cache.write_on_arrival = true;
                drive.cache.immediate_reporting = ImmediateReporting::Cached;
                drive.cache.write_back =
                    WriteBackParameters { size: Blocks(90), runs: 3, order: WriteBackOrder::FirstCome };
            }),
        ),
    ]
}

/// A small generator, so that the test needs no other crate: Marsaglia's xorshift64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Commands as hosts send them: some sequential, some near, some far; think times from none to long; `None` is a flush.
fn commands(blocks: u64) -> Vec<(Option<Demand>, Time)> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut last = Demand { write: false, block: 0, blocks: 1, force_unit_access: false };
    (0..4_000)
        .map(|_| {
            let length = 1 + numbers.below(40);
            let block = match numbers.below(10) {
                0..=3 => last.end(),
                4..=5 => last.block.saturating_sub(numbers.below(60)),
                6 => last.end() + numbers.below(60),
                _ => numbers.below(blocks),
            };
            let write = match numbers.below(4) {
                0 => !last.write,
                _ => last.write,
            };
            let block = block.min(blocks - length);
            last = Demand { write, block, blocks: length, force_unit_access: numbers.below(50) == 0 };
            let think = match numbers.below(4) {
                0 => 0,
                1 => numbers.below(1_000),
                _ => numbers.below(30_000),
            };
            // Flushes come by a rule of their own, so that the commands between them stay what they were.
            (Some(last).filter(|last| (last.block + last.end()) % 37 != 5), Time::from_micros(think))
        })
        .collect()
}

#[test]
fn the_page_and_the_plain_loop_agree_to_the_picosecond() {
    for (what, parameters) in drives() {
        let drive = Arc::new(Drive::new(&parameters).unwrap());
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let requests = page.fifo::<BlockRequest>("requests");
        let completions = page.fifo::<BlockRequest>("completions");
        let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
        disk_page(&mut page, "disk", &drive, queueing, requests, completions);
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        let mut replay = Replay::new(&drive);
        let mut now = Time::ZERO;
        for (number, (demand, think)) in commands(drive.blocks()).into_iter().enumerate() {
            let request = BlockRequest {
                id: RequestId(number as u64),
                direction: demand.map_or(Direction::Flush, |demand| {
                    if demand.write { Direction::Write } else { Direction::Read }
                }),
                force_unit_access: demand.is_some_and(|demand| demand.force_unit_access),
                address: demand.map_or(0, |demand| demand.block),
                blocks: demand.map_or(0, |demand| demand.blocks as u32),
                issued: now,
                ..BlockRequest::default()
            };
            run.inject(requests, request, now).unwrap();
            let (completion, request) = loop {
                let next = run.next_time().unwrap();
                let completed = run.drain(completions).next();
                if let Some(request) = completed {
                    break (run.now(), request);
                }
                run.run_until(next.unwrap()).unwrap();
            };
            let expected = match demand {
                Some(demand) => replay.serve(demand, now),
                None => replay.flush(now),
            };
            assert_eq!(completion, expected, "{what}: command {number} {demand:?} at {now}");
            let charged = request.ledger.total();
            assert_eq!(charged, completion - now, "{what}: command {number}'s time is accounted for");
            now = completion + think;
        }
    }
}
