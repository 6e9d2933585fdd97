//! The shapes of the dissertation's curves over the size of records: where the knee of the second-level cache shows
//! (its figures 31 and 32, cached reads and asynchronous writes), and where slow I/O hides it (figures 39 and 40, full
//! journal and O_SYNC).
//!
//! Its curves are pictures without numbers, so only shapes are compared. The machine's costs are those of the
//! catalogue, unfitted.

use super::dissertation::{DEFAULT, DissertationError, kb_per_s};
use crate::verdict::Judged;
use serde::Serialize;

/// Records, KiB: the knee of a cache of 512 KiB lies at 64.
pub const RECORDS_KIB: [u64; 7] = [4, 16, 64, 128, 256, 1_024, 4_096];
/// How many of them lie up to the knee.
const BEFORE_KNEE: usize = 3;

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// The dissertation's figure.
    pub figure: u32,
    /// What it shows.
    pub what: &'static str,
    /// Whether the knee shows there.
    pub knee_expected: bool,
    /// KB (1024 bytes) a second for each of [`RECORDS_KIB`].
    pub kb_per_s: Vec<f64>,
    /// How much the longest records lose against the best up to the knee, per cent.
    pub loss_percent: f64,
}

/// The knee shows where the longest records lose more than this, per cent.
pub const KNEE_PERCENT: f64 = 3.0;

impl Shape {
    /// Whether the knee shows where it should, and nowhere else.
    pub fn judged(&self) -> Judged {
        let what = format!("figure {}, {}", self.figure, self.what);
        let (what, error) = match self.knee_expected {
            // What is missing of the loss that makes a knee.
            true => (format!("{what}: missing of a knee"), (KNEE_PERCENT - self.loss_percent).max(0.0)),
            false => (format!("{what}: loss behind no knee"), self.loss_percent.max(0.0)),
        };
        let bound = if self.knee_expected { 0.0 } else { KNEE_PERCENT };
        Judged::percent(what, error, bound, None)
    }
}

struct Curve {
    figure: u32,
    what: &'static str,
    knee: bool,
    journal: &'static str,
    workload: &'static str,
}

const CURVES: [Curve; 4] = [
    Curve {
        figure: 31,
        what: "cached reads",
        knee: true,
        journal: "ordered",
        workload: "operation = \"read\"\nfile_size = \"64 MiB\"\ncached = true",
    },
    Curve {
        figure: 32,
        what: "asynchronous writes",
        knee: true,
        journal: "ordered",
        workload: "operation = \"write\"\nfile_size = \"64 MiB\"\ntiming = \"accesses\"",
    },
    Curve {
        figure: 39,
        what: "writes, full journal",
        knee: false,
        journal: "journal",
        workload: "operation = \"write\"\nfile_size = \"256 MiB\"\nfsync = \"at-end\"",
    },
    Curve {
        figure: 40,
        what: "writes, O_SYNC",
        knee: false,
        journal: "ordered",
        workload: "operation = \"write\"\nfile_size = \"16 MiB\"\nsync = true",
    },
];

/// Predicts the four curves.
///
/// # Errors
/// As of [`DissertationError`]: bugs.
pub fn shapes() -> Result<Vec<Shape>, DissertationError> {
    CURVES.iter().map(shape).collect()
}

fn shape(curve: &Curve) -> Result<Shape, DissertationError> {
    let points = RECORDS_KIB.iter().map(|record| {
        let workload = format!("record = \"{record} KiB\"\n{}", curve.workload);
        kb_per_s(DEFAULT, "", curve.journal, &workload)
    });
    let kb_per_s = points.collect::<Result<Vec<f64>, _>>()?;
    let best = kb_per_s[..BEFORE_KNEE].iter().copied().fold(0.0, f64::max);
    let last = kb_per_s.last().copied().unwrap_or(0.0);
    Ok(Shape {
        figure: curve.figure,
        what: curve.what,
        knee_expected: curve.knee,
        kb_per_s,
        loss_percent: (1.0 - last / best) * 100.0,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_knee_shows_where_memory_sets_the_pace_and_nowhere_else() {
        for shape in shapes().unwrap() {
            let shows = shape.loss_percent > KNEE_PERCENT;
            assert_eq!(shows, shape.knee_expected, "figure {}: {:?}", shape.figure, shape.kb_per_s);
        }
    }
}
