//! A user specification: read, checked, edited key by key with its comments kept, and saved whole.
//!
//! The page holds the text; the studio holds none. Files are read and written only where the page names them, which is
//! where its user did.

mod changes;
mod written;

use super::{Answer, Complaint, Desk, aside, complaints, text_of};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
pub(crate) use changes::Change;
use petrio_scenario::load_users_text;
use petrio_users::Expected;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use toml_edit::DocumentMut;
pub(crate) use written::Written;
use written::{WrittenCell, places};

#[derive(Deserialize)]
pub(crate) struct OpenRequest {
    path: PathBuf,
}

impl Wanted for OpenRequest {}

/// A specification's text, and what can be said about it.
#[derive(Serialize)]
pub(crate) struct Viewed {
    path: PathBuf,
    text: String,
    /// Its tables as they are written; nothing where it isn't TOML.
    written: Option<Written>,
    complaints: Vec<Complaint>,
    /// What a session of each type does with each category.
    expected: Vec<Expected>,
    /// What stands in the tables' cells.
    places: Vec<WrittenCell>,
}

fn viewed(path: PathBuf, text: String) -> Viewed {
    let name = path.file_name().map_or_else(|| "specification".into(), |name| name.to_string_lossy());
    let (expected, complaints) = match load_users_text(&name, &text, &[]) {
        Ok(specification) => (specification.expected().unwrap_or_default(), vec![]),
        Err(problems) => (vec![], complaints(&problems)),
    };
    let document = text.parse::<DocumentMut>().ok();
    let places = document.as_ref().map(places).unwrap_or_default();
    Viewed { path, text, written: document.map(Written), complaints, expected, places }
}

/// `POST /api/specification/open`
pub(crate) async fn open(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<OpenRequest>,
) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        let text = desk.text(&request.path)?;
        Ok(viewed(request.path, text))
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct CheckRequest {
    path: PathBuf,
    text: String,
}

impl Wanted for CheckRequest {}

/// `POST /api/specification/check`
pub(crate) async fn check(Admitted(request, room): Admitted<CheckRequest>) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        Ok(viewed(request.path, request.text))
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct EditRequest {
    path: PathBuf,
    text: String,
    changes: Vec<Change>,
}

impl Wanted for EditRequest {}

/// `POST /api/specification/edit`
pub(crate) async fn edit(Admitted(request, room): Admitted<EditRequest>) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        let mut document: DocumentMut = request.text.parse().map_err(|error: toml_edit::TomlError| {
            Refusal::new(format!("the text is no TOML: {}", error.message()))
                .help(Some("mend it under Text, or undo".to_owned()))
        })?;
        for change in &request.changes {
            change.apply(&mut document)?;
        }
        Ok(viewed(request.path, document.to_string()))
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct SaveRequest {
    path: PathBuf,
    text: String,
    /// The text that was read; a file that has changed since isn't overwritten. Absent for a new file.
    before: Option<String>,
}

impl Wanted for SaveRequest {}

#[derive(Serialize)]
pub(crate) struct Saved {
    path: PathBuf,
}

/// `POST /api/specification/save`
pub(crate) async fn save(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<SaveRequest>,
) -> Answer<Saved> {
    aside(move || {
        let _room = room;
        let SaveRequest { path, text, before } = request;
        let there = match desk.reach.open(&path) {
            Ok(opened) => Some(text_of(opened, &path)?),
            Err(error) if error.is_missing() => None,
            Err(error) => return Err(error.into()),
        };
        if there.is_some() && there != before {
            let help = "open it again, or save under another name";
            return Err(Refusal::new(format!("{} has changed since it was opened", path.display()))
                .help(Some(help.to_owned())));
        }
        desk.reach.write(&path, &text)?;
        Ok(Saved { path })
    })
    .await
}
