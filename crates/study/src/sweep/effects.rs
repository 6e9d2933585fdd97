//! What rows say of keys: which cases are best, what each key's values do at the mean over all others, and which keys act together.
//!
//! With the same random numbers in all cases, what a value changes is seen replication by replication: an interval is that of the mean of
//! these differences. Shares are of the variance between the cases' means (D. C. Montgomery, *Design and Analysis of Experiments*, chapter 5):
//! how much of it is there because of this key alone, or of two together beyond what each does alone.

use super::design::Design;
use super::factor::Values;
use super::indices::{SobolIndex, indices};
use super::{SweepResults, run_command, settings};
use crate::compare::Measure;
use petrio_kernel::statistics::{Interval, Tally};
use petrio_units::Measured;
use serde::Serialize;
use std::collections::BTreeMap;

/// Values of a range are told in so many groups of equally many.
const GROUPS: usize = 5;
/// Two keys that act together for less of the variance aren't worth a word.
const WORTH_NAMING: f64 = 0.01;

/// A case with what its replications gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Its number.
    pub case: u64,
    /// The value of each key.
    pub values: Vec<String>,
    /// The mean of its replications.
    pub mean: f64,
    /// Half the interval of that; nothing of a single one.
    pub half_width: Option<f64>,
    /// The stage that was busy for most of the time, and for which part of it, 0 to 1.
    pub busiest: Option<(String, f64)>,
    /// One for each replication.
    #[serde(skip)]
    pub replications: Vec<f64>,
    /// What to check before it is trusted.
    pub warnings: Vec<String>,
}

/// What a value of a key does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// The value, or the first and the last of a group.
    pub value: String,
    /// Where it lies among the values: their base unit, or its place in the list.
    pub at: f64,
    /// How many cases have it.
    pub cases: u64,
    /// The mean of these.
    pub mean: f64,
    /// Half the interval of what it differs by from the mean of all.
    pub half_width: Option<f64>,
}

/// What a key does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// The key.
    pub path: String,
    /// Its values, in their order.
    pub levels: Vec<Level>,
    /// From the value with the worst mean to that with the best, by which part the figure changes.
    pub change: f64,
    /// Half the interval of that.
    pub half_width: Option<f64>,
    /// The best value and the worst, as numbers of `levels`.
    pub best: usize,
    /// See `best`.
    pub worst: usize,
    /// Which part of the variance between cases it makes alone, 0 to 1.
    pub share: f64,
}

/// Two keys that act together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interaction {
    /// One key.
    pub first: String,
    /// The other.
    pub second: String,
    /// Which part of the variance between cases they make together, beyond what each does alone, 0 to 1.
    pub share: f64,
}

/// What rows say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// By which measure.
    pub measure: Measure,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// The level of intervals.
    pub confidence: f64,
    /// The keys, in the order of the study.
    pub keys: Vec<String>,
    /// Cases that have rows, of how many numbers of cases.
    pub done: u64,
    /// See `done`.
    pub of: u64,
    /// Cases that lack the measure.
    pub without: u64,
    /// All cases, the best first.
    pub cases: Vec<Case>,
    /// What each key does, the strongest first.
    pub effects: Vec<Effect>,
    /// Which keys act together, the strongest first; where each value meets each other equally often.
    pub interactions: Vec<Interaction>,
    /// Sobol indices, where Saltelli's design was drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indices: Vec<SobolIndex>,
}

/// What the rows of a study say by one of its measures.
pub fn findings(results: &SweepResults, at: usize) -> Findings {
    let measure = results.measures[at].clone();
    let confidence = results.study.replications.confidence;
    let (mut cases, without) = cases(results, at, confidence);
    let factors = &results.study.factors;
    let groupings: Vec<Grouping> = factors
        .iter()
        .enumerate()
        .map(|(number, factor)| Grouping::of(&factor.values, number, &cases))
        .collect();
    let more_is_better = measure.more_is_better();
    let mut effects: Vec<Effect> = factors
        .iter()
        .zip(&groupings)
        .filter_map(|(factor, grouping)| effect(&factor.path, grouping, &cases, (confidence, more_is_better)))
        .collect();
    let balanced = results.study.design == Design::Grid;
    let mut interactions = if balanced { interactions(results, &groupings, &cases) } else { Vec::new() };
    let indices = match results.study.design {
        Design::Saltelli(_) => indices(results, &cases, confidence),
        _ => Vec::new(),
    };
    let descending = |one: f64, other: f64| other.partial_cmp(&one).unwrap_or(std::cmp::Ordering::Equal);
    effects.sort_by(|one, other| descending(one.share, other.share));
    interactions.sort_by(|one, other| descending(one.share, other.share));
    cases.sort_by(|one, other| {
        if more_is_better { descending(one.mean, other.mean) } else { descending(other.mean, one.mean) }
    });
    Findings {
        measure,
        more_is_better,
        confidence,
        keys: factors.iter().map(|factor| factor.path.clone()).collect(),
        done: cases.len() as u64 + without,
        of: results.cases.count(),
        without,
        cases,
        effects,
        interactions,
        indices,
    }
}

