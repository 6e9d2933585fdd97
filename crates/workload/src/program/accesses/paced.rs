//! How fast accesses of a sort are issued at most (fio's `rate`, `rate_iops`, `rate_process`).

use super::parameters::{LimitOn, Pace};
use super::tausworthe::Tausworthe;
use petrio_persist::Persist;
use petrio_time::Time;

/// How fast accesses of a sort are issued.
#[derive(Clone, Debug, Persist)]
pub(super) struct Paced {
    #[persist(keep)]
    pub(super) pace: Pace,
    pub(super) random: Tausworthe,
    pub(super) bytes: u64,
    pub(super) count: u64,
    /// When the next is due, from the beginning of the process.
    pub(super) next: Time,
    pub(super) least: u64,
}

impl Paced {
    pub(super) fn issued(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.count += 1;
        let seconds = match (self.pace.limit, self.pace.drawn) {
            (LimitOn::Bytes(rate), false) => self.bytes as f64 / rate.bytes_per_second(),
            (LimitOn::PerSecond(rate), false) => self.count as f64 / rate,
            (limit, true) => {
                let rate = match limit {
                    LimitOn::Bytes(rate) => rate.bytes_per_second() / self.least as f64,
                    LimitOn::PerSecond(rate) => rate,
                };
                self.next.as_seconds() - libm::log(self.random.unit()) / rate
            }
        };
        self.next = Time::from_seconds(seconds);
    }
}
