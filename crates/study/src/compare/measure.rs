//! What is compared: a figure of a report, of all requests or of one kind, and which way is better.

use super::error::CompareError;
use petrio_page::figure::Quantity;
use petrio_page::numbers;
use petrio_scenario::report::{
    ALL_COSTS, Better, CostFigures, Described, Estimate, Latency, Report, Row, Subject, Unit,
    WorkloadFigures, figures_of_reports,
};
use petrio_units::nearest;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::LazyLock;

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
    /// What the System costs, over the scenario's months where some of it is rented, units of its currency.
    Cost,
    /// What it drew, watts.
    Watts,
    /// What of its disks' capacity can be used, bytes.
    Capacity,
    /// Any other of a report's rows.
    Told(&'static Described),
}

impl Figure {
    /// Whether it means the same of block requests and of operations on files.
    pub(super) const fn means_the_same(self) -> bool {
        matches!(self, Self::Throughput | Self::Makespan | Self::Cost | Self::Watts | Self::Capacity)
    }
}

/// Every figure with its name and the names that people give it besides.
const FIGURES: [(Figure, &str, &[&str]); 10] = [
    (Figure::Throughput, "throughput", &["bandwidth"]),
    (Figure::Rate, "rate", &["requests", "operations", "iops"]),
    (Figure::Mean, "mean-latency", &["latency", "mean"]),
    (Figure::P50, "p50-latency", &["p50", "median"]),
    (Figure::P95, "p95-latency", &["p95"]),
    (Figure::P99, "p99-latency", &["p99"]),
    (Figure::Makespan, "makespan", &["time"]),
    (Figure::Cost, "cost", &["price"]),
    (Figure::Watts, "watts", &["power"]),
    (Figure::Capacity, "capacity", &[]),
];

/// What the rows of reports have of figures that can be better or worse.
static TOLD: LazyLock<Vec<Described>> = LazyLock::new(|| {
    figures_of_reports().into_iter().filter(|figure| figure.better != Better::Neither).collect()
});

