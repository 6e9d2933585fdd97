//! Thousands of parts: what it takes to build them, and what a request costs among many.
//!
//! Each figure stands beside one instance in the same run, and beside an aim: building grows with the number of parts
//! and not faster, and a request that one drive serves costs hardly more because there are a thousand others. Times
//! are the processor's, so that what else runs on the machine hardly counts.

use crate::state;
use petrio_engine::Engine;
use petrio_kernel::Time;
use petrio_scenario::build::System;
use petrio_scenario::report::Sinks;
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Loaded, Problems, load_text};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::fmt::Write;
use thiserror::Error;

/// How much of everything.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// Drives that are built.
    pub drives: u32,
    /// Hosts that are built, each with a file system and a disk.
    pub hosts: u32,
    /// Drives that serve requests.
    pub serving: u32,
    /// Requests of each run, all drives together.
    pub requests: u64,
    /// Reads of each process in the run that is put aside in its middle.
    pub operations: u64,
    /// Turns of everything that takes time; the best counts.
    pub turns: u32,
}

impl Default for Scale {
    fn default() -> Self {
        Self { drives: 5_000, hosts: 1_000, serving: 1_000, requests: 200_000, operations: 100_000, turns: 3 }
    }
}

/// Seconds in which 5,000 drives are to be built.
const DRIVES_AIM_S: f64 = 1.0;
/// Seconds in which 1,000 hosts are to be built, and the memory that they may take.
const HOSTS_AIM_S: f64 = 3.0;
const HOSTS_AIM_MB: f64 = 300.0;
/// Replications that are begun on the net of these hosts, which is built once, and the seconds in which all are to be.
const REPLICATIONS: u32 = 20;
const REPLICATIONS_AIM_S: f64 = 1.0;
/// What a request on 1,000 equally loaded drives may cost, in what one costs on one drive.
const REQUEST_AIM: f64 = 2.5;

/// What going on from a state may cost, in what the rest of the run costs, and seconds beside.
const REST_AIM: f64 = 1.1;
const REST_AIM_S: f64 = 0.5;

/// What each drive is asked for: below what it can do, so that a run measures requests and not a queue that grows.
const LOAD: &str = "read_fraction = 0.66\nsize = { exponential = { mean = \"8 blocks\" } }\n";
const GAP_MS: f64 = 25.0;

/// A figure, what it is to be, and what it is for one instance.
#[derive(Clone, Debug, Serialize)]
pub struct ScaleFigure {
    /// What was measured.
    pub what: String,
    /// How many instances.
    pub instances: u32,
    /// The figure.
    pub figure: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The same of one instance, measured in this run.
    pub of_one: f64,
    /// What an instance among them takes over what it takes alone; of a request, what it costs among them over what
    /// it costs alone.
    pub ratio: f64,
    /// What is aimed at.
    pub aim: f64,
    /// Of what the aim is a bound.
    pub aim_is_of: &'static str,
    /// Whether it is reached.
    pub reached: bool,
}

const OF_FIGURE: &str = "figure";
const OF_RATIO: &str = "ratio";

impl ScaleFigure {
    /// Headings of [`ScaleFigure::cells`].
    pub const HEADINGS: [&str; 8] =
        ["what", "instances", "figure", "unit", "of one", "ratio to one", "aim", "reached"];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.what.clone(),
            self.instances.to_string(),
            format!("{:.3}", self.figure),
            self.unit.to_owned(),
            format!("{:.4}", self.of_one),
            format!("{:.2}", self.ratio),
            format!("{} ≤ {}", self.aim_is_of, self.aim),
            if self.reached { "yes" } else { "no" }.to_owned(),
        ]
    }

    /// Of something whose parts add up.
    fn of_sum(
        what: &str,
        instances: u32,
        (figure, of_one): (f64, f64),
        unit: &'static str,
        aim: f64,
    ) -> Self {
        let ratio = figure / (of_one * f64::from(instances));
        let (what, reached) = (what.to_owned(), figure <= aim);
        Self { what, instances, figure, unit, of_one, ratio, aim, aim_is_of: OF_FIGURE, reached }
    }

    /// Of a request.
    fn of_request(what: &str, instances: u32, (figure, of_one): (f64, f64)) -> Self {
        let ratio = figure / of_one;
        Self {
            what: what.to_owned(),
            instances,
            figure,
            unit: "µs",
            of_one,
            ratio,
            aim: REQUEST_AIM,
            aim_is_of: OF_RATIO,
            reached: ratio <= REQUEST_AIM,
        }
    }
}

