//! A change that was tried, and what it brings: as numbers, and as a sentence made of them.

use crate::estimate::Estimate;
use crate::figure::figures;
use crate::subject::Subject;
use petrio_page::numbers::{significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a gain is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// Of requests or operations completed in a second.
    Throughput,
    /// Of the mean latency: how many times shorter it is.
    Latency,
    /// Of the time that parallel programs take which only compute and exchange messages: how many times shorter it is.
    Elapsed,
}

/// A change that was tried and isn't known to help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tried {
    /// The change in words.
    pub change: String,
    /// The parameters that make it, each as `--set` takes it; empty where it was only simulated as if it were so.
    pub set: Vec<String>,
    /// What is given up with it; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub price: Option<String>,
    /// What it brought in the first replication, of a long run in its first part.
    pub brought: Vec<Brought>,
}

/// What a change brought to something.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Brought {
    /// Whose, where some programs work on files and others send block requests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<Subject>,
    /// What the gain is of.
    pub of: Measured,
    /// How many times better it was; below one it was worse.
    pub gain: f64,
}

/// A change that was tried, and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    /// The change in words: "rotation twice as fast".
    pub change: String,
    /// The parameters that make it, each as `--set` takes it; empty where no parameter says how fast the part is, and
    /// it was only simulated as if it were faster.
    pub set: Vec<String>,
    /// By how much the part was made better; absent where something else was put in its place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub factor: Option<f64>,
    /// What is given up with it; absent where nothing is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub price: Option<String>,
    /// Whose gain it is, where some programs work on files and others send block requests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<Subject>,
    /// What the gain is of.
    pub of: Measured,
    /// The gain: 1.5 is half as much more throughput, or two thirds of the latency. The mean over replications.
    pub gain: f64,
    /// Its confidence interval, lower and upper end.
    pub interval: [f64; 2],
    /// The level of the interval, 0 to 1.
    pub confidence: f64,
    /// Runs with the change, and as many without, that it was found in.
    pub replications: u64,
    /// Throughput per second, or mean latency or time in milliseconds, without the change.
    pub before: f64,
    /// And with it.
    pub after: f64,
    /// What becomes of an overload with it; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub overload: Option<Overload>,
    /// What it brings to each workload, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub workloads: Vec<OfWorkload>,
}

/// What becomes of an overload with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overload {
    /// As much is served as comes. How many times shorter latencies are says how long the run is.
    Ends,
    /// More still comes than is served: the gain is of what is served.
    Remains,
}

/// What a change brings to a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OfWorkload {
    /// Which.
    pub workload: String,
    /// What the gain is of.
    pub of: Measured,
    /// How many times better it is; below one it is worse. The mean over replications.
    pub gain: f64,
    /// Operations or requests per second, or mean latency in milliseconds, without the change.
    pub before: f64,
    /// And with it.
    pub after: f64,
}

/// A workload that gains, or loses, less than this part gets the same.
pub const THE_SAME: f64 = 0.02;
/// Of more workloads these are told that gain or lose most.
const TOLD: usize = 4;

impl OfWorkload {
    fn words(&self) -> String {
        let Self { workload, of, gain, before, after } = self;
        match of {
            _ if (gain - 1.0).abs() < THE_SAME => format!("\"{workload}\" the same"),
            Measured::Throughput => format!("\"{workload}\" {} times the throughput", significant(*gain)),
            Measured::Latency | Measured::Elapsed => {
                format!("\"{workload}\" {} instead of {}", time(*after), time(*before))
            }
        }
    }
}

figures! { WhatIf:
    factor => "factor" One Neither;
    gain = |what_if: &Self| Estimate {
        value: what_if.gain,
        half_width: Some((what_if.interval[1] - what_if.interval[0]) / 2.0),
    } => "gain" One Up;
}

impl WhatIf {
    /// What the change brings, as a sentence.
    pub fn sentence(&self) -> String {
        let as_if = if self.set.is_empty() { "As if " } else { "With " };
        let change = match (self.set.is_empty(), self.change.strip_suffix(" twice as fast")) {
            (true, Some(part)) => format!("{part} were twice as fast"),
            _ => self.change.clone(),
        };
        let whose = self.subject.map_or(String::new(), |subject| format!(" of {}", subject.many()));
        let gain = match self.of {
            Measured::Throughput if self.overload == Some(Overload::Remains) => {
                format!("{} times as much{whose} is served", significant(self.gain))
            }
            Measured::Throughput => format!("{} times the throughput{whose}", significant(self.gain)),
            Measured::Elapsed => format!(
                "{} times as fast, over in {} instead of {}",
                significant(self.gain),
                time(self.after),
                time(self.before)
            ),
            Measured::Latency if self.overload == Some(Overload::Ends) => format!(
                "the overload ends, with a mean latency{whose} of {} instead of {}, which grows with the run",
                time(self.after),
                time(self.before)
            ),
            Measured::Latency => format!(
                "a mean latency{whose} of {} instead of {}, {} times shorter",
                time(self.after),
                time(self.before),
                significant(self.gain)
            ),
        };
        let [low, high] = self.interval.map(significant);
        let runs = self.replications;
        let interval = match self.overload {
            Some(Overload::Ends) => format!("in each of {runs} replications"),
            _ if low == high => format!("the same in {runs} replications"),
            _ => format!("{low} to {high} by {runs} replications"),
        };
        let still = match self.overload {
            Some(Overload::Remains) => "; still more comes than that",
            Some(Overload::Ends) | None => "",
        };
        let price = self.price.as_ref().map(|price| format!("; {price}")).unwrap_or_default();
        format!("{as_if}{change}: {gain} ({interval}){still}{price}.{}", self.by_workload())
    }

    /// What each of several workloads gets: " By workload: ...".
    fn by_workload(&self) -> String {
        if self.workloads.is_empty() {
            return String::new();
        }
        let mut rows: Vec<&OfWorkload> = self.workloads.iter().collect();
        let moved = |row: &OfWorkload| libm::log(row.gain).abs();
        rows.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
        let rest = match rows.len().saturating_sub(TOLD) {
            0 => "",
            1 => ", the other one less",
            _ => ", the others less",
        };
        let told: Vec<String> = rows.iter().take(TOLD).map(|row| row.words()).collect();
        format!(" By workload: {}{rest}.", told.join(", "))
    }

    /// The words on a command line that make the change; nothing where no parameter does.
    pub fn command(&self) -> Option<String> {
        let quoted = |setting: &String| {
            let plain = |character: char| character.is_ascii_alphanumeric() || "._-=:/%+".contains(character);
            if setting.chars().all(plain) {
                format!("--set {setting}")
            } else {
                format!("--set '{}'", setting.replace('\'', "'\\''"))
            }
        };
        (!self.set.is_empty()).then(|| self.set.iter().map(quoted).collect::<Vec<String>>().join(" "))
    }
}
