//! Tables whose keys are those of two structs: the part's own, and those of a model or a workload.
//!
//! They are read apart and not flattened by serde, which forgets where things stand in a flattened struct.

use crate::text::deserialise::{read, read_beside};
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads the keys `own` as one struct and all others as another.
pub(crate) fn read_apart<Own: DeserializeOwned, Rest: DeserializeOwned>(
    table: &Table<'_>,
    own: &[&str],
    sources: &Sources,
) -> Result<(Own, Rest), Vec<Problem>> {
    let part = |is_own: bool| {
        let entries =
            table.get_ref().iter().filter(|(key, _)| own.contains(&key.get_ref().as_ref()) == is_own);
        let entries: DeTable<'_> = entries.map(|(key, value)| (key.clone(), value.clone())).collect();
        Spanned::new(table.span(), entries)
    };
    match (read::<Own>(&part(true), sources), read_beside::<Rest>(&part(false), own, sources)) {
        (Ok(own), Ok(rest)) => Ok((own, rest)),
        (own, rest) => Err(own.err().into_iter().chain(rest.err()).flatten().collect()),
    }
}

/// The parts below a key of the scenario (`workload`, `fs` …), each with its name and its table.
fn parts<'t, 'i>(
    root: &'t DeTable<'i>,
    key: &str,
) -> Option<impl Iterator<Item = (&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)>> {
    let (_, value) = entry(root, key)?;
    value.get_ref().as_table().map(DeTable::iter)
}

/// Reads every part of a kind, and takes them out of the rest: each alone, because so it knows its places better. `key`
/// is where the scenario describes them, `what` they are in words, and `example` what the table of one holds at least.
pub(crate) fn read_parts<T>(
    root: &Table<'_>,
    (key, what, example): (&str, &str, &str),
    read: impl Fn(&Table<'_>, &Sources) -> Result<T, Vec<Problem>>,
    rest: &mut DeTable<'_>,
    problems: &mut Vec<Problem>,
    sources: &Sources,
) -> IndexMap<String, T> {
    let mut found = IndexMap::new();
    let Some(parts) = parts(root.get_ref(), key) else { return found };
    rest.remove(key);
    for (name, value) in parts {
        match value.get_ref() {
            DeValue::Table(inner) => match read(&Spanned::new(value.span(), inner.clone()), sources) {
                Ok(part) => drop(found.insert(name.get_ref().to_string(), part)),
                Err(mut more) => problems.append(&mut more),
            },
            _ => {
                let span = name.span();
                let name = name.get_ref();
                let problem = sources.error(span, format!("the {what} \"{name}\" is not a table"));
                problems.push(problem.help(format!("write [{key}.{name}] and below it {example}")));
            }
        }
    }
    found
}

/// What is written of parts, by their names.
pub(crate) fn values<T: Serialize>(parts: &IndexMap<String, T>) -> IndexMap<String, Value> {
    let value = |(name, part): (&String, &T)| Some((name.clone(), serde_json::to_value(part).ok()?));
    parts.iter().filter_map(value).collect()
}
