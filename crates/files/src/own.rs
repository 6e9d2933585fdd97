//! The names under which petrio keeps its own accounts of files that it has made, in the directories where they lie.

use std::ffi::OsStr;

/// What is being made there.
pub const MANIFEST: &str = ".petrio-files.json";
/// What a manifest that is being written is called; the next one is written over it.
pub const NEW_MANIFEST: &str = ".petrio-files.json.new";
/// The journal of what was made.
pub const JOURNAL: &str = ".petrio-files.made";
/// The file on which a lock lies.
pub const LOCK: &str = ".petrio-files.lock";
/// The directory for what is being removed.
pub const ASIDE: &str = ".petrio-files.removing";

/// Whether petrio keeps its own accounts under that name.
pub fn is_own(name: &OsStr) -> bool {
    [MANIFEST, NEW_MANIFEST, JOURNAL, LOCK, ASIDE].iter().any(|own| name == *own)
}
