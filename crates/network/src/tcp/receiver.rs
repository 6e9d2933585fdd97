//! The receiving end of a stream: puts segments in order, and says when to acknowledge them.

use super::Rules;
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// When a segment is to be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// When another one has come, or the time is due.
    Later,
    /// With whatever leaves now.
    Now,
    /// Now, by a frame without data: it may say what has been said before.
    Alone,
}

/// What is received of one direction of a connection; `M` is what a message's last segment brings.
#[derive(Clone, Debug, Persist)]
pub(super) struct Receiver<M> {
    /// All before this has arrived.
    expected: u64,
    /// What has come too early: where each begins and ends.
    early: BTreeMap<u64, (u64, Option<M>)>,
    /// Segments that haven't been acknowledged.
    unacknowledged: u32,
    /// When they are to be, if nothing else comes.
    due: Option<Time>,
}

impl<M> Default for Receiver<M> {
    fn default() -> Self {
        Self { expected: 0, early: BTreeMap::new(), unacknowledged: 0, due: None }
    }
}

impl<M> Receiver<M> {
    /// All messages that end before this byte have been delivered.
    pub(super) const fn delivered(&self) -> u64 {
        self.expected
    }

    /// A segment arrives; messages that are complete now are delivered. Whether it must be acknowledged at once: every
    /// second one must (RFC 5681, section 4.2), and whatever comes out of order, comes again, or fills a gap.
    pub(super) fn arrive(
        &mut self,
        (from, length): (u64, u32),
        message: Option<M>,
        now: Time,
        rules: &Rules,
        mut deliver: impl FnMut(M),
    ) -> Answer {
        let end = from + u64::from(length);
        if from != self.expected {
            if from > self.expected {
                self.early.entry(from).or_insert((end, message));
            }
            return Answer::Alone;
        }
        let fills_a_gap = !self.early.is_empty();
        self.expected = end;
        message.into_iter().for_each(&mut deliver);
        while let Some(next) = self.early.first_entry().filter(|next| *next.key() <= self.expected) {
            let (end, message) = next.remove();
            // Segments of a stream always begin and end at the same places, so none is half new.
            if end > self.expected {
                self.expected = end;
                message.into_iter().for_each(&mut deliver);
            }
        }
        self.unacknowledged += 1;
        if fills_a_gap || self.unacknowledged >= rules.segments_per_acknowledgement {
            return Answer::Now;
        }
        self.due.get_or_insert(now + rules.delayed_acknowledgement);
        Answer::Later
    }

    /// What an acknowledgement that leaves now says.
    pub(super) fn acknowledge(&mut self) -> u64 {
        self.unacknowledged = 0;
        self.due = None;
        self.expected
    }

    /// When it must be asked again whether to acknowledge.
    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }
}
