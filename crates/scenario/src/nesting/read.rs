//! The tree of parts, read from the tables of a scenario and of the files that it uses.

use super::kind::Kind;
use super::used::{Texts, UsedFiles};
use crate::text::tree::{Table, merge};
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

pub(super) type Key<'i> = Spanned<DeString<'i>>;

/// Parts lie in each other no deeper than this, files that are used included.
pub(crate) const DEPTH_MAX: usize = 64;

/// A part with what it owns, of which there may be several.
pub(super) struct Part<'i> {
    /// Told apart from every other part of the tree.
    pub(super) number: usize,
    pub(super) kind: Kind,
    pub(super) key: Key<'i>,
    /// Its own keys.
    pub(super) own: Table<'i>,
    /// How many copies, and where that is said. Of a disk, what its own `count` says.
    pub(super) count: u64,
    pub(super) count_at: Range<usize>,
    /// Copies that differ, by number.
    pub(super) apart: Vec<(u64, Part<'i>)>,
    pub(super) below: Vec<Part<'i>>,
}

/// A whole file.
pub(super) struct Tree<'i> {
    pub(super) parts: Vec<Part<'i>>,
    /// Every entry of the root but the parts, in the order of the file; of a kind of parts, what isn't a table.
    pub(super) rest: Vec<(Key<'i>, Rest<'i>)>,
}

/// An entry of the root.
pub(super) enum Rest<'i> {
    Value(Spanned<DeValue<'i>>),
    /// Here stand the parts of a kind, and what of them isn't a table.
    Parts(Kind, Range<usize>, DeTable<'i>),
}

/// Reads a tree of parts.
pub(super) struct Reader<'i, 's> {
    files: UsedFiles<'i>,
    sources: &'s mut Sources,
    inputs: &'s Inputs,
    next: usize,
    pub(super) problems: Vec<Problem>,
}

/// A part's table with what the files that it uses say.
struct Resolved<'i> {
    kind: Kind,
    key: Key<'i>,
    table: Table<'i>,
    /// The files in which it is described, one using the next.
    chain: Vec<usize>,
    count: Option<(u64, Range<usize>)>,
}

impl<'i, 's> Reader<'i, 's> {
    pub(super) fn new(texts: &'i Texts, sources: &'s mut Sources, inputs: &'s Inputs) -> Self {
        Self { files: UsedFiles::new(texts), sources, inputs, next: 0, problems: Vec::new() }
    }

    /// Reads a whole file.
    pub(super) fn root(&mut self, root: &Table<'i>) -> Tree<'i> {
        let mut rest = Vec::new();
        let mut found = Vec::new();
        for (key, value) in root.get_ref() {
            let entry = match (Kind::of(key.get_ref()), value.get_ref()) {
                (Some(kind), DeValue::Table(parts)) => {
                    let mut others = DeTable::new();
                    for (name, part) in parts {
                        match part.get_ref() {
                            DeValue::Table(table) => {
                                found.push((kind, name.clone(), Spanned::new(part.span(), table.clone())));
                            }
                            _ => drop(others.insert(name.clone(), part.clone())),
                        }
                    }
                    Rest::Parts(kind, value.span(), others)
                }
                _ => Rest::Value(value.clone()),
            };
            rest.push((key.clone(), entry));
        }
        Tree { parts: self.siblings(found, &[], 0), rest }
    }

    fn error(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(span, message).help(help));
    }

    /// Parts that lie side by side. One that is called like a copy of another says how that copy differs.
    fn siblings(
        &mut self,
        found: Vec<(Kind, Key<'i>, Table<'i>)>,
        chain: &[usize],
        depth: usize,
    ) -> Vec<Part<'i>> {
        let mut resolved: Vec<Option<Resolved<'i>>> = Vec::new();
        for (kind, key, table) in found {
            resolved.push(self.resolved(kind, key, table, chain));
        }
        let mut several: BTreeMap<(Kind, String), (usize, u64)> = BTreeMap::new();
        for (index, part) in resolved.iter().enumerate() {
            if let Some(Resolved { kind, key, count: Some((count, _)), .. }) = part
                && *count > 1
                && kind.owns()
            {
                several.insert((*kind, key.get_ref().to_string()), (index, *count));
            }
        }
        let mut apart: BTreeMap<usize, Vec<(u64, Resolved<'i>)>> = BTreeMap::new();
        for place in &mut resolved {
            let Some(part) = place else { continue };
            let Some((of, number, count)) = copy_of(part.kind, part.key.get_ref(), &several) else {
                continue;
            };
            if number >= count {
                let name = part.key.get_ref();
                let together = name.strip_suffix(&number.to_string()).unwrap_or(name);
                let message = format!("there is no \"{name}\": \"{together}\" has a count of {count}");
                let help = format!("they are called {together}0 to {together}{}", count - 1);
                self.problems.push(self.sources.error(part.key.span(), message).help(help));
                *place = None;
                continue;
            }
            if let Some(part) = place.take() {
                apart.entry(of).or_default().push((number, part));
            }
        }
        let mut parts = Vec::new();
        for (index, part) in resolved.into_iter().enumerate() {
            let Some(part) = part else { continue };
            let mut differing = Vec::new();
            for (number, copy) in apart.remove(&index).unwrap_or_default() {
                if let Some((_, span)) = copy.count {
                    let message = format!("\"{}\" is one of several, and has no count", copy.key.get_ref());
                    let help = format!("how many there are stands in \"{}\"", part.key.get_ref());
                    self.error(span, message, help);
                    continue;
                }
                let mut table = part.table.get_ref().clone();
                merge(&mut table, copy.table.get_ref());
                let mut chain = part.chain.clone();
                chain.extend(&copy.chain);
                let whole = Resolved { table: Spanned::new(copy.table.span(), table), chain, ..copy };
                differing.push((number, self.part(whole, depth)));
            }
            differing.sort_by_key(|&(number, _)| number);
            parts.push(Part { apart: differing, ..self.part(part, depth) });
        }
        parts
    }

