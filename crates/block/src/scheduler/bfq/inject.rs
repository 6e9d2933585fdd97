//! Requests of others that are let in while the device is left idle for a process.
//!
//! Source: bfq_check_waker, bfq_reset_inject_limit, bfq_update_inject_limit, bfq_update_has_short_ttime,
//! bfq_choose_bfqq_for_injection and the last part of bfq_select_queue of block/bfq-iosched.c of Linux 6.18. How many may be in
//! the device with them is tried out: of a request that comes to an empty queue in its turn it is measured how long it takes in
//! all, while the device has nothing else to do and after others were let in. If it takes half as long again, fewer are let in,
//! else more. Who has written and is waited for by another (a journal's thread by one that syncs) is let in without limit.
//!
//! Among several that could be let in the one goes first that is served first afterwards, where the kernel takes the one that
//! became busy last.

use super::queue::LARGE;
use super::{Bfq, Handle, Time};
use petrio_persist::Persist;

/// For how long a limit stays until it is begun anew, until a change of the time to think is believed, and until it may be
/// measured again after it became less.
const ANEW: Time = Time::from_millis(1_000);
const BELIEVED: Time = Time::from_millis(100);
const APART: Time = Time::from_millis(10);
/// A queue that gets a request this soon after another's was complete may have waited for that.
const WOKEN: Time = Time::from_millis(4);
/// So often one after the other a queue is woken by the same one until that is taken for its waker.
const DETECTIONS: u32 = 3;
/// They must come within so many times `slice_idle`.
const DETECTED_WITHIN: u64 = 128;

/// A dispatched request's note: its queue, and above that which measurement it is part of.
const MEASUREMENT: u32 = 32;

/// The queue of a request that was dispatched.
pub(super) fn queue_of(note: u64) -> usize {
    (note & ((1 << MEASUREMENT) - 1)) as usize
}

/// What is being measured.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Sampling {
    /// When the request came that is measured (last_empty_occupied_ns).
    since: Time,
    /// Whether it is the next to be dispatched (wait_dispatch).
    next: bool,
    /// The number of the measurement that goes on (waited_rq), and of the last one.
    awaited: Option<u32>,
    number: u32,
    /// Whether requests of others were let in (rqs_injected).
    injected: bool,
    /// The most requests that were in the device at a time (max_rq_in_driver).
    most_in_driver: u32,
}

impl Sampling {
    /// The turn is over.
    pub(super) fn reset(&mut self) {
        self.injected = false;
        self.next = false;
        self.awaited = None;
    }
}

/// What a queue lets in, and whom it waits for.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Injection {
    /// So many requests may be in the device while this queue is empty (inject_limit).
    limit: u32,
    /// How long a request took with nothing else in the device (last_serv_time_ns).
    baseline: Option<Time>,
    /// When the limit last became less (decrease_time_jif).
    decreased: Time,
    /// Whose requests it waits for, and those that wait for its own.
    waker: Option<usize>,
    woken: Vec<usize>,
    /// Who may be its waker, since when and how often that was seen.
    tentative: Option<(usize, Time, u32)>,
}

impl Injection {
    /// Of a queue that is new now.
    pub(super) fn new(now: Time) -> Self {
        Self { decreased: now, ..Self::default() }
    }
}

impl Bfq {
    /// A request comes to a process' queue and is the only one that it has (the beginning of bfq_add_request).
    pub(super) fn first_of_process(&mut self, queue: usize, now: Time) {
        self.look_for_waker(queue, now);
        if self.queues[queue].injection.decreased + ANEW <= now {
            self.reset_limit(queue, now);
        }
        let measures = &self.queues[queue].injection;
        let told = measures.baseline.is_some() && self.sampling.injected && self.in_driver > 0;
        if self.in_service == Some(queue)
            && (self.in_driver == 0 || told)
            && measures.decreased + APART <= now
        {
            self.sampling.since = now;
            self.sampling.next = true;
            if self.in_driver == 0 {
                self.sampling.injected = false;
            }
        }
    }

    fn look_for_waker(&mut self, queue: usize, now: Time) {
        let Some((other, at)) = self.completed else { return };
        if other == queue || self.queues[queue].short_think || now - at >= WOKEN {
            return;
        }
        let idle = self.parameters.slice_idle.time().as_picos();
        let within = Time::from_picos(idle.saturating_mul(DETECTED_WITHIN));
        let injection = &mut self.queues[queue].injection;
        let (since, times) = match injection.tentative {
            Some((who, since, times)) if who == other && now <= since + within => (since, times + 1),
            _ => (now, 1),
        };
        injection.tentative = Some((other, since, times));
        if times == DETECTIONS {
            injection.tentative = None;
            let before = injection.waker.replace(other);
            if let Some(before) = before {
                self.queues[before].injection.woken.retain(|&woken| woken != queue);
            }
            self.queues[other].injection.woken.insert(0, queue);
        }
    }

