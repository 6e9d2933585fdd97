//! The files of a parallel program, by numbers that count from its first.

/// A file or a directory of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProgramFile {
    /// Its number among the program's.
    pub(super) number: u32,
    /// Its name, after the workload's.
    pub(super) name: String,
    /// The directory that it lies in, by its number; `None` for the file system's root.
    pub(super) parent: Option<u32>,
    pub(super) is_directory: bool,
    /// Its length before the run; `None` where the program makes it.
    pub(super) size: Option<u64>,
}

impl ProgramFile {
    /// A file in the root directory that the program makes.
    pub(super) fn new(number: u32, name: impl Into<String>) -> Self {
        Self { number, name: name.into(), parent: None, is_directory: false, size: None }
    }
}
