//! A scenario that can be run.

use crate::holder::Holder;
use crate::host::PlacedHosts;
use crate::placed::{PlacedDisk, Storage};
use crate::prepared::Prepared;
use crate::report::Subject;
use crate::scenario::Scenario;
use crate::text::tree::KeySpans;
use crate::text::{Copies, Override, Problem, Sources};
use crate::workload::Workload;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_workload::synthetic::Synthetic;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario that can be run: every name in it stands for something, every file is there.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is written, with all defaults filled in.
    pub scenario: Scenario,
    /// Every disk, in the order of the file.
    pub disks: Vec<PlacedDisk>,
    /// Everything that holds blocks: the disks first, in the same order, then what is made of them; a request's
    /// `device` is the index in this list.
    pub storage: Vec<Storage>,
    /// The hosts and the file systems that they mount, by family.
    pub hosts: PlacedHosts,
    /// For each workload what it goes to, as indices of `storage`; of one that works on files, what the
    /// hosts mount.
    pub targets: IndexMap<String, Vec<u32>>,
    /// The synthetic workloads by name, ready to generate: `devices` are indices of `storage`, and capacities are
    /// filled in.
    pub generators: IndexMap<String, Synthetic>,
    /// Things to check before the result is trusted.
    pub warnings: Vec<Problem>,
    /// Whether building and running it is still wanted.
    pub watch: Watch,
    /// Whether its reports tell of each workload, also of one that is alone, and of more than others have rows for; for studies that hold
    /// each against something.
    pub tells_each: bool,
    /// Where its inputs come from.
    pub(crate) inputs: Inputs,
    /// What its workloads need, where it could be told when it was loaded.
    pub(crate) prepared: Option<Arc<Prepared>>,
    pub(crate) origin: Arc<Origin>,
    pub(crate) sources: Sources,
    pub(crate) places: KeySpans,
}

/// Takes out what parts cost and how long they live, which changes no run.
fn without_costs(parts: &mut Map<String, Value>) {
    let places: [(&str, &[&str]); 4] =
        [("disk", &["drive"]), ("host", &["change", "machine"]), ("hba", &[]), ("network", &[])];
    for (kind, place) in places {
        let all = parts.get_mut(kind).and_then(Value::as_object_mut);
        all.into_iter().flat_map(|all| all.values_mut()).for_each(|part| take_cost(part, place));
    }
}

/// Takes the cost and the life out of a table below a part, and tables that are empty then.
fn take_cost(part: &mut Value, place: &[&str]) {
    let Value::Object(keys) = part else { return };
    let Some((first, rest)) = place.split_first() else {
        keys.remove("cost");
        keys.remove("reliability");
        return;
    };
    let Some(inner) = keys.get_mut(*first) else { return };
    take_cost(inner, rest);
    if inner.as_object().is_some_and(Map::is_empty) {
        keys.remove(*first);
    }
}

/// What a scenario was read from, so that it can be read again with something changed.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) overrides: Vec<Override>,
}

impl Loaded {
    /// An error that points at the value at a dotted path of the scenario (`workload.readers.files.0`); for what is
    /// found out only when the scenario is wired or run.
    pub fn error_at(&self, path: &str, message: impl Into<String>) -> Problem {
        self.sources.error(self.places.value(path), message)
    }

    /// A warning that points at the value at a dotted path of the scenario.
    pub fn warning_at(&self, path: &str, message: impl Into<String>) -> Problem {
        self.sources.warning(self.places.value(path), message)
    }

    /// What the scenario says of a part that holds blocks without being a disk, by its index in `storage`.
    pub(crate) fn holder(&self, number: usize) -> Option<&dyn Holder> {
        let storage = self.storage.get(number)?;
        self.scenario.holders.get(storage.key, &storage.name)
    }

    /// What the state of a run of it rests on: the scenario, but for its title, its seed, what it measures and what its parts cost.
    pub fn rests_on(&self) -> Value {
        let mut scenario = serde_json::to_value(&self.scenario).unwrap_or_default();
        if let Value::Object(parts) = &mut scenario {
            for free in ["title", "seed", "measure"] {
                parts.remove(free);
            }
            without_costs(parts);
            let mut written = parts.get_mut("workload").and_then(Value::as_object_mut);
            for (name, workload) in &self.scenario.workload {
                let keys = written.as_mut().and_then(|all| all.get_mut(name)).and_then(Value::as_object_mut);
                let (Some(names), Some(keys)) = (workload.load().trace_names(), keys) else { continue };
                if let Some(Value::Array(all)) = keys.remove(names) {
                    keys.insert(names.to_owned(), Value::from(all.len()));
                }
            }
        }
        scenario
    }

    /// Which of its parts are copies of others.
    pub(crate) fn copies(&self) -> &Copies {
        self.places.copies()
    }

    /// Where a part is written, as the path of a setting: of `disk.d` itself, of a disk in a part around it the path down to it.
    pub fn written<'p>(&'p self, kind_and_name: &'p str) -> &'p str {
        self.copies().written(kind_and_name)
    }

    /// What a report of it counts first: operations on files, where there are some.
    pub fn subject(&self) -> Subject {
        self.subjects().first().copied().unwrap_or_default()
    }

    /// What a report of it counts: one, or both side by side, operations on files before block requests.
    pub fn subjects(&self) -> Vec<Subject> {
        let mut all = vec![Subject::FileOperations, Subject::BlockRequests];
        all.retain(|&subject| self.workloads_of(subject).next().is_some());
        all
    }

    /// The workloads of one sort.
    pub(crate) fn workloads_of(&self, subject: Subject) -> impl Iterator<Item = (&str, &Workload)> {
        let on_files = subject == Subject::FileOperations;
        let of = move |(_, workload): &(&String, &Workload)| workload.files_place().is_some() == on_files;
        self.scenario.workload.iter().filter(of).map(|(name, workload)| (name.as_str(), workload))
    }

    /// Where its inputs come from.
    pub const fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Where a file that the scenario names lies: relative to the scenario's folder.
    pub fn path_of(&self, file: &Path) -> PathBuf {
        self.inputs.path_of(file)
    }
}
