//! What the programs of a job measure of themselves: phases, from when to when, and what was done in them.
//!
//! ```text
//!  rank 0   ├── begin ═══════════ end ──┤          a span: from the first begin to the last end (IOR, mdtest)
//!  rank 1   ├──── begin ════════════ end┤
//!
//!  rank 0   ├─ begin ══ end ─ begin ══ end ─┤      inside: the most time that any rank was in it (BT-IO)
//! ```
//!
//! Real benchmarks look at a clock and tell each other by messages; here each says it in no time, and the numbers are those that
//! the clock would have given.

use petrio_persist::Persist;
use petrio_time::Time;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What the rate of a phase is of.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub enum Counts {
    /// Bytes.
    Bytes,
    /// Operations, of which one is called so: `file`, `sample`.
    Operations(Cow<'static, str>),
}

/// How long a phase takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Timing {
    /// From its first rank's begin to its last one's end.
    Span,
    /// As long as the rank that was in it for longest, all times together.
    Inside,
}

/// A phase of a program.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct PhaseName {
    /// What the program calls it, or whoever wrote the program.
    pub name: Cow<'static, str>,
    /// Which time it is, from 0.
    pub repetition: u32,
    /// What its rate is of.
    pub counts: Counts,
    /// How long it takes.
    pub timing: Timing,
    /// Whether its rate is a part of the program's score (IO500).
    pub scored: bool,
}

impl PhaseName {
    /// Of bytes, over its span.
    pub(crate) const fn of_bytes(name: &'static str, repetition: u32) -> Self {
        Self {
            name: Cow::Borrowed(name),
            repetition,
            counts: Counts::Bytes,
            timing: Timing::Span,
            scored: false,
        }
    }

    /// Of operations, over its span.
    pub(crate) fn of_operations(name: &'static str, one: &'static str, repetition: u32) -> Self {
        Self { counts: Counts::Operations(Cow::Borrowed(one)), ..Self::of_bytes(name, repetition) }
    }
}

/// What was done in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct WorkDone {
    /// Bytes read or written, as the program counts them.
    pub bytes: u64,
    /// Accesses, files, samples.
    pub operations: u64,
    /// How long accelerators computed.
    pub busy: Time,
}

/// What a process says of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(crate) enum Word {
    Begin,
    /// So much more was done.
    Did(WorkDone),
    End,
}

/// How long a process has been in a phase.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Stay {
    since: Option<Time>,
    all: Time,
}

/// A phase that has begun.
#[derive(Clone, Debug, Persist)]
pub struct MeasuredPhase {
    /// Which.
    pub phase: PhaseName,
    /// What all processes did.
    pub amount: WorkDone,
    begin: Option<Time>,
    end: Time,
    stays: BTreeMap<u32, Stay>,
}

impl MeasuredPhase {
    const fn new(phase: PhaseName) -> Self {
        let amount = WorkDone { bytes: 0, operations: 0, busy: Time::ZERO };
        Self { phase, amount, begin: None, end: Time::ZERO, stays: BTreeMap::new() }
    }

    /// When its first process began.
    pub fn begin(&self) -> Time {
        self.begin.unwrap_or_default()
    }

    /// How long it took.
    pub fn length(&self) -> Time {
        match self.phase.timing {
            Timing::Span => self.end.saturating_sub(self.begin()),
            Timing::Inside => self.stays.values().map(|stay| stay.all).max().unwrap_or_default(),
        }
    }

    /// The part of their time in it that those who computed did so, 0 to 1; `None` where nobody says that he does.
    pub fn busy(&self) -> Option<f64> {
        let inside = self.stays.values().fold(Time::ZERO, |sum, stay| sum.saturating_add(stay.all));
        let is_known = self.amount.busy > Time::ZERO && inside > Time::ZERO;
        is_known.then(|| self.amount.busy.as_seconds() / inside.as_seconds())
    }

    /// Whether everybody who began it has ended it.
    pub fn is_over(&self) -> bool {
        self.stays.values().all(|stay| stay.since.is_none())
    }

    fn hear(&mut self, process: u32, word: Word, now: Time) {
        match word {
            Word::Begin => {
                self.begin = Some(self.begin.map_or(now, |begin| begin.min(now)));
                self.stays.entry(process).or_default().since = Some(now);
            }
            Word::Did(WorkDone { bytes, operations, busy }) => {
                self.amount.bytes = self.amount.bytes.saturating_add(bytes);
                self.amount.operations = self.amount.operations.saturating_add(operations);
                self.amount.busy = self.amount.busy.saturating_add(busy);
            }
            Word::End => {
                self.end = self.end.max(now);
                let stay = self.stays.entry(process).or_default();
                let since = stay.since.take().unwrap_or(now);
                stay.all = stay.all.saturating_add(now.saturating_sub(since));
            }
        }
    }
}

/// The phases of a job, in the order in which they were first heard of.
#[derive(Debug, Default)]
pub(super) struct Measured(pub(super) Mutex<Vec<MeasuredPhase>>);

impl Measured {
    /// A process says something of a phase.
    pub(super) fn hear(&self, process: u32, phase: PhaseName, word: Word, now: Time) {
        // Whoever panicked had no phase half written that matters to anyone else.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What goes on now was begun last.
        let known = all.iter().rposition(|known| known.phase == phase);
        let number = known.unwrap_or_else(|| {
            all.push(MeasuredPhase::new(phase));
            all.len() - 1
        });
        all[number].hear(process, word, now);
    }

    /// What is known so far.
    pub(super) fn all(&self) -> Vec<MeasuredPhase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write() -> PhaseName {
        PhaseName::of_bytes("write", 0)
    }

    fn heard(phase: &PhaseName) -> MeasuredPhase {
        let measured = Measured::default();
        let second = Time::from_whole_seconds;
        let did = Word::Did(WorkDone { bytes: 10, operations: 2, busy: second(1) });
        for (process, word, at) in [
            (0, Word::Begin, 1),
            (1, Word::Begin, 2),
            (0, did, 2),
            (0, Word::End, 3),
            (1, Word::End, 6),
            (0, Word::Begin, 7),
            (0, did, 7),
            (0, Word::End, 8),
        ] {
            measured.hear(process, phase.clone(), word, second(at));
        }
        measured.all().remove(0)
    }

    #[test]
    fn a_span_is_from_the_first_begin_to_the_last_end_and_what_is_inside_is_the_longest_stay() {
        let second = Time::from_whole_seconds;
        let span = heard(&write());
        assert_eq!((span.begin(), span.length(), span.is_over()), (second(1), second(7), true));
        assert_eq!((span.amount.bytes, span.amount.operations), (20, 4));
        // Two seconds of 2 + 4 + 1.
        assert_eq!(span.busy(), Some(2.0 / 7.0));
        let inside = heard(&PhaseName { timing: Timing::Inside, ..write() });
        assert_eq!(inside.length(), second(4));
    }
}
