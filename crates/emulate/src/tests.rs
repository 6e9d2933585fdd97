//! Emulations of small Systems: times, durability, faults, power cuts.

#![allow(clippy::unwrap_used)]

use crate::faults::FaultProfile;
use crate::{Asked, Device, DeviceSpec, Durability, Emulator, Medium, Options, Refusal};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Row, RowAccessor};
use petrio_colours::{BlockRequest, Status};
use petrio_device::Queueing;
use petrio_device::disk::{DiskParameters, Drive, disk_page};
use petrio_engine::{System, programs_page};
use petrio_files::whole_file::WholeFile;
use petrio_kernel::NetBuilder;
use petrio_random::{generator, uniform_below};
use petrio_time::Time;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Takes the same time for each request, all of them at once.
pub(crate) fn a_drum(each: Duration) -> Arc<System> {
    let each = Time::from_nanos(each.as_nanos() as u64);
    let mut net = NetBuilder::new("a drum");
    let mut page = net.top();
    let (down, up) = (page.fifo::<BlockRequest>("requests"), page.fifo::<BlockRequest>("completions"));
    let mut serve = page.transition("serve");
    let (request, done) = (serve.take(down), serve.put(up));
    serve.action(move |f| {
        let mut request = f.take(request);
        request.status = Status::Done;
        f.put_after(done, request, each);
    });
    let ports = programs_page(&mut page, (&[down], "drum"), |_| 0, up);
    Arc::new(System::new(net.build().unwrap(), ports, vec![(down, up)]))
}

const BLOCKS: u64 = 131_072;

pub(crate) fn spec(blocks: u64) -> DeviceSpec {
    let durability =
        Durability { volatile: true, room: None, force_unit_access: true, discards: true, rotational: true };
    DeviceSpec { name: "d".to_owned(), target: 0, blocks, durability, pages: vec!["disk".to_owned()] }
}

pub(crate) fn emulated(system: &Arc<System>, options: Options) -> Emulator {
    Emulator::start(system, vec![(spec(BLOCKS), Medium::in_memory())], options).unwrap()
}

fn with_faults(text: &str) -> Options {
    Options { faults: toml::from_str::<FaultProfile>(text).unwrap(), ..Options::default() }
}

fn read(offset: u64) -> Asked {
    Asked::Read { offset, length: 512 }
}

fn write(number: u64, byte: u8) -> Asked {
    Asked::Write { offset: number * 512, data: vec![byte; 512], through: false }
}

fn byte_at(device: &Device, number: u64) -> u8 {
    device.ask(read(number * 512)).unwrap()[0]
}

/// A disk of 7200 rpm whose heads seldom move.
fn a_disk() -> (Arc<System>, u64) {
    let text = r#"
name = "7200 rpm"
[geometry]
surfaces = 2
cylinders = 1000
[[geometry.zones]]
first_cylinder = 0
last_cylinder = 999
sectors_per_track = 100
track_skew_sectors = 14.0
cylinder_skew_sectors = 24.0
[mechanics]
rotation = "7200 rpm"
head_switch = "1 ms"
seek = { kind = "three-point-curve", single = "1 ms", average = "5 ms", full = "10 ms" }
[bus]
read_block = "3 us"
write_block = "3 us"
[overheads]
command = "100 us"
"#;
    let parameters: DiskParameters = toml::from_str(text).unwrap();
    let drive = Arc::new(Drive::new(&parameters).unwrap());
    let mut net = NetBuilder::new("one disk");
    let mut page = net.top();
    let (down, up) = (page.fifo::<BlockRequest>("requests"), page.fifo::<BlockRequest>("completions"));
    disk_page(&mut page, "disk", &drive, Queueing::default(), down, up);
    let ports = programs_page(&mut page, (&[down], "disk"), |_| 0, up);
    (Arc::new(System::new(net.build().unwrap(), ports, vec![(down, up)])), drive.blocks())
}

#[test]
fn twenty_overwrites_of_a_block_take_twenty_turns() {
    let (system, blocks) = a_disk();
    let devices = vec![(spec(blocks), Medium::in_memory())];
    let emulator = Emulator::start(&system, devices, Options::default()).unwrap();
    let device = &emulator.devices()[0];
    device.ask(write(0, 1)).unwrap();
    let began = Instant::now();
    for _ in 0..20 {
        device.ask(write(0, 1)).unwrap();
        device.ask(Asked::Flush).unwrap();
    }
    let turns = began.elapsed().as_secs_f64() * 120.0;
    assert!(turns > 19.9, "{turns} turns");
    let outcome = emulator.finish().unwrap();
    assert_eq!((outcome.judgement.writes, outcome.judgement.flushes), (21, 20));
}

