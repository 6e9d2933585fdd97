//! On which bus each disk hangs: a channel of an adapter, one that disks share without one, or its own.

use crate::schema::{Adapter, Disk, Scenario};
use crate::text::tree::Places;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_models::device::{BlockDevice, Queueing};
use std::collections::BTreeMap;

/// Deals disks out to their buses, in the order of the disks.
pub(crate) struct Wires<'s> {
    adapters: &'s IndexMap<String, Adapter>,
    /// Disks on each adapter so far.
    taken: BTreeMap<&'s str, u64>,
}

impl<'s> Wires<'s> {
    /// No disk hangs on any yet.
    pub(crate) fn of(scenario: &'s Scenario) -> Self {
        Self { adapters: &scenario.hba, taken: BTreeMap::new() }
    }

    /// The bus of the next disk, which is of this part.
    pub(crate) fn next(&mut self, disk: &'s Disk) -> Option<String> {
        let bus = disk.bus.as_deref()?;
        let Some(adapter) = self.adapters.get(bus) else { return Some(bus.to_owned()) };
        let number = self.taken.entry(bus).or_default();
        *number += 1;
        Some(adapter.channel_of(bus, *number - 1))
    }

    /// How requests wait for a disk of this part: an adapter may send it fewer at a time than it would take.
    pub(crate) fn queueing(&self, disk: &Disk, device: &dyn BlockDevice) -> Queueing {
        let queueing = disk.queueing();
        let adapter = disk.bus.as_ref().and_then(|bus| self.adapters.get(bus));
        let Some(most) = adapter.and_then(|adapter| adapter.queue_depth) else { return queueing };
        let own = queueing.depth.unwrap_or(device.depth());
        Queueing { depth: Some(own.min(most.get())), ..queueing }
    }
}

/// The adapter of which a bus is a channel, or else the bus itself.
pub(crate) fn adapter_of<'b>(scenario: &Scenario, bus: &'b str) -> &'b str {
    match bus.rsplit_once('.') {
        Some((adapter, _)) if scenario.hba.contains_key(adapter) => adapter,
        _ => bus,
    }
}

/// What is wrong with adapters: those with too many disks, and those with none.
pub(crate) fn check(scenario: &Scenario, places: &Places, sources: &Sources) -> [Vec<Problem>; 2] {
    let [mut crowded, mut idle] = [Vec::new(), Vec::new()];
    let mut disks: BTreeMap<&str, u64> = BTreeMap::new();
    for disk in scenario.disk.values() {
        if let Some(bus) = &disk.bus {
            *disks.entry(bus).or_default() += u64::from(disk.count);
        }
    }
    for (name, adapter) in &scenario.hba {
        let at = places.key(&format!("hba.{name}"));
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
