//! The supervisor's side: it starts workers, lets them begin together, and takes in what they tell.

use super::super::error::DriveError;
use super::super::gaps::Gaps;
use super::super::recording::Recorded;
use super::children::Children;
use super::wire::{Kind, calls_from_bytes, numbers_from_bytes, receive, send};
use super::worker::{Refusal, monotonic_ns};
use nix::sys::resource::{Resource, getrlimit};
use petrio_capture::undo::Undo;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A worker to be started.
#[derive(Debug)]
pub struct Worker {
    /// A program that [serves](super::serve).
    pub command: Command,
    /// What it is told.
    pub job: Vec<u8>,
    /// The processes of the workload that it runs.
    pub processes: Range<usize>,
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    /// What driving cost.
    pub gaps: Gaps,
    /// From the start of the first worker until all were ready.
    pub started: Duration,
}

/// Open files that this process needs beside one for each worker.
const OTHER_FILES: u64 = 24;
/// Bytes of the stack of a thread that does nothing but take in what one worker says.
const STACK_BYTES: usize = 256 * 1024;

/// Runs workers to their end, and tells what their processes do to the recorder.
///
/// # Errors
/// Workers that can't be started, and the first that fails or dies; the others are ended then.
pub fn run_apart(workers: Vec<Worker>, to: &SyncSender<Recorded>) -> Result<Apart, DriveError> {
    check_open_files(workers.len() as u64)?;
    let began = Instant::now();
    let children = Children::default();
    // Whether this returns or a signal comes: nobody works on.
    let _undo = {
        let children = children.clone();
        Undo::new(move || children.end())
    };
    let mut lines = Vec::with_capacity(workers.len());
    for (number, worker) in workers.into_iter().enumerate() {
        lines.push(start(&children, number, worker)?);
    }
    for line in &lines {
        line.expect_ready(&children)?;
    }
    let started = began.elapsed();
    let failure = Mutex::new(None);
    let fail = |error| {
        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        children.end();
    };
    let mut gaps = Gaps::default();
    std::thread::scope(|scope| {
        let mut listening = Vec::with_capacity(lines.len());
        for line in &lines {
            let (children, fail) = (&children, &fail);
            let listen = move || line.listen(to, children).map_err(fail).unwrap_or_default();
            match thread().spawn_scoped(scope, listen) {
                Ok(thread) => listening.push(thread),
                Err(source) => {
                    fail(DriveError::WorkerStart { worker: line.number, source });
                    break;
                }
            }
        }
        let origin = monotonic_ns().to_le_bytes();
        for line in &lines {
            // One who has died meanwhile is told of by whoever listens to it.
            let _ = send(&mut &line.end, Kind::Go, &origin);
        }
        for thread in listening {
            gaps.join(thread.join().unwrap_or_default());
        }
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(Apart { gaps, started }), Err)
}

fn thread() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(STACK_BYTES)
}

/// A worker that was started.
struct Line {
    number: usize,
    processes: Range<usize>,
    end: UnixStream,
}

fn start(children: &Children, number: usize, mut worker: Worker) -> Result<Line, DriveError> {
    let failed = |source| DriveError::WorkerStart { worker: number, source };
    let (mut end, other) = UnixStream::pair().map_err(failed)?;
    // In a group of its own, so that a key that interrupts this process doesn't end workers before their supervisor
    // knows why.
    let command = worker.command.process_group(0).stdout(Stdio::null()).stdin(OwnedFd::from(other));
    if !children.start(command).map_err(failed)? {
        return Err(DriveError::Ended);
    }
    // The command holds the other end too, and a worker's end must be seen.
    drop(worker.command);
    let line = |end| Line { number, processes: worker.processes, end };
    match send(&mut end, Kind::Job, &worker.job) {
        Ok(()) => Ok(line(end)),
        Err(_) => Err(line(end).died(children)),
    }
}

impl Line {
    fn expect_ready(&self, children: &Children) -> Result<(), DriveError> {
        match receive(&mut &self.end) {
            Ok(Some((Kind::Ready, _))) => Ok(()),
            Ok(Some((Kind::Failed, why))) => Err(self.failed(&why)),
            Ok(Some(_)) => Err(self.nonsense()),
            Ok(None) | Err(_) => Err(self.died(children)),
        }
    }

    /// Passes on what it tells until it has done all.
    fn listen(&self, to: &SyncSender<Recorded>, children: &Children) -> Result<Gaps, DriveError> {
        loop {
            let said = receive(&mut &self.end).ok().flatten();
            let (kind, content) = said.ok_or_else(|| self.died(children))?;
            match kind {
                Kind::Calls => {
                    let said = calls_from_bytes(&content, self.processes.start)
                        .filter(|said| self.processes.contains(&said.process))
                        .ok_or_else(|| self.nonsense())?;
                    // Where nobody listens any more, the run ends by its own error.
                    let _ = to.send(said);
                }
                Kind::Done => {
                    let gaps = numbers_from_bytes(&content).and_then(|numbers| Gaps::from_numbers(&numbers));
                    return gaps.ok_or_else(|| self.nonsense());
                }
                Kind::Failed => return Err(self.failed(&content)),
                Kind::Job | Kind::Go | Kind::Ready => return Err(self.nonsense()),
            }
        }
    }

    fn error(&self, why: String, help: Option<String>) -> DriveError {
        DriveError::Worker { worker: self.number, processes: self.processes.clone(), why, help }
    }

    fn failed(&self, why: &[u8]) -> DriveError {
        match serde_json::from_slice::<Refusal>(why) {
            Ok(Refusal { why, help }) => self.error(why, help),
            Err(_) => self.nonsense(),
        }
    }

    fn nonsense(&self) -> DriveError {
        self.error("it says what no worker says".to_owned(), None)
    }

    fn died(&self, children: &Children) -> DriveError {
        let how = children.ended(self.number).map_or_else(|| "it ended".to_owned(), in_words);
        self.error(format!("{how} before its work was done"), None)
    }
}

fn in_words(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => {
            let hint = if signal == libc::SIGKILL { ": the system may have run out of memory" } else { "" };
            format!("it was ended by signal {signal}{hint}")
        }
        (None, Some(code)) => format!("it ended with exit code {code}"),
        (None, None) => "it ended".to_owned(),
    }
}

/// Each worker takes one open file of this process, which a system allows only so many.
fn check_open_files(workers: u64) -> Result<(), DriveError> {
    let needed = workers + OTHER_FILES;
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((allowed, _)) if allowed < needed => Err(DriveError::OpenFiles { workers, needed, allowed }),
        // A system that doesn't say refuses by itself.
        Ok(_) | Err(_) => Ok(()),
    }
}
