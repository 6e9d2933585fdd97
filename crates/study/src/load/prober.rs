//! Runs a scenario at a load, and keeps what came of it.

use super::dial::Dial;
use super::error::LoadError;
use super::{LoadQuestion, OnProbe};
use crate::glance::{busiest, overload};
use petrio_kernel::statistics::{Interval, Tally};
use petrio_scenario::report::Report;
use petrio_scenario::run::Replicator;
use petrio_scenario::workload::Workload;
use petrio_scenario::{Loaded, Override, load_in};
use rayon::prelude::*;
use serde::Serialize;

/// What a load gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// As a factor on today's load.
    pub factor: f64,
    /// The metric.
    pub metric: f64,
    /// Half its interval, where there were replications.
    pub half_width: Option<f64>,
    /// The mean response, milliseconds.
    pub response_ms: f64,
    /// Requests or operations a second that were served.
    pub rate: f64,
    /// Bytes a second.
    pub throughput: f64,
    /// The stage that is busy for most of the time, and for which part of it, 0 to 1.
    pub busiest: Option<(String, f64)>,
    /// More came than was served.
    pub overloaded: bool,
    /// How many replications it is the mean of.
    pub replications: u32,
    /// Within which factor of the metric a real system's lies nine times in ten, as far as that is known.
    #[serde(skip)]
    pub width: Option<f64>,
}

/// Makes the runs.
pub(super) struct Prober<'q, 't> {
    question: &'q LoadQuestion,
    tell: &'q mut OnProbe<'t>,
    dial: Dial,
    base: Loaded,
    points: Vec<Point>,
    runs: u32,
}

impl<'q, 't> Prober<'q, 't> {
    pub(super) fn new(question: &'q LoadQuestion, tell: &'q mut OnProbe<'t>) -> Result<Self, LoadError> {
        let base = read(question, Vec::new())?;
        let dial = if question.over.is_empty() {
            Dial::of_workloads(&base)?
        } else {
            Dial::of_paths(&base, &question.over)?
        };
        if question.limit.is_some() && question.metric.more_is_better() {
            return Err(LoadError::NoLimit { metric: question.metric.to_string() });
        }
        Ok(Self { question, tell, dial, base, points: Vec::new(), runs: 0 })
    }

    /// Runs that are left.
    pub(super) const fn left(&self) -> u32 {
        self.question.runs.saturating_sub(self.runs)
    }

    /// What there is by now, by load.
    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    pub(super) const fn dial(&self) -> &Dial {
        &self.dial
    }

    /// Whether every workload waits for what it asks for.
    pub(super) fn is_closed(&self) -> bool {
        self.base.scenario.workload.values().all(Workload::is_closed)
    }

    pub(super) fn about(&self) -> (Dial, bool, String) {
        (self.dial.clone(), self.is_closed(), self.base.scenario.title.clone())
    }

    pub(super) fn into_points(self) -> (Vec<Point>, u32) {
        (self.points, self.runs)
    }

    /// What a load near this gives; one that was run already isn't run again.
    pub(super) fn probe(&mut self, factor: f64) -> Result<Point, LoadError> {
        let factor = self.dial.possible(factor);
        if let Some(known) = self.points.iter().find(|point| (point.factor / factor - 1.0).abs() < 1e-9) {
            return Ok(known.clone());
        }
        let point = self.run(factor, 1)?;
        let place = self.points.partition_point(|known| known.factor < factor);
        self.points.insert(place, point.clone());
        Ok(point)
    }

    /// Replicates a load so many times more.
    pub(super) fn replicate(&mut self, factor: f64, more: u32) -> Result<Option<Point>, LoadError> {
        let Some(at) = self.points.iter().position(|point| point.factor == factor) else { return Ok(None) };
        let more = more.min(self.left());
        if more == 0 {
            return Ok(Some(self.points[at].clone()));
        }
        // Its first one again: which of them it was isn't kept.
        let whole = self.run(factor, 1 + more)?;
        self.runs -= 1;
        self.points[at] = whole.clone();
        Ok(Some(whole))
    }

    /// Fills the widest gaps between loads, from a tenth of the highest on.
    pub(super) fn fill_gaps(&mut self) -> Result<(), LoadError> {
        while self.left() > 0 {
            let Some(last) =
                self.points.iter().rev().find(|point| !point.overloaded).map(|point| point.factor)
            else {
                return Ok(());
            };
            let mut places: Vec<f64> = vec![last / 10.0];
            places.extend(self.points.iter().map(|point| point.factor).filter(|factor| *factor <= last));
            places.sort_by(f64::total_cmp);
            let widest = places.windows(2).map(|pair| (pair[1] - pair[0], (pair[0] + pair[1]) / 2.0));
            let Some((gap, middle)) = widest.max_by(|one, other| one.0.total_cmp(&other.0)) else {
                return Ok(());
            };
            let (known, step) = (self.points.len(), self.dial.step());
            if gap < last / 20.0 || gap < 2.0 * step {
                return Ok(());
            }
            self.probe(middle)?;
            if self.points.len() == known {
                return Ok(());
            }
        }
        Ok(())
    }

    fn run(&mut self, factor: f64, replications: u32) -> Result<Point, LoadError> {
        (self.tell)(self.runs, self.question.runs, factor);
        let loaded = read(self.question, self.dial.settings(factor))?;
        let failed = |failure| LoadError::Run { factor, failure: Box::new(failure) };
        let replicator = Replicator::new(&loaded).map_err(failed)?;
        let mut reports: Vec<Report> = (0..replications)
            .into_par_iter()
            .map(|number| replicator.run(number.into()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        if self.question.watch.is_stopped() {
            return Err(LoadError::Stopped);
        }
        reports.first_mut().into_iter().for_each(|report| replicator.tell_how_sure(report));
        self.runs += replications;
        self.point(factor, &reports)
    }

    fn point(&self, factor: f64, reports: &[Report]) -> Result<Point, LoadError> {
        let metric = &self.question.metric;
        let of = |report: &Report| metric.of(report).map(|estimate| estimate.value);
        let missing = || LoadError::NoFigure { metric: metric.to_string() };
        let values: Tally =
            reports.iter().map(of).collect::<Option<Vec<f64>>>().ok_or_else(missing)?.into_iter().collect();
        let level = self.base.scenario.measure.confidence.get();
        let half_width = Some(Interval::of(&values, level).half_width).filter(|half| half.is_finite());
        let mean = |of: &dyn Fn(&Report) -> f64| reports.iter().map(of).collect::<Tally>().mean();
        let busiest = reports.first().and_then(busiest);
        Ok(Point {
            factor,
            metric: values.mean(),
            half_width,
            response_ms: mean(&|report| {
                report.served.latency.as_ref().map_or(f64::NAN, |latency| latency.mean_ms.value)
            }),
            rate: mean(&|report| report.served.requests_per_s.value),
            throughput: mean(&|report| report.served.throughput_bytes_per_s.value),
            busiest,
            overloaded: reports.iter().any(|report| overload(report).is_some()),
            replications: u32::try_from(reports.len()).unwrap_or(u32::MAX),
            width: reports.first().and_then(|report| super::sure::width(report, metric)),
        })
    }
}

fn read(question: &LoadQuestion, more: Vec<Override>) -> Result<Loaded, LoadError> {
    let mut settings = super::settings(question);
    settings.extend(more);
    load_in(&question.files, &question.scenario, &settings, &question.watch)
        .map_err(|problems| LoadError::Scenario(Box::new(problems)))
}
