//! The program's threads and processes, as far as they are known: what each is doing, and what time it is for it.

use petrio_colours::FileOp;
use petrio_intercept::{Answer, Held};
use petrio_time::Time;
use rustix::event::PollFlags;
use rustix::fs::OFlags;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a thread is doing.
#[derive(Debug)]
pub(crate) enum State {
    /// It computes, or a call of it is in the kernel; it does nothing before its clock.
    Running,
    /// It waits in the kernel for something that only others can do.
    Elsewhere,
    /// It has made a call that nobody has looked at yet.
    Asks(Held),
    /// Its call waits for the simulated storage; then it is answered so.
    Works(Held, Answer),
    /// Its call waits for something else.
    Waits(Held, Wait),
    /// Its call is to be answered so, when it is its turn.
    Ready(Held, Answer),
    /// It has found nothing to do within MPI's library: it looks again when somebody has done something.
    Spins(Held),
    /// It is about to end.
    Ends,
    /// Its calls are none of the program's: they go by at once, and nobody waits for it.
    Outside,
}

impl State {
    /// Whether it goes on without anybody's doing anything: it runs, or will when it is its turn.
    pub(crate) const fn goes_on(&self) -> bool {
        matches!(self, Self::Running | Self::Ready(..))
    }
}

/// What a call waits for, and until when at most.
#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) until: Option<Time>,
    pub(crate) on: On,
    /// What it returns when its time is over.
    pub(crate) late: Answer,
    /// The signals that it blocks while it waits, where it says so (pselect(2) and the like): others end it.
    pub(crate) blocks: Option<u64>,
}

/// What is waited for.
#[derive(Debug)]
pub(crate) enum On {
    /// Time.
    Time,
    /// One of these is ready.
    Ready(Vec<(Arc<OwnedFd>, PollFlags)>),
    /// Room for so many bytes in a pipe.
    Room(Arc<OwnedFd>, u64),
    /// The end of a child: of this number in its own numbering, or of any; or that it stops, where that is waited for, too.
    Child(Option<u32>, bool),
    /// Signals alone.
    Signals,
    /// Somebody wakes those who wait at this word.
    Word(Word, u32),
    /// Other ranks of an MPI job.
    Others,
}

/// A page of memory that several share: a device, a file of it, an offset.
pub(crate) type SharedPage = (u64, u64, u64);

/// A word that threads wait at: a process's own, or one that several share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Word {
    Own(u32, u64),
    Shared(u64, u64, u64),
}

/// A thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The process that it is of.
    pub(crate) process: u32,
    /// Its place among all that there have been: of what is due at one time, the first one's comes first.
    pub(crate) number: u32,
    /// Its number towards the simulated host.
    pub(crate) slot: u32,
    pub(crate) clock: Time,
    pub(crate) state: State,
    /// What its call still asks of the simulated storage, before it is answered.
    pub(crate) asks: VecDeque<FileOp>,
    /// The processor time that it had used when it was looked at last, nanoseconds.
    pub(crate) used: u64,
    /// By what that is asked.
    pub(crate) processor: crate::used::Used,
    pub(crate) letter: Letter,
    /// What it had used when it was first seen to compute since its last call.
    pub(crate) looked: Option<u64>,
    /// Names that are to be looked up when its call is over: what there is then has this number.
    pub(crate) settle: Vec<(PathBuf, petrio_colours::FileId)>,
    /// A file without a name that its call makes in this directory.
    pub(crate) nameless: Option<(PathBuf, petrio_colours::FileId)>,
    /// By how much its call makes a file longer.
    pub(crate) grew: u64,
    /// How often it has read the clock, or looked without waiting, and done nothing else.
    pub(crate) idle: u32,
    /// Whether it has called a program, and its clocks are to be written over.
    pub(crate) is_new: bool,
    /// Whether it waits for what it has started to become a program (vfork): until its next call nobody waits for it.
    pub(crate) lends: bool,
    /// The thread that waits in this way for it.
    pub(crate) lender: Option<u32>,
    /// Whether it has run for so long that others run beside it.
    pub(crate) has_run_long: bool,
    /// What it has started that hasn't been seen yet.
    pub(crate) births: u32,
}

/// A file of the simulated storage that a process has open.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    pub(crate) fd: Arc<OwnedFd>,
    pub(crate) file: petrio_colours::FileId,
    /// How it is accessed; forgotten where anybody changes that of this file's.
    pub(crate) flags: OFlags,
}

/// A process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) parent: u32,
    /// Its number where it lives.
    pub(crate) inside: u32,
    pub(crate) handle: Option<OwnedFd>,
    /// When it ended.
    pub(crate) ended: Option<Time>,
    /// How many threads it has, those that end among them.
    pub(crate) threads: u32,
    /// Whether it ever had several: then processor time is told of each by another way.
    pub(crate) several: bool,
    /// Files of its descriptors that are known.
    pub(crate) open: BTreeMap<i32, Opened>,
    /// Whether a signal has come that none of its threads could take yet: one that begins to wait looks for it.
    pub(crate) signalled: bool,
    /// Signals that it reads from descriptors (signalfd(2)): whether one is there only its own threads see.
    pub(crate) reads_signals: u64,
    /// When its alarm goes off, and how often after that.
    pub(crate) alarm: Option<(Time, Time)>,
    /// Whether it ever was stopped by a signal.
    pub(crate) stopped: bool,
    /// Which of the places of the execution it is at: the first, but for ranks of MPI, and those that they start.
    pub(crate) place: usize,
}

