//! Keeps a replay of files possible: what was there for a call on the machine that was traced need not be there in the
//! replay.
//!
//! In a closed replay each process keeps its own pace, so one may open a file that another has not made yet, or has
//! deleted already; and a trace that begins in the middle of things closes what it never opened. A call that can't be
//! made any more is made as the nearest one that can: an open of a missing file makes it, a create of one that is there
//! opens it, and any other call becomes a look at the root directory, as a call that fails costs its way through the
//! file system too. A file that is open is deleted with its last close. Each change is counted.

use super::files::TraceFiles;
use crate::due::Due;
use crate::source::{RequestSource, SourceError, SourceItem};
use petrio_colours::{FileId, FileOp, Operation, RequestId};
use petrio_persist::Persist;
use petrio_time::Time;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file as the replay has left it.
#[derive(Clone, Copy, Debug, Default, Persist)]
struct State {
    is_there: bool,
    /// Its creation or deletion is on its way: nobody knows which call the file system takes first.
    is_changing: bool,
    openers: u32,
    /// Its name was taken away while it was open: it goes with its last close.
    is_doomed: bool,
    /// Calls on it that are on their way.
    in_flight: u32,
}

impl State {
    const fn can_be_used(self) -> bool {
        self.is_there && !self.is_changing
    }
}

/// A replay of files in which every call is possible.
#[derive(Persist)]
pub struct PossibleCalls<S> {
    source: S,
    /// By position; directories aren't in it.
    files: Vec<State>,
    first_file: u32,
    /// Calls on their way: on which file, and of a creation or a deletion whether it is there after.
    in_flight: BTreeMap<RequestId, (usize, Option<bool>)>,
    #[persist(inside)]
    changed: Arc<AtomicU64>,
}

impl<S: RequestSource<FileOp>> PossibleCalls<S> {
    /// Around a replay of `files`, which are numbered from `first_file` on.
    pub fn new(source: S, files: &TraceFiles, first_file: u32) -> Self {
        let state = |present| State { is_there: present, ..State::default() };
        let files = files.files().iter().map(|file| state(file.present)).collect();
        Self { source, files, first_file, in_flight: BTreeMap::new(), changed: Arc::default() }
    }

    /// How many calls were changed so far.
    pub fn changed(&self) -> Arc<AtomicU64> {
        self.changed.clone()
    }

    fn make_possible(&mut self, op: &mut FileOp) {
        let position = op.file.0.wrapping_sub(self.first_file) as usize;
        let Some(state) = self.files.get_mut(position) else { return };
        let before = op.operation;
        let mut is_there_after = None;
        match op.operation {
            Operation::Create | Operation::Open if state.is_changing => fails(op),
            Operation::Create | Operation::Open => {
                op.operation = if state.is_there { Operation::Open } else { Operation::Create };
                if op.operation == Operation::Create {
                    state.is_changing = true;
                    is_there_after = Some(true);
                }
                state.openers += 1;
            }
            Operation::Close if state.openers == 0 || state.is_changing => fails(op),
            Operation::Close => {
                state.openers -= 1;
                if state.is_doomed && state.openers == 0 && state.in_flight == 0 {
                    op.operation = Operation::Unlink;
                    (state.is_there, state.is_changing, state.is_doomed) = (false, true, false);
                    is_there_after = Some(false);
                }
            }
            Operation::Unlink | Operation::Rename if !state.is_there || state.is_changing => fails(op),
            Operation::Unlink if state.openers > 0 || state.in_flight > 0 => {
                state.is_doomed = true;
                fails(op);
            }
            Operation::Unlink => {
                (state.is_there, state.is_changing) = (false, true);
                is_there_after = Some(false);
            }
            _ if !state.can_be_used() => fails(op),
            _ => {}
        }
        if op.operation != before {
            self.changed.fetch_add(1, Ordering::Relaxed);
        }
        if op.file != FileId::ROOT {
            state.in_flight += 1;
            self.in_flight.insert(op.id, (position, is_there_after));
        }
    }
}

/// A call that fails.
fn fails(op: &mut FileOp) {
    (op.operation, op.file) = (Operation::Stat, FileId::ROOT);
    (op.offset, op.length) = (0, 0);
}

impl<S: RequestSource<FileOp> + Persist> RequestSource<FileOp> for PossibleCalls<S> {
    fn due(&mut self) -> Result<Due, SourceError> {
        self.source.due()
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<FileOp>>, SourceError> {
        let mut item = self.source.issue(now)?;
        if let Some(item) = &mut item {
            self.make_possible(&mut item.request);
        }
        Ok(item)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        if let Some((position, is_there_after)) = self.in_flight.remove(&id)
            && let Some(state) = self.files.get_mut(position)
        {
            state.in_flight -= 1;
            if let Some(is_there) = is_there_after {
                (state.is_changing, state.is_there) = (false, is_there);
            }
        }
        self.source.complete(id, now)
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.source.ended_process()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::program::Placement;
    use crate::replay::{FileRecords, OpenReplay, ThinkPer};
    use petrio_trace::event::{Event, EventKind, FileKey};

    #[test]
    fn calls_on_files_that_are_gone_or_not_there_yet_stay_possible() {
        use EventKind::{Close, Create, Open, Read, Unlink};
        let key = FileKey { device: 1, inode: 5, generation: 0 };
        let kinds = [Create, Read, Close, Unlink, Read, Open, Close, Close, Create];
        let events: Vec<Event> = kinds
            .iter()
            .zip(1u64..)
            .map(|(&kind, at)| Event {
                file: key,
                length: 10,
                offset: Some(0),
                ..Event::new(Time::from_millis(at), kind)
            })
            .collect();
        let files = Arc::new(TraceFiles::of(events.iter().cloned().map(Ok)).unwrap());
        let records =
            FileRecords::new(events.into_iter().map(Ok), files.clone(), ThinkPer::File, Placement::new("w"));
        let mut source = PossibleCalls::new(OpenReplay::new(records, 1.0).unwrap(), &files, 1);
        let mut made = Vec::new();
        while let Due::At(now) = source.due().unwrap() {
            let item = source.issue(now).unwrap().unwrap();
            made.push(item.request.operation);
            source.complete(item.request.id, now).unwrap();
        }
        use Operation as O;
        assert_eq!(
            made,
            [O::Create, O::Read, O::Close, O::Unlink, O::Stat, O::Create, O::Close, O::Stat, O::Open]
        );
        assert_eq!(source.changed().load(Ordering::Relaxed), 4);
    }
}
