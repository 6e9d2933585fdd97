//! `petrio validate streaming`

use crate::failure::Failure;
use crate::judged::exit_codes;
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::Args;
use petrio_validation::streaming::{
    Bound, GAPS_US, LENGTHS_KIB, MARGIN_PERCENT, StreamingRow, Verdict, validate_streaming,
};
use std::collections::BTreeSet;

/// Sequential reads and writes of the catalogue's drives, 1 KiB to 1 MiB a command, beside their data sheets' rates
#[derive(Args)]
#[command(after_help = concat!("\
Writes are those with the write cache on, once it is full. A rate is bounded by the data sheet's sustained rate, else by
the medium of the catalogue file's own geometry, or by controller, bus and gap for one command after the other. From
64 KiB on it must lie within 5 % of its bound.\n\n", exit_codes!()))]
pub(crate) struct ValidateStreaming {
    /// Print every row, with its bound, as JSON
    #[arg(long)]
    json: bool,
}

impl ValidateStreaming {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        talk("simulating: streams on every drive of the catalogue …");
        let rows = validate_streaming().map_err(|error| Failure::new(error, None))?;
        if self.json {
            print_json(&rows)?;
        } else {
            print_table(&rows)?;
        }
        Self::conclude(&rows)
    }

    fn conclude(rows: &[StreamingRow]) -> Result<(), Failure> {
        let help = "petrio validate streaming --json prints every row".to_owned();
        let misses: Vec<&StreamingRow> = rows.iter().filter(|row| row.verdict == Verdict::Misses).collect();
        let Some(worst) =
            misses.iter().max_by(|a, b| a.error_percent.abs().total_cmp(&b.error_percent.abs()))
        else {
            let known = rows.iter().filter(|row| row.verdict == Verdict::KnownToMiss).count();
            if known == 0 {
                return Ok(());
            }
            let all = rows.len();
            let message = format!("{known} of {all} streams miss their bound, and all of these are known to");
            return Err(Failure::KnownToMiss { message, help });
        };
        let message = format!(
            "{} of {} streams miss their bound by more than {MARGIN_PERCENT:.0} %; the worst: {}",
            misses.len(),
            rows.len(),
            in_words(worst)
        );
        Err(Failure::Missed { message, help })
    }
}

/// A line for each drive and direction: its rates without gaps, and how far from its bound it gets with any gap.
fn print_table(rows: &[StreamingRow]) -> Result<(), Failure> {
    let of_a_drive = rows.chunk_by(|a, b| (&a.drive, a.write) == (&b.drive, b.write));
    let cells: Vec<Vec<String>> = of_a_drive.filter_map(line).collect();
    let mut headings = vec!["drive".to_owned(), "MB/s in commands of".to_owned()];
    headings.extend(LENGTHS_KIB.map(|kib| format!("{kib} KiB")));
    headings.extend(["medium", "by", "worst %", "at", ""].map(str::to_owned));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    print(&table(&headings, &cells))?;
    let reasons: BTreeSet<&str> = rows.iter().filter_map(|row| row.reason).collect();
    for reason in reasons {
        print(&format!("known to miss: {reason}\n"))?;
    }
    Ok(())
}

fn line(rows: &[StreamingRow]) -> Option<Vec<String>> {
    let first = rows.first()?;
    let mut cells = vec![first.drive.clone(), if first.write { "writes" } else { "reads" }.to_owned()];
    let at_once = rows.iter().filter(|row| row.gap_us == GAPS_US[0]);
    cells.extend(at_once.map(|row| format!("{:.1}", row.mb_per_s)));
    let judged = rows.iter().filter(|row| row.verdict != Verdict::NotJudged);
    let worst = judged.max_by(|a, b| a.error_percent.abs().total_cmp(&b.error_percent.abs()))?;
    let by_medium = rows.iter().find(|row| row.bound != Bound::Commands);
    cells.push(by_medium.map_or("–".to_owned(), |row| format!("{:.1}", row.bound_mb_per_s)));
    cells.push(by_medium.map_or("bus", |row| word(row.bound)).to_owned());
    cells.push(format!("{:+.1}", worst.error_percent));
    cells.push(format!("{} KiB, {} µs", worst.length_kib, worst.gap_us));
    let verdict = match worst.verdict {
        Verdict::Holds | Verdict::NotJudged => "holds",
        Verdict::KnownToMiss => "known to miss",
        Verdict::Misses => "misses",
    };
    cells.push(verdict.to_owned());
    Some(cells)
}

fn word(bound: Bound) -> &'static str {
    match bound {
        Bound::DataSheet => "data sheet",
        Bound::Medium => "geometry",
        Bound::Commands => "controller, bus and gaps",
    }
}

fn in_words(row: &StreamingRow) -> String {
    let what = if row.write { "writes" } else { "reads" };
    let StreamingRow { drive, length_kib, gap_us, mb_per_s, bound_mb_per_s, .. } = row;
    format!(
        "{what} of {length_kib} KiB on {drive} with {gap_us} µs between come to {mb_per_s:.1} MB/s, where {} allows \
         {bound_mb_per_s:.1}",
        match row.bound {
            Bound::DataSheet => "the data sheet",
            Bound::Medium => "the medium",
            Bound::Commands => "one command after the other",
        }
    )
}
