//! On which bus each disk hangs: a channel of an adapter, one that disks share without one, or its own.

use crate::scenario::Scenario;
use crate::schema::{Adapter, Disk};
use crate::text::tree::KeySpans;
use crate::text::{Problem, Sources};
use petrio_models::device::{BlockDevice, Queueing};
use std::collections::BTreeMap;

/// A bus that several disks may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The adapter whose channel it is, or its own name.
    pub owner: String,
    /// Which of the owner's it is.
    pub channel: u64,
}

/// Deals disks out to their buses, in the order of the disks.
pub(crate) struct BusAssignment<'s> {
    scenario: &'s Scenario,
    /// Disks on each adapter so far.
    taken: BTreeMap<&'s str, u64>,
}

impl<'s> BusAssignment<'s> {
    /// No disk hangs on any yet.
    pub(crate) fn of(scenario: &'s Scenario) -> Self {
        Self { scenario, taken: BTreeMap::new() }
    }

    /// The bus of the next disk, which is of this part.
    pub(crate) fn next(&mut self, disk: &'s Disk) -> Option<Wire> {
        let owner = disk.bus.as_deref()?;
        let number = self.taken.entry(owner).or_default();
        let channels = adapter_of(self.scenario, disk).map_or(1, |adapter| u64::from(adapter.channels.get()));
        let channel = *number % channels;
        *number += 1;
        Some(Wire { owner: owner.to_owned(), channel })
    }

    /// How requests wait for a disk of this part: an adapter may send it fewer at a time than it would take.
    pub(crate) fn queueing(&self, disk: &Disk, device: &dyn BlockDevice) -> Queueing {
        let queueing = disk.queueing();
        let most = adapter_of(self.scenario, disk).and_then(|adapter| adapter.queue_depth);
        let Some(most) = most else { return queueing };
        let own = queueing.depth.unwrap_or(device.depth());
        Queueing { depth: Some(own.min(most.get())), ..queueing }
    }
}

/// The adapter on which the disks of a part hang, if they hang on one.
pub(crate) fn adapter_of<'s>(scenario: &'s Scenario, disk: &Disk) -> Option<&'s Adapter> {
    scenario.hba.get(disk.bus.as_ref()?)
}

/// What is wrong with adapters: those with too many disks, and those with none.
pub(crate) fn check(scenario: &Scenario, places: &KeySpans, sources: &Sources) -> [Vec<Problem>; 2] {
    let [mut crowded, mut idle] = [Vec::new(), Vec::new()];
    let mut disks: BTreeMap<&str, u64> = BTreeMap::new();
    for disk in scenario.disk.values() {
        if let Some(bus) = &disk.bus {
            *disks.entry(bus).or_default() += u64::from(disk.count);
        }
    }
    for (name, adapter) in &scenario.hba {
        let at = places.key(&format!("hba.{name}"));
        if let Some(wrong) = adapter.limits.and_then(|limits| limits.objection()) {
            let at = places.key(&format!("hba.{name}.limits"));
            crowded.push(sources.error(at, format!("the limits of \"{name}\" can't be: {wrong}")));
        }
        let there = disks.get(name.as_str()).copied().unwrap_or(0);
        if there == 0 {
            let problem = sources.error(at, format!("nothing hangs on the adapter \"{name}\""));
            idle.push(problem.help(format!("write bus = \"{name}\" in its disks, or leave it out")));
        } else if let Some(most) = adapter.most_disks().filter(|&most| there > most) {
            let channels = adapter.channels;
            let words = if channels.get() == 1 { "channel" } else { "channels" };
            let message = format!(
                "{there} disks hang on the adapter \"{name}\", whose {channels} {words} take no more than {most}"
            );
            crowded.push(sources.error(at, message).help("give some of them another adapter"));
        }
    }
    [crowded, idle]
}
