//! `petrio trace sample`

use super::files::{Output, about, remark};
use crate::command::reading::Reading;
use crate::failure::Failure;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_trace::sample::Sampling;
use std::path::PathBuf;

/// Keep a part of a trace that stands for the whole
///
/// A fraction keeps whole files, and whole regions (1 MiB) of devices, with every event on them: caches, scaled down by
/// the same fraction, behave as with the whole trace (Waldspurger and others, FAST 2015).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sample {
    /// The trace to read
    #[arg(value_parser = crate::streams::input)]
    file: PathBuf,
    #[command(flatten)]
    output: Output,
    /// Keep each N-th event; of a request's events all or none
    #[arg(long, value_name = "N", required_unless_present = "fraction", conflicts_with = "fraction",
          value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Keep this fraction of the files, from 0 to 1
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    fraction: Option<f64>,
    /// Another seed keeps other files
    #[arg(long, default_value_t = 1, conflicts_with = "every")]
    seed: u64,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "\
Examples:
  petrio trace sample job.parquet tenth.parquet --fraction 0.1
  petrio trace sample disk.csv thin.parquet --every 100";

impl Sample {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (mut sampling, how) = match (self.every, self.fraction) {
            (Some(step), _) => (Sampling::every(step), format!("each {step}th event was kept")),
            (None, fraction) => {
                let (fraction, seed) = (fraction.unwrap_or(1.0), self.seed);
                let how = format!("a fraction of {fraction} of the files was kept (seed {seed})");
                (Sampling::Fraction { fraction, seed }, how)
            }
        };
        let inputs = Inputs::here();
        self.output.check(&inputs, [self.file.as_path()])?;
        let mut reader = self.reading.open(&inputs, &self.file)?;
        let mut about = about(&mut reader)?;
        about.notes.push(how);
        let events =
            reader.by_ref().filter(|event| event.as_ref().map_or(true, |event| sampling.keeps(event)));
        self.output.write(&inputs, &about, events)?;
        remark(&reader);
        Ok(())
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err("a number from 0 to 1, such as 0.1".to_owned()),
    }
}
