//! TOML trees whose keys and values know their position in [`Sources`](super::Sources).

use crate::text::copies::Copies;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its position.
pub(crate) type Value<'i> = Spanned<DeValue<'i>>;
/// A table with its position.
pub(crate) type Table<'i> = Spanned<DeTable<'i>>;

/// What is wrong with a piece of TOML, and where.
pub(crate) struct Mistake {
    pub(crate) message: String,
    pub(crate) span: Range<usize>,
}

/// Tables and arrays nest no deeper than this; a scenario needs five.
const DEPTH_MAX: usize = 64;

/// Parses a document whose text begins at `base`. The tree holds whatever could be read, with or without mistakes.
pub(crate) fn parse(text: &str, base: usize) -> (Table<'_>, Vec<Mistake>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut mistakes: Vec<Mistake> = errors
        .iter()
        .map(|error| Mistake {
            message: error.message().to_owned(),
            span: shifted(error.span().unwrap_or(0..0), base),
        })
        .collect();
    let span = shifted(table.span(), base);
    let table = move_table(table.into_inner(), base, 0, &mut mistakes);
    (Spanned::new(span, table), mistakes)
}

/// Parses one value whose text begins at `base`; a text that isn't a TOML value is a string.
pub(crate) fn parse_value(text: &str, base: usize) -> Value<'_> {
    let parsed = DeValue::parse(text).map(Spanned::into_inner);
    let value = parsed.unwrap_or(DeValue::String(Cow::Borrowed(text)));
    move_value(Spanned::new(0..text.len(), value), base, 0, &mut Vec::new())
}

fn shifted(span: Range<usize>, base: usize) -> Range<usize> {
    span.start.saturating_add(base)..span.end.saturating_add(base)
}

fn move_table<'i>(table: DeTable<'i>, base: usize, depth: usize, mistakes: &mut Vec<Mistake>) -> DeTable<'i> {
    table
        .into_iter()
        .map(|(key, value)| {
            let key_span = shifted(key.span(), base);
            (Spanned::new(key_span, key.into_inner()), move_value(value, base, depth + 1, mistakes))
        })
        .collect()
}

fn move_value<'i>(value: Value<'i>, base: usize, depth: usize, mistakes: &mut Vec<Mistake>) -> Value<'i> {
    let span = shifted(value.span(), base);
    if depth > DEPTH_MAX {
        let message = format!("tables and arrays nest at most {DEPTH_MAX} deep");
        mistakes.push(Mistake { message, span: span.clone() });
        return Spanned::new(span, DeValue::Boolean(false));
    }
    let moved = match value.into_inner() {
        DeValue::Table(table) => DeValue::Table(move_table(table, base, depth, mistakes)),
        DeValue::Array(array) => DeValue::Array(
            array.into_iter().map(|item| move_value(item, base, depth + 1, mistakes)).collect(),
        ),
        plain => plain,
    };
    Spanned::new(span, moved)
}

/// The entry of a table, with its key.
pub(crate) fn entry<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<(Range<usize>, &'t Value<'i>)> {
    table.get_key_value(key).map(|(key, value)| (key.span(), value))
}

/// Puts the entries of `over` on top of `table`: tables are merged, anything else replaces what was there. A table of
/// another `kind` replaces as well: the parameters of one seek curve make no sense in another.
pub(crate) fn merge<'i>(table: &mut DeTable<'i>, over: &DeTable<'i>) {
    for (key, value) in over {
        match (table.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut), value.get_ref()) {
            (Some(DeValue::Table(under)), DeValue::Table(upper)) if same_kind(under, upper) => {
                merge(under, upper);
            }
            _ => {
                // Removed first, so that the key's position is the new one as well.
                table.remove(key.get_ref().as_ref());
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

fn same_kind(under: &DeTable<'_>, upper: &DeTable<'_>) -> bool {
    let kind =
        |table: &DeTable<'_>| table.get("kind").and_then(|kind| kind.get_ref().as_str().map(str::to_owned));
    match (kind(under), kind(upper)) {
        (Some(under), Some(upper)) => under == upper,
        _ => true,
    }
}

/// Where each key and value of a tree stands, by dotted path (`disk.d0.model`, `workload.w.files.2`).
#[derive(Clone, Debug, Default)]
pub(crate) struct KeySpans {
    places: BTreeMap<String, (Range<usize>, Range<usize>)>,
    /// What is a copy stands where the first one does.
    copies: Copies,
}

impl KeySpans {
    pub(crate) fn of(table: &Table<'_>) -> Self {
        Self::with_copies(table, Copies::default())
    }

    /// Of a tree in which parts are copies of others.
    pub(crate) fn with_copies(table: &Table<'_>, copies: Copies) -> Self {
        if !copies.is_empty() {
            let places = Self::of(&copies.only_first(table));
            return Self { copies, ..places };
        }
        let mut places = Self { copies, ..Self::default() };
        places.places.insert(String::new(), (table.span(), table.span()));
        places.add_table("", table.get_ref());
        places
    }

    fn add_table(&mut self, path: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = key.get_ref();
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            self.add(path, key.span(), value);
        }
    }

    fn add(&mut self, path: String, key: Range<usize>, value: &Value<'_>) {
        match value.get_ref() {
            DeValue::Table(table) => self.add_table(&path, table),
            DeValue::Array(array) => {
                for (index, item) in array.iter().enumerate() {
                    self.add(format!("{path}.{index}"), item.span(), item);
                }
            }
            _ => {}
        }
        self.places.insert(path, (key, value.span()));
    }

    /// Which parts are copies of which.
    pub(crate) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Whether something is written at `path`.
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.places.contains_key(self.copies.of_first(path).as_deref().unwrap_or(path))
    }

    /// The path of a key that is written somewhere within the part at `path`.
    pub(crate) fn within(&self, path: &str, key: &str) -> Option<&str> {
        let first = self.copies.of_first(path);
        let part = format!("{}.", first.as_deref().unwrap_or(path));
        let below = self.places.range(part.clone()..).map(|(path, _)| path.as_str());
        let mut below = below.take_while(|path| path.starts_with(&part));
        below.find(|path| path.strip_suffix(key).is_some_and(|before| before.ends_with('.')))
    }

    /// The position of the value at `path` or, where it is not written, of the nearest table around it.
    pub(crate) fn value(&self, path: &str) -> Range<usize> {
        self.nearest(path, |(_, value)| value)
    }

    /// The position of the key at `path` or, where it is not written, of the nearest one around it.
    pub(crate) fn key(&self, path: &str) -> Range<usize> {
        self.nearest(path, |(key, _)| key)
    }

    fn nearest(
        &self,
        path: &str,
        part: impl Fn(&(Range<usize>, Range<usize>)) -> &Range<usize>,
    ) -> Range<usize> {
        let first = self.copies.of_first(path);
        let mut path = first.as_deref().unwrap_or(path);
        if let Some(place) = self.places.get(path) {
            return part(place).clone();
        }
        while let Some((parent, _)) = path.rsplit_once('.') {
            if let Some((key, _)) = self.places.get(parent) {
                return key.clone();
            }
            path = parent;
        }
        0..0
    }
}
