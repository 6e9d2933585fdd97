//! What a page is told that asked for what can't be had: a status of 4xx, an `error`, and `help` where there is
//! something to do.

use crate::reach::{OutOfReach, Unreached};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use miette::Diagnostic;
use petrio_scenario::Problems;
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// A refusal.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    pub(crate) error: String,
    help: Option<String>,
    #[serde(skip)]
    status: StatusCode,
}

impl Refusal {
    pub(crate) fn new(error: impl fmt::Display) -> Self {
        Self { error: error.to_string(), help: None, status: StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// What went wrong, with its advice.
    pub(crate) fn of(error: &dyn Diagnostic) -> Self {
        Self::new(error).help(error.help().map(|help| help.to_string()))
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }

    pub(crate) fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
    }

    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }

    /// In the words of whoever named a file: by its name, and not by where it is looked for.
    pub(crate) fn naming(self, hidden: &Path, shown: &Path) -> Self {
        let (hidden, shown) = (hidden.display().to_string(), shown.display().to_string());
        let named = |text: String| text.replace(&hidden, &shown);
        Self { error: named(self.error), help: self.help.map(named), ..self }
    }
}

impl From<&Problems> for Refusal {
    fn from(problems: &Problems) -> Self {
        let lines = problems.iter().map(|problem| match problem.location() {
            Some(location) => format!("{location}: {problem}"),
            None => problem.to_string(),
        });
        let help = problems.iter().find_map(|problem| problem.advice().map(str::to_owned));
        Self::new(lines.collect::<Vec<_>>().join("\n")).help(help)
    }
}

impl From<Unreached> for Refusal {
    fn from(error: Unreached) -> Self {
        match error {
            Unreached::Outside(outside) => outside.into(),
            other => Self::new(other),
        }
    }
}

impl From<OutOfReach> for Refusal {
    fn from(error: OutOfReach) -> Self {
        Self::of(&error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), Json(self)).into_response()
    }
}
