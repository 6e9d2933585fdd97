//! What a trace is like, from a file to numbers, a page and words.
//!
//! The trace is decoded in one thread and characterised in another, so that both keep a core busy. The result is the
//! same as in one thread: events go through a queue of batches in their order.

mod html;
mod pipeline;

pub use html::write_html;
pub use pipeline::characterise_file;

use petrio_files::inputs::Inputs;
use petrio_scenario::report::{ReportError, WholeFile};
use petrio_trace::characterise::Characterisation;
use petrio_trace::native::About;
use petrio_trace::{EventSummary, TraceOptions};
use serde::Serialize;
use std::io::{self, Write as _};
use std::path::Path;

/// How a file is to be read and characterised.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// How it is read.
    pub options: TraceOptions,
    /// Seconds that local time is ahead of UTC where the trace was made; hours of the day are local.
    pub utc_offset_s: i64,
}

/// A trace that was characterised.
#[derive(Clone, Debug, Serialize)]
pub struct CharacterisedTrace {
    /// The file's name.
    pub trace: String,
    /// Its format.
    pub format: String,
    /// What should be checked before the figures are trusted.
    pub warnings: Vec<String>,
    /// What it is like.
    #[serde(flatten)]
    pub found: Characterisation,
}

impl CharacterisedTrace {
    fn new(
        trace: String,
        format: String,
        found: Characterisation,
        about: &About,
        read: &EventSummary,
    ) -> Self {
        let warnings = warnings(&found, about, read);
        Self { trace, format, warnings, found }
    }
}

/// What a reader of the figures should know: nothing is left out silently.
fn warnings(found: &Characterisation, about: &About, read: &EventSummary) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |count: u64, words: &str| {
        if count > 0 {
            warnings.push(format!("{count} {words}"));
        }
    };
    warn(about.lost, "events were lost while tracing");
    warn(read.left_out.other_devices, "events of other devices were left out");
    warn(read.left_out.other_events, "lines or records make no event");
    warn(read.left_out.unmatched_completions, "ends have no beginning in the trace");
    warn(read.left_out.unanswered, "beginnings have no end in the trace, so no service time");
    warn(read.left_out.untimed, "lines have no time: only their order is known");
    warn(
        read.left_out.unseen,
        "calls don't show their files or bytes (io_uring; files opened before: record with strace -y)",
    );
    warn(found.out_of_order, "events began before the one before them");
    warn(
        found.compact_closes,
        "closes tell of more bytes than the trace has calls for: reads that hit are not recorded, so run lengths, reuse and \
         think times are those of the recorded calls",
    );
    for (requests, of) in [(&found.file_requests, "files"), (&found.device_requests, "devices")] {
        let Some(requests) = requests else { continue };
        warn(requests.without_file, &format!("reads and writes are of {of} that the trace doesn't name"));
        warn(
            requests.without_offset,
            "reads and writes have no offset; they have no part in pages and pictures",
        );
        let not_followed = requests.pages.as_ref().map_or(0, |pages| pages.not_followed);
        warn(not_followed, "uses of pages lie beyond what is followed (4 GiB of one request, 1 TiB in all)");
    }
    if let Some(files) = &found.files {
        warn(files.created_again, "files vanished without an unlink: another was created with their inode");
        warn(files.used_after_unlink, "files were used after their unlink: they had another name");
    }
    warnings.extend(about.notes.iter().cloned());
    warnings
}

/// Writes every figure as JSON, in the place of none of those `inputs`. The file is complete or absent.
///
/// # Errors
/// When it can't be written.
pub fn write_json(found: &CharacterisedTrace, path: &Path, inputs: &Inputs) -> Result<(), ReportError> {
    let mut file = WholeFile::create(path, inputs)?;
    serde_json::to_writer_pretty(&mut file, found)
        .map_err(io::Error::from)
        .and_then(|()| file.write_all(b"\n"))
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })?;
    file.finish()
}
