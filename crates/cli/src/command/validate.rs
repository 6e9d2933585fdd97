//! `petrio validate`

use crate::command::judged::conclude;
use crate::command::validate_ivy::ValidateIvy;
use crate::command::validate_pariosim::ValidateParIoSim;
use crate::command::validate_pvfs::ValidatePvfs;
use crate::command::validate_raid::ValidateRaid;
use crate::command::validate_streaming::ValidateStreaming;
use crate::command::validate_syncs::ValidateSyncs;
use crate::failure::Failure;
use crate::live::{ValidateFs, ValidateOps};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Subcommand;
use petrio_validation::disks::{DiskRow, DiskValidation, MEAN_BOUND_PERCENT, validate_disks};
use petrio_validation::dissertation::{PredictionRow, validate_dissertation};
use petrio_validation::dissertation_shapes::{RECORDS_KIB, Shape, shapes};
use petrio_validation::verdict::Judged;
use std::path::PathBuf;

/// Compare predictions with measurements
#[derive(Subcommand)]
pub(crate) enum Validate {
    /// Replay every measured trace of a folder on its drive, described by DiskSim parameter files beside it; ends with 1
    /// where a predicted mean misses the measured one by more than 3 %
    Disks {
        /// The folder: NAME.parv or NAME.diskspecs, the files these name, and NAME.trace
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
    },
    Streaming(ValidateStreaming),
    /// Single file operations: the requests that reach the device and the time, beside a real kernel's where there is
    /// root
    Ops(ValidateOps),
    /// File systems: reads, writes, syncs and cliffs, predicted beside measured here; a real ext3 with limits where
    /// there is root
    Fs(ValidateFs),
    Ivy(ValidateIvy),
    Pvfs(ValidatePvfs),
    #[command(name = "pariosim")]
    ParIoSim(ValidateParIoSim),
    Raid(ValidateRaid),
    Syncs(ValidateSyncs),
    /// Random 8 KiB accesses on the dissertation's machine: two figures fitted, two predicted, over a grid of
    /// assumptions; ends with 1 where the judged combination misses by more than the dissertation itself, or than it is
    /// known to
    Dissertation {
        /// Print the rows as JSON
        #[arg(long)]
        json: bool,
    },
}

impl Validate {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (dir, json) = match self {
            Self::Disks { dir, json } => (dir, json),
            Self::Streaming(streaming) => return streaming.execute(),
            Self::Ops(ops) => return ops.execute(),
            Self::Fs(fs) => return fs.execute(),
            Self::Ivy(ivy) => return ivy.execute(),
            Self::Pvfs(pvfs) => return pvfs.execute(),
            Self::ParIoSim(study) => return study.execute(),
            Self::Raid(raid) => return raid.execute(),
            Self::Syncs(syncs) => return syncs.execute(),
            Self::Dissertation { json } => return dissertation(*json),
        };
        let DiskValidation { rows, left_out, ignored } =
            validate_disks(dir).map_err(|error| Failure::new(error, None))?;
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
            let message = format!("{} has no drive with a measured trace that can be read", dir.display());
            let help = "a drive is NAME.parv or NAME.diskspecs, and its trace NAME.trace beside it";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        if *json {
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

fn dissertation(json: bool) -> Result<(), Failure> {
    let rows = validate_dissertation(&mut |what| talk(&format!("simulating: {what} …")))
        .map_err(|error| Failure::new(error, None))?;
    talk("simulating: the shapes of figures 31, 32, 39 and 40 …");
    let shapes = shapes().map_err(|error| Failure::new(error, None))?;
    let judged: Vec<Judged> =
        rows.iter().flat_map(PredictionRow::judged).chain(shapes.iter().map(Shape::judged)).collect();
    let help = "validation/dissertation/README.md says what was assumed";
    if json {
        print_json(&serde_json::json!({ "grid": rows, "shapes": shapes, "judged": judged }))?;
        return conclude(&judged, true, help);
    }
    let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                if row.judged { "judged" } else { "" }.to_owned(),
                row.assumptions.requests.to_string(),
                row.assumptions.journal_mib.to_string(),
                yes(row.assumptions.closing_fsync_counts),
                yes(row.assumptions.barriers),
                row.assumptions.held.words().to_owned(),
                format!("{:.0}", row.journal_kb_per_s),
                format!("{:+.0}", row.journal_error_percent),
                format!("{:.0}", row.synchronous_kb_per_s),
                format!("{:+.0}", row.synchronous_error_percent),
            ]
        })
        .collect();
    let headings = [
        "",
        "requests",
        "journal MiB",
        "fsync counts",
        "barriers",
        "drive holds",
        "journal KB/s",
        "error %",
        "O_SYNC KB/s",
        "error %",
    ];
    print(&table(&headings, &cells))?;
    print("measured: 26,470 and 5,389 KB/s; the dissertation's own errors: 13 and 24 %\n")?;
    let records = RECORDS_KIB.map(|kib| format!("{kib} KiB"));
    let mut headings = vec!["figure", "KB/s in records of"];
    headings.extend(records.iter().map(String::as_str));
    headings.extend(["loss behind the knee %", "knee expected"]);
    let cells: Vec<Vec<String>> = (shapes.iter())
        .map(|shape| {
            let mut row = vec![shape.figure.to_string(), shape.what.to_owned()];
            row.extend(shape.kb_per_s.iter().map(|rate| format!("{rate:.0}")));
            row.extend([format!("{:.1}", shape.loss_percent), yes(shape.knee_expected)]);
            row
        })
        .collect();
    print(&table(&headings, &cells))?;
    conclude(&judged, false, help)
}
