//! References to parts: a name, a pattern, or a list of them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Names or patterns of parts; in a pattern `*` stands for any characters: `"d0"`, `"d*"`, `["d0", "log*"]`. Of a part
/// of a part it is a path, in which `*` stands for characters of one piece, and a piece `**` for any number of pieces:
/// `"server*/d0"`, `"**/data"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// One name.
    pub(crate) fn one(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }

    /// Each name or pattern, in the order in which they were written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Whether a name, or a piece of a path, fits a pattern.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    // Greedy from the left; each later piece is found as early as possible, which never misses a fit.
    let mut pieces = pattern.split('*');
    let Some(first) = pieces.next() else { return false };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name, a pattern such as \"d*\", or a list of them")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Names, E> {
                Ok(Names(vec![name.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }

        deserializer.deserialize_any(OneOrMany)
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            many => many.serialize(serializer),
        }
    }
}

impl JsonSchema for Names {
    fn schema_name() -> Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "description": "Names, paths or patterns of parts; in a pattern * stands for any characters of a piece of the path, and ** \
                            for any number of pieces",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" }, "minItems": 1 }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("d0", "d0", true),
            ("d0", "d01", false),
            ("d*", "d12", true),
            ("d*", "log", false),
            ("*", "anything", true),
            ("*0", "d10", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b", "ab", true),
            ("ab*b", "ab", false),
            ("", "d", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
