//! What may stand behind a key, in words.

use serde_json::{Map, Value};

/// What a plain value is.
pub(super) fn scalar(object: &Map<String, Value>) -> String {
    let kind = match object.get("type") {
        Some(Value::String(kind)) => Some(kind.as_str()),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        _ => None,
    };
    match kind {
        Some("string") => quantity(object).unwrap_or_else(|| "text".to_owned()),
        Some("integer") => format!("a whole number{}", bounds(object)),
        Some("number") => format!("a number{}", bounds(object)),
        Some("boolean") => "true or false".to_owned(),
        Some("object") => "a table".to_owned(),
        _ => String::new(),
    }
}

/// A text with a unit: the units stand at the end of its pattern.
fn quantity(object: &Map<String, Value>) -> Option<String> {
    let pattern = object.get("pattern")?.as_str()?;
    let example = object.get("examples")?.get(0)?;
    let end = pattern.rfind(')')?;
    let begin = pattern[..end].rfind('(')?;
    // The micro sign and the Greek letter look the same.
    let units: Vec<&str> = pattern[begin + 1..end].split('|').filter(|unit| *unit != "\u{3bc}s").collect();
    let what = match units.first().copied() {
        Some("s") => "a duration",
        Some("B") => "a size",
        Some("%") => "a fraction",
        _ => "a quantity",
    };
    Some(match units.as_slice() {
        [_] => format!("{what} with its unit, such as {example}"),
        units => format!("{what} with its unit ({}), such as {example}", units.join(", ").replace('\\', "")),
    })
}

/// The bounds of a number that are somebody's choice, and not those of a type.
fn bounds(object: &Map<String, Value>) -> String {
    let number = |key: &str| object.get(key).filter(|bound| bound.is_number());
    let of_type = ["255", "65535", "4294967295"];
    let from = number("minimum").map(Value::to_string);
    let to = number("maximum").map(Value::to_string).filter(|to| !of_type.contains(&to.as_str()));
    match (from, to) {
        (Some(from), Some(to)) => format!(" from {from} to {to}"),
        (Some(from), None) => format!(" from {from} on"),
        (None, Some(to)) => format!(" up to {to}"),
        (None, None) => String::new(),
    }
}

/// Whether it is a random quantity, which any family of distributions may describe.
pub(super) fn is_random(object: &Map<String, Value>) -> bool {
    let about = object.get("description").and_then(Value::as_str).unwrap_or_default();
    about.starts_with("A random quantity")
}

/// A default as it would be written; what holds nothing is no default worth telling.
pub(super) fn default_as_toml(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Array(items) if items.is_empty() => Some("[]".to_owned()),
        Value::Object(fields) if fields.is_empty() => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(default_as_toml).collect();
            Some(format!("[{}]", items.join(", ")))
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().filter_map(|(key, value)| Some(format!("{key} = {}", default_as_toml(value)?)));
            let fields: Vec<String> = fields.collect();
            Some(format!("{{ {} }}", fields.join(", ")))
        }
        plain => Some(plain.to_string()),
    }
}

/// A comment of several lines as one.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
