//! `[workload.NAME]`: what the system is asked to do.

use crate::reading::Reading;
use crate::schema::accesses::{self, DeviceAccessLoad};
use crate::schema::apart::read_apart;
use crate::schema::events::EventReplay;
use crate::schema::names::Names;
use crate::schema::place::{FILE_KEYS, FileLoadPlace};
use crate::schema::trace::TraceReplay;
use crate::text::deserialise::{read, suggestion};
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use crate::users::load_users_in;
use indexmap::IndexMap;
use petrio_colours::Operation;
use petrio_files::inputs::Inputs;
use petrio_units::Duration;
use petrio_users::{UserSpecification, Users};
use petrio_workload::parallel::{ParallelParameters, ParallelProgram, RanksOnVolume};
use petrio_workload::program::requests::Opener;
use petrio_workload::program::{
    AccessParameters, FilePlan, PatternParameters, Placement, ProgramError, RequestParameters,
    ScriptParameters,
};
use petrio_workload::synthetic::Synthetic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

/// What the system is asked to do. `kind` says which sort of workload it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Workload {
    /// Recorded block requests, played back.
    Trace(TraceReplay),
    /// Random requests of a described sort.
    Synthetic(SyntheticLoad),
    /// Processes that read and write files as fio's jobs do, several accesses in flight.
    Accesses(FileLoad<AccessParameters>),
    /// Processes that read and write disks as fio's jobs do.
    DeviceAccesses(DeviceAccessLoad),
    /// Processes that go through files by a pattern, as iozone and fio do.
    Files(FileLoad<PatternParameters>),
    /// File operations one by one, as a script says.
    Script(FileLoad<ScriptParameters>),
    /// Recorded requests to files, played back by as many processes as the record names.
    FileTrace(FileLoad<RequestParameters>),
    /// A file-level trace, played back.
    Events(FileLoad<EventReplay>),
    /// Synthetic users, as a specification describes them.
    Users(FileLoad<Users>),
    /// A parallel program, whose ranks compute, exchange messages, and work on files together.
    Parallel(FileLoad<ParallelParameters>),
}

/// Random requests of a described sort, by generators that run side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyntheticLoad {
    /// The disks that the requests go to. A generator's `devices` are positions in this list, from 0; left out, they
    /// are all of them.
    pub on: Names,
    /// The generators, and when they end.
    #[serde(flatten)]
    pub parameters: Synthetic,
}

/// Processes that work on files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileLoad<P> {
    /// Which file systems, and how urgent the processes are.
    #[serde(flatten)]
    pub place: FileLoadPlace,
    /// What they do.
    #[serde(flatten)]
    pub parameters: P,
}

/// What processes do to files, whatever describes it.
pub(crate) trait FilePattern {
    /// Checks the parameters.
    fn check(&self) -> Result<(), ProgramError>;

    /// What is to be read for it before it can be planned.
    fn read(&self, _inputs: &Inputs) -> Result<Reading, ProgramError> {
        Ok(Reading::Nothing)
    }

