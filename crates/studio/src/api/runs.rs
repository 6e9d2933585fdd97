//! Runs that are under way: begun, watched by server-sent events, cancelled. One that no page watches any more ends
//! after a while.

use super::run::{Prepared, RunProgress, RunRequest};
use super::{Answer, Desk};
use crate::body::Admitted;
use crate::refusal::Refusal;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use petrio_kernel::{Progress, Watch};
use serde::Serialize;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::watch;

/// What a page hears of a run: the name of the event and its data.
type RunEvent = (&'static str, Arc<str>);

/// The event that tells how far a run is; all others tell how it ended.
const PROGRESS: &str = "progress";

struct Run {
    watch: Watch,
    told: watch::Receiver<RunEvent>,
    pages: Arc<Pages>,
    thread: JoinHandle<()>,
}

impl Run {
    /// Whether it hasn't told how it ended: a page that has heard of the end may begin another at once.
    fn goes_on(&self) -> bool {
        self.told.borrow().0 == PROGRESS && !self.thread.is_finished()
    }
}

/// How many runs are remembered.
const KEPT: usize = 8;
/// How many go on at once: each takes a processor.
const AT_ONCE: usize = 2;
/// How often a run tells how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// How often a page hears something at least: so a connection that has broken without a word is found out.
const BEAT: Duration = Duration::from_secs(5);
/// How often it is looked whether what was told to end has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The runs of the studio.
pub(crate) struct Runs {
    all: Mutex<BTreeMap<u64, Run>>,
    /// How long a run goes on that no page watches.
    grace: Duration,
}

impl Runs {
    pub(crate) fn new(grace: Duration) -> Self {
        Self { all: Mutex::default(), grace }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Run>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks all of them to end, and waits for it no longer than that.
    pub(crate) fn end(&self, patience: Duration) {
        let all = self.all();
        let end = Instant::now() + patience;
        all.values().for_each(|run| run.watch.stop());
        while all.values().any(|run| !run.thread.is_finished()) && Instant::now() < end {
            std::thread::sleep(LOOK);
        }
    }
}

/// The pages that watch a run.
struct Pages {
    /// How many there are, and how often one has come.
    count: Mutex<(usize, u64)>,
    /// Told once nobody has been there for so long.
    watch: Watch,
    grace: Duration,
    runtime: Handle,
}

impl Pages {
    fn count(&self) -> MutexGuard<'_, (usize, u64)> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page comes.
    fn come(self: &Arc<Self>) -> Watching {
        let mut count = self.count();
        *count = (count.0 + 1, count.1 + 1);
        Watching(Arc::clone(self))
    }

    /// Nobody is there: the run ends unless somebody comes in time.
    fn wait(self: &Arc<Self>) {
        let (pages, before) = (Arc::clone(self), self.count().1);
        self.runtime.spawn(async move {
            tokio::time::sleep(pages.grace).await;
            if *pages.count() == (0, before) {
                pages.watch.stop();
            }
        });
    }
}

/// A page that watches a run.
struct Watching(Arc<Pages>);

impl Drop for Watching {
    fn drop(&mut self) {
        let left = {
            let mut count = self.0.count();
            count.0 -= 1;
            count.0
        };
        if left == 0 {
            self.0.wait();
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Begun {
    id: u64,
}

pub(crate) fn json(value: &impl Serialize) -> Arc<str> {
    serde_json::to_string(value).unwrap_or_default().into()
}

/// `POST /api/runs`: answered at once; what is wrong with it is told as an event.
pub(crate) async fn start(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<RunRequest>,
) -> Answer<Begun> {
    begin(&desk, move |desk, watch, tell| {
        let prepared = Prepared::of(desk, &request, watch)?;
        tell.counts_calls(prepared.counts_calls());
        prepared.run(|far| tell.far(&far)).map(|ran| json(&ran))
    })
}

/// Begins work on a thread of its own, which is watched, cancelled and bounded as a run is: what it gives is the JSON of
/// its event `done`. It ends soon after its watch was stopped.
pub(crate) fn begin(
    desk: &Arc<Desk>,
    work: impl FnOnce(&Desk, &Watch, &Teller) -> Result<Arc<str>, Refusal> + Send + 'static,
) -> Answer<Begun> {
    let mut runs = desk.runs.all();
    let going_on = runs.values().filter(|run| run.goes_on()).count();
    if going_on >= AT_ONCE {
        return Err(Refusal::new(format!("{going_on} runs are going on; wait for one, or cancel it")));
    }
    let (tell, told) = watch::channel((PROGRESS, json(&RunProgress::Run { completed: 0, model_s: 0.0 })));
    let tell = Teller::new(tell);
    let watch = tell.watch();
    let (desk_of_run, its_watch) = (Arc::clone(desk), watch.clone());
    let thread = std::thread::Builder::new().name("run".to_owned()).spawn(move || {
        let event = match work(&desk_of_run, &its_watch, &tell) {
            // What was made until it was stopped is told.
            Ok(made) => ("done", made),
            Err(_) if its_watch.is_stopped() => ("cancelled", "{}".into()),
            Err(refusal) => ("failed", json(&refusal)),
        };
        tell.last(event);
    });
    let thread = thread.map_err(|cause| Refusal::new(format!("no run can begin: {cause}")))?;
    let id = runs.last_key_value().map_or(1, |(last, _)| last + 1);
    let pages = Pages {
        count: Mutex::default(),
        watch: watch.clone(),
        grace: desk.runs.grace,
        runtime: Handle::current(),
    };
    let pages = Arc::new(pages);
    pages.wait();
    runs.insert(id, Run { watch, told, pages, thread });
    // One that goes on can still be cancelled.
    let over = runs.iter().find(|(_, run)| !run.goes_on()).map(|(id, _)| *id);
    if let Some(over) = over.filter(|_| runs.len() > KEPT) {
        runs.remove(&over);
    }
    Ok(Json(Begun { id }))
}

/// Tells the pages of a run how far it is, now and then.
#[derive(Clone)]
pub(crate) struct Teller {
    to: Arc<watch::Sender<RunEvent>>,
    last: Arc<Mutex<Option<Instant>>>,
    /// Whether calls are what is counted, and not runs.
    calls: Arc<AtomicBool>,
    /// What is told of them, where it isn't their number alone.
    words: Arc<OnceLock<Box<Words>>>,
}

/// What is told of how far a run is.
type Words = dyn Fn(Progress) -> Arc<str> + Send + Sync;

impl Teller {
    fn new(to: watch::Sender<RunEvent>) -> Self {
        Self { to: Arc::new(to), last: Arc::default(), calls: Arc::default(), words: Arc::default() }
    }

    /// What the run is handed.
    fn watch(&self) -> Watch {
        let tell = self.clone();
        Watch::telling(move |far| {
            if tell.calls.load(Ordering::Relaxed) {
                tell.now_and_then(|| match tell.words.get() {
                    Some(words) => words(far),
                    None => {
                        json(&RunProgress::Run { completed: far.completed, model_s: far.now.as_seconds() })
                    }
                });
            }
            ControlFlow::Continue(())
        })
    }

    /// From here on it is the calls done that are told.
    pub(crate) fn counts_calls(&self, counts: bool) {
        self.calls.store(counts, Ordering::Relaxed);
    }

    /// From here on this is told of the calls done.
    pub(crate) fn tells(&self, words: impl Fn(Progress) -> Arc<str> + Send + Sync + 'static) {
        let _ = self.words.set(Box::new(words));
        self.counts_calls(true);
    }

    /// How far it is, as its page understands it; told now and then only.
    pub(crate) fn far(&self, far: &impl Serialize) {
        self.now_and_then(|| json(far));
    }

    fn now_and_then(&self, far: impl FnOnce() -> Arc<str>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= TELL_EVERY) {
            *last = Some(Instant::now());
            self.to.send_replace((PROGRESS, far()));
        }
    }

    fn last(&self, told: RunEvent) {
        self.calls.store(false, Ordering::Relaxed);
        self.to.send_replace(told);
    }
}

/// `POST /api/runs/{id}/cancel`
pub(crate) async fn cancel(State(desk): State<Arc<Desk>>, Path((_, id)): Path<(String, u64)>) -> Answer<()> {
    let runs = desk.runs.all();
    let run = runs.get(&id).ok_or_else(|| Refusal::new("there is no such run"))?;
    run.watch.stop();
    Ok(Json(()))
}

/// `GET /api/runs/{id}/events`: `progress` again and again, and in the end one of `done`, `failed`, `cancelled`.
pub(crate) async fn events(
    State(desk): State<Arc<Desk>>,
    Path((_, id)): Path<(String, u64)>,
) -> Result<Response, Refusal> {
    let (told, watching) = {
        let runs = desk.runs.all();
        let run = runs.get(&id).ok_or_else(|| Refusal::new("there is no such run"))?;
        (run.told.clone(), run.pages.come())
    };
    let begun = (told, watching, true, false);
    let stream = futures_util::stream::unfold(begun, |(mut told, watching, first, ended)| async move {
        if ended {
            return None;
        }
        if !first {
            match tokio::time::timeout(BEAT, told.changed()).await {
                Ok(Ok(())) => {}
                // Whoever would tell how it ended is gone.
                Ok(Err(_)) => {
                    let why = Refusal::new("the run broke off; this is a bug in petrio, please report it");
                    let text = format!("event: failed\ndata: {}\n\n", json(&why));
                    return Some((Ok::<_, Infallible>(text), (told, watching, false, true)));
                }
                // A comment, which a page doesn't hear of.
                Err(_) => {
                    return Some((Ok::<_, Infallible>(":\n\n".to_owned()), (told, watching, false, false)));
                }
            }
        }
        let (name, data) = told.borrow_and_update().clone();
        let text = format!("event: {name}\ndata: {data}\n\n");
        Some((Ok(text), (told, watching, false, name != PROGRESS)))
    });
    let head = [(header::CONTENT_TYPE, "text/event-stream")];
    Ok((head, Body::from_stream(stream)).into_response())
}
