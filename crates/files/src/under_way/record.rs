//! This process's record: a line for what begins, a line for what has ended.

use super::escape::escaped;
use super::place;
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The record of this process, while something is under way.
static RECORD: Mutex<Option<Record>> = Mutex::new(None);

/// Whether the process is about to end, so that nothing more is to begin.
static ENDING: AtomicBool = AtomicBool::new(false);

/// How a record's first line begins, with the version of the format.
pub(super) const HEAD: &str = "petrio-under-way 1";

pub(super) struct Record {
    file: File,
    folder: OwnedFd,
    name: String,
    /// How many things are under way.
    open: usize,
    next: u64,
}

/// Something that is under way; struck out of the record when this is dropped, which is after it is gone.
#[derive(Debug)]
#[must_use = "it is struck out of the record when this is dropped"]
pub struct Recorded {
    /// Its number; none where no record could be written.
    number: Option<u64>,
}

/// Writes down that something begins, before it is there: its kind (a word) and where it is.
///
/// Blocks for ever once the process [is ending](prepare_to_end), so that nothing begins behind the back of whoever
/// takes everything down.
pub fn begin(kind: &'static str, path: &Path) -> Recorded {
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut record = RECORD.lock().unwrap_or_else(PoisonError::into_inner);
    if record.is_none() {
        *record = Record::create(&place::folder());
    }
    let Some(record) = record.as_mut() else { return Recorded { number: None } };
    Recorded { number: Some(record.write_down(kind, &path)) }
}

/// Tells that the process is about to end: nothing more begins.
pub fn prepare_to_end() {
    ENDING.store(true, Ordering::SeqCst);
}

/// Whether the process is about to end.
pub fn is_ending() -> bool {
    ENDING.load(Ordering::SeqCst)
}

impl Recorded {
    /// Leaves it in the record though this process lets go of it: for what could not be removed.
    pub fn keep(mut self) {
        self.number = None;
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut slot = RECORD.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(record) = slot.as_mut() else { return };
        let _ = record.file.write_all(format!("- {number}\n").as_bytes());
        record.open -= 1;
        if record.open == 0 {
            let _ = rustix::fs::unlinkat(&record.folder, record.name.as_str(), AtFlags::empty());
            *slot = None;
        }
    }
}

impl Record {
    /// Makes the file and locks it. A sweeper that came in between has removed it; then there is another.
    pub(super) fn create(folder: &Path) -> Option<Self> {
        let folder = place::open(folder, true)?;
        for _ in 0..100 {
            let name = format!("{}-{}", std::process::id(), random_name());
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC;
            let opened = rustix::fs::openat(&folder, name.as_str(), flags, Mode::RUSR | Mode::WUSR).ok()?;
            rustix::fs::flock(&opened, FlockOperation::LockExclusive).ok()?;
            if rustix::fs::fstat(&opened).ok()?.st_nlink == 0 {
                continue;
            }
            let mut file = File::from(opened);
            file.write_all(format!("{HEAD} {}\n", place::machine()).as_bytes()).ok()?;
            return Some(Self { file, folder, name, open: 0, next: 0 });
        }
        None
    }

    /// Adds a line for what begins.
    pub(super) fn write_down(&mut self, kind: &str, path: &Path) -> u64 {
        let number = self.next;
        // A single write: a line is there or isn't.
        let _ = self.file.write_all(format!("+ {number} {kind} {}\n", escaped(path)).as_bytes());
        self.next += 1;
        self.open += 1;
        number
    }
}

/// Sixteen characters that nobody guesses, for a temporary name.
pub fn random_name() -> String {
    let mut bytes = [0_u8; 8];
    // The kernel answers whole once it is up.
    let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    format!("{:016x}", u64::from_ne_bytes(bytes))
}
