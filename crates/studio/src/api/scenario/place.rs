//! From a place in a scenario's text to the key that stands there, and from a key to what is written.

use serde::Serialize;
use std::ops::Range;
use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

/// Where each key of a text stands.
pub(crate) struct Places(Vec<(Vec<String>, Range<usize>)>);

impl Places {
    /// Of a text; nothing where it is no TOML.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let document = Document::parse(text).ok()?;
        let mut all = Vec::new();
        of_table(document.as_table(), &[], &mut all);
        Some(Self(all))
    }

    /// The innermost key that a place belongs to; the empty path is the whole text.
    pub(crate) fn key(&self, at: Range<usize>) -> Vec<String> {
        let holds = |span: &Range<usize>| span.start <= at.start && at.end <= span.end;
        let inside = self.0.iter().filter(|(_, span)| holds(span));
        // Of the spans around a place the smallest is the innermost; of equal ones, the deepest key.
        let innermost = inside.min_by_key(|(path, span)| (span.len(), usize::MAX - path.len()));
        innermost.map(|(path, _)| path.clone()).unwrap_or_default()
    }
}

fn of_table(table: &dyn TableLike, path: &[String], into: &mut Vec<(Vec<String>, Range<usize>)>) {
    for (name, item) in table.iter() {
        let path = [path, &[name.to_owned()]].concat();
        if let Some(span) = table.key(name).and_then(toml_edit::Key::span) {
            into.push((path.clone(), span));
        }
        of_item(item, &path, into);
    }
}

fn of_item(item: &Item, path: &[String], into: &mut Vec<(Vec<String>, Range<usize>)>) {
    if let Some(span) = item.span() {
        into.push((path.to_vec(), span));
    }
    match item {
        Item::ArrayOfTables(tables) => {
            for (index, table) in tables.iter().enumerate() {
                let path = [path, &[index.to_string()]].concat();
                if let Some(span) = table.span() {
                    into.push((path.clone(), span));
                }
                of_table(table, &path, into);
            }
        }
        Item::Value(Value::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                let path = [path, &[index.to_string()]].concat();
                if let Some(span) = value.span() {
                    into.push((path.clone(), span));
                }
                if let Some(table) = value.as_inline_table() {
                    of_table(table, &path, into);
                }
            }
        }
        other => {
            if let Some(table) = other.as_table_like() {
                of_table(table, path, into);
            }
        }
    }
}

/// A value as it is written.
#[derive(Debug, Serialize)]
pub(crate) struct Cell {
    path: Vec<String>,
    text: String,
}

/// The text of every value, tables in one line and what is in them too.
pub(crate) fn cells(document: &DocumentMut) -> Vec<Cell> {
    let mut all = Vec::new();
    cells_below(document.as_table(), &[], &mut all);
    all
}

fn cells_below(table: &dyn TableLike, path: &[String], into: &mut Vec<Cell>) {
    for (name, item) in table.iter() {
        let path = [path, &[name.to_owned()]].concat();
        if let Item::Value(value) = item {
            let mut value = value.clone();
            value.decor_mut().clear();
            into.push(Cell { path: path.clone(), text: value.to_string().trim().to_owned() });
        }
        if let Some(inner) = item.as_table_like() {
            cells_below(inner, &path, into);
        }
        let tables = item.as_array_of_tables().into_iter().flatten().map(|table| table as &dyn TableLike);
        let inline = item.as_array().into_iter().flatten().filter_map(Value::as_inline_table);
        let inline = inline.map(|table| table as &dyn TableLike);
        for (index, inner) in tables.chain(inline).enumerate() {
            cells_below(inner, &[path.as_slice(), &[index.to_string()]].concat(), into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title = \"T\"\n[disk.d0]\nmodel = \"x\" # of 1991\ncost = { price = 3, year = 1_991 }\n\n[workload.w]\nfiles = [\"a\", \"b\"]\n";

    fn key(what: &str) -> String {
        let start = TEXT.find(what).unwrap_or_default();
        Places::of(TEXT).map(|places| places.key(start..start + what.len()).join(".")).unwrap_or_default()
    }

    #[test]
    fn a_place_belongs_to_the_innermost_key_around_it() {
        assert_eq!(key("title"), "title");
        assert_eq!(key("\"x\""), "disk.d0.model");
        assert_eq!(key("1_991"), "disk.d0.cost.year");
        assert_eq!(key("year"), "disk.d0.cost.year");
        assert_eq!(key("\"b\""), "workload.w.files.1");
        assert_eq!(key("[disk.d0]"), "disk.d0");
        assert_eq!(key("d0"), "disk.d0");
        assert_eq!(key("# of 1991"), "");
        assert!(Places::of("title = ").is_none());
    }

    #[test]
    fn a_value_has_the_text_that_is_written() {
        let document: DocumentMut = TEXT.parse().unwrap_or_default();
        let cells = cells(&document);
        let text = |path: &str| {
            let cell = cells.iter().find(|cell| cell.path.join(".") == path);
            cell.map(|cell| cell.text.as_str())
        };
        assert_eq!(text("disk.d0.model"), Some("\"x\""));
        assert_eq!(text("disk.d0.cost"), Some("{ price = 3, year = 1_991 }"));
        assert_eq!(text("disk.d0.cost.year"), Some("1_991"));
        assert_eq!(text("workload.w.files"), Some("[\"a\", \"b\"]"));
        assert_eq!(text("disk.d0"), None);
        let lists: DocumentMut = "[[a.b]]\nc = 0x1\n[d]\ne = [{ f = 1.0 }]\n".parse().unwrap_or_default();
        let all: Vec<String> = super::cells(&lists)
            .iter()
            .map(|cell| format!("{} {}", cell.path.join("."), cell.text))
            .collect();
        assert_eq!(all, ["a.b.0.c 0x1", "d.e [{ f = 1.0 }]", "d.e.0.f 1.0"]);
    }
}
