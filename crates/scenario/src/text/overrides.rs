//! `--set path=value`: one value of the scenario changed from outside, without touching the file.

use crate::text::deserialise::suggestion;
use crate::text::problem::Problem;
use crate::text::sources::{SETTING, Sources};
use crate::text::tree::{Table, Value, parse_value};
use std::borrow::Cow;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// A change of one value: `disk.d0.count=4`, `workload.readers.rate=200 /s`, `measure.stop=[..]`.
///
/// The path is dotted; a number in it picks an item of an array, and a key with dots in it stands in quotes, as in TOML. The value
/// is read as TOML and, where it isn't TOML, as a string, so that quantities need no quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    text: Arc<str>,
    equals: usize,
}

impl FromStr for Override {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let complaint = |message: &str| {
            let mut sources = Sources::default();
            sources.add(SETTING, text);
            sources.error(0..text.len(), message).help("write it as path=value, for example disk.d0.count=4")
        };
        let equals = unquoted(text, '=').next().ok_or_else(|| complaint("an override has no \"=\""))?;
        if keys(&text[..equals]).iter().any(|(key, _)| key.is_empty()) {
            return Err(complaint("the path of an override has an empty part"));
        }
        Ok(Self { text: text.into(), equals })
    }
}

impl Override {
    /// Sets the value at `path`; for callers that have no text, such as `--seed`.
    pub fn new(path: &str, value: &str) -> Self {
        Self { text: format!("{path}={value}").into(), equals: path.len() }
    }

    /// The text as it was given.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The keys of the path, with their positions in the text.
    fn path(&self) -> Vec<(&str, Range<usize>)> {
        keys(&self.text[..self.equals])
    }

    /// The keys of the path, without quotes.
    pub fn keys(&self) -> Vec<&str> {
        self.path().into_iter().map(|(key, _)| key).collect()
    }

    /// The value as it was given.
    pub fn value(&self) -> &str {
        &self.text[self.equals + 1..]
    }

    /// If it is about a part that the tree doesn't have, what to say should that not be meant: who adds a part gives all of
    /// it. `base` is where this override's text stands in `sources`.
    pub(crate) fn stray(&self, root: &Table<'_>, base: usize, sources: &Sources) -> Option<Problem> {
        let path = self.path();
        let [(sort, _), (name, span), _, ..] = &path[..] else { return None };
        let known = match root.get_ref().get(*sort).map(Spanned::get_ref) {
            Some(DeValue::Table(parts)) if parts.contains_key(*name) => return None,
            Some(DeValue::Table(parts)) => parts.keys().map(|key| key.get_ref().as_ref()).collect(),
            Some(_) => return None,
            None => Vec::new(),
        };
        let problem = sources
            .error(base + span.start..base + span.end, format!("the scenario has no [{sort}.{name}]"))
            .label("a new part needs more than this");
        Some(problem.help(match &known[..] {
            [] => format!("there is nothing under {sort} in it; petrio schema tells what such a part needs"),
            known => suggestion(name, &known[..known.len().min(NAMES_TOLD)], "it has"),
        }))
    }

    /// Changes the tree. `base` is where this override's text stands in `sources`.
    pub(crate) fn apply<'i>(
        &'i self,
        root: &mut Table<'i>,
        base: usize,
        sources: &Sources,
    ) -> Result<(), Problem> {
        let after = self.equals + 1;
        let raw = &self.text[after..];
        let start = after + (raw.len() - raw.trim_start().len());
        let value = parse_value(raw.trim(), base + start);
        let path: Vec<Key<'i>> = self
            .path()
            .into_iter()
            .map(|(name, span)| Spanned::new(base + span.start..base + span.end, Cow::Borrowed(name)))
            .collect();
        put_in_table(root.get_mut(), &path, value).map_err(|(span, message)| sources.error(span, message))
    }
}

/// Where a character stands in a text outside of quotes.
fn unquoted(text: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut quote = None;
    text.char_indices().filter_map(move |(at, character)| {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, _) if character == wanted => return Some(at),
            _ => {}
        }
        None
    })
}

/// The keys of a path, with their positions in it. As in TOML, one that has a dot or an equals sign in it stands in quotes.
fn keys(path: &str) -> Vec<(&str, Range<usize>)> {
    let ends = unquoted(path, '.').chain([path.len()]);
    let mut at = 0;
    ends.map(|end| {
        let part = &path[at..end];
        let start = at + (part.len() - part.trim_start().len());
        at = end + 1;
        let part = part.trim();
        let bare = ['"', '\''].into_iter().find_map(|quote| {
            part.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote))
        });
        match bare {
            Some(bare) => (bare, start + 1..start + 1 + bare.len()),
            None => (part, start..start + part.len()),
        }
    })
    .collect()
}

/// Of the parts that a scenario has, as many are told.
const NAMES_TOLD: usize = 20;

type Key<'i> = Spanned<DeString<'i>>;
type Refusal = (Range<usize>, String);

fn put_in_table<'i>(table: &mut DeTable<'i>, path: &[Key<'i>], value: Value<'i>) -> Result<(), Refusal> {
    match path {
        [] => Ok(()),
        [last] => {
            // Removed first, so that the key's position is that of the override.
            table.remove(last.get_ref().as_ref());
            table.insert(last.clone(), value);
            Ok(())
        }
        [first, rest @ ..] => {
            let name = first.get_ref().as_ref();
            if !table.contains_key(name) {
                table.insert(first.clone(), Spanned::new(first.span(), DeValue::Table(DeTable::new())));
            }
            match table.get_mut(name).map(Spanned::get_mut) {
                Some(inner) => put(inner, first, rest, value),
                None => Ok(()),
            }
        }
    }
}

fn put<'i>(
    inner: &mut DeValue<'i>,
    key: &Key<'i>,
    rest: &[Key<'i>],
    value: Value<'i>,
) -> Result<(), Refusal> {
    match inner {
        DeValue::Table(table) => put_in_table(table, rest, value),
        DeValue::Array(array) => {
            let Some((index, rest)) = rest.split_first() else { return Ok(()) };
            let length = array.len();
            let item = index.get_ref().parse().ok().and_then(|index: usize| array.get_mut(index));
            let item = item.ok_or_else(|| {
                let message = format!("\"{}\" has {length} items, numbered from 0", key.get_ref());
                (index.span(), message)
            })?;
            if rest.is_empty() {
                *item = value;
                Ok(())
            } else {
                put(item.get_mut(), index, rest, value)
            }
        }
        _ => {
            let message = format!("\"{}\" is a value, there is nothing in it to set", key.get_ref());
            Err((key.span(), message))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn keys_stand_in_quotes_where_they_have_dots_or_equals_signs_in_them() {
        for (text, keys, value) in [
            ("a.b=1", vec!["a", "b"], "1"),
            ("a.\"b.c=d\".e = f=g", vec!["a", "b.c=d", "e"], " f=g"),
            ("a.'b.c'.0=\"x\"", vec!["a", "b.c", "0"], "\"x\""),
        ] {
            let read: Override = text.parse().unwrap();
            let found = read.path();
            assert_eq!(found.iter().map(|(key, _)| *key).collect::<Vec<_>>(), keys);
            assert!(found.iter().all(|(key, span)| &text[span.clone()] == *key));
            assert_eq!(&text[read.equals + 1..], value);
        }
        for wrong in ["a.\"b=1", "a..b=1", "a.\"\"=1", "a"] {
            assert!(wrong.parse::<Override>().is_err(), "{wrong}");
        }
    }
}
