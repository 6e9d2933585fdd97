//! A burst that is taken for the truth: a run that ends before a cache has filled of which it took the room.
//!
//! Whether what comes behind is slower no share of a cache tells: a drive may keep up with what its cache takes, and a cache that is
//! full has filled for most of the run. So the same workloads are made as much longer as fills the cache twice over, and the last quarter of that run is held against the run
//! itself; where it gets as much and the cache has still taken a good part of it, a run of three times that, and so on. None is made
//! where the run is long already. What can't be made longer, replays and parallel programs, is told with what its writes left there.

use crate::build::System;
use crate::claim::Claim;
use crate::loaded::Loaded;
use crate::report::{Held, Report, Served, Sinks, Sustained, is_safe};
use crate::run::RunFailure;
use crate::run::execute::{Cut, RunPlan, execute};
use crate::run::single::{limits, report as reported};
use crate::schema::Measure;
use crate::workload::{Workload, longer_count, longer_span};
use petrio_kernel::Simulation;
use petrio_page::numbers::{bytes, per_cent};
use petrio_units::numbers::{as_index, whole_part};

/// A part of what was written that may be in caches at the end without a word.
const PART: f64 = 0.25;
/// A cache that a longer run leaves emptier than this part of what it would hold at the same rate doesn't fill on: drives keep up.
const FILLS: f64 = 0.7;
/// A load that gets less than this part of what the run got gets less.
const LESS: f64 = 0.8;
/// How long the longer run is: as many times as it takes to fill the cache.
const FILLINGS: f64 = 2.0;
/// A run that is less than this longer shows nothing.
const LONGER_MIN: f64 = 1.5;
/// How much longer the next run is where one showed nothing, as drives took some of what came meanwhile.
const NEXT: f64 = 3.0;
/// A replay that fills less than this of a cache is no measurement of one.
const REPLAYED_MIN: f64 = 0.05;
/// Firings of the longer run, were it like the run: seconds of computing at millions a second.
pub(super) const FIRINGS_MAX: f64 = 2e7;
/// The longer run is at most so many times as long as the run: who has waited a tenth of a second doesn't wait for half a minute to hear of
/// a cache of which the run has shown less than a fiftieth ([`FILLINGS`]); that it fills on is told all the same.
const TIMES_MAX: f64 = 100.0;
/// Of fewer requests a rate says nothing.
const REQUESTS_MIN: u64 = 20;

/// What the caches of a System hold of writes, by class.
pub(super) fn held(system: &System, run: &Simulation) -> Vec<Held> {
    let mut all: Vec<Held> = Vec::new();
    let mut add = |cache: String, (unwritten, room): (u64, u64)| {
        let known = all.iter().position(|held| held.cache == cache);
        let number = known.unwrap_or_else(|| {
            all.push(Held { cache, unwritten_bytes: 0, room_bytes: 0 });
            all.len() - 1
        });
        all[number].unwritten_bytes += unwritten;
        all[number].room_bytes += room;
    };
    for (class, host) in &system.memory {
        let found = host.now(run);
        add(page_cache(class), (found.unwritten, found.write_room));
    }
    for array in &system.arrays {
        let words = format!("the controller's memory of \"{}\"", array.class);
        if let Some(cache) = array.cache {
            run.for_each_token(cache, |cache| {
                add(words.clone(), (cache.unwritten_bytes(), cache.room_bytes()));
            });
        }
    }
    for (class, cache) in &system.caches {
        add(format!("{} of \"{class}\"", cache.cache), cache.bytes(run));
    }
    all
}

/// Tells what comes behind a burst, where the report is of one.
///
/// # Errors
/// A run that was stopped; a longer run that can't be is none.
pub fn look_behind(loaded: &Loaded, report: &mut Report) -> Result<(), RunFailure> {
    let fixed = |workload: &Workload| !workload.clone().load_mut().lengthen(1.0);
    let too_long = report.firings as f64 * LONGER_MIN > FIRINGS_MAX;
    if too_long || loaded.scenario.workload.values().any(fixed) {
        look_at_caches(loaded, report);
        return Ok(());
    }
    let Some(burst) = Burst::of(report) else { return Ok(()) };
    let sustained = match burst.sustained(loaded, report) {
        Err(failure) if failure.is_stopped() => return Err(failure),
        // As where more and more waits: what is in caches is all that can be told.
        Err(_) => {
            look_at_caches(loaded, report);
            return Ok(());
        }
        Ok(sustained) => sustained,
    };
    let Some(sustained) = sustained else { return Ok(()) };
    let own = writer(report).and_then(|own| Some((own, last_of_all(own, 1)?)));
    let Some((own, figures)) = own else { return Ok(()) };
    let words = sustained.sentence(own.subject.many(), figures);
    report.warnings.push(Claim::Burst.says(words));
    report.sustained = Some(sustained);
    Ok(())
}

