//! What failing servers cost the clients of a PVFS.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_models::cluster::pvfs::PvfsTally;
use petrio_page::numbers::{bytes, counted, grouped, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What failing servers of a PVFS cost all of its clients together, from the run's beginning on; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetriesFigures {
    /// The file system.
    pub name: String,
    /// Operations that were done after a request of theirs had been sent again.
    pub retried: u64,
    /// Operations that failed because a request of theirs was given up.
    pub failed: u64,
    /// How often a request was sent again.
    pub sent_again: u64,
    /// Requests that were given up.
    pub given_up: u64,
    /// For how long a request that was sent again or given up waited for attempts that failed, and rested, on average, milliseconds.
    pub waited_ms: f64,
    /// Bytes that servers had acknowledged and not been asked to synchronise when their hosts stopped: what the kernels there hadn't written
    /// back by themselves is lost.
    pub unsynced_bytes: u64,
}

figures! { RetriesFigures:
    retried => "operations retried" One Down;
    failed => "operations failed" One Down;
    sent_again => "requests sent again" One Down;
    given_up => "given up" One Down;
    waited_ms => "waited" Milliseconds Down;
    unsynced_bytes => "unsynced at a stop" Bytes Down;
}

impl RetriesFigures {
    /// Of what its clients and servers tell.
    pub fn of(name: &str, told: impl Iterator<Item = (PvfsTally, u64)>) -> Self {
        let mut all = Self { name: name.to_owned(), ..Self::default() };
        let (mut waiting, mut waited) = (0, 0.0);
        for (tally, unsynced) in told {
            all.retried += tally.retried;
            all.failed += tally.failed;
            all.sent_again += tally.sent_again;
            all.given_up += tally.given_up;
            all.unsynced_bytes += unsynced;
            waiting += tally.waiting;
            waited += tally.waited.as_millis();
        }
        all.waited_ms = if waiting == 0 { 0.0 } else { waited / waiting as f64 };
        all
    }
}

impl Entry for RetriesFigures {
    const PART: &'static str = "failing servers of PVFS";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| vec![(entry.name(), String::new(), entry)]);
    }

    fn sentence(&self) -> String {
        let retried = counted(self.retried, "operation was retried", "operations were retried");
        let again = counted(self.sent_again, "request was sent again", "requests were sent again");
        let unsynced = match self.unsynced_bytes {
            0 => String::new(),
            lost => format!(
                "; {} that servers had acknowledged weren't synchronised when they stopped",
                bytes(lost)
            ),
        };
        format!(
            "{retried} and {} failed; {again}, {} given up, after {} each{unsynced}",
            grouped(self.failed),
            grouped(self.given_up),
            time(self.waited_ms)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use petrio_kernel::Time;

    #[test]
    fn clients_and_servers_of_a_file_system_are_told_together() {
        let client = |retried, waiting, seconds| PvfsTally {
            retried,
            sent_again: waiting,
            waiting,
            waited: Time::from_whole_seconds(seconds),
            ..PvfsTally::default()
        };
        let nothing = PvfsTally::default();
        let told = [(client(2, 3, 30), 0), (client(1, 1, 50), 0), (nothing, 4096)];
        let all = RetriesFigures::of("work", told.into_iter());
        assert_eq!((all.retried, all.sent_again, all.unsynced_bytes), (3, 4, 4096));
        assert!((all.waited_ms - 20_000.0).abs() < 1e-6, "80 s of four requests: {}", all.waited_ms);
        assert!(all.sentence().contains("3 operations were retried and 0 failed"), "{}", all.sentence());
    }
}
