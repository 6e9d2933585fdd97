//! From a trace to a user specification: §5.3's first two steps, and how far the model's assumption of independence
//! holds.
//!
//! Each process, or each login of one, is a session. Files are told apart by whose they are (by their path), and by
//! what was done to them: made, and deleted by somebody who was there all the time, is temporary; made is new, written
//! is read-write, anything else read-only. Of each category the distributions are those that were seen, thinned to some
//! dozens of quantiles; `petrio fit` finds families for them.
//!
//! Memory grows with the files and with their uses by sessions, not with the calls.
//!
mod category;
mod independence;
mod kinds;
mod sizes;

pub use independence::{Autocorrelation, Independence, MarkovOrder, RankCorrelation};
pub use kinds::TypesBy;

use super::readings::Readings;
use super::specification::{Use, UserSpecification, UserType};
use super::usage::{is_directory, is_login};
use crate::namespace::{Category, Files, HOME};
use category::{Creation, File, Key, UNKNOWN, order};
use independence::{Streams, spearman};
use indexmap::IndexMap;
use kinds::{OfType, most_frequent};
use petrio_distribution::Observed;
use petrio_kernel::statistics::Tally;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use petrio_units::Fraction;
use rustc_hash::FxHashMap;
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

/// What a session did with a file.
#[derive(Clone, Copy, Debug, Default)]
struct OfFile {
    bytes: u64,
    size: u64,
    last: Option<Last>,
}

/// The access before, of which the next call tells whether it was cut.
#[derive(Clone, Copy, Debug)]
struct Last {
    length: u64,
    end: u64,
    is_write: bool,
    /// It ended at the end of its file.
    is_at_end: bool,
}

impl Last {
    /// Whether it was cut, where an access that begins at `offset` follows: users write a file that they make to its
    /// end, and go on to read it.
    const fn is_cut_before(self, offset: u64, is_write: bool) -> bool {
        self.is_at_end || self.is_write && (!is_write || offset != self.end)
    }
}

/// The files of a login session.
type Session = Vec<(FileKey, OfFile)>;

/// A process as the trace has told of it so far.
#[derive(Clone, Debug, Default)]
struct Process {
    /// Its type, by its position.
    kind: usize,
    files: FxHashMap<FileKey, OfFile>,
    /// The end of the call before, where it moved data.
    moved_until: Option<Time>,
    /// When its session began.
    began: Time,
    /// How many logins it has had.
    logins: u32,
}

/// Takes the events of a trace, and makes a specification of them.
#[derive(Debug, Default)]
pub struct Learner {
    files: FxHashMap<FileKey, File>,
    processes: BTreeMap<u32, Process>,
    types_by: TypesBy,
    /// Types of users, as they appear.
    types: Vec<OfType>,
    /// What stands before the users' directories in paths.
    top: String,
    streams: Streams,
    /// How many sessions of its maker each new file has outlived that was deleted later.
    outlived: Tally,
}

impl Learner {
    /// Learns types of users told apart in this way.
    pub fn by(types_by: TypesBy) -> Self {
        Self { types_by, ..Self::default() }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        if event.error != 0 || event.kind.is_of_device() {
            return;
        }
        if let Some(name) = self.types_by.named_by(event) {
            self.end(event.process);
            let kind = self.type_named(&name);
            self.processes.entry(event.process).or_default().kind = kind;
        }
        if event.kind == EventKind::Exec {
            return;
        }
        if is_login(event) {
            if let Some(path) = &event.path
                && let Some(at) = path.find(&format!("{HOME}/"))
            {
                self.top = path[..at].to_owned();
            }
            self.end(event.process);
            self.processes.entry(event.process).or_default().logins += 1;
        }
        if self.types.is_empty() {
            self.types.push(OfType::named("learned"));
        }
        let process = self.processes.entry(event.process).or_default();
        if process.files.is_empty() {
            process.began = event.time;
        }
        let kind = &mut self.types[process.kind];
        let moves = matches!(event.kind, EventKind::Read | EventKind::Write) && !is_directory(event);
        if let Some(until) = process.moved_until.take() {
            let think = event.time.saturating_sub(until).as_seconds();
            kind.thinks.add(think);
            self.streams.thought(event.process, think);
        }
        if moves {
            process.moved_until = Some(event.end());
            if event.length > 0 {
                if !event.file.is_known() {
                    kind.accesses.add(event.length, false);
                }
                self.streams.accessed(event.process, event.length);
            }
        }
        self.streams.called(event.process, event.kind);
        if event.file.is_known() && event.kind != EventKind::Stat {
            self.use_file(event);
        }
    }

