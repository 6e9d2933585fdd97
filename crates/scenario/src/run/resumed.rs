//! Runs that go on from a state: of the System that it is of, or of one that differs in speeds alone.

use crate::build::System;
use crate::claim::Claim;
use crate::classes::Classes;
use crate::levers::levers;
use crate::loaded::Loaded;
use crate::report::Sentence;
use crate::run::RunFailure;
use crate::run::aside::likeness;
use crate::state::{SavedRun, StateError};
use petrio_kernel::Time;
use petrio_models::Lever;

/// The System of a scenario, where a state fits it and a run that ends then.
pub(super) fn fitting(loaded: &Loaded, from: &SavedRun, end: Option<Time>) -> Result<System, RunFailure> {
    let differences = from.differences(loaded);
    if !differences.is_empty() {
        let speeds = speeds(loaded);
        let is_speed = |(key, _): &&(String, String)| speeds.iter().any(|speed| is_at(key, speed));
        let other: Vec<_> = differences.iter().filter(|difference| !is_speed(difference)).collect();
        if !other.is_empty() {
            return Err(StateError::other_scenario(other).into());
        }
    }
    if let Some(end) = end.filter(|end| *end <= from.at()) {
        return Err(StateError::Over { at: from.at(), end }.into());
    }
    from.found_the_same(loaded)?;
    let mut system = System::build(loaded)?;
    if !differences.is_empty() {
        // A speed that the state itself holds would be what it was.
        if likeness(&system, from.seed())? != from.likeness() {
            return Err(StateError::other_scenario(&differences).into());
        }
        system.warnings.push(goes_on_otherwise(&differences, from.at()));
    }
    Ok(system)
}

/// The parameters of a scenario that say how fast something is, by their paths.
fn speeds(loaded: &Loaded) -> Vec<String> {
    let levers = levers(loaded, &Classes::of(loaded));
    let speeds = levers.into_iter().map(|placed| placed.lever).filter(Lever::is_speed);
    speeds.flat_map(|lever| lever.settings).map(|(path, _)| path).collect()
}

/// Whether a key is what a path sets, of one part or of each of several equal ones.
fn is_at(key: &str, path: &str) -> bool {
    let (key, path): (Vec<&str>, Vec<&str>) = (key.split('.').collect(), path.split('.').collect());
    key.len() == path.len() && key.first() == path.first() && key.get(2..) == path.get(2..)
}

fn goes_on_otherwise(differences: &[(String, String)], at: Time) -> Sentence {
    let what: Vec<&str> = differences.iter().map(|(_, what)| what.as_str()).collect();
    Claim::OtherSpeeds.says(format!(
        "until {at} it ran with other speeds ({}): what waited and was cached then is as it was with these",
        what.join("; ")
    ))
}
