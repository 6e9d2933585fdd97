//! A specification's users on simulated storage: one run, analysed as it goes, or the many of which the thesis' figures
//! are made.

use super::Desk;
use crate::body::Wanted;
use crate::reach::Opened;
use crate::refusal::Refusal;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Watch;
use petrio_page::Figure;
use petrio_scenario::{Loaded, Override, load_from, load_users_text};
use petrio_study::users::{
    FiguresParameters, FiguresProgress, SimulatedUsers, USUAL_SCENARIO, UsersError, UsersFigures,
    measure_figures, response_figures, session_histograms, simulate_users, users_of,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is made of the users.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ResultKind {
    /// One run, and how they used their files.
    #[default]
    Usage,
    /// Response time a byte by number of users, for every population, and by access size.
    Figures,
}

/// How far it is.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum RunProgress {
    Run { completed: u64, model_s: f64 },
    Figures(FiguresProgress),
}

/// What came of it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum RunResult {
    Usage(Box<Drawn<SimulatedUsers>>),
    Figures(Box<Drawn<UsersFigures>>),
}

/// What was made, with the figures that show it, the same as on a page.
#[derive(Serialize)]
pub(crate) struct Drawn<T> {
    #[serde(flatten)]
    made: T,
    figures: Vec<Figure>,
}

#[derive(Deserialize)]
pub(crate) struct RunRequest {
    /// The specification's text.
    text: String,
    /// A scenario with users in it; left out, a disk and ext4.
    scenario: Option<PathBuf>,
    #[serde(default)]
    make: ResultKind,
    /// How many at once; for figures, at most.
    users: u32,
    sessions: u32,
    #[serde(default = "one")]
    seed: u64,
}

impl Wanted for RunRequest {}

/// What a session takes while it is counted, told and drawn: its figures here, and as text.
const BYTES_OF_SESSION: u64 = 256;

/// The name that the usual scenario has for the specification.
const USUAL_SPECIFICATION: &str = "specification.toml";
/// The name by which the scenario finds the specification, which is in memory.
const SPECIFICATION: &str = "the specification in the studio.toml";

const fn one() -> u64 {
    1
}

/// A run that can begin.
pub(crate) struct Prepared {
    loaded: Loaded,
    make: ResultKind,
    users: u32,
    sessions: u32,
    /// Where its scenario's files are looked for, and by which name they are known.
    hidden: (PathBuf, PathBuf),
    // Where others reach the studio, a mirror of the scenario's files lies here while it runs.
    _folder: Option<TemporaryFolder>,
    _files: Vec<Opened>,
}

/// A scenario as it was read: once, so that what has been looked at is what is run.
struct Scenario {
    name: String,
    text: String,
    folder: PathBuf,
    shown: PathBuf,
    files: Vec<Opened>,
}

impl Prepared {
    /// Lays everything ready, as long as it is wanted.
    pub(crate) fn of(desk: &Desk, request: &RunRequest, watch: &Watch) -> Result<Self, Refusal> {
        load_users_text("specification", &request.text, &[]).map_err(|problems| Refusal::from(&problems))?;
        let &RunRequest { make, users, sessions, .. } = request;
        if let ResultKind::Usage = make {
            let all = u64::from(users) * u64::from(sessions);
            petrio_bounds::check(all.saturating_mul(BYTES_OF_SESSION)).map_err(|cause| {
                Refusal::new(format!("the figures of {all} sessions are too many: {cause}"))
                    .help(Some("run fewer sessions, or fewer users".to_owned()))
            })?;
        }
        let room = request.scenario.as_ref().map(|_| TemporaryFolder::new()).transpose();
        let room = room.map_err(Refusal::new)?;
        let scenario = match (&request.scenario, &room) {
            (Some(path), Some(room)) => scenario(desk, path, room.path())?,
            _ => Scenario {
                name: "the studio's scenario".to_owned(),
                text: USUAL_SCENARIO.to_owned(),
                folder: PathBuf::new(),
                shown: PathBuf::new(),
                files: Vec::new(),
            },
        };
        let inputs = Inputs::in_folder(&scenario.folder);
        inputs.hold(Path::new(SPECIFICATION), request.text.as_bytes());
        if request.scenario.is_none() {
            inputs.hold(Path::new(USUAL_SPECIFICATION), request.text.as_bytes());
        }
        let hidden = (scenario.folder.clone(), scenario.shown.clone());
        let refuse = |refusal: Refusal| refusal.naming(&hidden.0, &hidden.1);
        let read = |overrides: &[Override]| {
            load_from(&scenario.name, &scenario.text, &inputs, overrides, watch)
                .map_err(|problems| refuse(Refusal::from(&problems)))
        };
        let named = read(&[])?;
        let name = users_of(&named).map_err(Refusal::new)?.0.to_owned();
        let quoted = toml_edit::Value::from(SPECIFICATION).to_string();
        let set = |key: &str, value: &str| Override::new(&format!("workload.{name}.{key}"), value);
        // Of what figures are made of, each run is prepared by itself.
        let at_once = if let ResultKind::Usage = make { sessions } else { 1 };
        let loaded = read(&[
            Override::new("seed", &request.seed.to_string()),
            set("specification", &quoted),
            set("users", &users.to_string()),
            set("sessions", &at_once.to_string()),
        ])?;
        Ok(Self { loaded, make, users, sessions, hidden, _folder: room, _files: scenario.files })
    }

    /// Whether its calls tell how far it is, rather than its runs.
    pub(crate) const fn counts_calls(&self) -> bool {
        matches!(self.make, ResultKind::Usage)
    }

    /// Runs it to its end, or until it is stopped.
    pub(crate) fn run(self, mut on_progress: impl FnMut(RunProgress)) -> Result<RunResult, Refusal> {
        let made = match self.make {
            ResultKind::Usage => simulate_users(&self.loaded).map(|ran| {
                let figures = session_histograms(&ran.usage);
                RunResult::Usage(Box::new(Drawn { made: ran, figures }))
            }),
            ResultKind::Figures => {
                let parameters =
                    FiguresParameters { directory: None, users: self.users, sessions: self.sessions };
                let made =
                    measure_figures(&self.loaded, &parameters, |far| on_progress(RunProgress::Figures(far)));
                made.map(|made| {
                    let figures = response_figures(&made);
                    RunResult::Figures(Box::new(Drawn { made, figures }))
                })
            }
        };
        made.map_err(|error: UsersError| Refusal::of(&error).naming(&self.hidden.0, &self.hidden.1))
    }
}

/// A scenario with its files, which lie in a mirror in `room` where others reach the studio.
fn scenario(desk: &Desk, path: &Path, room: &Path) -> Result<Scenario, Refusal> {
    let text = desk.text(path)?;
    let (folder, files) = desk.reach.folder_of(path, &text, room)?;
    let shown = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok(Scenario { name: path.display().to_string(), text, folder, shown, files })
}
