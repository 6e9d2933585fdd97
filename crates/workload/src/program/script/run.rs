//! A script at work.

use super::ScriptParameters;
use super::compile::compile;
use super::instruction::{Compiled, Instruction};
use super::lengths;
use super::names::Entry;
use super::statement::{PhaseWord, Script};
use crate::program::{
    Common, FileEntry, FilePlan, FileProgram, FileTable, Phase, Placement, Prepared, ProgramError, Step,
    Tables, placement,
};
use petrio_colours::{AccessFlags, FileId, FileOp, Operation};
use petrio_distribution::{Exponential, Family};
use petrio_persist::Persist;
use petrio_random::Generator;
use petrio_time::Time;
use petrio_units::numbers::{as_number, whole_part};
use std::sync::Arc;

/// A repeat that is under way.
#[derive(Clone, Copy, Debug, Persist)]
struct Round {
    start: u32,
    end: u32,
    /// Repetitions left after this one.
    left: u64,
}

/// One process of a script.
#[derive(Clone, Debug, Persist)]
pub struct ScriptProgram {
    #[persist(shared)]
    instructions: Arc<[Instruction]>,
    next: u32,
    rounds: Vec<Round>,
    /// The files' lengths as they become, for appends.
    sizes: Vec<u64>,
    /// The directory in which it runs.
    directory: FileId,
    /// The number of its first file.
    first_file: u32,
    /// The file system of each file.
    #[persist(shared)]
    file_systems: Arc<[u32]>,
    template: FileOp,
    /// Of rests that are drawn.
    rests: Generator,
}

impl ScriptProgram {
    /// The file system of a file of the script; of the directory in which it runs, the workload's own.
    fn file_system(&self, number: u32) -> u32 {
        let own = number.checked_sub(1).and_then(|index| self.file_systems.get(index as usize));
        own.copied().unwrap_or(self.template.file_system)
    }

    fn file(&self, number: u32) -> FileId {
        match number.checked_sub(1) {
            None => self.directory,
            Some(index) => FileId(self.first_file + index),
        }
    }

    fn write(
        &mut self,
        file: u32,
        offset: u64,
        length: u64,
        flags: AccessFlags,
    ) -> Result<Step, ProgramError> {
        let size = &mut self.sizes[file as usize - 1];
        let end = offset.checked_add(length).filter(|&end| end <= i64::MAX as u64);
        let Some(end) = end else { return Err(ProgramError::FileTooLong { file: self.file(file) }) };
        // A write of nothing makes no file longer.
        *size = if length > 0 { end.max(*size) } else { *size };
        let (operation, file_system, file) = (Operation::Write, self.file_system(file), self.file(file));
        let template = self.template.clone();
        Ok(Step::Operation(FileOp { operation, file_system, file, offset, length, flags, ..template }))
    }

    fn step(&mut self, instruction: Instruction) -> Result<Step, ProgramError> {
        let code = match instruction {
            Instruction::Operation(code) => code,
            Instruction::Append { file, length, flags } => {
                return self.write(file, self.sizes[file as usize - 1], length, flags);
            }
            Instruction::Think(time) => return Ok(Step::Think(time)),
            Instruction::ThinkAbout(mean) => {
                let mean = Exponential::new(0.0, mean.as_picos() as f64);
                let drawn = mean.map_or(0.0, |exponential| exponential.sample(&mut self.rests));
                return Ok(Step::Think(Time::from_picos(whole_part(drawn + 0.5))));
            }
            Instruction::Barrier => return Ok(Step::Barrier),
            Instruction::Phase(phase) => {
                return Ok(Step::Phase(match phase {
                    PhaseWord::Preparation => Phase::Preparation,
                    PhaseWord::Measured => Phase::Measured,
                    PhaseWord::Closing => Phase::Closing { counted: false },
                }));
            }
            // `next` has gone into it.
            Instruction::Repeat { .. } => return Ok(Step::End),
        };
        match code.operation {
            Operation::Write => return self.write(code.file, code.offset, code.length, code.flags),
            Operation::Truncate => self.sizes[code.file as usize - 1] = code.length,
            Operation::Create | Operation::Symlink | Operation::Tmpfile => {
                self.sizes[code.file as usize - 1] = 0;
            }
            Operation::Allocate => {
                let size = &mut self.sizes[code.file as usize - 1];
                *size = lengths::allocated(&code, *size);
            }
            Operation::Read => lengths::check_read(code, self.sizes[code.file as usize - 1])?,
            _ => {}
        }
        Ok(Step::Operation(FileOp {
            operation: code.operation,
            file_system: self.file_system(code.file),
            file: self.file(code.file),
            parent: self.file(code.parent),
            replaced: code.replaced.map(|replaced| self.file(replaced)),
            offset: code.offset,
            length: code.length,
            fallocate: code.fallocate,
            flags: code.flags,
            ..self.template.clone()
        }))
    }
}

impl FileProgram for ScriptProgram {
    fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
        loop {
            if let Some(round) = self.rounds.last_mut()
                && round.end == self.next
            {
                if round.left == 0 {
                    self.rounds.pop();
                } else {
                    round.left -= 1;
                    self.next = round.start;
                }
                continue;
            }
            let Some(&instruction) = self.instructions.get(self.next as usize) else { return Ok(Step::End) };
            self.next += 1;
            if let Instruction::Repeat { count, end } = instruction {
                self.rounds.push(Round { start: self.next, end, left: count - 1 });
                continue;
            }
            return self.step(instruction);
        }
    }
}

impl ScriptParameters {
    /// Checks the script: its text, and that every file that it speaks of is there when it does.
    ///
    /// # Errors
    /// The first place that is wrong, or a parameter that no program can have.
    pub fn validate(&self) -> Result<(), ProgramError> {
        self.compiled().map(|_| ())
    }

