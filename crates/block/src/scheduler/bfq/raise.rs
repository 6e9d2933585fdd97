//! Raised weights: interactive and soft real-time processes go before others for a while (`low_latency`).
//!
//! Source: bfq_wr_duration, bfq_update_bfqq_wr_on_rq_arrival, bfq_bfqq_handle_idle_busy_switch, bfq_bfqq_end_wr,
//! bfq_bfqq_softrt_next_start, bfq_update_io_seektime and bfq_update_wr_data of block/bfq-iosched.c of Linux 6.18. A process
//! is interactive that asks after two seconds without: it weighs 30 times as much for as long as the largest of usual programs
//! takes to start on such a device, or until it has been served what that reads. It is soft real-time if it asks for no more
//! than 7,000 blocks a second, in batches that it waits for, and doesn't seek with each request: it weighs 3,000 times as much
//! for 300 ms, anew with each batch. Only a process of the default priority is raised, and none that began with many others.

use super::queue::Queue;
use super::{Bfq, Time};
use crate::scheduler::bfq::rate;
use petrio_persist::Persist;
use petrio_units::numbers::in_proportion;

/// Interactive processes weigh so many times as much (bfq_wr_coeff), and soft real-time ones again so many times
/// (BFQ_SOFTRT_WEIGHT_FACTOR).
const INTERACTIVE: u64 = 30;
const SOFT: u64 = INTERACTIVE * 100;
/// How long a soft real-time process is raised (bfq_wr_rt_max_time).
const SOFT_LASTS: Time = Time::from_millis(300);
/// Who asks after so long is an interactive process (bfq_wr_min_idle_time).
const RESTED: Time = Time::from_millis(2_000);
/// What nobody waits for is raised if it comes so long after the last (bfq_wr_min_inter_arr_async).
const APART: Time = Time::from_millis(500);
/// The most that a soft real-time process asks for, in blocks a second (bfq_wr_max_softrt_rate).
const SOFT_RATE: u64 = 7_000;
/// It pauses for longer than it would be waited for, by four ticks of 1,000 a second.
const SOFT_PAUSE: Time = Time::from_millis(4);
/// What an interactive process is served at most before it isn't one any longer, in blocks (max_service_from_wr).
const SERVED: u64 = 120_000;
/// How long the largest of usual programs takes to start on the reference devices, without and with an arm (ref_wr_duration).
const STARTS: [Time; 2] = [Time::from_millis(2_500), Time::from_millis(7_000)];
/// No device is so fast or so slow that an interactive process is raised for less or more.
const LASTS: [Time; 2] = [Time::from_millis(3_000), Time::from_millis(25_000)];
/// The weight of the default priority, the only one that is raised.
const DEFAULT_WEIGHT: u64 = 40;

/// Whether and for how long a queue's weight is raised.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Raise {
    /// The weight is so many times that of the priority (wr_coeff).
    coefficient: u64,
    /// For how long (wr_cur_max_time), and since when; where it isn't raised, when its last request came
    /// (last_wr_start_finish).
    lasts: Time,
    since: Time,
    /// While it is raised as a soft real-time one: since when it has been an interactive one, if so
    /// (wr_start_at_switch_to_srt).
    interactive_since: Option<Time>,
    /// Blocks served since it was raised (service_from_wr).
    served: u64,
    /// A request before this time is too early for a soft real-time process (soft_rt_next_start).
    soft_from: Time,
    /// Whether that is known once all its requests are complete (softrt_update).
    soft_awaited: bool,
    /// Since when it has had requests without a pause (last_idle_bklogged), and what it was served since then
    /// (service_from_backlogged).
    busy_since: Time,
    served_since: u64,
    /// Whether it began with many others.
    pub(super) in_large_burst: bool,
}

impl Raise {
    /// Of a queue that is new now.
    pub(super) fn new(now: Time) -> Self {
        Self {
            coefficient: 1,
            lasts: Time::ZERO,
            since: now,
            interactive_since: None,
            served: 0,
            soft_from: now,
            soft_awaited: false,
            busy_since: now,
            served_since: 0,
            in_large_burst: false,
        }
    }

