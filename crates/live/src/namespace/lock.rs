//! One petrio at a time works in a directory of files: a lock (flock(2)) on a file in it, which the kernel lets go with
//! the process. The file says who is at work, for whoever has to wait.

use super::error::NamespaceError;
use crate::beneath::{Directory, Kind, MARK, There};
use petrio_files::own::LOCK;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// What somebody wants to do with a directory of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Look at them; others may look too.
    Look,
    /// Change them; nobody else does anything meanwhile.
    Change,
}

/// Who clears what a run that was killed has left: at every start of petrio, and for a moment.
pub(super) const CLEARING: &str = "petrio's clearing";
/// Times that the file is looked for again after another petrio has removed it, or is ending.
const ATTEMPTS: usize = 1_000;
/// How long children of a process that was killed are waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// And how long each time.
const A_MOMENT: Duration = Duration::from_millis(10);
/// So much of the file is read.
const WORDS_MAX: u64 = 200;

/// A directory in which nobody else is at work.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    /// Whether the file wasn't there before.
    pub(super) is_new: bool,
    /// Whether it has petrio's mark, as all files have that are made beside it.
    pub(super) is_marked: bool,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone isn't enough: a child that another thread has forked and that isn't its own program yet holds
        // the file too.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

impl Lock {
    /// Takes the lock for somebody, such as "petrio fs remove"; `None` where there is nothing to lock.
    pub(super) fn take(
        directory: &Directory,
        access: Access,
        who: &str,
    ) -> Result<Option<Self>, NamespaceError> {
        let path = directory.path().join(LOCK);
        let since = Instant::now();
        let attempt = || -> io::Result<Option<Result<Self, String>>> {
            for _ in 0..ATTEMPTS {
                let Some((mut file, is_new)) = open(directory, access)? else { return Ok(None) };
                let there = There::of(file.as_fd())?;
                if there.kind != Kind::File {
                    return Err(io::Error::other("it is no file of petrio's own"));
                }
                let wanted = match access {
                    Access::Look => FlockOperation::NonBlockingLockShared,
                    Access::Change => FlockOperation::NonBlockingLockExclusive,
                };
                match rustix::fs::flock(&file, wanted) {
                    Err(rustix::io::Errno::WOULDBLOCK) => {
                        let who = words(file);
                        // Children of one that was killed end at once, but not in the same moment. And who has just
                        // come says in a moment who he is.
                        let patience = if who.is_empty() { PATIENCE / 10 } else { PATIENCE };
                        let is_brief = who.is_empty() || who.starts_with(CLEARING) || is_gone(&who);
                        if is_brief && since.elapsed() < patience {
                            std::thread::sleep(A_MOMENT);
                            continue;
                        }
                        return Ok(Some(Err(who)));
                    }
                    outcome => outcome?,
                }
                // Whoever had it may have removed it.
                if directory.look(LOCK.as_ref())?.is_none_or(|now| now.on != there.on) {
                    continue;
                }
                // Whose file isn't clear isn't written to; and one that may only look can't say who he is.
                let is_own = there.owner == rustix::process::geteuid().as_raw();
                if is_own && there.names == 1 && there.size <= WORDS_MAX {
                    let _ = file.set_len(0);
                    let _ = file.write_all(format!("{who}, process {}\n", std::process::id()).as_bytes());
                }
                return Ok(Some(Ok(Self { file, is_new, is_marked: there.is_marked })));
            }
            Err(io::Error::other("others make and remove it all the time"))
        };
        match attempt().map_err(NamespaceError::file("lock", &path))? {
            Some(Err(who)) => {
                let who = if who.is_empty() { "another petrio".to_owned() } else { who };
                Err(NamespaceError::AtWork { path: directory.path().to_owned(), who })
            }
            Some(Ok(lock)) => Ok(Some(lock)),
            None => Ok(None),
        }
    }
}

/// Whether the process that is named there isn't there any more.
fn is_gone(who: &str) -> bool {
    let number = who.rsplit(' ').next().and_then(|number| number.parse().ok());
    number
        .and_then(rustix::process::Pid::from_raw)
        .is_some_and(|process| rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH))
}

impl Lock {
    /// Lets processes that this one starts hold the lock too: it is free when the last has ended.
    pub(super) fn share(&self) -> io::Result<()> {
        Ok(rustix::io::fcntl_setfd(&self.file, rustix::io::FdFlags::empty())?)
    }
}

/// The file, and whether it is new.
fn open(directory: &Directory, access: Access) -> io::Result<Option<(File, bool)>> {
    let open = |flags: OFlags| {
        directory.open_file(LOCK, flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o644) | MARK)
    };
    match (open(OFlags::RDWR), access) {
        (Err(error), Access::Look) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // Those of another user, or on a file system that can't be written to, can be looked at.
        (Err(_), Access::Look) => Ok(Some((open(OFlags::RDONLY)?, false))),
        (Err(error), Access::Change) if error.kind() == io::ErrorKind::NotFound => {
            match open(OFlags::RDWR | OFlags::CREATE | OFlags::EXCL) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Ok(Some((open(OFlags::RDWR)?, false)))
                }
                made => Ok(Some((made?, true))),
            }
        }
        (opened, _) => Ok(Some((opened?, false))),
    }
}

/// Who says that he is at work.
fn words(file: File) -> String {
    let mut text = Vec::new();
    let _ = file.take(WORDS_MAX).read_to_end(&mut text);
    petrio_files::shown::text(String::from_utf8_lossy(&text).trim()).to_string()
}
