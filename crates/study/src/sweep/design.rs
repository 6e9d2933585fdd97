//! Which cases a study has: each has a number, and its values follow from that alone, so that no list of them is ever held, and any shard
//! knows its own.

use super::constraint::Constraints;
use super::error::SweepError;
use super::factor::{Factor, Values};
use petrio_units::numbers::as_index;
use serde::{Deserialize, Serialize};

/// Cases at most: at a hundredth of a second each they take a day.
pub const CASES_MAX: u128 = 10_000_000;

/// Keys at most of which a Saltelli design is drawn: there are as many dimensions for two matrices.
const SALTELLI_FACTORS_MAX: usize = 128;

/// Points at most that a Sobol sequence has here.
const SOBOL_POINTS_MAX: u64 = 1 << 16;

/// How cases are chosen from the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Every value with every other.
    #[default]
    Grid,
    /// The rows of a table, or of lists of one length: the first with the first.
    Table,
    /// A Latin hypercube: each key's range is cut into as many strata as there are points, and each has one point.
    LatinHypercube(u64),
    /// The first points of a Sobol sequence, scrambled by the seed.
    Sobol(u64),
    /// Saltelli's design on a Sobol sequence, of which Sobol indices can be told: so many base points, each with as many cases as there are
    /// keys and two more (A. Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications 181, 2010).
    Saltelli(u64),
}

/// All cases of a study.
#[derive(Clone, Debug)]
pub struct Cases {
    factors: Vec<Factor>,
    design: Design,
    seed: u32,
    constraints: Constraints,
    count: u64,
    /// Of a Latin hypercube, in which stratum each point lies, for each key.
    strata: Vec<Vec<u32>>,
}

impl Cases {
    /// The cases of a design over these keys that fulfil the constraints.
    ///
    /// # Errors
    /// No key, one that stands twice, ranges without steps in a grid, lists of unlike length in a table, or more than anybody runs.
    pub fn new(
        factors: Vec<Factor>,
        design: Design,
        seed: u64,
        constraints: Constraints,
    ) -> Result<Self, SweepError> {
        if factors.is_empty() {
            return Err(SweepError::Nothing);
        }
        for (number, factor) in factors.iter().enumerate() {
            if factors[..number].iter().any(|known| known.path == factor.path) {
                return Err(SweepError::Twice { path: factor.path.clone() });
            }
        }
        let count = count(&factors, design)?;
        if count > CASES_MAX {
            return Err(SweepError::TooMany { count, product: product(&factors, design) });
        }
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let strata = match design {
            Design::LatinHypercube(points) => {
                factors.iter().map(|factor| shuffled(points, seed, &factor.path)).collect()
            }
            _ => Vec::new(),
        };
        // The scrambling takes 32 bits.
        let seed = u32::try_from((seed ^ (seed >> 32)) & u64::from(u32::MAX)).unwrap_or_default();
        Ok(Self { factors, design, seed, constraints, count, strata })
    }

    /// What is varied.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Whether a key is varied.
    pub fn varies(&self, path: &str) -> bool {
        self.factors.iter().any(|factor| factor.path == path)
    }

    /// How cases are chosen.
    pub const fn design(&self) -> Design {
        self.design
    }

    /// How many numbers of cases there are, those that a constraint leaves out among them.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The value of each key in the case of this number; nothing where a constraint leaves it out.
    ///
    /// # Errors
    /// A constraint that says nothing of these values.
    pub fn values(&self, case: u64) -> Result<Option<Vec<String>>, SweepError> {
        let values = self.drawn(case);
        let holds =
            self.constraints.hold(&self.factors.iter().map(|factor| factor.path.as_str()).zip(&values))?;
        Ok(holds.then_some(values))
    }

