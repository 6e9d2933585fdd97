//! Distributions of quantities with units, as a scenario writes them: `{ exponential = { mean = "25 ms" } }`, or
//! `"25 ms"`.
//!
//! The text form is stable. A [`Draw`] keeps its parameters as they were written ([`Amount`]s, floats of the finest
//! unit), so that what is read and written again is the same; [`Draw::distribution`] turns it into plain numbers and
//! checks them.

mod build;
mod family;
mod lines;
mod one_key;

pub use family::{
    CumulativeTable, DensityTable, DrawFamily, EmpiricalSample, ErlangStage, ExponentialStage, GammaStage,
    GammaStages, MixturePart,
};

use super::any::Distribution;
use super::error::DistributionError;
use one_key::OneKey;
use petrio_units::{Amount, Measurable};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A random quantity: `{ exponential = { mean = "25 ms" } }`, `{ constant = "4 KiB" }`, and `"4 KiB"` for short.
///
/// `Q` is what it measures: [`Bytes`](petrio_units::Bytes), [`Blocks`](petrio_units::Blocks),
/// [`SignedBlocks`](petrio_units::SignedBlocks), [`Duration`](petrio_units::Duration), or `f64` for a number without
/// unit (`ratio = 2.5`).
///
/// ```
/// use petrio_units::{Bytes, Duration};
/// use petrio_distribution::Draw;
/// let size: Draw<Bytes> = serde_json::from_str(
///     r#"{ "gamma": { "stages": [ { "weight": 0.3, "shape": 1.5, "scale": "1.2 KiB" },
///                                 { "weight": 0.7, "shape": 2, "scale": "812.37 B", "offset": "4 KiB" } ] } }"#,
/// )?;
/// assert!((size.distribution()?.mean() - (0.3 * 1.5 * 1228.8 + 0.7 * (4096.0 + 2.0 * 812.37))).abs() < 1e-9);
/// let think: Draw<Duration> = serde_json::from_str("\"5 ms\"")?;
/// assert_eq!(think.distribution()?.mean(), 0.005);
/// let error = serde_json::from_str::<Draw<Duration>>("5").unwrap_err();
/// assert!(error.to_string().contains("\"5\" has no unit"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Draw<Q: Measurable>(pub DrawFamily<Q>);

impl<Q: Measurable> Draw<Q> {
    /// Always the same.
    pub const fn constant(value: Amount<Q>) -> Self {
        Self(DrawFamily::Constant(value))
    }

    /// The distribution of plain numbers in the base unit: bytes, blocks, seconds, 1.
    ///
    /// # Errors
    /// The first parameter that makes no sense: which, why, and what would do.
    pub fn distribution(&self) -> Result<Distribution, DistributionError> {
        build::distribution(self, &Amount::base)
    }

    /// The distribution of plain numbers in the finest unit, in which whole counts are exact: picoseconds for
    /// durations.
    ///
    /// # Errors
    /// As of [`Draw::distribution`].
    pub fn distribution_in_finest(&self) -> Result<Distribution, DistributionError> {
        build::distribution(self, &Amount::finest)
    }
}

impl<Q: Measurable> From<DrawFamily<Q>> for Draw<Q> {
    fn from(family: DrawFamily<Q>) -> Self {
        Self(family)
    }
}

impl<Q: Measurable> Serialize for Draw<Q> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, Q: Measurable> Deserialize<'de> for Draw<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DrawVisitor(PhantomData))
    }
}

struct DrawVisitor<Q>(PhantomData<Q>);

impl<Q: Measurable> DrawVisitor<Q> {
    fn constant<E: Error>(finest: Result<Amount<Q>, E>) -> Result<Draw<Q>, E> {
        finest.map(Draw::constant)
    }
}

impl<'de, Q: Measurable> Visitor<'de> for DrawVisitor<Q> {
    type Value = Draw<Q>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let constant = if Q::BARE { "a number" } else { "a quantity with its unit" };
        write!(f, "a distribution, or {constant}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Draw<Q>, E> {
        Self::constant(Amount::deserialize(serde::de::value::StrDeserializer::new(text)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Draw<Q>, E> {
        Self::constant(Amount::deserialize(serde::de::value::F64Deserializer::new(number)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Draw<Q>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Draw<Q>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Draw<Q>, A::Error> {
        DrawFamily::deserialize(OneKey::new(map)).map(Draw)
    }
}

impl<Q: Measurable> JsonSchema for Draw<Q> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("DrawOf{}", Q::NAME).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let family = generator.subschema_for::<DrawFamily<Q>>();
        let constant = generator.subschema_for::<Amount<Q>>();
        schemars::json_schema!({
            "description": "A random quantity: a distribution, or a quantity that never changes",
            "anyOf": [family, constant],
        })
    }
}