    /// A process has ended: it wakes nobody, and nobody wakes it.
    pub(super) fn forget_wakers(&mut self, queue: usize) {
        for woken in std::mem::take(&mut self.queues[queue].injection.woken) {
            self.queues[woken].injection.waker = None;
        }
        if let Some(waker) = self.queues[queue].injection.waker.take() {
            self.queues[waker].injection.woken.retain(|&woken| woken != queue);
        }
    }

    fn reset_limit(&mut self, queue: usize, now: Time) {
        self.sampling.awaited = None;
        let asks = &mut self.queues[queue];
        asks.injection.baseline = None;
        asks.injection.limit = u32::from(!asks.short_think);
        asks.injection.decreased = now;
    }

    /// A request came: the time that its process takes to think may be another than before.
    pub(super) fn look_at_think_time(&mut self, queue: usize, short_before: bool, now: Time) {
        let asks = &self.queues[queue];
        let changed = asks.short_think != short_before && asks.injection.baseline.is_none();
        if changed && (asks.injection.decreased + BELIEVED <= now || !asks.short_think) {
            self.reset_limit(queue, now);
        }
    }

    /// A request of a queue goes to the device: what is noted of it.
    pub(super) fn note(&mut self, queue: usize) -> u64 {
        self.sampling.most_in_driver = self.sampling.most_in_driver.max(self.in_driver + 1);
        if self.in_service != Some(queue) || !std::mem::take(&mut self.sampling.next) {
            return queue as u64;
        }
        self.sampling.number = self.sampling.number.wrapping_add(1).max(1);
        self.sampling.awaited = Some(self.sampling.number);
        queue as u64 | u64::from(self.sampling.number) << MEASUREMENT
    }

    /// A request is complete that may be the one that is measured.
    pub(super) fn sampled(&mut self, note: u64, now: Time) {
        if self.sampling.awaited.is_none_or(|number| u64::from(number) != note >> MEASUREMENT) {
            return;
        }
        let took = now - self.sampling.since;
        let alone = self.in_driver == 1;
        let (injected, most) = (self.sampling.injected, self.sampling.most_in_driver);
        let injection = &mut self.queues[queue_of(note)].injection;
        let before = injection.limit;
        if let Some(baseline) = injection.baseline.filter(|_| injected) {
            let longer = took.as_picos() >= baseline.as_picos() / 2 * 3;
            if longer && before > 0 {
                injection.limit -= 1;
                injection.decreased = now;
            } else if !longer && before <= most {
                injection.limit += 1;
            }
        }
        match injection.baseline {
            None if alone => {
                injection.limit = before.max(1);
                injection.baseline = Some(took);
            }
            Some(baseline) if took < baseline || (!injected && alone) => injection.baseline = Some(took),
            _ => {}
        }
        self.sampling.awaited = None;
        self.sampling.injected = false;
    }

    /// The queue in service is empty and keeps its turn: what of others goes to the device now.
    pub(super) fn inject(&mut self, queue: usize, now: Time) -> Option<(usize, Handle)> {
        let asks = &self.queues[queue];
        let of_process = (0..super::super::processes::SHARED_QUEUES).find_map(|shared| {
            let next = self.ready(shared)?;
            let of = self.waiting.get(next)?.process;
            (asks.process == Some(of)).then_some((shared, next))
        });
        let of_waker = || asks.injection.waker.and_then(|waker| Some((waker, self.ready(waker)?)));
        let of_woken = || {
            let woken = *asks.injection.woken.first()?;
            Some((woken, self.ready(woken)?))
        };
        let found = of_process.or_else(of_waker).or_else(of_woken);
        if found.is_some() || self.idling_boosts(queue) {
            return found;
        }
        if asks.raise.is_on() && self.raised <= 1 && asks.short_think {
            return None;
        }
        let found = self.choose_to_inject(queue, now);
        self.sampling.injected |= found.is_some();
        found
    }

    /// What a queue has to serve next, if its budget suffices for it.
    fn ready(&self, queue: usize) -> Option<Handle> {
        let asks = &self.queues[queue];
        asks.next.filter(|&next| asks.busy && self.charge(queue, next) <= asks.entity.left())
    }

    fn choose_to_inject(&self, queue: usize, now: Time) -> Option<(usize, Handle)> {
        let asks = &self.queues[queue];
        let any = !asks.raise.is_on() || !asks.short_think;
        let mut limit = asks.injection.limit;
        // Nothing could be measured, and the device has been idle for long.
        let for_long = self.awaits_request && now >= self.idle_since + self.parameters.slice_idle.time();
        if limit == 0 && asks.injection.baseline.is_none() && for_long {
            limit = 1;
        }
        if self.in_driver >= limit {
            return None;
        }
        let fits = |other: usize| {
            if !any && !self.queues[other].raise.is_on() {
                return None;
            }
            let next = self.ready(other)?;
            // On a device without arm only one large request at a time.
            let large = self.waiting.get(next).is_some_and(|io| io.blocks >= LARGE);
            (self.rotational || !large || self.in_driver == 0).then_some((other, next))
        };
        self.fair.waiting().find_map(fits)
    }
}