#[test]
fn requests_at_once_take_the_time_of_one_where_the_model_serves_them_at_once() {
    let emulator = emulated(&a_drum(Duration::from_millis(50)), Options::default());
    let device = emulator.devices()[0].clone();
    let began = Instant::now();
    let (tell, told) = std::sync::mpsc::channel();
    for number in 0..100 {
        let tell = tell.clone();
        device.submit(read(number * 512), move |answer| tell.send(answer.is_ok()).unwrap());
    }
    assert!((0..100).all(|_| told.recv().unwrap()));
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(50) && took < Duration::from_millis(1_000), "{took:?}");
    let outcome = emulator.finish().unwrap();
    assert_eq!(outcome.judgement.requests, 100);
    assert!((outcome.judgement.mean_target_us - 50_000.0).abs() < 1.0, "{:?}", outcome.judgement);
}

#[test]
fn a_request_beyond_the_end_or_of_nothing_is_refused_at_once() {
    let emulator = emulated(&a_drum(Duration::from_secs(3_600)), Options::default());
    let device = &emulator.devices()[0];
    let end = device.size();
    assert_eq!(device.ask(read(end)), Err(Refusal::Invalid));
    assert_eq!(device.ask(Asked::Read { offset: 0, length: 0 }), Err(Refusal::Invalid));
    assert_eq!(device.ask(Asked::Zero { offset: end - 1, length: 2, through: false }), Err(Refusal::NoSpace));
    assert_eq!(device.ask(Asked::Read { offset: u64::MAX, length: 2 }), Err(Refusal::Invalid));
    // And what would come in an hour comes when it ends.
    let (tell, told) = std::sync::mpsc::channel();
    device.submit(read(0), move |answer| tell.send(answer).unwrap());
    emulator.finish().unwrap();
    assert_eq!(told.recv().unwrap(), Err(Refusal::Io));
}

#[test]
fn faults_are_counted_exactly() {
    let emulator = emulated(
        &a_drum(Duration::from_micros(100)),
        with_faults(
            "[[error]]\nof = \"reads\"\nfrom = \"5 KiB\"\nto = \"10 KiB\"\ntimes = 4\n[[delay]]\nshare = 1\nby = \"30 ms\"\nof = \"flushes\"\n",
        ),
    );
    let device = &emulator.devices()[0];
    let failed = (0..40).filter(|number| device.ask(read(number * 512)) == Err(Refusal::Io)).count();
    assert_eq!(failed, 4);
    let began = Instant::now();
    device.ask(Asked::Flush).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(30));
    assert_eq!(emulator.finish().unwrap().judgement.failed, 4);
}

#[test]
fn a_rate_that_decays_makes_requests_longer() {
    let (system, blocks) = a_disk();
    let options = with_faults("[decay]\nhalves = \"1 ms\"\nleast = \"25 %\"\n");
    let emulator = Emulator::start(&system, vec![(spec(blocks), Medium::in_memory())], options).unwrap();
    let device = &emulator.devices()[0];
    std::thread::sleep(Duration::from_millis(20));
    let began = Instant::now();
    for number in 0..10 {
        device.ask(read(number * 100_000)).unwrap();
    }
    // A command alone takes 0.4 ms then instead of 0.1, and seeks four times as long.
    assert!(began.elapsed() > Duration::from_millis(60), "{:?}", began.elapsed());
}

