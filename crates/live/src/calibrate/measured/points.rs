//! What of a measurement tells of a device, and which of it a data sheet would have.

use petrio_units::Bytes;
use petrio_workload::measurement::{Figure, Kind, Row};
use std::collections::BTreeSet;

/// Accesses in order of fewer bytes are no stream of a sheet's.
const STREAM_MIN: u64 = 64 << 10;
/// A sheet's single accesses have so many bytes.
pub(super) const SINGLE: u64 = 4 << 10;
/// One job's accesses of one kind.
pub(super) struct Point<'r> {
    pub(super) name: &'r str,
    pub(super) is_read: bool,
    pub(super) random: Option<bool>,
    pub(super) size: u64,
    pub(super) in_flight: u32,
    /// Accesses a second.
    pub(super) rate: f64,
    /// Mean time of one, seconds.
    pub(super) time: f64,
    /// Whether reads and writes came together.
    pub(super) mixed: bool,
}

impl Point<'_> {
    pub(super) fn words(&self) -> String {
        let order = match self.random {
            Some(true) => "random ",
            Some(false) => "sequential ",
            None => "",
        };
        let what = if self.is_read { "reads" } else { "writes" };
        format!("{}: {order}{what} of {}, {} in flight", self.name, Bytes(self.size), self.in_flight)
    }

    pub(super) fn bytes_per_s(&self) -> f64 {
        self.rate * self.size as f64
    }
}

/// The rows that tell of a device.
pub(super) fn points(rows: &[Row]) -> Vec<Point<'_>> {
    let writes: BTreeSet<&str> = of_kind(rows, Kind::Write);
    let reads: BTreeSet<&str> = of_kind(rows, Kind::Read);
    let point = |row| -> Option<Point<'_>> {
        let row: &Row = row;
        let is_read = match row.kind {
            Kind::Read => true,
            Kind::Write => false,
            Kind::Accesses if row.name.ends_with("read") => true,
            Kind::Accesses if row.name.ends_with("write") => false,
            Kind::Accesses | Kind::Sync => return None,
        };
        let (size, in_flight) = (row.record?, row.in_flight().filter(|&count| count > 0)?);
        let by_bytes = || row.figure(Figure::Throughput).map(|bytes| bytes / size as f64);
        let rate = row.figure(Figure::Rate).or_else(by_bytes).filter(|rate| *rate > 0.0)?;
        // So long each of them is there (Little's law).
        let time = row.figure(Figure::MeanLatency).unwrap_or(f64::from(in_flight) / rate);
        let mixed = writes.contains(row.name.as_str()) && reads.contains(row.name.as_str());
        let (name, random) = (row.name.as_str(), row.random);
        (row.direct == Some(true)).then_some(Point {
            name,
            is_read,
            random,
            size,
            in_flight,
            rate,
            time,
            mixed,
        })
    };
    rows.iter().filter_map(point).collect()
}

fn of_kind(rows: &[Row], kind: Kind) -> BTreeSet<&str> {
    rows.iter().filter(|row| row.kind == kind).map(|row| row.name.as_str()).collect()
}

/// The points of a sheet.
#[derive(Clone, Copy)]
pub(super) enum OfSheet {
    /// The most random accesses.
    Random,
    /// The fastest stream.
    Stream,
    /// Single ones of 4 KiB.
    Single,
}

/// The point that a sheet would have.
pub(super) fn best<'p, 'r>(points: &'p [Point<'r>], is_read: bool, of: OfSheet) -> Option<&'p Point<'r>> {
    let own = points.iter().filter(|point| point.is_read == is_read && !point.mixed);
    match of {
        OfSheet::Random => {
            let random = own.filter(|point| point.random == Some(true));
            let random: Vec<&Point<'_>> = random.filter(|point| point.in_flight > 1).collect();
            let smallest = random.iter().map(|point| point.size).min()?;
            let of_size = random.into_iter().filter(|point| point.size == smallest);
            of_size.max_by(|one, other| one.rate.total_cmp(&other.rate))
        }
        OfSheet::Stream => {
            let streams = own.filter(|point| point.random == Some(false) && point.size >= STREAM_MIN);
            streams.max_by(|one, other| one.bytes_per_s().total_cmp(&other.bytes_per_s()))
        }
        OfSheet::Single => {
            let single = own.filter(|point| point.in_flight == 1 && point.size == SINGLE);
            // Those in order may have been read ahead.
            single
                .filter(|point| !is_read || point.random == Some(true))
                .min_by(|one, other| one.time.total_cmp(&other.time))
        }
    }
}

/// What a sheet needs and wasn't measured.
pub(super) fn missing(points: &[Point<'_>]) -> Vec<&'static str> {
    let needed = [
        (true, OfSheet::Random, "random reads with several in flight"),
        (false, OfSheet::Random, "random writes with several in flight"),
        (true, OfSheet::Stream, "reads in order of 64 KiB or more"),
        (false, OfSheet::Stream, "writes in order of 64 KiB or more"),
    ];
    let is_missing = |(is_read, of, _): &(bool, OfSheet, &str)| best(points, *is_read, *of).is_none();
    needed.into_iter().filter(is_missing).map(|(.., words)| words).collect()
}
