//! The processor time that a thread has used.

use nix::time::ClockId;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// What the kernel is asked by, kept from one call to the next.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// What the scheduler keeps of a thread (proc, schedstat), once it was needed.
    kept: Option<File>,
}

/// The clock of a process's processor time by its number (`clock_getcpuclockid(3)` asks the kernel whether there is such a process, and
/// comes to the same).
fn clock_of(process: u32) -> Option<ClockId> {
    const SCHEDULED: i32 = 2;
    Some(ClockId::from_raw(!i32::try_from(process).ok()? << 3 | SCHEDULED))
}

impl Used {
    /// Nanoseconds that a thread has used: of one that is alone in its process by that one's clock, of others by what the scheduler keeps.
    pub(crate) fn now(&mut self, process: u32, thread: u32, alone: bool) -> Option<u64> {
        if alone {
            let now = clock_of(process)?.now().ok()?;
            let (seconds, nanos) = (u64::try_from(now.tv_sec()).ok()?, u64::try_from(now.tv_nsec()).ok()?);
            return Some(seconds * 1_000_000_000 + nanos);
        }
        if self.kept.is_none() {
            self.kept = Some(File::open(format!("/proc/{process}/task/{thread}/schedstat")).ok()?);
        }
        let mut text = [0; 64];
        let got = self.kept.as_ref()?.read_at(&mut text, 0).ok()?;
        let digits = text.get(..got)?.split(|byte| !byte.is_ascii_digit()).next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_computes_uses_processor_time_by_either_way_and_what_is_gone_tells_none() {
        let own = std::process::id();
        let thread = u32::try_from(nix::unistd::gettid().as_raw()).unwrap();
        let mut used = Used::default();
        let begun = [used.now(own, thread, true).unwrap(), used.now(own, thread, false).unwrap()];
        let mut sum = 0u64;
        while used.now(own, thread, false).unwrap() < begun[1] + 2_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(used.now(own, thread, true).unwrap() >= begun[0] + 1_900_000);
        // Numbers of processes end at 2²².
        assert_eq!(Used::default().now((1 << 22) + 1, 1, true), None);
        assert_eq!(Used::default().now(own, u32::MAX, false), None);
    }
}
