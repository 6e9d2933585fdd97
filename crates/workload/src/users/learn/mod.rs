//! From a trace to a user specification: §5.3's first two steps, and how far the model's assumption of independence holds.
//!
//! Each process, or each login of one, is a session. Files are told apart by whose they are (by their path), and by what was done to
//! them: made and deleted is temporary, made is new, written is read-write, anything else read-only. Of each category the distributions
//! are those that were seen, thinned to some dozens of quantiles; `petrio fit` finds families for them.
//!
//! Memory grows with the files and with their uses by sessions, not with the calls.
//!
//! Leaves out: kinds of users. All sessions are taken to be of one type; where there are several, learn from traces of each.

mod independence;
mod sample;

pub use independence::{Autocorrelation, Independence, MarkovOrder, RankCorrelation};

use super::readings::Readings;
use super::specification::{
    Category, EACH_USER, FileKind, Files, Order, Purpose, Use, UserSpecification, UserType,
};
use super::usage::{is_directory, is_login};
use crate::namespace::HOME;
use crate::trace::event::{Event, EventKind, FileKey};
use independence::Streams;
use indexmap::IndexMap;
use petrio_kernel::Time;
use petrio_units::Fraction;
use rustc_hash::FxHashMap;
use sample::{Sample, counts, values};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was learned.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learned {
    /// The users and their files.
    pub specification: UserSpecification,
    /// Sessions that it stands on.
    pub sessions: u64,
    /// Files.
    pub files: u64,
    /// How far operations, sizes and think times are independent.
    pub independence: Independence,
    /// What should be checked.
    pub notes: Vec<String>,
}

/// A trace of which nothing can be learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// No file was opened or accessed.
    #[error("there is no call on a file in it")]
    NoFiles,
    /// Files, and no reads and writes.
    #[error("there is no read and no write in it")]
    NoAccesses,
}

/// A file, over all sessions.
#[derive(Clone, Debug, Default)]
struct File {
    owner: String,
    is_directory: bool,
    is_made: bool,
    is_deleted: bool,
    is_written: bool,
    size: u64,
}

/// What a session did with a file.
#[derive(Clone, Copy, Debug, Default)]
struct OfFile {
    bytes: u64,
    size: u64,
}

/// A process as the trace has told of it so far.
#[derive(Clone, Debug, Default)]
struct Process {
    files: FxHashMap<FileKey, OfFile>,
    /// The end of the call before, where it moved data.
    moved_until: Option<Time>,
}

/// Takes the events of a trace, and makes a specification of them.
#[derive(Debug, Default)]
pub struct Learner {
    files: FxHashMap<FileKey, File>,
    processes: BTreeMap<u32, Process>,
    /// The files of each session that has ended.
    sessions: Vec<Vec<(FileKey, OfFile)>>,
    /// What stands before the users' directories in paths.
    top: String,
    thinks: Sample,
    accesses: Sample,
    streams: Streams,
    without_path: u64,
}

/// Below these, files are a user's own.
const HOMES: [&str; 5] = [HOME, "Users", "root", "tmp", "scratch"];

