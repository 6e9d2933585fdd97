//! A round: many inputs for a reader, in a process of its own, so that whatever becomes of it is told: a panic, a hang,
//! an abort.
//!
//! The worker writes the number of each input before it reads it. Where it ends or falls silent, the round begins
//! another one behind that input.

use crate::mutate::mutated;
use crate::noise::Noise;
use crate::readers::{self, Reader};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// What a worker may take: what needs more was not bounded.
const MEMORY_MAX: u64 = 2 << 30;
/// An input that takes longer hangs, for whoever waits.
const PATIENCE: Duration = Duration::from_secs(10);
/// A worker begins within this time.
const START: Duration = Duration::from_secs(120);

/// What a worker says of an input that was taken.
const TAKEN: &str = "taken";

/// What became of the inputs of one reader.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Inputs tried.
    pub inputs: u64,
    /// Those that were taken; the others were refused with a reason.
    pub taken: u64,
    /// Those at which the reader broke a promise, with what it said.
    pub panics: Vec<(u64, String)>,
    /// Those that took more than ten seconds.
    pub slow: Vec<u64>,
    /// Those at which the process ended: out of memory, stack, or patience.
    pub aborted: Vec<u64>,
}

impl Outcome {
    /// Whether every input had its answer.
    pub fn is_clean(&self) -> bool {
        self.panics.is_empty() && self.slow.is_empty() && self.aborted.is_empty()
    }
}

/// The input of a number.
pub fn input(reader: &Reader, samples: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut noise = Noise::new(reader.name, number);
    let empty = Vec::new();
    let sample = if samples.is_empty() { &empty } else { noise.any(samples) };
    mutated(sample, samples, &mut noise)
}

/// The worker: reads inputs of a range, and tells of each before.
///
/// # Errors
/// When nobody listens.
pub fn work(reader: &Reader, from: u64, to: u64) -> io::Result<()> {
    let _ = setrlimit(Resource::As, Rlimit { current: Some(MEMORY_MAX), maximum: Some(MEMORY_MAX) });
    // What a panic says is told in its line.
    std::panic::set_hook(Box::new(|_| {}));
    let samples = (reader.samples)();
    let mut out = io::stdout().lock();
    for number in from..to {
        let bytes = input(reader, &samples, number);
        writeln!(out, "{number}")?;
        out.flush()?;
        let panicked = match catch_unwind(AssertUnwindSafe(|| (reader.read)(&bytes))) {
            Ok(Ok(())) => {
                writeln!(out, "{TAKEN}")?;
                continue;
            }
            Ok(Err(_)) => continue,
            Err(panicked) => panicked,
        };
        let said = panicked.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panicked.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        writeln!(out, "{number} {}", said.unwrap_or_default().replace('\n', " "))?;
    }
    Ok(())
}

/// Runs a round of one reader: its inputs from one number on. `worker` is this program.
///
/// # Errors
/// The worker can't be started.
pub fn round(worker: &Path, reader: &str, from: u64, inputs: u64) -> io::Result<Outcome> {
    let (mut outcome, mut next, end) = (Outcome::default(), from, from + inputs);
    while next < end {
        match watch(worker, reader, next, end, PATIENCE, &mut outcome)? {
            Ended::Well => break,
            Ended::Aborted(number) => {
                outcome.aborted.push(number);
                next = number + 1;
            }
            Ended::Silent(number) => {
                // A machine may be busy with something else: it gets a second chance, alone and with more patience.
                let again = watch(worker, reader, number, number + 1, 3 * PATIENCE, &mut outcome)?;
                if !matches!(again, Ended::Well) {
                    outcome.slow.push(number);
                }
                next = number + 1;
            }
        }
    }
    outcome.inputs = inputs;
    Ok(outcome)
}

/// How a worker ended, and at which input.
enum Ended {
    Well,
    Aborted(u64),
    Silent(u64),
}

/// Starts a worker and listens to it until it ends or falls silent.
fn watch(
    worker: &Path,
    reader: &str,
    from: u64,
    to: u64,
    patience: Duration,
    outcome: &mut Outcome,
) -> io::Result<Ended> {
    let mut child = Command::new(worker)
        .args(["worker", reader, &from.to_string(), &to.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let lines = listen(&mut child);
    let mut at = None;
    let is_silent = loop {
        // Samples are read first.
        let patience = if at.is_none() { START } else { patience };
        match lines.recv_timeout(patience) {
            Ok(line) if line == TAKEN => outcome.taken += 1,
            Ok(line) => match line.split_once(' ') {
                Some((number, said)) => {
                    outcome.panics.push((number.parse().unwrap_or_default(), said.to_owned()));
                }
                None => at = line.parse().ok(),
            },
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => break true,
        }
    };
    if is_silent {
        let _ = child.kill();
    }
    let status = child.wait()?;
    match at {
        _ if !is_silent && status.success() => Ok(Ended::Well),
        Some(number) if is_silent => Ok(Ended::Silent(number)),
        Some(number) => Ok(Ended::Aborted(number)),
        None => Err(io::Error::other(format!("the worker of {reader} can't begin: {status}"))),
    }
}

fn listen(child: &mut Child) -> Receiver<String> {
    let (tell, told) = channel();
    if let Some(out) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if tell.send(line).is_err() {
                    break;
                }
            }
        });
    }
    told
}

/// How many inputs each reader gets of so many in all.
pub fn shares(inputs: u64) -> Vec<(&'static str, u64)> {
    let readers = readers::all();
    let each = inputs.div_ceil(readers.len() as u64);
    readers.into_iter().map(|reader| (reader.name, each)).collect()
}
