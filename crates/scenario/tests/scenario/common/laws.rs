//! What holds of every run, whatever its System and its workload are.

use petrio_scenario::build::System;
use petrio_scenario::load_text;
use petrio_scenario::report::{Latency, Report, Served, Sinks};
use petrio_scenario::run::simulate;
use std::fmt::Write;

/// What of the laws a run broke, in words.
#[derive(Default)]
pub(crate) struct Broken(pub(crate) String);

impl Broken {
    pub(crate) fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let _ = write!(self.0, "\n  {}", what());
        }
    }

    fn latency(&mut self, latency: &Latency) {
        let Latency { mean_ms, p50_ms, p90_ms, p99_ms, p99_9_ms, max_ms, .. } = latency;
        let ascending = [p50_ms, p90_ms, p99_ms, p99_9_ms, max_ms].map(|estimate| estimate.value);
        self.unless(
            ascending.is_sorted() && ascending[0] >= 0.0 && mean_ms.value <= max_ms.value * (1.0 + 1e-9),
            || format!("percentiles {ascending:?}, mean {}", mean_ms.value),
        );
    }

    fn served(&mut self, served: &Served) {
        let requests = served.requests;
        self.unless(requests.in_flight == 0 && served.waiting.is_none(), || {
            format!("{} in flight", requests.in_flight)
        });
        self.unless(requests.completed > 0 && served.failures.is_empty(), || "nothing was done".to_owned());
        let by_kind = served.operations.iter().filter_map(|kind| kind.latency.as_ref());
        [&served.latency, &served.read_latency, &served.write_latency, &served.flush_latency]
            .into_iter()
            .flatten()
            .chain(by_kind)
            .for_each(|latency| self.latency(latency));
        let shares: f64 = served.breakdown.iter().map(|share| share.fraction).sum();
        self.unless(served.breakdown.is_empty() || (shares - 1.0).abs() < 1e-3, || {
            format!("shares of time add up to {shares}")
        });
    }

    /// Runs a scenario that makes sense: what holds of every run.
    pub(crate) fn run(&mut self, text: &str) -> Option<Report> {
        let loaded = match load_text("test.toml", text, None, &[]) {
            Ok(loaded) => loaded,
            Err(problems) => {
                problems.iter().for_each(|problem| self.unless(false, || problem.to_string()));
                return None;
            }
        };
        let system = System::build(&loaded).unwrap();
        match simulate(&loaded, &system, Sinks::default()) {
            Ok(report) => {
                self.report(&report);
                Some(report)
            }
            Err(failure) => {
                self.unless(false, || failure.to_string());
                None
            }
        }
    }

    fn report(&mut self, report: &Report) {
        report.each().for_each(|served| self.served(served));
        for stage in &report.stages {
            let figures = [stage.utilisation, stage.mean_queue, stage.mean_wait_ms, stage.mean_service_ms]
                .into_iter()
                .flatten();
            for figure in figures {
                self.unless(figure.is_finite() && figure >= 0.0, || format!("{}: {figure}", stage.name));
            }
            let busy = stage.utilisation.unwrap_or_default();
            self.unless(busy <= 1.0 + 1e-9, || format!("{} is busy {busy}", stage.name));
        }
    }
}

/// Bytes of data that are kept: drives were sent to write them, to their place or (`logged`) to a journal, or a controller with a
/// battery has them in its cache. What several
/// requests were for counts once for each, and what is written over there.
pub(crate) fn kept(report: &Report, logged: bool) -> u64 {
    let rows = report.traffic.iter().flat_map(|device| &device.purposes);
    let holds = |purpose: &str| purpose.contains("data") || logged && purpose.contains("journal");
    let written: u64 = rows.filter(|row| holds(&row.purpose)).map(|row| row.writes.bytes).sum();
    let caches = report.arrays.iter().filter_map(|array| array.cache.as_ref());
    written + caches.map(|cache| cache.unwritten_bytes + cache.overwritten_bytes).sum::<u64>()
}
