//! Keys varied: how many cases that is, the cases run, one of them looked at, and the folder of results saved and opened.

use super::super::runs::{Begun, begin, json};
use super::super::standing::Standing;
use super::super::{Answer, Desk, aside};
use super::studies::Folder;
use super::{Far, REPLICATIONS_MAX, within};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::State;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Watch;
use petrio_scenario::report::{Sinks, report_page};
use petrio_scenario::run::{Part, run_part};
use petrio_scenario::{Override, load_in};
use petrio_study::compare::Measure;
use petrio_study::sweep::{
    Design, Factor, Findings, Shard, SweepError, SweepPlan, SweepProgress, SweepQuestion, SweepResults,
    Values, effect_sentence, findings, results, settings, sweep_page,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cases at most: a heat map of more is a carpet. So many runs together.
const CASES_MAX: u64 = 4_096;
const RUNS_MAX: u64 = 20_000;

#[derive(Deserialize)]
pub(super) struct SweepRequest {
    path: PathBuf,
    text: String,
    /// Each as `--vary` has it: a key, `=`, and its values.
    vary: Vec<String>,
    #[serde(default)]
    design: DesignKind,
    /// Of a design that draws them.
    #[serde(default)]
    points: u64,
    #[serde(default, rename = "where")]
    constraints: Vec<String>,
    measure: Option<String>,
    /// Left out, as the scenario says.
    replications: Option<u32>,
    seed: Option<u64>,
}

impl Wanted for SweepRequest {}

/// How cases are chosen, by the names of the command.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DesignKind {
    #[default]
    Grid,
    Together,
    LatinHypercube,
    Sobol,
    Saltelli,
}

/// A sweep that was checked, and what its scenario reads.
struct Prepared {
    standing: Standing,
    question: SweepQuestion,
    plan: SweepPlan,
}

impl Prepared {
    fn of(desk: &Desk, request: SweepRequest, watch: &Watch) -> Result<Self, Refusal> {
        if let Some(replications) = request.replications {
            within("replications", replications, (1, REPLICATIONS_MAX))?;
        }
        let factors: Vec<Factor> =
            request.vary.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(of_error)?;
        let listed = factors.iter().flat_map(|factor| match &factor.values {
            Values::Listed(values) => values.iter().map(String::as_str).collect(),
            Values::Between { .. } => Vec::new(),
        });
        let listed: Vec<&str> = listed.collect();
        let standing = Standing::with(desk, &request.path, request.text, &listed)?;
        let (scenario, files) = standing.file();
        let points = request.points;
        let question = SweepQuestion {
            scenario,
            files,
            settings: Vec::new(),
            factors,
            design: match request.design {
                DesignKind::Grid => Design::Grid,
                DesignKind::Together => Design::Table,
                DesignKind::LatinHypercube => Design::LatinHypercube(points),
                DesignKind::Sobol => Design::Sobol(points),
                DesignKind::Saltelli => Design::Saltelli(points),
            },
            constraints: request.constraints,
            seed: request.seed,
            replications: request.replications,
            precision: None,
            measures: request.measure.into_iter().filter(|measure| !measure.trim().is_empty()).collect(),
            folder: PathBuf::new(),
            shard: Shard::ALL,
            threads: None,
            watch: watch.clone(),
        };
        let drawn =
            matches!(question.design, Design::LatinHypercube(_) | Design::Sobol(_) | Design::Saltelli(_));
        if drawn && !(1..=CASES_MAX).contains(&points) {
            return Err(Refusal::new(format!("{points} points are none that are drawn here"))
                .help(Some(format!("ask for 1 to {CASES_MAX}"))));
        }
        let plan = SweepPlan::new(&question).map_err(|error| standing.naming(of_error(error)))?;
        Ok(Self { standing, question, plan })
    }

    /// How many cases there are, and how often each is run.
    fn size(&self) -> Result<Planned, Refusal> {
        let cases = self.plan.cases();
        let replications = self.plan.study().replications.count;
        let numbers = cases.count();
        let too_many = |what: String| {
            let help = "vary fewer keys or values, draw points, or run it with petrio sweep and open its folder here";
            Err(Refusal::new(what).help(Some(help.to_owned())))
        };
        if numbers > CASES_MAX {
            return too_many(format!("that is {numbers} cases, and the studio runs {CASES_MAX} at most"));
        }
        let mut count = 0;
        for case in 0..numbers {
            count += u64::from(cases.values(case).map_err(of_error)?.is_some());
        }
        let runs = count * u64::from(replications);
        if runs > RUNS_MAX {
            return too_many(format!(
                "{count} cases, each run {replications} times, are {runs} runs, and the studio makes {RUNS_MAX} at most"
            ));
        }
        Ok(Planned { cases: count, replications })
    }
}