impl Learner {
    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        if event.error != 0 || event.kind.is_of_device() || event.kind == EventKind::Exec {
            return;
        }
        if is_login(event) {
            if let Some(path) = &event.path
                && let Some(at) = path.find(&format!("{HOME}/"))
            {
                self.top = path[..at].to_owned();
            }
            self.end(event.process);
        }
        let process = self.processes.entry(event.process).or_default();
        let moves = matches!(event.kind, EventKind::Read | EventKind::Write) && !is_directory(event);
        if let Some(until) = process.moved_until.take() {
            let think = event.time.saturating_sub(until).as_seconds();
            self.thinks.add(think);
            self.streams.thought(event.process, think);
        }
        if moves {
            process.moved_until = Some(event.end());
            if event.length > 0 {
                self.accesses.add(event.length as f64);
                self.streams.accessed(event.process, event.length);
            }
        }
        self.streams.called(event.process, event.kind);
        if event.file.is_known() && event.kind != EventKind::Stat {
            self.use_file(event);
        }
    }

    fn use_file(&mut self, event: &Event) {
        let file = self.files.entry(event.file).or_insert_with(|| File {
            owner: owner(event.path.as_deref(), &self.top),
            is_directory: is_directory(event),
            ..File::default()
        });
        let end = event.offset.unwrap_or_default() + event.length;
        match event.kind {
            EventKind::Create => file.is_made = true,
            EventKind::Unlink => {
                file.is_deleted = true;
                return;
            }
            EventKind::Write => file.is_written = true,
            EventKind::Open | EventKind::Read => {}
            _ => return,
        }
        let told = event.size.unwrap_or_default();
        file.size = file.size.max(told).max(if event.kind.is_of_device() { 0 } else { end });
        let Some(process) = self.processes.get_mut(&event.process) else { return };
        let used = process.files.entry(event.file).or_default();
        used.bytes += if matches!(event.kind, EventKind::Read | EventKind::Write) { event.length } else { 0 };
        used.size = used.size.max(file.size);
    }

    fn end(&mut self, process: u32) {
        let Some(process) = self.processes.remove(&process) else { return };
        if !process.files.is_empty() {
            let mut files: Vec<_> = process.files.into_iter().collect();
            files.sort_unstable_by_key(|(key, _)| *key);
            self.sessions.push(files);
        }
    }

    /// What was learned.
    ///
    /// # Errors
    /// A trace of which nothing can be learned.
    pub fn finish(mut self, title: &str) -> Result<Learned, LearnError> {
        for process in self.processes.keys().copied().collect::<Vec<_>>() {
            self.end(process);
        }
        if self.sessions.is_empty() {
            return Err(LearnError::NoFiles);
        }
        if self.accesses.is_empty() {
            return Err(LearnError::NoAccesses);
        }
        self.without_path = self.files.values().filter(|file| file.owner == UNKNOWN).count() as u64;
        let categories = self.categories();
        let all_files = self.files.len() as f64;
        let mut category = IndexMap::new();
        let mut uses = IndexMap::new();
        for (key, seen) in &categories {
            let name = key.name();
            category.insert(
                name.clone(),
                Category {
                    kind: key.kind,
                    owner: key.owner.clone(),
                    purpose: key.purpose,
                    share: part(seen.files as f64 / all_files),
                    size: values(&seen.file_sizes),
                    depth: None,
                    order: Order::Sequential,
                },
            );
            uses.insert(
                name,
                Use {
                    share: part(seen.counts.len() as f64 / self.sessions.len() as f64),
                    files: counts(&seen.counts),
                    size: values(&seen.sizes),
                    accesses: values(&seen.accesses),
                    rank_correlation: None,
                },
            );
        }
        let kind = UserType {
            think: Some(values(&self.thinks)),
            access: Some(values(&self.accesses)),
            uses,
            ..UserType::default()
        };
        let independence = self.independence(&categories);
        let notes = self.notes();
        Ok(Learned {
            sessions: self.sessions.len() as u64,
            files: self.files.len() as u64,
            specification: UserSpecification {
                title: title.to_owned(),
                source: "learned from a trace".to_owned(),
                files: Files { count: self.files.len() as u32, users: None, place: IndexMap::new() },
                category,
                user: [("learned".to_owned(), kind)].into_iter().collect(),
                population: IndexMap::new(),
                begins: petrio_units::Duration::default(),
                readings: Readings::default(),
            },
            independence,
            notes,
        })
    }

    fn categories(&self) -> BTreeMap<Key, Seen> {
        let mut categories: BTreeMap<Key, Seen> = BTreeMap::new();
        let mut keys: Vec<&FileKey> = self.files.keys().collect();
        keys.sort_unstable();
        for file in keys.into_iter().map(|key| &self.files[key]) {
            let seen = categories.entry(Key::of(file)).or_default();
            seen.files += 1;
            seen.file_sizes.add(file.size as f64);
        }
        for session in &self.sessions {
            let mut count: BTreeMap<Key, u64> = BTreeMap::new();
            for (file, used) in session {
                let key = Key::of(&self.files[file]);
                let Some(seen) = categories.get_mut(&key) else { continue };
                *count.entry(key).or_default() += 1;
                if used.size > 0 {
                    seen.sizes.add(used.size as f64);
                    seen.accesses.add(used.bytes as f64 / used.size as f64);
                }
            }
            for (key, count) in count {
                if let Some(seen) = categories.get_mut(&key) {
                    seen.counts.add(count as f64);
                }
            }
        }
        // What nobody used is no category of use.
        categories.retain(|_, seen| !seen.sizes.is_empty());
        categories
    }

    fn independence(&self, categories: &BTreeMap<Key, Seen>) -> Independence {
        let (mut sizes, mut accesses) = (Vec::new(), Vec::new());
        for seen in categories.values() {
            sizes.extend_from_slice(seen.sizes.kept());
            accesses.extend_from_slice(seen.accesses.kept());
        }
        let count = |session: &Vec<(FileKey, OfFile)>| session.len() as f64;
        let mean_size = |session: &Vec<(FileKey, OfFile)>| {
            session.iter().map(|(_, used)| used.size as f64).sum::<f64>() / session.len() as f64
        };
        let counts: Vec<f64> = self.sessions.iter().map(count).collect();
        let means: Vec<f64> = self.sessions.iter().map(mean_size).collect();
        self.streams.finish(&[
            ("file size", "accesses per byte", &sizes, &accesses),
            ("files of a session", "their mean size", &counts, &means),
        ])
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.without_path > 0 {
            notes.push(format!(
                "{} files without a path are taken to be one owner's, \"{UNKNOWN}\"",
                self.without_path
            ));
        }
        if self.sessions.len() < 10 {
            notes.push(format!(
                "{} sessions are few: shares and numbers of files are uncertain",
                self.sessions.len()
            ));
        }
        notes
    }
}

/// The owner of files without a path.
const UNKNOWN: &str = "unknown";
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
struct Key {
    owner: String,
    kind: FileKind,
    purpose: Purpose,
}

impl Key {
    fn of(file: &File) -> Self {
        let purpose = match (file.is_directory, file.is_made, file.is_deleted, file.is_written) {
            (true, ..) | (false, false, _, false) => Purpose::ReadOnly,
            (false, true, true, _) => Purpose::Temporary,
            (false, true, false, _) => Purpose::New,
            (false, false, _, true) => Purpose::ReadWrite,
        };
        let kind = if file.is_directory { FileKind::Directory } else { FileKind::File };
        Self { owner: file.owner.clone(), kind, purpose }
    }

    fn name(&self) -> String {
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

/// What was seen of a category.
#[derive(Clone, Debug, Default)]
struct Seen {
    files: u64,
    file_sizes: Sample,
    /// Files of the sessions that used any.
    counts: Sample,
    sizes: Sample,
    accesses: Sample,
}

fn part(part: f64) -> Fraction {
    // Four digits are more than a trace can tell.
    format!("{:.4}", part.clamp(0.0, 1.0)).parse().unwrap_or(Fraction::ZERO)
}
