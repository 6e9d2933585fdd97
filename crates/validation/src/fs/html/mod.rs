//! The validation as one self-contained page: curves of measured and predicted figures, heat maps of the errors, and
//! every row as text. Inline SVG and style, no script, no network.

mod curves;
mod heat;

use super::experiment::{EXPERIMENTS, Experiment};
use super::{FsRow, FsValidation};
use petrio_scenario::report::{ReportError, WholeFile};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// Writes the page. The file is complete or absent.
///
/// # Errors
/// The file can't be written.
pub fn write_html(found: &FsValidation, path: &Path) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path)?;
    file.write_all(page(found).as_bytes())
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })?;
    file.finish()
}

const STYLE: &str = "\
:root { --ink: #1b1f24; --quiet: #667; --paper: #fff; --grid: #d8dce2; --measured: #1f5fa8; --predicted: #c4560a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --quiet: #99a; --paper: #16181c; --grid: #343a42; --measured: #6fb1f5; --predicted: #f59a52; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1060px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.quiet { color: var(--quiet); } .plots { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 0; flex: 1 1 480px; max-width: 520px; }
figcaption { font-size: .85rem; color: var(--quiet); }
svg { width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); } svg .quiet { fill: var(--quiet); }
svg .grid { stroke: var(--grid); stroke-width: 1; } svg path { fill: none; stroke-width: 2; } svg .measured { stroke: var(--measured); } svg .predicted { stroke: var(--predicted); stroke-dasharray: 6 4; }
svg circle.measured { fill: var(--measured); stroke: none; } svg .bar { stroke: var(--measured); stroke-width: 1.5; } svg .mark { stroke: var(--predicted); stroke-width: 2; stroke-dasharray: none; fill: none; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; } th, td { padding: .15rem .6rem; text-align: right; } th:first-child, td:first-child, td.word, th.word { text-align: left; }
thead th { border-bottom: 1px solid var(--grid); } .wide { overflow-x: auto; } details { margin-top: .6rem; }
";

