//! Starts a command so that nothing of it is missed: the thread that starts it is followed already, and so its child is from its
//! first instruction on.

use super::error::FileTraceError;
use std::ffi::OsString;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A command that is about to run, or runs.
#[derive(Debug)]
pub(crate) struct Started {
    /// The thread that starts it.
    pub(crate) starter: u32,
    go: Sender<()>,
    /// Told when it ended, or that it couldn't be started.
    pub(crate) ended: Receiver<Result<ExitStatus, FileTraceError>>,
    thread: Option<JoinHandle<()>>,
}

/// Prepares a thread that will start the command.
///
/// # Errors
/// No thread to be had, or no command.
pub(crate) fn prepare(command: &[OsString]) -> Result<Started, FileTraceError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(FileTraceError::Setting { message: "there is no command to run".to_owned() });
    };
    let name = program.to_string_lossy().into_owned();
    let failed = {
        let name = name.clone();
        move |source| FileTraceError::Command { program: name.clone(), source }
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let (go, wait_for_go) = channel();
    let (tell_starter, starter) = channel();
    let (tell_ended, ended) = channel();
    let thread = std::thread::Builder::new()
        .name("starter".to_owned())
        .spawn(move || {
            let _ = tell_starter.send(rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs());
            if wait_for_go.recv().is_ok() {
                let status = command.spawn().and_then(|mut child| child.wait());
                let failed = |source| FileTraceError::Command { program: name, source };
                // Nobody listens where the capture failed meanwhile.
                let _ = tell_ended.send(status.map_err(failed));
            }
        })
        .map_err(&failed)?;
    let starter = starter.recv().map_err(|_| failed(std::io::ErrorKind::Other.into()))?;
    Ok(Started { starter, go, ended, thread: Some(thread) })
}

impl Started {
    /// Now.
    pub(crate) fn go(&self) {
        // The thread waits for nothing else, so it listens.
        let _ = self.go.send(());
    }

    /// The command has ended; its thread will, too.
    pub(crate) fn join(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
