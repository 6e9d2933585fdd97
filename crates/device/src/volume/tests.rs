//! Volumes against what their providers print, and what must hold of any.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::throttle::{Among, Of};
use crate::{FreeBus, InstanceLimits, SharedBus};
use petrio_kernel::{NetBuilder, Place, Simulation};

/// A volume of the catalogue, with something changed.
fn volume(name: &str, changes: &str) -> VolumeParameters {
    let path = format!("{}/../../catalogue/devices/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    table.remove("kind");
    table.extend(changes.parse::<toml::Table>().unwrap());
    table.try_into().unwrap()
}

/// What passes of I/Os or bytes for good, in a burst, and how many credits there are for that.
fn allowed(name: &str, changes: &str, which: Of) -> (f64, Option<(f64, f64)>) {
    let all = volume(name, changes).allowed().unwrap();
    let found = all.iter().find(|&&(of, among, _)| of == which && among == Among::All);
    found.map(|(_, _, allowed)| (allowed.rate, allowed.burst)).unwrap()
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-3
}

const MIB: f64 = 1_048_576.0;

#[test]
fn gp2_has_the_figures_of_amazons_table() {
    // EBS user guide, General Purpose SSD volumes: size, IOPS, how long 3,000 IOPS last with full credits, how long these take to fill.
    let table = [
        (100, 300.0, 2_000.0, 18_000.0),
        (250, 750.0, 2_400.0, 7_200.0),
        (334, 1_002.0, 2_703.0, 5_389.0),
        (500, 1_500.0, 3_600.0, 3_600.0),
        (750, 2_250.0, 7_200.0, 2_400.0),
    ];
    for (gib, iops, lasts, fills) in table {
        let (rate, burst) = allowed("gp2", &format!("size = \"{gib} GiB\""), Of::Requests);
        let (at, credits) = burst.unwrap();
        assert!(near(rate, iops) && near(at, 3_000.0), "{gib} GiB: {rate}, {at}");
        assert!(near(credits / (at - rate), lasts), "{gib} GiB lasts {}", credits / (at - rate));
        assert!(near(credits / rate, fills), "{gib} GiB fills in {}", credits / rate);
    }
    for (gib, iops) in [(1_000, 3_000.0), (5_334, 16_000.0), (16_384, 16_000.0)] {
        let (rate, burst) = allowed("gp2", &format!("size = \"{gib} GiB\""), Of::Requests);
        assert!(near(rate, iops) && burst.is_none(), "{gib} GiB: {rate}");
    }
    assert!(near(allowed("gp2", "size = \"8 GiB\"", Of::Requests).0, 100.0));
    for (gib, mib) in [(170, 128.0), (171, 250.0)] {
        assert!(near(allowed("gp2", &format!("size = \"{gib} GiB\""), Of::Bytes).0, mib * MIB));
    }
}

#[test]
fn volumes_of_disks_have_the_figures_of_amazons_tables() {
    // EBS user guide, Throughput Optimized HDD and Cold HDD volumes: size in TiB, MiB/s for good and in a burst.
    let st1 = [
        (0.5, 20.0, 125.0),
        (1.0, 40.0, 250.0),
        (2.0, 80.0, 500.0),
        (3.0, 120.0, 500.0),
        (8.0, 320.0, 500.0),
    ];
    let sc1 =
        [(0.5, 6.0, 40.0), (1.0, 12.0, 80.0), (3.0, 36.0, 240.0), (4.0, 48.0, 250.0), (16.0, 192.0, 250.0)];
    for (name, table) in [("st1", st1), ("sc1", sc1)] {
        for (tib, mib, burst_mib) in table {
            let (rate, burst) = allowed(name, &format!("size = \"{} GiB\"", tib * 1_024.0), Of::Bytes);
            let (at, credits) = burst.unwrap();
            assert!(near(rate, mib * MIB) && near(at, burst_mib * MIB), "{name} of {tib} TiB: {rate}, {at}");
            // 1 TiB of credits for each TiB of storage: a full bucket bears a scan of all of it, as the page's scan times have it.
            assert!(near(credits, tib * 1_048_576.0 * MIB), "{name} of {tib} TiB: {credits}");
            assert!(credits / (at - rate) * at >= tib * 1_048_576.0 * MIB);
        }
    }
    // From 12.5 TiB on st1's lasting rate is that of the burst.
    let (rate, burst) = allowed("st1", "size = \"12800 GiB\"", Of::Bytes);
    assert!(near(rate, 500.0 * MIB) && burst.is_none());
}

#[test]
fn azures_disks_have_the_figures_of_the_size_that_is_sold() {
    for (gib, name, iops, mb) in
        [(4, "P1", 120.0, 25.0), (100, "P10", 500.0, 100.0), (512, "P20", 2_300.0, 150.0)]
    {
        let changes = format!("size = \"{gib} GiB\"");
        assert_eq!(volume("azure-premium-ssd", &changes).tier().unwrap().name.as_deref(), Some(name));
        for (of, lasting, burst) in [(Of::Requests, iops, 3_500.0), (Of::Bytes, mb * 1e6, 170e6)] {
            let (rate, found) = allowed("azure-premium-ssd", &changes, of);
            let (at, credits) = found.unwrap();
            assert!(near(rate, lasting) && near(at, burst), "{name}: {rate}, {at}");
            assert!(near(credits / (at - rate), 1_800.0), "30 minutes, not {} s", credits / (at - rate));
        }
    }
    let (rate, burst) = allowed("azure-premium-ssd", "size = \"1 TiB\"", Of::Requests);
    assert!(near(rate, 5_000.0) && burst.is_none());
}

#[test]
fn azures_bursts_on_demand_last_and_never_pass_less_than_the_disk() {
    for gib in [513, 1_024, 4_096, 32_767] {
        let changes = format!("size = \"{gib} GiB\"");
        for (of, most) in [(Of::Requests, 30_000.0), (Of::Bytes, 1e9)] {
            let (rate, burst) = allowed("azure-premium-ssd-on-demand", &changes, of);
            assert!(near(rate, most) && burst.is_none(), "{gib} GiB: {rate}");
            assert!(rate >= allowed("azure-premium-ssd", &changes, of).0);
        }
    }
    let small = volume("azure-premium-ssd-on-demand", "size = \"512 GiB\"").compile().unwrap_err();
    assert!(small.contains("not within 513 GiB"), "{small}");
}

#[test]
fn what_follows_from_provisioned_iops_is_as_the_tables_of_the_providers_have_it() {
    // Microsoft's table of Ultra Disks: 4 GiB bear 4,000 IOPS and 1,000 MB/s, 512 GiB 400,000 and 10,000.
    for (gib, iops, mb) in [(4, 4_000, 1_000), (32, 32_000, 8_000), (512, 400_000, 10_000)] {
        let sold = |iops: u32| format!("size = \"{gib} GiB\"\niops = {iops}\nthroughput = \"{mb} MB/s\"");
        assert!(volume("azure-ultra-disk", &sold(iops)).compile().is_ok(), "{gib} GiB");
        assert!(volume("azure-ultra-disk", &sold(iops + 1)).compile().is_err(), "{gib} GiB");
    }
    for (iops, mib) in [(1_000, 250.0), (10_000, 2_500.0), (20_000, 5_000.0), (350_000, 5_000.0)] {
        let changes = format!("iops = {iops}");
        assert!(near(allowed("hyperdisk-extreme", &changes, Of::Bytes).0, mib * MIB), "at {iops}");
    }
}

#[test]
fn googles_disks_grow_by_size_and_provisioned_ones_as_they_are() {
    // By the formulas of About Persistent Disk performance: a balanced disk of 1,000 GiB has 3,000 + 6 x 1,000 IOPS.
    for (name, gib, iops, mib) in [
        ("pd-balanced", 1_000, 9_000.0, 420.0),
        ("pd-balanced", 20_000, 80_000.0, 1_200.0),
        ("pd-ssd", 500, 21_000.0, 480.0),
        ("pd-ssd", 10_000, 100_000.0, 1_200.0),
    ] {
        let changes = format!("size = \"{gib} GiB\"");
        assert!(near(allowed(name, &changes, Of::Requests).0, iops), "{name} of {gib} GiB");
        assert!(near(allowed(name, &changes, Of::Bytes).0, mib * MIB), "{name} of {gib} GiB");
    }
    for (iops, mib) in [(1_000, 250.0), (2_000, 500.0), (20_000, 500.0), (48_000, 750.0), (64_000, 1_000.0)] {
        let changes = format!("size = \"4 TiB\"\niops = {iops}");
        assert!(near(allowed("io1", &changes, Of::Bytes).0, mib * MIB), "io1 at {iops}");
    }
    assert!(near(allowed("io2", "iops = 3000", Of::Bytes).0, 768.0 * MIB));
    // What Hyperdisk needs at least follows its IOPS.
    assert!(near(allowed("hyperdisk-balanced", "iops = 50000", Of::Bytes).0, 50_000.0 * 4_096.0));
}

#[test]
fn what_a_provider_does_not_sell_is_refused_with_its_rule_and_source() {
    for (name, changes, rule) in [
        (
            "gp3",
            "size = \"10 GiB\"\niops = 6000",
            "6000 IOPS are more than 500 IOPS for each GiB, which are 5000 IOPS",
        ),
        ("gp3", "iops = 2000", "2000 IOPS are not within 3000 IOPS to 80000 IOPS"),
        ("gp3", "throughput = \"1000 MiB/s\"", "more than 256 KiB/s for each provisioned I/O a second"),
        ("gp3", "size = \"100 TiB\"", "not within 1 GiB to 64 TiB"),
        ("gp2", "iops = 6000", "follows from its size"),
        ("gp2", "throughput = \"250 MiB/s\"", "follows from its size"),
        ("io1", "iops = 6000", "50 IOPS for each GiB"),
        ("io2", "iops = 3000\nthroughput = \"100 MiB/s\"", "follows from its IOPS"),
        ("st1", "size = \"100 GiB\"", "not within 125 GiB to 16 TiB"),
        (
            "hyperdisk-balanced",
            "iops = 40000\nthroughput = \"150 MiB/s\"",
            "less than 4 KiB/s for each provisioned",
        ),
        ("azure-premium-ssd-v2", "size = \"8 GiB\"\niops = 5000", "500 IOPS for each GiB"),
        ("azure-premium-ssd-v2", "iops = 9000\nthroughput = \"2100 MB/s\"", "not within 125 MB/s to 2 GB/s"),
    ] {
        let error = volume(name, changes).compile().unwrap_err();
        assert!(error.contains(rule), "{name}: {error}");
        assert!(error.contains("https://"), "{error}");
    }
    for name in ["gp3", "azure-premium-ssd-v2"] {
        let sold = "size = \"200 GiB\"\niops = 80000\nthroughput = \"1200 MB/s\"";
        assert!(volume(name, sold).compile().is_ok(), "{name}");
    }
}

/// How a load in a closed loop goes.
#[derive(Clone, Copy)]
struct Load {
    depth: u64,
    kib: u64,
    in_order: bool,
    /// Of model time.
    seconds: u64,
}

const RANDOM: Load = Load { depth: 64, kib: 4, in_order: false, seconds: 20 };

/// What volumes of one instance give together: I/Os a second, and their mean latency in milliseconds.
fn runs(volumes: &[VolumeParameters], instance: Option<InstanceLimits>, load: Load) -> (f64, f64) {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let bus = instance.map(|limits| {
        let free = page.fifo("bus");
        page.initial(free, [FreeBus::default()]);
        let limits = Some(limits.place(&mut page, "limits").accounts);
        SharedBus { free, line: page.fifo("line"), busy: page.probe("busy"), limits }
    });
    let ports: Vec<(Place<BlockRequest>, Place<BlockRequest>)> = (volumes.iter().enumerate())
        .map(|(number, volume)| {
            let (requests, completions) =
                (page.fifo(&format!("in-{number}")), page.fifo(&format!("out-{number}")));
            let ports = DevicePorts { requests, completions, bus };
            let device = volume.compile().unwrap();
            device.build(&mut page, &format!("v{number}"), &Queueing::default(), ports);
            (requests, completions)
        })
        .collect();
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let end = Time::from_whole_seconds(load.seconds);
    let blocks = load.kib * 2;
    let ask = |run: &mut Simulation, to: Place<BlockRequest>, number: u64| {
        let place = if load.in_order { number } else { petrio_random::mix(number) % 200_000 };
        let request = BlockRequest {
            direction: Direction::Read,
            address: place * blocks,
            blocks: u32::try_from(blocks).unwrap(),
            issued: run.now(),
            ..BlockRequest::default()
        };
        run.inject(to, request, run.now()).unwrap();
    };
    let mut asked = 0;
    for &(requests, _) in &ports {
        for _ in 0..load.depth {
            ask(&mut run, requests, asked);
            asked += 1;
        }
    }
    let (mut count, mut latency) = (0u64, 0.0);
    while let Some(next) = run.next_time().unwrap().filter(|&next| next <= end) {
        run.run_until(next).unwrap();
        for &(requests, completions) in &ports {
            let done: Vec<BlockRequest> = run.drain(completions).collect();
            for request in done {
                assert_eq!(request.issued + request.ledger.total(), run.now());
                count += 1;
                latency += request.ledger.total().as_millis();
                ask(&mut run, requests, asked);
                asked += 1;
            }
        }
    }
    run.check_conservation().unwrap();
    assert_eq!(asked, count + load.depth * ports.len() as u64);
    (count as f64 / load.seconds as f64, latency / count as f64)
}

#[test]
fn one_access_at_a_time_takes_the_latency_and_what_waits_goes_at_the_limit() {
    let (iops, ms) = runs(&[volume("gp3", "")], None, Load { depth: 1, ..RANDOM });
    assert!(near(ms, 0.7) && near(iops, 1_000.0 / 0.7), "{iops}/s, {ms} ms");
    let (iops, ms) = runs(&[volume("gp3", "")], None, RANDOM);
    assert!((iops / 3_000.0 - 1.0).abs() < 0.005 && (ms / 21.3 - 1.0).abs() < 0.02, "{iops}/s, {ms} ms");
    // 256 KiB at 125 MiB/s are 500 a second.
    let (iops, _) = runs(&[volume("gp3", "")], None, Load { kib: 256, ..RANDOM });
    assert!((iops / 500.0 - 1.0).abs() < 0.005, "{iops}/s");
}

#[test]
fn a_volume_bursts_and_goes_at_its_lasting_rate_without_credits() {
    let (iops, _) = runs(&[volume("gp2", "")], None, RANDOM);
    assert!((iops / 3_000.0 - 1.0).abs() < 0.005, "{iops}/s");
    let (iops, _) = runs(&[volume("gp2", "credits = \"0 %\"")], None, RANDOM);
    assert!((iops / 300.0 - 1.0).abs() < 0.005, "{iops}/s");
    let drained = volume("gp2", "").compile().unwrap().drained().unwrap();
    assert!(drained.drained().is_none());
    // With a thousandth of its credits: 5,400 last 2 s, and 300 a second come behind.
    let (iops, _) = runs(&[volume("gp2", "credits = \"0.1 %\"")], None, RANDOM);
    let expected = (5_400.0 + 300.0 * 20.0) / 20.0;
    assert!((iops / expected - 1.0).abs() < 0.01, "{iops}/s, not {expected}");
}

#[test]
fn small_accesses_at_random_waste_the_credits_of_a_volume_of_disks() {
    let stream = Load { depth: 32, kib: 128, in_order: true, seconds: 20 };
    let empty = "credits = \"0 %\"";
    let (iops, _) = runs(&[volume("st1", empty)], None, stream);
    assert!((iops * 128.0 / 1_024.0 / 40.0 - 1.0).abs() < 0.02, "{} MiB/s", iops / 8.0);
    let (iops, _) = runs(&[volume("st1", empty)], None, Load { in_order: false, ..stream });
    assert!((iops / 40.0 - 1.0).abs() < 0.02, "{iops} a second of 1 MiB each");
}

#[test]
fn more_of_anything_is_never_slower() {
    let rate =
        |name: &str, changes: &str| runs(&[volume(name, changes)], None, Load { seconds: 5, ..RANDOM }).0;
    let grows = |name: &str, all: &[&str]| {
        let rates: Vec<f64> = all.iter().map(|changes| rate(name, changes)).collect();
        assert!(rates.windows(2).all(|two| two[1] >= two[0] * 0.999), "{name}: {rates:?}");
        assert!(rates.last() > rates.first(), "{name}: {rates:?}");
    };
    let sizes = ["size = \"64 GiB\"", "size = \"200 GiB\"", "size = \"1 TiB\"", "size = \"8 TiB\""];
    for name in ["gp2", "pd-balanced", "pd-standard", "azure-premium-ssd", "azure-standard-ssd"] {
        let empty = sizes.map(|size| format!("{size}\ncredits = \"0 %\""));
        grows(name, &empty.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let provisioned = [
        "gp3",
        "io1",
        "io2",
        "hyperdisk-balanced",
        "hyperdisk-extreme",
        "azure-premium-ssd-v2",
        "azure-ultra-disk",
    ];
    for name in provisioned {
        let iops =
            ["iops = 3000", "iops = 6000", "iops = 20000"].map(|iops| format!("size = \"1 TiB\"\n{iops}"));
        grows(name, &iops.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

fn m5_large(credits: &str) -> InstanceLimits {
    let path = format!("{}/../../catalogue/adapters/ec2-m5.large.toml", env!("CARGO_MANIFEST_DIR"));
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let mut limits = table["limits"].as_table().unwrap().clone();
    limits.insert("credits".to_owned(), credits.into());
    let limits: InstanceLimits = limits.try_into().unwrap();
    assert_eq!(limits.objection(), None);
    limits
}

#[test]
fn volumes_of_an_instance_never_pass_its_limits_together() {
    let fast = volume("gp3", "iops = 16000\nthroughput = \"1000 MiB/s\"");
    let load = Load { depth: 64, seconds: 5, ..RANDOM };
    for count in [1usize, 2, 4] {
        let volumes = vec![fast.clone(); count];
        let (burst, _) = runs(&volumes, Some(m5_large("100 %")), load);
        let expected = (16_000.0 * count as f64).min(18_750.0);
        assert!((burst / expected - 1.0).abs() < 0.01, "{count} in a burst: {burst}, not {expected}");
        let (lasting, _) = runs(&volumes, Some(m5_large("0 %")), load);
        assert!((lasting / 3_600.0 - 1.0).abs() < 0.01, "{count} for good: {lasting}");
    }
    // 81.25 MB/s are 310 a second of 256 KiB.
    let (large, _) = runs(&[fast.clone(), fast], Some(m5_large("0 %")), Load { kib: 256, ..load });
    assert!((large * 262_144.0 / 81.25e6 - 1.0).abs() < 0.02, "{large}");
}

#[test]
fn an_instance_with_room_changes_nothing_but_what_it_is_asked_together() {
    let alone = runs(&[volume("gp3", "")], None, RANDOM);
    let on = runs(&[volume("gp3", "")], Some(m5_large("100 %")), RANDOM);
    assert!(near(on.0, alone.0) && near(on.1, alone.1), "{on:?} and {alone:?}");
}