/// Why there is no figure.
#[derive(Debug, Error)]
pub enum ScaleError {
    /// A made-up scenario is wrong: a bug.
    #[error("the benchmark's scenario is wrong: {0}")]
    Scenario(#[from] Box<Problems>),
    /// It can't be built or run.
    #[error(transparent)]
    Run(#[from] Box<RunFailure>),
}

/// Builds and runs everything. `progress` is told what comes next.
///
/// # Errors
/// [`ScaleError`], which is a bug.
pub fn measure(scale: Scale, progress: &mut dyn FnMut(&str)) -> Result<Vec<ScaleFigure>, ScaleError> {
    let mut rows = Vec::new();
    let Scale { drives, hosts, serving, requests, operations, turns } = scale;
    // Memory first: what was freed before would be taken again, and not be seen to grow.
    progress(&format!("{hosts} hosts"));
    let one = host_scenario(1);
    let many = host_scenario(hosts);
    let warm = built(&one)?;
    let (first, resident) = (resident_mb(), built(&one)?);
    let of_one = (resident_mb() - first).max(0.0);
    let before = resident_mb();
    let all = built(&many)?;
    let megabytes = resident_mb() - before;
    drop((warm, resident, all));
    let seconds = (best(turns, || built(&many))?, best(turns, || built(&one))?);
    rows.push(ScaleFigure::of_sum(
        "Linux hosts with ext3 and a disk, built",
        hosts,
        seconds,
        "s",
        HOSTS_AIM_S,
    ));
    rows.push(ScaleFigure::of_sum("their memory", hosts, (megabytes, of_one), "MB", HOSTS_AIM_MB));
    let (loaded, system) = built(&many)?;
    let begun = best(turns, || {
        let engine = |replication| Engine::new(&system.driven, loaded.scenario.seed, replication);
        Ok((0..u64::from(REPLICATIONS)).map(engine).filter(|engine| engine.now() == Time::ZERO).count())
    })?;
    rows.push(ScaleFigure::of_sum(
        "replications of them, begun on the net built once (of one: a net built)",
        REPLICATIONS,
        (begun, seconds.0),
        "s",
        REPLICATIONS_AIM_S,
    ));

    progress(&format!("{drives} drives"));
    let (one, many) = (drive_scenario(1, 1), drive_scenario(drives, 1));
    let seconds = (best(turns, || built(&many))?, best(turns, || built(&one))?);
    rows.insert(0, ScaleFigure::of_sum("mechanical drives, built", drives, seconds, "s", DRIVES_AIM_S));

    for (what, workloads) in [("a request, one workload", 1), ("a request, a workload a drive", serving)] {
        progress(&format!("{what}, {serving} drives"));
        let (one, many) = (drive_scenario(1, 1), drive_scenario(serving, workloads));
        let microseconds = (served(&many, requests, turns)?, served(&one, requests, turns)?);
        rows.push(ScaleFigure::of_request(what, serving, microseconds));
    }
    let folder = tempfile::tempdir().map_err(state::of_folder)?;
    let of_trace = state::replay(operations, folder.path())?;
    for (of, text) in [("run", state::files(operations)), ("replay of a trace", of_trace)] {
        progress(&format!("a {of} from a state"));
        let (figure, of_one) = state::second_half(&text, folder.path(), turns)?;
        let aim = REST_AIM * of_one + REST_AIM_S;
        rows.push(ScaleFigure {
            what: format!(
                "the second half of a {of}, from a state (of one: what the whole takes longer than the first half)"
            ),
            instances: 1,
            figure,
            unit: "s",
            of_one,
            ratio: figure / of_one,
            aim,
            aim_is_of: OF_FIGURE,
            reached: figure <= aim,
        });
    }
    Ok(rows)
}

/// Drives of one part, each of which gets a request every 25 ms: all from one stream, or from a workload each.
fn drive_scenario(drives: u32, workloads: u32) -> String {
    let mut text = format!("[disk.d]\nmodel = \"seagate-cheetah-9lp\"\ncount = {drives}\n");
    let gap = GAP_MS * f64::from(workloads) / f64::from(drives);
    for workload in 0..workloads {
        let on = if workloads == 1 { "d".to_owned() } else { format!("d{workload}") };
        let _ = write!(
            text,
            "[workload.w{workload}]\nkind = \"synthetic\"\non = \"{on}\"\n[[workload.w{workload}.generators]]\n\
             inter_arrival = {{ exponential = {{ mean = \"{gap} ms\" }} }}\n{LOAD}"
        );
    }
    text
}

/// Hosts, each with ext3 on a disk of its own, and a small program on each.
fn host_scenario(hosts: u32) -> String {
    let mut text = format!("[disk.d]\nmodel = \"seagate-cheetah-9lp\"\ncount = {hosts}\n");
    for host in 0..hosts {
        let on = if hosts == 1 { "d".to_owned() } else { format!("d{host}") };
        let _ = write!(
            text,
            "[host.h{host}]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n\
             [fs.data{host}]\ntype = \"ext3\"\non = \"{on}\"\nhost = \"h{host}\"\n"
        );
    }
    text.push_str(
        "[workload.w]\nkind = \"files\"\non = \"data*\"\noperation = \"read\"\n\
         record = \"4 KiB\"\nfile_size = \"64 KiB\"\n",
    );
    text
}

fn loaded(text: &str, stop: Option<u64>) -> Result<Loaded, ScaleError> {
    let stop = format!("[measure]\nstop = {{ requests = {} }}\n", stop.unwrap_or(1));
    Ok(load_text("scale.toml", &format!("title = \"Scale\"\n{text}{stop}"), None, &[]).map_err(Box::new)?)
}

/// From the text to the System.
fn built(text: &str) -> Result<(Loaded, System), ScaleError> {
    let loaded = loaded(text, None)?;
    let system = System::build(&loaded).map_err(Box::new)?;
    Ok((loaded, system))
}

/// The shortest of so many turns, seconds of this thread on a processor.
pub(crate) fn best<T>(
    turns: u32,
    mut turn: impl FnMut() -> Result<T, ScaleError>,
) -> Result<f64, ScaleError> {
    let mut best = f64::INFINITY;
    for _ in 0..turns {
        let began = processor_seconds();
        let made = turn()?;
        best = best.min(processor_seconds() - began);
        drop(made);
    }
    Ok(best)
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Microseconds a request.
fn served(text: &str, requests: u64, turns: u32) -> Result<f64, ScaleError> {
    let loaded = loaded(text, Some(requests))?;
    let system = System::build(&loaded).map_err(Box::new)?;
    let seconds = best(turns, || Ok(simulate(&loaded, &system, Sinks::default()).map_err(Box::new)?))?;
    Ok(seconds / requests as f64 * 1e6)
}

/// What of this process is in memory now, in MB; nothing where the system doesn't tell.
pub(crate) fn resident_mb() -> f64 {
    let kib = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    });
    kib.unwrap_or(0.0) * 1024.0 / 1e6
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_row_has_a_figure_an_aim_and_a_cell_for_each_heading() {
        let scale = Scale { drives: 3, hosts: 2, serving: 3, requests: 30, operations: 50, turns: 1 };
        let rows = measure(scale, &mut |_| {}).unwrap();
        assert_eq!(rows.len(), 8);
        for row in &rows {
            assert_eq!(row.cells().len(), ScaleFigure::HEADINGS.len());
            // Other tests of this process give memory back meanwhile.
            assert!((row.figure >= 0.0 || row.unit == "MB") && row.aim > 0.0, "{row:?}");
        }
    }

    #[test]
    fn all_drives_get_the_same_load_however_many_workloads_there_are() {
        for workloads in [1, 4] {
            let loaded = loaded(&drive_scenario(4, workloads), Some(4_000)).unwrap();
            let system = System::build(&loaded).unwrap();
            let report = simulate(&loaded, &system, Sinks::default()).unwrap();
            // Four drives with a request every 25 ms each, within four standard deviations.
            assert!((report.simulated_s - 25.0).abs() < 1.6, "{workloads}: {}", report.simulated_s);
        }
    }
}
