//! What a client knows of a file, and for how long it believes it (fs/nfs/inode.c of Linux 6.1).

use super::pages::Pages;
use super::server::{Export, Kind, Node};
use petrio_kernel::Time;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// What is known to be no longer right, whatever its age (`cache_validity`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub(super) struct Invalid {
    /// The number of its newest change, and what follows from it.
    pub(super) change: bool,
    /// When it was read last: after a READ or READDIR whose reply had no attributes.
    pub(super) accessed: bool,
    /// When it was changed last: after an own change whose reply had no attributes.
    pub(super) times: bool,
    /// Its pages, or the entries of a directory.
    pub(super) data: bool,
    /// What a user may do.
    pub(super) access: bool,
}

/// A name that a directory is known to have, or not to have.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Dentry {
    pub(super) node: Option<Node>,
    /// The directory's verifier when it was found.
    pub(super) verifier: u64,
}

/// How often a file is open, by what for; and for what the server has it open.
#[derive(Clone, Copy, Debug, Default, Persist)]
pub(super) struct Opens {
    pub(super) read: u32,
    pub(super) write: u32,
    pub(super) both: u32,
    /// The server knows of reading, and of writing.
    pub(super) told_read: bool,
    pub(super) told_write: bool,
}

impl Opens {
    pub(super) fn count(&mut self, reads: bool, writes: bool) -> &mut u32 {
        match (reads, writes) {
            (true, true) => &mut self.both,
            (_, true) => &mut self.write,
            _ => &mut self.read,
        }
    }

    pub(super) fn all(&self) -> u32 {
        self.read + self.write + self.both
    }
}

/// A client's inode.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Inode {
    pub(super) directory: bool,
    /// The directory in which it was found.
    pub(super) parent: Option<Node>,
    pub(super) change: u64,
    pub(super) size: u64,
    /// When its attributes were fetched, how long they are believed, and since when it is that long.
    pub(super) fetched: Option<Time>,
    timeout: Time,
    timed: Time,
    pub(super) invalid: Invalid,
    /// Whether it is known what the user may do.
    pub(super) access: bool,
    /// Whether its access list and its default one are known.
    pub(super) acl: bool,
    pub(super) default_acl: bool,
    /// A delegation to read, and whether it was used since the last look.
    pub(super) delegation: bool,
    pub(super) used: bool,
    /// What is known of the names in it, and the number of what may have made that wrong.
    pub(super) names: BTreeMap<String, Dentry>,
    pub(super) verifier: u64,
    /// Its entries as they were read, so far; and whether that are all.
    pub(super) entries: Vec<(String, Node)>,
    pub(super) complete: bool,
    pub(super) opens: Opens,
    pub(super) pages: Pages,
    /// What its name is since it was removed while it was open.
    pub(super) silly: Option<(Node, String)>,
}

impl Inode {
    /// Attributes came from the server. What has changed there without this client makes what it has in memory wrong.
    pub(super) fn refresh(&mut self, server: &Export, node: Node, now: Time, limits: (Time, Time)) {
        let change = server.change(node);
        let is_new = self.fetched.is_none();
        if !is_new && change != self.change && !self.delegation {
            self.invalid.data = true;
            self.invalid.access = true;
            (self.acl, self.default_acl) = (false, false);
            self.verifier += 1;
            (self.timeout, self.timed) = (limits.0, now);
        } else if is_new {
            (self.timeout, self.timed) = (limits.0, now);
        } else if now >= self.timed + self.timeout {
            // Unchanged for that long: it is believed for twice as long.
            let twice = Time::from_picos(self.timeout.as_picos().saturating_mul(2));
            (self.timeout, self.timed) = (twice.min(limits.1), now);
        }
        self.follow(server, node);
        self.fetched = Some(now);
        (self.invalid.change, self.invalid.accessed, self.invalid.times) = (false, false, false);
    }

    /// What this client did itself is known to it, and makes nothing wrong.
    pub(super) fn follow(&mut self, server: &Export, node: Node) {
        self.change = server.change(node);
        self.directory = server.is_directory(node);
        // What is dirty here isn't there yet.
        let kept = if self.pages.is_dirty() { self.size } else { 0 };
        self.size = match server.kind(node) {
            Some(Kind::File(bytes)) => (*bytes).max(kept),
            _ => 0,
        };
    }

    /// Whether attributes are too old to be believed.
    pub(super) fn is_expired(&self, now: Time) -> bool {
        !self.delegation && self.fetched.is_none_or(|at| now < at || now >= at + self.timeout)
    }
}
