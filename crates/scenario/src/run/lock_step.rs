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
use crate::run::burst::{FIRINGS_MAX, run_once};
use crate::schema::Workload;
use petrio_distribution::{Draw, DrawFamily};
use petrio_kernel::Time;
use petrio_page::numbers::time;
use petrio_units::{Amount, Duration};
use petrio_workload::program::{PatternParameters, ScriptParameters};
use petrio_workload::synthetic::Synthetic;

/// How many times longer waits have to be for a word.
const LONGER: f64 = 1.5;

/// Warns of lock step, where it explains the latency.
///
/// # Errors
/// [`RunFailure::Stopped`]; a run with drawn times that can't be is none.
pub fn look_at_lock_step(loaded: &Loaded, report: &mut Report) -> Result<(), RunFailure> {
    if report.firings as f64 > FIRINGS_MAX {
        return Ok(());
    }
    let Some((drawn, names)) = drawn(loaded) else { return Ok(()) };
    let apart = match run_once(&drawn) {
        Ok(apart) => apart,
        Err(RunFailure::Stopped) => return Err(RunFailure::Stopped),
        Err(_) => return Ok(()),
    };
    let mean_ms = |report: &Report| {
        let means = report.each().filter_map(|served| Some(served.latency.as_ref()?.mean_ms.value));
        means.reduce(f64::max)
    };
    let (Some(own), Some(apart)) = (mean_ms(report), mean_ms(&apart)) else { return Ok(()) };
    if own < LONGER * apart {
        return Ok(());
    }
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    report.warnings.push(Claim::LockStep.says(format!(
        "processes of {} begin together and pause equally long each time, so that they stay in step and wait for each other: with \
         pauses drawn around the same means the mean latency is {}, not {} (inter_arrival or think_time = {{ exponential = {{ mean = \
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
        let changed = match workload {
            Workload::Files(load) => draw_pattern(&mut load.parameters),
            Workload::Script(load) => draw_script(&mut load.parameters),
            Workload::Synthetic(load) => {
                let changed = draw_generators(&mut load.parameters);
                // What generates is ready already.
                changed && drawn.generators.get_mut(name).is_some_and(draw_generators)
            }
            _ => false,
        };
        names.extend(changed.then(|| name.clone()));
    }
    (!names.is_empty()).then_some((drawn, names))
}

/// A constant time above nothing as one that is drawn around it.
fn exponential(constant: &mut Draw<Duration>) -> Option<Duration> {
    let Draw(DrawFamily::Constant(mean)) = *constant else { return None };
    if mean.finest() <= 0.0 {
        return None;
    }
    *constant = Draw(DrawFamily::Exponential { base: Amount::ZERO, mean });
    Some(Duration::new(Time::from_picos(mean.finest() as u64)))
}

fn draw_pattern(pattern: &mut PatternParameters) -> bool {
    if pattern.processes < 2 {
        return false;
    }
    let Some(mean) = exponential(&mut pattern.think_time) else { return false };
    if pattern.starts_within == Duration::ZERO {
        pattern.starts_within = mean;
    }
    true
}

fn draw_generators(synthetic: &mut Synthetic) -> bool {
    if synthetic.generators.len() < 2 {
        return false;
    }
    let mut changed = false;
    for generator in &mut synthetic.generators {
        changed |= exponential(&mut generator.inter_arrival).is_some();
        for own in [&mut generator.sequential_inter_arrival, &mut generator.local_inter_arrival] {
            changed |= own.as_mut().and_then(exponential).is_some();
        }
    }
    changed
}

fn draw_script(script: &mut ScriptParameters) -> bool {
    if script.processes < 2 {
        return false;
    }
    let words = script.script.split_inclusive(char::is_whitespace);
    let mut changed = String::with_capacity(script.script.len());
    let mut thinks = false;
    for word in words {
        if thinks && word.trim() != "about" {
            changed.push_str("about ");
        }
        thinks = word.trim() == "think" || thinks && word.trim().is_empty();
        changed.push_str(word);
    }
    let is_other = changed != script.script;
    script.script = changed;
    is_other
}
