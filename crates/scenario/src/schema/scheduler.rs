//! A queue discipline, written as its name alone where it has no parameters.

use petrio_models::device::disk::parameters::QueueDiscipline;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The order in which waiting requests are served: `"c-look"`, or with its parameters,
/// `{ kind = "aged-sptf", longest_wait = "500 ms" }`.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct DiskScheduler(pub QueueDiscipline);

impl<'de> Deserialize<'de> for DiskScheduler {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> Visitor<'de> for NameOrTable {
            type Value = QueueDiscipline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a queue discipline, such as \"c-look\"")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<QueueDiscipline, E> {
                QueueDiscipline::deserialize(MapDeserializer::new(std::iter::once(("kind", name))))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<QueueDiscipline, A::Error> {
                QueueDiscipline::deserialize(MapAccessDeserializer::new(table))
            }
        }

        deserializer.deserialize_any(NameOrTable).map(Self)
    }
}

impl JsonSchema for DiskScheduler {
    fn schema_name() -> Cow<'static, str> {
        "Scheduler".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<QueueDiscipline>();
        schemars::json_schema!({
            "description": "The order in which waiting requests are served: a name, or a table with parameters",
            "anyOf": [
                { "type": "string", "enum": ["fcfs", "sstf", "look", "c-look", "cscan", "sptf"] },
                table,
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(text: &str) -> Result<DiskScheduler, String> {
        #[derive(Deserialize)]
        struct Holder {
            scheduler: DiskScheduler,
        }
        toml::from_str::<Holder>(text)
            .map(|holder| holder.scheduler)
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_discipline_is_a_name_or_a_table() {
        assert_eq!(read("scheduler = \"c-look\"").unwrap().0, QueueDiscipline::CircularLook);
        assert_eq!(read("scheduler = { kind = \"sstf\" }").unwrap().0, QueueDiscipline::ShortestSeek);
        let aged = read("scheduler = { kind = \"aged-sptf\", longest_wait = \"500 ms\" }").unwrap();
        assert!(matches!(aged.0, QueueDiscipline::AgedShortestPositioning { .. }));
        assert!(read("scheduler = \"elevator\"").unwrap_err().starts_with("unknown variant `elevator`"));
        assert!(read("scheduler = \"aged-sptf\"").unwrap_err().contains("longest_wait"));
        assert!(read("scheduler = 3").unwrap_err().contains("the name of a queue discipline"));
    }

    #[test]
    fn the_names_in_the_schema_are_all_disciplines_without_parameters() {
        let schema = serde_json::to_value(schemars::schema_for!(DiskScheduler)).unwrap();
        for name in schema["anyOf"][0]["enum"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert!(read(&format!("scheduler = \"{name}\"")).is_ok(), "{name}");
        }
    }
}
