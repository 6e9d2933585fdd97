//! The processor time that a thread has used.

use nix::time::ClockId;
use nix::unistd::Pid;

/// Nanoseconds that a thread has used: of one that is alone in its process by that one's clock, of others by what the scheduler keeps.
pub(crate) fn used(process: u32, thread: u32, alone: bool) -> Option<u64> {
    if alone {
        let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(i32::try_from(process).ok()?)).ok()?;
        let now = clock.now().ok()?;
        let (seconds, nanos) = (u64::try_from(now.tv_sec()).ok()?, u64::try_from(now.tv_nsec()).ok()?);
        return Some(seconds * 1_000_000_000 + nanos);
    }
    let text = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}
