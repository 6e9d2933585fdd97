//! How a program begins that is followed: petrio becomes it once it is followed by a process that nobody waits for.

use super::{VARIABLE, calls, follow};
use crate::raw::write::{StreamWriter, Whose, now};
use crate::raw::{Kind, Record};
use petrio_intercept::follow as kernel;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PTracer, set_ptracer};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The word with which petrio starts itself for this; the shim has it, too (`shim/processes.c`).
const WORD: &str = "record-static";
/// As shells have it: a program that can't be executed.
const NOT_EXECUTED: u8 = 126;
/// What is said once a program is followed.
const FOLLOWED: [u8; 1] = *b"f";

/// What runs a program so that it is followed.
pub(crate) fn command(own: &Path, raw: &Path, program: &Path, name: &OsStr) -> Vec<OsString> {
    [own.as_os_str(), WORD.as_ref(), "program".as_ref(), raw.as_os_str(), program.as_os_str(), name]
        .map(OsStr::to_owned)
        .to_vec()
}

/// Becomes what petrio has started itself for, if these arguments say so; comes back with the exit code.
pub fn called(arguments: &[OsString]) -> Option<u8> {
    let (first, words) = arguments.split_first()?;
    if first != WORD {
        return None;
    }
    let number = |word: &OsString| word.to_str()?.parse::<u32>().ok();
    Some(match words {
        [stage, raw, path, name, arguments @ ..] if stage == "program" => {
            program(raw.as_ref(), path.as_ref(), name, arguments)
        }
        [stage, raw, process] if stage == "middle" => match middle(raw, process) {
            Ok(()) => 0,
            Err(_) => NOT_EXECUTED,
        },
        [stage, raw, process] if stage == "follow" => {
            match number(process).map(|of| outside(raw.as_ref(), of)) {
                Some(Ok(())) => 0,
                _ => NOT_EXECUTED,
            }
        }
        _ => NOT_EXECUTED,
    })
}

/// Gets itself followed, and becomes the program; whatever happens that does, too.
fn program(raw: &Path, path: &Path, name: &OsStr, arguments: &[OsString]) -> u8 {
    if let Err(why) = be_followed(raw) {
        let text = format!("a program that can only be followed from outside: {} ({why})", path.display());
        let _ = say_unseen(raw, text);
    }
    let mut command = Command::new(path);
    command.arg0(name).args(arguments).env_remove(VARIABLE).env_remove("PETRIO_RECORD");
    let error = command.exec();
    let _ = writeln!(io::stderr(), "petrio: {} can't be executed: {error}", name.to_string_lossy());
    NOT_EXECUTED
}

fn be_followed(raw: &Path) -> io::Result<()> {
    let said = |doing: &'static str| move |error: io::Error| io::Error::other(format!("{doing}: {error}"));
    let (hears, says) = pipe_with(PipeFlags::CLOEXEC)?;
    // Where only ancestors may follow (Yama), anybody may follow this one.
    let _ = set_ptracer(PTracer::Any);
    let own = std::env::current_exe()?;
    let mut between = Command::new(own);
    between.args([WORD.as_ref(), "middle".as_ref(), raw.as_os_str()]).arg(std::process::id().to_string());
    // What was loaded into petrio by a shim that is there is of no interest.
    between.env_remove("LD_PRELOAD").stdin(Stdio::null()).stdout(says).stderr(Stdio::null());
    between.status().map_err(said("who would follow it can't be started"))?;
    drop(between);
    let mut heard = [0];
    match File::from(hears).read(&mut heard)? {
        1 if heard == FOLLOWED => {
            kernel::install(&calls::rules()).map_err(said("its calls can't be named (seccomp)"))
        }
        _ => Err(io::Error::other("it can't be followed (ptrace)")),
    }
}

/// Leaves who follows without a parent that would have to wait for it.
fn middle(raw: &OsStr, process: &OsStr) -> io::Result<()> {
    let own = std::env::current_exe()?;
    Command::new(own).args([WORD.as_ref(), "follow".as_ref(), raw, process]).spawn().map(|_| ())
}

fn outside(raw: &Path, process: u32) -> io::Result<()> {
    // What the program's parent left open for it isn't for us: a pipe would never end.
    let open = std::fs::read_dir("/proc/self/fd")?;
    let open: Vec<i32> = open
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in open {
        let _ = nix::unistd::close(fd);
    }
    let follower = kernel::Follower::of(process)?;
    let mut told = io::stdout();
    told.write_all(&FOLLOWED)?;
    told.flush()?;
    let _ = nix::unistd::close(1);
    follow::follow(follower, raw, process)
}

/// A record of its own that a program isn't seen.
fn say_unseen(raw: &Path, text: String) -> io::Result<()> {
    let process = std::process::id();
    let parent = std::os::unix::process::parent_id();
    let mut stream = StreamWriter::create(raw, Whose { process, thread: process, parent, token: 0 })?;
    stream.push(&Record { text: text.into(), ..Record::new(Kind::Unseen, now()) })
}
