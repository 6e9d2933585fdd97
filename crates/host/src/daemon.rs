//! The threads of a kernel that send requests of their own, as processes: each mount has its own, counted down from the
//! greatest number, where no program is.

/// A thread of the kernel that sends requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Daemon {
    /// What writes back.
    Flusher = 1,
    /// What commits and checkpoints.
    Journal = 2,
    /// What swaps out (kswapd).
    Swapper = 3,
}

/// Numbers that the threads of a mount have to themselves.
const DAEMONS: u32 = 4;
/// Mounts at most: no System is as large, and no program has a number as great.
const MOUNTS: u32 = 1 << 24;

impl Daemon {
    /// The process number of that of a mount, by its position among all.
    pub(super) const fn process(self, position: u32) -> u32 {
        u32::MAX - self as u32 - DAEMONS * position
    }
}

/// What a thread of a kernel is called whose process number this is: `flusher`, `journal` or `swapper`; none of a program's.
pub const fn kernel_thread(process: u32) -> Option<&'static str> {
    let below = u32::MAX - process;
    if below >= DAEMONS * MOUNTS {
        return None;
    }
    match below % DAEMONS {
        1 => Some("flusher"),
        2 => Some("journal"),
        3 => Some("swapper"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_number_tells_which_it_is() {
        for position in [0, 1, 70_000] {
            let name = |daemon: Daemon| kernel_thread(daemon.process(position));
            let names = [Daemon::Flusher, Daemon::Journal, Daemon::Swapper].map(name);
            assert_eq!(names, [Some("flusher"), Some("journal"), Some("swapper")]);
        }
        assert_eq!([0, 1, 100_000_000].map(kernel_thread), [None; 3]);
    }
}
