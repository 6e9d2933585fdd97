//! What the pages ask for, as JSON.

mod answers;
mod data;
mod evaluate;
mod fit;
mod pages;
mod run;
mod runs;
mod scenario;
mod specification;
mod standing;

use crate::body::{Patience, Rooms};
use crate::reach::{Opened, Reach};
use crate::refusal::Refusal;
use axum::extract::{FromRef, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use petrio_scenario::Problems;
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What the studio keeps between two questions: loaded values and runs, a few of each.
pub(crate) struct Desk {
    begins: Begins,
    reach: Reach,
    data: data::Shelf,
    pages: pages::Pages,
    runs: runs::Runs,
    studies: answers::Studies,
    rooms: Rooms,
}

/// What the studio was started with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Begins {
    pub(crate) specification: Option<PathBuf>,
    pub(crate) scenario: Option<PathBuf>,
}

impl Begins {
    /// The file beside which others may be read and written, too.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.specification.as_deref().or(self.scenario.as_deref())
    }
}

impl Desk {
    /// `grace` is how long a run goes on that no page watches.
    pub(crate) fn new(begins: Begins, reach: Reach, grace: Duration) -> Self {
        let (data, rooms) = (data::Shelf::default(), Rooms::new(Patience::default()));
        let (pages, runs, studies) =
            (pages::Pages::default(), runs::Runs::new(grace), answers::Studies::default());
        Self { begins, reach, data, pages, runs, studies, rooms }
    }

    /// The file that the page names.
    fn open(&self, path: &Path) -> Result<Opened, Refusal> {
        Ok(self.reach.open(path)?)
    }

    /// The text of the file that the page names: a specification, a scenario. Devices and pipes have no end.
    fn text(&self, path: &Path) -> Result<String, Refusal> {
        text_of(self.open(path)?, path)
    }

    /// Ends whatever is still running, and waits for it no longer than that.
    pub(crate) fn end(&self, patience: Duration) {
        self.runs.end(patience);
    }
}

/// Where there is room for what a page sends.
impl FromRef<Arc<Desk>> for Rooms {
    fn from_ref(desk: &Arc<Desk>) -> Self {
        desk.rooms.clone()
    }
}

fn text_of(opened: Opened, path: &Path) -> Result<String, Refusal> {
    // What says that it has no bytes, as in /proc, may have many.
    let mut bytes = Vec::new();
    opened
        .file
        .take(TEXT_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| Refusal::new(format!("{} can't be read: {cause}", path.display())))?;
    if bytes.len() as u64 > TEXT_MAX {
        let help = format!("a specification or a scenario has {} MiB at most", TEXT_MAX >> 20);
        return Err(Refusal::new(format!("{} is too large", path.display())).help(Some(help)));
    }
    String::from_utf8(bytes).map_err(|_| Refusal::new(format!("{} is no text", path.display())))
}

/// A specification or a scenario has no more bytes; what is made of a text takes many times its bytes.
const TEXT_MAX: u64 = 2 << 20;

pub(crate) fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .merge(answers::routes())
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
        .route("/scenario/open", post(scenario::open))
        .route("/scenario/check", post(scenario::check))
        .route("/scenario/edit", post(scenario::edit))
        .route("/scenario/keys", get(scenario::keys))
        .route("/scenario/run", post(scenario::run))
        .route("/scenario/net", post(scenario::net))
        .route("/scenario/save", post(specification::save))
        .route("/pages/{id}", get(pages::page))
        .route("/runs", post(runs::start))
        .route("/runs/{id}/events", get(runs::events))
        .route("/runs/{id}/cancel", post(runs::cancel))
}

/// What a page has to know first.
#[derive(Serialize)]
struct Start {
    version: &'static str,
    /// A specification to open.
    specification: Option<PathBuf>,
    /// A scenario to open.
    scenario: Option<PathBuf>,
    /// The families that can be fitted.
    families: Vec<&'static str>,
}

async fn start(State(desk): State<Arc<Desk>>) -> Json<Start> {
    Json(Start {
        version: env!("CARGO_PKG_VERSION"),
        specification: desk.begins.specification.clone(),
        scenario: desk.begins.scenario.clone(),
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

type Answer<T> = Result<Json<T>, Refusal>;

/// Does work that takes its time where it keeps nobody else waiting.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refusal> + Send + 'static) -> Answer<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map(Json),
        Err(failed) => Err(Refusal::new(format!("the studio failed at this: {failed}"))),
    }
}
