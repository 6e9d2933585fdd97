//! What stands beside the drives of a parameter file: how many of each there are, arrays of them, and synthetic loads.
//!
//! | DiskSim | here |
//! | --- | --- |
//! | `instantiate [ disk0 .. disk4 ] as NAME` | so many drives of a kind |
//! | `disksim_logorg`: Striped, Asis; Noredun, Shadowed, Parity_disk, Parity_rotated | an array of level 0, 1, 1+0, 4, 5 |
//! | `disksim_synthio` with its generators | a synthetic workload, whose generators are DiskSim's |
//!
//! Sizes and distances are in blocks of 512 bytes, times in ms; an exponential distribution is a base and a mean above it, a
//! normal one a mean and a *variance*. Source: the DiskSim 4.0 reference manual (CMU-PDL-08-101), "Synthetic workload" and "Device organizations".

use super::error::{ImportError, Problem};
use super::files::Files;
use super::notes::Notes;
use super::reader::Reader;
use super::syntax::{Block, Document, Value};
use super::{Ignored, Imported, imported, syntax};
use petrio_files::inputs::Inputs;
use std::collections::BTreeMap;
use std::path::Path;

/// A system as a parameter file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The drives, with what of the file has no effect.
    pub imported: Imported,
    /// Of each kind of drive, the names of those that there are.
    pub instances: Vec<Vec<String>>,
    /// Arrays.
    pub arrays: Vec<ArrayOfDrives>,
    /// The synthetic load, where there is one.
    pub load: Option<SyntheticLoad>,
}

/// An array of drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayOfDrives {
    /// What DiskSim calls it.
    pub name: String,
    /// Its level, as a scenario has it; `None` where the drives stand for themselves, or where it isn't modelled.
    pub level: Option<&'static str>,
    /// Its members' names.
    pub members: Vec<String>,
    /// Blocks of a stripe unit.
    pub stripe_blocks: u64,
}

/// A synthetic load.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticLoad {
    /// How many requests.
    pub requests: Option<u64>,
    /// For how many seconds.
    pub seconds: Option<f64>,
    /// Its generators: the names of what each asks, and its parameters as a scenario has them.
    pub generators: Vec<(Vec<String>, toml::Table)>,
}

impl System {
    /// Leaves out drives that no generator asks, by itself or as members of arrays that one asks; all stay where nothing asks any.
    pub fn without_idle_drives(&mut self) {
        let Some(load) = &self.load else { return };
        let asked: Vec<&String> = load.generators.iter().flat_map(|(devices, _)| devices).collect();
        self.arrays.retain(|array| asked.contains(&&array.name));
        let of_arrays = self.arrays.iter().flat_map(|array| &array.members);
        let used: Vec<String> = asked.into_iter().chain(of_arrays).cloned().collect();
        for instances in &mut self.instances {
            instances.retain(|instance| used.contains(instance));
        }
        if self.instances.iter().all(Vec::is_empty) {
            return;
        }
        let mut kinds = self.instances.iter().map(|instances| !instances.is_empty());
        self.imported.drives.retain(|_| kinds.next().unwrap_or(true));
        self.instances.retain(|instances| !instances.is_empty());
    }
}

/// Reads a parameter file with all its parts.
///
/// # Errors
/// An [`ImportError`] with file and line.
pub fn import_system(inputs: &Inputs, path: &Path) -> Result<System, ImportError> {
    system_from(inputs, &path.to_string_lossy())
}

pub(super) fn system_from(files: &dyn Files, name: &str) -> Result<System, ImportError> {
    let document = syntax::read(files, name)?;
    let mut notes = Notes::default();
    let drives = imported(&document, files, name, &mut notes)?;
    let kinds = document.blocks.iter().filter(|block| block.kind == "disksim_disk");
    let of_kind = |kind: &Block| {
        let is_one = |(_, of): &&(String, String)| *of == kind.name;
        let mut names: Vec<String> =
            document.instances.iter().filter(is_one).map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            names.push(kind.name.clone());
        }
        names
    };
    let instances: Vec<Vec<String>> = kinds.map(of_kind).collect();
    let mut arrays = Vec::new();
    let mut load = None;
    for block in &document.blocks {
        match block.kind.as_str() {
            "disksim_logorg" => arrays.extend(array(block, &mut notes)?),
            "disksim_synthio" => load = Some(synthetic(block, &document, &mut notes)?),
            _ => notes.beside(block),
        }
    }
    Ok(System { imported: Imported { drives, ignored: notes.0 }, instances, arrays, load })
}

