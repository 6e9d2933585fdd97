//! What the time of parallel programs' ranks goes for.

use crate::build::ClientHosts;
use crate::loaded::Loaded;
use crate::report::{JobFigures, PhaseFigures, RankFigures, ScoreFigures, Sort};
use crate::run::RunFailure;
use crate::workload::Workload;
use petrio_kernel::Time;
use petrio_workload::program::{Board, Counts, MeasuredPhase};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A rank's time so far.
#[derive(Clone, Copy, Default)]
struct Spent {
    first: Option<Time>,
    last: Time,
    computing: Time,
    /// Of that, for a processor that others use.
    waiting: Time,
    messages: Time,
    reading: Time,
    writing: Time,
    names: Time,
    read: u64,
    written: u64,
}

/// The ranks of all parallel programs.
pub(super) struct Ranks {
    /// By process, of each from the first rank of the first program on.
    spent: Vec<Spent>,
    jobs: Vec<Job>,
}

/// A parallel program.
struct Job {
    name: String,
    processes: Range<usize>,
    /// Where it says what it measures.
    board: Option<Arc<Board>>,
}

impl Ranks {
    /// Without any.
    pub(super) const fn none() -> Self {
        Self { spent: Vec::new(), jobs: Vec::new() }
    }

    /// Those of a scenario, whose programs know of themselves what stands on these boards: without any nothing is kept.
    pub(super) fn of(loaded: &Loaded, boards: &BTreeMap<u32, Arc<Board>>) -> Result<Self, RunFailure> {
        let mut jobs = Vec::new();
        let mut next = 0;
        let on_files =
            loaded.scenario.workload.iter().filter(|(_, workload)| workload.files_place().is_some());
        if loaded.scenario.workload.values().any(Workload::is_parallel) {
            let prepared = loaded.prepared()?;
            for ((name, workload), processes) in on_files.zip(prepared.processes_of_workloads()) {
                let first = next;
                next += processes;
                if workload.is_parallel() {
                    let board = u32::try_from(first).ok().and_then(|first| boards.get(&first)).cloned();
                    jobs.push(Job { name: name.clone(), processes: first..next, board });
                }
            }
        }
        Ok(Self { spent: vec![Spent::default(); if jobs.is_empty() { 0 } else { next }], jobs })
    }

    /// A process has done something: when it was issued and done, and for how long of that a processor was needed to compute.
    pub(super) fn record(
        &mut self,
        process: u32,
        sort: Sort,
        (issued, done, computing): (Time, Time, Time),
        bytes: u64,
    ) {
        let Some(spent) = self.spent.get_mut(process as usize) else { return };
        spent.first.get_or_insert(issued);
        // What was under way beside others counts from where these were over: a rank's time is spent once.
        let issued = issued.max(spent.last).min(done);
        spent.last = done;
        let span = match sort {
            // Others of its host may have the processor first, and in turns: what isn't needed is waited for.
            Sort::Computing => {
                spent.waiting += (done - issued).saturating_sub(computing);
                &mut spent.computing
            }
            Sort::Messages => &mut spent.messages,
            Sort::Read => &mut spent.reading,
            Sort::Write | Sort::Flush => &mut spent.writing,
            Sort::Other => &mut spent.names,
        };
        *span += done - issued;
        match sort {
            Sort::Read => spent.read += bytes,
            Sort::Write => spent.written += bytes,
            _ => {}
        }
    }

    /// What they came to.
    pub(super) fn figures(&self, hosts: &ClientHosts) -> Vec<JobFigures> {
        self.jobs.iter().map(|job| self.job(job, hosts)).collect()
    }

    fn job(&self, Job { name, processes, board }: &Job, hosts: &ClientHosts) -> JobFigures {
        let all = || self.spent[processes.clone()].iter();
        let first = all().filter_map(|spent| spent.first).min().unwrap_or_default();
        let last = all().map(|spent| spent.last).max().unwrap_or_default();
        let rank = |process: usize| {
            let spent = self.spent[process];
            let host = hosts.of_processes.get(process).and_then(|&host| hosts.names.get(host));
            RankFigures {
                host: host.cloned().unwrap_or_default(),
                elapsed_s: spent.last.saturating_sub(spent.first.unwrap_or_default()).as_seconds(),
                computing_s: spent.computing.as_seconds(),
                waiting_s: spent.waiting.as_seconds(),
                messages_s: spent.messages.as_seconds(),
                reading_s: spent.reading.as_seconds(),
                writing_s: spent.writing.as_seconds(),
                names_s: spent.names.as_seconds(),
                read_bytes: spent.read,
                written_bytes: spent.written,
            }
        };
        let phases = board.as_ref().map_or_else(Vec::new, |board| board.phases());
        let phases: Vec<_> = phases.iter().filter(|phase| phase.is_over()).map(phase_figures).collect();
        let figures = JobFigures {
            workload: name.clone(),
            elapsed_s: last.saturating_sub(first).as_seconds(),
            score: ScoreFigures::of(&phases),
            phases,
            ranks: processes.clone().map(rank).collect(),
            ..JobFigures::default()
        };
        JobFigures { speed_up: figures.speed_up(), efficiency: figures.efficiency(), ..figures }
    }
}

/// A phase that is over.
fn phase_figures(measured: &MeasuredPhase) -> PhaseFigures {
    let (phase, amount) = (&measured.phase, &measured.amount);
    let seconds = measured.length().as_seconds();
    let (counted, number) = match &phase.counts {
        Counts::Bytes => ("byte", amount.bytes),
        Counts::Operations(one) => (&**one, amount.operations),
    };
    PhaseFigures {
        name: phase.name.clone().into_owned(),
        repetition: phase.repetition,
        begin_s: measured.begin().as_seconds(),
        seconds,
        bytes: amount.bytes,
        operations: amount.operations,
        counted: counted.to_owned(),
        rate: if seconds > 0.0 { number as f64 / seconds } else { 0.0 },
        busy: measured.busy(),
        scored: phase.scored,
    }
}
