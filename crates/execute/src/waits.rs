//! Calls that may have to wait: for something to be read, for room, for a child. Whether they would is asked of the kernel, of copies of
//! their descriptors; while they would, they are held, so that their time passes as that of whoever they wait for does.

use crate::clocks::NANOS;
use crate::decide::GO_ON;
use crate::files::descriptor;
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use crate::thread::{On, Wait, has_signal_beside};
use petrio_intercept::{Answer, memory};
use petrio_time::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};
use rustix::io::ioctl_fionread;
use rustix::net::sockopt::{Timeout, socket_timeout};
use rustix::pipe::fcntl_getpipe_size;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A page of a pipe.
const PAGE: u64 = 4_096;
/// Flags of recv and send that don't wait (`MSG_DONTWAIT`).
const DOES_NOT_WAIT: u64 = 0x40;
/// And of wait (`WNOHANG`).
const NO_HANG: u64 = 1;
/// And those that wait for children to be stopped, or to go on, too (`WUNTRACED`, `WCONTINUED`).
const STOPPED: u64 = 2 | 8;
/// Which children waitid means: all, or one.
const ALL: u64 = 0;
const ONE: u64 = 1;
/// Descriptors that poll is asked for at most here.
const DESCRIPTORS_MAX: u64 = 4_096;

/// Whether something is ready now.
pub(crate) fn is_ready(fd: &OwnedFd, flags: PollFlags) -> bool {
    let mut fds = [PollFd::new(fd, flags)];
    poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

/// Whether it is a pipe's end whose writer waits for room.
pub(crate) fn is_blocking_pipe(fd: &OwnedFd) -> bool {
    let is_pipe = fstat(fd).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo);
    is_pipe && fcntl_getfl(fd).is_ok_and(|flags| !flags.contains(OFlags::NONBLOCK))
}

/// Whether a pipe takes so many bytes without waiting, or as many as it can; nobody's reading it is told at once, too.
pub(crate) fn has_room(fd: &OwnedFd, bytes: u64) -> bool {
    if !is_ready(fd, PollFlags::OUT) {
        return false;
    }
    let mut fds = [PollFd::new(fd, PollFlags::OUT)];
    let _ = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    if fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
        return true;
    }
    let (Ok(size), Ok(used)) = (fcntl_getpipe_size(fd), ioctl_fionread(fd)) else { return true };
    // What was written in small pieces takes a page each; where all is full of these, one waits in the kernel.
    let free = (size as u64).saturating_sub(used.next_multiple_of(PAGE));
    used == 0 || free >= bytes
}

/// Waits until one of these is ready.
pub(crate) fn ready(fds: Vec<(Arc<OwnedFd>, PollFlags)>, until: Option<Time>) -> Verdict {
    Verdict::Wait(Wait { until, on: On::Ready(fds), late: Answer::Value(0), blocks: None })
}

/// Waits for room in a pipe.
pub(crate) fn room(fd: Arc<OwnedFd>, bytes: u64) -> Verdict {
    Verdict::Wait(Wait { until: None, on: On::Room(fd, bytes), late: Answer::Value(0), blocks: None })
}

/// A span of time.
#[derive(Clone, Copy)]
enum Patience {
    None,
    For(Time),
    Endless,
}

