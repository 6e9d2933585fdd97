//! What all quantities share: text in, text out, serde and JSON schema.

use crate::error::UnitError;
use crate::parse::{measured, shortened};
use crate::unit::{Kind, displayed, of_kind};
use serde::de::{Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

/// A newtype that is written as a number with a unit.
pub(crate) trait Quantity: FromStr<Err = UnitError> {
    /// What it measures.
    const KIND: Kind;
    /// Whether a number without a unit means something (a fraction does).
    const BARE_NUMBERS: bool = false;
    /// Whether it may be negative.
    const SIGNED: bool = false;
    /// A quantity whose units are accepted as well (a number of blocks may be written as a size).
    const ALSO: Option<Kind> = None;
}

/// Reads a quantity from a string, and refuses a number with the same words as `FromStr` does.
pub(crate) fn deserialize<'de, Q: Quantity, D: Deserializer<'de>>(deserializer: D) -> Result<Q, D::Error> {
    struct Text<Q>(PhantomData<Q>);

    impl<Q: Quantity> Visitor<'_> for Text<Q> {
        type Value = Q;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} as text, such as \"{}\"", Q::KIND.name(), Q::KIND.example())
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Q, E> {
            text.parse().map_err(E::custom)
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Q, E> {
            bare(&number.to_string())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Q, E> {
            bare(&number.to_string())
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Q, E> {
            bare(&number.to_string())
        }
    }

    fn bare<Q: Quantity, E: Error>(number: &str) -> Result<Q, E> {
        if Q::BARE_NUMBERS {
            return number.parse().map_err(E::custom);
        }
        // A bare number's text never carries a unit, so it parses to the error that says so.
        number.parse::<Q>().and_then(|_| Err(no_unit(number, Q::KIND))).map_err(E::custom)
    }

    deserializer.deserialize_any(Text(PhantomData))
}

/// A number that stands alone where a quantity of this kind is needed.
pub(crate) fn no_unit(number: &str, kind: Kind) -> UnitError {
    UnitError::NoUnit { text: shortened(number), suggestion: kind.with_usual_units(number) }
}

/// The JSON schema of a quantity.
pub(crate) fn schema<Q: Quantity>() -> schemars::Schema {
    let kind = Q::KIND;
    let symbols: Vec<&str> =
        of_kind(kind).chain(Q::ALSO.into_iter().flat_map(of_kind)).map(|unit| unit.symbol).collect();
    let sign = if Q::SIGNED { "[+-]?" } else { "[+]?" };
    let pattern = format!(r"^\s*{sign}[0-9_]*\.?[0-9_]+([eE][+-]?[0-9]+)?\s*({})\s*$", symbols.join("|"));
    let text = schemars::json_schema!({
        "type": "string",
        "description": format!("{} with its unit, such as \"{}\"", capitalised(kind.name()), kind.example()),
        "pattern": pattern,
        "examples": [kind.example()],
    });
    if !Q::BARE_NUMBERS {
        return text;
    }
    schemars::json_schema!({
        "description": "A fraction: a percentage such as \"30 %\", or a plain number between 0 and 1",
        "anyOf": [text, { "type": "number", "minimum": 0, "maximum": 1 }],
    })
}

fn capitalised(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// The shortest text of a value that reads back as the same value; on a tie, the unit that stands first in the table.
/// `reads_back` tells whether a text is exact; the base unit is the fallback and always is.
pub(crate) fn shortest(kind: Kind, value: f64, base: &str, reads_back: impl Fn(&str) -> bool) -> String {
    of_kind(kind)
        .take(displayed(kind))
        .map(|unit| format!("{} {}", value * unit.denominator as f64 / unit.numerator as f64, unit.symbol))
        .filter(|text| reads_back(text))
        .min_by_key(String::len)
        .unwrap_or_else(|| base.to_owned())
}

/// Reads a float of base units that must be more than zero.
pub(crate) fn positive(text: &str, kind: Kind, limit: &'static str) -> Result<f64, UnitError> {
    let (decimal, unit) = measured(text, &[kind])?;
    let text = || shortened(text.trim());
    if decimal.negative {
        return Err(UnitError::Negative { text: text(), needed: kind.name() });
    }
    match decimal.float(unit) {
        value if value.is_infinite() => Err(UnitError::TooLarge { text: text(), needed: kind.name(), limit }),
        value if value > 0.0 => Ok(value),
        _ => Err(UnitError::Zero { text: text(), needed: kind.name() }),
    }
}

/// Implements serde and JSON schema for a quantity, through its `FromStr` and `Display`.
macro_rules! text_quantity {
    ($name:ident) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::quantity::deserialize(deserializer)
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                crate::quantity::schema::<Self>()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use text_quantity;
