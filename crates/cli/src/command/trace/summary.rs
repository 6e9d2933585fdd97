//! A trace's characteristics in the terminal: the figures that one asks for first. Everything else is in JSON and on
//! the page.

use crate::table::table;
use petrio_page::numbers::{bytes, grouped, per_cent, seconds};
use petrio_study::characterise::CharacterisedTrace;
use petrio_trace::characterise::{
    Characterisation, Distribution, FileCategory, FileSystem, FileUse, PageUse, Requests, device_name,
};
use petrio_units::numbers::whole_part;

/// File systems that are listed.
const FILE_SYSTEMS_MAX: usize = 8;
/// Directories that are listed.
const DIRECTORIES_MAX: usize = 8;

/// The summary.
pub(super) fn summary(trace: &CharacterisedTrace) -> String {
    let found = &trace.found;
    let mut text = format!(
        "{}: {} events over {} ({})\n",
        trace.trace,
        grouped(found.events),
        seconds(found.end_s - found.begin_s),
        trace.format
    );
    for warning in &trace.warnings {
        text.push_str(&format!("  check this: {warning}\n"));
    }
    if let Some(files) = &found.files {
        text.push_str(&of_files(files));
    }
    for (requests, of) in [(&found.file_requests, "files"), (&found.device_requests, "devices")] {
        if let Some(requests) = requests {
            text.push_str(&of_requests(requests, of));
        }
    }
    text.push_str(&kinds(found));
    text
}

fn of_files(files: &FileUse) -> String {
    let mut text = String::from("\nFiles\n");
    let row = |system: &FileSystem| {
        let mut row =
            vec![system.device.map_or("all".to_owned(), device_name), grouped(system.files.total())];
        row.extend(FileCategory::ALL.map(|category| grouped(system.files[category])));
        row.push(grouped(system.writable_opens.total()));
        row.push(grouped(system.read_only_opens.total()));
        row.push(if files.tells_misses {
            grouped(system.read_only_opens_missed.total())
        } else {
            "–".to_owned()
        });
        row
    };
    let mut rows = vec![row(&files.all)];
    if files.file_systems.len() > 1 {
        rows.extend(files.file_systems.iter().take(FILE_SYSTEMS_MAX).map(row));
    }
    let headings = [
        "file system",
        "files",
        "before & after",
        "created & deleted",
        "before & deleted",
        "created & survived",
        "writable opens",
        "read-only",
        "with a miss",
    ];
    text.push_str(&table(&headings, &rows));
    let mut rows = Vec::new();
    push(&mut rows, "size", files.all.sizes_bytes.as_ref(), &|value| bytes(whole_part(value)));
    push(&mut rows, "lifetime", files.all.lifetimes_s.as_ref(), &seconds);
    for (name, ages) in [
        ("not written before its unlink", &files.all.unwritten_at_unlink_s),
        ("not read before its unlink", &files.all.unread_at_unlink_s),
        ("not changed before its unlink", &files.all.unchanged_at_unlink_s),
    ] {
        push(&mut rows, name, ages.as_ref(), &seconds);
    }
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&DISTRIBUTION, &rows));
    }
    if !files.directories.is_empty() {
        let rows: Vec<Vec<String>> = files
            .directories
            .iter()
            .take(DIRECTORIES_MAX)
            .map(|directory| {
                vec![
                    directory.path.clone(),
                    grouped(directory.files.total()),
                    grouped(directory.opens),
                    bytes(directory.bytes_read),
                    bytes(directory.bytes_written),
                ]
            })
            .collect();
        text.push('\n');
        text.push_str(&table(&["directory", "files", "opens", "read", "written"], &rows));
    }
    text
}

const DISTRIBUTION: [&str; 8] = ["", "count", "mean", "p10", "median", "p90", "p99", "greatest"];

fn push(
    rows: &mut Vec<Vec<String>>,
    name: &str,
    distribution: Option<&Distribution>,
    words: &dyn Fn(f64) -> String,
) {
    if let Some(found) = distribution {
        let figures = [found.mean, found.p10, found.p50, found.p90, found.p99, found.greatest];
        let mut row = vec![name.to_owned(), grouped(found.count)];
        row.extend(figures.map(words));
        rows.push(row);
    }
}

