//! What every check is given: where things stand in the text, who has which name, what names stand for; and what is
//! found on the way.

mod holders;

pub(crate) use holders::{HOLDERS, each_name};

use crate::holder::Stands;
use crate::parts::Directory;
use crate::schema::Names;
use crate::text::deserialise::suggestion;
use crate::text::tree::{KeySpans, Table};
use crate::text::{Problem, Sources, refusal};
use petrio_engine::{PROGRAMS, REQUEST_PROGRAMS};
use petrio_files::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// A file system of a host that may be on the networks of another family, which these may export.
#[derive(Clone, Debug)]
pub(crate) struct GuestFileSystem {
    /// Its name.
    pub(crate) name: String,
    /// Its host's name.
    pub(crate) host: String,
    /// Its number among the file systems of its host.
    pub(crate) mount: u32,
    /// The holder that it lies on.
    pub(crate) on: u32,
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

/// What workloads that work on files may name, as far as it is known before the sizes are.
#[derive(Clone, Debug)]
pub(crate) struct PlannedVolume {
    /// The key of the scenario under which it is described.
    pub(crate) key: &'static str,
    /// What it is, for messages: "file system".
    pub(crate) what: &'static str,
    /// Its name.
    pub(crate) name: String,
    /// The name of the part of the scenario that it is of: its own, but for mounts of what hosts share.
    pub(crate) part: String,
    /// The holder that it lies on, where it lies on one.
    pub(crate) on: Option<u32>,
    /// What is written of it makes sense.
    pub(crate) found: bool,
    /// Others of the same part are file systems of the same host, each with files of its own; and not mounts of one thing by
    /// many hosts.
    pub(crate) is_beside_others: bool,
}

impl PlannedVolume {
    /// What somebody uses with it: it alone, or what many hosts mount under the name of its part.
    pub(crate) fn used_as(&self) -> (&'static str, &str) {
        (self.key, if self.is_beside_others { &self.name } else { &self.part })
    }
}

/// The key of disks.
pub(crate) const DISK: &str = "disk";

/// What is checked, and what is found on the way.
pub(crate) struct Checker<'a, 'i> {
    pub(crate) root: &'a Table<'i>,
    pub(crate) places: &'a KeySpans,
    pub(crate) sources: &'a mut Sources,
    pub(crate) inputs: &'a Inputs,
    pub(crate) problems: Vec<Problem>,
    pub(crate) disks: Vec<(String, String)>,
    pub(crate) holders: Vec<PlannedHolder>,
    /// Who uses each holder, where somebody does who wants it alone.
    pub(crate) users: BTreeMap<u32, String>,
    /// Those of them that several of a kind use: partitions.
    pub(crate) shared: BTreeSet<u32>,
    /// What hosts mount.
    pub(crate) volumes: Vec<PlannedVolume>,
    /// Holders and volumes that workloads go to.
    pub(crate) used: BTreeSet<u32>,
    pub(crate) used_volumes: BTreeSet<u32>,
    /// What is wrong only where there are workloads.
    pub(crate) unused: Vec<Problem>,
    /// Names of the pages of the net, and what has each.
    pub(crate) taken: BTreeMap<String, &'static str>,
    /// The networks within holders.
    pub(crate) inner_networks: BTreeMap<String, WithinHolder>,
    /// The hosts of other families than Linux', which may be on networks and mount what is exported.
    pub(crate) guests: Vec<String>,
    /// Their file systems, and the names of those that are exported.
    pub(crate) guest_file_systems: Vec<GuestFileSystem>,
    pub(crate) exported: BTreeSet<String>,
    /// The holders by name, once they are known, and what hosts mount.
    pub(crate) pool: Option<Rc<Directory>>,
    pub(crate) file_systems: Option<Rc<Directory>>,
    /// References that stand for nothing: one in a part of which there are many is told once.
    pub(crate) missing: BTreeSet<(usize, usize)>,
}

/// A network within a holder.
pub(crate) struct WithinHolder {
    /// The holder's name.
    pub(crate) holder: String,
    /// Where that says so.
    pub(crate) path: String,
    /// The names of the network's ends.
    pub(crate) ends: Vec<String>,
}

/// A message names no more parts than this.
const LISTED_MAX: usize = 50;

/// Words for the parts that names may stand for.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    one: &'static str,
    many: &'static str,
}

