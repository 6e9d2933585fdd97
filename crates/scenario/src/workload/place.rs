//! Where processes that work on files run, how urgent they are, and what else is said of all of them alike.

use super::transaction::TransactionEnd;
use crate::schema::Names;
use petrio_colours::IoClass;
use petrio_units::Duration;
use petrio_workload::program::ProcessMemory;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where processes that work on files run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileLoadPlace {
    /// The file systems. With several of them, each has processes and files of its own.
    pub on: Names,
    /// The scheduling class of the processes (`ionice -c`).
    #[serde(default)]
    pub io_class: IoClassName,
    /// Their priority within the class, 0 the most urgent, 7 the least (`ionice -n`).
    #[serde(default = "usual_priority")]
    pub io_priority: u8,
    /// How long a read or a write may take, as of a stream of audio or video: the report says how many were late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Duration>,
    /// Which operation ends a transaction: of a database's log the fdatasync that follows a write. The report then tells how many
    /// transactions there were a second, and how long each took, from the first operation of its process since the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<TransactionEnd>,
    /// Memory of each process beside files: it competes with them for the host's, and goes to swap space (`host.NAME.swap`) where that
    /// is short. On file systems of Linux hosts' own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<ProcessMemory>,
    /// Workloads that must be over before this one begins: they run in turn, and the report tells of each over its own time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Names>,
}

fn usual_priority() -> u8 {
    4
}

/// How urgent a process' requests are among those of others (ioprio_set(2)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IoClassName {
    /// Before everybody else's.
    RealTime,
    /// The usual.
    #[default]
    BestEffort,
    /// Only when nobody else asks.
    Idle,
}

impl From<IoClassName> for IoClass {
    fn from(name: IoClassName) -> Self {
        match name {
            IoClassName::RealTime => Self::RealTime,
            IoClassName::BestEffort => Self::BestEffort,
            IoClassName::Idle => Self::Idle,
        }
    }
}

pub(super) const FILE_KEYS: [&str; 7] =
    ["on", "io_class", "io_priority", "deadline", "transaction", "memory", "after"];