impl Supervisor {
    /// What becomes of a call that may have to wait.
    pub(crate) fn of_waiting(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        match call {
            Call::Poll => self.polls(id, (a[0], a[1]), millis(a[2])),
            Call::Ppoll => {
                let verdict = self.polls(id, (a[0], a[1]), span(id, a[2]));
                masked(id, verdict, a[3])
            }
            Call::Select => self.selects(id, a, micros(id, a[4])),
            Call::Pselect => {
                let verdict = self.selects(id, a, span(id, a[4]));
                let set = if a[5] == 0 { 0 } else { memory::words::<1>(id, a[5]).map_or(0, |[set]| set) };
                masked(id, verdict, set)
            }
            Call::EpollWait => self.awaits_events(id, a[0], millis(a[3])),
            Call::EpollPwait => {
                let verdict = self.awaits_events(id, a[0], millis(a[3]));
                masked(id, verdict, a[4])
            }
            Call::EpollPwait2 => {
                let verdict = self.awaits_events(id, a[0], span(id, a[3]));
                masked(id, verdict, a[4])
            }
            Call::Receive | Call::Send if a[3] & DOES_NOT_WAIT != 0 => GO_ON,
            Call::ReceiveMessage | Call::SendMessage if a[2] & DOES_NOT_WAIT != 0 => GO_ON,
            Call::Receive | Call::ReceiveMessage | Call::Accept => self.waits_for(id, a[0], PollFlags::IN),
            Call::Send | Call::SendMessage => self.waits_for(id, a[0], PollFlags::OUT),
            Call::MqReceive => self.waits_for_queue(id, a, PollFlags::IN),
            Call::MqSend => self.waits_for_queue(id, a, PollFlags::OUT),
            Call::Sigtimedwait => self.waits_for_signals(id, a),
            Call::Wait4 if a[2] & NO_HANG == 0 => {
                let pid = descriptor(a[0]);
                self.waits_for_child(id, u32::try_from(pid).ok().filter(|pid| *pid > 0), a[2] & STOPPED != 0)
            }
            Call::Waitid if a[3] & NO_HANG == 0 => match a[0] {
                ONE => self.waits_for_child(id, u32::try_from(a[1]).ok(), a[3] & STOPPED != 0),
                ALL => self.waits_for_child(id, None, a[3] & STOPPED != 0),
                _ => GO_ON,
            },
            _ => GO_ON,
        }
    }

    pub(crate) fn clock(&self, id: u32) -> Time {
        self.threads.get(&id).map_or(self.global, |thread| thread.clock)
    }

    fn waits_for(&mut self, id: u32, fd: u64, flags: PollFlags) -> Verdict {
        match self.copy(id, descriptor(fd)) {
            Some(fd) => self.or_wait(id, fd, flags),
            None => GO_ON,
        }
    }

    /// A message of a queue (`mq_timedreceive(2)`), or room for one, which is waited for until a time of day where one is given.
    fn waits_for_queue(&mut self, id: u32, a: &[u64; 6], flags: PollFlags) -> Verdict {
        let Verdict::Wait(wait) = self.waits_for(id, a[0], flags) else { return GO_ON };
        if a[4] == 0 {
            return Verdict::Wait(wait);
        }
        let Ok([seconds, parts]) = memory::words::<2>(id, a[4]) else { return GO_ON };
        let (clock, now) = (self.clock(id), self.began.0);
        let at = seconds.saturating_mul(NANOS).saturating_add(parts).saturating_sub(now);
        let until = crate::clocks::time(at / NANOS, at % NANOS).max(clock);
        Verdict::Wait(Wait { until: Some(until), late: Answer::Error(libc::ETIMEDOUT), ..wait })
    }

    /// On at once, or when it is ready; or when the time is over that its socket is to be waited for at most (`SO_RCVTIMEO`).
    pub(crate) fn or_wait(&self, id: u32, fd: Arc<OwnedFd>, flags: PollFlags) -> Verdict {
        let is_patient = fcntl_getfl(&fd).is_ok_and(|flags| !flags.contains(OFlags::NONBLOCK));
        if !is_patient || is_ready(&fd, flags) {
            return GO_ON;
        }
        let which = if flags.contains(PollFlags::OUT) { Timeout::Send } else { Timeout::Recv };
        let span = socket_timeout(&fd, which).ok().flatten();
        let span = span.map(|span| crate::clocks::time(span.as_secs(), span.subsec_nanos().into()));
        let until = span.map(|span| self.clock(id).saturating_add(span));
        Verdict::Wait(Wait {
            until,
            on: On::Ready(vec![(fd, flags)]),
            late: Answer::Error(libc::EAGAIN),
            blocks: None,
        })
    }

