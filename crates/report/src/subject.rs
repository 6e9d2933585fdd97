//! What a report needs to know of the colour that it is about: its words, and the kinds that it tells apart.

use petrio_colours::{BlockRequest, Direction, FileOp, Operation, Request};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a report counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Requests to block devices.
    #[default]
    BlockRequests,
    /// Operations on files.
    FileOperations,
}

impl Subject {
    /// One of them.
    pub const fn one(self) -> &'static str {
        match self {
            Self::BlockRequests => "request",
            Self::FileOperations => "operation",
        }
    }

    /// Several of them.
    pub const fn many(self) -> &'static str {
        match self {
            Self::BlockRequests => "requests",
            Self::FileOperations => "operations",
        }
    }
}

/// What a kind of request counts as in a report's sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A read.
    Read,
    /// A write.
    Write,
    /// Makes what was written before durable.
    Flush,
    /// Keeps a processor busy; no report counts it as an operation.
    Computing,
    /// Exchanges messages, likewise.
    Messages,
    /// Anything else.
    Other,
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The word of the report.
    pub name: &'static str,
    /// What it counts as.
    pub sort: Sort,
}

/// A colour whose requests a run reports.
pub trait Reported: Request {
    /// What the report is about.
    const SUBJECT: Subject;

    /// The kinds that a report tells apart.
    const KINDS: &'static [Kind];

    /// The position of this one's kind in [`KINDS`](Self::KINDS).
    fn kind(&self) -> usize;

    /// Whether it asked for what lies beyond the end of its file, and got nothing.
    fn found_nothing(&self) -> bool {
        false
    }
}

const fn kind(name: &'static str, sort: Sort) -> Kind {
    Kind { name, sort }
}

impl Reported for BlockRequest {
    const SUBJECT: Subject = Subject::BlockRequests;
    const KINDS: &'static [Kind] = &[
        kind("read", Sort::Read),
        kind("write", Sort::Write),
        kind("flush", Sort::Flush),
        kind("discard", Sort::Other),
    ];

    fn kind(&self) -> usize {
        match self.direction {
            Direction::Read => 0,
            Direction::Write => 1,
            Direction::Flush => 2,
            Direction::Discard => 3,
        }
    }
}

const FILE_KINDS: [Kind; Operation::ALL.len()] = {
    let mut kinds = [kind("", Sort::Other); Operation::ALL.len()];
    let mut index = 0;
    while index < Operation::ALL.len() {
        let operation = Operation::ALL[index];
        let sort = match operation {
            Operation::Read => Sort::Read,
            Operation::Write => Sort::Write,
            Operation::Fsync | Operation::Fdatasync | Operation::Sync => Sort::Flush,
            Operation::Compute | Operation::Touch => Sort::Computing,
            Operation::Exchange => Sort::Messages,
            _ => Sort::Other,
        };
        kinds[index] = kind(operation.name(), sort);
        index += 1;
    }
    kinds
};

impl Reported for FileOp {
    const SUBJECT: Subject = Subject::FileOperations;
    const KINDS: &'static [Kind] = &FILE_KINDS;

    fn kind(&self) -> usize {
        self.operation as usize
    }

    fn found_nothing(&self) -> bool {
        self.cut_short && self.length == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_counted_under_its_own_name() {
        for (index, operation) in Operation::ALL.into_iter().enumerate() {
            let request = FileOp { operation, ..FileOp::default() };
            assert_eq!(request.kind(), index);
            assert_eq!(FileOp::KINDS[index].name, operation.name());
        }
    }
}
