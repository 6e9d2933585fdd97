#![allow(clippy::unwrap_used)]
use super::*;
use petrio_scenario::report::sure::{Class, Conditions, FLOOR, Of, Residuals};

/// Rows of a class that is left out in turn: sizes of errors, and half-widths of the ranges that hold them or don't.
struct LeftOut {
    class: Class,
    size: f64,
    half_width: f64,
}

/// Leaves each out in turn and predicts it from all others, with the code of the reports.
fn left_out() -> Vec<LeftOut> {
    let rows: Vec<Residual> =
        Residuals::shipped_rows().unwrap().into_iter().filter(|row| !row.in_sample).collect();
    let each = |left: usize| {
        let row = &rows[left];
        let others = rows.iter().enumerate().filter(|(index, _)| *index != left).map(|(_, row)| row.clone());
        let others = Residuals::of(others.collect());
        let half_width = others.half_width(row.class, row.figure, row.conditions()).ln;
        LeftOut { class: row.class, size: row.ln_ratio.abs(), half_width }
    };
    (0..rows.len()).map(each).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn ranges_hold_nine_in_ten_of_the_cases_that_are_left_out_in_turn_and_are_no_wider_than_they_must_be() {
    let all = left_out();
    assert!(all.len() > 400, "{}", all.len());
    let held =
        |of: &[&LeftOut]| of.iter().filter(|one| one.size <= one.half_width).count() as f64 / of.len() as f64;
    let whole = held(&all.iter().collect::<Vec<_>>());
    assert!((0.9..0.98).contains(&whole), "{whole} of all are held");
    let mut times = Vec::new();
    for &class in Class::ALL {
        let of: Vec<&LeftOut> = all.iter().filter(|one| one.class == class).collect();
        if of.is_empty() {
            continue;
        }
        let error = median(of.iter().map(|one| one.size.max(FLOOR)).collect());
        let half_width = median(of.iter().map(|one| one.half_width).collect());
        let share = held(&of);
        println!(
            "{class:?}: {} cases, {share:.3} held, half-width {half_width:.4}, error {error:.4}",
            of.len()
        );
        assert!(of.len() < 20 || share >= 0.85, "{share} of {} are held", class.words());
        times.extend(of.iter().map(|one| one.half_width / error));
    }
    let times = median(times);
    println!("all: {whole:.3} held, half-widths {times:.2} times the median error of the class");
    assert!(times <= 3.0, "half-widths are {times} times the median error of their class");
}

#[test]
fn a_class_that_was_never_validated_is_wider_than_any_that_was() {
    let shipped = Residuals::shipped().unwrap();
    for row in shipped.rows() {
        let own = shipped.half_width(row.class, row.figure, row.conditions());
        let never = shipped.half_width(Class::Messages, row.figure, row.conditions());
        assert!(own.cases > 0 && never.cases == 0, "{row}");
        assert!(never.ln >= own.ln.min(shipped.widest()), "{row}: {never:?}, {own:?}");
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
