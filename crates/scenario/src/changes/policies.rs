//! The words that keys may be instead of those that they are, by the schema: journal modes, schedulers, caches' rules.

use super::{PossibleChange, Sort};
use crate::loaded::Loaded;
use crate::reference::{Key, Of};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Keys that say what a part is, and not how it goes about it.
const WHAT_IT_IS: [&str; 8] =
    ["type", "model", "kind", "machine", "kernel", "format", "interface", "transport"];
/// Tables that say what is asked, and not what answers.
const QUESTION: [&str; 4] = ["workload", "measure", "title", "seed"];
/// The key by which tables say which of several policies they are.
const BY_KIND: &str = "kind";

static FILE: LazyLock<Key> = LazyLock::new(|| Of::Scenario.key());

/// Every other word of every key that is one of several words.
pub(super) fn policies(loaded: &Loaded) -> Vec<PossibleChange> {
    let Ok(Value::Object(scenario)) = serde_json::to_value(&loaded.scenario) else { return Vec::new() };
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for table in FILE.keys.iter().filter(|key| key.named && !QUESTION.contains(&key.name.as_str())) {
        let Some(Value::Object(parts)) = scenario.get(&table.name) else { continue };
        for (name, part) in parts {
            let path = loaded.copies().written(&format!("{}.{name}", table.name)).to_owned();
            // What is written once is changed once, however many copies it has.
            if let (Value::Object(part), true) = (part, seen.insert(path.clone())) {
                Walk { part: name, found: &mut found }.below(table, part, &path);
            }
        }
    }
    found
}

struct Walk<'w> {
    part: &'w str,
    found: &'w mut Vec<PossibleChange>,
}

impl Walk<'_> {
    fn below(&mut self, key: &Key, table: &Map<String, Value>, path: &str) {
        let variant = key.variants.iter().find(|variant| {
            let word = variant.word.trim_matches('"');
            table.get(&variant.by).and_then(Value::as_str) == Some(word)
        });
        for child in key.keys.iter().chain(variant.iter().flat_map(|variant| &variant.keys)) {
            if WHAT_IT_IS.contains(&child.name.as_str()) || child.list || child.named {
                continue;
            }
            let path = format!("{path}.{}", child.name);
            let value = table.get(&child.name);
            match (value, now(child, value)) {
                (_, Some(now)) => self.other_words(child, &now, &path),
                (Some(Value::Object(below)), None) => self.below(child, below, &path),
                _ => {}
            }
        }
    }

    fn other_words(&mut self, key: &Key, now: &str, path: &str) {
        let words = key.words.iter().map(|word| word.word.as_str());
        let kinds =
            key.variants.iter().filter(|variant| variant.by == BY_KIND).map(|variant| variant.word.as_str());
        let mut seen = BTreeSet::from([now]);
        for word in words.chain(kinds).map(|word| word.trim_matches('"')) {
            if seen.insert(word) {
                self.found.push(PossibleChange {
                    words: format!("{} = {word} instead of {now}", key.name),
                    part: self.part.to_owned(),
                    sort: Sort::Policy,
                    factor: None,
                    price: None,
                    settings: vec![(path.to_owned(), word.to_owned())],
                });
            }
        }
    }
}

/// Which of its words a key is; nothing of one that has none, or is something else.
fn now(key: &Key, value: Option<&Value>) -> Option<String> {
    let by_kind = || key.variants.iter().any(|variant| variant.by == BY_KIND);
    if key.words.is_empty() && !by_kind() {
        return None;
    }
    match value {
        Some(Value::String(word)) => Some(word.clone()),
        Some(Value::Object(table)) => table.get(BY_KIND).and_then(Value::as_str).map(str::to_owned),
        Some(_) => None,
        None => Some(key.default.as_deref()?.trim_matches('"').to_owned()),
    }
}
