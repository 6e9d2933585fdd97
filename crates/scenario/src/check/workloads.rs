//! Workloads: what they go to. Options that make no sense are of their kinds.

use crate::checker::{Checker, FILE_SYSTEMS, HOLDERS, PlannedHolder, PlannedVolume};
use crate::parts::Directory;
use crate::scenario::Scenario;
use crate::schema::Names;
use crate::workload::LoadSite;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Checker<'_, '_> {
    pub(super) fn workloads(&mut self, scenario: &Scenario, is_wanted: bool) -> IndexMap<String, Vec<u32>> {
        if is_wanted && scenario.workload.is_empty() {
            let help =
                "add a part: [workload.w] and below it kind = \"trace\", on = \"…\" and files = [\"…\"]";
            self.error("", "the scenario has no workload", help);
        }
        let mut targets = IndexMap::new();
        let file_systems = Rc::new(self.volumes_by_name());
        self.file_systems = Some(Rc::clone(&file_systems));
        let holders = self.pool();
        for (name, workload) in &scenario.workload {
            let path = format!("workload.{name}");
            self.name(&path, name);
            let at = format!("{path}.on");
            let on = match workload.files_place() {
                None => {
                    let found = self.find(&at, workload.on(), &holders, HOLDERS);
                    let on = self.not_below_others(&at, workload.on(), found);
                    self.used.extend(&on);
                    // Requests to what a file system lies on pass its host's queue, whoever works on its files.
                    let below = |volume: &PlannedVolume| volume.on.is_some_and(|below| on.contains(&below));
                    let volumes = (0..).zip(&self.volumes).filter(|(_, volume)| below(volume));
                    self.used_volumes.extend(volumes.map(|(number, _)| number));
                    on
                }
                Some(_) => {
                    let on = self.find(&at, workload.on(), &file_systems, FILE_SYSTEMS);
                    self.used_volumes.extend(&on);
                    on
                }
            };
            let (path, stop) = (&path, &scenario.measure.stop);
            workload.load().check(&mut LoadSite { checker: self, path, on: &on, stop });
            self.turns(scenario, name, workload);
            targets.insert(name.clone(), on);
        }
        targets
    }

    /// Of what names and patterns stand for, what no other part lies on: a pattern means the array, and not its disks.
    fn not_below_others(&mut self, path: &str, names: &Names, found: Vec<u32>) -> Vec<u32> {
        let mut on = Vec::new();
        // What a file system lies on takes requests beside its own.
        let volumes: BTreeSet<u32> = self.volumes.iter().filter_map(|volume| volume.on).collect();
        for target in found {
            let Some(user) = self.users.get(&target).filter(|_| !volumes.contains(&target)).cloned() else {
                on.push(target);
                continue;
            };
            let PlannedHolder { name, key, .. } = &self.holders[target as usize];
            if names.iter().any(|written| written == name) {
                let message = format!("the {key} \"{name}\" is used by {user} already");
                self.error(path, message, "name what lies on it instead");
            }
        }
        if on.is_empty() && self.problems.is_empty() {
            self.error(path, "all that this names is used by other parts already", "name what lies on it");
        }
        on
    }

    fn volumes_by_name(&self) -> Directory {
        let names = self.volumes.iter().map(|volume| volume.name.as_str());
        Directory::of(names.map(|name| (name, name)), self.places.copies())
    }
}
