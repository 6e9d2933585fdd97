//! What is counted of the requests of either colour, and what to check before it is trusted.

use crate::build::{Driven, Programs};
use crate::claim::{Claim, Sentence};
use crate::report::{Collector, OperationFailures, Reported, Served, UnderWay};
use crate::run::flight::Flight;
use crate::run::phases::Phases;
use indexmap::IndexMap;
use petrio_colours::{BlockRequest, FileOp, Operation};
use petrio_engine::{Lane, Rates};
use petrio_kernel::Time;
use petrio_page::numbers::counted;
use petrio_page::numbers::{seconds, significant};
use petrio_workload::{Phase, SourceItem};
use std::collections::BTreeMap;

/// What is counted of the requests of a colour.
pub(super) struct Count<R> {
    pub(super) collector: Collector<R>,
    pub(super) phases: Phases,
    pub(super) flight: Flight,
    names: Vec<String>,
    /// Requests that counted, those that were cut off among them.
    pub(super) counted: u64,
}

impl<R: Reported> Count<R> {
    /// Of programs of workloads with these names, whose requests may take so long and whose transactions these kinds end, alone or
    /// beside those of another sort.
    pub(super) fn of(
        names: Vec<String>,
        (deadlines, transactions): (Vec<Option<Time>>, Vec<Option<usize>>),
        (replays, numbers): (Vec<bool>, BTreeMap<u32, u32>),
        beside: bool,
    ) -> Self {
        let flight = Flight::of(names.len());
        let collector = Collector::new(Time::ZERO).of_workloads(names.clone());
        let collector = collector
            .with_deadlines(deadlines)
            .with_transactions(transactions)
            .with_processes(replays, numbers)
            .beside_others(beside);
        Self { collector, phases: Phases::default(), flight, names, counted: 0 }
    }

    /// A request is about to be issued.
    #[inline]
    pub(super) fn begins(&mut self, workload: usize, item: &SourceItem<R>) {
        let SourceItem { request, phase, depth, .. } = item;
        if phase.counts() && request.bytes() > 0 {
            self.collector.submits(workload, *depth);
        }
        let request = UnderWay {
            id: request.id(),
            workload,
            kind: request.kind(),
            moves: request.bytes() > 0,
            closing: *phase == (Phase::Closing { counted: false }),
            issued: request.issued(),
        };
        self.flight.begins(request, *phase);
    }

    /// What is under way, by workload and kind, each with how many there are and since when.
    pub(super) fn waiting(&self) -> Vec<String> {
        let mut sorts: IndexMap<(usize, usize), (u64, Time)> = IndexMap::new();
        for UnderWay { workload, kind, issued, .. } in self.flight.under_way() {
            sorts.entry((workload, kind)).or_insert((0, issued)).0 += 1;
        }
        let words = |((workload, kind), (count, since)): ((usize, usize), (u64, Time))| {
            let kind = R::KINDS.get(kind).map_or("request", |kind| kind.name);
            let whose = self.names.get(workload).map(|name| format!(" of \"{name}\"")).unwrap_or_default();
            let first = if count == 1 { "" } else { "the first " };
            format!("{}{whose}, {first}since {since}", counted(count, kind, &format!("{kind}s")))
        };
        sorts.into_iter().map(words).collect()
    }

    pub(super) fn is_past(&self, skipped: Option<u64>) -> bool {
        skipped.is_none_or(|skipped| self.counted > skipped)
    }

