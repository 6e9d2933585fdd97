//! What went over several paths to one device, and what became of it when some failed.

use super::arrays::MovedFigures;
use crate::figure::{Tables, figures};
use crate::section::Entry;
use crate::served::is_zero;
use petrio_kernel::Time;
use petrio_models::block::multipath::{PathFailed, PathTally, Tally};
use petrio_page::numbers::{bytes, counted, grouped, seconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several paths to one device or array, or those of all equal ones together, over the whole run; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathsFigures {
    /// Their name; of equal ones that of their class.
    pub name: String,
    /// How many such devices there are.
    pub devices: u64,
    /// Each path.
    pub paths: Vec<PathFigures>,
    /// How often requests went over to another group of paths.
    pub switches: u64,
    /// Requests that the device had already when their path failed, and was sent again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delivered_twice: u64,
    /// Requests that found no path, and waited for one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited: u64,
    /// How long there were requests without a path, seconds.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub waiting_s: f64,
    /// Requests that failed since there was no path.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed_requests: u64,
    /// Failures that were to come after the end of the run, and haven't.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failures_to_come: u64,
}

/// A path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathFigures {
    /// Reads that were answered over it.
    pub reads: MovedFigures,
    /// Writes.
    pub writes: MovedFigures,
    /// Flushes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flushes: u64,
    /// Requests that were on it when it failed, and were sent again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sent_again: u64,
    /// Its failures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<PathFailureFigures>,
}

/// A failure of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathFailureFigures {
    /// When it began.
    pub at_s: f64,
    /// When the path was given up, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found_at_s: Option<f64>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_at_s: Option<f64>,
    /// When requests could take the path again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_again_at_s: Option<f64>,
}

fn is_nothing(span: &f64) -> bool {
    *span == 0.0
}

impl PathsFigures {
    /// Adds what one has counted until now.
    pub fn add(&mut self, tally: &Tally, (now, failures): (Time, &[Vec<Time>])) {
        self.devices += 1;
        self.paths.resize_with(self.paths.len().max(tally.paths.len()), PathFigures::default);
        for (figures, path) in self.paths.iter_mut().zip(&tally.paths) {
            figures.add(path);
        }
        self.switches += tally.switches;
        self.delivered_twice += tally.delivered_twice;
        self.waited += tally.waited;
        let still = tally.waits_since.map_or(Time::ZERO, |since| now.saturating_sub(since));
        self.waiting_s += tally.waiting.saturating_add(still).as_seconds();
        self.failed_requests += tally.failed;
        self.failures_to_come += failures.iter().flatten().filter(|at| **at > now).count() as u64;
    }
}

figures! { PathFigures:
    reads.requests => "reads" One Neither;
    reads.bytes => "read" Bytes Neither;
    writes.requests => "writes" One Neither;
    writes.bytes => "written" Bytes Neither;
    flushes => "flushes" One Neither;
    sent_again => "sent again" One Down;
    failures = |path: &Self| path.failures.len() as u64 => "failures" One Down;
}

figures! { PathsFigures:
    switches => "went over to others" One Down;
    waited => "found none" One Down;
    waiting_s => "without any" Seconds Down;
    failed_requests => "failed" One Down;
}

impl Entry for PathsFigures {
    const PART: &'static str = "paths";

    fn name(&self) -> &str {
        &self.name
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table("path", |paths: &'e Self| {
            let each = paths.paths.iter().enumerate();
            each.map(|(number, path)| (&*paths.name, number.to_string(), path)).collect()
        });
        to.table(Self::PART, |paths: &'e Self| vec![(&*paths.name, String::new(), paths)]);
    }

