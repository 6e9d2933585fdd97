//! anticipatory: after a read, waits a moment for the next one of the same process before the head moves away.
//!
//! Source: block/as-iosched.c of Linux 2.6.24, after Iyer and Druschel, "Anticipatory scheduling", SOSP 2001. Requests
//! that are waited for ("reads") and others ("writes") are served in turns, in batches limited by time; within one by
//! sweeps, with short ways back, or the oldest if it has expired. In a batch of reads the scheduler may leave the
//! device idle after a read: until its process asks again, another process asks nearby, or `antic_expire` has passed;
//! and it doesn't begin to where the process has more requests waiting or thinks longer than that from one request to
//! the next.
//!
//! Leaves out: the probabilities that a process exits; the largest think time beside the mean.
//! Times are exact, where the kernel counts timer ticks; what it doubles with each tick doubles here with each
//! millisecond, its tick at 1,000 Hz. "Has more waiting" counts requests before merging, where the kernel counts a
//! merged request for its first process. A batch of writes that waits for reads in flight is timed from their end, as
//! in 2.6.32; 2.6.24 itself left the old time standing and ended such a batch before its first write.

use super::Scheduler;
use super::processes::{FadingMean, PerProcess, SeekDistance, is_synchronous};
use super::sweep::Sweep;
use crate::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use crate::waiting::{Handle, MergeRules, Placed, Waiting};
use petrio_colours::BlockRequest;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};
use petrio_units::{Blocks, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of anticipatory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnticipatoryParameters {
    /// How long a read may wait before it goes before nearer ones (`read_expire`; HZ/8 in as-iosched.c).
    pub read_expire: Duration,
    /// How long a write may wait, likewise (`write_expire`; HZ/4).
    pub write_expire: Duration,
    /// How long reads go on while writes wait (`read_batch_expire`; HZ/2).
    pub read_batch_expire: Duration,
    /// How long writes go on while reads wait (`write_batch_expire`; HZ/8).
    pub write_batch_expire: Duration,
    /// How long a process' next read is waited for (`antic_expire`; HZ/150). Zero switches anticipation off.
    pub antic_expire: Duration,
    /// Longer think times count as this one (MAX_THINKTIME; HZ/50).
    pub think_time_max: Duration,
    /// The furthest that the head goes back within a sweep (MAXBACK; 1,048,576 blocks).
    pub back_seek_max: Blocks,
    /// How much longer a way back counts than the same way forward (BACK_PENALTY; 2).
    pub back_seek_penalty: u32,
    /// Most writes in the first batch; later ones are as large as fits `write_batch_expire` (as_init_queue: 12 at 1,000
    /// Hz).
    pub first_write_batch: u32,
}

impl Default for AnticipatoryParameters {
    fn default() -> Self {
        Self {
            read_expire: Duration::from(Time::from_millis(125)),
            write_expire: Duration::from(Time::from_millis(250)),
            read_batch_expire: Duration::from(Time::from_millis(500)),
            write_batch_expire: Duration::from(Time::from_millis(125)),
            antic_expire: Duration::from(Time::from_micros(6_667)),
            think_time_max: Duration::from(Time::from_millis(20)),
            back_seek_max: Blocks(1 << 20),
            back_seek_penalty: 2,
            first_write_batch: 12,
        }
    }
}

impl Scheduler for AnticipatoryParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        let sweep =
            Sweep { back_blocks: self.back_seek_max.get(), back_penalty: u64::from(self.back_seek_penalty) };
        Box::new(Anticipatory {
            waiting: Waiting::new(MergeRules::new(limits)),
            expire: [self.write_expire.time(), self.read_expire.time()],
            batch_expire: [self.write_batch_expire.time(), self.read_batch_expire.time()],
            antic_expire: self.antic_expire.time(),
            think_time_max: self.think_time_max.time(),
            sweep,
            processes: PerProcess::default(),
            next: [None; 2],
            head: [0; 2],
            looked: [Time::ZERO; 2],
            batch: Batch {
                kind: WRITES,
                expires: self.read_batch_expire.time(),
                change: Change::None,
                writes: self.first_write_batch.max(1),
                writes_left: 0,
                idled: false,
            },
            in_flight: 0,
            anticipation: Anticipation::Off,
            expected: None,
            expected_complete: false,
            began: Time::ZERO,
            first_think: FadingMean::default(),
            first_seek: FadingMean::default(),
        })
    }
}

