//! Runs of scenarios, several at a time: from a text with what is set in it to a report, and how many are done.

use petrio_scenario::build::System;
use petrio_scenario::placement::PlacementError;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Override, Problems, load_text};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Mutex;

/// Why a scenario isn't run.
#[derive(Debug, thiserror::Error)]
pub enum NotSimulated {
    /// It makes no sense with what is set in it.
    #[error(transparent)]
    Scenario(#[from] Problems),
    /// Its run fails.
    #[error(transparent)]
    Run(#[from] RunFailure),
    /// Its partitions can't be placed.
    #[error(transparent)]
    Placing(#[from] PlacementError),
}

/// Is told how many of how many are done.
pub(crate) type Progress<'p> = dyn FnMut(usize, usize) + Send + 'p;

/// Does something with each item, as many at a time as there are processors; the results are in the items' order.
///
/// # Errors
/// What fails first.
pub(crate) fn side_by_side<T: Sync, R: Send, E: Send>(
    items: &[T],
    progress: &mut Progress<'_>,
    run: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let count = items.len();
    let told = Mutex::new((0, progress));
    (items.par_iter())
        .map(|item| {
            let result = run(item);
            if let Ok(mut told) = told.lock() {
                told.0 += 1;
                let done = told.0;
                (told.1)(done, count);
            }
            result
        })
        .collect()
}

/// A scenario's value that is set: its path and the value as TOML.
pub(crate) type Set = (&'static str, String);

/// Loads a scenario, sets these values in it, builds it and runs it once.
///
/// # Errors
/// A scenario that makes no sense with what is set, a run that fails.
pub(crate) fn simulated(
    (name, text): (&str, &str),
    folder: Option<&Path>,
    set: &[Set],
    sinks: Sinks,
) -> Result<Report, NotSimulated> {
    let overrides: Vec<Override> = set.iter().map(|(path, value)| Override::new(path, value)).collect();
    let loaded = load_text(name, text, folder, &overrides)?;
    let system = System::build(&loaded)?;
    Ok(simulate(&loaded, &system, sinks)?)
}

/// A text as a scenario writes it.
pub(crate) fn quoted(words: impl std::fmt::Display) -> String {
    format!("\"{words}\"")
}
