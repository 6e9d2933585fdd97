//! A System that is driven by hand: controllers, closed loops, learning.

use crate::error::{self, wrong};
use crate::report::Wrong;
use crate::scenario::Scenario;
use crate::waiting::waited;
use petrio_colours::{BlockRequest, Causes, Direction, FileId, FileOp, Operation, Status};
use petrio_engine::{Answer, Completion as Returned, Engine as Driven, Program, Saved};
use petrio_kernel::{Time, Watch};
use petrio_scenario::Loaded;
use petrio_scenario::build::{System, file_names};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What came back.
#[pyclass(frozen, get_all, module = "petrio._petrio")]
pub(crate) struct Completion {
    /// Which submission, from 0.
    ticket: u64,
    /// When, seconds of model time.
    at: f64,
    /// How long it took, seconds.
    took: f64,
    /// Bytes moved.
    bytes: u64,
    /// How it ended: "done", "from-cache", or "failed: …".
    status: String,
    /// Where its time went: cause and seconds.
    causes: BTreeMap<String, f64>,
}

#[pymethods]
impl Completion {
    fn __repr__(&self) -> String {
        let Self { ticket, at, took, bytes, status, .. } = self;
        format!("Completion(ticket={ticket}, at={at:.9}, took={took:.9}, bytes={bytes}, status={status:?})")
    }
}

/// A scenario's System, at an instant of model time. Its workloads don't run: whoever has it asks for what it likes; the files of its
/// workloads are there, by their names.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Engine {
    inside: Mutex<Inside>,
    watch: Watch,
}

struct Inside {
    engine: Driven,
    loaded: Loaded,
    /// File systems by their names, each with its host, its number there, and the numbers of its files.
    file_systems: BTreeMap<String, Place>,
    devices: BTreeMap<String, u32>,
    programs: Vec<Program>,
}

#[derive(Clone)]
struct Place {
    host: usize,
    number: u32,
    files: BTreeMap<String, FileId>,
}