#[test]
fn after_a_cut_all_fails_until_the_power_is_back_and_what_was_flushed_is_there() {
    let emulator = emulated(
        &a_drum(Duration::from_micros(500)),
        with_faults("[cut]\nafter_requests = 4\nback_after = \"100 ms\"\n"),
    );
    let device = &emulator.devices()[0];
    device.ask(write(0, 1)).unwrap();
    device.ask(Asked::Flush).unwrap();
    device.ask(write(0, 2)).unwrap();
    device.ask(write(1, 2)).unwrap();
    let began = Instant::now();
    while device.ask(read(0)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(began.elapsed() >= Duration::from_millis(90));
    assert_eq!((byte_at(device, 0), byte_at(device, 1)), (1, 0));
    emulator.handle().cut();
    assert_eq!(device.ask(read(0)), Err(Refusal::Io));
    emulator.handle().bring_back();
    assert_eq!(byte_at(device, 0), 1);
    let outcome = emulator.finish().unwrap();
    assert_eq!(outcome.cuts.len(), 2);
    assert_eq!((outcome.cuts[0].1.lost, outcome.cuts[0].1.kept), (2, 0));
    assert!(outcome.judgement.without_power >= 2);
}

/// What a thousand writers with fsync find after a cut, against what was promised: (sectors that lack something flushed, sectors that
/// have what nobody wrote).
fn writers_and_a_cut(seed: u64, profile: &str) -> (usize, usize) {
    let emulator = emulated(&a_drum(Duration::from_micros(200)), with_faults(profile));
    let device = emulator.devices()[0].clone();
    let handle = emulator.handle();
    let mut random = generator(seed, 0, "writers", "");
    // The instant, in writers.
    let cut_at = uniform_below(&mut random, 1_000);
    let mut workers = Vec::new();
    for group in 0..50u64 {
        let (device, handle) = (device.clone(), handle.clone());
        workers.push(std::thread::spawn(move || {
            let mut promised = Vec::new();
            for writer in (0..20).map(|number| group * 20 + number) {
                if writer == cut_at {
                    handle.cut();
                }
                let (mut durable, mut written) = (0, 0);
                for version in 1..=2u8 {
                    written = version;
                    if device.ask(write(writer, version)).is_err() {
                        break;
                    }
                    if device.ask(Asked::Flush).is_ok() {
                        durable = version;
                    }
                }
                promised.push((writer, durable, written));
            }
            promised
        }));
    }
    let promised: Vec<_> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    handle.cut();
    handle.bring_back();
    let found: Vec<u8> = promised.iter().map(|(writer, ..)| byte_at(&device, *writer)).collect();
    let pairs = || promised.iter().zip(&found);
    let lacking = pairs().filter(|((_, durable, _), found)| *found < durable).count();
    let invented = pairs().filter(|((_, _, written), found)| *found > written).count();
    (lacking, invented)
}

#[test]
fn what_survives_of_a_thousand_writers_is_what_the_flushes_promised() {
    for seed in 0..5 {
        assert_eq!(writers_and_a_cut(seed, ""), (0, 0), "seed {seed}");
        let some = "reordered = true\n[cut]\nkept = 0.5\nreordered = true\ntorn = 0.5\n";
        assert_eq!(writers_and_a_cut(seed, some), (0, 0), "seed {seed}");
    }
}

#[test]
fn a_disk_that_loses_flushes_is_found_out_by_the_same_check() {
    let found: usize = (0..5).map(|seed| writers_and_a_cut(seed, "[flush]\nlost = 0.5\n").0).sum();
    assert!(found > 0);
}

#[test]
fn requests_are_logged_with_their_targets() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = petrio_files::inputs::Inputs::none();
    let (log, trace) = (folder.path().join("log.parquet"), folder.path().join("trace.parquet"));
    let about = petrio_trace::native::About::default();
    let options = Options {
        log: Some(WholeFile::create(&log, &inputs).unwrap()),
        trace: Some(petrio_trace::native::EventWriter::create(&trace, &inputs, &about).unwrap()),
        ..Options::default()
    };
    let emulator = emulated(&a_drum(Duration::from_millis(1)), options);
    let device = &emulator.devices()[0];
    device.ask(write(3, 1)).unwrap();
    device.ask(Asked::Flush).unwrap();
    device.ask(read(512)).unwrap();
    emulator.finish().unwrap();
    let events: Vec<_> =
        petrio_trace::native::NativeReader::open(&trace).unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 3);
    assert!(events[0].service.unwrap() >= Time::from_millis(1));
    assert_eq!((events[0].extents[0].address, events[0].extents[0].blocks), (3, 1));
    assert_eq!(events[1].direction, Some(petrio_colours::Direction::Flush));
    assert!(log.metadata().unwrap().len() > 100);
}

/// The times are the model's own: what arrived, simulated again, comes back when it did.
#[test]
fn what_arrived_takes_as_long_in_a_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.parquet");
    let about = petrio_trace::native::About::default();
    let none = petrio_files::inputs::Inputs::none();
    let trace = Some(petrio_trace::native::EventWriter::create(&path, &none, &about).unwrap());
    let (system, blocks) = a_disk();
    let options = Options { trace, ..Options::default() };
    let emulator = Emulator::start(&system, vec![(spec(blocks), Medium::in_memory())], options).unwrap();
    let device = &emulator.devices()[0];
    let mut random = generator(1, 0, "places", "");
    for _ in 0..200 {
        device.ask(read(uniform_below(&mut random, blocks) * 512)).unwrap();
    }
    let found = emulator.finish().unwrap().judgement;
    let events: Vec<_> =
        petrio_trace::native::NativeReader::open(&path).unwrap().map(Result::unwrap).collect();
    let mut engine = petrio_engine::Engine::new(&system, 0, 0);
    let program = engine.program(0).unwrap();
    let mut sum = 0.0;
    for event in &events {
        let request =
            BlockRequest { address: event.extents[0].address, blocks: 1, ..BlockRequest::default() };
        engine.submit(program, request, event.time).unwrap();
        sum += engine.advance(Time::NEVER).unwrap()[0].took().unwrap().as_micros();
    }
    let mean = sum / events.len() as f64;
    assert!((mean / found.mean_target_us - 1.0).abs() < 0.001, "{mean} us, {found:?}");
    // Half a turn and a seek.
    assert!((5_000.0..15_000.0).contains(&mean), "{mean} us");
}

