//! A device made of what fio or iozone measured of it.
//!
//! Only accesses past the page cache tell of a device, and only those whose size and number in flight are known. Where they are what a
//! data sheet has, it is a solid-state drive by these figures: single accesses of 4 KiB, random ones with many in flight, streams. Else it is one
//! of constant rate: a line through the mean times of single accesses by size, each weighted by its own time, so that an error of a tenth
//! counts alike at 4 KiB and at 1 MiB.
//!
//! Leaves out: where on the device the accesses lay, what its cache did meanwhile, and what a file system between them cost.

mod points;

use super::fit::duration;
use miette::Diagnostic;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_models::device::Device;
use petrio_models::device::constant_rate::ConstantRateParameters;
use petrio_models::device::ssd::{Accesses, Class, Interface, Latencies, Mixed, SsdParameters, Stream};
use petrio_units::{Blocks, Bytes, Duration, Fraction, Rate};
use petrio_workload::measurement::{BYTES_MAX, Measurement, Row, formats_in_words};
use points::{OfSheet, Point, SINGLE, best, missing, points};
use serde::Serialize;
use std::path::PathBuf;
use thiserror::Error;

/// Single reads that take longer are a disk's: its arm and its rotation (the slowest drives for desktops read in less than 0.3 ms).
const DISK_S: f64 = 1e-3;
/// Several in flight that get so many times what one gets are served side by side.
const SIDE_BY_SIDE: f64 = 1.3;
/// Interfaces of which the slowest is taken that carries what was measured.
const INTERFACES: [&str; 4] = ["SATA 6 Gbit/s", "PCIe 3.0 x4", "PCIe 4.0 x4", "PCIe 5.0 x4"];

/// What was measured doesn't tell of a device.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("{problem}")]
pub struct MeasuredDeviceError {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    #[help]
    pub help: Option<String>,
}

/// What several outputs say together.
#[derive(Clone, Debug, Default)]
pub struct MeasuredRows {
    /// All rows.
    pub rows: Vec<Row>,
    /// Whose outputs they are, each once.
    pub programs: Vec<&'static str>,
    /// What of them wasn't taken, or may not be trusted.
    pub remarks: Vec<String>,
}

/// Reads what fio or iozone printed.
///
/// # Errors
/// A file that can't be read, or is no measurement.
pub fn measured_rows(inputs: &Inputs, files: &[PathBuf]) -> Result<MeasuredRows, MeasuredDeviceError> {
    let mut read = MeasuredRows::default();
    for path in files {
        let name = shown::path(path);
        let bytes = inputs.read(path, BYTES_MAX).map_err(|error| MeasuredDeviceError {
            problem: format!("{name} can't be read: {error}"),
            help: Some(format!("name a file that is there; read are: {}", formats_in_words())),
        })?;
        let measured = Measurement::read(&bytes)
            .map_err(|error| MeasuredDeviceError { problem: format!("{name}: {error}"), help: error.help })?;
        read.remarks.extend(measured.remarks.iter().map(|remark| format!("{name}: {remark}")));
        if !read.programs.contains(&measured.format.name()) {
            read.programs.push(measured.format.name());
        }
        read.rows.extend(measured.rows);
    }
    Ok(read)
}

/// What is known of the device besides.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredDevice {
    /// What it is called.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// How it is connected; left out, by the slowest usual link that carries what was measured.
    pub interface: Option<Interface>,
    /// Where the measurements are from, for its `source`.
    pub source: String,
}

/// A figure of the device, and what it was taken from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Taken {
    /// The device's parameter; of one of constant rate the accesses through whose times the line goes.
    pub figure: String,
    /// Which rows.
    pub from: String,
    /// What was measured: 1/s, bytes/s or seconds.
    pub measured: f64,
    /// What the device does of it.
    pub device: f64,
    /// The unit of both.
    pub unit: &'static str,
}

/// A device that was made.
#[derive(Clone, Debug, Serialize)]
pub struct FoundByMeasurement {
    /// Its parameters, for the catalogue.
    pub device: Device,
    /// From what each of its figures is.
    pub taken: Vec<Taken>,
    /// What to know before it is trusted.
    pub warnings: Vec<String>,
}

/// The device of which these rows were measured.
///
/// # Errors
/// No row tells of a device, or what was measured can't be: a drive that is faster than its interface.
pub fn device_of(rows: &[Row], about: &MeasuredDevice) -> Result<FoundByMeasurement, MeasuredDeviceError> {
    let points = points(rows);
    if points.is_empty() {
        let buffered = rows.iter().filter(|row| row.direct != Some(true)).count();
        let why = if buffered > 0 {
            ": they went through the page cache, or nobody says that they didn't"
        } else {
            ""
        };
        return Err(MeasuredDeviceError {
            problem: format!("none of the {} rows tells of a device{why}", rows.len()),
            help: Some(
                "measure reads and writes past the page cache: fio with direct=1, iozone with -I".to_owned(),
            ),
        });
    }
    let mut warnings = Vec::new();
    let left_out = rows.len() - points.len();
    if left_out > 0 {
        warnings.push(format!(
            "{left_out} of {} rows tell nothing of the device itself, and weren't used",
            rows.len()
        ));
    }
    let missing = missing(&points);
    if missing.is_empty() {
        return solid_state(&points, about, warnings);
    }
    warnings.push(format!(
        "of a solid-state drive weren't measured: {}; so it is one of constant rate, which serves one access after the other",
        missing.join(", ")
    ));
    constant_rate(&points, about, warnings)
}