    pub(super) const fn is_on(&self) -> bool {
        self.coefficient > 1
    }

    pub(super) const fn coefficient(&self) -> u64 {
        self.coefficient
    }

    /// Whether it is raised as a soft real-time process.
    pub(super) fn is_soft(&self) -> bool {
        self.lasts == SOFT_LASTS
    }

    /// A request has come; `before` is what this was before it (the end of bfq_add_request).
    pub(super) fn arrived(&mut self, low_latency: bool, before: &Self, interactive: bool, now: Time) {
        if low_latency && (!before.is_on() || !self.is_on() || interactive) {
            self.since = now;
        }
    }

    /// So many blocks are served (bfq_bfqq_served).
    pub(super) fn serve(&mut self, blocks: u64) {
        if self.is_on() {
            self.served += blocks;
        }
        self.served_since += blocks;
    }

    /// The earliest time for a further request of a soft real-time process (bfq_bfqq_softrt_next_start).
    fn next_soft(&mut self, idle: Time, now: Time) {
        let second = Time::from_whole_seconds(1).as_picos();
        let at_rate = Time::from_picos(in_proportion(self.served_since, second, SOFT_RATE));
        self.soft_from = self.soft_from.max(self.busy_since + at_rate).max(now + idle + SOFT_PAUSE);
    }

    /// The turn of a queue that isn't raised is over (bfq_bfqq_expire).
    pub(super) fn turn_is_over(&mut self, empty: bool, in_device: bool, idle: Time, now: Time) {
        if !self.is_on() {
            self.since = now;
        }
        if !empty {
            return;
        }
        if in_device {
            self.soft_awaited = true;
        } else {
            self.next_soft(idle, now);
        }
    }

    /// Time without service doesn't count for a soft real-time process, which last had some until then
    /// (__bfq_set_in_service_queue).
    pub(super) fn begins_turn(&mut self, until: Option<Time>, now: Time) {
        if self.is_on() && self.is_soft() && self.since < now && until.is_none_or(|until| until < now) {
            self.since = match until.filter(|&until| until > self.since) {
                Some(until) => self.since + (now - until),
                None => now,
            };
        }
    }

    fn is_over(&self, now: Time) -> bool {
        self.since + self.lasts < now
    }

    fn interactive_is_over(&self, lasts: Time, now: Time) -> bool {
        self.interactive_since.is_none_or(|since| since + lasts < now)
    }

    /// From soft real-time back to interactive (switch_back_to_interactive_wr).
    fn back_to_interactive(&mut self, lasts: Time) {
        self.coefficient = INTERACTIVE;
        self.lasts = lasts;
        self.since = self.interactive_since.unwrap_or(self.since);
    }

    /// The weight is that of the priority again (bfq_bfqq_end_wr).
    fn end(&mut self, now: Time) {
        if !self.is_soft() {
            self.soft_from = now;
        }
        self.coefficient = 1;
        self.lasts = Time::ZERO;
        self.since = now;
    }
}

impl Bfq {
    /// How long an interactive process is raised (bfq_wr_duration).
    fn interactive_lasts(&self) -> Time {
        let arm = usize::from(self.rotational);
        let slower = rate::REFERENCE[arm] / self.peak_rate.rate();
        Time::from_seconds(STARTS[arm].as_seconds() * slower).clamp(LASTS[0], LASTS[1])
    }