/// What workloads on files go to.
pub(crate) const FILE_SYSTEMS: Words = Words { one: "file system", many: "file systems" };
/// Hosts.
pub(crate) const HOSTS: Words = Words { one: "host", many: "hosts" };

impl<'a, 'i> Checker<'a, 'i> {
    pub(crate) fn new(
        root: &'a Table<'i>,
        places: &'a KeySpans,
        sources: &'a mut Sources,
        inputs: &'a Inputs,
    ) -> Self {
        let taken = [PROGRAMS, REQUEST_PROGRAMS].map(|page| (page.to_owned(), "the programs"));
        Self {
            root,
            places,
            sources,
            inputs,
            problems: Vec::new(),
            disks: Vec::new(),
            holders: Vec::new(),
            users: BTreeMap::new(),
            shared: BTreeSet::new(),
            volumes: Vec::new(),
            inner_networks: BTreeMap::new(),
            used: BTreeSet::new(),
            used_volumes: BTreeSet::new(),
            unused: Vec::new(),
            taken: BTreeMap::from(taken),
            guests: Vec::new(),
            guest_file_systems: Vec::new(),
            exported: BTreeSet::new(),
            pool: None,
            file_systems: None,
            missing: BTreeSet::new(),
        }
    }

    /// Notes an error at the value of a path, with advice.
    pub(crate) fn error(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.value(path), message).help(help));
    }

    /// Notes an error at the name of a part, with advice.
    pub(crate) fn error_at_key(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.key(path), message).help(help));
    }

    /// Notes what a model says of the parameters of the part at `path`, with which it can't be made.
    pub(crate) fn refuse(&mut self, path: &str, words: &str) {
        self.problems.push(refusal(self.sources, self.places, path, words));
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

    /// Notes that something other than a workload uses what is mounted.
    pub(crate) fn use_volume(&mut self, number: u32) {
        self.used_volumes.insert(number);
    }

    /// Notes that nothing uses a part, which is an error where anything is done.
    pub(crate) fn unused(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.unused.push(self.sources.error(self.places.key(path), message).help(help));
    }

    /// A part that holds blocks, by its number.
    pub(crate) fn holder(&self, number: u32) -> &PlannedHolder {
        &self.holders[number as usize]
    }

    /// The parts of a pool, each with its name and the name under which the scenario describes it.
    fn directory(&self, parts: &[(String, String)]) -> Directory {
        let names = parts.iter().map(|(name, part)| (name.as_str(), part.as_str()));
        Directory::of(names, self.places.copies())
    }

    /// The parts of a pool that names and patterns stand for. The name under which the scenario describes several
    /// stands for all of them.
    pub(crate) fn find(&mut self, path: &str, names: &Names, pool: &Directory, words: Words) -> Vec<u32> {
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
                    let help = within(pattern, pool)
                        .unwrap_or_else(|| listed(pattern, &pool.listed(20), &format!("the {many} are")));
                    self.error(&path, format!("no {one} is called \"{pattern}\""), help);
                }
            }
            found.extend(fitting.into_iter().filter(|&number| known.insert(number)));
        }
        found
    }
}

/// What there is of something that isn't in a pool itself, but of which several are.
fn within(pattern: &str, pool: &Directory) -> Option<String> {
    let all = format!("{pattern}/*");
    let found = pool.find(&all);
    let names: Vec<&str> = found.iter().take(LISTED_MAX).map(|&number| pool.name(number)).collect();
    (names.len() > 1).then(|| format!("of it there are {}; \"{all}\" is all of them", names.join(", ")))
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
