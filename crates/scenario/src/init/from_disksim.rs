//! A scenario of a DiskSim parameter file: its drives, arrays and synthetic load together.

use super::from_file::{head, quoted};
use super::{Choices, Made, filled_in, finished};
use crate::catalogue::disksim::{ArrayOfDrives, System, called, import_system, part_name};
use crate::catalogue::drive_toml;
use crate::fio::plain;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use std::collections::BTreeMap;
use std::path::Path;

/// Whether a text has blocks as DiskSim's parameter files have them.
pub(super) fn is_parameters(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("disksim_"))
}

pub(super) fn from_disksim(
    name: &str,
    (inputs, file): (&Inputs, &Path),
    choices: &Choices,
) -> Result<Made, Problems> {
    let fail = |problem: String| Problems::new(name, vec![Problem::error(problem)]);
    let mut system = import_system(inputs, file).map_err(|error| fail(error.to_string()))?;
    system.without_idle_drives();
    let mut remarks: Vec<String> = system.imported.ignored.iter().map(ToString::to_string).collect();
    let mut body = head(name, "The system of", choices);
    body.push_str(&format!("\ntitle = {}\n", quoted(&format!("The system of {name}"))));
    for (kind, drive) in system.imported.drives.iter().enumerate() {
        let part = part_name(&system, kind);
        let count = system.instances.get(kind).map_or(1, Vec::len);
        let text = drive_toml(drive).map_err(|error| fail(error.to_string()))?;
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| fail(error.to_string()))?;
        let mut below = toml::Table::from_iter([("drive".to_owned(), toml::Value::Table(table))]);
        below = toml::Table::from_iter([(part.clone(), toml::Value::Table(below))]);
        below = toml::Table::from_iter([("disk".to_owned(), toml::Value::Table(below))]);
        let nested = toml::to_string(&below).map_err(|error| fail(error.to_string()))?;
        body.push_str(&format!(
            "\n[disk.{part}]              # {}\ncount = {count}\n{nested}",
            drive.name.replace(['\n', '\r'], " ")
        ));
    }
    let mut names = called(&system);
    for array in &system.arrays {
        body.push_str(&array_toml(array, &mut names));
    }
    body.push_str(&load(&system, &names, &mut remarks));
    // The system has no host, whose machine or memory might be chosen.
    let text = filled_in(&body, choices, ("", "", ""));
    let problems = match finished(&text, remarks.clone(), &Inputs::none()) {
        Ok(made) => return Ok(made),
        Err(problems) => problems,
    };
    // Files that come with DiskSim say more than their drives have.
    let all: String = text
        .lines()
        .filter(|line| !line.starts_with("capacity = "))
        .fold(String::new(), |all, line| all + line + "\n");
    remarks.push(
        "Storage capacity per device is more than a device has: generators use all of theirs".to_owned(),
    );
    finished(&all, remarks, &Inputs::none()).map_err(|_| problems)
}

/// An array, after which what asks for it asks for the array here.
fn array_toml(array: &ArrayOfDrives, names: &mut BTreeMap<String, String>) -> String {
    let members: Vec<String> =
        array.members.iter().filter_map(|member| names.get(member)).map(|name| quoted(name)).collect();
    let Some(level) = array.level.filter(|_| members.len() > 1) else {
        return String::new();
    };
    let part = plain(&array.name);
    let mut text = format!("\n[raid.{part}]\nlevel = {}\non = [{}]\n", level_toml(level), members.join(", "));
    if array.stripe_blocks > 0 && level != "1" {
        text.push_str(&format!("stripe_unit = \"{} B\"\n", u128::from(array.stripe_blocks) * 512));
    }
    names.insert(array.name.clone(), part);
    text
}

/// A number where it is one.
fn level_toml(level: &str) -> String {
    if level.parse::<u8>().is_ok() { level.to_owned() } else { quoted(level) }
}

/// What is asked of the drives and arrays; of those that nothing is asked of in the file, a few requests.
fn load(system: &System, names: &BTreeMap<String, String>, remarks: &mut Vec<String>) -> String {
    let Some(load) = &system.load else {
        remarks.push("the file has no synthetic load: one of random reads stands in its place".to_owned());
        let first = names.values().next().cloned().unwrap_or_default();
        return format!(
            "\n[workload.load]\nkind = \"synthetic\"\non = {}\nrequests = 1000\n\n[[workload.load.generators]]\nread_fraction = 1.0\n\
             inter_arrival = {{ exponential = {{ mean = \"20 ms\" }} }}\nsize = \"4 KiB\"\n",
            quoted(&first)
        );
    };
    // What stands for itself in an array that isn't one here are its drives.
    let members = |device: &String| -> Vec<String> {
        let array = system.arrays.iter().find(|array| array.name == *device && !names.contains_key(device));
        array.map_or_else(|| vec![device.clone()], |array| array.members.clone())
    };
    let mut on: Vec<String> = Vec::new();
    let mut tables = String::new();
    for (devices, table) in &load.generators {
        let mut numbers = Vec::new();
        for device in devices.iter().flat_map(members) {
            let Some(name) = names.get(&device) else {
                remarks.push(format!("a generator asks for {device}, which there isn't"));
                continue;
            };
            let known = on.iter().position(|known| known == name);
            numbers.push(known.unwrap_or_else(|| {
                on.push(name.clone());
                on.len() - 1
            }));
        }
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        tables.push_str(&format!("\n[[workload.load.generators]]\ndevices = [{}]\n", numbers.join(", ")));
        for (key, value) in table {
            tables.push_str(&format!("{key} = {value}\n"));
        }
    }
    let on: Vec<String> = on.iter().map(|name| quoted(name)).collect();
    let mut text = format!("\n[workload.load]\nkind = \"synthetic\"\non = [{}]\n", on.join(", "));
    if let Some(requests) = load.requests {
        text.push_str(&format!("requests = {requests}\n"));
    }
    if let Some(seconds) = load.seconds.filter(|seconds| *seconds > 0.0) {
        text.push_str(&format!("duration = \"{seconds} s\"\n"));
    }
    text + &tables
}