    fn sentence(&self) -> String {
        let of = |(number, path): (usize, &PathFigures)| format!("path {number} carried {}", path.carried());
        let mut parts: Vec<String> = self.paths.iter().enumerate().map(of).collect();
        for (number, path) in self.paths.iter().enumerate() {
            let failures = path.failures.iter().take(4);
            parts.extend(failures.map(|failure| format!("path {number} {}", failure.sentence())));
        }
        let all: usize = self.paths.iter().map(|path| path.failures.len()).sum();
        if self.paths.iter().any(|path| path.failures.len() > 4) {
            parts.push(format!("{} in all", counted(all as u64, "failure", "failures")));
        }
        let again: u64 = self.paths.iter().map(|path| path.sent_again).sum();
        if again > 0 {
            let twice = match self.delivered_twice {
                0 => "of which the device had none yet".to_owned(),
                twice => format!("of which the device had {} already", grouped(twice)),
            };
            parts.push(format!("{} sent again, {twice}", counted(again, "request was", "requests were")));
        }
        if self.switches > 0 {
            parts.push(format!(
                "requests went over to other paths {}",
                counted(self.switches, "time", "times")
            ));
        }
        if self.waited > 0 {
            parts.push(format!(
                "{} found no path, for {} in all",
                counted(self.waited, "request", "requests"),
                seconds(self.waiting_s)
            ));
        }
        if self.failed_requests > 0 {
            parts.push(format!(
                "{} for want of a path",
                counted(self.failed_requests, "request failed", "requests failed")
            ));
        }
        if self.failures_to_come > 0 {
            let failures = counted(self.failures_to_come, "failure", "failures");
            parts.push(format!("{failures} would have come after the end of the run"));
        }
        parts.join("; ")
    }
}

impl PathFigures {
    fn add(&mut self, tally: &PathTally) {
        self.reads.add(tally.reads);
        self.writes.add(tally.writes);
        self.flushes += tally.flushes;
        self.sent_again += tally.again;
        self.failures.extend(tally.failures.iter().map(|failed| {
            let PathFailed { at, found, restored, used_again } = *failed;
            let [found_at_s, restored_at_s, used_again_at_s] =
                [found, restored, used_again].map(|at| at.map(Time::as_seconds));
            PathFailureFigures { at_s: at.as_seconds(), found_at_s, restored_at_s, used_again_at_s }
        }));
    }

    fn carried(&self) -> String {
        let side = |moved: MovedFigures, one: &str, many: &str| {
            let words = || format!("{} of {}", counted(moved.requests, one, many), bytes(moved.bytes));
            (moved.requests > 0).then(words)
        };
        let sides = [side(self.reads, "read", "reads"), side(self.writes, "write", "writes")];
        let sides: Vec<String> = sides.into_iter().flatten().collect();
        match (sides.is_empty(), self.flushes) {
            (true, 0) => "nothing".to_owned(),
            (true, flushes) => counted(flushes, "flush", "flushes"),
            (false, _) => sides.join(" and "),
        }
    }
}

impl PathFailureFigures {
    fn sentence(&self) -> String {
        let mut text = format!("failed at {}", seconds(self.at_s));
        match (self.found_at_s, self.restored_at_s) {
            (Some(found), _) => text.push_str(&format!(", was given up at {}", seconds(found))),
            (None, Some(_)) => text.push_str(", which nobody noticed"),
            (None, None) => text.push_str(", which nobody has noticed yet"),
        }
        if let Some(restored) = self.restored_at_s {
            text.push_str(&format!(", was back at {}", seconds(restored)));
        }
        if let Some(again) = self.used_again_at_s {
            text.push_str(&format!(" and could be used from {}", seconds(again)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_from_its_beginning_to_its_end() {
        let failure = PathFailureFigures {
            at_s: 1.0,
            found_at_s: Some(2.0),
            restored_at_s: Some(3.0),
            used_again_at_s: Some(5.0),
        };
        let reads = MovedFigures { requests: 2, bytes: 8_192 };
        let broken = PathFigures { reads, sent_again: 3, failures: vec![failure], ..PathFigures::default() };
        let paths = vec![broken, PathFigures::default()];
        let figures = PathsFigures { paths, switches: 1, delivered_twice: 1, ..PathsFigures::default() };
        assert_eq!(
            figures.sentence(),
            "path 0 carried 2 reads of 8.00 KiB; path 1 carried nothing; path 0 failed at 1.00 s, was given up at 2.00 s, was back at \
             3.00 s and could be used from 5.00 s; 3 requests were sent again, of which the device had 1 already; requests went over \
             to other paths 1 time"
        );
    }
}
