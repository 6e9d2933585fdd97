//! Delays instead of virtual time: the program's clocks are the machine's, and each call on the simulated storage returns when that long
//! has passed. Nothing else is decided here: sleeps, pipes, locks and children are the kernel's.

use crate::failure::ExecuteError;
use crate::supervisor::Supervisor;
use crate::table::Call;
use petrio_time::Time;
use petrio_workload::Due;
use std::collections::BTreeMap;
use std::time::Instant;

/// Where something is under way in the simulated storage, one looks so often whether it is done, nanoseconds; and else so often.
const LOOK: i64 = 20_000;
const LOOK_IDLE: i64 = 2_000_000;
/// After so many looks at which nothing came, one sees who has ended.
const IDLE: u32 = 64;

/// The machine's clock, and how late calls returned by it.
#[derive(Debug, Default)]
pub(crate) struct Wall {
    began: Option<Instant>,
    /// How many were so many microseconds late.
    late: BTreeMap<u64, u64>,
}

impl Wall {
    /// The program begins.
    pub(crate) fn begin(&mut self) {
        self.began = Some(Instant::now());
    }

    /// Since it began.
    pub(crate) fn now(&self) -> Time {
        let nanos = self.began.map_or(0, |began| began.elapsed().as_nanos());
        Time::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX / 1_000).min(u64::MAX / 1_000))
    }

    /// Something returns that was to return at this time.
    pub(crate) fn returns(&mut self, at: Time) {
        *self.late.entry(self.now().saturating_sub(at).as_picos() / 1_000_000).or_default() += 1;
    }

    /// How late they were, microseconds: this part of them at most.
    pub(crate) fn late(&self, part: f64) -> Option<u64> {
        let all: u64 = self.late.values().sum();
        let mut seen = 0;
        self.late
            .iter()
            .find(|(_, count)| {
                seen += **count;
                seen as f64 >= part * all as f64
            })
            .map(|(&micros, _)| micros)
    }
}

/// Whether a call has to do with files, or with who there is: the rest is the kernel's.
pub(crate) const fn is_seen(call: Call) -> bool {
    use Call::*;
    !matches!(
        call,
        ClockGettime
            | Gettimeofday
            | Time
            | Nanosleep
            | ClockNanosleep
            | Alarm
            | Setitimer
            | Getitimer
            | Times
            | TimerfdSettime
            | TimerfdGettime
            | TimerCreate
            | TimerSettime
            | TimerGettime
            | TimerOverrun
            | TimerDelete
            | Futex
            | Poll
            | Ppoll
            | Select
            | Pselect
            | EpollWait
            | EpollPwait
            | EpollPwait2
            | Receive
            | ReceiveMessage
            | Send
            | SendMessage
            | MqReceive
            | MqSend
            | Sigtimedwait
            | Accept
            | Wait4
            | Waitid
            | Yield
            | Kill
            | Signalfd
    )
}

impl Supervisor {
    /// When something is next due, by the machine's clock: now, where something may be done by now.
    pub(crate) fn due_in_real_time(&mut self) -> Result<Due, ExecuteError> {
        loop {
            while !self.over && self.pump(0)? {}
            if self.over {
                return Ok(if self.in_flight.is_empty() { Due::Never } else { Due::AfterCompletion });
            }
            let now = self.wall.now();
            if let Some((at, ..)) = self.next()
                && at <= now
            {
                return Ok(Due::At(at));
            }
            if !self.in_flight.is_empty() && now > self.global {
                // What is done by now is told then, and nothing is asked.
                self.global = now;
                return Ok(Due::At(now));
            }
            let look = if self.in_flight.is_empty() { LOOK_IDLE } else { LOOK };
            if !self.pump(look)? {
                self.idle_looks += 1;
                if self.in_flight.is_empty() || self.idle_looks.is_multiple_of(IDLE) {
                    self.examine(false)?;
                    if self.is_stopped() {
                        return Ok(Due::Never);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_late_calls_return_is_told_by_parts_of_them() {
        let mut wall = Wall::default();
        assert_eq!((wall.late(0.5), wall.now()), (None, Time::ZERO));
        wall.late = BTreeMap::from([(3, 60), (40, 39), (900, 1)]);
        assert_eq!((wall.late(0.5), wall.late(0.99), wall.late(1.0)), (Some(3), Some(40), Some(900)));
        assert!(is_seen(Call::Pread) && !is_seen(Call::Futex));
    }
}
