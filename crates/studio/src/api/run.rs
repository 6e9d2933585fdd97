//! A specification's users on simulated storage: one run, analysed as it goes, or the many of which the thesis' figures are made.

use super::{Desk, Refusal};
use petrio_scenario::run::Progress;
use petrio_scenario::{Loaded, Override, load_text, load_users_text};
use petrio_study::users::{
    FiguresParameters, FiguresProgress, SimulatedUsers, USUAL_SCENARIO, UsersError, UsersFigures,
    measure_figures, simulate_users, users_of,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is made of the users.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Make {
    /// One run, and how they used their files.
    #[default]
    Usage,
    /// Response time a byte by number of users, for every population, and by access size.
    Figures,
}

/// How far it is.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Far {
    Run { completed: u64, model_s: f64 },
    Figures(FiguresProgress),
}

/// What came of it.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Made {
    Usage(Box<SimulatedUsers>),
    Figures(UsersFigures),
}

#[derive(Deserialize)]
pub(crate) struct RunRequest {
    /// The specification's text.
    text: String,
    /// A scenario with users in it; left out, a disk and ext4.
    scenario: Option<PathBuf>,
    #[serde(default)]
    make: Make,
    /// How many at once; for figures, at most.
    users: u32,
    sessions: u32,
    #[serde(default = "one")]
    seed: u64,
}

const fn one() -> u64 {
    1
}

/// A run that can begin.
pub(crate) struct Prepared {
    loaded: Loaded,
    make: Make,
    users: u32,
    sessions: u32,
    // The specification that the scenario names lies here while it runs.
    _folder: tempfile::TempDir,
}

impl Prepared {
    /// Lays everything ready.
    pub(crate) fn of(desk: &Desk, request: &RunRequest) -> Result<Self, Refusal> {
        load_users_text("specification", &request.text, &[]).map_err(|problems| Refusal::from(&problems))?;
        let folder = tempfile::tempdir().map_err(Refusal::new)?;
        let path = folder.path().join("specification.toml");
        std::fs::write(&path, &request.text).map_err(Refusal::new)?;
        let (name, scenario, beside) = match &request.scenario {
            Some(path) => scenario(desk, path)?,
            None => ("the studio's scenario".to_owned(), USUAL_SCENARIO.to_owned(), folder.path().to_owned()),
        };
        let read = |overrides: &[Override]| load_text(&name, &scenario, Some(&beside), overrides);
        let named = read(&[]).map_err(|problems| Refusal::from(&problems))?;
        let name = users_of(&named).map_err(Refusal::new)?.0.to_owned();
        let quoted = toml_edit::Value::from(path.to_string_lossy().into_owned()).to_string();
        let set = |key: &str, value: &str| Override::new(&format!("workload.{name}.{key}"), value);
        let loaded = read(&[
            Override::new("seed", &request.seed.to_string()),
            set("specification", &quoted),
            set("users", &request.users.to_string()),
            set("sessions", &request.sessions.to_string()),
        ])
        .map_err(|problems| Refusal::from(&problems))?;
        let RunRequest { make, users, sessions, .. } = *request;
        Ok(Self { loaded, make, users, sessions, _folder: folder })
    }

    /// Runs it to its end, or until `cancelled`.
    pub(crate) fn run(
        self,
        cancelled: &Arc<AtomicBool>,
        mut on_progress: impl FnMut(Far) + Send,
    ) -> Result<Made, Refusal> {
        let cancelled = Arc::clone(cancelled);
        let proceed = move || !cancelled.load(Ordering::Relaxed);
        let made = match self.make {
            Make::Usage => {
                let mut tell = |step: Progress| {
                    on_progress(Far::Run { completed: step.completed, model_s: step.now.as_seconds() });
                };
                simulate_users(&self.loaded, proceed, &mut tell).map(|ran| Made::Usage(Box::new(ran)))
            }
            Make::Figures => {
                let parameters =
                    FiguresParameters { directory: None, users: self.users, sessions: self.sessions };
                measure_figures(&self.loaded, &parameters, proceed, |far| on_progress(Far::Figures(far)))
                    .map(Made::Figures)
            }
        };
        made.map_err(|error: UsersError| Refusal::new(&error).help(error.help()))
    }
}

/// A scenario's name, text and folder. It is read once, so that what has been looked at is what is run.
fn scenario(desk: &Desk, path: &Path) -> Result<(String, String, PathBuf), Refusal> {
    let file = desk.file(path)?;
    let text = desk.text(path)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    desk.reach.scenario(&text, folder)?;
    Ok((path.display().to_string(), text, folder.to_owned()))
}
