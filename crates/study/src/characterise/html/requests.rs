//! What files, or devices, were asked for: mix, sequentiality, runs, time between calls, hours, pages, offsets over time.

use super::pictures::picture;
use crate::page::{PartsRow, distributions, parts};
use petrio_page::figure::{Annotation, Axis, Figure, Quantity, Series};
use petrio_page::numbers::{bytes, counted, grouped, per_cent};
use petrio_page::page::{Page, Table};
use petrio_trace::characterise::{
    ByHour, Distribution, Hour, Mix, PageUse, Requests, Sequentiality, SizeClass, WorkingSetWindow,
};
use std::fmt::Write;

/// The section; `of` is `files` or `devices`. The page has so many pictures of offsets in all.
pub(super) fn section(page: &mut Page, requests: &Requests, of: &str, pictures: usize) {
    page.heading(format!("Requests to {of}"));
    let mut figures = vec![mix(&requests.mix)];
    figures.extend(sequentiality(&requests.sequentiality));
    figures.extend(sizes(&requests.mix));
    figures.extend(runs(requests));
    figures.extend(timing(requests));
    if let Some(pages) = &requests.pages {
        figures.extend(page_use(pages));
    }
    figures.extend(hours(&requests.by_hour));
    page.figures(figures);
    classes(page, &requests.sequentiality);
    if !requests.offsets_over_time.is_empty() {
        page.subheading(format!("Offsets over time of the busiest {of}"));
        page.figures(requests.offsets_over_time.iter().filter_map(|offsets| picture(offsets, pictures)));
    }
}

fn mix(mix: &Mix) -> Figure {
    let row = |label: &str, read: u64, write: u64, count: String| PartsRow {
        label: label.to_owned(),
        parts: vec![("reads", read), ("writes", write)],
        full: read + write,
        count,
    };
    let (reads, writes) = (&mix.reads, &mix.writes);
    let mut shown = vec![
        row("requests", reads.requests, writes.requests, grouped(mix.requests())),
        row("bytes", reads.all_bytes(), writes.all_bytes(), bytes(mix.bytes())),
    ];
    let unrecorded = (reads.unrecorded_bytes, writes.unrecorded_bytes);
    if unrecorded != (0, 0) {
        let count = bytes(unrecorded.0 + unrecorded.1);
        shown.push(row("of these, only in totals of closes", unrecorded.0, unrecorded.1, count));
    }
    parts("Reads and writes", &[(String::new(), shown)])
}

/// Columns of reads with writes on top of them, each with counts and bytes.
struct Columns {
    names: Vec<String>,
    reads: Vec<f64>,
    writes: Vec<f64>,
    counts: [Vec<f64>; 2],
    bytes: [Vec<f64>; 2],
}

impl Columns {
    fn figure(&self, title: &str, across: &str, up: Axis) -> Figure {
        let names = Axis::names(across, self.names.clone());
        let mut figure = Figure::new(title, format!("{title}, reads and writes"), names, up);
        for (number, (name, values)) in
            [("reads", &self.reads), ("writes", &self.writes)].into_iter().enumerate()
        {
            let series = Series::stack(name, values.clone());
            let series = series.also("requests", Quantity::Number, self.counts[number].clone());
            figure.push(series.also("bytes", Quantity::Bytes, self.bytes[number].clone()));
        }
        figure
    }
}

fn sizes(mix: &Mix) -> Vec<Figure> {
    let (reads, writes) = (&mix.reads, &mix.writes);
    let requests = mix.requests().max(1) as f64;
    let recorded = (reads.bytes + writes.bytes).max(1) as f64;
    let of = |value: fn(&SizeClass) -> u64, all: f64| -> Vec<f64> {
        mix.by_size.iter().map(|class| value(class) as f64 / all).collect()
    };
    let counts = [of(|class| class.reads, 1.0), of(|class| class.writes, 1.0)];
    let moved = [of(|class| class.bytes_read, 1.0), of(|class| class.bytes_written, 1.0)];
    let names: Vec<String> = mix.by_size.iter().map(|class| short(class.bytes_at_most)).collect();
    let by_number = Columns {
        names,
        reads: of(|class| class.reads, requests),
        writes: of(|class| class.writes, requests),
        counts,
        bytes: moved,
    };
    let by_bytes = Columns {
        names: by_number.names.clone(),
        reads: of(|class| class.bytes_read, recorded),
        writes: of(|class| class.bytes_written, recorded),
        counts: by_number.counts.clone(),
        bytes: by_number.bytes.clone(),
    };
    let across = "size, at most";
    [(by_number, "Request sizes", "of requests"), (by_bytes, "Bytes by request size", "of bytes")]
        .into_iter()
        .filter(|(columns, ..)| columns.reads.iter().chain(&columns.writes).any(|value| *value > 0.0))
        .map(|(columns, title, up)| columns.figure(title, across, Axis::new(up, Quantity::Share)))
        .collect()
}

