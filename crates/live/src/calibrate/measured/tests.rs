//! Devices whose figures are known, found again from what would be measured of them.

#![allow(clippy::unwrap_used)]

use super::*;
use petrio_workload::measurement::{Figure, Kind};

fn about() -> MeasuredDevice {
    let (name, source) = ("found".to_owned(), "measured by fio".to_owned());
    MeasuredDevice { name, size: Bytes(1 << 40), interface: None, source }
}

/// A job of so many accesses in flight, each of which takes so long.
fn row(name: &str, kind: Kind, random: bool, (size, in_flight): (u64, u32), time: f64) -> Row {
    let rate = f64::from(in_flight) / time;
    Row {
        name: name.to_owned(),
        kind,
        file_size: None,
        record: Some(size),
        processes: Some(1),
        depth: Some(in_flight),
        direct: Some(true),
        random: Some(random),
        figures: vec![
            (Figure::Throughput, rate * size as f64),
            (Figure::Rate, rate),
            (Figure::MeanLatency, time),
        ],
    }
}

fn single_reads(latency: f64, per_byte: f64) -> Vec<Row> {
    let sizes = [4 << 10, 64 << 10, 1 << 20];
    sizes.map(|size| row("r", Kind::Read, true, (size, 1), latency + per_byte * size as f64)).into()
}

fn constant(rows: &[Row]) -> (ConstantRateParameters, Vec<String>) {
    let found = device_of(rows, &about()).unwrap();
    let Device::ConstantRate(device) = found.device else { panic!("{found:?}") };
    (*device, found.warnings)
}

#[test]
fn latency_and_rate_of_a_constant_device_are_found_from_reads_of_three_sizes() {
    let (device, warnings) = constant(&single_reads(80e-6, 1.0 / 500e6));
    assert!((device.latency.as_seconds() / 80e-6 - 1.0).abs() < 1e-6, "{device:?}");
    assert!((device.rate.unwrap().bytes_per_second() / 500e6 - 1.0).abs() < 1e-6);
    assert_eq!(device.blocks.get(), (1 << 40) / 512);
    assert!(
        warnings.iter().any(|warning| warning.contains("weren't measured: random reads")),
        "{warnings:?}"
    );
}

#[test]
fn an_error_counts_by_its_part_of_the_time() {
    // A tenth too long at 1 MiB must not make half of the time at 4 KiB.
    let mut rows = single_reads(80e-6, 1.0 / 500e6);
    let last = rows.last_mut().unwrap();
    *last = row("r", Kind::Read, true, (1 << 20, 1), 1.1 * (80e-6 + f64::from(1 << 20) / 500e6));
    let (device, _) = constant(&rows);
    assert!((device.latency.as_seconds() / 80e-6 - 1.0).abs() < 0.05, "{device:?}");
}

#[test]
fn the_line_never_goes_below_nothing() {
    let falling = [(4 << 10, 90e-6), (1 << 20, 60e-6)];
    let rows: Vec<Row> = falling.map(|(size, time)| row("r", Kind::Read, true, (size, 1), time)).into();
    let (device, _) = constant(&rows);
    assert!(device.rate.is_none() && (60e-6..90e-6).contains(&device.latency.as_seconds()), "{device:?}");
    let steep = [(4 << 10, 1e-6), (1 << 20, 1e-3)];
    let rows: Vec<Row> = steep.map(|(size, time)| row("r", Kind::Read, true, (size, 1), time)).into();
    let (device, _) = constant(&rows);
    assert!(device.latency.as_seconds() == 0.0 && device.rate.is_some(), "{device:?}");
}

#[test]
fn what_a_device_of_constant_rate_does_not_do_is_told() {
    let one = [row("r", Kind::Read, true, (4 << 10, 1), 8e-3)];
    let (device, warnings) = constant(&one);
    assert!((device.latency.as_seconds() - 8e-3).abs() < 1e-9 && device.rate.is_none());
    for words in ["how long others take", "as a disk's do", "writes weren't measured"] {
        assert!(warnings.iter().any(|warning| warning.contains(words)), "{words}: {warnings:?}");
    }
    let mut rows = single_reads(80e-6, 1.0 / 500e6);
    rows.push(row("deep", Kind::Read, true, (4 << 10, 32), 320e-6));
    let (_, warnings) = constant(&rows);
    assert!(warnings.iter().any(|warning| warning.contains("times what one at a time gets")), "{warnings:?}");
}

