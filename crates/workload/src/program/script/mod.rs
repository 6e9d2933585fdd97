//! Scripts: operations on files by name, one after the other.
//!
//! ```text
//! # What is there before the run: files with their sizes, directories.
//! file a 64 KiB; file b 1 MiB cached; directory d
//!
//! create d/new                     # in a directory
//! write a 0 4 KiB sync             # name, offset, length, flags: direct, sync, data-sync, stdio
//! append d/new 4 KiB; read b 8 KiB 4 KiB
//! fsync a; fdatasync d/new; fsync . # . is the directory in which the script runs
//! rename d/new c; truncate b 0; stat c; readdir d; unlink c; mkdir e; rmdir e; open a; close a; sync
//! chmod a; setxattr a 100 B; removexattr a; link a h; symlink a s; tmpfile t; write t 0 4 KiB; link t n; close t
//! fallocate a 0 1 MiB keep-size; sync_file_range a 0 4 KiB # or punch-hole, zero-range, nothing
//! phase preparation                # what follows isn't measured, until `phase measured`; `phase closing`
//! compute 5 ms; think 1 s; barrier # keeps a processor busy; rests; waits for the other processes
//! think about 20 s                 # rests so long on average: drawn anew each time (exponential), so that processes get out of step
//! repeat 1000 { create mail-%; append mail-% 3 KiB; fsync mail-% }   # % is the number of the repetition, from 1
//! ```
//!
//! Statements end with a line or a semicolon; `#` begins a comment. Names are followed through the whole script before
//! it runs, so that a file that isn't there is an error with its place. A repeated block that leaves the same names
//! behind that it found costs nothing to repeat; one that doesn't is unrolled, up to [`STEPS_MAX`] steps. Each process
//! runs the script on files of its own, in a directory of its own where there are several.
//!
//! ```
//! use petrio_workload::program::{Placement, ScriptParameters, Step};
//! let script = ScriptParameters::new("create a; write a 0 4 KiB; fsync a");
//! let mut prepared = script.prepare(&Placement::new("example"))?;
//! let program = &mut prepared.programs[0];
//! let mut words = Vec::new();
//! while let Step::Operation(operation) = program.next(petrio_time::Time::ZERO)? {
//!     words.push(operation.operation.name());
//! }
//! assert_eq!(words, ["create", "write", "fsync"]);
//!
//! let wrong = ScriptParameters::new("create a\nwirte a 0 4 KiB").prepare(&Placement::new("example"));
//! let message = wrong.err().map(|error| error.to_string());
//! assert_eq!(message.as_deref(), Some("line 2, column 1: \"wirte\" is no statement; did you mean \"write\"?"));
//! # Ok::<(), petrio_workload::program::ProgramError>(())
//! ```
//!
//! Some directories at the top may lie on other file systems of the host ([`ScriptParameters::places`]), so that a
//! program copies from one to another.
//!
//! Left out: which process has a file open (an open file that is unlinked goes at once).

mod compile;
mod instruction;
mod lengths;
mod names;
mod parse;
mod run;
mod statement;

pub use compile::STEPS_MAX;
pub use parse::ScriptError;
pub use run::ScriptProgram;
pub use statement::Script;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A script, and how often and by how many processes it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptParameters {
    /// The statements, such as `file a 64 KiB; read a 0 4 KiB; write a 0 4 KiB; fsync a`.
    pub script: String,
    /// How often all statements but the declarations of files are run.
    #[serde(default = "once")]
    pub repeat: u64,
    /// Processes that run it, each on files of its own.
    #[serde(default = "one_process")]
    pub processes: u32,
    /// Directories at the top of the script that lie on other file systems of the same host: { archive = "backup" }. They
    /// are there, and a file in them is on that file system: `create archive/a`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub places: IndexMap<String, String>,
}

const fn once() -> u64 {
    1
}

const fn one_process() -> u32 {
    1
}

impl ScriptParameters {
    /// Runs a script once, in one process.
    pub fn new(script: impl Into<String>) -> Self {
        Self { script: script.into(), repeat: 1, processes: 1, places: IndexMap::new() }
    }
}
