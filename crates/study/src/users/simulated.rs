//! Users of a specification at work on a simulated system.

use super::error::UsersError;
use petrio_scenario::Loaded;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::simulate;
use petrio_scenario::workload::{FileLoad, Workload};
use petrio_trace::event::Event;
use petrio_users::{Usage, UsageAnalyser, Users};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// How a simulated run of users went.
#[derive(Clone, Debug, Serialize)]
pub struct SimulatedUsers {
    /// What any run reports.
    pub report: Report,
    /// How the users used their files.
    pub usage: Usage,
}

/// The users of a scenario, with the name of their workload.
///
/// # Errors
/// A scenario that hasn't one workload, and that of users.
pub fn users_of(loaded: &Loaded) -> Result<(&str, &Users), UsersError> {
    let mut all = loaded.scenario.workload.iter();
    match (all.next(), all.next()) {
        (Some((name, Workload::Users(load))), None) => Ok((name, &load.parameters)),
        _ => Err(UsersError::NotOneWorkload),
    }
}

/// A scenario whose one workload, which works on files, is replaced by users in the same place.
///
/// # Errors
/// A scenario with several workloads, or one of block requests.
pub(super) fn with_users(mut loaded: Loaded, users: &Users) -> Result<Loaded, UsersError> {
    let mut all = loaded.scenario.workload.values_mut();
    let (Some(workload), None) = (all.next(), all.next()) else { return Err(UsersError::NotOneFileWorkload) };
    let place = workload.files_place().ok_or(UsersError::NotOneFileWorkload)?;
    let places = match &*workload {
        Workload::Users(load) => load.parameters.places.clone(),
        _ => users.places.clone(),
    };
    let (place, parameters) = (place.clone(), Users { places, ..users.clone() });
    *workload = Workload::Users(FileLoad { place, parameters });
    Ok(loaded)
}

/// Simulates a scenario's users and analyses what they do as they go, as long as the scenario's watch lets it.
///
/// # Errors
/// What is wrong with the scenario or the run; a run that was stopped.
pub fn simulate_users(loaded: &Loaded) -> Result<SimulatedUsers, UsersError> {
    let (report, analyser) = simulate_told(loaded, UsageAnalyser::event)?;
    Ok(SimulatedUsers { report, usage: analyser.finish() })
}

/// Simulates a scenario and tells somebody of each of its events; the report, and who was told.
pub(super) fn simulate_told<S: Default + Send + 'static>(
    loaded: &Loaded,
    tell: fn(&mut S, &Event),
) -> Result<(Report, S), UsersError> {
    let system = System::build(loaded)?;
    let state = Arc::new(Mutex::new(S::default()));
    let mut sinks = Sinks::default();
    let told = Arc::clone(&state);
    petrio_scenario::run::tell_events(&mut sinks, loaded, move |event| {
        tell(&mut told.lock().unwrap_or_else(PoisonError::into_inner), event);
        Ok(())
    })?;
    let report = simulate(loaded, &system, sinks)?;
    let state = std::mem::take(&mut *state.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((report, state))
}
