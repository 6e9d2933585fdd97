//! Lock step: processes that begin together and think equally long each time stay together, so that each waits for all the
//! others however little there is to do.
//!
//! Whether that explains a latency no figure tells: so the same workloads run once more with times that are drawn around the
//! same means, and are warned of where that alone makes waits a good deal shorter. It is one run more, of those alone that have
//! several processes with constant times, and none where the run is long already.

use crate::claim::Claim;
use crate::loaded::Loaded;
use crate::report::Report;
use crate::run::RunFailure;
use crate::run::burst::{FIRINGS_MAX, last_of, run_once};
use petrio_page::numbers::time;
use petrio_workload::PausesDrawn;

/// How many times longer waits have to be for a word, and how many times shorter.
const LONGER: f64 = 1.5;
const SHORTER: f64 = 1.3;

/// Warns of lock step, where it explains the latency.
///
/// # Errors
/// A run that was stopped; a run with drawn times that can't be is none.
pub fn look_at_lock_step(loaded: &Loaded, report: &mut Report) -> Result<(), RunFailure> {
    if report.firings as f64 > FIRINGS_MAX {
        return Ok(());
    }
    let Some((drawn, names)) = drawn(loaded) else { return Ok(()) };
    let apart = match run_once(&drawn) {
        Ok(apart) => apart,
        Err(failure) if failure.is_stopped() => return Err(failure),
        Err(_) => return Ok(()),
    };
    // Of the second half: who begins together and is soon out of step waits at the beginning alone.
    let mean_ms = |report: &Report| {
        let means = report.each().filter_map(|served| Some(last_of(served, 2)?.1));
        means.reduce(f64::max)
    };
    let (Some(own), Some(apart)) = (mean_ms(report), mean_ms(&apart)) else { return Ok(()) };
    let words = if own >= LONGER * apart {
        "so that they stay in step and wait for each other"
    } else if own * SHORTER <= apart {
        "so that they keep out of each other's way, as people and programs don't"
    } else {
        return Ok(());
    };
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    report.warnings.push(Claim::LockStep.says(format!(
        "processes of {} begin together and pause equally long each time, {words}: with \
         pauses drawn around the same means the mean latency of the second half is {}, not {} (inter_arrival or think_time = {{ exponential = {{ mean = \
         \"…\" }} }}, and starts_within; in a script `think about`)",
        names.join(" and "),
        time(apart),
        time(own)
    )));
    Ok(())
}

/// The same with times drawn that are constant for several processes, and the names of the workloads concerned.
fn drawn(loaded: &Loaded) -> Option<(Loaded, Vec<String>)> {
    let mut drawn = loaded.clone();
    let mut names = Vec::new();
    for (name, workload) in &mut drawn.scenario.workload {
        // What generates is ready already.
        let ready = drawn.generators.get_mut(name);
        let changed = workload.load_mut().draw_pauses() && ready.is_none_or(PausesDrawn::draw_pauses);
        names.extend(changed.then(|| name.clone()));
    }
    (!names.is_empty()).then_some((drawn, names))
}
