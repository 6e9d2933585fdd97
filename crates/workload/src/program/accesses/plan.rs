//! Accesses on files: which files there are, and a program for each process.

use super::parameters::{AccessKind, AccessParameters};
use super::run::AccessProgram;
use crate::program::{
    Common, FileEntry, FilePlan, FileProgram, FileTable, Placement, Prepared, ProgramError, Tables, placement,
};
use petrio_colours::FileId;

struct AccessPlan {
    parameters: AccessParameters,
    placement: Placement,
}

impl AccessParameters {
    /// One program a process, and the files that they need.
    ///
    /// # Errors
    /// A parameter that no program can have, or too many files.
    pub fn prepare(&self, placement: &Placement) -> Result<Prepared, ProgramError> {
        Prepared::of(&self.plan(placement)?, placement)
    }

    /// The same, planned for all replications.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn plan(&self, placement: &Placement) -> Result<impl FilePlan + 'static + use<>, ProgramError> {
        self.validate(false)?;
        placement::check_number_of_files(self.all_files(), placement)?;
        placement::check_number_of_programs::<AccessProgram>("processes", self.processes.into())?;
        Ok(AccessPlan { parameters: self.clone(), placement: placement.clone() })
    }

    /// Bytes of all its files when they are largest.
    pub fn largest(&self) -> u64 {
        if !self.operation.moves_data() {
            return 0;
        }
        (0..self.sets())
            .map(|process| self.file_bytes(process).saturating_mul(self.files.into()))
            .fold(0, u64::saturating_add)
    }

    /// Bytes of the largest of its files.
    pub fn file_bytes_max(&self) -> u64 {
        if !self.operation.moves_data() {
            return 0;
        }
        (0..self.processes).map(|process| self.file_and_area(process).0).max().unwrap_or(0)
    }

    /// Bytes of each file of a set: of one that all processes share, as far as any of them goes.
    fn file_bytes(&self, set: u32) -> u64 {
        if self.shared_files {
            (0..self.processes).map(|process| self.file_and_area(process).0).max().unwrap_or(0)
        } else {
            self.file_and_area(set).0
        }
    }
}

/// The processes of a job, those that end together knowing of each other.
pub(super) fn together(
    parameters: &AccessParameters,
    programs: impl Iterator<Item = AccessProgram>,
) -> Vec<Box<dyn FileProgram>> {
    let mut first: Option<AccessProgram> = None;
    let shares = parameters.until_steady.is_some_and(|steady| steady.together);
    programs
        .map(|mut program| -> Box<dyn FileProgram> {
            if shares {
                match &first {
                    Some(first) => program.steady_with(first),
                    None => first = Some(program.clone()),
                }
            }
            Box::new(program)
        })
        .collect()
}

impl AccessPlan {
    /// The number of a process' first file.
    const fn first_file(&self, process: u32) -> u32 {
        let own = if self.parameters.shared_files { 0 } else { process };
        self.placement.first_file + own * self.parameters.files
    }
}

impl FilePlan for AccessPlan {
    fn processes(&self) -> u32 {
        self.parameters.processes
    }

    fn next_file(&self) -> u32 {
        self.placement.first_file + self.parameters.sets() * self.parameters.files
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        let Self { parameters, placement } = self;
        let mut files = FileTable::new();
        let is_made = matches!(parameters.operation, AccessKind::Create | AccessKind::MakeDirectory);
        for set in 0..self.parameters.sets() {
            let first = self.first_file(set);
            let moves = parameters.operation.moves_data();
            let size = if parameters.new_files || !moves { 0 } else { parameters.file_bytes(set) };
            for number in 0..parameters.files {
                files.add(FileEntry {
                    file: FileId(first + number),
                    name: placement.file_name(&format!("{set}.{number}")),
                    parent: FileId::ROOT,
                    is_directory: parameters.operation.names_directories(),
                    present: !is_made,
                    size,
                    cached: parameters.cached,
                })?;
            }
        }
        Ok(Tables::from([(placement.file_system, files)]))
    }

    fn programs(
        &self,
        replication: u64,
        common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        let placement = Placement { replication, ..self.placement.clone() };
        let program = |process| {
            let set = if self.parameters.shared_files { 0 } else { process };
            let size = self.parameters.file_bytes(set);
            let (_, area) = self.parameters.file_and_area(process);
            let begin = self.parameters.begins_at(process, size);
            let areas = vec![(begin, area, size); self.parameters.files as usize];
            let numbers = (process, self.first_file(process));
            AccessProgram::new(&self.parameters, &placement, numbers, &areas, false).among(&mut common.flows)
        };
        Ok(together(&self.parameters, (0..self.parameters.processes).map(program)))
    }
}
