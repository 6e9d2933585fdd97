//! Hyper-Erlang distributions: which branches, of how many phases each?
//!
//! Source: Thümmler, Buchholz and Telek, "A novel approach for phase-type fitting with the EM algorithm", IEEE TDSC 3
//! (2006): EM for each way to share the phases among branches, and the likeliest of them. Here with up to four
//! branches.

use super::points::Points;
use super::stages::{FittedStage, Kind, Prepared};

/// More branches have hardly been seen to gain anything.
const BRANCHES_MAX: usize = 4;

/// The likeliest branches with so many phases in all, and the mean log-likelihood.
pub(super) fn fit_hyper_erlang(coarse: &Points, fine: &Points, phases: u32) -> (Vec<FittedStage>, f64) {
    let mut stages = likeliest(coarse, partitions(phases, phases, BRANCHES_MAX));
    let prepared = Prepared::new(fine, &stages);
    prepared.em(&mut stages, Kind::FixedShapes, 500, 1e-9);
    let value = prepared.log_likelihood(&stages);
    stages.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    (stages, value)
}

/// A beginning for gamma stages without offsets: the likeliest so many branches of eight phases in all, if there can
/// be.
pub(super) fn beginning(coarse: &Points, branches: usize) -> Option<Vec<FittedStage>> {
    const PHASES: u32 = 8;
    let mut shares = partitions(PHASES, PHASES, BRANCHES_MAX);
    shares.retain(|shares| shares.len() == branches);
    (!shares.is_empty()).then(|| likeliest(coarse, shares))
}

fn likeliest(coarse: &Points, partitions: Vec<Vec<u32>>) -> Vec<FittedStage> {
    let mut best: Option<(Vec<FittedStage>, f64)> = None;
    for shares in partitions {
        let branches = shares.len();
        let mut stages: Vec<FittedStage> = (0..branches)
            .map(|j| {
                // More phases are narrower; they begin lower in the data, and the wide ones take the tail.
                let shape = f64::from(shares[j]);
                let mean = coarse.quantile((j as f64 + 0.5) / branches as f64).max(coarse.resolution);
                FittedStage { weight: 1.0 / branches as f64, shape, scale: mean / shape, offset: 0.0 }
            })
            .collect();
        let value = Prepared::new(coarse, &stages).em(&mut stages, Kind::FixedShapes, 400, 1e-8);
        if best.as_ref().is_none_or(|(_, reached)| value > *reached) {
            best = Some((stages, value));
        }
    }
    best.map(|(stages, _)| stages).unwrap_or_default()
}

/// The same branches, fitted to other points from where they are.
pub(super) fn refit(points: &Points, stages: &[FittedStage]) -> Vec<FittedStage> {
    let mut stages = stages.to_vec();
    Prepared::new(points, &stages).em(&mut stages, Kind::FixedShapes, 200, 1e-8);
    stages
}

/// The ways to write a number as a sum of at most `parts` numbers, none larger than `largest`, in descending order.
fn partitions(number: u32, largest: u32, parts: usize) -> Vec<Vec<u32>> {
    if number == 0 {
        return vec![vec![]];
    }
    if parts == 0 {
        return vec![];
    }
    (1..=largest.min(number))
        .rev()
        .flat_map(|first| {
            partitions(number - first, first, parts - 1).into_iter().map(move |mut rest| {
                rest.insert(0, first);
                rest
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::partitions;

    #[test]
    fn eight_phases_make_fifteen_ways_with_up_to_four_branches() {
        // Partitions of 8 into 1, 2, 3 and 4 parts: 1 + 4 + 5 + 5.
        assert_eq!(partitions(8, 8, 4).len(), 15);
        assert!(partitions(8, 8, 4).iter().all(|parts| parts.iter().sum::<u32>() == 8));
    }
}