    fn drawn(&self, case: u64) -> Vec<String> {
        let factors = self.factors.iter().enumerate();
        match self.design {
            Design::Grid => {
                // The last key changes fastest, as in loops one in another.
                let mut rest = case;
                let mut values: Vec<String> = self
                    .factors
                    .iter()
                    .rev()
                    .map(|factor| {
                        let Values::Listed(values) = &factor.values else { return String::new() };
                        let here = rest % values.len() as u64;
                        rest /= values.len() as u64;
                        values[as_index(here)].clone()
                    })
                    .collect();
                values.reverse();
                values
            }
            Design::Table => self
                .factors
                .iter()
                .map(|factor| match &factor.values {
                    Values::Listed(values) => values.get(as_index(case)).cloned().unwrap_or_default(),
                    Values::Between { .. } => String::new(),
                })
                .collect(),
            Design::LatinHypercube(points) => factors
                .map(|(number, factor)| {
                    let stratum = self.strata[number][as_index(case)];
                    factor.values.at((f64::from(stratum) + 0.5) / points as f64)
                })
                .collect(),
            Design::Sobol(_) => {
                factors.map(|(number, factor)| factor.values.at(self.point(case, number))).collect()
            }
            Design::Saltelli(_) => {
                let (base, which) = self.saltelli(case);
                let second = self.factors.len();
                factors
                    .map(|(number, factor)| {
                        let from_second =
                            matches!(which, Some(Exchanged::All)) || which == Some(Exchanged::One(number));
                        let dimension = if from_second { second + number } else { number };
                        factor.values.at(self.point(base, dimension))
                    })
                    .collect()
            }
        }
    }

    /// A coordinate of a point of the Sobol sequence, 0 to 1.
    fn point(&self, number: u64, dimension: usize) -> f64 {
        let [number, dimension] =
            [number, dimension as u64].map(|small| u32::try_from(small).unwrap_or(u32::MAX));
        f64::from(sobol_burley::sample(number, dimension, self.seed))
    }

    /// Which base point a case of a Saltelli design is made from, and what of it is the second matrix's; nothing of the first one's own.
    pub(super) fn saltelli(&self, case: u64) -> (u64, Option<Exchanged>) {
        let block = self.factors.len() as u64 + 2;
        let exchanged = match case % block {
            0 => None,
            1 => Some(Exchanged::All),
            one => Some(Exchanged::One(as_index(one - 2))),
        };
        (case / block, exchanged)
    }
}

/// What of a point is the second matrix's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchanged {
    /// All of it.
    All,
    /// The value of this key.
    One(usize),
}

/// How many cases there are.
fn count(factors: &[Factor], design: Design) -> Result<u128, SweepError> {
    let listed = || {
        factors.iter().map(|factor| match &factor.values {
            Values::Listed(values) => Ok(values.len() as u128),
            Values::Between { .. } => Err(SweepError::NoSteps { path: factor.path.clone() }),
        })
    };
    match design {
        Design::Grid => listed().try_fold(1_u128, |product, count| Ok(product.saturating_mul(count?))),
        Design::Table => {
            let counts = listed().collect::<Result<Vec<_>, _>>()?;
            let named = |at: usize| (factors[at].path.clone(), u64::try_from(counts[at]).unwrap_or(u64::MAX));
            match counts.iter().position(|count| *count != counts[0]) {
                None => Ok(counts[0]),
                Some(other) => Err(SweepError::Unlike { first: named(0), other: named(other) }),
            }
        }
        Design::LatinHypercube(points) => Ok(points.into()),
        Design::Sobol(points) if points > SOBOL_POINTS_MAX => {
            Err(SweepError::Points { most: SOBOL_POINTS_MAX })
        }
        Design::Sobol(points) => Ok(points.into()),
        Design::Saltelli(points) if points > SOBOL_POINTS_MAX => {
            Err(SweepError::Points { most: SOBOL_POINTS_MAX })
        }
        Design::Saltelli(_) if factors.len() > SALTELLI_FACTORS_MAX => {
            Err(SweepError::Factors { most: SALTELLI_FACTORS_MAX })
        }
        Design::Saltelli(points) => Ok(u128::from(points) * (factors.len() as u128 + 2)),
    }
}

/// Where the number of cases comes from, in words.
fn product(factors: &[Factor], design: Design) -> String {
    let counts = factors.iter().map(|factor| match &factor.values {
        Values::Listed(values) => values.len().to_string(),
        Values::Between { .. } => "1".to_owned(),
    });
    match design {
        Design::Grid => counts.collect::<Vec<_>>().join(" × "),
        Design::Saltelli(points) => format!("{points} × {}", factors.len() + 2),
        Design::LatinHypercube(points) | Design::Sobol(points) => points.to_string(),
        Design::Table => counts.take(1).collect(),
    }
}

