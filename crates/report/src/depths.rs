//! How many accesses a workload's processes had in flight at each submission, as fio counts them (`iodepth_level` of its JSON, "IO depths" on
//! the screen): with the one that is submitted, those that are done and not taken back yet, and those that go to the kernel in the same call.

use crate::figure::figures;
use petrio_page::numbers::per_cent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where fio's classes begin (io_u.c, `io_u_mark_depth`): each goes up to the next, the last without end.
const CLASSES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Parts of the submissions that are left out of the line: while a process begins, it has fewer in flight.
const SELDOM: f64 = 0.005;

/// The depths of a workload's submissions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DepthFigures {
    /// The workload.
    pub workload: String,
    /// Reads and writes that were submitted in the measured part of the run, in all replications together.
    pub submitted: u64,
    /// How many were in flight on average at a submission, this one among them.
    pub mean: f64,
    /// Which parts of the submissions found 1, 2 to 3, 4 to 7, 8 to 15, 16 to 31, 32 to 63, and 64 or more, 0 to 1.
    pub shares: [f64; CLASSES.len()],
}

figures! { DepthFigures:
    submitted => "submitted" One Neither;
    mean => "mean" One Neither;
    shares = |depths: &Self| depths.shares[0], "The part of the submissions that found 1 in flight."
        => "share from 1" One Neither;
    shares = |depths: &Self| depths.shares[1], "The part of the submissions that found 2 or 3 in flight."
        => "share from 2" One Neither;
    shares = |depths: &Self| depths.shares[2], "The part of the submissions that found 4 to 7 in flight."
        => "share from 4" One Neither;
    shares = |depths: &Self| depths.shares[3], "The part of the submissions that found 8 to 15 in flight."
        => "share from 8" One Neither;
    shares = |depths: &Self| depths.shares[4], "The part of the submissions that found 16 to 31 in flight."
        => "share from 16" One Neither;
    shares = |depths: &Self| depths.shares[5], "The part of the submissions that found 32 to 63 in flight."
        => "share from 32" One Neither;
    shares = |depths: &Self| depths.shares[6], "The part of the submissions that found 64 or more in flight."
        => "share from 64" One Neither;
}

impl DepthFigures {
    /// In a line: "reader: 30.5 in flight on average; 16–31 at 6.2 % of the submissions, 32–63 at 93.8 %". What was seldom isn't told.
    pub fn sentence(&self) -> String {
        let mut parts = Vec::new();
        for (place, share) in self.shares.iter().enumerate().filter(|(_, share)| **share >= SELDOM) {
            let class = match (CLASSES[place], CLASSES.get(place + 1)) {
                (from, None) => format!("{from} and more"),
                (1, _) => "1".to_owned(),
                (from, Some(next)) => format!("{from}–{}", next - 1),
            };
            let of = if parts.is_empty() { " of the submissions" } else { "" };
            parts.push(format!("{class} at {}{of}", per_cent(*share)));
        }
        format!("{}: {:.1} in flight on average; {}", self.workload, self.mean, parts.join(", "))
    }

    /// The rows of several runs as one.
    pub(super) fn together(rows: &[&Self]) -> Option<Self> {
        let submitted: u64 = rows.iter().map(|row| row.submitted).sum();
        let of_all = |figure: &dyn Fn(&Self) -> f64| {
            rows.iter().map(|row| figure(row) * row.submitted as f64).sum::<f64>() / submitted.max(1) as f64
        };
        let mut shares = [0.0; CLASSES.len()];
        for (place, share) in shares.iter_mut().enumerate() {
            *share = of_all(&|row| row.shares[place]);
        }
        let workload = rows.first()?.workload.clone();
        Some(Self { workload, submitted, mean: of_all(&|row| row.mean), shares })
    }
}

/// Counts them, by workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Depths(Vec<Counted>);

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    submitted: u64,
    sum: u64,
    classes: [u64; CLASSES.len()],
}

impl Depths {
    /// A process submits an access with so many in flight.
    #[inline]
    pub(super) fn record(&mut self, workload: usize, depth: u32) {
        if depth == 0 {
            return;
        }
        if self.0.len() <= workload {
            self.0.resize(workload + 1, Counted::default());
        }
        let counted = &mut self.0[workload];
        counted.submitted += 1;
        counted.sum += u64::from(depth);
        counted.classes[(depth.ilog2() as usize).min(CLASSES.len() - 1)] += 1;
    }

    /// What they came to, of workloads that ever had several in flight.
    pub(super) fn figures(&self, names: &[String]) -> Vec<DepthFigures> {
        let figures = |(row, counted): (usize, &Counted)| {
            let Counted { submitted, sum, classes } = counted;
            (*submitted > classes[0]).then(|| DepthFigures {
                workload: names.get(row).cloned().unwrap_or_default(),
                submitted: *submitted,
                mean: *sum as f64 / *submitted as f64,
                shares: classes.map(|count| count as f64 / *submitted as f64),
            })
        };
        self.0.iter().enumerate().filter_map(figures).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_fios_and_shares_come_to_one() {
        let mut depths = Depths::default();
        for depth in [0, 1, 2, 3, 4, 7, 8, 31, 32, 63, 64, 1000] {
            depths.record(1, depth);
        }
        let names = ["a".to_owned(), "b".to_owned()];
        let figures = depths.figures(&names);
        assert_eq!(figures.len(), 1);
        assert_eq!(figures[0].submitted, 11);
        let counts = figures[0].shares.map(|share| (share * 11.0).round() as u32);
        assert_eq!(counts, [1, 2, 2, 1, 1, 2, 2]);
        assert!((figures[0].shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let twice = DepthFigures::together(&[&figures[0], &figures[0]]);
        assert_eq!(twice.map(|both| (both.submitted, both.shares)), Some((22, figures[0].shares)));
        let mut alone = Depths::default();
        alone.record(0, 1);
        assert!(alone.figures(&names).is_empty(), "one at a time is nothing to tell");
    }
}
