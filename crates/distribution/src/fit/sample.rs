//! The values to be fitted: checked, sorted, and what in them is no continuous distribution's doing.

use super::error::FitError;
use std::borrow::Cow;

/// Fewer different values than this, in a sample of some size, are taken as they are.
const DIFFERENT_MIN: usize = 6;
const SOME_SIZE: usize = 20;

/// A value that occurs this many times as often as its neighbours is an atom.
const ATOM_RATIO: f64 = 10.0;
/// A rarer one is left alone: it hardly moves a fit.
const ATOM_SHARE_MIN: f64 = 0.005;
const ATOM_COUNT_MIN: usize = 10;
/// Zeros are singled out sooner: they mean that something didn't happen.
const ZERO_RATIO: f64 = 2.0;
/// So many neighbours on each side say how often values occur hereabouts.
const NEIGHBOURS: usize = 5;

/// Where more of the values are different, their rounding hardly tells.
const DIFFERENT_SHARE_MAX: f64 = 0.9;
/// Beyond so many steps, numbers can't tell whether they are on a lattice.
const STEPS_MAX: f64 = 1e9;

/// Cubes of values, and sums of them, must be numbers.
const GREATEST: f64 = 1e100;

/// A checked sample.
#[derive(Clone, Debug)]
pub struct Sample {
    /// All values, ascending.
    sorted: Vec<f64>,
    /// Those that a continuous distribution is to explain, ascending.
    pub(super) rest: Vec<f64>,
    /// Values with a probability of their own, and their shares of all.
    pub(super) atoms: Vec<(f64, f64)>,
    /// The first negative value, and its position from 1.
    pub(super) negative: Option<(usize, f64)>,
    /// The step of which all are multiples, but for a constant, where values are rounded to it so that many are equal.
    pub(super) lattice: Option<f64>,
    different: usize,
    mean: f64,
    deviation: f64,
}

impl Sample {
    /// Checks and sorts values.
    ///
    /// # Errors
    /// No value, or one that is no finite number, or too large to be squared and summed.
    pub fn new(values: &[f64]) -> Result<Self, FitError> {
        if values.is_empty() {
            return Err(FitError::Empty);
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(FitError::NotFinite { position: at + 1, value: values[at] });
        }
        if let Some(at) = values.iter().position(|value| value.abs() > GREATEST) {
            return Err(FitError::TooLarge { position: at + 1, value: values[at], most: GREATEST });
        }
        let negative = values.iter().position(|&value| value < 0.0).map(|at| (at + 1, values[at]));
        // Adding nothing turns −0 into 0, which sorts and counts as the same.
        let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let first = sorted[0];
        let mean = first + sorted.iter().map(|x| x - first).sum::<f64>() / n;
        let deviation = (sorted.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        let counts = counted(&sorted);
        let atoms = atoms(&counts, sorted.len());
        let rest = if atoms.len() == counts.len() {
            vec![]
        } else if atoms.is_empty() {
            sorted.clone()
        } else {
            sorted
                .iter()
                .copied()
                .filter(|x| atoms.binary_search_by(|(atom, _)| atom.total_cmp(x)).is_err())
                .collect()
        };
        let lattice = lattice(&rest);
        Ok(Self { rest, lattice, atoms, negative, different: counts.len(), mean, deviation, sorted })
    }

    /// All values, ascending.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many different values there are.
    pub fn different(&self) -> usize {
        self.different
    }

    /// The values' mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation, by the number of values.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Values with a probability of their own, and their shares of all values.
    pub fn atoms(&self) -> &[(f64, f64)] {
        &self.atoms
    }

    /// What is to be fitted by a density: the values, and where they are rounded, equal ones spread over the step for
    /// which they stand.
    pub(super) fn spread(&self) -> Cow<'_, [f64]> {
        let Some(step) = self.lattice else { return Cow::Borrowed(&self.rest) };
        let lowest = self.lowest();
        let mut spread = Vec::with_capacity(self.rest.len());
        for equal in self.rest.chunk_by(|a, b| a == b) {
            let from = (equal[0] - step / 2.0).max(lowest);
            let width = equal[0] + step / 2.0 - from;
            let part = |at: usize| from + width * (at as f64 + 0.5) / equal.len() as f64;
            spread.extend((0..equal.len()).map(part));
        }
        Cow::Owned(spread)
    }

    /// The smallest number that makes sense in it: zero, unless there are negative ones.
    pub(super) fn lowest(&self) -> f64 {
        if self.negative.is_some() { f64::NEG_INFINITY } else { 0.0 }
    }
}

/// The step of rounded values.
fn lattice(sorted: &[f64]) -> Option<f64> {
    let different: Vec<f64> = sorted.chunk_by(|a, b| a == b).map(|equal| equal[0]).collect();
    let (&first, &last) = (different.first()?, different.last()?);
    if different.len() as f64 > DIFFERENT_SHARE_MAX * sorted.len() as f64 {
        return None;
    }
    let step = different.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min)?;
    let is_on_it = |x: &f64| {
        let steps = (x - first) / step;
        (steps - libm::round(steps)).abs() < 1e-3
    };
    ((last - first) / step < STEPS_MAX && different.iter().all(is_on_it)).then_some(step)
}

/// Each value once, with how often it occurs.
fn counted(sorted: &[f64]) -> Vec<(f64, usize)> {
    let mut counts: Vec<(f64, usize)> = Vec::new();
    for &x in sorted {
        match counts.last_mut() {
            Some((last, count)) if *last == x => *count += 1,
            _ => counts.push((x, 1)),
        }
    }
    counts
}

fn atoms(counts: &[(f64, usize)], n: usize) -> Vec<(f64, f64)> {
    let share = |&(value, count): &(f64, usize)| (value, count as f64 / n as f64);
    if counts.len() == 1 || counts.len() < DIFFERENT_MIN && n >= SOME_SIZE {
        return counts.iter().map(share).collect();
    }
    let no_negative = counts[0].0 >= 0.0;
    let stands_out = |i: usize| {
        let (value, count) = counts[i];
        let zero = value == 0.0 && no_negative;
        if count < 2 || !zero && (count < ATOM_COUNT_MIN || (count as f64) < ATOM_SHARE_MIN * n as f64) {
            return false;
        }
        let mut near: Vec<usize> = (i.saturating_sub(NEIGHBOURS)..(i + NEIGHBOURS + 1).min(counts.len()))
            .filter(|&other| other != i)
            .map(|other| counts[other].1)
            .collect();
        near.sort_unstable();
        let usual = near[near.len() / 2] as f64;
        count as f64 >= usual * if zero { ZERO_RATIO } else { ATOM_RATIO }
    };
    let found: Vec<(f64, f64)> =
        (0..counts.len()).filter(|&i| stands_out(i)).map(|i| share(&counts[i])).collect();
    // What is left must be something to fit.
    if counts.len() - found.len() < 2 { counts.iter().map(share).collect() } else { found }
}