    fn compiled(&self) -> Result<Compiled, ProgramError> {
        let counts = [("repeat", self.repeat), ("processes", self.processes.into())];
        if let Some((parameter, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return Err(ProgramError::parameter(parameter, "it is zero"));
        }
        let script: Script = self.script.parse()?;
        let plain = |name: &&str| {
            !name.is_empty() && *name != "." && *name != ".." && !name.contains(['/', '%', '~'])
        };
        let places: Vec<&str> = self.places.keys().map(String::as_str).collect();
        if let Some(place) = places.iter().find(|name| !plain(name)) {
            let problem = format!("\"{place}\" is no name of a directory at the top");
            return Err(ProgramError::parameter("places", problem));
        }
        Ok(compile(&script, self.repeat, &places)?)
    }

    /// One program a process, and the files that they need.
    ///
    /// # Errors
    /// As of [`ScriptParameters::validate`], or too many files.
    pub fn prepare(&self, placement: &Placement) -> Result<Prepared, ProgramError> {
        Prepared::of(&self.plan(placement)?, placement)
    }

    /// The same, planned for all replications.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn plan(&self, placement: &Placement) -> Result<impl FilePlan + 'static + use<>, ProgramError> {
        let Compiled { instructions, entries } = self.compiled()?;
        let own_directory = self.processes > 1;
        let numbers = entries.len() as u64 + u64::from(own_directory);
        placement::check_number_of_files(u64::from(self.processes) * numbers, placement)?;
        let (instructions, processes) = (instructions.into(), self.processes);
        // Where nobody says where a place lies, it is a directory like others.
        let places: Vec<Option<u32>> =
            self.places.keys().map(|place| placement.places.get(place).copied()).collect();
        let file_systems = file_systems(&entries, &places, placement.file_system);
        let placement = placement.clone();
        Ok(ScriptPlan { instructions, entries, file_systems, processes, placement })
    }
}

/// The file system of each entry: that of the place in which it was made, or the workload's own.
fn file_systems(entries: &[Entry], places: &[Option<u32>], own: u32) -> Arc<[u32]> {
    let mut all: Vec<u32> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        // A directory is made before what lies in it.
        let above = entry.parent.checked_sub(1).and_then(|parent| all.get(parent as usize).copied());
        let place = places.get(index).copied().flatten();
        all.push(place.or(above).unwrap_or(own));
    }
    all.into()
}

struct ScriptPlan {
    instructions: Arc<[Instruction]>,
    entries: Vec<Entry>,
    file_systems: Arc<[u32]>,
    processes: u32,
    placement: Placement,
}

impl ScriptPlan {
    /// Whether each process works in a directory of its own.
    const fn own_directory(&self) -> bool {
        self.processes > 1
    }

    /// The first of a process' numbers: that of its directory, where it has one.
    fn base(&self, process: u32) -> u32 {
        let numbers = as_number(self.entries.len()) + u32::from(self.own_directory());
        self.placement.first_file + process * numbers
    }

    fn program(&self, process: u32, replication: u64) -> ScriptProgram {
        let placement = Placement { replication, ..self.placement.clone() };
        let base = self.base(process);
        ScriptProgram {
            instructions: self.instructions.clone(),
            next: 0,
            rounds: Vec::new(),
            sizes: self.entries.iter().map(|entry| entry.size).collect(),
            directory: if self.own_directory() { FileId(base) } else { FileId::ROOT },
            first_file: base + u32::from(self.own_directory()),
            file_systems: self.file_systems.clone(),
            template: placement.operation(process),
            rests: placement.stream(process, "rests"),
        }
    }
}

impl FilePlan for ScriptPlan {
    fn processes(&self) -> u32 {
        self.processes
    }

    fn next_file(&self) -> u32 {
        self.base(self.processes)
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        let placement = &self.placement;
        let mut tables = Tables::from([(placement.file_system, FileTable::new())]);
        for process in 0..self.processes {
            let program = self.program(process, 0);
            if self.own_directory() {
                let files = tables.entry(placement.file_system).or_default();
                files.add(FileEntry {
                    file: program.directory,
                    name: placement.file_name(&process.to_string()),
                    parent: FileId::ROOT,
                    is_directory: true,
                    present: true,
                    size: 0,
                    cached: false,
                })?;
            }
            for (index, entry) in self.entries.iter().enumerate() {
                let number = as_number(index) + 1;
                let there = program.file_system(number);
                let mut made = program.entry(number, entry, placement);
                // On another file system it stands beside those of other processes.
                if there != placement.file_system && entry.parent == 0 {
                    made.parent = FileId::ROOT;
                    made.name = match self.own_directory() {
                        true => placement.file_name(&format!("{process}.{}", entry.name)),
                        false => placement.file_name(&entry.name),
                    };
                }
                tables.entry(there).or_default().add(made)?;
            }
        }
        Ok(tables)
    }

    fn programs(
        &self,
        replication: u64,
        _common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        let program = |process| -> Box<dyn FileProgram> { Box::new(self.program(process, replication)) };
        Ok((0..self.processes).map(program).collect())
    }
}

impl ScriptProgram {
    fn entry(&self, number: u32, entry: &Entry, placement: &Placement) -> FileEntry {
        let parent = self.file(entry.parent);
        FileEntry {
            file: self.file(number),
            name: if parent == FileId::ROOT { placement.file_name(&entry.name) } else { entry.name.clone() },
            parent,
            is_directory: entry.is_directory,
            present: entry.present,
            size: entry.size,
            cached: entry.cached,
        }
    }
}
