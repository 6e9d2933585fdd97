//! Which entry of a table serde complains of, where it says only which table.
//!
//! A table that says its sort (`kind = "…"`) is read twice by serde, the second time from a copy without positions: a mistake
//! in it, however deep, comes with the position of the whole. So entries are left out one at a time: the one without which
//! the complaint is another has caused it.

use crate::text::tree::Value;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// From a table to one of the values in it.
type Path = Vec<PathSegment>;

#[derive(Clone, Debug)]
enum PathSegment {
    Key(String),
    Item(usize),
}

/// What says, by a word, of which sort a table is: without it every complaint is another.
const SORTS: [&str; 2] = ["kind", "program"];

/// A table or list of more entries is not looked through: each costs reading all of it.
const ENTRIES_MAX: usize = 1000;

/// Where the innermost entry stands that causes a complaint about the value at `at`; `complaint` reads a table. Without such
/// an entry, where that value stands.
pub(super) fn culprit(
    table: &DeTable<'_>,
    at: Range<usize>,
    message: &str,
    complaint: impl Fn(DeTable<'_>) -> Option<String>,
) -> Range<usize> {
    let Some(mut path) = path_to(table, &at) else { return at };
    let mut place = at;
    loop {
        let changes = |step: &PathSegment| {
            let path: Path = path.iter().chain([step]).cloned().collect();
            match complaint(without(table, &path)) {
                None => true,
                // Of a list that must be so long each item changes the complaint.
                Some(other) => other != message && !other.contains("invalid length"),
            }
        };
        let entries = entries(table, &path);
        if entries.len() > ENTRIES_MAX {
            return place;
        }
        let Some(inner) = entries.into_iter().find(|(step, ..)| changes(step)) else { return place };
        let (step, key, value) = inner;
        let is_unknown = |name: &str| {
            let words = |what: &str| message.starts_with(&format!("unknown {what} `{name}`"));
            words("field") || words("variant")
        };
        if matches!(&step, PathSegment::Key(name) if is_unknown(name)) {
            return key;
        }
        place = value;
        path.push(step);
    }
}

/// The value's entries, each with where its key and its value stand; none of a plain value.
fn entries(table: &DeTable<'_>, path: &[PathSegment]) -> Vec<(PathSegment, Range<usize>, Range<usize>)> {
    let of_table = |table: &DeTable<'_>| {
        let is_sort = |key: &str, value: &Value<'_>| SORTS.contains(&key) && value.get_ref().is_str();
        (table.iter().filter(|(key, value)| !is_sort(key.get_ref(), value)))
            .map(|(key, value)| (PathSegment::Key(key.get_ref().to_string()), key.span(), value.span()))
            .collect()
    };
    let Some(value) = value_at(table, path) else { return of_table(table) };
    match value.get_ref() {
        DeValue::Table(inner) => of_table(inner),
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (PathSegment::Item(at), item.span(), item.span()))
            .collect(),
        _ => Vec::new(),
    }
}

/// `None` of the table itself.
fn value_at<'t, 'i>(table: &'t DeTable<'i>, path: &[PathSegment]) -> Option<&'t Value<'i>> {
    let (first, rest) = path.split_first()?;
    let PathSegment::Key(key) = first else { return None };
    rest.iter().try_fold(table.get(key.as_str())?, |value, step| match (value.get_ref(), step) {
        (DeValue::Table(table), PathSegment::Key(key)) => table.get(key.as_str()),
        (DeValue::Array(items), PathSegment::Item(at)) => items.get(*at),
        _ => None,
    })
}

/// A copy of a table without the entry at the end of a path.
fn without<'i>(table: &DeTable<'i>, path: &[PathSegment]) -> DeTable<'i> {
    (table.iter())
        .filter_map(|(key, value)| {
            let here = matches!(path.first(), Some(PathSegment::Key(name)) if key.get_ref() == name);
            Some((key.clone(), kept(value, if here { path } else { &[] })?))
        })
        .collect()
}

/// A copy of the value to which the first step of a path leads, without the entry at its end: nothing if that is the value
/// itself, and all of it with no path.
fn kept<'i>(value: &Value<'i>, path: &[PathSegment]) -> Option<Value<'i>> {
    let Some((_, rest)) = path.split_first() else { return Some(value.clone()) };
    let next = rest.first()?;
    let copy = match (value.get_ref(), next) {
        (DeValue::Table(table), _) => DeValue::Table(without(table, rest)),
        (DeValue::Array(items), PathSegment::Item(at)) => {
            let item = |(number, item)| kept(item, if number == *at { rest } else { &[] });
            DeValue::Array(items.iter().enumerate().filter_map(item).collect())
        }
        (plain, _) => plain.clone(),
    };
    Some(Spanned::new(value.span(), copy))
}

/// The way to the table or list at a place.
fn path_to(table: &DeTable<'_>, at: &Range<usize>) -> Option<Path> {
    table.iter().find_map(|(key, value)| {
        let step = PathSegment::Key(key.get_ref().to_string());
        path_within(value, at).map(|rest| [vec![step], rest].concat())
    })
}

fn path_within(value: &Value<'_>, at: &Range<usize>) -> Option<Path> {
    match value.get_ref() {
        DeValue::Table(_) | DeValue::Array(_) if value.span() == *at => Some(Path::new()),
        DeValue::Table(table) => path_to(table, at),
        DeValue::Array(items) => items.iter().enumerate().find_map(|(number, item)| {
            path_within(item, at).map(|rest| [vec![PathSegment::Item(number)], rest].concat())
        }),
        _ => None,
    }
}