/// The group of requests that nobody waits for: all of them writes.
const WRITES: usize = 0;
/// The group of reads, and of writes that are waited for.
const READS: usize = 1;

fn kind(request: &BlockRequest) -> usize {
    usize::from(is_synchronous(request.direction, request.synchronous))
}

/// How far anticipation has got (anticipation_status).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Anticipation {
    /// Nothing is waited for.
    Off,
    /// For the last read to complete.
    ForCompletion,
    /// For the next request of its process.
    ForNext,
    /// It came, or it was waited for long enough: the next dispatch is without anticipation.
    Over,
}

/// A change from one kind of batch to the other, which waits for what is in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum Change {
    /// No change is under way.
    None,
    /// The last batch is still in flight (`changed_batch`).
    Draining,
    /// A batch of reads has begun, but none of it is complete: its time doesn't run yet (`new_batch`).
    FirstRead,
}

/// The batch that is being served.
#[derive(Clone, Copy, Debug, Persist)]
struct Batch {
    kind: usize,
    /// When it ends, if the other kind waits.
    expires: Time,
    change: Change,
    /// How many writes a batch has at most.
    writes: u32,
    writes_left: u32,
    /// Whether this batch of writes ran out of writes or of competition, so that its length says nothing.
    idled: bool,
}

/// What is known of a process (as_io_context).
#[derive(Clone, Copy, Debug, Default, Persist)]
struct Process {
    /// Its requests that wait.
    waiting: u32,
    /// Whether it has ended.
    gone: bool,
    /// Whether it has ever read.
    started: bool,
    /// When its last read completed.
    ended: Option<Time>,
    think: FadingMean,
    seek: SeekDistance,
}

#[derive(Clone, Persist)]
struct Anticipatory {
    waiting: Waiting,
    /// By kind.
    expire: [Time; 2],
    batch_expire: [Time; 2],
    antic_expire: Time,
    think_time_max: Time,
    sweep: Sweep,
    processes: PerProcess<Process>,
    /// By kind, what comes next in the sweep, where the last one ended, and when the oldest was last looked at.
    next: [Option<Handle>; 2],
    head: [u64; 2],
    looked: [Time; 2],
    batch: Batch,
    in_flight: u32,
    anticipation: Anticipation,
    /// The process that is waited for: that of the last dispatch, if it was a read.
    expected: Option<usize>,
    /// Whether its last read is complete, and since when.
    expected_complete: bool,
    began: Time,
    /// Think times and seek distances of processes that had none before.
    first_think: FadingMean,
    first_seek: FadingMean,
}

impl Anticipatory {
    /// Ends anticipation that has lasted long enough by now.
    fn look(&mut self, now: Time) {
        if self.anticipation == Anticipation::ForNext && now >= self.began + self.antic_expire {
            self.anticipation = Anticipation::Over;
        }
    }

    fn anticipates(&self) -> bool {
        matches!(self.anticipation, Anticipation::ForCompletion | Anticipation::ForNext)
    }

    /// A read of a process arrives: what it says of think time and seek distance (as_update_iohist).
    fn learn(&mut self, process: usize, address: u64, end: u64, now: Time) {
        let known = &mut self.processes[process];
        if known.started {
            let think = match known.ended {
                Some(ended) if known.waiting == 0 => (now - ended).min(self.think_time_max),
                _ => Time::ZERO,
            };
            if known.think.is_empty() {
                self.first_think.add(think.as_picos());
            }
            known.think.add(think.as_picos());
            let first = known.seek.mean().is_empty();
            let distance = known.seek.add(address);
            if first {
                self.first_seek.add(distance);
            }
        }
        known.seek.end_at(end);
        known.started = true;
    }

    /// Whether a request is as near as one could hope for from the expected process (as_close_req).
    fn is_near(&self, expected: usize, address: u64, now: Time) -> bool {
        let waited = match self.anticipation {
            Anticipation::Off => Time::ZERO,
            _ if !self.expected_complete => Time::ZERO,
            _ => now - self.began,
        };
        if waited > self.antic_expire.min(Time::from_millis(20)) {
            return true;
        }
        // The longer it takes, the further away may it be.
        let reach = 8_192u64 << (waited.as_picos() / Time::from_millis(1).as_picos());
        let head = self.head[self.batch.kind];
        if head <= address.saturating_add(reach / 2) && address <= head.saturating_add(reach) {
            return true;
        }
        let seek = self.processes[expected].seek.mean();
        let usual = if seek.is_empty() { self.first_seek.cautious_mean() } else { seek.mean() };
        usual > head.abs_diff(address)
    }

