//! What changes of the scenario would do, and where its time goes.

use super::super::runs::{Begun, begin};
use super::super::standing::{Standing, as_toml};
use super::super::{Answer, Desk};
use super::{Far, REPLICATIONS_MAX, Said, answered, within};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_page::Figure;
use petrio_scenario::Override;
use petrio_scenario::changes::PossibleChange;
use petrio_study::explain::{
    ExplainError, ExplainQuestion, Explanation, explain, explain_command, explain_figures, explain_page,
    explain_sentences,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Deserialize)]
pub(super) struct ExplainRequest {
    path: PathBuf,
    text: String,
    replications: u32,
    seed: Option<u64>,
}

impl Wanted for ExplainRequest {}

#[derive(Serialize)]
struct Found {
    said: Vec<Said>,
    figures: Vec<Figure>,
    /// What makes each change that helps or harms, in the order of `pairs`, `better`, `worse`.
    edits: Vec<Edit>,
    findings: Explanation,
}

/// What makes a change.
#[derive(Serialize)]
struct Edit {
    /// What it sets in the scenario's text, each a path and its value as TOML.
    sets: Vec<(Vec<String>, String)>,
    /// The command that runs the scenario with it.
    command: String,
}

/// What a change sets in a scenario's text.
pub(crate) fn sets(change: &PossibleChange) -> Vec<(Vec<String>, String)> {
    let set = |(path, value): &(String, String)| {
        let setting = Override::new(path, value);
        (setting.keys().into_iter().map(str::to_owned).collect(), as_toml(setting.value()))
    };
    change.settings.iter().map(set).collect()
}

/// `POST /api/answers/explain`
pub(super) async fn start(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<ExplainRequest>,
) -> Answer<Begun> {
    within("replications", request.replications, (2, REPLICATIONS_MAX))?;
    begin(&desk, move |desk, watch, tell| {
        let standing = Standing::of(desk, &request.path, request.text)?;
        let (scenario, files) = standing.file();
        let question = ExplainQuestion {
            scenario,
            files,
            settings: Vec::new(),
            seed: request.seed,
            replications: request.replications,
            watch: watch.clone(),
        };
        let found = explain(&question, &|what, done, of| tell.far(&Far { what: what.to_owned(), done, of }));
        let findings = found.map_err(|error| {
            standing.naming(match error {
                ExplainError::Scenario(problems) => Refusal::from(&*problems),
                other => Refusal::of(&other),
            })
        })?;
        let page = explain_page(&findings);
        let all = findings.pairs.iter().chain(&findings.better).chain(&findings.worse);
        let edits = all.map(|tried| Edit {
            sets: sets(&tried.change),
            command: explain_command(&findings, &tried.change),
        });
        let found = Found {
            said: explain_sentences(&findings),
            figures: explain_figures(&findings),
            edits: edits.collect(),
            findings,
        };
        Ok(answered(desk, &standing, &page, found))
    })
}