/// The names in a list.
fn names(reader: &Reader<'_>, name: &'static str) -> Result<Vec<String>, ImportError> {
    let items = reader.list(name)?.unwrap_or_default();
    let mut all = Vec::new();
    for item in items {
        let Value::Words(words) = &item.value else { continue };
        // disk0 .. disk4
        match words.split_once("..") {
            Some((first, last)) => all.extend(range(first.trim(), last.trim())),
            None => all.push(words.trim().to_owned()),
        }
    }
    Ok(all)
}

/// disk0 to disk4; at most a few thousand, as nobody has more.
fn range(first: &str, last: &str) -> Vec<String> {
    const MEMBERS_MAX: u64 = 4_096;
    let split = |text: &str| {
        let at = text.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        text[at..].parse::<u64>().ok().map(|number| (text[..at].to_owned(), number))
    };
    match (split(first), split(last)) {
        (Some((stem, from)), Some((other, to))) if stem == other && to >= from && to - from < MEMBERS_MAX => {
            (from..=to).map(|number| format!("{stem}{number}")).collect()
        }
        _ => vec![first.to_owned(), last.to_owned()],
    }
}

fn array(block: &Block, notes: &mut Notes) -> Result<Option<ArrayOfDrives>, ImportError> {
    let reader = Reader::new(block);
    let members = names(&reader, "devices")?;
    let distribution = reader.words("Distribution scheme")?.unwrap_or("Asis");
    let redundancy = reader.words("Redundancy scheme")?.unwrap_or("Noredun");
    let stripe_blocks = reader.count("Stripe unit", u64::from(u32::MAX))?.unwrap_or(0);
    let level = match (distribution, redundancy) {
        ("Asis", "Noredun") => None,
        ("Striped", "Noredun") => Some("0"),
        ("Asis", "Shadowed") => Some("1"),
        ("Striped", "Shadowed") if members.len() == 2 => Some("1"),
        ("Striped", "Shadowed") => Some("1+0"),
        ("Striped" | "Asis", "Parity_disk") => Some("4"),
        ("Striped" | "Asis", "Parity_rotated") => Some("5"),
        _ => {
            let why = "such an array isn't modelled: its drives stand for themselves";
            notes.add(Ignored::new(
                block,
                "Redundancy scheme",
                &format!("{distribution}, {redundancy}"),
                why,
            ));
            None
        }
    };
    reader.without_effect(&[
        "Addressing mode",
        "Time stamp interval",
        "Time stamp start time",
        "Time stamp stop time",
        "Time stamp file name",
    ]);
    // A unit beyond the drive's size keeps each drive's blocks together.
    notes.left_over(&reader);
    Ok(Some(ArrayOfDrives { name: block.name.clone(), level, members, stripe_blocks }))
}

fn synthetic(block: &Block, document: &Document, notes: &mut Notes) -> Result<SyntheticLoad, ImportError> {
    let reader = Reader::new(block);
    let requests = reader.count("Number of I/O requests to generate", u64::MAX)?;
    let seconds = reader.number("Maximum time of trace generated")?;
    let mut generators = Vec::new();
    for item in reader.list("Generators")?.unwrap_or_default() {
        let Value::Block(generator) = &item.value else { continue };
        let of = Reader::new(generator);
        let devices = names(&of, "devices")?;
        generators.push((devices, table(&of)?));
        notes.left_over(&of);
    }
    if generators.is_empty() {
        return Err(reader.error("Generators", Problem::NoGenerator));
    }
    for name in [
        "Think time from call to request",
        "Think time from request to return",
        "System call/return with each request",
    ] {
        if let Some(value) = reader.number(name)?.filter(|value| *value > 0.0) {
            notes.add(Ignored::new(block, name, &value.to_string(), "requests go to the devices at once"));
        }
    }
    notes.left_over(&reader);
    for processors in document.blocks.iter().filter(|block| block.kind == "disksim_pf") {
        let why = "each generator has a processor of its own";
        notes.add(Ignored::new(processors, "Number of processors", "", why));
    }
    Ok(SyntheticLoad { requests, seconds, generators })
}

