//! What is compared: a figure of a report, of all requests or of one kind, and which way is better.

use super::error::CompareError;
use petrio_page::numbers;
use petrio_scenario::report::{Estimate, Latency, Report, Subject, WorkloadFigures};
use petrio_units::nearest;
use serde::{Serialize, Serializer};
use std::fmt;

/// A figure of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Bytes a second.
    Throughput,
    /// Requests or operations a second.
    Rate,
    /// The mean latency, milliseconds.
    Mean,
    /// The median latency, milliseconds.
    P50,
    /// The latency that 95 in a hundred don't exceed, milliseconds.
    P95,
    /// The latency that 99 in a hundred don't exceed, milliseconds.
    P99,
    /// From the first request that counts to the end of the last, seconds.
    Makespan,
}

/// Every figure with its name and the names that people give it besides.
const FIGURES: [(Figure, &str, &[&str]); 7] = [
    (Figure::Throughput, "throughput", &["bandwidth"]),
    (Figure::Rate, "rate", &["requests", "operations", "iops"]),
    (Figure::Mean, "mean-latency", &["latency", "mean"]),
    (Figure::P50, "p50-latency", &["p50", "median"]),
    (Figure::P95, "p95-latency", &["p95"]),
    (Figure::P99, "p99-latency", &["p99"]),
    (Figure::Makespan, "makespan", &["time"]),
];

/// The figures that make sense of one kind alone.
const OF_A_KIND: [Figure; 4] = [Figure::Rate, Figure::Mean, Figure::P50, Figure::P99];

/// The kind that stands for all block requests of programs beside others that work on files.
const BESIDE: &str = "block-requests";

/// A figure of all requests, or of those of one kind: `throughput`, `fsync.mean-latency`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// `read`, `fsync` …, `block-requests` for those beside operations on files; of all kinds where it is absent.
    pub kind: Option<String>,
    /// Which figure.
    pub figure: Figure,
}

impl Measure {
    pub(super) const fn of_all(figure: Figure) -> Self {
        Self { kind: None, figure }
    }

    /// Reads a name such as `p99` or `fsync.mean-latency`. Whether there is such a kind shows in the reports alone.
    ///
    /// # Errors
    /// No figure of that name.
    pub fn parse(name: &str) -> Result<Self, CompareError> {
        let (kind, word) = match name.rsplit_once('.') {
            Some((kind, word)) => (Some(kind.to_owned()), word),
            None => (None, name),
        };
        let found = FIGURES.iter().find(|(_, usual, others)| *usual == word || others.contains(&word));
        match found {
            Some((figure, _, _)) if kind.is_none() || OF_A_KIND.contains(figure) => {
                Ok(Self { kind, figure: *figure })
            }
            Some(_) => {
                let known =
                    figures_of_a_kind().map(|word| format!("{}.{word}", kind.as_deref().unwrap_or("")));
                Err(CompareError::UnknownMeasure {
                    name: name.to_owned(),
                    near: None,
                    known: known.collect(),
                })
            }
            None => {
                let words = FIGURES
                    .iter()
                    .flat_map(|(_, usual, others)| [*usual].into_iter().chain(others.iter().copied()));
                let prefix = kind.map(|kind| format!("{kind}.")).unwrap_or_default();
                let near = nearest(word, words).map(|near| format!("{prefix}{near}"));
                let known = FIGURES.iter().map(|(_, usual, _)| (*usual).to_owned()).collect();
                Err(CompareError::UnknownMeasure { name: name.to_owned(), near, known })
            }
        }
    }

