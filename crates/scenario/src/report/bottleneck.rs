//! What limits a run, and what a change of it was found to bring: as numbers, and as sentences made of them.

use crate::claim::Claim;
use crate::report::subject::Subject;
use petrio_page::numbers::{per_cent, significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is better by a smaller part is no better.
const WORTH_TELLING: f64 = 0.001;

/// What limits the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// What is said of it, by name: `limits`, `at-a-price`, `not-for-sure` or `nothing-helps`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub claims: Vec<Claim>,
    /// The path of the stage, or of its class.
    pub stage: String,
    /// What of it: "rotation"; absent where nothing that was tried makes a difference.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part: Option<String>,
    /// The part of the time in which the stage was busy, 0 to 1, where it serves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub utilisation: Option<f64>,
    /// Which of several stages is the busiest, where that is far busier than the others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busiest: Option<String>,
    /// How busy that one is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub most: Option<f64>,
    /// Mean time that requests wait at the stage, milliseconds, where they only wait there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_wait_ms: Option<f64>,
    /// How many changes were tried.
    pub tried: u64,
    /// Where none of them is known to help: what each brought.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub in_vain: Vec<Tried>,
    /// And what couldn't be tried, in words: the scenario isn't valid with it, or doesn't run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_tried: Vec<String>,
    /// What would change it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub what_if: Option<WhatIf>,
    /// What would change it more, at a price.
    #[serde(rename = "or", skip_serializing_if = "Option::is_none", default)]
    pub or: Option<WhatIf>,
}

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
}

impl Bottleneck {
    /// What would change it, in sentences: what gives up nothing, and what brings more at a price.
    pub fn sentences(&self) -> String {
        let free = self.what_if.as_ref().map(WhatIf::sentence);
        let or = self.or.as_ref().map(|or| {
            let sentence = or.sentence();
            let mut letters = sentence.chars();
            let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
            let or = if free.is_some() { "Or, at a price, " } else { "At a price only: " };
            format!("{or}{first}{}", letters.as_str())
        });
        free.into_iter().chain(or).collect::<Vec<String>>().join(" ")
    }

    /// The same with the names of what it says.
    pub(crate) fn named(self) -> Self {
        let found = [(&self.what_if, Claim::Limits), (&self.or, Claim::AtAPrice)];
        let mut claims: Vec<Claim> =
            found.into_iter().filter(|(found, _)| found.is_some()).map(|(_, claim)| claim).collect();
        if claims.is_empty() {
            claims.push(match self.best_in_vain() {
                Some(_) => Claim::NotForSure,
                None => Claim::NothingHelps,
            });
        }
        Self { claims, ..self }
    }

    /// What moved it most of what isn't known to help, where that is worth a word.
    fn best_in_vain(&self) -> Option<(&str, Brought)> {
        let brought = self
            .in_vain
            .iter()
            .flat_map(|tried| tried.brought.iter().map(move |&brought| (tried.change.as_str(), brought)));
        let best = brought.max_by(|a, b| a.1.gain.total_cmp(&b.1.gain));
        best.filter(|(_, brought)| brought.gain >= 1.0 + WORTH_TELLING)
    }

    /// That nothing is known to help, and by how much what was tried moves it at most.
    fn nothing_helps(&self) -> String {
        let nothing = self.nothing_that_was_tried();
        match self.not_tried.as_slice() {
            [] => nothing,
            not_tried => format!("{nothing}; not possible with the rest as it is: {}", not_tried.join(", ")),
        }
    }

    fn nothing_that_was_tried(&self) -> String {
        match (self.tried, self.best_in_vain()) {
            (0, _) => "there is nothing to change about it".to_owned(),
            (_, Some((change, Brought { of, gain, .. }))) => {
                let more = match of {
                    Measured::Throughput => format!("{} more throughput", per_cent(gain - 1.0)),
                    Measured::Latency | Measured::Elapsed => {
                        format!("{} less time", per_cent(1.0 - 1.0 / gain))
                    }
                };
                format!("nothing that was tried helps for sure; in one run the best is {change}, {more}")
            }
            (1, None) => "the change that was tried makes no difference".to_owned(),
            (_, None) => "none of the changes that were tried makes a difference alone".to_owned(),
        }
    }

