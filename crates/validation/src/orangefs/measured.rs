//! The table of counted messages: a row for each configuration and operation.

use crate::paced::{TableError, rows};
use petrio_files::inputs::Inputs;
use serde::Deserialize;
use std::path::Path;

/// The table's file in its folder.
pub const MESSAGES: &str = "messages.csv";

/// An operation of a configuration, as it was counted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct MeasuredOperation {
    /// The configuration's name; `nostuff` in it says that files aren't stuffed.
    pub config: String,
    /// The operation.
    pub op: String,
    /// Servers of the file system.
    pub servers: u32,
    /// Messages of the client, and to it.
    pub msgs_up: u64,
    /// See there.
    pub msgs_down: u64,
    /// Their bytes with BMI's headers.
    pub bmi_bytes_up: u64,
    /// See there.
    pub bmi_bytes_down: u64,
    /// Segments and bytes of what servers sent each other, where they were counted.
    #[serde(default)]
    pub s2s_segs: Option<u64>,
    /// See there.
    #[serde(default)]
    pub s2s_bytes: Option<u64>,
    /// Kinds of messages in the order in which the first of each was seen, `>` of the client and `<` to it, with how many there were.
    pub structure: String,
}

/// The rows of a folder's table.
///
/// # Errors
/// A file that isn't there or isn't such a table.
pub fn operations(inputs: &Inputs, folder: &Path) -> Result<Vec<MeasuredOperation>, TableError> {
    rows(inputs, &folder.join(MESSAGES))
}
