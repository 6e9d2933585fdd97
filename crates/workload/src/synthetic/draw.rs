//! Distributions of quantities with units, as a scenario writes them.

use crate::distribution::Distribution;
use petrio_units::{Blocks, Duration, Fraction, UnitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A random quantity: `{ exponential = { mean = "25 ms" } }`, `{ constant = "4 KiB" }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(bound(deserialize = "Q: Deserialize<'de> + Default"))]
#[schemars(bound = "Q: JsonSchema + Serialize + Default")]
pub enum Draw<Q> {
    /// Always the same.
    Constant(Q),
    /// Anything between two, equally likely.
    Uniform {
        /// The smallest.
        min: Q,
        /// The largest.
        max: Q,
    },
    /// Normally distributed. DiskSim 4.0 calls its second number a variance, but takes it as the standard deviation.
    Normal {
        /// The mean.
        mean: Q,
        /// The standard deviation.
        standard_deviation: Q,
    },
    /// Exponentially distributed above a base: its mean is `base + mean`.
    Exponential {
        /// The smallest; nothing if left out.
        #[serde(default)]
        base: Q,
        /// The mean of what is added to the base.
        mean: Q,
    },
    /// A Poisson-distributed number of steps above a base.
    Poisson {
        /// The smallest; nothing if left out.
        #[serde(default)]
        base: Q,
        /// The mean of what is added to the base.
        mean: Q,
        /// One step. DiskSim's is 1 ms for times and 1 block for sizes.
        step: Q,
    },
    /// One of two.
    TwoValue {
        /// The usual one.
        default: Q,
        /// The other.
        second: Q,
        /// How likely the other is.
        probability: Fraction,
    },
}

/// A quantity as a plain number of its finest unit.
pub(crate) trait Number: Copy {
    fn number(self) -> f64;
}

impl Number for Duration {
    /// Picoseconds.
    fn number(self) -> f64 {
        self.time().as_picos() as f64
    }
}

impl Number for Blocks {
    fn number(self) -> f64 {
        self.get() as f64
    }
}

impl Number for SignedBlocks {
    fn number(self) -> f64 {
        self.0 as f64
    }
}

/// The distribution of plain numbers, or why there is none.
pub(crate) fn distribution<Q: Number>(draw: &Draw<Q>) -> Result<Distribution, &'static str> {
    let distribution = match *draw {
        Draw::Constant(value) => Distribution::Constant(value.number()),
        Draw::Uniform { min, max } => Distribution::Uniform { min: min.number(), max: max.number() },
        Draw::Normal { mean, standard_deviation } => {
            Distribution::Normal { mean: mean.number(), standard_deviation: standard_deviation.number() }
        }
        Draw::Exponential { base, mean } => {
            Distribution::Exponential { base: base.number(), mean: mean.number() }
        }
        Draw::Poisson { base, mean, step } => {
            let step = step.number();
            if step <= 0.0 {
                return Err("the step of a Poisson distribution must be more than zero");
            }
            Distribution::Poisson { base: base.number(), mean: mean.number() / step, step }
        }
        Draw::TwoValue { default, second, probability } => Distribution::TwoValue {
            default: default.number(),
            second: second.number(),
            probability: probability.get(),
        },
    };
    match distribution {
        Distribution::Uniform { min, max } if min >= max => {
            Err("the smallest of a uniform distribution must be less than its largest")
        }
        Distribution::Normal { standard_deviation, .. } if standard_deviation < 0.0 => {
            Err("a standard deviation can't be negative")
        }
        Distribution::Exponential { mean, .. } | Distribution::Poisson { mean, .. } if mean < 0.0 => {
            Err("the mean above the base can't be negative")
        }
        sound => Ok(sound),
    }
}

/// A distance in 512-byte blocks, forward or backward: `"40000 blocks"`, `"-20 MB"`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SignedBlocks(pub i64);

impl FromStr for SignedBlocks {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (sign, size) = match text.trim_start().strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, text),
        };
        let blocks = size.parse::<Blocks>()?.get();
        match i64::try_from(blocks) {
            Ok(blocks) => Ok(Self(sign * blocks)),
            Err(_) => Err(UnitError::TooLarge {
                text: text.trim().to_owned(),
                needed: "a distance",
                limit: "9223372036854775807 blocks",
            }),
        }
    }
}

impl fmt::Display for SignedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", Blocks(self.0.unsigned_abs()))
    }
}

impl fmt::Debug for SignedBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for SignedBlocks {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SignedBlocks {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl serde::de::Visitor<'_> for Text {
            type Value = SignedBlocks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a distance as text, such as \"40000 blocks\" or \"-20 MB\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SignedBlocks, E> {
                text.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for SignedBlocks {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SignedBlocks".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A distance in blocks or as a size, forward or backward, such as \"40000 blocks\" or \"-20 MB\"",
            "examples": ["40000 blocks", "-20 MB"],
        })
    }
}
