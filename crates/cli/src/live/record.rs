//! `petrio record`

use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_kernel::Time;
use petrio_record::{FILE, Parameters, RecordError, Recorded, finish, record};
use petrio_units::Bytes;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

/// Record what a program does (its calls on files, its messages, and how long it computes in between), to run it on other systems
///
/// The recording is a folder with a trace in it, which every `petrio trace` command reads; `kind = "recording"` runs it in a scenario:
/// computing as long as it took, messages through the simulated network, calls through the simulated storage. All processes and threads
/// that the command starts are recorded, and the ranks of an MPI job on this machine (C and Fortran; what records them is compiled by
/// `mpicc`). It needs no rights. Programs that load no libraries (static ones, most of Go's) are followed from outside. What isn't seen is
/// counted and named: accesses through mappings, and asynchronous accesses.
///
/// The exit code is the command's. docs/record.md tells more.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Record {
    /// The recording: a folder that is made, or is empty
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
    /// Replace the recording that is in it
    #[arg(long)]
    force: bool,
    /// Record MPI's calls, too, though the command doesn't look as if there were some
    #[arg(long, conflicts_with = "no_mpi")]
    mpi: bool,
    /// Don't record MPI's calls
    #[arg(long)]
    no_mpi: bool,
    /// Follow the command from outside instead of loading the recorder into it, as static programs are: slower, and without MPI's calls
    #[arg(long, conflicts_with = "mpi")]
    outside: bool,
    /// Keep what the threads wrote, of which the recording was made, in DIR/raw
    #[arg(long)]
    keep_raw: bool,
    /// Complete a recording that was broken off: petrio was killed while the command ran
    #[arg(long, conflicts_with_all = ["command", "mpi", "no_mpi", "outside", "force"])]
    finish: bool,
    /// The command with its arguments, behind --
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "finish")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  petrio record --out load -- sqlite3 new.db '.read load.sql'
  petrio record --out build -- make -j4
  petrio record --out service --outside -- ./service --once
  petrio record --out job -- mpirun -np 4 ./bt_io 64 20 simple state
  petrio trace info load
  petrio run scenario.toml --set workload.w.recording=load";

/// As shells have it: 128 and the number of the signal that ended a command.
const BY_SIGNAL: i32 = 128;

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Trace(error) => error.into(),
            error if error.is_of_the_system() => Self::output(&error),
            error => Self::of(&error),
        }
    }
}

impl Record {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if self.finish {
            let recorded = finish(&self.out, self.keep_raw)?;
            self.tell(&recorded);
            return Ok(());
        }
        let parameters = Parameters {
            out: self.out.clone(),
            command: self.command.clone(),
            force: self.force,
            keep_raw: self.keep_raw,
            mpi: match (self.mpi, self.no_mpi) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            },
            outside: self.outside,
        };
        let (status, recorded) = record(&parameters)?;
        self.tell(&recorded);
        ended(status)
    }

    fn tell(&self, recorded: &Recorded) {
        let Recorded { events, processes, threads, ranks, accesses, messages, .. } = recorded;
        let seconds = |nanoseconds: u64| Time::from_picos(nanoseconds.saturating_mul(1_000));
        let many = |count: u64, one: &str, several: &str| {
            format!("{count} {}", if count == 1 { one } else { several })
        };
        let mut who = many(*processes, "process", "processes");
        if threads > processes {
            who.push_str(&format!(" with {threads} threads"));
        }
        if *ranks > 0 {
            who.push_str(&format!(", {} of them {}", ranks, if *ranks == 1 { "a rank" } else { "ranks" }));
        }
        talk(&format!("{}: {} of {who}", self.out.join(FILE).display(), many(*events, "event", "events")));
        let mut what = format!(
            "{} read {} and wrote {}",
            many(*accesses, "access", "accesses"),
            Bytes(recorded.bytes_read),
            Bytes(recorded.bytes_written)
        );
        if *messages > 0 {
            what.push_str(&format!("; {}", many(*messages, "event of messages", "events of messages")));
        }
        let (computed, span) = (seconds(recorded.compute_ns), seconds(recorded.span_ns));
        talk(&format!("  {what}; {computed} computing in {span}"));
        for line in &recorded.unseen {
            talk(&format!("  not seen: {line}"));
        }
    }
}

/// The command's exit code is ours.
fn ended(status: ExitStatus) -> Result<(), Failure> {
    let code = status.code().or_else(|| status.signal().map(|signal| BY_SIGNAL + signal)).unwrap_or(0);
    match u8::try_from(code) {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Code(code)),
        Err(_) => Err(Failure::Code(u8::MAX)),
    }
}
