//! Closed forms: nobody repairs, sectors that can't be read, what must be monotone.

use super::{AnyOf, HOUR, YEAR, agrees, array, drives, found};
use crate::{Array, Fill, Life, Sectors, Store, StoreError};
use proptest::prelude::*;

#[test]
fn without_redundancy_the_first_failure_is_a_loss() {
    let mut store = Store::new(None);
    let over = drives(&mut store, 6, Life::new(1_000_000.0 * HOUR, 1.0));
    store.array(array(over, AnyOf(0), Fill::Measured(vec![HOUR]))).unwrap();
    let found = found(&store, YEAR, 0.02);
    agrees(&found, 1.0 - (-6.0 * YEAR / (1_000_000.0 * HOUR)).exp());
    // One more failure always loses data, but for the time after the loss.
    assert!((found.exposure.mean / YEAR - 1.0).abs() < 0.05, "{found:?}");
}

#[test]
fn where_nobody_repairs_two_of_five_are_enough() {
    for shape in [0.8, 1.0, 2.0] {
        let mut store = Store::new(None);
        let life = Life::new(40.0 * YEAR, shape);
        let over = drives(&mut store, 5, life);
        let never =
            Array { fill: Vec::new(), replaced_after: None, ..array(over, AnyOf(1), Fill::Exponential(1.0)) };
        store.array(never).unwrap();
        let dead = 1.0 - (-life.hazard(0.0, YEAR)).exp();
        let (none, one) = ((1.0 - dead).powi(5), 5.0 * dead * (1.0 - dead).powi(4));
        agrees(&found(&store, YEAR, 0.03), 1.0 - none - one);
    }
}

#[test]
fn a_hot_spare_is_a_drive_more_that_can_fail_first() {
    // Two of five with a spare that is filled at once, and nobody who repairs: as two parities over six of which five are asked.
    let mut store = Store::new(None);
    let life = Life::new(20.0 * YEAR, 1.0);
    let over = drives(&mut store, 6, life);
    let spare = Array { spares: 1, replaced_after: None, ..array(over, AnyOf(1), Fill::Measured(vec![0.0])) };
    store.array(spare).unwrap();
    let dead = 1.0 - (-life.hazard(0.0, YEAR)).exp();
    let of = |gone: i32, ways: f64| ways * dead.powi(gone) * (1.0 - dead).powi(6 - gone);
    agrees(&found(&store, YEAR, 0.03), 1.0 - of(0, 1.0) - of(1, 6.0) - of(2, 15.0));
}

/// Five with one parity, of 16 TB that an unreadable sector is expected in each 1e15 bits of.
fn with_sectors(sectors: Sectors, scrubbed_every: Option<f64>) -> Store {
    let mut store = Store::new(scrubbed_every);
    let over = drives(&mut store, 5, Life::new(1_000_000.0 * HOUR, 1.0));
    store.array(Array { sectors, ..array(over, AnyOf(1), Fill::Measured(vec![20.0 * HOUR])) }).unwrap();
    store
}

#[test]
fn sectors_that_cannot_be_read_are_lost_as_often_as_a_place_is_filled() {
    let each_reading = 16e12 * 8.0 / 1e15;
    let found = found(&with_sectors(Sectors { each_reading, latent_a_second: 0.0 }, None), YEAR, 0.02);
    let rate = 5.0 / (1_000_000.0 * HOUR) * (1.0 - (-4.0 * each_reading).exp());
    let chance = 1.0 - (-rate * YEAR).exp();
    assert!((found.sectors.chance / chance - 1.0).abs() < 0.02, "{found:?} {chance}");
    agrees(&found, chance);
    assert!(found.failed.chance < found.sectors.chance / 100.0);
}

#[test]
fn latent_errors_gather_until_they_are_scrubbed() {
    let sectors = Sectors { each_reading: 0.0, latent_a_second: 1.0 / (9_259.0 * HOUR) };
    let often = found(&with_sectors(sectors, Some(168.0 * HOUR)), YEAR, 0.02);
    // Half of a week on average, of four members.
    let rate = 5.0 / (1_000_000.0 * HOUR) * 4.0 * 84.0 / 9_259.0;
    assert!((often.sectors.chance / (rate * YEAR) - 1.0).abs() < 0.05, "{often:?}");
    let seldom = found(&with_sectors(sectors, Some(2.0 * 168.0 * HOUR)), YEAR, 0.02);
    let never = found(&with_sectors(sectors, None), YEAR, 0.02);
    assert!(often.sectors.chance < seldom.sectors.chance && seldom.sectors.chance < never.sectors.chance);
}

#[test]
fn exposure_is_as_long_as_places_are_filled() {
    let found =
        found(&with_sectors(Sectors { each_reading: 0.1, latent_a_second: 0.0 }, None), 10.0 * YEAR, 0.01);
    let expected = 10.0 * YEAR * 5.0 / (1_000_000.0 * HOUR) * 20.0 * HOUR;
    assert!((found.exposure.mean / expected - 1.0).abs() < 0.05, "{found:?}");
    // 0.44 failures are to be expected: more than one path in twenty has one, and few have two at once.
    assert!((found.exposure.longest_in_twenty - 20.0 * HOUR).abs() < 1.0, "{found:?}");
    assert!((found.failures / (10.0 * YEAR * 5.0 / (1_000_000.0 * HOUR)) - 1.0).abs() < 0.05, "{found:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    let mut store = Store::new(None);
    assert_eq!(store.drive(Life::new(1.0, 1.0), f64::NAN), Err(StoreError::Time));
    let drive = store.drive(Life::new(1.0, 1.0), 0.0).unwrap();
    let of = |over: Vec<usize>| array(over, AnyOf(1), Fill::Measured(vec![1.0]));
    assert_eq!(store.array(of(vec![])), Err(StoreError::Empty));
    assert_eq!(store.array(of(vec![drive, 4])), Err(StoreError::Order));
    let timeless = Array { fill: vec![Fill::Measured(vec![])], ..of(vec![drive]) };
    assert_eq!(store.array(timeless), Err(StoreError::Time));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// More parities, spares and haste don't lose more, drives that fail more often do, and a chance is one.
    #[test]
    fn what_is_safer_loses_less(
        members in 3_usize..9,
        outlives in 0_usize..3,
        mean in 2_000.0_f64..200_000.0,
        hours in 1.0_f64..200.0,
        shape in 0.7_f64..1.5,
        replaced in 0.0_f64..100.0,
    ) {
        let with = |outlives: usize, mean: f64, hours: f64, spares: usize| {
            let mut store = Store::new(None);
            let over = drives(&mut store, members + spares, Life::new(mean * HOUR, shape));
            let filled = array(over, AnyOf(outlives), Fill::Measured(vec![hours * HOUR]));
            store.array(Array { spares, replaced_after: Some(replaced * HOUR), ..filled }).unwrap();
            found(&store, YEAR, 0.05)
        };
        let outlives = outlives.min(members - 1);
        let usual = with(outlives, mean, hours, 0);
        prop_assert!((0.0..=1.0).contains(&usual.loss.chance));
        let slack = |other: &crate::Estimate| 3.0 * (other.loss.half_width + usual.loss.half_width) + 1e-30;
        let safer = [
            with((outlives + 1).min(members - 1), mean, hours, 0),
            with(outlives, mean * 1.5, hours, 0),
            with(outlives, mean, hours / 2.0, 0),
            with(outlives, mean, hours, 1),
        ];
        for other in &safer {
            prop_assert!(other.loss.chance <= usual.loss.chance + slack(other), "{usual:?} {other:?}");
        }
    }
}
