//! A run that was put aside in a file, to go on from there as often as one likes: warm once, ask often.
//!
//! A state holds all that changes: the net's marking, and how far the programs are. What the System is made of is built again from
//! the scenario, which therefore has to be the same but for its title, its seed and what it measures. What a look over a trace's calls
//! on files has found is held, too: of that trace no more need be there than what is left.

use crate::loaded::Loaded;
use crate::prepared::Prepared;
use crate::workload::{EventReplay, Reading, Workload};
use miette::Diagnostic;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_files::whole_file::WholeFile;
use petrio_kernel::Time;
use petrio_persist::{Damage, Persist, Reader, SharedParts, Writer};
use petrio_workload::replay::TraceFiles;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// What a state file begins with.
const MAGIC: &[u8] = b"petrio state\n";
/// Changes whenever states are written otherwise.
const FORMAT: u32 = 11;
/// The largest state file that is read.
const BYTES_MAX: u64 = 1 << 36;
/// Keys that differ of which a message names so many.
const NAMED: usize = 3;
/// How much is given for size: states are written once and read often.
const COMPRESSION: i32 = 3;

/// A run at an instant, as bytes.
#[derive(Debug)]
pub struct SavedRun {
    header: Header,
    /// What was found in traces of calls on files before the run, by the workloads' names.
    found: Found,
    bytes: Vec<u8>,
}

type Found = Vec<FoundIn>;

/// By the workload's name, what was asked of its trace, as JSON, and what was found.
type FoundIn = (String, (String, Arc<TraceFiles>));

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: u32,
    petrio: String,
    time_ps: u64,
    seed: u64,
    /// What the System was like before anything happened in it.
    like: u64,
    /// What the state rests on.
    scenario: Value,
    /// What is in the files that it names, but for traces, by these names.
    inputs: BTreeMap<PathBuf, u64>,
}

/// Why a run can't go on from a state.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file can't be read or written.
    #[error("{}: {cause}", shown::path(path))]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Something else.
    #[error("{} is no state of a run", shown::path(path))]
    #[diagnostic(help("petrio run SCENARIO --until \"30 s\" --save FILE writes one"))]
    NoState {
        /// Which.
        path: PathBuf,
    },
    /// Of another petrio.
    #[error("{} was written by petrio {petrio} (format {format}); this is petrio {} (format {FORMAT})", shown::path(path), env!("CARGO_PKG_VERSION"))]
    #[diagnostic(help("save it again with this version"))]
    Version {
        /// Which.
        path: PathBuf,
        /// The version that wrote it.
        petrio: String,
        /// How states were written then.
        format: u32,
    },
    /// Not what was written.
    #[error("{} is damaged: {what}", shown::path(path))]
    #[diagnostic(help("save it again"))]
    Damaged {
        /// Which.
        path: PathBuf,
        /// In words.
        what: String,
    },
    /// Of another scenario.
    #[error("the state is of another System: {differs}")]
    #[diagnostic(help(
        "a state rests on all of its scenario but title, seed, [measure] and how fast drives, links and processors are: save one of this scenario"
    ))]
    OtherScenario {
        /// What differs, and how.
        differs: String,
    },
    /// Of other traces.
    #[error("the trace of workload \"{workload}\" isn't the one that the state is of")]
    #[diagnostic(help(
        "give it as it was when the state was saved, or read the scenario to go on from the state"
    ))]
    OtherTrace {
        /// Whose.
        workload: String,
    },
    /// It would end before it begins.
    #[error("the state is of {at}, and the run would end at {end}")]
    #[diagnostic(help(
        "times count from the beginning of the run that was saved: end later, with --until or [measure] stop"
    ))]
    Over {
        /// The state's time.
        at: Time,
        /// The run's end.
        end: Time,
    },
}

impl StateError {
    /// Of another scenario, in which these keys differ.
    pub(crate) fn other_scenario<'d>(differences: impl IntoIterator<Item = &'d (String, String)>) -> Self {
        let all: Vec<&str> = differences.into_iter().map(|(_, what)| what.as_str()).collect();
        let mut differs = all.iter().take(NAMED).copied().collect::<Vec<_>>().join("; ");
        if let Some(more @ 1..) = all.len().checked_sub(NAMED) {
            differs.push_str(&format!("; and {more} more"));
        }
        Self::OtherScenario { differs }
    }
}

impl SavedRun {
    pub(crate) fn new(loaded: &Loaded, (at, like): (Time, u64), bytes: Vec<u8>) -> Self {
        let header = Header {
            format: FORMAT,
            petrio: env!("CARGO_PKG_VERSION").to_owned(),
            time_ps: at.as_picos(),
            seed: loaded.scenario.seed,
            like,
            scenario: loaded.rests_on(),
            inputs: inputs(loaded),
        };
        Self { header, found: found(loaded), bytes }
    }

