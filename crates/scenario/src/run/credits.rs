//! Bursts that a run rests on: what is left of them, and what comes behind.
//!
//! Credits last for half an hour and for days, which no run is made as long as. What comes behind them is told by the same run with
//! empty buckets instead, and when they are empty by how fast the run used them up.

use crate::build::System;
use crate::claim::Claim;
use crate::loaded::Loaded;
use crate::report::{BehindCredits, CreditFigures, CreditUnit, Report};
use crate::run::RunFailure;
use crate::run::burst::{FIRINGS_MAX, last_of, run_once};
use petrio_kernel::{Simulation, Time};
use petrio_models::device::throttle::Credit;
use petrio_units::Fraction;

/// A load that gets less than this part of what the run got gets less.
const LESS: f64 = 0.95;
/// A run that used less than this part of what it would get back meanwhile doesn't rest on a burst.
const USED: f64 = 1e-3;

/// What is left of the bursts of a System, by class.
pub(super) fn credits(system: &System, run: &Simulation) -> Vec<CreditFigures> {
    let mut all: Vec<CreditFigures> = Vec::new();
    let ran_s = run.now().as_seconds();
    for (class, credits) in &system.credits {
        let Some(credit) = credits.now(run) else { continue };
        let unit = if credits.of_bytes { CreditUnit::Bytes } else { CreditUnit::Requests };
        let mut figures = figures(class, unit, credit, ran_s);
        match all.iter_mut().find(|known| known.part == *class && known.unit == unit) {
            Some(known) => {
                figures.parts = known.parts + 1;
                if figures.left <= known.left {
                    *known = figures;
                } else {
                    known.parts = figures.parts;
                }
            }
            None => all.push(figures),
        }
    }
    all
}

fn figures(class: &str, unit: CreditUnit, credit: Credit, ran_s: f64) -> CreditFigures {
    let Credit { room, left, begun_with, rate, burst_rate, dry } = credit;
    let used = begun_with - left;
    let rests = ran_s > 0.0 && used > USED * rate * ran_s;
    CreditFigures {
        part: class.to_owned(),
        unit,
        parts: 1,
        room,
        left,
        lasting_per_s: rate,
        burst_per_s: burst_rate,
        dry_at_s: dry.map(Time::as_seconds),
        // A run's start, in which some passes at once, tells more than lasts: no burst is used up faster than it passes.
        dry_after_s: (rests && dry.is_none())
            .then(|| (begun_with * ran_s / used).max(begun_with / (burst_rate - rate))),
        full_after_s: room / rate,
    }
}

/// Tells what comes behind the bursts that a report rests on.
///
/// # Errors
/// A run that was stopped; a run without credits that can't be is none.
pub(super) fn look_behind_credits(loaded: &Loaded, report: &mut Report) -> Result<(), RunFailure> {
    let Some((first, own)) = first_to_end(report) else { return Ok(()) };
    let many = report.served.subject.many();
    let behind = if report.firings as f64 <= FIRINGS_MAX {
        match run_once(&drained(loaded)) {
            Err(failure) if failure.is_stopped() => return Err(failure),
            // As where more comes than passes then.
            Err(_) => None,
            Ok(behind) => last_of(&behind.served, 1),
        }
    } else {
        None
    };
    if let Some((per_s, mean_ms)) = behind {
        if per_s >= LESS * own.0 && mean_ms * LESS <= own.1 {
            return Ok(());
        }
        report.behind_credits = Some(BehindCredits { requests_per_s: per_s, mean_latency_ms: mean_ms });
    }
    report.warnings.push(Claim::Burst.says(first.sentence(many, own, behind)));
    Ok(())
}

/// Tells of bursts that a report rests on without another run.
pub(super) fn look_at_credits(report: &mut Report) {
    if let Some((first, own)) = first_to_end(report) {
        let words = first.sentence(report.served.subject.many(), own, None);
        report.warnings.push(Claim::Burst.says(words));
    }
}

/// The burst that is over first, of those that a run rests on, and what completes a second in the run, with its mean latency.
fn first_to_end(report: &Report) -> Option<(CreditFigures, (f64, f64))> {
    let over = |figures: &CreditFigures| figures.over_s().unwrap_or(f64::INFINITY);
    let bursts = report.credits.iter().filter(|figures| figures.over_s().is_some());
    let first = bursts.min_by(|a, b| over(a).total_cmp(&over(b)))?.clone();
    Some((first, last_of(&report.served, 1)?))
}

/// The same with empty buckets.
fn drained(loaded: &Loaded) -> Loaded {
    let mut drained = loaded.clone();
    for disk in &mut drained.disks {
        if let Some(compiled) = disk.compiled.drained() {
            disk.compiled = compiled;
        }
    }
    for adapter in drained.scenario.hba.values_mut() {
        if let Some(limits) = &mut adapter.limits {
            limits.credits = Fraction::ZERO;
        }
    }
    for throttle in drained.scenario.holders.throttle.values_mut() {
        throttle.parameters.credits = Some(Fraction::ZERO);
    }
    drained
}
