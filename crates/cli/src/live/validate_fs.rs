//! `petrio validate fs`

use crate::failure::Failure;
use crate::judged;
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::table::table;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use petrio_files::inputs::Inputs;
use petrio_validation::fs::html::write_html;
use petrio_validation::fs::{
    Cliff, EXPERIMENTS, FsProgress, FsQuestion, FsRow, FsValidation, FsValidationError, Label, LeftOut,
    validate_fs,
};
use std::path::PathBuf;

/// What `petrio validate fs` is asked
#[derive(Args)]
#[command(after_help = experiments())]
pub(crate) struct ValidateFs {
    /// Measure in this directory; left out, on an ext3 of its own on a loop device, which needs root
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The machine's profile, as petrio calibrate writes it; left out, the machine of the catalogue that is most alike
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// The kernel that is simulated, by its name in the catalogue; left out, the youngest there
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Only this experiment; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// A few points of each experiment, in less than a minute
    #[arg(long)]
    quick: bool,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
    /// Write the rows as one self-contained HTML page with curves and heat maps
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    html: Option<PathBuf>,
}

fn experiments() -> String {
    let lines = EXPERIMENTS.iter().map(|known| format!("  {:27}  {}\n", known.name, known.title));
    format!(
        "Experiments:\n{}\nA predicted row must lie within its experiment's aim or the range of what was measured.\n\n{}",
        lines.collect::<String>(),
        judged::exit_codes!()
    )
}

impl ValidateFs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        Outputs::of([("--html", &self.html)]).check(&inputs, self.machine.as_deref())?;
        let question = FsQuestion {
            directory: self.dir.clone(),
            machine: self.machine.clone(),
            kernel: self.kernel.clone(),
            only: self.only.clone(),
            quick: self.quick,
        };
        let mut progress = Progress::new();
        let outcome = validate_fs(&question, &mut |step| progress.step(step));
        progress.finish();
        let found = outcome.map_err(failure)?;
        if let Some(path) = &self.html {
            write_html(&found, path, &inputs)?;
            talk(&format!("written: {}", path.display()));
        }
        if self.json {
            print_json(&found.rows)?;
        } else if !found.rows.is_empty() {
            let cells: Vec<Vec<String>> = found.rows.iter().map(FsRow::cells).collect();
            print(&table(&FsRow::HEADINGS, &cells))?;
        }
        conclude(&found, self.json)
    }
}

fn failure(error: FsValidationError) -> Failure {
    match error {
        FsValidationError::Scenario(problems) => Failure::Scenario(problems),
        other => Failure::of(&other),
    }
}

/// What the rows come to: on standard output below the table, on standard error beside JSON.
fn conclude(found: &FsValidation, beside: bool) -> Result<(), Failure> {
    let mut text = format!("\nsimulated: {}; measured: {}\n", found.machine, found.ground);
    let of = |label: Label| found.summaries.iter().filter(move |summary| summary.label == label);
    for summary in of(Label::Predicted) {
        text.push_str(&format!("  {}\n", summary.line()));
    }
    for cliff in &found.cliffs {
        text.push_str(&format!("  {}\n", cliff.line()));
    }
    if found.summaries.iter().any(|summary| summary.label != Label::Predicted) {
        text.push_str("not counted, because a calibration has timed these or their neighbours:\n");
    }
    for summary in of(Label::Interpolated).chain(of(Label::InSample)) {
        text.push_str(&format!("  {}\n", summary.line()));
    }
    if beside {
        talk(text.trim_end());
    } else {
        print(&text)?;
    }
    let rows = found.rows.iter().filter_map(FsRow::judged);
    let judged: Vec<_> = rows.chain(found.cliffs.iter().map(Cliff::judged)).collect();
    judged::conclude(
        &judged,
        beside,
        "validation/file-systems/README.md says what is known, and how figures differ",
    )
}

/// A bar where somebody watches, and a line for each experiment in any case.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new() -> Self {
        Self { bar: ProgressBar::hidden() }
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| talk(text));
    }

    fn step(&mut self, step: FsProgress<'_>) {
        match step {
            FsProgress::Note(note) => self.say(&format!("note: {note}")),
            FsProgress::Begin(experiment, points) => {
                self.bar.finish_and_clear();
                talk(&format!("{}: {points} points …", experiment.title));
                self.bar = ProgressBar::new(points as u64);
                if let Ok(style) =
                    ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} ({elapsed}, {eta} left)")
                {
                    self.bar.set_style(style);
                }
            }
            FsProgress::Point(point) => {
                self.bar.set_message(format!("{} by {}", point.file_size, point.record));
            }
            FsProgress::Row(_) => self.bar.inc(1),
            FsProgress::LeftOut(LeftOut { experiment, points, why }) => {
                let what = if *points == 1 { "a point" } else { "points" };
                self.say(&format!("note: {experiment}: {what} left out: {why}"));
            }
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_listed_in_the_help() {
        let text = experiments();
        assert!(EXPERIMENTS.iter().all(|known| text.contains(known.name)));
    }
}
