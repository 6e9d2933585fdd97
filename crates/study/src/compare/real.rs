//! A scenario's programs on a real directory, as a report: what the wall clock says of the calls, and nothing of what
//! is below.
//!
//! Of the scenario only the workload holds there: its host, file system and disks are those of the directory. Each
//! repetition has files of its own, in the page cache or not as the scenario says, and removes them.

use super::entrant::Entrant;
use super::error::CompareError;
use petrio_live::drive::{DriveError, Measured, OperationTimes, Workplace, run};
use petrio_page::numbers;
use petrio_scenario::Loaded;
use petrio_scenario::build::prepared_programs;
use petrio_scenario::report::{Latency, OperationFigures, Quantile, Report, Requests, Served, Subject};
use std::path::Path;

/// Runs the programs of a scenario once, with the random numbers of this replication.
pub(super) fn run_once(
    entrant: &Entrant,
    loaded: &Loaded,
    directory: &Path,
    replication: u64,
) -> Result<Report, CompareError> {
    let (letter, name) = (entrant.letter.clone(), entrant.name.clone());
    let mut prepared = prepared_programs(loaded, replication).map_err(|failure| entrant.failed(failure))?;
    let failed = |failure: DriveError| {
        let (letter, name) = (letter.clone(), name.clone());
        CompareError::Drive { letter, name, failure: Box::new(failure) }
    };
    match (prepared.pop(), prepared.len()) {
        (Some(only), 0) => {
            let workplace = Workplace::inside(directory).map_err(failed)?;
            let measured = run(&workplace, only).map_err(failed)?;
            Ok(report(loaded, directory, &measured))
        }
        (None, _) => {
            let why = "its workload asks for blocks of a disk, not for files".to_owned();
            Err(CompareError::NotReal { letter, name, why })
        }
        (Some(_), more) => {
            let why = format!("it has {} workloads and file systems, and a directory takes one", more + 1);
            Err(CompareError::NotReal { letter, name, why })
        }
    }
}

const NANOSECONDS_PER_MILLISECOND: f64 = 1e6;

fn latency(times: &OperationTimes) -> Option<Latency> {
    let count = times.latency_ns.len();
    if count == 0 {
        return None;
    }
    let at = |probability: f64| {
        (times.latency_ns.value_at_quantile(probability) as f64 / NANOSECONDS_PER_MILLISECOND).into()
    };
    Some(Latency {
        mean_ms: (times.total.as_secs_f64() * 1e3 / count as f64).into(),
        p50_ms: at(0.5),
        p90_ms: at(0.9),
        p99_ms: at(0.99),
        p99_9_ms: at(0.999),
        max_ms: (times.latency_ns.max() as f64 / NANOSECONDS_PER_MILLISECOND).into(),
        deviation_ms: (times.latency_ns.stdev() / NANOSECONDS_PER_MILLISECOND).into(),
    })
}

/// All operations as one kind.
fn all(measured: &Measured) -> Option<OperationTimes> {
    let mut kinds = measured.operations.values();
    let mut all = kinds.next()?.clone();
    for times in kinds {
        // Of the same bounds, so nothing can fall outside.
        let _ = all.latency_ns.add(&times.latency_ns);
        all.total += times.total;
        all.bytes += times.bytes;
    }
    Some(all)
}

fn report(loaded: &Loaded, directory: &Path, measured: &Measured) -> Report {
    let seconds = measured.time().as_secs_f64();
    let per_s = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
    let all = all(measured);
    let completed = measured.count();
    let operations = measured.operations.iter().filter_map(|(operation, times)| {
        Some(OperationFigures {
            operation: operation.name().to_owned(),
            completed: times.latency_ns.len(),
            per_s: per_s(times.latency_ns.len()).into(),
            bytes: times.bytes,
            from_cache: 0,
            latency: Some(latency(times)?),
            waiting: None,
            breakdown: Vec::new(),
        })
    });
    let quantiles = all.iter().map(|all| Quantile {
        probability: 0.95,
        latency_ms: all.latency_ns.value_at_quantile(0.95) as f64 / NANOSECONDS_PER_MILLISECOND,
    });
    Report {
        title: loaded.scenario.title.clone(),
        system: format!("the directory {}, by the wall clock", directory.display()),
        seed: loaded.scenario.seed,
        simulated_s: seconds,
        replications: 1,
        served: Served {
            subject: Subject::FileOperations,
            workload: numbers::counted(completed, "operation", "operations"),
            requests: Requests { completed, ..Requests::default() },
            bytes: measured.bytes(),
            throughput_bytes_per_s: per_s(measured.bytes()).into(),
            requests_per_s: per_s(completed).into(),
            latency: all.as_ref().and_then(latency),
            operations: operations.collect(),
            quantiles: quantiles.collect(),
            ..Served::default()
        },
        ..Report::default()
    }
}
