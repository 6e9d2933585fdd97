//! A trace's characteristics as one self-contained page in the style of the reports: inline SVG and style, no network, light and
//! dark. Every series is told by its name and its dashes as well as by its colour.

mod bars;
mod files;
mod pictures;
mod requests;

use super::CharacterisedTrace;
use crate::page::parts::{figure, table, tile};
use crate::page::{STYLE, curves};

use petrio_scenario::report::figures::{bytes, grouped, per_cent, seconds};
use petrio_scenario::report::html::{document, escaped};
use petrio_scenario::report::{ReportError, WholeFile};
use petrio_trace::characterise::{Distribution, KindOfEvent};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Writes the page. The file is complete or absent; the same trace gives the same bytes.
///
/// # Errors
/// When it can't be written.
pub fn write_html(found: &CharacterisedTrace, path: &Path) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path)?;
    file.write_all(page(found).as_bytes())
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })?;
    file.finish()
}

// Writing to a string can't fail, so the results of `write!` are dropped throughout.

fn page(trace: &CharacterisedTrace) -> String {
    let found = &trace.found;
    let name =
        Path::new(&trace.trace).file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let mut out = String::new();
    let _ = write!(
        out,
        "<header>\n<h1>{}</h1>\n<p>{} events over {}</p>\n<p class=\"quiet\">{}, format {}</p>\n</header>\n",
        escaped(&name),
        grouped(found.events),
        seconds(found.end_s - found.begin_s),
        escaped(&trace.trace),
        escaped(&trace.format)
    );
    for warning in &trace.warnings {
        let _ = writeln!(out, "<p class=\"warning\"><strong>Check this:</strong> {}</p>", escaped(warning));
    }
    tiles(&mut out, trace);
    if let Some(files) = &found.files {
        files::section(&mut out, files);
    }
    if let Some(requests) = &found.file_requests {
        requests::section(&mut out, requests, "files");
    }
    if let Some(requests) = &found.device_requests {
        requests::section(&mut out, requests, "devices");
    }
    kinds(&mut out, &found.kinds);
    document(&format!("What {name} is like"), STYLE, &out, "the same trace gives the same page")
}

fn tiles(out: &mut String, trace: &CharacterisedTrace) {
    let found = &trace.found;
    out.push_str("<section class=\"tiles\" aria-label=\"Summary\">\n");
    if let Some(files) = &found.files {
        tile(out, "Files", &grouped(files.all.files.total()));
    }
    for (of, requests) in [("files", &found.file_requests), ("devices", &found.device_requests)] {
        let Some(requests) = requests else { continue };
        let mix = &requests.mix;
        tile(out, &format!("Reads and writes of {of}"), &grouped(mix.requests()));
        tile(out, "Bytes moved", &bytes(mix.bytes()));
        if mix.bytes() > 0 {
            let read = mix.reads.all_bytes() as f64 / mix.bytes() as f64;
            tile(out, "Read, of the bytes", &per_cent(read));
        }
        if let Some(pages) = &requests.pages {
            tile(out, "Different data", &bytes(pages.pages * pages.page_bytes));
        }
    }
    out.push_str("</section>\n");
}

fn kinds(out: &mut String, kinds: &[KindOfEvent]) {
    out.push_str("<section>\n<h2>Events</h2>\n");
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
    series.truncate(curves::SERIES_MAX);
    if let Some((plot, key)) = curves::durations(&series, "service time", "% of events within") {
        out.push_str("<div class=\"plots\">\n");
        figure(out, "Service times", &plot, &key);
        out.push_str("</div>\n");
    }
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
    table(out, &heads, rows);
    out.push_str("</section>\n");
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
        let mut writer = EventWriter::create(&path, &about).unwrap();
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
        characterise_file(&path, &Question::default(), |_| ()).unwrap()
    }

    #[test]
    fn the_page_needs_no_network_and_escapes_what_comes_from_the_trace() {
        let page = page(&example(60));
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("a &amp; b.parquet") && page.contains("&lt;b&gt;a note"));
        assert!(!page.contains("/data/<0>") && page.contains("/data/&lt;0&gt;"));
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
            assert!(page.contains(title), "{title}");
        }
    }

    #[test]
    fn tags_are_balanced_and_every_coordinate_is_a_number() {
        for files in [0, 1, 2, 60] {
            let page = if files == 0 {
                let mut empty = example(1);
                (empty.found.files, empty.found.file_requests) = (None, None);
                page(&empty)
            } else {
                page(&example(files))
            };
            for tag in [
                "svg", "g", "text", "table", "tr", "td", "th", "section", "figure", "div", "p", "h1", "h2",
                "h3", "ul", "li",
            ] {
                let opened =
                    page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
                assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag} with {files} files");
            }
            assert!(!page.contains("NaN") && !page.contains("inf"), "a coordinate is not a number");
        }
    }
}
