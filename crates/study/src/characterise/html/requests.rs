//! What files, or devices, were asked for: mix, sequentiality, runs, time between calls, hours, pages, offsets over time.

use super::bars::{Column, Row, columns, rows};
use super::pictures::{left_out, picture};
use crate::page::curves::{self, Across, Curve};
use crate::page::parts::{figure, key_of_parts, note, table};
use petrio_scenario::report::figures::{bytes, counted, grouped, per_cent, rate_unit, time_unit};
use petrio_scenario::report::html::escaped;
use petrio_trace::characterise::{ByHour, Distribution, Mix, PageUse, Requests, Sequentiality, StreamClass};
use std::fmt::Write;

/// The section; `of` is `files` or `devices`.
pub(super) fn section(out: &mut String, requests: &Requests, of: &str) {
    let _ = write!(out, "<section>\n<h2>Requests to {of}</h2>\n<div class=\"plots\">\n");
    mix(out, &requests.mix);
    sequentiality(out, &requests.sequentiality);
    sizes(out, &requests.mix);
    runs(out, requests);
    timing(out, requests);
    if let Some(pages) = &requests.pages {
        page_use(out, pages);
    }
    hours(out, &requests.by_hour);
    out.push_str("</div>\n");
    classes(out, &requests.sequentiality);
    if !requests.offsets_over_time.is_empty() {
        let _ = write!(out, "<h3>Offsets over time of the busiest {of}</h3>\n<div class=\"plots\">\n");
        for offsets in &requests.offsets_over_time {
            if let Some((plot, key)) = picture(offsets) {
                let words = left_out(offsets).map(|words| note(&words)).unwrap_or_default();
                figure(out, &offsets.name, &plot, &(key + &words));
            }
        }
        out.push_str("</div>\n");
    }
    out.push_str("</section>\n");
}

fn mix(out: &mut String, mix: &Mix) {
    let row = |label: &str, read: u64, write: u64, count: String| Row {
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
    let key = key_of_parts(["reads", "writes"]);
    figure(out, "Reads and writes", &rows(&[(String::new(), shown)]), &key);
}

fn sizes(out: &mut String, mix: &Mix) {
    let (reads, writes) = (&mix.reads, &mix.writes);
    let key = key_of_parts(["reads", "writes"]);
    let requests = mix.requests().max(1) as f64;
    let recorded = (reads.bytes + writes.bytes).max(1) as f64;
    for (title, up, by_bytes) in
        [("Request sizes", "% of requests", false), ("Bytes by request size", "% of bytes", true)]
    {
        let bars: Vec<Column> = mix
            .by_size
            .iter()
            .map(|class| {
                let (read, write, all) = match by_bytes {
                    false => (class.reads, class.writes, requests),
                    true => (class.bytes_read, class.bytes_written, recorded),
                };
                let part = |count: u64| count as f64 / all * 100.0;
                let size = short(class.bytes_at_most);
                let says = format!(
                    "at most {size}: {} reads, {} writes, {}",
                    grouped(class.reads),
                    grouped(class.writes),
                    bytes(class.bytes_read + class.bytes_written)
                );
                Column { name: size, values: [part(read), part(write)], says }
            })
            .collect();
        if let Some(plot) = columns(&bars, "size, at most", up, &format!("{title}, reads and writes")) {
            figure(out, title, &plot, &key);
        }
    }
}

/// A power of two: `4K`.
fn short(size: u64) -> String {
    bytes(size).replace(".00", "").replace(".0 ", " ").replace(" B", "").replace("iB", "").replace(' ', "")
}

/// A way to count a stream's weight, by name.
type Weight = (&'static str, fn(&petrio_trace::characterise::ClassShare) -> u64);

fn sequentiality(out: &mut String, found: &Sequentiality) {
    if found.streams == 0 {
        return;
    }
    let weights: [Weight; 3] = [
        ("streams", |share| share.streams),
        ("requests", |share| share.requests),
        ("bytes", |share| share.bytes),
    ];
    let bars = weights.map(|(label, weight)| {
        let parts: Vec<(&str, u64)> =
            found.classes.iter().map(|share| (share.class.name(), weight(share))).collect();
        let full: u64 = parts.iter().map(|part| part.1).sum();
        let count = if label == "bytes" { bytes(full) } else { grouped(full) };
        Row { label: label.to_owned(), parts, full, count }
    });
    let key = key_of_parts(StreamClass::ALL.map(StreamClass::name));
    figure(out, "Sequentiality of streams", &rows(&[(String::new(), bars.into())]), &key);
}

fn classes(out: &mut String, found: &Sequentiality) {
    if found.streams == 0 {
        return;
    }
    out.push_str("<h3>Sequentiality of streams</h3>\n");
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
    table(out, &["class", "streams", "of all", "requests", "of all", "bytes", "of all"], lines);
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
    out.push_str(&note(&words));
}

fn named<'a>(all: &[(&str, &'a Option<Distribution>)]) -> Vec<(String, &'a Distribution)> {
    all.iter().filter_map(|(name, found)| Some(((*name).to_owned(), found.as_ref()?))).collect()
}

fn runs(out: &mut String, requests: &Requests) {
    let (reads, writes) = (&requests.runs.reads, &requests.runs.writes);
    let series = named(&[
        ("reads, by number", &reads.lengths_bytes),
        ("writes, by number", &writes.lengths_bytes),
        ("reads, by bytes", &reads.weighted_lengths_bytes),
        ("writes, by bytes", &writes.weighted_lengths_bytes),
    ]);
    if let Some((plot, key)) = curves::sizes(&series, "bytes before a jump", "% of runs, or of their bytes") {
        figure(out, "Run lengths", &plot, &key);
    }
}