    /// A queue becomes busy: its weight is raised if its process deserves that. Whether it is taken for an interactive one.
    pub(super) fn raise_if_deserved(&mut self, queue: usize, now: Time) -> bool {
        let lasts = self.interactive_lasts();
        let least = self.max_budget / 32;
        let low_latency = self.parameters.low_latency;
        let asks = &self.queues[queue];
        let in_burst = asks.raise.in_large_burst;
        let eligible = !in_burst && Queue::weight(asks.urgency.1) == DEFAULT_WEIGHT;
        let interactive = eligible && asks.has_rested_for(RESTED, now);
        let soft = eligible && !asks.always_seeks() && asks.raise.soft_from < now && asks.dispatched == 0;
        let deserves = asks.synchronous() && (interactive || soft);
        self.leave_burst_if_over(queue, now);
        let asks = &mut self.queues[queue];
        let raise = &mut asks.raise;
        if low_latency && !raise.is_on() && deserves {
            if interactive {
                (raise.served, raise.coefficient, raise.lasts) = (0, INTERACTIVE, lasts);
            } else {
                (raise.interactive_since, raise.coefficient, raise.lasts) = (None, SOFT, SOFT_LASTS);
            }
            // So that it doesn't stand behind for what it won't need.
            asks.entity.budget = asks.entity.budget.min(2 * least);
        } else if low_latency && raise.is_on() {
            if interactive {
                (raise.coefficient, raise.lasts) = (INTERACTIVE, lasts);
            } else if in_burst {
                raise.coefficient = 1;
            } else if soft {
                if !raise.is_soft() {
                    raise.interactive_since = Some(raise.since);
                    (raise.coefficient, raise.lasts) = (SOFT, SOFT_LASTS);
                }
                raise.since = now;
            }
        }
        let raise = &mut self.queues[queue].raise;
        (raise.busy_since, raise.served_since, raise.soft_awaited) = (now, 0, false);
        interactive
    }

    /// A busy queue gets a request that nobody waits for, long after the last (bfq_add_request).
    pub(super) fn raise_what_nobody_waits_for(&mut self, queue: usize, now: Time) {
        let lasts = self.interactive_lasts();
        let asks = &mut self.queues[queue];
        if self.parameters.low_latency
            && !asks.raise.is_on()
            && !asks.synchronous()
            && asks.raise.since + APART < now
        {
            (asks.raise.coefficient, asks.raise.lasts) = (INTERACTIVE, lasts);
            self.raised += 1;
            self.count_weight(queue);
        }
    }

    fn end_raise(&mut self, queue: usize, now: Time) {
        let asks = &mut self.queues[queue];
        self.raised -= u32::from(asks.raise.is_on() && asks.busy);
        asks.raise.end(now);
        self.count_weight(queue);
    }

    /// A queue gets a request: one that seeks with each of them is no soft real-time process (bfq_update_io_seektime).
    pub(super) fn look_at_seeks(&mut self, queue: usize, now: Time) {
        let asks = &self.queues[queue];
        if asks.raise.is_on() && asks.raise.is_soft() && asks.always_seeks() {
            self.end_soft(queue, now);
        }
    }

    fn end_soft(&mut self, queue: usize, now: Time) {
        let lasts = self.interactive_lasts();
        if self.queues[queue].raise.interactive_is_over(lasts, now) {
            self.end_raise(queue, now);
        } else {
            self.queues[queue].raise.back_to_interactive(lasts);
        }
    }

    /// A request of the queue in service goes to the device: its weight may be raised no longer (bfq_update_wr_data).
    pub(super) fn look_at_raise(&mut self, queue: usize, now: Time) {
        let raise = &self.queues[queue].raise;
        if raise.is_on() {
            if raise.in_large_burst || (raise.is_over(now) && !raise.is_soft()) {
                self.end_raise(queue, now);
            } else if raise.is_over(now) {
                self.end_soft(queue, now);
            }
            let raise = &self.queues[queue].raise;
            if raise.is_on() && !raise.is_soft() && raise.served > SERVED {
                self.end_raise(queue, now);
            }
        }
        let asks = &self.queues[queue];
        if (asks.entity.weight() > Queue::weight(asks.urgency.1)) != asks.raise.is_on() {
            let weight = asks.standing().1;
            self.fair.reweigh(&mut self.queues, queue, weight);
        }
    }

    /// A queue's request is complete: it may be known now when a soft real-time process would ask again.
    pub(super) fn look_whether_soft(&mut self, queue: usize, now: Time) {
        let idle = self.parameters.slice_idle.time();
        let empty = self.is_empty(queue);
        let asks = &mut self.queues[queue];
        if asks.raise.soft_awaited && asks.dispatched == 0 && empty && asks.raise.coefficient != INTERACTIVE {
            asks.raise.next_soft(idle, now);
        }
    }
}