    fn use_file(&mut self, event: &Event) {
        let file = self
            .files
            .entry(event.file)
            .or_insert_with(|| File::new(event.path.as_deref(), &self.top, is_directory(event)));
        let end = event.offset.unwrap_or_default() + event.length;
        match event.kind {
            EventKind::Create => {
                file.is_made = true;
                // A number that is given again is another file.
                file.size = 0;
                file.made = self.processes.get(&event.process).map(|maker| Creation {
                    at: event.time,
                    by: event.process,
                    login: maker.logins,
                });
            }
            EventKind::Unlink => {
                let deleter = self.processes.get(&event.process);
                if let (Some(made), Some(deleter)) = (file.made.take(), deleter) {
                    // Whoever deletes it was there already when it was made.
                    file.is_temporary |= deleter.began <= made.at;
                    if made.by == event.process && deleter.logins > made.login {
                        self.outlived.record(f64::from(deleter.logins - made.login - 1));
                    }
                }
                return;
            }
            EventKind::Close => {
                let process = self.processes.get_mut(&event.process);
                if let Some(process) = process
                    && let Some(last) = process.files.get_mut(&event.file).and_then(|used| used.last.take())
                {
                    self.types[process.kind].accesses.add(last.length, true);
                }
                return;
            }
            EventKind::Write => file.is_written = true,
            EventKind::Open => file.at = 0,
            EventKind::Read => {}
            _ => return,
        }
        if let (EventKind::Read | EventKind::Write, Some(offset)) = (event.kind, event.offset) {
            file.accessed(offset, end);
        }
        if let Some(size) = event.size {
            file.told = Some(size.max(file.told.unwrap_or_default()));
        }
        let is_at_end = file.told.is_some_and(|told| end >= told) && !file.is_made;
        let told = event.size.unwrap_or_default();
        file.size = file.size.max(told).max(if event.kind.is_of_device() { 0 } else { end });
        let Some(process) = self.processes.get_mut(&event.process) else { return };
        let used = process.files.entry(event.file).or_default();
        used.bytes += if matches!(event.kind, EventKind::Read | EventKind::Write) { event.length } else { 0 };
        used.size = used.size.max(file.size);
        let moves = matches!(event.kind, EventKind::Read | EventKind::Write) && event.length > 0;
        if moves && !file.is_directory {
            let is_write = event.kind == EventKind::Write;
            let is_at_end = is_at_end || file.is_made && !is_write && end >= file.size;
            let now = Last { length: event.length, end, is_write, is_at_end };
            if let Some(last) = used.last.replace(now) {
                let is_cut = last.is_cut_before(event.offset.unwrap_or(last.end), is_write);
                self.types[process.kind].accesses.add(last.length, is_cut);
            }
        }
    }

    fn type_named(&mut self, name: &str) -> usize {
        let there = self.types.iter().position(|kind| kind.name == name);
        there.unwrap_or_else(|| {
            self.types.push(OfType::named(name));
            self.types.len() - 1
        })
    }

