//! Captured requests at work: one reader a process, so that nothing is held for a slower one.

use super::super::pattern::{check_durability, check_interface};
use super::{Durability, FsyncCall, Interface, RequestParameters, Timing};
use crate::program::{
    Common, FileEntry, FilePlan, FileProgram, FileTable, Phase, Placement, Prepared, ProgramError, Step,
    Tables, placement,
};
use petrio_bounds::Headroom;
use petrio_colours::{AccessFlags, FileId, FileOp, Operation, SECTOR_BYTES};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::requests::{RequestReader, RequestRecord};
use petrio_trace::{Problem, TraceError};
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Opens the requests from their beginning: once to look them over, and once for each process and pass.
pub type Opener = dyn Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync;

/// Most processes of a trace: each reads it on its own.
const PROCESSES_MAX: usize = 1 << 10;

/// What a first look at captured requests finds.
#[derive(Debug, Default)]
pub struct RequestSurvey {
    processes: BTreeSet<u32>,
    /// How far requests reach into each file: at all, and by reads.
    ends: BTreeMap<u32, (u64, u64)>,
    writes: bool,
}

/// One process of captured requests.
#[derive(Persist)]
pub struct RequestProgram {
    #[persist(shared)]
    opener: Arc<Opener>,
    #[persist(shared)]
    parameters: Arc<RequestParameters>,
    /// Where the trace's numbers of files stand among those of the run.
    #[persist(shared)]
    files: Arc<[u32]>,
    first_file: u32,
    /// The process whose requests it issues, by the trace's number.
    process: u32,
    /// Of this pass; opened when it is needed.
    #[persist(skip)]
    reader: Option<RequestReader>,
    /// Requests of this pass that have been read.
    read: u64,
    passes_left: u32,
    template: FileOp,
    /// What follows before the next request is read.
    pending: Option<FileOp>,
    owes_fsync: Option<FileId>,
    measured: Option<Time>,
    until_fsync: u64,
    /// Files that it has written, to be made durable at the end.
    written: BTreeSet<FileId>,
    has_closed: bool,
}

impl RequestProgram {
    fn fsync(&self, file: FileId) -> Step {
        let operation = match self.parameters.fsync_call {
            FsyncCall::Fsync => Operation::Fsync,
            FsyncCall::Fdatasync | FsyncCall::Msync => Operation::Fdatasync,
        };
        Step::Operation(FileOp { operation, file, ..self.template.clone() })
    }

    fn operation(&mut self, record: &RequestRecord) -> FileOp {
        // The survey has seen every file.
        let index = self.files.binary_search(&record.file).unwrap_or_default();
        let file = FileId(self.first_file + as_number(index));
        if record.operation == Operation::Write {
            self.until_fsync -= 1;
            if self.until_fsync == 0 {
                self.until_fsync = every(self.parameters.fsync);
                self.owes_fsync = Some(file);
            }
            if self.parameters.fsync == Durability::AtEnd {
                self.written.insert(file);
            }
        }
        FileOp {
            operation: record.operation,
            file,
            offset: record.offset,
            length: record.length,
            ..self.template.clone()
        }
    }

    /// The next request of this process, over all passes.
    fn record(&mut self) -> Result<Option<RequestRecord>, ProgramError> {
        loop {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                // One that was put aside in a pass goes on there.
                None if self.read > 0 => {
                    let mut reader = open(&self.parameters, &*self.opener)?;
                    for _ in 0..self.read {
                        reader.next().transpose()?;
                    }
                    self.reader.insert(reader)
                }
                None if self.passes_left == 0 => return Ok(None),
                None => {
                    self.passes_left -= 1;
                    self.reader.insert(open(&self.parameters, &*self.opener)?)
                }
            };
            self.read += 1;
            match reader.next() {
                Some(Ok(record)) if record.process == self.process => return Ok(Some(record)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => (self.reader, self.read) = (None, 0),
            }
        }
    }
}

const fn every(fsync: Durability) -> u64 {
    match fsync {
        Durability::Every(writes) => writes,
        _ => u64::MAX,
    }
}

