//! Axes: what is told along them, how values lie on them, and from where to where they go.

use crate::numbers::{grouped, rate_unit, significant, time};
use petrio_time::numbers::{as_index, whole_part};
use serde::{Serialize, Serializer};

/// What a number counts. It decides in which units a person reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A number of its own.
    Number,
    /// Bytes.
    Bytes,
    /// Seconds.
    Duration,
    /// Bytes a second.
    Rate,
    /// A part of one, read in per cents.
    Share,
    /// A ratio to one, read as what it is more or less than one: `+12 %`.
    Change,
}

impl Quantity {
    /// Whether it is what is meant where nothing is said.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(crate) const fn is_number(&self) -> bool {
        matches!(self, Self::Number)
    }

    /// A value as a person reads it, with its unit: `4.31 ms`.
    pub fn words(self, value: f64) -> String {
        if !value.is_finite() {
            return "–".to_owned();
        }
        let trimmed = |number: f64| {
            let text = significant(number);
            let short = text.trim_end_matches('0').trim_end_matches('.');
            if text.contains('.') && !text.contains('e') { short.to_owned() } else { text }
        };
        match self {
            Self::Number if value.fract() == 0.0 && value.abs() < 1e15 => {
                let sign = if value < 0.0 { "−" } else { "" };
                format!("{sign}{}", grouped(whole_part(value.abs())))
            }
            Self::Number => significant(value),
            Self::Duration => time(value * 1e3),
            Self::Bytes | Self::Rate => {
                let (unit, size) = rate_unit(value);
                let unit = if self == Self::Rate { unit } else { unit.trim_end_matches("/s") };
                format!("{} {unit}", trimmed(value / size))
            }
            Self::Share => format!("{} %", trimmed(value * 100.0)),
            Self::Change => {
                let sign = if value < 1.0 { "−" } else { "+" };
                format!("{sign}{} %", trimmed((value - 1.0).abs() * 100.0))
            }
        }
    }
}

/// How values lie on an axis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences are equally long.
    Linear,
    /// Equal ratios are equally long.
    Logarithmic,
    /// A place for each of these; values are their numbers, from 0.
    Names(Vec<String>),
}

impl Scale {
    /// Whether it is what is meant where nothing is said.
    const fn is_linear(&self) -> bool {
        matches!(self, Self::Linear)
    }
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What is told along it, without the unit.
    pub name: String,
    /// What its numbers count.
    #[serde(skip_serializing_if = "Quantity::is_number")]
    pub quantity: Quantity,
    /// How values lie on it.
    #[serde(skip_serializing_if = "Scale::is_linear")]
    pub scale: Scale,
    /// Where it begins; otherwise where the values do, or at nothing.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "plain")]
    pub from: Option<f64>,
    /// Where it ends; otherwise where the values do.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "plain")]
    pub to: Option<f64>,
    /// Of names: what stands at the other end of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// Of names: those that are headings of the ones after them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<usize>,
}

fn plain<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(|value| crate::thin::rounded(value, value.abs())).serialize(serializer)
}

impl Axis {
    /// A linear axis over all values.
    pub fn new(name: impl Into<String>, quantity: Quantity) -> Self {
        Self {
            name: name.into(),
            quantity,
            scale: Scale::Linear,
            from: None,
            to: None,
            ends: Vec::new(),
            headings: Vec::new(),
        }
    }

    /// An axis with a place for each name.
    pub fn names(name: impl Into<String>, names: Vec<String>) -> Self {
        Self { scale: Scale::Names(names), ..Self::new(name, Quantity::Number) }
    }

    /// The same, with words at the other end of each name.
    #[must_use]
    pub fn with_ends(self, ends: Vec<String>) -> Self {
        Self { ends, ..self }
    }

    /// The same, in equal ratios.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { scale: Scale::Logarithmic, ..self }
    }

    /// The same, from and to these values.
    #[must_use]
    pub fn between(self, from: f64, to: f64) -> Self {
        Self { from: Some(from), to: Some(to), ..self }
    }

    /// The same, from this value on.
    #[must_use]
    pub fn from(self, from: f64) -> Self {
        Self { from: Some(from), ..self }
    }

    /// A value of this axis as a person reads it.
    pub fn words(&self, value: f64) -> String {
        match &self.scale {
            Scale::Names(names) => names.get(as_index(whole_part(value))).cloned().unwrap_or_default(),
            Scale::Linear | Scale::Logarithmic => self.quantity.words(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_has_its_unit() {
        for (quantity, value, words) in [
            (Quantity::Number, 48_213.0, "48,213"),
            (Quantity::Number, 0.012_34, "0.0123"),
            (Quantity::Bytes, 65_536.0, "64 KiB"),
            (Quantity::Duration, 0.004_31, "4.31 ms"),
            (Quantity::Rate, 13_002_342.4, "12.4 MiB/s"),
            (Quantity::Share, 0.125, "12.5 %"),
            (Quantity::Share, 1.0, "100 %"),
            (Quantity::Change, 0.5, "−50 %"),
            (Quantity::Change, 2.0, "+100 %"),
            (Quantity::Change, f64::INFINITY, "–"),
        ] {
            assert_eq!(quantity.words(value), words);
        }
        assert_eq!(Axis::names("", vec!["a".to_owned(), "b".to_owned()]).words(1.0), "b");
    }
}
