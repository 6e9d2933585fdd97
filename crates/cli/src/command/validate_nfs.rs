//! `petrio validate nfs`

use crate::command::validate_nfs_kao;
use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::nfs::grid::{NfsTimeRow, judge_times, predict_times, read_times};
use petrio_validation::verdict::Judged;
use serde::Serialize;
use std::path::PathBuf;

/// NFS: Kao's measurements of Sun's, and a small server of today and its users, predicted beside what was measured
///
/// Without a folder: Kao's thesis (CRHC-91-19, 1991), one to six users of a workload generator on one Sun 3/50 with a Sun 4/490 for a server. What
/// the parts cost is from published measurements and data sheets (docs/nfs.md); one factor on all that costs the workstation's processor is
/// fitted to one user, the response times of two to six are predicted, within 10 %, and what the thesis says of its figures 5.6 to 5.12 is
/// judged, claim by claim. It takes a minute or two.
///
/// With a folder: response times of calls of a small NFS server.
/// Users are processes on one host, each with a connection of its own, who speak NFS version 3 themselves, call after call, and keep
/// nothing in memory. Nothing is fitted to the rows that are predicted: links are those of the test bed's description, what calls are long
/// is by the standards, and what they cost is from single calls on idle hosts.
#[derive(Args)]
#[command(after_help = concat!("\
A grid is a CSV file with the columns users, block_bytes, op (read_seq, read_rand, write_seq_unstable, write_rand_unstable,
write_seq_filesync, write_rand_filesync), link_mbit and resp_mean_ms, and perhaps resp_p50_ms; rows that are alike are repetitions, and
rows with err above 0 are left out. What is judged is the median call's response time, of all repetitions the median, where a grid has
resp_p50_ms, and the mean call's else: calls that something else held up on the measured machine move a mean. The test bed is testbed.toml of the same folder, where there is one,
or else nfs-ganesha and libnfs on namespaces of one machine. What a row says is set in it: network.lan.link.rate, workload.w.operation,
.order, .record, .processes and .sync.

The median error may be 3 %, the worst 8 %.\n\n", exit_codes!()))]
pub(crate) struct ValidateNfs {
    /// A folder with grids of response times; without one Kao's experiment is predicted
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Everything<'e> {
    rows: &'e [NfsTimeRow],
    judged: &'e [Judged],
}

impl ValidateNfs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let Some(dir) = &self.dir else { return validate_nfs_kao::execute(self.json) };
        let inputs = Inputs::here();
        let failed = |error| Failure::new(error, None);
        let (measured, left_out) = read_times(&inputs, dir).map_err(failed)?;
        for path in &left_out {
            talk(&format!("note: {} is no grid of response times", path.display()));
        }
        let rows = predict_times((&inputs, dir), &measured, &mut |done, of| {
            if done.is_multiple_of(20) || done == of {
                talk(&format!("simulated {done} of {of} cells …"));
            }
        });
        let rows = rows.map_err(failed)?;
        let judged = judge_times(&rows);
        let help = "petrio validate nfs --json prints every row";
        if self.json {
            print_json(&Everything { rows: &rows, judged: &judged })?;
            return conclude(&judged, true, help);
        }
        print(&times(&rows))?;
        conclude(&judged, false, help)
    }
}

fn times(rows: &[NfsTimeRow]) -> String {
    let line = |row: &NfsTimeRow| {
        vec![
            row.op.clone(),
            row.block_bytes.to_string(),
            row.users.to_string(),
            row.link_mbit.to_string(),
            format!("{:.4}", row.measured_ms),
            format!("{:.4}", row.predicted_ms),
            format!("{:+.1}", row.error_percent),
            format!("{:+.1}", row.mean_error_percent),
        ]
    };
    let headings =
        ["calls", "bytes", "users", "Mbit/s", "measured ms", "predicted ms", "error %", "of the mean"];
    table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}
