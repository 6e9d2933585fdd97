//! What a person could change about a scenario's parts, in the words of `--set`. The parts' models say what they have;
//! here it is known under which paths it stands.

use crate::build::queues_of;
use crate::classes::Classes;
use crate::loaded::Loaded;
use crate::placed::PlacedDisk;
use crate::report::Subject;

use crate::wires::adapter_of;
use petrio_models::Lever;
use petrio_models::device::Queueing;
use petrio_models::device::disk::parameters::QueueDiscipline;
use std::collections::{BTreeMap, BTreeSet};

/// Commands that drives of today take at a time (NCQ).
const MANY_COMMANDS: u32 = 32;

/// A lever of a class of equal parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedLever {
    /// The page of the parts, as their class names it: `d*`, `server`, `mail-queue`.
    pub(crate) page: String,
    /// The lever, with the settings of all parts of the class.
    pub(crate) lever: Lever,
}

/// All levers of a scenario, in the order of its parts.
pub(crate) fn levers(loaded: &Loaded, classes: &Classes) -> Vec<PlacedLever> {
    let scenario = &loaded.scenario;
    let mut all = Levers { classes, found: Vec::new() };
    let written = |flat: &str| loaded.copies().written(flat).to_owned();
    for (name, part) in &scenario.disk {
        let Some(disk) = loaded.disks.iter().find(|disk| disk.part == *name) else { continue };
        let written = written(&format!("disk.{name}"));
        let path = format!("{written}.drive");
        let mut own = disk.device.parameters().levers(&path);
        let depth = disk.queueing.depth.unwrap_or(disk.compiled.depth()).saturating_mul(2);
        let most = adapter_of(scenario, part).and_then(|adapter| adapter.queue_depth);
        let held_back = most.is_some_and(|most| most.get() < depth);
        if !held_back && disk.compiled.accepts(&Queueing { depth: Some(depth), ..disk.queueing }).is_ok() {
            let deeper = Lever::twice("queue", "depth", "a queue twice as deep in the drive");
            own.push(deeper.set(&written, "queue_depth", depth));
        }
        own.extend(other_queueing(disk, &written));
        let switched = disk.device.parameters().with_write_cache(true);
        if disk.compiled.is_rotational() && !disk.compiled.features().write_cache && switched.is_some() {
            let on = Lever::instead("mechanics", "write cache", "the drive's write cache on");
            own.push(
                on.set(&written, "write_cache", "on")
                    .at_a_price("what it has reported and nobody has had flushed is lost with the power"),
            );
        }
        all.add(&disk.name, own);
    }
    for (name, adapter) in &scenario.hba {
        all.add(name, adapter.levers(&written(&format!("hba.{name}"))));
    }
    for (key, name, part) in scenario.holders.iter() {
        let path = written(&format!("{key}.{name}"));
        all.add(name, part.levers(&path));
        part.levers_beside(name, &path).into_iter().for_each(|(page, levers)| all.add(&page, levers));
    }
    let queues: BTreeMap<String, Vec<String>> = (loaded.hosts.volumes())
        .filter_map(|volume| Some((format!("{}-queue", volume.name), queues_of(loaded, volume.on?))))
        .filter(|(_, queues)| !queues.is_empty())
        .collect();
    for family in loaded.hosts.families() {
        family.levers(loaded.copies(), &mut |page, levers| match queues.get(page) {
            // Of what a host makes of others, each has a queue; equal ones have the same levers.
            Some(queues) => {
                let equal: BTreeSet<String> = queues.iter().map(|queue| classes.name(queue)).collect();
                equal.iter().for_each(|queue| all.add(queue, levers.clone()));
            }
            None => all.add(page, levers),
        });
    }
    all.found
}

/// What may stand in for a disk's way with what waits for it: the shortest positioning time first, and many commands to choose from.
fn other_queueing(disk: &PlacedDisk, path: &str) -> Vec<Lever> {
    let Queueing { scheduler, depth } = disk.queueing;
    let own = depth.unwrap_or(disk.compiled.depth());
    let sorted = QueueDiscipline::ShortestPositioning;
    let accepts = |scheduler, depth| disk.compiled.accepts(&Queueing { scheduler, depth }).is_ok();
    let mut others = Vec::new();
    if disk.compiled.is_rotational() && scheduler == QueueDiscipline::FirstCome && own < MANY_COMMANDS {
        if accepts(sorted, depth) {
            let words = "the shortest positioning time first in the queue before it";
            others.push(Lever::instead("queue", "order", words).set(path, "scheduler", "sptf"));
        }
        if accepts(scheduler, Some(MANY_COMMANDS)) {
            let words = "a queue of 32 commands in the drive";
            others.push(Lever::instead("queue", "depth", words).set(path, "queue_depth", MANY_COMMANDS));
        }
    }
    others
}

struct Levers<'c> {
    classes: &'c Classes,
    found: Vec<PlacedLever>,
}

impl Levers<'_> {
    /// Adds a part's levers: to those of its equals, where it has some.
    fn add(&mut self, page: &str, levers: Vec<Lever>) {
        let page = self.classes.name(page);
        for lever in levers {
            let equal = |known: &&mut PlacedLever| {
                known.page == page && (known.lever.stage, known.lever.change) == (lever.stage, lever.change)
            };
            match self.found.iter_mut().find(equal) {
                Some(known) => {
                    // What is written once for several is set once.
                    let new = |setting: &(String, String)| !known.lever.settings.contains(setting);
                    let more: Vec<_> = lever.settings.into_iter().filter(new).collect();
                    known.lever.settings.extend(more);
                }
                None => self.found.push(PlacedLever { page: page.clone(), lever }),
            }
        }
    }
}

/// Whether requests come whatever becomes of those before: how many complete in a second is theirs to say, and only how
/// long they take is the System's.
pub(crate) fn is_open(loaded: &Loaded, subject: Subject) -> bool {
    let mut workloads = loaded.workloads_of(subject);
    workloads.any(|(_, workload)| workload.load().is_open())
}
