//! The runs behind an answer: with and without a change, under the same random numbers.

use super::candidates::{Candidate, Change};
use crate::loaded::Loaded;
use crate::report::{Measured, OfWorkload, Overload, Subject, THE_SAME, WhatIf};
use crate::run::figures::{Figures, Own};
use crate::run::{Replicator, RunFailure};
use petrio_kernel::statistics::{Interval, Tally};
use petrio_page::numbers::significant;
use rayon::prelude::*;

/// Requests of a first look: enough for a stable mean, few enough to be done at once. File operations are many and
/// cheap, and the first ones say little: what they leave dirty is written by later ones.
const LOOK: u64 = 20_000;
const LOOK_AT_FILES: u64 = 200_000;
/// Replications behind an answer. With three or four, Student's interval holds each of them, so that somebody who makes
/// the change and runs the scenario once finds what he was told.
const LEAST: u64 = 3;
const MOST: u64 = 16;

/// A workload that gets more by less than this gets no more, and one that gets, or is as quick as, less than this part of what it did is
/// harmed.
const HARDLY: f64 = 0.02;
const HARMED: f64 = 0.9;

/// What an experiment is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    /// Whose figures.
    pub(super) subject: Subject,
    /// Which of them.
    pub(super) of: Measured,
}

impl Figures {
    fn judged(&self, judged: Judged) -> Option<f64> {
        let got = self.of_subject(judged.subject)?;
        Some(match judged.of {
            Measured::Throughput => got.requests_per_s,
            Measured::Latency | Measured::Elapsed => got.mean_ms,
        })
    }

    /// How many times better it is than it was. Under an overload latencies grow as long as the run goes on, and say nothing
    /// unless it ends.
    pub(super) fn gain_over(&self, before: &Self, judged: Judged) -> f64 {
        let (Some(was), Some(is)) = (before.judged(judged), self.judged(judged)) else { return 1.0 };
        let gain = match judged.of {
            Measured::Throughput => is / was,
            Measured::Latency if before.overloaded(judged.subject) && self.overloaded(judged.subject) => 1.0,
            Measured::Latency | Measured::Elapsed => was / is,
        };
        if gain.is_finite() && gain > 0.0 { gain } else { 1.0 }
    }
}

/// What becomes of an overload, where there is one in each run without a change.
fn overload(before: &[Figures], after: &[Figures], Judged { subject, of }: Judged) -> Option<Overload> {
    let are = |runs: &[Figures]| runs.iter().filter(|figures| figures.overloaded(subject)).count();
    match (are(before) == before.len(), are(after)) {
        (true, 0) => Some(Overload::Ends),
        (true, _) if of == Measured::Throughput => Some(Overload::Remains),
        _ => None,
    }
}

/// Short runs of all candidates in the first replication, and of the scenario as it is.
pub(super) fn screened(
    loaded: &Loaded,
    base: &Replicator<'_>,
    changes: &[&Change],
) -> Result<(Option<Figures>, Vec<Option<Figures>>), RunFailure> {
    let most = match loaded.subject() {
        Subject::BlockRequests => LOOK,
        Subject::FileOperations => LOOK_AT_FILES,
    };
    let everyone: Vec<Option<&Change>> =
        std::iter::once(None).chain(changes.iter().copied().map(Some)).collect();
    let mut figures = everyone
        .into_par_iter()
        .map(|change| Ok(one(loaded, base, change, &[0], Some(most))?.and_then(|all| all.into_iter().next())))
        .collect::<Result<Vec<Option<Figures>>, RunFailure>>()?
        .into_iter();
    Ok((figures.next().flatten(), figures.collect()))
}

/// Whole runs of the scenario as it is, as many as the report is of where that makes sense, once they are asked for.
#[derive(Default)]
pub(super) struct Before(Option<Option<Vec<Figures>>>);

/// What a change brings, by whole runs, as many as the report is of where that makes sense; nothing if one of them
/// can't be.
pub(super) fn confirmed(
    loaded: &Loaded,
    base: &Replicator<'_>,
    candidate: &Candidate,
    (judged, replications): (Judged, u32),
    known: &mut Before,
) -> Result<Option<WhatIf>, RunFailure> {
    let measure = &loaded.scenario.measure;
    let replications: Vec<u64> = (0..u64::from(replications).clamp(LEAST, MOST)).collect();
    let (before, after) = rayon::join(
        || match &known.0 {
            Some(before) => Ok(before.clone()),
            None => one(loaded, base, None, &replications, None),
        },
        || one(loaded, base, Some(&candidate.change), &replications, None),
    );
    let before = known.0.insert(before?);
    let (Some(before), Some(after)) = (before.as_ref(), after?) else { return Ok(None) };
    // How many times better is a ratio: twice and half as good differ from none by as much, and what grows without end from
    // replication to replication is known well enough by its logarithm.
    let gains = before.iter().zip(&after).map(|(before, after)| after.gain_over(before, judged));
    let gains: Tally = gains.map(libm::log).collect();
    let level = measure.confidence.get();
    let Interval { mean, half_width, .. } = Interval::of(&gains, level);
    let average = |figures: &[Figures]| {
        let all = figures.iter().filter_map(|figures| figures.judged(judged)).filter(|value| *value > 0.0);
        libm::exp(all.map(libm::log).collect::<Tally>().mean())
    };
    let is_alone = before.first().is_none_or(|figures| figures.workloads.len() < 2);
    let price = candidate.price.map(str::to_owned).or_else(|| harm(before, &after));
    Ok(Some(WhatIf {
        price,
        gain: libm::exp(mean),
        interval: [libm::exp(mean - half_width), libm::exp(mean + half_width)],
        confidence: level,
        replications: replications.len() as u64,
        before: average(before),
        after: average(&after),
        overload: overload(before, &after, judged),
        workloads: by_workload(before, &after, judged),
        ..candidate.asked(judged, loaded.subjects().len() > 1 || !is_alone)
    }))
}

