//! `petrio trace convert`

use super::files::{Output, Overwrite, about, output_format, remark};
use crate::command::reading::Reading;
use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::write::OutputFormat;
use std::path::PathBuf;

/// Write a trace in another format
///
/// petrio's own file (.parquet) and its CSV hold everything; the others hold what they can, and what they can't is
/// counted.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// The trace to read, in any format (see `petrio trace info --help`)
    #[arg(value_parser = crate::streams::input)]
    file: PathBuf,
    /// The file to write
    #[arg(value_parser = crate::streams::output)]
    out: PathBuf,
    /// The format to write: native, events-csv, petrio, requests, fio-iolog, blkparse or oracle-general. Left out, the
    /// extension says it: .parquet, .csv, .iolog, .blkparse, .oracleGeneral. All but the first are compressed where
    /// .gz, .xz or .zst follows
    #[arg(long, value_name = "FORMAT", value_parser = output_format)]
    to: Option<OutputFormat>,
    #[command(flatten)]
    overwrite: Overwrite,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "\
Examples:
  petrio trace convert job.strace job.parquet
  petrio trace convert disk.blktrace.0 disk.csv --to petrio
  petrio trace convert job.parquet job.csv.xz --to requests
  petrio trace convert job.parquet job.iolog && fio --name=again --read_iolog=job.iolog";

impl Convert {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let output = Output::new(self.out.clone(), self.to, &self.overwrite);
        let inputs = Inputs::here();
        output.check(&inputs, [self.file.as_path()])?;
        let mut reader = self.reading.open(&inputs, &self.file)?;
        let about = about(&mut reader)?;
        output.write(&inputs, &about, reader.by_ref())?;
        remark(&reader);
        Ok(())
    }
}
