//! `petrio validate live`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::{Args, ValueEnum};
use petrio_validation::live::cuts::CutRow;
use petrio_validation::live::jobs::JobRow;
use petrio_validation::live::programs::ProgramRow;
use petrio_validation::live::requests::RequestsRow;
use petrio_validation::live::{FileSystemRows, Follows, LiveQuestion, LiveRows, Part, compare};
use petrio_validation::md::MdRow;
use petrio_validation::ops::{ComparedOperation, word};

/// What `petrio validate live` is asked
#[derive(Args)]
#[command(after_help = concat!(
    "A disk of 7200 rpm is emulated by the wall clock, so nothing else may run beside this: what came back late is void, and \
     misses. All parts take an hour and a half by the drive's turns, of which operations take most (their time follows \
     --repetitions); each part is told when it is done.\n\n",
    exit_codes!()
))]
pub(crate) struct ValidateLive {
    /// Only this part; may be given several times
    #[arg(long, value_enum, value_name = "PART")]
    only: Vec<Only>,
    /// How often each operation is carried out on the real kernel
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    repetitions: u32,
    /// Requests of the micro-benchmark
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    requests: u32,
    /// Writers that are cut off
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000)]
    writers: u32,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Only {
    /// A micro-benchmark on one disk: simulated and emulated
    Requests,
    /// Operations on ext3, ext4 and XFS: the model's and this machine's kernel's
    Operations,
    /// dd, SQLite, tar and fio, also as iozone does, executed, and run on this machine's ext3
    Programs,
    /// BT-IO's pattern on four ranks: recorded and replayed, executed, and run on this machine's ext3
    Jobs,
    /// md at levels 5 and 6 in a guest on emulated drives: what its members are asked for
    Arrays,
    /// What survives a power cut on ext3, with barriers and without
    Cuts,
}

impl From<Only> for Part {
    fn from(only: Only) -> Self {
        match only {
            Only::Requests => Self::Requests,
            Only::Operations => Self::Operations,
            Only::Programs => Self::Programs,
            Only::Jobs => Self::Jobs,
            Only::Arrays => Self::Arrays,
            Only::Cuts => Self::Cuts,
        }
    }
}

impl ValidateLive {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let parts = match self.only.as_slice() {
            [] => Part::ALL.to_vec(),
            only => only.iter().map(|only| Part::from(*only)).collect(),
        };
        let Self { repetitions, requests, writers, seed, .. } = *self;
        if repetitions == 0 || requests == 0 || writers == 0 {
            let help = "leave parts out by --only".to_owned();
            return Err(Failure::new("nothing of something compares nothing", Some(help)));
        }
        let question = LiveQuestion { parts, repetitions, requests, writers, seed };
        let mut told = Told { json: self.json, last: String::new(), unprinted: None };
        let (rows, judged) = compare(&question, &mut told).map_err(|error| Failure::new(error, None))?;
        if let Some(failure) = told.unprinted {
            return Err(failure);
        }
        for why in &rows.left_out {
            talk(&format!("note: {why}"));
        }
        if self.json {
            print_json(&rows)?;
        }
        conclude(&judged, self.json, "petrio validate live --only PART --json tells each row")
    }
}

/// Who waits for it: each part's table is printed when it is there, so that a comparison that is broken off has told what was done.
struct Told {
    json: bool,
    last: String,
    /// Why a table couldn't be printed.
    unprinted: Option<Failure>,
}

impl Follows for Told {
    fn comes(&mut self, what: &str) {
        // Each operation would be too much.
        let phase: Vec<&str> = what.split(' ').take(2).collect();
        let phase = if what.contains(':') { phase.join(" ") } else { what.to_owned() };
        if phase != self.last {
            talk(&format!("{phase} …"));
            self.last = phase;
        }
    }

    fn done(&mut self, part: Part, rows: &LiveRows) {
        if !self.json && self.unprinted.is_none() {
            self.unprinted = part_table(part, rows).and_then(|table| print(&table).err());
        }
    }
}

/// A part's rows, where it has any.
fn part_table(part: Part, rows: &LiveRows) -> Option<String> {
    fn cells<T>(rows: &[T], cells: fn(&T) -> Vec<String>) -> Vec<Vec<String>> {
        rows.iter().map(cells).collect()
    }
    let (headings, cells): (&[&str], Vec<Vec<String>>) = match part {
        Part::Requests => (
            &["one disk", "requests", "simulated, ms", "emulated, ms", "error", "on time"],
            cells(&rows.requests, request_cells),
        ),
        Part::Operations => {
            let FileSystemRows { file_system, rows } = rows.operations.last()?;
            let headings = [*file_system, "journal", "requests", "the same", "predicted, ms", "measured, ms"];
            return Some(table(&headings, &cells(rows, operation_cells)));
        }
        Part::Programs => (
            &["program", "I/O executed, ms", "I/O emulated, ms", "error", "on time"],
            cells(&rows.programs, program_cells),
        ),
        Part::Jobs => (
            &["job", "I/O replayed, ms", "executed, ms", "emulated, ms", "on time"],
            cells(&rows.jobs, job_cells),
        ),
        Part::Arrays => (
            &["array in a guest", "bytes", "requests apart", "read, points", "written, points"],
            cells(&rows.arrays, array_cells),
        ),
        Part::Cuts => (
            &["ext3 cut off", "barriers", "writers", "after, s", "promised", "broken"],
            cells(&rows.cuts, cut_cells),
        ),
    };
    (!cells.is_empty()).then(|| table(headings, &cells))
}

fn request_cells(row: &RequestsRow) -> Vec<String> {
    vec![
        row.direction.to_owned(),
        row.requests.to_string(),
        format!("{:.3}", row.simulated_ms),
        format!("{:.3}", row.emulated_ms),
        format!("{:+.1} %", row.error_percent),
        yes(row.on_time),
    ]
}

fn operation_cells(row: &ComparedOperation) -> Vec<String> {
    let measured = row.measured.as_ref();
    vec![
        row.operation.to_owned(),
        word(row.journal).to_owned(),
        row.requests.clone(),
        measured
            .map_or("–".to_owned(), |found| if found.agrees { yes(true) } else { found.requests.clone() }),
        format!("{:.1}", row.time_ms),
        measured.map_or("–".to_owned(), |found| format!("{:.1}", found.time_ms)),
    ]
}

fn program_cells(row: &ProgramRow) -> Vec<String> {
    vec![
        row.program.to_owned(),
        format!("{:.0}", row.executed_io_ms),
        format!("{:.0}", row.emulated_io_ms),
        format!("{:+.1} %", row.error_percent),
        yes(row.on_time),
    ]
}

fn job_cells(row: &JobRow) -> Vec<String> {
    let figures = [row.recorded_ms, row.executed_ms, row.emulated_ms].map(|figure| format!("{figure:.0}"));
    let [replayed, executed, emulated] = figures;
    vec![row.job.to_owned(), replayed, executed, emulated, yes(row.on_time)]
}

fn array_cells(row: &MdRow) -> Vec<String> {
    vec![
        row.cell.words(),
        if row.same_bytes { "the same" } else { "others" }.to_owned(),
        row.requests_apart.to_string(),
        format!("{:+.2}", row.read_points),
        format!("{:+.2}", row.write_points),
    ]
}

fn cut_cells(row: &CutRow) -> Vec<String> {
    vec![
        word(row.journal).to_owned(),
        yes(row.barriers),
        row.writers.to_string(),
        format!("{:.1}", row.cut_after_s),
        row.promised.to_string(),
        row.broken.to_string(),
    ]
}

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}
