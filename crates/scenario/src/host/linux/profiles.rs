//! Finds the machine and the kernel of each host: from the catalogue or from a file, with the scenario's changes.

use super::host::Host;
use crate::catalogue::{KERNELS, MACHINES, Shelf};
use crate::text::deserialise::read;
use crate::text::file::text_of;
use crate::text::tree::{KeySpans, Table, entry, merge, parse};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_models::host::kernel_profile::{DeviceWindow, KernelParameters};
use petrio_models::host::machine::MachineParameters;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;
use toml::de::DeValue;

/// A host's machine and kernel.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    pub(super) machine: MachineParameters,
    pub(super) kernel: KernelParameters,
}

/// The profile of each host, or everything that is wrong with them.
pub(super) fn profiles(
    hosts: &IndexMap<String, Host>,
    root: &Table<'_>,
    places: &KeySpans,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Result<IndexMap<String, Profile>, Vec<Problem>> {
    let mut found = IndexMap::new();
    let mut problems = Vec::new();
    // Machines and kernels that are described alike by many hosts are read once.
    let (mut machines, mut kernels) = (BTreeMap::new(), BTreeMap::new());
    for (name, host) in hosts {
        let mut finder = Finder { name, root, places, sources, inputs };
        let machine = known(&mut machines, (&host.machine, &host.change.machine), || {
            finder.find(MACHINES, &host.machine, read::<MachineParameters>)
        });
        let kernel = known(&mut kernels, (&host.kernel, &host.change.kernel), || {
            finder.find(KERNELS, &host.kernel, read::<KernelParameters>)
        });
        match (machine, kernel) {
            (Ok(machine), Ok(kernel)) => {
                let kernel = with_read_ahead(kernel, host);
                found.insert(name.clone(), Profile { machine, kernel });
            }
            // What is wrong with the first copy is told of it.
            _ if places.copies().first(&format!("host.{name}")).is_some() => {}
            (machine, kernel) => {
                problems.extend(machine.err().into_iter().chain(kernel.err()).flatten());
            }
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// What was found by the same name with the same changes, or is found now.
fn known<T: Clone>(
    known: &mut BTreeMap<(String, String), T>,
    (word, changes): (&str, &toml::Table),
    find: impl FnOnce() -> Result<T, Vec<Problem>>,
) -> Result<T, Vec<Problem>> {
    let changes = if changes.is_empty() { String::new() } else { changes.to_string() };
    let description = (word.to_owned(), changes);
    if let Some(found) = known.get(&description) {
        return Ok(found.clone());
    }
    let found = find()?;
    known.insert(description, found.clone());
    Ok(found)
}

fn with_read_ahead(mut kernel: KernelParameters, host: &Host) -> KernelParameters {
    if let Some(max) = host.read_ahead {
        kernel.read_ahead.max = max;
        kernel.read_ahead.device = DeviceWindow::Nothing;
    }
    kernel
}

struct Finder<'a, 'i> {
    name: &'a str,
    root: &'a Table<'i>,
    places: &'a KeySpans,
    sources: &'a mut Sources,
    inputs: &'a Inputs,
}

impl<'i> Finder<'_, 'i> {
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
            let file = Path::new(word);
            if !self.inputs.may_be_read(file) {
                return Err(vec![self.sources.error(span, "files are not read here")]);
            }
            let text = text_of(self.inputs, file).map_err(|problem| {
                let advice = problem.advice().map(str::to_owned);
                vec![self.sources.error(span, problem.message()).maybe_help(advice)]
            })?;
            (self.inputs.path_of(file).display().to_string(), text)
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
