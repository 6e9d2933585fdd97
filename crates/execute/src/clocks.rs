//! Clocks and sleeps, in virtual time: the realtime clock begins with the host's and goes on as the program's time does.

use crate::decide::GO_ON;
use crate::options::Compute;
use crate::supervisor::{Supervisor, Verdict};
use crate::table::Call;
use crate::thread::{On, Wait};
use petrio_intercept::{Answer, Held, memory};
use petrio_time::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};

pub(crate) const NANOS: u64 = 1_000_000_000;
/// Nobody waits longer than model time lasts; a hundred days are as good as for ever.
const LONGEST: u64 = 100 * 86_400;
/// Clocks of clock_gettime(2): those of the realtime, and those of the processor.
pub(crate) const REALTIME: [u64; 4] = [0, 5, 8, 11];
const PROCESSOR: [u64; 2] = [2, 3];
/// A time is one of the clock, and no span.
const ABSOLUTE: u64 = 1;

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

pub(crate) fn nanos(time: Time) -> u64 {
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

/// Tells a thread that has waited for descriptors how much of its time is left, where it asks for that (Linux writes it in place of what it
/// was given, select(2)).
pub(crate) fn tell_rest(id: u32, held: &Held, left: Time) {
    let (at, per_part) = match held.call {
        #[cfg(target_arch = "x86_64")]
        libc::SYS_select => (held.arguments[4], 1_000),
        libc::SYS_pselect6 => (held.arguments[4], 1),
        libc::SYS_ppoll => (held.arguments[2], 1),
        _ => return,
    };
    if at != 0 {
        // What can't be written the kernel leaves as it is, too.
        let _ = written(id, at, &[nanos(left) / NANOS, nanos(left) % NANOS / per_part]);
    }
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
            Call::Times => self.processor_times(id, a[0], monotonic),
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

    /// What a process and its children have computed, as the kernel has it, and the time since the start of the machine, in ticks.
    fn processor_times(&self, id: u32, at: u64, monotonic: u64) -> Verdict {
        const TICK: u64 = NANOS / 100;
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        let told = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // Four words from the fourteenth on (proc(5), stat): the second is a name, which ends with the last bracket.
        let behind = told.rsplit_once(')').map_or("", |(_, behind)| behind);
        let words: Vec<u64> =
            behind.split_whitespace().skip(11).take(4).filter_map(|word| word.parse().ok()).collect();
        let now = Verdict::Now(Answer::Value((monotonic / TICK).cast_signed()));
        if at == 0 {
            return now;
        }
        match (words.len(), written(id, at, &words)) {
            (4, Verdict::Now(Answer::Value(_))) => now,
            (4, refused) => refused,
            _ => GO_ON,
        }
    }
}

/// Words written into a thread's memory, and nothing else.
pub(crate) fn written(id: u32, at: u64, words: &[u64]) -> Verdict {
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
