//! A trace's characteristics as a page.

mod files;
mod pictures;
mod requests;

use super::CharacterisedTrace;
use crate::page::distributions;
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Quantity, SERIES_MAX};
use petrio_page::numbers::{bytes, grouped, per_cent, seconds};
use petrio_page::page::{Page, Table, Text};
use petrio_scenario::report::{ReportError, write_text};
use petrio_trace::characterise::{Distribution, KindOfEvent};
use std::path::Path;

/// Writes the page. The file is complete or absent; the same trace gives the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_html(found: &CharacterisedTrace, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(found).html())
}

fn page(trace: &CharacterisedTrace) -> Page {
    let found = &trace.found;
    let name: String =
        Path::new(&trace.trace).file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let mut page = Page::new(format!("What {name} is like"));
    page.heading = name;
    page.below = vec![
        format!("{} events over {}", grouped(found.events), seconds(found.end_s - found.begin_s)).into(),
        Text::default().quiet(format!("{}, format {}", trace.trace, trace.format)),
    ];
    page.warnings(trace.warnings.iter().map(String::as_str));
    tiles(&mut page, trace);
    if let Some(files) = &found.files {
        files::section(&mut page, files);
    }
    let pictures: usize = [&found.file_requests, &found.device_requests]
        .into_iter()
        .flatten()
        .map(|requests| requests.offsets_over_time.len())
        .sum();
    for (of, requests) in [("files", &found.file_requests), ("devices", &found.device_requests)] {
        if let Some(requests) = requests {
            requests::section(&mut page, requests, of, pictures);
        }
    }
    kinds(&mut page, &found.kinds);
    page.foot = "the same trace gives the same page".to_owned();
    page
}

fn tiles(page: &mut Page, trace: &CharacterisedTrace) {
    let found = &trace.found;
    let mut tiles = Vec::new();
    if let Some(files) = &found.files {
        tiles.push(("Files".to_owned(), grouped(files.all.files.total())));
    }
    for (of, requests) in [("files", &found.file_requests), ("devices", &found.device_requests)] {
        let Some(requests) = requests else { continue };
        let mix = &requests.mix;
        tiles.push((format!("Reads and writes of {of}"), grouped(mix.requests())));
        tiles.push(("Bytes moved".to_owned(), bytes(mix.bytes())));
        if mix.bytes() > 0 {
            let read = mix.reads.all_bytes() as f64 / mix.bytes() as f64;
            tiles.push(("Read, of the bytes".to_owned(), per_cent(read)));
        }
        if let Some(pages) = &requests.pages {
            tiles.push(("Different data".to_owned(), bytes(pages.pages * pages.page_bytes)));
        }
    }
    page.tiles(tiles);
}

fn kinds(page: &mut Page, kinds: &[KindOfEvent]) {
    page.heading("Events");
    let mut series = Vec::new();
    let mut by_count: Vec<&KindOfEvent> = kinds.iter().collect();
    by_count.sort_by_key(|kind| std::cmp::Reverse(kind.count));
    for kind in by_count {
        let name = kind.kind.name();
        let parts = [
            (format!("{name}, hit"), &kind.hit_service_us),
            (format!("{name}, miss"), &kind.miss_service_us),
        ];
        let told = parts.iter().any(|(_, service)| service.is_some());
        let all = [(name.to_owned(), &kind.service_us)];
        let chosen = if told { &parts[..] } else { &all[..] };
        series.extend(chosen.iter().filter_map(|(name, service)| Some((name.clone(), service.as_ref()?))));
    }
    series.truncate(SERIES_MAX);
    let time = ("service time", Quantity::Duration, 1e-6);
    page.figures(distributions("Service times", &series, time, "of events within"));
    let dash = || "–".to_owned();
    let rows = kinds.iter().map(|kind| {
        let service = |of: fn(&Distribution) -> f64| {
            kind.service_us.as_ref().map_or_else(dash, |service| seconds(of(service) / 1e6))
        };
        let told = kind.hits + kind.misses;
        let hits = if told == 0 { dash() } else { per_cent(kind.hits as f64 / told as f64) };
        vec![
            kind.kind.name().to_owned(),
            grouped(kind.count),
            grouped(kind.failed),
            hits,
            service(|service| service.mean),
            service(|service| service.p50),
            service(|service| service.p90),
            service(|service| service.p99),
            service(|service| service.greatest),
        ]
    });
    let heads = ["kind", "events", "failed", "hits", "mean service", "p50", "p90", "p99", "longest"];
    page.table(Table::new(heads).with(rows));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::characterise::{Question, characterise_file};
    use petrio_kernel::Time;
    use petrio_trace::event::{Access, Event, EventKind, FileKey};
    use petrio_trace::native::{About, EventWriter};

    /// A trace of a few files with everything that a page shows, and a name that wants escaping.
    fn example(files: u64) -> CharacterisedTrace {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a & b.parquet");
        let about = About { notes: vec!["<b>a note</b>".to_owned()], ..About::default() };
        let mut writer = EventWriter::create(&path, &Inputs::none(), &about).unwrap();
        let mut time = Time::ZERO;
        for number in 0..files {
            let mut call = |kind, change: &dyn Fn(&mut Event)| {
                let mut event = Event::new(time, kind);
                event.process = 1 + (number % 3) as u32;
                event.file = FileKey { device: 1 + (number % 2) as u32, inode: 10 + number, generation: 0 };
                event.path = Some(format!("/data/<{}>/file{number}", number % 5).into());
                event.service = Some(Time::from_micros(10 + number));
                change(&mut event);
                writer.push(&event).unwrap();
                time = time.saturating_add(Time::from_millis(7 + number % 4));
            };
            let kind = if number % 3 == 0 { EventKind::Create } else { EventKind::Open };
            call(kind, &|event| {
                (event.access, event.size) =
                    (Some([Access::Read, Access::Write][number as usize % 2]), Some(number * 999));
            });
            for step in 0..number % 7 + 1 {
                let kind = if number % 2 == 0 { EventKind::Read } else { EventKind::Write };
                call(kind, &|event| {
                    (event.offset, event.length) = (Some(step * 4_096 * (number % 3)), 4_096);
                    event.hit = Some(step % 2 == 0);
                });
            }
            call(EventKind::Close, &|_| {});
            if number % 4 == 0 {
                call(EventKind::Unlink, &|_| {});
            }
        }
        writer.finish().unwrap();
        characterise_file(&Inputs::here(), &path, &Question::default(), |_| ()).unwrap()
    }

    #[test]
    fn the_page_says_everything_and_escapes_what_comes_from_the_trace() {
        let html = page(&example(60)).html();
        assert!(html.contains("a &amp; b.parquet") && html.contains("&lt;b&gt;a note"));
        assert!(!html.contains("/data/<0>") && html.contains("/data/&lt;0&gt;"));
        for title in [
            "File sizes",
            "Lifetimes",
            "Composition",
            "Opens",
            "Sequentiality",
            "Run lengths",
            "Offsets over time",
            "miss ratio",
            "Working set",
            "Popularity",
            "think time",
            "Service times",
        ] {
            assert!(html.contains(title), "{title}");
        }
    }

    #[test]
    fn little_and_much_make_pages_of_less_than_150_kb() {
        for files in [0, 1, 2, 60, 6_000] {
            let html = if files == 0 {
                let mut empty = example(1);
                (empty.found.files, empty.found.file_requests) = (None, None);
                page(&empty).html()
            } else {
                page(&example(files)).html()
            };
            assert!(!html.contains(">NaN"), "a value is not a number");
            assert!(html.len() < 150_000, "{} bytes with {files} files", html.len());
        }
    }
}
