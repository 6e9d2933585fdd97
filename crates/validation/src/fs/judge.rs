//! Which predictions hold.
//!
//! A row is held to its experiment's aim where its prediction is one: what a calibration has timed proves nothing. A
//! prediction within the range of what was measured can't be called wrong.

use super::experiment::EXPERIMENTS;
use super::label::Label;
use super::row::{CLIFF_AIM_PERCENT, Cliff, FsRow};
use crate::verdict::Judged;
use petrio_units::Bytes;

/// Experiments of which rows are known to miss their aim: by how much they may, per cent, and why
/// (validation/file-systems/README.md).
const KNOWN: [(&str, f64, &str); 7] = [
    (
        "sequential-read",
        25.0,
        "how much the processor's last cache holds differs from one calibration to the next",
    ),
    ("overwrite", 35.0, "how much the processor's last cache holds differs from one calibration to the next"),
    (
        "new-file",
        300.0,
        "a virtual machine's host may have to find the memory first, which takes up to ten times as long",
    ),
    ("full-journal", 15.0, "the smallest file goes at the speed of memory"),
    ("memory-cliff", 50.0, "before the cliff it goes at the speed of memory, with one run a point"),
    (
        "dirty-cliff",
        45.0,
        "behind the cliff the kernel leaves its writer fewer unwritten pages than its control law here",
    ),
    ("captured", 20.0, "writes that stay in memory"),
];

/// The same of cliffs' places.
const CLIFFS_KNOWN: [(&str, f64, &str); 1] =
    [("dirty-cliff", 8.0, "the kernel leaves its writer fewer unwritten pages than its control law here")];

fn known(list: &[(&str, f64, &'static str)], experiment: &str) -> Option<(f64, &'static str)> {
    list.iter().find(|(name, ..)| *name == experiment).map(|&(_, may, reason)| (may, reason))
}

impl FsRow {
    /// Beside its bound, where it counts.
    pub fn judged(&self) -> Option<Judged> {
        if self.label != Label::Predicted {
            return None;
        }
        let aim = EXPERIMENTS.iter().find(|known| known.name == self.experiment)?.aim_percent;
        let within = (self.measured_least..=self.measured_greatest).contains(&self.predicted);
        let bound = if within { aim.max(self.error_percent.abs()) } else { aim };
        let (file, record) = (Bytes(self.file_size_bytes), Bytes(self.record_bytes));
        let what = format!("{}, {file} by {record}", self.experiment);
        Some(Judged::percent(what, self.error_percent, bound, known(&KNOWN, self.experiment)))
    }
}

impl Cliff {
    /// Its place beside its bound.
    pub fn judged(&self) -> Judged {
        let what = format!("{}, the place of the cliff", self.experiment);
        let known = known(&CLIFFS_KNOWN, self.experiment);
        Judged::percent(what, self.error_percent, CLIFF_AIM_PERCENT, known)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::Clock;
    use super::*;
    use crate::verdict::Judgement;

    fn row(experiment: &'static str, range: (f64, f64), predicted: f64) -> FsRow {
        let measured = (range.0 + range.1) / 2.0;
        FsRow {
            experiment,
            journal: "ordered",
            file_size_bytes: 1 << 20,
            record_bytes: 1 << 12,
            label: Label::Predicted,
            clock: Clock::Wall,
            unit: "MiB/s",
            measured,
            measured_least: range.0,
            measured_greatest: range.1,
            repetitions: 5,
            predicted,
            error_percent: 100.0 * (predicted / measured - 1.0),
        }
    }

    #[test]
    fn a_row_that_misses_its_aim_is_told_apart_from_one_that_is_known_to() {
        let verdict = |row: &FsRow| row.judged().map(|judged| judged.verdict);
        assert_eq!(verdict(&row("throttled-read", (99.0, 101.0), 109.0)), Some(Judgement::Holds));
        assert_eq!(verdict(&row("throttled-read", (99.0, 101.0), 111.0)), Some(Judgement::Misses));
        assert_eq!(
            verdict(&row("throttled-read", (80.0, 120.0), 119.0)),
            Some(Judgement::Holds),
            "as measured"
        );
        assert_eq!(verdict(&row("captured", (99.0, 101.0), 85.0)), Some(Judgement::KnownToMiss));
        assert_eq!(verdict(&row("captured", (99.0, 101.0), 79.0)), Some(Judgement::Misses), "it got worse");
        let interpolated =
            FsRow { label: Label::Interpolated, ..row("throttled-read", (99.0, 101.0), 200.0) };
        assert_eq!(verdict(&interpolated), None);
    }

    #[test]
    fn what_is_known_to_miss_is_an_experiment_and_may_miss_by_more_than_its_aim() {
        for (name, may, _) in KNOWN {
            assert!(EXPERIMENTS.iter().any(|known| known.name == name && may > known.aim_percent), "{name}");
        }
        for (name, may, _) in CLIFFS_KNOWN {
            assert!(
                EXPERIMENTS.iter().any(|known| known.name == name && known.cliff) && may > CLIFF_AIM_PERCENT
            );
        }
    }
}
