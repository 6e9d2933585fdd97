//! What an experiment of the study gave.

use super::error::ParIoSimError;
use super::experiments::Experiment;
use petrio_colours::{FileOp, Operation};
use petrio_kernel::Time;
use petrio_scenario::report::{RankFigures, Report, ReportError, RequestSink};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// What an experiment gave.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Which.
    pub experiment: Experiment,
    /// How long the program ran, seconds.
    pub elapsed_s: f64,
    /// Bytes a second, of all ranks together, from the first write's begin to the last one's end.
    pub written_per_s: f64,
    /// The same of reads.
    pub read_per_s: f64,
    /// The part of its ranks' time in which they compute, 0 to 1.
    pub computing: f64,
    /// The same of exchanging messages.
    pub messages: f64,
    /// The same of reading, writing, and operations on names.
    pub io: f64,
    /// What the whole System is busy with most: a stage.
    pub busiest: String,
}

impl Outcome {
    pub(super) fn of(
        experiment: Experiment,
        report: &Report,
        phases: &Phases,
    ) -> Result<Self, ParIoSimError> {
        let Some(job) = report.jobs.first() else {
            return Err(ParIoSimError::NoProgram { experiment: experiment.words() });
        };
        let busy = |stage: &petrio_scenario::report::StageFigures| stage.utilisation.unwrap_or(0.0);
        let busiest = report.stages.iter().max_by(|a, b| busy(a).total_cmp(&busy(b)));
        let [read_per_s, written_per_s] = phases.rates();
        Ok(Self {
            experiment,
            elapsed_s: job.elapsed_s,
            written_per_s,
            read_per_s,
            computing: job.part(|rank| rank.computing_s),
            messages: job.part(|rank| rank.messages_s),
            io: job.part(RankFigures::io_s),
            busiest: busiest.map(|stage| stage.name.clone()).unwrap_or_default(),
        })
    }

    /// The part of the time that isn't computing: I/O, and messages that wait for it.
    pub fn not_computing(&self) -> f64 {
        1.0 - self.computing
    }
}

/// The outcome of an experiment, where it was run.
pub fn find<'o>(outcomes: &'o [Outcome], experiment: &Experiment) -> Option<&'o Outcome> {
    outcomes.iter().find(|outcome| outcome.experiment == *experiment)
}

/// When all ranks read and when they write, and how much.
#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    /// Reads, then writes.
    told: Arc<Mutex<[Span; 2]>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    bytes: u64,
    first: Option<Time>,
    last: Time,
}

impl Phases {
    /// Of reads and of writes, bytes a second over their span.
    fn rates(&self) -> [f64; 2] {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.map(|span| {
            let seconds = span.last.saturating_sub(span.first.unwrap_or_default()).as_seconds();
            if seconds > 0.0 { span.bytes as f64 / seconds } else { 0.0 }
        })
    }
}

impl RequestSink<FileOp> for Phases {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        let which = match op.operation {
            Operation::Read => 0,
            Operation::Write => 1,
            _ => return Ok(()),
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let span = &mut told[which];
        span.bytes += op.length;
        let first = span.first.map_or(op.issued, |first| first.min(op.issued));
        (span.first, span.last) = (Some(first), span.last.max(at));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}
