//! Finds the drive of each disk part: from the catalogue, from a file, or from the scenario itself, with its changes.

use crate::catalogue::{DEVICES, Device, read_device};
use crate::load::text_of;
use crate::schema::{Disk, Scenario};
use crate::text::tree::{Places, Table, entry, merge, parse};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The device of each disk part, or everything that is wrong with them.
pub(crate) fn devices(
    scenario: &Scenario,
    root: &Table<'_>,
    places: &Places,
    sources: &mut Sources,
    folder: Option<&Path>,
) -> Result<IndexMap<String, Arc<Device>>, Vec<Problem>> {
    let mut devices = IndexMap::new();
    let mut problems = Vec::new();
    // Parts that name one drive of the catalogue and change nothing share it, and all that is made of it.
    let mut unchanged: BTreeMap<&str, Arc<Device>> = BTreeMap::new();
    for (name, disk) in &scenario.disk {
        let shared = disk.model.as_deref().filter(|_| disk.file.is_none() && changes(root, name).is_none());
        if let Some(device) = shared.and_then(|model| unchanged.get(model)) {
            devices.insert(name.clone(), Arc::clone(device));
            continue;
        }
        let found = device(name, disk, root, places, sources, folder);
        let sound = found.and_then(|device| match device.check() {
            Ok(()) => Ok(device),
            Err(message) => {
                let span = places.key(&format!("disk.{name}"));
                Err(vec![sources.error(span, format!("the drive of \"{name}\" can't be: {message}"))])
            }
        });
        match sound {
            Ok(device) => {
                let device = Arc::new(device);
                if let Some(model) = shared {
                    unchanged.insert(model, Arc::clone(&device));
                }
                devices.insert(name.clone(), device);
            }
            Err(mut more) => problems.append(&mut more),
        }
    }
    if problems.is_empty() { Ok(devices) } else { Err(problems) }
}

fn device(
    name: &str,
    disk: &Disk,
    root: &Table<'_>,
    places: &Places,
    sources: &mut Sources,
    folder: Option<&Path>,
) -> Result<Device, Vec<Problem>> {
    let changes = changes(root, name);
    let (origin, text) = match (&disk.model, &disk.file) {
        (Some(_), Some(_)) => {
            let span = places.key(&format!("disk.{name}.file"));
            let problem = sources.error(span, format!("the disk \"{name}\" has both a model and a file"));
            return Err(vec![problem.help("keep one of them")]);
        }
        (None, None) => {
            // The whole drive is written in the scenario, or nothing is.
            return match changes {
                Some(changes) => read_device(&changes, sources),
                None => {
                    let span = places.key(&format!("disk.{name}"));
                    let problem = sources.error(span, format!("the disk \"{name}\" has no model"));
                    Err(vec![problem.help(
                        "name a drive of the catalogue: model = \"…\", or a file of your own: file = \"…\"",
                    )])
                }
            };
        }
        (Some(model), None) => {
            (format!("catalogue/devices/{model}.toml"), catalogued(name, model, places, sources)?)
        }
        (None, Some(file)) => {
            let path = folder.map_or_else(|| file.clone(), |folder| folder.join(file));
            let span = places.value(&format!("disk.{name}.file"));
            let text = match folder {
                Some(_) => text_of(&path).map_err(|problem| {
                    let advice = problem.advice().map(str::to_owned);
                    vec![sources.error(span, problem.message()).maybe_help(advice)]
                })?,
                None => return Err(vec![sources.error(span, "files are not read here")]),
            };
            (path.display().to_string(), text)
        }
    };
    let base = sources.add(origin, text.as_str());
    let (table, mistakes) = parse(&text, base);
    if !mistakes.is_empty() {
        let problem = |mistake: crate::text::tree::Mistake| sources.error(mistake.span, mistake.message);
        return Err(mistakes.into_iter().map(problem).collect());
    }
    let span = table.span();
    let mut merged: DeTable<'_> = table.into_inner();
    if let Some(changes) = &changes {
        merge(&mut merged, changes.get_ref());
    }
    read_device(&Spanned::new(span, merged), sources)
}

fn catalogued(name: &str, model: &str, places: &Places, sources: &Sources) -> Result<String, Vec<Problem>> {
    DEVICES.text(model).map(str::to_owned).ok_or_else(|| {
        let span = places.value(&format!("disk.{name}.model"));
        let problem = sources.error(span, format!("the catalogue has no drive \"{model}\""));
        vec![problem.help(DEVICES.advice(model))]
    })
}

/// The table `disk.NAME.drive`.
fn changes<'i>(root: &Table<'i>, name: &str) -> Option<Table<'i>> {
    let mut here = root.get_ref();
    for key in ["disk", name] {
        here = entry(here, key)?.1.get_ref().as_table()?;
    }
    let (_, drive) = entry(here, "drive")?;
    match drive.get_ref() {
        DeValue::Table(table) => Some(Spanned::new(drive.span(), table.clone())),
        _ => None,
    }
}
