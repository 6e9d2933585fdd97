//! Rows, and what they come to.

use super::experiment::{EXPERIMENTS, Experiment};
use super::label::Label;
use super::measure::Clock;
use petrio_live::drive::Spread;
use serde::Serialize;

/// A point, measured and predicted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FsRow {
    /// The experiment's name.
    pub experiment: &'static str,
    /// How the file system journals.
    pub journal: &'static str,
    /// Bytes of a file.
    pub file_size_bytes: u64,
    /// Bytes of an access; of captured requests, the usual one.
    pub record_bytes: u64,
    /// What the prediction is worth.
    pub label: Label,
    /// Which clock measured.
    pub clock: Clock,
    /// Of the three figures: MiB/s, or accesses/s.
    pub unit: &'static str,
    /// The median of the measured figures.
    pub measured: f64,
    /// The least.
    pub measured_least: f64,
    /// The greatest.
    pub measured_greatest: f64,
    /// How many.
    pub repetitions: usize,
    /// What the model says.
    pub predicted: f64,
    /// How much that is more than measured, in per cent of it.
    pub error_percent: f64,
}

impl FsRow {
    /// The heads of a printed row.
    pub const HEADINGS: [&str; 10] = [
        "experiment",
        "file",
        "record",
        "journal",
        "measured",
        "spread %",
        "predicted",
        "unit",
        "error %",
        "worth",
    ];

    pub(super) fn new(experiment: &Experiment, point: &super::Point, spread: Spread, predicted: f64) -> Self {
        Self {
            experiment: experiment.name,
            journal: point.setting.journal,
            file_size_bytes: point.file_size.get(),
            record_bytes: point.record.get(),
            label: Label::Predicted,
            clock: super::measure::clock(experiment.paced),
            unit: experiment.unit.name(),
            measured: spread.median,
            measured_least: spread.least,
            measured_greatest: spread.greatest,
            repetitions: spread.repetitions,
            predicted,
            error_percent: error_percent(predicted, spread.median),
        }
    }

    /// From the least to the greatest measured figure, in per cent of the median.
    pub fn spread_percent(&self) -> f64 {
        let range = self.measured_greatest - self.measured_least;
        if self.measured > 0.0 { 100.0 * range / self.measured } else { 0.0 }
    }

    /// As a printed row has it.
    pub fn cells(&self) -> Vec<String> {
        let figure = |value: f64| if value < 1_000.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        vec![
            self.experiment.to_owned(),
            petrio_units::Bytes(self.file_size_bytes).to_string(),
            petrio_units::Bytes(self.record_bytes).to_string(),
            self.journal.to_owned(),
            figure(self.measured),
            if self.repetitions > 1 { format!("{:.1}", self.spread_percent()) } else { "–".to_owned() },
            figure(self.predicted),
            self.unit.to_owned(),
            format!("{:+.1}", self.error_percent),
            self.label.words().to_owned(),
        ]
    }
}

fn error_percent(predicted: f64, measured: f64) -> f64 {
    if measured > 0.0 { 100.0 * (predicted / measured - 1.0) } else { 0.0 }
}

/// Rows of one experiment and one worth, summed up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FsSummary {
    /// The experiment's name.
    pub experiment: &'static str,
    /// What the predictions are worth; only predicted ones count towards the aim.
    pub label: Label,
    /// How many rows.
    pub rows: usize,
    /// The median of the errors' sizes, in per cent.
    pub median_error_percent: f64,
    /// The largest of them.
    pub worst_error_percent: f64,
    /// How large they may be.
    pub aim_percent: f64,
    /// How many are no larger.
    pub within_aim: usize,
}

impl FsSummary {
    /// As a line.
    pub fn line(&self) -> String {
        let Self {
            experiment, rows, median_error_percent, worst_error_percent, aim_percent, within_aim, ..
        } = self;
        format!(
            "{experiment}, {}: median error {median_error_percent:.1} %, worst {worst_error_percent:.1} %; {within_aim} of {rows} within {aim_percent:.0} %",
            self.label.words()
        )
    }
}

/// Sums up, in the order of the experiments.
pub(super) fn summaries(rows: &[FsRow]) -> Vec<FsSummary> {
    let mut all = Vec::new();
    for experiment in EXPERIMENTS {
        for label in [Label::Predicted, Label::Interpolated, Label::InSample] {
            let of_it = rows.iter().filter(|row| row.experiment == experiment.name && row.label == label);
            let errors: Vec<f64> = of_it.map(|row| row.error_percent.abs()).collect();
            let within_aim = errors.iter().filter(|error| **error <= experiment.aim_percent).count();
            if let Some(spread) = Spread::of(errors) {
                all.push(FsSummary {
                    experiment: experiment.name,
                    label,
                    rows: spread.repetitions,
                    median_error_percent: spread.median,
                    worst_error_percent: spread.greatest,
                    aim_percent: experiment.aim_percent,
                    within_aim,
                });
            }
        }
    }
    all
}

