//! Grids: rows that are read and refused, and what a prediction is judged by.
#![allow(clippy::unwrap_used)]

use super::measured::read_grid;
use super::predict::GridRow;
use super::{Cell, Moves, Regimes, in_range, judge};
use std::collections::BTreeMap;
use std::path::Path;

const HEADER: &str = "servers,clients,block_kib,op,link_mbit,storage,bytes_per_client,agg_mb_s";

fn refused(text: &str) -> String {
    read_grid(Path::new("g.csv"), text.as_bytes(), &mut BTreeMap::new()).unwrap_err().to_string()
}

#[test]
fn repetitions_of_a_cell_are_one_and_other_files_are_no_grids() {
    let text = format!(
        "{HEADER}\n4,2,64,write,40,tmpfs,1000,8.5\n4,2,64,write,40,tmpfs,1000,4.5\n1,1,8,read,40,tmpfs,1000,4\n"
    );
    let mut cells = BTreeMap::new();
    assert_eq!(read_grid(Path::new("g.csv"), text.as_bytes(), &mut cells).unwrap(), None);
    let rates: Vec<Vec<f64>> = cells.into_values().map(|measured| measured.mb_per_s).collect();
    assert_eq!(rates, [vec![4.0], vec![8.5, 4.5]]);
    let other = read_grid(Path::new("o.csv"), b"mode,block_kib\nx,8\n", &mut BTreeMap::new()).unwrap();
    assert_eq!(other, Some("servers"));
}

#[test]
fn rows_that_make_no_sense_are_refused_with_their_line() {
    for (row, why) in [
        ("0,2,64,write,40,tmpfs,1000,8.5", "servers is 0"),
        ("4,2,64,move,40,tmpfs,1000,8.5", "move"),
        ("4,2,64,write,-1,tmpfs,1000,8.5", "link_mbit is -1"),
        ("4,2,64,write,40,tmpfs,1000,nan", "agg_mb_s is NaN"),
        ("4,2,64,write,40,tmpfs,0,1", "nothing was moved"),
        ("4,2,64", "3 fields"),
    ] {
        let message = refused(&format!("{HEADER}\n4,2,64,write,40,tmpfs,1000,8.5\n{row}\n"));
        assert!(message.contains("line 3") && message.contains(why), "{message}");
    }
}

fn row(block_kib: u64, measured: f64, predicted: f64) -> GridRow {
    GridRow {
        cell: Cell {
            grid: "g".to_owned(),
            storage: "tmpfs".to_owned(),
            link_kbit: 40_000,
            disk_kb_s: 0,
            servers: 4,
            clients: 2,
            block_kib,
            moves: Moves::Write,
            bytes_per_client: 1000,
        },
        with_flush: false,
        measured_mb_per_s: vec![measured],
        predicted_mb_per_s: vec![predicted],
        error_percent: (predicted / measured - 1.0) * 100.0,
    }
}

#[test]
fn errors_and_orderings_are_counted() {
    let rows = [row(8, 4.0, 5.0), row(16, 8.0, 8.4), row(32, 8.2, 4.1)];
    let [judgement] = &judge(&rows)[..] else { panic!("one grid") };
    assert_eq!((judgement.cells, judgement.beyond), (3, 1));
    assert!((judgement.median_error_percent - 25.0).abs() < 1e-9);
    assert!((judgement.worst_error_percent + 50.0).abs() < 1e-9);
    // 16 and 32 KiB are too close to be in an order; 32 before 8 is broken.
    assert_eq!(judgement.orderings, (1, 2));
    assert!(judgement.broken[0].0.contains("32 KiB"), "{:?}", judgement.broken);
}

#[test]
fn a_cell_whose_rates_leave_a_gap_has_two_regimes() {
    let of = |predicted: &[f64], measured: &[f64]| GridRow {
        measured_mb_per_s: measured.to_vec(),
        predicted_mb_per_s: predicted.to_vec(),
        ..row(64, 1.0, 1.0)
    };
    let two = of(&[4.8, 8.2, 8.3, 8.1], &[4.8, 8.2]);
    let regimes = Regimes::of(&two).unwrap();
    assert!((4.8..8.1).contains(&regimes.at_mb_per_s));
    assert_eq!((regimes.slow_predicted_percent, regimes.slow_measured_percent), (25.0, 50.0));
    assert_eq!(in_range(&two), (2, 2));
    let one = of(&[8.0, 8.3, 8.6, 8.9], &[8.1, 9.5]);
    assert_eq!(Regimes::of(&one), None);
    assert_eq!(in_range(&one), (1, 2));
    assert_eq!(Regimes::of(&of(&[8.0], &[8.0])), None);
    let [judged] = &judge(&[two, one])[..] else { panic!("one grid") };
    assert_eq!((judged.in_range, judged.slow_percent()), ((3, 4), Some((25.0, 50.0))));
}
