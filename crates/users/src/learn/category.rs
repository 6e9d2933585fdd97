//! Which files are of one category: whose they are, what they are, and what was done to them.

use crate::namespace::{EACH_USER, FileKind, HOME, Order, Purpose};
use petrio_time::Time;

/// A file, over all sessions.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) owner: String,
    pub(super) is_directory: bool,
    pub(super) is_made: bool,
    pub(super) is_temporary: bool,
    /// Who made it, while it is there.
    pub(super) made: Option<Creation>,
    /// Its size, where a call has told it.
    pub(super) told: Option<u64>,
    /// By others than its maker.
    pub(super) is_rewritten: bool,
    pub(super) size: u64,
    /// Accesses that began where the one before had ended, or at the beginning.
    pub(super) in_order: u64,
    /// All others.
    pub(super) jumps: u64,
    /// Where the last access ended.
    pub(super) at: u64,
}

/// How a file was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub(super) at: Time,
    /// The process.
    pub(super) by: u32,
    /// At which of its logins.
    pub(super) login: u32,
}

impl File {
    pub(super) fn new(path: Option<&str>, top: &str, is_directory: bool) -> Self {
        Self { owner: owner(path, top), is_directory, ..Self::default() }
    }

    /// Counts an access as one in order, or as a jump.
    pub(super) fn accessed(&mut self, offset: u64, end: u64) {
        *(if offset == self.at || offset == 0 { &mut self.in_order } else { &mut self.jumps }) += 1;
        self.at = end;
    }
}

/// The order in which files are accessed, of so many accesses in order and so many jumps.
pub(super) const fn order(in_order: u64, jumps: u64) -> Order {
    if jumps > in_order { Order::Random } else { Order::Sequential }
}

/// Below these, files are a user's own.
const HOMES: [&str; 5] = [HOME, "Users", "root", "tmp", "scratch"];
/// The owner of files without a path.
pub(super) const UNKNOWN: &str = "unknown";
/// That of files of an absolute path outside of users' directories.
const SYSTEM: &str = "system";

/// Whose a file is, by its path.
fn owner(path: Option<&str>, top: &str) -> String {
    let Some(path) = path else { return UNKNOWN.to_owned() };
    let path = path.strip_prefix(top).unwrap_or(path);
    let absolute = path.starts_with('/');
    let mut names = path.split('/').filter(|name| !name.is_empty());
    match names.next() {
        Some(first) if HOMES.contains(&first) => EACH_USER.to_owned(),
        _ if absolute => SYSTEM.to_owned(),
        // In the working directory.
        Some(first) if path.trim_end_matches('/').contains('/') && !first.starts_with('.') => {
            first.to_owned()
        }
        _ => EACH_USER.to_owned(),
    }
}

/// A category.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) owner: String,
    pub(super) kind: FileKind,
    pub(super) purpose: Purpose,
}

impl Key {
    /// That of a file as a session uses it: to others than its maker it is there.
    pub(super) fn of(file: &File, is_maker: bool) -> Self {
        let purpose = match (file.is_directory, is_maker, file.is_temporary, file.is_rewritten) {
            (true, ..) | (false, false, _, false) => Purpose::ReadOnly,
            (false, true, true, _) => Purpose::Temporary,
            (false, true, false, _) => Purpose::New,
            (false, false, _, true) => Purpose::ReadWrite,
        };
        let kind = if file.is_directory { FileKind::Directory } else { FileKind::File };
        Self { owner: file.owner.clone(), kind, purpose }
    }

    pub(super) fn name(&self) -> String {
        let directory = if self.kind == FileKind::Directory { "directory-" } else { "" };
        let purpose = match self.purpose {
            Purpose::ReadOnly => "read",
            Purpose::ReadWrite => "write",
            Purpose::New => "new",
            Purpose::Temporary => "temp",
        };
        format!("{}-{directory}{purpose}", self.owner)
    }
}
