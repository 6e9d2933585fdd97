//! The flush machinery: sequences of flush, data and flush, and flushes that several requests share.
//!
//! Source: block/blk-flush.c of Linux 6.18 (since 2.6.37). A request that needs a flush before it, or one after it
//! because the device can't force unit access, takes up to three steps. Requests that need a flush line up; one flush
//! serves all that were in line when it was sent, and those that come later wait for the next. A flush is held back
//! while the data of another sequence are on their way, for at most five seconds, so that these share it.
//!
//! Leaves out: before 2.6.37 the whole queue was drained around a barrier; here other requests go on as in later
//! kernels.

use petrio_colours::{BlockRequest, Cause, Direction, Ledger};
use petrio_device::DeviceFeatures;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::VecDeque;

/// What becomes of a request that arrives.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Arrival {
    /// There is nothing to do: a flush of a device without a write cache.
    Complete(BlockRequest),
    /// It goes its usual way, through the scheduler.
    Usual(BlockRequest),
    /// The machinery keeps it.
    Kept,
}

/// A step that goes to the device, past the scheduler.
#[derive(Clone, Debug, PartialEq, Persist)]
pub(super) enum FlushCommand {
    /// A flush for all that are in line.
    Flush,
    /// The data of a sequence.
    Data(Sequence),
}

/// A request in the machinery.
#[derive(Clone, Debug, PartialEq, Persist)]
pub(super) struct Sequence {
    pub(super) request: BlockRequest,
    /// Its data are still to be written.
    data: bool,
    /// A flush must follow its data.
    after: bool,
    /// It has taken a step already.
    pub(super) begun: bool,
}

/// How long a flush is held back for data on their way (FLUSH_PENDING_TIMEOUT: 5·HZ).
const LONGEST_PENDING: Time = Time::from_whole_seconds(5);

/// The machinery of one queue.
#[derive(Clone, Debug, Persist)]
pub(super) struct FlushMachine {
    features: DeviceFeatures,
    /// In line for the next flush.
    pending: Vec<Sequence>,
    pending_since: Time,
    /// Served by the flush that is on its way.
    running: Vec<Sequence>,
    /// A flush is on its way.
    flushing: bool,
    /// Sequences whose data are on their way.
    data_in_flight: u32,
    /// Steps to send.
    steps: VecDeque<FlushCommand>,
}

impl FlushMachine {
    pub(super) fn new(features: DeviceFeatures) -> Self {
        Self {
            features,
            pending: Vec::new(),
            pending_since: Time::ZERO,
            running: Vec::new(),
            flushing: false,
            data_in_flight: 0,
            steps: VecDeque::new(),
        }
    }

    /// Whether a request is none of the machinery's business.
    pub(super) fn is_usual(request: &BlockRequest) -> bool {
        !request.flush_before && !request.force_unit_access && request.direction != Direction::Flush
    }

    /// A request arrives.
    pub(super) fn arrive(&mut self, mut request: BlockRequest, now: Time) -> Arrival {
        let empty = request.blocks == 0 || request.direction == Direction::Flush;
        let flush = request.flush_before || request.direction == Direction::Flush;
        let before = flush && self.features.write_cache;
        let forced = request.force_unit_access && self.features.write_cache;
        let after = forced && !self.features.force_unit_access && !empty;
        request.flush_before = false;
        request.force_unit_access = forced && self.features.force_unit_access;
        match (empty, before, after) {
            (true, false, _) => return Arrival::Complete(request),
            (false, false, false) => return Arrival::Usual(request),
            _ => {}
        }
        let sequence = Sequence { request, data: !empty, after, begun: false };
        if before {
            self.line_up(sequence, now);
        } else {
            self.send_data(sequence);
        }
        self.kick(now);
        Arrival::Kept
    }

    /// The next step to send to the device.
    pub(super) fn next(&mut self) -> Option<FlushCommand> {
        self.steps.pop_front()
    }

    /// Whether there is a step to send.
    pub(super) fn has_step(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Requests that the flush being sent serves.
    pub(super) fn served(&self) -> &[Sequence] {
        &self.running
    }

    /// The flush that was sent at `sent` is complete; requests that are complete with it go to `done`.
    pub(super) fn flushed(
        &mut self,
        (sent, trip): (Time, &BlockRequest),
        now: Time,
        done: &mut Vec<BlockRequest>,
    ) {
        let failed = trip.status.failure().is_some();
        self.flushing = false;
        let mut running = std::mem::take(&mut self.running);
        for mut sequence in running.drain(..) {
            charge(&mut sequence.request, sent, &trip.ledger);
            sequence.begun = true;
            // A sequence ends with its first step that fails (blk_flush_complete_seq).
            if sequence.data && !failed {
                self.send_data(sequence);
            } else {
                done.push(sequence.request);
            }
        }
        self.running = running;
        self.kick(now);
    }

    /// The data of a sequence, sent at `sent`, are written.
    pub(super) fn written(
        &mut self,
        mut sequence: Sequence,
        (sent, trip): (Time, &BlockRequest),
        now: Time,
        done: &mut Vec<BlockRequest>,
    ) {
        self.data_in_flight -= 1;
        charge(&mut sequence.request, sent, &trip.ledger);
        if sequence.after && trip.status.failure().is_none() {
            (sequence.after, sequence.begun) = (false, true);
            self.line_up(sequence, now);
        } else {
            done.push(sequence.request);
        }
        self.kick(now);
    }

    fn line_up(&mut self, sequence: Sequence, now: Time) {
        if self.pending.is_empty() {
            self.pending_since = now;
        }
        self.pending.push(sequence);
    }

    fn send_data(&mut self, mut sequence: Sequence) {
        sequence.data = false;
        self.data_in_flight += 1;
        self.steps.push_front(FlushCommand::Data(sequence));
    }

    /// Sends a flush if it is time (blk_kick_flush: conditions C1, C2 and C3).
    fn kick(&mut self, now: Time) {
        if self.flushing || self.pending.is_empty() {
            return;
        }
        if self.data_in_flight > 0 && now < self.pending_since.saturating_add(LONGEST_PENDING) {
            return;
        }
        self.flushing = true;
        std::mem::swap(&mut self.pending, &mut self.running);
        self.steps.push_back(FlushCommand::Flush);
    }
}

/// Charges a request for a trip to the device that began at `sent`: what it waited until then, and what the device
/// charged.
pub(super) fn charge(request: &mut BlockRequest, sent: Time, trip: &Ledger) {
    use petrio_colours::Causes;
    request.ledger.charge(Cause::Queue, sent.saturating_sub(request.issued + request.ledger.total()));
    for cause in Cause::ALL {
        request.ledger.charge(*cause, trip.of(*cause));
    }
}
