//! The two times before a call: since the one before it, and since its process was last done.

use petrio_time::Time;
use rustc_hash::FxHashMap;

/// What is remembered between calls. Memory grows with the number of processes.
#[derive(Debug, Default)]
pub struct Gaps {
    last: Option<Time>,
    /// When the latest call of each process was over.
    ends: FxHashMap<u32, Time>,
}

/// What is known of the time before a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gap {
    /// From the beginning of the call before, of any process.
    pub inter_arrival: Option<Time>,
    /// From the end of the process's call before: its think time.
    pub think: Option<Time>,
    /// Whether the call began before the process's call before was over; then there is no think time.
    pub overlaps: bool,
}

impl Gaps {
    /// A call of a process, or of one that isn't known, in order of time.
    #[inline]
    pub fn next(&mut self, time: Time, service: Option<Time>, process: Option<u32>) -> Gap {
        let inter_arrival = self.last.map(|last| time.saturating_sub(last));
        self.last = Some(time);
        let Some(process) = process else { return Gap { inter_arrival, ..Gap::default() } };
        let end = service.map_or(time, |service| time.saturating_add(service));
        let (mut think, mut overlaps) = (None, false);
        match self.ends.get_mut(&process) {
            None => {
                self.ends.insert(process, end);
            }
            Some(before) if time < *before => {
                overlaps = true;
                *before = end.max(*before);
            }
            Some(before) => {
                think = Some(time.saturating_sub(*before));
                *before = end;
            }
        }
        Gap { inter_arrival, think, overlaps }
    }

    /// How many processes made calls.
    pub fn processes(&self) -> usize {
        self.ends.len()
    }
}