/// What a sheet has: 4 KiB one at a time and many at a time, and streams.
fn sheet() -> Vec<Row> {
    vec![
        row("one", Kind::Read, true, (4 << 10, 1), 90e-6),
        row("many", Kind::Read, true, (4 << 10, 32), 320e-6),
        row("fewer", Kind::Read, true, (4 << 10, 8), 110e-6),
        row("one-write", Kind::Write, true, (4 << 10, 1), 25e-6),
        row("many-writes", Kind::Write, true, (4 << 10, 32), 400e-6),
        row("stream", Kind::Read, false, (128 << 10, 32), 8e-3),
        row("stream-write", Kind::Write, false, (128 << 10, 32), 9e-3),
        row("mix", Kind::Read, true, (4 << 10, 32), 500e-6),
        row("mix", Kind::Write, true, (4 << 10, 32), 500e-6),
    ]
}

#[test]
fn what_a_sheet_has_makes_a_solid_state_drive_of_these_figures() {
    let found = device_of(&sheet(), &about()).unwrap();
    let Device::Ssd(ssd) = found.device else { panic!("{found:?}") };
    assert!((ssd.latency.read.unwrap().as_seconds() - 90e-6).abs() < 1e-9);
    assert!((ssd.latency.write.unwrap().as_seconds() - 25e-6).abs() < 1e-9);
    assert_eq!((ssd.random_read.iops, ssd.random_read.depth), (32.0 / 320e-6, Some(32)));
    assert_eq!((ssd.random_write.iops, ssd.random_write.depth), (32.0 / 400e-6, Some(32)));
    let stream = ssd.sequential_read.rate.bytes_per_second();
    assert!((stream / (32.0 / 8e-3 * 131_072.0) - 1.0).abs() < 1e-9, "{stream}");
    let mixed = ssd.mixed.unwrap();
    assert_eq!((mixed.reads.get(), mixed.iops), (0.5, 64.0 / 500e-6));
    // 524 MB/s: SATA carries that, and nobody said that it is.
    assert_eq!(
        (ssd.interface.to_string().as_str(), ssd.assumed.as_slice()),
        ("SATA 6 Gbit/s", &["interface".to_owned()][..])
    );
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    assert_eq!(found.taken.len(), 6);
    let said = MeasuredDevice { interface: Some("PCIe 4.0 x4".parse().unwrap()), ..about() };
    let Device::Ssd(ssd) = device_of(&sheet(), &said).unwrap().device else { panic!() };
    assert_eq!((ssd.interface.to_string().as_str(), ssd.assumed.len()), ("PCIe 4.0 x4", 0));
}

#[test]
fn what_went_through_the_page_cache_tells_of_no_device() {
    let mut rows = sheet();
    for row in &mut rows {
        row.direct = Some(false);
    }
    let error = device_of(&rows, &about()).unwrap_err();
    assert!(error.problem.contains("page cache") && error.help.unwrap().contains("direct=1"));
    rows.extend(single_reads(80e-6, 1.0 / 500e6));
    let (_, warnings) = constant(&rows);
    assert!(warnings.iter().any(|warning| warning.contains("9 of 12 rows")), "{warnings:?}");
}

#[test]
fn what_no_drive_can_do_is_refused() {
    let mut rows = sheet();
    rows.push(row("array", Kind::Read, false, (1 << 20, 64), 64.0 * 1048576.0 / 60e9));
    let error = device_of(&rows, &about()).unwrap_err();
    assert!(error.problem.contains("no usual interface") && error.help.is_some(), "{error}");
    let slow = MeasuredDevice { interface: Some("SATA 6 Gbit/s".parse().unwrap()), ..about() };
    let error = device_of(&rows, &slow).unwrap_err();
    assert!(error.problem.contains("makes no device"), "{error}");
}