fn page(found: &FsValidation) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    let _ = write!(
        out,
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>File systems: predicted and measured</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>File systems: predicted and measured</h1>\n<p>Simulated: {}. Measured: {}. Points measured: {}.</p>\n",
        escaped(&found.machine),
        escaped(&found.ground),
        found.rows.len()
    );
    summary(&mut out, found);
    for experiment in EXPERIMENTS {
        let rows: Vec<&FsRow> = found.rows.iter().filter(|row| row.experiment == experiment.name).collect();
        if !rows.is_empty() {
            section(&mut out, experiment, &rows);
        }
    }
    if !found.left_out.is_empty() {
        out.push_str("<h2>Left out</h2>\n<ul>\n");
        for left_out in &found.left_out {
            let _ = writeln!(
                out,
                "<li>{}, points: {}; {}</li>",
                left_out.experiment,
                left_out.points,
                escaped(&left_out.why)
            );
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn summary(out: &mut String, found: &FsValidation) {
    out.push_str("<h2>Errors</h2>\n<p class=\"quiet\">Only predicted rows count towards the aims.</p>\n<div class=\"wide\"><table>\n<thead><tr>");
    for (head, class) in [
        ("experiment", "word"),
        ("worth", "word"),
        ("rows", ""),
        ("median error %", ""),
        ("worst error %", ""),
        ("aim %", ""),
        ("within", ""),
    ] {
        let _ = write!(out, "<th scope=\"col\" class=\"{class}\">{head}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for line in &found.summaries {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"word\">{}</td><td>{}</td><td>{:.1}</td><td>{:.1}</td><td>{:.0}</td><td>{}</td></tr>",
            line.experiment,
            line.label.words(),
            line.rows,
            line.median_error_percent,
            line.worst_error_percent,
            line.aim_percent,
            line.within_aim
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    for cliff in &found.cliffs {
        let _ = writeln!(out, "<p>{}</p>", escaped(&cliff.line()));
    }
}

fn section(out: &mut String, experiment: &Experiment, rows: &[&FsRow]) {
    let _ = write!(out, "<section>\n<h2>{}</h2>\n<div class=\"plots\">\n", escaped(experiment.title));
    let records: BTreeSet<u64> = rows.iter().map(|row| row.record_bytes).collect();
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.file_size_bytes).collect();
    let journals: BTreeSet<&str> = rows.iter().map(|row| row.journal).collect();
    let unit = experiment.unit.name();
    if rows.len() > records.len().max(sizes.len()) * journals.len() {
        figure(out, &heat::measured(rows, unit), "Measured, by record and file size");
        figure(out, &heat::errors(rows), "Error of the model: blue too slow, red too fast");
        // A few curves through the grid: small, middling, large files.
        let sizes: Vec<u64> =
            sizes.into_iter().filter(|size| *size >= *records.iter().max().unwrap_or(&0)).collect();
        for position in [0, sizes.len().saturating_sub(1)] {
            if let Some(size) = sizes.get(position) {
                let of_it: Vec<&FsRow> =
                    rows.iter().copied().filter(|row| row.file_size_bytes == *size).collect();
                let caption = format!("Files of {}", petrio_units::Bytes(*size));
                figure(out, &curves::over(&of_it, |row| row.record_bytes, ("record", unit)), &caption);
            }
        }
    } else if records.len().max(sizes.len()) > 1 {
        let by_size = records.len() == 1;
        for journal in journals {
            let of_it: Vec<&FsRow> = rows.iter().copied().filter(|row| row.journal == journal).collect();
            let plot = if by_size {
                curves::over(&of_it, |row| row.file_size_bytes, ("file size", unit))
            } else {
                curves::over(&of_it, |row| row.record_bytes, ("record", unit))
            };
            figure(out, &plot, &format!("Journal: {journal}"));
        }
    } else {
        figure(out, &curves::bars(rows, unit), "By journal mode");
    }
    out.push_str("</div>\n<p class=\"quiet\">Dots and lines: measured, with their range. Dashes and rings: predicted.</p>\n");
    let open = if rows.len() <= 20 { " open" } else { "" };
    let _ = write!(
        out,
        "<details{open}>\n<summary>{} rows</summary>\n<div class=\"wide\"><table>\n<thead><tr>",
        rows.len()
    );
    for head in &FsRow::HEADINGS[1..] {
        let _ = write!(out, "<th scope=\"col\">{head}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row.cells().iter().skip(1) {
            let _ = write!(out, "<td>{}</td>", escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n</details>\n</section>\n");
}

fn figure(out: &mut String, plot: &str, caption: &str) {
    let _ = writeln!(out, "<figure>\n{plot}\n<figcaption>{}</figcaption>\n</figure>", escaped(caption));
}

/// Text that may stand in HTML and in attributes.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

/// A power of two, short: `64K`.
fn short(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 20 => format!("{}M", bytes >> 20),
        _ if bytes >= 1 << 10 => format!("{}K", bytes >> 10),
        _ => bytes.to_string(),
    }
}

/// A figure, short: `12.3k`.
fn brief(value: f64) -> String {
    match value {
        _ if value >= 9_950.0 => format!("{:.0}k", value / 1e3),
        _ if value >= 995.0 => format!("{:.1}k", value / 1e3),
        _ if value >= 9.95 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fs::LeftOut;
    use petrio_live::drive::Spread;

    fn found() -> FsValidation {
        let mut rows = Vec::new();
        for experiment in EXPERIMENTS {
            for (number, point) in experiment.points(false).iter().enumerate() {
                let spread = Spread::of([90.0, 100.0, 120.0 + number as f64]).unwrap();
                rows.push(FsRow::new(experiment, point, spread, 100.0 + number as f64));
            }
        }
        let left_out = vec![LeftOut { experiment: "captured", points: 1, why: "<no> \"room\"".to_owned() }];
        let summaries = crate::fs::row::summaries(&rows);
        FsValidation { machine: "m & n".to_owned(), rows, summaries, left_out, ..FsValidation::default() }
    }

    #[test]
    fn the_page_holds_every_experiment_and_needs_no_network() {
        let page = page(&found());
        for experiment in EXPERIMENTS {
            assert!(page.contains(&escaped(experiment.title)), "{}", experiment.name);
        }
        for outside in ["http://", "https://", "src=", "@import", "url(", "<script"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("&lt;no&gt;") && page.contains("m &amp; n"));
    }

    #[test]
    fn tags_are_balanced_and_every_coordinate_is_a_number() {
        let page = page(&found());
        for tag in ["svg", "g", "text", "table", "tr", "td", "th", "section", "figure", "details", "div"] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf\""));
    }

    #[test]
    fn a_single_row_makes_a_page_too() {
        let mut found = found();
        found.rows.truncate(1);
        assert!(page(&found).contains("1 rows"));
    }
}