fn of_requests(requests: &Requests, of: &str) -> String {
    let mix = &requests.mix;
    let mut text = format!(
        "\nRequests to {of}\n{} reads of {}, {} writes of {}\n",
        grouped(mix.reads.requests),
        bytes(mix.reads.bytes),
        grouped(mix.writes.requests),
        bytes(mix.writes.bytes)
    );
    let unrecorded = (mix.reads.unrecorded_bytes, mix.writes.unrecorded_bytes);
    if unrecorded != (0, 0) {
        text.push_str(&format!(
            "beyond these, totals of closes tell of {} read and {} written\n",
            bytes(unrecorded.0),
            bytes(unrecorded.1)
        ));
    }
    let mut rows = Vec::new();
    let size = |value: f64| bytes(whole_part(value));
    let micros = |value: f64| seconds(value / 1e6);
    push(&mut rows, "read size", mix.reads.sizes_bytes.as_ref(), &size);
    push(&mut rows, "write size", mix.writes.sizes_bytes.as_ref(), &size);
    push(&mut rows, "read run", requests.runs.reads.lengths_bytes.as_ref(), &size);
    push(&mut rows, "write run", requests.runs.writes.lengths_bytes.as_ref(), &size);
    push(&mut rows, "between arrivals", requests.timing.inter_arrival_us.as_ref(), &micros);
    let think = requests.timing.think_us.as_ref().filter(|_| requests.timing.tells_service());
    push(&mut rows, "think time", think, &micros);
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&DISTRIBUTION, &rows));
    }
    let rows: Vec<Vec<String>> = requests
        .sequentiality
        .classes
        .iter()
        .filter(|class| class.streams > 0)
        .map(|class| {
            vec![
                class.class.name().to_owned(),
                grouped(class.streams),
                per_cent(class.fraction_of_streams),
                per_cent(class.fraction_of_requests),
                per_cent(class.fraction_of_bytes),
            ]
        })
        .collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table(&["sequentiality", "streams", "of streams", "of requests", "of bytes"], &rows));
    }
    if let Some(pages) = &requests.pages {
        text.push('\n');
        text.push_str(&of_pages(pages));
    }
    text
}

/// The curve at a few sizes: fractions of all different data, so that every trace has the same rows.
fn of_pages(pages: &PageUse) -> String {
    let all = pages.pages * pages.page_bytes;
    let mut text = format!(
        "{} different data in {} uses of pages of {}; {} of the pages used once\n",
        bytes(all),
        grouped(pages.uses),
        bytes(pages.page_bytes),
        per_cent(pages.popularity.used_once as f64 / pages.pages.max(1) as f64)
    );
    let points = &pages.miss_ratio.points;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for percent in [1, 5, 10, 25, 50, 75, 100] {
        let wanted = pages.pages * percent / 100;
        let at = points.partition_point(|point| point.pages <= wanted.max(1)).saturating_sub(1);
        let Some(point) = points.get(at) else { continue };
        let row = vec![bytes(point.bytes), per_cent(point.miss_ratio), grouped(point.misses)];
        if rows.last() != Some(&row) {
            rows.push(row);
        }
    }
    rows.push(vec![
        "any (cold)".to_owned(),
        per_cent(pages.miss_ratio.cold_misses as f64 / pages.uses.max(1) as f64),
        grouped(pages.miss_ratio.cold_misses),
    ]);
    text.push_str(&table(&["LRU cache", "misses", "number"], &rows));
    let share = |percent: f64| {
        let point = pages.popularity.points.iter().find(|point| point.pages_percent == percent);
        point.map_or("–".to_owned(), |point| per_cent(point.fraction_of_uses))
    };
    text.push_str(&format!(
        "the most popular 1 % of the pages have {} of the uses, 10 % have {}\n",
        share(1.0),
        share(10.0)
    ));
    text
}

fn kinds(found: &Characterisation) -> String {
    let dash = || "–".to_owned();
    let rows: Vec<Vec<String>> = found
        .kinds
        .iter()
        .map(|kind| {
            let service = |of: fn(&Distribution) -> f64| {
                kind.service_us.as_ref().map_or_else(dash, |service| seconds(of(service) / 1e6))
            };
            let told = kind.hits + kind.misses;
            vec![
                kind.kind.name().to_owned(),
                grouped(kind.count),
                grouped(kind.failed),
                if told == 0 { dash() } else { per_cent(kind.hits as f64 / told as f64) },
                service(|service| service.mean),
                service(|service| service.p50),
                service(|service| service.p99),
            ]
        })
        .collect();
    let headings = ["event", "number", "failed", "hits", "mean service", "median", "p99"];
    format!("\nEvents\n{}", table(&headings, &rows))
}