    /// What limits the run, behind the stage's name: "by its rotation (busy 96 % of the time)".
    pub fn why(&self) -> String {
        let load = match (self.utilisation, self.mean_wait_ms) {
            (Some(busy), _) => {
                let busiest = self.busiest.as_ref().zip(self.most);
                let busiest = busiest.map(|(name, most)| format!(", {name} {}", per_cent(most)));
                Some(format!("busy {} of the time{}", per_cent(busy), busiest.unwrap_or_default()))
            }
            (None, Some(wait)) => Some(format!("where requests wait {} on average", time(wait))),
            (None, None) => None,
        };
        match &self.part {
            Some(part) => {
                let by =
                    if part.starts_with("the ") { format!("by {part}") } else { format!("by its {part}") };
                load.map_or(by.clone(), |load| format!("{by} ({load})"))
            }
            None => {
                let nothing = self.nothing_helps();
                load.map_or(nothing.clone(), |load| format!("{load}; {nothing}"))
            }
        }
    }
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
            Measured::Throughput => format!("{} times the throughput{whose}", significant(self.gain)),
            Measured::Elapsed => format!(
                "{} times as fast, over in {} instead of {}",
                significant(self.gain),
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
        let interval = if low == high {
            format!("the same in {runs} replications")
        } else {
            format!("{low} to {high} by {runs} replications")
        };
        let price = self.price.as_ref().map(|price| format!("; {price}")).unwrap_or_default();
        format!("{as_if}{change}: {gain} ({interval}){price}.")
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn what_if() -> WhatIf {
        WhatIf {
            change: "rotation twice as fast".to_owned(),
            set: vec![
                "disk.d.drive.mechanics.rotation=14400 rpm".to_owned(),
                "fs.x.queue_depth=4".to_owned(),
            ],
            factor: Some(2.0),
            price: None,
            subject: None,
            of: Measured::Throughput,
            gain: 1.54,
            interval: [1.52, 1.56],
            confidence: 0.95,
            replications: 3,
            before: 100.0,
            after: 154.0,
        }
    }

    #[test]
    fn a_gain_is_told_with_its_interval_and_the_words_that_reproduce_it() {
        let throughput = what_if();
        assert_eq!(
            throughput.sentence(),
            "With rotation twice as fast: 1.54 times the throughput (1.52 to 1.56 by 3 replications)."
        );
        let command = "--set 'disk.d.drive.mechanics.rotation=14400 rpm' --set fs.x.queue_depth=4";
        assert_eq!(throughput.command().unwrap(), command);
        let latency =
            WhatIf { of: Measured::Latency, interval: [1.54, 1.54], before: 3.08, after: 2.0, ..what_if() };
        assert_eq!(
            latency.sentence(),
            "With rotation twice as fast: a mean latency of 2.00 ms instead of 3.08 ms, 1.54 times shorter \
             (the same in 3 replications)."
        );
        let as_if =
            WhatIf { change: "the processors twice as fast".to_owned(), set: Vec::new(), ..what_if() };
        assert!(as_if.sentence().starts_with("As if the processors were twice as fast: "));
        let price = Some("files may hold old data after a crash".to_owned());
        let dear = WhatIf { change: "another journal".to_owned(), price, ..what_if() };
        let bottleneck = Bottleneck {
            claims: Vec::new(),
            stage: "d/queue".to_owned(),
            part: None,
            utilisation: None,
            busiest: None,
            most: None,
            mean_wait_ms: None,
            tried: 2,
            in_vain: Vec::new(),
            not_tried: Vec::new(),
            what_if: Some(what_if()),
            or: Some(dear),
        };
        let sentences = bottleneck.sentences();
        assert!(
            sentences.contains("3 replications). Or, at a price, with another journal: 1.54 times"),
            "{sentences}"
        );
        assert!(
            sentences.ends_with("(1.52 to 1.56 by 3 replications); files may hold old data after a crash.")
        );
        assert_eq!(as_if.command(), None);
    }

    #[test]
    fn where_nothing_helps_it_is_told_what_the_best_that_was_tried_moves() {
        let of = |gains: [f64; 2]| {
            let tried = |gain: f64| Tried {
                change: "rotation twice as fast".to_owned(),
                set: Vec::new(),
                price: None,
                brought: vec![Brought { subject: None, of: Measured::Throughput, gain }],
            };
            Bottleneck {
                claims: Vec::new(),
                stage: "d/queue".to_owned(),
                part: None,
                utilisation: Some(0.5),
                busiest: None,
                most: None,
                mean_wait_ms: None,
                tried: 2,
                in_vain: gains.map(tried).to_vec(),
                not_tried: Vec::new(),
                what_if: None,
                or: None,
            }
        };
        let none = "busy 50 % of the time; none of the changes that were tried makes a difference alone";
        assert_eq!(of([1.0, 0.7]).why(), none);
        let best = "busy 50 % of the time; nothing that was tried helps for sure; in one run the best is rotation twice as fast, \
                    1.2 % more throughput";
        assert_eq!(of([1.012, 1.0]).why(), best);
    }
}