/// How much a sweep is.
#[derive(Serialize)]
pub(super) struct Planned {
    cases: u64,
    replications: u32,
}

/// `POST /api/answers/sweep/plan`
pub(super) async fn plan(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<SweepRequest>,
) -> Answer<Planned> {
    aside(move || {
        let _room = room;
        Prepared::of(&desk, request, &Watch::default())?.size()
    })
    .await
}

/// `POST /api/answers/sweep`
pub(super) async fn start(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<SweepRequest>,
) -> Answer<Begun> {
    begin(&desk, move |desk, watch, tell| {
        let prepared = Prepared::of(desk, request, watch)?;
        prepared.size()?;
        let folder = TemporaryFolder::new().map_err(Refusal::new)?;
        let Prepared { standing, question, plan } = prepared;
        let swept = plan.sweep(folder.path(), question.shard, question.threads, &|step| {
            let (what, done, of) = match step {
                SweepProgress::Checked { done, of } => ("cases read", done, of),
                SweepProgress::Run { done, of } => ("cases run", done, of),
            };
            tell.far(&Far { what: what.to_owned(), done, of });
        });
        swept.map_err(|error| standing.naming(of_error(error)))?;
        let id = desk.studies.keep(Folder::Own(folder, Box::new(standing)));
        let folder = desk.studies.get(id)?;
        Ok(folder.told(json(&swept_of(desk, id, &folder, None)?).to_string()).into())
    })
}

/// A sweep's results by one of its measures.
#[derive(Serialize)]
struct Swept {
    study: u64,
    page: u64,
    /// The measures by which it can be looked at.
    measures: Vec<String>,
    /// The values that each key takes, in their order; nothing of one that is drawn from a range.
    values: Vec<Option<Vec<String>>>,
    /// What each key does, a sentence each.
    said: Vec<String>,
    /// Each case's figure with its unit, in the order of the findings.
    told: Vec<String>,
    findings: Findings,
}

fn swept_of(desk: &Desk, study: u64, folder: &Folder, measure: Option<&str>) -> Result<Swept, Refusal> {
    let results = results(folder.path()).map_err(of_error)?;
    if results.rows.len() as u64 > RUNS_MAX {
        let help = "look at it with petrio sweep show, which writes a page, too";
        let error = format!("it has {} rows, and the studio shows {RUNS_MAX} at most", results.rows.len());
        return Err(Refusal::new(error).help(Some(help.to_owned())));
    }
    let at = measure.map_or(Ok(0), |asked| place(&results, asked))?;
    let found = findings(&results, at);
    let page = desk.pages.keep(folder.told(sweep_page(&results, &found).html()));
    let values = results.study.factors.iter().map(|factor| match &factor.values {
        Values::Listed(values) => Some(values.clone()),
        Values::Between { .. } => None,
    });
    Ok(Swept {
        study,
        page,
        measures: results.measures.iter().map(ToString::to_string).collect(),
        values: values.collect(),
        said: found.effects.iter().map(|effect| effect_sentence(&found, effect)).collect(),
        told: found.cases.iter().map(|case| found.measure.value(case.mean)).collect(),
        findings: found,
    })
}

fn place(results: &SweepResults, asked: &str) -> Result<usize, Refusal> {
    let name = Measure::parse(asked).map_err(|error| Refusal::of(&error))?.to_string();
    let place = results.measures.iter().position(|measure| measure.to_string() == name);
    place.ok_or_else(|| Refusal::new(format!("these results keep no {asked}")))
}

#[derive(Deserialize)]
pub(super) struct OpenRequest {
    /// One that the page has seen.
    study: Option<u64>,
    /// A folder as petrio sweep --out writes it.
    folder: Option<PathBuf>,
    measure: Option<String>,
}

impl Wanted for OpenRequest {}

