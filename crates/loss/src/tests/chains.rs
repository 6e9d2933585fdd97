//! Markov's chains of arrays, solved over time.

use super::{AnyOf, HOUR, Pairs, YEAR, agrees, array, drives, found};
use crate::{Fill, Life, Store};

/// The chance of the last state after a time of a chain that is in its first at the beginning: `up` and `down` are the rates from state to
/// state. By uniformisation (A. Jensen, 1953): steps of the chain at the fastest rate, a Poisson number of them.
fn absorbed(up: &[f64], down: &[f64], time: f64) -> f64 {
    let states = up.len() + 1;
    let fastest = (0..up.len()).map(|state| up[state] + down[state]).fold(0.0, f64::max);
    // Half of a time after the other, so that exp(-fastest · time) is never too small: the states' chances pass on.
    let parts = (fastest * time / 50.0).ceil().max(1.0);
    let mean = fastest * time / parts;
    let mut chances = vec![0.0; states];
    chances[0] = 1.0;
    for _ in 0..parts as u64 {
        let mut term = (-mean).exp();
        let mut now = chances.clone();
        let mut sum: Vec<f64> = now.iter().map(|chance| chance * term).collect();
        for step in 1..400 {
            let mut next = vec![0.0; states];
            for state in 0..states {
                let (rise, fall) = if state < up.len() { (up[state], down[state]) } else { (0.0, 0.0) };
                next[state] += now[state] * (1.0 - (rise + fall) / fastest);
                if state < up.len() {
                    next[state + 1] += now[state] * rise / fastest;
                }
                if state > 0 {
                    next[state - 1] += now[state] * fall / fastest;
                }
            }
            now = next;
            term *= mean / f64::from(step);
            sum.iter_mut().zip(&now).for_each(|(sum, chance)| *sum += chance * term);
        }
        chances = sum;
    }
    chances[states - 1]
}

fn store(members: usize, outlives: usize, mean: f64, repair: f64) -> Store {
    let mut store = Store::new(None);
    let over = drives(&mut store, members, Life::new(mean, 1.0));
    store.array(array(over, AnyOf(outlives), Fill::Exponential(repair))).unwrap();
    store
}

/// Members that fail and are filled side by side.
fn chain(members: usize, outlives: usize, mean: f64, repair: f64) -> f64 {
    let up: Vec<f64> = (0..=outlives).map(|gone| (members - gone) as f64 / mean).collect();
    let down: Vec<f64> = (0..=outlives).map(|gone| gone as f64 / repair).collect();
    absorbed(&up, &down, YEAR)
}

#[test]
fn the_chain_is_the_closed_form_where_there_is_one() {
    // A single drive.
    assert!((absorbed(&[1.0 / YEAR], &[0.0], YEAR) - (1.0 - (-1.0_f64).exp())).abs() < 1e-9);
    // One of two that are never repaired, and both.
    let both = (1.0 - (-0.5_f64).exp()).powi(2);
    assert!((absorbed(&[2.0 / YEAR, 1.0 / YEAR], &[0.0, 0.0], 0.5 * YEAR) - both).abs() < 1e-9);
}

#[test]
fn one_parity_of_drives_that_fail_often() {
    let (mean, repair) = (4_000.0 * HOUR, 50.0 * HOUR);
    agrees(&found(&store(5, 1, mean, repair), YEAR, 0.02), chain(5, 1, mean, repair));
}

#[test]
fn one_parity_of_drives_as_they_are_sold() {
    let (mean, repair) = (1_000_000.0 * HOUR, 12.0 * HOUR);
    let found = found(&store(8, 1, mean, repair), YEAR, 0.02);
    agrees(&found, chain(8, 1, mean, repair));
    // Patterson, Gibson and Katz (1988): MTTF² / (n (n − 1) MTTR).
    let rule = YEAR * 8.0 * 7.0 * repair / (mean * mean);
    assert!((found.loss.chance / rule - 1.0).abs() < 0.03, "{found:?} {rule}");
}

#[test]
fn two_parities_lose_once_in_a_hundred_million_years() {
    let (mean, repair) = (1_000_000.0 * HOUR, 12.0 * HOUR);
    let chance = chain(8, 2, mean, repair);
    assert!(chance < 1e-8);
    let found = found(&store(8, 2, mean, repair), YEAR, 0.05);
    agrees(&found, chance);
    assert!(found.paths < 200_000, "{found:?}");
}

#[test]
fn three_parities_too() {
    let (mean, repair) = (500_000.0 * HOUR, 100.0 * HOUR);
    agrees(&found(&store(12, 3, mean, repair), YEAR, 0.05), chain(12, 3, mean, repair));
}

#[test]
fn two_parities_of_drives_that_fail_often() {
    let (mean, repair) = (3_000.0 * HOUR, 100.0 * HOUR);
    agrees(&found(&store(10, 2, mean, repair), YEAR, 0.03), chain(10, 2, mean, repair));
}

#[test]
fn many_pairs_are_as_many_chains() {
    let (mean, repair) = (200_000.0 * HOUR, 24.0 * HOUR);
    let mut store = Store::new(None);
    let over = drives(&mut store, 24, Life::new(mean, 1.0));
    store.array(array(over, Pairs, Fill::Exponential(repair))).unwrap();
    let one = chain(2, 1, mean, repair);
    agrees(&found(&store, YEAR, 0.03), 1.0 - (1.0 - one).powi(12));
}

#[test]
fn stripes_over_mirrors_are_mirrors_that_are_striped() {
    let (mean, repair) = (200_000.0 * HOUR, 24.0 * HOUR);
    let mut store = Store::new(None);
    let mirrors: Vec<usize> = (0..4)
        .map(|_| {
            let over = drives(&mut store, 2, Life::new(mean, 1.0));
            store.array(array(over, AnyOf(1), Fill::Exponential(repair))).unwrap()
        })
        .collect();
    store.array(array(mirrors, AnyOf(0), Fill::Exponential(repair))).unwrap();
    agrees(&found(&store, YEAR, 0.03), 1.0 - (1.0 - chain(2, 1, mean, repair)).powi(4));
}
