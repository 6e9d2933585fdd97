//! What an exchange is made of, in bytes: the command, how much of a write goes when, and the answer. No net and no time.

use petrio_persist::Persist;

/// What a request's exchange is made of. Headers that the transport puts before each message aren't counted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Exchange {
    /// Bytes of a command.
    pub(super) command: u64,
    /// Bytes of the word that a target is ready.
    pub(super) ready: u64,
    /// Bytes of an answer.
    pub(super) response: u64,
    /// Bytes of a write that go with its command at most.
    pub(super) immediate: u64,
    /// Bytes of a write that go before the target is ready at most, these included.
    pub(super) unasked: u64,
    /// Bytes that a target is ready for at a time.
    pub(super) burst: u64,
    /// A read's answer comes with the last of its data, unless it failed.
    pub(super) status_with_data: bool,
    /// Exchanges of one initiator with one target interleave; otherwise what they say is one stream of bytes.
    pub(super) interleaves: bool,
}

impl Exchange {
    /// Of a write of so many bytes, those that go with the command, and those that follow at once.
    pub(super) fn unasked_of(&self, bytes: u64) -> (u64, u64) {
        let with = bytes.min(self.immediate);
        (with, bytes.min(self.unasked).saturating_sub(with))
    }

    /// Bytes that a target asks for next of a write, when so many have come.
    pub(super) fn next_burst(&self, bytes: u64, come: u64) -> u64 {
        bytes.saturating_sub(come).min(self.burst)
    }

    /// Of a write of so many bytes, how often the target says that it is ready.
    #[cfg(test)]
    pub(super) fn times_ready(&self, bytes: u64) -> u64 {
        let (with, after) = self.unasked_of(bytes);
        (bytes - with - after).div_ceil(self.burst)
    }

    /// The connection of an initiator's exchange with a target.
    pub(super) fn connection(&self, number: u32) -> u32 {
        if self.interleaves { number } else { 0 }
    }
}
