//! The same by a simulation of another make: a clock that goes on by minutes' worth of hazard, and a die for each drive.

use super::{AnyOf, HOUR, YEAR, array, drives, found};
use crate::{Array, Fill, Life, Store};
use petrio_random::{exponential, generator, uniform};

/// How often of so many years five drives, a spare that is restocked after a week, and one parity lose data; drives by their Weibull lives,
/// each drawn when it is made.
fn plainly(shape: f64, mean: f64, fill: f64, restock: f64, years: u32) -> f64 {
    let scale = mean / libm::tgamma(1.0 + 1.0 / shape);
    let mut random = generator(5, 0, "plain", "test");
    let mut life = || scale * libm::pow(exponential(&mut random, 1.0), 1.0 / shape);
    let mut lost = 0;
    for _ in 0..years {
        let mut dies: Vec<f64> = (0..5).map(|_| life()).collect();
        let mut spare: Option<f64> = Some(life());
        let (mut filled, mut stocked): (Vec<f64>, Vec<f64>) = (vec![0.0; 5], Vec::new());
        // Those that wait for a new drive by themselves.
        loop {
            let next =
                dies.iter().copied().enumerate().min_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
            let spare_dies = spare.unwrap_or(f64::INFINITY);
            let stock = stocked.iter().copied().fold(f64::INFINITY, f64::min);
            let now = next.1.min(spare_dies).min(stock);
            if now > YEAR {
                break;
            }
            if now == stock {
                stocked.retain(|at| *at != stock);
                spare = Some(now + life());
            } else if now == spare_dies {
                spare = None;
                stocked.push(now + restock);
            } else {
                let (member, _) = next;
                if (0..5).any(|other| other != member && filled[other] > now) {
                    lost += 1;
                    break;
                }
                match spare.take() {
                    Some(death) => {
                        dies[member] = death;
                        filled[member] = now + fill;
                        stocked.push(now + restock);
                    }
                    None => {
                        dies[member] = now + restock + life();
                        filled[member] = now + restock + fill;
                    }
                }
            }
        }
    }
    f64::from(lost) / f64::from(years)
}

#[test]
fn a_spare_that_is_restocked_of_drives_that_wear_or_fail_young() {
    for shape in [0.7, 1.0, 1.8] {
        let (mean, fill, restock) = (8_000.0 * HOUR, 40.0 * HOUR, 168.0 * HOUR);
        let mut store = Store::new(None);
        let over = drives(&mut store, 6, Life::new(mean, shape));
        let usual = array(over, AnyOf(1), Fill::Measured(vec![fill]));
        store.array(Array { spares: 1, replaced_after: Some(restock), ..usual }).unwrap();
        let found = found(&store, YEAR, 0.02);
        let years = 200_000;
        let plain = plainly(shape, mean, fill, restock, years);
        let half = 3.0 * ((plain * (1.0 - plain) / f64::from(years)).sqrt() + found.loss.half_width / 1.96);
        assert!((found.loss.chance - plain).abs() <= half, "shape {shape}: {found:?}, plainly {plain}");
    }
}

#[test]
fn the_same_seed_gives_the_same_whatever_the_threads() {
    let mut store = Store::new(None);
    let over = drives(&mut store, 5, Life::new(50_000.0 * HOUR, 1.2));
    store.array(array(over, AnyOf(1), Fill::Measured(vec![HOUR, 30.0 * HOUR]))).unwrap();
    assert_eq!(found(&store, YEAR, 0.03), found(&store, YEAR, 0.03));
    // And a draw of its own has its own.
    assert!((0.0..1.0).contains(&uniform(&mut generator(1, 0, "loss", "path"))));
}
