//! Where parts could lie instead: file systems, their journals and loads of block requests, on what there is already.
//!
//! Left out: where files lie among the disks of a file system or of a replication (`petrio place`), and parts that would have to be bought.

use super::{PossibleChange, Sort};
use crate::loaded::Loaded;
use serde_json::Value;
use std::collections::BTreeSet;

/// Other places at most of one part: beyond them they are alike.
const PLACES: usize = 4;

/// Every other place of what lies somewhere.
pub(super) fn placements(loaded: &Loaded) -> Vec<PossibleChange> {
    let Ok(scenario) = serde_json::to_value(&loaded.scenario) else { return Vec::new() };
    let parts = |table: &'static str| {
        let all = scenario.get(table).and_then(Value::as_object);
        all.into_iter().flatten().filter(|(name, _)| is_alone(loaded, table, name))
    };
    let mut all = Vec::new();
    let taken: BTreeSet<&str> = parts("fs").filter_map(|(_, part)| part.get("on")?.as_str()).collect();
    for (name, part) in parts("fs") {
        let Some(on) = part.get("on").and_then(Value::as_str) else { continue };
        let of_journal = journal(part).map(|(_, journal)| journal);
        let free = places(loaded, on).filter(|place| !taken.contains(place) && of_journal != Some(*place));
        all.extend(free.take(PLACES).map(|place| {
            moved(
                name,
                &format!("on {place} instead of {on}"),
                vec![(format!("fs.{name}.on"), place.to_owned())],
            )
        }));
        // What a journal lies on is its own: it may come home, or change places with the data.
        let Some((mode, journal)) = journal(part) else { continue };
        all.push(moved(
            name,
            &format!("its journal within it instead of on {journal}"),
            vec![(format!("fs.{name}.journal"), mode.to_owned())],
        ));
        let value = format!("{{ mode = \"{mode}\", on = \"{on}\" }}");
        all.push(moved(
            name,
            &format!("on {journal}, and its journal on {on}"),
            vec![(format!("fs.{name}.on"), journal.to_owned()), (format!("fs.{name}.journal"), value)],
        ));
    }
    all.extend(swapped(&parts("fs").collect::<Vec<_>>()));
    for (name, part) in parts("workload") {
        let Some(on) = part.get("on").and_then(Value::as_str) else { continue };
        all.extend(places(loaded, on).take(PLACES).map(|place| {
            moved(
                name,
                &format!("on {place} instead of {on}"),
                vec![(format!("workload.{name}.on"), place.to_owned())],
            )
        }));
    }
    all
}

fn moved(part: &str, words: &str, settings: Vec<(String, String)>) -> PossibleChange {
    PossibleChange {
        words: words.to_owned(),
        part: part.to_owned(),
        sort: Sort::Place,
        factor: None,
        price: None,
        settings,
    }
}

/// Whether a part is written where its name says, and is none of several copies.
fn is_alone(loaded: &Loaded, table: &str, name: &str) -> bool {
    let path = format!("{table}.{name}");
    !name.contains('/') && loaded.copies().written(&path) == path
}

/// What else holds blocks and has room for what lies on a part: nothing that lies below another or on it.
fn places<'l>(loaded: &'l Loaded, on: &str) -> impl Iterator<Item = &'l str> {
    let storage = &loaded.storage;
    let here = storage.iter().position(|part| part.name == on);
    let of = move |(number, part): (usize, &'l crate::placed::Storage)| {
        let here = here?;
        let is_below = storage.iter().any(|other| other.over.contains(&number));
        let fits = part.blocks >= storage[here].blocks;
        let is_free = number != here && !is_below && !part.over.contains(&here) && fits;
        is_free.then_some(part.name.as_str()).filter(|name| !name.contains('/'))
    };
    storage.iter().enumerate().filter_map(of)
}

/// A file system's journal where that lies on a part of its own: which data go through it, and the part.
fn journal(part: &Value) -> Option<(&str, &str)> {
    let journal = part.get("journal")?;
    let mode = journal.get("mode").and_then(Value::as_str).unwrap_or("ordered");
    Some((mode, journal.get("on")?.as_str()?))
}

/// Two file systems, each where the other one was.
fn swapped(all: &[(&String, &Value)]) -> Vec<PossibleChange> {
    let on = |part: &Value| part.get("on").and_then(Value::as_str).map(str::to_owned);
    let mut found = Vec::new();
    for (number, (one, first)) in all.iter().enumerate() {
        for (other, second) in &all[number + 1..] {
            if let (Some(here), Some(there)) = (on(first), on(second))
                && found.len() < PLACES
                && here != there
            {
                let settings =
                    vec![(format!("fs.{one}.on"), there.clone()), (format!("fs.{other}.on"), here.clone())];
                found.push(moved(
                    &format!("{one}, {other}"),
                    &format!("{one} on {there} and {other} on {here}"),
                    settings,
                ));
            }
        }
    }
    found
}
