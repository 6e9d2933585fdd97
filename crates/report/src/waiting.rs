//! What was asked for and hadn't completed when a run ended. It has no latency yet, but it has an age, and that is a
//! latency that it has at least.

use crate::figure::figures;
use petrio_colours::RequestId;
use petrio_kernel::Time;
use petrio_page::numbers::{counted, grouped, seconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A request that is under way.
#[derive(Clone, Copy, Debug)]
pub struct UnderWay {
    /// Its number.
    pub id: RequestId,
    /// The row of its workload.
    pub workload: usize,
    /// The number of its kind.
    pub kind: usize,
    /// Whether it moves data.
    pub moves: bool,
    /// Whether it closes its workload without counting.
    pub closing: bool,
    /// Since when.
    pub issued: Time,
}

/// What a run left when it ended.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// What is under way, the oldest first.
    pub under_way: Vec<UnderWay>,
    /// Of each workload when it began, if it did.
    pub begun: Vec<Option<Time>>,
    /// Of each, whether it would have gone on.
    pub goes_on: Vec<bool>,
    /// When the run ended.
    pub now: Time,
}

impl Left {
    /// What of it is so, by how many and how old they are; nothing where there is none.
    pub fn waiting(&self, is_so: impl Fn(&UnderWay) -> bool) -> Option<Waiting> {
        let mut waiting = Waiting::default();
        for request in self.under_way.iter().filter(|request| is_so(request)) {
            waiting.add((self.now - request.issued).as_seconds());
        }
        (waiting.count > 0).then_some(waiting)
    }

    /// How many of those that count are so, and their ages together, in picoseconds, each from `begin` on at most.
    pub fn ages(&self, begin: Time, is_so: impl Fn(&UnderWay) -> bool) -> (u64, u128) {
        let own = self.under_way.iter().filter(|request| !request.closing && is_so(request));
        own.fold((0, 0), |(count, ages), request| {
            let age = self.now.saturating_sub(request.issued.max(begin));
            (count + 1, ages + u128::from(age.as_picos()))
        })
    }
}

/// What was under way when a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// How many requests or operations; of the first replication.
    pub count: u64,
    /// For how long the oldest of them had been, seconds; of all replications the longest.
    pub oldest_s: f64,
}

figures! { Waiting:
    count => "under way at the end" One Neither;
    oldest_s => "oldest under way" Seconds Down;
}

impl Waiting {
    /// One more, for so long.
    pub fn add(&mut self, age_s: f64) {
        self.count += 1;
        self.oldest_s = self.oldest_s.max(age_s);
    }

    /// In words: "4 under way, the oldest for 60.0 s".
    pub fn words(self) -> String {
        match self.count {
            1 => format!("1 under way, for {}", seconds(self.oldest_s)),
            count => format!("{} under way, the oldest for {}", grouped(count), seconds(self.oldest_s)),
        }
    }

    /// The same of something that is named: "4 operations under way, …".
    pub fn words_of(self, one: &str, many: &str) -> String {
        let count = counted(self.count, one, many);
        match self.count {
            1 => format!("{count} not completed when the run ended, for {}", seconds(self.oldest_s)),
            _ => {
                format!("{count} not completed when the run ended, the oldest for {}", seconds(self.oldest_s))
            }
        }
    }
}
