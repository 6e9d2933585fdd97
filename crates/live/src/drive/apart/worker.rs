//! A worker's side: it prepares what it is told to, says so, waits for the others, and tells what it does.

use super::super::ending::Ending;
use super::super::ground::Ground;
use super::super::recording::Recorder;
use super::super::run_recorded;
use super::wire::{Kind, calls_to_bytes, number, numbers_to_bytes, receive, send};
use miette::Diagnostic;
use petrio_colours::FileId;
use petrio_workload::program::Prepared;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

/// What a worker is to run.
pub struct Assignment {
    /// Where.
    pub ground: Ground,
    /// Its programs and their files, which are there already.
    pub prepared: Prepared,
    /// The number that a file has for the supervisor.
    pub file_of_whole: Box<dyn Fn(FileId) -> FileId + Send>,
}

/// Why a worker can't work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What is wrong.
    pub why: String,
    /// What to do about it, where there is something to do.
    pub help: Option<String>,
}

impl Refusal {
    /// An error as a worker's.
    pub fn of(error: &dyn Diagnostic) -> Self {
        Self { why: error.to_string(), help: error.help().map(|help| help.to_string()) }
    }
}

/// Batches of calls on their way to the supervisor.
const BATCHES: usize = 64;
/// Attempts to read both clocks at one time.
const ATTEMPTS: u32 = 16;

/// Nanoseconds of the clock that all processes share.
pub(super) fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// That instant of the shared clock. An instant can't be made of a number, so both are read, and the reading counts
/// that took least: some ten nanoseconds.
fn instant_of(origin_ns: u64) -> Instant {
    let read = |_| {
        let before = Instant::now();
        let shared_ns = monotonic_ns();
        (before.elapsed(), before, shared_ns)
    };
    let (took, before, shared_ns) = (0..ATTEMPTS).map(read).min().unwrap_or_else(|| read(0));
    let passed = Duration::from_nanos(shared_ns.saturating_sub(origin_ns));
    let at = before + took / 2;
    at.checked_sub(passed).unwrap_or(at)
}

/// Serves a supervisor at the other end of standard input, until all is done or he ends.
///
/// # Errors
/// Standard input that isn't a supervisor's.
pub fn serve(prepare: impl FnOnce(&[u8]) -> Result<Assignment, Refusal>) -> io::Result<()> {
    let mut line = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // A supervisor who has ended needs nothing any more, not even an error.
    let Some((Kind::Job, job)) = receive(&mut line)? else { return Ok(()) };
    let assignment = match prepare(&job) {
        Ok(assignment) => assignment,
        Err(refusal) => return refuse(&mut line, &refusal),
    };
    send(&mut line, Kind::Ready, &[])?;
    let Some((Kind::Go, origin)) = receive(&mut line)? else { return Ok(()) };
    let origin = number(&origin).ok_or_else(|| io::Error::other("a beginning is one number"))?;
    let began = instant_of(origin);
    let ending = Arc::new(Ending::default());
    // Nothing more is said to a worker: what comes is the supervisor's end.
    let (mut other_end, its_ending) = (line.try_clone()?, ending.clone());
    std::thread::spawn(move || {
        let _ = receive(&mut other_end);
        its_ending.end();
    });
    let (to, from) = sync_channel(BATCHES);
    let Assignment { ground, prepared, file_of_whole } = assignment;
    let outcome = std::thread::scope(|scope| {
        let recorder = Recorder { to, began, ending: ending.clone() };
        let driving = scope.spawn(move || run_recorded(ground, prepared, recorder));
        for mut said in from {
            if send(&mut line, Kind::Calls, &calls_to_bytes(&said, &file_of_whole)).is_err() {
                ending.end();
            }
            said.drain(drop);
        }
        driving.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match outcome {
        Ok(gaps) => send(&mut line, Kind::Done, &numbers_to_bytes(&gaps.numbers())),
        Err(error) => refuse(&mut line, &Refusal::of(&error)),
    }
}

fn refuse(line: &mut UnixStream, refusal: &Refusal) -> io::Result<()> {
    send(line, Kind::Failed, &serde_json::to_vec(refusal)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_of_the_shared_clock_is_found_again() {
        let origin = monotonic_ns();
        let before = Instant::now();
        std::thread::sleep(Duration::from_millis(2));
        let found = instant_of(origin);
        // However busy the machine is, the origin lies before what was looked at after it.
        assert!(found <= before + Duration::from_micros(1), "{:?}", found.duration_since(before));
        assert!(before.duration_since(found) < Duration::from_secs(1));
    }
}
