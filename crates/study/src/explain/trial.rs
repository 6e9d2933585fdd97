//! Experiments: the scenario with and without a change, under the same random numbers.

use super::error::ExplainError;
use super::{NOTHING, OnTrial};
use crate::glance::overload;
use petrio_kernel::statistics::{Interval, Tally};
use petrio_scenario::Loaded;
use petrio_scenario::changes::PossibleChange;
use petrio_scenario::costs::{CostDifference, Costs};
use petrio_scenario::report::Report;
use petrio_scenario::run::Replicator;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is done, and how long it takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Requests or operations a second.
    pub rate: f64,
    /// Their mean latency, milliseconds.
    pub mean_ms: f64,
    /// The latency that 99 in a hundred don't exceed, milliseconds.
    pub p99_ms: f64,
    /// Whether more came than was served.
    pub overloaded: bool,
}

impl Figures {
    fn of(report: &Report) -> Option<Self> {
        let latency = report.served.latency.as_ref()?;
        Some(Self {
            rate: report.served.requests_per_s.value,
            mean_ms: latency.mean_ms.value,
            p99_ms: latency.p99_ms.value,
            overloaded: overload(report).is_some(),
        })
    }

    fn mean(all: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| all.iter().map(figure).collect::<Tally>().mean();
        Self {
            rate: of(|figures| figures.rate),
            mean_ms: of(|figures| figures.mean_ms),
            p99_ms: of(|figures| figures.p99_ms),
            overloaded: all.iter().any(|figures| figures.overloaded),
        }
    }
}

/// How many times as much something becomes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gain {
    /// The mean ratio.
    pub times: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

impl Gain {
    fn of(before: &[Figures], after: &[Figures], figure: fn(&Figures) -> f64, level: f64) -> Self {
        let logs = before.iter().zip(after).map(|(before, after)| libm::log(figure(after) / figure(before)));
        let logs: Tally = logs.filter(|log| log.is_finite()).collect();
        let Interval { mean, half_width, .. } = Interval::of(&logs, level);
        let half = if half_width.is_finite() { half_width } else { 0.0 };
        Self { times: libm::exp(mean), interval: (libm::exp(mean - half), libm::exp(mean + half)) }
    }

    /// Whether it is known to be more, or less, than nothing.
    pub fn is_known(&self) -> bool {
        self.interval.0 > 1.0 || self.interval.1 < 1.0
    }
}

/// A change, and what it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The change.
    pub change: PossibleChange,
    /// What becomes of how much is done.
    pub rate: Gain,
    /// Of the mean latency.
    pub mean: Gain,
    /// Of the latency that 99 in a hundred don't exceed.
    pub p99: Gain,
    /// With it.
    pub after: Figures,
    /// What it costs, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostDifference>,
}

impl Tried {
    /// How good it is: what it does to what changes are ranked by, as a logarithm, more for better.
    pub(super) fn worth(&self, by_rate: bool) -> f64 {
        if by_rate { libm::log(self.rate.times) } else { -libm::log(self.p99.times) }
    }

    /// By how many hundredths more is done, or by how many fewer the slowest in a hundred take, for each hundred of its currency that it
    /// costs over the scenario's months; nothing where it costs nothing more.
    pub(super) fn worth_of_a_hundred(&self, by_rate: bool) -> Option<f64> {
        let cost = self.cost.map(|cost| cost.over_months).filter(|&cost| cost > 0.0)?;
        let hundredths = if by_rate { self.rate.times - 1.0 } else { 1.0 - self.p99.times };
        Some(hundredths * 100.0 / cost * 100.0)
    }

    /// Whether it helps, as far as is known.
    pub(super) fn helps(&self, by_rate: bool) -> bool {
        let gain = if by_rate { self.rate } else { self.p99 };
        self.worth(by_rate) > NOTHING && gain.is_known()
    }
}

/// What was screened: what does something, what does nothing, and what can't be made, with why.
type Screened = (Vec<PossibleChange>, Vec<PossibleChange>, Vec<(PossibleChange, String)>);

/// The scenario as it is, and what is tried beside it.
pub(super) struct Trials<'l> {
    loaded: &'l Loaded,
    before: Vec<Figures>,
    report: Report,
    costs: Costs,
    tell: &'l OnTrial<'l>,
}

