//! How sure the main figures are: the ranges in which a real system's lie nine times in ten, by what validations missed by, what of the
//! scenario was never validated, and which one measurement would narrow the ranges most.

use crate::figure::{Tables, figures};
use crate::section::{Entry, paragraph};
use crate::subject::Subject;
use crate::sure::Class;
use crate::text::labelled;
use petrio_page::numbers::{rate_unit, significant, time_in, time_unit};
use petrio_page::page::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a range is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RangeOf {
    /// Bytes a second.
    Throughput,
    /// Requests or operations a second, where no bytes are moved.
    Rate,
    /// The mean latency, milliseconds.
    MeanLatency,
    /// What one in a hundred takes longer than, milliseconds.
    P99,
}

/// A figure of a report with the range of the model's error and of the seeds' interval together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RangeFigures {
    /// Which figure.
    pub of: RangeOf,
    /// As predicted: bytes a second, a number a second, or milliseconds.
    pub value: f64,
    /// The lower end of the range in which a real system's lies nine times in ten, in the same unit.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A class of parts on the way of the average request or operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassFigures {
    /// Which.
    pub class: Class,
    /// Its parts, as the scenario writes them.
    pub parts: Vec<String>,
    /// The part of an average operation's time that is spent in these or waiting for them, 0 to 1; parts on others count with these.
    pub share: f64,
    /// Nine in ten measured figures of the class lie within this factor of what was predicted.
    pub factor: f64,
    /// How many measured figures stand behind that; none where the class was never validated.
    pub cases: u64,
    /// Its part of what makes the range of the mean latency wide, 0 to 1.
    pub part_of_variance: f64,
}

/// A measurement that would narrow the ranges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Narrows {
    /// Of which class.
    pub class: Class,
    /// The command that makes it.
    pub command: String,
    /// What becomes of its result: a change as `--set` takes it; absent where the command itself tells how far off the prediction is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub set: Option<String>,
}

/// How far the figures of a run may be off. What is measured of a real system lies in these ranges nine times in ten, if it is like those
/// that were measured to validate petrio (docs/how-sure.md).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelErrorFigures {
    /// Whose figures.
    pub subject: Subject,
    /// The ranges.
    pub ranges: Vec<RangeFigures>,
    /// What they follow from.
    pub classes: Vec<ClassFigures>,
    /// What of the scenario was never validated, or not under its conditions, in words.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outside: Vec<String>,
    /// Which one measurement would narrow the ranges most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub narrows: Option<Narrows>,
}

impl RangeFigures {
    fn if_of(&self, of: &[RangeOf], value: f64) -> Option<f64> {
        of.contains(&self.of).then_some(value)
    }

    fn words(&self) -> String {
        let Self { of, value, low, high } = *self;
        let (name, unit, ends) = match of {
            RangeOf::Throughput => {
                let (unit, size) = rate_unit(value);
                ("throughput", unit, [low, high].map(|end| significant(end / size)))
            }
            RangeOf::Rate => ("rate", "/s", [low, high].map(significant)),
            RangeOf::MeanLatency | RangeOf::P99 => {
                let unit = time_unit(value);
                let name = if of == RangeOf::P99 { "p99" } else { "mean" };
                (name, unit.0, [low, high].map(|end| time_in(unit, end)))
            }
        };
        let [low, high] = ends;
        let blank = if unit.starts_with('/') { "" } else { " " };
        format!("{name} {low} to {high}{blank}{unit}")
    }
}

impl ModelErrorFigures {
    /// The ranges in words, with what they follow from.
    pub fn ranges_in_words(&self) -> String {
        let ranges: Vec<String> = self.ranges.iter().map(RangeFigures::words).collect();
        format!("{}, nine times in ten", ranges.join(", "))
    }

    /// By what, and what lies outside of it.
    fn reasons(&self) -> String {
        let validated = |class: &&ClassFigures| class.cases > 0;
        let by: Vec<String> = (self.classes.iter().filter(validated))
            .map(|class| format!("{} within a factor of {}", class.class.words(), significant(class.factor)))
            .collect();
        let by = if by.is_empty() { "nothing of it was validated".to_owned() } else { by.join(", ") };
        let outside = match self.outside.as_slice() {
            [] => String::new(),
            outside => format!("; outside of what was validated: {}", outside.join("; ")),
        };
        format!("{by}{outside}")
    }

    fn narrowed(&self) -> Option<String> {
        let Narrows { command, set, .. } = self.narrows.as_ref()?;
        let then = set.as_ref().map_or(String::new(), |set| format!(", then --set {set}"));
        Some(format!("{command}{then}"))
    }
}