/// Cases by number, and how many lack the measure.
fn cases(results: &SweepResults, at: usize, confidence: f64) -> (Vec<Case>, u64) {
    let mut by_case: BTreeMap<u64, Vec<&super::Row>> = BTreeMap::new();
    for row in &results.rows {
        by_case.entry(row.case).or_default().push(row);
    }
    let all = by_case.len();
    let cases: Vec<Case> = by_case
        .into_iter()
        .filter_map(|(case, rows)| {
            let replications = rows
                .iter()
                .map(|row| row.figures.get(at).copied().flatten())
                .collect::<Option<Vec<f64>>>()?;
            let tally: Tally = replications.iter().copied().collect();
            let first = rows.first()?;
            let mut warnings: Vec<String> =
                rows.iter().flat_map(|row| row.warnings.iter().cloned()).collect();
            warnings.sort();
            warnings.dedup();
            Some(Case {
                case,
                values: first.values.clone(),
                mean: tally.mean(),
                half_width: half_width(&tally, confidence),
                busiest: first.busiest.clone().zip(first.utilisation),
                replications,
                warnings,
            })
        })
        .collect();
    let without = all - cases.len();
    (cases, without as u64)
}

fn half_width(tally: &Tally, confidence: f64) -> Option<f64> {
    Some(Interval::of(tally, confidence).half_width).filter(|half| half.is_finite())
}

/// To which group of values each case belongs.
struct Grouping {
    names: Vec<(String, f64)>,
    of_case: Vec<usize>,
}