impl Engine {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where an engine was.
#[pyclass(frozen, module = "petrio._petrio")]
pub(crate) struct Checkpoint {
    saved: Saved,
    files: BTreeMap<String, Place>,
    programs: Vec<Program>,
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (scenario, seed=None, replication=0))]
    fn new(py: Python<'_>, scenario: &Scenario, seed: Option<u64>, replication: u64) -> PyResult<Self> {
        let watch = Watch::new();
        let made = waited(py, &watch, || {
            let loaded = scenario.load(&scenario.inputs(), seed, &watch).map_err(Wrong::Scenario)?;
            let system = System::build(&loaded).map_err(Wrong::Run)?;
            let names = file_names(&loaded).map_err(Wrong::Run)?;
            Ok((loaded, system, names))
        })?;
        let (loaded, system, names) = made.map_err(Wrong::error)?;
        let mut engine = Driven::new(&system.driven, loaded.scenario.seed, replication);
        engine.set_watch(&watch);
        let file_systems = loaded.hosts.volumes().zip(names).map(|(volume, files)| {
            (volume.name.to_owned(), Place { host: volume.host, number: volume.mount, files })
        });
        let devices = loaded.storage.iter().zip(0..).map(|(part, number)| (part.name.clone(), number));
        let (file_systems, devices) = (file_systems.collect(), devices.collect());
        Ok(Self {
            inside: Mutex::new(Inside { engine, loaded, file_systems, devices, programs: Vec::new() }),
            watch,
        })
    }

    /// The clock, seconds of model time.
    #[getter]
    fn now(&self) -> f64 {
        self.inside().engine.now().as_seconds()
    }

    /// How many submissions haven't come back.
    #[getter]
    fn under_way(&self) -> u64 {
        self.inside().engine.under_way()
    }

    /// The file systems that programs can ask.
    #[getter]
    fn file_systems(&self) -> Vec<String> {
        self.inside().file_systems.keys().cloned().collect()
    }

    /// The devices and arrays that programs can ask.
    #[getter]
    fn devices(&self) -> Vec<String> {
        self.inside().devices.keys().cloned().collect()
    }

    /// The files of a file system, by name.
    fn files(&self, file_system: &str) -> PyResult<Vec<String>> {
        Ok(self.inside().place(file_system)?.files.keys().cloned().collect())
    }

    /// A process on the host of a file system (or, where devices are asked, anywhere); its number.
    #[pyo3(signature = (file_system=None))]
    fn program(&self, file_system: Option<&str>) -> PyResult<usize> {
        let mut inside = self.inside();
        let host = file_system.map_or(Ok(0), |name| Ok::<_, PyErr>(inside.place(name)?.host))?;
        let program = inside.engine.program(host).map_err(|cause| error::failed(&cause))?;
        inside.programs.push(program);
        Ok(inside.programs.len() - 1)
    }

    /// A program asks a file system for something, now or at a later time; a ticket. See `petrio.Engine.submit`.
    #[pyo3(signature = (program, file_system, operation, file="", offset=0, length=0, at=None, synchronous=false, direct=false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords")]
    fn submit_operation(
        &self,
        program: usize,
        file_system: &str,
        operation: &str,
        file: &str,
        offset: u64,
        length: u64,
        at: Option<f64>,
        synchronous: bool,
        direct: bool,
    ) -> PyResult<u64> {
        let mut inside = self.inside();
        let operation = named_operation(operation)?;
        let place = inside.place(file_system)?.clone();
        let known = place.files.get(file).copied();
        let file_id = match (operation, known) {
            (Operation::Sync, _) => FileId::ROOT,
            (Operation::Create | Operation::Mkdir | Operation::Tmpfile, None) => inside.engine.new_file(),
            (Operation::Create | Operation::Mkdir, Some(_)) => {
                return Err(wrong(format!("{file_system} has a file \"{file}\" already")));
            }
            (_, Some(known)) => known,
            (_, None) => {
                let some: Vec<&str> = place.files.keys().take(8).map(String::as_str).collect();
                return Err(wrong(format!(
                    "{file_system} has no file \"{file}\"\n help: it has {}; create makes others",
                    if some.is_empty() { "none yet".to_owned() } else { some.join(", ") }
                )));
            }
        };
        let mut asked = FileOp {
            operation,
            file: file_id,
            parent: FileId::ROOT,
            file_system: place.number,
            offset,
            length,
            ..FileOp::default()
        };
        asked.flags.sync = synchronous;
        asked.flags.direct = direct;
        let ticket = inside.submit(program, at, asked)?;
        // What was refused has changed nothing.
        if let Some(place) = inside.file_systems.get_mut(file_system) {
            if operation == Operation::Unlink {
                place.files.remove(file);
            } else if known.is_none() && operation != Operation::Sync {
                place.files.insert(file.to_owned(), file_id);
            }
        }
        Ok(ticket)
    }

    /// A program asks a device for something; addresses and lengths in bytes, of whole sectors of 512.
    #[pyo3(signature = (program, device, write, offset, length, at=None))]
    fn submit_request(
        &self,
        program: usize,
        device: &str,
        write: bool,
        offset: u64,
        length: u64,
        at: Option<f64>,
    ) -> PyResult<u64> {
        let sector = petrio_colours::SECTOR_BYTES;
        if !offset.is_multiple_of(sector) || !length.is_multiple_of(sector) || length == 0 {
            return Err(wrong(format!(
                "a device moves whole sectors of {sector} bytes, not {length} bytes at {offset}"
            )));
        }
        let blocks = u32::try_from(length / sector).map_err(|_| wrong("a request has less than 2 TiB"))?;
        let mut inside = self.inside();
        let device = inside.devices.get(device).copied().ok_or_else(|| {
            wrong(format!(
                "there is no device \"{device}\"; {}",
                inside.devices.keys().cloned().collect::<Vec<_>>().join(", ")
            ))
        })?;
        let direction = if write { Direction::Write } else { Direction::Read };
        let asked = BlockRequest {
            direction,
            device,
            address: offset / sector,
            blocks,
            synchronous: true,
            ..BlockRequest::default()
        };
        inside.submit(program, at, asked)
    }

    /// Goes on to the first instant at which something comes back, or to `until` (seconds of model time; None: for ever).
    #[pyo3(signature = (until=None))]
    fn advance(&self, py: Python<'_>, until: Option<f64>) -> PyResult<Vec<Completion>> {
        let until = until.map_or(Ok(Time::NEVER), time)?;
        let quick = {
            let mut inside = self.inside();
            // What comes back at once costs no thread.
            matches!(inside.engine.next_time(), Ok(Some(next)) if next == inside.engine.now())
        };
        let back = if quick {
            self.inside().engine.advance(until)
        } else {
            waited(py, &self.watch, || self.inside().engine.advance(until))?
        };
        back.map(|done| done.iter().map(completion).collect()).map_err(|cause| error::failed(&cause))
    }

    /// A program has ended.
    fn end(&self, program: usize) -> PyResult<()> {
        let mut inside = self.inside();
        let program = inside.known_program(program)?;
        inside.engine.end(program).map_err(|cause| error::failed(&cause))
    }

    /// Makes a part of the System so many times as fast from now on, by its page's path, such as "d0/mechanics".
    fn set_speed(&self, path: &str, factor: f64) -> PyResult<()> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(wrong(format!("a part is some positive number of times as fast, not {factor}")));
        }
        let mut inside = self.inside();
        if inside.engine.simulation().net().find_page(path).is_none() {
            return Err(wrong(format!("the net has no page \"{path}\"\n help: petrio net shows its pages")));
        }
        inside.engine.set_speed(path, factor);
        Ok(())
    }

    /// Where it is.
    fn checkpoint(&self) -> Checkpoint {
        let inside = self.inside();
        Checkpoint {
            saved: inside.engine.checkpoint(),
            files: inside.file_systems.clone(),
            programs: inside.programs.clone(),
        }
    }

    /// Back to where it was.
    fn restore(&self, checkpoint: &Checkpoint) -> PyResult<()> {
        let mut inside = self.inside();
        inside.engine.restore(&checkpoint.saved).map_err(|cause| error::failed(&cause))?;
        inside.file_systems = checkpoint.files.clone();
        inside.programs.clone_from(&checkpoint.programs);
        Ok(())
    }

    /// Another one that goes on from here by itself.
    fn fork(&self) -> Self {
        let (inside, watch) = (self.inside(), Watch::new());
        let mut engine = inside.engine.fork();
        engine.set_watch(&watch);
        let Inside { loaded, file_systems, devices, programs, .. } = &*inside;
        let inside = Inside {
            engine,
            loaded: loaded.clone(),
            file_systems: file_systems.clone(),
            devices: devices.clone(),
            programs: programs.clone(),
        };
        Self { inside: Mutex::new(inside), watch }
    }

    /// Other random numbers from here on.
    #[pyo3(signature = (seed, replication=0))]
    fn reseed(&self, seed: u64, replication: u64) {
        self.inside().engine.reseed(seed, replication);
    }

    fn __repr__(&self) -> String {
        let inside = self.inside();
        format!("Engine({:?} at {})", inside.loaded.scenario.title, inside.engine.now())
    }
}