/// A generator's parameters as a scenario has them.
fn table(of: &Reader<'_>) -> Result<toml::Table, ImportError> {
    let mut table = toml::Table::new();
    let mut set = |key: &str, value: Option<toml::Value>| {
        if let Some(value) = value {
            table.insert(key.to_owned(), value);
        }
    };
    let blocks = |count: u64| toml::Value::String(format!("{} B", u128::from(count) * 512));
    set("capacity", of.count("Storage capacity per device", u64::from(u32::MAX) << 8)?.map(blocks));
    set("alignment", of.count("Blocking factor", 1 << 20)?.filter(|blocks| *blocks > 0).map(blocks));
    let fractions = [
        ("read_fraction", "Probability of read access"),
        ("sequential_fraction", "Probability of sequential access"),
        ("local_fraction", "Probability of local access"),
        ("time_critical_fraction", "Probability of time-critical request"),
        ("time_limited_fraction", "Probability of time-limited request"),
    ];
    for (key, name) in fractions {
        set(key, of.number(name)?.map(toml::Value::Float));
    }
    let times = [
        ("time_limit", "Time-limited think times"),
        ("inter_arrival", "General inter-arrival times"),
        ("sequential_inter_arrival", "Sequential inter-arrival times"),
        ("local_inter_arrival", "Local inter-arrival times"),
    ];
    for (key, name) in times {
        set(key, drawn(of, name, &|ms| format!("{ms} ms"))?);
    }
    let length = |count: f64| format!("{} B", count * 512.0);
    set("local_distance", drawn(of, "Local distances", &length)?);
    set("size", drawn(of, "Sizes", &length)?);
    Ok(table)
}

/// A distribution: its name and its numbers.
fn drawn(
    of: &Reader<'_>,
    name: &'static str,
    unit: &dyn Fn(f64) -> String,
) -> Result<Option<toml::Value>, ImportError> {
    let Some(items) = of.list(name)? else { return Ok(None) };
    let words: Vec<&str> = items
        .iter()
        .map(|item| match &item.value {
            Value::Words(words) => words.trim(),
            Value::List(_) | Value::Block(_) => "",
        })
        .collect();
    let number = |at: usize| {
        let found = words.get(at).copied().unwrap_or_default();
        found.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or_else(|| {
            let expected = "a distribution's name and its numbers".to_owned();
            of.error(name, Problem::Value { name: name.to_owned(), expected, found: words.join(", ") })
        })
    };
    let family = |family: &str, keys: &[(&str, String)]| {
        let inner =
            keys.iter().map(|(key, value)| ((*key).to_owned(), toml::Value::String(value.clone()))).collect();
        toml::Value::Table(toml::Table::from_iter([(family.to_owned(), toml::Value::Table(inner))]))
    };
    Ok(Some(match words.first().copied().unwrap_or_default() {
        "exponential" if number(1)? == 0.0 => family("exponential", &[("mean", unit(number(2)?))]),
        "uniform" => family("uniform", &[("min", unit(number(1)?)), ("max", unit(number(2)?))]),
        // DiskSim's second number is the variance.
        "normal" => family(
            "normal",
            &[("mean", unit(number(1)?)), ("standard_deviation", unit(libm::sqrt(number(2)?.max(0.0))))],
        ),
        other => {
            let expected = "an exponential (from 0), uniform or normal distribution".to_owned();
            let problem = Problem::Value { name: name.to_owned(), expected, found: other.to_owned() };
            return Err(of.error(name, problem));
        }
    }))
}

/// What instances are called here: by the number of their kind and their own.
pub fn called(system: &System) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for (kind, instances) in (0..).zip(&system.instances) {
        let part = part_name(system, kind);
        for (number, instance) in (0..).zip(instances) {
            let name = if instances.len() == 1 { part.clone() } else { format!("{part}{number}") };
            all.insert(instance.clone(), name);
        }
    }
    all
}

/// What a kind of drive is called as a part of a scenario.
pub fn part_name(system: &System, kind: usize) -> String {
    let one = system.instances.len() == 1;
    if one { "d".to_owned() } else { format!("d{}-", ('a'..='z').nth(kind % 26).unwrap_or_default()) }
}
