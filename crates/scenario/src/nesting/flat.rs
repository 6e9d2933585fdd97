//! Copies made: every part under its path, in the order of the file.

use super::kind::Kind;
use super::read::{Key, Part, Rest, Tree};
use crate::text::tree::{Table, Value};
use crate::text::{Copies, Problem, Sources};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The flat form of a tree.
pub(super) fn flat<'i>(
    tree: Tree<'i>,
    span: Range<usize>,
    sources: &Sources,
) -> Result<(Table<'i>, Copies), Vec<Problem>> {
    let mut maker = Maker {
        sources,
        tables: BTreeMap::new(),
        first: BTreeMap::new(),
        copies: Copies::new(),
        problems: Vec::new(),
    };
    for part in &tree.parts {
        maker.put(part, "", "");
    }
    let Maker { mut tables, copies, problems, .. } = maker;
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut root = DeTable::new();
    for (key, rest) in tree.rest {
        let value = match rest {
            Rest::Value(value) => value,
            Rest::Parts(kind, span, others) => {
                let mut parts = tables.remove(&kind).map(|made| made.parts).unwrap_or_default();
                parts.extend(others);
                Spanned::new(span, DeValue::Table(parts))
            }
        };
        root.insert(key, value);
    }
    for (kind, KindTable { at, parts }) in tables {
        root.insert(
            Spanned::new(at.clone(), Cow::Borrowed(kind.key())),
            Spanned::new(at, DeValue::Table(parts)),
        );
    }
    // A box is nothing but what it owns.
    root.remove(Kind::Box.key());
    Ok((Spanned::new(span, root), copies))
}

/// The parts of a kind.
struct KindTable<'i> {
    /// Where the first of them stands.
    at: Range<usize>,
    parts: DeTable<'i>,
}

struct Maker<'i, 's> {
    sources: &'s Sources,
    tables: BTreeMap<Kind, KindTable<'i>>,
    /// The path of the first copy of each part, by its number.
    first: BTreeMap<usize, String>,
    copies: Copies,
    problems: Vec<Problem>,
}

impl<'i> Maker<'i, '_> {
    /// Every copy of a part, and what each owns, below a path. `written` is the key of the tree below which the part
    /// stands.
    fn put(&mut self, part: &Part<'i>, folder: &str, written: &str) {
        let name = part.key.get_ref();
        let key = |name: &str| {
            let own = format!("{}.{name}", part.kind.key());
            if written.is_empty() { own } else { format!("{written}.{own}") }
        };
        let path = if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
        if part.kind == Kind::Disk || part.count == 1 {
            return self.put_one(part, &path, &key(name));
        }
        let together: Arc<str> = name.rsplit('/').next().unwrap_or(name).into();
        let mut apart = part.apart.iter().peekable();
        for number in 0..part.count {
            let path = format!("{path}{number}");
            self.copies.number(&path, &together);
            match apart.next_if(|(differing, _)| *differing == number) {
                Some((_, differing)) => self.put_one(differing, &path, &key(&format!("{name}{number}"))),
                None => self.put_one(part, &path, &key(name)),
            }
        }
    }

    fn put_one(&mut self, part: &Part<'i>, path: &str, written: &str) {
        self.copies.write(part.kind.key(), path, written);
        match self.first.get(&part.number) {
            Some(first) => self.copies.add(part.kind.key(), path, first),
            None => drop(self.first.insert(part.number, path.to_owned())),
        }
        let at = part.key.span();
        let KindTable { parts, .. } = self
            .tables
            .entry(part.kind)
            .or_insert_with(|| KindTable { at: at.clone(), parts: DeTable::new() });
        if parts.contains_key(path) {
            let (kind, help) = (
                part.kind.key(),
                "a part's name is its path; rename one, or change a copy below its owner: host.server2.disk.d",
            );
            let message = format!("two parts of the kind {kind} are called \"{path}\"");
            self.problems.push(self.sources.error(at, message).help(help));
            return;
        }
        let key: Key<'i> = Spanned::new(at, Cow::Owned(path.to_owned()));
        let own: Value<'i> = Spanned::new(part.own.span(), DeValue::Table(part.own.get_ref().clone()));
        parts.insert(key, own);
        for below in &part.below {
            self.put(below, path, written);
        }
    }
}