/// What a change costs one of several workloads, in words: how much less it gets, or how much longer its operations take, where that
/// is no gain of its own. Of several that of which it takes most.
fn harm(before: &[Figures], after: &[Figures]) -> Option<String> {
    let rows = before.first()?.workloads.iter();
    let worst = rows.filter_map(|row| {
        let of =
            |figures: &Figures| figures.workloads.iter().find(|own| own.workload == row.workload).cloned();
        let gains: Vec<(f64, f64)> = (before.iter().zip(after))
            .filter_map(|(before, after)| {
                let (before, after) = (of(before)?, of(after)?);
                Some((libm::log(after.per_s / before.per_s), libm::log(before.mean_ms / after.mean_ms)))
            })
            .filter(|(rate, latency)| rate.is_finite() && latency.is_finite())
            .collect();
        let mean = |of: fn(&(f64, f64)) -> f64| {
            libm::exp(gains.iter().map(of).sum::<f64>() / gains.len().max(1) as f64)
        };
        let (rate, latency) = (mean(|gain| gain.0), mean(|gain| gain.1));
        (rate < 1.0 + HARDLY && rate.min(latency) < HARMED).then_some((row.workload.as_str(), rate, latency))
    });
    let (name, rate, latency) = worst.min_by(|a, b| a.1.min(a.2).total_cmp(&b.1.min(b.2)))?;
    Some(if rate < HARMED {
        format!("\"{name}\" gets {} times as much", significant(rate))
    } else {
        format!("\"{name}\" takes {} times as long", significant(1.0 / latency))
    })
}

/// What a change brings to each of several workloads: how much more it gets, or, where that is hardly more, how much quicker it is.
fn by_workload(before: &[Figures], after: &[Figures], judged: Judged) -> Vec<OfWorkload> {
    let Some(rows) = before.first().map(|figures| &figures.workloads).filter(|rows| rows.len() > 1) else {
        return Vec::new();
    };
    let row = |name: &str| {
        let of = |figures: &[Figures], value: fn(&Own) -> f64| {
            let own = figures.iter().map(|figures| figures.workloads.iter().find(|own| own.workload == name));
            let logs: Option<Tally> = own.map(|own| Some(libm::log(value(own?)))).collect();
            logs.map(|logs| libm::exp(logs.mean())).filter(|mean| mean.is_finite() && *mean > 0.0)
        };
        let rates = (of(before, |own| own.per_s)?, of(after, |own| own.per_s)?);
        let times = (of(before, |own| own.mean_ms)?, of(after, |own| own.mean_ms)?);
        let moves = |gain: f64| (gain - 1.0).abs() >= THE_SAME;
        let (more, quicker) = (rates.1 / rates.0, times.0 / times.1);
        let grows = after.iter().any(|figures| figures.overloaded(judged.subject));
        let by_rate = grows || moves(more) || !moves(quicker);
        let (of, gain, (before, after)) =
            if by_rate { (Measured::Throughput, more, rates) } else { (Measured::Latency, quicker, times) };
        Some(OfWorkload { workload: name.to_owned(), of, gain, before, after })
    };
    rows.iter().filter_map(|own| row(&own.workload)).collect()
}

/// Runs of the scenario with a change, or without any. Nothing, where it isn't a scenario or doesn't run with that change.
fn one(
    loaded: &Loaded,
    base: &Replicator<'_>,
    change: Option<&Change>,
    replications: &[u64],
    most: Option<u64>,
) -> Result<Option<Vec<Figures>>, RunFailure> {
    let runs = |replicator: &Replicator<'_>, speeds: &[(&str, f64)]| {
        let figures: Result<Option<Vec<Figures>>, RunFailure> =
            replications.par_iter().map(|&number| replicator.figures(number, speeds, most)).collect();
        figures
    };
    let Some(Change { settings, speeds }) = change else { return runs(base, &[]) };
    let speeds: Vec<(&str, f64)> = speeds.iter().map(|page| (page.as_str(), petrio_models::TWICE)).collect();
    if settings.is_empty() {
        return unless_stopped(runs(base, &speeds));
    }
    let Ok(changed) = loaded.with_settings(settings) else { return Ok(None) };
    let replicator = match base.from() {
        Some(from) => Replicator::going_on(&changed, from),
        None => Replicator::new(&changed),
    };
    unless_stopped(replicator.and_then(|replicator| runs(&replicator, &speeds)))
}

/// A change under which the scenario fails is no answer; one that nobody wants any more ends it all.
fn unless_stopped(
    figures: Result<Option<Vec<Figures>>, RunFailure>,
) -> Result<Option<Vec<Figures>>, RunFailure> {
    match figures {
        Err(failure) if failure.is_stopped() => Err(failure),
        Err(_) => Ok(None),
        Ok(figures) => Ok(figures),
    }
}