    /// The programs of all replications, from what was read for it.
    fn plan(
        &self,
        placement: &Placement,
        reading: &Reading,
        inputs: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError>;

    /// The file that it is read from, and the key that names it.
    fn file(&self) -> Option<(&Path, &'static str)> {
        None
    }

    /// Bytes of the files of one file system when they are largest, and the key that says so; `None` where it can't be
    /// told beforehand.
    fn largest(&self) -> Option<(u64, &'static str)>;

    /// On which other file systems of its host its files lie: by the name of each place, the file system's name.
    fn places(&self) -> Option<&IndexMap<String, String>> {
        None
    }

    /// What it is, in a few words.
    fn words(&self) -> String;
}

impl FilePattern for PatternParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(
        &self,
        placement: &Placement,
        _: &Reading,
        _: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError> {
        Ok(Box::new(Self::plan(self, placement)?))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        // Files that all processes go through are there once.
        Some((self.file_size.get().saturating_mul(self.all_files()), "file_size"))
    }

    fn words(&self) -> String {
        crate::schema::words::pattern(self)
    }
}

impl FilePattern for ScriptParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(
        &self,
        placement: &Placement,
        _: &Reading,
        _: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError> {
        Ok(Box::new(Self::plan(self, placement)?))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn places(&self) -> Option<&IndexMap<String, String>> {
        Some(&self.places)
    }

    fn words(&self) -> String {
        let processes = petrio_page::numbers::counted(self.processes.into(), "process", "processes");
        match self.repeat {
            1 => format!("a script, {processes}"),
            times => format!("a script {times} times, {processes}"),
        }
    }
}

impl FilePattern for RequestParameters {
    fn check(&self) -> Result<(), ProgramError> {
        // Most of it shows only in the file, which is read when the programs are prepared.
        Ok(())
    }

    fn read(&self, inputs: &Inputs) -> Result<Reading, ProgramError> {
        let survey = named(self, inputs).look_over(&*opener(self, inputs))?;
        Ok(Reading::Requests(self.clone(), Arc::new(survey)))
    }

    fn plan(
        &self,
        placement: &Placement,
        reading: &Reading,
        inputs: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError> {
        let parameters = named(self, inputs);
        let survey = match reading {
            Reading::Requests(_, survey) => survey.clone(),
            _ => Arc::new(parameters.look_over(&*opener(self, inputs))?),
        };
        Ok(Box::new(parameters.plan(placement, survey, opener(self, inputs))?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        Some((&self.file, "file"))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        "recorded file requests, think times kept".to_owned()
    }
}

impl FilePattern for Users {
    fn check(&self) -> Result<(), ProgramError> {
        // The rest shows only in the specification, which is read when the programs are prepared.
        self.validate()
    }

    fn read(&self, inputs: &Inputs) -> Result<Reading, ProgramError> {
        let specification = specification(self, inputs)?;
        Ok(Reading::Specification(self.specification.clone(), specification))
    }

    fn plan(
        &self,
        placement: &Placement,
        reading: &Reading,
        inputs: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError> {
        let specification = match reading {
            Reading::Specification(_, specification) => specification.clone(),
            _ => specification(self, inputs)?,
        };
        let top = placement.directory_name();
        Ok(Box::new(specification.plan(self, placement, Some(&top))?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        Some((&self.specification, "specification"))
    }

    fn places(&self) -> Option<&IndexMap<String, String>> {
        Some(&self.places)
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        let users = petrio_page::numbers::counted(self.users.into(), "synthetic user", "synthetic users");
        format!(
            "{users}, {} each",
            petrio_page::numbers::counted(self.sessions.into(), "session", "sessions")
        )
    }
}

impl FilePattern for ParallelParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(
        &self,
        placement: &Placement,
        _: &Reading,
        inputs: &Inputs,
    ) -> Result<Box<dyn FilePlan>, ProgramError> {
        Ok(Box::new(RanksOnVolume::all(self, inputs, placement)?))
    }

    fn file(&self) -> Option<(&Path, &'static str)> {
        match &self.program {
            ParallelProgram::Darshan(program) => Some((&program.file, "program.file")),
            _ => None,
        }
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        None
    }

    fn words(&self) -> String {
        Self::words(self)
    }
}

/// Captured requests by the name that messages show.
fn named(requests: &RequestParameters, inputs: &Inputs) -> RequestParameters {
    RequestParameters { file: inputs.path_of(&requests.file), ..requests.clone() }
}

fn opener(requests: &RequestParameters, inputs: &Inputs) -> Arc<Opener> {
    let (inputs, file) = (inputs.clone(), requests.file.clone());
    Arc::new(move || Ok(Box::new(inputs.open(&file)?)))
}

fn specification(users: &Users, inputs: &Inputs) -> Result<Arc<UserSpecification>, ProgramError> {
    let path = &users.specification;
    load_users_in(inputs, path, &[]).map(Arc::new).map_err(|problems| {
        let first = problems.iter().next();
        let at = first.and_then(Problem::location);
        let at = at.unwrap_or_else(|| inputs.path_of(path).display().to_string());
        ProgramError::Users { at, problem: first.map(ToString::to_string).unwrap_or_default() }
    })
}

/// The words that `kind` may be.
pub(crate) const KINDS: [&str; 11] = [
    "trace",
    "synthetic",
    "accesses",
    "device-accesses",
    "files",
    "script",
    "file-trace",
    "events",
    "users",
    "parallel",
    "fio",
];

impl Workload {
    /// How long its reads and writes may take, where that is said.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        match self {
            Self::Trace(_) | Self::Synthetic(_) | Self::DeviceAccesses(_) => None,
            Self::Accesses(load) => load.place.deadline,
            Self::Files(load) => load.place.deadline,
            Self::Script(load) => load.place.deadline,
            Self::FileTrace(load) => load.place.deadline,
            Self::Events(load) => load.place.deadline,
            Self::Users(load) => load.place.deadline,
            Self::Parallel(load) => load.place.deadline,
        }
    }

    /// Which kind of operation ends a transaction, where that is said.
    pub(crate) fn transaction(&self) -> Option<Operation> {
        self.files_place()?.transaction.map(Operation::from)
    }

    /// The disks or the file systems that it goes to.
    pub fn on(&self) -> &Names {
        match self {
            Self::Trace(trace) => &trace.on,
            Self::Synthetic(load) => &load.on,
            Self::Accesses(load) => &load.place.on,
            Self::DeviceAccesses(load) => &load.on,
            Self::Files(load) => &load.place.on,
            Self::Script(load) => &load.place.on,
            Self::FileTrace(load) => &load.place.on,
            Self::Events(load) => &load.place.on,
            Self::Users(load) => &load.place.on,
            Self::Parallel(load) => &load.place.on,
        }
    }

    /// The workloads that must be over before it begins.
    pub fn after(&self) -> Option<&Names> {
        match self {
            Self::DeviceAccesses(load) => load.after.as_ref(),
            other => other.files_place()?.after.as_ref(),
        }
    }

    /// Whether it is a parallel program: its processes on all of its file systems are one.
    pub(crate) const fn is_parallel(&self) -> bool {
        matches!(self, Self::Parallel(_))
    }

    /// Whether it works on files; else it sends block requests.
    pub(crate) fn works_on_files(&self) -> bool {
        self.files_place().is_some()
    }

    /// Where it works on files, if it does.
    pub(crate) fn files_place(&self) -> Option<&FileLoadPlace> {
        match self {
            Self::Events(load) => Some(&load.place),
            other => other.on_files().map(|(place, _)| place),
        }
    }

    /// What its programs do to files, where it has programs that work on files.
    pub(crate) fn on_files(&self) -> Option<(&FileLoadPlace, &dyn FilePattern)> {
        match self {
            Self::Trace(_) | Self::Synthetic(_) | Self::DeviceAccesses(_) | Self::Events(_) => None,
            Self::Accesses(load) => Some((&load.place, &load.parameters)),
            Self::Files(load) => Some((&load.place, &load.parameters)),
            Self::Script(load) => Some((&load.place, &load.parameters)),
            Self::FileTrace(load) => Some((&load.place, &load.parameters)),
            Self::Users(load) => Some((&load.place, &load.parameters)),
            Self::Parallel(load) => Some((&load.place, &load.parameters)),
        }
    }

    /// On which other file systems of its host its files lie: by the name of each place, the file system's name.
    pub(crate) fn places(&self) -> Option<&IndexMap<String, String>> {
        match self {
            Self::Events(load) => Some(&load.parameters.places),
            other => other.on_files().and_then(|(_, pattern)| pattern.places()),
        }
    }
}

/// Reads a workload. Told apart here and not by serde, which forgets where things stand once it has to look at `kind`
/// before it knows what it reads.
pub(crate) fn read_workload(table: &Table<'_>, sources: &Sources) -> Result<Workload, Vec<Problem>> {
    let span = table.span();
    let mut rest = table.get_ref().clone();
    let Some((_, kind)) = entry(table.get_ref(), "kind") else {
        let problem = sources.error(span, "\"kind\" is missing").label("in this workload");
        return Err(vec![
            problem.help(format!("say what sort of workload it is: kind = \"{}\"", KINDS.join("\" or \""))),
        ]);
    };
    rest.remove("kind");
    let rest = Spanned::new(span, rest);
    match kind.get_ref() {
        DeValue::String(word) if word == "trace" => read(&rest, sources).map(Workload::Trace),
        DeValue::String(word) if word == "synthetic" => {
            #[derive(Deserialize)]
            struct On {
                on: Names,
            }
            let (On { on }, parameters) = read_apart(&rest, &["on"], sources)?;
            Ok(Workload::Synthetic(SyntheticLoad { on, parameters }))
        }
        DeValue::String(word) if word == "accesses" => accesses::on_files(&rest, sources),
        DeValue::String(word) if word == "device-accesses" => accesses::on_disks(&rest, sources),
        DeValue::String(word) if word == "files" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::Files(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "script" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::Script(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "file-trace" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::FileTrace(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "events" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::Events(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "users" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::Users(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "parallel" => {
            let (place, parameters) = read_apart(&rest, &FILE_KEYS, sources)?;
            Ok(Workload::Parallel(FileLoad { place, parameters }))
        }
        DeValue::String(word) if word == "fio" => {
            let problem = sources.error(kind.span(), "job files are not read in a file that is used");
            Err(vec![problem.help("put this workload into the scenario itself")])
        }
        DeValue::String(word) => {
            let problem = sources.error(kind.span(), format!("\"{word}\" is not a kind of workload"));
            Err(vec![problem.help(suggestion(word, &KINDS, "it is one of"))])
        }
        _ => Err(vec![
            sources.error(kind.span(), "the kind of a workload is a word").help("write kind = \"trace\""),
        ]),
    }
}
