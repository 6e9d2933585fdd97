//! The schemas of all files, as JSON and in words: every key with what it may be, its default and what it does, for people who read.
//!
//! Everything in words comes from the JSON schemas, so that what an editor is told and what a person is told is the same. Of
//! random quantities the families are named and not unfolded: each would repeat them all.

mod find;
mod json;
mod markdown;
mod nesting;
mod of;
mod shape;
mod text;
mod tree;

pub use find::{Answer, NotFound, find};
pub use json::{json_schema, users_schema};
pub use markdown::markdown;
pub use of::Of;
pub use text::text;
pub use tree::{Key, Variant, Word};

use crate::catalogue;
use crate::report::report_schema;
use tree::Reader;

impl Of {
    /// Its JSON schema.
    pub fn schema(self) -> schemars::Schema {
        match self {
            Self::Scenario => json_schema(),
            Self::Users => users_schema(),
            Self::Device => catalogue::device_schema(),
            Self::Machine => catalogue::machine_schema(),
            Self::Kernel => catalogue::kernel_schema(),
            Self::Report => report_schema(),
            Self::Faults => json::faults_schema(),
        }
    }

    /// The whole file as one key, which has all others.
    pub fn key(self) -> Key {
        Reader::of(&self.schema().to_value()).whole(self.word())
    }
}
