//! What holds of every run, whatever its System and its workload are.

use petrio_scenario::build::System;
use petrio_scenario::load_text;
use petrio_scenario::report::{
    DeviceSink, Latency, Report, ReportError, Served, Sinks, StageFigures, Subject, Visit,
};
use petrio_scenario::run::simulate;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// How far figures may be apart that are one in two ways, but for rounding.
const ROUNDING: f64 = 1e-6;

/// What was at the devices, by their own ports.
#[derive(Clone, Copy, Default)]
struct Visits {
    /// How many came, and how many of them at the last instant at which any came, seconds.
    came: u64,
    last: (u64, f64),
    /// For how many seconds those together were there that have left.
    spent: f64,
    /// Those that haven't, and the sum of when they came, seconds.
    left: (u64, f64),
}

#[derive(Clone, Default)]
struct AtDevices(Arc<Mutex<Visits>>);

impl DeviceSink for AtDevices {
    fn visited(&mut self, visit: &Visit) -> Result<(), ReportError> {
        let mut seen = self.0.lock().unwrap();
        let at = visit.arrived.as_seconds();
        seen.came += 1;
        seen.last = if seen.last.1 == at { (seen.last.0 + 1, at) } else { (1, at) };
        match visit.completed {
            Some(completed) => seen.spent += (completed - visit.arrived).as_seconds(),
            None => seen.left = (seen.left.0 + 1, seen.left.1 + at),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

/// Whether two figures are one.
fn are_one(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUNDING * (1.0 + a.abs().max(b.abs()))
}

/// What of the laws a run broke, in words.
#[derive(Default)]
pub(crate) struct Broken(pub(crate) String);

impl Broken {
    pub(crate) fn unless(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let _ = write!(self.0, "\n  {}", what());
        }
    }

    /// What was broken, behind the text that broke it.
    pub(crate) fn of(self, text: &str) -> Option<String> {
        (!self.0.is_empty()).then(|| format!("{text}{}", self.0))
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
        self.run_in(text, None)
    }

    /// The same of one that names files of a folder.
    pub(crate) fn run_in(&mut self, text: &str, folder: Option<&Path>) -> Option<Report> {
        let loaded = match load_text("test.toml", text, folder, &[]) {
            Ok(loaded) => loaded,
            Err(problems) => {
                problems.iter().for_each(|problem| self.unless(false, || problem.to_string()));
                return None;
            }
        };
        let system = System::build(&loaded).unwrap();
        let (at_devices, mut sinks) = (AtDevices::default(), Sinks::default());
        sinks.push_device_log(at_devices.clone());
        match simulate(&loaded, &system, sinks) {
            Ok(report) => {
                self.report(&report);
                let ends_with_requests = report.each().all(|served| served.subject == Subject::BlockRequests);
                // What closes files comes to devices behind the last operation that counts, with which stages end.
                if ends_with_requests && report.warm_up_s == 0.0 {
                    let single = loaded.disks.iter().all(|disk| serves_one_at_a_time(&report, &disk.name));
                    self.devices(&report, *at_devices.0.lock().unwrap(), single);
                }
                Some(report)
            }
            Err(failure) => {
                self.unless(false, || failure.to_string());
                None
            }
        }
    }

    /// Little's law of all devices together: the numbers there by their rows, the times by their ports.
    fn devices(&mut self, report: &Report, visits: Visits, single: bool) {
        let rows = |ending: &'static str| report.stages.iter().filter(move |row| row.name.ends_with(ending));
        let came: u64 = rows("/queue").map(|row| row.arrivals).sum();
        let Visits { came: ports, last, spent, left } = visits;
        // Who comes as the run ends stands at the door.
        let door = if last.1 == report.simulated_s { last.0 } else { 0 };
        self.unless((ports - door..=ports).contains(&came), || {
            format!("{came} came to devices by their rows, {ports} by their ports, {door} at the end")
        });
        if !single {
            return;
        }
        let there = |row: &StageFigures| {
            let count = row.members.as_ref().map_or(1.0, |members| members.count as f64);
            count * (row.mean_queue.unwrap_or_default() + row.utilisation.unwrap_or_default())
        };
        let there: f64 = rows("/queue").chain(rows("/service")).map(there).sum();
        let until_end = left.0 as f64 * report.simulated_s - left.1;
        let by_ports = (spent + until_end) / report.simulated_s;
        self.unless(are_one(there, by_ports), || {
            format!("{there} are at devices by their rows, {by_ports} by their ports")
        });
    }

    /// What holds of one run's report, and of a mean of several.
    pub(crate) fn report(&mut self, report: &Report) {
        report.each().for_each(|served| self.served(served));
        report.each().for_each(|served| self.outstanding(served, report));
        report.stages.iter().for_each(|stage| self.stage(stage));
    }

    /// Little's law of the whole: those under way over time, and what each took.
    fn outstanding(&mut self, served: &Served, report: &Report) {
        let Some(latency) = &served.latency else { return };
        if report.warm_up_s > 0.0 || report.replications > 1 {
            return;
        }
        let series = &served.series;
        let last = series.intervals.len().saturating_sub(1);
        let spans = (0..=last).map(|at| if at == last { series.last_interval_s } else { series.interval_s });
        let there: f64 =
            series.intervals.iter().zip(spans).map(|(one, span)| one.mean_outstanding * span).sum();
        let spent = latency.mean_ms.value / 1e3 * served.requests.completed as f64;
        self.unless(are_one(there, spent), || {
            format!("{there} s are spent over time, {spent} s by requests")
        });
    }

    /// Each figure makes sense, and N = X·R and U·servers = X·S (Denning, Buzen, "The operational analysis of queueing network
    /// models", ACM Computing Surveys 10(3), 1978).
    fn stage(&mut self, stage: &StageFigures) {
        let figures = [
            stage.completions_per_s,
            stage.utilisation,
            stage.mean_queue,
            stage.mean_wait_ms,
            stage.mean_service_ms,
        ];
        for figure in figures.into_iter().flatten() {
            self.unless(figure.is_finite() && figure >= 0.0, || format!("{}: {figure}", stage.name));
        }
        let (busy, own) = (stage.utilisation.unwrap_or_default(), stage.own_utilisation.unwrap_or_default());
        self.unless(own <= busy + 1e-9 && busy <= 1.0 + 1e-9, || {
            format!("{} is busy {busy}, {own} for itself", stage.name)
        });
        let count = stage.members.as_ref().map_or(1.0, |members| members.count as f64);
        let Some(rate) = stage.completions_per_s.filter(|rate| *rate > 0.0) else { return };
        if let Some(queue) = stage.mean_queue {
            let by_time = rate * stage.mean_wait_ms.unwrap_or_default() / 1e3;
            self.unless(are_one(count * queue, by_time), || {
                format!("{}: N {queue}, X·R {by_time}", stage.name)
            });
        }
        if let Some(servers) = stage.servers {
            let work = (busy - own) * f64::from(servers) * count;
            let by_time = rate * stage.mean_service_ms.unwrap_or_default() / 1e3;
            self.unless(are_one(work, by_time), || {
                format!("{}: U·servers {work}, X·S {by_time}", stage.name)
            });
        }
    }
}

/// Whether a disk's rows are a queue and the service of one at a time.
fn serves_one_at_a_time(report: &Report, disk: &str) -> bool {
    let class = disk.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let service = [format!("{disk}/service"), format!("{class}*/service")];
    report.stages.iter().any(|row| service.contains(&row.name))
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
