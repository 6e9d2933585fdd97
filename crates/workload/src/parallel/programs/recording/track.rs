//! What a recorded thread did.

use petrio_colours::Operation;
use petrio_time::Time;
use petrio_trace::event::CollectiveKind;
use std::sync::Arc;

/// A call on a file, by the files' numbers among the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileCall {
    pub(super) operation: Operation,
    pub(super) file: u32,
    pub(super) replaced: Option<u32>,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) direct: bool,
    pub(super) durable: bool,
}

impl FileCall {
    pub(super) const fn of(operation: Operation, file: u32) -> Self {
        Self { operation, file, replaced: None, offset: 0, length: 0, direct: false, durable: false }
    }
}

/// An operation of several ranks, as all of them saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    pub(super) kind: CollectiveKind,
    /// By rank; once all was read, by track.
    pub(super) members: Arc<[u32]>,
    /// Bytes of each of them, and those that each read or wrote in files meanwhile.
    pub(super) bytes: Vec<u64>,
    pub(super) in_files: Vec<u64>,
    /// How many of them took part.
    pub(super) there: usize,
}

impl Instance {
    pub(super) fn of(kind: CollectiveKind, members: Vec<u32>) -> Self {
        let none = vec![0; members.len()];
        Self { kind, members: members.into(), bytes: none.clone(), in_files: none, there: 0 }
    }

    /// A member read or wrote.
    pub(super) fn moved(&mut self, rank: u32, bytes: u64) {
        if let Some(own) = self.members.iter().position(|member| *member == rank) {
            self.in_files[own] = self.in_files[own].saturating_add(bytes);
        }
    }

    /// What a member has of what another one reads or writes for all.
    pub(super) fn share(&self, member: usize, for_all: usize) -> u64 {
        let all: u128 = self.in_files.iter().copied().map(u128::from).sum();
        let part = u128::from(self.bytes[member]) * u128::from(self.in_files[for_all]);
        part.checked_div(all).map_or(0, |share| u64::try_from(share).unwrap_or(u64::MAX))
    }
}

/// A rank's part of such an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Together {
    pub(super) kind: CollectiveKind,
    pub(super) instance: u32,
    /// Which of the members is this one, and which the root.
    pub(super) own: u32,
    pub(super) root: u32,
    pub(super) bytes: u64,
}

/// What it did next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    File(FileCall),
    /// Of what isn't simulated: as long as it took.
    Elsewhere(Time),
    Sleep(Time),
    Send {
        to: u32,
        bytes: u64,
        tag: Option<u32>,
    },
    Receive {
        from: u32,
        tag: Option<u32>,
    },
    PostSend {
        to: u32,
        bytes: u64,
        tag: Option<u32>,
    },
    PostReceive {
        from: u32,
        tag: Option<u32>,
    },
    /// So many that were posted are still not over for the program.
    Wait {
        left: u32,
    },
    Together(Box<Together>),
    /// Nothing: it only computed before.
    Nothing,
}

/// One step, and how long it computed before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Play {
    pub(super) compute: Time,
    pub(super) what: What,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// Of which rank it is, if the program has ranks.
    pub(super) rank: Option<u32>,
    /// It and those that it descends from lie on one host: by the number of the first of them.
    pub(super) family: u32,
    /// It carries out what a thread of the rank's has posted with others, while that one goes on.
    pub(super) helps: bool,
    pub(super) plays: Vec<Play>,
}
