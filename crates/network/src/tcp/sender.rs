//! The sending end of a stream: TCP Reno (RFC 5681) with NewReno's recovery (RFC 6582).
//!
//! ```text
//!              3rd duplicate                          all that was sent is there
//!  open ───────────────────────▶ recovering ─────────────────────────────────────▶ open
//!    ▲  time-out: one segment, everything again         │ time-out
//!    └──────────────────────────────────────────────────┘
//! ```
//!
//! Where segments begin and end follows from the messages: each begins one, so a segment that is sent again is the
//! same.

use super::Rules;
use super::round_trip::RoundTrip;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::{as_number, in_proportion};
use std::collections::VecDeque;

/// A message that isn't acknowledged yet, and where in the stream it lies.
#[derive(Clone, Debug, Persist)]
struct Sent<M> {
    begin: u64,
    end: u64,
    /// A message of nothing takes a byte of the stream, but none of its frame.
    is_empty: bool,
    message: M,
}

/// A segment to be sent; `message` is complete with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outgoing<M> {
    /// Where it begins in the stream.
    pub(super) from: u64,
    /// How much of the stream it is.
    pub(super) length: u32,
    /// Bytes of data in its frame.
    pub(super) bytes: u32,
    pub(super) message: Option<M>,
}

/// What is sent of one direction of a connection.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sender<M> {
    messages: VecDeque<Sent<M>>,
    /// Which of them holds the byte that is sent next.
    current: usize,
    /// Where the stream ends, so far.
    end: u64,
    /// All before this is acknowledged.
    acknowledged: u64,
    /// What is sent next, unless something is to be sent again first.
    next: u64,
    /// All before this has been sent at least once.
    highest: u64,
    /// The congestion window and the slow start threshold, bytes.
    window: u64,
    threshold: u64,
    duplicates: u32,
    recovering: bool,
    /// What had been sent when the last loss was noticed.
    recover: u64,
    /// The first segment that isn't acknowledged goes again, whatever the window says.
    again: bool,
    /// The window was what stopped it.
    is_limited: bool,
    /// A partial acknowledgement of this recovery has restarted the time-out.
    is_partial: bool,
    round_trip: RoundTrip,
    /// A segment whose acknowledgement is timed: its end, and when it was sent.
    timed: Option<(u64, Time)>,
    /// When the first segment that isn't acknowledged is sent again.
    deadline: Option<Time>,
    /// Where the segment begins whose time was out last.
    timed_out: Option<u64>,
    last_sent: Time,
}