    /// Whether there is no point in waiting for the expected process (any longer), now that `candidate` could be served
    /// (as_can_break_anticipation).
    fn should_not_wait(&mut self, candidate: Option<Handle>, now: Time) -> bool {
        let Some(expected) = self.expected else { return true };
        let candidate = candidate.and_then(|handle| {
            let io = self.waiting.get(handle)?;
            Some((as_index(io.note), self.waiting.group(handle), io.address, io.end()))
        });
        if candidate.is_some_and(|(process, ..)| process == expected)
            || (self.expected_complete && now >= self.began + self.antic_expire)
            || self.processes[expected].waiting > 0
            || self.processes[expected].gone
        {
            return true;
        }
        if let Some((_, kind, address, end)) = candidate
            && kind as usize == READS
            && self.is_near(expected, address, now)
        {
            // Processes that work in the same place are taken as one.
            self.learn(expected, address, end, now);
            return true;
        }
        let think = self.processes[expected].think;
        let usual = if think.is_empty() { self.first_think.cautious_mean() } else { think.mean() };
        usual > self.antic_expire.as_picos()
    }

    /// Whether the oldest of a kind has waited too long; looked at only once in its time, or else an overload would be
    /// served in order of arrival (as_fifo_expired).
    fn has_expired(&mut self, kind: usize, now: Time) -> bool {
        if now - self.looked[kind] < self.expire[kind] {
            return false;
        }
        self.looked[kind] = now;
        let oldest = self.waiting.oldest(as_number(kind)).and_then(|oldest| self.waiting.get(oldest));
        oldest.is_some_and(|io| now > io.queued + self.expire[kind])
    }

    fn batch_has_expired(&self, now: Time) -> bool {
        self.batch.change == Change::None
            && (now > self.batch.expires || (self.batch.kind == WRITES && self.batch.writes_left == 0))
    }

    /// The oldest of the kind whose turn it is, as the first of a new batch.
    fn begin_batch(&mut self, reads: bool, writes: bool, now: Time) -> Option<Handle> {
        let last = self.batch.kind;
        let kind = if reads && !(writes && last == READS) { READS } else { WRITES };
        if kind != last {
            self.batch.change = Change::Draining;
        }
        self.batch.kind = kind;
        if kind == WRITES {
            self.batch.writes_left = self.batch.writes;
            self.batch.idled = false;
        }
        self.looked[kind] = now;
        self.waiting.oldest(as_number(kind))
    }

    /// What is dispatched now, if anything (as_dispatch_request).
    fn choose(&mut self, now: Time) -> Option<Handle> {
        let reads = self.waiting.oldest(as_number(READS)).is_some();
        let writes = self.waiting.oldest(as_number(WRITES)).is_some();
        if self.batch.kind == WRITES && !reads && (self.batch.writes_left == 0 || !writes) {
            self.batch.idled = true;
        }
        if !(reads || writes) || self.anticipates() || self.batch.change == Change::Draining {
            return None;
        }
        let mut chosen = None;
        if !(reads && writes && self.batch_has_expired(now)) {
            chosen = self.next[self.batch.kind];
            if self.batch.kind == READS && self.antic_expire > Time::ZERO {
                if self.has_expired(READS, now) {
                    return self.waiting.oldest(as_number(READS));
                }
                if self.anticipation != Anticipation::Over && !self.should_not_wait(chosen, now) {
                    self.anticipation = if self.expected_complete {
                        Anticipation::ForNext
                    } else {
                        Anticipation::ForCompletion
                    };
                    return None;
                }
            }
            if chosen.is_some() && reads && !writes {
                self.batch.expires = now + self.batch_expire[READS];
            }
        }
        let mut chosen = match chosen {
            Some(chosen) => chosen,
            None => self.begin_batch(reads, writes, now)?,
        };
        if self.has_expired(self.batch.kind, now) {
            chosen = self.waiting.oldest(as_number(self.batch.kind))?;
        }
        if self.batch.change == Change::Draining {
            if self.in_flight > 0 {
                return None;
            }
            self.drained(now);
        }
        Some(chosen)
    }

    /// Nothing of the last batch is in flight any longer: the new one begins.
    fn drained(&mut self, now: Time) {
        if self.batch.kind == READS {
            self.batch.change = Change::FirstRead;
        } else {
            self.batch.change = Change::None;
            self.batch.expires = now + self.batch_expire[WRITES];
        }
    }

