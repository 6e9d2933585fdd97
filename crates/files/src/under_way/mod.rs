//! What is under way: a record, on disk, of everything outside this process that must not outlive it: half-written
//! files, temporary trees, mounts, devices. Whoever begins something writes it down before, and strikes it out after it
//! is gone. A process that is killed leaves its record; the next petrio [sweeps](sweep()) what stands in it.
//!
//! A record is a file of its own a process, and the process holds a lock on it as long as it lives (`flock(2)`, which
//! the kernel lets go with the process, however that ends). So a record without a lock is that of a dead process, and
//! only such are swept: petrio clears what is its own, told by what is written there, and nothing else.
//!
//! Where no record can be written (no home, a full disk), work goes on without.

mod escape;
mod place;
mod record;
mod sweep;

pub use place::FOLDER_VARIABLE;
pub use record::{Recorded, begin, is_ending, prepare_to_end, random_name};
pub use sweep::{Clear, Swept, sweep};

/// A file with a temporary name.
pub const PART_FILE: &str = "part-file";
/// A directory with a temporary name and all below it.
pub const TREE: &str = "temporary-tree";

#[cfg(test)]
mod tests;
