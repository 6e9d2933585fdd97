//! What the types of a scenario can't say: names that stand for nothing, parts that nothing uses, files that aren't
//! there, options that contradict each other.

mod measure;
mod pool;
mod storage;
mod workloads;

use crate::schema::{Names, Scenario};
use crate::text::tree::Places;
use crate::text::typed::suggestion;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use pool::Pool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;

/// What the checks found.
pub(crate) struct Checked {
    pub(crate) problems: Vec<Problem>,
    /// Each disk's name and the part that it is of.
    pub(crate) disks: Vec<(String, String)>,
    /// Everything that holds blocks: the disks first, under the same numbers, then what is made of them.
    pub(crate) holders: Vec<Holder>,
    /// The file systems, in the order of the file.
    pub(crate) file_systems: Vec<PlannedFileSystem>,
    /// The holder of each Unix host's file system.
    pub(crate) unix: Vec<u32>,
    /// What each workload goes to: indices of `disks`, or of `file_systems` and then `unix`.
    pub(crate) targets: IndexMap<String, Vec<u32>>,
}

/// A part that holds blocks.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) name: String,
    pub(crate) kind: HolderKind,
    /// What it is made of, as numbers of holders.
    pub(crate) over: Vec<u32>,
}

/// What holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HolderKind {
    Disk,
    Raid,
    Fabric,
    Throttle,
    Replication,
}

impl HolderKind {
    /// The key of the scenario under which it is described.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Raid => "raid",
            Self::Fabric => "fabric",
            Self::Throttle => "throttle",
            Self::Replication => "replication",
        }
    }
}

/// Where a file system belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedFileSystem {
    /// The host's number, in the order of the file.
    pub(crate) host: usize,
    /// The holder that it lies on.
    pub(crate) on: u32,
}

struct Checker<'a> {
    scenario: &'a Scenario,
    places: &'a Places,
    sources: &'a Sources,
    folder: Option<&'a Path>,
    problems: Vec<Problem>,
    disks: Vec<(String, String)>,
    holders: Vec<Holder>,
    /// What names in an `on` of arrays and file systems may stand for, by number of `holders`.
    pool: Rc<Pool>,
    /// Who uses each holder, where somebody does who wants it alone.
    users: BTreeMap<u32, String>,
    file_systems: Vec<PlannedFileSystem>,
    unix: Vec<u32>,
    /// Disks and file systems that workloads go to.
    used: BTreeSet<u32>,
    used_file_systems: BTreeSet<u32>,
    /// Names of the pages of the net, and what has each.
    taken: BTreeMap<String, &'static str>,
}

/// Words for the parts that names may stand for.
#[derive(Clone, Copy)]
struct Words {
    one: &'static str,
    many: &'static str,
}

const DISKS: Words = Words { one: "disk", many: "disks" };

/// Checks a scenario whose parts are all well-formed. Without a folder, files are not looked for.
pub(crate) fn check(
    scenario: &Scenario,
    places: &Places,
    sources: &Sources,
    folder: Option<&Path>,
) -> Checked {
    let mut checker = Checker {
        scenario,
        places,
        sources,
        folder,
        problems: Vec::new(),
        disks: Vec::new(),
        holders: Vec::new(),
        pool: Rc::default(),
        users: BTreeMap::new(),
        file_systems: Vec::new(),
        unix: Vec::new(),
        used: BTreeSet::new(),
        used_file_systems: BTreeSet::new(),
        taken: BTreeMap::from([("programs".to_owned(), "the programs")]),
    };
    checker.disks();
    checker.holders();
    checker.file_systems();
    let targets = checker.workloads();
    checker.unused();
    checker.measure();
    let Checker { problems, disks, holders, file_systems, unix, .. } = checker;
    Checked { problems, disks, holders, file_systems, unix, targets }
}

