//! Waiting for what arrives or for an instant, whichever is first, and no longer.

use super::{DeviceState, Message, Shared};
use crate::clock::Clock;
use petrio_time::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A sleep ends so late, at least: for so long before an instant the thread doesn't sleep. Where sleeps end later (in a virtual machine,
/// by 0.1 ms and more), it doesn't for as much longer, up to a bound.
const SPIN: Duration = Duration::from_micros(60);
const MOST_SPIN: Duration = Duration::from_micros(500);

/// How late sleeps have ended lately.
#[derive(Debug, Default)]
pub(super) struct Lateness(AtomicU64);

impl Lateness {
    /// A sleep that was to last so long took so long: what is later than was thought counts at once, what isn't little by little.
    fn note(&self, wanted: Duration, took: Duration) {
        let late = u64::try_from(took.saturating_sub(wanted).as_nanos()).unwrap_or(u64::MAX);
        let before = self.0.load(Ordering::Relaxed);
        let now = if late > before { late } else { before - (before - late) / 16 };
        self.0.store(now, Ordering::Relaxed);
    }

    /// For how long before an instant nobody sleeps.
    fn lead(&self) -> Duration {
        let late = Duration::from_nanos(self.0.load(Ordering::Relaxed));
        (late + late / 4).clamp(SPIN, MOST_SPIN)
    }
}

impl Shared {
    pub(crate) fn new(devices: Vec<DeviceState>) -> Self {
        Self {
            clock: Clock::begin(),
            devices,
            queue: Mutex::new(Vec::new()),
            arrived: Condvar::new(),
            is_there: AtomicBool::new(false),
            lateness: Lateness::default(),
        }
    }

    /// Hands something to the pacer.
    pub(crate) fn post(&self, message: Message) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push(message);
        self.is_there.store(true, Ordering::Release);
        drop(queue);
        self.arrived.notify_one();
    }

    /// What has arrived; nothing where the instant has come before.
    pub(super) fn wait(&self, until: Option<Time>) -> Vec<Message> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if !queue.is_empty() {
                self.is_there.store(false, Ordering::Release);
                return std::mem::take(&mut queue);
            }
            let Some(until) = until else {
                queue = self.arrived.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (left, lead) = (self.clock.until(until), self.lateness.lead());
            if left > lead {
                let (sleep, began) = (left.saturating_sub(lead), Instant::now());
                let (back, ended) =
                    self.arrived.wait_timeout(queue, sleep).unwrap_or_else(PoisonError::into_inner);
                if ended.timed_out() {
                    self.lateness.note(sleep, began.elapsed());
                }
                queue = back;
                continue;
            }
            drop(queue);
            while self.clock.now() < until && !self.is_there.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
            queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
            if queue.is_empty() {
                return Vec::new();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wakes_late_sleeps_less_and_forgets_it_slowly() {
        let (lateness, micros) = (Lateness::default(), Duration::from_micros);
        assert_eq!(lateness.lead(), SPIN);
        lateness.note(micros(1_000), micros(1_100));
        assert_eq!(lateness.lead(), micros(125));
        lateness.note(micros(1_000), micros(1_000));
        assert!(lateness.lead() > micros(110));
        (0..100).for_each(|_| lateness.note(micros(1_000), micros(1_010)));
        assert_eq!(lateness.lead(), SPIN);
        lateness.note(micros(1_000), micros(9_000));
        assert_eq!(lateness.lead(), MOST_SPIN);
    }
}
