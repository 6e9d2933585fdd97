//! What is shipped holds nine in ten of what is left out of it, and is what is written of it.
#![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]

use super::*;
use petrio_scenario::report::sure::{Class, Conditions, Of, Residuals};

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn ranges_hold_nine_in_ten_of_the_cases_that_are_left_out_in_turn_and_are_no_wider_than_they_must_be() {
    let all = left_out_in_turn(&Residuals::shipped_rows().unwrap());
    assert!(all.len() > 400, "{}", all.len());
    let held = |of: &[LeftOutCase]| of.iter().filter(|one| one.is_held()).count() as f64 / of.len() as f64;
    let whole = held(&all);
    assert!((0.9..0.98).contains(&whole), "{whole} of all are held");
    for &class in Class::ALL {
        let of: Vec<LeftOutCase> = all.iter().copied().filter(|one| one.class == class).collect();
        assert!(of.len() < 20 || held(&of) >= 0.85, "{} of {} are held", held(&of), class.words());
    }
    let times = median(all.iter().map(|one| one.half_width / class_error(&all, one.class)).collect());
    assert!(times <= 3.0, "half-widths are {times} times the median error of their class");
}

#[test]
fn the_page_says_what_the_shipped_table_comes_to() {
    let page = include_str!("../../../../docs/how-sure.md");
    let told = told().unwrap();
    assert!(
        page.contains(&told),
        "petrio validate residuals --shipped prints what docs/how-sure.md is to have:\n{told}"
    );
}

#[test]
fn a_class_that_was_never_validated_is_wider_than_any_that_was() {
    let shipped = Residuals::shipped().unwrap();
    for row in shipped.rows() {
        let own = shipped.half_width(row.class, row.figure, row.conditions());
        let never = shipped.half_width(Class::Messages, row.figure, row.conditions());
        assert!(own.cases > 0 && never.cases == 0, "{row}");
        assert!(never.ln >= own.ln, "{row}: {never:?}, {own:?}");
    }
}

#[test]
fn a_factor_of_two_is_the_logarithm_of_two_and_what_was_fitted_says_so() {
    let record = |label: &str| FsRecord {
        experiment: "throttled-read".to_owned(),
        journal: "ordered".to_owned(),
        file_size_bytes: 1 << 20,
        record_bytes: 8 << 10,
        label: label.to_owned(),
        measured: 50.0,
        predicted: 100.0,
    };
    let rows = of_fs(&[record("predicted"), record("interpolated"), record("in-sample")]);
    assert_eq!(rows.iter().map(|row| row.in_sample).collect::<Vec<_>>(), [false, true, true]);
    let Residual { class, figure, ln_ratio, .. } = rows[0];
    assert_eq!((class, figure), (Class::FileSystem, Of::Throughput));
    assert!((ln_ratio - std::f64::consts::LN_2).abs() < 1e-12);
    let _: Conditions = rows[0].conditions();
}

#[test]
fn the_shipped_rows_of_ceph_are_those_of_today() {
    let shipped = Residuals::shipped_rows().unwrap();
    let today = of_ceph(&ceph::predict(&ceph::shipped().unwrap(), &mut |_, _| {}).unwrap());
    let shipped: Vec<String> =
        shipped.iter().filter(|row| row.study == "ceph").map(ToString::to_string).collect();
    let today: Vec<String> = today.iter().map(ToString::to_string).collect();
    assert_eq!(shipped, today, "petrio validate residuals writes the table anew");
}
