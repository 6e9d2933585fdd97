//! What the types of a scenario can't say: names that stand for nothing, parts that nothing uses, files that aren't
//! there, options that contradict each other.

mod measure;
mod storage;
mod workloads;

use crate::build::{PROGRAMS, REQUEST_PROGRAMS};
use crate::holder::Stands;
use crate::host::{CheckedHosts, PlannedVolume};
use crate::parts::Directory;
use crate::schema::{Names, Scenario};
use crate::text::deserialise::suggestion;
use crate::text::tree::{Places, Table};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

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

/// A part that holds blocks.
#[derive(Clone, Debug)]
pub(crate) struct PlannedHolder {
    pub(crate) name: String,
    /// The key of the scenario under which it is described.
    pub(crate) key: &'static str,
    /// What it is made of, as numbers of holders; all come before it.
    pub(crate) over: Vec<u32>,
    /// Where requests meet it.
    pub(crate) stands: Stands,
}

/// The key of disks.
pub(crate) const DISK: &str = "disk";

/// What is checked, and what is found on the way.
pub(crate) struct Checker<'a, 'i> {
    scenario: &'a Scenario,
    pub(crate) root: &'a Table<'i>,
    pub(crate) places: &'a Places,
    pub(crate) sources: &'a mut Sources,
    pub(crate) inputs: &'a Inputs,
    pub(crate) problems: Vec<Problem>,
    disks: Vec<(String, String)>,
    holders: Vec<PlannedHolder>,
    /// Who uses each holder, where somebody does who wants it alone.
    users: BTreeMap<u32, String>,
    /// What hosts mount.
    volumes: Vec<PlannedVolume>,
    /// Holders and volumes that workloads go to.
    used: BTreeSet<u32>,
    used_volumes: BTreeSet<u32>,
    /// What is wrong only where there are workloads.
    unused: Vec<Problem>,
    /// Names of the pages of the net, and what has each.
    taken: BTreeMap<String, &'static str>,
    /// The holders by name, once they are known.
    pool: Option<Rc<Directory>>,
    /// References that stand for nothing: one in a part of which there are many is told once.
    missing: BTreeSet<(usize, usize)>,
}

/// A message names no more parts than this.
const LISTED_MAX: usize = 50;

/// Words for the parts that names may stand for.
#[derive(Clone, Copy)]
struct Words {
    one: &'static str,
    many: &'static str,
}