/// Tells of a run without another one, as of programs that can't be made longer or whose run would take too long, how much of what
/// they wrote had reached no device when it ended, where a cache had room for all that was in it at a time.
pub(super) fn look_at_caches(loaded: &Loaded, report: &mut Report) {
    if let Some(words) = left_in_memory(loaded, report) {
        report.warnings.push(Claim::Burst.says(words));
    }
}

/// That in words. Files that are taken away again leave nothing there at the end.
fn left_in_memory(loaded: &Loaded, report: &Report) -> Option<String> {
    let mut workloads = loaded.scenario.workload.values();
    let is_program = workloads.any(Workload::is_parallel);
    let written = writer(report).map(written_bytes)?;
    // What was in it at a time on a host, of several equal ones; of other caches what was there at the end.
    let most_of = |held: &Held| -> (u64, u64) {
        let memory = report.memory.iter().find(|memory| page_cache(&memory.name) == held.cache);
        memory.map_or((held.unwritten_bytes, 1), |memory| (memory.most_unwritten_bytes, memory.hosts.max(1)))
    };
    let held = report.held.iter().max_by_key(|held| most_of(held).0)?;
    let (most, hosts) = most_of(held);
    let left = written - to_devices(report) as f64;
    let filled = (most * hosts) as f64 / held.room_bytes.max(1) as f64;
    let least = if is_program { 0.0 } else { REPLAYED_MIN };
    let waits = left >= PART * written && (most * hosts) as f64 >= PART * left;
    (waits && filled >= least).then(|| {
        format!(
            "{} of {} that were written {} before the run ended: {} had room for them (up to {}{}, {} of what may wait there), and only a \
             longer run, or one with less room, tells what this gets when that is full",
            bytes(whole_part(left)),
            bytes(whole_part(written)),
            if is_safe(&held.cache) { "hadn't gone to slower flash" } else { "reached no medium" },
            held.cache,
            bytes(most),
            if hosts > 1 { " on each" } else { "" },
            per_cent(filled)
        )
    })
}

/// What of a run's data has been written to devices, bytes.
fn to_devices(report: &Report) -> u64 {
    (report.traffic.iter().flat_map(|device| &device.purposes))
        .filter(|row| row.purpose.split('+').any(|purpose| purpose.trim() == "data"))
        .map(|row| row.writes.bytes)
        .sum()
}

/// The page cache of a host, or of all equal ones, in words.
fn page_cache(class: &str) -> String {
    format!("the page cache of \"{class}\"")
}

/// A cache that had room when the run ended, and how much longer that has to be.
struct Burst {
    held: Held,
    filled: f64,
    times: f64,
}

impl Burst {
    fn of(report: &Report) -> Option<Self> {
        let writer = writer(report)?;
        let held = report.held.iter().max_by_key(|held| held.unwritten_bytes)?;
        let (unwritten, room) = (held.unwritten_bytes as f64, held.room_bytes as f64);
        let mut written = written_bytes(writer);
        if writer.operations.is_empty() {
            // Of block requests it is known better by where they are.
            written = written.min(unwritten + to_devices(report) as f64);
        }
        if unwritten < PART * written || room <= 0.0 {
            return None;
        }
        let filled = (unwritten / room).min(1.0);
        let times = (FILLINGS / filled).min(longest(report));
        (times >= LONGER_MIN).then(|| Self { held: held.clone(), filled, times })
    }

    /// What comes behind it, by runs that are longer and longer; nothing where that is no less, or can't be looked at.
    fn sustained(&self, loaded: &Loaded, report: &Report) -> Result<Option<Sustained>, RunFailure> {
        let longest = longest(report);
        let mut times = self.times;
        loop {
            let Some(longer) = longer(loaded, times) else { return Ok(None) };
            let behind = run_once(&longer)?;
            let (Some(own), Some(then)) = (writer(report), writer(&behind)) else { return Ok(None) };
            // As long as all workloads are at it: behind the end of one it is another load.
            let [whole, last] = [(own, 1), (then, 4)].map(|(served, parts)| last_of_all(served, parts));
            let (Some((own_per_s, own_ms)), Some((per_s, mean_ms))) = (whole, last) else { return Ok(None) };
            // Under an overload latencies grow whatever becomes of caches.
            let overload = report.warnings.iter().any(|told| told.claim == Claim::Overloaded);
            let is_later = mean_ms * LESS > own_ms && !overload;
            let is_less = per_s < LESS * own_per_s || is_later;
            if !is_less && !self.fills_on(&behind, (own, then), times) {
                return Ok(None);
            }
            let next = (times * NEXT).min(longest);
            if is_less || next < LONGER_MIN * times {
                return Ok(Some(Sustained {
                    cache: self.held.cache.clone(),
                    filled: self.filled,
                    full_after_s: common_s(own).unwrap_or(report.simulated_s) / self.filled,
                    times_as_long: times,
                    requests_per_s: is_less.then_some(per_s),
                    mean_latency_ms: is_less.then_some(mean_ms),
                }));
            }
            times = next;
        }
    }

