//! What `strace -f -ttt -T` prints, with `-y` (paths beside the descriptors) or without, and as people paste it: with the time of the
//! day (`-tt`), with the time since the line before (`-r`), or with none, where only the order of the calls is known ([`clock`]).
//!
//! Times are when a call began, and how long it took. What strace doesn't show is rebuilt from
//! the calls before: which file a descriptor stands for, and at which offset a plain `read` or `write` goes
//! ([`files`]). Calls that others interrupt in the output (`<unfinished ...>`, `<... resumed>`) are put together, and
//! all come in the order in which they began. A file that is still open when its process ends, or closes itself on
//! exec, is closed there. A process is called by what it executed, by what the one runs that started it, or by what `-Y` shows.
//!
//! Source: strace(1), "DESCRIPTION"; open(2), dup(2), clone(2), lseek(2) for what descriptors share.
//!
//! | calls | become |
//! | --- | --- |
//! | `execve`, `execveat` | exec |
//! | `open`, `openat`, `openat2`, `creat` | create with `O_CREAT` if nothing before showed that the file was there; else open |
//! | `read`, `pread64`, `readv`, `preadv`, `preadv2`, `getdents`, `getdents64` | read |
//! | `write`, `pwrite64`, `writev`, `pwritev`, `pwritev2` | write |
//! | `copy_file_range`, `sendfile` | a read and a write |
//! | `close`, and what closes without it | close, with the last descriptor of an opened file |
//! | `unlink`, `unlinkat`, `rmdir` | unlink |
//! | `rename`, `renameat`, `renameat2` | rename |
//! | `mkdir`, `mkdirat` | mkdir |
//! | `truncate`, `ftruncate` | truncate |
//! | `fsync`, `fdatasync` | fsync |
//! | `io_submit`, till its `io_getevents` | reads, writes and fsyncs ([`asynchronous`]) |
//! | `stat` and its kin, `access` and its kin, `readlink`, `readlinkat` | stat |
//!
//! Leaves out and counts every other call, and all on what is no file (pipes, sockets). Reads and writes through
//! `mmap` and `io_uring` aren't in such a trace (how often `io_uring_enter` was called is counted); symbolic links are followed only where `-y` shows where
//! they lead.

mod asynchronous;
mod calls;
mod clock;
mod errors;
mod files;
mod finished;
mod line;
pub(super) mod perf_trace;

use self::asynchronous::ended;
use self::calls::Calls;
use self::clock::{Clock, Stamp};
use self::line::{Call, Line, What};
use super::{Facts, Fit, Format, Parser, PositionKind, RawEvent, ReadCounts};
use crate::error::{Fault, Problem, printable};
use crate::event::{Event, EventKind};
use crate::input::Input;
use petrio_time::Time;
use petrio_units::numbers::as_index;
use std::collections::{BTreeMap, VecDeque};

pub(crate) const FACTS: Facts = Facts {
    // Lines of several processors are in order but for a few; what a process leaves open closes when it ends.
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit: |sample| Fit::certain_if(sample.mostly(|line| Line::of(line).is_some())),
    parser: Parser::File(|sample| Box::new(Strace { clock: Clock::of(&sample.lines), ..Strace::default() })),
};

/// The same as `perf trace` prints it ([`perf_trace`]).
pub(crate) const PERF_TRACE_FACTS: Facts = Facts {
    reorder_window: 1_024,
    places: PositionKind::Lines,
    fit: |sample| Fit::certain_if(sample.mostly(perf_trace::is_line)),
    parser: Parser::File(|_| Box::new(Strace { is_perf: true, ..Strace::default() })),
};

/// Calls that wait for the end of one before them. Beyond, the oldest is given up: a call that takes that long while
/// others go on waits for a terminal or a socket.
const WAITING_MAX: usize = 1 << 17;

/// The place of a call that nothing waits for.
const NO_SLOT: u64 = u64::MAX;

/// A call that began.
enum Slot {
    Waiting,
    Over(Vec<RawEvent>),
}

