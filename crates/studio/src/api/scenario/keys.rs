//! The keys that a scenario may have, as its schema tells them, and the parts of the catalogue by name.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use petrio_scenario::catalogue::SHELVES;
use petrio_scenario::reference::{Key, Of};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

#[derive(Serialize)]
struct Keys {
    /// The whole scenario as one key, which has all others.
    scenario: Key,
    /// What there is in the catalogue, by the word for it: "drive".
    catalogue: BTreeMap<&'static str, Vec<&'static str>>,
}

/// `GET /api/scenario/keys`
pub(crate) async fn keys() -> Response {
    // The schema is the same as long as the studio is.
    static KEYS: OnceLock<String> = OnceLock::new();
    let made = tokio::task::spawn_blocking(|| {
        KEYS.get_or_init(|| {
            let catalogue = SHELVES.iter().map(|shelf| (shelf.what, shelf.names().collect())).collect();
            serde_json::to_string(&Keys { scenario: Of::Scenario.key(), catalogue }).unwrap_or_default()
        })
        .as_str()
    });
    let text = made.await.unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
