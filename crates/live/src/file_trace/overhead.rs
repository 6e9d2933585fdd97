//! What the tracing itself costs: a command run without and with it in turn.
//!
//! Two costs are told apart: how much longer the command takes, and how much more processor time is used for each call, by the
//! command (whose kernel records the events) and by the collector (which reads and joins them). Runs alternate, so that a
//! machine that gets slower or faster meanwhile doesn't look like an overhead.
//!
//! Source: Linux `Documentation/filesystems/proc.rst`, fields 16 and 17 of `/proc/self/stat` (processor time of children that
//! were waited for; a clock tick of precision, so commands should take seconds).

use super::collect::{CaptureParameters, CaptureSummary, Subject, capture, is_ending};
use super::error::FileTraceError;
use std::process::Command;
use std::time::{Duration, Instant};

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    elapsed: Duration,
    /// Processor time of the command and its children.
    used: Duration,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Overhead {
    /// Run time with tracing over run time without it, a pair of runs each.
    pub run_time_ratios: Vec<f64>,
    /// Processor time that tracing added to the command for each traced call, in nanoseconds, a pair of runs each.
    pub command_ns_a_call: Vec<f64>,
    /// Processor time of the collector for each traced call, in nanoseconds, a run each.
    pub collector_ns_a_call: Vec<f64>,
    /// The last traced run.
    pub last: CaptureSummary,
}

/// A middle value and the least and greatest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// Of some values; none of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, greatest) = (*sorted.first()?, *sorted.last()?);
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Some(Self { median: (low + high) / 2.0, least, greatest })
    }
}

/// Runs the command `repetitions` times without and with tracing, after one run that counts for nothing: it fills the caches.
///
/// # Errors
/// As [`capture`]; and where what is captured isn't a command.
pub fn measure_overhead(
    parameters: &CaptureParameters,
    repetitions: u32,
    mut tell: impl FnMut(u32),
) -> Result<Overhead, FileTraceError> {
    let Subject::Command(words) = &parameters.subject else {
        let message = "the overhead is measured with a command, which is run several times".to_owned();
        return Err(FileTraceError::Setting { message });
    };
    let plain = || {
        timed(|| {
            let Some((program, arguments)) = words.split_first() else { return Ok(()) };
            let status = Command::new(program).args(arguments).status();
            let name = program.to_string_lossy().into_owned();
            status.map(drop).map_err(|source| FileTraceError::Command { program: name, source })
        })
    };
    plain()?;
    let (mut ratios, mut of_command, mut of_collector) = (Vec::new(), Vec::new(), Vec::new());
    let mut last = None;
    for repetition in 0..repetitions.max(1) {
        tell(repetition);
        let without = plain()?;
        let mut summary = None;
        let with = timed(|| capture(parameters).map(|captured| summary = Some(captured)))?;
        let Some(captured) = summary else { continue };
        let calls = captured.counts.calls.max(1) as f64;
        // The capture's own beginning and end (buffers, names) are no part of the command's run.
        ratios.push(captured.run_time.as_secs_f64() / without.elapsed.as_secs_f64());
        of_command.push((with.used.as_secs_f64() - without.used.as_secs_f64()) * 1e9 / calls);
        of_collector.push(captured.processor_time.as_secs_f64() * 1e9 / calls);
        last = Some(captured);
        if is_ending() {
            break;
        }
    }
    let Some(last) = last else {
        return Err(FileTraceError::Setting { message: "nothing was measured".to_owned() });
    };
    Ok(Overhead {
        run_time_ratios: ratios,
        command_ns_a_call: of_command,
        collector_ns_a_call: of_collector,
        last,
    })
}

fn timed(run: impl FnOnce() -> Result<(), FileTraceError>) -> Result<Run, FileTraceError> {
    let (began, used) = (Instant::now(), children_used());
    run()?;
    Ok(Run { elapsed: began.elapsed(), used: children_used().saturating_sub(used) })
}

/// Processor time of all children that were waited for.
fn children_used() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = parse_children_ticks(&text).unwrap_or(0);
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second().max(1) as f64)
}

fn parse_children_ticks(stat: &str) -> Option<u64> {
    // The name, in parentheses, may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_childrens_ticks_are_fields_16_and_17() {
        let stat = "12 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 1300 1400 15";
        assert_eq!(parse_children_ticks(stat), Some(2_700));
        assert_eq!(parse_children_ticks("12 (a"), None);
    }

    #[test]
    fn a_spread_has_its_median() {
        let spread = Spread::of(&[3.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.5, least: 1.0, greatest: 10.0 });
        assert_eq!(Spread::of(&[]), None);
    }
}