    /// The instant that it is of.
    pub const fn at(&self) -> Time {
        Time::from_picos(self.header.time_ps)
    }

    /// The seed whose random numbers it was made with.
    pub const fn seed(&self) -> u64 {
        self.header.seed
    }

    /// Writes it to a file, which is whole or isn't there, and takes the place of none of those `inputs`.
    ///
    /// # Errors
    /// [`StateError::File`].
    pub fn write(&self, path: &Path, inputs: &Inputs) -> Result<(), StateError> {
        let failed = |cause| StateError::File { path: path.to_owned(), cause };
        let written = || {
            let mut file = WholeFile::create(path, inputs)?;
            file.write_all(MAGIC)?;
            let header = serde_json::to_vec(&self.header)?;
            file.write_all(&header)?;
            writeln!(file, " {:016x}", digest(&header))?;
            let mut packed = zstd::Encoder::new(&mut file, COMPRESSION)?;
            packed.include_checksum(true)?;
            let found = self.written().map_err(io::Error::other)?;
            packed.write_all(&(found.len() as u64).to_le_bytes())?;
            packed.write_all(&found)?;
            packed.write_all(&self.bytes)?;
            packed.finish()?;
            file.finish()
        };
        written().map_err(failed)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`StateError`]: a file that can't be read, that is none, that is of another version, or damaged.
    pub fn read(inputs: &Inputs, path: &Path) -> Result<Self, StateError> {
        let named = || path.to_owned();
        let bytes =
            inputs.read(path, BYTES_MAX).map_err(|cause| StateError::File { path: named(), cause })?;
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| StateError::NoState { path: named() })?;
        let damaged = |what: String| StateError::Damaged { path: named(), what };
        let end = rest.iter().position(|&byte| byte == b'\n');
        let (header, packed) =
            rest.split_at(end.ok_or_else(|| damaged("its heading has no end".to_owned()))?);
        let mut values = serde_json::Deserializer::from_slice(header).into_iter::<Value>();
        let read = values.next().transpose();
        let (text, said) = header.split_at(values.byte_offset());
        let header = read.ok().flatten().ok_or_else(|| damaged("its heading can't be read".to_owned()))?;
        let format =
            header.get("format").and_then(Value::as_u64).and_then(|format| u32::try_from(format).ok());
        let petrio = header.get("petrio").and_then(Value::as_str).unwrap_or_default().to_owned();
        match format {
            Some(FORMAT) if petrio == env!("CARGO_PKG_VERSION") => {}
            Some(format) => return Err(StateError::Version { path: named(), petrio, format }),
            None => return Err(damaged("its heading says no format".to_owned())),
        }
        if said.trim_ascii() != format!("{:016x}", digest(text)).as_bytes() {
            return Err(damaged("its heading isn't what was written".to_owned()));
        }
        let header: Header =
            serde_json::from_value(header).map_err(|error| damaged(format!("its heading: {error}")))?;
        let mut bytes = zstd::decode_all(&packed[1..]).map_err(|error| damaged(error.to_string()))?;
        let (found, begin) = read_found(&bytes).map_err(|damage| damaged(damage.to_string()))?;
        bytes.drain(..begin);
        Ok(Self { header, found, bytes })
    }

    fn written(&self) -> Result<Vec<u8>, petrio_persist::Refusal> {
        let known = SharedParts::default();
        let mut to = Writer::new(&known);
        self.found.save(&mut to);
        to.finish()
    }

    /// What was found in traces before the run, for a scenario that is to go on from here: it isn't looked for again.
    pub(crate) fn known(&self) -> Option<Arc<Prepared>> {
        let reading = |(name, (asked, files)): &FoundIn| {
            let asked: EventReplay = serde_json::from_str(asked).ok()?;
            Some((name.clone(), Reading::Events(Box::new(asked), Arc::clone(files))))
        };
        (!self.found.is_empty())
            .then(|| Arc::new(Prepared::read(self.found.iter().filter_map(reading).collect())))
    }

    /// Whether what a scenario has found in its traces is what was found in them then.
    pub(crate) fn found_the_same(&self, loaded: &Loaded) -> Result<(), StateError> {
        let there = found(loaded);
        let differs = |(was, is): &(&FoundIn, &FoundIn)| was.0 != is.0 || was.1.1 != is.1.1;
        match self.found.iter().zip(&there).find(differs) {
            None if self.found.len() == there.len() => Ok(()),
            differs => Err(StateError::OtherTrace {
                workload: differs.map_or_else(String::new, |(was, _)| was.0.clone()),
            }),
        }
    }

    /// What its System was like before anything happened in it.
    pub(crate) const fn likeness(&self) -> u64 {
        self.header.like
    }

    /// In what a scenario differs from the one that it is of: each key, and how it does, in words.
    pub fn differences(&self, loaded: &Loaded) -> Vec<(String, String)> {
        let mut differ = Vec::new();
        differences("", &self.header.scenario, &loaded.rests_on(), &mut differ);
        let others = self.header.inputs.iter().filter(|(name, was)| digest_of(loaded, name) != Some(**was));
        differ.extend(others.map(|(name, _)| {
            let name = shown::path(name).to_string();
            let what = format!("what is in {name} was something else");
            (name, what)
        }));
        differ
    }

    /// What was written, to be read into a System with these parts: as it was, or with other random numbers from there on.
    pub(crate) fn reader<'b>(
        &'b self,
        known: &'b SharedParts,
        (seed, replication): (u64, u64),
    ) -> Reader<'b> {
        let reader = Reader::new(known, &self.bytes);
        if (seed, replication) == (self.header.seed, 0) {
            return reader;
        }
        reader.reseeding(petrio_random::mix(seed) ^ replication)
    }
}

