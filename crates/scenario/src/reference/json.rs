//! The JSON schemas of scenarios and of user specifications, for editors.

use super::nesting::with_nesting;
use crate::fio::FioJobs;
use crate::scenario::Scenario;
use schemars::JsonSchema;

/// The JSON schema of a user specification.
pub fn users_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(petrio_users::UserSpecification);
    schema.insert("title".to_owned(), "petrio user specification".into());
    schema
}

/// The JSON schema of a profile of faults.
pub(super) fn faults_schema() -> schemars::Schema {
    let mut schema = schemars::schema_for!(petrio_emulate::faults::FaultProfile);
    schema.insert("title".to_owned(), "petrio profile of faults".into());
    schema
}

/// Adds the workload that is rewritten as others before the structs are read.
fn with_fio(schema: &mut schemars::Schema, fio: schemars::Schema) {
    let mut fio = fio.to_value();
    fio["properties"]["kind"] = serde_json::json!({ "type": "string", "const": "fio" });
    if let Some(required) = fio["required"].as_array_mut() {
        required.insert(0, "kind".into());
    }
    if let Some(kinds) = schema.pointer_mut("/$defs/Workload/oneOf").and_then(serde_json::Value::as_array_mut)
    {
        kinds.push(fio);
    }
}

/// The JSON schema of the scenario file, for editors.
pub fn json_schema() -> schemars::Schema {
    let mut generator = schemars::SchemaGenerator::default();
    let fio = FioJobs::json_schema(&mut generator);
    let mut schema = generator.into_root_schema_for::<Scenario>();
    with_fio(&mut schema, fio);
    schema.insert("title".to_owned(), "petrio scenario".into());
    with_nesting(&mut schema);
    schema
}
