//! A scenario's text with settings in it, as a file that can be read again without them.

use super::overrides::Override;
use std::fmt;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// Why settings can't be written into a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotWritten(String);

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotWritten {}

/// The text of a scenario in which these values are set, each as `--set` sets it. What it says elsewhere stays as it is, with its comments.
///
/// # Errors
/// A text that is no TOML; a path through what is no table.
pub fn text_with(text: &str, overrides: &[Override]) -> Result<String, NotWritten> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| NotWritten(error.to_string()))?;
    for setting in overrides {
        let path = setting.keys();
        let refused = || NotWritten(format!("{}: a part of the path is no table", setting.text()));
        let value = setting.value();
        put(document.as_table_mut(), &path, value).ok_or_else(refused)?;
    }
    Ok(document.to_string())
}

/// A value as TOML writes it, or else a text.
fn value_of(text: &str) -> Value {
    let read: Option<DocumentMut> = format!("value = {}", text.trim()).parse().ok();
    let value = read.and_then(|document| document.get("value").and_then(Item::as_value).cloned());
    let mut value = value.unwrap_or_else(|| Value::from(text.trim()));
    value.decor_mut().clear();
    value
}

fn put(table: &mut dyn TableLike, path: &[&str], value: &str) -> Option<()> {
    match path {
        [] => Some(()),
        [last] => {
            let value = value_of(value);
            match table.get_mut(last) {
                // What stands there, with its place in the file.
                Some(item @ Item::Value(_)) => *item = Item::Value(value),
                _ => {
                    table.remove(last);
                    table.insert(last, as_item(value));
                }
            }
            Some(())
        }
        [first, rest @ ..] => {
            if table.get(first).is_none() {
                let mut below = Table::new();
                below.set_implicit(true);
                table.insert(first, Item::Table(below));
            }
            match table.get_mut(first)? {
                Item::Value(Value::Array(items)) => put_in_array(items, rest, value),
                item => put(item.as_table_like_mut()?, rest, value),
            }
        }
    }
}

/// A table as one, and not within a line, where it takes the place of one.
fn as_item(value: Value) -> Item {
    match value {
        Value::InlineTable(inline) => Item::Table(inline.into_table()),
        value => Item::Value(value),
    }
}

fn put_in_array(items: &mut Array, path: &[&str], value: &str) -> Option<()> {
    let [number, rest @ ..] = path else { return None };
    let item = items.get_mut(number.parse::<usize>().ok()?)?;
    match (rest, item) {
        ([], item) => *item = value_of(value),
        (rest, Value::InlineTable(inline)) => return put(inline as &mut InlineTable, rest, value),
        (rest, Value::Array(inner)) => return put_in_array(inner, rest, value),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn with(text: &str, set: &[(&str, &str)]) -> String {
        let overrides: Vec<Override> = set.iter().map(|(path, value)| Override::new(path, value)).collect();
        text_with(text, &overrides).unwrap()
    }

    #[test]
    fn values_are_set_added_and_replaced_and_the_rest_stays() {
        let text =
            "# why\ntitle = \"t\"\n[disk.d]\nmodel = \"a\" # this one\n[host.h.disk.e]\nmodel = \"b\"\n";
        let set = [
            ("disk.d.model", "seagate"),
            ("disk.d.drive.bus.rate", "106 MB/s"),
            ("host.h.disk.e", "{ model = \"c\", count = 2 }"),
            ("seed", "7"),
        ];
        let written = with(text, &set);
        let read: toml::Table = written.parse().unwrap();
        assert_eq!(read["disk"]["d"]["model"].as_str(), Some("seagate"));
        assert_eq!(read["disk"]["d"]["drive"]["bus"]["rate"].as_str(), Some("106 MB/s"));
        assert_eq!(read["host"]["h"]["disk"]["e"]["count"].as_integer(), Some(2));
        assert_eq!(read["seed"].as_integer(), Some(7));
        assert!(written.starts_with("# why\n"), "{written}");
    }

    #[test]
    fn an_item_of_an_array_is_set_and_a_path_through_a_value_is_refused() {
        assert!(with("a = [1, 2]\n", &[("a.1", "5")]).contains("[1, 5]"));
        let error = text_with("a = 1\n", &[Override::new("a.b", "2")]).unwrap_err();
        assert_eq!(error.to_string(), "a.b=2: a part of the path is no table");
    }
}
