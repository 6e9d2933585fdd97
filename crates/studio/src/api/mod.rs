//! What the pages ask for, as JSON. A refusal has a status of 4xx and says `error`, and `help` where there is something to do.

mod data;
mod evaluate;
mod fit;
mod run;
mod runs;
mod specification;

use crate::reach::{OutOfReach, Reach};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use petrio_scenario::Problems;
use serde::Serialize;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of numbers that somebody drops into the page is no larger.
const BODY_MAX: usize = 256 << 20;

/// What the studio keeps between two questions: loaded values and runs, a few of each.
pub(crate) struct Desk {
    specification: Option<PathBuf>,
    reach: Reach,
    data: data::Shelf,
    runs: runs::Runs,
}

impl Desk {
    pub(crate) fn new(specification: Option<PathBuf>, reach: Reach) -> Self {
        Self { specification, reach, data: data::Shelf::default(), runs: runs::Runs::default() }
    }

    /// The file that the page names.
    fn file(&self, path: &Path) -> Result<PathBuf, Refusal> {
        Ok(self.reach.file(path)?)
    }

    /// The text of the file that the page names: a specification, a scenario. Devices and pipes have no end.
    fn text(&self, path: &Path) -> Result<String, Refusal> {
        let file = self.file(path)?;
        let refuse =
            |cause: std::io::Error| Refusal::new(format!("{} can't be read: {cause}", path.display()));
        let told = std::fs::metadata(&file).map_err(refuse)?;
        if !told.is_file() {
            return Err(Refusal::new(format!("{} is no file", path.display())));
        }
        if told.len() > TEXT_MAX {
            let help = format!("a specification or a scenario has {} MiB at most", TEXT_MAX >> 20);
            return Err(Refusal::new(format!("{} is too large", path.display())).help(Some(help)));
        }
        // What says that it has no bytes, as in /proc, may have many.
        let mut text = String::new();
        std::fs::File::open(&file)
            .and_then(|file| file.take(TEXT_MAX).read_to_string(&mut text))
            .map_err(refuse)?;
        Ok(text)
    }

    /// Ends whatever is still running.
    pub(crate) fn cancel_all(&self) {
        self.runs.cancel_all();
    }
}

/// A specification or a scenario has no more bytes.
const TEXT_MAX: u64 = 16 << 20;

pub(crate) fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/start", get(start))
        .route("/data", post(data::load))
        .route("/data/view", post(data::view))
        .route("/evaluate", post(evaluate::evaluate))
        .route("/text", post(evaluate::text))
        .route("/fit", post(fit::fit))
        .route("/specification/open", post(specification::open))
        .route("/specification/check", post(specification::check))
        .route("/specification/edit", post(specification::edit))
        .route("/specification/save", post(specification::save))
        .route("/runs", post(runs::start))
        .route("/runs/{id}/events", get(runs::events))
        .route("/runs/{id}/cancel", post(runs::cancel))
        .layer(DefaultBodyLimit::max(BODY_MAX))
}

/// What a page has to know first.
#[derive(Serialize)]
struct Start {
    version: &'static str,
    /// A specification to open.
    specification: Option<PathBuf>,
    /// The families that can be fitted.
    families: Vec<&'static str>,
}

async fn start(State(desk): State<Arc<Desk>>) -> Json<Start> {
    Json(Start {
        version: env!("CARGO_PKG_VERSION"),
        specification: desk.specification.clone(),
        families: fit::families(),
    })
}

/// A place in a text that is wrong.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Complaint {
    /// File, line and column.
    location: Option<String>,
    message: String,
    help: Option<String>,
}

/// All complaints about a text.
pub(crate) fn complaints(problems: &Problems) -> Vec<Complaint> {
    problems
        .iter()
        .map(|problem| Complaint {
            location: problem.location(),
            message: problem.message().to_owned(),
            help: problem.advice().map(str::to_owned),
        })
        .collect()
}

/// A refusal.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    error: String,
    help: Option<String>,
}

impl Refusal {
    fn new(error: impl fmt::Display) -> Self {
        Self { error: error.to_string(), help: None }
    }

    fn help(self, help: Option<String>) -> Self {
        Self { help, ..self }
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

impl From<OutOfReach> for Refusal {
    fn from(error: OutOfReach) -> Self {
        Self::new(&error).help(Some(error.help()))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (StatusCode::UNPROCESSABLE_ENTITY, Json(self)).into_response()
    }
}

type Answer<T> = Result<Json<T>, Refusal>;

/// Does work that takes its time where it keeps nobody else waiting.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refusal> + Send + 'static) -> Answer<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map(Json),
        Err(failed) => Err(Refusal::new(format!("the studio failed at this: {failed}"))),
    }
}
