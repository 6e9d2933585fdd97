//! Values of a known distribution: its family and its parameters come back.

use super::*;
use crate::{Exponential, Lognormal, Normal, Pareto, Uniform, Weibull};

#[test]
fn an_exact_two_stage_member_is_recovered() {
    let truth = [(0.4, 2.0, 1.0, 0.0), (0.6, 3.0, 0.5, 10.0)];
    let values = draws(&stages(&truth), 20_000, 3);
    let report = fit(&values, &only(&[FitFamily::Gamma], None), &|_| {}).unwrap();
    let chosen = report.chosen();
    assert_eq!(chosen.label, "gamma, 2 stages");
    for (index, (weight, shape, scale, offset)) in truth.into_iter().enumerate() {
        let found = &chosen.parameters[4 * index..4 * index + 4];
        let near = |at: usize, expected: f64, within: f64| {
            let value = found[at].value;
            assert!((value - expected).abs() < within, "{}: {value}, not {expected}", found[at].name);
        };
        near(0, weight, 0.015);
        // Shape, scale and offset of a stage are known less well than its mean: their errors go together.
        near(1, shape, 0.1 * shape);
        near(2, scale, 0.06 * scale);
        near(3, offset, 0.06);
    }
    // 106 bins of 20,000 values differ by √(2 · 106 / (π · 20,000)) = 0.058 by chance.
    assert!(
        chosen.goodness.area < 0.08 && chosen.goodness.kolmogorov_smirnov_p > 0.05,
        "{:?}",
        chosen.goodness
    );
}

#[test]
fn exponential_phases_with_offsets_are_recovered() {
    let values = draws(&stages(&[(0.5, 1.0, 1.0, 0.0), (0.5, 1.0, 0.5, 3.0)]), 10_000, 4);
    let report = fit(&values, &only(&[FitFamily::PhaseType], None), &|_| {}).unwrap();
    let found: Vec<f64> = report.chosen().parameters.iter().map(|parameter| parameter.value).collect();
    assert_eq!(report.chosen().label, "phase-type, 2 stages");
    for (value, expected) in found.iter().zip([0.5, 1.0, 0.0, 0.5, 0.5, 3.0]) {
        assert!((value - expected).abs() < 0.04, "{found:?}");
    }
}

#[test]
fn a_family_is_chosen_for_its_own_values() {
    let cases: [(&str, Distribution); 6] = [
        ("exponential", Exponential::new(0.0, 3.0).unwrap().into()),
        ("weibull", Weibull::new(0.6, 2.0, 0.0).unwrap().into()),
        ("lognormal", Lognormal::new(5.0, 1.2, 0.0).unwrap().into()),
        ("pareto", Pareto::new(1.4, 512.0).unwrap().into()),
        ("normal", Normal::new(-3.0, 2.0).unwrap().into()),
        ("uniform", Uniform::new(4.0, 9.0).unwrap().into()),
    ];
    for (seed, (label, truth)) in cases.into_iter().enumerate() {
        let values = draws(&truth, 3_000, 50 + seed as u64);
        let report = fit(&values, &FitOptions::default(), &|_| {}).unwrap();
        let table: Vec<String> = report
            .attempts
            .iter()
            .map(|a| format!("{}: {:?}", a.label, a.outcome.as_ref().map(|f| f.goodness.bic)))
            .collect();
        assert_eq!(report.chosen().label, label, "{table:#?}");
    }
}

#[test]
fn maxima_of_few_parameters_are_the_known_ones() {
    // Lognormal: mean and deviation of the logarithms; Pareto: n / Σ ln(x / min).
    let values = [1.0, 2.0, 4.0, 8.0];
    let parameters = |family| {
        let report = fit(&values, &only(&[family], None), &|_| {}).unwrap();
        report.chosen().parameters.iter().map(|parameter| parameter.value).collect::<Vec<_>>()
    };
    let two = 2.0_f64.ln();
    let lognormal = parameters(FitFamily::Lognormal);
    assert!(
        (lognormal[0] - 8.0_f64.sqrt()).abs() < 1e-5 && (lognormal[1] - two * 1.25_f64.sqrt()).abs() < 1e-6
    );
    assert!((parameters(FitFamily::Pareto)[0] - 4.0 / (6.0 * two)).abs() < 1e-6);
    assert_eq!(parameters(FitFamily::Uniform), [1.0, 8.0]);
    assert_eq!(parameters(FitFamily::Exponential), [3.75]);
}

#[test]
fn moments_are_matched_where_that_is_the_method() {
    let values = draws(&stages(&[(1.0, 2.5, 4.0, 0.0)]), 5_000, 9);
    let options = FitOptions { method: Method::Moments, ..FitOptions::default() };
    let report = fit(&values, &options, &|_| {}).unwrap();
    let (mean, variance) = (report.sample.mean(), report.sample.deviation().powi(2));
    for attempt in &report.attempts {
        let Ok(fitted) = &attempt.outcome else { continue };
        let distribution = &fitted.distribution;
        assert!(
            (distribution.mean() / mean - 1.0).abs() < 1e-3,
            "{}: {}",
            attempt.label,
            distribution.mean()
        );
        // One free number matches one moment, and a whole number of phases almost the second.
        if !["exponential", "hyper-erlang, 8 phases"].contains(&attempt.label.as_str()) {
            assert!((distribution.variance() / variance - 1.0).abs() < 1e-2, "{}", attempt.label);
        }
    }
}

#[test]
fn intervals_hold_the_truth_and_narrow_with_the_values() {
    let truth = stages(&[(0.4, 2.0, 1.0, 0.0), (0.6, 9.0, 0.5, 10.0)]);
    let width = |count: usize| {
        let options = FitOptions { bootstrap: 60, ..only(&[FitFamily::Gamma], Some(2)) };
        let report = fit(&draws(&truth, count, 5), &options, &|_| {}).unwrap();
        let intervals = report.intervals.clone().unwrap();
        assert_eq!((intervals.resamples, intervals.parameters.len()), (60, 8));
        assert!((intervals.mean.low..intervals.mean.high).contains(&report.sample.mean()));
        let weight = intervals.parameters[0];
        assert!(weight.low - 0.01 < 0.4 && 0.4 < weight.high + 0.01, "{weight:?}");
        // The error of a mean is σ/√n: the interval is four of them wide.
        let expected = 3.92 * truth.variance().sqrt() / (count as f64).sqrt();
        let found = intervals.mean.high - intervals.mean.low;
        assert!((found / expected - 1.0).abs() < 0.4, "{found}, not {expected}");
        found
    };
    assert!(width(2_000) > 2.0 * width(20_000));
}

#[test]
fn a_fit_is_the_same_with_any_number_of_threads() {
    let values = draws(&stages(&[(0.4, 2.0, 1.0, 0.0), (0.6, 9.0, 0.5, 10.0)]), 2_000, 8);
    let options = FitOptions { bootstrap: 8, ..FitOptions::default() };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&values, &options, &|_| {})).unwrap()
    };
    let (one, three) = (with(1), with(3));
    assert_eq!(one.attempts, three.attempts);
    assert_eq!(one.intervals, three.intervals);
}
