//! A disk that holds reported writes allocates nothing per request once it has held its most. A binary of its own,
//! because a counting allocator serves a whole program.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

use allocation_counter::measure;
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::{NetBuilder, Simulation};
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::{
    CacheParameters, DiskParameters, GeometryParameters, ImmediateReporting, MechanicsParameters, ReadAhead,
    SeekParameters, Sparing, TrackOrder, ZoneParameters,
};
use petrio_models::device::disk::{Drive, disk_page};
use petrio_random::uniform_below;
use petrio_units::{Blocks, Duration, SignedDuration};
use std::sync::Arc;

fn drive() -> DiskParameters {
    let ms = |text: &str| text.parse::<Duration>().unwrap();
    DiskParameters {
        name: "test drive".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: Vec::new(),
        data_sheet: None,
        geometry: GeometryParameters {
            surfaces: 2,
            cylinders: 1_000,
            blocks: None,
            order: TrackOrder::Cylinder,
            sparing: Sparing::None,
            skew_scale: 1.0,
            physical_sector: Blocks(1),
            zones: vec![ZoneParameters {
                first_cylinder: 0,
                last_cylinder: 999,
                sectors_per_track: 100,
                track_skew_sectors: 5.0,
                cylinder_skew_sectors: 10.0,
                first_sector_angle_sectors: 0.0,
                reserved_sectors: 0,
                spares: 0,
                slips: Vec::new(),
                remaps: Vec::new(),
            }],
        },
        mechanics: MechanicsParameters {
            rotation: "6000 rpm".parse().unwrap(),
            rotation_tolerance: petrio_units::Fraction::ZERO,
            head_switch: ms("0.5 ms"),
            write_settle: SignedDuration::ZERO,
            seek: SeekParameters::ThreePointCurve {
                single: ms("1 ms"),
                average: ms("8 ms"),
                full: ms("15 ms"),
            },
            write_seek: None,
            minimum_seek: Duration::ZERO,
            seek_scale: petrio_units::Fraction::ONE,
        },
        bus: Default::default(),
        overheads: Default::default(),
        cache: CacheParameters {
            segments: 8,
            segment_size: Blocks(200),
            read_ahead: ReadAhead::Segment,
            immediate_reporting: ImmediateReporting::Cached,
            ..CacheParameters::default()
        },
        queue: Default::default(),
    }
}

#[test]
fn a_full_cache_of_writes_allocates_nothing_per_request() {
    let drive = Arc::new(Drive::new(&drive()).unwrap());
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let (requests, completions) = (page.fifo("requests"), page.fifo("completions"));
    let scheduler = petrio_models::device::disk::parameters::QueueDiscipline::FirstCome;
    disk_page(&mut page, "disk", &drive, Queueing { scheduler, depth: None }, requests, completions);
    page.initial(completions, [BlockRequest::default()]);
    // Whoever is told of a completion asks for something else at once: mostly writes, some reads, some forced, some
    // flushes.
    let choice = page.stream("choice");
    let blocks = drive.blocks();
    let mut again = page.transition("again");
    let (completed, next) = (again.take(completions), again.put(requests));
    again.action(move |f| {
        f.take(completed);
        let (issued, random) = (f.now(), f.random(choice));
        let (kind, address) = (uniform_below(random, 400), uniform_below(random, blocks - 40));
        let request = BlockRequest {
            direction: match kind {
                0 => Direction::Flush,
                1..100 => Direction::Read,
                _ => Direction::Write,
            },
            force_unit_access: kind == 399,
            address,
            blocks: if kind == 0 { 0 } else { 1 + uniform_below(random, 39) as u32 },
            issued,
            ..BlockRequest::default()
        };
        f.put(next, request);
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_firings(200_000).unwrap();
    let firings = run.marking().firings_total();
    let info = measure(|| {
        run.run_firings(200_000).unwrap();
    });
    assert_eq!(run.marking().firings_total(), firings + 200_000, "the net died");
    assert_eq!(info.count_total, 0, "{} allocations", info.count_total);
}
