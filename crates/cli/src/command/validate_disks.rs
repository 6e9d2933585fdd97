//! `petrio validate disks`

use crate::failure::Failure;
use crate::judged::exit_codes;
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::disks::{DiskRow, DiskValidation, MEAN_BOUND_PERCENT, validate_disks};
use std::path::PathBuf;

/// Replay every measured trace of a folder on its drive, described by DiskSim parameter files beside it
#[derive(Args)]
#[command(after_help = concat!("A predicted mean may miss the measured one by 3 %.\n\n", exit_codes!()))]
pub(crate) struct ValidateDisks {
    /// The folder: NAME.parv or NAME.diskspecs, the files these name, and NAME.trace
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

impl ValidateDisks {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let DiskValidation { rows, left_out, ignored } =
            validate_disks(&Inputs::here(), &self.dir).map_err(|error| Failure::new(error, None))?;
        for file in &left_out {
            talk(&format!("note: {}: {}", file.file.display(), file.reason));
        }
        if !ignored.is_empty() {
            let count = ignored.len();
            talk(&format!(
                "note: {count} parameters of the drives have no effect; petrio catalogue import lists them"
            ));
        }
        if rows.is_empty() {
            let message =
                format!("{} has no drive with a measured trace that can be read", self.dir.display());
            let help = "a drive is NAME.parv or NAME.diskspecs, and its trace NAME.trace beside it";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        if self.json {
            print_json(&rows)?;
            return misses(&rows);
        }
        let figure = |value: f64, digits: usize| format!("{value:.digits$}");
        let optional =
            |value: Option<f64>, digits: usize| value.map_or("–".to_owned(), |value| figure(value, digits));
        let cells: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                vec![
                    row.disk.clone(),
                    row.requests.to_string(),
                    figure(row.measured_mean_ms, 3),
                    figure(row.simulated_mean_ms, 3),
                    format!("{:+.2}", row.mean_error_percent),
                    figure(row.demerit_ms, 3),
                    figure(row.rmse_ms, 2),
                    row.disksim.as_ref().map_or("–".to_owned(), |other| {
                        format!("{:+.1}", other.disksim_mean_error_percent)
                    }),
                    optional(row.disksim.as_ref().map(|other| other.disksim_demerit_ms), 3),
                    optional(row.disksim.as_ref().map(|other| other.disksim_rmse_ms), 2),
                ]
            })
            .collect();
        let headings = [
            "disk",
            "requests",
            "measured ms",
            "simulated ms",
            "error %",
            "demerit ms",
            "rmse ms",
            "DiskSim: error %",
            "demerit ms",
            "rmse ms",
        ];
        print(&table(&headings, &cells))?;
        misses(&rows)
    }
}

/// Fails where a drive's mean misses its bound.
fn misses(rows: &[DiskRow]) -> Result<(), Failure> {
    let missed: Vec<&DiskRow> = rows.iter().filter(|row| !row.holds()).collect();
    if missed.is_empty() {
        return Ok(());
    }
    let words = |row: &&DiskRow| format!("{} {:+.1} %", row.disk, row.mean_error_percent);
    let drives = missed.iter().map(words).collect::<Vec<_>>().join(", ");
    let message = format!(
        "{} of {} drives miss the measured mean by more than {MEAN_BOUND_PERCENT:.0} %: {drives}",
        missed.len(),
        rows.len()
    );
    let help = "petrio run with --parquet shows single requests beside the trace's".to_owned();
    Err(Failure::Missed { message, help })
}
