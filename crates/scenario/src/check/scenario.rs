//! All checks of a scenario, one after the other, and what nothing uses.

use crate::checker::{Checker, DISK, PlannedHolder, PlannedVolume};
use crate::host::CheckedHosts;
use crate::scenario::Scenario;
use crate::text::tree::{KeySpans, Table};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};

/// What the checks found.
pub(crate) struct Checked {
    pub(crate) problems: Vec<Problem>,
    /// Parts that nothing uses.
    pub(crate) unused: Vec<Problem>,
    /// Each disk's name and the part that it is of.
    pub(crate) disks: Vec<(String, String)>,
    /// Everything that holds blocks: the disks first, under the same numbers, then what is made of them.
    pub(crate) holders: Vec<PlannedHolder>,
    pub(crate) hosts: CheckedHosts,
    /// What each workload goes to: indices of `holders`, or of what hosts mount.
    pub(crate) targets: IndexMap<String, Vec<u32>>,
}

/// Checks a scenario whose parts are all well-formed, which is to have a workload where that is wanted. Files are looked for where
/// the inputs have a folder.
pub(crate) fn check(
    scenario: &Scenario,
    root: &Table<'_>,
    places: &KeySpans,
    sources: &mut Sources,
    (inputs, wants_workload): (&Inputs, bool),
) -> Checked {
    let mut checker = Checker::new(root, places, sources, inputs);
    checker.disks(scenario);
    checker.holders(scenario);
    let hosts = scenario.hosts.check(&mut checker);
    checker.pages_within_holders(scenario);
    let targets = checker.workloads(scenario, wants_workload);
    checker.tell_unused(scenario);
    checker.measure(scenario);
    let Checker { problems, unused, disks, holders, .. } = checker;
    Checked { problems, unused, disks, holders, hosts, targets }
}

impl Checker<'_, '_> {
    /// Notes the names of pages that lie within those of others, beside which parts may lie that these own.
    fn pages_within_holders(&mut self, scenario: &Scenario) {
        for (key, name, part) in scenario.holders.iter() {
            for &(page, what) in part.inner_pages() {
                self.take_name(
                    &format!("{key}.{name}"),
                    &format!("{name}/{page}"),
                    what,
                    "rename one of them",
                );
            }
            for (page, what) in part.pages_beside(name) {
                self.take_name(&format!("{key}.{name}"), &page, what, "rename one of them");
            }
        }
    }

    fn tell_unused(&mut self, scenario: &Scenario) {
        if scenario.workload.is_empty() {
            return;
        }
        if self.volumes.iter().all(|volume| volume.found) {
            let used = &self.used_volumes;
            // Of what many hosts mount, it is enough that one uses it.
            let busy: BTreeSet<(&str, &str)> = (0..)
                .zip(&self.volumes)
                .filter(|(number, _)| used.contains(number))
                .map(|(_, volume)| volume.used_as())
                .collect();
            let mut idle_volumes = Vec::new();
            let mut told = BTreeSet::new();
            for volume in &self.volumes {
                if busy.contains(&volume.used_as()) || !told.insert(volume.used_as()) {
                    continue;
                }
                let PlannedVolume { key, what, name, part, .. } = volume;
                // Whoever uses what it mounts uses the host.
                let mounted = |used: &u32| self.volumes[*used as usize].name.starts_with(&format!("{name}/"));
                if self.guests.contains(name) && used.iter().any(mounted) {
                    continue;
                }
                let message = format!("nothing uses the {what} \"{name}\"");
                let problem = self.sources.error(self.places.key(&format!("{key}.{part}")), message);
                idle_volumes.push(problem.help("name it in a workload's on, or leave it out"));
            }
            idle_volumes.append(&mut self.unused);
            self.unused = idle_volumes;
        }
        let is_idle = |number: &u32| !self.used.contains(number) && !self.users.contains_key(number);
        let idle_holders: Vec<(String, &'static str)> = (0..)
            .zip(&self.holders)
            .filter(|(number, holder)| holder.key != DISK && is_idle(number))
            .map(|(_, holder)| (holder.name.clone(), holder.key))
            .collect();
        for (name, key) in idle_holders {
            let message = format!("nothing uses the {key} \"{name}\"");
            let help = "name it in the on of a file system or of a workload, or leave it out";
            self.unused(&format!("{key}.{name}"), message, help);
        }
        let mut disks: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for (number, (_, part)) in (0..).zip(&self.disks) {
            disks.entry(part).or_default().push(number);
        }
        let disks: Vec<(String, Vec<u32>)> =
            disks.into_iter().map(|(part, numbers)| (part.to_owned(), numbers)).collect();
        for part in scenario.disk.keys() {
            let Ok(at) = disks.binary_search_by(|(known, _)| known.as_str().cmp(part)) else { continue };
            let numbers = &disks[at].1;
            let path = format!("disk.{part}");
            let is_idle = |number: &u32| !self.used.contains(number) && !self.users.contains_key(number);
            let idle: Vec<u32> = numbers.iter().copied().filter(is_idle).collect();
            if idle.is_empty() {
                continue;
            }
            let message = if idle.len() == numbers.len() {
                format!("nothing uses the disk \"{part}\"")
            } else {
                format!("nothing uses the disk \"{}\"", self.disks[idle[0] as usize].0)
            };
            self.unused(&path, message, "name it in a workload's on, or leave it out");
        }
    }
}