fn timing(out: &mut String, requests: &Requests) {
    let timing = &requests.timing;
    let mut all = vec![("between arrivals", &timing.inter_arrival_us)];
    if timing.tells_service() {
        all.push(("think time", &timing.think_us));
    }
    let series = named(&all);
    let Some((plot, key)) = curves::durations(&series, "time", "% at most so long") else { return };
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
    figure(out, "Time between calls, and think time", &plot, &(key + &note(&words)));
}

fn page_use(out: &mut String, pages: &PageUse) {
    let percent = |fraction: f64| fraction * 100.0;
    let ratio = &pages.miss_ratio;
    let cold = ratio.cold_misses as f64 / pages.uses.max(1) as f64;
    let mut points: Vec<(f64, f64)> =
        ratio.points.iter().map(|point| (point.bytes as f64, percent(point.miss_ratio))).collect();
    if let [only] = points[..] {
        points.push((only.0 * 2.0, only.1));
    }
    let curve = Curve { name: "LRU", points };
    let floor = format!("cold misses only: {}", per_cent(cold));
    let label = format!("Miss ratio of an LRU cache over its size; {floor}");
    let floor = Some((percent(cold), floor.as_str()));
    if let Some((plot, _)) = curves::plot(
        &[curve],
        Across::Bytes,
        "size of an LRU cache",
        ("% of uses of pages that miss", 100.0),
        &label,
        floor,
    ) {
        let words = format!(
            "Exact, by stack distance: {} uses of {} pages of {}.",
            grouped(pages.uses),
            grouped(pages.pages),
            bytes(pages.page_bytes)
        );
        figure(out, "LRU miss ratio", &plot, &note(&words));
    }
    working_set(out, pages);
    let popular: Vec<(f64, f64)> = pages
        .popularity
        .points
        .iter()
        .map(|point| (point.pages_percent, percent(point.fraction_of_uses)))
        .collect();
    let curve = Curve { name: "uses", points: popular };
    let label = "Share of all uses that the most popular pages have";
    if let Some((plot, _)) = curves::plot(
        &[curve],
        Across::Logarithmic,
        "% of pages, the most popular ones",
        ("% of uses", 100.0),
        label,
        None,
    ) {
        let words = format!(
            "The most popular page is used {} times; {} of the pages are used once.",
            grouped(pages.popularity.most_uses),
            per_cent(pages.popularity.used_once as f64 / pages.pages.max(1) as f64)
        );
        figure(out, "Popularity", &plot, &note(&words));
    }
}

fn working_set(out: &mut String, pages: &PageUse) {
    let set = &pages.working_set;
    let (rate, size) = rate_unit((pages.pages * pages.page_bytes) as f64);
    let span_s = set.windows.len() as f64 * set.window_s;
    let (time, scale) = time_unit(span_s * 1e3);
    let scale = scale / 1e3;
    let stairs = |value: fn(&petrio_trace::characterise::WorkingSetWindow) -> u64| {
        let steps = set.windows.iter().enumerate().flat_map(|(number, window)| {
            let height = (value(window) * pages.page_bytes) as f64 / size;
            [number, number + 1].map(|edge| (edge as f64 * set.window_s / scale, height))
        });
        steps.collect::<Vec<_>>()
    };
    let curves = [
        Curve { name: "in each window", points: stairs(|window| window.pages) },
        Curve { name: "so far", points: stairs(|window| window.pages_so_far) },
    ];
    let up = format!("different data, {}", rate.trim_end_matches("/s"));
    let highest = (pages.pages * pages.page_bytes) as f64 / size * 1.05;
    let label = "Different data used in each window, and so far";
    if let Some((plot, key)) =
        curves::plot(&curves, Across::Linear, &format!("time, {time}"), (&up, highest), label, None)
    {
        let window = petrio_scenario::report::figures::seconds(set.window_s);
        figure(out, "Working set", &plot, &(key + &note(&format!("Windows of {window}."))));
    }
}

fn hours(out: &mut String, by_hour: &ByHour) {
    // One column says nothing.
    if by_hour.hours.iter().filter(|hour| hour.reads + hour.writes > 0).count() < 2 {
        return;
    }
    let across = if by_hour.of_day { "hour of the day" } else { "hours since the beginning" };
    let most = by_hour.hours.iter().map(|hour| hour.bytes_read + hour.bytes_written).max().unwrap_or(0);
    let (unit, size) = rate_unit(most as f64);
    let unit = unit.trim_end_matches("/s");
    for (title, up, by_bytes) in
        [("Requests by hour", "requests".to_owned(), false), ("Bytes by hour", format!("{unit} moved"), true)]
    {
        let bars: Vec<Column> = by_hour
            .hours
            .iter()
            .enumerate()
            .map(|(number, hour)| Column {
                name: number.to_string(),
                values: match by_bytes {
                    false => [hour.reads as f64, hour.writes as f64],
                    true => [hour.bytes_read as f64 / size, hour.bytes_written as f64 / size],
                },
                says: format!(
                    "hour {number}: {} reads, {} writes, {} read, {} written",
                    grouped(hour.reads),
                    grouped(hour.writes),
                    bytes(hour.bytes_read),
                    bytes(hour.bytes_written)
                ),
            })
            .collect();
        if let Some(plot) = columns(&bars, across, &up, &escaped(title)) {
            figure(out, title, &plot, &key_of_parts(["reads", "writes"]));
        }
    }
}
