//! Claims about single commands, on a drive that is small enough to compute by hand.
//!
//! Ten cylinders, two surfaces, 100 sectors a track, 6000 rpm: a revolution takes 10 ms and a sector 0.1 ms. A seek
//! takes 1 ms and 0.1 ms for each cylinder beyond the first, a head switch 0.5 ms. No skew, so that sector n passes at
//! n · 0.1 ms.
#![allow(clippy::unwrap_used)]

mod write_back;

use super::{Demand, Drive};
use crate::Queueing;
use crate::disk::parameters::{
    AfterReadOrWrite, BusParameters, CacheParameters, DiskParameters, EarlyDisconnect, GeometryParameters,
    ImmediateReporting, MechanicsParameters, OverheadParameters, QueueDiscipline, QueueParameters, ReadAhead,
    SeekParameters, Sparing, TrackOrder, WriteSegments, ZoneParameters,
};
use crate::disk::{Replay, disk_page};
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::{Blocks, Duration, SignedDuration};
use std::sync::Arc;

fn ms(milliseconds: f64) -> Duration {
    Duration::new(Time::from_seconds(milliseconds / 1e3))
}

fn parameters() -> DiskParameters {
    let zone = ZoneParameters {
        first_cylinder: 0,
        last_cylinder: 9,
        sectors_per_track: 100,
        track_skew_sectors: 0.0,
        cylinder_skew_sectors: 0.0,
        first_sector_angle_sectors: 0.0,
        reserved_sectors: 0,
        spares: 0,
        slips: Vec::new(),
        remaps: Vec::new(),
    };
    DiskParameters {
        name: "small".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: Vec::new(),
        data_sheet: None,
        geometry: GeometryParameters {
            surfaces: 2,
            cylinders: 10,
            blocks: None,
            order: TrackOrder::Cylinder,
            sparing: Sparing::None,
            skew_scale: 1.0,
            physical_sector: Blocks(1),
            zones: vec![zone],
        },
        mechanics: MechanicsParameters {
            rotation: "6000 rpm".parse().unwrap(),
            rotation_tolerance: petrio_units::Fraction::ZERO,
            head_switch: ms(0.5),
            write_settle: SignedDuration::ZERO,
            seek: SeekParameters::Measured { points: vec![(1, ms(1.0)), (9, ms(1.8))] },
            write_seek: None,
            minimum_seek: Duration::ZERO,
            seek_scale: petrio_units::Fraction::ONE,
        },
        bus: BusParameters::default(),
        overheads: OverheadParameters::default(),
        cache: CacheParameters { segment_size: Blocks(50), ..CacheParameters::default() },
        queue: QueueParameters::default(),
    }
}

fn read(block: u64, blocks: u64) -> Demand {
    Demand { write: false, block, blocks, force_unit_access: false }
}

fn write(block: u64, blocks: u64) -> Demand {
    Demand { write: true, ..read(block, blocks) }
}

/// Response times of commands that are issued at these times, milliseconds.
fn responses(parameters: &DiskParameters, commands: &[(f64, Demand)]) -> Vec<f64> {
    let drive = Drive::new(parameters).unwrap();
    let mut replay = Replay::new(&drive);
    commands
        .iter()
        .map(|&(at, demand)| {
            let at = ms(at).time();
            (replay.serve(demand, at) - at).as_millis()
        })
        .collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found_ms, expected_ms) in found.iter().zip(expected) {
        assert!((found_ms - expected_ms).abs() < 1e-6, "{found:?} is not {expected:?}");
    }
}

#[test]
fn a_read_takes_overhead_seek_rotation_and_transfer() {
    let mut drive = parameters();
    drive.overheads.read_miss = AfterReadOrWrite::always(ms(0.25));
    // Block 630 is sector 30 of surface 0 on cylinder 3: 0.25 + 1.2 ms, then sector 30 at 3.0 ms, 4 sectors.
    assert_close(&responses(&drive, &[(0.0, read(630, 4))]), &[3.4]);
    // Sector 10 has passed when the arm arrives at 1.45 ms: it comes at 11 ms.
    assert_close(&responses(&drive, &[(0.0, read(610, 4))]), &[11.4]);
}