/// The figures that a data sheet has.
struct Sheet {
    latency: Latencies,
    random: [Accesses; 2],
    streams: [Stream; 2],
}

/// What a sheet would have of these points, and what each figure was taken from.
fn sheet(points: &[Point<'_>], taken: &mut Vec<Taken>) -> Option<Sheet> {
    let mut take = |figure: &str, point: &Point<'_>, value: f64, unit: &'static str| {
        let (figure, from) = (figure.to_owned(), point.words());
        taken.push(Taken { figure, from, measured: value, device: value, unit });
        value
    };
    let mut single = |is_read: bool, figure: &str| -> Option<Duration> {
        let point = best(points, is_read, OfSheet::Single)?;
        Some(duration(take(figure, point, point.time, "s") * 1e9))
    };
    let (read, write) = (single(true, "latency.read"), single(false, "latency.write"));
    let latency = Latencies { read, read_in_order: None, write };
    let mut random = |is_read: bool, figure: &str| -> Option<Accesses> {
        let point = best(points, is_read, OfSheet::Random)?;
        let iops = take(figure, point, point.rate, "1/s");
        let (depth, size) = (Some(point.in_flight), Bytes(point.size));
        Some(Accesses { iops, depth, size, iops_8k: None, steady: false })
    };
    let random = [random(true, "random_read.iops")?, random(false, "random_write.iops")?];
    let mut stream = |is_read: bool, figure: &str| -> Option<Stream> {
        let point = best(points, is_read, OfSheet::Stream)?;
        let rate = Rate::new(take(figure, point, point.bytes_per_s(), "bytes/s"))?;
        Some(Stream { rate, depth: Some(point.in_flight), size: Bytes(point.size) })
    };
    let streams = [stream(true, "sequential_read.rate")?, stream(false, "sequential_write.rate")?];
    Some(Sheet { latency, random, streams })
}

fn solid_state(
    points: &[Point<'_>],
    about: &MeasuredDevice,
    mut warnings: Vec<String>,
) -> Result<FoundByMeasurement, MeasuredDeviceError> {
    let mut taken = Vec::new();
    let Some(Sheet { latency, random, streams }) = sheet(points, &mut taken) else {
        return constant_rate(points, about, warnings);
    };
    let ([random_read, random_write], [sequential_read, sequential_write]) = (random, streams);
    let fastest = points.iter().map(Point::bytes_per_s).fold(0.0, f64::max);
    let (interface, is_assumed) = interface(about, fastest)?;
    if latency.read.is_none() {
        warnings.push(
            "single random reads of 4 KiB weren't measured: how long one takes is assumed by its class"
                .to_owned(),
        );
    }
    let ssd = SsdParameters {
        name: about.name.clone(),
        class: Class::default(),
        source: about.source.clone(),
        cost: Default::default(),
        reliability: Default::default(),
        assumed: if is_assumed { vec!["interface".to_owned()] } else { Vec::new() },
        blocks: Blocks(about.size.get() / petrio_colours::SECTOR_BYTES),
        interface,
        link: None,
        channel: None,
        queue_depth: None,
        latency,
        random_read,
        random_write,
        sequential_read,
        sequential_write,
        mixed: mixed(points),
        write_cache: None,
        slc: None,
        trim: None,
        spare: None,
        units: None,
    };
    found(Device::Ssd(Box::new(ssd)), taken, warnings)
}

/// Random reads and writes of 4 KiB at once, the most of them.
fn mixed(points: &[Point<'_>]) -> Option<Mixed> {
    let of_mix =
        || points.iter().filter(|point| point.mixed && point.random == Some(true) && point.size == SINGLE);
    let both = of_mix().filter(|point| point.is_read).filter_map(|reads| {
        let writes = of_mix().find(|point| !point.is_read && point.name == reads.name)?;
        Some((reads, reads.rate + writes.rate))
    });
    let (reads, iops) = both.max_by(|one, other| one.1.total_cmp(&other.1))?;
    // A share in whole per mille: what a count of accesses tells.
    let share = (reads.rate / iops * 1e3).round() / 1e3;
    let reads_share = Fraction::new(share)?;
    Some(Mixed { reads: reads_share, iops, depth: Some(reads.in_flight) })
}

/// The interface, and whether it is assumed.
fn interface(about: &MeasuredDevice, fastest: f64) -> Result<(Interface, bool), MeasuredDeviceError> {
    if let Some(said) = about.interface {
        return Ok((said, false));
    }
    let known = INTERFACES.iter().filter_map(|name| name.parse::<Interface>().ok());
    let mut carries = known.filter(|interface| interface.bytes_per_second() >= fastest);
    carries.next().map(|interface| (interface, true)).ok_or_else(|| MeasuredDeviceError {
        problem: format!(
            "{:.0} MB/s were measured, which no usual interface of a drive carries",
            fastest / 1e6
        ),
        help: Some("name it with --interface; what several drives get together is no drive's".to_owned()),
    })
}

fn constant_rate(
    points: &[Point<'_>],
    about: &MeasuredDevice,
    mut warnings: Vec<String>,
) -> Result<FoundByMeasurement, MeasuredDeviceError> {
    let single = |is_read: bool| -> Vec<&Point<'_>> {
        points
            .iter()
            .filter(|point| point.is_read == is_read && point.in_flight == 1 && !point.mixed)
            .collect()
    };
    let (reads, writes) = (single(true), single(false));
    let used = if reads.is_empty() { &writes } else { &reads };
    if used.is_empty() {
        return Err(MeasuredDeviceError {
            problem: "no accesses one at a time were measured, and not what a solid-state drive's sheet has"
                .to_owned(),
            help: Some(
                "measure reads with iodepth=1 of several sizes, such as 4k and 1m, with direct=1".to_owned(),
            ),
        });
    }
    let (latency, per_byte) = line(used);
    let device = ConstantRateParameters {
        name: about.name.clone(),
        source: about.source.clone(),
        cost: Default::default(),
        reliability: Default::default(),
        blocks: Blocks(about.size.get() / petrio_colours::SECTOR_BYTES),
        latency: duration(latency * 1e9),
        rate: (per_byte > 0.0).then(|| Rate::new(1.0 / per_byte)).flatten(),
        part: None,
        write_cache: false,
        flush: None,
    };
    let fitted = |point: &Point<'_>| latency + per_byte * point.size as f64;
    let taken = used.iter().map(|point| Taken {
        figure: "latency, rate".to_owned(),
        from: point.words(),
        measured: point.time,
        device: fitted(point),
        unit: "s",
    });
    let taken: Vec<Taken> = taken.collect();
    warnings.extend(doubts(points, used, &fitted));
    if !reads.is_empty() && writes.is_empty() {
        warnings.push("writes weren't measured one at a time, and take as long as reads".to_owned());
    }
    found(Device::ConstantRate(Box::new(device)), taken, warnings)
}

/// What of the points a device of constant rate that takes so long for each doesn't do, or doesn't tell; `used` are those it was made of.
fn doubts(points: &[Point<'_>], used: &[&Point<'_>], fitted: &dyn Fn(&Point<'_>) -> f64) -> Vec<String> {
    let mut warnings = Vec::new();
    if used.iter().all(|point| point.size == used[0].size) {
        warnings.push(format!(
            "all accesses have {}: how long others take isn't known, and they take as long here",
            Bytes(used[0].size)
        ));
    }
    if used.iter().any(|point| point.size <= SINGLE && point.random != Some(false) && point.time > DISK_S) {
        warnings.push(
            "its accesses take milliseconds, as a disk's do: here they take as long wherever they lie; petrio calibrate \
             --device finds its geometry"
                .to_owned(),
        );
    }
    let side_by_side =
        points.iter().filter(|point| point.in_flight > 1 && point.rate * fitted(point) > SIDE_BY_SIDE);
    if let Some(point) =
        side_by_side.max_by(|one, other| (one.rate * fitted(one)).total_cmp(&(other.rate * fitted(other))))
    {
        warnings.push(format!(
            "{} got {:.1} times what one at a time gets, which this device doesn't do",
            point.words(),
            point.rate * fitted(point)
        ));
    }
    warnings
}

/// The line through mean times by size, seconds and seconds a byte, that is off least in parts of each time; neither is less than nothing.
fn line(points: &[&Point<'_>]) -> (f64, f64) {
    // With u = 1/t and v = s/t the squares of a u + b v − 1 are to be least.
    let (mut uu, mut uv, mut vv, mut u, mut v) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let (one, size) = (1.0 / point.time, point.size as f64 / point.time);
        uu += one * one;
        uv += one * size;
        vv += size * size;
        u += one;
        v += size;
    }
    let determinant = uu * vv - uv * uv;
    // Of one size alone nothing is known of a rate.
    if determinant <= uu * vv * 1e-9 {
        return (u / uu, 0.0);
    }
    let (latency, per_byte) = ((u * vv - v * uv) / determinant, (uu * v - uv * u) / determinant);
    match (latency > 0.0, per_byte > 0.0) {
        (true, true) => (latency, per_byte),
        (false, _) => (0.0, v / vv),
        (true, false) => (u / uu, 0.0),
    }
}

/// The device, once it is known to be one that can be simulated.
fn found(
    device: Device,
    taken: Vec<Taken>,
    warnings: Vec<String>,
) -> Result<FoundByMeasurement, MeasuredDeviceError> {
    device.parameters().compile().map_err(|why| MeasuredDeviceError {
        problem: format!("what was measured makes no device: {why}"),
        help: Some(
            "leave out what was measured of another device, or through a cache; name its --interface"
                .to_owned(),
        ),
    })?;
    Ok(FoundByMeasurement { device, taken, warnings })
}

#[cfg(test)]
mod tests;
