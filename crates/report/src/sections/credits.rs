//! What is left of bursts when a run ends, when they are over, and what the load gets then.

use crate::figure::{Tables, figures};
use crate::section::Entry;
use petrio_page::numbers::{bytes, per_cent, significant, time};
use petrio_units::numbers::{nearest_whole, whole_part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a burst is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CreditUnit {
    /// I/Os, as the part counts them.
    Requests,
    /// Bytes, likewise.
    Bytes,
}

/// A burst of a part that lets more pass for a while than for good: of several equal parts, the one that has least left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditFigures {
    /// The part, or its class.
    pub part: String,
    /// What it counts.
    pub unit: CreditUnit,
    /// How many equal parts there are.
    pub parts: u64,
    /// What its bucket holds, I/Os or bytes.
    pub room: f64,
    /// What of what its bucket holds was left when the run ended.
    pub left: f64,
    /// What passes for good, a second, which is also how fast it comes back while nothing is asked.
    pub lasting_per_s: f64,
    /// What passes while something is left, a second.
    pub burst_per_s: f64,
    /// When something had to wait first because nothing was left, seconds from the beginning; absent where there was enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dry_at_s: Option<f64>,
    /// When nothing is left if all goes on as in the run, seconds from the beginning; absent where as much comes back.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dry_after_s: Option<f64>,
    /// How long an empty bucket takes to be full again while nothing is asked, seconds.
    pub full_after_s: f64,
}

/// What a load gets that goes on after its bursts are over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BehindCredits {
    /// What completes a second.
    pub requests_per_s: f64,
    /// The mean latency of these, milliseconds.
    pub mean_latency_ms: f64,
}

impl CreditFigures {
    /// When nothing is left: in the run, or if it goes on.
    pub fn over_s(&self) -> Option<f64> {
        self.dry_at_s.or(self.dry_after_s)
    }

    /// A figure, where the part counts in this unit.
    fn of(&self, unit: CreditUnit, figure: f64) -> Option<f64> {
        (self.unit == unit).then_some(figure)
    }

    fn amount(&self, amount: f64) -> String {
        match self.unit {
            CreditUnit::Requests => format!("{} I/Os", significant(amount)),
            CreditUnit::Bytes => bytes(whole_part(amount)),
        }
    }

    /// What it says. `own` and `behind` are what completes a second and its mean latency in milliseconds.
    pub fn sentence(&self, many: &str, own: (f64, f64), behind: Option<(f64, f64)>) -> String {
        let Self { part, room, left, lasting_per_s, burst_per_s, full_after_s, .. } = self;
        let room_words = self.amount(*room);
        let head = match (self.dry_at_s, self.dry_after_s) {
            (Some(dry), _) => format!("the burst of \"{part}\" was over after {}", span(dry)),
            (None, Some(dry)) => format!(
                "the run rests on a burst of \"{part}\": it ended with {} of its credits left, and at its rate they are gone after {}",
                per_cent(left / room),
                span(dry)
            ),
            (None, None) => format!("\"{part}\" has a burst"),
        };
        let burst = match self.unit {
            CreditUnit::Requests => significant(*burst_per_s),
            CreditUnit::Bytes => bytes(whole_part(*burst_per_s)),
        };
        let rates = format!(
            "{} a second pass then, not {burst} (credits for {room_words}, full again after {} without load)",
            self.amount(*lasting_per_s),
            span(*full_after_s)
        );
        match behind {
            Some((per_s, mean_ms)) => format!(
                "{head}; behind that the same load gets {} {many} a second with a mean latency of {}, not {} with {}, as a run shows that \
                 begins without any: {rates}",
                significant(per_s),
                time(mean_ms),
                significant(own.0),
                time(own.1)
            ),
            None => format!("{head}: {rates}"),
        }
    }
}

figures! { CreditFigures:
    parts => "parts" One Neither;
    room = |credits: &Self| credits.of(CreditUnit::Requests, credits.room) => "room" One Neither;
    left = |credits: &Self| credits.of(CreditUnit::Requests, credits.left) => "left" One Up;
    lasting_per_s = |credits: &Self| credits.of(CreditUnit::Requests, credits.lasting_per_s)
        => "lasting rate" PerSecond Up;
    burst_per_s = |credits: &Self| credits.of(CreditUnit::Requests, credits.burst_per_s)
        => "burst rate" PerSecond Up;
    room = |credits: &Self| credits.of(CreditUnit::Bytes, credits.room) => "room" Bytes Neither;
    left = |credits: &Self| credits.of(CreditUnit::Bytes, credits.left) => "left" Bytes Up;
    lasting_per_s = |credits: &Self| credits.of(CreditUnit::Bytes, credits.lasting_per_s)
        => "lasting rate" BytesPerSecond Up;
    burst_per_s = |credits: &Self| credits.of(CreditUnit::Bytes, credits.burst_per_s)
        => "burst rate" BytesPerSecond Up;
    dry_at_s => "dry at" Seconds Up;
    dry_after_s => "dry after" Seconds Up;
    full_after_s => "full after" Seconds Down;
}

impl Entry for CreditFigures {
    const PART: &'static str = "credits";

    fn name(&self) -> &str {
        &self.part
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.part, self.unit) == (&other.part, other.unit)
    }

    /// What is left at the end of the first; how a burst goes on is told of one run.
    fn mean(all: &[&Self], _level: f64) -> Option<Self> {
        all.first().map(|&first| first.clone())
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |credits: &'e Self| {
            let of = match credits.unit {
                CreditUnit::Requests => "requests",
                CreditUnit::Bytes => "bytes",
            };
            vec![(&*credits.part, of.to_owned(), credits)]
        });
    }
}

figures! { BehindCredits:
    requests_per_s => "rate" PerSecond Up;
    mean_latency_ms => "mean latency" Milliseconds Down;
}

impl Entry for BehindCredits {
    const PART: &'static str = "behind credits";

    fn name(&self) -> &str {
        ""
    }
}

/// A span of time as a person says it: "33 min 20 s".
fn span(seconds: f64) -> String {
    if seconds < 100.0 {
        return format!("{} s", significant(seconds));
    }
    let whole = nearest_whole(seconds);
    let (days, hours, minutes, rest) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60, whole % 60);
    let parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")];
    let begin = parts.iter().position(|&(count, _)| count > 0).unwrap_or(3);
    let told = parts.iter().skip(begin).take(2).filter(|&&(count, _)| count > 0);
    told.map(|(count, unit)| format!("{count} {unit}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_told_in_two_units_at_most() {
        let told = [0.5, 12.34, 2_000.0, 3_600.0, 18_000.4, 90_061.0].map(span);
        assert_eq!(told, ["0.500 s", "12.3 s", "33 min 20 s", "1 h", "5 h", "1 d 1 h"]);
    }
}
