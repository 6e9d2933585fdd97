//! Unmodified programs run on simulated storage, in virtual time.
//!
//! The program's files are really stored, by the real kernel, in a copy of the host's file system ([`petrio_intercept::cage`]); what is
//! simulated is time. Each call that touches storage is held until the engine has carried it out, and then goes on in the kernel. Clocks,
//! sleeps and timeouts show virtual time, and nobody waits for it: a program is done as soon as the computer can.
//!
//! ```text
//!   program ─ calls ─▶ Supervisor ─ FileOp ─▶ engine ─▶ host, cache, disks of the scenario
//!           ◀ answers ─    │      ◀─ done ──
//!                       its threads' clocks; whoever is earliest goes first
//! ```
//!
//! What isn't seen: accesses to mapped files (counted), and processor time's own dependence on where data lies.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod arrivals;
mod clocks;
mod decide;
mod descriptors;
mod failure;
mod files;
mod lifetimes;
mod looks;
mod names;
mod options;
mod places;
mod ranks;
mod real_time;
mod refusals;
mod shim;
mod signals;
mod source;
mod standstill;
mod stats;
mod supervisor;
mod table;
mod thread;
mod timers;
mod times;
mod told;
mod turns;
mod used;
mod waits;
mod words;

pub use failure::ExecuteError;
pub use files::Laid;
pub use options::{Compute, Options};
pub use ranks::{MessageSpeed, RankTold};
pub use shim::Shim;
pub use told::Told;

use files::Files;
use petrio_colours::FileOp;
use petrio_intercept::cage::Cage;
use petrio_intercept::{Start, start};
use petrio_kernel::Watch;
use petrio_record::mpi::{is_launcher, is_likely};
use petrio_scenario::given::{Given, GivenPlace};
use petrio_workload::program::{FileTable, ProgramError};
use petrio_workload::{RequestSource, SourceError};
use source::Executed;
use std::ffi::OsString;
use std::sync::{Arc, Mutex};
use supervisor::Supervisor;

/// A program, to be executed on a scenario's storage.
pub struct Execution {
    options: Options,
    laid: Laid,
    told: Arc<Mutex<Told>>,
}

impl Execution {
    /// Of a program in a tree that was walked.
    pub fn new(options: Options, laid: Laid, watch: &Watch) -> Self {
        let told = Told { watch: watch.clone(), ..Told::default() };
        Self { options, laid, told: Arc::new(Mutex::new(told)) }
    }

    /// The simulated hosts on which it runs, and their file systems.
    pub fn places(&self) -> &[GivenPlace] {
        &self.options.places
    }

    /// What is told of it, while it runs and after.
    pub fn told(&self) -> Arc<Mutex<Told>> {
        self.told.clone()
    }

    fn begin(&self) -> Result<Executed, ExecuteError> {
        let Options { program, command, directory, scratch, limit, network, environment, .. } =
            self.options.clone();
        let cage = Cage { directory, scratch, limit, network };
        let started =
            start(&Start { program, command, environment, cage: Some(cage), rules: table::rules() })?;
        // A copy is kept of each file that it has open: as many as this process may have.
        let mut limits = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        limits.current = limits.maximum;
        let _ = rustix::process::setrlimit(rustix::process::Resource::Nofile, limits);
        let files = Files::new(self.laid.clone());
        let told = self.told.clone();
        Ok(Executed(Supervisor::new(started, self.options.clone(), files, told)?))
    }
}

impl Given for Execution {
    fn words(&self) -> String {
        let words: Vec<_> = self.options.command.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    fn processes(&self) -> u32 {
        self.options.threads
    }

    fn table(&self) -> Result<FileTable, ProgramError> {
        Ok(self.laid.table.clone())
    }

    fn source(&self) -> Result<Box<dyn RequestSource<FileOp>>, SourceError> {
        let begun = self.begin().map_err(|error| {
            let problem = error.to_string();
            if let Ok(mut told) = self.told.lock() {
                (told.failed, told.is_of_machine) = (Some(problem.clone()), error.is_of_machine());
            }
            ProgramError::Outside { problem }
        })?;
        Ok(Box::new(begun))
    }
}

/// Whether a command is likely to have ranks of MPI: it starts them, or is one, or is a shell's words with what starts them among them.
pub fn may_be_mpi(command: &[OsString]) -> bool {
    let among =
        |word: &OsString| word.to_string_lossy().split_whitespace().any(|it| is_launcher(it.as_ref()));
    command.iter().any(among) || is_likely(command)
}

/// What the disk of a directory has free, bytes; all that there can be where it doesn't say.
pub fn free_on_disk(directory: &std::path::Path) -> u64 {
    rustix::fs::statvfs(directory).map_or(u64::MAX, |told| told.f_bavail.saturating_mul(told.f_frsize))
}

/// The memory that is free for what a program writes, bytes.
pub fn free_memory() -> u64 {
    petrio_bounds::available().bytes
}
