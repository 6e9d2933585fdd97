//! A pattern at work: opening, a warm-up, the passes, making it durable, closing.

use super::cursor::{Cursor, Target};
use super::open_close::OpenClose;
use super::parameters::{Access, BarrierAt, Durability, FsyncCall, Interface, PatternParameters, Timing};
use super::thinking::Thinking;
use crate::program::{
    Common, FileEntry, FilePlan, FileProgram, FileTable, Phase, Placement, PlannedFile, Prepared,
    ProgramError, Step, Tables, computing, placement,
};
use petrio_colours::{AccessFlags, FileId, FileOp, Operation};
use petrio_persist::Persist;
use petrio_random::{Generator, uniform, uniform_below};
use petrio_time::Time;
use petrio_units::{Bytes, Fraction};

/// Where a program is in its course.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum PatternState {
    Begin,
    /// Opens the file of this number, counted from 0.
    Open(u32),
    WarmUp,
    /// Between warm-up and measurement.
    Meet,
    Measure,
    /// So many passes are over.
    Pass(u32),
    /// Between two passes: so many are over.
    Between(u32),
    BeginClosing,
    Fsync(u32),
    BeginClose,
    Close(u32),
    End,
}

/// One process of a pattern.
#[derive(Clone, Debug, Persist)]
pub struct PatternProgram {
    operation: Access,
    read_share: f64,
    fsync: Durability,
    fsync_call: Operation,
    open_close: OpenClose,
    timing: Timing,
    barrier: BarrierAt,
    passes: u32,
    warm_up_pass: bool,
    files: u32,
    first_file: u32,
    compute: Time,
    thinking: Thinking,
    /// When it begins, after all have met.
    starts_after: Option<Time>,
    /// Accesses of a pass.
    accesses: u64,

    template: FileOp,
    cursor: Cursor,
    mixture: Generator,
    rests: Generator,
    stage: PatternState,
    /// Accesses left in the pass.
    left: u64,
    /// How long it rests before it goes on.
    rest: Option<Time>,
    /// Whether it is still to be computed on.
    computes: bool,
    /// Writes until the next fsync, and the file that it is for.
    until_fsync: u64,
    owes_fsync: Option<FileId>,
    /// Where each file is opened by itself: the one that is open, and the place in one that isn't yet.
    opened: Option<u32>,
    held: Option<Target>,
    /// Whether the open one has been made durable, to be closed next.
    is_durable: bool,
}

/// What a process of a workload does: where reads and writes are shared out among processes, one of both.
fn operation_of(parameters: &PatternParameters, process: u32) -> Access {
    if !parameters.share_by_process {
        return parameters.operation;
    }
    let share = parameters.read_share.unwrap_or(Fraction::ZERO).get();
    let readers = (share * f64::from(parameters.processes)).round();
    if f64::from(process) < readers { Access::Read } else { Access::Rewrite }
}

impl PatternProgram {
    fn new(parameters: &PatternParameters, placement: &Placement, process: u32, first_file: u32) -> Self {
        let template = FileOp {
            flags: AccessFlags {
                direct: parameters.direct,
                sync: parameters.sync,
                data_sync: parameters.data_sync,
                append: parameters.append,
                mapped: parameters.interface == Interface::Mapped,
                stdio: parameters.interface == Interface::Stdio,
                ..AccessFlags::default()
            },
            ..placement.operation(process)
        };
        let mut rests = placement.stream(process, "rests");
        let operation = operation_of(parameters, process);
        Self {
            operation,
            read_share: parameters.read_share.unwrap_or(Fraction::ZERO).get(),
            // One that only reads has nothing to make durable.
            fsync: if operation == Access::Read { Durability::Never } else { parameters.fsync },
            fsync_call: match parameters.fsync_call {
                FsyncCall::Fsync => Operation::Fsync,
                FsyncCall::Fdatasync | FsyncCall::Msync => Operation::Fdatasync,
            },
            open_close: parameters.open_close,
            timing: parameters.timing,
            barrier: parameters.barrier,
            passes: parameters.passes,
            warm_up_pass: parameters.warm_up_pass,
            files: parameters.files,
            first_file,
            compute: parameters.compute_time.time(),
            // It has been checked.
            thinking: parameters.thinking().unwrap_or(Thinking::Never),
            starts_after: starts_after(parameters, &mut rests),
            accesses: parameters.accesses(),
            template,
            cursor: Cursor::new(parameters, placement.stream(process, "places")),
            mixture: placement.stream(process, "reads and writes"),
            rests,
            stage: PatternState::Begin,
            left: 0,
            rest: None,
            computes: false,
            until_fsync: every(parameters.fsync),
            owes_fsync: None,
            opened: None,
            held: None,
            is_durable: false,
        }
    }

    fn file(&self, number: u32) -> FileId {
        FileId(self.first_file + number)
    }

    fn operation_on(&self, operation: Operation, file: FileId) -> FileOp {
        FileOp { operation, file, ..self.template.clone() }
    }

