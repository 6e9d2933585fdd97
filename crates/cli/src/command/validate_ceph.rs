//! `petrio validate ceph`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::ceph::{CephRow, judged, predict, read_grids, shipped};
use petrio_validation::verdict::Judged;
use serde::Serialize;
use std::path::PathBuf;

/// Ceph's RBD: a small grid that this project measured on a real Ceph 16.2.15, or others of its form, beside what is predicted
///
/// Three OSDs and a client on network namespaces of one machine, links that token buckets limit, pools with one, two and three copies,
/// random requests of 4 KiB and streams of 4 MiB. What was predicted was written down before anything was measured; what Ceph's work
/// costs processors is from single requests on links without a limit (validation/ceph/README.md).
#[derive(Args)]
#[command(after_help = concat!("\
A grid is a CSV file with the columns size, op (random-read, random-write, read or write), block_kib, depth, link_mbit,
pool and image_id (by which objects lie where they do), image_mib and mb_s, a row a repetition; lines that begin with #
are left out.

The median error may be 15 %, the worst 40 %.\n\n", exit_codes!()))]
pub(crate) struct ValidateCeph {
    /// A folder with such grids; left out, the project's own
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything<'e> {
    rows: &'e [CephRow],
    judged: &'e [Judged],
}

impl ValidateCeph {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let failed = |error| Failure::new(error, None);
        let measured = match &self.dir {
            Some(dir) => read_grids(&Inputs::here(), dir).map_err(failed)?,
            None => shipped().map_err(failed)?,
        };
        let mut tell = |done: usize, of: usize| {
            if done.is_multiple_of(10) || done == of {
                talk(&format!("simulated {done} of {of} cells …"));
            }
        };
        let rows = predict(&measured, &mut tell).map_err(failed)?;
        let judged = judged(&rows);
        let help = "petrio validate ceph --json prints every repetition and seed; validation/ceph/README.md says what misses, and why";
        if self.json {
            print_json(&Everything { rows: &rows, judged: &judged })?;
            return conclude(&judged, true, help);
        }
        print(&cells(&rows))?;
        conclude(&judged, false, help)
    }
}

fn cells(rows: &[CephRow]) -> String {
    let line = |row: &CephRow| {
        let cell = &row.cell;
        vec![
            cell.size.to_string(),
            cell.op.words().to_owned(),
            cell.block_kib.to_string(),
            cell.depth.to_string(),
            (f64::from(cell.link_kbit) / 1e3).to_string(),
            format!("{:.3}", row.measured()),
            range(&row.measured_mb_per_s),
            format!("{:.3}", row.predicted()),
            range(&row.predicted_mb_per_s),
            format!("{:+.1}", row.error_percent),
        ]
    };
    let headings =
        ["copies", "", "KiB", "depth", "Mbit/s", "measured MB/s", "range", "predicted", "range", "error %"];
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn range(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    format!("{least:.3}–{most:.3}")
}
