//! Waiting for what arrives or for an instant, whichever is first, and no longer.

use super::{DeviceState, Message, Shared};
use crate::clock::Clock;
use petrio_time::Time;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A sleep ends so late at most, mostly: for so long before an instant the thread doesn't sleep.
const SPIN: Duration = Duration::from_micros(60);

impl Shared {
    pub(crate) fn new(devices: Vec<DeviceState>) -> Self {
        Self {
            clock: Clock::begin(),
            devices,
            queue: Mutex::new(Vec::new()),
            arrived: Condvar::new(),
            is_there: AtomicBool::new(false),
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
            let left = self.clock.until(until);
            if left > SPIN {
                let (back, _) = self
                    .arrived
                    .wait_timeout(queue, left.saturating_sub(SPIN))
                    .unwrap_or_else(PoisonError::into_inner);
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
