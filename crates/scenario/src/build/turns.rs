//! Workloads in turn: one whose `after` names others begins when all of these are over.
//!
//! Sources of both colours know the same [`Turns`], so that a workload on files may follow one on disks.

use crate::loaded::Loaded;
use petrio_colours::{Failure, Request, RequestId};
use petrio_kernel::Time;
use petrio_persist::{Damage, Inside, Persist, Reader, Writer};
use petrio_workload::{Due, RequestSource, SourceError, SourceItem};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many sources of each workload aren't over, in one run.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    left: Mutex<BTreeMap<String, u64>>,
}

impl Inside for Turns {
    fn save(&self, to: &mut Writer<'_>) {
        Inside::save(&self.left, to);
    }

    fn restore(&self, from: &mut Reader<'_>) -> Result<(), Damage> {
        Inside::restore(&self.left, from)
    }
}

impl Turns {
    fn count(&self, workload: &str, change: i64) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let own = left.entry(workload.to_owned()).or_default();
        *own = own.saturating_add_signed(change);
    }

    /// Whether all of these are over.
    fn are_over(&self, workloads: &[String]) -> bool {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        workloads.iter().all(|workload| left.get(workload).is_none_or(|&left| left == 0))
    }
}

/// Whether any workload waits for another.
fn any_waits(loaded: &Loaded) -> bool {
    loaded.scenario.workload.values().any(|workload| workload.after().is_some())
}

/// Whether a workload waits for others.
pub(super) fn waits(loaded: &Loaded, workload: &str) -> bool {
    !loaded.scenario.before(workload).is_empty()
}

/// A source that begins when its turn has come, and says when it is over.
#[derive(Persist)]
struct InTurn<R: 'static> {
    source: Box<dyn RequestSource<R>>,
    #[persist(inside)]
    turns: Arc<Turns>,
    workload: String,
    before: Vec<String>,
    has_begun: bool,
    is_over: bool,
    in_flight: u64,
    /// When something last completed in this source's net: it begins no earlier than it is asked.
    now: Time,
}

/// A source of a workload that takes its turn; as it is where none does.
pub(super) fn in_turn<R: Request>(
    source: Box<dyn RequestSource<R>>,
    loaded: &Loaded,
    turns: &Arc<Turns>,
    workload: &str,
) -> Box<dyn RequestSource<R>> {
    if !any_waits(loaded) {
        return source;
    }
    turns.count(workload, 1);
    let before: Vec<String> = loaded.scenario.before(workload).into_iter().map(str::to_owned).collect();
    Box::new(InTurn {
        source,
        turns: Arc::clone(turns),
        workload: workload.to_owned(),
        has_begun: before.is_empty(),
        before,
        is_over: false,
        in_flight: 0,
        now: Time::ZERO,
    })
}

impl<R: 'static> InTurn<R> {
    /// Notes whether nothing more comes of it.
    fn look(&mut self) -> Result<Due, SourceError> {
        let due = self.source.due()?;
        if due == Due::Never && self.in_flight == 0 && !std::mem::replace(&mut self.is_over, true) {
            self.turns.count(&self.workload, -1);
        }
        Ok(due)
    }
}

impl<R: Request> RequestSource<R> for InTurn<R> {
    fn due(&mut self) -> Result<Due, SourceError> {
        match self.has_begun {
            true => self.look(),
            // At once: when that is says whoever asks for what is due.
            false if self.turns.are_over(&self.before) => Ok(Due::At(self.now)),
            false => Ok(Due::AfterCompletion),
        }
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, SourceError> {
        self.now = now;
        if !self.has_begun {
            if !self.turns.are_over(&self.before) {
                return Ok(None);
            }
            self.has_begun = true;
            self.source.begin(now)?;
            self.look()?;
            return Ok(None);
        }
        let item = self.source.issue(now)?;
        self.in_flight += u64::from(item.is_some());
        Ok(item)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        self.now = now;
        self.source.complete(id, now)?;
        self.in_flight = self.in_flight.saturating_sub(1);
        self.look()?;
        Ok(())
    }

    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), SourceError> {
        self.now = now;
        self.source.failed(id, failure, now)?;
        self.in_flight = self.in_flight.saturating_sub(1);
        self.look()?;
        Ok(())
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        self.source.submitted(id, now)
    }

    fn waits_for_others(&self) -> bool {
        !self.has_begun
    }

    fn source_of(&self, id: RequestId) -> usize {
        self.source.source_of(id)
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.source.ended_process()
    }

    fn has_ended(&mut self, _source: usize) -> bool {
        self.has_begun && matches!(self.source.due(), Ok(Due::Never))
    }
}
