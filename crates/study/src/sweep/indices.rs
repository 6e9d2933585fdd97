//! Sobol indices: which part of a figure's variance a key makes alone (first order), and which it makes with all others together (total).
//!
//! By Jansen's estimators on Saltelli's design (M. J. W. Jansen, "Analysis of variance designs for model output", Computer Physics
//! Communications 117, 1999); intervals by drawing base points anew.

use super::SweepResults;
use super::design::Exchanged;
use super::effects::{Case, squared};
use petrio_kernel::statistics::Tally;
use petrio_units::numbers::{as_index, whole_part};
use serde::Serialize;
use std::collections::BTreeMap;

/// So often base points are drawn anew.
const DRAWS: usize = 1_000;

/// What a key makes of a figure's variance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SobolIndex {
    /// The key.
    pub path: String,
    /// Which part it makes alone.
    pub first: f64,
    /// The interval of that.
    pub first_interval: (f64, f64),
    /// Which part would go if nothing but it were known: alone and with others.
    pub total: f64,
    /// The interval of that.
    pub total_interval: (f64, f64),
}

/// A base point: the figure at the first matrix' point, at the second's, and with each key exchanged.
struct Base {
    first: f64,
    second: f64,
    exchanged: Vec<f64>,
}

/// One of which not all was run yet.
type Incomplete = (Option<f64>, Option<f64>, Vec<Option<f64>>);

/// The index of each key, from the base points that are complete.
pub(super) fn indices(results: &SweepResults, cases: &[Case], confidence: f64) -> Vec<SobolIndex> {
    let factors = &results.study.factors;
    let mut found: BTreeMap<u64, Incomplete> = BTreeMap::new();
    for case in cases {
        let (base, exchanged) = results.cases.saltelli(case.case);
        let place = found.entry(base).or_insert_with(|| (None, None, vec![None; factors.len()]));
        match exchanged {
            None => place.0 = Some(case.mean),
            Some(Exchanged::All) => place.1 = Some(case.mean),
            Some(Exchanged::One(key)) => place.2[key] = Some(case.mean),
        }
    }
    let bases: Vec<Base> = found
        .into_values()
        .filter_map(|(first, second, exchanged)| {
            Some(Base {
                first: first?,
                second: second?,
                exchanged: exchanged.into_iter().collect::<Option<_>>()?,
            })
        })
        .collect();
    if bases.len() < 2 {
        return Vec::new();
    }
    let whole: Vec<usize> = (0..bases.len()).collect();
    let mut random = petrio_random::generator(results.study.seed, 0, "sweep", "sobol indices");
    let draws: Vec<Vec<usize>> = (0..DRAWS)
        .map(|_| {
            whole
                .iter()
                .map(|_| as_index(petrio_random::uniform_below(&mut random, bases.len() as u64)))
                .collect()
        })
        .collect();
    let interval = |of: &dyn Fn(&[usize]) -> f64| {
        let mut values: Vec<f64> =
            draws.iter().map(|draw| of(draw)).filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = as_index(whole_part(part * values.len() as f64));
            values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
        };
        (at((1.0 - confidence) / 2.0), at((1.0 + confidence) / 2.0))
    };
    factors
        .iter()
        .enumerate()
        .map(|(key, factor)| SobolIndex {
            path: factor.path.clone(),
            first: first_order(&bases, &whole, key),
            first_interval: interval(&|draw| first_order(&bases, draw, key)),
            total: total_order(&bases, &whole, key),
            total_interval: interval(&|draw| total_order(&bases, draw, key)),
        })
        .collect()
}

fn variance(bases: &[Base], drawn: &[usize]) -> f64 {
    drawn.iter().flat_map(|at| [bases[*at].first, bases[*at].second]).collect::<Tally>().variance()
}

fn first_order(bases: &[Base], drawn: &[usize], key: usize) -> f64 {
    let squares: f64 = drawn.iter().map(|at| squared(bases[*at].second - bases[*at].exchanged[key])).sum();
    1.0 - squares / (2.0 * drawn.len() as f64 * variance(bases, drawn))
}

fn total_order(bases: &[Base], drawn: &[usize], key: usize) -> f64 {
    let squares: f64 = drawn.iter().map(|at| squared(bases[*at].first - bases[*at].exchanged[key])).sum();
    squares / (2.0 * drawn.len() as f64 * variance(bases, drawn))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sweep::{Cases, Constraints, Design, Factor};

    /// Ishigami's function, whose indices are known in closed form (T. Ishigami, T. Homma, "An importance quantification technique in
    /// uncertainty analysis for computer models", 1990; with a = 7 and b = 0.1).
    #[test]
    fn indices_of_ishigamis_function_are_those_of_its_closed_form() {
        let points = 1 << 12;
        let factors: Vec<Factor> = ["x", "y", "z"]
            .map(|key| format!("{key}=lin(-3.141592653589793, 3.141592653589793)").parse().unwrap())
            .to_vec();
        let cases = Cases::new(factors, Design::Saltelli(points), 1, Constraints::default()).unwrap();
        let bases: Vec<Base> = (0..points)
            .map(|base| {
                let figure = |which: u64| {
                    let values = cases.values(base * 5 + which).unwrap().unwrap();
                    let [x, y, z] = [0, 1, 2].map(|key: usize| values[key].parse::<f64>().unwrap());
                    libm::sin(x) + 7.0 * squared(libm::sin(y)) + 0.1 * squared(squared(z)) * libm::sin(x)
                };
                Base { first: figure(0), second: figure(1), exchanged: (2..5).map(figure).collect() }
            })
            .collect();
        let whole: Vec<usize> = (0..bases.len()).collect();
        for (key, (first, total)) in
            [(0.3139, 0.5576), (0.4424, 0.4424), (0.0, 0.2437)].into_iter().enumerate()
        {
            let (found, together) = (first_order(&bases, &whole, key), total_order(&bases, &whole, key));
            assert!((found - first).abs() < 0.01, "{key}: {found}, and {first} is right");
            assert!((together - total).abs() < 0.01, "{key}: {together}, and {total} is right");
        }
    }
}
