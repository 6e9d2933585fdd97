//! What numbers measure, and distributions between their two forms: as they are written (with units), and plain
//! (numbers of the base unit), with which a page can calculate.

use petrio_distribution::{Distribution, Draw};
use petrio_units::{Amount, Bytes, Duration, Measurable};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Quantity {
    /// Numbers without unit.
    Number,
    /// Bytes.
    Bytes,
    /// Seconds.
    Duration,
}

/// Evaluates with the type of a quantity.
macro_rules! with_quantity {
    ($quantity:expr, $Q:ident => $answer:expr) => {
        match $quantity {
            Quantity::Number => {
                type $Q = f64;
                $answer
            }
            Quantity::Bytes => {
                type $Q = Bytes;
                $answer
            }
            Quantity::Duration => {
                type $Q = Duration;
                $answer
            }
        }
    };
}

/// A distribution in every form that is needed.
#[derive(Clone, Debug)]
pub(crate) struct Forms {
    /// To calculate with, in the base unit.
    pub(crate) distribution: Distribution,
    /// As JSON with plain numbers.
    pub(crate) plain: Value,
    /// As it is written in a TOML file.
    pub(crate) toml: toml_edit::Value,
}

impl Quantity {
    /// A distribution from its plain form.
    pub(crate) fn of_plain(self, mut plain: Value) -> Result<Forms, String> {
        with_quantity!(self, Q => {
            written::<Q>(&mut plain, false);
            let draw: Draw<Q> = serde_json::from_value(plain).map_err(|error| error.to_string())?;
            forms(&draw)
        })
    }

    /// A distribution from its text: `{ exponential = { mean = "5 ms" } }`, with or without a key before it.
    pub(crate) fn of_text(self, text: &str) -> Result<Forms, String> {
        #[derive(Deserialize)]
        #[serde(bound = "Q: Measurable")]
        struct Keyed<Q: Measurable> {
            draw: Draw<Q>,
        }
        let text = text.trim();
        let keyed = format!("draw = {text}");
        with_quantity!(self, Q => {
            let draw = match toml_edit::de::from_str::<Keyed<Q>>(&keyed) {
                Ok(keyed) => keyed.draw,
                Err(error) => match toml_edit::de::from_str::<std::collections::BTreeMap<String, Draw<Q>>>(text) {
                    Ok(map) if map.len() == 1 => map.into_values().next().ok_or_else(|| error.message().to_owned())?,
                    _ => return Err(error.message().to_owned()),
                },
            };
            forms(&draw)
        })
    }

    /// What can't be below zero, in words.
    pub(crate) const fn never_negative(self) -> Option<&'static str> {
        match self {
            Self::Number => None,
            Self::Bytes => Some("a number of bytes"),
            Self::Duration => Some("a time"),
        }
    }

    /// How many base units one of a named unit is: 0.001 for `ms`.
    pub(crate) fn unit(self, name: &str) -> Result<f64, String> {
        if name.is_empty() {
            return Ok(1.0);
        }
        let text = format!("1 {name}");
        with_quantity!(self, Q => text.parse::<Amount<Q>>().map(Amount::base).map_err(|error| error.to_string()))
    }
}

fn forms<Q: Measurable>(draw: &Draw<Q>) -> Result<Forms, String> {
    let distribution = draw.distribution().map_err(|error| error.to_string())?;
    let mut plain = serde_json::to_value(draw).map_err(|error| error.to_string())?;
    unwritten::<Q>(&mut plain);
    let toml = draw.serialize(toml_edit::ser::ValueSerializer::new()).map_err(|error| error.to_string())?;
    Ok(Forms { distribution, plain, toml })
}

/// A distribution without unit in its plain form, which is that of any quantity in its base unit.
pub(crate) fn plain_draw(draw: &Draw<f64>) -> Result<Value, String> {
    serde_json::to_value(draw).map_err(|error| error.to_string())
}