figures! { RangeFigures:
    value = |range: &Self| range.if_of(&[RangeOf::Throughput], range.value) => "value" BytesPerSecond Neither;
    low = |range: &Self| range.if_of(&[RangeOf::Throughput], range.low) => "low" BytesPerSecond Neither;
    high = |range: &Self| range.if_of(&[RangeOf::Throughput], range.high) => "high" BytesPerSecond Neither;
    value = |range: &Self| range.if_of(&[RangeOf::Rate], range.value) => "value" PerSecond Neither;
    low = |range: &Self| range.if_of(&[RangeOf::Rate], range.low) => "low" PerSecond Neither;
    high = |range: &Self| range.if_of(&[RangeOf::Rate], range.high) => "high" PerSecond Neither;
    value = |range: &Self| range.if_of(&[RangeOf::MeanLatency, RangeOf::P99], range.value)
        => "value" Milliseconds Neither;
    low = |range: &Self| range.if_of(&[RangeOf::MeanLatency, RangeOf::P99], range.low)
        => "low" Milliseconds Neither;
    high = |range: &Self| range.if_of(&[RangeOf::MeanLatency, RangeOf::P99], range.high)
        => "high" Milliseconds Neither;
}

figures! { ClassFigures:
    share => "share of the time" One Neither;
    factor => "factor" One Neither;
    cases => "cases" One Neither;
    part_of_variance => "part of the variance" One Neither;
}

// It has no figures of its own: its parts do.
figures! { ModelErrorFigures: }

impl Entry for ModelErrorFigures {
    const PART: &'static str = "model error";

    fn name(&self) -> &str {
        self.subject.many()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.subject == other.subject
    }

    /// It is told of what several replications came to, not of each.
    fn mean(all: &[&Self], _level: f64) -> Option<Self> {
        all.first().map(|&first| first.clone())
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table("model error", |error: &'e Self| {
            let item = |of: RangeOf| match of {
                RangeOf::Throughput => "throughput",
                RangeOf::Rate => "rate",
                RangeOf::MeanLatency => "mean latency",
                RangeOf::P99 => "p99 latency",
            };
            error.ranges.iter().map(|range| (error.name(), item(range.of).to_owned(), range)).collect()
        });
        to.table("model error by class", |error: &'e Self| {
            let class = |class: &'e ClassFigures| (error.name(), class.class.words().to_owned(), class);
            error.classes.iter().map(class).collect()
        });
    }

    fn sentence(&self) -> String {
        let narrowed =
            self.narrowed().map_or(String::new(), |command| format!("; narrowed most by: {command}"));
        format!("{} ({}){narrowed}", self.ranges_in_words(), self.reasons())
    }

    fn terminal(all: &[Self], out: &mut String, width: usize) {
        for error in all {
            labelled(out, "how sure", &format!("{} ({})", error.ranges_in_words(), error.reasons()), width);
            if let Some(command) = error.narrowed() {
                labelled(out, "surer by", &command, width);
            }
        }
    }

    fn page(all: &[Self], page: &mut Page) {
        for error in all {
            paragraph(page, "How sure:", &error.sentence());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> ModelErrorFigures {
        let class = ClassFigures {
            class: Class::Disk,
            parts: vec!["disk.d".to_owned()],
            share: 1.0,
            factor: 1.05,
            cases: 21,
            part_of_variance: 1.0,
        };
        ModelErrorFigures {
            subject: Subject::BlockRequests,
            ranges: vec![
                RangeFigures { of: RangeOf::Throughput, value: 41.2e6, low: 36.0e6, high: 47.0e6 },
                RangeFigures { of: RangeOf::MeanLatency, value: 4.0, low: 3.8, high: 4.2 },
            ],
            classes: vec![class],
            outside: vec!["Lustre (lustre.l)".to_owned()],
            narrows: Some(Narrows {
                class: Class::Disk,
                command: "petrio calibrate --device /dev/DEVICE --out d.toml".to_owned(),
                set: Some("disk.d.file=d.toml".to_owned()),
            }),
        }
    }

    #[test]
    fn the_sentence_has_ranges_reasons_and_the_command() {
        assert_eq!(
            example().sentence(),
            "throughput 34.3 to 44.8 MiB/s, mean 3.80 to 4.20 ms, nine times in ten (disks within a factor of 1.05; outside of what was \
             validated: Lustre (lustre.l)); narrowed most by: petrio calibrate --device /dev/DEVICE --out d.toml, then --set \
             disk.d.file=d.toml"
        );
    }

    #[test]
    fn of_nothing_that_was_validated_that_is_said() {
        let nothing = ModelErrorFigures { classes: Vec::new(), narrows: None, ..example() };
        assert!(
            nothing.sentence().contains("(nothing of it was validated; outside of"),
            "{}",
            nothing.sentence()
        );
    }
}
