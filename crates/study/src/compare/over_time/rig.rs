//! A scenario's disk alone, asked for a bin's load.

use super::bins::{Bin, Flow, Load, PARTS_MOST};
use crate::compare::entrant::Entrant;
use crate::compare::error::CompareError;
use petrio_colours::{BlockRequest, Direction};
use petrio_files::inputs::Inputs;
use petrio_kernel::{Time, Watch};
use petrio_scenario::report::{Estimate, ReportError, RequestSink, Sinks};
use petrio_scenario::run::{Part, RunFailure, run_part};
use petrio_scenario::{Loaded, PlacedDisk, Problems, load_from};
use petrio_units::numbers::nearest_whole;
use rayon::prelude::*;
use std::sync::{Arc, Mutex};
use toml::{Table, Value};

/// What a disk does with a bin's load; times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Predicted {
    pub(super) reads: Option<Estimate>,
    pub(super) writes: Option<Estimate>,
    pub(super) both: Option<Estimate>,
    pub(super) busy: f64,
    pub(super) in_flight: f64,
    pub(super) per_s: f64,
    /// Whether less is served than comes: what comes at any time, and goes later and later.
    pub(super) overloaded: bool,
}

/// Less than this part of what comes is served by a device that is overloaded; what is served is known to so many standard errors.
const OVERLOADED: f64 = 0.96;
const ERRORS: f64 = 4.0;
/// The part of a run that is cut off at its beginning, while the queue grows to its usual length.
const WARM_UP: usize = 10;
/// A run has so many requests at least.
const REQUESTS_LEAST: u64 = 50;
/// Processes that wait for their requests; more are put together no differently.
const PROCESSES_MOST: u64 = 512;

/// A key of the drive and the value it is given.
pub(super) type Setting = (&'static str, Value);

/// Why a load couldn't be run.
pub(super) enum Failure {
    Scenario(Problems),
    Run(RunFailure),
}

impl Failure {
    pub(super) fn of(self, entrant: &Entrant) -> CompareError {
        match self {
            Self::Scenario(problems) => problems.into(),
            Self::Run(failure) => entrant.failed(failure),
        }
    }
}

/// A disk of a scenario, without the rest of it.
pub(super) struct Rig {
    disk: Table,
    kind: String,
    seed: u64,
    requests: u64,
    replications: u32,
    watch: Watch,
}

impl Rig {
    /// The disk alone.
    ///
    /// # Errors
    /// Why it can't be run alone.
    pub(super) fn of(
        loaded: &Loaded,
        disk: &PlacedDisk,
        requests: u64,
        replications: u32,
    ) -> Result<Self, String> {
        let Some(part) = loaded.scenario.disk.get(&disk.part) else {
            return Err("it is no disk of the scenario's own".to_owned());
        };
        let mut alone = Table::try_from(part).map_err(|error| error.to_string())?;
        // The drive as it is with all that was changed, on a bus of its own.
        for key in ["model", "file", "count", "bus", "spindle"] {
            alone.remove(key);
        }
        let drive = Table::try_from(&*disk.device).map_err(|error| error.to_string())?;
        let kind = drive.get("kind").and_then(Value::as_str).unwrap_or("disk").to_owned();
        alone.insert("drive".to_owned(), Value::Table(drive));
        Ok(Self {
            disk: alone,
            kind,
            seed: loaded.scenario.seed,
            requests,
            replications,
            watch: loaded.watch.clone(),
        })
    }

    /// Which model simulates it.
    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// The drive's parameters.
    pub(super) fn drive(&self) -> &Table {
        match self.disk.get("drive") {
            Some(Value::Table(drive)) => drive,
            _ => &self.disk,
        }
    }

    /// The same with other numbers of requests and replications.
    pub(super) fn with(&self, requests: u64, replications: u32) -> Self {
        Self {
            disk: self.disk.clone(),
            kind: self.kind.clone(),
            watch: self.watch.clone(),
            requests,
            replications,
            ..*self
        }
    }

    pub(super) const fn requests(&self) -> u64 {
        self.requests
    }

    /// What it does with each bin's load, with values of its drive changed. `step` is told of each run.
    pub(super) fn predict(
        &self,
        bins: &[Bin],
        settings: &[Setting],
        level: f64,
        step: &(dyn Fn() + Sync),
    ) -> Result<Vec<Predicted>, Failure> {
        let jobs: Vec<(usize, u64)> = (0..bins.len())
            .flat_map(|bin| (0..u64::from(self.replications)).map(move |run| (bin, run)))
            .collect();
        let loads: Result<Vec<Vec<Loaded>>, Failure> = bins
            .iter()
            .map(|bin| bin.parts.iter().map(|part| self.loaded((bin, part), settings)).collect())
            .collect();
        let loads = loads?;
        let outcomes: Vec<Result<Once, RunFailure>> = jobs
            .par_iter()
            .map(|&(bin, run)| {
                // Each draws its own numbers, and the same whatever the drive's parameters are.
                let number = |part: usize| ((bin * PARTS_MOST + part) as u64) << 32 | run;
                let parts: Result<Vec<Once>, RunFailure> =
                    loads[bin].iter().enumerate().map(|(part, loaded)| once(loaded, number(part))).collect();
                step();
                Ok(Once::together(&bins[bin].parts, &parts?))
            })
            .collect();
        let runs: Vec<Once> = outcomes.into_iter().collect::<Result<_, _>>().map_err(Failure::Run)?;
        let of_bin = |(bin, runs): (&Bin, &[Once])| {
            let count = self.requests as f64 * f64::from(self.replications) / bin.parts.len().max(1) as f64;
            let served = OVERLOADED.min(1.0 - ERRORS / libm::sqrt(count));
            let overloaded =
                !bin.closed && runs.iter().map(|run| run.served).sum::<f64>() < served * runs.len() as f64;
            Predicted { overloaded, ..Predicted::of(runs, level) }
        };
        Ok(bins.iter().zip(runs.chunks(self.replications as usize)).map(of_bin).collect())
    }

    /// A scenario of the disk and the load of a part of a bin.
    fn loaded(&self, (bin, part): (&Bin, &Load), settings: &[Setting]) -> Result<Loaded, Failure> {
        let mut disk = self.disk.clone();
        for (path, value) in settings {
            if let Some(place) = at(&mut disk, path) {
                *place = value.clone();
            }
        }
        let requests = (self.requests / bin.parts.len().max(1) as u64).max(REQUESTS_LEAST);
        let generators: Vec<Value> = [(&part.reads, 1), (&part.writes, 0)]
            .into_iter()
            .filter(|(flow, _)| flow.per_s > 0.0)
            .flat_map(|(flow, read)| generators(flow, read, bin))
            .map(Value::Table)
            .collect();
        let named = |name: &str, value: Value| Value::Table(Table::from_iter([(name.to_owned(), value)]));
        let load = Table::from_iter([
            ("kind".to_owned(), "synthetic".into()),
            ("on".to_owned(), "d".into()),
            ("requests".to_owned(), Value::Integer(i64::try_from(requests).unwrap_or(i64::MAX))),
            ("generators".to_owned(), Value::Array(generators)),
        ]);
        let measure = Table::from_iter([
            ("warm_up".to_owned(), Value::from("0 s")),
            ("model_error".to_owned(), Value::Boolean(false)),
        ]);
        let whole = Table::from_iter([
            ("seed".to_owned(), Value::Integer(i64::try_from(self.seed).unwrap_or(0))),
            ("measure".to_owned(), Value::Table(measure)),
            ("disk".to_owned(), named("d", Value::Table(disk))),
            ("workload".to_owned(), named("load", Value::Table(load))),
        ]);
        load_from("the disk alone", &whole.to_string(), &Inputs::none(), &[], &self.watch)
            .map_err(Failure::Scenario)
    }
}

/// The value of the drive at a path, to be changed.
fn at<'t>(disk: &'t mut Table, path: &str) -> Option<&'t mut Value> {
    let mut keys = path.split('.');
    let mut value = disk.get_mut("drive")?.as_table_mut()?.get_mut(keys.next()?)?;
    for key in keys {
        value = value.as_table_mut()?.get_mut(key)?;
    }
    Some(value)
}