#[test]
fn the_platters_turn_while_the_host_thinks() {
    // Over the track already; issued at 13 ms, when sector 30 passes, for sector 50.
    let first = read(0, 1);
    assert_close(&responses(&parameters(), &[(0.0, first), (13.0, read(50, 1))]), &[0.1, 2.1]);
}

#[test]
fn a_transfer_goes_on_over_tracks_and_waits_for_its_sector_after_a_head_switch() {
    // Ten sectors to the end of the track, a head switch of 0.5 ms, and sector 0 comes a revolution later without skew.
    assert_close(&responses(&parameters(), &[(0.0, read(90, 20))]), &[9.0 + 1.0 + 10.0 + 1.0]);
    // With a skew of five sectors the switch is hidden.
    let mut skewed = parameters();
    skewed.geometry.zones[0].track_skew_sectors = 5.0;
    assert_close(&responses(&skewed, &[(0.0, read(90, 20))]), &[9.0 + 1.0 + 0.5 + 1.0]);
}

#[test]
fn a_write_settles_after_a_movement_and_only_then() {
    let mut drive = parameters();
    drive.mechanics.write_settle = SignedDuration::from_picos(300_000_000);
    // To cylinder 1 in 1.0 + 0.3 ms: sector 13 passes just then.
    assert_close(&responses(&drive, &[(0.0, write(213, 1))]), &[1.4]);
    assert_close(&responses(&drive, &[(0.0, write(212, 1))]), &[11.3]);
    // No movement, no settling.
    assert_close(&responses(&drive, &[(0.0, write(0, 1))]), &[0.1]);
}

#[test]
fn a_curve_of_its_own_makes_writes_slower() {
    let mut drive = parameters();
    drive.mechanics.write_seek = Some(SeekParameters::Constant { time: ms(2.0) });
    assert_close(&responses(&drive, &[(0.0, write(230, 1))]), &[3.1]);
    assert_close(&responses(&drive, &[(0.0, write(215, 1))]), &[11.6]);
    assert_close(&responses(&drive, &[(0.0, read(215, 1))]), &[1.6]);
}

#[test]
fn blocks_read_ahead_are_there_when_they_are_wanted() {
    let mut drive = parameters();
    drive.cache.read_ahead = ReadAhead::Segment;
    drive.cache.read_ahead_limit = Blocks(40);
    drive.bus.read_block = ms(0.05);
    drive.overheads.read_hit = AfterReadOrWrite::always(ms(0.2));
    // 0.4 ms to read four, the last passes the bus behind it. By 3 ms the next 26 are read: only overhead and bus remain.
    // Then, at 3.2 ms, 32 are read and 34 are wanted: the last passes the head at 3.4 ms, and the bus behind it.
    let times = responses(&drive, &[(0.0, read(0, 4)), (3.0, read(4, 2)), (3.35, read(30, 4))]);
    assert_close(&times, &[0.45, 0.3, 0.2 + 4.0 * 0.05]);
    // Without reading ahead the same blocks cost the rest of a revolution.
    drive.cache.read_ahead = ReadAhead::None;
    assert_close(&responses(&drive, &[(0.0, read(0, 4)), (3.0, read(4, 2))])[1..], &[7.65]);
}

#[test]
fn a_read_that_catches_up_with_the_read_ahead_follows_it() {
    let mut drive = parameters();
    drive.cache.read_ahead = ReadAhead::Segment;
    drive.cache.read_ahead_limit = Blocks(40);
    // At 1 ms blocks up to 10 are read; 8..20 are wanted, and block 19 has passed at 2 ms.
    assert_close(&responses(&drive, &[(0.0, read(0, 4)), (1.0, read(8, 12))])[1..], &[1.0]);
}