/// A power of two: `4K`.
fn short(size: u64) -> String {
    bytes(size).replace(".00", "").replace(".0 ", " ").replace(" B", "").replace("iB", "").replace(' ', "")
}

/// A way to count a stream's weight, by name.
type Weight = (&'static str, fn(&petrio_trace::characterise::ClassShare) -> u64);

fn sequentiality(found: &Sequentiality) -> Option<Figure> {
    if found.streams == 0 {
        return None;
    }
    let weights: [Weight; 3] = [
        ("streams", |share| share.streams),
        ("requests", |share| share.requests),
        ("bytes", |share| share.bytes),
    ];
    let rows = weights.map(|(label, weight)| {
        let parts: Vec<(&str, u64)> =
            found.classes.iter().map(|share| (share.class.name(), weight(share))).collect();
        let full: u64 = parts.iter().map(|part| part.1).sum();
        let count = if label == "bytes" { bytes(full) } else { grouped(full) };
        PartsRow { label: label.to_owned(), parts, full, count }
    });
    Some(parts("Sequentiality of streams", &[(String::new(), rows.into())]))
}

fn classes(page: &mut Page, found: &Sequentiality) {
    if found.streams == 0 {
        return;
    }
    page.subheading("Sequentiality of streams");
    let lines = found.classes.iter().map(|share| {
        vec![
            share.class.name().to_owned(),
            grouped(share.streams),
            per_cent(share.fraction_of_streams),
            grouped(share.requests),
            per_cent(share.fraction_of_requests),
            bytes(share.bytes),
            per_cent(share.fraction_of_bytes),
        ]
    });
    page.table(
        Table::new(["class", "streams", "of all", "requests", "of all", "bytes", "of all"]).with(lines),
    );
    let mut words = "A stream is what a process does with a file from open to close, or with a device. Random: at most 5 % of its \
                     requests begin where the one before ended. Sequential: at least 95 %; large from 64 KiB a request."
        .to_owned();
    if found.left_open > 0 {
        let _ = write!(
            words,
            " {} not closed within the trace.",
            counted(found.left_open, "stream is", "streams are")
        );
    }
    if found.without_data > 0 {
        let _ = write!(words, " {} more moved no data.", grouped(found.without_data));
    }
    page.note(words);
}

fn named<'a>(all: &[(&str, &'a Option<Distribution>)]) -> Vec<(String, &'a Distribution)> {
    all.iter().filter_map(|(name, found)| Some(((*name).to_owned(), found.as_ref()?))).collect()
}

fn runs(requests: &Requests) -> Option<Figure> {
    let (reads, writes) = (&requests.runs.reads, &requests.runs.writes);
    let series = named(&[
        ("reads, by number", &reads.lengths_bytes),
        ("writes, by number", &writes.lengths_bytes),
        ("reads, by bytes", &reads.weighted_lengths_bytes),
        ("writes, by bytes", &writes.weighted_lengths_bytes),
    ]);
    let bytes = ("bytes before a jump", Quantity::Bytes, 1.0);
    distributions("Run lengths", &series, bytes, "of runs, or of their bytes")
}

fn timing(requests: &Requests) -> Option<Figure> {
    let timing = &requests.timing;
    let mut all = vec![("between arrivals", &timing.inter_arrival_us)];
    if timing.tells_service() {
        all.push(("think time", &timing.think_us));
    }
    let title = "Time between calls, and think time";
    let time = ("time", Quantity::Duration, 1e-6);
    let mut figure = distributions(title, &named(&all), time, "at most so long")?;
    let mut words = if timing.tells_service() {
        format!(
            "Think time: from the end of a process's call to its next; {}.",
            counted(timing.processes, "process", "processes")
        )
    } else {
        "The trace tells no service times, so think times aren't known.".to_owned()
    };
    if timing.overlapping > 0 {
        let _ = write!(
            words,
            " {} the one before.",
            counted(timing.overlapping, "call overlaps", "calls overlap")
        );
    }
    if timing.tells_service() && timing.without_service > 0 {
        let count = counted(timing.without_service, "call has", "calls have");
        let _ = write!(words, " {count} no known service time, which then counts as thinking.");
    }
    figure.note(words);
    Some(figure)
}

