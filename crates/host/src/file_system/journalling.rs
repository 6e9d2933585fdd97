//! What goes through a file system's journal, and where that lies: a word, or a table.

use petrio_persist::Persist;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What goes through the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum JournalMode {
    /// Metadata; data are written to their place before the transaction that refers to them commits.
    #[default]
    Ordered,
    /// Metadata only; data go to their place whenever they are written back.
    WriteBack,
    /// Metadata and data.
    Journal,
}

/// What goes through the journal, and where that lies.
#[derive(Clone, Debug, PartialEq, Eq, Default, Persist)]
pub struct Journalling {
    /// What goes through it (mount option `data=`).
    pub mode: JournalMode,
    /// The device that is the journal (`mke2fs -O journal_dev`, `-J device=`); `None` for a file within the file
    /// system.
    pub on: Option<String>,
}

/// The table that may stand in place of a word.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Apart {
    /// What goes through the journal; left out, metadata (`ordered`).
    #[serde(default)]
    mode: JournalMode,
    /// The disk, array or another part that holds blocks which is the journal; left out, the journal lies within the
    /// file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<String>,
}

impl From<JournalMode> for Journalling {
    fn from(mode: JournalMode) -> Self {
        Self { mode, on: None }
    }
}

impl Serialize for Journalling {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.on {
            None => self.mode.serialize(serializer),
            Some(_) => Apart { mode: self.mode, on: self.on.clone() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Journalling {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordOrTable;

        impl<'de> Visitor<'de> for WordOrTable {
            type Value = Journalling;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("what goes through the journal, or a table with `mode` and `on`")
            }

            fn visit_str<E: Error>(self, mode: &str) -> Result<Journalling, E> {
                JournalMode::deserialize(StrDeserializer::new(mode)).map(Journalling::from)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Journalling, A::Error> {
                let Apart { mode, on } = Apart::deserialize(MapAccessDeserializer::new(table))?;
                Ok(Journalling { mode, on })
            }
        }

        deserializer.deserialize_any(WordOrTable)
    }
}

impl JsonSchema for Journalling {
    fn schema_name() -> Cow<'static, str> {
        "Journal".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (mode, table) = (generator.subschema_for::<JournalMode>(), generator.subschema_for::<Apart>());
        schemars::json_schema!({
            "description": "What goes through the journal, or a table that also says where it lies",
            "anyOf": [mode, table],
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Part {
        journal: Journalling,
    }

    fn of(text: &str) -> Result<Journalling, toml::de::Error> {
        toml::from_str::<Part>(text).map(|part| part.journal)
    }

    #[test]
    fn a_word_is_a_mode_and_a_table_says_where_it_lies() {
        let on = |mode| Journalling { mode, on: Some("log".to_owned()) };
        assert_eq!(of("journal = \"write-back\"").unwrap(), JournalMode::WriteBack.into());
        assert_eq!(of("journal = { on = \"log\" }").unwrap(), on(JournalMode::Ordered));
        assert_eq!(of("journal = { mode = \"journal\", on = \"log\" }").unwrap(), on(JournalMode::Journal));
        for wrong in ["journal = \"none\"", "journal = { at = \"log\" }", "journal = 3"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for part in ["journal = \"ordered\"\n", "[journal]\nmode = \"journal\"\non = \"log\"\n"] {
            let read: Part = toml::from_str(part).unwrap();
            assert_eq!(toml::to_string(&read).unwrap(), part);
        }
    }
}
