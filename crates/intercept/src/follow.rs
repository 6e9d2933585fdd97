//! Calls of a program and of all that it starts, told before and after (ptrace(2)): nobody decides about them, the kernel carries them out.
//!
//! A filter names the calls ([`install`], before an exec): others cost nothing. Who follows is another process, which the program knows
//! nothing of: its numbers, its parent and its signals stay what they are.

use crate::filter::{Rule, program};
use crate::kernel::{self, At, Going};
use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};
use std::collections::HashSet;
use std::io;

/// Children of any kind, threads among them (__WALL).
const ALL: WaitOptions = WaitOptions::from_bits_retain(0x4000_0000);

/// What happened to a thread, which stands still until the next is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A thread that wasn't there before stands before its first instruction.
    Begun {
        /// Its number.
        thread: u32,
    },
    /// It has made another one, or a process.
    Made {
        /// The maker.
        thread: u32,
        /// Who was made.
        child: u32,
    },
    /// It is about to make a call that is told.
    Enters {
        /// Its number.
        thread: u32,
        /// The call's (`libc::SYS_…` of this machine).
        call: i64,
        /// Its arguments.
        arguments: [u64; 6],
    },
    /// That call is over.
    Leaves {
        /// Its number.
        thread: u32,
        /// What it returns; a negative error number where it failed.
        result: i64,
    },
    /// A call was interrupted, and will be made anew.
    Interrupted {
        /// Its number.
        thread: u32,
    },
    /// Another program has taken its place: of its process' threads this one is left, and has its process' number now.
    Executed {
        /// Its number from now on.
        thread: u32,
        /// Its number before.
        before: u32,
    },
    /// It is no more.
    Ended {
        /// Its number.
        thread: u32,
    },
}

/// Restarted by the kernel, or when a signal's handler is over (ERESTARTSYS to ERESTART_RESTARTBLOCK).
const RESTARTS: std::ops::RangeInclusive<i64> = -516..=-512;

/// Names the calls that are told of this thread and of all that it will start, for ever: it must be followed by then, or the kernel
/// answers them as if it didn't have them. New privileges are renounced.
///
/// # Errors
/// What the kernel refuses.
pub fn install(rules: &[(i64, Rule)]) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    kernel::install_for_followers(&program(rules))
}

/// Follows a process.
#[derive(Debug)]
pub struct Follower {
    /// Who stands still, and how it goes on, with a signal.
    still: Option<(i32, Going, i32)>,
    there: HashSet<i32>,
    /// Within a call that is told.
    inside: HashSet<i32>,
}

impl Follower {
    /// Follows a process of one thread from now on, as far as the kernel lets this process.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn of(process: u32) -> io::Result<Self> {
        let process = i32::try_from(process).map_err(|_| io::ErrorKind::InvalidInput)?;
        kernel::seize(process)?;
        Ok(Self { still: None, there: HashSet::from([process]), inside: HashSet::new() })
    }

    /// What happens next; none when nobody is left.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn happens(&mut self) -> io::Result<Option<Event>> {
        loop {
            if let Some((thread, going, signal)) = self.still.take() {
                // It may have been killed while it stood still: then its end is told.
                let _ = kernel::go_on(thread, going, signal);
            }
            let (thread, status) = match wait(ALL) {
                Ok(Some((thread, status))) => (thread.as_raw_nonzero().get(), status.as_raw()),
                Ok(None) | Err(Errno::INTR) => continue,
                Err(Errno::CHILD) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if let Some(event) = self.told(thread, status) {
                return Ok(Some(event));
            }
        }
    }

    /// What a status says, and how its thread goes on.
    fn told(&mut self, thread: i32, status: i32) -> Option<Event> {
        let number = thread.unsigned_abs();
        if !libc::WIFSTOPPED(status) {
            self.there.remove(&thread);
            self.inside.remove(&thread);
            return Some(Event::Ended { thread: number });
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let inside = self.inside.contains(&thread);
        // Between a call's beginning and its end others may happen to it.
        let on = if inside { Going::ToTheEnd } else { Going::On };
        self.still = Some((thread, on, 0));
        if self.there.insert(thread) {
            if event != libc::PTRACE_EVENT_STOP {
                self.still = Some((thread, on, signal));
            }
            return Some(Event::Begun { thread: number });
        }
        match event {
            libc::PTRACE_EVENT_SECCOMP => {
                let Ok(At::Begins(call, arguments)) = kernel::at_call(thread) else { return None };
                self.inside.insert(thread);
                self.still = Some((thread, Going::ToTheEnd, 0));
                Some(Event::Enters { thread: number, call: call.cast_signed(), arguments })
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                let child = u32::try_from(kernel::message(thread).ok()?).ok()?;
                Some(Event::Made { thread: number, child })
            }
            libc::PTRACE_EVENT_EXEC => {
                let before = u32::try_from(kernel::message(thread).ok()?).ok()?;
                self.inside.remove(&before.cast_signed());
                self.inside.remove(&thread);
                // Its exec ends, which nobody waits for.
                self.still = Some((thread, Going::On, 0));
                Some(Event::Executed { thread: number, before })
            }
            libc::PTRACE_EVENT_STOP => {
                let stops = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
                if stops.contains(&signal) {
                    self.still = Some((thread, Going::Stopped, 0));
                }
                None
            }
            0 if signal == libc::SIGTRAP | 0x80 => {
                if !self.inside.remove(&thread) {
                    return None;
                }
                self.still = Some((thread, Going::On, 0));
                match kernel::at_call(thread) {
                    Ok(At::Ends(result)) if !RESTARTS.contains(&result) => {
                        Some(Event::Leaves { thread: number, result })
                    }
                    _ => Some(Event::Interrupted { thread: number }),
                }
            }
            0 => {
                self.still = Some((thread, on, signal));
                None
            }
            _ => None,
        }
    }
}
