//! Timers in virtual time: a process's alarm, descriptors that tell of time (timerfd), and timers that send signals (`timer_create(2)`).
//!
//! None of the kernel's own runs. A descriptor's has been set to go off in a hundred years, and again and again after a span that is one of
//! its own: by that it is known, whoever has it by whichever number. When its time has come, it is told how often it went off.

use crate::clocks::{NANOS, REALTIME, nanos, time, written};
use crate::decide::GO_ON;
use crate::files::descriptor;
use crate::signals::SignalTimer;
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use crate::waits::is_ready;
use petrio_intercept::{Answer, expiry, memory};
use petrio_time::Time;
use rustix::event::PollFlags;
use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_gettime, timerfd_settime};
use std::collections::BTreeSet;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

/// Seconds in a hundred years.
const FAR: i64 = 36_525 * 86_400;
/// A time is one of the clock, and no span.
const ABSOLUTE: u64 = 1;
/// The timer of setitimer(2) that goes by the clock.
const REAL: u64 = 0;
/// What a timer does when its time has come (`SIGEV_…`).
const SIGNAL: u64 = 0;
const NOTHING: u64 = 1;
const SIGNAL_TO_THREAD: u64 = 4;
/// Clocks that go by what a thread or process computes have these numbers, or such as stand for negative ones.
const PROCESSOR: [u64; 2] = [2, 3];
const NEGATIVE: u64 = 1 << 31;

/// A descriptor that tells of time (timerfd_create(2)).
#[derive(Debug)]
pub(crate) struct Timer {
    pub(crate) fd: Arc<OwnedFd>,
    /// By what it is known: the nanoseconds of the kernel's own span.
    pub(crate) mark: i64,
    pub(crate) at: Option<Time>,
    pub(crate) every: Time,
}

/// What a timer is set to: seconds and nanoseconds of how often, and of when.
type Setting = [u64; 4];

fn is_valid(&[_, every, _, at]: &Setting) -> bool {
    every < NANOS && at < NANOS
}

/// The mark of a descriptor that tells of time, once it has one.
fn mark_of(fd: &OwnedFd) -> Option<i64> {
    let set = timerfd_gettime(fd).ok()?.it_interval;
    (set.tv_sec == FAR).then_some(set.tv_nsec)
}

/// Sets the kernel's own timer, which says nothing for long then, and forgets what it had to say.
fn silence(fd: &OwnedFd, mark: i64) {
    let far = Timespec { tv_sec: FAR, tv_nsec: 0 };
    let every = Timespec { tv_sec: FAR, tv_nsec: mark };
    let set = Itimerspec { it_interval: every, it_value: far };
    let _ = timerfd_settime(fd, TimerfdTimerFlags::empty(), &set);
}

/// A word of what the kernel tells of a descriptor of this process (proc(5), fdinfo).
fn told_of(fd: &OwnedFd, key: &str) -> Option<u64> {
    let told = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).ok()?;
    told.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok())
}

/// The mark of a descriptor of another process, if it is one that tells of time.
fn mark_of_other(process: u32, number: i32) -> Option<i64> {
    let link = std::fs::read_link(format!("/proc/{process}/fd/{number}")).ok()?;
    if link.as_os_str() != "anon_inode:[timerfd]" {
        return None;
    }
    marked(&std::fs::read_to_string(format!("/proc/{process}/fdinfo/{number}")).ok()?)
}

fn marked(told: &str) -> Option<i64> {
    let span = told.lines().find_map(|line| line.strip_prefix("it_interval: ("))?.strip_suffix(')')?;
    let (seconds, nanos) = span.split_once(", ")?;
    (seconds.parse() == Ok(FAR)).then(|| nanos.parse().ok()).flatten()
}

/// Lets a descriptor tell once more.
fn expire(fd: &OwnedFd, mark: i64) {
    let before = if is_ready(fd, PollFlags::IN) { told_of(fd, "ticks:").unwrap_or(0) } else { 0 };
    if expiry::tell(fd.as_fd(), before.saturating_add(1)).is_err() {
        // Of how often this kernel can't be told.
        let soon = Timespec { tv_sec: 0, tv_nsec: 1 };
        let every = Timespec { tv_sec: FAR, tv_nsec: mark };
        let set = Itimerspec { it_interval: every, it_value: soon };
        let _ = timerfd_settime(fd, TimerfdTimerFlags::empty(), &set);
    }
}

