//! The report as a page of its own: what is on it, in which order. What it looks like is the business of `petrio_page`.
//!
//! Every number that a colour or a bar shows stands beside it as text.

mod figures;
mod page;

pub use figures::{cause_colour, causes};
pub use page::page as report_page;
use petrio_files::inputs::Inputs;

use crate::error::ReportError;
use crate::summary::Report;
use crate::whole_file::write_text;
use std::path::Path;

/// Writes the page, in the place of none of those `inputs`. The file is complete or absent; the same report gives the same bytes.
///
/// # Errors
/// When the file can't be written.
pub fn write_html(report: &Report, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page::page(report).html())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    #[test]
    fn the_page_holds_every_number_in_little_room() {
        let html = page::page(&example()).html();
        for number in ["644", "4.31", "d0/mechanics", "86 %", "With seeks twice as fast"] {
            assert!(html.contains(number), "{number}");
        }
        assert!(html.len() < 150_000, "{} bytes", html.len());
    }

    #[test]
    fn all_figures_are_there_and_say_what_they_show() {
        let html = page::page(&example()).html();
        for title in
            ["Where the time of an average request goes", "Latency, cumulative", "Throughput over time"]
        {
            assert!(html.contains(title), "{title}");
        }
        assert!(html.contains("the fullest bin holds") && html.contains("half the requests within 1.90 ms"));
        assert!(!html.contains(">NaN"), "a value is not a number");
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
        report.served.series = crate::series::Series::default();
        assert!(page::page(&report).html().contains("No request completed"));
    }
}
