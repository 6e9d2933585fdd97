//! The text layer: TOML with a memory of where everything stands, so that every complaint can point at its cause.
//!
//! [`Sources`] holds the texts that a scenario is made of (the file, `--set` overrides, catalogue files) in one span of
//! positions; [`tree`] parses and merges them; [`deserialise`] turns tables into structs and gathers all the mistakes at
//! once; a [`Problem`] is what a person reads in the end.

mod copies;
mod culprit;
pub(crate) mod deserialise;
mod excerpt;
pub(crate) mod file;
mod inside;
mod overrides;
mod problem;
mod refusal;
mod sources;
pub(crate) mod tables;
pub(crate) mod tree;
mod value;
mod written;

pub(crate) use copies::Copies;
pub use overrides::Override;
pub use problem::{Problem, Problems, Severity};
pub(crate) use refusal::{refusal, with_advice};
pub(crate) use sources::{SETTING, Sources};
pub use written::{NotWritten, text_with};