/// Checks a scenario whose parts are all well-formed. Files are looked for where the inputs have a folder.
pub(crate) fn check(
    scenario: &Scenario,
    root: &Table<'_>,
    places: &Places,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Checked {
    let mut checker = Checker {
        scenario,
        root,
        places,
        sources,
        inputs,
        problems: Vec::new(),
        disks: Vec::new(),
        holders: Vec::new(),
        users: BTreeMap::new(),
        volumes: Vec::new(),
        used: BTreeSet::new(),
        used_volumes: BTreeSet::new(),
        unused: Vec::new(),
        taken: BTreeMap::from([PROGRAMS, REQUEST_PROGRAMS].map(|page| (page.to_owned(), "the programs"))),
        pool: None,
        missing: BTreeSet::new(),
    };
    checker.disks();
    checker.holders();
    let hosts = scenario.hosts.check(&mut checker);
    checker.pages_within_holders();
    let targets = checker.workloads();
    checker.tell_unused();
    checker.measure();
    let Checker { problems, unused, disks, holders, .. } = checker;
    Checked { problems, unused, disks, holders, hosts, targets }
}

impl Checker<'_, '_> {
    /// Notes an error at the value of a path, with advice.
    pub(crate) fn error(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.value(path), message).help(help));
    }

    /// Notes an error at the name of a part, with advice.
    pub(crate) fn error_at_key(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.key(path), message).help(help));
    }

    fn warning(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.warning(self.places.value(path), message).help(help));
    }

    pub(crate) fn name(&mut self, path: &str, name: &str) {
        let fine = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
        // A part of another has its path for a name.
        if name.split('/').any(|piece| piece.is_empty() || !piece.chars().all(fine)) {
            let message = format!("the name \"{name}\" has characters that names can't have");
            self.error_at_key(path, message, "use letters, digits, - and _");
        }
    }

    /// Notes that a page of the net has this name, which no other may have.
    pub(crate) fn take_name(&mut self, path: &str, name: &str, what: &'static str, help: &str) {
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

    /// Notes something that is mounted and that workloads may name.
    pub(crate) fn volume(&mut self, volume: PlannedVolume) {
        self.volumes.push(volume);
    }

    /// Notes that nothing uses a part, which is an error where anything is done.
    pub(crate) fn unused(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.unused.push(self.sources.error(self.places.key(path), message).help(help));
    }

    /// A part that holds blocks, by its number.
    pub(crate) fn holder(&self, number: u32) -> &PlannedHolder {
        &self.holders[number as usize]
    }

    /// Notes the names of pages that lie within those of others, beside which parts may lie that these own.
    fn pages_within_holders(&mut self) {
        for (key, name, part) in self.scenario.holders.iter() {
            for &(page, what) in part.inner_pages() {
                self.take_name(
                    &format!("{key}.{name}"),
                    &format!("{name}/{page}"),
                    what,
                    "rename one of them",
                );
            }
        }
    }

    /// The parts of a pool, each with its name and the name under which the scenario describes it.
    fn directory(&self, parts: &[(String, String)]) -> Directory {
        let names = parts.iter().map(|(name, part)| (name.as_str(), part.as_str()));
        Directory::of(names, self.places.copies())
    }

    /// The parts of a pool that names and patterns stand for. The name under which the scenario describes several
    /// stands for all of them.
    fn find(&mut self, path: &str, names: &Names, pool: &Directory, words: Words) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        let mut known = BTreeSet::new();
        let Words { one, many } = words;
        if names.iter().next().is_none() {
            let help = format!("name a {one}, or leave the part out");
            self.error(path, format!("the list of {many} is empty"), help);
        }
        let is_list = names.iter().count() > 1;
        for (index, pattern) in names.iter().enumerate() {
            let fitting = pool.find(pattern);
            if fitting.is_empty() {
                let path = if is_list { format!("{path}.{index}") } else { path.to_owned() };
                let Range { start, end } = self.places.value(&path);
                if self.missing.insert((start, end)) {
                    let help = listed(pattern, &pool.listed(20), &format!("the {many} are"));
                    self.error(&path, format!("no {one} is called \"{pattern}\""), help);
                }
            }
            found.extend(fitting.into_iter().filter(|&number| known.insert(number)));
        }
        found
    }

    fn tell_unused(&mut self) {
        if self.scenario.workload.is_empty() {
            return;
        }
        if self.volumes.iter().all(|volume| volume.on.is_some()) {
            let used = &self.used_volumes;
            let idle = (0..).zip(&self.volumes).filter(|(number, _)| !used.contains(number));
            let mut idle_volumes = Vec::new();
            for (_, PlannedVolume { key, what, name, .. }) in idle {
                let message = format!("nothing uses the {what} \"{name}\"");
                let problem = self.sources.error(self.places.key(&format!("{key}.{name}")), message);
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
        for part in self.scenario.disk.keys() {
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

/// What was meant, or what there is; of very many, the first.
pub(crate) fn listed(word: &str, known: &[&str], list: &str) -> String {
    let help = suggestion(word, known, list);
    let meant = help.starts_with("did you mean");
    if meant || known.len() <= LISTED_MAX {
        return help;
    }
    format!("{list} {} and others", known[..LISTED_MAX].join(", "))
}

fn with_article(what: &str) -> String {
    if what.starts_with("the ") { what.to_owned() } else { format!("a {what}") }
}
