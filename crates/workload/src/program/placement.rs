//! Where programs run and under which numbers, and what they need there.

use super::source::FilePrograms;
use super::table::{FileEntry, FileTable};
use super::{FileProgram, ProgramError};
use petrio_colours::{FileOp, IoClass};
use petrio_kernel::Watch;
use petrio_persist::Persist;
use petrio_random::{Generator, generator};
use std::collections::BTreeMap;

/// Where the processes of a workload run, under which numbers, and where their random numbers come from.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Placement {
    /// The workload's name: its random streams are named by it, and so are its files.
    pub name: String,
    /// The run's seed.
    pub seed: u64,
    /// The run's replication.
    pub replication: u64,
    /// The number of its first process; the others follow.
    pub first_process: u32,
    /// The number of the file system in its host.
    pub file_system: u32,
    /// Other file systems of the host, by the names of the places that lie on them.
    pub places: BTreeMap<String, u32>,
    /// The number of its first file, 1 or more; the others follow.
    pub first_file: u32,
    /// The scheduling class of its processes.
    pub class: IoClass,
    /// Their I/O priority within the class, 0 the most urgent, 4 the usual.
    pub priority: u8,
    /// Whether preparing and running them is still wanted.
    #[persist(keep)]
    pub watch: Watch,
}

impl Placement {
    /// Processes from 0 and files from 1 on the first file system, with seed 1 and the usual priority.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seed: 1,
            replication: 0,
            first_process: 0,
            file_system: 0,
            places: BTreeMap::new(),
            first_file: 1,
            class: IoClass::BestEffort,
            priority: 4,
            watch: Watch::default(),
        }
    }

    /// What all operations of the workload's `process`-th process (from 0) have in common.
    pub fn operation(&self, process: u32) -> FileOp {
        FileOp {
            process: self.first_process.saturating_add(process),
            file_system: self.file_system,
            class: self.class,
            priority: self.priority,
            ..FileOp::default()
        }
    }

    /// A random stream of the `process`-th process.
    pub(crate) fn stream(&self, process: u32, purpose: &str) -> Generator {
        generator(self.seed, self.replication, &format!("{}/process {process}", self.name), purpose)
    }

    /// The name of a directory for all files of the workload.
    pub fn directory_name(&self) -> String {
        let plain =
            |character: char| if character == '/' || character.is_control() { '-' } else { character };
        self.name.chars().map(plain).collect()
    }

    /// A file's name: the workload's, which stands before so that workloads share a directory, and its own.
    pub(crate) fn file_name(&self, own: &str) -> String {
        let mut name = self.directory_name();
        name.push('.');
        name.push_str(own);
        name
    }
}

/// Programs ready to run, and the files that they need.
pub struct Prepared {
    /// The files.
    pub files: FileTable,
    /// Files on other file systems of the host, by the number of each; their numbers are beside those of `files`.
    pub elsewhere: BTreeMap<u32, FileTable>,
    /// One program a process, in order of the processes' numbers.
    pub programs: Vec<Box<dyn FileProgram>>,
}

impl Prepared {
    /// Programs that work on one file system.
    pub const fn new(files: FileTable, programs: Vec<Box<dyn FileProgram>>) -> Self {
        Self { files, elsewhere: BTreeMap::new(), programs }
    }

    /// The programs as one source of requests for a simulated System.
    ///
    /// # Errors
    /// A program that can't make its first step.
    pub fn into_source(self) -> Result<FilePrograms, ProgramError> {
        FilePrograms::new(self.programs)
    }
}

/// Most files that a workload numbers: a table of them is held in memory.
const FILES_MAX: u32 = 1 << 24;

/// Whether there are numbers for so many files, and memory for a table of them.
///
/// # Errors
/// When there aren't, or the first file would have the root directory's number.
pub fn check_number_of_files(files: u64, placement: &Placement) -> Result<(), ProgramError> {
    if placement.first_file == 0 {
        return Err(ProgramError::parameter("first_file", "0 is the root directory's number"));
    }
    if files > u64::from(FILES_MAX.min(u32::MAX - placement.first_file)) {
        return Err(ProgramError::TooManyFiles { limit: FILES_MAX });
    }
    petrio_bounds::check(files * size_of::<FileEntry>() as u64)
        .map_err(|cause| ProgramError::TooMuchForFiles { files, cause })
}

/// Whether there is memory for so many programs of this kind; `parameter` asks for them.
///
/// # Errors
/// When there isn't.
pub fn check_number_of_programs<P>(parameter: &'static str, processes: u64) -> Result<(), ProgramError> {
    petrio_bounds::check(
        processes.saturating_mul((size_of::<P>() + size_of::<Box<dyn FileProgram>>()) as u64),
    )
    .map_err(|cause| ProgramError::TooMuchForProcesses { parameter, processes, cause })
}