fn open(parameters: &RequestParameters, opener: &Opener) -> Result<RequestReader, ProgramError> {
    let name: Arc<str> = parameters.file.to_string_lossy().into();
    let source = opener().map_err(|source| TraceError::open(name.clone(), source))?;
    Ok(RequestReader::new(name, source, parameters.format, parameters.operation)?)
}

impl FileProgram for RequestProgram {
    fn next(&mut self, _now: Time) -> Result<Step, ProgramError> {
        if let Some(operation) = self.pending.take() {
            return Ok(Step::Operation(operation));
        }
        self.measured = None;
        if let Some(file) = self.owes_fsync.take() {
            return Ok(self.fsync(file));
        }
        if let Some(record) = self.record()? {
            let operation = self.operation(&record);
            self.measured = record.measured;
            let think = record.think.unwrap_or(self.parameters.think_time.time());
            if think == Time::ZERO {
                return Ok(Step::Operation(operation));
            }
            self.pending = Some(operation);
            return Ok(Step::Think(think));
        }
        if !self.written.is_empty() && !std::mem::replace(&mut self.has_closed, true) {
            return Ok(Step::Phase(Phase::Closing { counted: self.parameters.timing != Timing::Accesses }));
        }
        Ok(match self.written.pop_first() {
            Some(file) => self.fsync(file),
            None => Step::End,
        })
    }

    fn measured(&self) -> Option<Time> {
        self.measured
    }
}

impl RequestParameters {
    /// One program a process of the trace, and the files that they need. The file is looked over once before.
    ///
    /// # Errors
    /// A parameter that no program can have, a file that can't be read, or a line of it that holds no request.
    pub fn prepare(&self, placement: &Placement) -> Result<Prepared, ProgramError> {
        let path = self.file.clone();
        let opener: Arc<Opener> = Arc::new(move || open_file(&path));
        self.prepare_with(placement, &opener)
    }

    /// As [`prepare`](Self::prepare), from anything that can be opened again: `file` is its name in messages only.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn prepare_with(
        &self,
        placement: &Placement,
        opener: &Arc<Opener>,
    ) -> Result<Prepared, ProgramError> {
        let survey = Arc::new(self.look_over(&**opener)?);
        Prepared::of(&self.plan(placement, survey, opener.clone())?, placement)
    }

    /// What is to be known of the requests before they are played.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn look_over(&self, opener: &Opener) -> Result<RequestSurvey, ProgramError> {
        self.check()?;
        self.survey(opener)
    }

    /// The programs planned for all replications, from requests that have been [looked over](Self::look_over).
    ///
    /// # Errors
    /// More files than there are numbers left.
    pub fn plan(
        &self,
        placement: &Placement,
        survey: Arc<RequestSurvey>,
        opener: Arc<Opener>,
    ) -> Result<impl FilePlan + 'static + use<>, ProgramError> {
        placement::check_number_of_files(survey.ends.len() as u64, placement)?;
        let (parameters, placement) = (Arc::new(self.clone()), placement.clone());
        Ok(RequestPlan { parameters, survey, opener, placement })
    }

    fn check(&self) -> Result<(), ProgramError> {
        let refuse = |parameter, problem: &str| Err(ProgramError::parameter(parameter, problem));
        if self.passes == 0 {
            return refuse("passes", "it is zero");
        }
        check_durability((self.fsync, self.fsync_call), (self.sync, self.data_sync))?;
        check_interface(self.direct, self.interface)?;
        if self.interface == Interface::Mapped {
            return refuse("interface", "requests are reads and writes by calls");
        }
        if self.fsync_call == FsyncCall::Msync {
            return refuse("fsync_call", "msync is of mapped files, and requests are calls");
        }
        if self.timing == Timing::WithClose {
            return refuse("timing", "a replay of requests closes no file");
        }
        Ok(())
    }

    fn survey(&self, opener: &Opener) -> Result<RequestSurvey, ProgramError> {
        let mut reader = open(self, opener)?;
        let mut survey = RequestSurvey::default();
        let (mut headroom, mut requests) = (Headroom::default(), 0);
        while let Some(record) = reader.next().transpose()? {
            let end = record.offset + record.length;
            survey.processes.insert(record.process);
            if survey.processes.len() > PROCESSES_MAX {
                return Err(ProgramError::TooManyProcesses { limit: PROCESSES_MAX });
            }
            headroom.record().map_err(|cause| TraceError::TooMuch { events: requests, cause })?;
            requests += 1;
            let (all, read) = survey.ends.entry(record.file).or_default();
            match record.operation {
                Operation::Read => *read = end.max(*read),
                Operation::Write => survey.writes = true,
                // Of an fsync, offset and length mean nothing.
                _ => continue,
            }
            *all = end.max(*all);
            if self.direct && (record.offset | record.length) % SECTOR_BYTES != 0 {
                return Err(ProgramError::Request {
                    name: reader.name().clone(),
                    line: reader.line(),
                    problem: Problem::NotALine {
                        found: format!("{} + {}", record.offset, record.length),
                        expected: "a multiple of 512 bytes, which `direct` needs",
                    },
                });
            }
        }
        if survey.processes.is_empty() {
            return Err(ProgramError::NoRequests { name: reader.name().clone() });
        }
        let furthest_read = survey.ends.values().map(|&(_, read)| read).max().unwrap_or_default();
        if let Some(size) = self.file_size
            && !survey.writes
            && furthest_read > size.get()
        {
            let problem =
                format!("the files are {size} long, and the requests read up to {}", Bytes(furthest_read));
            return Err(ProgramError::parameter("file_size", problem));
        }
        if !survey.writes {
            if self.fsync != Durability::Never {
                return Err(ProgramError::parameter(
                    "fsync",
                    "nothing is written that could be made durable",
                ));
            }
            if self.sync || self.data_sync {
                let parameter = if self.sync { "sync" } else { "data_sync" };
                return Err(ProgramError::parameter(
                    parameter,
                    "nothing is written that could be made durable",
                ));
            }
        }
        Ok(survey)
    }
}

