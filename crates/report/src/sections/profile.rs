//! What hosts' processors were used for, by function, and what copies missed in their second-level caches.

use crate::figure::{Tables, each, figures};
use crate::mean::mean_of;
use crate::section::{Entry, paragraph};
use petrio_models::host::MemoryUse;
use petrio_page::numbers::{bytes, grouped, per_cent, seconds};
use petrio_page::page::{Page, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a line of a second-level cache: as of processors since the Pentium 4 (Intel, IA-32 Optimization Reference Manual).
pub const LINE_BYTES: u64 = 64;

/// So many functions have their place on a terminal, and no share below this.
const SHOWN: usize = 6;
const LEAST_SHOWN: f64 = 0.01;

/// What the processors of a host, or of all equal ones together, were used for after the warm-up; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileFigures {
    /// The host; of equal ones their class.
    pub name: String,
    /// How many hosts there are.
    pub hosts: u64,
    /// By function, the one with most time first.
    pub functions: Vec<FunctionFigures>,
    /// Bytes that were copied to processes, in the whole run.
    pub copied_to_user_bytes: u64,
    /// Bytes that were copied from processes.
    pub copied_from_user_bytes: u64,
    /// What of these the second-level cache hadn't, so that it came from memory: of machines whose copies follow the rule of a
    /// threshold (`copy.to_user = { kind = "threshold", … }`); measured copy curves hold only how long copies take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_level_missed_bytes: Option<u64>,
    /// Misses of the second-level cache by copies: lines of 64 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_level_misses: Option<u64>,
}

/// A function, or several that do the same sort of work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionFigures {
    /// Its name.
    pub function: String,
    /// How often a processor worked at it.
    pub times: u64,
    /// Seconds of a processor in all.
    pub seconds: f64,
    /// Its share of all that the processors did.
    pub share: f64,
}

impl ProfileFigures {
    /// Nothing yet, of hosts of a name.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds what processors of one host did for a function.
    pub fn add(&mut self, function: &str, times: u64, seconds: f64) {
        if times == 0 {
            return;
        }
        let known = self.functions.iter().position(|known| known.function == function);
        let number = known.unwrap_or_else(|| {
            self.functions
                .push(FunctionFigures { function: function.to_owned(), ..FunctionFigures::default() });
            self.functions.len() - 1
        });
        self.functions[number].times += times;
        self.functions[number].seconds += seconds;
    }

    /// Adds what a host copied.
    pub fn add_copies(&mut self, found: &MemoryUse) {
        let [to_user, from_user] = found.copied;
        self.copied_to_user_bytes += to_user;
        self.copied_from_user_bytes += from_user;
        if let Some([to_user, from_user]) = found.missed {
            let missed = self.second_level_missed_bytes.unwrap_or(0) + to_user + from_user;
            self.second_level_missed_bytes = Some(missed);
            self.second_level_misses = Some(missed.div_ceil(LINE_BYTES));
        }
    }

    /// All is added: shares are of all together, and the largest is first.
    pub fn finish(&mut self) {
        let all: f64 = self.functions.iter().map(|function| function.seconds).sum();
        for function in &mut self.functions {
            function.share = if all > 0.0 { function.seconds / all } else { 0.0 };
        }
        self.functions.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    }

    /// Seconds of processors in all.
    pub fn seconds(&self) -> f64 {
        self.functions.iter().map(|function| function.seconds).sum()
    }
}

figures! { FunctionFigures:
    times => "times" One Neither;
    seconds => "time" Seconds Down;
    share => "share" One Neither;
}

figures! { ProfileFigures:
    copied_to_user_bytes => "to processes" Bytes Neither;
    copied_from_user_bytes => "from processes" Bytes Neither;
    second_level_misses => "misses of the second-level cache" One Down;
}

impl Entry for ProfileFigures {
    const PART: &'static str = "copies by processors";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    /// The mean over replications, function by function.
    fn mean(all: &[&Self], level: f64) -> Option<Self> {
        let plain: Vec<Self> =
            all.iter().map(|&profile| Self { functions: Vec::new(), ..profile.clone() }).collect();
        let mut mean = mean_of(&plain.iter().collect::<Vec<_>>(), level)?;
        let each = all.len().max(1);
        for function in all.iter().flat_map(|profile| &profile.functions) {
            mean.add(&function.function, function.times, function.seconds / each as f64);
        }
        mean.functions.iter_mut().for_each(|function| function.times /= each as u64);
        mean.finish();
        Some(mean)
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table("processors", |profile: &'e Self| {
            each(&profile.functions, |one| (&profile.name, one.function.clone(), Some(one)))
        });
        to.table(Self::PART, |profile: &'e Self| vec![(&*profile.name, String::new(), profile)]);
    }

    fn sentence(&self) -> String {
        let shown = self.functions.iter().take_while(|function| function.share >= LEAST_SHOWN).take(SHOWN);
        let shown: Vec<String> =
            shown.map(|function| format!("{} {}", function.function, per_cent(function.share))).collect();
        let mut text = format!("processors worked for {}: {}", seconds(self.seconds()), shown.join(", "));
        if let Some((missed, misses)) = self.second_level_missed_bytes.zip(self.second_level_misses) {
            let copied = bytes(self.copied_to_user_bytes + self.copied_from_user_bytes);
            text.push_str(&match missed {
                0 => format!("; copies of {copied} stayed within the second-level cache"),
                _ => format!(
                    "; copies of {copied} missed the second-level cache {} times, for {}",
                    grouped(misses),
                    bytes(missed)
                ),
            });
        }
        text
    }

    fn page(all: &[Self], page: &mut Page) {
        for profile in all {
            paragraph(page, &profile.name, &profile.sentence());
            let heads = ["function", "times", "processor time", "share"];
            let row = |function: &FunctionFigures| {
                let FunctionFigures { function, times, seconds: time, share } = function;
                vec![function.clone(), grouped(*times), seconds(*time), per_cent(*share)]
            };
            page.table(Table::new(heads).with(profile.functions.iter().map(row)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_together_and_the_largest_is_first() {
        let mut profile = ProfileFigures::new("h");
        for (function, seconds) in
            [("system calls", 1.0), ("copy_to_user", 2.0), ("system calls", 1.0), ("sync", 0.01)]
        {
            profile.add(function, 5, seconds);
        }
        profile.add("names", 0, 0.0);
        let found = MemoryUse { copied: [6_400, 0], missed: Some([640, 0]), ..MemoryUse::default() };
        profile.add_copies(&found);
        profile.finish();
        let names: Vec<&str> = profile.functions.iter().map(|function| function.function.as_str()).collect();
        assert_eq!(names, ["system calls", "copy_to_user", "sync"]);
        assert!((profile.functions.iter().map(|function| function.share).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(profile.second_level_misses, Some(10));
        assert_eq!(
            profile.sentence(),
            "processors worked for 4.01 s: system calls 50 %, copy_to_user 50 %; copies of 6.25 KiB missed the second-level cache 10 \
             times, for 640 B"
        );
        let mean = ProfileFigures::mean(&[&profile, &profile], 0.95);
        assert_eq!(mean, Some(profile));
    }
}
