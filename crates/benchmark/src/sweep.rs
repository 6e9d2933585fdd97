//! What a case of a sweep costs beside a single run of the same kind, what memory many of them take, and how near the limits and knees that
//! `petrio load` finds come to what they should be: M/M/1's formulas, and a grid of 300 runs.

use crate::aim::AimedFigure;
use crate::peak_resident_mib;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Watch;
use petrio_scenario::run::Replicator;
use petrio_scenario::{Override, load_in};
use petrio_study::compare::Measure;
use petrio_study::load::{LoadFindings, LoadQuestion, USUAL_RUNS, load};
use petrio_study::sweep::{Design, Factor, Shard, SweepQuestion, results, sweep};
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Cases of the larger sweep.
pub const CASES: u64 = 10_000;
/// Runs one by one.
const SINGLE: u32 = 200;
/// Points of the grid that a RAID 5's limit is held against.
const GRID: u64 = 300;

/// Two drives with a load that takes about a hundredth of a second to simulate.
const CASE: &str = "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\ncount = 2\n\
     [workload.w]\nkind = \"synthetic\"\non = \"d*\"\nrequests = 9000\n\
     [[workload.w.generators]]\nread_fraction = 0.66\ninter_arrival = { exponential = { mean = \"12 ms\" } }\n\
     size = { constant = \"4 KiB\" }\n[measure]\nwarm_up = \"0 s\"\n";

/// One server whose services take 1 ms at the mean, exponentially but for whole blocks.
const SERVER: &str = "[disk.d]\nmodel = \"constant-rate\"\ndrive.blocks = \"100000000 blocks\"\ndrive.latency = \"0 s\"\n\
     drive.rate = \"64 MB/s\"\ndrive.write_cache = false\n\
     [workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 400000\n\
     [[workload.w.generators]]\nread_fraction = 1.0\ninter_arrival = { exponential = { mean = \"4 ms\" } }\n\
     size = { exponential = { mean = \"125 blocks\" } }\nalignment = \"1 blocks\"\n[measure]\nwarm_up = \"1 s\"\n";

/// Five drives as RAID 5 under small random requests, a third of which are writes.
const ARRAY: &str = "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\ncount = 5\n[raid.r]\nlevel = 5\non = \"d*\"\nstripe_unit = \"64 KiB\"\n\
     [workload.w]\nkind = \"synthetic\"\non = \"r\"\nrequests = 30000\n\
     [[workload.w.generators]]\nread_fraction = 0.66\ninter_arrival = { exponential = { mean = \"10 ms\" } }\n\
     size = { constant = \"4 KiB\" }\n[measure]\nwarm_up = \"1 s\"\n";

/// Mean blocks of a service, which are whole ones, rounded up: 1 / (1 − e^(−1/125)) of 125.
fn mean_service_s() -> f64 {
    1e-3 / 125.0 / -libm::expm1(-1.0 / 125.0)
}

/// Measures all of it; `say` is told what is measured next.
///
/// # Errors
/// A folder that can't be written; what is measured fails.
pub fn measure(cases: u64, say: &mut dyn FnMut(&str)) -> io::Result<Vec<AimedFigure>> {
    let folder = TemporaryFolder::new()?;
    let mut rows = Vec::new();
    say("a single run");
    let scenario = written(folder.path(), "case.toml", CASE)?;
    let single = single_ms(&scenario)?;
    // Both have whole files of cases to write, for which there must be room once.
    say("a quarter of the sweep");
    swept(&scenario, cases / 4, &folder.path().join("small"))?;
    let before = peak_resident_mib();
    say("the sweep");
    let (each, busy) = swept(&scenario, cases, &folder.path().join("large"))?;
    let after = peak_resident_mib();
    let row = |what, measured, plain, aim, unit, at_least| AimedFigure {
        what,
        measured,
        plain,
        aim,
        unit,
        at_least,
        why: None,
    };
    rows.push(row(
        "processor time of a case, beside a single run",
        Some(each),
        Some(single),
        1.05 * single,
        "ms",
        false,
    ));
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    rows.push(row(
        "processors busy meanwhile, of those there are",
        Some(busy),
        Some(processors),
        0.9 * processors,
        "",
        true,
    ));
    if let (Some(before), Some(after)) = (before, after) {
        rows.push(row(
            "memory, beside a quarter of the cases",
            Some(after),
            Some(before),
            1.1 * before,
            "MiB",
            false,
        ));
    }
    say("M/M/1's limit and knee");
    let server = written(folder.path(), "server.toml", SERVER)?;
    let found = loaded(&server, "mean-latency", "5 ms")?;
    let capacity = 1.0 / mean_service_s();
    let off = |found: Option<f64>, right: f64| found.map(|found| (found / right - 1.0).abs() * 100.0);
    let limit = found.highest.as_ref().map(|highest| highest.rate);
    rows.push(row("M/M/1's limit, off the formula", off(limit, capacity - 200.0), None, 2.0, "%", false));
    let knee = found.knee.as_ref().map(|knee| knee.rate);
    rows.push(row("M/M/1's knee, off the formula", off(knee, capacity / 2.0), None, 2.0, "%", false));
    rows.push(row("runs for both", Some(found.runs.into()), None, 15.0, "", false));
    say("a RAID 5's limit, and a grid of 300 runs");
    let array = written(folder.path(), "array.toml", ARRAY)?;
    let found = loaded(&array, "p99-latency", "80 ms")?;
    let factor = found.highest.as_ref().map(|highest| highest.factor);
    let on_grid = factor
        .map(|factor| limit_on_grid(&array, factor, &folder.path().join("grid")))
        .transpose()?
        .flatten();
    let away = factor.zip(on_grid).map(|(found, grid)| (found / grid - 1.0).abs() * 100.0);
    rows.push(row("a RAID 5's limit, off that of a grid of 300 runs", away, None, 2.0, "%", false));
    rows.push(row("runs for it", Some(found.runs.into()), Some(GRID as f64), 15.0, "", false));
    Ok(rows)
}