/// How long it is to a time that is a span, or one of a clock that shows so much now.
fn until([_, _, seconds, parts]: Setting, flags: u64, now: u64) -> Time {
    if flags & ABSOLUTE == 0 {
        return time(seconds, parts);
    }
    let left = seconds.saturating_mul(NANOS).saturating_add(parts).saturating_sub(now);
    time(left / NANOS, left % NANOS)
}

/// A setting as it is read: how often, and what is left; a part of a microsecond where time stands still for it.
fn told((every, left): (Time, Time), per_part: u64) -> Vec<u64> {
    let words = [every, left].map(nanos).map(|nanos| [nanos / NANOS, nanos % NANOS / per_part]);
    words.concat()
}

impl Supervisor {
    /// What becomes of a call about a timer.
    pub(crate) fn of_timer(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        let Some(clock) = self.threads.get(&id).map(|thread| thread.clock) else { return GO_ON };
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        match call {
            Call::Alarm => {
                let left = self.set_alarm(id, Some((time(a[0] & 0xffff_ffff, 0), Time::ZERO)), clock).0;
                // Rounded, but no alarm that is still to come is none (the kernel's itimer.c).
                let seconds =
                    (nanos(left).saturating_add(NANOS / 2) / NANOS).max(u64::from(left > Time::ZERO));
                Verdict::Now(Answer::Value(seconds.cast_signed()))
            }
            Call::Setitimer if a[0] == REAL => {
                let new = match memory::words::<4>(id, a[1]) {
                    Ok([_, every_us, _, at_us]) if every_us.max(at_us) >= 1_000_000 => return GO_ON,
                    Ok([every, every_us, at, at_us]) => {
                        Some((time(at, at_us * 1_000), time(every, every_us * 1_000)))
                    }
                    Err(_) => None,
                };
                let (left, every) = self.set_alarm(id, new, clock);
                if a[2] == 0 {
                    Verdict::Now(Answer::Value(0))
                } else {
                    written(id, a[2], &told((every, left), 1_000))
                }
            }
            Call::Getitimer if a[0] == REAL => {
                let (left, every) = self.set_alarm(id, None, clock);
                written(id, a[1], &told((every, left), 1_000))
            }
            Call::TimerCreate => self.makes_timer(id, a),
            Call::TimerSettime => self.set_signal_timer(id, a, clock),
            Call::TimerGettime => match self.signal_timers.get(&(process, a[0])) {
                Some(timer) => written(id, a[1], &told(timer.left(clock), 1)),
                None => GO_ON,
            },
            Call::TimerOverrun => match self.signal_timers.get(&(process, a[0])) {
                Some(timer) => Verdict::Now(Answer::Value(timer.missed)),
                None => GO_ON,
            },
            Call::TimerDelete => match self.signal_timers.remove(&(process, a[0])) {
                Some(_) => Verdict::Now(Answer::Value(0)),
                None => GO_ON,
            },
            Call::TimerfdSettime => self.set_timer(id, a, clock),
            Call::TimerfdGettime => {
                let known = self.copy(id, descriptor(a[0])).and_then(|fd| mark_of(&fd));
                match known.and_then(|mark| self.timers.iter().find(|timer| timer.mark == mark)) {
                    Some(timer) => written(id, a[1], &told(left((timer.at, timer.every), clock), 1)),
                    None => GO_ON,
                }
            }
            _ => GO_ON,
        }
    }

    /// What a clock shows now, nanoseconds.
    fn shows(&self, is_realtime: bool, clock: Time) -> u64 {
        nanos(clock) + if is_realtime { self.began.0 } else { self.began.1 }
    }

