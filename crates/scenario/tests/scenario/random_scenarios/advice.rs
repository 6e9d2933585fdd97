//! What a report advises comes true when it is done, as it is printed, and what it says helps nothing helps nothing: on random systems.
//!
//! `make test` looks at a few under a fixed seed, `make test-all` at hundreds under new ones (PETRIO_RANDOM_ADVICE).

use super::{Scenario, holds_of, scenarios};
use petrio_scenario::build::System;
use petrio_scenario::report::{Brought, Measured, Report, Sinks, WhatIf};
use petrio_scenario::run::{run, simulate};
use petrio_scenario::{Override, load_text};
use proptest::prelude::*;

/// What rounding makes of a ratio of means.
const ROUNDING: f64 = 1e-9;

/// One run with what a report says to set.
fn with(text: &str, set: &[String]) -> Result<Report, TestCaseError> {
    let overrides: Vec<Override> = set.iter().map(|set| set.parse().unwrap()).collect();
    let loaded = load_text("test.toml", text, None, &overrides);
    let loaded = loaded.map_err(|problems| TestCaseError::fail(format!("{set:?}: {problems:?}")))?;
    let report = simulate(&loaded, &System::build(&loaded).unwrap(), Sinks::default());
    report.map_err(|failure| TestCaseError::fail(format!("{set:?}: {failure}")))
}

/// How many times better something is than it was.
fn gain(before: &Report, after: &Report, of: Measured) -> f64 {
    let mean_ms = |report: &Report| report.served.latency.as_ref().unwrap().mean_ms.value;
    match of {
        Measured::Throughput => after.served.requests_per_s.value / before.served.requests_per_s.value,
        Measured::Latency => mean_ms(before) / mean_ms(after),
        Measured::Elapsed => before.jobs[0].elapsed_s / after.jobs[0].elapsed_s,
    }
}

fn comes_true(text: &str, before: &Report, what_if: &WhatIf) -> Result<(), TestCaseError> {
    if what_if.set.is_empty() {
        return Ok(());
    }
    let gain = gain(before, &with(text, &what_if.set)?, what_if.of);
    let [low, high] = what_if.interval;
    prop_assert!(what_if.gain > 1.0 && low > 1.0, "{what_if:?}\n{text}");
    prop_assert!(
        (low * (1.0 - ROUNDING)..=high * (1.0 + ROUNDING)).contains(&gain),
        "{gain}, {what_if:?}\n{text}"
    );
    Ok(())
}

/// What one looks like: how many were helped, how many weren't, in words for who counts.
fn holds_true(scenario: &Scenario) -> Result<(), TestCaseError> {
    let text = &scenario.text();
    let loaded = load_text("test.toml", text, None, &[]).unwrap();
    let report =
        run(&loaded, Sinks::default()).map_err(|failure| TestCaseError::fail(failure.to_string()))?;
    let Some(found) = &report.bottleneck else {
        return Err(TestCaseError::fail(format!("no bottleneck of\n{text}")));
    };
    for what_if in found.advice() {
        comes_true(text, &report, what_if)?;
    }
    let helped = found.advice().next().is_some();
    prop_assert!(helped || found.in_vain.len() <= found.tried as usize, "{found:?}\n{text}");
    prop_assert!(!helped || found.in_vain.is_empty(), "{found:?}\n{text}");
    for tried in found.in_vain.iter().filter(|tried| !tried.set.is_empty()) {
        let after = with(text, &tried.set)?;
        for &Brought { of, gain: said, .. } in &tried.brought {
            let gain = gain(&report, &after, of);
            prop_assert!((gain / said - 1.0).abs() <= ROUNDING, "{gain} of {of:?}, {tried:?}\n{text}");
        }
    }
    Ok(())
}

#[test]
fn what_is_advised_comes_true_when_it_is_done_and_what_helps_nothing_is_told_so() {
    holds_of("PETRIO_RANDOM_ADVICE", (6, 20), scenarios(), holds_true);
}
