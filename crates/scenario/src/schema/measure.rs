//! `[measure]`: what to measure, and when to stop.

use petrio_units::{Duration, Fraction};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What to measure, and when to stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Runs with different random numbers, for confidence intervals.
    pub replications: u32,
    /// The level of the confidence intervals.
    pub confidence: Fraction,
    /// What is cut off at the beginning: a span of model time, or "auto" (MSER-5).
    pub warm_up: WarmUp,
    /// What becomes of a request that its System can't do: a write to a full volume, a block that a device can't read.
    pub on_error: OnError,
    /// Which stages the report shows: equal parts as one class, or each of them.
    pub stages: StageRows,
    /// Whether the report says how far its figures may be off, by what validations of such parts missed by.
    pub model_error: bool,
    /// When a run has measured enough: whichever comes first. Left out, when every workload has ended.
    pub stop: Stop,
    /// Over how many months what is bought and what is rented are added up as one cost.
    pub months: u32,
    /// A run that reaches this much model time is broken off with a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Duration>,
    /// A run that reaches this many requests is broken off with a warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
}

/// Three years, over which servers were long written off and which cloud providers' longest commitments last.
const USUAL_MONTHS: u32 = 36;

impl Default for Measure {
    fn default() -> Self {
        Self {
            replications: 1,
            confidence: Fraction::new(0.95).unwrap_or(Fraction::ZERO),
            warm_up: WarmUp::default(),
            on_error: OnError::default(),
            stages: StageRows::default(),
            model_error: true,
            stop: Stop::default(),
            months: USUAL_MONTHS,
            max_time: None,
            max_requests: None,
        }
    }
}

/// What becomes of a request that its System can't do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The run ends with an error that says what was asked.
    #[default]
    Stop,
    /// Its program hears of the error and goes on; the report counts it, and leaves it out of all other figures.
    Count,
}

/// Which stages the report shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StageRows {
    /// A row for each class of equal parts, with the busiest of them by name.
    #[default]
    Classes,
    /// A row for every stage.
    All,
}

/// When a run has measured enough. Of several conditions, the one that is met first counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// After this many completed requests, warm-up included; messages between processes are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// After this span of model time, warm-up included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
    /// When the half-width of the mean latency's confidence interval is this small a part of the mean. It
    /// says how many replications there are; what ends each of them is the workload, `requests` or `time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Fraction>,
}

impl Stop {
    /// Whether no condition is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is cut off at the beginning of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// A span of model time.
    Span(Duration),
    /// As MSER-5 says (K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
    /// Simulation 69(6), 1997; batches of five).
    Auto,
}

impl Default for WarmUp {
    fn default() -> Self {
        Self::Span(Duration::ZERO)
    }
}

impl<'de> Deserialize<'de> for WarmUp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpanOrAuto;

        impl Visitor<'_> for SpanOrAuto {
            type Value = WarmUp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a span such as \"5 s\", or \"auto\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WarmUp, E> {
                match text.trim() {
                    "auto" => Ok(WarmUp::Auto),
                    span => span
                        .parse()
                        .map(WarmUp::Span)
                        .map_err(|error| E::custom(format!("{error}; or \"auto\""))),
                }
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<WarmUp, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<WarmUp, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(SpanOrAuto)
    }
}

impl Serialize for WarmUp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Span(span) => span.serialize(serializer),
            Self::Auto => serializer.serialize_str("auto"),
        }
    }
}

impl JsonSchema for WarmUp {
    fn schema_name() -> Cow<'static, str> {
        "WarmUp".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let span = generator.subschema_for::<Duration>();
        schemars::json_schema!({
            "description": "What is cut off at the beginning of a run: a span of model time, or \"auto\" (MSER-5)",
            "anyOf": [{ "const": "auto" }, span],
        })
    }
}
