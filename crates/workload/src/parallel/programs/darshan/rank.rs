//! What a rank does to all its files, in the order of the times at which Darshan's counters put it.

use super::places::Accesses;
use super::{Gaps, phase};
use crate::parallel::act::{Act, Acts, Call, Direction, Sequence};
use crate::parallel::parameters::scaled;
use crate::program::ProgramError;
use petrio_colours::{FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::darshan::Span;
use petrio_units::numbers::{in_proportion, whole_part};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// When calls of one sort were: evenly from the first one's beginning to the last one's end.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct When {
    from_ps: u64,
    apart_ps: u64,
    each_ps: u64,
}

/// A thousand years are no job's; and what is no number is no time.
fn picoseconds(seconds: f64) -> u64 {
    const SECONDS_MAX: f64 = 1e7;
    if seconds.is_nan() { 0 } else { whole_part(libm::round(seconds.clamp(0.0, SECONDS_MAX) * 1e12)) }
}

impl When {
    pub(super) fn new(span: Span, count: u64, each_s: f64) -> Self {
        let (from, to) = (picoseconds(span.from), picoseconds(span.to));
        let apart_ps = to.saturating_sub(from) / count.max(1);
        // Longer ones than there is room for would push all that follow.
        Self { from_ps: from, apart_ps, each_ps: picoseconds(each_s).min(apart_ps.max(1)) }
    }

    fn start(self, number: u64) -> u64 {
        self.from_ps.saturating_add(self.apart_ps.saturating_mul(number))
    }
}

/// Reads or writes that are left, in runs between which the other direction has its turn.
#[derive(Clone, Debug, Persist)]
struct Side {
    direction: Direction,
    accesses: Accesses,
    when: When,
    done: u64,
    runs: u64,
    runs_done: u64,
    left_of_run: u64,
}

impl Side {
    fn next_run(&mut self) {
        let until = |run: u64| in_proportion(self.accesses.all(), run, self.runs.max(1));
        self.left_of_run = until(self.runs_done + 1) - until(self.runs_done);
        self.runs_done += 1;
    }
}

#[derive(Clone, Debug, Persist)]
enum Work {
    /// So many calls that move nothing, of which so many are done.
    Calls { operation: Operation, count: u64, done: u64, when: When },
    /// The side whose turn it is first.
    Accesses(Vec<Side>),
}

/// Calls of one sort on one file, or all its reads and writes.
#[derive(Clone, Debug, Persist)]
pub(super) struct Track {
    file: u32,
    work: Work,
}

impl Track {
    pub(super) const fn calls(operation: Operation, file: u32, count: u64, when: When) -> Self {
        Self { file, work: Work::Calls { operation, count, done: 0, when } }
    }

    /// Reads and writes of a file that take turns so often.
    pub(super) fn accesses(
        file: u32,
        sides: Vec<(Direction, Accesses, When)>,
        switches: Option<u64>,
    ) -> Option<Self> {
        let side = |(direction, accesses, when)| Side {
            direction,
            accesses,
            when,
            done: 0,
            runs: 1,
            runs_done: 0,
            left_of_run: 0,
        };
        let mut sides: Vec<Side> =
            sides.into_iter().map(side).filter(|side| side.accesses.all() > 0).collect();
        sides.sort_by_key(|side| side.when.from_ps);
        if let [first, second] = &mut sides[..] {
            // Who doesn't switch did reads or writes alone.
            let runs = switches.unwrap_or(1).max(1).saturating_add(1);
            if first.accesses.all() < runs.div_ceil(2) && second.accesses.all() > first.accesses.all() {
                std::mem::swap(first, second);
            }
            first.runs = runs.div_ceil(2).min(first.accesses.all());
            second.runs = (runs / 2).min(second.accesses.all()).min(first.runs);
            first.runs = first.runs.min(second.runs + 1);
        }
        sides.first_mut()?.next_run();
        Some(Self { file, work: Work::Accesses(sides) })
    }

    /// Which file, by its number among the program's.
    pub(super) const fn file(&self) -> u32 {
        self.file
    }

