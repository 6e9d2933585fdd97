//! A scenario's disk alone, asked for a bin's load.

use super::bins::{Bin, Flow};
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
}

impl Predicted {
    /// Whether less is served than comes: what comes at any time, and goes later and later.
    pub(super) fn is_overloaded(&self, bin: &Bin) -> bool {
        !bin.closed && self.per_s < bin.both.per_s * OVERLOADED
    }
}

/// Of so many requests, as many a second come as are asked for within a part that is less than what this leaves.
const OVERLOADED: f64 = 0.96;
/// The part of a run that is cut off at its beginning, while the queue grows to its usual length.
const WARM_UP: usize = 10;
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
    pub(super) fn of(loaded: &Loaded, disk: &PlacedDisk, requests: u64, replications: u32) -> Result<Self, String> {
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
        Self { disk: self.disk.clone(), kind: self.kind.clone(), watch: self.watch.clone(), requests, replications, ..*self }
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
        let jobs: Vec<(usize, u64)> =
            (0..bins.len()).flat_map(|bin| (0..u64::from(self.replications)).map(move |run| (bin, run))).collect();
        let loads: Result<Vec<Loaded>, Failure> = bins.iter().map(|bin| self.loaded(bin, settings)).collect();
        let loads = loads?;
        let outcomes: Vec<Result<Once, RunFailure>> = jobs
            .par_iter()
            .map(|&(bin, run)| {
                let outcome = once(&loads[bin], run);
                step();
                outcome
            })
            .collect();
        let runs: Vec<Once> = outcomes.into_iter().collect::<Result<_, _>>().map_err(Failure::Run)?;
        Ok(runs.chunks(self.replications as usize).map(|runs| Predicted::of(runs, level)).collect())
    }

    /// A scenario of the disk and a bin's load.
    fn loaded(&self, bin: &Bin, settings: &[Setting]) -> Result<Loaded, Failure> {
        let mut disk = self.disk.clone();
        for (path, value) in settings {
            if let Some(place) = at(&mut disk, path) {
                *place = value.clone();
            }
        }
        let generators: Vec<Value> = [(&bin.reads, 1), (&bin.writes, 0)]
            .into_iter()
            .filter(|(flow, _)| flow.per_s > 0.0)
            .flat_map(|(flow, read)| generators(flow, read, bin))
            .map(Value::Table)
            .collect();
        let named = |name: &str, value: Value| Value::Table(Table::from_iter([(name.to_owned(), value)]));
        let load = Table::from_iter([
            ("kind".to_owned(), "synthetic".into()),
            ("on".to_owned(), "d".into()),
            ("requests".to_owned(), Value::Integer(i64::try_from(self.requests).unwrap_or(i64::MAX))),
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
        load_from("the disk alone", &whole.to_string(), &Inputs::none(), &[], &self.watch).map_err(Failure::Scenario)
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
        let (Some(&(first, _, _)), Some(last)) = (spans.first(), spans.iter().map(|(_, end, _)| *end).max()) else {
            return Self::default();
        };
        let mean = |of: &dyn Fn(bool) -> bool| {
            let own = spans.iter().filter(|(.., read)| of(*read));
            let (count, sum) =
                own.fold((0.0, 0.0), |(count, sum), (from, to, _)| (count + 1.0, sum + (*to - *from).as_seconds()));
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