    /// What the programs of a lane got, in a run that ended at `end`, and what to check before it is trusted.
    pub(super) fn served(self, lane: Lane<'_, R, Programs<R>>, end: Time) -> (Served, Vec<Sentence>) {
        let lane_end = lane.ended().unwrap_or(end);
        let counted_until = self.phases.counted_until();
        let (in_flight, overload) = (lane.in_flight(), lane.overload());
        let mut programs = lane.into_programs();
        let rows = programs.workload_names().len().max(1);
        let ended: Vec<bool> = (0..rows).map(|row| programs.has_ended(row)).collect();
        let left = self.flight.left(end, |row| ended.get(row).copied().unwrap_or(true));
        let mut served = self.collector.finish_with(counted_until.unwrap_or(lane_end), &left);
        for one in &mut served.processes {
            one.process = programs.own_number(one.process);
            one.name = programs.command(&one.workload, one.process);
        }
        served.closing_s = counted_until.map(|until| lane_end.saturating_sub(until).as_seconds());
        served.requests.in_flight = in_flight;
        let completed = counted(served.requests.completed, R::SUBJECT.one(), R::SUBJECT.many());
        served.workload = format!("{completed} · {}", programs.line());
        let mut warnings = programs.warnings();
        if let Some(Rates { offered, served: then }) = overload {
            let many = R::SUBJECT.many();
            // Of all that comes within a moment nothing may be served by its end.
            let then = if then > 0.0 { then } else { served.requests_per_s.value };
            warnings.push(Claim::Overloaded.says(format!(
                "the System can't keep up with this load: {} {many} a second come and {} are served, so that more and \
                 more wait, and latencies say more about the length of the run than about the System",
                significant(offered),
                significant(then)
            )));
        }
        if served.requests.completed == 0 && programs.boards().is_empty() {
            let waiting = served.waiting.map(|waiting| format!(" ({})", waiting.words())).unwrap_or_default();
            warnings.push(
                Claim::NothingCompleted
                    .says(format!("no {} completed{waiting}: there is nothing to report", R::SUBJECT.one())),
            );
        }
        warnings.extend(super::cautions::of_waiting(&served, overload.is_some()));
        if served.requests.found_nothing > 0 {
            warnings.push(Claim::FoundNothing.says(format!(
                "{} moved nothing: they begin at the end of their files or beyond it",
                counted(served.requests.found_nothing, "read", "reads")
            )));
        }
        warnings.extend(ended_early(&served, counted_until.unwrap_or(lane_end)));
        for failed in &served.failures {
            let OperationFailures { operation, failed, failure } = failed;
            let (many, words) = (counted(*failed, operation, &format!("{operation}s")), failure);
            warnings.push(Claim::Failed.says(format!("{many} failed: {words}")));
        }
        (served, warnings)
    }
}

/// A workload that ended before so much of the others' time had passed says so.
const EARLY: f64 = 0.9;

/// Of workloads that ended long before the last one did, a warning.
fn ended_early(served: &Served, end: Time) -> Option<Sentence> {
    let end = end.as_seconds();
    let begin = served.workloads.iter().map(|row| row.from_s).reduce(f64::min)?;
    let early = served.workloads.iter().filter(|row| row.until_s - begin < EARLY * (end - begin));
    let early: Vec<String> =
        early.map(|row| format!("\"{}\" after {}", row.workload, seconds(row.until_s))).collect();
    (!early.is_empty()).then(|| {
        Claim::EndedEarly.says(format!(
            "{} ended before the others did, after {}: the rates of all together are over the longer time, those of \
             each workload over its own",
            early.join(", "),
            seconds(end)
        ))
    })
}

/// Which workloads replay traces, and the numbers in these of processes that have others in the run.
fn traced<R: Reported>(programs: Option<&Programs<R>>) -> (Vec<bool>, BTreeMap<u32, u32>) {
    programs.map(|programs| (programs.replays(), programs.traced_numbers())).unwrap_or_default()
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
        let of_devices = requests.map(Lane::programs);
        let tells_each =
            of_files.is_some_and(Programs::tells_each) || of_devices.is_some_and(Programs::tells_each);
        let both = operations.is_some() && requests.is_some() || tells_each;
        Self {
            operations: Count::of(
                of_files.map(Programs::workload_names).unwrap_or_default(),
                of_files
                    .map(|programs| (programs.workload_deadlines(), programs.workload_transactions()))
                    .unwrap_or_default(),
                traced(of_files),
                both,
            ),
            requests: Count::of(
                of_devices.map(Programs::workload_names).unwrap_or_default(),
                <_>::default(),
                traced(of_devices),
                both,
            ),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::RequestId;

    #[test]
    fn what_waits_for_ever_is_told_by_workload_and_kind_with_how_many_and_since_when() {
        let names = vec!["mail".to_owned(), "backup".to_owned()];
        let mut count: Count<FileOp> = Count::of(names, <_>::default(), <_>::default(), false);
        let asked = [
            (0, Operation::Fsync, 3),
            (1, Operation::Read, 5),
            (0, Operation::Fsync, 7),
            (0, Operation::Read, 8),
        ];
        for (number, (workload, operation, at)) in asked.into_iter().enumerate() {
            let (id, issued) = (RequestId(number as u64), Time::from_millis(at));
            let request = FileOp { id, operation, issued, length: 4_096, ..FileOp::default() };
            count.begins(workload, &SourceItem { request, measured: None, phase: Phase::Measured, depth: 0 });
        }
        count.flight.ends(RequestId(3));
        assert_eq!(
            count.waiting(),
            ["2 fsyncs of \"mail\", the first since 3.000 ms", "1 read of \"backup\", since 5.000 ms"]
        );
    }
}