impl Grouping {
    fn of(values: &Values, key: usize, cases: &[Case]) -> Self {
        match values {
            Values::Listed(values) => {
                let of = |case: &Case| {
                    values.iter().position(|value| *value == case.values[key]).unwrap_or_default()
                };
                let place = |(number, value): (usize, &String)| {
                    let base = Measured::read(value).map_or(number as f64, Measured::base);
                    (value.clone(), base)
                };
                Self {
                    names: values.iter().enumerate().map(place).collect(),
                    of_case: cases.iter().map(of).collect(),
                }
            }
            Values::Between { .. } => {
                let base = |case: &Case| Measured::read(&case.values[key]).map_or(0.0, Measured::base);
                let mut order: Vec<usize> = (0..cases.len()).collect();
                order.sort_by(|one, other| base(&cases[*one]).total_cmp(&base(&cases[*other])));
                let groups = GROUPS.min(cases.len());
                let mut of_case = vec![0; cases.len()];
                let mut names = Vec::new();
                for group in 0..groups {
                    let members = &order[group * order.len() / groups..(group + 1) * order.len() / groups];
                    let (Some(first), Some(last)) = (members.first(), members.last()) else { continue };
                    let middle =
                        members.iter().map(|case| base(&cases[*case])).sum::<f64>() / members.len() as f64;
                    members.iter().for_each(|case| of_case[*case] = names.len());
                    names.push((
                        format!("{} … {}", cases[*first].values[key], cases[*last].values[key]),
                        middle,
                    ));
                }
                Self { names, of_case }
            }
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.collect::<Tally>().mean()
}

pub(super) fn squared(value: f64) -> f64 {
    value * value
}

/// The sum of squares between the cases' means.
fn total(cases: &[Case]) -> f64 {
    let all = mean(cases.iter().map(|case| case.mean));
    cases.iter().map(|case| squared(case.mean - all)).sum()
}

/// The sum of squares between the means of groups.
fn between(cases: &[Case], groups: usize, of: impl Fn(usize) -> usize) -> f64 {
    let all = mean(cases.iter().map(|case| case.mean));
    let mut sums = vec![(0.0, 0_u64); groups];
    for (number, case) in cases.iter().enumerate() {
        let group = &mut sums[of(number)];
        *group = (group.0 + case.mean, group.1 + 1);
    }
    sums.iter()
        .filter(|(_, count)| *count > 0)
        .map(|(sum, count)| *count as f64 * squared(sum / *count as f64 - all))
        .sum()
}

fn effect(
    path: &str,
    grouping: &Grouping,
    cases: &[Case],
    (confidence, more): (f64, bool),
) -> Option<Effect> {
    let replications = cases.iter().map(|case| case.replications.len()).min()?;
    let all: Vec<f64> =
        (0..replications).map(|number| mean(cases.iter().map(|case| case.replications[number]))).collect();
    // Of each group the mean of each replication.
    let of_group = |group: usize| -> Vec<f64> {
        let members: Vec<&Case> = cases
            .iter()
            .zip(&grouping.of_case)
            .filter(|(_, of)| **of == group)
            .map(|(case, _)| case)
            .collect();
        (0..replications).map(|number| mean(members.iter().map(|case| case.replications[number]))).collect()
    };
    let groups: Vec<(usize, Vec<f64>)> = (0..grouping.names.len())
        .filter(|group| grouping.of_case.contains(group))
        .map(|group| (group, of_group(group)))
        .collect();
    let levels: Vec<Level> = groups
        .iter()
        .map(|(group, means)| {
            let differences: Tally = means.iter().zip(&all).map(|(here, all)| here - all).collect();
            let members = || cases.iter().zip(&grouping.of_case).filter(|(_, of)| *of == group);
            let (value, at) = grouping.names[*group].clone();
            Level {
                value,
                at,
                cases: members().count() as u64,
                mean: mean(members().map(|(case, _)| case.mean)),
                half_width: half_width(&differences, confidence),
            }
        })
        .collect();
    let by_mean = |one: &usize, other: &usize| levels[*one].mean.total_cmp(&levels[*other].mean);
    let (least, most) = ((0..levels.len()).min_by(by_mean)?, (0..levels.len()).max_by(by_mean)?);
    let (best, worst) = if more { (most, least) } else { (least, most) };
    let changes: Tally =
        groups[best].1.iter().zip(&groups[worst].1).map(|(best, worst)| best / worst - 1.0).collect();
    let (within, whole) =
        (between(cases, grouping.names.len(), |number| grouping.of_case[number]), total(cases));
    Some(Effect {
        path: path.to_owned(),
        change: levels[best].mean / levels[worst].mean - 1.0,
        half_width: half_width(&changes, confidence),
        levels,
        best,
        worst,
        share: if whole > 0.0 { within / whole } else { 0.0 },
    })
}

/// Keys that act together for more than a hundredth of the variance, and for more than chance makes of it.
fn interactions(results: &SweepResults, groupings: &[Grouping], cases: &[Case]) -> Vec<Interaction> {
    let whole = total(cases);
    // What replications leave uncertain of a case's mean.
    let noise = mean(cases.iter().filter_map(|case| {
        let tally: Tally = case.replications.iter().copied().collect();
        (tally.count() > 1).then(|| tally.variance() / tally.count() as f64)
    }));
    let mut found = Vec::new();
    for first in 0..groupings.len() {
        for second in 0..first {
            let (one, other) = (&groupings[second], &groupings[first]);
            let (ones, others) = (one.names.len(), other.names.len());
            let mut counts = vec![0_u64; ones * others];
            let cell = |number: usize| one.of_case[number] * others + other.of_case[number];
            (0..cases.len()).for_each(|number| counts[cell(number)] += 1);
            // Where some pairs are missing, what one does can't be told from what two do.
            if ones < 2 || others < 2 || whole <= 0.0 || counts.iter().any(|count| *count != counts[0]) {
                continue;
            }
            let alone = between(cases, ones, |number| one.of_case[number])
                + between(cases, others, |number| other.of_case[number]);
            let together = between(cases, ones * others, cell) - alone;
            let by_chance = if noise.is_finite() { noise * ((ones - 1) * (others - 1)) as f64 } else { 0.0 };
            let share = together / whole;
            if share >= WORTH_NAMING && together > 2.0 * by_chance {
                let path = |number: usize| results.study.factors[number].path.clone();
                found.push(Interaction { first: path(second), second: path(first), share });
            }
        }
    }
    found
}

impl Findings {
    /// The command that runs a case as it was run.
    pub fn command(&self, results: &SweepResults, case: &Case, replication: u64) -> String {
        let study = &results.study;
        let settings = study.settings.iter().cloned().chain(settings(&study.factors, &case.values));
        let seed =
            if results.cases.varies("seed") { String::new() } else { format!(" --seed {}", study.seed) };
        format!("{}{seed} --replication {replication}", run_command(&study.scenario, settings))
    }

    /// The case of a number.
    pub fn case(&self, number: u64) -> Option<&Case> {
        self.cases.iter().find(|case| case.case == number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sweep::{Cases, Constraints, Factor, Replications, Row, Study};

    /// The results of a grid over `a` (1 to 4), `b` (x, y) and `c` (1, 2), of which each run gives what `of` says.
    fn results(replications: u64, of: impl Fn(f64, bool, f64, u64) -> f64) -> SweepResults {
        let factors: Vec<Factor> = ["a=1..4", "b=x,y", "c=1,2"].map(|text| text.parse().unwrap()).to_vec();
        let cases = Cases::new(factors.clone(), Design::Grid, 1, Constraints::default()).unwrap();
        let mut rows = Vec::new();
        for case in 0..cases.count() {
            let values = cases.values(case).unwrap().unwrap();
            for replication in 0..replications {
                let (a, c) = (values[0].parse().unwrap(), values[2].parse().unwrap());
                rows.push(Row {
                    case,
                    replication,
                    key: String::new(),
                    values: values.clone(),
                    figures: vec![Some(of(a, values[1] == "y", c, replication))],
                    busiest: None,
                    utilisation: None,
                    warnings: Vec::new(),
                });
            }
        }
        let study = Study {
            form: 1,
            version: String::new(),
            scenario: "s.toml".into(),
            text: String::new(),
            settings: Vec::new(),
            inputs: BTreeMap::new(),
            factors,
            design: Design::Grid,
            constraints: Vec::new(),
            fixed: BTreeMap::new(),
            seed: 1,
            measures: vec!["rate".to_owned()],
            replications: Replications { count: 3, precision: None, confidence: 0.95 },
        };
        SweepResults { study, cases, measures: vec![Measure::parse("rate").unwrap()], rows }
    }

    #[test]
    fn what_adds_up_has_shares_that_add_up_and_nothing_together() {
        let found =
            findings(&results(3, |a, y, _, n| 100.0 + 10.0 * a + if y { 20.0 } else { 0.0 } + n as f64), 0);
        // Variances of 10 to 40 and of 0 and 20: 125 and 100.
        let shares: Vec<(&str, f64)> =
            found.effects.iter().map(|effect| (effect.path.as_str(), effect.share)).collect();
        assert_eq!(shares.iter().map(|(path, _)| *path).collect::<Vec<_>>(), ["a", "b", "c"]);
        for ((_, share), wanted) in shares.iter().zip([125.0 / 225.0, 100.0 / 225.0, 0.0]) {
            assert!((share - wanted).abs() < 1e-9, "{share} {wanted}");
        }
        assert!(found.interactions.is_empty(), "{:?}", found.interactions);
        let a = &found.effects[0];
        assert_eq!((a.levels[a.best].value.as_str(), a.levels[a.worst].value.as_str()), ("4", "1"));
        assert!((a.change - (151.0 / 121.0 - 1.0)).abs() < 1e-9);
        assert_eq!(a.levels[0].half_width, Some(0.0), "what all replications have alike, no value makes");
        assert_eq!(found.cases[0].values, ["4", "y", "1"]);
    }

    #[test]
    fn keys_that_act_together_are_named_and_chance_is_not() {
        let both = findings(&results(3, |a, y, _, _| if y { 10.0 * a } else { 50.0 - 10.0 * a }), 0);
        let named: Vec<(&str, &str)> =
            both.interactions.iter().map(|pair| (pair.first.as_str(), pair.second.as_str())).collect();
        assert_eq!(named, [("a", "b")]);
        assert!((both.interactions[0].share - 1.0).abs() < 1e-9);
        // Each run draws for itself.
        let chance = |a: f64, y: bool, c: f64, n: u64| {
            let drawn = petrio_random::mix(a as u64 * 1000 + u64::from(y) * 100 + c as u64 * 10 + n);
            1000.0 * a + (drawn >> 40) as f64 / 1e5
        };
        let found = findings(&results(3, chance), 0);
        assert!(found.interactions.is_empty(), "{:?}", found.interactions);
    }
}
