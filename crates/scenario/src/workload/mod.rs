//! `[workload.NAME]`: what the system is asked to do.
//!
//! A kind is a file here. It holds what is written of it, or which program's parameters that is; what makes no sense of it; how its
//! processes are planned; and what else a study asks of it (`Load`, `FilePattern`). It is entered in the list below.

mod accesses;
mod check;
mod events;
mod files;
mod kind;
mod longer;
mod parallel;
mod pattern;
mod place;
mod problem;
mod reading;
mod recording;
mod requests;
mod script;
mod synthetic;
mod trace;
mod transaction;
mod users;

pub use accesses::DeviceAccessLoad;
pub(crate) use accesses::accesses as access_words;
pub use events::{CachesAtBegin, EventReplay, PlacesOutOfRange, Reads};
pub(crate) use files::{files_alike, with_both_words};
pub use kind::{Counted, FileLoad, Intensity};
pub(crate) use kind::{FilePattern, Load, LoadSite};
pub(crate) use longer::{longer_count, longer_span};
pub use place::{FileLoadPlace, IoClassName};
pub(crate) use problem::problem_of;
pub(crate) use reading::Reading;
pub use synthetic::SyntheticLoad;
pub(crate) use trace::own_table;
pub use trace::{OutOfRange, Replay, TraceReplay};
pub use transaction::TransactionEnd;

use crate::schema::Names;
use crate::text::deserialise::{read, suggestion};
use crate::text::tree::{Table, entry};
use crate::text::{Problem, Sources};
use kind::on_files;
use petrio_colours::Operation;
use petrio_units::Duration;
use petrio_users::Users;
use petrio_workload::parallel::{ParallelParameters, RecordingParameters};
use petrio_workload::program::{AccessParameters, PatternParameters, RequestParameters, ScriptParameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

/// Makes the list of kinds: the words that `kind` may be, and how each is read and found.
macro_rules! workloads {
    ($($word:literal: $name:ident($load:ty) = $read:expr, $about:literal;)*) => {
        /// What the system is asked to do. `kind` says which sort of workload it is.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum Workload {
            $(#[doc = $about]
            $name($load),)*
        }

        /// The words that `kind` may be. Job files of fio become other workloads before any is read.
        pub(crate) const KINDS: &[&str] = &[$($word,)* "fio"];

        impl Workload {
            /// It, whatever its kind is.
            pub(crate) fn load(&self) -> &dyn Load {
                match self {
                    $(Self::$name(load) => load,)*
                }
            }

            /// It, whatever its kind is, to be changed.
            pub(crate) fn load_mut(&mut self) -> &mut dyn Load {
                match self {
                    $(Self::$name(load) => load,)*
                }
            }
        }

        /// Reads what a workload of a kind is; nothing where none is called so.
        fn read_kind(
            word: &str,
            table: &Table<'_>,
            sources: &Sources,
        ) -> Option<Result<Workload, Vec<Problem>>> {
            match word {
                $($word => Some($read(table, sources).map(Workload::$name)),)*
                _ => None,
            }
        }
    };
}

// The list: one line a kind, and one `mod` above. What works on files is read by `on_files`.
workloads! {
    "trace": Trace(TraceReplay) = read, "Recorded block requests, played back.";
    "synthetic": Synthetic(SyntheticLoad) = synthetic::read, "Random requests of a described sort.";
    "accesses": Accesses(FileLoad<AccessParameters>) = on_files, "Processes that read and write files as fio's jobs do, several accesses in flight.";
    "device-accesses": DeviceAccesses(DeviceAccessLoad) = accesses::on_disks, "Processes that read and write disks as fio's jobs do.";
    "files": Files(FileLoad<PatternParameters>) = on_files, "Processes that go through files by a pattern, as iozone and fio do.";
    "script": Script(FileLoad<ScriptParameters>) = on_files, "File operations one by one, as a script says.";
    "file-trace": FileTrace(FileLoad<RequestParameters>) = on_files, "Recorded requests to files, played back by as many processes as the record names.";
    "events": Events(FileLoad<EventReplay>) = on_files, "A file-level trace, played back.";
    "users": Users(FileLoad<Users>) = on_files, "Synthetic users, as a specification describes them.";
    "parallel": Parallel(FileLoad<ParallelParameters>) = on_files, "A parallel program, whose ranks compute, exchange messages, and work on files together.";
    "recording": Recording(FileLoad<RecordingParameters>) = on_files, "A program that `petrio record` recorded: its computing, messages and calls on files.";
}

impl Workload {
    /// How long its reads and writes may take, where that is said.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.files_place()?.deadline
    }

    /// Which kind of operation ends a transaction, where that is said.
    pub(crate) fn transaction(&self) -> Option<Operation> {
        self.files_place()?.transaction.map(Operation::from)
    }

    /// What of it says how much it asks for, where one key does.
    pub fn intensity(&self) -> Option<Intensity> {
        self.load().intensity()
    }

    /// The disks or the file systems that it goes to.
    pub fn on(&self) -> &Names {
        self.load().on()
    }

    /// The workloads that must be over before it begins.
    pub fn after(&self) -> Option<&Names> {
        self.load().after()
    }

    /// Whether it is a parallel program: its processes on all of its file systems are one.
    pub(crate) const fn is_parallel(&self) -> bool {
        matches!(self, Self::Parallel(_) | Self::Recording(_))
    }

    /// Whether it waits for all that it has asked for, so that a slower system gets less work to do.
    pub fn is_closed(&self) -> bool {
        self.load().is_closed()
    }

    /// Where it works on files, if it does; else it sends block requests.
    pub fn files_place(&self) -> Option<&FileLoadPlace> {
        self.load().files_place()
    }

    /// What its programs do to files, where it has programs that work on files.
    pub(crate) fn pattern(&self) -> Option<&dyn FilePattern> {
        self.load().pattern()
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
        DeValue::String(word) if word == "fio" => {
            let problem = sources.error(kind.span(), "job files are not read in a file that is used");
            Err(vec![problem.help("put this workload into the scenario itself")])
        }
        DeValue::String(word) => read_kind(word, &rest, sources).unwrap_or_else(|| {
            let problem = sources.error(kind.span(), format!("\"{word}\" is not a kind of workload"));
            Err(vec![problem.help(suggestion(word, KINDS, "it is one of"))])
        }),
        _ => Err(vec![
            sources.error(kind.span(), "the kind of a workload is a word").help("write kind = \"trace\""),
        ]),
    }
}
