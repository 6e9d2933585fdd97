//! Users run by operating-system processes of their own: what each is told, and what it makes of it.

use super::error::UsersError;
use petrio_live::drive::GroundPlan;
use petrio_live::drive::apart::{Assignment, Refusal, Worker, serve};
use petrio_users::{Part, UserSpecification, Users, crowd_name};
use petrio_workload::program::{FileTable, Placement};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// Processes that run the processes of users.
#[derive(Clone, Debug)]
pub struct Workers {
    /// How many, as far as there are processes to run; `None` for one each.
    pub count: Option<u32>,
    /// A program that calls [`work`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// What a worker is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Job {
    specification: UserSpecification,
    crowd: Users,
    seed: u64,
    ground: GroundPlan,
    part: Part,
}

/// Under which name and seed the programs of users run.
pub(super) fn placement(seed: u64) -> Placement {
    Placement { seed, ..Placement::new(crowd_name(0)) }
}

impl Workers {
    /// What each of the workers of a run runs, and all its files.
    pub(super) fn parts(
        &self,
        specification: &UserSpecification,
        crowd: &Users,
        placement: &Placement,
    ) -> Result<(Vec<Part>, FileTable), UsersError> {
        let count = self.count.unwrap_or(u32::MAX);
        let (files, parts) = specification.parts(crowd, placement, count)?;
        Ok((parts, files))
    }

    /// Workers that run these parts of the crowd.
    pub(super) fn of(
        &self,
        specification: &UserSpecification,
        (crowd, seed): (&Users, u64),
        parts: Vec<Part>,
        ground: &GroundPlan,
    ) -> Result<Vec<Worker>, UsersError> {
        let worker = |part: Part| {
            let processes = part.processes.start as usize..part.processes.end as usize;
            let job = Job {
                specification: specification.clone(),
                crowd: crowd.clone(),
                seed,
                ground: ground.clone(),
                part,
            };
            let mut command = Command::new(&self.program);
            command.args(&self.arguments);
            let job = serde_json::to_vec(&job).map_err(|error| UsersError::Job(error.to_string()))?;
            Ok(Worker { command, job, processes })
        };
        parts.into_iter().map(worker).collect()
    }
}

/// What a worker does: it serves whoever has started it.
///
/// # Errors
/// Where nobody has.
pub fn work() -> io::Result<()> {
    serve(|job| {
        let job: Job = serde_json::from_slice(job)
            .map_err(|error| Refusal { why: format!("its job can't be read: {error}"), help: None })?;
        let prepared = job.specification.prepare_part(&job.crowd, &placement(job.seed), &job.part);
        let (prepared, numbers) = prepared.map_err(|error| Refusal::of(&error))?;
        let file_of_whole = Box::new(move |file| numbers.of_whole(file));
        let ground = job.ground.open();
        let ground = ground.map_err(|error| Refusal::of(&error))?;
        Ok(Assignment { ground, prepared, file_of_whole })
    })
}