fn page_use(pages: &PageUse) -> [Figure; 3] {
    [miss_ratio(pages), working_set(pages), popularity(pages)]
}

fn miss_ratio(pages: &PageUse) -> Figure {
    let ratio = &pages.miss_ratio;
    let cold = ratio.cold_misses as f64 / pages.uses.max(1) as f64;
    let (mut x, mut y): (Vec<f64>, Vec<f64>) =
        ratio.points.iter().map(|point| (point.bytes as f64, point.miss_ratio)).unzip();
    if let ([only], [value]) = (&x[..], &y[..]) {
        (x, y) = (vec![*only, only * 2.0], vec![*value, *value]);
    }
    let words = format!("cold misses only: {}", per_cent(cold));
    let mut figure = Figure::new(
        "LRU miss ratio",
        format!("Miss ratio of an LRU cache over its size; {words}"),
        Axis::new("size of an LRU cache", Quantity::Bytes).logarithmic(),
        Axis::new("of uses of pages that miss", Quantity::Share).between(0.0, 1.0),
    );
    figure.push(Series::line("LRU", x, y));
    figure.annotations.push(Annotation::Height { value: cold, words });
    figure.note(format!(
        "Exact, by stack distance: {} uses of {} pages of {}.",
        grouped(pages.uses),
        grouped(pages.pages),
        bytes(pages.page_bytes)
    ));
    figure
}

fn popularity(pages: &PageUse) -> Figure {
    let popular = &pages.popularity;
    let mut figure = Figure::new(
        "Popularity",
        "Share of all uses that the most popular pages have",
        Axis::new("of pages, the most popular ones", Quantity::Share).logarithmic(),
        Axis::new("of uses", Quantity::Share).between(0.0, 1.0),
    );
    let points = popular.points.iter().map(|point| (point.pages_percent / 100.0, point.fraction_of_uses));
    let (x, y) = points.unzip();
    figure.push(Series::line("uses", x, y));
    figure.note(format!(
        "The most popular page is used {} times; {} of the pages are used once.",
        grouped(popular.most_uses),
        per_cent(popular.used_once as f64 / pages.pages.max(1) as f64)
    ));
    figure
}

fn working_set(pages: &PageUse) -> Figure {
    let set = &pages.working_set;
    let all = (pages.pages * pages.page_bytes) as f64;
    let mut figure = Figure::new(
        "Working set",
        "Different data used in each window, and so far",
        Axis::new("time", Quantity::Duration).from(0.0),
        Axis::new("different data", Quantity::Bytes).between(0.0, all * 1.05),
    );
    let edges: Vec<f64> = (0..=set.windows.len()).map(|edge| edge as f64 * set.window_s).collect();
    for (name, value) in [
        ("in each window", (|window| window.pages) as fn(&WorkingSetWindow) -> u64),
        ("so far", |window| window.pages_so_far),
    ] {
        let heights = set.windows.iter().map(|window| (value(window) * pages.page_bytes) as f64);
        figure.push(Series::stairs(name, edges.clone(), heights.collect()).unfilled());
    }
    figure.note(format!("Windows of {}.", petrio_page::numbers::seconds(set.window_s)));
    figure
}

fn hours(by_hour: &ByHour) -> Vec<Figure> {
    // One column says nothing.
    if by_hour.hours.iter().filter(|hour| hour.reads + hour.writes > 0).count() < 2 {
        return Vec::new();
    }
    let across = if by_hour.of_day { "hour of the day" } else { "hours since the beginning" };
    let of = |value: fn(&Hour) -> u64| -> Vec<f64> {
        by_hour.hours.iter().map(|hour| value(hour) as f64).collect()
    };
    let counts = [of(|hour| hour.reads), of(|hour| hour.writes)];
    let moved = [of(|hour| hour.bytes_read), of(|hour| hour.bytes_written)];
    let all = [
        ("Requests by hour", Axis::new("requests", Quantity::Number), &counts),
        ("Bytes by hour", Axis::new("moved", Quantity::Bytes), &moved),
    ];
    let figures = all.into_iter().filter(|(.., values)| values.iter().flatten().any(|value| *value > 0.0));
    figures
        .map(|(title, up, [reads, writes])| {
            let names = (0..by_hour.hours.len()).map(|hour| hour.to_string()).collect();
            let (reads, writes) = (reads.clone(), writes.clone());
            let columns = Columns { names, reads, writes, counts: counts.clone(), bytes: moved.clone() };
            columns.figure(title, across, up)
        })
        .collect()
}
