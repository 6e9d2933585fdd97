//! One command after the other, without a net.
//!
//! The same drive, driven by a plain loop: the second implementation that the net's page must agree with to the
//! picosecond, and the shortest path to a trace's response times.

use super::drive::{Class, Demand, Drive, DriveState};
use petrio_kernel::Time;

/// A drive that serves one command at a time.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    drive: &'a Drive,
    state: DriveState,
    /// The arm works for a write that has been reported until then.
    busy: Time,
    /// Writes that have been reported and are stored when the arm is done: demand, segment, time.
    pending: std::collections::VecDeque<(Demand, usize, Time)>,
}

impl<'a> Replay<'a> {
    /// A drive that has just been switched on.
    pub fn new(drive: &'a Drive) -> Self {
        let state = drive.initial_state();
        Self { drive, state, busy: Time::ZERO, pending: std::collections::VecDeque::new() }
    }

    /// Serves a command that arrives at `now`, which must not be before the completion of the one before; gives the time
    /// of its completion.
    pub fn serve(&mut self, demand: Demand, now: Time) -> Time {
        let Self { drive, state, .. } = self;
        while let Some(&(stored, segment, at)) = self.pending.front()
            && at <= now
        {
            drive.stored(state, stored, segment, at);
            self.pending.pop_front();
        }
        let begun = drive.begin(state, demand, now);
        let completion = drive.completion(demand);
        match begun.class {
            Class::Hit => now + begun.overhead + drive.bus_time(demand) + completion,
            Class::Follow { delivered, .. } => now + delivered + completion,
            Class::Fetch { from, segment } => {
                let granted = (now + begun.overhead).max(self.busy);
                self.settle(granted);
                let drive = self.drive;
                let state = &mut self.state;
                let arrived = granted + drive.position(state, demand, from, granted);
                let start = arrived + drive.wait(false, from, demand.end() - from, arrived);
                let passed = drive.transfer(state, demand, from, start, now + begun.bus_start);
                drive.fetched(state, demand, from, segment, passed.end);
                passed.delivered + completion
            }
            Class::Store { reported, continues, early_disconnect, segment } => {
                let granted = (now + begun.overhead).max(self.busy);
                let bus_start =
                    begun.bus_start - begun.overhead + if continues { now + begun.overhead } else { granted };
                self.settle(granted);
                let drive = self.drive;
                let state = &mut self.state;
                let arrived = granted + drive.position(state, demand, demand.block, granted);
                let start = arrived + drive.wait(true, demand.block, demand.blocks, arrived);
                let passed = drive.transfer(state, demand, demand.block, start, bus_start);
                drive.storing(state, demand, segment);
                let data = bus_start + drive.bus_time(demand);
                self.busy = passed.end;
                if reported {
                    self.pending.push_back((demand, segment, passed.end));
                    return data + completion;
                }
                let (disconnect, reselect) = drive.disconnection(early_disconnect);
                drive.stored(state, demand, segment, passed.end);
                passed.end.max(data + disconnect) + reselect + completion
            }
        }
    }

    /// Writes whose data are on the medium by `now`.
    fn settle(&mut self, now: Time) {
        while let Some(&(stored, segment, at)) = self.pending.front()
            && at <= now
        {
            self.drive.stored(&mut self.state, stored, segment, at);
            self.pending.pop_front();
        }
    }
}
