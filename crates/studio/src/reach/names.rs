//! The texts of a scenario: any of them may name a file.

use toml_edit::{DocumentMut, Item, Value};

/// All texts of a scenario; none of what is no TOML, which names nothing.
pub(super) fn texts(scenario: &str) -> Vec<String> {
    let mut texts = Vec::new();
    if let Ok(document) = scenario.parse::<DocumentMut>() {
        of_item(document.as_item(), &mut texts);
    }
    texts
}

fn of_item(item: &Item, into: &mut Vec<String>) {
    match item {
        Item::None => {}
        Item::Value(value) => of_value(value, into),
        Item::Table(table) => table.iter().for_each(|(_, item)| of_item(item, into)),
        Item::ArrayOfTables(tables) => {
            tables.iter().flat_map(|table| table.iter()).for_each(|(_, item)| of_item(item, into));
        }
    }
}

fn of_value(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.value().clone()),
        Value::Array(values) => values.iter().for_each(|value| of_value(value, into)),
        Value::InlineTable(table) => table.iter().for_each(|(_, value)| of_value(value, into)),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}
