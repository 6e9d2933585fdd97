//! Where a difference comes from: which causes of the mean latency grew or shrank, which stages are more or less busy,
//! and what only one of the two has.

use super::entrant::{Entrant, Origin};
use super::statistics::{Difference, Sample, Test};
use petrio_scenario::report::{Report, StageFigures};
use serde::Serialize;

/// How a part of the mean latency differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CauseChange {
    /// What the time is spent on: `queue`, `seek`, `journal` …
    pub cause: String,
    /// Mean per request of the first, milliseconds.
    pub first_ms: f64,
    /// Of the second.
    pub second_ms: f64,
    /// Second less first, milliseconds, with its interval.
    pub change_ms: Test,
}

/// How a stage differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageChange {
    /// Its path.
    pub stage: String,
    /// Time that it takes for each request of the workload, waiting and service together, milliseconds: of the first.
    pub first_ms: f64,
    /// Of the second.
    pub second_ms: f64,
    /// The part of the time in which it was busy, 0 to 1: of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_utilisation: Option<f64>,
    /// Of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_utilisation: Option<f64>,
}

/// Where the difference of two comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    /// The letter of the first.
    pub first: String,
    /// The letter of the second.
    pub second: String,
    /// The mean latency, second less first, milliseconds: the sum of the causes.
    pub change_ms: f64,
    /// The causes, that which changed most first.
    pub causes: Vec<CauseChange>,
    /// The stages that both have, that which changed most first.
    pub stages: Vec<StageChange>,
    /// Stages that only the first has; of a whole part that the second lacks, the part.
    pub only_first: Vec<String>,
    /// Stages that only the second has.
    pub only_second: Vec<String>,
}

/// Of two; none where a side doesn't say where its time went, or where they count different things.
pub(super) fn reason(first: &Entrant, second: &Entrant, level: f64) -> Option<Reason> {
    let (one, other) = (first.reports.first()?, second.reports.first()?);
    if one.served.subject != other.served.subject
        || one.served.breakdown.is_empty()
        || other.served.breakdown.is_empty()
    {
        return None;
    }
    let paired = first.origin == Origin::Simulated && second.origin == Origin::Simulated;
    let count = first.reports.len().max(second.reports.len());
    let mut names: Vec<&str> = Vec::new();
    for share in first.reports.iter().chain(&second.reports).flat_map(|report| &report.served.breakdown) {
        if !names.contains(&share.cause.as_str()) {
            names.push(&share.cause);
        }
    }
    let mut causes: Vec<CauseChange> = names
        .into_iter()
        .filter_map(|cause| {
            let (a, b) = (sample(first, cause, count)?, sample(second, cause, count)?);
            Some(CauseChange {
                cause: cause.to_owned(),
                first_ms: a.mean(),
                second_ms: b.mean(),
                change_ms: Difference::between(&a, &b, paired, level).difference,
            })
        })
        .collect();
    causes.sort_by(|a, b| b.change_ms.value.abs().total_cmp(&a.change_ms.value.abs()));
    let (rows, others) = (mean_stages(&first.reports), mean_stages(&second.reports));
    let mut stages: Vec<StageChange> = rows
        .iter()
        .filter_map(|row| {
            let other = others.iter().find(|other| other.name == row.name)?;
            Some(StageChange {
                stage: row.name.clone(),
                first_ms: row.time_ms,
                second_ms: other.time_ms,
                first_utilisation: row.utilisation,
                second_utilisation: other.utilisation,
            })
        })
        .collect();
    let change = |stage: &StageChange| (stage.second_ms - stage.first_ms).abs();
    stages.sort_by(|a, b| change(b).total_cmp(&change(a)));
    Some(Reason {
        first: first.letter.clone(),
        second: second.letter.clone(),
        change_ms: causes.iter().map(|cause| cause.change_ms.value).sum(),
        causes,
        stages,
        only_first: lacking(&rows, &others),
        only_second: lacking(&others, &rows),
    })
}

/// The mean time of a cause in each replication; as often as the other has replications, where all are the same.
fn sample(entrant: &Entrant, cause: &str, count: usize) -> Option<Sample> {
    let of = |report: &Report| {
        report.served.breakdown.iter().find(|share| share.cause == cause).map_or(0.0, |share| share.mean_ms)
    };
    if entrant.deterministic {
        return Sample::of(vec![entrant.reports.first().map(of)?; count.max(2)]);
    }
    Sample::of(entrant.reports.iter().map(of).collect())
}

/// A stage over all replications.
struct StageTime {
    name: String,
    time_ms: f64,
    utilisation: Option<f64>,
}

fn mean_stages(reports: &[Report]) -> Vec<StageTime> {
    let Some(first) = reports.first() else { return Vec::new() };
    let mean = |name: &str, figure: &dyn Fn(&Report, &StageFigures) -> Option<f64>| {
        let values: Vec<f64> = reports
            .iter()
            .filter_map(|report| {
                let stage = report.stages.iter().find(|stage| stage.name == name)?;
                figure(report, stage)
            })
            .collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    // A request of the workload may visit a stage many times or never.
    let time = |report: &Report, stage: &StageFigures| {
        let visits = stage.arrivals as f64 / report.served.requests.completed.max(1) as f64;
        Some(visits * (stage.mean_wait_ms.unwrap_or(0.0) + stage.mean_service_ms.unwrap_or(0.0)))
    };
    let row = |stage: &StageFigures| StageTime {
        name: stage.name.clone(),
        time_ms: mean(&stage.name, &time).unwrap_or(0.0),
        utilisation: mean(&stage.name, &|_, stage| stage.utilisation),
    };
    first.stages.iter().map(row).collect()
}

/// What one has and the other lacks: whole parts by their name, else stages.
fn lacking(rows: &[StageTime], others: &[StageTime]) -> Vec<String> {
    let part = |name: &str| name.split('/').next().unwrap_or(name).to_owned();
    let mut found: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| others.iter().all(|other| other.name != row.name)) {
        let its = part(&row.name);
        let whole = others.iter().all(|other| part(&other.name) != its);
        let name = if whole { its } else { row.name.clone() };
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}
