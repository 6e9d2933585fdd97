//! How busy all processors of a machine are with work of its kernel, which is what networks cost them, and how not to
//! wait for others.
//!
//! Source: proc_stat(5): the first line of `/proc/stat` has ticks (a hundredth of a second, mostly) of user, nice,
//! system, idle, iowait and others.

use std::fs;

/// Ticks since the machine has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Load {
    of_kernel: u64,
    all: u64,
}

/// Fewer ticks say nothing.
const TICKS_MIN: u64 = 10;

impl Load {
    pub(super) fn look() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn read(text: &str) -> Option<Self> {
        let ticks = text.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        // Guests' ticks, the ninth and tenth, are in the user's already.
        let ticks: Vec<u64> = ticks.take(8).map_while(|ticks| ticks.parse().ok()).collect();
        // Calls, interrupts, and what these leave for later; who only calculates isn't waited for.
        let of_kernel = ticks.get(2)? + ticks.get(5)? + ticks.get(6)?;
        Some(Self { of_kernel, all: ticks.iter().sum() })
    }

    /// The share of the time until `later` in which processors were at such work.
    fn until(self, later: Self) -> Option<f64> {
        let all = later.all.checked_sub(self.all).filter(|&all| all >= TICKS_MIN)?;
        Some((later.of_kernel.saturating_sub(self.of_kernel) as f64 / all as f64).clamp(0.0, 1.0))
    }

    /// The share since some look; none where the system doesn't tell, or too little time has gone by.
    pub(super) fn since(look: Option<Self>) -> Option<f64> {
        look?.until(Self::look()?)
    }
}

/// The priority of a thread that measures: above whatever else there is.
const FIRST: i32 = -20;

/// Lets this thread, and those that it starts, go before others, where it may: what other programs do meanwhile isn't
/// the network.
pub(super) fn go_first() {
    // An ordinary user may not, and measures all the same.
    let _ = rustix::process::setpriority_process(None, FIRST);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ticks_are_read_as_the_manual_page_says() {
        let before = Load::read("cpu  100 0 50 800 50 0 10 5 7 0\ncpu0 1 2\n").unwrap();
        assert_eq!(before, Load { of_kernel: 60, all: 1_015 });
        let after = Load { of_kernel: 135, all: 1_115 };
        assert_eq!(before.until(after), Some(0.75));
        assert_eq!(before.until(before), None);
        assert_eq!(Load::read("intr 1 2"), None);
    }
}
