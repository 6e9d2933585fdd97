//! Figures 21 to 26: turnarounds by number of copies, for each file system and policy, ours and the paper's.

use super::paper::{FileSystem, IvyPolicy};
use super::run::IvyRow;
use petrio_files::inputs::Inputs;
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::page::Page;
use petrio_scenario::report::ReportError;
use petrio_scenario::report::write_text;
use std::path::Path;

/// A mean turnaround of a row, in milliseconds: ours and the paper's.
type Turnaround = fn(&IvyRow) -> (f64, f64);

/// Writes the figures as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn figures_page(rows: &[IvyRow], path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    write_text(path, inputs, &page(rows).html())
}

fn page(rows: &[IvyRow]) -> Page {
    let mut page = Page::new("Ivy: turnaround by number of copies");
    page.paragraph(
        "Figures 21 to 26 of S.-L. Lo, “Ivy: a study on replicating data for performance improvement”, 1990. Full lines are \
         petrio's, on made-up traces that were tuned to one copy; broken lines are the paper's.",
    );
    let turnarounds: [(&str, Turnaround); 2] = [
        ("read", |row| (row.simulated.read.0, row.paper.read.0)),
        ("write", |row| (row.simulated.write.0, row.paper.write.0)),
    ];
    // The paper has Cello /users before Cello / (§6.7).
    let file_systems = [FileSystem::TriangleRoot, FileSystem::CelloUsers, FileSystem::CelloRoot];
    let all = file_systems.into_iter().flat_map(|file_system| turnarounds.map(|of| (file_system, of)));
    page.figures(all.zip(21..).map(|((file_system, of), number)| figure(rows, number, file_system, of)));
    page.foot = "model time, not measured".to_owned();
    page
}

fn figure(
    rows: &[IvyRow],
    number: u32,
    file_system: FileSystem,
    (of, turnaround): (&str, Turnaround),
) -> Figure {
    let of_file_system = || rows.iter().filter(|row| row.file_system == file_system);
    let values: Vec<f64> = of_file_system().map(turnaround).flat_map(|(ours, paper)| [ours, paper]).collect();
    let highest = values.iter().copied().fold(0.0, f64::max);
    let lowest = values.iter().copied().fold(f64::MAX, f64::min);
    let room = (highest - lowest).max(1.0) * 0.08;
    let mut figure = Figure::new(
        format!("Figure {number}: {}, {of} turnaround", file_system.name()),
        format!("{of} turnaround by number of copies, {}", file_system.name()),
        Axis::new("copies, or disks", Quantity::Number),
        Axis::new(format!("{of} turnaround"), Quantity::Duration)
            .between((lowest - room).max(0.0) / 1e3, (highest + room) / 1e3),
    );
    for (colour, policy) in IvyPolicy::ALL.into_iter().enumerate() {
        let points = || {
            let of_policy = of_file_system().filter(move |row| row.policy == policy);
            of_policy.map(|row| (f64::from(row.copies), turnaround(row)))
        };
        if points().next().is_none() {
            continue;
        }
        let ours = Series::dots(policy.name(), points().map(|(copies, (ours, _))| (copies, ours / 1e3)));
        figure.push(ours.colour(colour).dashed(false));
        let (x, y) = points().map(|(copies, (_, paper))| (copies, paper / 1e3)).unzip();
        let paper = Series::line(format!("{}, the paper", policy.name()), x, y);
        figure.push(paper.colour(colour).dashed(true));
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::super::figures::IvyFigures;
    use super::super::paper::TABLES;
    use super::*;

    #[test]
    fn the_page_has_all_six_figures_in_little_room() {
        let rows = TABLES.iter().flat_map(|table| {
            table.rows.iter().map(|(copies, paper)| IvyRow {
                table: table.number,
                file_system: table.file_system,
                policy: table.policy,
                copies: *copies,
                simulated: IvyFigures { read: (paper.read.0 * 1.02, 1.0), ..*paper },
                paper: *paper,
                read_differs: false,
                write_differs: false,
                read_reduction_percent: (0.0, 0.0),
                write_reduction_percent: (0.0, 0.0),
            })
        });
        let html = page(&rows.collect::<Vec<_>>()).html();
        for number in 21..=26 {
            assert!(html.contains(&format!("Figure {number}: ")), "{number}");
        }
        assert!(!html.contains(">NaN") && html.len() < 150_000, "{} bytes", html.len());
    }
}