#[test]
fn reading_ahead_stops_at_the_end_of_the_track_where_that_is_the_rule() {
    let mut drive = parameters();
    drive.cache.read_ahead_limit = Blocks(40);
    drive.cache.read_ahead = ReadAhead::Track;
    let blocks = [(0.0, read(90, 4)), (40.0, read(98, 2)), (60.0, read(100, 2))];
    // The last one lies on the next surface: a head switch of 0.5 ms, and sector 0 at 70 ms.
    assert_close(&responses(&drive, &blocks)[1..], &[0.0, 10.2]);
    drive.cache.read_ahead = ReadAhead::Cylinder;
    assert_close(&responses(&drive, &blocks)[1..], &[0.0, 0.0]);
}

#[test]
fn sectors_that_pass_while_the_head_waits_are_kept_where_the_drive_does_that() {
    let mut drive = parameters();
    drive.cache.keep_sectors_before = true;
    // On the track from the start; block 40 passes at 4 ms, blocks 0 to 39 before it.
    assert_close(&responses(&drive, &[(0.0, read(40, 4)), (20.5, read(10, 4))])[1..], &[0.0]);
    drive.cache.keep_sectors_before = false;
    assert_close(&responses(&drive, &[(0.0, read(40, 4)), (20.5, read(10, 4))])[1..], &[0.9]);
}

#[test]
fn a_write_is_reported_when_its_data_are_in_the_cache() {
    let mut drive = parameters();
    drive.cache.immediate_reporting = ImmediateReporting::Always;
    drive.cache.segments = 4;
    drive.bus.write_block = ms(0.01);
    drive.overheads.write_reported = AfterReadOrWrite::always(ms(0.5));
    let mut forced = write(630, 4);
    forced.force_unit_access = true;
    assert_close(&responses(&drive, &[(0.0, write(630, 4))]), &[0.54]);
    // On the medium at 3.4 ms, with the arm at cylinder 3 from 1.7 ms on.
    assert_close(&responses(&drive, &[(0.0, forced)]), &[3.4]);
    // A read elsewhere waits until the arm has written: granted at 3.4 ms, back on cylinder 0 at 4.6 ms, sector 60 at
    // 6.
    assert_close(&responses(&drive, &[(0.0, write(630, 4)), (1.0, read(60, 1))])[1..], &[5.1]);
    // What was just written serves a read, even before it is on the medium.
    assert_close(&responses(&drive, &[(0.0, write(630, 4)), (1.0, read(631, 2))])[1..], &[0.0]);
}

#[test]
fn sequential_writes_that_are_reported_early_lose_no_revolution() {
    let mut drive = parameters();
    drive.cache.immediate_reporting = ImmediateReporting::Sequential;
    drive.overheads.write_reported = AfterReadOrWrite::always(ms(0.1));
    // Each comes while the one before is being written; the arm writes all of them in one passage, 0.4 ms each.
    let commands: Vec<(f64, Demand)> =
        (0..8u32).map(|n| (f64::from(n) * 0.4, write(u64::from(n) * 4, 4))).collect();
    assert_close(&responses(&drive, &commands), &[0.1; 8]);
    let mut after = commands;
    after.push((4.0, read(60, 1)));
    // Written by 0.1 + 10 ms (sector 0 had passed) + 3.2 ms.
    let expected = 13.2 - 4.0 + (16.1 - 13.2);
    assert_close(&responses(&drive, &after)[8..], &[expected]);
}

#[test]
fn data_that_lead_a_write_can_cost_it_a_revolution() {
    let mut drive = parameters();
    drive.bus.write_block = ms(0.05);
    // The bus is twice as fast as the medium: the first block is there at 0.05 ms, in time for sector 1.
    assert_close(&responses(&drive, &[(0.0, write(1, 20))]), &[2.1]);
    // All twenty are there at 1 ms: sector 1 has passed.
    drive.cache.write_lead = Blocks(20);
    assert_close(&responses(&drive, &[(0.0, write(1, 20))]), &[12.1]);
    // A bus slower than the medium would leave it without data halfway.
    drive.cache.write_lead = Blocks(1);
    drive.bus.write_block = ms(0.2);
    assert_close(&responses(&drive, &[(0.0, write(2, 10))]), &[11.2]);
}

