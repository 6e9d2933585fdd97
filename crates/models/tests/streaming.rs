//! Sequential streams: a command that continues where the head is loses no revolution, on drives of any parameters.
//!
//! The oracle is the medium itself: the time in which the same blocks pass the head in one go, without controller, bus and
//! cache. A stream takes that, or what the controller and the bus need for its commands one after the other, whichever is
//! longer; a revolution lost at each command shows at once. So does a stream of reads that leaves some blocks out each time,
//! for which the medium's time is that of reading through them.
#![allow(clippy::unwrap_used)]

use petrio_colours::{BlockRequest, Direction, RequestId};
use petrio_kernel::{Net, NetBuilder, Place, Simulation, Time};
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, DiskParameters, GeometryParameters, ImmediateReporting,
    MechanicsParameters, OverheadParameters, QueueDiscipline, QueueParameters, ReadAhead, SeekParameters,
    Sparing, TrackOrder, ZoneParameters,
};
use petrio_models::device::disk::{Demand, Drive, Replay, disk_page};
use petrio_units::{Blocks, Duration, Fraction, SignedDuration};
use proptest::prelude::*;
use std::sync::Arc;

/// A drive in a net of its own, the place of requests and that of completions.
fn net_of(parameters: &DiskParameters) -> (Arc<Net>, Place<BlockRequest>, Place<BlockRequest>) {
    let drive = Arc::new(Drive::new(parameters).unwrap());
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let requests = page.fifo::<BlockRequest>("requests");
    let completions = page.fifo::<BlockRequest>("completions");
    let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
    disk_page(&mut page, "disk", &drive, queueing, requests, completions);
    (net.build().unwrap(), requests, completions)
}

/// A stream of commands, each of which begins where the one before ends, or a little behind that.
#[derive(Clone, Copy, Debug)]
struct Stream {
    write: bool,
    /// Blocks in each command.
    blocks: u64,
    /// Blocks left out between one command and the next.
    skipped: u64,
    commands: u64,
    /// From a completion to the next command.
    gap: Time,
    /// Commands that are on their way at a time.
    outstanding: u64,
}

impl Stream {
    fn reads(blocks: u64, commands: u64) -> Self {
        Self { write: false, blocks, skipped: 0, commands, gap: Time::ZERO, outstanding: 1 }
    }

    fn request(self, number: u64, issued: Time) -> BlockRequest {
        BlockRequest {
            id: RequestId(number),
            direction: if self.write { Direction::Write } else { Direction::Read },
            address: number * (self.blocks + self.skipped),
            blocks: self.blocks as u32,
            issued,
            ..BlockRequest::default()
        }
    }

    /// When each command completes.
    fn completions(self, parameters: &DiskParameters) -> Vec<Time> {
        let (net, requests, completions) = net_of(parameters);
        let mut run = Simulation::new(&net, 1, 0);
        let mut issued = self.outstanding.min(self.commands);
        for number in 0..issued {
            run.inject(requests, self.request(number, Time::ZERO), Time::ZERO).unwrap();
        }
        let mut done = Vec::new();
        while (done.len() as u64) < self.commands {
            let next = run.next_time().unwrap().unwrap();
            run.run_until(next).unwrap();
            let completed = run.drain(completions).count();
            for _ in 0..completed {
                done.push(run.now());
                if issued < self.commands {
                    let at = run.now() + self.gap;
                    run.inject(requests, self.request(issued, at), at).unwrap();
                    issued += 1;
                }
            }
        }
        done
    }

    /// From the completion of the first command to that of the last, milliseconds.
    fn span(self, parameters: &DiskParameters) -> f64 {
        let done = self.completions(parameters);
        (*done.last().unwrap() - done[0]).as_millis()
    }

    /// Longest that it may take, milliseconds: the medium's time or that of controller, bus and host, a twentieth on
    /// top, and what a start may cost.
    fn longest(self, parameters: &DiskParameters) -> f64 {
        let commands = (self.commands - 1) as f64;
        let medium = on_the_medium(parameters, self.write, self.blocks + self.skipped, self.commands);
        let apart = (self.serial(parameters) + self.gap.as_millis()) * commands;
        medium.max(apart) * 1.05 + 3.0 * revolution(parameters)
    }

