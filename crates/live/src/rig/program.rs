//! Programs of e2fsprogs and util-linux, which are the normal way to make a file system and a loop device.

use super::error::RigError;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Directories of the superuser's programs, which an ordinary search path may lack.
const SUPERUSER_PLACES: &str = "/usr/local/sbin:/usr/sbin:/sbin";

fn search_path() -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{path}:{SUPERUSER_PLACES}")
}

/// Whether a program is installed.
pub(crate) fn is_installed(program: &str) -> bool {
    search_path()
        .split(':')
        .filter(|place| !place.is_empty())
        .any(|place| PathBuf::from(place).join(program).is_file())
}

/// What tells that a program did what it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Success {
    /// That it ended well.
    EndsWell,
    /// That it ended well and printed something.
    Answers,
}

/// Runs a program to its end; its standard output.
pub(crate) fn run<A: AsRef<OsStr>>(program: &'static str, arguments: &[A]) -> Result<String, RigError> {
    finish(program, arguments, Command::new(program).args(arguments), Success::EndsWell)
}

/// As [`run`], for a program that answers by all means and that ends well even if it has only complained.
pub(crate) fn run_aloud<A: AsRef<OsStr>>(program: &'static str, arguments: &[A]) -> Result<String, RigError> {
    finish(program, arguments, Command::new(program).args(arguments), Success::Answers)
}

/// As [`run`], for what would leave something: the program ends with this process, where that can be done.
pub(crate) fn run_to_death<A: AsRef<OsStr>>(
    program: &'static str,
    arguments: &[A],
) -> Result<String, RigError> {
    let mut command = petrio_capture::launch::command(program, Signal::KILL);
    finish(program, arguments, command.args(arguments), Success::EndsWell)
}

fn finish<A: AsRef<OsStr>>(
    program: &'static str,
    arguments: &[A],
    command: &mut Command,
    success: Success,
) -> Result<String, RigError> {
    let output = command
        .env("PATH", search_path())
        // Messages that are looked at must not be translated.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| RigError::Start { program, source })?;
    answer_of(&output, success).map_err(|message| {
        let arguments: Vec<_> =
            arguments.iter().map(|argument| argument.as_ref().to_string_lossy().into_owned()).collect();
        RigError::Program { program, arguments: arguments.join(" "), message }
    })
}

/// Its standard output; of a program that failed or doesn't answer, what it complained of.
fn answer_of(output: &Output, success: Success) -> Result<String, String> {
    if output.status.success() && (success == Success::EndsWell || !output.stdout.is_empty()) {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(if message.is_empty() { output.status.to_string() } else { message })
}
