//! `petrio validate raid`

use crate::command::judged::conclude;
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_validation::raid::{BOUND_PERCENT, RaidRow, validate_raid};
use petrio_validation::verdict::Judged;

/// DiskSim's own configurations of RAID 5 and of a set of arrays, with its synthetic workloads, beside its means
#[derive(Args)]
#[command(after_help = "\
The scenarios are built of the parameters of DiskSim 4.0's valid/synthraid5.parv and syntharrays.parv; docs/raid.md says what
of them isn't as its files say. A mean that misses DiskSim's by more than 3 % makes the command end with 1.")]
pub(crate) struct ValidateRaid {
    /// Requests of each run (DiskSim's own: 10000)
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000)]
    requests: u64,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 42)]
    seed: u64,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

impl ValidateRaid {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
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
