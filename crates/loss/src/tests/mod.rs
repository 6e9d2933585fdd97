//! Against closed forms, Markov's chains, and a plain simulation that knows nothing of likely and unlikely.

#![allow(clippy::unwrap_used)]

mod chains;
mod forms;
mod plainly;

use crate::{Array, Estimate, Fill, Hurt, Life, Precision, Redundancy, Sectors, Store, estimate};
use std::sync::Arc;

const HOUR: f64 = 3_600.0;
const YEAR: f64 = 8_766.0 * HOUR;

/// Any so many of the members may be missing; then each of the others is read alone.
#[derive(Debug)]
struct AnyOf(usize);

impl Redundancy for AnyOf {
    fn hurt(&self, missing: &[bool]) -> Hurt {
        let gone = missing.iter().filter(|gone| **gone).count();
        let unprotected = if gone == self.0 && gone > 0 { (missing.len() - gone) as f64 } else { 0.0 };
        Hurt { loses: gone > self.0, unprotected }
    }
}

/// Pairs of neighbours hold the same.
#[derive(Debug)]
struct Pairs;

impl Redundancy for Pairs {
    fn hurt(&self, missing: &[bool]) -> Hurt {
        let gone = |pair: &[bool]| pair.iter().filter(|gone| **gone).count();
        let one_left = missing.chunks(2).filter(|pair| gone(pair) == 1).count();
        Hurt { loses: missing.chunks(2).any(|pair| gone(pair) == 2), unprotected: one_left as f64 }
    }
}

/// An array over parts, whose places are filled at once.
fn array(over: Vec<usize>, redundancy: impl Redundancy + 'static, fill: Fill) -> Array {
    Array {
        over,
        spares: 0,
        redundancy: Arc::new(redundancy),
        fill: vec![fill],
        replaced_after: Some(0.0),
        sectors: Sectors::default(),
    }
}

/// So many new drives.
fn drives(store: &mut Store, count: usize, life: Life) -> Vec<usize> {
    (0..count).map(|_| store.drive(life, 0.0).unwrap()).collect()
}

fn found(store: &Store, seconds: f64, relative: f64) -> Estimate {
    estimate(store, seconds, 7, Precision { relative, paths: 1 << 18 }, &|| true)
}

/// That an estimate is a chance, by three of its half intervals, which it exceeds once in a hundred million.
#[track_caller]
fn agrees(found: &Estimate, chance: f64) {
    let off = (found.loss.chance - chance).abs();
    assert!(off <= 3.0 * found.loss.half_width, "{chance} is the chance, found was {found:?}");
    assert!(found.loss.half_width <= 0.1 * chance, "too wide: {found:?}");
}
