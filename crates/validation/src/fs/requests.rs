//! Captured requests for the replay.
//!
//! One is what a program of SQLite's was seen to do (examples/requests/README.md). The others are made by petrio, and
//! stand for sorts that captures show: random reads of two sizes, a scan that skips, and a log of records of different
//! lengths. A capture of one's own is replayed by a scenario with `kind = "file-trace"`.

use super::point::{Point, Setting};
use petrio_random::{Generator, generator, uniform_below};
use petrio_units::Bytes;
use std::fmt::Write;

/// The file that the requests stand in, beside the scenario.
pub(super) const FILE: &str = "requests.csv";

/// What SQLite asked for.
const SHOP: &[u8] = include_bytes!("../../../../examples/requests/shop.csv.xz");

/// Requests of a capture that is made.
const REQUESTS: u64 = 1_500;

/// The points: each capture in the journal modes that matter to it.
pub(super) fn points(quick: bool) -> Vec<Point> {
    let file_size = Bytes::from_mib(128);
    let setting = |journal| Setting { journal, requests_per_second: Some(500), ..Setting::PLAIN };
    let point = |journal, record, requests: Vec<u8>, workload: &str| Point {
        setting: setting(journal),
        file_size,
        record,
        workload: format!(
            "kind = \"file-trace\"\nfile = \"{FILE}\"\nfile_size = \"{file_size}\"\n{workload}"
        ),
        requests: Some(requests),
        repetitions: if quick { 1 } else { 2 },
    };
    let count = if quick { REQUESTS / 3 } else { REQUESTS };
    let durable = "cached = true\nfsync = \"at-end\"\n";
    let mut points = vec![point("ordered", Bytes::from_kib(8), database(count).into_bytes(), "")];
    if !quick {
        for journal in ["ordered", "journal"] {
            points.push(point(journal, Bytes::from_kib(4), SHOP.to_vec(), ""));
        }
        points.push(point("ordered", Bytes::from_kib(64), scan(count).into_bytes(), ""));
        for journal in ["ordered", "journal"] {
            points.push(point(journal, Bytes::from_kib(16), log(count).into_bytes(), durable));
        }
    }
    points
}

fn stream(name: &str) -> Generator {
    generator(1, 0, name, "requests")
}

const HEADING: &str = "offset_bytes,length_bytes,operation\n";

/// Random reads of 8 KiB, a tenth of them of 32 KiB.
fn database(count: u64) -> String {
    let (mut random, mut text) = (stream("database"), HEADING.to_owned());
    for _ in 0..count {
        let length = if uniform_below(&mut random, 10) == 0 { 32 << 10 } else { 8 << 10 };
        let offset = uniform_below(&mut random, (128 << 20) / (32 << 10)) * (32 << 10);
        let _ = writeln!(text, "{offset},{length},R");
    }
    text
}

/// 64 KiB of every 80 KiB, read in order.
fn scan(count: u64) -> String {
    let mut text = HEADING.to_owned();
    for number in 0..count {
        let _ = writeln!(text, "{},{},R", number * (80 << 10), 64 << 10);
    }
    text
}

/// Records of 4 to 28 KiB, one after the other from eight places in turn.
fn log(count: u64) -> String {
    let (mut random, mut text) = (stream("log"), HEADING.to_owned());
    let mut ends: Vec<u64> = (0..8).map(|place| place * (16 << 20)).collect();
    for number in 0..count {
        let length = (1 + uniform_below(&mut random, 7)) * (4 << 10);
        let end = &mut ends[(number % 8) as usize];
        let _ = writeln!(text, "{end},{length},W");
        *end += length;
    }
    text
}
