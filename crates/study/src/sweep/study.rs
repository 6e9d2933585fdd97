//! What a study asks: everything that its rows follow from, as it stands in its folder.

use super::design::Design;
use super::error::SweepError;
use super::factor::Factor;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The form of a folder.
pub(super) const FORM: u32 = 1;

/// What a study asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The form of its folder.
    pub form: u32,
    /// The version of petrio that runs it: others may predict otherwise.
    pub version: String,
    /// The scenario file, as it was named.
    pub scenario: PathBuf,
    /// What it says.
    pub text: String,
    /// What is set in every case.
    pub settings: Vec<String>,
    /// The files that it reads, each with the hash of what it holds.
    pub inputs: BTreeMap<PathBuf, String>,
    /// What is varied.
    pub factors: Vec<Factor>,
    /// How cases are chosen from that.
    pub design: Design,
    /// What has to be true of a case.
    pub constraints: Vec<String>,
    /// What these compare with that isn't varied, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub fixed: BTreeMap<String, String>,
    /// Where random numbers begin, those of the design among them: the same in all cases.
    pub seed: u64,
    /// What is kept of each report, by name.
    pub measures: Vec<String>,
    /// How often each case is run.
    pub replications: Replications,
}

/// How often each case is run, with the same random numbers in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replications {
    /// So often, or at most so often where there is a precision.
    pub count: u32,
    /// Until half the interval of the first measure's mean is at most this part of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub precision: Option<f64>,
    /// The level of intervals, 0 to 1.
    pub confidence: f64,
}

impl Study {
    /// What another one differs by, in words; nothing where both ask the same.
    pub(super) fn differs(&self, other: &Self) -> Option<String> {
        let [here, there] = [self, other].map(|study| serde_json::to_value(study).unwrap_or_default());
        let (Value::Object(here), Value::Object(there)) = (here, there) else { return None };
        let keys =
            here.iter().filter(|(key, value)| there.get(*key) != Some(value)).map(|(key, _)| key.as_str());
        let words: Vec<String> = keys
            .map(|key| match key {
                "form" | "version" => {
                    format!("it is of petrio {}, this is {}", there["version"], here["version"])
                        .replace('"', "")
                }
                "text" => format!("{} says something else now", self.scenario.display()),
                "inputs" => changed(&self.inputs, &other.inputs),
                "scenario" => format!("it is of {}", other.scenario.display()),
                "settings" => "other values are set (--set)".to_owned(),
                "factors" => "other keys or values are varied".to_owned(),
                "design" => "its cases are chosen otherwise".to_owned(),
                "constraints" | "fixed" => "other cases are left out (--where)".to_owned(),
                "seed" => format!("its seed is {}", other.seed),
                "measures" => format!("it keeps {}", other.measures.join(", ")),
                _ => "its cases are replicated otherwise".to_owned(),
            })
            .collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Whether its rows are those that are made here.
    pub(super) fn is_of_this_version(&self) -> Result<(), SweepError> {
        let here = env!("CARGO_PKG_VERSION");
        if self.version == here {
            return Ok(());
        }
        Err(SweepError::OtherVersion { here, there: self.version.clone() })
    }

    /// From the text of a folder's `study.json`.
    pub(super) fn read(text: &[u8], folder: &std::path::Path) -> Result<Self, SweepError> {
        let wrong = |why: String| SweepError::NoStudy { folder: folder.to_owned(), why };
        let value: Value =
            serde_json::from_slice(text).map_err(|error| wrong(format!("study.json: {error}")))?;
        match value.get("form").and_then(Value::as_u64) {
            Some(form) if form == u64::from(FORM) => {}
            form => {
                let form = form.map_or_else(|| "no form".to_owned(), |form| format!("form {form}"));
                return Err(wrong(format!("study.json is of {form}, and form {FORM} is read here")));
            }
        }
        serde_json::from_value(value).map_err(|error| wrong(format!("study.json: {error}")))
    }
}

/// Which file isn't what it was.
fn changed(here: &BTreeMap<PathBuf, String>, there: &BTreeMap<PathBuf, String>) -> String {
    let other = here.iter().find(|(path, hash)| there.get(*path).is_some_and(|known| known != *hash));
    match other {
        Some((path, _)) => format!("{} has changed since", path.display()),
        None => "it reads other files".to_owned(),
    }
}
