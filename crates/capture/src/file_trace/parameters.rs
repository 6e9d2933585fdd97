//! What is captured, and where to.

use super::output::Rotation;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Whose calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Those of a command and of all its children, until it ends, or until they have, too.
    Command(Vec<OsString>),
    /// Everybody's, for so long or until it is interrupted.
    System(Option<Duration>),
}

/// What is captured, and where to.
#[derive(Clone, Debug)]
pub struct CaptureParameters {
    /// Whose calls.
    pub subject: Subject,
    /// Whether a command's capture goes on until all its children have ended, too.
    pub with_background: bool,
    /// The trace's file; with a rotation, the pattern of their names.
    pub out: PathBuf,
    /// Whether every call is kept; otherwise what Ivy kept.
    pub full: bool,
    /// When a new file begins.
    pub rotation: Option<Rotation>,
    /// Folders whose files' names are looked for, beside those that the capture itself meets.
    pub names: Vec<PathBuf>,
    /// Buffer for each processor and instance, in KiB.
    pub buffer_kib: u32,
}

/// KiB for each processor and each of the two instances: half a second of 500,000 events a second of 60 bytes.
pub const BUFFER_KIB: u32 = 16 << 10;
