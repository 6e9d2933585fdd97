//! What makes the load: the keys that are changed together, as a factor on what they are today.

use super::error::LoadError;
use petrio_scenario::workload::Counted;
use petrio_scenario::{Loaded, Override};
use petrio_units::Measured;
use serde::Serialize;

/// The keys that make the load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dial {
    /// They are changed together.
    pub keys: Vec<Key>,
}

/// A key that makes load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Key {
    /// Its path.
    pub path: String,
    /// What it is today.
    pub now: String,
    /// Whether half of it is twice the load: a time between requests, or a factor on it.
    pub is_time: bool,
    /// What it counts, where only whole ones of it come: "user".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<&'static str>,
}

impl Dial {
    /// The keys of all workloads that have one.
    ///
    /// # Errors
    /// A workload of whose load no key says how much it is.
    pub(super) fn of_workloads(loaded: &Loaded) -> Result<Self, LoadError> {
        let keys = loaded.scenario.workload.iter().map(|(name, workload)| {
            let found = workload.intensity().ok_or_else(|| LoadError::NoKey { workload: name.clone() })?;
            let counts = match found.counts {
                Counted::Times => None,
                Counted::Whole(one) => Some(one),
            };
            let quoted = if name.contains('.') { format!("\"{name}\"") } else { name.clone() };
            let path = format!("workload.{quoted}.{}", found.key);
            Ok::<Key, LoadError>(Key { path, now: found.now.to_string(), is_time: counts.is_none(), counts })
        });
        Ok(Self { keys: keys.collect::<Result<_, LoadError>>()? })
    }

    /// Keys that somebody names.
    ///
    /// # Errors
    /// One that isn't there, or is no number.
    pub(super) fn of_paths(loaded: &Loaded, paths: &[String]) -> Result<Self, LoadError> {
        let keys = paths.iter().map(|path| {
            let wrong = |why: String| LoadError::Key { path: path.clone(), why };
            let now = crate::sweep::value_at(loaded, path)
                .ok_or_else(|| wrong("the scenario has no value there".to_owned()))?;
            let number =
                Measured::read(&now).ok_or_else(|| wrong(format!("it is \"{now}\", which is no number")))?;
            if number.base() <= 0.0 {
                return Err(wrong(format!("it is {now}, of which no factor makes more")));
            }
            let is_whole = number.base_unit().is_empty() && number.of_the_same(0.5).base() != 0.5;
            let counts = is_whole.then_some("of them");
            Ok(Key { path: path.clone(), now, is_time: number.base_unit() == "ps", counts })
        });
        Ok(Self { keys: keys.collect::<Result<_, _>>()? })
    }

    /// What is set at so many times today's load.
    pub(super) fn settings(&self, factor: f64) -> Vec<Override> {
        self.values(factor).iter().map(|(path, value)| Override::new(path, value)).collect()
    }

    /// The value of each key at so many times today's load.
    pub fn values(&self, factor: f64) -> Vec<(&str, String)> {
        self.keys.iter().map(|key| (key.path.as_str(), key.at(factor))).collect()
    }

    /// The factor that is really had at one that is asked for: only whole users come.
    pub(super) fn possible(&self, factor: f64) -> f64 {
        match &self.keys[..] {
            [key] if key.counts.is_some() => {
                let now: f64 = key.now.parse().unwrap_or(1.0);
                (factor * now).round().max(1.0) / now
            }
            _ => factor,
        }
    }

    /// The least step, as a factor on today's; nothing where there is none.
    pub(super) fn step(&self) -> f64 {
        match &self.keys[..] {
            [key] if key.counts.is_some() => 1.0 / key.now.parse().unwrap_or(1.0),
            _ => 0.0,
        }
    }

    /// What it is at a factor, in words: "12 users", "×1.7".
    pub fn words(&self, factor: f64) -> String {
        match &self.keys[..] {
            [key] => match key.counts {
                Some("of them") => format!("{} = {}", key.path, key.at(factor)),
                Some(one) => {
                    let count = key.at(factor);
                    let plural = match (count.as_str(), one) {
                        ("1", one) => one.to_owned(),
                        (_, "process") => "processes".to_owned(),
                        (_, one) => format!("{one}s"),
                    };
                    format!("{count} {plural}")
                }
                None => format!("{factor:.3} times today's"),
            },
            _ => format!("{factor:.3} times today's"),
        }
    }
}

impl Key {
    fn at(&self, factor: f64) -> String {
        let Some(now) = Measured::read(&self.now) else { return self.now.clone() };
        let base = if self.is_time { now.base() / factor } else { now.base() * factor };
        if self.counts.is_some() {
            return format!("{}", base.round().max(1.0));
        }
        // A factor on times is no whole number.
        if now.base_unit().is_empty() { format!("{base}") } else { now.of_the_same(base).to_string() }
    }
}