/// Where a curve over the size of the file falls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cliff {
    /// The experiment's name.
    pub experiment: &'static str,
    /// Where the measured curve falls, in bytes of the file.
    pub measured_bytes: f64,
    /// Where the predicted one does.
    pub predicted_bytes: f64,
    /// How much further out that is, in per cent.
    pub error_percent: f64,
}

/// How far a cliff's place may be off, in per cent of the file's size.
pub const CLIFF_AIM_PERCENT: f64 = 5.0;

impl Cliff {
    /// As a line.
    pub fn line(&self) -> String {
        let mib = |bytes: f64| bytes / 1_048_576.0;
        format!(
            "{}: the cliff is at {:.0} MiB, predicted at {:.0} MiB ({:+.1} %, the aim is {CLIFF_AIM_PERCENT:.0} %)",
            self.experiment,
            mib(self.measured_bytes),
            mib(self.predicted_bytes),
            self.error_percent
        )
    }
}

/// The cliffs of all experiments that have one.
pub(super) fn cliffs(rows: &[FsRow]) -> Vec<Cliff> {
    let with_cliff = EXPERIMENTS.iter().filter(|experiment| experiment.cliff);
    with_cliff
        .filter_map(|experiment| {
            let curve = |of: fn(&FsRow) -> f64| -> Vec<(f64, f64)> {
                let of_it = rows.iter().filter(|row| row.experiment == experiment.name);
                of_it.map(|row| (row.file_size_bytes as f64, of(row))).collect()
            };
            // Both fall through the same figure, so that a prediction that is too slow all along isn't a cliff
            // displaced.
            let measured = curve(|row| row.measured);
            let middle = middle(&measured)?;
            let measured_bytes = crossing(&measured, middle)?;
            let predicted_bytes = crossing(&curve(|row| row.predicted), middle)?;
            let error_percent = error_percent(predicted_bytes, measured_bytes);
            Some(Cliff { experiment: experiment.name, measured_bytes, predicted_bytes, error_percent })
        })
        .collect()
}

/// Halfway down, on a logarithmic scale.
fn middle(curve: &[(f64, f64)]) -> Option<f64> {
    let (first, last) = (curve.first()?.1, curve.last()?.1);
    (first > 0.0 && last > 0.0).then(|| (first * last).sqrt())
}

/// Where a curve falls through a figure: between the two points around it, straight on logarithmic scales.
fn crossing(curve: &[(f64, f64)], figure: f64) -> Option<f64> {
    let pair = curve.windows(2).find(|pair| pair[0].1 >= figure && pair[1].1 < figure)?;
    let [(from, high), (to, low)] = [pair[0], pair[1]];
    let down = libm::log(high / figure) / libm::log(high / low);
    Some(from * libm::pow(to / from, down))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn row(experiment: &'static str, mib: u64, measured: f64, predicted: f64, label: Label) -> FsRow {
        let experiment = EXPERIMENTS.iter().find(|known| known.name == experiment).unwrap();
        let mut point = experiment.points(true)[0].clone();
        point.file_size = petrio_units::Bytes::from_mib(mib);
        let mut row = FsRow::new(experiment, &point, Spread::of([measured]).unwrap(), predicted);
        row.label = label;
        row
    }

    #[test]
    fn only_rows_of_one_worth_are_summed_up_together() {
        let rows = [
            row("sequential-read", 1, 100.0, 108.0, Label::Predicted),
            row("sequential-read", 2, 100.0, 70.0, Label::Predicted),
            row("sequential-read", 4, 100.0, 101.0, Label::Interpolated),
        ];
        let found = summaries(&rows);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].rows, found[0].within_aim, found[1].rows), (2, 1, 1));
        assert!((found[0].worst_error_percent - 30.0).abs() < 1e-9);
        assert!((found[0].median_error_percent - 19.0).abs() < 1e-9);
        assert!((found[1].median_error_percent - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_cliff_is_where_the_curve_falls_through_the_middle_of_what_was_measured() {
        let at = |mib, measured, predicted| row("memory-cliff", mib, measured, predicted, Label::Predicted);
        // Measured: 10,000 to 100, so through 1,000 halfway between 200 and 300 MiB on logarithmic scales.
        let rows = [at(100, 1e4, 1e4), at(200, 1e4, 1e4), at(300, 1e2, 1e4), at(400, 1e2, 1e2)];
        let found = cliffs(&rows);
        let mib = |bytes: f64| bytes / 1_048_576.0;
        assert!((mib(found[0].measured_bytes) - (200.0f64 * 300.0).sqrt()).abs() < 0.01);
        assert!((mib(found[0].predicted_bytes) - (300.0f64 * 400.0).sqrt()).abs() < 0.01);
        assert!(cliffs(&[at(100, 1e4, 1e4), at(200, 1e4, 1e4)]).is_empty(), "a plain has no cliff");
    }
}
