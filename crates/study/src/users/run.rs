//! Users of a specification at work in real directories: files made where they aren't there, every call timed and recorded.

use super::error::UsersError;
use petrio_kernel::Time;
use petrio_live::drive::{in_order, run_recorded};
use petrio_live::namespace::{Directories, Manifest, Site, cool_down, create, remove_made};
use petrio_workload::program::{OperationEvents, Placement};
use petrio_workload::trace::native::{About, EventWriter};
use petrio_workload::users::{Usage, UsageAnalyser, UserSpecification, Users};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;

/// What is to be run, and where.
#[derive(Clone, Debug)]
pub struct UsersRun {
    /// The users and their files.
    pub specification: UserSpecification,
    /// How many of them, and for how many sessions.
    pub crowd: Users,
    /// Where their files lie.
    pub directories: Directories,
    /// Where random numbers begin.
    pub seed: u64,
    /// Whether the files stay in the page cache in which making or using them has left them.
    pub warm: bool,
    /// Where every call is written, as a trace.
    pub trace: Option<PathBuf>,
    /// What the trace says of how it was made.
    pub command: String,
}

/// How it went.
#[derive(Clone, Debug, Serialize)]
pub struct UsersSummary {
    /// Files and directories that were made for it.
    pub files_made: u64,
    /// Those that were there already.
    pub files_found: u64,
    /// From the first call to the end of the last, in seconds.
    pub elapsed_s: f64,
    /// What driving costs: from the end of a call to the beginning of the next where nobody thinks, at the median, in nanoseconds.
    pub driver_ns_a_call: Option<f64>,
    /// What two looks at the clock cost, in nanoseconds; taken off no response time.
    pub clock_ns: f64,
    /// How files were used.
    pub usage: Usage,
}

/// Batches of calls on their way to the recorder.
const BATCHES: usize = 256;

/// Runs users.
///
/// # Errors
/// What is wrong with the specification, the directories, or the file system.
pub fn run_users(run: &UsersRun, progress: impl FnMut(u64) -> bool) -> Result<UsersSummary, UsersError> {
    let placement = Placement { seed: run.seed, ..Placement::new("users") };
    let prepared = run.specification.prepare(&run.crowd, &placement, None)?;
    let users = run.specification.files.users.unwrap_or(run.crowd.users);
    let manifest = Manifest::new(run.specification.clone(), users, run.seed);
    let site = Site::plan(manifest, &run.directories)?;
    let created = create(&site, false, progress)?;
    if !run.warm {
        cool_down(&site)?;
    }
    let mut events = OperationEvents::of(&prepared.files, 1);
    let about = About { command: run.command.clone(), ..About::default() };
    let mut writer = run.trace.as_deref().map(|path| EventWriter::create(path, &about)).transpose()?;
    let processes = prepared.programs.len();
    let mut analyser = UsageAnalyser::default();
    let (to, from) = sync_channel(BATCHES);
    let (mut first, mut last) = (Time::NEVER, Time::ZERO);
    let measured = std::thread::scope(|scope| {
        let root = run.directories.main.as_path();
        let driving = scope.spawn(move || run_recorded(root, prepared, Some(to)));
        let recorded = in_order(processes, &from, |call| {
            (first, last) = (first.min(call.start), last.max(call.start + call.took));
            let Some(event) = events.event(call) else { return Ok(()) };
            analyser.event(&event);
            writer.as_mut().map_or(Ok(()), |writer| writer.push(&event))
        });
        let measured = match driving.join() {
            Ok(measured) => measured.map_err(UsersError::from),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        recorded?;
        measured
    });
    // Whatever happened, what users have made doesn't stay.
    remove_made(&site);
    let measured = measured?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    Ok(UsersSummary {
        files_made: created.made,
        files_found: created.found,
        elapsed_s: last.saturating_sub(first).as_seconds(),
        driver_ns_a_call: measured.driver_ns_a_call(),
        clock_ns: measured.clock_overhead_ns,
        usage: analyser.finish(),
    })
}