impl Inside {
    fn place(&self, name: &str) -> PyResult<&Place> {
        self.file_systems.get(name).ok_or_else(|| {
            let there: Vec<&str> = self.file_systems.keys().map(String::as_str).collect();
            wrong(format!(
                "there is no file system \"{name}\"; {}",
                if there.is_empty() { "this System has none".to_owned() } else { there.join(", ") }
            ))
        })
    }

    fn known_program(&self, number: usize) -> PyResult<Program> {
        self.programs
            .get(number)
            .copied()
            .ok_or_else(|| wrong(format!("there is no program {number}: program() makes one")))
    }

    fn submit<R: petrio_engine::Submittable>(
        &mut self,
        program: usize,
        at: Option<f64>,
        asked: R,
    ) -> PyResult<u64> {
        let program = self.known_program(program)?;
        let at = at.map_or(Ok(self.engine.now()), time)?;
        let ticket = self.engine.submit(program, asked, at).map_err(|cause| error::failed(&cause))?;
        Ok(ticket.position())
    }
}

fn time(seconds: f64) -> PyResult<Time> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(wrong(format!("{seconds} s is no model time: it goes from 0")));
    }
    let time = Time::from_seconds(seconds);
    // Not before the time that was asked for, as Python compares them: who waits until then would wait for ever.
    Ok(if time.as_seconds() < seconds { Time::from_picos(time.as_picos().saturating_add(1)) } else { time })
}

fn named_operation(name: &str) -> PyResult<Operation> {
    let quoted = serde_json::Value::String(name.to_owned());
    serde_json::from_value(quoted).map_err(|_| {
        wrong(format!(
            "there is no operation \"{name}\"; read, write, fsync, fdatasync, open, create, close, truncate, unlink, stat, sync …"
        ))
    })
}

fn completion(done: &Returned) -> Completion {
    let status = match done.status() {
        None => "submitted".to_owned(),
        Some(Status::Failed(failure)) => format!("failed: {failure}"),
        Some(Status::DoneFromCache) => "from-cache".to_owned(),
        Some(_) => "done".to_owned(),
    };
    let (bytes, causes) = match &done.answer {
        Answer::Submitted => (0, BTreeMap::new()),
        Answer::Operation(operation) => {
            let moves = matches!(operation.operation, Operation::Read | Operation::Write);
            (if moves { operation.length } else { 0 }, causes_of(operation))
        }
        Answer::Request(request) => (request.bytes(), causes_of(request)),
    };
    let took = done.took().map_or(0.0, Time::as_seconds);
    Completion { ticket: done.ticket.position(), at: done.at.as_seconds(), took, bytes, status, causes }
}

fn causes_of<R: petrio_colours::Request>(request: &R) -> BTreeMap<String, f64> {
    let spent =
        R::Cause::ALL.iter().map(|&cause| (cause.name().to_owned(), request.ledger().of(cause).as_seconds()));
    spent.filter(|(_, seconds)| *seconds > 0.0).collect()
}
