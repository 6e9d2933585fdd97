//! A scenario: opened, checked as `petrio check` does, edited key by key with its comments kept; saved as a
//! specification is.
//!
//! The page holds the text; the studio holds none.

mod keys;
mod live;
mod net;
mod place;
mod rename;
mod run;

pub(crate) use keys::keys;
pub(crate) use net::net;
pub(crate) use run::run;

use super::specification::{Change, Written};
use super::standing::Standing;
use super::{Answer, Desk, aside};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_kernel::Watch;
use petrio_scenario::build::System;
use petrio_scenario::{Problem, Severity};
use place::Places;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use toml_edit::DocumentMut;

#[derive(Deserialize)]
pub(crate) struct OpenRequest {
    path: PathBuf,
}

impl Wanted for OpenRequest {}

/// A scenario's text, and what can be said about it.
#[derive(Serialize)]
pub(crate) struct Viewed {
    path: PathBuf,
    text: String,
    /// Its tables as they are written; nothing where it isn't TOML.
    written: Option<Written>,
    /// The text of every value, by its path.
    cells: Vec<place::Cell>,
    complaints: Vec<ScenarioComplaint>,
    /// What it is in a line, where it is in order.
    line: Option<String>,
}

/// What is wrong, or to be looked at, with the place in the text and the key.
#[derive(Debug, Serialize)]
pub(crate) struct ScenarioComplaint {
    /// File, line and column.
    location: Option<String>,
    /// In this text, both from 1; nothing where it is about another file, or about the whole.
    line: Option<usize>,
    column: Option<usize>,
    /// The key in this text at which it stands: `["disk", "d0", "model"]`.
    key: Option<Vec<String>>,
    /// Whether it keeps the scenario from running.
    error: bool,
    message: String,
    help: Option<String>,
}

impl ScenarioComplaint {
    fn of(problem: &Problem, standing: &Standing, places: Option<&Places>) -> Self {
        let here = problem.place().filter(|(file, _)| *file == standing.name).map(|(_, span)| span);
        let position = here.as_ref().and_then(|_| problem.line_and_column());
        Self {
            location: problem.location().map(|place| standing.named(&place)),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
            key: here.and_then(|span| places.map(|places| places.key(span))),
            error: problem.severity() == Severity::Error,
            message: standing.named(problem.message()),
            help: problem.advice().map(|help| standing.named(help)),
        }
    }

    /// About the whole.
    fn whole(refusal: &Refusal) -> Self {
        let (message, help) = (refusal.error.clone(), refusal.advice().map(str::to_owned));
        Self { location: None, line: None, column: None, key: None, error: true, message, help }
    }
}

/// What there is to say of it: in a line what it is, and what is wrong.
fn checked(desk: &Desk, path: &std::path::Path, text: &str) -> (Option<String>, Vec<ScenarioComplaint>) {
    let standing = match Standing::of(desk, path, text.to_owned()) {
        Ok(standing) => standing,
        Err(refusal) => return (None, vec![ScenarioComplaint::whole(&refusal)]),
    };
    let places = Places::of(text);
    let complaint = |problem: &Problem| ScenarioComplaint::of(problem, &standing, places.as_ref());
    let loaded = match standing.load(&[], &Watch::default()) {
        Ok(loaded) => loaded,
        Err(problems) => return (None, problems.iter().map(complaint).collect()),
    };
    let mut complaints: Vec<_> = loaded.warnings.iter().map(complaint).collect();
    match System::build(&loaded) {
        Ok(system) => (Some(system.line.clone()), complaints),
        Err(failure) => {
            complaints.insert(0, ScenarioComplaint::whole(&standing.naming(Refusal::of(&failure))));
            (None, complaints)
        }
    }
}

fn viewed(desk: &Desk, path: PathBuf, text: String) -> Viewed {
    let (line, complaints) = checked(desk, &path, &text);
    let document = text.parse::<DocumentMut>().ok();
    let cells = document.as_ref().map(place::cells).unwrap_or_default();
    Viewed { path, text, written: document.map(Written), cells, complaints, line }
}

/// `POST /api/scenario/open`
pub(crate) async fn open(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<OpenRequest>,
) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        let text = desk.text(&request.path)?;
        Ok(viewed(&desk, request.path, text))
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct CheckRequest {
    path: PathBuf,
    text: String,
}

impl Wanted for CheckRequest {}

/// `POST /api/scenario/check`
pub(crate) async fn check(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<CheckRequest>,
) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        Ok(viewed(&desk, request.path, request.text))
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

/// `POST /api/scenario/edit`: changes the text at their places alone, and checks it.
pub(crate) async fn edit(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<EditRequest>,
) -> Answer<Viewed> {
    aside(move || {
        let _room = room;
        let mut document: DocumentMut = request.text.parse().map_err(|error: toml_edit::TomlError| {
            Refusal::new(format!("the text is no TOML: {}", error.message()))
                .help(Some("mend it in the text, or undo".to_owned()))
        })?;
        for change in &request.changes {
            change.apply(&mut document)?;
        }
        let mut text = document.to_string();
        for change in &request.changes {
            if let Change::Rename { path, to } = change {
                text = rename::followed(&desk, &request.path, text, path, to);
            }
        }
        Ok(viewed(&desk, request.path, text))
    })
    .await
}