impl<'l> Trials<'l> {
    pub(super) fn new(
        loaded: &'l Loaded,
        replications: u32,
        tell: &'l OnTrial<'l>,
    ) -> Result<Self, ExplainError> {
        let base = Replicator::new(loaded)?;
        let reports: Vec<Report> = (0..replications)
            .into_par_iter()
            .map(|number| base.run(number.into()))
            .collect::<Result<_, _>>()?;
        let before: Option<Vec<Figures>> = reports.iter().map(Figures::of).collect();
        let before = before.filter(|before| !before.is_empty()).ok_or(ExplainError::NothingDone)?;
        let report = reports.into_iter().next().ok_or(ExplainError::NothingDone)?;
        Ok(Self { loaded, before, report, costs: Costs::of(loaded), tell })
    }

    /// The report of the first replication.
    pub(super) const fn report(&self) -> &Report {
        &self.report
    }

    /// The scenario as it is.
    pub(super) fn now(&self) -> Figures {
        Figures::mean(&self.before)
    }

    /// Runs each change once.
    pub(super) fn screen(&self, changes: Vec<PossibleChange>) -> Result<Screened, ExplainError> {
        let (done, of) = (AtomicU64::new(0), changes.len() as u64);
        let found: Vec<(PossibleChange, Result<f64, String>)> = changes
            .into_par_iter()
            .map(|change| {
                let outcome = self.difference(&change);
                (self.tell)("changes, once each", done.fetch_add(1, Ordering::Relaxed) + 1, of);
                outcome.map(|difference| (change, difference))
            })
            .collect::<Result<_, ExplainError>>()?;
        let (mut strong, mut nothing, mut impossible) = (Vec::new(), Vec::new(), Vec::new());
        for (change, difference) in found {
            match difference {
                Ok(difference) if difference > NOTHING => strong.push((difference, change)),
                Ok(_) => nothing.push(change),
                Err(why) => impossible.push((change, why)),
            }
        }
        strong.sort_by(|one, other| other.0.total_cmp(&one.0));
        Ok((strong.into_iter().map(|(_, change)| change).collect(), nothing, impossible))
    }

    /// By how much a change makes something different, as a logarithm; or why it can't be made.
    fn difference(&self, change: &PossibleChange) -> Result<Result<f64, String>, ExplainError> {
        let loaded = match self.loaded.with_change(change) {
            Ok(loaded) => loaded,
            Err(problems) => {
                let first = problems.iter().next().map(|problem| problem.message().to_owned());
                return Ok(Err(first.unwrap_or_default()));
            }
        };
        let run = Replicator::new(&loaded).and_then(|replicator| replicator.run(0));
        let after = match run {
            Ok(report) => Figures::of(&report),
            // What the scenario asks for can't be done with it.
            Err(failure) if !failure.is_stopped() => return Ok(Err(failure.to_string())),
            Err(failure) => return Err(failure.into()),
        };
        let (Some(after), before) = (after, self.before[0]) else {
            return Ok(Err("nothing completes with it".to_owned()));
        };
        let logs = [after.rate / before.rate, after.mean_ms / before.mean_ms, after.p99_ms / before.p99_ms];
        Ok(Ok(logs
            .into_iter()
            .map(|ratio| libm::log(ratio).abs())
            .filter(|log| log.is_finite())
            .fold(0.0, f64::max)))
    }

    /// Replicates changes.
    pub(super) fn confirm(
        &self,
        changes: Vec<PossibleChange>,
        what: &'static str,
    ) -> Result<Vec<Tried>, ExplainError> {
        let level = self.loaded.scenario.measure.confidence.get();
        let (done, of) = (AtomicU64::new(0), changes.len() as u64);
        let tried = changes.into_par_iter().map(|change| {
            let Ok(loaded) = self.loaded.with_change(&change) else { return Ok(None) };
            let replicator = Replicator::new(&loaded)?;
            let after: Option<Vec<Figures>> = (0..self.before.len() as u64)
                .map(|number| replicator.run(number))
                .collect::<Result<Vec<Report>, _>>()?
                .iter()
                .map(Figures::of)
                .collect();
            (self.tell)(what, done.fetch_add(1, Ordering::Relaxed) + 1, of);
            let Some(after) = after else { return Ok(None) };
            let gain = |figure| Gain::of(&self.before, &after, figure, level);
            Ok(Some(Tried {
                change,
                rate: gain(|figures: &Figures| figures.rate),
                mean: gain(|figures: &Figures| figures.mean_ms),
                p99: gain(|figures: &Figures| figures.p99_ms),
                after: Figures::mean(&after),
                cost: self.costs.difference(&Costs::of(&loaded)),
            }))
        });
        let tried: Vec<Option<Tried>> = tried.collect::<Result<_, ExplainError>>()?;
        Ok(tried.into_iter().flatten().collect())
    }
}
