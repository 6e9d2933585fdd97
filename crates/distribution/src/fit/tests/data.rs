//! Values as people have them: zeros, ties, one value, no numbers, negative ones.

use super::*;
use crate::Exponential;
use miette::Diagnostic;

fn exponential(count: usize) -> Vec<f64> {
    draws(&Exponential::new(0.0, 4.0).unwrap().into(), count, 1)
}

#[test]
fn no_values_and_no_numbers_are_refused_with_their_place() {
    let refused = |values: &[f64]| fit(values, &FitOptions::default(), &|_| {}).unwrap_err();
    assert_eq!(refused(&[]), FitError::Empty);
    assert_eq!(
        refused(&[1.0, 2.0, f64::NAN]).to_string(),
        "value 3 is NaN; every value must be a finite number"
    );
    assert_eq!(
        refused(&[1.0, f64::INFINITY]).to_string(),
        "value 2 is inf; every value must be a finite number"
    );
    assert!(refused(&[f64::NAN]).help().unwrap().to_string().contains("take such values out"));
}

#[test]
fn one_value_or_one_over_and_over_is_a_constant() {
    for values in [&[3.5][..], &[3.5; 40]] {
        let report = fit(values, &FitOptions::default(), &|_| {}).unwrap();
        assert_eq!(report.chosen().label, "constant");
        assert_eq!(report.chosen().distribution, Distribution::constant(3.5));
        assert!(report.notes()[0].contains("a constant, and nothing to fit"), "{:?}", report.notes());
    }
}

#[test]
fn few_different_values_are_taken_as_they_are() {
    let values: Vec<f64> = (0..300).map(|i| [512.0, 4096.0, 8192.0][i % 3]).collect();
    let report = fit(&values, &FitOptions::default(), &|_| {}).unwrap();
    assert_eq!(report.chosen().label, "empirical");
    assert!((report.chosen().distribution.mass(4096.0) - 1.0 / 3.0).abs() < 1e-6);
    assert!(report.notes()[0].contains("only 3 different"), "{:?}", report.notes());
}

#[test]
fn zeros_and_ties_become_constant_parts() {
    let mut values = exponential(2_000);
    values.extend([0.0; 500]);
    values.extend([7.0; 300]);
    let report = fit(&values, &FitOptions::default(), &|_| {}).unwrap();
    assert_eq!(report.sample.atoms().iter().map(|atom| atom.0).collect::<Vec<_>>(), [0.0, 7.0]);
    let chosen = report.chosen();
    assert_eq!(chosen.label, "exponential");
    assert!((chosen.distribution.mass(0.0) - 500.0 / 2_800.0).abs() < 1e-6);
    assert!((chosen.distribution.mean() - report.sample.mean()).abs() < 1e-4);
    assert!(report.notes()[0].contains("17.86 % of the values are exactly 0"), "{:?}", report.notes());
    // Counts occur often each, and none more than its neighbours: they are no atoms.
    let counts: Vec<f64> = exponential(2_000).into_iter().map(f64::ceil).collect();
    assert!(Sample::new(&counts).unwrap().atoms().is_empty());
}

#[test]
fn a_single_zero_keeps_out_only_the_families_that_take_none() {
    let mut values = exponential(500);
    values.push(0.0);
    let report = fit(&values, &FitOptions::default(), &|_| {}).unwrap();
    let refused: Vec<&str> =
        report.attempts.iter().filter(|a| a.outcome.is_err()).map(|a| a.label.as_str()).collect();
    assert_eq!(refused, ["lognormal", "pareto"]);
}

#[test]
fn negative_values_are_refused_by_families_from_zero_on() {
    let values: Vec<f64> = exponential(500).into_iter().map(|x| x - 2.0).collect();
    let first = values.iter().position(|&x| x < 0.0).unwrap() + 1;
    let report = fit(&values, &FitOptions::default(), &|_| {}).unwrap();
    for attempt in &report.attempts {
        match &attempt.outcome {
            Err(reason) => assert!(reason.contains(&format!("value {first} is -")), "{reason}"),
            Ok(_) => {
                assert!(["gamma", "phase", "normal", "uniform"].iter().any(|f| attempt.label.starts_with(f)));
            }
        }
    }
    let error = fit(&values, &only(&[FitFamily::Pareto], None), &|_| {}).unwrap_err();
    assert!(error.to_string().contains("pareto: it takes no negative numbers"), "{error}");
    assert!(error.help().unwrap().to_string().contains("normal and uniform take any number"));
}

#[test]
fn a_shift_on_the_first_value_does_not_make_the_likelihood_infinite() {
    // Shape below 1, which invites the singularity: the fit must not sit on the first values.
    let truth = stages(&[(1.0, 0.3, 5.0, 2.0)]);
    let report = fit(&draws(&truth, 4_000, 2), &only(&[FitFamily::Gamma], Some(2)), &|_| {}).unwrap();
    let chosen = report.chosen();
    assert!(chosen.goodness.kolmogorov_smirnov < 0.03, "{:?} {:?}", chosen.parameters, chosen.goodness);
    for stage in chosen.parameters.chunks(4) {
        assert!(stage[0].value > 0.001 && stage[1].value.sqrt() * stage[2].value > 1e-4, "{stage:?}");
    }
}

