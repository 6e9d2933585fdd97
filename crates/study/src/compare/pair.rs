//! A measure of all who take part: their values, every pair's difference, and the order that follows.

use super::entrant::{Entrant, Origin};
use super::measure::Measure;
use super::statistics::{Difference, Method, Sample, holm};
use petrio_scenario::report::Estimate;
use serde::Serialize;

/// What a pair's difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The first is better.
    FirstBetter,
    /// The second is better.
    SecondBetter,
    /// There is one, too small to matter.
    TooSmall,
    /// None is shown.
    NoDifference,
    /// There is one, and single runs don't tell whether by chance.
    Untold,
}

/// Two who take part, by one measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The letter of the first.
    pub first: String,
    /// The letter of the second.
    pub second: String,
    /// Second against first.
    #[serde(flatten)]
    pub statistics: Difference,
    /// How likely so large a difference would be by chance, corrected by Holm for all pairs of this measure; where
    /// there are more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_holm: Option<f64>,
    /// What it says.
    pub outcome: Outcome,
}

/// A measure of all who take part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// Which.
    pub measure: Measure,
    /// The unit of its values.
    pub unit: &'static str,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// Their values, in their order; absent of those who don't have it.
    pub values: Vec<Option<Estimate>>,
    /// Every pair of those who have it.
    pub pairs: Vec<Pair>,
}

impl Compared {
    /// The pair of these letters, in this order.
    pub fn pair(&self, first: &str, second: &str) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.first == first && pair.second == second)
    }
}

fn samples(entrants: &[Entrant], measure: &Measure) -> Vec<Option<Sample>> {
    // Whoever has nothing random stands beside each replication of those who have.
    let count =
        entrants.iter().filter(|entrant| entrant.origin == Origin::Simulated).map(Entrant::replications);
    let count = count.max().unwrap_or(1);
    entrants.iter().map(|entrant| entrant.sample(measure, count)).collect()
}

fn differences(
    entrants: &[Entrant],
    samples: &[Option<Sample>],
    level: f64,
) -> Vec<(usize, usize, Difference)> {
    let mut found = Vec::new();
    for (second, sample) in samples.iter().enumerate() {
        for (first, earlier) in samples[..second].iter().enumerate() {
            if let (Some(earlier), Some(sample)) = (earlier, sample) {
                let simulated = |index: usize| entrants[index].origin == Origin::Simulated;
                let paired = simulated(first) && simulated(second);
                found.push((first, second, Difference::between(earlier, sample, paired, level)));
            }
        }
    }
    found.sort_by_key(|(first, second, _)| (*first, *second));
    found
}

/// The widest interval of the ratios of all pairs, its half as a part of the ratio; none where nothing has an interval.
pub(super) fn widest(entrants: &[Entrant], measure: &Measure, level: f64) -> Option<f64> {
    let samples = samples(entrants, measure);
    let widths = differences(entrants, &samples, level).into_iter().filter_map(|(first, _, difference)| {
        let scale = samples[first].as_ref()?.mean().abs();
        match difference.ratio {
            Some(ratio) => ratio.half_width().map(|width| width / ratio.value),
            None => difference.difference.half_width.map(|width| width / scale),
        }
    });
    widths.reduce(f64::max)
}

/// Compares all by a measure, with intervals of a level; a ratio of two that is nearer to one than `relevant` is too small
/// a difference to matter.
pub(super) fn compared(entrants: &[Entrant], measure: Measure, level: f64, relevant: f64) -> Compared {
    let samples = samples(entrants, &measure);
    let differences = differences(entrants, &samples, level);
    let p: Vec<f64> = differences.iter().filter_map(|(_, _, difference)| difference.p()).collect();
    let mut corrected = holm(&p).into_iter();
    let several = differences.len() > 1;
    let more_is_better = measure.more_is_better();
    let pairs = differences
        .into_iter()
        .map(|(first, second, statistics)| {
            let p_holm = statistics.p().and_then(|_| corrected.next());
            let larger = statistics.difference.value > 0.0;
            let outcome = match p_holm {
                None if statistics.difference.value == 0.0 => Outcome::NoDifference,
                None => Outcome::Untold,
                Some(p) if p > 1.0 - level || statistics.difference.value == 0.0 => Outcome::NoDifference,
                Some(_) if is_too_small(&statistics, relevant) => Outcome::TooSmall,
                Some(_) if larger == more_is_better => Outcome::SecondBetter,
                Some(_) => Outcome::FirstBetter,
            };
            Pair {
                first: entrants[first].letter.clone(),
                second: entrants[second].letter.clone(),
                p_holm: p_holm.filter(|_| several && statistics.method != Method::Exact),
                statistics,
                outcome,
            }
        })
        .collect();
    let values = samples.iter().map(|sample| sample.as_ref().map(|sample| sample.estimate(level))).collect();
    Compared { unit: measure.base_unit(), more_is_better, measure, values, pairs }
}

fn is_too_small(statistics: &Difference, relevant: f64) -> bool {
    statistics.ratio.is_some_and(|ratio| (ratio.value - 1.0).abs() < relevant)
}

/// The best first. Each stands behind all who are shown to be better than it; who has the same number of these shares a
/// place.
pub(super) fn order(entrants: &[Entrant], headline: Option<&Compared>) -> Vec<Vec<String>> {
    let Some(headline) = headline else { return Vec::new() };
    let better_than = |letter: &str| {
        let beaten = |pair: &&Pair| {
            (pair.outcome == Outcome::FirstBetter && pair.second == letter)
                || (pair.outcome == Outcome::SecondBetter && pair.first == letter)
        };
        headline.pairs.iter().filter(beaten).count()
    };
    let mut places: Vec<(usize, Vec<String>)> = Vec::new();
    for entrant in entrants {
        let behind = better_than(&entrant.letter);
        match places.iter_mut().find(|(known, _)| *known == behind) {
            Some((_, group)) => group.push(entrant.letter.clone()),
            None => places.push((behind, vec![entrant.letter.clone()])),
        }
    }
    places.sort_by_key(|(behind, _)| *behind);
    places.into_iter().map(|(_, group)| group).collect()
}