/// Whether a call of that name may make an event: those of [`Calls::over`] that do.
fn makes_events(name: &[u8]) -> bool {
    const BEGINNINGS: [&[u8]; 21] = [
        b"io_submit",
        b"io_getevents",
        b"io_pgetevents",
        b"exec",
        b"open",
        b"creat",
        b"read",
        b"getdents",
        b"pread",
        b"write",
        b"pwrite",
        b"copy_file",
        b"sendfile",
        b"close",
        b"unlink",
        b"rmdir",
        b"rename",
        b"mkdir",
        b"truncate",
        b"ftruncate",
        b"f",
    ];
    const STATS: [&[u8]; 5] = [b"stat", b"lstat", b"newfstat", b"access", b"statx"];
    let begins = |beginning: &&[u8]| name.starts_with(beginning);
    // A futex is waited for, and touches no file.
    name != b"futex" && (BEGINNINGS.iter().any(begins) || STATS.iter().any(begins))
}

/// An access that was submitted and hasn't ended.
struct UnderWay {
    process: u32,
    data: Vec<u8>,
    event: RawEvent,
    slot: u64,
}

/// A call whose end comes later in the output.
struct Unfinished {
    name: Vec<u8>,
    arguments: Vec<u8>,
    clock: u128,
    at: u64,
    slot: u64,
}

#[derive(Default)]
struct Strace {
    /// Whether lines are those of `perf trace`.
    is_perf: bool,
    calls: Calls,
    clock: Clock,
    under_way: VecDeque<UnderWay>,
    /// In the order in which they began; the first one's number is `first`.
    slots: VecDeque<Slot>,
    first: u64,
    ready: VecDeque<RawEvent>,
    unfinished: BTreeMap<u32, Unfinished>,
    at_end: bool,
    tally: ReadCounts,
}

impl Strace {
    /// Takes in a line; false where it isn't strace's.
    fn line(&mut self, text: &[u8], at: u64) -> bool {
        let Some(line) = Line::of(text.trim_ascii()) else { return false };
        let clock = self.clock.at(line.stamp);
        let is_untimed = line.stamp == Stamp::Missing && line.what != What::Remark;
        self.tally.untimed += u64::from(is_untimed);
        self.calls
            .seen(line.process, self.unfinished.iter().map(|(&process, call)| (process, &call.name[..])));
        self.calls.shows(line.process, line.command);
        match line.what {
            What::Remark => self.tally.other_events += 1,
            What::Exited => {
                let events = self.calls.exit(line.process, clock, at);
                self.slots.push_back(Slot::Over(events));
                if let Some(call) = self.unfinished.remove(&line.process) {
                    self.tally.unanswered += u64::from(!call.name.starts_with(b"exit"));
                    self.fill(call.slot, Vec::new());
                }
            }
            What::Call { name, rest } => match Call::of(name, rest) {
                Some(call) => {
                    let events = self.over(line.process, clock, at, &call);
                    self.slots.push_back(Slot::Over(events));
                    if is_untimed {
                        self.clock.passes(call.service);
                    }
                }
                // The trace was cut off in the middle of a line.
                None => self.tally.unanswered += 1,
            },
            What::Unfinished { name, arguments } => {
                // Nothing has to wait for a call that makes no event, such as a wait for the end of a child.
                let slot = if makes_events(name) {
                    self.slots.push_back(Slot::Waiting);
                    self.first + self.slots.len() as u64 - 1
                } else {
                    NO_SLOT
                };
                let (name, arguments) = (name.to_vec(), arguments.to_vec());
                let call = Unfinished { name, arguments, clock, at, slot };
                if let Some(before) = self.unfinished.insert(line.process, call) {
                    self.tally.unanswered += 1;
                    self.fill(before.slot, Vec::new());
                }
            }
            What::Resumed { name, rest } => self.resumed(line.process, name, rest),
        }
        true
    }

    fn resumed(&mut self, process: u32, name: &[u8], rest: &[u8]) {
        match self.unfinished.remove(&process) {
            Some(begun) if begun.name == name => {
                let whole = [&begun.arguments, rest].concat();
                let events = match Call::of(name, &whole) {
                    Some(call) => self.over(process, begun.clock, begun.at, &call),
                    None => {
                        self.tally.unanswered += 1;
                        Vec::new()
                    }
                };
                self.fill(begun.slot, events);
            }
            other => {
                self.tally.unmatched_completions += 1;
                if let Some(begun) = other {
                    self.tally.unanswered += 1;
                    self.fill(begun.slot, Vec::new());
                }
            }
        }
    }

