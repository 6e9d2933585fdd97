//! What limits a run, and what a change of it was found to bring: as numbers, and as sentences made of them.

use crate::claim::Claim;
use crate::what_if::{Brought, Measured, Overload, Tried, WhatIf};
use petrio_page::numbers::{per_cent, significant, time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is better by a smaller part is no better.
const WORTH_TELLING: f64 = 0.001;
/// What brings less than this part alone changes nothing beside what it brings with others.
const NOTHING: f64 = 0.005;

/// What limits the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bottleneck {
    /// What is said of it, by name: `limits`, `together`, `at-a-price`, `not-for-sure` or `nothing-helps`, and of an overload
    /// `ends-overload` or `still-overloaded`.
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
    /// Where no change helps much alone: two or more that do together, of parts that are as busy as each other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub together: Option<Together>,
    /// Where some programs work on files and others send block requests, and what would change it is nothing to one of both: what is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub also: Option<WhatIf>,
    /// What would change it more, at a price.
    #[serde(rename = "or", skip_serializing_if = "Option::is_none", default)]
    pub or: Option<WhatIf>,
}

/// Changes that help together, and hardly alone: what one part gains the other holds back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// What each is, and what it brings alone.
    pub parts: Vec<Tie>,
    /// What all of them bring.
    pub what_if: WhatIf,
}

/// One of several parts that limit a run together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tie {
    /// The path of its stage, or of its class.
    pub stage: String,
    /// How busy that is, 0 to 1.
    pub utilisation: f64,
    /// What of it: "rotation".
    pub part: String,
    /// How many times better everything is with this change alone, in one run.
    pub gain: f64,
}

impl Together {
    /// The stages, in words.
    fn stages(&self) -> String {
        let mut names: Vec<&str> = self.parts.iter().map(|tie| tie.stage.as_str()).collect();
        names.dedup();
        names.join(" and ")
    }

    fn sentence(&self) -> String {
        let alone = self.parts.iter().map(|tie| tie.gain).fold(1.0, f64::max);
        let alone = match alone < 1.0 + NOTHING {
            true => "none of them changes anything alone".to_owned(),
            false => format!("alone each brings at most {} times", significant(alone)),
        };
        format!("{} Together: {alone}.", self.what_if.sentence())
    }
}

/// A sentence as it goes on behind others' words.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

impl Bottleneck {
    /// What is advised, in the order in which it is told.
    pub fn advice(&self) -> impl Iterator<Item = &WhatIf> {
        let together = self.together.as_ref().map(|together| &together.what_if);
        [self.what_if.as_ref(), together, self.also.as_ref(), self.or.as_ref()].into_iter().flatten()
    }

    /// The words on a command line that do what is advised, each with how it is called: "try it".
    pub(crate) fn commands(&self) -> impl Iterator<Item = (&'static str, String)> {
        let also = self.also.as_ref();
        let all = self.advice().filter_map(move |advice| {
            let is_also = also.is_some_and(|also| std::ptr::eq(also, advice));
            Some((if is_also { "and" } else { "or" }, advice.command()?))
        });
        all.enumerate().map(|(number, (label, command))| match number {
            0 => ("try it", command),
            _ => (label, command),
        })
    }

    /// What limits the run, as one says it: the stage's name, or those of several.
    pub fn named_stage(&self) -> String {
        self.together.as_ref().map_or_else(|| self.stage.clone(), Together::stages)
    }

    /// What would change it, in sentences: what gives up nothing, and what brings more at a price.
    pub fn sentences(&self) -> String {
        let free = self.what_if.as_ref().map(WhatIf::sentence);
        let together = self.together.as_ref().map(Together::sentence);
        let also = self.also.as_ref().map(|also| format!("Beside it: {}", lower(&also.sentence())));
        let or = self.or.as_ref().map(|or| {
            let is_alone = free.is_none() && together.is_none();
            let begin = if is_alone { "At a price only: " } else { "Or, at a price, " };
            format!("{begin}{}", lower(&or.sentence()))
        });
        free.into_iter().chain(together).chain(also).chain(or).collect::<Vec<String>>().join(" ")
    }

    /// The same with the names of what it says.
    pub fn named(self) -> Self {
        let found = [
            (self.what_if.is_some(), Claim::Limits),
            (self.together.is_some(), Claim::Together),
            (self.or.is_some(), Claim::AtAPrice),
        ];
        let mut claims: Vec<Claim> =
            found.into_iter().filter(|(is_found, _)| *is_found).map(|(_, claim)| claim).collect();
        if claims.is_empty() {
            claims.push(match self.best_in_vain() {
                Some(_) => Claim::NotForSure,
                None => Claim::NothingHelps,
            });
        }
        for (overload, claim) in
            [(Overload::Ends, Claim::EndsOverload), (Overload::Remains, Claim::StillOverloaded)]
        {
            if self.advice().any(|advice| advice.overload == Some(overload)) {
                claims.push(claim);
            }
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
        if let Some(Together { parts, .. }) = &self.together {
            let busy: Vec<String> = parts.iter().map(|tie| per_cent(tie.utilisation)).collect();
            return format!("which limit it together (busy {} of the time)", busy.join(" and "));
        }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::what_if::OfWorkload;

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
            overload: None,
            workloads: Vec::new(),
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
            together: None,
            also: None,
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
    fn under_an_overload_it_is_told_what_becomes_of_it_and_no_ratio_of_latencies() {
        let row = |workload: &str, of, gain, before, after| OfWorkload {
            workload: workload.to_owned(),
            of,
            gain,
            before,
            after,
        };
        let remains = WhatIf {
            overload: Some(Overload::Remains),
            workloads: vec![
                row("scan", Measured::Throughput, 1.01, 10.0, 10.1),
                row("db", Measured::Latency, 2.0, 8.2, 4.1),
            ],
            ..what_if()
        };
        assert_eq!(
            remains.sentence(),
            "With rotation twice as fast: 1.54 times as much is served (1.52 to 1.56 by 3 replications); still more comes than \
             that. By workload: \"db\" 4.10 ms instead of 8.20 ms, \"scan\" the same."
        );
        let ends = WhatIf {
            overload: Some(Overload::Ends),
            of: Measured::Latency,
            gain: 722.0,
            before: 26_000.0,
            after: 36.0,
            ..what_if()
        };
        assert_eq!(
            ends.sentence(),
            "With rotation twice as fast: the overload ends, with a mean latency of 36.0 ms instead of 26.0 s, which grows with \
             the run (in each of 3 replications)."
        );
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
                together: None,
                also: None,
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