    /// On at once where one is ready; else until one is, or its time is over.
    fn one_of(&self, id: u32, fds: Vec<(Arc<OwnedFd>, PollFlags)>, patience: Patience) -> Verdict {
        if fds.iter().any(|(fd, flags)| is_ready(fd, *flags)) {
            return GO_ON;
        }
        match patience {
            Patience::None => GO_ON,
            Patience::For(time) => ready(fds, Some(self.clock(id).saturating_add(time))),
            Patience::Endless => ready(fds, None),
        }
    }

    fn polls(&mut self, id: u32, (at, count): (u64, u64), patience: Patience) -> Verdict {
        let count = count.min(DESCRIPTORS_MAX);
        let mut bytes = vec![0; usize::try_from(8 * count).unwrap_or(0)];
        if memory::read(id, at, &mut bytes).is_err() {
            return GO_ON;
        }
        let mut fds = Vec::new();
        for entry in bytes.chunks_exact(8) {
            let number = i32::from_ne_bytes(entry[..4].try_into().unwrap_or_default());
            let events = u16::from_ne_bytes(entry[4..6].try_into().unwrap_or_default());
            match self.copy(id, number) {
                Some(fd) => fds.push((fd, PollFlags::from_bits_retain(events))),
                // It says so at once.
                None if number >= 0 => return GO_ON,
                None => {}
            }
        }
        self.one_of(id, fds, patience)
    }

    fn selects(&mut self, id: u32, a: &[u64; 6], patience: Patience) -> Verdict {
        let count = usize::try_from(a[0].min(DESCRIPTORS_MAX)).unwrap_or(0);
        let mut fds = Vec::new();
        let mut sets = Vec::new();
        for (set, flags) in [(a[1], PollFlags::IN), (a[2], PollFlags::OUT), (a[3], PollFlags::PRI)] {
            if set == 0 {
                continue;
            }
            let mut bytes = vec![0u8; count.div_ceil(64) * 8];
            if memory::read(id, set, &mut bytes).is_err() {
                return GO_ON;
            }
            for number in (0..count).filter(|number| bytes[number / 8] & (1 << (number % 8)) != 0) {
                match i32::try_from(number).ok().and_then(|number| self.copy(id, number)) {
                    Some(fd) => fds.push((fd, flags)),
                    None => return GO_ON,
                }
            }
            sets.push((set, bytes.len()));
        }
        let verdict = self.one_of(id, fds, patience);
        if let Verdict::Wait(Wait { until: Some(_), .. }) = &verdict {
            // When its time is over nothing is ready: the sets are empty, which the kernel won't say then.
            self.clears.insert(id, sets);
        }
        verdict
    }

    fn awaits_events(&mut self, id: u32, fd: u64, patience: Patience) -> Verdict {
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        if self.processes.get(&process).is_some_and(|process| process.reads_signals != 0) {
            let fds = self.watched(id, process, descriptor(fd));
            return self.one_of(id, fds, patience);
        }
        match self.copy(id, descriptor(fd)) {
            Some(fd) => self.one_of(id, vec![(fd, PollFlags::IN)], patience),
            None => GO_ON,
        }
    }

    /// What a set of epoll's watches but for descriptors of signals: whoever else asks the set whether these are ready takes it for no, and
    /// takes them off its list of what is.
    fn watched(&mut self, id: u32, process: u32, set: i32) -> Vec<(Arc<OwnedFd>, PollFlags)> {
        let told = std::fs::read_to_string(format!("/proc/{process}/fdinfo/{set}")).unwrap_or_default();
        let mut all = Vec::new();
        for (number, events) in told.lines().filter_map(watch) {
            let link = std::fs::read_link(format!("/proc/{process}/fd/{number}"));
            if link.is_ok_and(|link| link.as_os_str() == "anon_inode:[signalfd]") {
                continue;
            }
            all.extend(self.copy(id, number).map(|fd| (fd, events)));
        }
        all
    }

