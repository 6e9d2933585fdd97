//! Whether the tables agree with the paper's: reductions at two and three copies, of reads and of writes.
//!
//! What is compared is by how much turnaround falls against one copy, because the made-up traces are tuned to one copy
//! alone. A reduction should lie within six percentage points of the paper's.

use super::orderings::Ordering;
use super::paper::{FileSystem, IvyPolicy};
use super::run::IvyRow;
use crate::verdict::{Judged, Judgement};
use serde::Serialize;

/// A reduction may lie so many percentage points from the paper's.
pub const POINTS: f64 = 6.0;

/// Which turnaround.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

/// A reduction beside the paper's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The file system.
    pub file_system: FileSystem,
    /// The policy.
    pub policy: IvyPolicy,
    /// Copies, or disks.
    pub copies: u32,
    /// Of what.
    pub of: Of,
    /// By how much turnaround falls against one copy, per cent: ours and the paper's.
    pub reduction_percent: (f64, f64),
    /// How it is judged.
    pub verdict: Judgement,
    /// Why it misses, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Agreement {
    /// Ours less the paper's, in percentage points.
    pub fn off_points(&self) -> f64 {
        self.reduction_percent.0 - self.reduction_percent.1
    }
}

/// What is known to miss: how far it may, in percentage points, and why (validation/ivy/README.md).
const KNOWN: [PaperOrdering; 10] = {
    use FileSystem::{CelloRoot, CelloUsers, TriangleRoot};
    use IvyPolicy::{CutBack, CutBackRandom, ReadOneWriteAll};
    [
        ((CelloRoot, ReadOneWriteAll, 3, Of::Reads), 9.0, BEHIND_WRITES),
        ((CelloRoot, ReadOneWriteAll, 2, Of::Writes), 26.0, BEHIND_READS),
        ((CelloRoot, ReadOneWriteAll, 3, Of::Writes), 32.0, BEHIND_READS),
        ((CelloUsers, ReadOneWriteAll, 2, Of::Writes), 12.0, BEHIND_READS),
        ((CelloUsers, ReadOneWriteAll, 3, Of::Writes), 15.0, BEHIND_READS),
        ((CelloRoot, CutBack, 2, Of::Writes), 8.0, BEHIND_READS),
        ((CelloRoot, CutBack, 3, Of::Writes), 8.0, BEHIND_READS),
        ((CelloRoot, CutBackRandom, 2, Of::Writes), 20.0, BEHIND_READS),
        ((CelloRoot, CutBackRandom, 3, Of::Writes), 24.0, BEHIND_READS),
        ((TriangleRoot, CutBackRandom, 2, Of::Writes), 8.0, SPREAD),
    ]
};

const BEHIND_READS: &str = "about half of what a write of Cello finds before it must be reads, by the paper's own queues, and the \
    made-up trace has hardly any there";
const BEHIND_WRITES: &str = "the made-up trace's reads of Cello / meet more writes than the paper's";
const SPREAD: &str =
    "two copies spread the made-up trace's writes as far as three do, which in the paper takes more copies";

/// A file system, a policy, copies, of what; points; the reason.
type PaperOrdering = ((FileSystem, IvyPolicy, u32, Of), f64, &'static str);

/// The reductions at two and three copies, reads before writes.
pub fn agreements(rows: &[IvyRow]) -> Vec<Agreement> {
    let mut all = Vec::new();
    for of in [Of::Reads, Of::Writes] {
        for row in rows.iter().filter(|row| row.copies == 2 || row.copies == 3) {
            let &IvyRow { file_system, policy, copies, .. } = row;
            let reduction_percent = match of {
                Of::Reads => row.read_reduction_percent,
                Of::Writes => row.write_reduction_percent,
            };
            let known = KNOWN.iter().find(|(what, ..)| *what == (file_system, policy, copies, of));
            let off = reduction_percent.0 - reduction_percent.1;
            let verdict = Judgement::of(off, POINTS, known.map(|known| known.1));
            let reason = known.filter(|_| verdict != Judgement::Holds).map(|known| known.2);
            all.push(Agreement { file_system, policy, copies, of, reduction_percent, verdict, reason });
        }
    }
    all
}

/// The part of orderings and of reductions that must be the paper's.
const SHARE: f64 = 0.9;
/// How many of the 22 reductions of writes lack of that, and why.
const WRITES_KNOWN: (f64, &str) = (7.0, BEHIND_READS);

/// What the tables come to: shares of orderings and of reductions, each as a whole, and single reductions that are farther off
/// than they are known to be.
pub fn judged(orderings: &[Ordering], agreements: &[Agreement]) -> Vec<Judged> {
    let mut judged = Vec::new();
    for (of, word, known) in [(Of::Reads, "read", None), (Of::Writes, "write", Some(WRITES_KNOWN))] {
        let all = || orderings.iter().filter(|one| one.of == word);
        let held = all().filter(|one| one.holds).count();
        judged.push(Judged::share(format!("orderings of {word}s"), (held, all().count()), SHARE, None));
        let all = || agreements.iter().filter(|one| one.of == of);
        let held = all().filter(|one| one.verdict == Judgement::Holds).count();
        let what = format!("reductions of {word}s within {POINTS:.0} points");
        judged.push(Judged::share(what, (held, all().count()), SHARE, known));
    }
    let worse = agreements.iter().filter(|one| one.verdict == Judgement::Misses);
    judged.extend(worse.map(|one| {
        let Agreement { file_system, policy, copies, of, reduction_percent: (ours, theirs), .. } = one;
        let what = format!("{}, {}, {copies} copies, {of:?}", file_system.name(), policy.name());
        let off = one.off_points().abs();
        let figures = format!(
            "a reduction of {ours:.1} %, the paper's {theirs:.1}: farther off than it is known to be"
        );
        Judged::at_most(what, figures, (off, POINTS), None)
    }));
    judged
}

/// By how many per cent the standard deviations of the rows lie from the paper's, at the median.
pub fn deviations_off_percent(rows: &[IvyRow], of: Of) -> f64 {
    let off = |row: &IvyRow| {
        let (ours, theirs) = match of {
            Of::Reads => (row.simulated.read.1, row.paper.read.1),
            Of::Writes => (row.simulated.write.1, row.paper.write.1),
        };
        (ours / theirs - 1.0).abs() * 100.0
    };
    let mut all: Vec<f64> = rows.iter().map(off).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}
