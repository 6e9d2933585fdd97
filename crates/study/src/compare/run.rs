//! Runs replications of everybody who takes part, with the same numbers: simulated ones side by side, real ones in
//! turn.

use super::entrant::{Entrant, Origin};
use super::error::CompareError;
use super::real::run_once;
use petrio_scenario::Loaded;
use petrio_scenario::run::{Replicator, look_further};
use petrio_scenario::state::SavedRun;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Replications after which it shows whether there is anything random.
pub(super) const FIRST: u64 = 2;

/// How far the runs have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompareProgress {
    /// Replications done, of all who take part.
    pub done: u64,
    /// Of how many, as far as that is known by now.
    pub of: u64,
}

/// Tells how far the runs have come; from several threads.
pub type OnStep<'a> = dyn Fn(CompareProgress) + Sync + 'a;

/// Makes what can run the replications of each; nothing for those that aren't simulated.
pub(super) fn replicators<'l>(
    entrants: &[Entrant],
    scenarios: &'l [Option<Loaded>],
    from: Option<&'l SavedRun>,
) -> Result<Vec<Option<Replicator<'l>>>, CompareError> {
    entrants
        .par_iter()
        .zip(scenarios)
        .map(|(entrant, scenario)| match (entrant.origin, scenario) {
            (Origin::Simulated, Some(loaded)) => {
                let replicator = match from {
                    Some(from) => Replicator::going_on(loaded, from),
                    None => Replicator::new(loaded),
                };
                replicator.map(Some).map_err(|failure| entrant.failed(failure))
            }
            _ => Ok(None),
        })
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}

/// Runs the simulated ones until each has `until` replications. Who is found to have nothing random is run no more.
pub(super) fn simulate(
    entrants: &mut [Entrant],
    replicators: &[Option<Replicator<'_>>],
    until: u64,
    on_step: &OnStep<'_>,
) -> Result<(), CompareError> {
    let jobs: Vec<(usize, &Replicator<'_>, u64)> = entrants
        .iter()
        .zip(replicators)
        .enumerate()
        .filter(|(_, (entrant, _))| !entrant.deterministic)
        .filter_map(|(index, (entrant, replicator))| {
            Some((index, replicator.as_ref()?, entrant.replications()))
        })
        .flat_map(|(index, replicator, from)| (from..until).map(move |number| (index, replicator, number)))
        .collect();
    let (done, of) = (AtomicU64::new(0), jobs.len() as u64);
    // Whatever the order in which they end, they are kept, and a failure is told, in the order of this list.
    let outcomes: Vec<_> = jobs
        .par_iter()
        .map(|(_, replicator, number)| {
            let outcome = replicator.run(*number);
            on_step(CompareProgress { done: done.fetch_add(1, Ordering::Relaxed) + 1, of });
            outcome
        })
        .collect();
    for ((index, _, _), outcome) in jobs.iter().zip(outcomes) {
        let entrant = &mut entrants[*index];
        let report = outcome.map_err(|failure| entrant.failed(failure))?;
        entrant.reports.push(report);
    }
    for entrant in entrants.iter_mut().filter(|entrant| entrant.origin == Origin::Simulated) {
        // With the histogram and the series in them, two reports of different draws are never the same.
        entrant.deterministic |=
            entrant.reports.len() as u64 == FIRST && entrant.reports[0] == entrant.reports[1];
    }
    Ok(())
}

/// What only longer or other runs tell of the simulated ones, such as that they end before a cache is full.
pub(super) fn look_behind(
    entrants: &mut [Entrant],
    scenarios: &[Option<Loaded>],
) -> Result<(), CompareError> {
    let simulated = entrants.par_iter_mut().zip(scenarios);
    let simulated = simulated.filter(|(entrant, _)| entrant.origin == Origin::Simulated);
    simulated
        .filter_map(|(entrant, loaded)| {
            let (loaded, mut report) = (loaded.as_ref()?, entrant.reports.first()?.clone());
            let known = report.warnings.len();
            let looked = look_further(loaded, &mut report).map_err(|failure| entrant.failed(failure));
            entrant.warnings.extend(report.warnings.drain(known..).map(|warning| warning.text));
            Some(looked)
        })
        .collect()
}

/// Runs the real ones until each has `until` repetitions: in turn, so that whatever else the machine does in the
/// meantime meets all of them.
pub(super) fn repeat(
    entrants: &mut [Entrant],
    scenarios: &[Option<Loaded>],
    until: u64,
    on_step: &OnStep<'_>,
) -> Result<(), CompareError> {
    let begun = |entrant: &Entrant| entrant.origin == Origin::Real && entrant.replications() < until;
    let of =
        entrants.iter().filter(|entrant| begun(entrant)).map(|entrant| until - entrant.replications()).sum();
    let mut done = 0;
    for number in 0..until {
        for (entrant, scenario) in entrants.iter_mut().zip(scenarios) {
            let Some(loaded) = scenario.as_ref().filter(|_| begun(entrant)) else { continue };
            let Some(directory) = entrant.directory.clone() else { continue };
            if entrant.replications() == number {
                let report = run_once(entrant, loaded, &directory, number)?;
                entrant.reports.push(report);
                done += 1;
                on_step(CompareProgress { done, of });
            }
        }
    }
    Ok(())
}
