//! The figure of a parallel program: what each rank's time went for.

use super::{JobFigures, PARTS};
use petrio_page::figure::{Axis, Figure, Quantity, Series};
use petrio_page::numbers::per_cent;

/// Ranks of a figure.
const RANKS_MAX: usize = 32;
/// Colours of the parts, as causes of operations have them: computing as a system call's, messages as the network's.
const COLOURS: [usize; 6] = [7, 3, 6, 4, 1, 0];

/// A bar for each rank, of many ranks for every so many-th.
pub(super) fn ranks(job: &JobFigures) -> Option<Figure> {
    let every = job.ranks.len().div_ceil(RANKS_MAX).max(1);
    let shown: Vec<_> = job.ranks.iter().enumerate().step_by(every).collect();
    if shown.is_empty() || job.elapsed_s <= 0.0 {
        return None;
    }
    let words: Vec<String> =
        PARTS.iter().map(|(name, of)| format!("{name} {}", per_cent(job.part(of)))).collect();
    let mut figure = Figure::new(
        format!("{}: time of its ranks", job.workload),
        format!("What the time of {} ranks went for, on average: {}", job.ranks.len(), words.join(", ")),
        Axis::new("", Quantity::Duration).from(0.0),
        Axis::names("", shown.iter().map(|(number, rank)| format!("{number} ({})", rank.host)).collect()),
    );
    for ((name, of), colour) in PARTS.iter().zip(COLOURS) {
        let spans: Vec<f64> = shown.iter().map(|(_, rank)| of(rank)).collect();
        if spans.iter().any(|&span| span > 0.0) {
            figure.push(Series::stack(*name, spans).colour(colour));
        }
    }
    Some(figure)
}
