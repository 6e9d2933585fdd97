//! Pages that were made here, each one HTML file: shown in a frame that can reach nothing, and saved as they are.

use super::Desk;
use crate::refusal::Refusal;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many pages are remembered, and how many bytes of them at most besides the newest.
const KEPT: usize = 32;
const BYTES_MAX: usize = 64 << 20;

/// Its scripts are let in by their hashes, which the page itself says; it is in an origin of its own.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
     frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-downloads";

/// The pages of the studio.
#[derive(Default)]
pub(crate) struct Pages(Mutex<BTreeMap<u64, Bytes>>);

impl Pages {
    /// Keeps a page; the oldest go for it. Its number.
    pub(crate) fn keep(&self, html: String) -> u64 {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let id = all.last_key_value().map_or(1, |(last, _)| last + 1);
        all.insert(id, html.into());
        while all.len() > 1 && (all.len() > KEPT || all.values().map(Bytes::len).sum::<usize>() > BYTES_MAX) {
            all.pop_first();
        }
        id
    }
}

/// `GET /api/pages/{id}`
pub(crate) async fn page(
    State(desk): State<Arc<Desk>>,
    Path((_, id)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    let page = desk.pages.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
    let page = page.ok_or_else(|| {
        Refusal::new("this page is no longer there")
            .help(Some("make it again".to_owned()))
            .with_status(StatusCode::NOT_FOUND)
    })?;
    let head =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    Ok((head, page).into_response())
}
