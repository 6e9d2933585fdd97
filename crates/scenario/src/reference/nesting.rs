//! What the JSON schema says of parts that nest, repeat and are described in files of their own.
//!
//! They are rewritten as flat tables before the structs of the schema are read, which know nothing of it.

use crate::nesting::Kind;
use crate::workload::with_both_words;
use serde_json::{Map, Value, json};

/// The schema of a scenario whose parts may nest.
pub(super) fn with_nesting(schema: &mut schemars::Schema) {
    let Some(root) = schema.as_object_mut() else { return };
    let parts: Vec<(String, Kind)> =
        Kind::all().filter_map(|kind| Some((definition(root, kind)?, kind))).collect();
    let kinds: Map<String, Value> = parts
        .iter()
        .map(|(definition, kind)| {
            let key = kind.key();
            let text = root
                .get("properties")
                .and_then(|properties| properties.get(key)?.get("description")?.as_str())
                .unwrap_or("Boxes of parts, by name.");
            let part = json!({ "$ref": format!("#/$defs/{definition}") });
            let table = json!({ "description": text, "type": "object", "additionalProperties": part });
            (key.to_owned(), table)
        })
        .collect();
    if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("box".to_owned(), kinds["box"].clone());
    }
    let Some(definitions) = root.get_mut("$defs").and_then(Value::as_object_mut) else { return };
    definitions.insert(
        "Box".to_owned(),
        json!({
            "description": "Nothing but a box of parts: a shelf of disks, a rack, a cell.",
            "type": "object",
            "properties": {},
            "additionalProperties": false,
        }),
    );
    for (name, definition) in definitions.iter_mut() {
        let part = parts.iter().find(|(part, _)| name == part);
        // What a workload is made of stands in definitions of its own.
        if part.is_some() || name == "SyntheticLoad" || name.starts_with("FileLoad") {
            let owns = part.is_some_and(|(_, kind)| kind.owns());
            widen(definition, if owns { Some(&kinds) } else { None });
        }
    }
}

/// The name of the definition of parts of a kind.
fn definition(root: &Map<String, Value>, kind: Kind) -> Option<String> {
    if kind == Kind::Box {
        return Some("Box".to_owned());
    }
    let part = root.get("properties")?.get(kind.key())?.get("additionalProperties")?.get("$ref")?;
    part.as_str()?.strip_prefix("#/$defs/").map(str::to_owned)
}

/// Lets a part be described in a file of its own and, where it may own others, hold them and repeat.
fn widen(part: &mut Value, kinds: Option<&Map<String, Value>>) {
    let Some(part) = part.as_object_mut() else { return };
    if let Some(Value::Array(mut variants)) = part.remove("oneOf") {
        variants.iter_mut().for_each(|variant| widen(variant, kinds));
        // Without the kind, which the file says, several would do.
        part.insert("anyOf".to_owned(), Value::Array(variants));
        return;
    }
    let properties = part.entry("properties").or_insert_with(|| json!({}));
    let mut both = None;
    if let Some(properties) = properties.as_object_mut() {
        both = with_both_words(properties).filter(|_| kinds.is_none());
        let text = "A file that describes the part, relative to the file in which this stands; keys beside it come on top.";
        properties.insert("use".to_owned(), json!({ "description": text, "type": "string" }));
        if let Some(kinds) = kinds {
            let text = "How many. With more than one, NAME stands for all of them, and they are called NAME0, NAME1 and so \
                        on, each with all parts that it owns.";
            let count = json!({ "description": text, "type": "integer", "minimum": 1, "default": 1 });
            properties.insert("count".to_owned(), count);
            properties.extend(kinds.clone());
        }
    }
    if let Some(required) = part.remove("required") {
        let mut either = vec![json!({ "required": required }), json!({ "required": ["use"] })];
        if let (Some(other), Some(needed)) = (both, required.as_array()) {
            let is_file = |key: &Value| key == "file" || key == "files";
            let swap = |key: &Value| if is_file(key) { other.into() } else { key.clone() };
            either.insert(1, json!({ "required": needed.iter().map(swap).collect::<Vec<Value>>() }));
        }
        part.insert("anyOf".to_owned(), Value::Array(either));
    }
}
