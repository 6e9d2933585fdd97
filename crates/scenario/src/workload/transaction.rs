//! Which operation ends a transaction of a workload on files.

use petrio_colours::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operation that ends a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransactionEnd {
    /// A read.
    Read,
    /// A write.
    Write,
    /// What makes data and metadata durable.
    Fsync,
    /// What makes data durable.
    Fdatasync,
    /// The close of a file.
    Close,
    /// The renaming of a file.
    Rename,
    /// The removal of a file.
    Unlink,
}

impl From<TransactionEnd> for Operation {
    fn from(end: TransactionEnd) -> Self {
        match end {
            TransactionEnd::Read => Self::Read,
            TransactionEnd::Write => Self::Write,
            TransactionEnd::Fsync => Self::Fsync,
            TransactionEnd::Fdatasync => Self::Fdatasync,
            TransactionEnd::Close => Self::Close,
            TransactionEnd::Rename => Self::Rename,
            TransactionEnd::Unlink => Self::Unlink,
        }
    }
}