    fn over(&mut self, process: u32, clock: u128, at: u64, call: &Call<'_>) -> Vec<RawEvent> {
        match call.name {
            b"io_submit" => return self.submits(process, clock, at, call),
            b"io_getevents" | b"io_pgetevents" => {
                let end = clock + u128::from(call.service.unwrap_or_default().as_picos());
                self.ends(process, end, call);
                return Vec::new();
            }
            b"io_uring_enter" => self.tally.unseen += 1,
            _ => {}
        }
        let events = self.calls.over(process, clock, at, call);
        self.tally.unseen += u64::from(events.is_empty() && self.calls.is_of_unknown_file(process, call));
        self.tally.other_events += u64::from(events.is_empty());
        events
    }

    /// Accesses are on their way: each has its place among the calls, and comes when it has ended.
    fn submits(&mut self, process: u32, clock: u128, at: u64, call: &Call<'_>) -> Vec<RawEvent> {
        let made = self.calls.submitted(process, clock, at, call);
        self.tally.other_events += u64::from(made.is_empty());
        for (data, event) in made {
            self.slots.push_back(Slot::Waiting);
            let slot = self.first + self.slots.len() as u64 - 1;
            self.under_way.push_back(UnderWay { process, data, event, slot });
        }
        if self.under_way.len() > WAITING_MAX {
            self.gives_up_first();
        }
        Vec::new()
    }

    /// Accesses have ended by `end`.
    fn ends(&mut self, process: u32, end: u128, call: &Call<'_>) {
        for ended in ended(call.argument(3)) {
            // Another thread may have submitted it.
            let is_it = |one: &UnderWay| one.data == ended.data;
            let own = self.under_way.iter().position(|one| is_it(one) && one.process == process);
            let Some(one) = own.or_else(|| self.under_way.iter().position(is_it)) else {
                self.tally.unmatched_completions += 1;
                continue;
            };
            let Some(UnderWay { mut event, slot, .. }) = self.under_way.remove(one) else { continue };
            let took = u64::try_from(end.saturating_sub(event.clock)).ok();
            event.record.service = took.map(Time::from_picos);
            match u64::try_from(ended.result) {
                Ok(moved) if event.record.kind != EventKind::Fsync => event.record.length = moved,
                Ok(_) => {}
                Err(_) => event.record.error = u16::try_from(ended.result.unsigned_abs()).unwrap_or(u16::MAX),
            }
            self.fill(slot, vec![event]);
        }
    }

    fn gives_up_first(&mut self) {
        if let Some(UnderWay { event, slot, .. }) = self.under_way.pop_front() {
            self.tally.unanswered += 1;
            self.fill(slot, vec![event]);
        }
    }

    /// A call that was given up has no slot any more: it comes late, and the reader sees whether too late.
    fn fill(&mut self, slot: u64, events: Vec<RawEvent>) {
        match slot.checked_sub(self.first).and_then(|index| self.slots.get_mut(as_index(index))) {
            Some(waiting) => *waiting = Slot::Over(events),
            None => self.ready.extend(events),
        }
    }

    /// Moves what no earlier call holds up to the events that are ready.
    fn release(&mut self) {
        while let Some(slot) = self.slots.pop_front() {
            match slot {
                Slot::Over(events) => self.ready.extend(events),
                Slot::Waiting if self.at_end => self.tally.unanswered += 1,
                Slot::Waiting if self.slots.len() > WAITING_MAX => {}
                Slot::Waiting => {
                    self.slots.push_front(Slot::Waiting);
                    return;
                }
            }
            self.first += 1;
        }
    }
}

impl Format<Event> for Strace {
    fn next(&mut self, input: &mut Input) -> Result<Option<RawEvent>, Fault> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.at_end {
                return Ok(None);
            }
            let lines = input.lines();
            match input.data_line()? {
                None => {
                    self.at_end = true;
                    while !self.under_way.is_empty() {
                        self.gives_up_first();
                    }
                }
                Some(text) => {
                    let is_one = match self.is_perf {
                        true => perf_trace::as_strace(text).is_some_and(|text| self.line(&text, lines + 1)),
                        false => self.line(text, lines + 1),
                    };
                    if !is_one {
                        let expected =
                            if self.is_perf { "a line of perf trace's" } else { "a line of strace's" };
                        return Err(Problem::NotALine { found: printable(text), expected }.into());
                    }
                }
            }
            self.release();
        }
    }

    fn tally(&self) -> ReadCounts {
        self.tally
    }

    fn process_name(&self, process: u32) -> Option<String> {
        self.calls.command(process)
    }

    fn is_since_1970(&self) -> bool {
        self.clock.is_since_1970() && !self.is_perf
    }
}

#[cfg(test)]
mod tests;