    /// The figure's name.
    pub fn figure_name(&self) -> &'static str {
        FIGURES.iter().find(|(figure, _, _)| *figure == self.figure).map_or("", |(_, name, _)| name)
    }

    /// Whether more of it is better.
    pub fn more_is_better(&self) -> bool {
        matches!(self.figure, Figure::Throughput | Figure::Rate)
    }

    /// It in words: "mean latency of fsync".
    pub fn words(&self, subject: Subject) -> String {
        let figure = match self.figure {
            Figure::Rate if self.kind.is_none() => format!("{} a second", subject.many()),
            Figure::Rate => "rate".to_owned(),
            _ => self.figure_name().replace('-', " "),
        };
        match &self.kind {
            Some(kind) => format!("{kind}: {figure}"),
            None => figure,
        }
    }

    /// Its unit for a table: what a value is divided by, and the unit's name.
    pub fn unit(&self, value: f64) -> (f64, &'static str) {
        let (name, size) = match self.figure {
            Figure::Throughput => numbers::rate_unit(value),
            Figure::Rate => ("/s", 1.0),
            Figure::Makespan => {
                let (name, ms) = numbers::time_unit(value * 1e3);
                (name, ms / 1e3)
            }
            Figure::Mean | Figure::P50 | Figure::P95 | Figure::P99 => numbers::time_unit(value),
        };
        (size, name)
    }

    /// The unit in which a report has it.
    pub fn base_unit(&self) -> &'static str {
        match self.figure {
            Figure::Throughput => "bytes/s",
            Figure::Rate => "1/s",
            Figure::Makespan => "s",
            Figure::Mean | Figure::P50 | Figure::P95 | Figure::P99 => "ms",
        }
    }

    /// A value with its unit: `4.31 ms`.
    pub fn value(&self, value: f64) -> String {
        let (size, unit) = self.unit(value);
        let gap = if unit.starts_with('/') { "" } else { " " };
        format!("{}{gap}{unit}", numbers::significant(value / size))
    }

    /// Its value in a report; `None` where the report doesn't have it.
    pub fn of(&self, report: &Report) -> Option<Estimate> {
        let latency = match &self.kind {
            None => report.served.latency.as_ref(),
            Some(kind) => latency_of(report, kind),
        };
        match self.figure {
            Figure::Throughput => Some(report.served.throughput_bytes_per_s),
            Figure::Rate => match &self.kind {
                None => Some(report.served.requests_per_s),
                Some(kind) if kind == BESIDE => report.beside.as_ref().map(|beside| beside.requests_per_s),
                Some(kind) => report
                    .served
                    .operations
                    .iter()
                    .find(|known| known.operation == *kind)
                    .map(|known| known.per_s)
                    .or_else(|| workload_of(report, kind).map(|row| row.per_s)),
            },
            Figure::Mean => latency.map(|latency| latency.mean_ms),
            Figure::P50 => latency.map(|latency| latency.p50_ms),
            Figure::P99 => latency.map(|latency| latency.p99_ms),
            // The distribution function of a mean report is that of its first replication.
            Figure::P95 if report.replications > 1 => None,
            Figure::P95 => {
                let points = &report.served.quantiles;
                let point = points.iter().find(|point| (point.probability - 0.95).abs() < 1e-9);
                point.map(|point| point.latency_ms.into())
            }
            Figure::Makespan => {
                let cut = report.warm_up_s + report.served.closing_s.unwrap_or(0.0);
                Some((report.simulated_s - cut).into())
            }
        }
    }

    /// What these reports can be compared by, the headline's candidates first. Of different subjects only what means
    /// the same of both.
    pub(super) fn all(reports: &[&Report]) -> Vec<Self> {
        if !same_subject(reports) {
            return vec![Self::of_all(Figure::Throughput), Self::of_all(Figure::Makespan)];
        }
        let mut measures: Vec<Self> = FIGURES.iter().map(|(figure, _, _)| Self::of_all(*figure)).collect();
        let mut kinds: Vec<&str> = Vec::new();
        for kind in reports.iter().flat_map(|report| kinds_of(report)) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.len() > 1 {
            for kind in kinds {
                measures.extend(OF_A_KIND.map(|figure| Self { kind: Some(kind.to_owned()), figure }));
            }
        }
        if reports.iter().any(|report| report.beside.is_some()) {
            measures.extend(OF_A_KIND.map(|figure| Self { kind: Some(BESIDE.to_owned()), figure }));
        }
        measures.retain(|measure| reports.iter().filter(|report| measure.of(report).is_some()).count() > 1);
        measures
    }
}

pub(super) fn same_subject(reports: &[&Report]) -> bool {
    reports.windows(2).all(|pair| pair[0].served.subject == pair[1].served.subject)
}

fn figures_of_a_kind() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().filter(|(figure, _, _)| OF_A_KIND.contains(figure)).map(|(_, name, _)| *name)
}

/// Kinds of requests, and workloads by name.
fn kinds_of(report: &Report) -> Vec<&str> {
    let served = &report.served;
    let workloads = served.workloads.iter().map(|row| row.workload.as_str());
    if served.subject == Subject::FileOperations {
        let operations = served.operations.iter().map(|known| known.operation.as_str());
        return operations.chain(workloads).collect();
    }
    let sorts =
        [("read", &served.read_latency), ("write", &served.write_latency), ("flush", &served.flush_latency)];
    let sorts = sorts.into_iter().filter(|(_, latency)| latency.is_some()).map(|(kind, _)| kind);
    sorts.chain(workloads).collect()
}

fn workload_of<'r>(report: &'r Report, name: &str) -> Option<&'r WorkloadFigures> {
    report.served.workloads.iter().find(|row| row.workload == name)
}

fn latency_of<'r>(report: &'r Report, kind: &str) -> Option<&'r Latency> {
    match (report.served.subject, kind) {
        (_, BESIDE) => report.beside.as_ref()?.latency.as_ref(),
        (Subject::BlockRequests, "read") => report.served.read_latency.as_ref(),
        (Subject::BlockRequests, "write") => report.served.write_latency.as_ref(),
        (Subject::BlockRequests, "flush") => report.served.flush_latency.as_ref(),
        _ => {
            let operation = report.served.operations.iter().find(|known| known.operation == kind);
            let latency = operation.and_then(|known| known.latency.as_ref());
            latency.or_else(|| workload_of(report, kind)?.latency.as_ref())
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "{kind}.{}", self.figure_name()),
            None => f.write_str(self.figure_name()),
        }
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use miette::Diagnostic;

    #[test]
    fn names_are_read_back_and_other_names_understood() {
        for name in ["throughput", "rate", "mean-latency", "p95-latency", "makespan", "fsync.p99-latency"] {
            assert_eq!(Measure::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Measure::parse("fsync.p99").unwrap().to_string(), "fsync.p99-latency");
        assert_eq!(Measure::parse("iops").unwrap().figure, Figure::Rate);
    }

    #[test]
    fn an_unknown_name_is_answered_with_a_near_one() {
        let message = Measure::parse("thoughput").unwrap_err().help().unwrap().to_string();
        assert_eq!(message, "did you mean \"throughput\"?");
        let message = Measure::parse("fsync.p98").unwrap_err().help().unwrap().to_string();
        assert!(message.contains("fsync.p9"), "{message}");
        assert!(
            Measure::parse("read.makespan")
                .unwrap_err()
                .help()
                .unwrap()
                .to_string()
                .contains("read.mean-latency")
        );
    }
}
