//! Threads that other programs don't keep from a processor.

use rustix::process::setpriority_process;
use rustix::thread::{gettid, set_current_timer_slack};
use std::num::NonZeroU64;
use thread_priority::unix::{
    RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// Among the real-time priorities (sched(7), 1 to 99) a middle one: the kernel's own threads of interrupts stay before it.
const PRIORITY: u8 = 40;

/// Makes this thread the most urgent that it may be: real-time first come, first served, or else the highest niceness. Its
/// sleeps end within a microsecond of their time instead of the usual 50. Whether it is real-time now.
pub(crate) fn real_time() -> bool {
    let _ = set_current_timer_slack(NonZeroU64::new(1_000));
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let priority = ThreadPriorityValue::try_from(PRIORITY).map(ThreadPriority::Crossplatform);
    let is_fifo = priority
        .is_ok_and(|priority| set_thread_priority_and_policy(thread_native_id(), priority, policy).is_ok());
    if !is_fifo {
        before_others();
    }
    is_fifo
}

/// Makes this thread come before those of other programs, as far as it may.
pub(crate) fn before_others() {
    let _ = set_current_timer_slack(NonZeroU64::new(1_000));
    // This thread alone: the number of a thread is one of a process here (setpriority(2), "C library/kernel differences").
    let _ = setpriority_process(Some(gettid()), -20);
}
