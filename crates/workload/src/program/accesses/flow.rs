//! Shares of jobs that go on beside each other: fio's `flow`.
//!
//! Source: fio's flow.c (3.33): whoever has issued a larger part of all accesses of his group than his weight has of all weights waits for
//! the others. Where fio looks again at once, he looks again after 20 us here (assumed).

use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A process' share among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(deny_unknown_fields)]
pub struct FlowShare {
    /// Of all accesses of the group each process issues as many as its weight is of all weights.
    pub weight: u32,
    /// The group (fio's `flow_id`): of workloads on files, and of those on disks.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    pub group: u32,
    /// How long a process that is ahead rests, with nothing in flight (`flow_sleep`); 0: it looks again and again.
    #[serde(default, skip_serializing_if = "super::parameters::is_default")]
    #[persist(keep)]
    pub rest: Duration,
}

/// When a process that doesn't rest looks again.
const LOOKS_AGAIN: Time = Time::from_micros(20);

/// What the processes of a group have done.
#[derive(Debug, Persist)]
struct Flow {
    accesses: u64,
    weights: u64,
}

/// The groups of a run.
#[derive(Debug, Default)]
pub struct Flows(BTreeMap<u32, Arc<Mutex<Flow>>>);

impl Flows {
    /// A process' place in its group.
    pub(super) fn place(&mut self, share: FlowShare) -> InFlow {
        let new = || Arc::new(Mutex::new(Flow { accesses: 1, weights: 0 }));
        InFlow {
            flow: Arc::clone(self.0.entry(share.group).or_insert_with(new)),
            share,
            accesses: 0,
            is_in: false,
        }
    }
}

/// A process in its group.
#[derive(Clone, Debug, Persist)]
pub(super) struct InFlow {
    #[persist(inside)]
    flow: Arc<Mutex<Flow>>,
    share: FlowShare,
    accesses: u64,
    is_in: bool,
}

impl InFlow {
    fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn join(&mut self) {
        if !std::mem::replace(&mut self.is_in, true) {
            self.flow().weights += u64::from(self.share.weight);
        }
    }

    pub(super) fn leave(&mut self) {
        if std::mem::take(&mut self.is_in) {
            let mut flow = self.flow();
            flow.weights -= u64::from(self.share.weight);
            flow.accesses -= self.accesses;
        }
    }

    /// Goes on with one more access, or says how long to wait, and whether with nothing in flight.
    pub(super) fn waits(&mut self) -> Option<(Time, bool)> {
        let mut flow = self.flow();
        let own = self.accesses as f64 / flow.accesses as f64;
        if own > f64::from(self.share.weight) / flow.weights.max(1) as f64 {
            let rest = self.share.rest.time();
            return Some(if rest > Time::ZERO { (rest, true) } else { (LOOKS_AGAIN, false) });
        }
        flow.accesses += 1;
        drop(flow);
        self.accesses += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_issues_its_part_and_who_is_left_alone_goes_on() {
        let mut flows = Flows::default();
        let share = |weight, group| FlowShare { weight, group, rest: Duration::ZERO };
        let mut all = [flows.place(share(1, 0)), flows.place(share(8, 0)), flows.place(share(5, 7))];
        all.iter_mut().for_each(InFlow::join);
        for _ in 0..9_000 {
            for one in &mut all {
                let _ = one.waits();
            }
        }
        let counts = all.clone().map(|one| one.accesses);
        let part = counts[1] as f64 / counts[0] as f64;
        assert!((7.9..8.1).contains(&part), "{counts:?}");
        assert_eq!(counts[2], 9_000, "another group is nothing to it");
        all[1].leave();
        let before = all[0].accesses;
        for _ in 0..100 {
            let _ = all[0].waits();
        }
        assert!(all[0].accesses >= before + 99);
    }
}