    /// Whether the cache has filled on in a longer run: a part of what was written more has stayed in it, so that drives don't keep up.
    fn fills_on(&self, behind: &Report, (own, then): (&Served, &Served), times: f64) -> bool {
        let now = behind.held.iter().find(|held| held.cache == self.held.cache);
        let now = now.map_or(0, |now| now.unwritten_bytes);
        let more = now.saturating_sub(self.held.unwritten_bytes);
        let written = written_bytes(then) - written_bytes(own);
        let at_its_rate = (self.filled * times).min(1.0) * self.held.room_bytes as f64;
        more as f64 >= PART * written && written > 0.0 && now as f64 >= FILLS * at_its_rate
    }
}

/// How many times as long as a run the longer one is at most.
fn longest(report: &Report) -> f64 {
    (FIRINGS_MAX / report.firings.max(1) as f64).min(TIMES_MAX)
}

/// Those programs that write most.
fn writer(report: &Report) -> Option<&Served> {
    let most = report.each().max_by(|a, b| written_bytes(a).total_cmp(&written_bytes(b)))?;
    (written_bytes(most) > 0.0).then_some(most)
}

/// How much programs have written; of block requests about, as writes and reads of one workload are mostly as long.
fn written_bytes(served: &Served) -> f64 {
    if let Some(writes) = served.operations.iter().find(|kind| kind.operation == "write") {
        return writes.bytes as f64;
    }
    let (reads, writes) = (served.requests.reads as f64, served.requests.writes as f64);
    if writes > 0.0 { served.bytes as f64 * writes / (reads + writes) } else { 0.0 }
}

/// Completed requests a second in the last part of a run, one of so many, and their mean latency, milliseconds.
pub(super) fn last_of(served: &Served, parts: usize) -> Option<(f64, f64)> {
    last_until(served, parts, served.series.intervals.len())
}

/// The same of that part of a run in which all of its workloads were at it.
fn last_of_all(served: &Served, parts: usize) -> Option<(f64, f64)> {
    let series = &served.series;
    let whole = common_s(served).map(|span_s| as_index(whole_part((span_s / series.interval_s).ceil())));
    last_until(served, parts, whole.unwrap_or(usize::MAX).min(series.intervals.len()))
}

/// How long several workloads were all at it, seconds.
fn common_s(served: &Served) -> Option<f64> {
    let ends = served.workloads.iter().map(|row| row.until_s);
    ends.reduce(f64::min).map(|end_s| end_s - served.series.begin_s)
}

/// The same of the first so many intervals.
fn last_until(served: &Served, parts: usize, count: usize) -> Option<(f64, f64)> {
    let series = &served.series;
    let last = series.intervals.get(count - count.div_ceil(parts)..count)?;
    let last_s = if count == series.intervals.len() { series.last_interval_s } else { series.interval_s };
    let completed: u64 = last.iter().map(|interval| interval.completed).sum();
    let latency: f64 = last.iter().map(|interval| interval.mean_latency_ms * interval.completed as f64).sum();
    let span = (last.len().saturating_sub(1)) as f64 * series.interval_s + last_s;
    let told = completed >= REQUESTS_MIN && span > 0.0;
    told.then(|| (completed as f64 / span, latency / completed as f64))
}

/// The first replication, without what is cut off at its beginning.
pub(super) fn run_once(loaded: &Loaded) -> Result<Report, RunFailure> {
    let system = System::build(loaded)?;
    let limits = limits(&loaded.scenario.measure);
    let plan = RunPlan::of(0, limits, Cut::None);
    let outcome = execute(loaded, &system, plan, &mut Sinks::default())?;
    Ok(reported(loaded, &system, outcome))
}

/// The same with workloads so many times as long; nothing where one of them is as long as it is.
fn longer(loaded: &Loaded, times: f64) -> Option<Loaded> {
    let mut longer = loaded.clone();
    for (name, workload) in &mut longer.scenario.workload {
        if !workload.load_mut().lengthen(times) {
            return None;
        }
        if let Workload::Synthetic(load) = workload {
            // What generates is ready already.
            let ready = longer.generators.get_mut(name)?;
            (ready.requests, ready.duration) = (load.parameters.requests, load.parameters.duration);
        }
    }
    let Measure { stop, max_time, max_requests, .. } = &mut longer.scenario.measure;
    longer_count(&mut stop.requests, times);
    longer_span(&mut stop.time, times);
    longer_count(max_requests, times);
    longer_span(max_time, times);
    Some(longer)
}