/// The files that a scenario has read, but for traces, which are known by what is in them, and itself.
fn inputs(loaded: &Loaded) -> BTreeMap<PathBuf, u64> {
    let traces = loaded.scenario.workload.values().flat_map(|workload| match workload {
        Workload::Trace(trace) => trace.files.clone(),
        Workload::Events(load) => vec![load.parameters.file.clone()],
        _ => Vec::new(),
    });
    let traces: BTreeSet<PathBuf> = traces.collect();
    let (folder, own) = (loaded.path_of(Path::new("")), digest(loaded.origin.text.as_bytes()));
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&folder).unwrap_or(&path).to_owned();
        let is_input = loaded.path_of(&name) == path && !traces.contains(&name);
        let digest = digest_of(loaded, &name).filter(|digest| is_input && *digest != own)?;
        Some((name, digest))
    };
    loaded.inputs.opened().into_keys().filter_map(named).collect()
}

/// What is in a file, if it is there; of a state nothing.
fn digest_of(loaded: &Loaded, name: &Path) -> Option<u64> {
    let mut bytes = BufReader::new(loaded.inputs.open(name).ok()?);
    let is_state = bytes.fill_buf().ok()?.starts_with(MAGIC);
    (!is_state).then(|| petrio_random::fnv1a(bytes.bytes().map_while(Result::ok)))
}

fn digest(header: &[u8]) -> u64 {
    petrio_random::fnv1a(header.iter().copied())
}

/// What a scenario has found in the traces of its workloads.
fn found(loaded: &Loaded) -> Found {
    let Ok(prepared) = loaded.prepared() else { return Found::new() };
    let of = |(name, reading): (&String, &Reading)| match reading {
        Reading::Events(asked, files) => {
            // Whatever the file is called.
            let asked = EventReplay { file: PathBuf::new(), ..(**asked).clone() };
            Some((name.clone(), (serde_json::to_string(&asked).ok()?, Arc::clone(files))))
        }
        _ => None,
    };
    prepared.readings().iter().filter_map(of).collect()
}

/// What was found in traces, and where the rest begins.
fn read_found(bytes: &[u8]) -> Result<(Found, usize), Damage> {
    let known = SharedParts::default();
    let (length, rest) = bytes.split_first_chunk().ok_or(Damage::Ends)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| Damage::Ends)?;
    let (found, _) = rest.split_at_checked(length).ok_or(Damage::Ends)?;
    let mut reader = Reader::new(&known, found);
    let found = Found::load(&mut reader)?;
    reader.end()?;
    Ok((found, size_of::<u64>() + length))
}

/// Adds what differs between two values, by the keys' paths.
fn differences<'v>(path: &str, was: &'v Value, is: &'v Value, all: &mut Vec<(String, String)>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let nothing = Map::new();
    let keys = |value: &'v Value| match value {
        Value::Object(keys) => Some(Some(keys)),
        Value::Null => Some(None),
        _ => None,
    };
    match (keys(was), keys(is)) {
        // What isn't written is as good as empty.
        (Some(was), Some(is)) if was.or(is).is_some() => {
            let [was, is] = [was, is].map(|keys| keys.unwrap_or(&nothing));
            let added = is.keys().filter(|key| !was.contains_key(*key));
            for key in was.keys().chain(added) {
                let [was, is] = [was, is].map(|keys| keys.get(key).unwrap_or(&Value::Null));
                differences(&below(key), was, is, all);
            }
        }
        _ if was == is => {}
        _ => all.push((path.to_owned(), format!("{path} was {was} and is {is}"))),
    }
}
