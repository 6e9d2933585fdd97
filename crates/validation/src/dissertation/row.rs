//! A row of the validation: a table or figure of the dissertation, what it has, what petrio says, and what of that was fitted.

use crate::verdict::Judged;
use petrio_page::numbers::grouped;
use petrio_units::numbers::nearest_whole;
use serde::Serialize;

/// The level at which the dissertation's own error bars stand, per cent (5.3).
pub(super) const ERROR_BARS: f64 = 10.0;

/// A table or figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Where: `table 9`, `figures 5 and 6`.
    pub place: &'static str,
    /// What of petrio's side was fitted to what, or assumed; none where nothing was.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub fitted: &'static str,
    /// What is compared, and what it comes to.
    #[serde(flatten)]
    pub judged: Judged,
}

impl Row {
    /// A number of the paper's in KB/s beside petrio's, which may lie so far from it, per cent.
    pub(super) fn number(place: &'static str, what: &str, [paper, petrio]: [f64; 2], bound: f64) -> Self {
        let error = (petrio / paper - 1.0) * 100.0;
        let figures = format!(
            "the dissertation {}, petrio {} KB/s ({error:+.1} %, at most {bound:.0} % off)",
            kb(paper),
            kb(petrio)
        );
        let judged = Judged::percent(format!("{place}, {what}"), error, bound, None);
        Self { place, fitted: "", judged: Judged { figures: Some(figures), ..judged } }
    }

    /// Something that may be at most so much.
    pub(super) fn at_most(place: &'static str, what: &str, figures: String, value: f64, limit: f64) -> Self {
        let what = format!("{place}, {what}");
        Self { place, fitted: "", judged: Judged::at_most(what, figures, (value, limit), None) }
    }

    /// Something that must be at least so much.
    pub(super) fn at_least(place: &'static str, what: &str, figures: String, value: f64, limit: f64) -> Self {
        let what = format!("{place}, {what}");
        Self { place, fitted: "", judged: Judged::at_least(what, figures, (value, limit), None) }
    }

    /// The same, of which this was fitted or assumed.
    pub(super) const fn fitted(mut self, what: &'static str) -> Self {
        self.fitted = what;
        self
    }
}

/// KB/s without a fraction, in groups of three.
pub(super) fn kb(rate: f64) -> String {
    if rate.is_finite() { grouped(nearest_whole(rate)) } else { "none".to_owned() }
}

/// Several of them.
pub(super) fn kbs(rates: &[f64]) -> String {
    rates.iter().map(|rate| kb(*rate)).collect::<Vec<_>>().join(", ")
}

/// A curve over sizes, as it is printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The dissertation's figure.
    pub place: &'static str,
    /// What it shows.
    pub what: String,
    /// The unit of what it goes over.
    pub over: &'static str,
    /// What it goes over.
    pub at: Vec<u64>,
    /// KB (1,024 bytes) a second for each.
    pub kb_per_s: Vec<f64>,
}

impl Curve {
    /// What its end loses against the best of its first points, per cent.
    pub fn loss_percent(&self, first: usize) -> f64 {
        let best = self.kb_per_s.iter().take(first).copied().fold(0.0, f64::max);
        let last = self.kb_per_s.last().copied().unwrap_or(f64::NAN);
        (1.0 - last / best) * 100.0
    }
}
