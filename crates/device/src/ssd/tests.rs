//! The drive against its own sheet, and against what can be counted by hand.

#![allow(clippy::unwrap_used)]

mod discards;
mod slc;

use super::figures::reads_per_second;
use super::*;
use petrio_colours::{Direction, SECTOR_BYTES};
use petrio_kernel::{NetBuilder, Time};
use petrio_units::{Blocks, Bytes};
use proptest::prelude::*;

const GIB: u64 = 1 << 30;

fn rate(megabytes: f64) -> Rate {
    Rate::new(megabytes * 1e6).unwrap()
}

fn micros(span: f64) -> Option<Duration> {
    Some(Duration::new(Time::from_picos((span * 1e6) as u64)))
}

fn accesses(iops: f64, depth: u32) -> Accesses {
    Accesses { iops, depth: Some(depth), size: Bytes(4096), iops_8k: None, steady: true }
}

fn stream(megabytes: f64) -> Stream {
    Stream { rate: rate(megabytes), depth: Some(32), size: Bytes(128 << 10) }
}

/// A drive for servers: 90,000 reads and 30,000 writes a second, 540 and 500 MB/s.
fn sata() -> SsdParameters {
    SsdParameters {
        name: "test".to_owned(),
        class: Class::ReadIntensive,
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: Vec::new(),
        blocks: Blocks(960 * GIB / SECTOR_BYTES),
        interface: "SATA 6 Gbit/s".parse().unwrap(),
        link: None,
        channel: None,
        queue_depth: None,
        latency: Latencies { read: micros(100.0), read_in_order: micros(40.0), write: micros(40.0) },
        random_read: accesses(90_000.0, 32),
        random_write: accesses(30_000.0, 32),
        sequential_read: stream(540.0),
        sequential_write: stream(500.0),
        mixed: None,
        write_cache: None,
        slc: None,
        trim: None,
        spare: None,
        units: None,
    }
}

/// A drive for desktops: 500,000 reads and writes a second, 3,500 and 2,300 MB/s, 20 GB with one bit a cell and 1,200 MB/s behind.
fn nvme() -> SsdParameters {
    SsdParameters {
        class: Class::Consumer,
        interface: "PCIe 3.0 x4".parse().unwrap(),
        latency: Latencies { read: micros(75.0), read_in_order: None, write: micros(25.0) },
        random_read: accesses(500_000.0, 128),
        random_write: Accesses { steady: false, ..accesses(450_000.0, 128) },
        sequential_read: stream(3_500.0),
        sequential_write: stream(2_300.0),
        slc: Some(SlcCache {
            size: Bytes(20_000_000_000),
            behind: rate(1_200.0),
            behind_iops: None,
            fold: None,
        }),
        ..sata()
    }
}

/// A load of so many at a time, each of so many bytes, and the share of reads.
#[derive(Clone, Copy, Debug)]
struct Load {
    depth: u32,
    bytes: u64,
    reads: f64,
    in_order: bool,
}

/// What came out of it: completions a second, and their mean time, µs.
fn closed(sheet: &SsdParameters, load: Load, millis: u64) -> (f64, f64) {
    closed_after(sheet, load, millis, 0.0)
}