/// Who asks for a bin's reads, or its writes.
fn generators(flow: &Flow, read: i64, bin: &Bin) -> Vec<Table> {
    const BLOCK: f64 = 512.0;
    let blocks = (flow.size / BLOCK).round().max(1.0);
    let generator = |pause_s: f64, waits: i64| {
        let pause = format!("{:.9} us", pause_s * 1e6);
        let pause = match pause_s > 0.0 {
            true => Table::from_iter([(
                "exponential".to_owned(),
                Value::Table(Table::from_iter([("mean".to_owned(), Value::from(pause))])),
            )])
            .into(),
            false => Value::from("0 us"),
        };
        Table::from_iter([
            ("read_fraction".to_owned(), Value::Integer(read)),
            ("time_critical_fraction".to_owned(), Value::Integer(waits)),
            ("inter_arrival".to_owned(), pause),
            ("size".to_owned(), Value::from(format!("{} B", nearest_whole(blocks * BLOCK)))),
            ("alignment".to_owned(), Value::from("512 B")),
        ])
    };
    if !bin.closed {
        return vec![generator(1.0 / flow.per_s, 0)];
    }
    // Little's law: so many were under way, and each of as many processes thinks for what is left of its turn.
    let taken = flow.taken.or(bin.both.taken).map_or(0.0, |taken| taken.value);
    let under_way = flow.per_s * taken;
    let processes = nearest_whole(under_way.ceil()).clamp(1, PROCESSES_MOST);
    let pause = ((processes as f64 - under_way) / flow.per_s).max(0.0);
    (0..processes).map(|_| generator(pause, 1)).collect()
}

