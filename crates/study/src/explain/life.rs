//! Where the time goes: of the average request, of the slowest in a hundred, and of one of each from call to return.

use super::error::ExplainError;
use petrio_colours::{BlockRequest, Causes, FileOp};
use petrio_kernel::Time;
use petrio_scenario::Loaded;
use petrio_scenario::report::{Heard, Report, ReportError, Reported, RequestSink, Sinks, Subject};
use petrio_scenario::run::{Part as RunPart, run_part};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Where the time goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Life {
    /// On what the average request spends its time, milliseconds.
    pub average: Vec<Part>,
    /// The same of the slowest in a hundred, at the mean.
    pub slowest: Vec<Part>,
    /// One that takes as long as half of them.
    pub usual: One,
    /// One that takes as long as all but one in a hundred.
    pub slow: One,
}

/// A part of a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What it was spent on.
    pub cause: String,
    /// How long, milliseconds.
    pub ms: f64,
}

/// A single request or operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct One {
    /// When it was issued, seconds.
    pub issued_s: f64,
    /// How long it took, milliseconds.
    pub took_ms: f64,
    /// On what.
    pub parts: Vec<Part>,
}

/// Runs the scenario again, and looks at each request.
pub(super) fn of(loaded: &Loaded, report: &Report) -> Result<Life, ExplainError> {
    match loaded.subject() {
        Subject::BlockRequests => seen::<BlockRequest>(loaded, report),
        Subject::FileOperations => seen::<FileOp>(loaded, report),
    }
}

fn seen<R: Heard>(loaded: &Loaded, report: &Report) -> Result<Life, ExplainError> {
    let Some(latency) = &report.served.latency else { return Ok(Life::default()) };
    let picoseconds = |ms: f64| Time::from_seconds(ms / 1e3);
    let targets = [latency.p50_ms.value, latency.p99_ms.value].map(picoseconds);
    let looked = Arc::new(Mutex::new(Looked::new(targets, Time::from_seconds(report.warm_up_s))));
    let mut sinks = Sinks::default();
    sinks.push::<R>(Watcher(looked.clone()));
    run_part(loaded, sinks, RunPart { replication: Some(0), ..RunPart::default() })?;
    let looked = looked.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(looked.life::<R>())
}

/// What was seen.
struct Looked {
    targets: [Time; 2],
    /// What was issued before isn't counted.
    from: Time,
    all: Sums,
    slowest: Sums,
    nearest: [Option<Seen>; 2],
}

#[derive(Default)]
struct Sums {
    count: u64,
    took: u128,
    spans: Vec<u128>,
}

#[derive(Clone)]
struct Seen {
    issued: Time,
    took: Time,
    spans: Vec<Time>,
}

impl Looked {
    fn new(targets: [Time; 2], from: Time) -> Self {
        Self { targets, from, all: Sums::default(), slowest: Sums::default(), nearest: [None, None] }
    }

    fn see(&mut self, issued: Time, took: Time, spans: &dyn Fn() -> Vec<Time>) {
        if issued < self.from {
            return;
        }
        let spans = spans();
        self.all.add(took, &spans);
        if took >= self.targets[1] {
            self.slowest.add(took, &spans);
        }
        for (nearest, target) in self.nearest.iter_mut().zip(self.targets) {
            let distance = |took: Time| took.as_picos().abs_diff(target.as_picos());
            if nearest.as_ref().is_none_or(|known| distance(took) < distance(known.took)) {
                *nearest = Some(Seen { issued, took, spans: spans.clone() });
            }
        }
    }

    fn life<R: Reported>(&self) -> Life {
        let one = |seen: &Option<Seen>| {
            let Some(Seen { issued, took, spans }) = seen else { return One::default() };
            let spans = spans.iter().map(|span| u128::from(span.as_picos()));
            One {
                issued_s: issued.as_seconds(),
                took_ms: took.as_millis(),
                parts: parts::<R>(spans, (u128::from(took.as_picos()), 1)),
            }
        };
        let mean = |sums: &Sums| parts::<R>(sums.spans.iter().copied(), (sums.took, sums.count));
        Life {
            average: mean(&self.all),
            slowest: mean(&self.slowest),
            usual: one(&self.nearest[0]),
            slow: one(&self.nearest[1]),
        }
    }
}

impl Sums {
    fn add(&mut self, took: Time, spans: &[Time]) {
        self.count += 1;
        self.took += u128::from(took.as_picos());
        self.spans.resize(spans.len(), 0);
        self.spans.iter_mut().zip(spans).for_each(|(sum, span)| *sum += u128::from(span.as_picos()));
    }
}

/// Sums by cause as parts of so many requests, in the order in which a request meets the causes, without those of no time.
fn parts<R: Reported>(spans: impl Iterator<Item = u128>, (took, count): (u128, u64)) -> Vec<Part> {
    let ms = |picoseconds: u128| picoseconds as f64 / 1e9 / count.max(1) as f64;
    let spans: Vec<u128> = spans.collect();
    let charged: u128 = spans.iter().sum();
    let known = R::Cause::ALL.iter().zip(&spans).filter(|(_, span)| **span > 0);
    let mut all: Vec<Part> =
        known.map(|(cause, span)| Part { cause: cause.name().to_owned(), ms: ms(*span) }).collect();
    if took > charged {
        all.push(Part { cause: "not attributed".to_owned(), ms: ms(took - charged) });
    }
    all
}

/// Looks at each request as it completes.
struct Watcher(Arc<Mutex<Looked>>);

impl<R: Reported> RequestSink<R> for Watcher {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        let mut looked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let issued = request.issued();
        looked.see(issued, at.saturating_sub(issued), &|| {
            R::Cause::ALL.iter().map(|cause| request.ledger().of(*cause)).collect()
        });
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}