/// The keys whose numbers are amounts; all other numbers have no unit, whatever is measured.
const AMOUNTS: [&str; 15] = [
    "constant",
    "min",
    "max",
    "mean",
    "standard_deviation",
    "base",
    "step",
    "default",
    "second",
    "median",
    "offset",
    "scale",
    "minimum",
    "x",
    "values",
];

/// Turns plain amounts into those with units.
fn written<Q: Measurable>(value: &mut Value, is_amount: bool) {
    match value {
        Value::Object(map) => {
            map.iter_mut().for_each(|(key, value)| written::<Q>(value, AMOUNTS.contains(&key.as_str())));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| written::<Q>(item, is_amount)),
        Value::Number(number) if is_amount && !Q::BARE => {
            if let Some(number) = number.as_f64() {
                *value = Value::String(Amount::<Q>::from_base(number).to_string());
            }
        }
        _ => {}
    }
}

/// Turns amounts with units into plain ones. Nothing else in a distribution reads as an amount.
fn unwritten<Q: Measurable>(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(unwritten::<Q>),
        Value::Array(items) => items.iter_mut().for_each(unwritten::<Q>),
        Value::String(text) if !Q::BARE => {
            if let Ok(amount) = text.parse::<Amount<Q>>() {
                *value = amount.base().into();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_family_survives_text_to_plain_and_back() {
        for text in [
            r#""4 KiB""#,
            r#"{ uniform = { min = "1 B", max = "2 KiB" } }"#,
            r#"{ exponential = { mean = "812.37 B" } }"#,
            r#"{ two-value = { default = "1 B", second = "5 B", probability = "30 %" } }"#,
            r#"{ gamma = { stages = [{ weight = 0.3, shape = 1.5, scale = "1.2 KiB" }, { weight = 0.7, shape = 2, scale = "10 B", offset = "4 KiB" }] } }"#,
            r#"{ gamma = { shape = 2, scale = "1 KiB" } }"#,
            r#"{ phase-type = { stages = [{ weight = 1, mean = "1 KiB", offset = "3 B" }] } }"#,
            r#"{ zipf = { exponent = 0.9, count = 100, step = "4 KiB" } }"#,
            r#"{ geometric = { mean = "20 KiB", step = "4 KiB" } }"#,
            r#"{ density-table = { x = ["1 B", "2 B", "3 B"], density = [1, 2, 1] } }"#,
            r#"{ cumulative-table = { x = ["1 B", "2 B", "3 B"], p = [0, 0.5, 1], interpolation = "linear" } }"#,
            r#"{ empirical = { values = ["1 B", "5 B"], weights = [1, 2] } }"#,
            r#"{ truncated = { of = { normal = { mean = "5 KiB", standard_deviation = "1 KiB" } }, min = "1 B" } }"#,
            r#"{ mixture = [{ weight = 0.5, of = "1 KiB" }, { weight = 0.5, of = { pareto = { shape = 2, minimum = "1 B" } } }] }"#,
        ] {
            let read = Quantity::Bytes.of_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(!read.plain.to_string().contains("iB"), "{}", read.plain);
            let again = Quantity::Bytes.of_plain(read.plain.clone()).unwrap();
            assert_eq!(again.toml.to_string(), read.toml.to_string());
            assert_eq!(again.distribution, read.distribution);
        }
    }

    #[test]
    fn a_key_may_stand_before_the_text_and_mistakes_are_told() {
        let read = Quantity::Duration.of_text(r#"think = { exponential = { mean = "5 ms" } }"#).unwrap();
        assert_eq!(read.plain, serde_json::json!({ "exponential": { "base": 0.0, "mean": 0.005 } }));
        assert!(Quantity::Duration.of_text("{ exponential = { mean = 5 } }").unwrap_err().contains("unit"));
        let error = Quantity::Number
            .of_plain(serde_json::json!({ "gamma": { "shape": -1, "scale": 2 } }))
            .unwrap_err();
        assert!(error.contains("shape"), "{error}");
        assert_eq!(Quantity::Duration.unit("ms"), Ok(0.001));
        assert!(Quantity::Bytes.unit("ms").is_err());
    }
}