/// `POST /api/answers/sweep/open`: results by another measure, or of another folder.
pub(super) async fn open(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<OpenRequest>,
) -> Result<Json<serde_json::Value>, Refusal> {
    aside(move || {
        let _room = room;
        let id = match (request.study, request.folder) {
            (Some(id), _) => id,
            (None, Some(folder)) => {
                own_user_alone(&desk)?;
                // What is no folder of results isn't remembered.
                results(&folder).map_err(of_error)?;
                desk.studies.keep(Folder::Lies(folder))
            }
            (None, None) => return Err(Refusal::new("nothing says which results are to be opened")),
        };
        let folder = desk.studies.get(id)?;
        let swept = swept_of(&desk, id, &folder, request.measure.as_deref())?;
        let told = folder.told(json(&swept).to_string());
        serde_json::from_str(&told).map_err(Refusal::new)
    })
    .await
}

/// Folders of this machine are its own user's business.
fn own_user_alone(desk: &Desk) -> Result<(), Refusal> {
    if !desk.reach.is_bounded() {
        return Ok(());
    }
    let help = "start it without --listen; the page itself can be saved";
    Err(Refusal::new("while others can reach the studio, no folders are opened and none are written")
        .help(Some(help.to_owned())))
}

#[derive(Deserialize)]
pub(super) struct CaseRequest {
    study: u64,
    case: u64,
}

impl Wanted for CaseRequest {}

/// A case's report.
#[derive(Serialize)]
struct CaseFound {
    page: u64,
    case: u64,
    settings: Vec<String>,
    /// The command that makes the same report.
    command: String,
}

/// `POST /api/answers/sweep/case`: the case is run again, by its settings and its seed.
pub(super) async fn case(
    State(desk): State<Arc<Desk>>,
    Admitted(request, _room): Admitted<CaseRequest>,
) -> Answer<Begun> {
    let folder = desk.studies.get(request.study)?;
    begin(&desk, move |desk, watch, tell| {
        let results = results(folder.path()).map_err(of_error)?;
        let found = findings(&results, 0);
        let case = found.case(request.case);
        let case =
            case.ok_or_else(|| Refusal::new(format!("there are no results of a case {}", request.case)))?;
        let study = &results.study;
        let told = settings(&study.factors, &case.values);
        let mut all: Vec<Override> = study
            .settings
            .iter()
            .map(|setting| setting.parse())
            .collect::<Result<_, _>>()
            .map_err(|problem: petrio_scenario::Problem| Refusal::new(problem.message()))?;
        all.extend(
            study.factors.iter().zip(&case.values).map(|(factor, value)| Override::new(&factor.path, value)),
        );
        if !results.cases.varies("seed") {
            all.push(Override::new("seed", &study.seed.to_string()));
        }
        let inputs = Inputs::here();
        inputs.hold(&study.scenario, study.text.as_bytes());
        let loaded =
            load_in(&inputs, &study.scenario, &all, watch).map_err(|problems| Refusal::from(&problems))?;
        tell.counts_calls(true);
        let part = Part { replication: Some(0), ..Part::default() };
        let report = run_part(&loaded, Sinks::default(), part).map_err(|failure| Refusal::of(&failure))?;
        let page = desk.pages.keep(folder.told(report_page(&report).html()));
        let command = found.command(&results, case, 0);
        Ok(folder
            .told(json(&CaseFound { page, case: case.case, settings: told, command }).to_string())
            .into())
    })
}

#[derive(Deserialize)]
pub(super) struct SaveRequest {
    study: u64,
    to: PathBuf,
}

impl Wanted for SaveRequest {}

/// `POST /api/answers/sweep/save`: the folder of results, as petrio sweep --out writes it.
pub(super) async fn save(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<SaveRequest>,
) -> Answer<()> {
    aside(move || {
        let _room = room;
        own_user_alone(&desk)?;
        let folder = desk.studies.get(request.study)?;
        let cannot = |cause| Refusal::new(format!("{} can't be written: {cause}", request.to.display()));
        copied(folder.path(), &request.to).map_err(cannot)
    })
    .await
}

/// Copies the files of a folder into a new one.
fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    // One that is there already isn't written into.
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn of_error(error: SweepError) -> Refusal {
    match error {
        SweepError::Scenario(problems) => Refusal::from(&*problems),
        other => Refusal::of(&other),
    }
}
