//! Which orderings the paper's tables show, and whether ours show them too.
//!
//! Two rows of one file system are in order where one is faster by more than the paper's own figures leave open:
//! turnarounds whose means lie closer together than [`CLOSE`] are a tie in the paper, and nothing is claimed of them.
//! The orderings are of the policies at the same number of copies, and of the numbers of copies under the same policy.

use super::paper::{FileSystem, IvyPolicy};
use super::run::IvyRow;
use serde::Serialize;

/// Means of the paper that differ by less than this part are a tie: of its 10⁴ to 10⁵ requests with standard deviations
/// as large as the means, one mean is known to about 0.5 %, and a difference to 1 %.
pub const CLOSE: f64 = 0.01;

/// An ordering of the paper's.
#[derive(Clone, Debug, Serialize)]
pub struct Ordering {
    /// The file system.
    pub file_system: FileSystem,
    /// Of which turnaround: `read` or `write`.
    pub of: &'static str,
    /// The faster one.
    pub faster: (IvyPolicy, u32),
    /// The slower one.
    pub slower: (IvyPolicy, u32),
    /// The paper's means in milliseconds, the faster first.
    pub paper_ms: (f64, f64),
    /// Ours.
    pub simulated_ms: (f64, f64),
    /// Whether ours are in the same order.
    pub holds: bool,
}

/// All orderings of the tables.
pub fn orderings(rows: &[IvyRow]) -> Vec<Ordering> {
    let mut found = Vec::new();
    for (index, a) in rows.iter().enumerate() {
        for b in &rows[index + 1..] {
            let alike = a.file_system == b.file_system && (a.copies == b.copies) != (a.policy == b.policy);
            if !alike || a.copies == 1 && b.copies == 1 {
                continue;
            }
            for (of, figure) in [("read", read as fn(&IvyRow) -> (f64, f64)), ("write", write)] {
                let (faster, slower) = if figure(a).1 <= figure(b).1 { (a, b) } else { (b, a) };
                let ((ours_faster, paper_faster), (ours_slower, paper_slower)) =
                    (figure(faster), figure(slower));
                if paper_slower / paper_faster - 1.0 < CLOSE {
                    continue;
                }
                found.push(Ordering {
                    file_system: a.file_system,
                    of,
                    faster: (faster.policy, faster.copies),
                    slower: (slower.policy, slower.copies),
                    paper_ms: (paper_faster, paper_slower),
                    simulated_ms: (ours_faster, ours_slower),
                    holds: ours_faster < ours_slower,
                });
            }
        }
    }
    found
}

fn read(row: &IvyRow) -> (f64, f64) {
    (row.simulated.read.0, row.paper.read.0)
}

fn write(row: &IvyRow) -> (f64, f64) {
    (row.simulated.write.0, row.paper.write.0)
}