    /// Sets, or leaves, a process's alarm; what was left of the one before, and how often it came.
    fn set_alarm(&mut self, id: u32, new: Option<(Time, Time)>, clock: Time) -> (Time, Time) {
        let process = self.threads.get(&id).map(|thread| thread.process);
        let Some(process) = process.and_then(|process| self.processes.get_mut(&process)) else {
            return (Time::ZERO, Time::ZERO);
        };
        let (every, left) =
            left((process.alarm.map(|it| it.0), process.alarm.map_or(Time::ZERO, |it| it.1)), clock);
        if let Some((span, every)) = new {
            process.alarm = (span > Time::ZERO).then(|| (clock.saturating_add(span), every));
        }
        (left, every)
    }

    /// A timer that sends a process a signal. Its number is one that the kernel doesn't give: it knows nothing of it.
    fn makes_timer(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        let clock = a[0] & 0xffff_ffff;
        if PROCESSOR.contains(&clock) || clock & NEGATIVE != 0 {
            // By what is computed: the kernel knows that.
            return GO_ON;
        }
        let number = self.next_timer;
        // Where nothing is said, it is an alarm, whose value is its number; else a value, the signal and what it is for, and to which thread.
        let [value, word, to] = match a[1] {
            0 => [number.into(), libc::SIGALRM.unsigned_abs().into(), 0],
            at => match memory::words::<3>(id, at) {
                Ok(words) => words,
                Err(_) => return GO_ON,
            },
        };
        let signal = i32::try_from(word & 0xffff_ffff).unwrap_or(0);
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        let (signal, thread) = match word >> 32 {
            SIGNAL if (1..=64).contains(&signal) => (signal, None),
            NOTHING => (0, None),
            SIGNAL_TO_THREAD if (1..=64).contains(&signal) => {
                let inside = u32::try_from(to & 0xffff_ffff).unwrap_or(0);
                let Some(thread) = self.thread_inside(process, inside) else {
                    self.tell(|told| told.real_timers += 1);
                    return GO_ON;
                };
                (signal, Some(thread))
            }
            // The kernel refuses it.
            _ => return GO_ON,
        };
        if memory::write(id, a[2], &number.to_ne_bytes()).is_err() {
            return GO_ON;
        }
        self.next_timer += 1;
        let is_realtime = REALTIME.contains(&clock);
        let timer =
            SignalTimer { at: None, every: Time::ZERO, signal, thread, value, is_realtime, missed: 0 };
        self.signal_timers.insert((process, number.into()), timer);
        Verdict::Now(Answer::Value(0))
    }

    /// The thread of a process that has this number where it lives.
    fn thread_inside(&self, process: u32, inside: u32) -> Option<u32> {
        let of_it = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let mut of_it = of_it.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        of_it.find(|thread| {
            let status = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/status"));
            let told = status.unwrap_or_default();
            let numbers = told.lines().find_map(|line| line.strip_prefix("NSpid:"));
            numbers.and_then(|numbers| numbers.split_whitespace().last()?.parse().ok()) == Some(inside)
        })
    }

    fn set_signal_timer(&mut self, id: u32, a: &[u64; 6], clock: Time) -> Verdict {
        let key = (self.threads.get(&id).map_or(0, |thread| thread.process), a[0]);
        let Some(mut timer) = self.signal_timers.get(&key).copied() else { return GO_ON };
        let setting = match memory::words::<4>(id, a[2]) {
            Ok(setting) if is_valid(&setting) => setting,
            Ok(_) => return Verdict::Now(Answer::Error(libc::EINVAL)),
            Err(_) => return Verdict::Now(Answer::Error(libc::EFAULT)),
        };
        let before = told(timer.left(clock), 1);
        let [every, every_ns, at, at_ns] = setting;
        let span = until(setting, a[1], self.shows(timer.is_realtime, clock));
        timer.every = time(every, every_ns);
        timer.at = (at > 0 || at_ns > 0).then(|| clock.saturating_add(span));
        timer.missed = 0;
        self.signal_timers.insert(key, timer);
        if a[3] == 0 { Verdict::Now(Answer::Value(0)) } else { written(id, a[3], &before) }
    }

