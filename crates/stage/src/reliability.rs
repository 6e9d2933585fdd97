//! How long a part lives and how often what it holds can't be read: what catalogue and scenario say of it, with the source.
//!
//! What isn't known is absent, and whoever needs it says of which parts. Left out: a drive's endurance (bytes written before its flash is
//! worn), and drives of one batch that fail together.

use petrio_units::Lifetime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long one lives, and how often a sector of it can't be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Reliability {
    /// How long one lives on average, as data sheets say it: "2500000 h". A year has 8,766 h, so that of drives of a million hours 0.87 % fail in
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_time_to_failure: Option<Lifetime>,
    /// The shape of the Weibull distribution that lives have (B. Schroeder & G. A. Gibson, "Disk failures in the real world", FAST 2007: 0.7 to
    /// 0.8 between replacements of a system's drives; J. G. Elerath & M. Pecht, DSN 2007: 1.12 by age). Above 1 they wear, below 1 they fail
    /// young. Left out, 1: exponential, the same at each age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<f64>,
    /// Bits that are read for one sector that can't be, as data sheets say it: 1e15. Left out: every sector can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_per_read_error: Option<f64>,
    /// How long it is on average until a sector of a drive becomes unreadable that nobody reads meanwhile (Elerath & Pecht, DSN 2007, have 9,259 h
    /// as the middle of what they saw). Left out: never, but for `bits_per_read_error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_time_to_latent_error: Option<Lifetime>,
    /// Where these figures stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The steepest shapes that mean something: beyond them all lives are the same, or most drives fail within the first instant.
const SHAPES: (f64, f64) = (0.1, 20.0);

impl Reliability {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What makes no sense of it: the key, and words.
    pub fn objection(&self) -> Option<(&'static str, String)> {
        let (least, most) = SHAPES;
        match (self.shape, self.bits_per_read_error) {
            (Some(shape), _) if !(least..=most).contains(&shape) => Some((
                "shape",
                format!("a shape of {shape} is none of a drive's life; they are from {least} to {most}"),
            )),
            (Some(_), _) if self.mean_time_to_failure.is_none() => {
                Some(("shape", "a shape without mean_time_to_failure does nothing".to_owned()))
            }
            (_, Some(bits)) if !(bits.is_finite() && bits >= 1e6) => Some((
                "bits_per_read_error",
                format!("an unreadable sector in {bits} bits is none of a drive's; sheets have 1e13 to 1e18"),
            )),
            _ => None,
        }
    }
}
