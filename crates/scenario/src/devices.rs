//! Finds the drive of each disk part: from the catalogue, from a file, or from the scenario itself, with its changes.

use crate::catalogue::{DEVICES, Device, read_device};
use crate::scenario::Scenario;
use crate::schema::{Adapter, Disk, Spindle, WriteCache};
use crate::text::file::text_of;
use crate::text::tree::{KeySpans, Table, entry, merge, parse};
use crate::text::{Problem, Sources};
use crate::wires::adapter_of;
use indexmap::IndexMap;
use petrio_files::inputs::Inputs;
use petrio_models::device::{BlockDevice, Channel};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A device of the scenario: what is written of it, and what it is compiled to, once for all disks of the part.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) device: Arc<Device>,
    pub(crate) compiled: Arc<dyn BlockDevice>,
}

/// The device of each disk part, or everything that is wrong with them.
pub(crate) fn devices(
    scenario: &Scenario,
    root: &Table<'_>,
    places: &KeySpans,
    sources: &mut Sources,
    inputs: &Inputs,
) -> Result<IndexMap<String, Found>, Vec<Problem>> {
    let mut devices = IndexMap::new();
    let mut problems = Vec::new();
    // A drive that is described alike by many parts is read, and laid out, once.
    let mut known: BTreeMap<Description, Found> = BTreeMap::new();
    for (name, disk) in &scenario.disk {
        let channel = adapter_of(scenario, disk).map(Adapter::channel);
        let description = description(disk, channel);
        let wrong = |message: String, sources: &Sources| {
            let span = places.key(&format!("disk.{name}"));
            vec![sources.error(span, format!("the drive of \"{name}\" can't be: {message}"))]
        };
        let found = match known.get(&description) {
            Some(found) => Ok(found.clone()),
            None => device(name, disk, root, places, sources, inputs)
                .and_then(|device| cached(device, disk).map_err(|message| wrong(message, sources)))
                .and_then(|device| compiled(device, channel).map_err(|message| wrong(message, sources))),
        };
        let sound = found.and_then(|found| {
            can_be(&found, (disk, adapter_of(scenario, disk)))
                .map(|()| found)
                .map_err(|message| wrong(message, sources))
        });
        match sound {
            Ok(found) => {
                known.insert(description, found.clone());
                devices.insert(name.clone(), found);
            }
            // What is wrong with the first copy is told of it.
            Err(_) if places.copies().first(&format!("disk.{name}")).is_some() => {}
            Err(mut more) => problems.append(&mut more),
        }
    }
    if problems.is_empty() { Ok(devices) } else { Err(problems) }
}

/// Whether a device can be used as its part says.
fn can_be(Found { compiled, .. }: &Found, (disk, adapter): (&Disk, Option<&Adapter>)) -> Result<(), String> {
    compiled.accepts(&disk.queueing())?;
    let is_instance = adapter.is_some_and(|adapter| adapter.limits.is_some());
    if let Some(bus) = disk.bus.as_ref().filter(|_| compiled.is_volume() != is_instance) {
        return Err(if is_instance {
            format!(
                "\"{bus}\" has an instance's limits, which only volumes pass (drives of kind volume, such as gp3)"
            )
        } else {
            format!(
                "a volume hangs on nothing but an instance, and \"{bus}\" has no limits of one (petrio catalogue list adapters)"
            )
        });
    }
    if let Some(bus) = disk.bus.as_ref().filter(|_| !compiled.shares_bus()) {
        return Err(format!(
            "it can't share the bus \"{bus}\": only mechanical disks and drives of kind ssd do"
        ));
    }
    if disk.spindle == Spindle::Locked && !compiled.has_spindle() {
        return Err("its spindle can't be locked to others': it has none whose angle is followed".to_owned());
    }
    Ok(())
}

fn compiled(device: Device, channel: Option<Channel>) -> Result<Found, String> {
    let behind = channel.and_then(|channel| device.parameters().on_channel(&channel));
    let compiled = behind.as_ref().unwrap_or(&device).parameters().compile()?;
    Ok(Found { device: Arc::new(device), compiled })
}

/// The device with its write cache on or off, where the part says so.
fn cached(device: Device, disk: &Disk) -> Result<Device, String> {
    let Some(wanted) = disk.write_cache else { return Ok(device) };
    match device.parameters().with_write_cache(wanted == WriteCache::On) {
        Some(cached) => Ok(cached),
        None => Err("it has no write cache that could be switched; leave out write_cache".to_owned()),
    }
}

/// What a drive is found by: its model, its file, what is changed, its write cache, and what it hangs on.
type Description = (Option<String>, Option<PathBuf>, String, Option<WriteCache>, Option<String>);

fn description(disk: &Disk, channel: Option<Channel>) -> Description {
    let changes = if disk.drive.is_empty() { String::new() } else { disk.drive.to_string() };
    (
        disk.model.clone(),
        disk.file.clone(),
        changes,
        disk.write_cache,
        channel.map(|channel| format!("{channel:?}")),
    )
}

fn device(
    name: &str,
    disk: &Disk,
    root: &Table<'_>,
    places: &KeySpans,
    sources: &mut Sources,
    inputs: &Inputs,
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
            let span = places.value(&format!("disk.{name}.file"));
            let text = match inputs.may_be_read(file) {
                true => text_of(inputs, file).map_err(|problem| {
                    let advice = problem.advice().map(str::to_owned);
                    vec![sources.error(span, problem.message()).maybe_help(advice)]
                })?,
                false => return Err(vec![sources.error(span, "files are not read here")]),
            };
            (inputs.path_of(file).display().to_string(), text)
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

fn catalogued(name: &str, model: &str, places: &KeySpans, sources: &Sources) -> Result<String, Vec<Problem>> {
    DEVICES.text(model).map(str::to_owned).ok_or_else(|| {
        let span = places.value(&format!("disk.{name}.model"));
        let problem = sources.error(span, format!("the catalogue has no drive \"{model}\""));
        // What calibrations and converters write is a file.
        let is_file = model.ends_with(".toml");
        vec![problem.help(if is_file {
            format!("a drive of your own is a file beside the scenario: write file = \"{model}\" in place of model")
        } else {
            DEVICES.advice(model)
        })]
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
