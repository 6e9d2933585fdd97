//! The report as one self-contained HTML page: inline SVG, inline style, a few lines of inline script, no network.
//!
//! Every figure that a colour or a bar shows stands beside it as text; each plot has a label for those who can't see it.

mod axis;
mod document;
mod frame;
mod page;
mod plots;

pub use axis::Axis;
pub use document::{cause_class, cause_spans, document};
pub use frame::{Frame, path};

use crate::report::error::ReportError;
use crate::report::summary::Report;
use crate::report::whole_file::write_text;
use std::path::Path;

/// Writes the page. The file is complete or absent; the same report gives the same bytes.
///
/// # Errors
/// When the file can't be written.
pub fn write_html(report: &Report, path: &Path) -> Result<(), ReportError> {
    write_text(path, &page::page(report))
}

/// Text that may stand in HTML and in attributes.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Characters that HTML forbids, which a title from a file may hold.
            control if control.is_control() && !control.is_whitespace() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::report::example::example;

    #[test]
    fn the_page_needs_no_network_and_holds_every_figure() {
        let page = page::page(&example());
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        for figure in ["644", "4.31", "d0/mechanics", "86 %", "With seeks twice as fast"] {
            assert!(page.contains(figure), "{figure}");
        }
    }

    #[test]
    fn tags_are_balanced_and_texts_escaped() {
        let mut report = example();
        report.title = "<script>alert(\"x\")</script> & co".to_owned();
        let page = page::page(&report);
        assert!(!page.contains("<script>alert"));
        for tag in
            ["svg", "g", "text", "table", "tr", "td", "th", "section", "figure", "div", "p", "h1", "h2"]
        {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf"), "a coordinate is not a number");
    }

    #[test]
    fn a_run_without_requests_still_gives_a_page() {
        let mut report = example();
        report.served.latency = None;
        report.served.histogram.clear();
        report.served.quantiles.clear();
        report.served.breakdown.clear();
        report.stages.clear();
        report.bottleneck = None;
        report.served.series = crate::report::series::Series::default();
        assert!(page::page(&report).contains("No request completed"));
    }
}