#[test]
fn a_segment_set_aside_for_writes_leaves_the_others_to_reads() {
    let mut drive = parameters();
    drive.cache.segments = 2;
    drive.cache.writes_clear_near = false;
    let commands = [(0.0, read(0, 4)), (20.0, write(400, 4)), (40.0, write(800, 4)), (60.0, read(0, 4))];
    // The two writes take both segments: the last read goes to the medium, 1.4 ms of seek and the rest of the turn.
    assert_close(&responses(&drive, &commands)[3..], &[10.4]);
    drive.cache.write_segments = WriteSegments::One;
    assert_close(&responses(&drive, &commands)[3..], &[0.0]);
}

#[test]
fn a_write_makes_stale_what_was_read() {
    let mut drive = parameters();
    drive.cache.segments = 3;
    drive.cache.read_hits_on_written = false;
    let commands = [(0.0, read(0, 4)), (20.0, write(2, 1)), (35.0, read(0, 4))];
    assert_close(&responses(&drive, &commands)[2..], &[5.4]);
}

#[test]
fn a_write_gives_up_what_lies_near_it_where_the_drive_does_that() {
    let mut drive = parameters();
    drive.cache.segments = 3;
    // A segment has 50 blocks: a write of block 50 is near, one of block 60 is not.
    let commands = [(0.0, read(0, 4)), (20.0, write(50, 1)), (35.0, read(0, 4))];
    assert_close(&responses(&drive, &commands)[2..], &[5.4]);
    let apart = [(0.0, read(0, 4)), (20.0, write(60, 1)), (35.0, read(0, 4))];
    assert_close(&responses(&drive, &apart)[2..], &[0.0]);
    drive.cache.writes_clear_near = false;
    assert_close(&responses(&drive, &commands)[2..], &[0.0]);
}

#[test]
fn zero_latency_reads_begin_wherever_the_head_lands() {
    let mut drive = parameters();
    drive.cache.read_on_arrival = true;
    // The head lands on cylinder 1 at 1 ms, in the middle of sectors 0..40: all have passed one revolution later.
    assert_close(&responses(&drive, &[(0.0, read(200, 40))]), &[11.0]);
    drive.cache.read_on_arrival = false;
    assert_close(&responses(&drive, &[(0.0, read(200, 40))]), &[14.0]);
}

#[test]
fn a_write_after_a_write_elsewhere_may_let_go_of_the_bus_once_more() {
    let mut drive = parameters();
    drive.overheads.write_through = AfterReadOrWrite::always(ms(0.1));
    drive.overheads.reselect = ms(0.2);
    drive.overheads.early_disconnect = Some(EarlyDisconnect {
        command: ms(0.3),
        seek_delay: ms(0.1),
        disconnect: ms(0.05),
        pause: ms(0.25),
        second_disconnect: ms(0.01),
        second_reselect: ms(0.4),
    });
    // First: sector 50 at 5 ms, then reconnection. Second: the arm may start at 0.4, the bus at 0.8; sector 10 of the
    // next revolution comes at 21 ms; then the longer reconnection.
    let times = responses(&drive, &[(0.0, write(50, 1)), (20.0, write(10, 1))]);
    assert_close(&times, &[5.1 + 0.2, 1.1 + 0.4]);
}

/// When requests that are issued at these times complete on the drive's page, milliseconds.
fn completions(parameters: &DiskParameters, requests: &[(f64, BlockRequest)]) -> Vec<f64> {
    completions_at(&[], parameters, requests)
}