/// A thread or process that was started and hasn't been seen yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Birth {
    /// The thread that has started it, and its process.
    pub(crate) by: u32,
    pub(crate) process: u32,
    pub(crate) number: u32,
    pub(crate) clock: Time,
}

/// What the kernel tells of a thread (proc(5), status).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) process: u32,
    pub(crate) parent: u32,
    pub(crate) inside: u32,
}

impl Status {
    pub(crate) fn of(thread: u32) -> Option<Self> {
        Some(Self::read(&std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?))
    }

    fn read(text: &str) -> Self {
        let mut status = Self::default();
        for line in text.lines() {
            let Some((key, value)) = line.split_once(':') else { continue };
            let last = || value.split_whitespace().last().and_then(|word| word.parse().ok()).unwrap_or(0);
            match key {
                "Tgid" => status.process = last(),
                "PPid" => status.parent = last(),
                "NStgid" => status.inside = last(),
                _ => {}
            }
        }
        status
    }
}

/// Signals on their way to a thread, and what it makes of them: a bit for each (proc(5), status).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signals {
    /// To itself, and to its process, of whose threads one gets them.
    pub(crate) own: u64,
    pub(crate) shared: u64,
    pub(crate) blocked: u64,
    /// For which its process has handlers.
    pub(crate) caught: u64,
}

impl Signals {
    pub(crate) fn of(thread: u32) -> Option<Self> {
        Some(Self::read(&std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?))
    }

    fn read(status: &str) -> Self {
        let of = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
        };
        let [own, shared, blocked, caught] = ["SigPnd:", "ShdPnd:", "SigBlk:", "SigCgt:"].map(of);
        Self { own, shared, blocked, caught }
    }

    pub(crate) const fn pending(&self) -> u64 {
        self.own | self.shared
    }
}

/// Whether a signal is on its way to a thread that blocks these.
pub(crate) fn has_signal_beside(thread: u32, blocked: u64) -> bool {
    Signals::of(thread).is_some_and(|signals| signals.pending() & !blocked != 0)
}

/// Of threads of one process, in their order, those that get what is on its way (the kernel's signal.c, complete_signal): what was sent to one
/// is its own; what was sent to the process is the first one's that lets it through.
pub(crate) fn getting(threads: &[(u32, Signals)]) -> Vec<u32> {
    let mut left = threads.first().map_or(0, |(_, signals)| signals.shared);
    let mut all = Vec::new();
    for (id, signals) in threads {
        let shared = left & !signals.blocked;
        left &= !shared;
        if shared | signals.own & !signals.blocked != 0 {
            all.push(*id);
        }
    }
    all
}

/// In one letter what the kernel says of a thread: R, S, D, T, Z, X (proc(5), stat); none of one that is gone. Whoever asks often keeps this.
#[derive(Debug, Default)]
pub(crate) struct Letter {
    kept: Option<File>,
}

impl Letter {
    pub(crate) fn now(&mut self, process: u32, thread: u32) -> Option<u8> {
        if self.kept.is_none() {
            self.kept = Some(File::open(format!("/proc/{process}/task/{thread}/stat")).ok()?);
        }
        // Behind the name, which is of at most 64 bytes and ends with the last bracket.
        let mut text = [0; 128];
        let got = self.kept.as_ref()?.read_at(&mut text, 0).ok()?;
        let name_ends = text.get(..got)?.iter().rposition(|byte| *byte == b')')?;
        text.get(name_ends + 2).copied()
    }
}

/// As [`Letter`], once.
pub(crate) fn letter(process: u32, thread: u32) -> Option<u8> {
    Letter::default().now(process, thread)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_status_names_the_process_its_parent_and_its_number_inside() {
        let text = "Name:\tsh\nTgid:\t812\nPid:\t813\nPPid:\t800\nNStgid:\t812\t3\n";
        assert_eq!(Status::read(text), Status { process: 812, parent: 800, inside: 3 });
        let own = std::process::id();
        assert!(letter(own, own).is_some());
        assert_eq!(letter(own, u32::MAX), None);
    }
    #[test]
    fn a_signal_to_a_process_is_the_first_threads_that_lets_it_through() {
        let child = 1 << (17 - 1);
        let status = "SigPnd:\t0000000000000000\nShdPnd:\t0000000000010000\nSigBlk:\t0000000000010000\nSigCgt:\t0000000000010002\n";
        let first = Signals::read(status);
        assert_eq!(first, Signals { own: 0, shared: child, blocked: child, caught: child | 2 });
        let open = Signals { blocked: 0, ..first };
        assert_eq!(getting(&[(1, first), (2, open), (3, open)]), [2]);
        assert_eq!(getting(&[(1, open), (2, open)]), [1]);
        assert!(getting(&[(1, first), (2, first)]).is_empty());
        // One of a thread's own is its own, however many get the process's.
        let own = Signals { own: 2, ..open };
        assert_eq!(getting(&[(1, open), (2, own), (3, first)]), [1, 2]);
        assert!(getting(&[]).is_empty());
    }
}