    /// How long a command's blocks take under the head, milliseconds.
    fn passage(self, parameters: &DiskParameters) -> f64 {
        let sectors = parameters.geometry.zones[0].sectors_per_track;
        revolution(parameters) * self.blocks as f64 / f64::from(sectors)
    }

    /// What the controller and the bus need for a command, milliseconds.
    fn serial(self, parameters: &DiskParameters) -> f64 {
        let DiskParameters { overheads, bus, .. } = parameters;
        let spans = if self.write {
            let decode = if parameters.cache.immediate_reporting == ImmediateReporting::Never {
                overheads.write_through
            } else {
                overheads.write_reported
            };
            [decode.after_write, overheads.write_completion, overheads.write_disconnect]
        } else {
            let slower = overheads.read_hit.after_read.time().max(overheads.read_miss.after_read.time());
            [Duration::new(slower), overheads.read_completion, Duration::default()]
        };
        let block = if self.write { bus.write_block } else { bus.read_block };
        let controller = spans.into_iter().map(Duration::time).fold(Time::ZERO, |sum, span| sum + span);
        let each = overheads.command.time() + overheads.data_preparation.time() + overheads.reselect.time();
        (controller + each).as_millis() + block.time().as_millis() * self.blocks as f64
    }
}

/// The time in which commands' blocks pass the head in one go, those of the first left out; milliseconds.
fn on_the_medium(parameters: &DiskParameters, write: bool, blocks: u64, commands: u64) -> f64 {
    let mut bare = parameters.clone();
    bare.bus = BusParameters::default();
    bare.overheads = OverheadParameters::default();
    bare.cache = CacheParameters::default();
    let drive = Drive::new(&bare).unwrap();
    let span = |blocks| {
        let demand = Demand { write, block: 0, blocks, force_unit_access: false };
        Replay::new(&drive).serve(demand, Time::ZERO)
    };
    (span(blocks * commands) - span(blocks)).as_millis()
}

fn revolution(parameters: &DiskParameters) -> f64 {
    parameters.mechanics.rotation.revolution().as_millis()
}

fn us(microseconds: u64) -> Duration {
    Duration::new(Time::from_micros(microseconds))
}

