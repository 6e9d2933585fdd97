//! What the types of a scenario can't say: names that stand for nothing, parts that nothing uses, files that aren't
//! there, options that contradict each other.

mod measure;
mod storage;
mod workloads;

use crate::build::{PROGRAMS, REQUEST_PROGRAMS};
use crate::holder::Stands;
use crate::parts::Directory;
use crate::schema::{Names, Scenario};
use crate::text::deserialise::suggestion;
use crate::text::tree::Places;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// What the checks found.
pub(crate) struct Checked {
    pub(crate) problems: Vec<Problem>,
    /// Each disk's name and the part that it is of.
    pub(crate) disks: Vec<(String, String)>,
    /// Everything that holds blocks: the disks first, under the same numbers, then what is made of them.
    pub(crate) holders: Vec<PlannedHolder>,
    /// The file systems, in the order of the file.
    pub(crate) file_systems: Vec<PlannedFileSystem>,
    /// The holder of each Unix host's file system.
    pub(crate) unix: Vec<u32>,
    /// What each workload goes to: indices of `holders`, or of `file_systems` and then `unix`.
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
    inputs: &'a Inputs,
    problems: Vec<Problem>,
    disks: Vec<(String, String)>,
    holders: Vec<PlannedHolder>,
    /// Who uses each holder, where somebody does who wants it alone.
    users: BTreeMap<u32, String>,
    file_systems: Vec<PlannedFileSystem>,
    unix: Vec<u32>,
    /// Holders and file systems that workloads go to.
    used: BTreeSet<u32>,
    used_file_systems: BTreeSet<u32>,
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
pub(crate) fn check(scenario: &Scenario, places: &Places, sources: &Sources, inputs: &Inputs) -> Checked {
    let mut checker = Checker {
        scenario,
        places,
        sources,
        inputs,
        problems: Vec::new(),
        disks: Vec::new(),
        holders: Vec::new(),
        users: BTreeMap::new(),
        file_systems: Vec::new(),
        unix: Vec::new(),
        used: BTreeSet::new(),
        used_file_systems: BTreeSet::new(),
        taken: BTreeMap::from([PROGRAMS, REQUEST_PROGRAMS].map(|page| (page.to_owned(), "the programs"))),
        pool: None,
        missing: BTreeSet::new(),
    };
    checker.disks();
    checker.holders();
    checker.file_systems();
    checker.pages_within_pages();
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
        // A part of another has its path for a name.
        if name.split('/').any(|piece| piece.is_empty() || !piece.chars().all(fine)) {
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

    /// Notes the names of pages that lie within those of others, beside which parts may lie that these own.
    fn pages_within_pages(&mut self) {
        let scenario = self.scenario;
        let own = (scenario.host.keys().map(|name| ("host", name, "processor", "host's processor")))
            .chain(scenario.unix.keys().map(|name| ("unix", name, "sync-daemon", "sync daemon")))
            .map(|(key, name, page, what)| (key, name.as_str(), page, what));
        let of_holders = scenario.holders.iter().flat_map(|(key, name, part)| {
            part.inner_pages().iter().map(move |&(page, what)| (key, name, page, what))
        });
        for (key, name, page, what) in own.chain(of_holders) {
            self.take_name(&format!("{key}.{name}"), &format!("{name}/{page}"), what, "rename one of them");
        }
        if self.file_systems.len() != scenario.fs.len() {
            return;
        }
        for (name, plan) in scenario.fs.keys().zip(self.file_systems.clone()) {
            let Some((host, _)) = scenario.host.get_index(plan.host) else { continue };
            let page = format!("{host}/{}", crate::build::name_in(name, host));
            self.take_name(&format!("fs.{name}"), &page, "file system", "rename one of them");
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
        let busy: BTreeSet<usize> = self.file_systems.iter().map(|planned| planned.host).collect();
        for (number, name) in self.scenario.host.keys().enumerate() {
            if !busy.contains(&number) && self.file_systems.len() == self.scenario.fs.len() {
                let message = format!("no file system is mounted by the host \"{name}\"");
                self.error_at_key(&format!("host.{name}"), message, "give it one, or leave the host out");
            }
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
            self.error_at_key(&format!("{key}.{name}"), message, help);
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
            self.error_at_key(&path, message, "name it in a workload's on, or leave it out");
        }
    }
}

/// What was meant, or what there is; of very many, the first.
fn listed(word: &str, known: &[&str], list: &str) -> String {
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
