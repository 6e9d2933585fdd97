//! The schemas in words: every key with what it may be, its default and what it does, for people who read.
//!
//! Everything comes from the JSON schemas, so that what an editor is told and what a person is told is the same. Of
//! random quantities the families are named and not unfolded: each would repeat them all.

mod find;
mod markdown;
mod shape;
mod text;
mod tree;

pub use find::{Answer, NotFound, find};
pub use markdown::markdown;
pub use text::text;
pub use tree::{Key, Variant, Word};

use crate::catalogue;
use crate::report::report_schema;
use crate::schema::{json_schema, users_schema};
use tree::Reader;

/// The files that petrio reads keys from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A scenario.
    Scenario,
    /// A user specification.
    Users,
    /// A drive of the catalogue.
    Device,
    /// A machine of the catalogue.
    Machine,
    /// A kernel of the catalogue.
    Kernel,
    /// A report as JSON.
    Report,
}

impl Of {
    /// Each of them.
    pub const ALL: [Self; 6] =
        [Self::Scenario, Self::Users, Self::Device, Self::Machine, Self::Kernel, Self::Report];

    /// The word for it on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Users => "users",
            Self::Device => "device",
            Self::Machine => "machine",
            Self::Kernel => "kernel",
            Self::Report => "report",
        }
    }

    /// What it is.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scenario => "A scenario",
            Self::Users => "A user specification",
            Self::Device => "A drive of the catalogue",
            Self::Machine => "A machine of the catalogue",
            Self::Kernel => "A kernel of the catalogue",
            Self::Report => "A report as JSON",
        }
    }

    /// Its JSON schema.
    pub fn schema(self) -> schemars::Schema {
        match self {
            Self::Scenario => json_schema(),
            Self::Users => users_schema(),
            Self::Device => catalogue::device_schema(),
            Self::Machine => catalogue::machine_schema(),
            Self::Kernel => catalogue::kernel_schema(),
            Self::Report => report_schema(),
        }
    }

    /// The whole file as one key, which has all others.
    pub fn key(self) -> Key {
        Reader::of(&self.schema().to_value()).whole(self.word())
    }
}
