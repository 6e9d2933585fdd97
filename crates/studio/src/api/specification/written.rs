//! A specification as it is written, whether or not it makes sense: its tables, in their order, and the text of what
//! stands in their cells.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use toml_edit::{DocumentMut, Item, TableLike, Value};

/// A document as JSON with its keys in their order.
pub(crate) struct Written(pub(crate) DocumentMut);

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        of_table(self.0.as_table(), serializer)
    }
}

struct OfItem<'a>(&'a Item);
struct OfValue<'a>(&'a Value);

fn of_table<S: Serializer>(table: &dyn TableLike, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for (key, item) in table.iter() {
        map.serialize_entry(key, &OfItem(item))?;
    }
    map.end()
}

impl Serialize for OfItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Item::None => serializer.serialize_unit(),
            Item::Value(value) => OfValue(value).serialize(serializer),
            Item::Table(table) => of_table(table, serializer),
            Item::ArrayOfTables(tables) => {
                let mut list = serializer.serialize_seq(None)?;
                for table in tables {
                    list.serialize_element(&OfItem(&Item::Table(table.clone())))?;
                }
                list.end()
            }
        }
    }
}

impl Serialize for OfValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => serializer.serialize_str(text.value()),
            Value::Integer(number) => serializer.serialize_i64(*number.value()),
            Value::Float(number) => serializer.serialize_f64(*number.value()),
            Value::Boolean(truth) => serializer.serialize_bool(*truth.value()),
            Value::Datetime(time) => serializer.collect_str(time.value()),
            Value::Array(values) => serializer.collect_seq(values.iter().map(OfValue)),
            Value::InlineTable(table) => of_table(table, serializer),
        }
    }
}

/// What stands, or can stand, in a cell.
#[derive(Debug, Serialize)]
pub(crate) struct WrittenCell {
    path: Vec<String>,
    /// What a distribution there is of; `other` where it is none.
    quantity: &'static str,
    /// As it is written; empty where it isn't.
    text: String,
}

/// Keys of a category, a type of users, and a use.
const OF_CATEGORY: [(&str, &str); 7] = [
    ("type", "other"),
    ("owner", "other"),
    ("use", "other"),
    ("share", "other"),
    ("size", "bytes"),
    ("depth", "number"),
    ("order", "other"),
];
const OF_USER: [(&str, &str); 7] = [
    ("like", "other"),
    ("share", "other"),
    ("think", "duration"),
    ("access", "bytes"),
    ("pause", "duration"),
    ("sessions_at_once", "other"),
    ("open_files", "other"),
];
const OF_USE: [(&str, &str); 4] =
    [("share", "other"), ("files", "number"), ("size", "bytes"), ("accesses", "number")];

fn inside(item: Option<&Item>) -> Vec<(&str, &Item)> {
    item.and_then(Item::as_table_like).map(|table| table.iter().collect()).unwrap_or_default()
}

/// The text of a value without what stands around it, such as a comment.
fn bare(mut item: Item) -> String {
    if let Some(value) = item.as_value_mut() {
        value.decor_mut().clear();
    }
    item.to_string().trim().to_owned()
}

/// Every cell of the tables.
pub(crate) fn places(document: &DocumentMut) -> Vec<WrittenCell> {
    let mut found = Vec::new();
    let mut add = |item: Option<&Item>, above: &[&str], keys: &[(&str, &'static str)]| {
        for &(key, quantity) in keys {
            let at = item.and_then(|item| item.get(key)).filter(|at| !at.is_none());
            let path = above.iter().chain([&key]).map(|&key| key.to_owned()).collect();
            let text = at.cloned().map(bare).unwrap_or_default();
            found.push(WrittenCell { path, quantity, text });
        }
    };
    add(Some(document.as_item()), &[], &[("title", "other")]);
    add(document.get("files"), &["files"], &[("count", "other"), ("users", "other")]);
    for (name, category) in inside(document.get("category")) {
        add(Some(category), &["category", name], &OF_CATEGORY);
    }
    for (name, user) in inside(document.get("user")) {
        add(Some(user), &["user", name], &OF_USER);
        for (category, used) in inside(user.get("uses")) {
            add(Some(used), &["user", name, "uses", category], &OF_USE);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tables_come_in_their_order_with_every_kind_of_value() {
        let text = "z = 1\na = [true, 0.5]\n[user.b]\nlike = \"c\"\n[user.a]\nuses = { x = {} }\n[[t]]\nd = 1991-07-01\n";
        let json = serde_json::to_string(&Written(text.parse().unwrap())).unwrap();
        let wanted = r#"{"z":1,"a":[true,0.5],"user":{"b":{"like":"c"},"a":{"uses":{"x":{}}}},"t":[{"d":"1991-07-01"}]}"#;
        assert_eq!(json, wanted);
    }

    #[test]
    fn a_cell_has_its_text_as_it_is_written_even_where_it_makes_no_sense() {
        let places = places(&"[category.c]\nsize = { constant = 1_0 } # ten\nshare = 5".parse().unwrap());
        let text = |key: &str| places.iter().find(|place| place.path == ["category", "c", key]).unwrap();
        assert_eq!((text("size").text.as_str(), text("size").quantity), ("{ constant = 1_0 }", "bytes"));
        assert_eq!((text("share").text.as_str(), text("order").text.as_str()), ("5", ""));
        assert_eq!(places.len(), 3 + OF_CATEGORY.len());
    }
}