    fn on_file(&self, operation: Operation, file: FileId) -> Step {
        Step::Operation(self.operation_on(operation, file))
    }

    /// The next access of the pass; there is one.
    #[inline]
    fn access(&mut self) -> FileOp {
        let place = self.cursor.next();
        if self.open_close == OpenClose::EachFile && (place.begins || self.opened != Some(place.file)) {
            return self.open(place);
        }
        self.access_at(place)
    }

    /// What comes before a place in a file that isn't open: the file before is closed, this one opened.
    fn open(&mut self, place: Target) -> FileOp {
        self.held = Some(place);
        if let Some(open) = self.opened {
            return self.close(open);
        }
        self.opened = Some(place.file);
        self.opening(place.file)
    }

    /// What closes a file that is open, or comes before: it is made durable.
    fn close(&mut self, number: u32) -> FileOp {
        let file = self.file(number);
        if self.fsync == Durability::AtEnd && !std::mem::replace(&mut self.is_durable, true) {
            return self.operation_on(self.fsync_call, file);
        }
        self.is_durable = false;
        self.opened = None;
        self.operation_on(Operation::Close, file)
    }

    fn opening(&self, number: u32) -> FileOp {
        let new = self.operation == Access::Write;
        self.operation_on(if new { Operation::Create } else { Operation::Open }, self.file(number))
    }

    #[inline]
    fn access_at(&mut self, place: Target) -> FileOp {
        self.left -= 1;
        self.rest = self.thinking.next(&mut self.rests);
        self.computes = self.compute > Time::ZERO;
        let file = self.file(place.file);
        let reads = match self.operation {
            Access::Read => true,
            Access::Write | Access::Rewrite => false,
            Access::Mixed => uniform(&mut self.mixture) < self.read_share,
        };
        if !reads {
            self.until_fsync -= 1;
            if self.until_fsync == 0 {
                self.owes_fsync = Some(file);
                self.until_fsync = every(self.fsync);
            }
        }
        FileOp {
            operation: if reads { Operation::Read } else { Operation::Write },
            file,
            offset: place.offset,
            length: place.length,
            ..self.template.clone()
        }
    }

    /// What comes when no access is next: what the one before owes, or the next stage in which there is something to
    /// do.
    #[cold]
    #[expect(clippy::too_many_lines, reason = "a program's stages in their order")]
    fn other_step(&mut self) -> Step {
        if let Some(file) = self.owes_fsync.take() {
            return self.on_file(self.fsync_call, file);
        }
        if std::mem::take(&mut self.computes) {
            return Step::Operation(computing(&self.template, self.compute));
        }
        if let Some(rest) = self.rest.take() {
            return Step::Think(rest);
        }
        if let Some(place) = self.held.take() {
            let is_open = self.opened == Some(place.file);
            return Step::Operation(if is_open { self.access_at(place) } else { self.open(place) });
        }
        loop {
            if self.left > 0 {
                return Step::Operation(self.access());
            }
            if let Some(open) = self.opened {
                return Step::Operation(self.close(open));
            }
            match self.stage {
                PatternState::Begin => {
                    let opens = self.open_close == OpenClose::Together;
                    let prepares = opens || self.warm_up_pass;
                    self.stage = PatternState::Open(if opens { 0 } else { self.files });
                    if prepares {
                        return Step::Phase(Phase::Preparation);
                    }
                }
                PatternState::Open(number) if number < self.files => {
                    self.stage = PatternState::Open(number + 1);
                    return Step::Operation(self.opening(number));
                }
                PatternState::Open(_) if self.warm_up_pass => {
                    self.stage = PatternState::WarmUp;
                    self.left = self.accesses;
                }
                PatternState::Open(_) => self.stage = PatternState::Meet,
                PatternState::WarmUp => {
                    self.stage = PatternState::Meet;
                    self.cursor.restart();
                }
                PatternState::Meet => {
                    self.stage = PatternState::Measure;
                    if self.barrier != BarrierAt::Never {
                        return Step::Barrier;
                    }
                }
                PatternState::Measure => {
                    self.stage = PatternState::Pass(0);
                    self.left = self.accesses;
                    self.rest = self.starts_after;
                    return Step::Phase(Phase::Measured);
                }
                PatternState::Pass(over) if over + 1 == self.passes => {
                    self.stage = PatternState::BeginClosing;
                }
                PatternState::Pass(over) => {
                    self.stage = PatternState::Between(over + 1);
                    if self.barrier == BarrierAt::Passes {
                        return Step::Barrier;
                    }
                }
                PatternState::Between(over) => {
                    self.stage = PatternState::Pass(over);
                    self.cursor.restart();
                    self.left = self.accesses;
                }
                PatternState::BeginClosing => {
                    let fsyncs = self.fsync == Durability::AtEnd && self.open_close != OpenClose::EachFile;
                    self.stage = if fsyncs { PatternState::Fsync(0) } else { PatternState::BeginClose };
                    if fsyncs {
                        return Step::Phase(Phase::Closing { counted: self.timing != Timing::Accesses });
                    }
                }
                PatternState::Fsync(number) if number < self.files => {
                    self.stage = PatternState::Fsync(number + 1);
                    return self.on_file(self.fsync_call, self.file(number));
                }
                PatternState::Fsync(_) => self.stage = PatternState::BeginClose,
                PatternState::BeginClose => {
                    let closes = self.open_close == OpenClose::Together;
                    self.stage = PatternState::Close(if closes { 0 } else { self.files });
                    if closes {
                        return Step::Phase(Phase::Closing { counted: self.timing == Timing::WithClose });
                    }
                }
                PatternState::Close(number) if number < self.files => {
                    self.stage = PatternState::Close(number + 1);
                    return self.on_file(Operation::Close, self.file(number));
                }
                PatternState::Close(_) => self.stage = PatternState::End,
                PatternState::End => return Step::End,
            }
        }
    }
}