    fn set_timer(&mut self, id: u32, a: &[u64; 6], clock: Time) -> Verdict {
        let (Some(fd), Ok(setting)) = (self.copy(id, descriptor(a[0])), memory::words::<4>(id, a[2])) else {
            return GO_ON;
        };
        if timerfd_gettime(&fd).is_err() || !is_valid(&setting) {
            // The kernel says what is wrong.
            return GO_ON;
        }
        let mark = mark_of(&fd).unwrap_or_else(|| {
            self.next_mark += 1;
            self.next_mark
        });
        silence(&fd, mark);
        let is_realtime =
            a[1] & ABSOLUTE != 0 && told_of(&fd, "clockid:").is_some_and(|clock| REALTIME.contains(&clock));
        let [every, every_ns, at, at_ns] = setting;
        let span = until(setting, a[1], self.shows(is_realtime, clock));
        let new = ((at > 0 || at_ns > 0).then(|| clock.saturating_add(span)), time(every, every_ns));
        let before = match self.timers.iter_mut().find(|timer| timer.mark == mark) {
            Some(timer) => {
                let before = left((timer.at, timer.every), clock);
                (timer.at, timer.every) = new;
                before
            }
            None => {
                self.timers.push(Timer { fd, mark, at: new.0, every: new.1 });
                (Time::ZERO, Time::ZERO)
            }
        };
        if a[3] == 0 { Verdict::Now(Answer::Value(0)) } else { written(id, a[3], &told(before, 1)) }
    }

    /// A descriptor that tells of time becomes ready: by the kernel's own means, at once.
    pub(crate) fn timer(&mut self, index: usize) {
        let Some(timer) = self.timers.get_mut(index) else { return };
        expire(&timer.fd, timer.mark);
        timer.at = timer.at.filter(|_| timer.every > Time::ZERO).map(|at| at.saturating_add(timer.every));
    }

    /// Descriptors are closed, or those who had them have ended: timers that nobody can hear any more are none.
    pub(crate) fn drops_timers(&mut self, is_closed: impl Fn(u32, i32) -> bool) {
        if self.timers.is_empty() {
            return;
        }
        let mut heard = BTreeSet::new();
        for (&process, _) in self.processes.iter().filter(|(_, process)| process.ended.is_none()) {
            let entries = match std::fs::read_dir(format!("/proc/{process}/fd")) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                // What it has open nobody sees: it may hear all of them.
                Err(_) => return,
            };
            let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            heard.extend(
                numbers
                    .filter(|number| !is_closed(process, *number))
                    .filter_map(|number| mark_of_other(process, number)),
            );
        }
        self.timers.retain(|timer| heard.contains(&timer.mark));
    }

    /// The same, where one descriptor is about to be closed.
    pub(crate) fn drops_timer(&mut self, process: u32, number: i32) {
        if !self.timers.is_empty() && mark_of_other(process, number).is_some() {
            self.drops_timers(|of, other| (of, other) == (process, number));
        }
    }
}

/// How often a timer goes off, and how long it is until it does: nothing where it doesn't, and something where it is just about to.
pub(crate) fn left((at, every): (Option<Time>, Time), clock: Time) -> (Time, Time) {
    let left = at.map_or(Time::ZERO, |at| at.saturating_sub(clock).max(Time::from_micros(1)));
    (every, left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_is_known_by_its_mark_and_others_have_none() {
        let told = format!("clockid: 1\nticks: 5\nit_value: (2, 9)\nit_interval: ({FAR}, 17)\n");
        assert_eq!(marked(&told), Some(17));
        assert_eq!(marked("it_interval: (2, 17)"), None);
        assert_eq!(marked("pos:\t0"), None);
    }

    #[test]
    fn what_is_left_is_nothing_only_where_nothing_comes() {
        let at = Time::from_whole_seconds;
        assert_eq!(left((Some(at(5)), at(2)), at(3)), (at(2), at(2)));
        assert_eq!(left((Some(at(5)), Time::ZERO), at(6)), (Time::ZERO, Time::from_micros(1)));
        assert_eq!(left((None, at(2)), at(6)), (at(2), Time::ZERO));
        // A time of the clock that is over is now; a span is a span.
        assert_eq!(until([0, 0, 100, 0], ABSOLUTE, 101 * NANOS), Time::ZERO);
        assert_eq!(until([0, 0, 100, 5], ABSOLUTE, 99 * NANOS), Time::from_nanos(NANOS + 5));
        assert_eq!(until([0, 0, 100, 0], 0, 101 * NANOS), at(100));
    }
}
