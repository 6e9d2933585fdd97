//! `petrio users run`

use super::directories::{Placed, directories, placed};
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::outputs::{Outputs, is_own_trace};
use crate::progress::CountProgress;
use crate::results::say_written;
use crate::usage::usage_tables;
use crate::user_shares::{failed, share, shares};
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::{Override, load_users_in};
use petrio_study::users::{UsersProgress, UsersRun, UsersSummary, Workers, run_users};
use petrio_users::Users;
use std::ffi::OsString;
use std::path::PathBuf;

/// Run the users of a specification on a real, mounted file system, each process a thread or a process, and time every
/// call
///
/// Their files are made first where they aren't there yet (petrio fs create), and only what petrio has made is written
/// to. What users make themselves goes at the end, or when the next run begins if this one is killed. The same users
/// run on simulated file systems by kind = "users" in a scenario, with the same calls from the same seed.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunUsers {
    /// The user specification
    #[arg(value_name = "SPEC", value_parser = crate::streams::input)]
    specification: PathBuf,
    /// Where their files are; PLACE=DIR for a place of the specification
    #[arg(long, value_name = "DIR", value_parser = placed, required = true)]
    dir: Vec<Placed>,
    /// How many users work at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    users: u32,
    /// How many login sessions each has
    #[arg(long, value_name = "N", default_value_t = 50)]
    sessions: u32,
    /// A population of the specification, instead of the types' own shares
    #[arg(long, value_name = "NAME", conflicts_with = "share")]
    population: Option<String>,
    /// How many of the users are of a type, instead of what the specification says; may be repeated
    #[arg(long, value_name = "TYPE=SHARE", value_parser = share)]
    share: Vec<(String, f64)>,
    /// Run each of their processes as a process of the operating system, instead of as a thread of one; with a number,
    /// in so many processes of several threads each
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = EACH, value_parser = workers)]
    processes: Option<WorkerCount>,
    /// Where random numbers begin: those of the files, and of what is done with them
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Change a value of the specification, such as files.count=5000; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Leave the files in the page cache if they are there; otherwise they are taken out of it before
    #[arg(long)]
    warm: bool,
    /// Write every call as a trace, for petrio users analyse and petrio trace
    #[arg(long, short, value_name = "RUN", value_parser = crate::streams::output)]
    out: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio users run examples/users/thesis.toml --dir /mnt/data/files
  petrio users run examples/users/thesis.toml --dir /mnt/nfs/files --users 6 --share heavy=0.8 --share light=0.2
  petrio users run examples/users/thesis.toml --dir files --users 100 --processes
  petrio users run examples/users/thesis.toml --dir files --out run.parquet
  petrio users analyse run.parquet";

/// How many worker processes; `None` for one a process.
#[derive(Clone, Copy, Debug)]
struct WorkerCount(Option<u32>);

const EACH: &str = "each";

fn workers(text: &str) -> Result<WorkerCount, String> {
    match text.parse() {
        _ if text == EACH => Ok(WorkerCount(None)),
        Ok(count) if count > 0 => Ok(WorkerCount(Some(count))),
        _ => {
            Err(format!("\"{text}\" is no number of processes: 1 or more is needed, or nothing for one each"))
        }
    }
}

/// This program again, told to be a worker.
fn these(WorkerCount(count): WorkerCount) -> Result<Workers, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(format!("the program can't be found to be started again: {error}"), None)
    })?;
    let supervisor = std::process::id().to_string();
    let arguments = ["users", "worker", "--supervisor", &supervisor].map(OsString::from).to_vec();
    Ok(Workers { count, program, arguments })
}

impl RunUsers {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        let specification = load_users_in(&inputs, &self.specification, &self.overrides)?;
        let shares = shares(&specification, self.population.as_deref(), &self.share)?;
        is_own_trace(self.out.as_deref())?;
        Outputs::of([("--out", &self.out)]).check(&inputs, [])?;
        if let Some(hours) = specification.hours_without_users() {
            talk(&format!(
                "note: by their hours, nobody is there in the first {hours} h, which pass as on any clock; \
                 --set begins=\"9 h\" begins later in the day"
            ));
        }
        let crowd = Users { shares, ..Users::new(&self.specification, self.users, self.sessions) };
        let run = UsersRun {
            crowd,
            directories: directories(&self.dir)?,
            seed: self.seed,
            workers: self.processes.map(these).transpose()?,
            warm: self.warm,
            trace: self.out.clone(),
            inputs,
            command: format!(
                "petrio users run {}, {} users, {} sessions, seed {}",
                self.specification.display(),
                self.users,
                self.sessions,
                self.seed
            ),
            specification,
        };
        let (mut files, mut calls) =
            (CountProgress::new(0, "files and directories"), CountProgress::new(0, "calls"));
        let summary = run_users(&run, |stage| {
            match stage {
                UsersProgress::Files(made) => files.update(made),
                UsersProgress::Calls(done) => {
                    files.finish();
                    calls.update(done);
                }
            }
            true
        });
        calls.finish();
        let summary = summary.map_err(failed)?;
        if self.json {
            print_json(&summary)?;
        } else {
            let mut text = usage_tables(&summary.usage);
            text.push_str(&how_it_went(&summary));
            print(&text)?;
        }
        if let Some(path) = &self.out {
            say_written([path]);
        }
        Ok(())
    }
}

/// Where the driver takes longer at the mean, in nanoseconds, it isn't its own work that takes so long.
const WAITING_NS: f64 = 1_000.0;

/// What the run itself took and cost.
fn how_it_went(summary: &UsersSummary) -> String {
    let mut text = format!("\n  {:.2} s by the wall clock", summary.elapsed_s);
    if let (Some(workers), Some(ready)) = (summary.workers, summary.workers_ready_s) {
        text.push_str(&format!(", by {workers} worker processes, ready after {ready:.2} s"));
    }
    if let Some(median) = summary.driver_ns_a_call {
        text.push_str(&format!("\n  the driver itself: {median:.0} ns a call at the median"));
        if let Some(most) = summary.driver_p99_ns_a_call {
            text.push_str(&format!(", at most {most:.0} ns in 99 of 100"));
        }
        if let Some(mean) = summary.driver_mean_ns_a_call {
            let share = 100.0 * summary.driver_mean_share;
            text.push_str(&format!(", {mean:.0} ns at the mean"));
            text.push_str(&format!(
                "\n    (of it the clock {:.0} ns; the mean is of the {share:.0} % of calls after which nobody else had the processor)",
                summary.clock_ns
            ));
            if mean > WAITING_NS && summary.workers.is_none() {
                text.push_str(
                    "\n    so many threads wait for each other in between; --processes keeps them apart",
                );
            }
        }
    }
    if summary.held_up_s > 0.0 {
        text.push_str(&format!(
            "\n  {:.2} s, summed over processes, waited until their calls were analysed",
            summary.held_up_s
        ));
    }
    text.push('\n');
    text
}
