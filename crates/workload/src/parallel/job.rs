//! A parallel program where it runs: which rank on which host, which files, and one program a rank.

use super::files::ProgramFile;
use super::io::Hints;
use super::member::{Member, World};
use super::mounted::Mounted;
use super::programs::{Planned, Start};
use super::rank::Rank;
use crate::program::{
    Board, FileEntry, FileProgram, FileTable, Placement, ProgramError, Tables, check_number_of_files,
};
use petrio_colours::{FileId, FileOp};
use petrio_files::inputs::Inputs;
use petrio_units::numbers::{as_index, as_number};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Where the ranks of a parallel program run, and under which numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlacement {
    /// Names, seed, and first numbers; rank `r` is the process `first_process + r`. Its `file_system` is not looked at.
    pub placement: Placement,
    /// Of each rank, the number of the file system on its host.
    pub file_systems: Vec<u32>,
    /// Of each rank, a number of the host on which it runs: ranks of equal numbers share one.
    pub hosts: Vec<u32>,
    /// What these file systems do.
    pub mounted: Mounted,
}

impl JobPlacement {
    /// Ranks on these hosts, with these file systems of their own.
    pub const fn new(placement: Placement, file_systems: Vec<u32>, hosts: Vec<u32>) -> Self {
        Self { placement, file_systems, hosts, mounted: Mounted::LOCAL }
    }
}

/// A parallel program, before it is known where it runs.
pub trait Job {
    /// Its ranks.
    fn ranks(&self) -> u32;

    /// Where a rank lies where ranks lie in blocks on so many volumes: of 8 ranks on 4 volumes the first two are on the first.
    fn volume_of(&self, rank: u32, volumes: usize) -> usize {
        as_index(u64::from(rank) * volumes as u64 / u64::from(self.ranks().max(1)))
    }

    /// Whether its ranks send each other anything.
    fn exchanges(&self) -> bool {
        true
    }

    /// The program for all replications; what it reads are these inputs.
    ///
    /// # Errors
    /// A parameter that no program can have, a file that can't be read, or a placement of other ranks.
    fn plan_in(&self, inputs: &Inputs, placement: &JobPlacement) -> Result<JobPlan, ProgramError>;
}

/// A parallel program planned for all replications.
pub struct JobPlan {
    program: Arc<dyn Planned>,
    world: Arc<World>,
    job: JobPlacement,
    compute_scale: f64,
    next_file: u32,
}

impl JobPlan {
    pub(super) fn new(
        ranks: u32,
        (hints, compute_scale): (&Hints, f64),
        job: &JobPlacement,
        program: Arc<dyn Planned>,
    ) -> Result<Self, ProgramError> {
        for (number, what) in [(job.hosts.len(), "hosts"), (job.file_systems.len(), "file systems")] {
            if number != ranks as usize {
                let problem = format!("{ranks} ranks are placed on the {what} of {number}");
                return Err(ProgramError::parameter("ranks", problem));
            }
        }
        check_number_of_files(program.files(), &job.placement)?;
        let next_file = job.placement.first_file + as_number(program.files());
        let aggregators = hints.aggregators(&job.hosts);
        let world = Arc::new(World { ranks, aggregators, hints: hints.clone(), mounted: job.mounted });
        Ok(Self { program, world, job: job.clone(), compute_scale, next_file })
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        self.world.ranks
    }

    /// The number of the process that is rank 0.
    pub(super) const fn first_process(&self) -> u32 {
        self.job.placement.first_process
    }

    /// The number after that of its last file.
    pub const fn next_file(&self) -> u32 {
        self.next_file
    }

    /// All files of the program, each directory before what lies in it: the same table for each file system on which a rank
    /// finds them. Where these are parts of one, a file is the same file in each.
    ///
    /// # Errors
    /// More files than there are numbers left, or a plan that isn't wanted any more.
    pub fn tables(&self) -> Result<Tables, ProgramError> {
        let table = self.table()?;
        let file_systems: BTreeSet<u32> = self.job.file_systems.iter().copied().collect();
        Ok(file_systems.into_iter().map(|file_system| (file_system, table.clone())).collect())
    }

    /// All files of the program, once.
    ///
    /// # Errors
    /// As of [`tables`](Self::tables).
    pub fn table(&self) -> Result<FileTable, ProgramError> {
        let placement = &self.job.placement;
        let number = |number: u32| FileId(placement.first_file + number);
        let mut table = FileTable::new();
        self.program.each_file(&mut |file: ProgramFile| {
            if placement.watch.is_stopped() {
                return Err(ProgramError::Stopped);
            }
            let in_root = file.parent.is_none();
            table.add(FileEntry {
                file: number(file.number),
                name: if in_root { placement.file_name(&file.name) } else { file.name },
                parent: file.parent.map_or(FileId::ROOT, number),
                is_directory: file.is_directory,
                present: file.size.is_some(),
                size: file.size.unwrap_or(0),
                cached: false,
            })
        })?;
        Ok(table)
    }

    /// The programs of some ranks in a replication; those of one run have one board. No rank makes files beyond those of
    /// [`table`](Self::table).
    ///
    /// # Errors
    /// Ranks that there aren't.
    pub fn programs(
        &self,
        replication: u64,
        ranks: Range<u32>,
        board: &Arc<Board>,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        if ranks.end > self.ranks() {
            let problem = format!("rank {} of {}", ranks.end.saturating_sub(1), self.ranks());
            return Err(ProgramError::parameter("ranks", problem));
        }
        let placement = Placement { replication, ..self.job.placement.clone() };
        let program = |rank: u32| -> Result<Box<dyn FileProgram>, ProgramError> {
            let start = Start {
                member: Member { world: Arc::clone(&self.world), rank, board: Arc::clone(board) },
                first_file: placement.first_file,
                placement: placement.clone(),
                compute_scale: self.compute_scale,
            };
            let acts = Arc::clone(&self.program).acts(&start)?;
            let file_system = self.job.file_systems[rank as usize];
            let template = FileOp { file_system, flags: self.program.flags(), ..placement.operation(rank) };
            Ok(Box::new(Rank::new(template, placement.first_process, Arc::clone(board), acts)))
        };
        ranks.map(program).collect()
    }
}
