//! Finds the machine and the kernel of each host: from the catalogue or from a file, with the scenario's changes.

use crate::catalogue::{KERNELS, MACHINES, Shelf};
use crate::load::text_of;
use crate::schema::{Host, Scenario};
use crate::text::tree::{Places, Table, entry, merge, parse};
use crate::text::typed::read;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_models::host::kernel_profile::KernelParameters;
use petrio_models::host::machine::MachineParameters;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// A host's machine and kernel.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) machine: MachineParameters,
    pub(crate) kernel: KernelParameters,
}

/// The profile of each host, or everything that is wrong with them.
pub(crate) fn profiles(
    scenario: &Scenario,
    root: &Table<'_>,
    places: &Places,
    sources: &mut Sources,
    folder: Option<&Path>,
) -> Result<IndexMap<String, Profile>, Vec<Problem>> {
    let mut found = IndexMap::new();
    let mut problems = Vec::new();
    let (mut machines, mut kernels) = (BTreeMap::new(), BTreeMap::new());
    for (name, host) in &scenario.host {
        let mut finder = Finder { name, root, places, sources, folder };
        let machine = finder.find_once(MACHINES, &host.machine, read::<MachineParameters>, &mut machines);
        let kernel = finder.find_once(KERNELS, &host.kernel, read::<KernelParameters>, &mut kernels);
        match (machine, kernel) {
            (Ok(machine), Ok(kernel)) => {
                let kernel = with_read_ahead(kernel, host);
                found.insert(name.clone(), Profile { machine, kernel });
            }
            (machine, kernel) => {
                problems.extend(machine.err().into_iter().chain(kernel.err()).flatten());
            }
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

fn with_read_ahead(mut kernel: KernelParameters, host: &Host) -> KernelParameters {
    if let Some(max) = host.read_ahead {
        kernel.read_ahead.max = max;
    }
    kernel
}

struct Finder<'a, 'i> {
    name: &'a str,
    root: &'a Table<'i>,
    places: &'a Places,
    sources: &'a mut Sources,
    folder: Option<&'a Path>,
}

impl<'i> Finder<'_, 'i> {
    /// As [`find`](Self::find), where what other hosts name and change nothing of is read once for all.
    fn find_once<'w, T: Clone>(
        &mut self,
        shelf: Shelf,
        word: &'w str,
        read: impl Fn(&Table<'_>, &Sources) -> Result<T, Vec<Problem>>,
        unchanged: &mut BTreeMap<&'w str, T>,
    ) -> Result<T, Vec<Problem>> {
        if self.changes(shelf.what).is_some() {
            return self.find(shelf, word, read);
        }
        if let Some(known) = unchanged.get(word) {
            return Ok(known.clone());
        }
        let found = self.find(shelf, word, read)?;
        unchanged.insert(word, found.clone());
        Ok(found)
    }

    /// A machine or a kernel: what the catalogue or a file says, and on top of it what the scenario says.
    fn find<T>(
        &mut self,
        shelf: Shelf,
        word: &str,
        read: impl Fn(&Table<'_>, &Sources) -> Result<T, Vec<Problem>>,
    ) -> Result<T, Vec<Problem>> {
        let what = shelf.what;
        let span = self.places.value(&format!("host.{}.{what}", self.name));
        let (origin, text) = if word.ends_with(".toml") {
            let Some(folder) = self.folder else {
                return Err(vec![self.sources.error(span, "files are not read here")]);
            };
            let path = folder.join(word);
            let text = text_of(&path).map_err(|problem| {
                let advice = problem.advice().map(str::to_owned);
                vec![self.sources.error(span, problem.message()).maybe_help(advice)]
            })?;
            (path.display().to_string(), text)
        } else {
            let Some(text) = shelf.text(word) else {
                let problem = self.sources.error(span, format!("the catalogue has no {what} \"{word}\""));
                return Err(vec![problem.help(shelf.advice(word))]);
            };
            (format!("catalogue/{}/{word}.toml", shelf.folder), text.to_owned())
        };
        let base = self.sources.add(origin, text.as_str());
        let (table, mistakes) = parse(&text, base);
        if !mistakes.is_empty() {
            let problem =
                |mistake: crate::text::tree::Mistake| self.sources.error(mistake.span, mistake.message);
            return Err(mistakes.into_iter().map(problem).collect());
        }
        let span = table.span();
        let mut merged = table.into_inner();
        if let Some(changes) = self.changes(what) {
            merge(&mut merged, changes.get_ref());
        }
        read(&Spanned::new(span, merged), self.sources)
    }

    /// The table `host.NAME.change.machine` or `….kernel`.
    fn changes(&self, what: &str) -> Option<Table<'i>> {
        let mut here = self.root.get_ref();
        for key in ["host", self.name, "change"] {
            here = entry(here, key)?.1.get_ref().as_table()?;
        }
        let (_, table) = entry(here, what)?;
        match table.get_ref() {
            DeValue::Table(inner) => Some(Spanned::new(table.span(), inner.clone())),
            _ => None,
        }
    }
}