#[test]
fn values_at_an_edge_that_was_fitted_to_them_do_not_make_a_squared_infinite() {
    let values: Vec<f64> = (0..200).map(f64::from).collect();
    let report = fit(&values, &only(&[FitFamily::Uniform], None), &|_| {}).unwrap();
    let good = report.chosen().goodness;
    assert!(good.anderson_darling < 0.5 && good.anderson_darling_p > 0.5, "{good:?}");
    // Values where there can be none are another thing.
    let wrong = crate::Uniform::new(100.0, 200.0).unwrap().into();
    let far = goodness::goodness(&values, None, &wrong, 2, 1e-9).anderson_darling;
    assert!(far > 100.0, "{far}");
}

#[test]
fn intervals_of_edges_reach_beyond_the_values_and_hold_the_estimate() {
    for (family, edges) in [(FitFamily::Uniform, vec![0, 1]), (FitFamily::Gamma, vec![3])] {
        let truth = Distribution::from(crate::Uniform::new(10.0, 20.0).unwrap());
        let stages = Some(1).filter(|_| family.has_stages());
        let options = FitOptions { bootstrap: 100, ..only(&[family], stages) };
        let report = fit(&draws(&truth, 300, 7), &options, &|_| {}).unwrap();
        let intervals = report.intervals.as_ref().unwrap();
        for (at, parameter) in report.chosen().parameters.iter().enumerate() {
            assert_eq!(parameter.is_edge, edges.contains(&at), "{}", parameter.name);
            let interval = intervals.parameters[at];
            assert!(
                interval.low <= parameter.value && parameter.value <= interval.high,
                "{}",
                parameter.name
            );
        }
        // The truth lies beyond the outermost values, by as much as a few of these lie apart.
        let beyond = |at: usize| {
            let (interval, value) = (intervals.parameters[at], report.chosen().parameters[at].value);
            (value - interval.low).max(interval.high - value)
        };
        assert!(edges.iter().all(|at| (0.01..15.0).contains(&beyond(*at))), "{family:?}: {intervals:?}");
    }
}

#[test]
fn the_mean_of_a_distribution_with_constant_parts_lies_in_its_interval() {
    let mut values = exponential(1_000);
    values.extend([0.0; 900]);
    let options = FitOptions { bootstrap: 100, ..only(&[FitFamily::Exponential], None) };
    let report = fit(&values, &options, &|_| {}).unwrap();
    let (mean, interval) = (report.chosen().distribution.mean(), report.intervals.unwrap().mean);
    assert!(interval.low < mean && mean < interval.high, "{mean}: {interval:?}");
}

#[test]
fn rounded_values_are_no_clusters() {
    for mean in [20.0, 100.0, 300.0] {
        let exact = draws(&Exponential::new(0.0, mean).unwrap().into(), 4_000, 5);
        let rounded: Vec<f64> = exact.iter().map(|x| x.ceil()).collect();
        let report = fit(&rounded, &FitOptions::default(), &|_| {}).unwrap();
        let chosen = report.chosen();
        assert!(chosen.goodness.kolmogorov_smirnov < 0.5 / mean + 0.03, "{mean}: {}", chosen.label);
        assert!(chosen.freedom() <= 3, "{mean}: {}", chosen.label);
    }
    assert_eq!(Sample::new(&[0.25, 0.5, 0.5, 1.75, 0.25, 0.5, 0.5]).unwrap().lattice, Some(0.25));
    assert_eq!(Sample::new(&exponential(100)).unwrap().lattice, None);
}

#[test]
fn very_small_values_count_for_what_they_are() {
    let truth = Distribution::from(Gamma::new(0.1, 40.0, 0.0).unwrap());
    let values = draws(&truth, 5_000, 9);
    let report = fit(&values, &only(&[FitFamily::Gamma, FitFamily::Weibull], Some(1)), &|_| {}).unwrap();
    let chosen = report.chosen();
    assert_eq!(chosen.label, "gamma, 1 stage");
    assert!((chosen.parameters[1].value - 0.1).abs() < 0.006, "{:?}", chosen.parameters);
    let exact: f64 = values.iter().map(|&x| chosen.distribution.density(x).ln()).sum();
    assert!((chosen.goodness.log_likelihood - exact).abs() < 1.0, "{exact}: {:?}", chosen.goodness);
}

#[test]
fn stages_beyond_reason_are_refused() {
    let values = exponential(100);
    let refused = fit(&values, &only(&[FitFamily::Gamma], Some(0)), &|_| {}).unwrap_err();
    assert_eq!(refused.to_string(), "0 stages can't be fitted; give 1 to 12");
    let refused = fit(&values, &only(&[FitFamily::Normal], Some(2)), &|_| {}).unwrap_err();
    assert!(refused.to_string().contains("the family normal fits no number of stages"), "{refused}");
    let few = fit(&values[..9], &only(&[FitFamily::Gamma], Some(3)), &|_| {}).unwrap_err();
    assert!(few.to_string().contains("11 parameters need at least 33 values"), "{few}");
}

#[test]
fn progress_is_heard_of() {
    let heard = std::sync::Mutex::new(Vec::new());
    let options = FitOptions { bootstrap: 5, ..only(&[FitFamily::Normal, FitFamily::Uniform], None) };
    fit(&exponential(100), &options, &|progress| heard.lock().unwrap().push(progress.clone())).unwrap();
    let heard = heard.into_inner().unwrap();
    assert_eq!(heard.iter().filter(|p| p.what == "families" && p.of == 2).count(), 2);
    assert_eq!(heard.iter().filter(|p| p.what == "resamples" && p.of == 5).count(), 5);
}
