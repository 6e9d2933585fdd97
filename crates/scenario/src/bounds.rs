//! What would need more memory than this machine has, more than the scenario's own host has, or would never end:
//! refused before anything of it is begun, at the key that asks for it.
//!
//! Estimates are lower bounds (see `petrio_bounds`).

use crate::loaded::Loaded;
use crate::report::Report;
use crate::text::Problem;

/// Everything about a scenario that can't be had.
pub(crate) fn check(loaded: &Loaded) -> Vec<Problem> {
    let mut problems: Vec<Problem> = loaded
        .hosts
        .families()
        .flat_map(|family| family.impossible(&loaded.places, &loaded.sources))
        .collect();
    problems.extend(replications(loaded));
    problems
}

fn replications(loaded: &Loaded) -> Option<Problem> {
    let count = loaded.scenario.measure.replications;
    let error = petrio_bounds::check(u64::from(count).saturating_mul(size_of::<Report>() as u64)).err()?;
    let message = format!("the results of {count} replications are more than can be held: {error}");
    let help = "write fewer: the interval of the mean narrows with the root of their number";
    Some(loaded.error_at("measure.replications", message).help(help))
}
