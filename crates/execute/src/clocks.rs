//! Clocks, sleeps and timers, in virtual time: the realtime clock begins with the host's and goes on as the program's time does.

use crate::decide::GO_ON;
use crate::files::descriptor;
use crate::options::Compute;
use crate::signals::SignalTimer;
use crate::supervisor::{Supervisor, Timer, Verdict};
use crate::table::Call;
use crate::thread::{On, Wait};
use petrio_intercept::{Answer, Held, memory};
use petrio_time::Time;
use rustix::time::{ClockId, Itimerspec, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_settime};
use std::os::fd::{AsFd, OwnedFd};

pub(crate) const NANOS: u64 = 1_000_000_000;
/// Nobody waits longer than model time lasts; a hundred days are as good as for ever.
const LONGEST: u64 = 100 * 86_400;
/// Clocks of clock_gettime(2): those of the realtime, and those of the processor.
const REALTIME: [u64; 4] = [0, 5, 8, 11];
const PROCESSOR: [u64; 2] = [2, 3];
/// A time is one of the clock, and no span.
const ABSOLUTE: u64 = 1;
/// The timer of setitimer(2) that goes by the clock.
const REAL: u64 = 0;

/// Of the host: realtime and monotonic, nanoseconds.
pub(crate) fn now() -> (u64, u64) {
    let nanos = |clock| {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
        u64::try_from(tv_sec).unwrap_or(0) * NANOS + u64::try_from(tv_nsec).unwrap_or(0)
    };
    (nanos(ClockId::Realtime), nanos(ClockId::Monotonic))
}

/// Seconds and nanoseconds as a time, as far as it goes.
pub(crate) fn time(seconds: u64, nanos: u64) -> Time {
    if seconds >= LONGEST {
        return Time::from_whole_seconds(LONGEST);
    }
    Time::from_whole_seconds(seconds).saturating_add(Time::from_nanos(nanos.min(LONGEST * NANOS)))
}

fn nanos(time: Time) -> u64 {
    time.as_picos() / 1_000
}

/// Tells a thread whose sleep a signal has ended how long it would have slept on, where it asks for that.
pub(crate) fn tell_left(id: u32, held: &Held, left: Time) {
    let (at, is_relative) = match held.call {
        libc::SYS_nanosleep => (held.arguments[1], true),
        _ => (held.arguments[3], held.arguments[1] & ABSOLUTE == 0),
    };
    if is_relative && at != 0 {
        // Where it can't be written the kernel couldn't either, and the call has failed already.
        let _ = written(id, at, &[nanos(left) / NANOS, nanos(left) % NANOS]);
    }
}

/// Lets a descriptor that tells of time tell.
pub(crate) fn expire(fd: &OwnedFd) {
    let soon = Timespec { tv_sec: 0, tv_nsec: 1 };
    let never = Timespec { tv_sec: 0, tv_nsec: 0 };
    let _ = timerfd_settime(
        fd.as_fd(),
        TimerfdTimerFlags::empty(),
        &Itimerspec { it_interval: never, it_value: soon },
    );
}

