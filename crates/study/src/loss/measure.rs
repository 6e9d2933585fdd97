//! How long places are filled: the scenario's run with members that fail at its beginning.

use super::error::LossError;
use super::{LossQuestion, OnLossStep, read};
use petrio_scenario::loss::{
    Alone, Fills, Pace, Survey, SurveyedArray, bare, fillings_alone, fillings_under_load,
};
use petrio_scenario::run::Replicator;
use petrio_scenario::{Loaded, Override};
use rayon::prelude::*;
use serde::Serialize;

/// How long a place of an array is filled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Filled {
    /// The array, or all equal ones.
    pub array: String,
    /// How many members are missing.
    pub missing: usize,
    /// Under the scenario's load, seconds; the mean of the runs.
    pub loaded_s: f64,
    /// The shortest and the longest of them.
    pub between_s: (f64, f64),
    /// Of the array that nobody asks for anything, seconds; nothing where that isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alone_s: Option<f64>,
    /// How much of it was seen under load, from 0 to 1; the rest was extrapolated.
    pub seen: f64,
    /// Runs.
    pub runs: usize,
}

/// Measures it, of each array that is repaired, with as many members missing as it outlives.
pub(super) fn measured(
    question: &LossQuestion,
    more: &[Override],
    (loaded, survey): (&Loaded, &Survey),
    tell: &mut OnLossStep<'_>,
) -> Result<(Fills, Vec<Filled>), LossError> {
    let (mut fills, mut all) = (Fills::default(), Vec::new());
    for (number, array) in survey.arrays.iter().enumerate().filter(|(_, array)| array.is_repaired) {
        let (mut times, mut one) = (Vec::new(), None);
        for members in 1..=array.outlives() {
            tell(&format!("{} fills {members} of its places under the load", array.class));
            let paces = paces(question, more, (loaded, array), (members, &mut one))?;
            let seconds: Vec<f64> = paces.iter().map(|pace| pace.loaded).collect();
            let mean = |of: &dyn Fn(&Pace) -> f64| paces.iter().map(of).sum::<f64>() / paces.len() as f64;
            all.push(Filled {
                array: array.class.clone(),
                missing: members,
                loaded_s: mean(&|pace| pace.loaded),
                between_s: (
                    seconds.iter().copied().fold(f64::INFINITY, f64::min),
                    seconds.iter().copied().fold(0.0, f64::max),
                ),
                alone_s: paces.first().and_then(|pace| pace.alone),
                seen: mean(&|pace| pace.seen),
                runs: paces.len(),
            });
            times.push(seconds);
        }
        fills.insert(number, times);
    }
    Ok((fills, all))
}

fn paces(
    question: &LossQuestion,
    more: &[Override],
    (loaded, array): (&Loaded, &SurveyedArray),
    (members, one): (usize, &mut Option<Alone>),
) -> Result<Vec<Pace>, LossError> {
    let failed = |failure| match question.watch.is_stopped() {
        true => LossError::Stopped,
        false => LossError::Run { array: array.class.clone(), members, failure: Box::new(failure) },
    };
    let settings: Vec<Override> = more.iter().cloned().chain(array.failing(members, loaded)).collect();
    let failing = read(question, &settings)?;
    let replicator = Replicator::new(&failing).map_err(failed)?;
    let under: Vec<_> = (0..question.replications)
        .into_par_iter()
        .map(|replication| fillings_under_load(&replicator, array, replication.into()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let alone = match bare(array, loaded, members) {
        Some(Ok(bare)) => fillings_alone(&bare, one.as_ref(), &question.watch).map_err(failed)?,
        // What can't be made alone is extrapolated from what was seen.
        Some(Err(_)) | None => Alone::default(),
    };
    one.get_or_insert_with(|| alone.clone());
    under
        .into_iter()
        .map(|filling| match filling {
            Some(filling) => Ok(Pace::of(filling, &alone, array, loaded)),
            None => Err(LossError::TooShort { array: array.class.clone() }),
        })
        .collect()
}
