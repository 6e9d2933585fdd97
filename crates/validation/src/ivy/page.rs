//! Figures 21 to 26: turnarounds by number of copies, for each file system and policy, ours and the paper's.

use super::paper::{FileSystem, IvyPolicy};
use super::run::IvyRow;
use petrio_scenario::report::ReportError;
use petrio_scenario::report::html::{Axis, Frame, document, escaped, path as line_path};
use petrio_scenario::report::write_text;
use std::fmt::Write;
use std::path::Path;

/// Lines of policies: a class of the page's style for each, in the order of [`IvyPolicy::ALL`].
const CLASSES: [&str; 5] = ["policy-a", "policy-b", "policy-c", "policy-d", "policy-e"];

const STYLE: &str = "\
.policy-a{--line:#2b6cb0}.policy-b{--line:#c05621}.policy-c{--line:#2f855a}.policy-d{--line:#97266d}.policy-e{--line:#b7791f}\n\
.ours{fill:none;stroke:var(--line);stroke-width:2}.theirs{fill:none;stroke:var(--line);stroke-width:1.5;stroke-dasharray:4 4}\n\
.plot .turn{fill:var(--line)}.swatch{display:inline-block;width:1.6em;height:.25em;background:var(--line);vertical-align:middle;margin:0 .4em 0 1em}\n";

/// A mean turnaround of a row: ours and the paper's.
type Figure = fn(&IvyRow) -> (f64, f64);

/// Writes the figures as a page of its own.
///
/// # Errors
/// When the file can't be written.
pub fn figures_page(rows: &[IvyRow], path: &Path) -> Result<(), ReportError> {
    let title = "Ivy: turnaround by number of copies";
    let mut content = format!(
        "<header>\n<h1>{title}</h1>\n<p>Figures 21 to 26 of S.-L. Lo, “Ivy: a study on replicating data for performance \
         improvement”, 1990. Full lines are petrio's, on made-up traces that were tuned to one copy; broken lines are the \
         paper's.</p>\n</header>\n<section>\n<p>"
    );
    for (policy, class) in IvyPolicy::ALL.iter().zip(CLASSES) {
        let _ =
            write!(content, "<span class=\"{class}\"><span class=\"swatch\"></span>{}</span>", policy.name());
    }
    content.push_str("</p>\n");
    let figures: [(&str, Figure); 2] = [
        ("read", |row| (row.simulated.read.0, row.paper.read.0)),
        ("write", |row| (row.simulated.write.0, row.paper.write.0)),
    ];
    let mut number = 21;
    // The paper has Cello /users before Cello / (§6.7).
    for file_system in [FileSystem::TriangleRoot, FileSystem::CelloUsers, FileSystem::CelloRoot] {
        for (of, figure) in figures {
            let heading = format!("Figure {number}: {}, {of} turnaround", file_system.name());
            let _ = write!(
                content,
                "<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n",
                escaped(&heading),
                plot(rows, file_system, (of, figure))
            );
            number += 1;
        }
    }
    content.push_str("</section>\n");
    write_text(path, &document(title, STYLE, &content, "model time, not measured"))
}

fn plot(rows: &[IvyRow], file_system: FileSystem, (of, figure): (&str, Figure)) -> String {
    let of_file_system = || rows.iter().filter(|row| row.file_system == file_system);
    let values: Vec<f64> = of_file_system().map(figure).flat_map(|(ours, paper)| [ours, paper]).collect();
    let highest = values.iter().copied().fold(0.0, f64::max);
    let lowest = values.iter().copied().fold(f64::MAX, f64::min);
    let label = format!("{} turnaround in milliseconds by number of copies, {}", of, file_system.name());
    let mut frame = Frame::new(&label);
    let across = Axis::linear(1.0, 7.0, frame.left, frame.right);
    let room = (highest - lowest).max(1.0) * 0.08;
    let up = Axis::linear((lowest - room).max(0.0), highest + room, frame.bottom, frame.top);
    frame.across(&across, "copies, or disks");
    frame.up(&up, &format!("{of} turnaround, ms"));
    for (policy, class) in IvyPolicy::ALL.into_iter().zip(CLASSES) {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for row in of_file_system().filter(|row| row.policy == policy) {
            let (simulated, paper) = figure(row);
            let x = across.at(f64::from(row.copies));
            ours.push((x, up.at(simulated)));
            theirs.push((x, up.at(paper)));
        }
        if ours.is_empty() {
            continue;
        }
        frame.add(&format!("<g class=\"{class}\"><path class=\"theirs\" d=\"{}\"/>", line_path(&theirs)));
        frame.add(&format!("<path class=\"ours\" d=\"{}\"/>", line_path(&ours)));
        for (x, y) in ours {
            frame.add(&format!("<circle class=\"turn\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"));
        }
        frame.add("</g>");
    }
    frame.finish()
}
