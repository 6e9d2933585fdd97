//! Runs a program of file operations on a real directory and measures each call.
//!
//! The programs are those that a simulated System runs ([`petrio_workload::program`]): one thread a process, each
//! operation a system call, think times slept, barriers kept. Files are prepared as the program's table says, cached or
//! not, in a [`Workplace`] that removes whatever was made in it.
//!
//! ```
//! use petrio_live::drive::{Spread, Workplace, repeat};
//! use petrio_workload::program::{FileWorkload, Placement, ScriptParameters};
//! let script: ScriptParameters = serde_json::from_str(r#"{"script": "create a; write a 0 4 KiB; fsync a"}"#)?;
//! let workload = FileWorkload::Script(script);
//! let directory = std::env::temp_dir();
//! let runs = repeat(3, |_| Ok((Workplace::inside(&directory)?, workload.prepare(&Placement::new("example"))?)))?;
//! let seconds = Spread::of(runs.iter().map(|run| run.time().as_secs_f64())).ok_or("no run")?;
//! assert!(seconds.least > 0.0 && seconds.repetitions == 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Accesses are pread and pwrite on files open for both, or the C library's buffer over these. A file that a program
//! doesn't open itself is opened outside all measuring. Left out: scheduling classes and priorities, which would need a
//! privilege.

pub mod apart;
mod barrier;
mod clock;
mod ending;
mod error;
mod gaps;
mod ground;
mod memory;
mod names;
mod process;
mod recording;
mod result;
pub(crate) mod stdio;
mod workplace;

pub use clock::clock_overhead_ns;
pub use ending::Ending;
pub use error::DriveError;
pub use gaps::Gaps;
pub use ground::{Below, Ground, GroundPlan};
pub use memory::touch_memory;
pub use recording::{Recorded, Recorder, in_order};
pub use result::{Measured, OperationTimes, Span, Spread};
pub use workplace::Workplace;

use barrier::Barrier;
use names::Names;
use petrio_units::numbers::whole_part;
use petrio_workload::program::Prepared;
use process::Process;
use recording::Recording;
use std::sync::OnceLock;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Prepares the files and runs the programs once.
///
/// # Errors
/// What the file system refuses, and programs that can't go on.
pub fn run(workplace: &Workplace, prepared: Prepared) -> Result<Measured, DriveError> {
    workplace.prepare(&prepared.files)?;
    run_prepared(workplace, prepared)
}

/// Runs the programs once on files that were [prepared](Workplace::prepare) before, for whoever has something to do in
/// between: start a trace, drop caches, enter a control group.
///
/// # Errors
/// What the file system refuses, and programs that can't go on.
pub fn run_prepared(workplace: &Workplace, prepared: Prepared) -> Result<Measured, DriveError> {
    drive(Ground::At(workplace.root().to_owned()), prepared, clock_overhead_ns(), None)
}

/// As [`run_prepared`], on any ground, with every call told to `recorder`, who may count them: they aren't counted
/// here.
///
/// # Errors
/// What the file system refuses, and programs that can't go on.
pub fn run_recorded(ground: Ground, prepared: Prepared, recorder: Recorder) -> Result<Gaps, DriveError> {
    drive(ground, prepared, 0.0, Some(recorder)).map(|measured| measured.gaps)
}

fn drive(
    ground: Ground,
    prepared: Prepared,
    overhead: f64,
    recorder: Option<Recorder>,
) -> Result<Measured, DriveError> {
    let names = Names::new(ground, prepared.files);
    let barrier = Barrier::new(prepared.programs.len());
    let ending = recorder.as_ref().map(|recorder| recorder.ending.clone()).unwrap_or_default();
    let each = Duration::from_nanos(whole_part(overhead));
    // Nobody begins before all are there; and nobody at all where one can't be.
    let all_there = OnceLock::new();
    let parts: Vec<Result<Measured, DriveError>> = std::thread::scope(|scope| {
        let mut started = Vec::new();
        for (process, mut program) in prepared.programs.into_iter().enumerate() {
            let (names, barrier, ending, all_there) = (&names, &barrier, &*ending, &all_there);
            let recording = recorder.as_ref().map(|recorder| Recording::new(process, recorder));
            let work = move || {
                let outcome = if *all_there.wait() {
                    Process::new(names, each, recording, ending)
                        .and_then(|process| process.run(&mut *program, barrier))
                } else {
                    Err(DriveError::Ended)
                };
                barrier.end();
                // Others don't work on for a run that has failed.
                outcome.inspect_err(|_| ending.ask())
            };
            let thread = std::thread::Builder::new().spawn_scoped(scope, work);
            let is_there = thread.is_ok();
            started.push(thread);
            if !is_there {
                break;
            }
        }
        let _ = all_there.set(started.iter().all(Result::is_ok));
        let broke_off = |process| DriveError::Process { process, why: "its thread broke off".to_owned() };
        let part = |(process, thread): (usize, std::io::Result<ScopedJoinHandle<'_, _>>)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(broke_off(process))),
            Err(error) => Err(DriveError::NoThread { process, source: error }),
        };
        started.into_iter().enumerate().map(part).collect()
    });
    drop(recorder);
    let mut whole = Measured { clock_overhead_ns: overhead, ..Measured::default() };
    let mut failure = None;
    for part in parts {
        match part {
            Ok(part) => whole.join(part),
            // Of several, one that says why.
            Err(error) if !matches!(failure, None | Some(DriveError::Ended)) => drop(error),
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(whole), Err)
}

/// Runs a workload several times, each time in a workplace of its own with files of its own.
///
/// # Errors
/// As for [`run`], and whatever `make` says.
pub fn repeat(
    repetitions: u32,
    mut make: impl FnMut(u32) -> Result<(Workplace, Prepared), DriveError>,
) -> Result<Vec<Measured>, DriveError> {
    (0..repetitions)
        .map(|repetition| {
            let (workplace, prepared) = make(repetition)?;
            run(&workplace, prepared)
        })
        .collect()
}