/// The numbers below `count` in an order of chance (Fisher and Yates').
fn shuffled(count: u64, seed: u64, path: &str) -> Vec<u32> {
    let mut random = petrio_random::generator(seed, 0, path, "latin hypercube");
    let mut all: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
    for last in (1..all.len()).rev() {
        let other = petrio_random::uniform_below(&mut random, last as u64 + 1);
        all.swap(last, as_index(other));
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::collections::BTreeSet;

    fn cases(factors: &[&str], design: Design) -> Result<Cases, SweepError> {
        let factors = factors.iter().map(|text| text.parse().unwrap()).collect();
        Cases::new(factors, design, 7, Constraints::default())
    }

    fn all(cases: &Cases) -> Vec<String> {
        (0..cases.count())
            .filter_map(|case| cases.values(case).unwrap())
            .map(|values| values.join(" "))
            .collect()
    }

    #[test]
    fn a_grid_has_every_value_with_every_other_once() {
        let found = all(&cases(&["a=1..3", "b=x,y"], Design::Grid).unwrap());
        assert_eq!(found, ["1 x", "1 y", "2 x", "2 y", "3 x", "3 y"]);
    }

    #[test]
    fn a_table_has_its_rows() {
        assert_eq!(all(&cases(&["a=1..3", "b=x,y,z"], Design::Table).unwrap()), ["1 x", "2 y", "3 z"]);
        let error = cases(&["a=1..3", "b=x,y"], Design::Table).unwrap_err().to_string();
        assert!(error.contains("3") && error.contains("2"), "{error}");
    }

    #[test]
    fn a_latin_hypercube_has_each_stratum_of_each_key_once() {
        let cases = cases(&["a=lin(0.0, 16.0)", "b=lin(0.0, 16.0)"], Design::LatinHypercube(16)).unwrap();
        for key in 0..2 {
            let drawn = (0..16).map(|case| cases.values(case).unwrap().unwrap()[key].clone());
            let strata: BTreeSet<u64> =
                drawn.map(|value| value.parse::<f64>().unwrap().floor() as u64).collect();
            assert_eq!(strata.len(), 16);
        }
        let pairs: BTreeSet<String> = all(&cases).into_iter().collect();
        assert!(
            pairs.iter().any(|pair| pair.split(' ').next() != pair.split(' ').nth(1)),
            "the two are drawn apart"
        );
    }

    #[test]
    fn the_points_of_a_sobol_sequence_lie_evenly() {
        let cases = cases(&["a=lin(0.0, 4.0)", "b=lin(0.0, 4.0)"], Design::Sobol(256)).unwrap();
        let mut in_cell = [[0; 4]; 4];
        for case in 0..256 {
            let at = cases.values(case).unwrap().unwrap();
            let [a, b] = [0, 1].map(|key: usize| (at[key].parse::<f64>().unwrap() as usize).min(3));
            in_cell[a][b] += 1;
        }
        assert!(in_cell.iter().flatten().all(|count| *count == 16), "{in_cell:?}");
    }

    #[test]
    fn saltellis_design_exchanges_one_key_at_a_time() {
        let cases =
            cases(&["a=lin(0.0, 1.0)", "b=lin(0.0, 1.0)", "c=lin(0.0, 1.0)"], Design::Saltelli(4)).unwrap();
        assert_eq!(cases.count(), 20);
        for base in 0..4 {
            let of = |which: u64| cases.values(base * 5 + which).unwrap().unwrap();
            let (first, second) = (of(0), of(1));
            for key in 0..3 {
                let mut wanted = first.clone();
                wanted[key] = second[key].clone();
                assert_eq!(of(2 + key as u64), wanted);
            }
        }
    }

    #[test]
    fn more_than_anybody_runs_is_refused_before_anything_is_done() {
        let error = cases(&["a=1..10000", "b=1..10000", "c=1..10000"], Design::Grid).unwrap_err().to_string();
        assert!(error.contains("10000 × 10000 × 10000"), "{error}");
        assert!(cases(&[], Design::Grid).is_err() && cases(&["a=1", "a=2"], Design::Grid).is_err());
        assert!(cases(&["a=lin(1, 2)"], Design::Grid).unwrap_err().to_string().contains("a"));
    }
}
