//! A run that was put aside in a file, to go on from there as often as one likes: warm once, ask often.
//!
//! A state holds all that changes: the net's marking, and how far the programs are. What the System is made of is built again from
//! the scenario, which therefore has to be the same but for its title, its seed and what it measures.

use miette::Diagnostic;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_files::whole_file::WholeFile;
use petrio_kernel::Time;
use petrio_persist::{Reader, SharedParts};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What a state file begins with.
const MAGIC: &[u8] = b"petrio state\n";
/// Changes whenever states are written otherwise.
const FORMAT: u32 = 5;
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
    bytes: Vec<u8>,
}

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
    /// Of a run with this seed, which rests on this of its scenario.
    pub(crate) fn new((scenario, seed): (Value, u64), (at, like): (Time, u64), bytes: Vec<u8>) -> Self {
        let header = Header {
            format: FORMAT,
            petrio: env!("CARGO_PKG_VERSION").to_owned(),
            time_ps: at.as_picos(),
            seed,
            like,
            scenario,
        };
        Self { header, bytes }
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
        let bytes = zstd::decode_all(&packed[1..]).map_err(|error| damaged(error.to_string()))?;
        Ok(Self { header, bytes })
    }

    /// What its System was like before anything happened in it.
    pub(crate) const fn likeness(&self) -> u64 {
        self.header.like
    }

    /// In what a scenario, of which a state would [rest on](crate::Loaded::rests_on) this, differs from the one that it is of: each
    /// key, and how it does, in words.
    pub fn differences(&self, scenario: &Value) -> Vec<(String, String)> {
        let mut differ = Vec::new();
        differences("", &self.header.scenario, scenario, &mut differ);
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

fn digest(header: &[u8]) -> u64 {
    petrio_random::fnv1a(header.iter().copied())
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
