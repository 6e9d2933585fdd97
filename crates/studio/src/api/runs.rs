//! Runs that are under way: begun, watched by server-sent events, cancelled.

use super::run::{Far, Prepared, RunRequest};
use super::{Answer, Desk, Refusal, aside};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What a page hears of a run: the name of the event and its data.
type Told = (&'static str, Arc<str>);

struct Run {
    cancelled: Arc<AtomicBool>,
    told: watch::Receiver<Told>,
}

/// How many runs are remembered.
const KEPT: usize = 8;
/// How many go on at once: each takes a processor.
const AT_ONCE: usize = 2;
/// How often a run tells how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// The runs of the studio.
#[derive(Default)]
pub(crate) struct Runs(Mutex<BTreeMap<u64, Run>>);

impl Runs {
    /// Asks all of them to end.
    pub(crate) fn cancel_all(&self) {
        for run in self.0.lock().unwrap_or_else(PoisonError::into_inner).values() {
            run.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Begun {
    id: u64,
}

fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).unwrap_or_default().into()
}

/// `POST /api/runs`
pub(crate) async fn start(State(desk): State<Arc<Desk>>, Json(request): Json<RunRequest>) -> Answer<Begun> {
    aside(move || {
        let mut runs = desk.runs.0.lock().unwrap_or_else(PoisonError::into_inner);
        let going_on = runs.values().filter(|run| run.told.borrow().0 == "progress").count();
        if going_on >= AT_ONCE {
            return Err(Refusal::new(format!("{going_on} runs are going on; wait for one, or cancel it")));
        }
        let prepared = Prepared::of(&desk, &request)?;
        let (tell, told) = watch::channel(("progress", json(&Far::Run { completed: 0, model_s: 0.0 })));
        let cancelled = Arc::new(AtomicBool::new(false));
        let id = runs.last_key_value().map_or(1, |(last, _)| last + 1);
        runs.insert(id, Run { cancelled: Arc::clone(&cancelled), told });
        if runs.len() > KEPT {
            runs.pop_first();
        }
        std::thread::spawn(move || {
            let mut last = None;
            let outcome = prepared.run(&cancelled, |far| {
                if last.is_none_or(|last: Instant| last.elapsed() >= TELL_EVERY) {
                    last = Some(Instant::now());
                    tell.send_replace(("progress", json(&far)));
                }
            });
            tell.send_replace(match outcome {
                _ if cancelled.load(Ordering::Relaxed) => ("cancelled", "{}".into()),
                Ok(ran) => ("done", json(&ran)),
                Err(refusal) => ("failed", json(&refusal)),
            });
        });
        Ok(Begun { id })
    })
    .await
}

/// `POST /api/runs/{id}/cancel`
pub(crate) async fn cancel(State(desk): State<Arc<Desk>>, Path((_, id)): Path<(String, u64)>) -> Answer<()> {
    let runs = desk.runs.0.lock().unwrap_or_else(PoisonError::into_inner);
    let run = runs.get(&id).ok_or_else(|| Refusal::new("there is no such run"))?;
    run.cancelled.store(true, Ordering::Relaxed);
    Ok(Json(()))
}

/// `GET /api/runs/{id}/events`: `progress` again and again, and in the end one of `done`, `failed`, `cancelled`.
pub(crate) async fn events(
    State(desk): State<Arc<Desk>>,
    Path((_, id)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    let told = {
        let runs = desk.runs.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.get(&id).map(|run| run.told.clone()).ok_or_else(|| Refusal::new("there is no such run"))?
    };
    let stream = futures_util::stream::unfold((told, true, false), |(mut told, first, ended)| async move {
        if ended || (!first && told.changed().await.is_err()) {
            return None;
        }
        let (name, data) = told.borrow_and_update().clone();
        let text = format!("event: {name}\ndata: {data}\n\n");
        Some((Ok::<_, Infallible>(text), (told, false, name != "progress")))
    });
    let head = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((head, axum::body::Body::from_stream(stream)).into_response())
}
