//! The files that every trace command reads and writes, and how it says what became of them.

use crate::failure::Failure;
use crate::output::talk;
use crate::outputs::{Outputs, is_free};
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::event::Event;
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter};
use petrio_trace::{EventReader, TraceError};
use std::path::{Path, PathBuf};

/// Whether a file that is there may be replaced.
#[derive(Args, Clone)]
pub(super) struct Overwrite {
    /// Replace the file to write if it is there already
    #[arg(long)]
    force: bool,
}

/// Where a trace goes.
#[derive(Args)]
pub(super) struct Output {
    /// The file to write: petrio's own for NAME.parquet, or .csv, .iolog, .blkparse, .oracleGeneral; compressed where
    /// .gz, .xz or .zst follows
    #[arg(value_parser = crate::streams::output)]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
    /// The format to write, where the extension doesn't say: native, events-csv, petrio, requests, fio-iolog,
    /// blkparse or oracle-general
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    to_format: Option<OutputFormat>,
}

impl Output {
    pub(super) fn new(out: PathBuf, format: Option<OutputFormat>, overwrite: &Overwrite) -> Self {
        Self { out, to_format: format, overwrite: overwrite.clone() }
    }

    /// Whether it can be written, and takes nobody's place; before anything is read.
    pub(super) fn check<'a>(
        &self,
        inputs: &Inputs,
        named: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        let path = Some(self.out.clone());
        Outputs::of([("OUT", &path)]).check(inputs, named)?;
        let help = "the last name is the file to write: name another one, or replace it with --force";
        is_free(&self.out, self.overwrite.force, help)
    }

    /// The format, said or told from the extension.
    fn format(&self) -> Result<OutputFormat, Failure> {
        self.to_format.or_else(|| OutputFormat::of_path(&self.out)).ok_or_else(|| {
            let help =
                "end its name in .parquet, .csv, .iolog, .blkparse or .oracleGeneral, or name the format";
            let message = format!("{}: its name doesn't say which format to write", self.out.display());
            Failure::new(message, Some(help.to_owned()))
        })
    }

    /// Writes events, and says how many there were and what couldn't be kept.
    pub(super) fn write(
        &self,
        inputs: &Inputs,
        about: &About,
        events: impl Iterator<Item = Result<Event, TraceError>>,
    ) -> Result<(), Failure> {
        let format = self.format()?;
        let mut writer = TraceWriter::create(&self.out, inputs, format, about)?;
        for event in events {
            writer.push(&event?)?;
        }
        let written = writer.finish()?;
        let path = self.out.display();
        talk(&format!("written: {path}, {} events as {}", written.written, format.name()));
        if written.left_out > 0 {
            talk(&format!(
                "note: {} events were left out: {} can't hold them",
                written.left_out,
                format.name()
            ));
        }
        Ok(())
    }
}

/// What is known of a trace, with where it came from, and a word on what reading it left out before it is passed on.
pub(super) fn about(reader: &mut EventReader) -> Result<About, Failure> {
    let mut about = reader.about()?;
    about.notes.push(format!("made from {} ({})", reader.name(), reader.format()));
    Ok(about)
}

/// Says what reading left out or brought into form.
pub(super) fn remark(reader: &EventReader) {
    let summary = reader.summary();
    let remarks = [
        (summary.left_out.other_events, "lines or records make no event"),
        (summary.left_out.reordered, "records were put in order"),
        (summary.left_out.widened, "requests were widened to whole blocks"),
        (summary.left_out.unmatched_completions, "ends have no beginning in the trace"),
        (summary.left_out.unanswered, "beginnings have no end in the trace"),
        (summary.left_out.untimed, "lines have no time: only their order is known"),
        (
            summary.left_out.unseen,
            "calls don't show their files or bytes (io_uring; files opened before: record with strace -y)",
        ),
    ];
    for (count, what) in remarks.into_iter().filter(|&(count, _)| count > 0) {
        talk(&format!("note: {}: {count} {what}", reader.name()));
    }
}

pub(super) fn output_format(name: &str) -> Result<OutputFormat, String> {
    OutputFormat::named(name)
        .ok_or_else(|| format!("the formats are {}", OutputFormat::ALL.map(OutputFormat::name).join(", ")))
}
