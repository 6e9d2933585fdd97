//! Each call that is seen, and whose it is to say what becomes of it.

use crate::stats::To;
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use petrio_intercept::{Answer, Held};
use petrio_time::Time;

/// The kernel carries it out, at once.
pub(crate) const GO_ON: Verdict = Verdict::Now(Answer::GoOn);
/// A new thread that shares its parent's memory and lets it wait until it has become a program (`CLONE_VFORK`).
const WAITS_FOR_PROGRAM: u64 = 0x4000;

impl Supervisor {
    /// What becomes of a call.
    pub(crate) fn decide(&mut self, id: u32, call: Call, held: &Held) -> Verdict {
        use Call::*;
        let a = held.arguments;
        if self.options.real_time && !crate::real_time::is_seen(call) {
            return GO_ON;
        }
        match call {
            Read | Readv | Pread | Preadv | Preadv2 | Write | Writev | Pwrite | Pwritev | Pwritev2
            | Sendfile | CopyFileRange | Splice | Close | CloseRange | Dup2 | SetFlags | Fsync
            | Fdatasync | Sync | SyncRange | Ftruncate | Fallocate | Getdents | AttributesOf | SetxattrOf
            | IoSubmit | Mmap | Msync => self.of_descriptor(id, call, &a),
            Open | Openat | Openat2 | Creat | Truncate | Unlink | Unlinkat | Rmdir | Rename | Renameat
            | Mkdir | Mkdirat | Link | Linkat | Symlink | Symlinkat | Stat | Lstat | Statat | Statx
            | Access | Accessat | Readlink | Readlinkat | Attributes | AttributesAt | Utime | Utimes
            | UtimesAt | Utimens | Setxattr => self.of_name(id, call, &a),
            ClockGettime | Gettimeofday | Time | Times | Nanosleep | ClockNanosleep => {
                self.of_clock(id, call, &a)
            }
            Alarm | Setitimer | Getitimer | TimerfdSettime | TimerfdGettime | TimerCreate | TimerSettime
            | TimerGettime | TimerOverrun | TimerDelete => self.of_timer(id, call, &a),
            Futex => self.of_word(id, &a),
            Poll | Ppoll | Select | Pselect | EpollWait | EpollPwait | EpollPwait2 | Receive
            | ReceiveMessage | Send | SendMessage | MqReceive | MqSend | Sigtimedwait | Accept | Wait4
            | Waitid => self.of_waiting(id, call, &a),
            Fstat => self.looks_at_open(id, crate::files::descriptor(a[0]), To::Stat(a[1])),
            Yield => self.yields(id),
            Fork => Verdict::Start { waits: false },
            Vfork => Verdict::Start { waits: true },
            Clone => Verdict::Start { waits: a[0] & WAITS_FOR_PROGRAM != 0 },
            Clone3 => {
                let flags = petrio_intercept::memory::words::<1>(id, a[0]).map_or(0, |[flags]| flags);
                Verdict::Start { waits: flags & WAITS_FOR_PROGRAM != 0 }
            }
            Execve => self.becomes_program(id, a[0]),
            Exit => Verdict::End { all: false },
            ExitGroup => Verdict::End { all: true },
            Kill => {
                self.signalling.insert(id);
                GO_ON
            }
            Signalfd => self.reads_signals(id, a[1]),
            SetTidAddress => GO_ON,
            Tell => self.of_rank(id, &a),
        }
    }

    /// A thread becomes another program: its clocks are taken over when it makes its first call.
    pub(crate) fn becomes_program(&mut self, id: u32, name: u64) -> Verdict {
        let name = petrio_intercept::memory::name(id, name).unwrap_or_default();
        self.begins_program(id, name.as_os_str());
        self.tell(|told| told.programs += 1);
        let Some(process) = self.threads.get(&id).map(|thread| thread.process) else { return GO_ON };
        // Whichever it was: the first thread is the one that goes on.
        for thread in self.threads.values_mut().filter(|thread| thread.process == process) {
            thread.is_new = true;
        }
        if let Some(process) = self.processes.get_mut(&process) {
            // Some are closed by it.
            process.open.clear();
        }
        GO_ON
    }

    /// A thread lets others go first: it gets on to where the next of them is.
    fn yields(&mut self, id: u32) -> Verdict {
        let own = self.threads.get(&id).map_or(Time::ZERO, |thread| thread.clock);
        let others = self.threads.iter().filter(|(other, _)| **other != id);
        let next = others.map(|(_, thread)| thread.clock).filter(|clock| *clock > own).min();
        if let (Some(thread), Some(next)) = (self.threads.get_mut(&id), next)
            && self.options.compute == crate::Compute::None
        {
            thread.clock = next;
        }
        Verdict::Now(Answer::Value(0))
    }
}
