//! When the commands that wait inside a drive came into it: what the drive knew at an earlier time.

use petrio_colours::RequestId;
use petrio_kernel::Time;
use std::collections::VecDeque;

/// The waiting commands' times, no more than the drive's queue is deep.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals(VecDeque<(RequestId, Time)>);

impl Arrivals {
    /// A command comes in.
    pub(super) fn note(&mut self, command: RequestId, at: Time) {
        self.0.push_back((command, at));
    }

    /// A command is begun: when it came, if that was noted.
    pub(super) fn of(&mut self, command: RequestId) -> Option<Time> {
        let index = self.0.iter().position(|(noted, _)| *noted == command)?;
        self.0.remove(index).map(|(_, came)| came)
    }
}