impl Checker<'_> {
    /// Notes an error at the value of a path, with advice.
    fn error(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.value(path), message).help(help));
    }

    /// Notes an error at the name of a part, with advice.
    fn error_at_key(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.key(path), message).help(help));
    }

    fn warning(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.warning(self.places.value(path), message).help(help));
    }

    fn name(&mut self, path: &str, name: &str) {
        let fine = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
        if name.is_empty() || !name.chars().all(fine) {
            let message = format!("the name \"{name}\" has characters that names can't have");
            self.error_at_key(path, message, "use letters, digits, - and _");
        }
    }

    /// Notes that a page of the net has this name, which no other may have.
    fn take_name(&mut self, path: &str, name: &str, what: &'static str, help: &str) {
        match self.taken.insert(name.to_owned(), what) {
            None => {}
            Some(other) if other == what => {
                self.error_at_key(path, format!("two {what}s are called \"{name}\""), help);
            }
            Some(other) => {
                let message = format!("a {what} and {} are called \"{name}\"", with_article(other));
                self.error_at_key(path, message, "rename one of them");
            }
        }
    }

    /// The parts of a pool that names and patterns stand for.
    fn find(&mut self, path: &str, names: &Names, pool: &Pool, words: Words) -> Vec<u32> {
        let (mut found, mut known): (Vec<u32>, BTreeSet<u32>) = Default::default();
        let Words { one, many } = words;
        if names.iter().next().is_none() {
            let help = format!("name a {one}, or leave the part out");
            self.error(path, format!("the list of {many} is empty"), help);
        }
        let is_list = names.iter().count() > 1;
        for (index, pattern) in names.iter().enumerate() {
            let fitting = pool.fitting(pattern);
            let fits_none = fitting.is_empty();
            found.extend(fitting.into_iter().filter(|number| known.insert(*number)));
            if fits_none {
                let path = if is_list { format!("{path}.{index}") } else { path.to_owned() };
                let mut parts: Vec<&str> = Vec::new();
                for (_, part) in pool.parts() {
                    if parts.last() != Some(&part.as_str()) {
                        parts.push(part);
                    }
                }
                let numbered: Vec<&str> = (pool.parts().iter())
                    .filter(|(name, part)| name != part)
                    .map(|(name, _)| name.as_str())
                    .take(20)
                    .collect();
                parts.extend(numbered);
                let help = suggestion(pattern, &parts, &format!("the {many} are"));
                self.error(&path, format!("no {one} is called \"{pattern}\""), help);
            }
        }
        found
    }

    fn unused(&mut self) {
        if self.scenario.workload.is_empty() {
            return;
        }
        for (number, name) in (0..).zip(self.scenario.fs.keys()) {
            if !self.used_file_systems.contains(&number) && self.file_systems.len() == self.scenario.fs.len()
            {
                let message = format!("nothing uses the file system \"{name}\"");
                let path = format!("fs.{name}");
                self.error_at_key(&path, message, "name it in a workload's on, or leave it out");
            }
        }
        for (number, name) in (self.scenario.fs.len() as u32..).zip(self.scenario.unix.keys()) {
            if !self.used_file_systems.contains(&number) && self.unix.len() == self.scenario.unix.len() {
                let message = format!("nothing uses the Unix host \"{name}\"");
                self.error_at_key(
                    &format!("unix.{name}"),
                    message,
                    "name it in a workload's on, or leave it out",
                );
            }
        }
        for (number, name) in self.scenario.host.keys().enumerate() {
            let is_idle = self.file_systems.iter().all(|planned| planned.host != number);
            if is_idle && self.file_systems.len() == self.scenario.fs.len() {
                let message = format!("no file system is mounted by the host \"{name}\"");
                self.error_at_key(&format!("host.{name}"), message, "give it one, or leave the host out");
            }
        }
        let idle_holders: Vec<(String, &'static str)> = (0..)
            .zip(&self.holders)
            .filter(|(number, holder)| holder.kind != HolderKind::Disk && !self.users.contains_key(number))
            .map(|(_, holder)| (holder.name.clone(), holder.kind.key()))
            .collect();
        for (name, key) in idle_holders {
            let message = format!("nothing uses the {key} \"{name}\"");
            let help = "name it in the on of a file system, or leave it out";
            self.error_at_key(&format!("{key}.{name}"), message, help);
        }
        for part in self.scenario.disk.keys() {
            let path = format!("disk.{part}");
            let numbers =
                || (0..).zip(&self.disks).filter(|(_, (_, of))| of == part).map(|(number, _)| number);
            let is_idle = |number: &u32| !self.used.contains(number) && !self.users.contains_key(number);
            let idle: Vec<u32> = numbers().filter(is_idle).collect();
            if idle.is_empty() {
                continue;
            }
            let message = if idle.len() == numbers().count() {
                format!("nothing uses the disk \"{part}\"")
            } else {
                format!("nothing uses the disk \"{}\"", self.disks[idle[0] as usize].0)
            };
            self.error_at_key(&path, message, "name it in a workload's on, or leave it out");
        }
    }
}

fn with_article(what: &str) -> String {
    if what.starts_with("the ") { what.to_owned() } else { format!("a {what}") }
}
