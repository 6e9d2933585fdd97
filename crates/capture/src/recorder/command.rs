//! Starts a command so that nothing of it is missed: whoever starts it is followed already, and so it is from its first
//! instruction on.
//!
//! With a [launcher](crate::launch) that is the launcher, which has stopped and becomes the command when it goes on;
//! the command then ends with petrio, by SIGTERM: it may have something of its own to clear up. Without, it is the
//! thread that starts the command.

use super::error::CaptureError;
use crate::launch;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A command that is about to run, or runs.
#[derive(Debug)]
pub(crate) struct Started {
    /// Who becomes the command or starts it: a thread's number.
    pub(crate) starter: u32,
    /// Whether it is a thread of this process.
    pub(crate) is_own: bool,
    go: Sender<()>,
    /// Told when it ended, or that it couldn't be started.
    pub(crate) ended: Receiver<Result<ExitStatus, CaptureError>>,
    thread: Option<JoinHandle<()>>,
}

/// Prepares a thread that will start the command.
///
/// # Errors
/// No thread to be had, or no command.
pub(crate) fn prepare(words: &[OsString]) -> Result<Started, CaptureError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(CaptureError::Setting { message: "there is no command to run".to_owned() });
    };
    let name = program.to_string_lossy().into_owned();
    let failed = {
        let name = name.clone();
        move |source| CaptureError::Command { program: name.clone(), source }
    };
    let launcher = launch::stopped(program, Signal::TERM);
    if launcher.is_some() {
        launch::find(program).map_err(&failed)?;
    }
    let is_own = launcher.is_none();
    let mut command = launcher.unwrap_or_else(|| Command::new(program));
    command.args(arguments);
    let (go, wait_for_go) = channel();
    let (tell_starter, starter) = channel();
    let (tell_ended, ended) = channel();
    // The command's parent is this thread, and the command ends with its parent: the thread stays as long as the
    // command does.
    let thread = std::thread::Builder::new()
        .name("starter".to_owned())
        .spawn(move || {
            let this = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
            let stopped = if is_own { Ok(None) } else { stopped(&mut command).map(Some) };
            let child = match stopped {
                Ok(child) => child,
                Err(error) => return drop(tell_starter.send(Err(error))),
            };
            let _ = tell_starter.send(Ok(child.as_ref().map_or(this, Child::id)));
            if wait_for_go.recv().is_ok() {
                let child = match child {
                    Some(child) => go_on(&child).map(|()| child),
                    None => command.spawn(),
                };
                let status = child.and_then(|mut child| child.wait());
                let failed = |source| CaptureError::Command { program: name, source };
                // Nobody listens where the capture failed meanwhile.
                let _ = tell_ended.send(status.map_err(failed));
            } else if let Some(mut child) = child {
                let _ = child.kill();
                let _ = child.wait();
            }
        })
        .map_err(&failed)?;
    let starter = starter.recv().map_err(|_| io::Error::from(io::ErrorKind::Other));
    let starter = starter.and_then(|starter| starter).map_err(&failed)?;
    Ok(Started { starter, is_own, go, ended, thread: Some(thread) })
}

fn number(child: &Child) -> io::Result<Pid> {
    Pid::from_raw(child.id().cast_signed()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// Starts a launcher and waits until it has stopped.
fn stopped(command: &mut Command) -> io::Result<Child> {
    let child = command.spawn()?;
    match waitpid(Some(number(&child)?), WaitOptions::UNTRACED)? {
        Some((_, status)) if status.stopped() => Ok(child),
        _ => Err(io::Error::other("its launcher has ended")),
    }
}

fn go_on(child: &Child) -> io::Result<()> {
    Ok(kill_process(number(child)?, Signal::CONT)?)
}

impl Started {
    /// Now.
    pub(crate) fn go(&self) {
        // The thread waits for nothing else, so it listens.
        let _ = self.go.send(());
    }

    /// Tells the command to end, where it is known.
    pub(crate) fn end(&self) {
        let number = Pid::from_raw(self.starter.cast_signed()).filter(|_| !self.is_own);
        if let Some(number) = number {
            let _ = kill_process(number, Signal::TERM);
        }
    }

    /// The command has ended; its thread will, too.
    pub(crate) fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::launch::find;

    #[test]
    fn what_cannot_be_executed_is_told_before_it_is_tried() {
        assert!(find("sh".as_ref()).is_ok() && find("/bin/sh".as_ref()).is_ok());
        assert_eq!(find("no-such-program".as_ref()).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(find("/etc".as_ref()).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}
