//! When the commands that wait inside a drive came into it: what the drive knew at an earlier time, and how long each has
//! waited there.

use petrio_colours::RequestId;
use petrio_kernel::Time;
use petrio_persist::Persist;

/// The waiting commands' times, by number: no more than the drive's queue is deep.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Arrivals(Vec<(RequestId, Time)>);

impl Arrivals {
    /// A command comes in.
    pub(super) fn note(&mut self, command: RequestId, at: Time) {
        let behind = self.0.partition_point(|(noted, _)| *noted <= command);
        self.0.insert(behind, (command, at));
    }

    /// When a command that waits came, if that was noted.
    pub(super) fn of(&self, command: RequestId) -> Option<Time> {
        self.find(command).map(|index| self.0[index].1)
    }

    /// The same of one that is begun now, and waits no longer.
    pub(super) fn take(&mut self, command: RequestId) -> Option<Time> {
        self.find(command).map(|index| self.0.remove(index).1)
    }

    /// How many wait.
    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn find(&self, command: RequestId) -> Option<usize> {
        let first = self.0.partition_point(|(noted, _)| *noted < command);
        self.0.get(first).filter(|(noted, _)| *noted == command).map(|_| first)
    }
}