/// As above, with pages of the drive's made faster.
fn completions_at(
    speeds: &[(&str, f64)],
    parameters: &DiskParameters,
    requests: &[(f64, BlockRequest)],
) -> Vec<f64> {
    let drive = Arc::new(Drive::new(parameters).unwrap());
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let (incoming, outgoing) = (page.fifo("requests"), page.fifo("completions"));
    let queueing = Queueing { scheduler: QueueDiscipline::FirstCome, depth: None };
    disk_page(&mut page, "disk", &drive, queueing, incoming, outgoing);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    for (page, factor) in speeds {
        let page = net.find_page(&format!("disk/{page}")).unwrap();
        run.set_speed(page, *factor);
    }
    run.observe(outgoing, Vec::new(), |seen: &mut Vec<f64>, now, _: &BlockRequest| {
        seen.push(now.as_millis());
    });
    for (at, request) in requests {
        let issued = ms(*at).time();
        run.inject(incoming, BlockRequest { issued, ..request.clone() }, issued).unwrap();
    }
    run.run_to_end().unwrap();
    run.observed::<BlockRequest, Vec<f64>>(outgoing).unwrap().clone()
}

#[test]
fn a_flush_waits_until_what_was_reported_early_is_on_the_medium() {
    let mut drive = parameters();
    drive.cache.immediate_reporting = ImmediateReporting::Always;
    let write =
        BlockRequest { direction: Direction::Write, address: 630, blocks: 4, ..BlockRequest::default() };
    let flush = BlockRequest { direction: Direction::Flush, ..BlockRequest::default() };
    // The write is reported at once; sectors 30 to 33 of cylinder 3 pass from 3.0 to 3.4 ms.
    let early = [(0.0, write.clone()), (0.5, flush.clone()), (9.0, flush.clone())];
    assert_close(&completions(&drive, &early), &[0.0, 3.4, 9.0]);
    // Two writes are reported before they are there, and the flush waits for both.
    let twice = [(0.0, write.clone()), (0.1, write.clone()), (0.5, flush.clone())];
    assert_close(&completions(&drive, &twice), &[0.0, 3.4, 13.4]);
    let forced = BlockRequest { force_unit_access: true, ..write.clone() };
    assert_close(&completions(&drive, &[(0.0, forced), (4.0, flush.clone())]), &[3.4, 4.0]);
    assert!(Drive::new(&drive).unwrap().write_cache());
    // Without early reports there is nothing to wait for.
    drive.cache.immediate_reporting = ImmediateReporting::Never;
    assert_close(&completions(&drive, &[(0.0, write), (0.5, flush)]), &[3.4, 3.4]);
    assert!(!Drive::new(&drive).unwrap().write_cache());
}

#[test]
fn a_speed_factor_shortens_its_own_part_and_leaves_the_others() {
    // 1.2 ms of seek, 1.8 until sector 30 comes at 3.0, 0.4 of transfer.
    let requests = [(0.0, BlockRequest { address: 630, blocks: 4, ..BlockRequest::default() })];
    let twice_as_fast = |page| completions_at(&[(page, 2.0)], &parameters(), &requests);
    assert_close(&completions(&parameters(), &requests), &[3.4]);
    assert_close(&twice_as_fast("rotation"), &[2.5]);
    assert_close(&twice_as_fast("media"), &[3.2]);
    // The platter's phase stays in model time: an arm that is there sooner waits longer.
    assert_close(&twice_as_fast("seek"), &[3.4]);
}

#[test]
fn descriptions_that_make_no_drive_are_refused() {
    let refused = |change: &dyn Fn(&mut DiskParameters)| {
        let mut drive = parameters();
        change(&mut drive);
        Drive::new(&drive).unwrap_err().to_string()
    };
    assert!(refused(&|drive| drive.queue.depth = 0).contains("depth of 0"));
    assert!(refused(&|drive| drive.cache.segment_size = Blocks(0)).contains("segments of 0 blocks"));
    assert!(refused(&|drive| drive.cache.write_back.size = Blocks(51)).contains("up to 51 blocks"));
    assert!(refused(&|drive| drive.geometry.zones.clear()).contains("no zones"));
    assert!(refused(&|drive| drive.mechanics.rotation = "0.1 rpm".parse().unwrap()).contains("1 min"));
}