    /// When the next call was, and in which order those of one time come.
    fn due(&self) -> Option<(u64, u8)> {
        match &self.work {
            Work::Calls { operation, count, done, when } => {
                let order = match operation {
                    Operation::Open => 0,
                    Operation::Stat => 1,
                    Operation::Close => 4,
                    _ => 3,
                };
                (done < count).then(|| (when.start(*done), order))
            }
            Work::Accesses(sides) => sides.first().map(|side| (side.when.start(side.done), 2)),
        }
    }

    /// The next call, and how long it took.
    fn next(&mut self, first: FileId) -> Option<(Call, u64)> {
        let file = FileId(first.0 + self.file);
        match &mut self.work {
            Work::Calls { operation, done, when, .. } => {
                *done += 1;
                Some((Call::of(*operation, file), when.each_ps))
            }
            Work::Accesses(sides) => {
                let side = sides.first_mut()?;
                let (offset, length) = side.accesses.next()?;
                side.done += 1;
                side.left_of_run -= 1;
                let call = Call::access(side.direction, file, offset, length);
                let each = side.when.each_ps;
                if side.left_of_run == 0 {
                    if side.done == side.accesses.all() {
                        sides.remove(0);
                    } else {
                        sides.rotate_left(1);
                    }
                    if let Some(next) = sides.first_mut() {
                        next.next_run();
                    }
                }
                Some((call, each))
            }
        }
    }
}

/// A rank.
#[derive(Persist)]
pub(in crate::parallel) struct CountedRank {
    tracks: Vec<Track>,
    /// The tracks that have calls left, by when the next one was.
    due: BinaryHeap<Reverse<(u64, u8, usize)>>,
    /// Files that have to be made before anything else.
    made: BTreeSet<u32>,
    /// Files that were made for what came before their first open, which is done by that.
    opened: BTreeSet<u32>,
    first: FileId,
    gaps: Gaps,
    scale: f64,
    /// When the call before was over.
    over_ps: u64,
}

impl CountedRank {
    pub(super) fn new(
        tracks: Vec<Track>,
        made: BTreeSet<u32>,
        first: FileId,
        (gaps, scale): (Gaps, f64),
    ) -> Self {
        let due = tracks.iter().enumerate();
        let due = due
            .filter_map(|(at, track)| track.due().map(|(time, order)| Reverse((time, order, at))))
            .collect();
        Self { tracks, due, made, opened: BTreeSet::new(), first, gaps, scale, over_ps: 0 }
    }
}

impl CountedRank {
    fn advance(&mut self) -> Option<Act> {
        let Reverse((start, _, at)) = self.due.peek().copied()?;
        let gap = scaled(Time::from_picos(start.saturating_sub(self.over_ps)), self.scale);
        self.over_ps = self.over_ps.max(start);
        if gap > Time::ZERO {
            return Some(match self.gaps {
                Gaps::Compute => Act::Compute(gap),
                Gaps::Think => Act::Think(gap),
            });
        }
        self.due.pop();
        let track = &mut self.tracks[at];
        let Some((mut call, took)) = track.next(self.first) else { return self.advance() };
        if let Some((time, order)) = track.due() {
            // Runs of the other direction may have come late.
            self.due.push(Reverse((time.max(start), order, at)));
        }
        self.over_ps = self.over_ps.saturating_add(took);
        let number = call.file.0 - self.first.0;
        let is_open = call.operation == Operation::Open;
        if self.made.remove(&number) {
            if is_open {
                call.operation = Operation::Create;
            } else {
                self.opened.insert(number);
                let make = Act::Call(Call::of(Operation::Create, call.file));
                return Some(Sequence::act([make, as_act(call)]));
            }
        } else if is_open && self.opened.remove(&number) {
            return self.advance();
        }
        Some(as_act(call))
    }
}

impl Acts for CountedRank {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        Ok(self.advance())
    }
}

/// A call, measured where it moves data.
fn as_act(call: Call) -> Act {
    if !matches!(call.operation, Operation::Read | Operation::Write) {
        return Act::Call(call);
    }
    let (phase, length) = (phase(call.operation), call.length);
    Sequence::act([
        Act::begin(phase.clone()),
        Act::Call(call),
        Act::did(phase.clone(), length, 1),
        Act::end(phase),
    ])
}