prop_compose! {
    /// Drives of all ages whose skews hide their track switches: otherwise the medium itself loses revolutions.
    fn drives()(
        surfaces in 1u32..9,
        sectors in 60u32..900,
        rpm in prop_oneof![Just(3_600u32), Just(5_400), Just(7_200), Just(10_000), Just(15_000)],
        head_switch in 50u64..1_200,
        single in 200u64..2_000,
        settle in 0u64..400,
        bus in 0u64..9,
        overheads in prop::array::uniform5(0u64..300),
        segments in 1u32..8,
        segment_tracks in 2u64..6,
        block_being_read in any::<bool>(),
        whole_sectors in any::<bool>(),
    ) -> DiskParameters {
        let revolution_us = 60_000_000 / u64::from(rpm);
        let [command, hit, more, prepare, completion] = overheads;
        // A write that begins at a track's first sector is in time for it, too.
        let least_write_us = more * 4;
        let switch_us = (head_switch.max(single) + settle).max(least_write_us);
        let skew = (switch_us as f64 / revolution_us as f64 * f64::from(sectors)).ceil() + 1.0;
        let zone = ZoneParameters {
            first_cylinder: 0,
            last_cylinder: 3_999,
            sectors_per_track: sectors,
            track_skew_sectors: skew,
            cylinder_skew_sectors: skew,
            first_sector_angle_sectors: 0.0,
            reserved_sectors: 0,
            spares: 0,
            slips: Vec::new(),
            remaps: Vec::new(),
        };
        // A block takes up to nine tenths of its time at the medium on the bus.
        let block_ps = revolution_us * 1_000_000 / u64::from(sectors) * bus / 10;
        let block = Duration::new(Time::from_picos(block_ps));
        DiskParameters {
            name: "random".to_owned(),
            source: "made up".to_owned(),
            cost: Default::default(),
            reliability: Default::default(),
            assumed: Vec::new(),
            data_sheet: None,
            geometry: GeometryParameters {
                surfaces,
                cylinders: 4_000,
                blocks: None,
                order: TrackOrder::Cylinder,
                sparing: Sparing::None,
                skew_scale: 1.0,
        physical_sector: Blocks(1),
                zones: vec![zone],
            },
            mechanics: MechanicsParameters {
                rotation: format!("{rpm} rpm").parse().unwrap(),
                rotation_tolerance: Fraction::ZERO,
                head_switch: us(head_switch),
                write_settle: SignedDuration::from_picos(settle as i64 * 1_000_000),
                seek: SeekParameters::ThreePointLine {
                    single: us(single),
                    average: us(single + 5_000),
                    full: us(single + 12_000),
                },
                write_seek: None,
                minimum_seek: Duration::ZERO,
seek_scale: Fraction::ONE,
            },
            bus: BusParameters { read_block: block, write_block: block },
            overheads: OverheadParameters {
                command: us(command),
                read_hit: AfterReadOrWrite::always(us(hit)),
                read_miss: AfterReadOrWrite::always(us(hit + more)),
                write_reported: AfterReadOrWrite::always(us(hit)),
                write_through: AfterReadOrWrite::always(us(hit + more)),
                data_preparation: us(prepare),
                read_completion: us(completion),
                write_completion: us(completion),
                reselect: us(prepare),
                write_disconnect: us(prepare),
                minimum_write_positioning: us(least_write_us),
                early_disconnect: None,
            },
            cache: CacheParameters {
                segments,
                segment_size: Blocks(segment_tracks * u64::from(sectors)),
                read_ahead: ReadAhead::Segment,
                read_ahead_after_hit: true,
                hit_on_block_being_read: block_being_read,
                stop_within_sector: !whole_sectors,
                ..CacheParameters::default()
            },
            queue: QueueParameters::default(),
        }
    }
}

/// Lengths of commands, in blocks.
fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..16, 16u64..300, 300u64..2_500]
}

/// As many commands as make a stream of some length.
fn commands(blocks: u64) -> u64 {
    (40_000 / blocks).clamp(20, 400)
}

