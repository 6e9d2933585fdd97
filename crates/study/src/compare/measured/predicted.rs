//! The figure of a report that means what was measured.

use petrio_scenario::report::{Estimate, Latency, OperationFigures, Report, WorkloadFigures};
use petrio_workload::measurement::{Figure, Kind};

/// Milliseconds of a second: a report has its latencies in these.
const MS: f64 = 1e3;

/// Kinds of requests that make durable, as reports call them.
const SYNCS: [&str; 4] = ["fsync", "fdatasync", "sync", "flush"];

/// A figure of a workload's requests of a kind, in bytes, requests and seconds; `sole` is the only kind that it has, where it has but one.
pub(super) fn figure(
    report: &Report,
    workload: &str,
    sole: Option<Kind>,
    kind: Kind,
    figure: Figure,
) -> Option<Estimate> {
    let row = report.each().flat_map(|served| &served.workloads).find(|row| row.workload == workload)?;
    if row.completed == 0 {
        return None;
    }
    let estimate = match kind {
        Kind::Accesses => of_accesses(row, figure),
        Kind::Read | Kind::Write | Kind::Sync => match row.operations.as_slice() {
            // All are of one kind: of the one that was measured, unless it is known to be of another.
            [] if sole.is_none_or(|sole| sole == kind) => of_all(row, figure),
            [] => None,
            several => of_kind(row, several, kind, figure),
        },
    }?;
    (estimate.value.is_finite() && estimate.value > 0.0).then_some(estimate)
}

/// Of a test that is timed as a whole: what else it did, such as its fsync, costs time and moves nothing.
fn of_accesses(row: &WorkloadFigures, figure: Figure) -> Option<Estimate> {
    match figure {
        Figure::Throughput => Some(row.throughput_bytes_per_s),
        Figure::Rate if row.operations.is_empty() => Some(row.per_s),
        Figure::Rate => {
            of_kinds(&row.operations, |name| name == "read" || name == "write", |kind| kind.per_s)
        }
        Figure::MeanLatency | Figure::Latency(_) => None,
    }
}

fn of_all(row: &WorkloadFigures, figure: Figure) -> Option<Estimate> {
    match figure {
        Figure::Throughput => Some(row.throughput_bytes_per_s),
        Figure::Rate => Some(row.per_s),
        _ => latency(row.latency.as_ref()?, figure),
    }
}

fn of_kind(
    row: &WorkloadFigures,
    operations: &[OperationFigures],
    kind: Kind,
    figure: Figure,
) -> Option<Estimate> {
    let is = |name: &str| match kind {
        Kind::Read => name == "read",
        Kind::Write => name == "write",
        Kind::Sync => SYNCS.contains(&name),
        Kind::Accesses => false,
    };
    match figure {
        Figure::Throughput => {
            // As much of the workload's own as the kind has of its bytes.
            let bytes: u64 = operations.iter().filter(|own| is(&own.operation)).map(|own| own.bytes).sum();
            let part = bytes as f64 / row.bytes.max(1) as f64;
            let Estimate { value, half_width } = row.throughput_bytes_per_s;
            Some(Estimate { value: value * part, half_width: half_width.map(|width| width * part) })
        }
        Figure::Rate => of_kinds(operations, is, |kind| kind.per_s),
        _ => {
            // Of fsyncs and fdatasyncs side by side there is no common percentile.
            let mut own = operations.iter().filter(|own| is(&own.operation));
            let (first, other) = (own.next()?, own.next());
            latency(first.latency.as_ref()?, figure).filter(|_| other.is_none())
        }
    }
}

/// The sum over kinds; its interval as of independent ones.
fn of_kinds(
    operations: &[OperationFigures],
    is: impl Fn(&str) -> bool,
    of: impl Fn(&OperationFigures) -> Estimate,
) -> Option<Estimate> {
    let all: Vec<Estimate> = operations.iter().filter(|own| is(&own.operation)).map(of).collect();
    let widths: Option<Vec<f64>> = all.iter().map(|estimate| estimate.half_width).collect();
    let width = widths.map(|widths| libm::sqrt(widths.iter().map(|width| width * width).sum()));
    (!all.is_empty())
        .then(|| Estimate { value: all.iter().map(|estimate| estimate.value).sum(), half_width: width })
}

fn latency(latency: &Latency, figure: Figure) -> Option<Estimate> {
    let near = |part: f64, of: f64| (part - of).abs() < 1e-9;
    let found = match figure {
        Figure::MeanLatency => latency.mean_ms,
        Figure::Latency(part) if near(part, 0.5) => latency.p50_ms,
        Figure::Latency(part) if near(part, 0.9) => latency.p90_ms,
        Figure::Latency(part) if near(part, 0.99) => latency.p99_ms,
        Figure::Latency(part) if near(part, 0.999) => latency.p99_9_ms,
        _ => return None,
    };
    Some(Estimate { value: found.value / MS, half_width: found.half_width.map(|width| width / MS) })
}
