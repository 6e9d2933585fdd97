//! How much load the scenario bears.

use super::super::runs::{Begun, begin};
use super::super::standing::Standing;
use super::super::{Answer, Desk};
use super::{Far, Said, answered, within};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_page::Figure;
use petrio_study::compare::Measure;
use petrio_study::load::{
    LEAST_RUNS, LoadError, LoadFindings, LoadQuestion, load, load_command, load_figures, load_page,
    load_sentences,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// Runs at most: a curve of more points says no more.
const RUNS_MAX: u32 = 400;

#[derive(Deserialize)]
pub(super) struct LoadRequest {
    path: PathBuf,
    text: String,
    metric: String,
    limit: Option<String>,
    #[serde(default)]
    over: Vec<String>,
    runs: u32,
    seed: Option<u64>,
}

impl Wanted for LoadRequest {}

#[derive(Serialize)]
struct Found {
    said: Vec<Said>,
    /// The load of each point in words, and the command that runs it.
    loads: Vec<(String, String)>,
    figures: [Figure; 3],
    findings: LoadFindings,
}

/// `POST /api/answers/load`
pub(super) async fn start(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<LoadRequest>,
) -> Answer<Begun> {
    within("runs", request.runs, (LEAST_RUNS, RUNS_MAX))?;
    let metric = Measure::parse(&request.metric).map_err(|error| Refusal::of(&error))?;
    begin(&desk, move |desk, watch, tell| {
        let standing = Standing::of(desk, &request.path, request.text)?;
        let (scenario, files) = standing.file();
        let question = LoadQuestion {
            scenario,
            files,
            settings: Vec::new(),
            seed: request.seed,
            metric,
            limit: request.limit.filter(|limit| !limit.trim().is_empty()),
            over: request.over,
            runs: request.runs,
            watch: watch.clone(),
        };
        let found = load(&question, &mut |done, of, factor| {
            let what = format!("{factor:.3} times today's load");
            tell.far(&Far { what, done: done.into(), of: of.into() });
        });
        let findings = found.map_err(|error| {
            standing.naming(match error {
                LoadError::Scenario(problems) => Refusal::from(&*problems),
                other => Refusal::of(&other),
            })
        })?;
        let page = load_page(&findings);
        let loads = findings
            .points
            .iter()
            .map(|point| (findings.dial.words(point.factor), load_command(&findings, point.factor)));
        let (said, figures) = (load_sentences(&findings), load_figures(&findings));
        let found = Found { said, loads: loads.collect(), figures, findings };
        Ok(answered(desk, &standing, &page, found))
    })
}
