//! A comparison as a table in words: a row for each measure, with everybody's value and how each differs from the first.

use super::text::{estimate, unit_of};
use super::words::{change_of, outcome, verdict};
use super::{Comparison, Outcome};
use serde::Serialize;

/// A measure in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedRow {
    /// What is measured: "p99 latency".
    pub name: String,
    /// The unit of its values.
    pub unit: &'static str,
    /// Everybody's value with half its interval, in their order; a dash where there is none.
    pub values: Vec<String>,
    /// How each of the others differs from the first; nothing where one of both has no value.
    pub against: Vec<Option<Against>>,
}

/// How somebody differs from the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Against {
    /// By how much, with its interval.
    pub change: String,
    /// What that means: "better", "no difference shown".
    pub words: &'static str,
    /// The same for programs.
    pub outcome: Outcome,
}

/// All rows, that of the headline first.
pub fn comparison_rows(comparison: &Comparison) -> Vec<ComparedRow> {
    let letters = || comparison.contenders.iter().map(|contender| contender.letter.as_str());
    let first = letters().next().unwrap_or_default();
    let row = |compared: &super::Compared| {
        let (size, unit) = unit_of(compared);
        let against = letters().skip(1).map(|letter| {
            compared.pair(first, letter).map(|pair| Against {
                change: change_of(&compared.measure, pair),
                words: outcome(pair),
                outcome: pair.outcome,
            })
        });
        ComparedRow {
            name: compared.measure.words(comparison.subject()),
            unit,
            values: compared.values.iter().map(|value| estimate(*value, size)).collect(),
            against: against.collect(),
        }
    };
    comparison.measures.iter().map(row).collect()
}

/// The verdict on every pair by the headline, a sentence each.
pub fn verdicts(comparison: &Comparison) -> Vec<String> {
    let of = |compared: &super::Compared| -> Vec<String> {
        compared.pairs.iter().map(|pair| verdict(comparison, compared, pair)).collect()
    };
    comparison.headline().map(of).unwrap_or_default()
}