impl FileProgram for PatternProgram {
    #[inline]
    fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
        let owes = self.rest.is_some() || self.computes || self.owes_fsync.is_some() || self.held.is_some();
        if self.left == 0 || owes {
            return Ok(self.other_step());
        }
        Ok(Step::Operation(self.access()))
    }
}

/// When a process begins.
fn starts_after(parameters: &PatternParameters, random: &mut Generator) -> Option<Time> {
    let within = parameters.starts_within.time();
    (within > Time::ZERO).then(|| Time::from_picos(uniform_below(random, within.as_picos())))
}

/// Writes until the first fsync.
const fn every(fsync: Durability) -> u64 {
    match fsync {
        Durability::Every(writes) => writes,
        _ => u64::MAX,
    }
}

impl PatternParameters {
    /// Sets of files that there are: one of each process, or one that all go through.
    pub const fn sets(&self) -> u32 {
        if self.shared_files { 1 } else { self.processes }
    }

    /// How many files that are.
    pub fn all_files(&self) -> u64 {
        u64::from(self.sets()) * u64::from(self.files)
    }

    /// Accesses of each process in one pass.
    pub fn accesses(&self) -> u64 {
        let (_, per_file) = self.places_and_accesses();
        match (self.operations, self.amount.map(Bytes::get)) {
            (Some(operations), _) => operations,
            (None, Some(bytes)) => bytes.div_ceil(self.record.get()),
            (None, None) => per_file.saturating_mul(self.files.into()),
        }
    }

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
        self.validate()?;
        placement::check_number_of_files(self.all_files(), placement)?;
        placement::check_number_of_programs::<PatternProgram>("processes", self.processes.into())?;
        Ok(PatternPlan { parameters: self.clone(), placement: placement.clone() })
    }
}

struct PatternPlan {
    parameters: PatternParameters,
    placement: Placement,
}

impl PatternPlan {
    /// The number of a process' first file.
    fn first_file(&self, process: u32) -> u32 {
        let own = if self.parameters.shared_files { 0 } else { process };
        self.placement.first_file + own * self.parameters.files
    }

    /// The files, each behind the number of its process and its own among that's.
    fn files(&self) -> impl Iterator<Item = (u32, u32, PlannedFile)> + '_ {
        let parameters = &self.parameters;
        let new = parameters.operation == Access::Write;
        (0..parameters.sets()).flat_map(move |process| {
            let first_file = self.first_file(process);
            (0..parameters.files).map(move |number| {
                let planned = PlannedFile {
                    file: FileId(first_file + number),
                    parent: FileId::ROOT,
                    is_directory: false,
                    present: !(new && parameters.open_close.happens()),
                    size: if new { 0 } else { parameters.file_size.get() },
                    cached: parameters.cached,
                };
                (process, number, planned)
            })
        })
    }
}

impl FilePlan for PatternPlan {
    fn processes(&self) -> u32 {
        self.parameters.processes
    }

    fn next_file(&self) -> u32 {
        self.placement.first_file + self.parameters.sets() * self.parameters.files
    }

    /// Each server of a parallel file system asks for the files of all its clients: without names, that stays short among thousands of
    /// both.
    fn each_file(&self, tell: &mut dyn FnMut(u32, PlannedFile)) -> Result<(), ProgramError> {
        for (_, _, file) in self.files() {
            tell(self.placement.file_system, file);
        }
        Ok(())
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        let placement = &self.placement;
        let mut files = FileTable::new();
        for (process, number, planned) in self.files() {
            let PlannedFile { file, parent, is_directory, present, cached, size } = planned;
            let name = placement.file_name(&format!("{process}.{number}"));
            files.add(FileEntry { file, name, parent, is_directory, present, size, cached })?;
        }
        Ok(Tables::from([(placement.file_system, files)]))
    }

    fn programs(
        &self,
        replication: u64,
        _common: &mut Common,
    ) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        let placement = Placement { replication, ..self.placement.clone() };
        let program = |process| -> Box<dyn FileProgram> {
            let first_file = self.first_file(process);
            Box::new(PatternProgram::new(&self.parameters, &placement, process, first_file))
        };
        Ok((0..self.parameters.processes).map(program).collect())
    }
}
