//! What may be asked about names and attributes, and the requests that come of it.

use super::message::{Kind, Message};
use super::namespace::children;
use petrio_colours::FileId;
use petrio_persist::Persist;
use smallvec::SmallVec;

/// An operation, as far as names and attributes are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The file system is mounted.
    Mount,
    /// A name is looked up in a directory.
    Lookup {
        /// The directory.
        parent: FileId,
        /// What the name stands for.
        object: FileId,
        /// Whether that is a directory.
        is_directory: bool,
    },
    /// Attributes of an object.
    Attributes {
        /// Which.
        object: FileId,
        /// Whether it is a directory.
        is_directory: bool,
        /// How large it is, too.
        size: bool,
    },
    /// A new file.
    Create {
        /// Its directory.
        parent: FileId,
        /// The file.
        file: FileId,
    },
    /// A new directory.
    MakeDirectory {
        /// Its directory.
        parent: FileId,
        /// The new one.
        directory: FileId,
    },
    /// A name and its object go.
    Remove {
        /// Its directory.
        parent: FileId,
        /// The object.
        object: FileId,
        /// Whether that is a directory.
        is_directory: bool,
    },
    /// A name moves.
    Rename {
        /// Where it was.
        from: FileId,
        /// Where it will be.
        to: FileId,
        /// What it stands for.
        object: FileId,
        /// What it replaces.
        replaced: Option<FileId>,
    },
    /// Names of a directory; with their attributes where that is said.
    ReadDirectory {
        /// Which.
        directory: FileId,
        /// How many there are.
        names: u64,
        /// Those that are wanted: from so many on, and how many of them.
        wanted: (u64, u64),
        /// The files that they stand for, whose attributes are wanted, too.
        first: Option<FileId>,
    },
    /// What an access needs before its data: up to `end` of a file.
    Access {
        /// The file.
        file: FileId,
        /// What follows the last byte.
        end: u64,
        /// Whether it writes.
        writes: bool,
    },
    /// A file goes to the disk.
    Flush {
        /// Which.
        file: FileId,
    },
    /// All servers' data and metadata go to their disks.
    FlushAll,
    /// A file is cut.
    Truncate {
        /// Which.
        file: FileId,
        /// Its new length.
        length: u64,
    },
    /// Attributes are set.
    SetAttributes {
        /// Of which object.
        object: FileId,
        /// Whether it is a directory.
        is_directory: bool,
    },
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Ask {
    /// What for.
    pub kind: Kind,
    /// Whom.
    pub server: u32,
    /// What it is about.
    pub object: FileId,
    /// The other object that it is about: a directory, of a name.
    pub parent: FileId,
    /// How many names or objects it is about.
    pub count: u64,
    /// How long it and its answer are.
    pub message: Message,
    /// Servers that this one asks before it answers: of a tree, those of all data files.
    pub others: SmallVec<[u32; 8]>,
}

/// What is asked at once.
pub type Stage = SmallVec<[Ask; 4]>;

/// What an operation asks, one stage after the other.
pub type Rounds = Vec<Stage>;

/// Requests that servers send each other because of one: from whom to whom, and how long it and its answer are.
pub fn relayed(ask: &Ask) -> Vec<(u32, u32, Message)> {
    fn tree(own: u32, servers: &[u32], length: fn(u64, bool) -> Message, to: &mut Vec<(u32, u32, Message)>) {
        for part in children(own, servers) {
            let Some(&first) = part.first() else { continue };
            to.push((own, first, length(part.len() as u64, true)));
            tree(first, &part, length, to);
        }
    }
    let mut all = Vec::new();
    match ask.kind {
        Kind::TreeGetFileSize => tree(ask.server, &ask.others, Message::tree_sizes, &mut all),
        Kind::TreeRemove => tree(ask.server, &ask.others, Message::tree_remove, &mut all),
        _ => all.extend(ask.others.iter().map(|other| (ask.server, *other, Message::set_attributes()))),
    }
    all
}