fn assert_streams(stream: Stream, parameters: &DiskParameters) -> Result<(), TestCaseError> {
    let (span, longest) = (stream.span(parameters), stream.longest(parameters));
    let per_command = span / (stream.commands - 1) as f64;
    prop_assert!(
        span <= longest,
        "{stream:?}: {span} for at most {longest}: {per_command} ms a command, {} ms of it the controller's and the bus's",
        stream.serial(parameters)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        max_global_rejects: 65_536,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_read_that_continues_the_reading_ahead_loses_no_revolution(
        drive in drives(),
        blocks in lengths(),
        gap in prop_oneof![
            Just(Time::ZERO),
            (1u64..2_000).prop_map(Time::from_picos),
            (0u64..2_000).prop_map(Time::from_micros),
        ],
    ) {
        assert_streams(Stream { gap, ..Stream::reads(blocks, commands(blocks)) }, &drive)?;
    }

    #[test]
    fn a_read_a_little_ahead_of_the_reading_ahead_loses_no_revolution(
        drive in drives(),
        blocks in 1u64..50,
        skipped in 1u64..50,
        gap in (0u64..2_000).prop_map(Time::from_micros),
    ) {
        assert_streams(Stream { gap, skipped, ..Stream::reads(blocks, commands(blocks + skipped)) }, &drive)?;
    }

    #[test]
    fn waiting_reads_lose_no_revolution_however_little_is_read_ahead(
        mut drive in drives(),
        blocks in lengths(),
        outstanding in 2u64..9,
        scope in prop_oneof![
            Just(ReadAhead::None), Just(ReadAhead::Track), Just(ReadAhead::Cylinder), Just(ReadAhead::TrackAhead),
        ],
        keep in any::<bool>(),
        nearest_first in any::<bool>(),
    ) {
        drive.queue.depth = 8;
        if nearest_first {
            drive.queue.discipline = QueueDiscipline::ShortestPositioning;
        }
        (drive.cache.read_ahead, drive.cache.keep) = (scope, keep);
        let stream = Stream { outstanding, ..Stream::reads(blocks, commands(blocks)) };
        // A drive that reads nothing ahead can't make up for a controller that is slower than the medium.
        prop_assume!(stream.serial(&drive) < stream.passage(&drive));
        assert_streams(stream, &drive)?;
    }

    #[test]
    fn held_writes_that_continue_each_other_go_to_the_medium_as_one_stream(
        mut drive in drives(),
        blocks in lengths(),
        gap in (0u64..200).prop_map(Time::from_micros),
    ) {
        drive.cache.immediate_reporting = ImmediateReporting::Cached;
        drive.cache.segments = 4;
        drive.cache.segment_size = Blocks(drive.cache.segment_size.get().max(blocks));
        let room = drive.cache.segment_size.get() * 4;
        let commands = commands(blocks).max(10 * room / blocks);
        assert_streams(Stream { write: true, gap, ..Stream::reads(blocks, commands) }, &drive)?;
    }

    #[test]
    fn waiting_writes_that_continue_each_other_lose_no_revolution(
        mut drive in drives(),
        blocks in lengths(),
        outstanding in 2u64..9,
        nearest_first in any::<bool>(),
    ) {
        drive.queue.depth = 8;
        if nearest_first {
            drive.queue.discipline = QueueDiscipline::ShortestPositioning;
        }
        let stream = Stream { write: true, outstanding, ..Stream::reads(blocks, commands(blocks)) };
        // The second of two comes when the one before the first is reported: it is in time if that is soon enough.
        prop_assume!(stream.serial(&drive) < stream.passage(&drive));
        assert_streams(stream, &drive)?;
    }

    #[test]
    fn writes_reported_as_they_continue_stream_but_no_faster_than_the_medium(
        mut drive in drives(),
        blocks in lengths(),
    ) {
        drive.cache.immediate_reporting = ImmediateReporting::Sequential;
        drive.cache.segment_size = Blocks(drive.cache.segment_size.get().max(2 * blocks));
        let size = drive.cache.segment_size.get();
        let stream = Stream { write: true, ..Stream::reads(blocks, commands(blocks).max(10 * size / blocks)) };
        let medium = on_the_medium(&drive, true, blocks, stream.commands);
        let held = on_the_medium(&drive, true, 1, 2 * size + blocks);
        let span = stream.span(&drive);
        prop_assert!(span + held >= medium, "{span} for {medium} on the medium");
        prop_assume!(stream.serial(&drive) < stream.passage(&drive));
        assert_streams(stream, &drive)?;
    }

    #[test]
    fn longer_commands_shorter_gaps_and_more_reading_ahead_are_no_slower(
        mut drive in drives(),
        blocks in 1u64..600,
        factor in 2u64..5,
        gap_us in 0u64..3_000,
    ) {
        let total = 60_000u64.min(blocks * 600) / (blocks * factor) * factor;
        let stream = Stream { gap: Time::from_micros(gap_us), ..Stream::reads(blocks, total) };
        let span = stream.span(&drive);
        let starts = 3.0 * revolution(&drive);
        let slack = |span: f64| span * 1.02 + starts;
        let longer = Stream { blocks: blocks * factor, commands: total / factor, ..stream }.span(&drive);
        prop_assert!(longer <= slack(span), "commands of {} blocks take {longer}, {stream:?} {span}", blocks * factor);
        let at_once = Stream { gap: Time::ZERO, ..stream }.span(&drive);
        prop_assert!(at_once <= slack(span), "without gaps {at_once}, {stream:?} {span}");
        drive.cache.segment_size = Blocks(drive.cache.segment_size.get() * factor);
        let further = stream.span(&drive);
        prop_assert!(further <= slack(span), "reading further ahead {further}, {stream:?} {span}");
    }
}

/// The mechanical drives of the catalogue.
fn catalogue() -> Vec<(String, DiskParameters)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../catalogue/devices");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let drive = |file: std::path::PathBuf| {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        // Devices of other kinds say which.
        (!text.split("\n[").next().unwrap().contains("\nkind = "))
            .then(|| (name, toml::from_str(&text).unwrap()))
    };
    files.into_iter().filter_map(drive).collect()
}

