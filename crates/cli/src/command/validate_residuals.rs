//! `petrio validate residuals`

use crate::failure::Failure;
use crate::output::{print, talk};
use crate::outputs::Outputs;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::sure::Residual;
use petrio_scenario::report::write_text;
use petrio_validation::residuals::{FOLDERS, residuals, told};
use std::fmt::Write;
use std::path::PathBuf;

/// What all validations missed by, as one table: predicted over measured, by class of system
///
/// Reports take from such a table how far their figures may be off (docs/how-sure.md). It has the validations whose measurements ship,
/// those of a folder of measurements, and what petrio validate fs --json printed of machines. It takes some minutes.
#[derive(Args)]
pub(crate) struct ValidateResiduals {
    /// A folder with measurements: of disks (for validate disks), xfs-ext4 (syncs), md (raid), nfs and orangefs (pvfs), those
    /// that are there
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// What petrio validate fs --json printed; may be repeated
    #[arg(long, value_name = "FILE")]
    fs: Vec<PathBuf>,
    /// Write the table (CSV) to this file; left out, to standard output
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    out: Option<PathBuf>,
    /// Print what the table that ships comes to, class by class, as Markdown; nothing is run
    #[arg(long, conflicts_with_all = ["data", "fs", "out"])]
    shipped: bool,
}

impl ValidateResiduals {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if self.shipped {
            return print(&told().map_err(|error| Failure::new(error, None))?);
        }
        let inputs = Inputs::here();
        Outputs::of([("--out", &self.out)]).check(&inputs, self.fs.iter().map(PathBuf::as_path))?;
        let rows = residuals(&inputs, (self.data.as_deref(), &self.fs), &mut |what| {
            talk(&format!("simulating: {what} …"));
        })
        .map_err(|error| Failure::new(error, None))?;
        let text = self.table(&rows);
        match &self.out {
            Some(path) => {
                write_text(path, &inputs, &text)?;
                talk(&format!("written: {}", path.display()));
                Ok(())
            }
            None => print(&text),
        }
    }

    fn table(&self, rows: &[Residual]) -> String {
        let data =
            self.data.as_ref().map_or(String::new(), |_| format!(" --data DIR ({})", FOLDERS.join(", ")));
        let fs = if self.fs.is_empty() { "" } else { " --fs FILE" };
        let mut text = format!(
            "# What validations missed by: the natural logarithm of predicted over measured, a row a measured figure.\n\
             # Written by petrio {}: petrio validate residuals{data}{fs}\n{}\n",
            env!("CARGO_PKG_VERSION"),
            Residual::heading()
        );
        for row in rows {
            let _ = writeln!(text, "{row}");
        }
        text
    }
}
