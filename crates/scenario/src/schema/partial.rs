//! Schemas of tables that change a part of something else, and so may leave anything out.

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// The schema of `T` in which nothing is required, because something else gives the rest.
pub(crate) fn nothing_required<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    // Inlined into a generator of its own: the definitions that other parts share must keep what they require.
    let mut own =
        generator.settings().clone().with(|settings| settings.inline_subschemas = true).into_generator();
    let mut schema = T::json_schema(&mut own);
    if let Some(object) = schema.as_object_mut() {
        for value in object.values_mut() {
            relax(value);
        }
        object.remove("required");
    }
    schema
}

fn relax(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            // A property may be called "required"; the keyword is an array.
            if object.get("required").is_some_and(serde_json::Value::is_array) {
                object.remove("required");
            }
            object.values_mut().for_each(relax);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(relax),
        _ => {}
    }
}
