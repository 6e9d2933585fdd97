//! `petrio validate syncs`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::syncs::{SyncsRow, TABLE, measured, play};
use petrio_validation::verdict::Judged;
use std::path::PathBuf;

/// fsync beside a streaming writer: each row of a measured table played in simulation: number and median of the
/// fsyncs may differ by a factor of 1.5, the writer's rate by 10 %
#[derive(Args)]
#[command(after_help = concat!("\
The table is fsync-beside-a-writer.csv: fs (ext3, ext4; others are left out), cache (wb with flushes, wt without),
us_a_request, dirty_bytes, dirty_background_bytes, seconds, writer_mib_s, fsyncs, fsync_median_s, fsync_max_s. One process writes
calls of 1 MiB without end, another appends 4 KiB and calls fsync, again and again, on ext3 or ext4 of Linux 6.18, before a disk that
takes us_a_request for each part of 1 MiB of a request, one after the other.\n\n", exit_codes!()))]
pub(crate) struct ValidateSyncs {
    /// The folder of the table
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

impl ValidateSyncs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let (known, left_out) =
            measured(&Inputs::here(), &self.dir).map_err(|error| Failure::new(error, None))?;
        if left_out > 0 {
            talk(&format!("note: {left_out} rows of file systems that aren't modelled are left out"));
        }
        if known.is_empty() {
            let message = format!("{} has no row of ext3 or ext4", self.dir.join(TABLE).display());
            return Err(Failure::new(message, None));
        }
        let mut rows = Vec::new();
        for row in &known {
            talk(&format!(
                "simulating: {}, {}, dirty limit {} MiB …",
                row.fs,
                row.cache,
                row.dirty_bytes >> 20
            ));
            rows.push(play(row).map_err(|error| Failure::new(error, None))?);
        }
        if self.json {
            print_json(&rows)?;
        } else {
            let headings = [
                "",
                "cache",
                "dirty MiB",
                "fsyncs measured",
                "petrio",
                "median s",
                "petrio",
                "longest s",
                "petrio",
                "writer MiB/s",
                "petrio",
            ];
            print(&table(&headings, &rows.iter().map(cells).collect::<Vec<_>>()))?;
        }
        let judged: Vec<Judged> = rows.iter().flat_map(SyncsRow::judged).collect();
        conclude(&judged, self.json, "petrio validate syncs --json tells the first fsyncs of each row")
    }
}

fn cells(row: &SyncsRow) -> Vec<String> {
    let mut cells = vec![row.fs.clone(), row.cache.clone(), row.dirty_limit_mib.to_string()];
    cells.extend([row.fsyncs.0.to_string(), row.fsyncs.1.to_string()]);
    for (measured, predicted) in [row.median_s, row.longest_s] {
        cells.extend([format!("{measured:.3}"), format!("{predicted:.3}")]);
    }
    cells.extend([format!("{:.1}", row.writer_mib_s.0), format!("{:.1}", row.writer_mib_s.1)]);
    cells
}
