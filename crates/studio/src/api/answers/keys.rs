//! The keys of the scenario that stands in a page, with what they are now: those that it leaves out among them.

use super::super::standing::Standing;
use super::super::{Answer, Desk, aside};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_kernel::Watch;
use petrio_scenario::changes::{Sort, changes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// A field completes no more.
const KEYS_MAX: usize = 2_000;

#[derive(Deserialize)]
pub(super) struct KeysRequest {
    path: PathBuf,
    text: String,
}

impl Wanted for KeysRequest {}

/// A key of the scenario.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ScenarioKey {
    /// Its path, as `--set` has it.
    path: String,
    /// What it is now.
    now: String,
    /// The other words that it may be, where these are known.
    words: Vec<String>,
}

/// `POST /api/answers/keys`
pub(super) async fn keys(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<KeysRequest>,
) -> Answer<Vec<ScenarioKey>> {
    aside(move || {
        let _room = room;
        let standing = Standing::of(&desk, &request.path, request.text)?;
        let loaded = standing.load(&[], &Watch::default());
        let loaded = loaded.map_err(|problems| standing.naming(Refusal::from(&problems)))?;
        let mut keys = Vec::new();
        below("", &serde_json::to_value(&loaded.scenario).map_err(Refusal::new)?, &mut keys);
        for change in changes(&loaded).into_iter().filter(|change| change.sort == Sort::Policy) {
            for (path, value) in change.settings {
                match keys.iter_mut().find(|key| key.path == path) {
                    Some(key) => key.words.push(value),
                    None => keys.push(ScenarioKey { path, now: String::new(), words: vec![value] }),
                }
            }
        }
        keys.truncate(KEYS_MAX);
        Ok(keys)
    })
    .await
}

/// Every value below a path that is a number or a word.
fn below(path: &str, value: &Value, into: &mut Vec<ScenarioKey>) {
    let mut key = |now: String| into.push(ScenarioKey { path: path.to_owned(), now, words: Vec::new() });
    match value {
        Value::String(text) => key(text.clone()),
        Value::Number(number) => key(number.to_string()),
        Value::Bool(flag) => key(flag.to_string()),
        Value::Object(table) => {
            for (name, value) in table {
                let plain = name.chars().all(|one| one.is_ascii_alphanumeric() || "-_".contains(one));
                let name = if plain { name.clone() } else { format!("\"{name}\"") };
                below(&if path.is_empty() { name } else { format!("{path}.{name}") }, value, into);
            }
        }
        Value::Null | Value::Array(_) => {}
    }
}
