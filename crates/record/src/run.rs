//! Runs a command with the recorder in it, and makes a recording of what it left.

use crate::convert::{FILE, Recorded, convert};
use crate::error::RecordError;
use crate::raw::{LOST, RECORDS, Stream, raw_files};
use crate::{mpi, watch};
use petrio_capture::launch;
use petrio_files::temporary::TemporaryFolder;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What is loaded into each program.
const OBJECT: &[u8] = include_bytes!(env!("PETRIO_RECORD_OBJECT"));

/// Where raw records lie in a recording's folder until they are converted.
const RAW: &str = "raw";

/// What is recorded, and where to.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The recording's folder.
    pub out: PathBuf,
    /// The command with its arguments.
    pub command: Vec<OsString>,
    /// Replace a recording that is there.
    pub force: bool,
    /// Keep the raw records.
    pub keep_raw: bool,
    /// Record MPI's calls: `None` where the command looks as if there were some.
    pub mpi: Option<bool>,
    /// Follow the command from outside even where the recorder can be loaded into it.
    pub outside: bool,
}

/// The command that runs; zero where none does.
static RUNNING: AtomicU32 = AtomicU32::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);

/// For a signal's handler: lets a running command end, whose recording is then completed. False where none runs, or where it was told
/// already.
pub fn interrupt() -> bool {
    let running = RUNNING.load(Ordering::SeqCst);
    if running == 0 || ENDING.swap(true, Ordering::SeqCst) {
        return false;
    }
    end(running);
    true
}

fn end(process: u32) {
    if let Some(process) = Pid::from_raw(process.cast_signed()) {
        let _ = kill_process(process, Signal::TERM);
    }
}

/// Runs a command and records it; how it ended, and what was recorded.
///
/// # Errors
/// A folder that can't be had, a command that can't be started, nothing recorded, a recording that can't be written.
pub fn record(parameters: &Parameters) -> Result<(ExitStatus, Recorded), RecordError> {
    let Parameters { out, command, force, keep_raw, mpi, outside } = parameters;
    let Some((program, arguments)) = command.split_first() else {
        let source = io::Error::other("no command was given");
        return Err(RecordError::Command { program: String::new(), source });
    };
    let name = program.to_string_lossy().into_owned();
    let failed = |source| RecordError::Command { program: name.clone(), source };
    let path = launch::find(program).map_err(failed)?;
    let raw = prepare(out, *force)?;
    let with_mpi = mpi.unwrap_or_else(|| mpi::is_likely(command));
    let (objects, preload, mut notes) = objects(with_mpi)?;
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let followed = launch::program()
        .filter(|_| *outside || watch::is_static(&path))
        .map(|own| watch::command(own, &raw, &path, program));
    let mut launched = match &followed {
        Some(words) => {
            let mut launched = launch::command(&words[0], Signal::TERM);
            launched.args(&words[1..]);
            launched
        }
        None => {
            let mut launched = launch::command(program, Signal::TERM);
            launched.env("LD_PRELOAD", with_others(preload)).env("PETRIO_RECORD", &raw);
            launched.envs(launch::program().map(|own| (watch::VARIABLE, own)));
            launched
        }
    };
    launched.args(arguments);
    // A followed program's records begin with its own calls, another's with its launcher's.
    let is_launched = launch::program().is_some() && followed.is_none();
    let (status, process) = run(&mut launched).map_err(failed)?;
    drop(objects);
    if with_mpi && any_followed(&raw)? {
        notes.push("MPI's calls of static programs, if they make any".to_owned());
    }
    let recorded = convert(&raw, &out.join(FILE), &words.join(" "), is_launched.then_some(process), notes);
    // What couldn't be made a recording of is kept: it can be looked at.
    if recorded.is_ok() && !keep_raw {
        let _ = std::fs::remove_dir_all(&raw);
    } else if matches!(recorded, Err(RecordError::Nothing { .. })) {
        let _ = std::fs::remove_dir_all(&raw);
        let _ = std::fs::remove_dir(out);
    }
    Ok((status, recorded?))
}

/// Whether a program left records that was followed from outside.
fn any_followed(raw: &Path) -> Result<bool, RecordError> {
    for path in raw_files(raw, RECORDS)? {
        if Stream::open(&path)?.is_some_and(|stream| stream.header.is_followed) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes a recording of what a command left whose `petrio record` was killed.
///
/// # Errors
/// As of [`convert`].
pub fn finish(out: &Path, keep_raw: bool) -> Result<Recorded, RecordError> {
    let raw = out.join(RAW);
    let notes = vec!["its recording was broken off: what the command did after that isn't in it".to_owned()];
    let recorded = convert(&raw, &out.join(FILE), "", None, notes)?;
    if !keep_raw {
        let _ = std::fs::remove_dir_all(&raw);
    }
    Ok(recorded)
}

/// A folder without a recording; its folder for raw records.
fn prepare(out: &Path, force: bool) -> Result<PathBuf, RecordError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| RecordError::Folder { path, source }
    };
    std::fs::create_dir_all(out).map_err(failed(out))?;
    let there = std::fs::read_dir(out).map_err(failed(out))?.next().is_some();
    if there && !force {
        return Err(RecordError::Occupied { path: out.to_owned() });
    }
    let raw = std::path::absolute(out).map_err(failed(out))?.join(RAW);
    if raw.is_dir() {
        // Only what recorders wrote is taken away.
        for ending in [RECORDS, LOST] {
            for path in raw_files(&raw, ending)? {
                std::fs::remove_file(&path).map_err(failed(&path))?;
            }
        }
    } else {
        std::fs::create_dir(&raw).map_err(failed(&raw))?;
    }
    Ok(raw)
}

/// What is loaded, in a folder for the time of the run, and what can't be.
fn objects(with_mpi: bool) -> Result<(TemporaryFolder, OsString, Vec<String>), RecordError> {
    let failed = |source| RecordError::Folder { path: std::env::temp_dir(), source };
    let folder = TemporaryFolder::new().map_err(failed)?;
    let object = folder.path().join("petrio-record.so");
    std::fs::write(&object, OBJECT).map_err(failed)?;
    let (mut preload, mut notes) = (object.into_os_string(), Vec::new());
    if with_mpi {
        match mpi::compile(folder.path()) {
            Ok(object) => {
                preload.push(":");
                preload.push(object);
            }
            Err(reason) => {
                notes.push(format!("MPI's calls: what records them is compiled by mpicc, and {reason}"));
            }
        }
    }
    Ok((folder, preload, notes))
}

/// Behind ours, what is loaded anyway.
fn with_others(mut preload: OsString) -> OsString {
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| others != OsStr::new("")) {
        preload.push(":");
        preload.push(others);
    }
    preload
}

fn run(command: &mut Command) -> io::Result<(ExitStatus, u32)> {
    ENDING.store(false, Ordering::SeqCst);
    let mut child = command.spawn()?;
    RUNNING.store(child.id(), Ordering::SeqCst);
    let status = child.wait();
    RUNNING.store(0, Ordering::SeqCst);
    Ok((status?, child.id()))
}
