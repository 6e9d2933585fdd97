//! A run of the scenario as it stands: watched while it goes on, and its report's page.

use super::live::{Live, Moving};
use crate::api::runs::{Begun, Teller, begin, json};
use crate::api::standing::Standing;
use crate::api::{Answer, Desk};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_colours::{BlockRequest, FileOp};
use petrio_kernel::Watch;
use petrio_scenario::report::{Report, Sinks, StageFigures, report_page};
use petrio_scenario::run::{Part, run_part, run_so_far};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Deserialize)]
pub(crate) struct RunRequest {
    path: PathBuf,
    text: String,
    /// Whether to try what would change it, each of which takes about as long as the run.
    #[serde(default)]
    what_if: bool,
}

impl Wanted for RunRequest {}

/// How far it is.
#[derive(Serialize)]
struct Far {
    /// Of all replications and experiments.
    completed: u64,
    model_s: f64,
    /// So many changes are being tried; none during the run itself.
    trying: usize,
    moving: Moving,
}

/// What came of it.
#[derive(Serialize)]
struct Ran {
    /// The report's page, by its number: `api/pages/…`.
    page: u64,
    title: String,
    system: String,
    simulated_s: f64,
    /// Whether it was stopped, so that this is what had been done by then.
    stopped: bool,
    moving: Moving,
    /// Where the time was spent, for the net.
    stages: Vec<StageFigures>,
    warnings: usize,
}

fn carried_out(desk: &Desk, request: RunRequest, watch: &Watch, tell: &Teller) -> Result<Arc<str>, Refusal> {
    let standing = Standing::of(desk, &request.path, request.text)?;
    let loaded = standing.load(&[], watch).map_err(|problems| standing.naming(Refusal::from(&problems)))?;
    let (live, trying) = (Live::new(), Arc::new(AtomicUsize::new(0)));
    let mut sinks = Sinks::default();
    sinks.push::<BlockRequest>(live.clone());
    sinks.push::<FileOp>(live.clone());
    let (seen, tried) = (live.clone(), Arc::clone(&trying));
    tell.tells(move |far| {
        json(&Far {
            completed: far.completed,
            model_s: far.now.as_seconds(),
            trying: tried.load(Ordering::Relaxed),
            moving: seen.picture(),
        })
    });
    let ran = if request.what_if {
        run_so_far(&loaded, sinks, |changes| trying.store(changes, Ordering::Relaxed))
    } else {
        run_part(&loaded, sinks, Part { so_far: true, ..Part::default() })
    };
    let report: Report = ran.map_err(|failure| standing.naming(Refusal::of(&failure)))?;
    Ok(json(&Ran {
        page: desk.pages.keep(report_page(&report).html()),
        title: report.title.clone(),
        system: report.system.clone(),
        simulated_s: report.simulated_s,
        stopped: watch.is_stopped(),
        moving: live.picture(),
        warnings: report.warnings.len(),
        stages: report.stages,
    }))
}

/// `POST /api/scenario/run`: answered at once, watched and cancelled as a run of users is; one that is stopped tells
/// what had been done by then.
pub(crate) async fn run(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<RunRequest>,
) -> Answer<Begun> {
    begin(&desk, move |desk, watch, tell| carried_out(desk, request, watch, tell))
}
