//! Runs a program of file operations on a real directory and measures each call.
//!
//! The programs are those that a simulated System runs ([`petrio_workload::program`]): one thread a process, each operation a
//! system call, think times slept, barriers kept. Files are prepared as the program's table says, cached or not, in a
//! [`Workplace`] that removes whatever was made in it.
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
//! Accesses are pread and pwrite on files open for both, or the C library's buffer over these. A file that a program doesn't open
//! itself is opened outside all measuring. Left out: scheduling classes and priorities, which would need a privilege.

mod barrier;
mod clock;
mod error;
mod memory;
mod names;
mod process;
mod recording;
mod result;
pub(crate) mod stdio;
mod workplace;

pub use clock::clock_overhead_ns;
pub use error::DriveError;
pub use memory::touch_memory;
pub use recording::{Recorded, in_order};
pub use result::{Measured, OperationTimes, Span, Spread};
pub use workplace::Workplace;
pub(crate) use workplace::drop_pages;

use barrier::Barrier;
use names::Names;
use petrio_workload::program::Prepared;
use process::Process;
use recording::Recording;
use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

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
    run_recorded(workplace.root(), prepared, None)
}

/// As [`run_prepared`], in any directory, with every call told to `recorder` where there is one.
///
/// # Errors
/// What the file system refuses, and programs that can't go on.
pub fn run_recorded(
    root: &Path,
    prepared: Prepared,
    recorder: Option<SyncSender<Recorded>>,
) -> Result<Measured, DriveError> {
    let names = Names::new(root, prepared.files);
    let began = Instant::now();
    let barrier = Barrier::new(prepared.programs.len());
    let overhead = clock_overhead_ns();
    let each = Duration::from_nanos(overhead as u64);
    let mut whole = Measured { clock_overhead_ns: overhead, ..Measured::default() };
    let parts = std::thread::scope(|scope| {
        let started: Vec<_> = prepared
            .programs
            .into_iter()
            .enumerate()
            .map(|(process, mut program)| {
                let (names, barrier) = (&names, &barrier);
                let recording = recorder.clone().map(|to| Recording::new(process, began, to));
                scope.spawn(move || match Process::new(names, each, recording) {
                    Ok(process) => process.run(&mut *program, barrier),
                    Err(error) => {
                        barrier.end();
                        Err(error)
                    }
                })
            })
            .collect();
        started.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    drop(recorder);
    for (process, part) in parts.into_iter().enumerate() {
        let broke_off = |_| DriveError::Process { process, why: "its thread broke off".to_owned() };
        whole.join(part.map_err(broke_off)??);
    }
    Ok(whole)
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