fn written(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Processor time of this process so far, milliseconds.
fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// What a run takes that is read and run by itself: processor milliseconds.
fn single_ms(scenario: &Path) -> io::Result<f64> {
    let begun = processor_ms();
    for number in 0..SINGLE {
        let settings = [Override::new(
            "workload.w.generators.0.read_fraction",
            &format!("{}", f64::from(number) / f64::from(SINGLE)),
        )];
        let loaded =
            load_in(&Inputs::here(), scenario, &settings, &Watch::default()).map_err(io::Error::other)?;
        let replicator = Replicator::new(&loaded).map_err(io::Error::other)?;
        replicator.run(0).map_err(io::Error::other)?;
    }
    Ok((processor_ms() - begun) / f64::from(SINGLE))
}

/// Processor milliseconds of a case of so many, and how many processors were busy meanwhile.
fn swept(scenario: &Path, cases: u64, out: &Path) -> io::Result<(f64, f64)> {
    let factor = format!("workload.w.generators.0.read_fraction=lin(0.0, 1.0, {cases})");
    let factor: Factor = factor.parse().map_err(io::Error::other)?;
    let (cpu, wall) = (processor_ms(), Instant::now());
    sweep(&question(scenario, factor, &[], out), &|_| ()).map_err(io::Error::other)?;
    let (cpu, wall) = (processor_ms() - cpu, wall.elapsed().as_secs_f64() * 1e3);
    Ok((cpu / cases as f64, cpu / wall))
}

fn question(scenario: &Path, factor: Factor, measures: &[&str], out: &Path) -> SweepQuestion {
    SweepQuestion {
        files: Inputs::here(),
        scenario: scenario.to_owned(),
        settings: Vec::new(),
        factors: vec![factor],
        design: Design::Grid,
        constraints: Vec::new(),
        seed: None,
        replications: None,
        precision: None,
        measures: measures.iter().map(|name| (*name).to_owned()).collect(),
        folder: out.to_owned(),
        shard: Shard::ALL,
        threads: None,
        watch: Watch::default(),
    }
}

fn loaded(scenario: &Path, metric: &str, limit: &str) -> io::Result<LoadFindings> {
    let question = LoadQuestion {
        scenario: scenario.to_owned(),
        files: Inputs::here(),
        settings: Vec::new(),
        seed: None,
        metric: Measure::parse(metric).map_err(io::Error::other)?,
        limit: Some(limit.to_owned()),
        over: Vec::new(),
        runs: USUAL_RUNS,
        watch: Watch::default(),
    };
    load(&question, &mut |_, _, _| ()).map_err(io::Error::other)
}

/// The highest load of a grid around a load that keeps the limit as all below it do.
fn limit_on_grid(scenario: &Path, around: f64, out: &Path) -> io::Result<Option<f64>> {
    // Equal steps of the load, which is the reciprocal of a factor on times.
    let scales = (0..GRID).map(|step| 1.0 / (around * (0.7 + 0.6 * step as f64 / (GRID - 1) as f64)));
    let list: Vec<String> = scales.map(|scale| scale.to_string()).collect();
    let factor: Factor =
        format!("workload.w.time_scale={}", list.join(",")).parse().map_err(io::Error::other)?;
    sweep(&question(scenario, factor, &["p99-latency"], out), &|_| ()).map_err(io::Error::other)?;
    let found = results(out).map_err(io::Error::other)?;
    let keeps = |row: &petrio_study::sweep::Row| row.figures[0].is_some_and(|value| value <= 80.0);
    let first_over = found.rows.iter().position(|row| !keeps(row));
    let last_within = found.rows.iter().rposition(keeps);
    let load = |at: usize| {
        found.rows.get(at).and_then(|row| row.values[0].parse::<f64>().ok()).map(|scale| 1.0 / scale)
    };
    // Where chance makes it cross more than once, the middle of that.
    Ok(first_over.zip(last_within).and_then(|(over, within)| Some((load(over)? + load(within)?) / 2.0)))
}
