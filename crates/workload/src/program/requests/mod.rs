//! Captured requests: what a program asked a file system for, from a file of lines, played back closed.
//!
//! The formats and their columns are those of [`petrio_trace::requests`]. Requests of one process are issued one after
//! the other, those of different processes side by side; its think time is in which a process computes before it.
//!
//! ```
//! use petrio_workload::program::requests::Opener;
//! use petrio_workload::program::{FileProgram, Placement, RequestParameters, Step};
//! use std::sync::Arc;
//! let text = "offset_bytes,length_kib,operation,think_ms\n0,64,R,0\n65536,64,W,2.5\n";
//! let opener: Arc<Opener> = Arc::new(move || Ok(Box::new(text.as_bytes())));
//! let mut prepared = RequestParameters::new("memory").prepare_with(&Placement::new("replay"), &opener)?;
//! assert_eq!(prepared.files.entries()[0].size, 131_072);
//! let mut steps = Vec::new();
//! loop {
//!     match prepared.programs[0].next(petrio_time::Time::ZERO)? {
//!         Step::Operation(op) => steps.push(format!("{} {}+{}", op.operation.name(), op.offset, op.length)),
//!         Step::Think(time) => steps.push(time.to_string()),
//!         Step::End => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(steps, ["read 0+65536", "2.500 ms", "write 65536+65536"]);
//! # Ok::<(), petrio_workload::program::ProgramError>(())
//! ```
//!
//! Left out: arrival times (a closed loop has none), and opening and closing.

mod run;

pub use run::{Opener, RequestProgram, RequestSurvey};

use super::pattern::{Durability, FsyncCall, Interface, Timing};
use petrio_trace::requests::{RequestFormat, RequestOperation};
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A captured trace of file requests, played back by as many processes as it names, each waiting for its own requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestParameters {
    /// The file with the requests.
    pub file: PathBuf,
    /// Its format; left out, it is told from the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<RequestFormat>,
    /// What all requests are, where the file doesn't say (`telemetry` and `latency-log`), and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<RequestOperation>,
    /// How long each file is when the run begins. Left out, as long as the furthest request reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_size: Option<Bytes>,
    /// Whether the files are in the page cache when the run begins.
    #[serde(default)]
    pub cached: bool,
    /// How long a process computes before a request for which the file doesn't say.
    #[serde(default)]
    pub think_time: Duration,
    /// How often the requests are played.
    #[serde(default = "once")]
    pub passes: u32,
    /// By which calls.
    #[serde(default)]
    pub interface: Interface,
    /// O_DIRECT: past the page cache. All offsets and lengths must be multiples of 512 B.
    #[serde(default)]
    pub direct: bool,
    /// O_SYNC: a write returns when data and metadata are durable.
    #[serde(default)]
    pub sync: bool,
    /// O_DSYNC: a write returns when its data are durable, and what is needed to find them.
    #[serde(default)]
    pub data_sync: bool,
    /// When written data are made durable by a call, besides those in the file. At the end, each process does it to
    /// every file that it has written.
    #[serde(default)]
    pub fsync: Durability,
    /// By which call.
    #[serde(default)]
    pub fsync_call: FsyncCall,
    /// Whether the closing fsync counts; `with-close` is refused, because nothing is closed.
    #[serde(default)]
    pub timing: Timing,
}

const fn once() -> u32 {
    1
}

impl RequestParameters {
    /// Plays a file once, by system calls; everything else at its default.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            format: None,
            operation: None,
            file_size: None,
            cached: false,
            think_time: Duration::ZERO,
            passes: 1,
            interface: Interface::System,
            direct: false,
            sync: false,
            data_sync: false,
            fsync: Durability::Never,
            fsync_call: FsyncCall::Fsync,
            timing: Timing::WithFsync,
        }
    }
}