impl Supervisor {
    /// What becomes of a call about time.
    pub(crate) fn of_clock(&mut self, id: u32, call: Call, a: &[u64; 6]) -> Verdict {
        let Some(clock) = self.threads.get(&id).map(|thread| thread.clock) else { return GO_ON };
        let (realtime, monotonic) = (self.began.0 + nanos(clock), self.began.1 + nanos(clock));
        match call {
            Call::ClockGettime => {
                let now = match a[0] {
                    which if REALTIME.contains(&which) => realtime,
                    which if PROCESSOR.contains(&which) && self.options.compute != Compute::Measured => {
                        nanos(clock)
                    }
                    // Another's, or the processor's: the kernel knows.
                    which if which > 11 || PROCESSOR.contains(&which) => return GO_ON,
                    _ => monotonic,
                };
                written(id, a[1], &[now / NANOS, now % NANOS])
            }
            Call::Gettimeofday if a[0] != 0 => {
                written(id, a[0], &[realtime / NANOS, realtime % NANOS / 1_000])
            }
            Call::Gettimeofday => GO_ON,
            Call::Time => {
                let seconds = realtime / NANOS;
                if a[0] != 0 && memory::write(id, a[0], &seconds.to_ne_bytes()).is_err() {
                    return Verdict::Now(Answer::Error(libc::EFAULT));
                }
                Verdict::Now(Answer::Value(seconds.cast_signed()))
            }
            Call::Nanosleep => Self::sleeps(id, a[0], clock, None),
            Call::ClockNanosleep => {
                let now = if REALTIME.contains(&a[0]) { realtime } else { monotonic };
                Self::sleeps(id, a[2], clock, (a[1] & ABSOLUTE != 0).then_some(now))
            }
            Call::Alarm => {
                let left = self.set_alarm(id, Some((time(a[0] & 0xffff_ffff, 0), Time::ZERO)), clock);
                Verdict::Now(Answer::Value(nanos(left.0).div_ceil(NANOS).cast_signed()))
            }
            Call::Setitimer if a[0] == REAL => {
                let new = memory::words::<4>(id, a[1]).ok();
                let new = new.map(|[every, every_us, at, at_us]| {
                    (time(at, at_us * 1_000), time(every, every_us * 1_000))
                });
                let (left, every) = self.set_alarm(id, new, clock);
                if a[2] == 0 {
                    return Verdict::Now(Answer::Value(0));
                }
                let words = [every, left].map(nanos);
                let words = words.map(|nanos| [nanos / NANOS, nanos % NANOS / 1_000]).concat();
                written(id, a[2], &words)
            }
            Call::TimerCreate => self.makes_timer(id, a),
            Call::TimerSettime => self.set_signal_timer(id, a, (clock, monotonic, realtime)),
            Call::TimerDelete => {
                let process = self.threads.get(&id).map_or(0, |thread| thread.process);
                match self.signal_timers.remove(&(process, a[0])) {
                    Some(_) => Verdict::Now(Answer::Value(0)),
                    None => GO_ON,
                }
            }
            Call::TimerfdSettime => self.set_timer(id, a, (clock, monotonic, realtime)),
            _ => GO_ON,
        }
    }

    fn sleeps(id: u32, at: u64, clock: Time, absolute_from: Option<u64>) -> Verdict {
        let Ok([seconds, parts]) = memory::words::<2>(id, at) else { return GO_ON };
        if parts >= NANOS || seconds > i64::MAX.unsigned_abs() {
            return GO_ON;
        }
        let span = match absolute_from {
            None => time(seconds, parts),
            Some(now) => Time::from_nanos(
                (seconds.saturating_mul(NANOS).saturating_add(parts))
                    .saturating_sub(now)
                    .min(LONGEST * NANOS),
            ),
        };
        let until = Some(clock.saturating_add(span));
        Verdict::Wait(Wait { until, on: On::Time, late: Answer::Value(0), blocks: None })
    }

    /// Sets, or leaves, a process's alarm; what was left of the one before, and how often it came.
    fn set_alarm(&mut self, id: u32, new: Option<(Time, Time)>, clock: Time) -> (Time, Time) {
        let process = self.threads.get(&id).map(|thread| thread.process);
        let Some(process) = process.and_then(|process| self.processes.get_mut(&process)) else {
            return (Time::ZERO, Time::ZERO);
        };
        let before =
            process.alarm.map_or((Time::ZERO, Time::ZERO), |(at, every)| (at.saturating_sub(clock), every));
        if let Some((span, every)) = new {
            process.alarm = (span > Time::ZERO).then(|| (clock.saturating_add(span), every));
        }
        before
    }