struct RequestPlan {
    parameters: Arc<RequestParameters>,
    survey: Arc<RequestSurvey>,
    opener: Arc<Opener>,
    placement: Placement,
}

impl FilePlan for RequestPlan {
    fn processes(&self) -> u32 {
        as_number(self.survey.processes.len())
    }

    fn next_file(&self) -> u32 {
        self.placement.first_file + as_number(self.survey.ends.len())
    }

    fn tables(&self) -> Result<Tables, ProgramError> {
        let Self { parameters, survey, placement, .. } = self;
        let mut files = FileTable::new();
        for (index, (number, &(end, _))) in survey.ends.iter().enumerate() {
            files.add(FileEntry {
                file: FileId(placement.first_file + as_number(index)),
                name: placement.file_name(&number.to_string()),
                parent: FileId::ROOT,
                is_directory: false,
                present: true,
                size: parameters.file_size.map_or(end, Bytes::get),
                cached: parameters.cached,
            })?;
        }
        Ok(Tables::from([(placement.file_system, files)]))
    }

    fn programs(&self, _: u64, _common: &mut Common) -> Result<Vec<Box<dyn FileProgram>>, ProgramError> {
        let Self { parameters, survey, placement, .. } = self;
        let numbers: Arc<[u32]> = survey.ends.keys().copied().collect();
        let program = |(index, &process): (usize, &u32)| -> Box<dyn FileProgram> {
            let template = FileOp {
                flags: AccessFlags {
                    direct: parameters.direct,
                    sync: parameters.sync,
                    data_sync: parameters.data_sync,
                    append: false,
                    mapped: false,
                    stdio: parameters.interface == Interface::Stdio,
                    ..AccessFlags::default()
                },
                ..placement.operation(as_number(index))
            };
            Box::new(RequestProgram {
                opener: self.opener.clone(),
                parameters: parameters.clone(),
                files: numbers.clone(),
                first_file: placement.first_file,
                process,
                reader: None,
                read: 0,
                passes_left: parameters.passes,
                template,
                pending: None,
                owes_fsync: None,
                measured: None,
                until_fsync: every(parameters.fsync),
                written: BTreeSet::new(),
                has_closed: false,
            })
        };
        Ok(survey.processes.iter().enumerate().map(program).collect())
    }
}

/// A folder can be opened, and only fails when it is read.
fn open_file(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(Box::new(file)) }
}