    fn waits_for_child(&mut self, id: u32, which: Option<u32>, stops: bool) -> Verdict {
        let Some(parent) = self.threads.get(&id).map(|thread| thread.process) else { return GO_ON };
        // Those that it has taken are gone.
        let taken: Vec<u32> = (self.processes.iter())
            .filter(|(_, child)| child.parent == parent && child.ended.is_some())
            .map(|(&child, _)| child)
            .filter(|child| crate::thread::letter(*child, *child).is_none())
            .collect();
        taken.iter().for_each(|child| drop(self.processes.remove(child)));
        let meant = || {
            (self.processes.values())
                .filter(|child| child.parent == parent)
                .filter(|child| which.is_none_or(|which| which == child.inside))
        };
        let ended = meant().filter_map(|child| child.ended).min();
        let any = meant().next().is_some();
        // Whether it was told already that one is stopped, or goes on, only the kernel knows.
        let only_the_kernel_knows = stops && meant().any(|child| child.stopped);
        match ended {
            Some(at) => {
                if let Some(thread) = self.threads.get_mut(&id) {
                    thread.clock = thread.clock.max(at);
                }
                GO_ON
            }
            None if any && !only_the_kernel_knows => {
                let on = On::Child(which, stops);
                Verdict::Wait(Wait { until: None, on, late: Answer::GoOn, blocks: None })
            }
            None => GO_ON,
        }
    }
}

/// A wait during which other signals are blocked than before; one that isn't, and is on its way, ends it at once.
fn masked(id: u32, verdict: Verdict, set: u64) -> Verdict {
    match verdict {
        Verdict::Wait(mut wait) if set != 0 => {
            let Ok([blocked]) = memory::words::<1>(id, set) else { return GO_ON };
            if has_signal_beside(id, blocked) {
                return GO_ON;
            }
            wait.blocks = Some(blocked);
            Verdict::Wait(wait)
        }
        verdict => verdict,
    }
}

/// A descriptor that a set of epoll's watches, and for what (proc(5), fdinfo).
fn watch(line: &str) -> Option<(i32, PollFlags)> {
    let mut words = line.strip_prefix("tfd:")?.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let events = u32::from_str_radix(words.nth(1)?, 16).ok()?;
    // The upper bits say how it is told, and not of what.
    Some((number, PollFlags::from_bits_retain(u16::try_from(events & 0xffff).ok()?)))
}

fn millis(argument: u64) -> Patience {
    match descriptor(argument) {
        0 => Patience::None,
        millis => {
            u64::try_from(millis).map_or(Patience::Endless, |millis| Patience::For(Time::from_millis(millis)))
        }
    }
}

/// A struct timespec, or none.
fn span(id: u32, at: u64) -> Patience {
    of_words(id, at, 1)
}

/// A struct timeval, or none.
fn micros(id: u32, at: u64) -> Patience {
    of_words(id, at, 1_000)
}

fn of_words(id: u32, at: u64, nanos: u64) -> Patience {
    if at == 0 {
        return Patience::Endless;
    }
    match memory::words::<2>(id, at) {
        Ok([0, 0]) | Err(_) => Patience::None,
        Ok([seconds, parts]) => Patience::For(crate::clocks::time(seconds, parts.saturating_mul(nanos))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_set_watches_is_read_from_what_the_kernel_tells() {
        let told = "tfd:       12 events: 80000019 data: 55dc81778588  pos:0 ino:32 sdev:f";
        let flags = PollFlags::from_bits_retain(0x19);
        assert_eq!(watch(told), Some((12, flags)));
        assert_eq!(watch("pos:\t0"), None);
    }
}