/// What the log says of each request, in the order in which they came back: block, arrival and target in seconds.
fn logged(log: &std::path::Path) -> Vec<(u64, f64, f64)> {
    let reader = SerializedFileReader::new(std::fs::File::open(log).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    let row = |row: Row| {
        let column = |name: &str| row.get_column_iter().position(|(column, _)| column == name).unwrap();
        let number = |name| row.get_ulong(column(name)).unwrap();
        (number("address"), seconds(number("arrival_ns")), seconds(number("target_ns")))
    };
    rows.map(row).collect()
}

/// The times of the model are what is looked at: a machine that does something else, too, is late with them.
#[test]
fn a_slow_region_keeps_the_arm_of_a_disk_from_everything_behind_it() {
    let (system, blocks) = a_disk();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.parquet");
    // Only the first blocks are slow. Four at once, and one when all are back: how long each was to take.
    let took = |text: &str| {
        let _ = std::fs::remove_file(&log);
        let written = WholeFile::create(&log, &petrio_files::inputs::Inputs::none()).unwrap();
        let options = Options { log: Some(written), ..with_faults(text) };
        let emulator = Emulator::start(&system, vec![(spec(blocks), Medium::in_memory())], options).unwrap();
        let device = emulator.devices()[0].clone();
        let (tell, told) = std::sync::mpsc::channel();
        for place in [0, 10_000, 20_000, 30_000] {
            let tell = tell.clone();
            device.submit(read(place * 512), move |_| tell.send(()).unwrap());
        }
        (0..4).for_each(|_| told.recv().unwrap());
        device.ask(read(5_000 * 512)).unwrap();
        emulator.finish().unwrap();
        let mut rows = logged(&log);
        rows.sort_by_key(|(block, ..)| *block);
        let at_once = rows.iter().filter(|(block, ..)| *block != 5_000);
        let first = at_once.clone().map(|(_, arrived, _)| *arrived).fold(f64::INFINITY, f64::min);
        let last = at_once.clone().map(|(_, arrived, _)| *arrived).fold(0.0, f64::max);
        let times: Vec<f64> = at_once.map(|(.., target)| target - first).collect();
        let after =
            rows.iter().find(|(block, ..)| *block == 5_000).map(|(_, arrived, target)| target - arrived);
        // Whoever is kept from the processor between two of the four hasn't asked at once.
        (last - first < 0.002).then_some((times, after.unwrap()))
    };
    let at_once = |text: &str| (0..100).find_map(|_| took(text)).expect("four requests within 2 ms");
    let (plain, _) = at_once("");
    let (slow, after) = at_once("[[slow]]\nto = \"512 B\"\ntimes = 40\n");
    // A read is a command, a seek, a turn at most: how long it waits for the platters is chance, and differs between the two.
    assert!(plain.iter().all(|took| *took < 0.06), "{plain:?}");
    assert!(slow[0] > 0.004, "40 times a command of 0.1 ms and more: {slow:?}");
    // Each of the others has waited for it, and then takes no longer than it would have.
    assert!(slow[1..].iter().all(|took| (0.0..0.06).contains(&(took - slow[0]))), "{slow:?}");
    // It is free again: what comes now isn't late.
    assert!(after < 0.06, "{after}");
}

/// Who answers takes his time, in which the client can't know yet: answers are begun before their targets, and known after.
#[test]
fn answers_are_begun_before_and_no_client_knows_before_its_target() {
    let takes = Time::from_millis(1);
    let emulator = emulated(&a_drum(Duration::from_millis(1)), Options::default());
    let device = emulator.devices()[0].clone();
    let (tell, told) = std::sync::mpsc::channel();
    let mut begun_before = 0;
    for number in 0..60 {
        let asked = device.shared.clock.now();
        let (tell, clock) = (tell.clone(), device.shared.clock);
        device.submit(read(number * 512), move |_| {
            // As a system call that takes 60 µs, at whose end the client is told.
            let begun = clock.now();
            while clock.now() < begun.saturating_add(Time::from_micros(60)) {
                std::hint::spin_loop();
            }
            tell.send((begun, clock.now())).unwrap();
        });
        let (begun, known) = told.recv().unwrap();
        // It arrived when it was asked for, or a little later.
        assert!(known >= asked.saturating_add(takes), "{known} is before {asked} and 1 ms");
        begun_before += u32::from(begun < asked.saturating_add(takes));
    }
    assert!(begun_before > 0 || emulator.finish().unwrap().judgement.late_median_us > 60.0);
}
