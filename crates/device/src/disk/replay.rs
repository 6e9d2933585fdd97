//! One command after the other, without a net.
//!
//! The same drive, driven by a plain loop: the second implementation that the net's page must agree with to the
//! picosecond, and the shortest path to a trace's response times.

use super::drive::{Class, Demand, Drive, DriveState};
use petrio_kernel::Time;
use std::collections::VecDeque;

/// A drive that serves one command at a time.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    drive: &'a Drive,
    state: DriveState,
    /// The arm works for a write that has been reported until then.
    busy: Time,
    /// Writes that have been reported and are stored when the arm is done: demand, segment, time.
    pending: VecDeque<(Demand, usize, Time)>,
    /// The same, with their blocks, until they are on the medium: the arm's time runs ahead of the host's.
    unwritten: VecDeque<(u64, Time)>,
    /// A run that was held and is being written, and when that ends.
    writing_back: Option<(Demand, Time)>,
    /// From when on the arm may turn to what is held.
    idle: Time,
}

impl<'a> Replay<'a> {
    /// The drive.
    pub fn drive(&self) -> &Drive {
        self.drive
    }

    /// A drive that has just been switched on.
    pub fn new(drive: &'a Drive) -> Self {
        let state = drive.initial_state();
        Self {
            drive,
            state,
            busy: Time::ZERO,
            pending: VecDeque::new(),
            unwritten: VecDeque::new(),
            writing_back: None,
            idle: Time::ZERO,
        }
    }

    /// Serves a command that arrives at `now`, which must not be before the completion of the one before; gives the
    /// time of its completion.
    pub fn serve(&mut self, demand: Demand, now: Time) -> Time {
        self.settle(now);
        self.write_back(now, true);
        let drive = self.drive;
        let begun = drive.begin(&mut self.state, demand, (now, 1), now);
        let completion = drive.completion(demand);
        match begun.class {
            Class::Hit => now + begun.overhead + drive.bus_time(demand) + completion,
            Class::Follow { delivered, .. } => now + delivered + completion,
            Class::Fetch { from, segment } => {
                let granted = self.grant(now + begun.overhead);
                let state = &mut self.state;
                let arrived = granted + drive.position(state, demand, from, false, granted);
                let start = arrived + drive.wait(false, from, demand.end() - from, arrived);
                let passed = drive.transfer(state, demand, from, start, now + begun.bus_start);
                drive.fetched(state, demand, from, segment, passed.end);
                self.idle = passed.end;
                passed.delivered + completion
            }
            Class::Store { reported, continues, early_disconnect, segment } => {
                let granted = self.grant(now + begun.overhead);
                let bus_start =
                    begun.bus_start - begun.overhead + if continues { now + begun.overhead } else { granted };
                let state = &mut self.state;
                let arrived = granted + drive.position(state, demand, demand.block, continues, granted);
                let start = arrived + drive.wait(true, demand.block, demand.blocks, arrived);
                let passed = drive.transfer(state, demand, demand.block, start, bus_start);
                drive.storing(state, demand, segment);
                let data = bus_start + drive.bus_time(demand);
                self.busy = passed.end;
                self.idle = passed.end;
                if reported {
                    let room = self.drained(demand, data);
                    self.pending.push_back((demand, segment, passed.end));
                    self.unwritten.push_back((demand.blocks, passed.end));
                    return room + completion;
                }
                let (disconnect, reselect) = drive.disconnection(early_disconnect);
                drive.stored(state, demand, segment, false, passed.end);
                passed.end.max(data + disconnect) + reselect + completion
            }
            Class::Hold => {
                let (mut at, mut taken) = (now + begun.overhead, 0);
                let mut prepare = begun.bus_start - begun.overhead;
                while taken < demand.blocks {
                    let piece = drive.next_piece(demand, taken);
                    at = self.room(piece, at) + prepare + drive.bus_time(piece);
                    self.write_back(at, false);
                    drive.hold(&mut self.state, piece);
                    self.idle = self.idle.max(at);
                    (taken, prepare) = (taken + piece.blocks, Time::ZERO);
                }
                at + completion
            }
        }
    }

    /// When a flush that comes at `now` completes: everything that was written before is on the medium then.
    pub fn flush(&mut self, now: Time) -> Time {
        self.write_back(now, true);
        let mut done = now.max(self.busy);
        while let Some((_, end)) = self.writing_back {
            done = end;
            self.write_back(end, true);
        }
        self.settle(done);
        done
    }

    /// When there is room for a reported write beside those that are not on the medium, if its data come at `data`.
    fn drained(&mut self, demand: Demand, data: Time) -> Time {
        while self.unwritten.front().is_some_and(|(_, end)| *end <= data) {
            self.unwritten.pop_front();
        }
        let mut blocks = demand.blocks + self.unwritten.iter().map(|(blocks, _)| blocks).sum::<u64>();
        let mut room = data;
        for (written, end) in &self.unwritten {
            if self.drive.has_room_unwritten(blocks) {
                break;
            }
            blocks -= written;
            room = *end;
        }
        room
    }

    /// When a command that is decoded at `decoded` gets the arm.
    fn grant(&mut self, decoded: Time) -> Time {
        let mut granted = decoded.max(self.busy);
        self.settle(granted);
        // A run that is being written back is finished first.
        if let Some((run, end)) = self.writing_back.take() {
            self.drive.written_back(&mut self.state, run, end);
            granted = granted.max(end);
        }
        granted
    }

    /// When a write that is decoded at `decoded` finds room in the cache.
    fn room(&mut self, demand: Demand, decoded: Time) -> Time {
        let mut at = decoded;
        self.write_back(at, true);
        while let Some((_, end)) = self.writing_back
            && !self.drive.has_room(&self.state, demand)
        {
            // The arm turns to the next run before the data are there.
            self.write_back(end, true);
            at = end;
        }
        at
    }

    /// The arm writes what is held, run by run, as no command needs it: all that ends by `limit`, and what begins
    /// before it, or just then.
    fn write_back(&mut self, limit: Time, just_then: bool) {
        let Self { drive, state, writing_back, idle, .. } = self;
        loop {
            if let Some((run, end)) = *writing_back {
                if end > limit {
                    return;
                }
                drive.written_back(state, run, end);
                (*writing_back, *idle) = (None, end);
            }
            if *idle > limit || (*idle == limit && !just_then) {
                return;
            }
            let at = *idle;
            let Some(run) = drive.holds_any(state).then(|| drive.write_back(state, at)).flatten() else {
                return;
            };
            let arrived = at + drive.position_held(state, run, at);
            let start = arrived + drive.wait(true, run.block, run.blocks, arrived);
            let passed = drive.transfer_held(state, run, start);
            *writing_back = Some((run, passed.end));
        }
    }

    /// Writes whose data are on the medium by `now`.
    fn settle(&mut self, now: Time) {
        while let Some(&(stored, segment, at)) = self.pending.front()
            && at <= now
        {
            self.drive.stored(&mut self.state, stored, segment, true, at);
            self.pending.pop_front();
        }
    }
}