    fn dispatch(&mut self, chosen: Handle, now: Time) -> Option<IoRequest> {
        let kind = self.waiting.group(chosen) as usize;
        let io = self.waiting.get(chosen)?;
        self.head[kind] = io.end();
        self.anticipation = Anticipation::Off;
        self.expected = (kind == READS).then_some(as_index(io.note));
        self.expected_complete = false;
        if kind == WRITES {
            self.batch.writes_left = self.batch.writes_left.saturating_sub(1);
        }
        self.next[kind] = self.sweep.after(&self.waiting, self.head[kind], chosen);
        let io = self.waiting.take(chosen, now)?;
        for request in &io.constituents {
            let process = self.processes.index(request.process);
            self.processes[process].waiting -= 1;
        }
        self.in_flight += 1;
        Some(io)
    }

    /// The first read after a batch of writes is complete: the batch' length tells how many writes fit into its time
    /// (update_write_batch).
    fn resize_write_batch(&mut self, now: Time) {
        let aim = self.batch_expire[WRITES];
        let took = (now + aim) - self.batch.expires;
        let batch = &mut self.batch;
        if took > aim && !batch.idled {
            batch.writes = if took > aim + aim + aim { batch.writes / 2 } else { batch.writes - 1 };
        } else if took < aim && batch.writes_left == 0 {
            let short = aim > took + took + took;
            batch.writes =
                if short { batch.writes.saturating_mul(2) } else { batch.writes.saturating_add(1) };
        }
        batch.writes = batch.writes.max(1);
    }
}

impl Elevator for Anticipatory {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        self.look(now);
        let kind = kind(&request);
        let process = self.processes.index(request.process);
        let (address, end) = (request.address, request.end());
        let placed = self.waiting.add(as_number(kind), request, now);
        if let Placed::Queued(handle) = placed {
            if let Some(io) = self.waiting.get_mut(handle) {
                io.note = process as u64;
            }
            if kind == READS {
                self.learn(process, address, end, now);
            }
            let next = self.next[kind];
            self.next[kind] = self.sweep.nearer(&self.waiting, self.head[kind], Some(handle), next);
        }
        self.processes[process].waiting += 1;
        match placed {
            Placed::Queued(handle) if self.anticipates() && self.should_not_wait(Some(handle), now) => {
                self.anticipation = Anticipation::Over;
            }
            Placed::Joined { into, gone } if self.next[kind] == Some(gone) => {
                self.next[kind] = self.sweep.joined(&self.waiting, self.head[kind], into);
            }
            _ => {}
        }
        placed.added()
    }

    /// The process that is waited for (as_may_queue).
    fn must_come_in(&mut self, request: &BlockRequest) -> bool {
        let process = self.processes.find(request.process);
        self.anticipates() && process.is_some() && process == self.expected
    }

    fn would_merge(&self, request: &BlockRequest) -> bool {
        self.waiting.would_merge(as_number(kind(request)), request)
    }

    fn next(&mut self, now: Time) -> Next {
        self.look(now);
        if let Some(chosen) = self.choose(now) {
            return self.dispatch(chosen, now).map_or(Next::Empty, Next::Dispatch);
        }
        if self.anticipation == Anticipation::ForNext && !self.waiting.is_empty() {
            return Next::IdleUntil(self.began + self.antic_expire);
        }
        Next::Empty
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        self.look(now);
        let kind = usize::from(is_synchronous(request.direction, request.synchronous));
        if self.batch.change == Change::Draining && self.in_flight == 1 {
            self.drained(now);
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.batch.change == Change::FirstRead && kind == READS {
            self.resize_write_batch(now);
            self.batch.expires = now + self.batch_expire[READS];
            self.batch.change = Change::None;
        }
        let process = as_index(request.note);
        if self.expected == Some(process) {
            self.began = now;
            self.expected_complete = true;
            if self.anticipation == Anticipation::ForCompletion {
                self.anticipation = Anticipation::ForNext;
            }
        }
        if kind == READS {
            self.processes[process].ended = Some(now);
        }
    }

    /// Who has ended isn't waited for again (AS_TASK_RUNNING); a wait that has begun goes on.
    fn exited(&mut self, process: u32, _: Time) {
        if let Some(index) = self.processes.find(process) {
            self.processes[index].gone = true;
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests;