/// What one run gave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Once {
    reads: Option<f64>,
    writes: Option<f64>,
    both: Option<f64>,
    busy: f64,
    in_flight: f64,
    per_s: f64,
    /// The least part that was served of what came, of all parts of the load.
    served: f64,
}

/// Requests as they completed: from when, until when, whether reads.
type Spans = Arc<Mutex<Vec<(Time, Time, bool)>>>;

/// Keeps when requests came and completed.
struct Kept(Spans);

impl RequestSink<BlockRequest> for Kept {
    fn completed(&mut self, request: &BlockRequest, at: Time) -> Result<(), ReportError> {
        if let Ok(mut spans) = self.0.lock() {
            spans.push((request.issued, at, request.direction == Direction::Read));
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

fn once(loaded: &Loaded, replication: u64) -> Result<Once, RunFailure> {
    let spans = Spans::default();
    let mut sinks = Sinks::default();
    sinks.push(Kept(Arc::clone(&spans)));
    run_part(loaded, sinks, Part { replication: Some(replication), ..Part::default() })?;
    let mut spans = spans.lock().map(|mut spans| std::mem::take(&mut *spans)).unwrap_or_default();
    spans.sort_unstable();
    Ok(Once::of(&spans[spans.len() / WARM_UP..]))
}

impl Once {
    /// Of requests in the order in which they came.
    fn of(spans: &[(Time, Time, bool)]) -> Self {
        let (Some(&(first, _, _)), Some(last)) = (spans.first(), spans.iter().map(|(_, end, _)| *end).max())
        else {
            return Self::default();
        };
        let mean = |of: &dyn Fn(bool) -> bool| {
            let own = spans.iter().filter(|(.., read)| of(*read));
            let (count, sum) = own.fold((0.0, 0.0), |(count, sum), (from, to, _)| {
                (count + 1.0, sum + (*to - *from).as_seconds())
            });
            (count > 0.0).then_some(sum / count)
        };
        let (mut busy, mut until) = (0.0, first);
        let mut whole = 0.0;
        for (from, to, _) in spans {
            whole += (*to - *from).as_seconds();
            if *to > until {
                busy += (*to - until.max(*from)).as_seconds();
                until = *to;
            }
        }
        let time = (last - first).as_seconds();
        Self {
            reads: mean(&|read| read),
            writes: mean(&|read| !read),
            both: mean(&|_| true),
            busy: busy / time,
            in_flight: whole / time,
            per_s: spans.len() as f64 / time,
            served: 1.0,
        }
    }

    /// Parts of a bin's load as one, each for as long as it lasted.
    fn together(loads: &[Load], runs: &[Self]) -> Self {
        let pairs = || loads.iter().zip(runs);
        let time: f64 = loads.iter().map(|load| load.time_s).sum();
        let over_time =
            |of: fn(&Self) -> f64| pairs().map(|(load, run)| of(run) * load.time_s).sum::<f64>() / time;
        let over_requests = |of: fn(&Self) -> Option<f64>, rate: fn(&Load) -> f64| {
            let known = pairs().filter_map(|(load, run)| Some((rate(load) * load.time_s, of(run)?)));
            let (weight, sum) =
                known.fold((0.0, 0.0), |(all, sum), (weight, each)| (all + weight, sum + weight * each));
            (weight > 0.0).then_some(sum / weight)
        };
        let rate = |load: &Load| load.reads.per_s + load.writes.per_s;
        Self {
            reads: over_requests(|run| run.reads, |load| load.reads.per_s),
            writes: over_requests(|run| run.writes, |load| load.writes.per_s),
            both: over_requests(|run| run.both, |load| load.reads.per_s + load.writes.per_s),
            busy: over_time(|run| run.busy),
            in_flight: over_time(|run| run.in_flight),
            per_s: over_time(|run| run.per_s),
            served: pairs().map(|(load, run)| run.per_s / rate(load)).fold(1.0, f64::min),
        }
    }
}

impl Predicted {
    fn of(runs: &[Once], level: f64) -> Self {
        let estimate = |of: fn(&Once) -> Option<f64>| {
            let values: Vec<f64> = runs.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| Estimate::of(values, level))
        };
        let mean = |of: fn(&Once) -> f64| runs.iter().map(of).sum::<f64>() / runs.len().max(1) as f64;
        Self {
            reads: estimate(|run| run.reads),
            writes: estimate(|run| run.writes),
            both: estimate(|run| run.both),
            busy: mean(|run| run.busy),
            in_flight: mean(|run| run.in_flight),
            per_s: mean(|run| run.per_s),
            overloaded: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_requests_keep_a_device_busy_once() {
        let at = Time::from_millis;
        let spans = [(at(0), at(4), true), (at(1), at(3), false), (at(6), at(8), true)];
        let once = Once::of(&spans);
        assert_eq!((once.busy, once.per_s), (6.0 / 8.0, 3.0 / 8e-3));
        assert_eq!((once.reads, once.writes), (Some(3e-3), Some(2e-3)));
        assert!((once.in_flight - 1.0).abs() < 1e-12, "Little's law: 375/s of 8/3 ms each");
    }
}
