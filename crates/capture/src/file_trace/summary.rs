//! How a capture went: what was seen, what it cost, and what the trace lacks.

use super::join::Counts;
use crate::recorder::catalogue::{Listened, Meaning};
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// How a capture went.
#[derive(Clone, Debug)]
pub struct CaptureSummary {
    /// The trace's files.
    pub files: Vec<PathBuf>,
    /// Events in them.
    pub events: u64,
    /// Events of the kernel that were lost, at least.
    pub lost: u64,
    /// What was seen.
    pub counts: Counts,
    /// Processor time that it took to set up: clearing the buffers' memory, looking at folders and processes. It
    /// doesn't grow with what is captured.
    pub set_up_time: Duration,
    /// Processor time of the collector while it ran: reading events and joining them.
    pub processor_time: Duration,
    /// Processor time for completing the trace's files: looking for names, writing, freeing the buffers.
    pub completion_time: Duration,
    /// From the beginning to the end of what was captured.
    pub run_time: Duration,
    /// How the command ended.
    pub status: Option<ExitStatus>,
    /// What this trace lacks and why, a line each.
    pub notes: Vec<String>,
}

/// What a trace lacks without these events. A call that this machine doesn't have is no loss.
pub(super) fn lacks(missing: &[Listened]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for event in missing.iter().filter(|event| !matches!(event.meaning, Meaning::Enter(_) | Meaning::Exit(_)))
    {
        lines.push(format!("this kernel has no {}: {} isn't known", event.folder(), event.gives));
    }
    lines
}

/// What was left out of a trace, a line each.
pub(super) fn remarks(counts: &Counts, requests_passed_over: u64) -> Vec<String> {
    let remarks = [
        (counts.asynchronous_calls, "calls of io_uring or aio, whose reads and writes aren't in the trace"),
        (requests_passed_over, "other requests without data were left out"),
        (counts.other_opens, "directories, devices and files without page cache (/proc, tmpfs) were opened"),
        (counts.unknown_files, "files were opened and closed without anything that tells which they were"),
        (counts.unfinished, "calls whose end wasn't seen"),
        (
            counts.unmatched_names,
            "renames and new folders whose file isn't known: what fanotify told didn't fit their number",
        ),
    ];
    let seen = remarks.into_iter().filter(|(count, _)| *count > 0);
    seen.map(|(count, what)| format!("{count} {what}")).collect()
}
