//! What is counted of the requests of either colour, and what to check before it is trusted.

use crate::build::{Driven, Programs};
use crate::report::{Collector, OperationFailures, Reported, Served, counted};
use crate::run::load::Lane;
use crate::run::phases::Phases;
use petrio_colours::{BlockRequest, FileOp, Operation};
use petrio_kernel::Time;
use petrio_page::numbers::seconds;

/// What is counted of the requests of a colour.
pub(super) struct Count<R> {
    pub(super) collector: Collector<R>,
    pub(super) phases: Phases,
    /// Requests that counted, those that were cut off among them.
    pub(super) counted: u64,
}

impl<R: Reported> Count<R> {
    /// Of programs of workloads with these names, whose requests may take so long.
    pub(super) fn of(names: Vec<String>, deadlines: Vec<Option<Time>>) -> Self {
        let collector = Collector::new(Time::ZERO).of_workloads(names).with_deadlines(deadlines);
        Self { collector, phases: Phases::default(), counted: 0 }
    }

    pub(super) fn is_past(&self, skipped: Option<u64>) -> bool {
        skipped.is_none_or(|skipped| self.counted > skipped)
    }

    /// What the programs of a lane got, in a run that ended at `end`, and what to check before it is trusted.
    pub(super) fn served(self, lane: Lane<'_, R, Programs<R>>, end: Time) -> (Served, Vec<String>) {
        let lane_end = lane.ended().unwrap_or(end);
        let counted_until = self.phases.counted_until();
        let mut served = self.collector.finish(counted_until.unwrap_or(lane_end));
        served.closing_s = counted_until.map(|until| lane_end.saturating_sub(until).as_seconds());
        served.requests.in_flight = lane.in_flight();
        let programs = lane.into_programs();
        let completed = counted(served.requests.completed, R::SUBJECT.one(), R::SUBJECT.many());
        served.workload = format!("{completed} · {}", programs.line());
        let mut warnings = programs.warnings();
        if served.requests.completed == 0 && programs.boards().is_empty() {
            warnings.push(format!("no {} completed: there is nothing to report", R::SUBJECT.one()));
        }
        if served.requests.found_nothing > 0 {
            warnings.push(format!(
                "{} moved nothing: they begin at the end of their files or beyond it",
                counted(served.requests.found_nothing, "read", "reads")
            ));
        }
        warnings.extend(ended_early(&served, counted_until.unwrap_or(lane_end)));
        for failed in &served.failures {
            let OperationFailures { operation, failed, failure } = failed;
            let (many, words) = (counted(*failed, operation, &format!("{operation}s")), failure);
            warnings.push(format!("{many} failed: {words}"));
        }
        (served, warnings)
    }
}

/// A workload that ended before so much of the others' time had passed says so.
const EARLY: f64 = 0.9;

/// Of workloads that ended long before the last one did, a warning.
fn ended_early(served: &Served, end: Time) -> Option<String> {
    let end = end.as_seconds();
    let begin = served.workloads.iter().map(|row| row.from_s).reduce(f64::min)?;
    let early = served.workloads.iter().filter(|row| row.until_s - begin < EARLY * (end - begin));
    let early: Vec<String> =
        early.map(|row| format!("\"{}\" after {}", row.workload, seconds(row.until_s))).collect();
    (!early.is_empty()).then(|| {
        format!(
            "{} ended before the others did, after {}: the rates of all together are over the longer time, those of \
             each workload over its own",
            early.join(", "),
            seconds(end)
        )
    })
}

/// What is counted of both colours.
pub(super) struct Counts {
    pub(super) requests: Count<BlockRequest>,
    pub(super) operations: Count<FileOp>,
}

impl Counts {
    /// Of programs of either colour, or of both.
    pub(super) fn of(
        operations: Option<&Lane<'_, FileOp, Programs<FileOp>>>,
        requests: Option<&Lane<'_, BlockRequest, Programs<BlockRequest>>>,
    ) -> Self {
        let of_files = operations.map(Lane::programs);
        let of_devices = requests.map(|lane| lane.programs().workload_names());
        Self {
            operations: Count::of(
                of_files.map(Programs::workload_names).unwrap_or_default(),
                of_files.map(Programs::workload_deadlines).unwrap_or_default(),
            ),
            requests: Count::of(of_devices.unwrap_or_default(), Vec::new()),
        }
    }
}

/// A colour that is counted.
pub(super) trait Counted: Driven {
    /// What is counted of it.
    fn count(counts: &mut Counts) -> &mut Count<Self>;

    /// How long it needs a processor for itself, of computing: the rest of its time it waited for one.
    fn computing(&self) -> Time {
        Time::ZERO
    }
}

impl Counted for BlockRequest {
    fn count(counts: &mut Counts) -> &mut Count<Self> {
        &mut counts.requests
    }
}

impl Counted for FileOp {
    fn count(counts: &mut Counts) -> &mut Count<Self> {
        &mut counts.operations
    }

    fn computing(&self) -> Time {
        match self.operation {
            Operation::Compute => Time::from_picos(self.length),
            _ => Time::ZERO,
        }
    }
}
