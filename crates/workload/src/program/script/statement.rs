//! A script as a tree of statements, and back as text.

use petrio_colours::{AccessFlags, Fallocate, Operation};
use petrio_units::{Bytes, Duration};
use std::fmt;

/// A script that was read: see [`script`](super) for what one can say.
///
/// It prints as text that reads back as the same script, with positions of its own.
#[derive(Clone, Debug)]
pub struct Script {
    pub(super) statements: Vec<Statement>,
}

impl PartialEq for Script {
    fn eq(&self, other: &Self) -> bool {
        same(&self.statements, &other.statements)
    }
}

fn same(these: &[Statement], those: &[Statement]) -> bool {
    these.len() == those.len()
        && these.iter().zip(those).all(|(this, that)| match (&this.action, &that.action) {
            (Action::Repeat { count, body }, Action::Repeat { count: other_count, body: other }) => {
                count == other_count && same(body, other)
            }
            (this, that) => this == that,
        })
}

/// Where a statement or a word stands, both from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: u32,
    /// In characters.
    pub(super) column: u32,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Statement {
    pub(super) position: Position,
    pub(super) action: Action,
}

/// What a statement says. Names are checked to be names, not yet to be there.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    File {
        name: String,
        size: Bytes,
        cached: bool,
    },
    Directory {
        name: String,
    },
    /// An operation on one name: create, tmpfile, open, close, fsync, fdatasync, mkdir, rmdir, unlink, readdir, stat, setattr.
    OnName {
        operation: Operation,
        name: String,
    },
    /// A read or a write.
    Access {
        operation: Operation,
        name: String,
        offset: Bytes,
        length: Bytes,
        flags: AccessFlags,
    },
    Append {
        name: String,
        length: Bytes,
        flags: AccessFlags,
    },
    Truncate {
        name: String,
        length: Bytes,
    },
    Rename {
        name: String,
        new: String,
    },
    Link {
        name: String,
        new: String,
    },
    Symlink {
        target: String,
        name: String,
    },
    /// An extended attribute of so many bytes; of none, it is taken away.
    SetXattr {
        name: String,
        length: Bytes,
    },
    Allocate {
        name: String,
        offset: Bytes,
        length: Bytes,
        mode: Fallocate,
    },
    SyncRange {
        name: String,
        offset: Bytes,
        length: Bytes,
    },
    Sync,
    Think(Duration),
    /// As long on average: an exponential distribution.
    ThinkAbout(Duration),
    /// Keeps a processor busy for so long.
    Compute(Duration),
    Barrier,
    Phase(PhaseWord),
    Repeat {
        count: u64,
        body: Vec<Statement>,
    },
}

/// The phases that a script can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhaseWord {
    Preparation,
    Measured,
    Closing,
}

impl PhaseWord {
    pub(super) const ALL: [Self; 3] = [Self::Preparation, Self::Measured, Self::Closing];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Preparation => "preparation",
            Self::Measured => "measured",
            Self::Closing => "closing",
        }
    }
}

/// The flags of an access, and their words.
type Flag = (&'static str, fn(&mut AccessFlags) -> &mut bool);

/// Every flag of an access by its word.
pub(super) const FLAGS: [Flag; 4] = [
    ("direct", |flags| &mut flags.direct),
    ("sync", |flags| &mut flags.sync),
    ("data-sync", |flags| &mut flags.data_sync),
    ("stdio", |flags| &mut flags.stdio),
];

/// What is done to a range instead of giving it blocks, by its word.
pub(super) const MODES: [(&str, Fallocate); 3] = [
    ("keep-size", Fallocate::KeepSize),
    ("punch-hole", Fallocate::PunchHole),
    ("zero-range", Fallocate::ZeroRange),
];

impl Action {
    /// Whether it asks for something, so that a repetition of it lets the run go on.
    pub(super) fn operates(&self) -> bool {
        match self {
            Self::File { .. }
            | Self::Directory { .. }
            | Self::Think(_)
            | Self::ThinkAbout(_)
            | Self::Compute(_)
            | Self::Barrier
            | Self::Phase(_) => false,
            Self::Repeat { body, .. } => body.iter().any(|statement| statement.action.operates()),
            _ => true,
        }
    }
}

fn write_flags(f: &mut fmt::Formatter<'_>, flags: AccessFlags) -> fmt::Result {
    FLAGS.iter().filter(|(_, flag)| *flag(&mut flags.clone())).try_for_each(|(word, _)| write!(f, " {word}"))
}

fn write_block(f: &mut fmt::Formatter<'_>, statements: &[Statement], indent: usize) -> fmt::Result {
    statements.iter().try_for_each(|statement| {
        write!(f, "{:indent$}", "")?;
        match &statement.action {
            Action::File { name, size, cached } => {
                write!(f, "file {name} {size}{}", if *cached { " cached" } else { "" })
            }
            Action::Directory { name } => write!(f, "directory {name}"),
            Action::OnName { operation, name } => write!(f, "{} {name}", operation.name()),
            Action::Access { operation, name, offset, length, flags } => {
                write!(f, "{} {name} {offset} {length}", operation.name())?;
                write_flags(f, *flags)
            }
            Action::Append { name, length, flags } => {
                write!(f, "append {name} {length}")?;
                write_flags(f, *flags)
            }
            Action::Truncate { name, length } => write!(f, "truncate {name} {length}"),
            Action::Rename { name, new } => write!(f, "rename {name} {new}"),
            Action::Link { name, new } => write!(f, "link {name} {new}"),
            Action::Symlink { target, name } => write!(f, "symlink {target} {name}"),
            Action::SetXattr { name, length: Bytes(0) } => write!(f, "removexattr {name}"),
            Action::SetXattr { name, length } => write!(f, "setxattr {name} {length}"),
            Action::Allocate { name, offset, length, mode } => {
                write!(f, "fallocate {name} {offset} {length}")?;
                let word = MODES.iter().find(|(_, of)| of == mode);
                word.map_or(Ok(()), |(word, _)| write!(f, " {word}"))
            }
            Action::SyncRange { name, offset, length } => {
                write!(f, "sync_file_range {name} {offset} {length}")
            }
            Action::Sync => f.write_str("sync"),
            Action::Think(time) => write!(f, "think {time}"),
            Action::ThinkAbout(mean) => write!(f, "think about {mean}"),
            Action::Compute(time) => write!(f, "compute {time}"),
            Action::Barrier => f.write_str("barrier"),
            Action::Phase(phase) => write!(f, "phase {}", phase.word()),
            Action::Repeat { count, body } => {
                writeln!(f, "repeat {count} {{")?;
                write_block(f, body, indent + 4)?;
                write!(f, "{:indent$}}}", "")
            }
        }?;
        writeln!(f)
    })
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_block(f, &self.statements, 0)
    }
}
