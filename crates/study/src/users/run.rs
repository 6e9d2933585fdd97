//! Users of a specification at work in real directories: files made where they aren't there, every call timed and
//! recorded.

use super::error::UsersError;
use super::workers::{Workers, placement};
use petrio_capture::undo::Undo;
use petrio_files::inputs::Inputs;
use petrio_files::under_way;
use petrio_kernel::Time;
use petrio_live::drive::apart::{Apart, Worker, run_apart};
use petrio_live::drive::{
    Below, DriveError, Ending, Ground, Recorded, Recorder, clock_overhead_ns, in_order, run_recorded,
};
use petrio_live::leftovers::MADE_BY_USERS;
use petrio_live::namespace::{Directories, Manifest, Site, cool_down, create, recorded};
use petrio_trace::native::{About, EventWriter};
use petrio_users::{Part, Usage, UsageAnalyser, UserSpecification, Users};
use petrio_workload::program::{FileTable, OperationEvents, Placement, Prepared};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Instant;

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
    /// The processes that run the users' processes; `None` for threads of this one.
    pub workers: Option<Workers>,
    /// Whether the files stay in the page cache in which making or using them has left them.
    pub warm: bool,
    /// Where every call is written, as a trace.
    pub trace: Option<PathBuf>,
    /// What is read for it: the trace takes the place of none of that.
    pub inputs: Inputs,
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
    /// Worker processes, where it weren't threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u64>,
    /// From the start of the first worker process until all were ready, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers_ready_s: Option<f64>,
    /// What driving costs: from the end of a call to the beginning of the next where nobody thinks, at the median, in
    /// nanoseconds.
    pub driver_ns_a_call: Option<f64>,
    /// What 99 of 100 of those times don't exceed.
    pub driver_p99_ns_a_call: Option<f64>,
    /// The mean of those times during which nobody else was given the processor.
    pub driver_mean_ns_a_call: Option<f64>,
    /// Which part of them all that mean is of.
    pub driver_mean_share: f64,
    /// How long processes waited because their calls came faster than they could be analysed, summed; part of none of
    /// those times.
    pub held_up_s: f64,
    /// What two looks at the clock cost, in nanoseconds; taken off no response time.
    pub clock_ns: f64,
    /// How files were used.
    pub usage: Usage,
}

/// Batches of calls on their way to the recorder.
const BATCHES: usize = 256;

/// Programs that are ready to run.
enum Work {
    /// By threads of this process.
    Here(Prepared),
    /// By others, of which each runs a part.
    Apart(Vec<Part>),
}

impl Work {
    /// What is to be run, and its files.
    fn of(run: &UsersRun, placement: &Placement) -> Result<(Self, FileTable), UsersError> {
        match &run.workers {
            None => {
                let prepared = run.specification.prepare(&run.crowd, placement, None)?;
                let files = prepared.files.clone();
                Ok((Self::Here(prepared), files))
            }
            Some(workers) => {
                let (parts, files) = workers.parts(&run.specification, &run.crowd, placement)?;
                Ok((Self::Apart(parts), files))
            }
        }
    }

    fn processes(&self) -> usize {
        match self {
            Self::Here(prepared) => prepared.programs.len(),
            Self::Apart(parts) => parts.last().map_or(0, |last| last.processes.end as usize),
        }
    }

    fn workers(&self) -> Option<u64> {
        match self {
            Self::Here(_) => None,
            Self::Apart(parts) => Some(parts.len() as u64),
        }
    }

    /// Ready to be run on a ground.
    fn on(self, run: &UsersRun, ground: Below) -> Result<Ready, UsersError> {
        Ok(match (self, &run.workers) {
            (Self::Here(prepared), _) => Ready::Here(prepared, Ground::Below(ground)),
            (Self::Apart(parts), Some(workers)) => {
                let whose = (&run.crowd, run.seed);
                Ready::Apart(workers.of(&run.specification, whose, parts, &ground.plan()?)?)
            }
            (Self::Apart(_), None) => Ready::Apart(Vec::new()),
        })
    }
}

/// Programs and where they run.
enum Ready {
    Here(Prepared, Ground),
    Apart(Vec<Worker>),
}

