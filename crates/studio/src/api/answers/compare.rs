//! The scenario against variants of it, against others, and against what was measured.

use super::super::runs::{Begun, begin};
use super::super::standing::Standing;
use super::super::{Answer, Desk};
use super::{Far, REPLICATIONS_MAX, answered, within};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_study::compare::measured::{Beside, beside, measured_page};
use petrio_study::compare::{
    Candidate, CompareError, ComparedRow, Comparison, Input, Question, compare, comparison_page,
    comparison_rows, verdicts,
};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who takes part at most: every pair of them is told.
const TAKE_PART_MAX: usize = 16;
/// What was measured has no more bytes.
const MEASURED_BYTES_MAX: u64 = 64 << 20;

#[derive(Deserialize)]
pub(super) struct CompareRequest {
    path: PathBuf,
    text: String,
    /// Who is compared with it.
    #[serde(default)]
    others: Vec<Other>,
    /// What another program measured; then nothing is put in order.
    measured: Option<PathBuf>,
    measure: Option<String>,
    replications: u32,
    seed: Option<u64>,
}

impl Wanted for CompareRequest {}

/// The scenario with settings, or another one, with settings or without.
#[derive(Deserialize)]
struct Other {
    /// Left out, the scenario itself.
    path: Option<PathBuf>,
    #[serde(default)]
    settings: Vec<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Found {
    Compared { rows: Vec<ComparedRow>, verdicts: Vec<String>, findings: Box<Comparison> },
    Beside { beside: Box<Beside> },
}

/// `POST /api/answers/compare`
pub(super) async fn start(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<CompareRequest>,
) -> Answer<Begun> {
    within("replications", request.replications, (2, REPLICATIONS_MAX))?;
    if request.others.len() >= TAKE_PART_MAX {
        return Err(Refusal::new(format!(
            "{} take part, and {TAKE_PART_MAX} are the most",
            request.others.len() + 1
        ))
        .help(Some("compare fewer at a time, or vary a key in the room Sweep".to_owned())));
    }
    begin(&desk, move |desk, watch, tell| {
        let standing = Standing::of(desk, &request.path, request.text.clone())?;
        let files = Inputs::here();
        let inputs: Vec<Input> =
            request.measured.iter().map(|path| measured(desk, path, &files)).collect::<Result<_, _>>()?;
        let name =
            if request.others.is_empty() { file_name(&request.path) } else { "as it stands".to_owned() };
        let mut candidates = vec![candidate(name, &standing, &[], watch)?];
        // What their scenarios read stays there until they have run.
        let mut standings = Vec::new();
        for other in &request.others {
            let (candidate, standing) = read(desk, &request, other, watch)?;
            candidates.push(candidate);
            standings.push(standing);
        }
        let question = Question {
            inputs,
            candidates,
            files,
            seed: request.seed,
            replications: Some(request.replications),
            measure: request.measure.filter(|measure| !measure.trim().is_empty()),
            ..Question::default()
        };
        let on_step = |step: petrio_study::compare::CompareProgress| {
            tell.far(&Far { what: "replications".to_owned(), done: step.done, of: step.of });
        };
        let refused = |error: CompareError| {
            let refusal = match error {
                CompareError::Scenario(problems) => Refusal::from(&*problems),
                other => Refusal::of(&other),
            };
            standings.iter().chain([&standing]).fold(refusal, |refusal, one| one.naming(refusal))
        };
        if question.inputs.is_empty() {
            let findings = compare(&question, &on_step).map_err(refused)?;
            let page = comparison_page(&findings);
            let (rows, verdicts) = (comparison_rows(&findings), verdicts(&findings));
            let found = Found::Compared { rows, verdicts, findings: Box::new(findings) };
            return Ok(answered(desk, &standing, &page, found));
        }
        let found = beside(&question, &on_step).map_err(refused)?;
        let page = measured_page(&found);
        Ok(answered(desk, &standing, &page, Found::Beside { beside: Box::new(found) }))
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Somebody else who takes part.
fn read(
    desk: &Desk,
    request: &CompareRequest,
    other: &Other,
    watch: &Watch,
) -> Result<(Candidate, Standing), Refusal> {
    let settings: Vec<Override> = other
        .settings
        .iter()
        .map(|text| {
            let read = text.parse::<Override>();
            read.map_err(|problem| {
                Refusal::new(format!("the setting \"{text}\": {}", problem.message()))
                    .help(problem.advice().map(str::to_owned))
            })
        })
        .collect::<Result<_, _>>()?;
    let values: Vec<&str> = settings.iter().map(Override::value).collect();
    let path = other.path.as_ref().filter(|path| **path != request.path);
    let (path, text) = match path {
        Some(path) => (path, desk.text(path)?),
        None => (&request.path, request.text.clone()),
    };
    let standing = Standing::with(desk, path, text, &values)?;
    let set = other.settings.join(", ");
    let name = match (&other.path, set.is_empty()) {
        (None, true) => "as it stands".to_owned(),
        (None, false) => set,
        (Some(path), true) => file_name(path),
        (Some(path), false) => format!("{} with {set}", file_name(path)),
    };
    Ok((candidate(name, &standing, &settings, watch)?, standing))
}

fn candidate(
    name: String,
    standing: &Standing,
    settings: &[Override],
    watch: &Watch,
) -> Result<Candidate, Refusal> {
    let loaded = standing.load(settings, watch);
    let loaded = loaded.map_err(|problems| standing.naming(Refusal::from(&problems)))?;
    Ok(Candidate { name, loaded, directory: None })
}

/// What was measured, in memory among the files.
fn measured(desk: &Desk, path: &Path, files: &Inputs) -> Result<Input, Refusal> {
    let mut bytes = Vec::new();
    let cannot = |cause| Refusal::new(format!("{} can't be read: {cause}", path.display()));
    desk.open(path)?.file.take(MEASURED_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MEASURED_BYTES_MAX {
        return Err(Refusal::new(format!(
            "{} is larger than {} MiB",
            path.display(),
            MEASURED_BYTES_MAX >> 20
        ))
        .help(Some("petrio compare takes it on the command line".to_owned())));
    }
    files.hold(path, bytes);
    Ok(Input { file: path.to_owned(), settings: Vec::new(), real: false, measured: true })
}
