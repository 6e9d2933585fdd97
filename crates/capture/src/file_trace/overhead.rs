//! What the tracing itself costs: a command run without and with it in turn.
//!
//! Told apart: how much longer the command takes; the processor time that grows with the calls, the command's own (its
//! kernel records the events) and the collector's (which reads and joins them); and what beginning and ending cost
//! however many calls there are. Runs alternate, so that a machine that gets slower or faster meanwhile doesn't look
//! like an overhead; what a command of seconds varies by itself from run to run is still more than a microsecond for
//! each of its calls, as the spread shows.
//!
//! Source: getrusage(2), RUSAGE_CHILDREN: processor time of children that were waited for, in microseconds.

use super::collect::capture;
use super::parameters::{CaptureParameters, Subject};
use super::summary::CaptureSummary;
use crate::recorder::CaptureError;
use crate::recorder::command;
use crate::recorder::interrupt::is_ending;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    elapsed: Duration,
    /// Processor time of the command and its children.
    used: Duration,
}

/// A traced run beside an untraced one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedRun {
    /// Run time with tracing over run time without it.
    pub run_time_ratio: f64,
    /// Processor time that tracing added to the command for each traced call, in nanoseconds.
    pub command_ns_a_call: f64,
    /// Processor time of the collector while the command ran, for each traced call, in nanoseconds.
    pub collector_ns_a_call: f64,
    /// Processor time to set the capture up, in seconds.
    pub set_up_seconds: f64,
    /// Processor time to complete the trace when the command had ended, in seconds.
    pub completion_seconds: f64,
}

impl TracedRun {
    /// Processor time of command and collector together for each traced call, in nanoseconds.
    pub fn ns_a_call(&self) -> f64 {
        self.command_ns_a_call + self.collector_ns_a_call
    }
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Overhead {
    /// The runs.
    pub runs: Vec<TracedRun>,
    /// How the last of them went.
    pub last: CaptureSummary,
}

impl Overhead {
    /// How a figure spreads over the runs.
    pub fn spread(&self, figure: impl Fn(&TracedRun) -> f64) -> Option<Spread> {
        Spread::of(&self.runs.iter().map(figure).collect::<Vec<_>>())
    }
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

/// Runs the command `repetitions` times without and with tracing, after one run that counts for nothing: it fills the
/// caches.
///
/// # Errors
/// As [`capture`]; and where what is captured isn't a command.
pub fn measure_overhead(
    parameters: &CaptureParameters,
    repetitions: u32,
    mut tell: impl FnMut(u32),
) -> Result<Overhead, CaptureError> {
    let Subject::Command(words) = &parameters.subject else {
        let message = "the overhead is measured with a command, which is run several times".to_owned();
        return Err(CaptureError::Setting { message });
    };
    let plain = || {
        // Started as when it is captured; what that takes before its first instruction is no part of its run.
        let started = command::prepare(words)?;
        timed(|| {
            started.go();
            let status = started.ended.recv();
            started.join();
            status.unwrap_or_else(|_| Ok(ExitStatus::default())).map(drop)
        })
    };
    plain()?;
    let mut runs = Vec::new();
    let mut last = None;
    for repetition in 0..repetitions.max(1) {
        tell(repetition);
        let without = plain()?;
        let mut summary = None;
        let with = timed(|| capture(parameters).map(|captured| summary = Some(captured)))?;
        let Some(captured) = summary else { continue };
        let calls = captured.counts.calls.max(1) as f64;
        let added = with.used.as_secs_f64() - without.used.as_secs_f64();
        runs.push(TracedRun {
            // The capture's own beginning and end (buffers, names) are no part of the command's run.
            run_time_ratio: captured.run_time.as_secs_f64() / without.elapsed.as_secs_f64(),
            command_ns_a_call: added * 1e9 / calls,
            collector_ns_a_call: captured.processor_time.as_secs_f64() * 1e9 / calls,
            set_up_seconds: captured.set_up_time.as_secs_f64(),
            completion_seconds: captured.completion_time.as_secs_f64(),
        });
        last = Some(captured);
        if is_ending() {
            break;
        }
    }
    let Some(last) = last else {
        return Err(CaptureError::Setting { message: "nothing was measured".to_owned() });
    };
    Ok(Overhead { runs, last })
}

fn timed(run: impl FnOnce() -> Result<(), CaptureError>) -> Result<Run, CaptureError> {
    let (began, used) = (Instant::now(), children_used());
    run()?;
    Ok(Run { elapsed: began.elapsed(), used: children_used().saturating_sub(used) })
}

/// Processor time of all children that were waited for.
fn children_used() -> Duration {
    let duration = |time: TimeVal| {
        let microseconds = |part: i64| Duration::from_micros(part.unsigned_abs());
        microseconds(time.tv_sec() * 1_000_000) + microseconds(time.tv_usec())
    };
    // It fails for an unknown `who` only.
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(Duration::ZERO, |usage| duration(usage.user_time()) + duration(usage.system_time()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_a_child_uses_is_counted_when_it_has_ended() {
        let before = children_used();
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
        std::process::Command::new("sh").args(["-c", script]).status().unwrap();
        assert!(children_used() > before);
    }

    #[test]
    fn the_sum_is_of_the_command_and_the_collector() {
        let run = TracedRun {
            run_time_ratio: 1.0,
            command_ns_a_call: 300.0,
            collector_ns_a_call: 500.0,
            set_up_seconds: 9.0,
            completion_seconds: 9.0,
        };
        assert!((run.ns_a_call() - 800.0).abs() < 1e-9);
    }

    #[test]
    fn a_spread_has_its_median() {
        let spread = Spread::of(&[3.0, 1.0, 2.0, 10.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.5, least: 1.0, greatest: 10.0 });
        assert_eq!(Spread::of(&[]), None);
    }
}