    /// Ends a process' session; the process stays of its type.
    fn end(&mut self, process: u32) {
        let Some(process) = self.processes.get_mut(&process) else { return };
        process.moved_until = None;
        if !process.files.is_empty() {
            let mut files: Session = std::mem::take(&mut process.files).into_iter().collect();
            files.sort_unstable_by_key(|(key, _)| *key);
            for last in files.iter_mut().filter_map(|(_, used)| used.last.take()) {
                self.types[process.kind].accesses.add(last.length, true);
            }
            self.types[process.kind].sessions.push(files);
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
        if self.types.iter().all(|kind| kind.sessions.is_empty()) {
            return Err(LearnError::NoFiles);
        }
        if self.types.iter().all(|kind| kind.accesses.is_empty()) {
            return Err(LearnError::NoAccesses);
        }
        let types = most_frequent(std::mem::take(&mut self.types));
        let sessions = types.iter().map(|kind| kind.sessions.len() as u64).sum();
        let mut categories = self.categories();
        let mut uses: Vec<_> = types.iter().map(|kind| self.uses(&kind.sessions)).collect();
        // What nobody used is no category of use.
        categories.retain(|key, _| {
            uses.iter().any(|uses| uses.get(key).is_some_and(|used| !used.sizes.is_empty()))
        });
        uses.iter_mut().for_each(|uses| uses.retain(|_, used| !used.sizes.is_empty()));
        let independence = self.independence(&types, &uses);
        let notes = self.notes(sessions);
        let all_files = self.files.len() as f64;
        let category = categories.iter().map(|(key, seen)| (key.name(), seen.category(key, all_files)));
        let is_only = types.len() == 1;
        let user = types.iter().zip(&uses).map(|(kind, uses)| {
            let of = kind.sessions.len() as f64;
            let told = UserType {
                share: (!is_only).then_some(of),
                think: Some(kind.thinks.values()),
                access: Some(kind.accesses.values()),
                uses: uses.iter().map(|(key, used)| (key.name(), used.told(of))).collect(),
                ..UserType::default()
            };
            (kind.name.clone(), told)
        });
        Ok(Learned {
            sessions,
            files: self.files.len() as u64,
            specification: UserSpecification {
                title: title.to_owned(),
                source: "learned from a trace".to_owned(),
                files: Files { count: self.files.len() as u32, users: None, place: IndexMap::new() },
                category: category.collect(),
                user: user.collect(),
                population: IndexMap::new(),
                begins: petrio_units::Duration::default(),
                readings: Readings { kept_sessions: self.kept_sessions(), ..Readings::default() },
            },
            independence,
            notes,
        })
    }

    /// How many sessions new files are kept; where none was deleted later, as usual.
    fn kept_sessions(&self) -> u32 {
        match self.outlived.count() {
            0 => Readings::default().kept_sessions,
            _ => self.outlived.mean().round() as u32,
        }
    }

    fn categories(&self) -> BTreeMap<Key, OfCategory> {
        let mut categories: BTreeMap<Key, OfCategory> = BTreeMap::new();
        let mut keys: Vec<&FileKey> = self.files.keys().collect();
        keys.sort_unstable();
        for file in keys.into_iter().map(|key| &self.files[key]) {
            let seen = categories.entry(Key::of(file)).or_default();
            seen.files += 1;
            seen.sizes.add(file.size as f64);
            seen.in_order += file.in_order;
            seen.jumps += file.jumps;
        }
        categories
    }

    /// How the sessions of a type use each category.
    fn uses(&self, sessions: &[Session]) -> BTreeMap<Key, OfUse> {
        let mut uses: BTreeMap<Key, OfUse> = BTreeMap::new();
        for session in sessions {
            let mut count: BTreeMap<Key, u64> = BTreeMap::new();
            for (file, used) in session {
                let key = Key::of(&self.files[file]);
                *count.entry(key.clone()).or_default() += 1;
                let seen = uses.entry(key).or_default();
                if used.size > 0 {
                    seen.sizes.add(used.size as f64);
                    seen.accesses.add(used.bytes as f64 / used.size as f64);
                }
            }
            for (key, count) in count {
                uses.entry(key).or_default().counts.add(count as f64);
            }
        }
        uses
    }

    fn independence(&self, types: &[OfType], uses: &[BTreeMap<Key, OfUse>]) -> Independence {
        let (mut sizes, mut accesses) = (Vec::new(), Vec::new());
        for used in uses.iter().flat_map(BTreeMap::values) {
            sizes.extend_from_slice(used.sizes.kept());
            accesses.extend_from_slice(used.accesses.kept());
        }
        let sessions = || types.iter().flat_map(|kind| &kind.sessions);
        let mean_size = |session: &Session| {
            session.iter().map(|(_, used)| used.size as f64).sum::<f64>() / session.len() as f64
        };
        let counts: Vec<f64> = sessions().map(|session| session.len() as f64).collect();
        let means: Vec<f64> = sessions().map(mean_size).collect();
        self.streams.finish(&[
            ("file size", "accesses per byte", &sizes, &accesses),
            ("files of a session", "their mean size", &counts, &means),
        ])
    }

    fn notes(&self, sessions: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let without_path = self.files.values().filter(|file| file.owner == UNKNOWN).count();
        if without_path > 0 {
            notes.push(format!(
                "{without_path} files without a path are taken to be one owner's, \"{UNKNOWN}\""
            ));
        }
        if sessions < 10 {
            notes.push(format!("{sessions} sessions are few: shares and numbers of files are uncertain"));
        }
        notes
    }
}

/// What was seen of the files of a category.
#[derive(Clone, Debug, Default)]
struct OfCategory {
    files: u64,
    sizes: Observed,
    in_order: u64,
    jumps: u64,
}

impl OfCategory {
    fn category(&self, key: &Key, all_files: f64) -> Category {
        Category {
            kind: key.kind,
            owner: key.owner.clone(),
            purpose: key.purpose,
            share: part(self.files as f64 / all_files),
            size: self.sizes.values(),
            depth: None,
            name: None,
            order: order(self.in_order, self.jumps),
        }
    }
}

/// How users of a type use a category.
#[derive(Clone, Debug, Default)]
struct OfUse {
    /// Files of the sessions that used any.
    counts: Observed,
    sizes: Observed,
    accesses: Observed,
}

impl OfUse {
    /// That of size and accesses, where it is no chance.
    fn rank_correlation(&self) -> Option<f64> {
        let found = spearman("", "", self.sizes.kept(), self.accesses.kept())?;
        let is_told = self.sizes.kept().len() >= CORRELATED_LEAST && found.rho.abs() > found.bound;
        is_told.then(|| (found.rho * 100.0).round() / 100.0)
    }

    fn told(&self, sessions: f64) -> Use {
        Use {
            share: part(self.counts.len() as f64 / sessions),
            files: self.counts.counts(),
            size: self.sizes.values(),
            accesses: self.accesses.values(),
            rank_correlation: self.rank_correlation(),
        }
    }
}

/// So few files tell nothing of a correlation.
const CORRELATED_LEAST: usize = 30;

fn part(part: f64) -> Fraction {
    // Four digits are more than a trace can tell.
    format!("{:.4}", part.clamp(0.0, 1.0)).parse().unwrap_or(Fraction::ZERO)
}