/// `petrio validate streaming` holds one command at a time against the data sheets; here several wait in the drive.
#[test]
fn waiting_commands_stream_on_every_drive_of_the_catalogue() {
    let mut held = 0;
    for (name, mut drive) in catalogue() {
        drive.queue = QueueParameters { depth: 8, discipline: QueueDiscipline::FirstCome };
        drive.cache.immediate_reporting = ImmediateReporting::Never;
        for read_ahead in [ReadAhead::None, ReadAhead::Segment] {
            drive.cache.read_ahead = read_ahead;
            for (write, blocks) in [(false, 128), (false, 1_024), (true, 128), (true, 1_024)] {
                let stream = Stream { write, outstanding: 4, ..Stream::reads(blocks, commands(blocks)) };
                if stream.serial(&drive) > stream.passage(&drive) {
                    continue;
                }
                let (span, longest) = (stream.span(&drive), stream.longest(&drive));
                assert!(
                    span <= longest,
                    "{name}, {read_ahead:?}, {stream:?}: {span} ms for at most {longest}"
                );
                held += 1;
            }
        }
    }
    assert!(held >= 150, "only {held} streams are the medium's");
}

#[test]
fn what_is_assumed_of_a_drive_of_the_catalogue_is_a_key_that_its_file_sets() {
    for (name, drive) in catalogue() {
        let text = toml::to_string(&drive).unwrap();
        let table: toml::Table = toml::from_str(&text).unwrap();
        for key in &drive.assumed {
            let mut value = Some(toml::Value::Table(table.clone()));
            for word in key.split('.') {
                value = value.and_then(|value| value.get(word).cloned());
            }
            assert!(value.is_some(), "{name}: {key} is assumed, but not there");
        }
        assert!(
            drive.cache.segments >= 1 && drive.cache.read_ahead != ReadAhead::None,
            "{name} reads nothing ahead"
        );
    }
}

#[test]
fn a_read_that_is_in_the_cache_overtakes_those_that_wait_for_the_arm() {
    let (_, mut drive) = catalogue().into_iter().find(|(name, _)| name == "seagate-exos-x18-18tb").unwrap();
    for (discipline, expected) in
        [(QueueDiscipline::FirstCome, [0, 1, 2, 3]), (QueueDiscipline::ShortestPositioning, [0, 1, 3, 2])]
    {
        drive.queue.discipline = discipline;
        let (net, requests, completions) = net_of(&drive);
        let mut run = Simulation::new(&net, 1, 0);
        // The blocks behind the first read are read ahead while nobody asks; then three come at once.
        let later = Time::from_micros(50_000);
        let far = 30_000_000_000;
        for (number, (address, at)) in
            [(0, Time::ZERO), (far, later), (2 * far / 3, later), (64, later)].into_iter().enumerate()
        {
            let request = BlockRequest {
                id: RequestId(number as u64),
                direction: Direction::Read,
                address,
                blocks: 64,
                issued: at,
                ..BlockRequest::default()
            };
            run.inject(requests, request, at).unwrap();
        }
        let mut order = Vec::new();
        while let Some(next) = run.next_time().unwrap() {
            run.run_until(next).unwrap();
            order.extend(run.drain(completions).map(|request| request.id.0));
        }
        assert_eq!(order, expected, "{discipline:?}");
    }
}
