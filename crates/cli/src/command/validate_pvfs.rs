//! `petrio validate pvfs`

use crate::command::judged::conclude;
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_validation::pvfs::{GridJudgement, GridRow, judge, predict, read_grids};
use petrio_validation::verdict::Judged;
use serde::Serialize;
use std::path::PathBuf;

/// Parallel file systems: grids measured on a real PVFS 2 (OrangeFS), predicted
///
/// Nothing is fitted to the rows that are predicted: links, hosts and disks are those of the test bed's description, and
/// what single calls cost is from messages of one client alone.
#[derive(Args)]
#[command(after_help = "\
A grid is a CSV file with the columns servers, clients, block_kib, op (read or write), link_mbit, storage,
bytes_per_client and agg_mb_s; of rows that have disk_mb_s the servers' disks are limited to that, and where
agg_incl_flush_mb_s differs it is predicted, too. The test bed is testbed-STORAGE.toml or testbed.toml of the same
folder, where there is one, or else OrangeFS on namespaces of one machine, with storage tmpfs, ext3 or ext3-odirect. What a
row says is set in it: host.client.count, host.server.count, network.lan.link.rate, workload.w.operation, .record and
.file_size, and seed, of which there are several: the order of servers is drawn.

The median error of a grid may be 10 %, the worst 25 %, and cells that differ by more than 10 % must keep their order;
where one of these doesn't hold, the command ends with 1.")]
pub(crate) struct ValidatePvfs {
    /// The folder with the grids
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything<'e> {
    rows: &'e [GridRow],
    grids: &'e [GridJudgement],
    judged: &'e [Judged],
}

impl ValidatePvfs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let failed = |error| Failure::new(error, None);
        let (measured, left_out) = read_grids(&self.dir).map_err(failed)?;
        for file in &left_out {
            talk(&format!("note: {} is no grid: it has no column \"{}\"", file.path.display(), file.lacks));
        }
        let mut tell = |done: usize, of: usize| {
            if done.is_multiple_of(20) || done == of {
                talk(&format!("simulated {done} of {of} cells …"));
            }
        };
        let rows = predict(&self.dir, &measured, &mut tell).map_err(failed)?;
        let grids = judge(&rows);
        let judged: Vec<Judged> = grids.iter().flat_map(GridJudgement::judged).collect();
        let help = "petrio validate pvfs --json prints every row; validation/pvfs/README.md says what misses, and why";
        if self.json {
            print_json(&Everything { rows: &rows, grids: &grids, judged: &judged })?;
            return conclude(&judged, true, help);
        }
        print(&cells(&rows))?;
        for grid in &grids {
            print(&summary(grid))?;
        }
        conclude(&judged, false, help)
    }
}

fn cells(rows: &[GridRow]) -> String {
    let rates = |rates: &[f64]| {
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        format!("{least:.2} – {most:.2}")
    };
    let line = |row: &GridRow| {
        let cell = &row.cell;
        vec![
            cell.grid.clone(),
            cell.servers.to_string(),
            cell.clients.to_string(),
            cell.block_kib.to_string(),
            format!("{}{}", cell.moves.word(), if row.with_flush { ", flushed" } else { "" }),
            format!("{:.2}", row.measured()),
            rates(&row.measured_mb_per_s),
            format!("{:.2}", row.predicted()),
            rates(&row.predicted_mb_per_s),
            format!("{:+.1}", row.error_percent),
        ]
    };
    let headings =
        ["grid", "servers", "clients", "KiB", "", "measured MB/s", "range", "predicted", "range", "error %"];
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}

fn summary(grid: &GridJudgement) -> String {
    let mut text = format!(
        "{}: {} cells, median error {:.1} %, worst {:+.1} %, {} beyond 25 %; orderings of more than 10 %: {} of {} hold, {} more are \
         of cells whose repetitions overlap\n",
        grid.grid,
        grid.cells,
        grid.median_error_percent,
        grid.worst_error_percent,
        grid.beyond,
        grid.orderings.0,
        grid.orderings.1,
        grid.undecided
    );
    for (faster, slower) in grid.broken.iter().take(10) {
        text.push_str(&format!("  not: {faster} before {slower}\n"));
    }
    if grid.broken.len() > 10 {
        text.push_str(&format!("  and {} more\n", grid.broken.len() - 10));
    }
    text
}
