//! Programs that end with whoever has started them, however that ends.
//!
//! The kernel sends a process a signal when its parent dies, if the process has asked for that itself (prctl(2),
//! PR_SET_PDEATHSIG); it stays so through an exec. Programs that don't ask are started by a *launcher*, which asks and
//! then becomes the program: petrio itself, told to be one ([`called`]). Where nobody has said how ([`by`]), programs
//! are started directly and may outlive this process.
//!
//! A command that is traced is held before its first instruction: its launcher stops, the trace is laid on its number,
//! and then it goes on. So neither the launcher's own start nor anything else of petrio's is in the trace.

pub use rustix::process::Signal;

use rustix::io::Errno;
use rustix::process::{getpid, getppid, kill_process, set_parent_process_death_signal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The program that launches others: petrio.
static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();

/// The first word with which petrio starts itself as a launcher.
const LAUNCH: &str = "launch";

/// The word that tells a launcher to stop before it becomes the program.
const STOPPED: &str = "stopped";
/// And to go on at once.
const AT_ONCE: &str = "at-once";

/// Says which program launches others: one that gives its arguments to [`called`] before anything else.
pub fn by(program: PathBuf) {
    let _ = LAUNCHER.set(program);
}

/// The program that was said.
pub fn program() -> Option<&'static Path> {
    LAUNCHER.get().map(PathBuf::as_path)
}

/// Becomes another program, if these arguments say that petrio has started itself for that. A launcher comes back only
/// when it has failed.
pub fn called(arguments: &[OsString]) -> Option<io::Error> {
    let (first, words) = arguments.split_first()?;
    (first == LAUNCH).then(|| launch(words))
}

/// A program that gets `signal` when the thread that starts it ends, so far as there is a launcher.
pub fn command(program: impl AsRef<OsStr>, signal: Signal) -> Command {
    launched(program.as_ref(), signal, AT_ONCE).unwrap_or_else(|| Command::new(program))
}

/// As [`command`], but stopped before it begins; none without a launcher.
pub(crate) fn stopped(program: &OsStr, signal: Signal) -> Option<Command> {
    launched(program, signal, STOPPED)
}

fn launched(program: &OsStr, signal: Signal, when: &str) -> Option<Command> {
    let mut command = Command::new(self::program()?);
    let (parent, signal) = (std::process::id().to_string(), signal.as_raw().to_string());
    command.args([LAUNCH, &parent, &signal, when]).arg(program);
    Some(command)
}

/// Where a program is that can be executed, as of execvp(3); its launcher could only say by an exit code that there is none.
///
/// # Errors
/// There is none.
pub fn find(program: &OsStr) -> io::Result<PathBuf> {
    use rustix::fs::{Access, access};
    let may = |path: PathBuf| -> io::Result<PathBuf> {
        access(&path, Access::EXEC_OK)?;
        if path.is_dir() { Err(Errno::ACCESS.into()) } else { Ok(path) }
    };
    if program.as_encoded_bytes().contains(&b'/') {
        return may(program.into());
    }
    // As of execvp(3): what is found and may not be executed is told where nothing else is found.
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let mut outcome = Err(Errno::NOENT.into());
    for folder in std::env::split_paths(&path) {
        match may(folder.join(program)) {
            Ok(path) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => outcome = Err(error),
            Err(_) => {}
        }
    }
    outcome
}

/// This process gets `signal` when its parent dies, which must be `parent`.
///
/// # Errors
/// It has died already, or the kernel refuses.
pub fn end_with(parent: u32, signal: Signal) -> io::Result<()> {
    set_parent_process_death_signal(Some(signal))?;
    // The signal of a parent that died before that has not come and never will.
    let now = getppid().map_or(0, |parent| parent.as_raw_nonzero().get().unsigned_abs());
    if now == parent { Ok(()) } else { Err(io::Error::other("whoever has started it has ended")) }
}

/// The launcher's side: becomes a program, of what [`command`] has added. Comes back only when it can't.
fn launch(words: &[OsString]) -> io::Error {
    let [parent, signal, when, program, arguments @ ..] = words else {
        return io::Error::other("there is nothing to launch");
    };
    let number = |word: &OsString| word.to_str()?.parse::<i32>().ok();
    let Some((parent, signal)) = number(parent).zip(number(signal).and_then(Signal::from_named_raw)) else {
        return io::Error::other("a launch begins with numbers of a process and of a signal");
    };
    let parent = parent.unsigned_abs();
    let prepare = || {
        if when == STOPPED {
            // A stopped process hears this one alone.
            end_with(parent, Signal::KILL)?;
            kill_process(getpid(), Signal::STOP)?;
        }
        end_with(parent, signal)
    };
    match prepare() {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    }
}
