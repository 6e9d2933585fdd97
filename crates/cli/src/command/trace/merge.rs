//! `petrio trace merge`

use super::files::{Output, Overwrite, output_format};
use crate::command::reading::Reading;
use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::write::OutputFormat;
use petrio_trace::{MergeError, MergedEvents};
use std::path::PathBuf;

/// Put several traces into one, in order of time
///
/// Processes are numbered anew, so that those of one trace aren't those of another.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Merge {
    /// The traces to read, and last the file to write
    #[arg(num_args = 3.., value_names = ["TRACE", "TRACE", "OUT"], required = true)]
    files: Vec<PathBuf>,
    /// Keep the traces' distance by the wall clock; without it each begins at time zero
    #[arg(long)]
    align: bool,
    /// The traces are of different machines: devices and files of the same number are different ones
    #[arg(long)]
    apart: bool,
    /// The format to write, where the extension of OUT doesn't say
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    to: Option<OutputFormat>,
    #[command(flatten)]
    overwrite: Overwrite,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "\
Examples:
  petrio trace merge node1.strace node2.strace job.parquet --align --apart
  petrio trace merge sda.csv sdb.csv both.parquet";

impl Merge {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let Some((out, traces)) = self.files.split_last() else {
            return Err(Failure::new("no traces to merge", None));
        };
        let output = Output::new(out.clone(), self.to, &self.overwrite);
        let inputs = Inputs::here();
        output.check(&inputs, traces.iter().map(PathBuf::as_path))?;
        let readers =
            traces.iter().map(|trace| self.reading.open(&inputs, trace)).collect::<Result<Vec<_>, _>>()?;
        let merged = MergedEvents::new(readers, self.align, self.apart).map_err(refused)?;
        let about = merged.about().clone();
        output.write(&inputs, &about, merged)
    }
}

fn refused(error: MergeError) -> Failure {
    match error {
        MergeError::Trace(error) => error.into(),
        other => Failure::of(&other),
    }
}
