//! Programs that decide as they go on: `petrio.policies.Program`, by the contract of [`FileProgram`].

use super::Asked;
use petrio_colours::{FileId, FileOp, Operation};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_scenario::given::Given;
use petrio_units::Bytes;
use petrio_workload::program::{FileEntry, FileProgram, FilePrograms, FileTable, ProgramError, Step};
use petrio_workload::{RequestSource, SourceError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Programs, one a process; Python has them as a list.
pub(super) struct OwnPrograms {
    asked: Asked,
    count: u32,
    files: Vec<(String, u64)>,
}

impl OwnPrograms {
    pub(super) fn new(asked: Asked) -> Self {
        let files = asked.ask(|_, of| {
            let mut files: BTreeMap<String, u64> = BTreeMap::new();
            for program in of.try_iter()? {
                let named: BTreeMap<String, String> = program?.getattr("files")?.extract()?;
                for (name, size) in named {
                    let bytes = size
                        .parse::<Bytes>()
                        .map_err(|cause| PyValueError::new_err(format!("the file \"{name}\": {cause}")))?;
                    files.insert(name, bytes.get());
                }
            }
            Ok(files.into_iter().collect())
        });
        let count = asked.ask(|_, of| of.len()).unwrap_or_default();
        Self { asked, count: u32::try_from(count).unwrap_or(u32::MAX), files: files.unwrap_or_default() }
    }
}

impl Given for OwnPrograms {
    fn words(&self) -> String {
        petrio_page::numbers::counted(self.count.into(), "program in Python", "programs in Python")
    }

    fn processes(&self) -> u32 {
        self.count.max(1)
    }

    fn table(&self) -> Result<FileTable, ProgramError> {
        let mut table = FileTable::new();
        for ((name, size), number) in self.files.iter().zip(1..) {
            table.add(FileEntry {
                file: FileId(number),
                name: name.clone(),
                parent: FileId::ROOT,
                is_directory: false,
                present: true,
                size: *size,
                cached: false,
            })?;
        }
        Ok(table)
    }

    fn source(&self) -> Result<Box<dyn RequestSource<FileOp>>, SourceError> {
        // All of one run are copied together: what they share, they share afterwards.
        let run = self.asked.anew().ok_or_else(raised)?;
        let table = self.table()?;
        let numbers =
            self.files.iter().zip(1..).map(|((name, _), number)| (name.clone(), FileId(number))).collect();
        let names = Arc::new(Mutex::new(Names { numbers, next: table.next_file() }));
        let programs = (0..self.count).map(|process| {
            let asked = run.clone();
            Box::new(OwnProgram { asked, process, names: Shared(Arc::clone(&names)) }) as Box<dyn FileProgram>
        });
        Ok(Box::new(FilePrograms::new(programs.collect())?))
    }
}

/// The files of a run by their names.
struct Names {
    numbers: BTreeMap<String, FileId>,
    next: u32,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<Names>>);

#[derive(Persist)]
struct OwnProgram {
    #[persist(keep)]
    asked: Asked,
    process: u32,
    #[persist(keep)]
    names: Shared,
}

/// What Python said: an operation with its file, offset, length and whether it is synchronous or direct; or a time.
type Said = (String, String, u64, u64, bool, bool);

impl FileProgram for OwnProgram {
    fn next(&mut self, now: Time) -> Result<Step, ProgramError> {
        let process = self.process as usize;
        let step = self.asked.ask(|_, of| {
            let said = of.get_item(process)?.call_method1("next", (now.as_seconds(),))?;
            if said.is_none() {
                return Ok(Step::End);
            }
            if let Ok(seconds) = said.extract::<f64>() {
                let is_time = seconds.is_finite() && seconds >= 0.0;
                let no_time = || {
                    PyValueError::new_err(format!("next() gave {seconds}: seconds of thought are 0 or more"))
                };
                return if is_time { Ok(Step::Pause(Time::from_seconds(seconds))) } else { Err(no_time()) };
            }
            self.operation(said.getattr("as_tuple")?.call0()?.extract()?).map(Step::Operation)
        });
        step.ok_or_else(|| ProgramError::Outside { problem: "a program in Python has raised".to_owned() })
    }

    fn completed(&mut self, bytes: u64, took: Time, now: Time) {
        let process = self.process as usize;
        self.asked.ask(|_, of| {
            let args = (bytes, took.as_seconds(), now.as_seconds());
            of.get_item(process)?.call_method1("completed", args).map(|_| ())
        });
    }
}

impl OwnProgram {
    fn operation(&self, (word, file, offset, length, sync, direct): Said) -> PyResult<FileOp> {
        let operation: Operation = serde_json::from_value(serde_json::Value::String(word.clone()))
            .map_err(|_| PyValueError::new_err(format!("there is no operation \"{word}\"")))?;
        let mut names = self.names.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names.numbers.get(&file).copied();
        let file = match (operation, known) {
            (Operation::Sync, _) => FileId::ROOT,
            (Operation::Create | Operation::Mkdir, None) => {
                let new = FileId(names.next);
                names.next += 1;
                names.numbers.insert(file, new);
                new
            }
            (Operation::Unlink, Some(known)) => {
                names.numbers.remove(&file);
                known
            }
            (Operation::Create | Operation::Mkdir, Some(_)) => {
                return Err(PyValueError::new_err(format!("there is a file \"{file}\" already")));
            }
            (_, Some(known)) => known,
            (_, None) => {
                return Err(PyValueError::new_err(format!(
                    "there is no file \"{file}\": name it in `files` with its size, or create it"
                )));
            }
        };
        let mut asked = FileOp {
            operation,
            file,
            parent: FileId::ROOT,
            process: self.process,
            offset,
            length,
            ..FileOp::default()
        };
        (asked.flags.sync, asked.flags.direct) = (sync, direct);
        Ok(asked)
    }
}

fn raised() -> SourceError {
    ProgramError::Outside { problem: "programs in Python have raised".to_owned() }.into()
}