    /// A timer that sends a process a signal. Its number is one that the kernel doesn't give: it knows nothing of it.
    fn makes_timer(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        const SIGNAL: u64 = 0;
        // Where nothing is said, it is an alarm; else a value, the signal, and to whom.
        let (signal, to) = match a[1] {
            0 => (libc::SIGALRM.unsigned_abs().into(), SIGNAL),
            at => match memory::words::<2>(id, at) {
                Ok([_, word]) => (word & 0xffff_ffff, word >> 32),
                Err(_) => return GO_ON,
            },
        };
        match (to, i32::try_from(signal)) {
            (SIGNAL, Ok(signal)) => {
                let number = self.next_timer;
                if memory::write(id, a[2], &number.to_ne_bytes()).is_err() {
                    return GO_ON;
                }
                self.next_timer += 1;
                let process = self.threads.get(&id).map_or(0, |thread| thread.process);
                let timer = SignalTimer { at: None, every: Time::ZERO, signal };
                self.signal_timers.insert((process, number.into()), timer);
                return Verdict::Now(Answer::Value(0));
            }
            // One that only a thread of the C library hears goes by the real clock.
            _ => self.tell(|told| told.real_timers += 1),
        }
        GO_ON
    }

    fn set_signal_timer(&mut self, id: u32, a: &[u64; 6], now: (Time, u64, u64)) -> Verdict {
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        let Some(mut timer) = self.signal_timers.get(&(process, a[0])).copied() else { return GO_ON };
        let Ok([every, every_ns, at, at_ns]) = memory::words::<4>(id, a[2]) else { return GO_ON };
        let left = timer.at.map_or(Time::ZERO, |at| at.saturating_sub(now.0));
        let before = [timer.every, left].map(nanos).map(|nanos| [nanos / NANOS, nanos % NANOS]).concat();
        timer.every = time(every, every_ns);
        timer.at = (at > 0 || at_ns > 0).then(|| now.0.saturating_add(until((at, at_ns), a[1], now)));
        self.signal_timers.insert((process, a[0]), timer);
        if a[3] == 0 { Verdict::Now(Answer::Value(0)) } else { written(id, a[3], &before) }
    }

    fn set_timer(
        &mut self,
        id: u32,
        a: &[u64; 6],
        (clock, monotonic, realtime): (Time, u64, u64),
    ) -> Verdict {
        let (Some(fd), Ok([every, every_ns, at, at_ns])) =
            (self.copy(id, descriptor(a[0])), memory::words::<4>(id, a[2]))
        else {
            return GO_ON;
        };
        let key = (self.threads.get(&id).map_or(0, |thread| thread.process), descriptor(a[0]));
        self.timers.retain(|timer| timer.of != key);
        if at == 0 && at_ns == 0 {
            return GO_ON;
        }
        let span = until((at, at_ns), a[1], (clock, monotonic, realtime));
        let every = time(every, every_ns);
        match std::sync::Arc::try_unwrap(fd) {
            Ok(fd) => self.timers.push(Timer { fd, at: clock.saturating_add(span), every, of: key }),
            Err(_) => return GO_ON,
        }
        Verdict::Now(Answer::Value(0))
    }
}

/// How long it is to a time that is a span, or one of a clock.
fn until((seconds, parts): (u64, u64), flags: u64, (_, monotonic, realtime): (Time, u64, u64)) -> Time {
    if flags & ABSOLUTE == 0 {
        return time(seconds, parts);
    }
    let value = seconds.saturating_mul(NANOS).saturating_add(parts);
    // Which clock it goes by only its maker knows: a time of day is far later than any since the start.
    let from = if value > realtime / 2 && realtime / 2 > monotonic { realtime } else { monotonic };
    Time::from_nanos(value.saturating_sub(from).min(LONGEST * NANOS))
}

/// Words written into a thread's memory, and nothing else.
fn written(id: u32, at: u64, words: &[u64]) -> Verdict {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Verdict::Now(match memory::write(id, at, &bytes) {
        Ok(()) => Answer::Value(0),
        Err(_) => Answer::Error(libc::EFAULT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_beyond_all_model_time_is_as_good_as_never() {
        assert_eq!(time(10, 5), Time::from_nanos(10 * NANOS + 5));
        assert_eq!(time(u64::MAX, 0), Time::from_whole_seconds(LONGEST));
        assert_eq!(time(0, u64::MAX), Time::from_whole_seconds(LONGEST));
    }
}