impl Ready {
    fn run(self, to: SyncSender<Recorded>, ending: Arc<Ending>) -> Result<Apart, DriveError> {
        match self {
            Self::Here(prepared, ground) => {
                let gaps = run_recorded(ground, prepared, Recorder { to, began: Instant::now(), ending })?;
                Ok(Apart { gaps, ..Apart::default() })
            }
            Self::Apart(workers) => run_apart(workers, &to),
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsersProgress {
    /// So many files and directories are made.
    Files(u64),
    /// So many calls have been carried out.
    Calls(u64),
}

/// Calls between two words of how far a run is.
const CALLS_A_WORD: u64 = 4_096;

/// Runs users. What `progress` is told of goes on as long as it says so; users in processes of their own go on all the
/// same.
///
/// # Errors
/// What is wrong with the specification, the directories, or the file system.
#[expect(
    clippy::too_many_lines,
    reason = "what is set up is taken down in the opposite order, whatever happens between"
)]
pub fn run_users(
    run: &UsersRun,
    mut progress: impl FnMut(UsersProgress) -> bool,
) -> Result<UsersSummary, UsersError> {
    let placement = placement(run.seed);
    let (work, files) = Work::of(run, &placement)?;
    let users = run.specification.files.users.unwrap_or(run.crowd.users);
    let manifest = Manifest::new(run.specification.clone(), users, run.seed);
    // As long as the site is there, no other petrio works in its directories.
    let mut site = Site::plan(manifest, &run.directories, "petrio users run")?;
    let created = create(&mut site, false, |made| progress(UsersProgress::Files(made)))?;
    let homes = site.cleared_homes()?;
    if !run.warm {
        cool_down(&site)?;
    }
    let clock_ns = clock_overhead_ns();
    let mut events = OperationEvents::of(&files, 1);
    drop(files);
    let about = About { command: run.command.clone(), ..About::default() };
    let mut writer =
        run.trace.as_deref().map(|path| EventWriter::create(path, &run.inputs, &about)).transpose()?;
    let (processes, workers) = (work.processes(), work.workers());
    let ready = work.on(run, site.ground())?;
    if workers.is_some() {
        site.share()?;
    }
    let mut analyser = UsageAnalyser::default();
    let (to, from) = sync_channel(BATCHES);
    let (mut first, mut last, mut calls) = (Time::NEVER, Time::ZERO, 0);
    // Whatever happens, and if a signal ends it all, what users have made doesn't stay.
    let ending = Arc::new(Ending::default());
    let removing = {
        let ending = ending.clone();
        let under_way = under_way::begin(MADE_BY_USERS, &recorded(&run.directories));
        Undo::new(move || {
            ending.end();
            match homes.clear() {
                Ok(_) => drop(under_way),
                // What can't be removed now is removed by the next start.
                Err(_) => under_way.keep(),
            }
        })
    };
    let driven = std::thread::scope(|scope| {
        let its_ending = ending.clone();
        let driving = scope.spawn(move || ready.run(to, its_ending));
        let recorded = in_order(processes, &from, |call| {
            (first, last) = (first.min(call.start), last.max(call.start + call.took));
            calls += 1;
            if calls % CALLS_A_WORD == 0 && !progress(UsersProgress::Calls(calls)) {
                ending.end();
            }
            let Some(event) = events.event(call) else { return Ok(()) };
            analyser.event(&event);
            writer.as_mut().map_or(Ok(()), |writer| writer.push(&event))
        });
        let driven = match driving.join() {
            Ok(driven) => driven.map_err(UsersError::from),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        recorded?;
        driven
    });
    drop(removing);
    drop(site);
    let Apart { gaps, started } = driven?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    Ok(UsersSummary {
        files_made: created.made,
        files_found: created.found,
        elapsed_s: last.saturating_sub(first).as_seconds(),
        workers,
        workers_ready_s: workers.map(|_| started.as_secs_f64()),
        driver_ns_a_call: gaps.quantile_ns(0.5),
        driver_p99_ns_a_call: gaps.quantile_ns(0.99),
        driver_mean_ns_a_call: gaps.undisturbed_mean_ns(),
        driver_mean_share: gaps.undisturbed_share(),
        held_up_s: gaps.held_up().as_secs_f64(),
        clock_ns,
        usage: analyser.finish(),
    })
}
