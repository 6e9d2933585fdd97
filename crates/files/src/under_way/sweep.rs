//! Clearing what a process that was killed has left.

use super::escape::unescaped;
use super::record::HEAD;
use super::{PART_FILE, TREE, place};
use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// How one kind of thing is cleared. Must do nothing, and succeed, where it is gone already; says whether it was there.
pub type Clear = fn(&Path) -> io::Result<bool>;

/// Something that was left.
#[derive(Debug)]
pub struct Swept {
    /// Its kind.
    pub kind: String,
    /// Where it was.
    pub path: PathBuf,
    /// Why it is there still, if it is.
    pub failure: Option<io::Error>,
}

/// A record has no more bytes: what is longer was not written by petrio.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// Clears whatever dead processes of this user have left on this machine; what is found there and what became of it.
///
/// Half-written files and temporary trees are known here; `others` says how the rest is cleared. What is of a kind that
/// nobody knows, or can't be cleared, stays in its record.
pub fn sweep(others: &[(&str, Clear)]) -> Vec<Swept> {
    sweep_in(&place::folder(), others)
}

pub(super) fn sweep_in(folder: &Path, others: &[(&str, Clear)]) -> Vec<Swept> {
    let mut all = Vec::new();
    let Some(folder) = place::open(folder, false) else { return all };
    let Ok(list) = Dir::read_from(&folder) else { return all };
    let names: Vec<_> = list.flatten().map(|entry| entry.file_name().to_owned()).collect();
    for name in names {
        let Some(text) = dead(&folder, &name) else { continue };
        let Some(left) = parse(&text.1) else { continue };
        let mut remains = false;
        // The latest first: what lies in a temporary tree before the tree.
        for (kind, path) in left.into_iter().rev() {
            let own: [(&str, Clear); 2] = [(PART_FILE, remove_part), (TREE, remove_tree)];
            let Some((_, clear)) = own.iter().chain(others).find(|(known, _)| *known == kind) else {
                remains = true;
                continue;
            };
            match clear(&path) {
                Ok(false) => {}
                Ok(true) => all.push(Swept { kind, path, failure: None }),
                Err(cause) => {
                    remains = true;
                    all.push(Swept { kind, path, failure: Some(cause) });
                }
            }
        }
        if !remains {
            let _ = rustix::fs::unlinkat(&folder, name.as_c_str(), AtFlags::empty());
        }
    }
    all
}

/// The text of a record whose process is dead, with its lock held.
fn dead(folder: &OwnedFd, name: &std::ffi::CStr) -> Option<(File, String)> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let opened = rustix::fs::openat(folder, name, flags, Mode::empty()).ok()?;
    let file = File::from(opened);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let mut text = String::new();
    (&file).take(RECORD_BYTES_MAX).read_to_string(&mut text).ok()?;
    Some((file, text))
}

/// What began and didn't end; none for what is no record of this machine. A line that was being written when the
/// process died is no line: what it announces hadn't begun.
fn parse(text: &str) -> Option<Vec<(String, PathBuf)>> {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut lines = whole.lines();
    let Some(head) = lines.next() else { return Some(Vec::new()) };
    let machine = head.strip_prefix(HEAD)?.trim();
    let is_here = machine == place::machine();
    // After another start of this machine its devices are gone, and its files are there.
    let host = |machine: &str| machine.split(':').next().map(str::to_owned);
    if !is_here && host(machine) != host(&place::machine()) {
        return None;
    }
    let mut open: BTreeMap<u64, (String, PathBuf)> = BTreeMap::new();
    for line in lines {
        let mut words = line.split(' ');
        match (words.next(), words.next().and_then(|number| number.parse().ok())) {
            (Some("+"), Some(number)) => {
                let (Some(kind), Some(path)) = (words.next(), words.next().and_then(unescaped)) else {
                    continue;
                };
                if path.is_absolute() && (is_here || kind == PART_FILE || kind == TREE) {
                    open.insert(number, (kind.to_owned(), path));
                }
            }
            (Some("-"), Some(number)) => {
                open.remove(&number);
            }
            _ => {}
        }
    }
    Some(open.into_values().collect())
}

fn was_there(outcome: io::Result<()>) -> io::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn remove_part(path: &Path) -> io::Result<bool> {
    was_there(std::fs::remove_file(path))
}

/// The tree, on its own file system alone: a mount in it that could not be cleared keeps what it shows.
fn remove_tree(path: &Path) -> io::Result<bool> {
    if path.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
        return Err(io::Error::other("it is no directory any more"));
    }
    was_there(std::fs::remove_dir_all(path))
}
