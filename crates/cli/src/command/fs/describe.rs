//! `petrio fs describe`

use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::output::{print, talk};
use crate::outputs::Outputs;
use crate::progress::CountProgress;
use crate::results::{say_written, write_json};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_page::numbers::significant;
use petrio_scenario::report::write_text;
use petrio_study::describe::{DescribeError, Described, Figures, describe_directory, describe_trace};
use std::path::PathBuf;

/// Describe the files of a directory, or those of a trace, as a specification from which files like them are made
///
/// Numbers, sizes, depths, extensions and entries of directories come out as they are. Names and contents aren't looked
/// at beyond that: the specification can be given away. On standard error it says how much alike are the original and
/// what is made of it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Describe {
    /// A directory, or a trace of calls on files in any format that petrio reads
    #[arg(value_name = "DIR|TRACE", value_parser = crate::streams::input)]
    what: PathBuf,
    /// Each directory right below is a user's own, as in /home
    #[arg(long)]
    each_user: bool,
    #[command(flatten)]
    reading: Reading,
    /// Where the specification is written; left out, it is printed
    #[arg(long, short, value_name = "SPEC", value_parser = crate::streams::output)]
    out: Option<PathBuf>,
    /// Write the specification and how much it resembles the original as JSON
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    json: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  petrio fs describe /usr/share --out share.toml
  petrio fs create share.toml --dir /mnt/new/files
  petrio fs describe /home --each-user --out homes.toml
  petrio fs describe trace.parquet --out traced.toml";

impl Describe {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        Outputs::of([("--out", &self.out), ("--json", &self.json)]).check(&inputs, [self.what.as_path()])?;
        let described = self.described(&inputs)?;
        let body =
            toml::to_string(&described.specification).map_err(|error| Failure::Output(error.to_string()))?;
        match &self.out {
            Some(path) => write_text(path, &inputs, &body)?,
            None => print(&body)?,
        }
        if let Some(path) = &self.json {
            write_json(&described, path, &inputs)?;
        }
        talk(&likeness(&described));
        say_written([&self.out, &self.json].into_iter().flatten());
        Ok(())
    }

    fn described(&self, inputs: &Inputs) -> Result<Described, Failure> {
        let found = if self.what.is_dir() {
            let mut progress = CountProgress::new(0, "files");
            let found = describe_directory(&self.what, self.each_user, |files| progress.update(files));
            progress.finish();
            found
        } else if self.each_user {
            let help = "leave out --each-user, or name a directory".to_owned();
            return Err(Failure::new(format!("{} is no directory", self.what.display()), Some(help)));
        } else {
            describe_trace(inputs, &self.what, &self.reading.options())
        };
        found.map_err(|error| match error {
            DescribeError::Directory(error) => Failure::output(&error),
            DescribeError::Trace(error) => error.into(),
            error => Failure::new(format!("{}: {error}", self.what.display()), None),
        })
    }
}

/// The original beside what is made of the specification.
fn likeness(described: &Described) -> String {
    let mut rows = Vec::new();
    for one in &described.likeness {
        let row = |whose: &str, figures: &Figures, last: String| {
            let mut row = vec![format!("{}, {whose}", one.of), figures.count.to_string()];
            row.extend([figures.mean, figures.median, figures.p90, figures.greatest].map(significant));
            row.push(last);
            row
        };
        rows.push(row("original", &one.original, String::new()));
        rows.push(row("made", &one.made, format!("{:.3}", one.distance)));
    }
    let mut text = table(&["", "how many", "mean", "median", "p90", "greatest", "distance"], &rows);
    for note in &described.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text.trim_end().to_owned()
}