/// A name of rows or of their quantities as a measure has it: "most in use" is `most-in-use`.
fn as_measure(words: &str) -> String {
    words.replace(", ", "-").replace(' ', "-")
}

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
        if let Some(of) = kind.as_deref().filter(|kind| kind.contains(':')) {
            return Self::of_rows(name, of, word);
        }
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

    /// A figure of a report's rows, `PART:NAME.QUANTITY`: where a part has several items `PART:NAME:ITEM.QUANTITY`.
    fn of_rows(name: &str, of: &str, word: &str) -> Result<Self, CompareError> {
        let part = of.split(':').next().unwrap_or_default();
        let of_part = || TOLD.iter().filter(|figure| as_measure(figure.part) == part);
        if let Some(figure) = of_part().find(|figure| as_measure(figure.quantity) == word) {
            return Ok(Self { kind: Some(of.to_owned()), figure: Figure::Told(figure) });
        }
        let mut known: Vec<String> = match of_part().next() {
            Some(_) => of_part().map(|figure| format!("{of}.{}", as_measure(figure.quantity))).collect(),
            None => TOLD.iter().map(|figure| format!("{}:NAME.…", as_measure(figure.part))).collect(),
        };
        let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        known.dedup();
        Err(CompareError::UnknownMeasure { name: name.to_owned(), near, known })
    }

    /// The figure's name.
    pub fn figure_name(&self) -> &'static str {
        if let Figure::Told(figure) = self.figure {
            return figure.quantity;
        }
        FIGURES.iter().find(|(figure, _, _)| *figure == self.figure).map_or("", |(_, name, _)| name)
    }

    /// Whether more of it is better.
    pub fn more_is_better(&self) -> bool {
        match self.figure {
            Figure::Throughput | Figure::Rate | Figure::Capacity => true,
            Figure::Told(figure) => figure.better == Better::Up,
            _ => false,
        }
    }

    /// In what a report has it.
    fn own_unit(&self) -> Unit {
        match self.figure {
            Figure::Throughput => Unit::BytesPerSecond,
            Figure::Rate => Unit::PerSecond,
            Figure::Makespan => Unit::Seconds,
            Figure::Cost => Unit::Money,
            Figure::Watts => Unit::Watts,
            Figure::Capacity => Unit::Bytes,
            Figure::Mean | Figure::P50 | Figure::P95 | Figure::P99 => Unit::Milliseconds,
            Figure::Told(figure) => figure.unit,
        }
    }

    /// It in words: "mean latency of fsync".
    pub fn words(&self, subject: Subject) -> String {
        let figure = match self.figure {
            Figure::Rate if self.kind.is_none() => format!("{} a second", subject.many()),
            Figure::Rate => "rate".to_owned(),
            Figure::Told(figure) => figure.quantity.to_owned(),
            _ => self.figure_name().replace('-', " "),
        };
        match &self.kind {
            Some(kind) => format!("{kind}: {figure}"),
            None => figure,
        }
    }

    /// Its unit for a table: what a value is divided by, and the unit's name.
    pub fn unit(&self, value: f64) -> (f64, &'static str) {
        let (name, size) = match self.own_unit() {
            Unit::BytesPerSecond => numbers::rate_unit(value),
            Unit::Bytes => {
                let (name, size) = numbers::rate_unit(value);
                (name.trim_end_matches("/s"), size)
            }
            Unit::Seconds => {
                let (name, ms) = numbers::time_unit(value * 1e3);
                (name, ms / 1e3)
            }
            Unit::Milliseconds => numbers::time_unit(value),
            Unit::One | Unit::Money => ("", 1.0),
            other => (other.symbol(), 1.0),
        };
        (size, name)
    }

    /// The unit in which a report has it.
    pub fn base_unit(&self) -> &'static str {
        match self.own_unit() {
            Unit::BytesPerSecond => "bytes/s",
            Unit::PerSecond => "1/s",
            other => other.symbol(),
        }
    }

    /// What a figure's numbers count, and what the report's are divided by to be that.
    pub(crate) fn quantity(&self) -> (Quantity, f64) {
        match self.own_unit() {
            Unit::BytesPerSecond => (Quantity::Rate, 1.0),
            Unit::Milliseconds => (Quantity::Duration, 1e3),
            Unit::Seconds => (Quantity::Duration, 1.0),
            Unit::Bytes => (Quantity::Bytes, 1.0),
            _ => (Quantity::Number, 1.0),
        }
    }

    /// A value with its unit: `4.31 ms`.
    pub fn value(&self, value: f64) -> String {
        let (size, unit) = self.unit(value);
        let gap = if unit.is_empty() || unit.starts_with('/') { "" } else { " " };
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
            Figure::Told(figure) => self.told(report, figure),
            Figure::Cost => costs(report)?.over_months.map(Estimate::from),
            Figure::Watts => costs(report)?.drawn_w,
            Figure::Capacity => costs(report)?.usable_bytes.map(|bytes| (bytes as f64).into()),
            Figure::Makespan => {
                let cut = report.warm_up_s + report.served.closing_s.unwrap_or(0.0);
                Some((report.simulated_s - cut).into())
            }
        }
    }

    /// A figure of the report's rows: of the one that is named, or of the only one.
    fn told(&self, report: &Report, figure: &Described) -> Option<Estimate> {
        let mut keys = self.kind.as_deref()?.split(':').skip(1).filter(|key| !key.is_empty());
        let (name, item) = (keys.next(), keys.next());
        let is_it = |row: &Row| {
            (row.part.as_str(), row.quantity, row.unit) == (figure.part, figure.quantity, figure.unit)
                && name.is_none_or(|name| row.name == name)
                && item.is_none_or(|item| row.item == item)
        };
        let rows: Vec<Row> = report.rows().into_iter().filter(is_it).collect();
        match rows.as_slice() {
            [row] => Some(row.value.estimate()),
            _ => None,
        }
    }

    /// What these reports can be compared by, the headline's candidates first. Of different subjects only what means
    /// the same of both.
    pub(super) fn all(reports: &[&Report]) -> Vec<Self> {
        if !same_subject(reports) {
            let all = FIGURES.iter().map(|(figure, _, _)| *figure).filter(|figure| figure.means_the_same());
            return all
                .map(Self::of_all)
                .filter(|measure| {
                    matches!(measure.figure, Figure::Throughput | Figure::Makespan)
                        || reports.iter().filter(|report| measure.of(report).is_some()).count() > 1
                })
                .collect();
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

/// What all of a report's System costs, draws and holds.
pub(super) fn costs(report: &Report) -> Option<&CostFigures> {
    report.costs.iter().find(|costs| costs.name == ALL_COSTS)
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
            Some(kind) => write!(f, "{kind}.{}", as_measure(self.figure_name())),
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
    use petrio_scenario::report::MemoryFigures;

    #[test]
    fn names_are_read_back_and_other_names_understood() {
        for name in ["throughput", "rate", "mean-latency", "p95-latency", "makespan", "fsync.p99-latency"] {
            assert_eq!(Measure::parse(name).unwrap().to_string(), name);
        }
        assert_eq!(Measure::parse("fsync.p99").unwrap().to_string(), "fsync.p99-latency");
        assert_eq!(Measure::parse("iops").unwrap().figure, Figure::Rate);
    }

    #[test]
    fn a_row_of_a_report_is_a_measure_by_its_part_and_name() {
        let most = Measure::parse("memory:h.most-in-use").unwrap();
        assert_eq!((most.to_string().as_str(), most.base_unit()), ("memory:h.most-in-use", "B"));
        assert!(!most.more_is_better());
        let host = |name: &str, most_bytes| MemoryFigures {
            name: name.to_owned(),
            most_bytes,
            ..MemoryFigures::default()
        };
        let report = Report { memory: vec![host("g", 5), host("h", 7)], ..Report::default() };
        assert_eq!(most.of(&report), Some(7.0.into()));
        assert_eq!(Measure::parse("memory:.most-in-use").unwrap().of(&report), None, "there are two");
        let message = Measure::parse("memory:h.most-in-us").unwrap_err().help().unwrap().to_string();
        assert!(message.contains("memory:h.most-in-use"), "{message}");
        assert!(Measure::parse("memory:h.usable").is_err(), "that is no better either way");
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
