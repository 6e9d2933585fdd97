//! Every call of every process, in order of their beginnings, while the processes run: memory doesn't grow with the
//! number of calls.
//!
//! Each process hands over its calls many at a time, and says up to when it has told all. What is older than what
//! everybody has told can be put in order and be written.

use super::clock::nanos;
use super::ending::Ending;
use super::gaps::{GapWatch, waits_so_far};
use petrio_colours::FileOp;
use petrio_time::Time;
use petrio_workload::program::CarriedOut;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

/// Calls handed over at a time.
const BATCH: usize = 512;
/// Emptied lists that are kept for a process.
const LISTS: usize = 4;
/// A process that rests for longer than this hands over what it has: others must not wait for it.
const SHORT_REST: Time = Time::from_millis(50);

/// What a process has to say.
#[derive(Debug)]
pub struct Recorded {
    /// Which of the programs.
    pub(super) process: usize,
    pub(super) calls: Vec<CarriedOut>,
    /// Nothing that begins before this is still to come; never, after the last.
    pub(super) told_until: Time,
    /// Where the emptied list goes, to be filled again.
    pub(super) back: Option<SyncSender<Vec<CarriedOut>>>,
}

impl Recorded {
    /// Takes the calls out, and gives the list back.
    pub(super) fn drain(&mut self, take: impl FnMut(CarriedOut)) {
        let mut calls = std::mem::take(&mut self.calls);
        calls.drain(..).for_each(take);
        if let Some(back) = &self.back {
            // Where enough are back, or the process has ended, it isn't needed.
            let _ = back.try_send(calls);
        }
    }
}

/// Where the calls of a run are told, and how it is ended from outside.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Who takes the calls.
    pub to: SyncSender<Recorded>,
    /// From when on they are timed.
    pub began: Instant,
    /// By which no more files are made.
    pub ending: Arc<Ending>,
}

/// A process' calls on their way.
pub(super) struct Recording {
    process: usize,
    began: Instant,
    to: SyncSender<Recorded>,
    calls: Vec<CarriedOut>,
    latest: Time,
    /// Lists that were emptied, and how they come back: to take fresh memory for each can mean to wait, where threads
    /// are many.
    emptied: Receiver<Vec<CarriedOut>>,
    back: SyncSender<Vec<CarriedOut>>,
}

impl Recording {
    pub(super) fn new(process: usize, recorder: &Recorder) -> Self {
        let (began, to) = (recorder.began, recorder.to.clone());
        let (back, emptied) = sync_channel(LISTS);
        let calls = Vec::with_capacity(BATCH);
        Self { process, began, to, calls, latest: Time::ZERO, emptied, back }
    }

    pub(super) fn add(&mut self, operation: &FileOp, start: Instant, end: Instant, gaps: &mut GapWatch) {
        let since = |instant: Instant| Time::from_nanos(nanos(instant.duration_since(self.began)));
        let start = since(start);
        self.latest = since(end);
        self.calls.push(CarriedOut {
            process: operation.process,
            operation: operation.operation,
            file: operation.file,
            offset: operation.offset,
            length: operation.length,
            start,
            took: self.latest - start,
        });
        if self.calls.len() == BATCH {
            self.hand_over(self.latest, Some(gaps));
        }
    }

    /// Nothing comes for so long.
    pub(super) fn rests(&mut self, time: Time, gaps: &mut GapWatch) {
        if time > SHORT_REST {
            let now = Time::from_nanos(nanos(self.began.elapsed()));
            self.hand_over(now.saturating_add(time), Some(gaps));
        }
    }

    fn hand_over(&mut self, told_until: Time, gaps: Option<&mut GapWatch>) {
        let empty = match self.emptied.try_recv() {
            Ok(list) => list,
            Err(_) if told_until.is_never() => Vec::new(),
            Err(_) => Vec::with_capacity(BATCH),
        };
        let calls = std::mem::replace(&mut self.calls, empty);
        let back = Some(self.back.clone());
        let recorded = Recorded { process: self.process, calls, told_until, back };
        let (since, waits) = (Instant::now(), waits_so_far());
        // Where nobody listens any more, the run ends by its own error.
        let _ = self.to.send(recorded);
        // Whoever takes the calls had no room, or was held up himself with the door in his hand.
        if waits != waits_so_far()
            && let Some(gaps) = gaps
        {
            gaps.held_up(since.elapsed());
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.hand_over(Time::NEVER, None);
    }
}

/// Tells the calls of `processes` programs in the order of their beginnings, as soon as it is known, until all have
/// ended.
///
/// # Errors
/// The first that `tell` gives; the rest isn't told then.
pub fn in_order<E>(
    processes: usize,
    from: &Receiver<Recorded>,
    mut tell: impl FnMut(&CarriedOut) -> Result<(), E>,
) -> Result<(), E> {
    let mut told_until = vec![Time::ZERO; processes];
    let mut waiting: BinaryHeap<Waiting> = BinaryHeap::new();
    let mut number = 0_u64;
    let mut outcome = Ok(());
    for mut said in from {
        told_until[said.process] = said.told_until;
        said.drain(|call| {
            waiting.push(Waiting { call, number });
            number += 1;
        });
        let all_told = told_until.iter().min().copied().unwrap_or(Time::NEVER);
        while waiting.peek().is_some_and(|first| first.call.start < all_told || all_told.is_never()) {
            if let Some(first) = waiting.pop()
                && outcome.is_ok()
            {
                outcome = tell(&first.call);
            }
        }
    }
    outcome
}

/// A call that others may come before; the earliest is the greatest.
struct Waiting {
    call: CarriedOut,
    /// In which order it was told.
    number: u64,
}

impl Waiting {
    fn order(&self) -> (Reverse<Time>, Reverse<u64>) {
        (Reverse(self.call.start), Reverse(self.number))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Waiting {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_colours::{FileId, Operation};

    #[test]
    fn calls_are_told_in_order_as_soon_as_nobody_can_come_before() {
        let call = |process: u32, start: u64| CarriedOut {
            process,
            operation: Operation::Read,
            file: FileId(1),
            offset: 0,
            length: 1,
            start: Time::from_micros(start),
            took: Time::from_micros(1),
        };
        let (to, from) = sync_channel(10);
        let said = |process: u32, starts: &[u64], until: Time| Recorded {
            process: process as usize,
            calls: starts.iter().map(|start| call(process, *start)).collect(),
            told_until: until,
            back: None,
        };
        to.send(said(0, &[1, 5, 9], Time::from_micros(9))).unwrap();
        to.send(said(1, &[2, 3], Time::from_micros(1_000))).unwrap();
        to.send(said(0, &[10], Time::NEVER)).unwrap();
        to.send(said(1, &[2_000], Time::NEVER)).unwrap();
        drop(to);
        let mut told = Vec::new();
        in_order::<()>(2, &from, |call| {
            told.push((call.process, call.start.as_picos() / 1_000_000));
            Ok(())
        })
        .unwrap();
        assert_eq!(told, [(0, 1), (1, 2), (1, 3), (0, 5), (0, 9), (0, 10), (1, 2_000)]);
    }
}