    /// A part's table on top of those of the files that it uses, without its count where it owns others.
    fn resolved(
        &mut self,
        kind: Kind,
        key: Key<'i>,
        table: Table<'i>,
        chain: &[usize],
    ) -> Option<Resolved<'i>> {
        let mut chain = chain.to_vec();
        let span = table.span();
        let mut table = table.into_inner();
        let mut used = 0;
        while let Some((_, file)) = table.remove_entry("use") {
            let DeValue::String(name) = file.get_ref() else {
                let help = match kind.shelf() {
                    Some(shelf) => format!("write use = \"part.toml\", or a {} of the catalogue", shelf.what),
                    None => "write use = \"part.toml\"".to_owned(),
                };
                self.error(file.span(), "what is used is a file", &help);
                return None;
            };
            // A file uses itself only through what stands in it and in those that it uses.
            match self.files.at(file.span().start) {
                Some(at) => {
                    let end =
                        chain.iter().rposition(|&used| used == at).map_or(chain.len(), |index| index + 1);
                    chain.truncate(end);
                }
                None => chain.clear(),
            }
            let number = match self.files.number((kind, name), file.span(), self.sources, self.inputs) {
                Ok(number) => number,
                Err(mut problems) => {
                    self.problems.append(&mut problems);
                    return None;
                }
            };
            if chain.contains(&number) {
                let message = format!("the file \"{name}\" is used in itself");
                self.error(file.span(), message, "a part of a file is described in another, or in place");
                return None;
            }
            used += 1;
            if used > DEPTH_MAX {
                self.too_deep(file.span());
                return None;
            }
            chain.push(number);
            let mut base = self.files.table(number, kind, name).into_inner();
            merge(&mut base, &table);
            table = base;
        }
        let count = if kind.owns() { table.remove_entry("count") } else { None };
        let count = match count {
            None => None,
            Some((_, count)) => Some((self.count(&count)?, count.span())),
        };
        Some(Resolved { kind, key, table: Spanned::new(span, table), chain, count })
    }

    fn too_deep(&mut self, span: Range<usize>) {
        let help = "a system of so many levels is more than is read here";
        self.error(span, format!("parts lie more than {DEPTH_MAX} deep in each other"), help);
    }

    fn count(&mut self, value: &Spanned<DeValue<'i>>) -> Option<u64> {
        let count = whole_number(value.get_ref());
        if count.is_none_or(|count| count == 0) {
            let help = "write count = 2 or so, and leave the part out if there is none";
            self.error(value.span(), "a count is a whole number from 1 on", help);
            return None;
        }
        count
    }

    /// A part and what it owns.
    fn part(&mut self, resolved: Resolved<'i>, depth: usize) -> Part<'i> {
        let Resolved { kind, key, table, chain, count } = resolved;
        let span = table.span();
        let number = self.next;
        self.next += 1;
        let deep = depth + key.get_ref().matches('/').count();
        if deep >= DEPTH_MAX {
            self.too_deep(key.span());
        }
        let mut own = DeTable::new();
        let mut found = Vec::new();
        for (name, value) in table.into_inner() {
            let below = if kind.owns() { Kind::of(name.get_ref()) } else { None };
            let Some(below) = below else {
                if kind == Kind::Box {
                    let message = format!("unknown key \"{}\"", name.get_ref());
                    let help = format!("a box has count, use, and parts: [box.{}.disk.d]", key.get_ref());
                    self.error(name.span(), message, help);
                }
                own.insert(name, value);
                continue;
            };
            let help = format!("write [{}.{}.{}.NAME]", kind.key(), key.get_ref(), below.key());
            let DeValue::Table(parts) = value.into_inner() else {
                self.error(name.span(), format!("\"{}\" is not a table of parts", below.key()), help);
                continue;
            };
            for (name, part) in parts {
                let span = part.span();
                match part.into_inner() {
                    DeValue::Table(table) => found.push((below, name, Spanned::new(span, table))),
                    _ => {
                        let message = format!("the {} \"{}\" is not a table", below.key(), name.get_ref());
                        self.error(name.span(), message, help.clone());
                    }
                }
            }
        }
        let below = if deep < DEPTH_MAX { self.siblings(found, &chain, deep + 1) } else { Vec::new() };
        let (count, count_at) = match (kind, count) {
            (Kind::Disk, _) => match own.get_key_value("count") {
                Some((_, count)) => (whole_number(count.get_ref()).unwrap_or(1), count.span()),
                None => (1, key.span()),
            },
            (_, Some(count)) => count,
            (_, None) => (1, key.span()),
        };
        Part { number, kind, key, own: Spanned::new(span, own), count, count_at, apart: Vec::new(), below }
    }
}

fn whole_number(value: &DeValue<'_>) -> Option<u64> {
    value.as_integer().and_then(|number| u64::from_str_radix(number.as_str(), number.radix()).ok())
}

/// The part of several that a name with a number is like a copy of, the copy's number, and how many there are.
fn copy_of(
    kind: Kind,
    name: &str,
    several: &BTreeMap<(Kind, String), (usize, u64)>,
) -> Option<(usize, u64, u64)> {
    // No longer number is one.
    let digits = name.bytes().rev().take(20).take_while(u8::is_ascii_digit).count();
    (name.len() - digits..name.len()).find_map(|at| {
        let (part, digits) = name.split_at(at);
        let number: u64 = digits.parse().ok()?;
        let &(index, count) = several.get(&(kind, part.to_owned()))?;
        (number.to_string() == digits).then_some((index, number, count))
    })
}
