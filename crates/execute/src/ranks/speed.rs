//! How long messages between ranks take: a latency, and a rate.

use petrio_models::cluster::mpi::SharedMemory;
use petrio_time::Time;
use petrio_time::numbers::in_proportion;

const KIB: u64 = 1_024;
const PICOS: u64 = 1_000_000_000_000;

/// What a message costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageSpeed {
    /// From when its data have left their sender until they are with their receiver.
    pub latency: Time,
    /// Bytes that leave a sender in a second, one message after the other.
    pub bytes_per_second: u64,
}

impl Default for MessageSpeed {
    /// As of the model of messages through memory that ranks of one host share.
    fn default() -> Self {
        let SharedMemory { each, kib } = SharedMemory::default();
        Self {
            latency: each.time(),
            bytes_per_second: in_proportion(KIB, PICOS, kib.time().as_picos().max(1)),
        }
    }
}

impl MessageSpeed {
    /// For how long so many bytes keep their sender busy.
    pub(super) fn span(&self, bytes: u64) -> Time {
        Time::from_picos(in_proportion(bytes, PICOS, self.bytes_per_second.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_what_the_model_of_shared_memory_says() {
        let speed = MessageSpeed::default();
        assert_eq!(speed.latency, Time::from_nanos(500));
        assert_eq!(speed.span(1_024), Time::from_nanos(500));
        assert_eq!(speed.span(0), Time::ZERO);
    }
}
