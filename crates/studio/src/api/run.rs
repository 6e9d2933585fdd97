//! One run of a specification's users on simulated storage, analysed as it goes.

use super::Refusal;
use petrio_colours::FileOp;
use petrio_kernel::Time;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, ReportError, RequestSink, Sinks};
use petrio_scenario::run::{Progress, simulate};
use petrio_scenario::schema::Workload;
use petrio_scenario::{Loaded, Override, load, load_text, load_users_text};
use petrio_workload::program::{CarriedOut, OperationEvents, Placement};
use petrio_workload::users::{Usage, UsageAnalyser};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is run where no scenario is named: one disk, one file system.
const SCENARIO: &str = include_str!("../scenario.toml");

#[derive(Deserialize)]
pub(crate) struct RunRequest {
    /// The specification's text.
    text: String,
    /// A scenario with users in it; left out, a disk and ext4.
    scenario: Option<PathBuf>,
    users: u32,
    sessions: u32,
    #[serde(default = "one")]
    seed: u64,
}

const fn one() -> u64 {
    1
}

/// How a run went.
#[derive(Serialize)]
pub(crate) struct Ran {
    pub(crate) report: Report,
    pub(crate) usage: Usage,
}

/// A run that can begin.
pub(crate) struct Prepared {
    loaded: Loaded,
    events: OperationEvents,
    // The specification that the scenario names lies here while it runs.
    _folder: tempfile::TempDir,
}

/// The workload of users in a scenario.
fn users(loaded: &Loaded) -> Result<&str, Refusal> {
    let mut of_users =
        loaded.scenario.workload.iter().filter(|(_, workload)| matches!(workload, Workload::Users(_)));
    match (of_users.next(), of_users.next(), loaded.scenario.workload.len()) {
        (Some((name, _)), None, 1) => Ok(name),
        _ => Err(Refusal::new("the scenario needs exactly one workload, of kind = \"users\"")),
    }
}

impl Prepared {
    /// Lays everything ready.
    pub(crate) fn of(request: &RunRequest) -> Result<Self, Refusal> {
        let specification = load_users_text("specification", &request.text, &[])
            .map_err(|problems| Refusal::from(&problems))?;
        let folder = tempfile::tempdir().map_err(Refusal::new)?;
        let path = folder.path().join("specification.toml");
        std::fs::write(&path, &request.text).map_err(Refusal::new)?;
        let read = |overrides: &[Override]| match &request.scenario {
            Some(path) => load(path, overrides),
            None => load_text("the studio's scenario", SCENARIO, Some(folder.path()), overrides),
        };
        let named = read(&[]).map_err(|problems| Refusal::from(&problems))?;
        let name = users(&named)?.to_owned();
        let quoted = toml_edit::Value::from(path.to_string_lossy().into_owned()).to_string();
        let set = |key: &str, value: &str| Override::new(&format!("workload.{name}.{key}"), value);
        let loaded = read(&[
            Override::new("seed", &request.seed.to_string()),
            set("specification", &quoted),
            set("users", &request.users.to_string()),
            set("sessions", &request.sessions.to_string()),
        ])
        .map_err(|problems| Refusal::from(&problems))?;
        let Some(Workload::Users(load)) = loaded.scenario.workload.get(&name) else {
            return Err(Refusal::new("the scenario has lost its users"));
        };
        // The same programs as the run's own, for the names and sizes of their files.
        let placement = Placement { seed: loaded.scenario.seed, ..Placement::new(&name) };
        let top = placement.directory_name();
        let programs =
            specification.prepare(&load.parameters, &placement, Some(&top)).map_err(Refusal::new)?;
        Ok(Self { events: OperationEvents::of(&programs.files, 1), loaded, _folder: folder })
    }

    /// Runs it to its end, or until `cancelled`.
    pub(crate) fn run(
        self,
        cancelled: &Arc<AtomicBool>,
        mut on_progress: impl FnMut(Progress) + Send,
    ) -> Result<Ran, Refusal> {
        let system = System::build(&self.loaded).map_err(Refusal::new)?;
        let analyser = Arc::new(Mutex::new(UsageAnalyser::default()));
        let mut sinks = Sinks::default();
        let listener = Listener {
            events: self.events,
            analyser: Arc::clone(&analyser),
            cancelled: Arc::clone(cancelled),
        };
        sinks.push(listener);
        let report = simulate(&self.loaded, &system, sinks, &mut |step| on_progress(step))
            .map_err(|failure| Refusal::new(&failure).help(failure.help()))?;
        let analyser = std::mem::take(&mut *analyser.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Ran { report, usage: analyser.finish() })
    }
}

/// Hears of every completed operation.
struct Listener {
    events: OperationEvents,
    analyser: Arc<Mutex<UsageAnalyser>>,
    cancelled: Arc<AtomicBool>,
}

impl RequestSink<FileOp> for Listener {
    fn completed(&mut self, op: &FileOp, at: Time) -> Result<(), ReportError> {
        if self.cancelled.load(Ordering::Relaxed) {
            // The one way in which a listener can end a run.
            return Err(ReportError::Write {
                path: PathBuf::from("the run"),
                cause: io::ErrorKind::Interrupted.into(),
            });
        }
        let done = CarriedOut {
            process: op.process,
            operation: op.operation,
            file: op.file,
            offset: op.offset,
            length: op.length,
            start: op.issued,
            took: at.saturating_sub(op.issued),
        };
        if let Some(event) = self.events.event(&done) {
            self.analyser.lock().unwrap_or_else(PoisonError::into_inner).event(&event);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}