/// The same once this share of the drive has been discarded.
fn closed_after(sheet: &SsdParameters, load: Load, millis: u64, discarded: f64) -> (f64, f64) {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let ports =
        DevicePorts { requests: page.fifo("requests"), completions: page.fifo("completions"), bus: None };
    let device = sheet.compile().unwrap();
    let all = device.blocks() * SECTOR_BYTES;
    device.build(&mut page, "ssd", &Queueing { depth: Some(load.depth), ..Queueing::default() }, ports);
    let next = page.state("next", 0_u64);
    let done = page.probe("done");
    let draws = page.stream("addresses");
    let free = page.fifo::<()>("free");
    page.initial(free, vec![(); load.depth as usize]);
    let mut begin = page.transition("begin");
    begin.consume(free);
    let (at, put) = (begin.update(next), begin.put(ports.requests));
    begin.action(move |f| {
        let (place, kind) =
            (petrio_random::uniform(f.random(draws)), petrio_random::uniform(f.random(draws)));
        let count = all / load.bytes;
        let at: &mut u64 = f.update(at);
        *at = if load.in_order { (*at + 1) % count } else { (place * count as f64) as u64 };
        let address = *at * load.bytes / SECTOR_BYTES;
        let direction = if kind < load.reads { Direction::Read } else { Direction::Write };
        let blocks = (load.bytes / SECTOR_BYTES) as u32;
        let request = BlockRequest { direction, address, blocks, issued: f.now(), ..BlockRequest::default() };
        f.put(put, request);
    });
    let mut end = page.transition("end");
    let (request, put) = (end.take(ports.completions), end.may_put(free, 1));
    end.action(move |f| {
        let request: BlockRequest = f.take(request);
        if request.direction == Direction::Discard {
            assert_eq!(request.status.failure(), None);
            return;
        }
        let took = f.now() - request.issued;
        assert_eq!(request.ledger.total(), took);
        f.record(done, took.as_micros());
        f.put(put, ());
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    if discarded > 0.0 {
        let blocks = (all as f64 * discarded) as u64 / SECTOR_BYTES;
        for address in (0..blocks).step_by(1 << 22) {
            let blocks = (blocks - address).min(1 << 22) as u32;
            let discard =
                BlockRequest { direction: Direction::Discard, address, blocks, ..BlockRequest::default() };
            run.inject(ports.requests, discard, Time::ZERO).unwrap();
        }
    }
    // What a memory for writes takes at first is no rate.
    let warm = Time::from_millis(millis / 4);
    run.run_until(warm).unwrap();
    let tally = |run: &Simulation| {
        let state = run.marking().probe(done).tally();
        (state.count() as f64, state.mean() * state.count() as f64)
    };
    let before = tally(&run);
    run.run_until(Time::from_millis(millis)).unwrap();
    let after = tally(&run);
    let completed = after.0 - before.0;
    assert!(completed > 0.0);
    (completed / (Time::from_millis(millis) - warm).as_seconds(), (after.1 - before.1) / completed)
}

fn random(depth: u32, kib: u64, reads: f64) -> Load {
    Load { depth, bytes: kib << 10, reads, in_order: false }
}

fn in_order(depth: u32, kib: u64, reads: f64) -> Load {
    Load { depth, bytes: kib << 10, reads, in_order: true }
}

fn is_near(what: &str, got: f64, wanted: f64, part: f64) {
    assert!((got / wanted - 1.0).abs() <= part, "{what}: {got} for {wanted}");
}

#[test]
fn one_access_takes_the_latency_of_the_sheet() {
    for (sheet, read, write) in [(sata(), 100.0, 40.0), (nvme(), 75.0, 25.0)] {
        is_near("read", closed(&sheet, random(1, 4, 1.0), 200).1, read, 0.001);
        // Not faster than writes that last.
        let order = closed(&sheet, in_order(1, 4, 1.0), 200).1;
        is_near("in order", order, if read > 80.0 { 40.0 } else { 25.0 }, 0.001);
        let wanted = f64::max(write, 1e6 / sheet.random_write.iops);
        is_near("write", closed(&sheet, random(1, 4, 0.0), 200).1, wanted, 0.01);
    }
}

#[test]
fn at_the_depths_of_the_sheet_it_is_as_fast_as_the_sheet_says_and_never_faster() {
    for sheet in [sata(), nvme()] {
        let at = |access: Accesses, reads| closed(&sheet, random(access.depth.unwrap(), 4, reads), 200).0;
        let reads = at(sheet.random_read, 1.0) / sheet.random_read.iops;
        let writes = at(sheet.random_write, 0.0) / sheet.random_write.iops;
        let order = |stream: Stream, reads| {
            closed(&sheet, in_order(32, 128, reads), 400).0 * 131_072.0 / stream.rate.bytes_per_second()
        };
        let all = [reads, writes, order(sheet.sequential_read, 1.0), order(sheet.sequential_write, 0.0)];
        for (what, part) in ["random reads", "random writes", "reads", "writes"].iter().zip(all) {
            assert!((0.97..1.001).contains(&part), "{what}: {part} of the sheet's");
        }
    }
}

#[test]
fn between_the_points_of_the_sheet_lies_the_closed_network() {
    for sheet in [sata(), nvme()] {
        let figures = Figures::of(&sheet);
        let flash = figures.flash.as_seconds();
        let rest = sheet.latencies_us().0 * 1e-6 - flash;
        for depth in [2, 4, 8, 16] {
            let network = reads_per_second((flash, rest), figures.units, depth).min(sheet.random_read.iops);
            is_near("reads", closed(&sheet, random(depth, 4, 1.0), 200).0, network, 0.05);
        }
    }
}

/// Random writes of any length cost what their pages do, and those in order go at their rate however short.
#[test]
fn pages_cost_as_much_together_as_alone_unless_they_come_in_order() {
    let sheet = sata();
    for kib in [8, 32, 128] {
        let each = closed(&sheet, random(32, kib, 0.0), 800).0 * (kib / 4) as f64;
        is_near("pages", each, 30_000.0, 0.02);
    }
    let order = closed(&sheet, in_order(32, 16, 0.0), 400).0 * 16_384.0;
    is_near("in order", order, 500e6, 0.02);
}

/// Intel's S4500 says 72,000 and 48,000 reads a second of 4 and 8 KiB, and 33,000 and 21,000 writes.
#[test]
fn what_the_sheet_says_of_8_kib_is_so_and_reads_lie_near_it_without() {
    let accesses = |iops, iops_8k| Accesses { iops_8k, ..accesses(iops, 32) };
    let sheet = SsdParameters {
        random_read: accesses(72_000.0, Some(48_000.0)),
        random_write: accesses(33_000.0, Some(21_000.0)),
        sequential_read: stream(500.0),
        sequential_write: stream(490.0),
        ..sata()
    };
    is_near("reads", closed(&sheet, random(32, 8, 1.0), 400).0, 48_000.0, 0.03);
    is_near("writes", closed(&sheet, random(32, 8, 0.0), 800).0, 21_000.0, 0.02);
    let silent = SsdParameters { random_read: accesses(72_000.0, None), ..sheet };
    is_near("reads", closed(&silent, random(32, 8, 1.0), 400).0, 48_000.0, 0.06);
}

#[test]
fn a_page_that_is_written_in_part_is_read_first() {
    let sheet = sata();
    let half = Load { depth: 32, bytes: 2048, reads: 0.0, in_order: false };
    let wanted = 1.0 / (1.0 / 30_000.0 + 1.0 / 90_000.0);
    is_near("parts of pages", closed(&sheet, half, 400).0, wanted, 0.02);
}

#[test]
fn a_mixed_load_is_what_the_sheet_says_and_else_what_each_takes_alone() {
    let alone = 1.0 / (0.7 / 90_000.0 + 0.3 / 30_000.0);
    is_near("alone", closed(&sata(), random(32, 4, 0.7), 400).0, alone, 0.03);
    for iops in [30_000.0, 45_000.0, 60_000.0] {
        let mixed = Mixed { reads: petrio_units::Fraction::new(0.7).unwrap(), iops, depth: Some(32) };
        let sheet = SsdParameters { mixed: Some(mixed), ..sata() };
        is_near("mixed", closed(&sheet, random(32, 4, 0.7), 400).0, iops, 0.04);
        // Each alone is as before.
        is_near("reads", closed(&sheet, random(32, 4, 1.0), 200).0, 90_000.0, 0.02);
        is_near("writes", closed(&sheet, random(32, 4, 0.0), 400).0, 30_000.0, 0.02);
    }
}

/// When each request is complete of some that come at time zero.
fn completed(sheet: &SsdParameters, requests: &[BlockRequest]) -> Vec<(Time, BlockRequest)> {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let ports =
        DevicePorts { requests: page.fifo("requests"), completions: page.fifo("completions"), bus: None };
    sheet.compile().unwrap().build(&mut page, "ssd", &Queueing::default(), ports);
    let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
    for request in requests {
        run.inject(ports.requests, request.clone(), Time::ZERO).unwrap();
    }
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    run.observe(ports.completions, (), move |(), at, request: &BlockRequest| {
        told.lock().unwrap().push((at, request.clone()));
    });
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    let all = seen.lock().unwrap().clone();
    assert_eq!(all.len(), requests.len());
    all
}

#[test]
fn what_a_flush_promises_is_in_flash_unless_the_cache_is_protected() {
    let write = BlockRequest { direction: Direction::Write, blocks: 2048, ..BlockRequest::default() };
    let forced = BlockRequest { force_unit_access: true, ..write.clone() };
    let flush = BlockRequest { direction: Direction::Flush, ..BlockRequest::default() };
    let took =
        |sheet: &SsdParameters, requests: &[BlockRequest]| completed(sheet, requests).last().unwrap().0;
    // A megabyte: 0.29 ms on the link, and as long to be written.
    let sheet = nvme();
    let reported = took(&sheet, std::slice::from_ref(&write));
    assert!(reported < Time::from_micros(350), "{reported}");
    // Flash has it after 0.46 ms, and its programming takes a millisecond.
    let forced = took(&sheet, &[forced]);
    assert!(forced > Time::from_micros(1_400) && forced < Time::from_micros(2_000), "{forced}");
    let off = sheet.with_write_cache(false).unwrap();
    assert_eq!(took(&unwrapped(off), std::slice::from_ref(&write)), forced);
    // A flush with nothing to do does nothing.
    assert!(took(&sheet, std::slice::from_ref(&flush)) < Time::from_micros(30));
    assert!(took(&sata(), &[write, flush]) < Time::from_millis(5));
    assert!(sata().compile().unwrap().features().write_cache, "SATA drives report their caches");
    let protected = SsdParameters { class: Class::MixedUse, ..sheet.clone() };
    assert!(
        !protected.compile().unwrap().features().write_cache,
        "NVMe drives report none that is protected"
    );
    let reported = sheet.compile().unwrap().features();
    assert!(reported.write_cache && reported.force_unit_access);
}

fn unwrapped(device: Device) -> SsdParameters {
    match device {
        Device::Ssd(sheet) => *sheet,
        _ => panic!("it stays a solid-state drive"),
    }
}

#[test]
fn a_flush_waits_for_what_came_before_it() {
    let write = BlockRequest { direction: Direction::Write, blocks: 2048, ..BlockRequest::default() };
    let writes: Vec<BlockRequest> = (0..3)
        .map(|at| BlockRequest {
            address: at * 2048,
            id: petrio_colours::RequestId::default(),
            ..write.clone()
        })
        .collect();
    let sheet = nvme();
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let ports =
        DevicePorts { requests: page.fifo("requests"), completions: page.fifo("completions"), bus: None };
    sheet.compile().unwrap().build(&mut page, "ssd", &Queueing::default(), ports);
    let mut run = Simulation::new(&net.build().unwrap(), 1, 0);
    for write in writes {
        run.inject(ports.requests, write, Time::ZERO).unwrap();
    }
    // All are reported after 0.9 ms; what is written of them by then is less.
    run.run_until(Time::from_micros(920)).unwrap();
    assert_eq!(run.drain(ports.completions).count(), 3);
    let flush = BlockRequest { direction: Direction::Flush, issued: run.now(), ..BlockRequest::default() };
    run.inject(ports.requests, flush, run.now()).unwrap();
    run.run_to_end().unwrap();
    // 3 MiB at 2,300 MB/s and its programming.
    assert!(run.now() > Time::from_micros(1_367 + 1_000), "{}", run.now());
}

#[test]
fn sheets_that_cannot_be_are_refused_with_what_is_wrong() {
    let wrong: [(&str, SsdParameters); 7] = [
        ("random_read.iops", SsdParameters { random_read: accesses(0.0, 1), ..sata() }),
        ("random_write.iops", SsdParameters { random_write: accesses(f64::NAN, 1), ..sata() }),
        ("at least one access", SsdParameters { random_read: accesses(1.0, 0), ..sata() }),
        ("SATA 6 Gbit/s carries 561 MB/s", SsdParameters { sequential_read: stream(2_000.0), ..sata() }),
        ("units", SsdParameters { units: Some(0), ..sata() }),
        ("no blocks", SsdParameters { blocks: Blocks(0), ..sata() }),
        (
            "write_cache.size",
            SsdParameters {
                write_cache: Some(SsdWriteCache {
                    enabled: true,
                    protected: true,
                    size: Some(Bytes(5)),
                    flush: None,
                }),
                ..sata()
            },
        ),
    ];
    for (words, sheet) in wrong {
        let refused = sheet.compile().err().unwrap();
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn what_the_sheet_does_not_say_is_told() {
    let silent = SsdParameters { latency: Latencies::default(), ..sata() };
    let told = silent.assumed().join("; ");
    for words in ["latency.read 100 us", "latency.write 40 us", "write_cache protected", "mixed", "units"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(!told.contains("random_read.depth"), "{told}");
}

/// Sheets as they are printed, from slow cards to fast drives.
fn sheets() -> impl Strategy<Value = SsdParameters> {
    (
        (prop::bool::ANY, 60.0..150.0_f64, 10.0..60.0_f64, 1..=64_u32),
        (5_000.0..1e6_f64, 0.05..1.2_f64, 200.0..3_600.0_f64, 0.2..1.0_f64),
        (prop::option::of(0.05..0.9_f64), prop::bool::ANY),
    )
        .prop_map(|((is_sata, read, write, depth), (reads, writes, order, behind), (slc, protected))| {
            let limit = if is_sata { 0.15 } else { 1.0 };
            let reads = reads * limit;
            let depth = depth.max((reads * read * 1.5e-6) as u32).min(if is_sata { 32 } else { 512 });
            // No sheet's random accesses move more than those in order, and none more than the link.
            let link = if is_sata { 540.0 } else { 3_600.0 };
            let of = |iops: f64| iops * 4096e-6 * 1.05;
            let (reads, writes) = (reads.min(link * 200.0), (reads * writes).min(link * 200.0));
            let (into, out) = ((order * limit * behind).max(of(writes)), (order * limit).max(of(reads)));
            SsdParameters {
                class: if protected { Class::MixedUse } else { Class::Consumer },
                interface: if is_sata { "SATA 6 Gbit/s" } else { "PCIe 3.0 x4" }.parse().unwrap(),
                latency: Latencies { read: micros(read), read_in_order: micros(read), write: micros(write) },
                random_read: accesses(reads, depth),
                random_write: accesses(writes, depth),
                sequential_read: stream(out),
                sequential_write: stream(into),
                // So small that a run of a tenth of a second is long.
                write_cache: Some(SsdWriteCache {
                    enabled: true,
                    protected,
                    size: Some(Bytes(64 << 10)),
                    flush: None,
                }),
                slc: slc.map(|part| SlcCache {
                    size: Bytes(1 << 30),
                    behind: rate(into * part),
                    behind_iops: None,
                    fold: None,
                }),
                ..sata()
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_load_passes_a_figure_of_the_sheet(
        sheet in sheets(),
        depth in 1..=128_u32,
        kib in prop::sample::select(vec![4_u64, 8, 16, 64, 128, 512]),
        kind in 0..4_u8,
    ) {
        let load = Load { depth, bytes: kib << 10, reads: f64::from(kind % 2), in_order: kind > 1 };
        let (per_second, micros) = closed(&sheet, load, 100);
        let reads = load.reads > 0.5;
        let (access, stream) = if reads { (sheet.random_read, sheet.sequential_read) } else { (sheet.random_write, sheet.sequential_write) };
        // What memory takes in before it is full, and one more at either end of what is counted.
        let of = |each: f64| 1.0 + (16.0 + 2.0 * f64::from(depth)) / (each * 0.075);
        let bytes = per_second * load.bytes as f64;
        prop_assert!(bytes <= stream.rate.bytes_per_second() * of(stream.rate.bytes_per_second() / load.bytes as f64), "{bytes} B/s");
        if reads || !load.in_order {
            prop_assert!(per_second <= access.iops * of(access.iops), "{per_second}/s");
        }
        let latency = if reads { sheet.latency.read } else { sheet.latency.write }.unwrap().as_seconds() * 1e6;
        prop_assert!(micros >= latency * 0.999, "{micros} us");
    }

    #[test]
    fn more_at_a_time_or_a_better_sheet_is_never_slower(sheet in sheets(), depth in 1..=32_u32, reads in 0.0..1.0_f64) {
        let load = random(depth, 4, reads);
        let (before, _) = closed(&sheet, load, 100);
        let (deeper, _) = closed(&sheet, Load { depth: depth * 2, ..load }, 100);
        prop_assert!(deeper >= before * 0.97, "{before}/s, deeper {deeper}");
        let better = SsdParameters {
            random_read: Accesses { iops: sheet.random_read.iops * 2.0, ..sheet.random_read },
            random_write: Accesses { iops: sheet.random_write.iops * 2.0, ..sheet.random_write },
            latency: Latencies {
                read: micros(sheet.latencies_us().0 / 2.0),
                read_in_order: None,
                write: micros(sheet.latencies_us().1 / 2.0),
            },
            ..sheet.clone()
        };
        let (faster, _) = closed(&better, load, 100);
        prop_assert!(faster >= before * 0.97, "{before}/s, better {faster}");
    }
}

/// What was measured between two points of a sheet: Intel's DC P3700 of 800 GB (460,000 reads a second at depth 128) and Micron's 9100
/// MAX of 2.4 TB (750,000 at 256), at depths 1 and 16 (AnandTech, "The Intel Optane SSD DC P4800X (375GB) review", April 2017).
#[test]
fn measured_drives_are_as_fast_between_the_points_of_their_sheets() {
    for (alone_us, iops, depth, measured) in
        [(77.9, 460_000.0, 128, 167_200.0), (107.7, 750_000.0, 256, 135_700.0)]
    {
        let sheet = SsdParameters {
            latency: Latencies { read: micros(alone_us), ..Latencies::default() },
            random_read: accesses(iops, depth),
            sequential_read: stream(2_800.0),
            slc: None,
            ..nvme()
        };
        let got = closed(&sheet, random(16, 4, 1.0), 400).0;
        is_near("at depth 16", got, measured, 0.05);
    }
}
