//! `petrio validate raid`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::md::{self, MdRow};
use petrio_validation::raid::{BOUND_PERCENT, RaidRow, validate_raid};
use petrio_validation::verdict::{Judged, Judgement};
use std::path::{Path, PathBuf};

/// DiskSim's own configurations of RAID 5 and of a set of arrays, with its synthetic workloads, beside its means; or measured arrays of
/// Linux md
///
/// With --dir: cells measured on arrays of Linux md of a stock kernel 6.1 (catalogue: linux-6.1), what each member was asked to read and
/// write beside what the model asks of it.
#[derive(Args)]
#[command(after_help = concat!("\
The scenarios are built of the parameters of DiskSim 4.0's valid/synthraid5.parv and syntharrays.parv; docs/raid.md says what
of them isn't as its files say. A mean may miss DiskSim's by 3 %.

Cells are rows of the CSV files of --dir, with the columns level, layout, members, chunk_kib, stripe_cache_pages_per_member, state,
failed_member, operation, request_bytes, request_count, seed, region_bytes, vm_dirty_bytes, member_pace_bytes_per_s,
member_pace_requests_per_s, elapsed_guest_s, and member_read_requests, member_read_bytes, member_write_requests and
member_write_bytes, a number for each member. Bytes of direct cells may differ in 2 of 100, requests in 5 and by 2 at most;
amplifications of buffered cells may by 2 percentage points, and where one fsync meets a cache of two stripes something is read, and
less than 40 %; times of direct sequential cells may by 10 %.\n\n", exit_codes!()))]
pub(crate) struct ValidateRaid {
    /// Requests of each run (DiskSim's own: 10000)
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    requests: u64,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 42)]
    seed: u64,
    /// A folder with measured arrays of Linux md, instead of DiskSim's
    #[arg(long, value_name = "DIR", conflicts_with_all = ["requests", "seed"])]
    dir: Option<PathBuf>,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

impl ValidateRaid {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match &self.dir {
            Some(dir) => self.measured(dir),
            None => self.disksim(),
        }
    }

    /// Cells of Linux md's arrays.
    fn measured(&self, dir: &Path) -> Result<(), Failure> {
        let cells = md::read_cells(&Inputs::here(), dir).map_err(|error| Failure::new(error, None))?;
        talk(&format!("simulating: {} cells of Linux md's arrays …", cells.len()));
        let rows = md::rows(&cells, &mut |_, _| {}).map_err(|error| Failure::new(error, None))?;
        let judged = md::judge(&rows);
        if self.json {
            print_json(&serde_json::json!({ "rows": rows, "judged": judged }))?;
        } else {
            let headings = ["cell", "bytes", "requests apart", "read points", "write points", "time %"];
            print(&table(&headings, &rows.iter().map(md_cells).collect::<Vec<_>>()))?;
            for one in judged.iter().filter(|one| one.verdict == Judgement::Holds && one.figures.is_some()) {
                print(&format!("{}: {}\n", one.verdict.words(), one.line()))?;
            }
        }
        conclude(&judged, self.json, "docs/raid.md says what of md is modelled")
    }

    fn disksim(&self) -> Result<(), Failure> {
        talk("simulating: DiskSim's RAID 5 and its set of arrays …");
        let rows = validate_raid(self.requests, self.seed).map_err(|error| Failure::new(error, None))?;
        if self.json {
            print_json(&rows)?;
        } else {
            let headings = ["DiskSim's file", "mean of", "DiskSim ms", "", "petrio ms", "deviation %"];
            print(&table(&headings, &rows.iter().map(cells).collect::<Vec<_>>()))?;
        }
        let judged: Vec<Judged> = rows.iter().map(judged).collect();
        conclude(&judged, self.json, "docs/raid.md says how the configurations were read")
    }
}

fn md_cells(row: &MdRow) -> Vec<String> {
    vec![
        row.cell.words(),
        if row.same_bytes { "same" } else { "differ" }.to_owned(),
        row.requests_apart.to_string(),
        format!("{:+.2}", row.read_points),
        format!("{:+.2}", row.write_points),
        format!("{:+.1}", row.time_percent),
    ]
}

fn cells(row: &RaidRow) -> Vec<String> {
    vec![
        row.configuration.to_owned(),
        row.mean.to_owned(),
        format!("{:.2}", row.disksim_ms),
        if row.published { "published" } else { "run" }.to_owned(),
        format!("{:.2}", row.ours_ms),
        format!("{:+.2}", row.deviation_percent),
    ]
}

fn judged(row: &RaidRow) -> Judged {
    let what = format!("{}: {}", row.configuration, row.mean);
    Judged::percent(what, row.deviation_percent, BOUND_PERCENT, None)
}
