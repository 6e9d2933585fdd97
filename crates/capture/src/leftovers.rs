//! Clearing what captures of a petrio that was killed have left: by its record ([`petrio_files::under_way`]), and
//! nothing else.

use crate::mounted::{MOUNT, clear_mount};
use crate::recorder::{TRACE_INSTANCE, clear_instance};
use petrio_files::under_way::{self, Clear, PART_FILE, Swept, TREE};

/// The kinds of things that captures may leave, and how each is cleared.
pub const KINDS: [(&str, Clear); 2] = [(MOUNT, clear_mount), (TRACE_INSTANCE, clear_instance)];

/// Clears whatever captures of this user that are dead have left on this machine; what was found, and what became of
/// it. What others have left stays in its record.
pub fn clear() -> Vec<Swept> {
    under_way::sweep(&KINDS)
}

/// What a kind is called, one and several of it.
pub fn in_words(kind: &str) -> (&'static str, &'static str) {
    match kind {
        PART_FILE => ("half-written file", "half-written files"),
        TREE => ("temporary folder", "temporary folders"),
        MOUNT => ("mount", "mounts"),
        TRACE_INSTANCE => ("trace instance", "trace instances"),
        _ => ("thing", "things"),
    }
}