impl<M: Clone> Sender<M> {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            messages: VecDeque::new(),
            current: 0,
            end: 0,
            acknowledged: 0,
            next: 0,
            highest: 0,
            window: rules.initial_window,
            threshold: u64::MAX,
            duplicates: 0,
            recovering: false,
            recover: 0,
            again: false,
            is_limited: false,
            is_partial: false,
            round_trip: RoundTrip::default(),
            timed: None,
            deadline: None,
            timed_out: None,
            last_sent: Time::ZERO,
        }
    }

    /// The messages that end after a byte of the stream and aren't acknowledged.
    pub(super) fn messages_after(&self, byte: u64) -> impl Iterator<Item = &M> {
        self.messages.iter().filter(move |sent| sent.end > byte).map(|sent| &sent.message)
    }

    /// Another message is to be sent.
    pub(super) fn push(&mut self, bytes: u64, message: M, now: Time, rules: &Rules) {
        // RFC 5681, section 4.1: what is known of the way grows old.
        let idle = now.saturating_sub(self.last_sent);
        let is_idle = self.acknowledged == self.end;
        if rules.restarts_after_idle && is_idle && idle > self.round_trip.time_out(rules) {
            self.window = self.window.min(rules.initial_window);
        }
        let begin = self.end;
        self.end += bytes.max(1);
        self.messages.push_back(Sent { begin, end: self.end, is_empty: bytes == 0, message });
    }

    /// The next segment that may go now.
    pub(super) fn next_segment(&mut self, now: Time, rules: &Rules) -> Option<Outgoing<M>> {
        if self.again {
            self.again = false;
            self.timed = None;
            let segment = self.segment(0, self.acknowledged, rules)?;
            if self.deadline.is_none() {
                self.arm(now, rules);
            }
            self.last_sent = now;
            return Some(segment);
        }
        while self.messages.get(self.current).is_some_and(|message| message.end <= self.next) {
            self.current += 1;
        }
        let Some(segment) = self.segment(self.current, self.next, rules) else {
            self.is_limited = false;
            return None;
        };
        let (from, end) = (self.next, self.next + u64::from(segment.length));
        let under_way = end - self.acknowledged;
        self.is_limited = under_way > self.window;
        // A receiver that has room for less than a segment still has room for one.
        if (self.is_limited || under_way > rules.window) && from > self.acknowledged {
            return None;
        }
        self.next = end;
        if end > self.highest {
            self.highest = end;
            self.timed.get_or_insert((end, now));
        }
        if self.deadline.is_none() {
            self.arm(now, rules);
        }
        self.last_sent = now;
        Some(segment)
    }

    /// The segment of a message that begins at a byte of the stream.
    fn segment(&self, message: usize, from: u64, rules: &Rules) -> Option<Outgoing<M>> {
        let sent = self.messages.get(message)?;
        debug_assert!((sent.begin..sent.end).contains(&from), "acknowledgements end where segments do");
        let end = (from + rules.segment).min(sent.end);
        let length = as_number(end - from);
        let message = (end == sent.end).then(|| sent.message.clone());
        Some(Outgoing { from, length, bytes: if sent.is_empty { 0 } else { length }, message })
    }

    /// The receiver has all before `up_to`. Only what brings nothing else can be a duplicate.
    pub(super) fn acknowledge(&mut self, up_to: u64, is_bare: bool, now: Time, rules: &Rules) {
        if up_to > self.acknowledged {
            self.advance(up_to, now, rules);
        } else if is_bare && up_to == self.acknowledged && self.highest > up_to {
            self.duplicate(now, rules);
        }
    }

    fn advance(&mut self, up_to: u64, now: Time, rules: &Rules) {
        let before = self.under_way();
        let newly = up_to - self.acknowledged;
        self.acknowledged = up_to;
        self.duplicates = 0;
        self.round_trip.answered();
        if let Some((end, at)) = self.timed.filter(|&(end, _)| end <= up_to) {
            debug_assert!(end <= self.highest);
            self.round_trip.measured(now - at);
            self.timed = None;
        }
        while self.messages.front().is_some_and(|message| message.end <= up_to) {
            self.messages.pop_front();
            self.current = self.current.saturating_sub(1);
        }
        // After a time-out everything is sent again, but not what turns out to be there.
        self.next = self.next.max(up_to);
        if !self.recovering {
            self.grow(newly, before, rules);
        } else if up_to >= self.recover {
            self.recovering = false;
            self.window = self.threshold.min(self.under_way().max(rules.segment) + rules.segment);
        } else {
            // RFC 6582, section 3.2, step 3: the next one is lost, too.
            self.again = true;
            let deflated = self.window.saturating_sub(newly);
            self.window = if newly >= rules.segment { deflated + rules.segment } else { deflated };
            if std::mem::replace(&mut self.is_partial, true) {
                return;
            }
        }
        self.deadline = None;
        if self.highest > up_to {
            self.arm(now, rules);
        }
    }

    /// Slow start by what was acknowledged, but two segments at most (RFC 3465), then a segment for each window; and
    /// only
    /// where the window has been used (RFC 5681's "cwnd-limited", as Linux's tcp_is_cwnd_limited).
    fn grow(&mut self, newly: u64, under_way: u64, rules: &Rules) {
        let segment = rules.segment;
        if self.window < self.threshold {
            if under_way.saturating_mul(2) > self.window {
                self.window = self.window.saturating_add(newly.min(2 * segment));
            }
        } else if self.is_limited {
            let share = in_proportion(segment, newly, self.window.max(1));
            self.window = self.window.saturating_add(share.clamp(1, segment));
        }
    }

    fn duplicate(&mut self, now: Time, rules: &Rules) {
        self.duplicates += 1;
        if self.recovering {
            // One more has left the network.
            self.window += rules.segment;
        } else if self.duplicates == rules.duplicates
            && (self.acknowledged > self.recover || self.recover == 0)
        {
            self.halve(rules);
            self.recovering = true;
            self.is_partial = false;
            self.recover = self.highest;
            self.again = true;
            self.arm(now, rules);
            self.window = self.threshold + u64::from(rules.duplicates) * rules.segment;
        }
    }

    /// Nothing has been heard for the time-out: everything goes again, one segment to begin with.
    pub(super) fn time_out(&mut self, now: Time, rules: &Rules) {
        if self.highest == self.acknowledged {
            self.deadline = None;
            return;
        }
        // A second time-out of the same segment says nothing new about the way (RFC 5681, section 3.1).
        if self.timed_out.replace(self.acknowledged) != Some(self.acknowledged) {
            self.halve(rules);
        }
        self.window = rules.segment;
        self.recovering = false;
        self.duplicates = 0;
        self.recover = self.highest;
        self.round_trip.double();
        self.timed = None;
        self.again = false;
        self.next = self.acknowledged;
        self.current = 0;
        self.arm(now, rules);
    }

    fn halve(&mut self, rules: &Rules) {
        self.threshold = (self.under_way() / 2).max(2 * rules.segment);
    }

    fn under_way(&self) -> u64 {
        self.highest.saturating_sub(self.acknowledged)
    }

    fn arm(&mut self, now: Time, rules: &Rules) {
        self.deadline = Some(now.saturating_add(self.round_trip.time_out(rules)));
    }

    /// When it must be told that its time is out.
    pub(super) fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// The congestion window in bytes.
    #[cfg(test)]
    pub(super) fn window(&self) -> u64 {
        self.window
    }
}
