//! File-operation programs: what one process asks of a file system, one operation after the other.
//!
//! A [`FileProgram`] is a closed loop with one operation outstanding. It has two possible targets: a simulated System,
//! where [`FilePrograms`] makes several of them one [`RequestSource`](crate::RequestSource) of [`FileOp`]s, and a real
//! directory, where a driver pulls each of them on a thread of its own. Which files there must be before the first
//! operation is said by the [`FileTable`], so that both are prepared alike.
//!
//! ```text
//!  PatternParameters ─┐                             ┌─ FileTable ─▶ prepares a volume, or a directory
//!  ScriptParameters ──┼─ prepare(Placement) ─▶ Prepared
//!  RequestParameters ─┘  (FileWorkload: any of them)  └─ programs ─┬─ FilePrograms: RequestSource ─▶ the net
//!                                                                └─ one thread a program ─▶ a real directory
//! ```
//!
//! A process may have several accesses in flight ([`Step::Submit`], [`Step::Reap`]): those of [`accesses`] do.

pub mod accesses;
pub mod pattern;
pub mod requests;
pub mod script;

mod at_speed;
mod board;
mod carried_out;
mod error;
mod locks;
mod measured;
mod memory;
mod placement;
mod plan;
mod source;
mod table;

pub use accesses::{AccessParameters, AccessProgram};
pub use at_speed::AtSpeed;
pub(crate) use board::Topic;
pub use board::{Board, Common};
pub use carried_out::{CarriedOut, OperationEvents};
pub use error::ProgramError;
pub(crate) use measured::Word;
pub use measured::{Counts, MeasuredPhase, PhaseName, Timing, WorkDone};
pub use memory::{MemoryError, MemoryOrder, ProcessMemory};
pub use pattern::{PatternParameters, PatternProgram};
pub use placement::{Placement, Prepared, check_number_of_files, check_number_of_programs};
pub use plan::{FilePlan, PlannedFile, Tables};
pub use requests::{RequestParameters, RequestProgram, RequestSurvey};
pub use script::{Script, ScriptError, ScriptParameters, ScriptProgram};
pub use source::FilePrograms;
pub use table::{FileEntry, FileTable};

pub use crate::source::Phase;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_persist::{Kept, persist_boxed};
use petrio_time::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workload of file operations, as a scenario writes it: `program` says which sort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "program", rename_all = "kebab-case")]
pub enum FileWorkload {
    /// Processes that each go through files of their own in a given order, as iozone and fio do.
    Pattern(PatternParameters),
    /// Operations by name, one after the other.
    Script(ScriptParameters),
    /// Captured requests, played back.
    Requests(RequestParameters),
}

impl FileWorkload {
    /// One program a process, and the files that they need.
    ///
    /// # Errors
    /// A parameter that no program can have, or a script or a trace that can't be read.
    pub fn prepare(&self, placement: &Placement) -> Result<Prepared, ProgramError> {
        match self {
            Self::Pattern(parameters) => parameters.prepare(placement),
            Self::Script(parameters) => parameters.prepare(placement),
            Self::Requests(parameters) => parameters.prepare(placement),
        }
    }
}

/// What a program does next.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub enum Step {
    /// Asks for this, and waits until it is done. `id` and `issued` are set by whoever carries it out.
    Operation(FileOp),
    /// Asks for this, and goes on as soon as it has been submitted ([`Submission`](petrio_colours::Submission) says when that is).
    Submit {
        /// What.
        op: FileOp,
        /// So many go to the kernel in one call: those before are held back until there are so many, or the process waits.
        together: u32,
    },
    /// If it has submitted so many operations that it hasn't taken back, waits until so many of them are done that only so few are left when
    /// these are taken back.
    Reap {
        /// From so many on.
        full: u32,
        /// Down to so many.
        down_to: u32,
        /// It takes back so many at a time at most, and always as many as that needs.
        most: u32,
    },
    /// Lets time pass.
    Think(Time),
    /// Lets time pass, and is asked only then what it does next: that depends on what others have done by then.
    Pause(Time),
    /// What follows belongs to this phase of the run; before the first such step, to [`Phase::Measured`]. Takes no
    /// time.
    Phase(Phase),
    /// Waits until every other program of its [`Prepared`] has come to its barrier too, or has ended.
    Barrier,
    /// Says that it has come so far: whoever [awaits](Step::Await) this number may go on. Takes no time.
    Signal(u64),
    /// Waits until that number was [said](Step::Signal) by a program of the same [`Prepared`].
    Await(u64),
    /// Has ended; every further question gives this answer.
    End,
}

/// Keeping a processor busy for so long, asked for as `like` is.
pub fn computing(like: &FileOp, time: Time) -> FileOp {
    FileOp { operation: Operation::Compute, file: FileId::ROOT, length: time.as_picos(), ..like.clone() }
}

persist_boxed!(dyn FileProgram, "a program");

/// A stream of file operations by one process.
pub trait FileProgram: Kept + Send {
    /// What it does next, once the step before is over: at `now`, from the beginning of the run.
    ///
    /// # Errors
    /// A captured trace that can't be read on.
    fn next(&mut self, now: Time) -> Result<Step, ProgramError>;

    /// One of its operations, of so many bytes that are read or written, is over; it took so long.
    fn completed(&mut self, _bytes: u64, _took: Time, _now: Time) {}

    /// How long the operation asked for last took where it was captured, for a program that knows.
    fn measured(&self) -> Option<Time> {
        None
    }
}

impl FileProgram for Box<dyn FileProgram> {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        (**self).next(now)
    }

    fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        (**self).completed(bytes, took, now);
    }

    fn measured(&self) -> Option<Time> {
        (**self).measured()
    }
}
