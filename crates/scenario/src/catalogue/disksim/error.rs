//! What can be wrong with a DiskSim parameter file.

use petrio_models::device::disk::{DriveError, LayoutError};

/// Why a parameter file gives no drive: where, what, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct ImportError {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1; 0 where the file as a whole is meant.
    pub line: u32,
    /// The problem.
    pub problem: Problem,
}

impl ImportError {
    pub(super) fn new(file: &str, line: u32, problem: Problem) -> Self {
        Self { file: file.to_owned(), line, problem }
    }
}

/// The kinds of problems.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A file that cannot be read.
    #[error("the file cannot be read: {0}; put it beside the parameter file that names it")]
    Unreadable(String),
    /// A file that is not text.
    #[error("the file is not text (byte {0} is no UTF-8); a DiskSim parameter file is needed")]
    NotText(usize),
    /// A file out of all proportion.
    #[error("the file has {0} bytes, more than the {1} that a parameter file may have")]
    TooLarge(usize, usize),
    /// Files that include each other, or too deep a nesting of blocks.
    #[error("blocks or files are nested more than {0} deep; look for a file that includes itself")]
    TooDeep(usize),
    /// Something else than what the grammar wants here.
    #[error("{expected} is needed here, not {found}")]
    Syntax {
        /// What is needed.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// The same name twice in a block.
    #[error("\"{0}\" is given twice in the block; delete one")]
    Twice(String),
    /// A parameter that the drive cannot do without.
    #[error("the block {block} has no parameter \"{name}\"; add it")]
    Missing {
        /// The block's type and name.
        block: String,
        /// The parameter.
        name: &'static str,
    },
    /// A value of the wrong kind.
    #[error("\"{name}\" is {found}, but {expected} is needed")]
    Value {
        /// The parameter.
        name: String,
        /// What is needed.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A part of DiskSim that has no counterpart here.
    #[error("\"{name}\" is {found}, which is not supported; supported are {supported}")]
    Unsupported {
        /// The parameter.
        name: &'static str,
        /// What stands there.
        found: String,
        /// What would do.
        supported: &'static str,
    },
    /// A file without a drive.
    #[error(
        "the file describes no disk (no block of type disksim_disk); give a .parv or .diskspecs file with one"
    )]
    NoDrive,
    /// A load that makes no requests.
    #[error("a synthetic load needs generators (a list of blocks of type disksim_synthgen)")]
    NoGenerator,
    /// A line of a seek curve that is none.
    #[error(
        "\"{0}\" is no line of a seek curve; \"distance, milliseconds\" is needed, with ascending distances"
    )]
    SeekLine(String),
    /// A figure that makes no drive.
    #[error("the drive cannot work so: {0}")]
    Drive(#[from] DriveError),
    /// A figure that makes no layout.
    #[error("the layout cannot be so: {0}")]
    Layout(#[from] LayoutError),
}
